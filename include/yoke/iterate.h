/* Iterated tests: the rig moves a specimen along a given displacement, the answer corrects the displacement, until
 * specimen and computed structure belong together. Nothing acts back during a run, so that no loop can become unstable.
 * Equations: docs/theory/iterate.md. A run of a rig: yk_session_settings.follow (yoke/yoke.h); `yoke iterate` joins
 * both.
 *
 * A library of its own, libyoke-iterate.a, beside libyoke. Vectors of complex coefficients are pairs of real and
 * imaginary parts; arrays over time have one row for each sample, one column for each degree of freedom. */
#ifndef YOKE_ITERATE_H
#define YOKE_ITERATE_H

#include <stdbool.h>
#include <stddef.h>
#include <yoke/status.h>

/* ---- small dense systems ---- */

/* A x = b by elimination with pivots; A (n x n, by rows) and b (n x columns, by rows) are overwritten, b by x. False:
 * singular. The second form is complex, 2 numbers for each. */
bool yk_solve_real(size_t n, double *A, size_t columns, double *b);
bool yk_solve_complex(size_t n, double *A, size_t columns, double *b);

/* ---- Broyden's method: R(u) = 0, each evaluation a run ---- */

struct yk_broyden_settings {
    bool bad;          /* update of the inverse ("bad" Broyden) instead of that of the Jacobian ("good") */
    double scale;      /* residuals are told over this: |P| */
    double tolerance;  /* |R| < tolerance scale ends the iteration */
    double step_limit; /* longest step over the first one; 0: none */
    int most;          /* runs */
    int patience;      /* ends after so many runs that were no better than the best; 0: never */
};
struct yk_broyden_settings yk_broyden_defaults(void);

/* One run with u: writes R. */
typedef enum yk_status yk_residual(void *self, const double *u, double *R, struct yk_err *err);

enum yk_iteration_end {
    YK_ITERATION_CONVERGED,
    YK_ITERATION_MOST,    /* all runs made */
    YK_ITERATION_STUCK,   /* no better for a while; or the error grew twice */
    YK_ITERATION_SINGULAR /* the Jacobian cannot be inverted */
};
const char *yk_iteration_end_words(enum yk_iteration_end end);
struct yk_broyden_result {
    enum yk_iteration_end end;
    int runs;
    double residual, best; /* of the last run, and of the best, over scale */
};
/* From u (n, overwritten by the best one found), with the Jacobian J = dR/du (n x n, by rows, updated). residuals (may
 * be NULL): room for `most` numbers. */
enum yk_status yk_broyden_solve(const struct yk_broyden_settings *settings, size_t n, double *u, double *J,
                                yk_residual *run, void *self, double *residuals, struct yk_broyden_result *result,
                                struct yk_err *err);
/* J += (dR - J du) du^T/|du|^2, J m x n by rows. */
void yk_broyden_update(size_t m, size_t n, double *J, const double *du, const double *dR);

/* ---- response curves: R(u, w) = 0 by pseudo-arclength ---- */

struct yk_response_settings {
    struct yk_broyden_settings corrector; /* `most` of it: corrections of a point */
    double from, to;                      /* w; the curve ends outside */
    double step;                          /* first arclength, in scaled unknowns */
    double u_scale, w_scale;              /* unknowns are divided by these */
    size_t most_points;
    int jacobian_every; /* points after which the Jacobian is measured by differences */
    double difference;  /* of these, in scaled unknowns */
};
struct yk_response_settings yk_response_defaults(void);
/* A run with u at w. */
typedef enum yk_status yk_response_run(void *self, double w, const double *u, double *R, struct yk_err *err);
/* A point of the curve was found. False: stop here. */
typedef bool yk_response_point(void *self, double w, const double *u, double residual, int runs);
struct yk_fold {
    double w;
    size_t after; /* point before it */
};
enum { YK_FOLDS = 16 };
struct yk_response_result {
    size_t points;
    int runs;
    bool complete; /* it left the interval */
    struct yk_fold folds[YK_FOLDS];
    size_t fold_count;
};
/* From u (n) near the solution at `from`, with J = dR/du there (n x n, by rows). */
enum yk_status yk_response_trace(const struct yk_response_settings *settings, size_t n, double *u, const double *J,
                                 yk_response_run *run, yk_response_point *point, void *self,
                                 struct yk_response_result *result, struct yk_err *err);

/* ---- models of specimens, refitted to runs ---- */

enum yk_specimen_kind { YK_SPECIMEN_LINEAR, YK_SPECIMEN_BILINEAR };
enum { YK_SPECIMEN_DOFS = 6 };
struct yk_specimen_model {
    enum yk_specimen_kind kind;
    size_t n;                                      /* degrees of freedom; bilinear: 1 */
    double K[YK_SPECIMEN_DOFS * YK_SPECIMEN_DOFS]; /* linear: F = K x + C x', by rows */
    double C[YK_SPECIMEN_DOFS * YK_SPECIMEN_DOFS];
    double stiffness, yield, hardening; /* bilinear: f = hardening k x + (1 - hardening) k z, |k z| <= yield [N] */
};
/* Its force along x (samples x n), from rest at x = 0; velocities by central differences. */
void yk_specimen_force(const struct yk_specimen_model *model, size_t samples, double step, const double *x, double *F);
/* Refits it to a run. Linear: K and C by least squares, from samples that move. Bilinear: coordinate search on log
 * stiffness, log yield and hardening (docs/theory/iterate.md). Returns the rms of what is left over that of F. A model
 * that is no better than the old one is not taken. */
double yk_specimen_refit(struct yk_specimen_model *model, size_t samples, double step, const double *x,
                         const double *F);

/* ---- whole records ---- */

/* One rung of a record that is iterated; functions get `self`. */
struct yk_record_iteration {
    size_t samples, dofs;
    double step;      /* s */
    double tolerance; /* rms e < tolerance rms x */
    double bound;     /* largest target over the largest of prediction and last run; 0: none */
    int most;         /* runs of this rung */
    double lead;      /* delay of the rig in samples; 0 or more */
    bool find_lead;   /* from each run, by the delay of what was measured behind the command */
    struct yk_specimen_model *model;
    bool refit;
    void *self;
    /* A run of the rig along u: x, F. */
    enum yk_status (*rig)(void *self, const double *u, double *x, double *F, struct yk_err *err);
    /* The structure over the record with the model and the forces D beside it (NULL: none): its displacement x. */
    enum yk_status (*structure)(void *self, const struct yk_specimen_model *model, const double *D, double *x,
                                struct yk_err *err);
    /* After a run; may be NULL. False: stop. */
    bool (*made)(void *self, int run, double error, double fit, double blend, const double *x, const double *target);
};
struct yk_record_result {
    enum yk_iteration_end end;
    int runs, best;           /* best: its number, from 1 */
    double error, best_error; /* rms e over rms x */
    double lead;
};
/* u, x, F, target (samples x dofs each, written): command, measured displacement and force of the best run, and the
 * displacement of the structure that belongs to it. */
enum yk_status yk_record_iterate(struct yk_record_iteration *it, double *u, double *x, double *F, double *target,
                                 struct yk_record_result *result, struct yk_err *err);

#endif
