/* An experiment: what a file describes, as objects ready to run.
 *
 * It is constant once it is read. Everything that changes during a run (the systems, the station, the virtual rig) and
 * the struct itself are pieces of one arena, so a copy of the arena is an experiment with its own state and the same
 * constants: see yk_experiment_instance. */
#ifndef YOKE_EXPERIMENT_H
#define YOKE_EXPERIMENT_H

#include "base/notes.h"
#include "experiment/selection.h"
#include "model/import.h"
#include "substructure/member/fibre_section.h"
#include "substructure/probe.h"
#include "transfer/station.h"
#include "yaml/include.h"
#include <stdio.h>
#include <yoke/coupling.h>
#include <yoke/integrator.h>
#include <yoke/substructure.h>

struct yk_time {
    double step, end;      /* s */
    int substeps;          /* fine steps in a system step */
    double control_rate;   /* of the actuators [Hz]; 0: none */
    double scale;          /* seconds of wall time for one of the test */
    bool faster_than_real; /* a scale below 1 may move actuators */
};

/* What acts as the physical substructures. */
enum yk_players {
    YK_PLAYED_BY_BACKEND,     /* as the file says                                                      */
    YK_PLAYED_BY_VIRTUAL_RIG, /* the virtual rig, whatever the backend                                 */
    YK_PLAYED_BY_MODELS,      /* the models of the virtual rig, without actuators                      */
    YK_PLAYED_BY_FULL_MODELS, /* likewise, with reduced models replaced by the full ones they were made from */
};

enum yk_stability_action { YK_REFUSE_UNSTABLE, YK_WARN_UNSTABLE };

/* A zero of the section `calibration`, for recordings and for `yoke rig`. */
struct yk_taken_zero {
    char channel[96]; /* a1.displacement, a1.force, sensor.NAME */
    char unit[16];
    double zero, command; /* see yk_station_tare */
    double deviation, seconds;
    char date[40];
};

/* A calibration of a sensor, from the section `certificates`. */
struct yk_certificate {
    char channel[96]; /* a1.displacement, a1.force, sensor.NAME */
    char *sensor, *serial, *certificate, *date, *due;
    double uncertainty;       /* expanded (k = 2), relative */
    double as_found, as_left; /* true over indicated value, before and after adjustment */
    long overdue_days;        /* 0: not yet due */
};

struct yk_names;
struct yk_component;
struct yk_plan_source;
/* Sections with fibres of a frame, to tell about them. */
struct yk_named_section {
    char *name;
    struct yk_fibre_section *fibres; /* a share */
};
struct yk_named_sections {
    struct yk_named_section *items;
    size_t count;
};
/* Nodes that are held, for drawings. */
struct yk_support {
    double at[3];  /* m */
    unsigned held; /* bits of x, y, z, rx, ry, rz */
};
struct yk_supports {
    struct yk_support *items; /* malloc'd */
    size_t count;
};

struct yk_experiment {
    char *path, *directory;
    struct yk_included included; /* other files that the sections came from */
    const struct yk_experiment
        *base;              /* whose path it uses, and text and tree unless it owns them; NULL: it has its own */
    bool owns_tree;         /* and text, settings and included files */
    char *text;             /* the file as it was read */
    char *overrides;        /* --set words, one per line */
    struct yk_notes *notes; /* what the user should know of the file: a unit that was assumed, a setting not used */
    char **labels;          /* of the overrides, for messages; NULL at the end */
    char *title;
    struct yk_time time;
    long steps;

    const struct yk_integrator_ops *integrator; /* of a one-domain run; NULL in a coupled one */
    const struct yk_coupling_ops *coupling;     /* of a coupled run */
    void *settings;                             /* of the integrator or coupling */
    int stability;                              /* enum yk_stability_action */
    int solve_path;                             /* enum yk_solve_path */
    enum yk_players players;
    int reference; /* 0: none, 1: monolithic */
    struct yk_where method_where, step_where, scale_where;

    struct yk_station *station;  /* of the physical substructures; NULL: there is none */
    struct yk_limits limits;     /* where there is none: those of deadlines and stalls count all the same */
    struct yk_taken_zero *zeros; /* that the station uses */
    size_t zero_count;
    struct yk_certificate *certificates;
    size_t certificate_count;
    size_t substructure_count;
    struct yk_substructure *substructures;
    bool *fine;     /* rate: fine, by substructure */
    double **place; /* by substructure: coordinates [m] of the node of every degree of freedom, 3 n, NaN where unknown;
                       NULL where none is known */
    struct yk_anchors *anchors; /* by substructure: lines from its nodes to its supports, of imported models */
    struct yk_supports *held;   /* by substructure: the supports of frames */
    double **support; /* by substructure, n x 3 or NULL: inertia force per unit acceleration of its supports along x, y
                       * and z, which a ground motion adds to M b */
    struct yk_ground **ground;     /* by substructure, of reduced models: effect of ground motions; else NULL */
    struct yk_matrix *coordinates; /* by substructure, where a full model replaces a reduced one:
                                    * x = A u, the coordinates of the reduced one; rows = 0: it did not */
    struct yk_names *dof_index;    /* by substructure: finds its degrees of freedom by name */
    struct yk_experiment *
        *source; /* by substructure, likewise: the experiment that the full model is from; else NULL */
    size_t row_count;
    struct yk_row *rows;
    double *moved_mass; /* by row: what `mass_fraction` moved from its first side to its second [kg] */
    char **row_names;   /* for the channels of their multipliers; NULL: the number of the row */
    size_t load_count;
    struct yk_load *loads;

    struct yk_arena *mem;        /* where the experiment is, and all that changes in it */
    bool guest;                  /* another object owns the arena */
    struct yk_assembly assembly; /* the untorn structure; system is NULL where a varying mass is joined */
    struct yk_load_set *load_set;
    struct yk_probes *probes;           /* by substructure: its elements, for recordings */
    struct yk_named_sections *sections; /* by substructure: those with fibres */
    struct yk_selection *selection;     /* what is recorded */
    struct yk_node *tree;
    const struct yk_component *components; /* that the program provides, see yoke/plugin.h; the caller's */
    size_t component_count;
};

/* Reads and checks everything. `overrides`: count settings "key=value". */
enum yk_status yk_experiment_load(struct yk_experiment **experiment, const char *path, const char *const *overrides,
                                  size_t override_count, struct yk_err *err);
/* The same with the virtual rig instead of the backend, for work that must not move a real rig. */
enum yk_status yk_experiment_rehearse(struct yk_experiment **experiment, const char *path, const char *const *overrides,
                                      size_t override_count, struct yk_err *err);
/* The same from text in memory; `path` is used for messages and for the folder of data files. */
enum yk_status yk_experiment_parse(struct yk_experiment **experiment, const char *path, const char *text, size_t size,
                                   const char *const *overrides, size_t override_count, struct yk_err *err);
/* The same from a source of a program. */
enum yk_status yk_experiment_read(struct yk_experiment **experiment, const struct yk_plan_source *source,
                                  struct yk_err *err);
/* A variant: same file and settings, other players. Nothing is read again; it must not outlive the first. Full models:
 * fails where one is unknown, missing or has changed. */
enum yk_status yk_experiment_vary(const struct yk_experiment *experiment, enum yk_players players,
                                  struct yk_experiment **other, struct yk_err *err);
/* A variant with more settings, applied after those it was read with; same players. The text is not read again; it must
 * not outlive the first. */
enum yk_status yk_experiment_set(const struct yk_experiment *experiment, const char *const *overrides,
                                 size_t override_count, struct yk_experiment **other, struct yk_err *err);
/* Which actuators, sensors and lines of the station the rig `name` of `rigs` has; NULL: all, where there is one. The
 * tables and the name are malloc'd. */
struct yk_rig_member;
enum yk_status yk_experiment_rig(const struct yk_experiment *experiment, const char *name, struct yk_rig_member *member,
                                 struct yk_err *err);
/* The settings in the file for a backend of that rig, whatever plays it; malloc'd, to be closed and freed. */
enum yk_status yk_experiment_backend(const struct yk_experiment *experiment, const char *name, const char *backend,
                                     void **self, struct yk_err *err);

/* Could the backends that the file names serve it with their settings? They are not opened; the virtual rig may be used
 * instead of them. */
enum yk_status yk_experiment_check_backends(const struct yk_experiment *experiment, struct yk_err *err);

/* A file beside an experiment: NAME and the ending, for NAME.yaml; malloc'd. */
char *yk_path_beside(const char *path, const char *ending);
/* SHA-256 of what a check-list depends on: the sections rig, rigs, limits and calibration, the control rate, and how
 * the actuators are connected and commanded. Loads, models, methods and compensators may change without a new one. */
void yk_experiment_rig_hash(const struct yk_experiment *experiment, char hash[65]);
/* The file of the section `calibration`, malloc'd; NULL where the experiment file has the section itself, or `none`. */
char *yk_zeros_path(const struct yk_experiment *experiment);
/* Writes that file, or leaves the old one. */
enum yk_status yk_zeros_write(const char *path, const struct yk_taken_zero *zeros, size_t count, struct yk_err *err);

void yk_experiment_destroy(struct yk_experiment *experiment);
/* Another method for the untorn structure, by its name and with its default settings. */
enum yk_status yk_experiment_integrate_by(struct yk_experiment *experiment, const char *integrator, struct yk_err *err);

/* An instance: its own systems, station and virtual rig, copied from the experiment as they are now; constants are
 * shared. Only one instance at a time may move a rig outside this process. Must not outlive the experiment. */
enum yk_status yk_experiment_instance(const struct yk_experiment *experiment, struct yk_experiment **instance,
                                      struct yk_err *err);
void yk_experiment_release(struct yk_experiment *instance);
/* Sets the arena of an instance that was copied as part of a larger one. */
void yk_experiment_move_in(struct yk_experiment *instance, struct yk_arena *mem);

/* Returns to substructures the mass that `mass_fraction` moved, before one is taken out of its experiment. False if no
 * mass was moved. Loads and assembly stay as they were. */
bool yk_experiment_return_mass(struct yk_experiment *experiment);
/* Effect of ground motions on substructure k, for a reduction to the degrees of freedom `dofs`: motions in every
 * direction, motions of `dofs` alone, and the common motion of all where they point the same way. */
struct yk_ground;
enum yk_status yk_experiment_ground(const struct yk_experiment *experiment, size_t k, const size_t *dofs, size_t count,
                                    struct yk_ground *ground, struct yk_err *err);

/* Why the motion is not finite, where a model, controller or plant of others knows it; false: none does. */
bool yk_experiment_fault(const struct yk_experiment *experiment, char *text, size_t size);

/* Loads on substructure k at time t. */
void yk_experiment_load_at(const struct yk_experiment *experiment, size_t k, double t, double *f);
double yk_fine_step(const struct yk_experiment *experiment);              /* of the fine side, or of one domain [s] */
const char *yk_experiment_method(const struct yk_experiment *experiment); /* name of the integrator or coupling */
const char *yk_experiment_kind(const struct yk_experiment *experiment, size_t k); /* of substructure k: "frame" */
const struct yk_param *yk_experiment_params(const struct yk_experiment *experiment);

/* Limits that a rig outside this process needs and the file lacks: "command_rate and force of a1"; "": none. */
void yk_limits_missing(const struct yk_experiment *experiment, char *text, size_t size);
/* Peak values of an actuator in a rehearsal; m, m/s, N, or rad, rad/s, N m. Rates are per second of wall time. */
struct yk_actuator_peaks {
    double command, rate, force, error; /* all but the force in the quantity of the command */
    double displacement;                /* measured */
    double tracking;                    /* rms of the tracking error over that of the target */
};
/* Writes the section `limits` of the file with the missing limits added: `margin` times the peaks of each actuator,
 * rounded up. */
void yk_limits_propose(const struct yk_experiment *experiment, const struct yk_actuator_peaks *peaks, double margin,
                       FILE *out);

/* Writes the reference of the experiment file, in Markdown, from the tables the reader uses. */
void yk_experiment_reference(FILE *out);
/* The same for editors: a JSON Schema (draft 7). */
enum yk_status yk_experiment_schema(FILE *out, struct yk_err *err);

#endif
