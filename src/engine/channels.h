/* The table of channels: everything that a run can show, in one place. A family is a kind of owner (a degree of
 * freedom, an actuator, ...) with the channels that each of its owners has; a channel is a row of it: name, unit,
 * words, and a function that gets the value. Samples, recorder, telemetry, summary and readers of recordings all use
 * the table, so a new channel is one row, and a new family one entry in channels.def. */
#ifndef YOKE_CHANNELS_H
#define YOKE_CHANNELS_H

#include "engine/engine.h"
#include "state/state.h"
#include <yoke/look.h>

/* Most channels of a stream that are recorded by default; 3000 are 24 kB a row, 24 MB a second at 1 kHz. */
enum { YK_RECORDED_BY_DEFAULT = 3000 };

/* Degree of freedom i of substructure k, or its probe i. */
struct yk_place {
    size_t k, i;
};

/* One channel of a run: a row of the table, and which of the owners of the family it belongs to. */
struct yk_channel_at {
    const struct yk_channel_family *family;
    const struct yk_channel_row *row;
    size_t item;
};

/* The channels of a run; constant once made. */
struct yk_channels {
    const struct yk_model *model;
    size_t dof_count, *first;       /* of all substructures; the first of each among them */
    struct yk_place *dofs;          /* by number */
    size_t multiplier_count, *rows; /* interface row of each */
    size_t signal_count, *loads;    /* the first load of each signal: a ground motion may be several loads */
    size_t actuator_count;
    size_t element_count;
    struct yk_place *elements; /* by number: substructure, and which of its probes */
    size_t look_count;
    struct yk_look_place {
        size_t k; /* substructure */
        struct yk_look look;
    } * looks;                     /* at members of structures */
    bool *one_way;                 /* by substructure: its nodes have one degree of freedom each, all alike */
    bool *essential;               /* by degree of freedom: recorded even if there are too many */
    const struct yk_rig_plan *rig; /* its sensors and lines; NULL: there is none */
    struct yk_channel_set {
        size_t count; /* 0: the run has no such rows */
        struct yk_channel_at *at;
        long every;   /* n-th row is recorded */
        size_t known; /* recorded by default, unless there are too many */
        bool few;     /* too many by default: only essential ones are recorded */
        struct yk_channel_sum {
            size_t count; /* 0: the stream does not have it */
            struct yk_channel_at *at;
            double *factor;
            char unit[YK_UNIT_NAME];
        } * sums; /* by derived channel of the experiment */
    } sets[YK_STREAMS];
};
enum yk_status yk_channels_open(struct yk_channels *channels, const struct yk_state *state, struct yk_err *err);
void yk_channels_close(struct yk_channels *channels);

/* The present values of a stream, from which rows are made. Updated by samples.c. */
struct yk_view {
    const struct yk_channels *channels;
    enum yk_stream_number stream;
    const double **from; /* addresses of the values by channel; NULL: computed */
    double time;
    double *u, *v, *a;     /* of all degrees of freedom; in the fine stream of the fine ones */
    unsigned char *needed; /* by degree of freedom: which of them are read, YK_READ_U and so on */
    double *r;             /* restoring forces, where they are used */
    bool *uses_r;          /* by substructure */
    double *lambda;        /* by multiplier */
    double *signals;       /* of the loads, by signal */
    struct yk_energy energy;
    double energy_error;
    const double *reference; /* u of all degrees of freedom */
    double supervisor;       /* its state */
    struct yk_actuator_now {
        struct yk_actuator_state state; /* after the last step */
        double sent;                    /* in the last tick; of an actuator with two control modes, in the first, */
        double sent_second, mode;       /* in the second, and which one is in force: 0, 1 */
        struct yk_reading reading;      /* likewise */
    } * actuators;
    struct yk_element_now {
        bool used, started;
        double force, deformation;
        double energy; /* work done on it since the start: what it stores and what it dissipates */
    } * elements;
    struct yk_look_now {
        bool used;
        double value;
    } * looks;
    size_t seen_count, *seen; /* the looks that are used */
    const double *sensors;    /* of the rig, in the last tick */
    uint32_t lines;           /* likewise */
};

/* A channel of every owner of a family. */
struct yk_channel_row {
    const char *name;  /* after that of the owner: "target" for a1.target; NULL ends the rows */
    const char *kind;  /* what it is: "measured force" */
    const char *words; /* after those of the owner: "actuator a1, measured force" */
    enum yk_quantity quantity;
    /* The address of its value in the view for the whole run; or, if it is computed, its present value. */
    const double *(*place)(const struct yk_view *view, size_t item)YK_RT;
    double (*value)(const struct yk_view *view, size_t item) YK_RT;
    bool (*exists)(const struct yk_channels *channels, size_t item); /* NULL: every owner has it */
    void (*use)(struct yk_view *view, size_t item); /* before a run: it will be read; NULL: nothing to prepare */
    bool on_request;                                /* recorded only if a pattern or a sum names it */
    bool commanded; /* of an actuator: in the quantity of its command, which may be another one */
};

/* The owner of channels. */
struct yk_channel_owner {
    char name[120];            /* "frame.x"; "": the run itself */
    char words[120];           /* "frame x" */
    enum yk_sense sense;       /* which form the quantities have */
    enum yk_quantity quantity; /* of rows that leave it to the owner (YK_NUMBER) */
    enum yk_quantity command;  /* of an actuator that is not commanded by displacement; YK_NUMBER: it is */
    const char *unit;          /* NULL: that of the quantity */
};
struct yk_channel_family {
    enum yk_stream_number stream;
    size_t (*count)(const struct yk_channels *channels);
    void (*owner)(const struct yk_channels *channels, size_t item, struct yk_channel_owner *owner);
    bool (*has)(const struct yk_channels *channels, size_t item); /* NULL: all of them belong to the stream */
    /* Which owners are recorded by default if there are too many; NULL: all. */
    bool (*essential)(const struct yk_channels *channels, size_t item);
    /* Owners whose rows are recorded by default although they are on request; NULL: none. */
    bool (*few_by_default)(const struct yk_channels *channels, size_t item);
    bool always;        /* always recorded, unless a pattern excludes it */
    const char *prefix; /* of the names; NULL: none */
    const struct yk_channel_row *rows;
};
extern const struct yk_channel_family *const yk_channel_families[]; /* in the order of a row; NULL at the end */

/* Name, unit and words of a channel. */
void yk_channel_describe(const struct yk_channels *channels, const struct yk_channel_at *at, struct yk_channel *out);
/* Preparation, after the view of a stream has its memory: marks the channels that will be read. */
void yk_channels_use(const struct yk_channels *channels, struct yk_view *view);
/* The value of a channel. */
double yk_channel_value(const struct yk_channel_at *at, const struct yk_view *view) YK_RT;
/* The row of a stream, from its view. */
void yk_channels_row(const struct yk_channels *channels, enum yk_stream_number stream, const struct yk_view *view,
                     double *row) YK_RT;

#endif
