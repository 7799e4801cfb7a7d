/* Reduction of large linear models to a few coordinates: interface degrees of freedom stay physical, the interior is
 * described by modes. docs/theory/reduction.md.
 *
 * u = T [q; u_b]: q modal coordinates, u_b interface displacements, in this order; M_r = T^T M T, C_r and K_r likewise.
 * All of it is preparation: nothing here is for the loop. */
#ifndef YOKE_REDUCTION_H
#define YOKE_REDUCTION_H

#include <yoke/system.h>

/* Called now and then: what is being done, and how far the whole is, 0 to 1. */
struct yk_progress {
    void (*at)(void *self, const char *what, double share);
    void *self;
};
void yk_progress_tell(const struct yk_progress *progress, const char *what, double share);

/* Effect of ground motions on a model, by name: a direction ("x": every degree of freedom of that direction moves
 * by one, and the supports with them), one degree of freedom alone, or "" (all of them, where they point the same way).
 * An acceleration a of the ground acts as the force -a times the column. */
struct yk_ground {
    size_t n, count;
    char **names;
    double *force; /* n x count by columns: M b, and what the supports drag along [N per m/s2] */
    double *mass;  /* count: g^T M^-1 g of the column g in the full model, the effective masses of all modes [kg] */
};
long yk_ground_find(const struct yk_ground *ground, const char *name); /* -1: there is none */
void yk_ground_free(struct yk_ground *ground);

/* A linear model: symmetric matrices of any form; names of its degrees of freedom for messages (may be NULL). */
struct yk_linear_model {
    const struct yk_matrix *M, *C, *K; /* C may be NULL: no damping */
    const char *const *names;
    const struct yk_ground *ground; /* NULL: unknown; then the reduced model cannot be driven by ground motion */
};
/* Checksum of names and matrices, as sixteen hexadecimal digits; entries count with seven digits. */
void yk_linear_model_checksum(const struct yk_linear_model *model, char text[17]);

/* Its lowest modes, K phi = w2 M phi: n values of each shape, one after the other, mass-normalised. */
struct yk_modes {
    size_t n, count;
    double *w2, *phi; /* malloc'd */
};
void yk_modes_free(struct yk_modes *modes);
/* How many of them, from the lowest, store no energy beyond rounding: rigid motions. K is sparse. */
size_t yk_modes_rigid(const struct yk_modes *modes, const struct yk_matrix *K);

struct yk_reduce_settings {
    size_t modes;   /* kept; those of the free interface (rubin) include rigid ones */
    double band_Hz; /* > 0: every mode below it instead */
    struct yk_progress progress;
};
struct yk_reduce_settings yk_reduce_defaults(void); /* 30 modes */

/* How good the modes are. */
struct yk_mode_check {
    double residual; /* largest |K phi - w2 M phi| / |K phi| */
    double shift_Hz; /* the Sturm count was made here, in a gap of the spectrum */
    size_t counted;  /* modes below it by the signs of the pivots of K - w2 M */
    size_t found;    /* modes below it that were found: the same, or one was missed */
};

struct yk_reduced {
    size_t full, modes, interface_count, n; /* n = modes + interface_count */
    struct yk_matrix M, C, K;               /* dense, n x n */
    double *T;                              /* full x n, by columns: recovery of the full model */
    double *w2;                             /* squares of the circular frequencies of the kept modes [rad2/s2] */
    double limit_w2; /* modes of the full model above it cannot be described: the highest kept mode, or without modes
                      * the first one of the held interior; not in files */
    size_t *interface_dofs;        /* in the full model */
    char **names;                  /* n: q1 .. and the names of the interface */
    char **full_names;             /* of the full model; NULL where it had none */
    const char *method;            /* its name; static */
    struct yk_ground ground;       /* reduced: T^T times that of the full model; count = 0: unknown */
    struct yk_reduced_source {     /* where the full model is; file = NULL: unknown */
        char *file, *substructure; /* an experiment file and the name in it */
        char *overrides;           /* its settings, one per line */
        char checksum[17];
    } source;
    struct yk_mode_check check;
};

/* A way to choose T. */
struct yk_reduce_task;
struct yk_reduction_ops {
    const char *name; /* on the command line: "craig-bampton" */
    const char *summary;
    const char *reference;
    bool modal; /* has modes to choose */
    enum yk_status (*basis)(struct yk_reduce_task *task, struct yk_reduced *out, struct yk_err *err);
};
extern const struct yk_reduction_ops *const yk_reductions[]; /* NULL at the end */
/* Not in the list: its coordinates are good for what acts at the interface only, and there is no count that shows it.
 * `band_Hz`: up to which they are to be good, beside `modes`, their number. */
extern const struct yk_reduction_ops yk_reduction_ritz;
const struct yk_reduction_ops *yk_reduction_find(const char *name);

/* Reduces to the interface degrees of freedom `dofs` (different ones) and modes. A model that can move rigidly with the
 * interface held is refused by the methods that need it held, with degrees of freedom that would hold it. */
enum yk_status yk_reduce(struct yk_reduced *out, const struct yk_linear_model *model, const size_t *dofs, size_t count,
                         const struct yk_reduction_ops *method, const struct yk_reduce_settings *settings,
                         struct yk_err *err);
void yk_reduced_free(struct yk_reduced *reduced);
/* Share of ground.mass that the reduced model has in motion k: 1 where its modes are enough. */
enum yk_status yk_reduced_mass_share(const struct yk_reduced *reduced, size_t k, double *share, struct yk_err *err);
/* u = T x: the full model from reduced coordinates. */
void yk_reduced_recover(const struct yk_reduced *reduced, const double *x, double *u);

/* A model file (HDF5): matrices, names, frequencies and T. docs/theory/reduction.md section 6 describes it. */
enum yk_status yk_reduced_save(const struct yk_reduced *reduced, const char *path, struct yk_err *err);
enum yk_status yk_reduced_load(struct yk_reduced *reduced, const char *path, struct yk_err *err);

/* Several reductions at once, on up to `threads` threads. Each job has its own memory, so the results are those of one
 * thread, bit by bit. */
struct yk_reduce_job {
    struct yk_linear_model model;
    const size_t *dofs;
    size_t count;
    const struct yk_reduction_ops *method;
    struct yk_reduce_settings settings;
    struct yk_reduced out;
    enum yk_status status;
    struct yk_err err;
};
/* The status of the first job, in their order, that failed; all are tried. In libyoke-fidelity.a. */
enum yk_status yk_reduce_all(struct yk_reduce_job *jobs, size_t count, int threads, struct yk_err *err);

#endif
