/* Rosenbrock methods for M a = p, docs/theory/integrators.md, eq. (18)-(19). Units: N, m, s; h = step.
 *
 * Slopes k = (ku, kv) carry the factor h. Because J = [0 I; -M^-1 K  -M^-1 C], a stage needs one solve with the n x n
 * matrix D = M + gamma h C + (gamma h)^2 K instead of one with 2n unknowns, and no product with M^-1:
 *
 *     D kv_i = h p_i - sum_j gamma_ij w_j - gamma h^2 K (v_i + sv),   sv = sum_j gamma_ij kv_j
 *     ku_i = h (v_i + sv) + gamma h kv_i,   w_i = h (K ku_i + C kv_i) = (h p_i - sum_j gamma_ij w_j - M kv_i) / gamma
 *
 * w_i, the part of slope i that the Jacobian brings to later stages, follows from the equation of stage i itself.
 * The net force at the start of a step is the one absorbed at the end of the step before, so LSRTs makes s evaluations.
 */
#include "integrator/rosenbrock.h"

#include <string.h>

void yk_rosenbrock_layout(void *self, const struct yk_system *system, struct yk_arena *mem)
{
    struct yk_rosenbrock *s = self;
    const size_t n = system->n;

    yk_step_layout(&s->state, mem, n, 2, (double **[]){&s->u, &s->v});
    yk_arena_each(mem, n, 1, (double **[]){&s->p});
    for (int i = 0; i < YK_ROSENBROCK_STAGES; i++) {
        yk_arena_array(mem, &s->ku[i], n);
        yk_arena_array(mem, &s->kv[i], n);
        yk_arena_array(mem, &s->w[i], n);
    }
    yk_arena_array(mem, &s->ui, n);
    yk_arena_array(mem, &s->vi, n);
    yk_arena_array(mem, &s->a, n);
}

enum yk_status yk_rosenbrock_init(struct yk_rosenbrock *s, struct yk_system *system, double dt, struct yk_arena *mem,
                                  struct yk_err *err)
{
    const double gh = s->tableau.gamma * dt;

    s->refresh = s->jacobian == 0 && yk_tangent_varies(system);
    return yk_step_init_tangent(s, system, dt, (double[]){1, gh, gh * gh}, s->refresh, mem, err);
}

/* D and its parts K, C in the state (u, v), for methods that follow the tangent. A failure shows as divergence. */
YK_RT static void refresh(struct yk_rosenbrock *s)
{
    const double gh = s->tableau.gamma * s->h;

    yk_tangent_take(&s->tangent, s->system, s->u, s->v);
    yk_tangent_factor(&s->tangent, 1, gh, gh * gh);
}

/* y -= alpha K x */
YK_RT static void subtract_stiffness(struct yk_rosenbrock *s, double alpha, const double *x, double *y)
{
    if (s->refresh)
        yk_tangent_add_stiffness(&s->tangent, -alpha, x, y);
    else
        yk_matrix_add_product(&s->system->K, -alpha, x, y);
}

/* eq. (19): slope `i` from the net force p in the state (u, v) of the stage */
YK_RT static void slope(struct yk_rosenbrock *s, int i, const double *v, const double *p)
{
    const size_t n = s->system->n;
    const double h = s->h, gh = s->tableau.gamma * h;
    double *ku = s->ku[i], *kv = s->kv[i], *w = s->w[i];

    for (size_t k = 0; k < n; k++) {
        ku[k] = h * v[k];
        w[k] = h * p[k];
    }
    for (int j = 0; j < i; j++)
        for (size_t k = 0; k < n; k++) {
            ku[k] += h * s->tableau.gamma_ij[i][j] * s->kv[j][k];
            w[k] -= s->tableau.gamma_ij[i][j] * s->w[j][k];
        }
    memcpy(kv, w, n * sizeof *kv);
    subtract_stiffness(s, gh, ku, kv);
    if (s->refresh)
        yk_tangent_solve(&s->tangent, kv);
    else
        yk_factor_solve(s->D, kv);
    for (size_t k = 0; k < n; k++)
        ku[k] += gh * kv[k];
    if (i + 1 == s->tableau.stages)
        return;
    yk_matrix_add_product(&s->system->M, -1, kv, w);
    for (size_t k = 0; k < n; k++)
        w[k] /= s->tableau.gamma;
}

/* y += w x */
YK_RT static void add(size_t n, double w, const double *restrict x, double *restrict y)
{
    for (size_t k = 0; k < n; k++)
        y[k] += w * x[k];
}

/* State y + sum w_j k_j, the w_j for j < count; in one pass over the first slope */
YK_RT static void combine(struct yk_rosenbrock *s, int count, const double *w, double *restrict u, double *restrict v)
{
    const size_t n = s->system->n;
    const double w0 = w[0];
    const double *restrict u0 = s->u, *restrict v0 = s->v, *restrict ku = s->ku[0], *restrict kv = s->kv[0];

    for (size_t k = 0; k < n; k++) {
        u[k] = u0[k] + w0 * ku[k];
        v[k] = v0[k] + w0 * kv[k];
    }
    for (int j = 1; j < count; j++)
        if (w[j] != 0) {
            add(n, w[j], s->ku[j], u);
            add(n, w[j], s->kv[j], v);
        }
}

/* eq. (18): the state of stage i + 1, or after the last slope the new state */
YK_RT void yk_rosenbrock_target(void *self, int stage, struct yk_kinematics *want)
{
    struct yk_rosenbrock *s = self;
    const bool last = stage + 1 == s->tableau.stages;
    const double *w = last ? s->tableau.b : s->tableau.alpha[stage + 1];
    double c = 0;

    if (stage == 0) {
        if (s->refresh)
            refresh(s);
        slope(s, 0, s->v, s->p);
    }
    combine(s, stage + 1, w, s->ui, s->vi);
    for (int j = 0; j <= stage; j++)
        c += w[j];
    *want = (struct yk_kinematics){.c = last ? 1 : c, .u = s->ui, .v = s->vi};
}

YK_RT enum yk_status yk_rosenbrock_absorb(void *self, int stage, const double *p)
{
    struct yk_rosenbrock *s = self;

    if (stage + 1 < s->tableau.stages)
        slope(s, stage + 1, s->vi, p);
    else
        yk_step_start(self, s->ui, s->vi, p); /* the new state is the start of the next step */
    return YK_OK;
}

/* eq. (25)-(26) while slopes 0..stage are known: the later ones are taken equal to the latest */
YK_RT void yk_rosenbrock_dense(void *self, int stage, double xi, double *u, double *v, double *a)
{
    struct yk_rosenbrock *s = self;
    double b[YK_ROSENBROCK_STAGES], db[YK_ROSENBROCK_STAGES];

    s->weights(&s->tableau, xi, b, db);
    for (int j = stage + 1; j < s->tableau.stages; j++) {
        b[stage] += b[j];
        db[stage] += db[j];
    }
    combine(s, stage + 1, b, u, v);
    if (!a)
        return;
    memset(a, 0, s->system->n * sizeof *a);
    for (int j = 0; j <= stage; j++)
        add(s->system->n, db[j] / s->h, s->kv[j], a);
}
