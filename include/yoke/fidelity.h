/* How good a reduced model is: its modes and its motion against those of the full model. docs/theory/reduction.md,
 * sections 4 and 5. */
#ifndef YOKE_FIDELITY_H
#define YOKE_FIDELITY_H

#include <yoke/reduction.h>

/* Motion of a linear model under forces on some of its degrees of freedom, by Newmark's rule (beta 1/4, gamma 1/2) from
 * rest. `attached`: a system whose degrees of freedom are those same ones, in their order; solved with, by Newton's
 * method on these alone, however large the model is. */
struct yk_forced {
    const size_t *dofs;
    size_t count;
    struct yk_system *attached;                     /* NULL: none */
    void (*force)(void *self, double t, double *f); /* on dofs [N]; NULL: none */
    void *self;
    double dt, end;
    struct yk_progress progress;
};
/* u: (steps + 1) x count by rows, steps = round(end / dt); the first row is the start. */
enum yk_status yk_forced_run(const struct yk_linear_model *model, const struct yk_forced *response, double *u,
                             struct yk_err *err);

/* Reduced against full. */
struct yk_fidelity_settings {
    size_t modes;    /* elastic ones to compare, at most; none above the limit of the reduced model */
    double noise_Hz; /* band of the noise on the interface, rms 1 N on each */
    double dt, end;  /* of the response; end = 0: none is made [s] */
    struct yk_progress progress;
};
struct yk_fidelity_settings yk_fidelity_defaults(void); /* 20 modes, 200 Hz, 1 ms, 1 s */
struct yk_fidelity {
    size_t modes, rigid;
    size_t left_out; /* of the requested modes, those above the limit: the reduced model cannot describe them */
    double limit_Hz; /* see limit_w2; infinite: none is left out */
    double *full_Hz, *reduced_Hz; /* elastic modes */
    double *mac;                  /* modes x modes by columns: row reduced, column full */
    double worst_error, frequency_nmse, least_diagonal, largest_off_diagonal;
    double least_in_cluster; /* of the reduced modes, the least share in the space of full modes within 1 % in
                              * frequency: what the diagonal would be if modes so near could not mix */
    double exact_below_Hz;   /* frequencies below it are within 0.1 % */
    size_t steps;            /* of the response */
    double dt, rms, mse, nmse;
    double *full_u, *reduced_u; /* (steps + 1) x interface by rows; NULL: no response */
};
enum yk_status yk_fidelity(struct yk_fidelity *out, const struct yk_linear_model *model,
                           const struct yk_reduced *reduced, const struct yk_fidelity_settings *settings,
                           struct yk_err *err);
void yk_fidelity_free(struct yk_fidelity *fidelity);

#endif
