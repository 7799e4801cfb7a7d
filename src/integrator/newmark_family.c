/* The Newmark family, docs/theory/integrators.md, eq. (3)-(8). Units: N, m, s; h = step. */
#include "integrator/newmark_family.h"
#include "base/processor.h"

#include <math.h>
#include <string.h>

/* Passes without progress, after which steps that go too far are cut. Over kinks a few are usual. */
enum { PATIENCE = 3 };
static const double ROUNDING = 1e-8; /* changes below it, relative, do not come of kinks */

void yk_newmark_layout(void *self, const struct yk_system *system, struct yk_arena *mem)
{
    struct yk_newmark_family *s = self;
    const size_t n = system->n;
    const size_t parts = system->linear ? 3 : 4; /* a nonlinear force in balance is not that of the state: it is kept */

    yk_step_layout(&s->state, mem, n, parts, (double **[]){&s->u, &s->v, &s->a, &s->p});
    if (parts == 3)
        yk_arena_array(mem, &s->p, n);
    yk_arena_each(mem, n, 8,
                  (double **[]){&s->up, &s->vp, &s->want_u, &s->want_v, &s->a1, &s->fixed, &s->residual, &s->last});
}

enum yk_status yk_newmark_init(struct yk_newmark_family *s, struct yk_system *system, double dt, struct yk_arena *mem,
                               struct yk_err *err)
{
    const double m = 1 - s->am, c = s->predicted_velocity ? 0 : (1 - s->af) * s->gamma * dt;
    const double k = (1 - s->af) * s->beta * dt * dt;

    if (system->linear)
        s->iterations = 1;
    return yk_step_init_tangent(s, system, dt, (double[]){m, c, k}, s->refresh, mem, err);
}

YK_RT void yk_newmark_start(void *self, const double *u, const double *v, const double *p)
{
    struct yk_newmark_family *s = self;

    yk_step_start(self, u, v, p);
    s->pass = 0;
}

/* One evaluation of a nonlinear force: at v + h a, with gamma h C a taken out again, so that nonlinear damping does not
 * cost the order. For linear damping the two are the same. docs/theory/integrators.md, section 2.2 */
YK_RT static bool one_pass(const struct yk_newmark_family *s)
{
    return s->iterations == 1 && !s->system->linear && !s->predicted_velocity;
}

/* up = u + h v + to_u a, vp = v + to_v a */
YK_EVERY_PROCESSOR YK_RT static void extrapolate(size_t n, const double *u, const double *v, const double *a, double h,
                                                 double to_u, double to_v, double *restrict up, double *restrict vp)
{
    for (size_t i = 0; i < n; i++) {
        up[i] = u[i] + h * v[i] + to_u * a[i];
        vp[i] = v[i] + to_v * a[i];
    }
}

/* The trial state is that of the acceleration a. */
YK_RT static void aim(struct yk_newmark_family *s, const double *a)
{
    if (a != s->a1)
        memcpy(s->a1, a, s->system->n * sizeof *a);
    for (size_t i = 0; i < s->system->n; i++) {
        s->want_u[i] = s->up[i] + s->beta * s->h * s->h * s->a1[i];
        if (!s->predicted_velocity)
            s->want_v[i] = s->vp[i] + s->gamma * s->h * s->a1[i];
    }
    s->trial_u = s->want_u;
    s->trial_v = s->want_v;
}

/* eq. (3): up = u + h v + (1/2 - beta) h^2 a,   vp = v + (1 - gamma) h a */
YK_RT static void predict(struct yk_newmark_family *s)
{
    const size_t n = s->system->n;
    const double h = s->h;

    extrapolate(n, s->u, s->v, s->a, h, (0.5 - s->beta) * h * h, (1 - s->gamma) * h, s->up, s->vp);
    s->last_change = s->least_change = INFINITY;
    s->stalled = 0;
    s->cutting = false;
    s->trial_u = s->up;
    s->trial_v = s->vp;
    if (s->predicted_velocity || one_pass(s)) {
        for (size_t i = 0; i < n; i++)
            s->want_v[i] = s->v[i] + h * s->a[i];
        s->trial_v = s->want_v;
    }
    s->from_last = s->refresh && s->iterations > 1;
    if (s->from_last)
        aim(s, s->a);
    if (s->af != 0 || s->am != 0) { /* otherwise it stays zero */
        for (size_t i = 0; i < n; i++)
            s->fixed[i] = s->af * s->p[i];
        if (s->am != 0)
            yk_matrix_add_product(&s->system->M, -s->am, s->a, s->fixed);
    }
}

YK_RT void yk_newmark_target(void *self, int stage, struct yk_kinematics *want)
{
    struct yk_newmark_family *s = self;

    if (s->pass == 0)
        predict(s);
    *want = (struct yk_kinematics){.c = 1, .u = s->trial_u, .v = s->trial_v};
}

/* The iteration matrix with the tangents of the trial state. */
YK_RT static enum yk_status refresh(struct yk_newmark_family *s)
{
    const double c = (1 - s->af) * s->gamma * s->h, k = (1 - s->af) * s->beta * s->h * s->h;

    yk_tangent_take(&s->tangent, s->system, s->trial_u, s->trial_v);
    return yk_tangent_factor(&s->tangent, 1 - s->am, c, k);
}

/* u = up + to_u a, v = vp + to_v a */
YK_EVERY_PROCESSOR YK_RT static void advance(size_t n, const double *up, const double *vp, const double *a, double to_u,
                                             double to_v, double *restrict u, double *restrict v)
{
    for (size_t i = 0; i < n; i++) {
        u[i] = up[i] + to_u * a[i];
        v[i] = vp[i] + to_v * a[i];
    }
}

/* eq. (5): corrector; and, where the next step wants it, the force that the balance (8) leaves at its end */
YK_RT static void accept(struct yk_newmark_family *s, const double *a1)
{
    const size_t n = s->system->n;
    const double bh2 = s->beta * s->h * s->h, gh = s->gamma * s->h, share = 1 / (1 - s->af);

    if (s->af != 0) {
        for (size_t i = 0; i < n; i++)
            s->p[i] = -share * s->fixed[i];
        yk_matrix_add_product(&s->system->M, (1 - s->am) * share, a1, s->p);
    }
    advance(n, s->up, s->vp, a1, bh2, gh, s->u, s->v);
    if (a1 != s->a)
        memcpy(s->a, a1, n * sizeof *a1);
    s->pass = 0;
}

YK_RT static double largest(size_t n, const double *x)
{
    double most = 0;

    for (size_t i = 0; i < n; i++)
        most = fabs(x[i]) > most ? fabs(x[i]) : most;
    return most;
}

/* Size of an acceleration that would move u and v by as much as they are, or of the acceleration itself. */
YK_RT static double extent(const struct yk_newmark_family *s, double size)
{
    const size_t n = s->system->n;

    return fmax(size, fmax(largest(n, s->trial_u) / (s->h * s->h), largest(n, s->trial_v) / s->h));
}

/* Has the iteration ended? Near equilibrium the acceleration is a small difference of large forces, and their rounding
 * is all that is left of its changes: once they no longer shrink, what counts is how far they move u and v. */
YK_RT static bool converged(struct yk_newmark_family *s, double change, double size)
{
    if (change >= 0.5 * s->last_change)
        size = extent(s, size);
    s->last_change = change;
    return s->pass > 1 && change <= s->tolerance * size;
}

/* The state that belongs to the trial acceleration is the next to be tried, if there is still a pass left. */
YK_RT static enum yk_status try(struct yk_newmark_family *s)
{
    if (s->pass >= s->iterations)
        return YK_E_DIVERGED;
    aim(s, s->a1);
    return YK_AGAIN;
}

/* Accepts what has converged, or names the next trial state. */
YK_RT static enum yk_status iterate(struct yk_newmark_family *s)
{
    const size_t n = s->system->n;
    const double change = largest(n, s->residual), size = largest(n, s->a1);

    if (converged(s, change, size)) {
        accept(s, s->a1);
        return YK_OK;
    }
    s->stalled += change >= s->least_change && change > ROUNDING * extent(s, size);
    s->least_change = fmin(change, s->least_change);
    return size < INFINITY ? try(s) : YK_E_DIVERGED;
}

/* y = factor p + fixed */
YK_EVERY_PROCESSOR YK_RT static const double *combine(size_t n, double factor, const double *p, const double *fixed,
                                                      double *restrict y)
{
    for (size_t i = 0; i < n; i++)
        y[i] = factor * p[i] + fixed[i];
    return y;
}

/* Does the state that was evaluated lack less than the tolerance? The factor of the pass before tells. Then no tangents
 * are formed, and what is committed is a state whose forces are known. */
YK_RT static bool settled(struct yk_newmark_family *s)
{
    const size_t n = s->system->n;

    if (s->pass == 0 || s->cutting)
        return false;
    memcpy(s->last, s->residual, n * sizeof *s->last);
    if (s->refresh && yk_tangent_varies(s->system))
        yk_tangent_solve(&s->tangent, s->last);
    else
        yk_factor_solve(s->D, s->last);
    return largest(n, s->last) <= s->tolerance * largest(n, s->a1);
}

/* eq. (6) and (6a): residual becomes the change of the acceleration that removes it. */
YK_RT static enum yk_status solve(struct yk_newmark_family *s)
{
    const size_t n = s->system->n;

    const bool varies = s->refresh && yk_tangent_varies(s->system), known = s->pass > 0 && !s->cutting && !varies;

    s->cutting = s->stalled >= PATIENCE;
    for (size_t i = 0; i < n; i++) { /* settled() has solved for the residual, if the factor is still the same */
        const double r = s->residual[i];

        s->residual[i] = known ? s->last[i] : r;
        s->last[i] = r;
    }
    if (varies) {
        if (refresh(s))
            return YK_E_DIVERGED;
        yk_tangent_solve(&s->tangent, s->residual);
    } else if (!known) {
        yk_factor_solve(s->D, s->residual);
    }
    if (s->cutting) {
        yk_step_begin(&s->cut, n, s->last, s->residual);
        memcpy(s->last, s->residual, n * sizeof *s->last);
    }
    return YK_OK;
}

/* eq. (4) and (6): D da = (1-af) p(trial) + af p0 - am M a0 - (1-am) M a1; the first pass has a1 = 0 */
YK_RT enum yk_status yk_newmark_absorb(void *self, int stage, const double *p)
{
    struct yk_newmark_family *s = self;
    const size_t n = s->system->n;

    if (s->iterations == 1 && !one_pass(s)) { /* nothing needs the old acceleration any more */
        if (s->af != 0 || s->am != 0)
            p = combine(n, 1 - s->af, p, s->fixed, s->a);
        yk_factor_solve_to(s->D, p, s->a);
        accept(s, s->a);
        return YK_OK;
    }
    combine(n, 1 - s->af, p, s->fixed, s->residual);
    if (one_pass(s))
        yk_matrix_add_product(&s->system->C, (1 - s->af) * s->gamma * s->h, s->a, s->residual);
    if (s->pass > 0 || s->from_last)
        yk_matrix_add_product(&s->system->M, s->am - 1, s->a1, s->residual);
    if (s->cutting && yk_step_again(&s->cut, n, s->residual, s->last, s->a1)) {
        s->pass++;
        return try(s);
    }
    if (settled(s)) {
        accept(s, s->a1);
        return YK_OK;
    }
    if (solve(s))
        return YK_E_DIVERGED;
    if (s->iterations == 1) {
        accept(s, s->residual);
        return YK_OK;
    }
    for (size_t i = 0; i < n; i++)
        s->a1[i] = (s->pass || s->from_last ? s->a1[i] : 0) + s->residual[i];
    s->pass++;
    return iterate(s);
}

YK_RT void yk_newmark_resume(void *self, const double *p)
{
    struct yk_newmark_family *s = self;

    if (s->system->linear)
        memcpy(s->p, p, s->system->n * sizeof *p);
    s->pass = 0;
}

/* eq. (27) before a1 is absorbed: with a1 = a the cubic is the parabola of constant acceleration */
YK_RT void yk_newmark_dense(void *self, int stage, double xi, double *u, double *v, double *a)
{
    struct yk_newmark_family *s = self;
    const double t = xi * s->h;

    for (size_t i = 0; i < s->system->n; i++) {
        u[i] = s->u[i] + t * s->v[i] + 0.5 * t * t * s->a[i];
        v[i] = s->v[i] + t * s->a[i];
        if (a)
            a[i] = s->a[i];
    }
}

void yk_newmark_unsettled(const void *self, int *evaluations, double *change)
{
    const struct yk_newmark_family *s = self;

    *evaluations = s->pass;
    *change = s->last_change / largest(s->system->n, s->a1);
}
