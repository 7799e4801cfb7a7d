/* A model: the contents of an experiment file and what follows from it, as objects ready to run.
 *
 * It is constant once it is made: readers fill a struct yk_model, everybody else holds a const one. Everything that
 * changes during a run (the systems, the station, the virtual rig) are pieces of one arena, of which every state has a
 * copy: src/state/state.h. */
#ifndef YOKE_EXPERIMENT_H
#define YOKE_EXPERIMENT_H

#include "base/names.h"
#include "base/notes.h"
#include "experiment/quality.h"
#include "experiment/selection.h"
#include "model/import.h"
#include "substructure/probe.h"
#include "transfer/station.h"
#include "yaml/include.h"
#include <stdio.h>
#include <yoke/coupling.h>
#include <yoke/fibre_section.h>
#include <yoke/frame.h>
#include <yoke/integrator.h>
#include <yoke/substructure.h>
#include <yoke/yoke.h>

struct yk_layout;
struct yk_state;
struct yk_reference_model;
struct yk_time {
    double step, end;      /* s */
    int substeps;          /* fine steps in a system step */
    double control_rate;   /* of the actuators [Hz]; 0: none */
    double scale;          /* seconds of wall time for one of the test */
    bool faster_than_real; /* a scale below 1 may move actuators */
};

/* Players: the rig or the models that act as the physical substructures. */
enum yk_players {
    YK_PLAYED_BY_BACKEND,     /* as the file says                                                      */
    YK_PLAYED_BY_VIRTUAL_RIG, /* the virtual rig, whatever the backend                                 */
    YK_PLAYED_BY_MODELS,      /* the models of the virtual rig, without actuators                      */
    YK_PLAYED_BY_FULL_MODELS, /* those models, with reduced ones replaced by the full ones they were made from */
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

struct yk_component;
struct yk_model_source;
/* Sections with fibres of a frame, for reports. */
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

/* Constants of a substructure besides its system: geometry, supports, origin. */
struct yk_part {
    double *place; /* coordinates [m] of the node of every degree of freedom, 3 n, NaN where unknown; NULL where
                    * none is known */
    struct yk_anchors anchors; /* lines from its nodes to its supports, of imported models */
    struct yk_supports held;   /* the supports of frames */
    struct yk_frame frame;     /* nodes and members; empty if it is no frame */
    long *index;               /* rows of its nodes, as in struct yk_frame_model */
    double *support;           /* n x 3 or NULL: inertia force per unit acceleration of its supports along x, y and z,
                                * which a ground motion adds to M b */
    struct yk_ground *ground;  /* of a reduced model: effect of ground motions; else NULL */
    struct yk_matrix coordinates;      /* of a full model that replaces a reduced one: x = A u, the coordinates of the
                                        * reduced one; else rows = 0 */
    struct yk_model *source;           /* of that full model; owns the memory of the system; else NULL */
    struct yk_names dof_index;         /* finds its degrees of freedom by name */
    struct yk_probes probes;           /* its elements, for recordings */
    struct yk_named_sections sections; /* sections with fibres */
};

struct yk_model {
    char *path, *directory;
    struct yk_included included; /* other files that the sections came from */
    const struct yk_model *base; /* whose path it uses, and text and tree unless it owns them; NULL: it has its own */
    bool owns_tree;              /* and text, settings and included files */
    char *text;                  /* the file as it was read */
    char *overrides;             /* --set words, one per line */
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
    bool static_only;       /* permanent loads are left to the caller, masses may be zero */
    size_t condensed_modes; /* of each large linear part, which they describe, without loads; 0: every part as it is */
    int reference;          /* 0: none, 1: monolithic */
    int analysis;           /* 0: dynamic, 1: static */
    struct yk_static_path *static_path; /* of a quasi-static test; NULL: the method leads */
    struct yk_where method_where, step_where, scale_where;

    struct yk_station *station;  /* of the physical substructures; NULL: there is none */
    struct yk_limits limits;     /* where there is none: those of deadlines and stalls count all the same */
    struct yk_taken_zero *zeros; /* that the station uses */
    size_t zero_count;
    struct yk_certificate *certificates;
    size_t certificate_count;
    size_t substructure_count;
    struct yk_substructure *substructures;
    struct yk_part *parts; /* by substructure */
    size_t row_count;
    struct yk_row *rows;
    double *moved_mass; /* by row: what `mass_fraction` moved from its first side to its second [kg] */
    char **row_names;   /* for the channels of their multipliers; NULL: the number of the row */
    size_t load_count;
    struct yk_load *loads;

    struct yk_arena *mem;         /* the substructures, the assembly and the station as they start: never stepped */
    bool guest;                   /* another object owns the arena */
    struct yk_assembly *assembly; /* the untorn structure; system is NULL where a varying mass is joined */
    struct yk_load_set *load_set;
    struct yk_selection *selection; /* what is recorded */
    struct yk_quality quality;      /* bounds for the verdict */
    struct yk_node *tree;
    const struct yk_component *components; /* that the program provides, see yoke/plugin.h; the caller's */
    size_t component_count;

    bool borrows;             /* all of the above is of the model that it was made of */
    struct yk_state *first;   /* with the constants of the method; never stepped; NULL: not prepared */
    struct yk_layout *layout; /* of its memory */
    struct yk_reference_model *reference_model; /* NULL: none was prepared */
};

/* Reads and checks everything. `overrides`: count settings "key=value". */
enum yk_status yk_model_load(struct yk_model **model, const char *path, const char *const *overrides,
                             size_t override_count, struct yk_err *err);
/* The same with the virtual rig instead of the backend, for work that must not move a real rig. */
enum yk_status yk_model_rehearse(struct yk_model **model, const char *path, const char *const *overrides,
                                 size_t override_count, struct yk_err *err);
/* The same from text in memory; `path` is used for messages and for the folder of data files. */
enum yk_status yk_model_parse(struct yk_model **model, const char *path, const char *text, size_t size,
                              const char *const *overrides, size_t override_count, struct yk_err *err);
/* The same from a source of a program. */
enum yk_status yk_model_load_source(struct yk_model **model, const struct yk_model_source *source, struct yk_err *err);
/* A variant: same file and settings, other players. Nothing is read again; it must not outlive the first. Full models:
 * fails where one is unknown, missing or has changed. */
enum yk_status yk_model_with_players(const struct yk_model *model, enum yk_players players, struct yk_model **other,
                                     struct yk_err *err);
/* A variant with more settings, applied after those it was read with; same players. The text is not read again; it must
 * not outlive the first. */
enum yk_status yk_model_with_settings(const struct yk_model *model, const char *const *overrides, size_t override_count,
                                      struct yk_model **other, struct yk_err *err);
/* A variant on the virtual rig for analyses of the loop with its specimens: linear parts are described by the degrees
 * of freedom in interfaces and `modes` modes, and there are no loads. Variants of it are condensed alike. Fails if no
 * part has more degrees of freedom, or if one cannot be reduced; it must not outlive the first. */
enum yk_status yk_model_condense(const struct yk_model *model, size_t modes, struct yk_model **other,
                                 struct yk_err *err);
/* Which actuators, sensors and lines of the station the rig `name` of `rigs` has; NULL: all, where there is one. The
 * tables and the name are malloc'd. */
struct yk_rig_member;
enum yk_status yk_model_rig(const struct yk_model *model, const char *name, struct yk_rig_member *member,
                            struct yk_err *err);
/* The settings in the file for a backend of that rig, whoever the players are; malloc'd, to be closed and freed.
 * `scales` of its raw numbers: free with yk_rig_scales_free. backend NULL: only these, and `self` is left alone. */
struct yk_rig_scales;
enum yk_status yk_model_backend(const struct yk_model *model, const char *name, const char *backend, void **self,
                                struct yk_rig_scales *scales, struct yk_err *err);

/* Could the backends that the file names serve it with their settings? They are not opened; the virtual rig may be used
 * instead of them. */
enum yk_status yk_model_check_backends(const struct yk_model *model, struct yk_err *err);

/* A file beside an experiment: NAME and the ending, for NAME.yaml; malloc'd. */
char *yk_path_beside(const char *path, const char *ending);
/* SHA-256 of what a check-list depends on: the sections rig, rigs, limits and calibration, the control rate, and how
 * the actuators are connected and commanded. Loads, models, methods and compensators may change without a new one. */
void yk_model_rig_hash(const struct yk_model *model, char hash[65]);
/* The file of the section `calibration`, malloc'd; NULL where the experiment file has the section itself, or `none`. */
char *yk_zeros_path(const struct yk_model *model);
/* Writes that file, or leaves the old one. */
enum yk_status yk_zeros_write(const char *path, const struct yk_taken_zero *zeros, size_t count, struct yk_err *err);

/* Frees a model that was read and not prepared; yk_model_close takes any. */
void yk_model_free_contents(struct yk_model *model);
/* Another method for the untorn structure, by its name and with its default settings. */
enum yk_status yk_model_integrate_by(struct yk_model *model, const char *integrator, struct yk_err *err);

/* Returns to substructures the mass that `mass_fraction` moved, before one is taken out of its experiment. False if no
 * mass was moved. Loads and assembly stay as they were. */
bool yk_model_return_mass(struct yk_model *model);
/* Effect of ground motions on substructure k, for a reduction to the degrees of freedom `dofs`: motions in every
 * direction, motions of `dofs` alone, and the common motion of all where they point the same way. */
struct yk_ground;
enum yk_status yk_model_ground(const struct yk_model *model, size_t k, const size_t *dofs, size_t count,
                               struct yk_ground *ground, struct yk_err *err);

/* Loads on substructure k at time t. */
void yk_model_load_at(const struct yk_model *model, size_t k, double t, double *f);
double yk_fine_step(const struct yk_model *model);                 /* of the fine side, or of one domain [s] */
const char *yk_model_kind(const struct yk_model *model, size_t k); /* of substructure k: "frame" */
const struct yk_param *yk_model_params(const struct yk_model *model);

/* Limits that a rig outside this process needs and the file lacks: "command_rate and force of a1"; "": none. */
void yk_limits_missing(const struct yk_model *model, char *text, size_t size);
/* Peak values of an actuator in a rehearsal; m, m/s, N, or rad, rad/s, N m. Rates are per second of wall time. */
struct yk_actuator_peaks {
    double command, rate, force, error; /* all but the force in the quantity of the command */
    double displacement;                /* measured */
    double tracking;                    /* rms of the tracking error over that of the target */
};
/* Writes the section `limits` of the file with the missing limits added: `margin` times the peaks of each actuator,
 * rounded up. */
void yk_limits_propose(const struct yk_model *model, const struct yk_actuator_peaks *peaks, double margin, FILE *out);

#endif
