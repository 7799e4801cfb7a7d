/* Equivalent force control, the cycle. docs/theory/efc.md, eq. (6)-(21), (31); Wu, Wang, Shing and Ou 2007.
 * An HHT step without iteration: order 2 when the loop settles or the correction is exact; stability depends on the
 * split of the mass, section 6 there. Units: N, m, s; indices 0 and 1 are start and end of the step. */
#include "coupling/efc_parts.h"

#include <string.h>

/* eq. (1): rN = KN d, or what the nonlinear NS says */
YK_RT static void restore(const struct yk_efc *s, const double *d, double *r)
{
    if (s->restoring.at) {
        s->restoring.at(s->restoring.self, d, r);
        return;
    }
    memset(r, 0, s->n * sizeof *r);
    yk_matrix_add_product(&s->KN, 1, d, r);
}

/* eq. (8): KPD x + (1+al) rN(x) + (1+al) R */
YK_RT static void plant_force(struct yk_efc *s, const double *x, const double *R, double *force)
{
    const double share = 1 + s->alpha;

    restore(s, x, s->rN);
    for (size_t i = 0; i < s->n; i++)
        force[i] = share * s->rN[i];
    for (size_t b = 0; b < s->m; b++)
        force[s->dof[b]] += share * R[b];
    yk_matrix_add_product(&s->KPD, 1, x, force);
}

/* eq. (21) */
YK_RT void yk_efc_start(struct yk_efc *s, const double *d0, const double *v0, const double *a0, const double *R0)
{
    const size_t bytes = s->n * sizeof(double);

    memcpy(s->d, d0, bytes);
    memcpy(s->v, v0, bytes);
    memcpy(s->a, a0, bytes);
    memcpy(s->x, d0, bytes);
    memcpy(s->R0, R0, s->m * sizeof(double));
    plant_force(s, d0, R0, s->F0);
    memcpy(s->command, s->F0, bytes);
    memcpy(s->feedback, s->F0, bytes);
    memset(s->error, 0, bytes);
    for (size_t b = 0; b < s->m; b++)
        s->edge[b] = d0[s->dof[b]];
    yk_efc_lead_start(s, a0, s->edge);
    memset(s->sum, 0, s->m * sizeof(double));
    yk_matrix_add_product(&s->S, 1, s->edge, s->sum);
    s->first = true;
    s->tick = 0;
    yk_efc_resume(s);
}

YK_RT void yk_efc_resume(struct yk_efc *s)
{
    s->secant.share = 1;
    s->secant.anchored = false;
}

/* eq. (7): F1 = (1+al) f1 - al f0 + KPD d + CPD v + MPD a + al (rN + R) */
YK_RT static void right_side(struct yk_efc *s, const double *f0, const double *f1)
{
    const double al = s->alpha;

    restore(s, s->d, s->rN);
    for (size_t i = 0; i < s->n; i++)
        s->F1[i] = (1 + al) * f1[i] - al * f0[i] + al * s->rN[i];
    for (size_t b = 0; b < s->m; b++)
        s->F1[s->dof[b]] += al * s->R0[b];
    yk_matrix_add_product(&s->KPD, 1, s->d, s->F1);
    yk_matrix_add_product(&s->CPD, 1, s->v, s->F1);
    yk_matrix_add_product(&s->MPD, 1, s->a, s->F1);
}

/* eq. (10); a first step has no Fm and starts with slope zero, as if it were F1 */
YK_RT static void interpolate_forces(struct yk_efc *s)
{
    if (s->first)
        memcpy(s->Fm, s->F1, s->n * sizeof(double));
    for (size_t i = 0; i < s->n; i++) {
        s->c1[i] = (s->F1[i] - s->Fm[i]) / (2 * s->dt);
        s->c2[i] = (s->F1[i] + s->Fm[i] - 2 * s->F0[i]) / (2 * s->dt * s->dt);
    }
}

/* eq. (11) */
YK_RT static void interpolate_slope(struct yk_efc *s)
{
    memset(s->c1, 0, s->n * sizeof(double));
    yk_matrix_add_product(&s->KH, 1, s->v, s->c1);
    for (size_t i = 0; i < s->n; i++)
        s->c2[i] = (s->F1[i] - s->F0[i] - s->c1[i] * s->dt) / (s->dt * s->dt);
}

YK_RT void yk_efc_begin_step(struct yk_efc *s, const double *f0, const double *f1)
{
    right_side(s, f0, f1);
    if (s->law == YK_EFC_INTERPOLATION_1)
        interpolate_forces(s);
    else if (s->law == YK_EFC_INTERPOLATION_2)
        interpolate_slope(s);
    yk_efc_lead_begin(s);
    s->tick = 0;
}

/* eq. (9) at tau = tick h */
YK_RT static void command_now(struct yk_efc *s)
{
    const double tau = (double)s->tick * s->h;

    if (s->law == YK_EFC_STEP || s->tick >= s->samples) {
        memcpy(s->command, s->F1, s->n * sizeof(double));
        return;
    }
    for (size_t i = 0; i < s->n; i++)
        s->command[i] = s->F0[i] + tau * (s->c1[i] + tau * s->c2[i]);
}

/* eq. (13): one Newton sweep of the degrees of freedom that no actuator moves; exact for a linear NS */
YK_RT static void balance_inside(struct yk_efc *s)
{
    const size_t count = s->n - s->m;

    for (size_t i = 0; i < count; i++)
        s->work[i] = s->command[s->inner[i]] - s->feedback[s->inner[i]];
    yk_factor_solve(s->inside, s->work);
    for (size_t i = 0; i < count; i++)
        s->x[s->inner[i]] += s->work[i];
}

/* eq. (8) and (12): the equivalent force that is fed back, and its error */
YK_RT static void compare(struct yk_efc *s, const struct yk_efc_measured *measured)
{
    for (size_t b = 0; b < s->m; b++)
        s->x[s->dof[b]] = measured->d[b];
    plant_force(s, s->x, measured->r, s->feedback);
    if (s->inside) {
        balance_inside(s);
        plant_force(s, s->x, measured->r, s->feedback);
    }
    for (size_t i = 0; i < s->n; i++)
        s->error[i] = s->command[i] - s->feedback[i];
    yk_efc_secant_read(s, measured);
}

/* eq. (12): S dc = Kp e + Ki integral of e, and what leads it */
YK_RT enum yk_status yk_efc_sample(struct yk_efc *s, const struct yk_efc_measured *measured, double *dc)
{
    const bool moves = s->tick < s->samples;

    s->tick += moves;
    command_now(s);
    compare(s, measured);
    for (size_t b = 0; b < s->m; b++) {
        const double e = s->error[s->dof[b]];

        s->sum[b] += s->Ki * s->h * e;
        dc[b] = s->Kp * e + s->sum[b];
    }
    yk_factor_solve(s->converter, dc);
    yk_efc_lead_add(s, moves, dc);
    return yk_all_finite(s->m, dc) ? YK_OK : YK_E_DIVERGED;
}

/* ---- corrections ----------------------------------------------------------------------------------------------- */

/* Solves a correction for the way from x to d1, with the reaction held or moving along. */
YK_RT static void solve(struct yk_efc *s, bool moving, double *x)
{
    if (!moving) {
        yk_factor_solve(s->held, x);
        return;
    }
    yk_factor_solve(s->moving, x);
    yk_efc_secant_update(s, x);
}

/* eq. (31): y = rhs - (1+al)[rN(x + way) - rN(x) - KN way], what the bend of the NS leaves of the right side. The rN of
 * x is still that of the last plant force. */
YK_RT static void bend(struct yk_efc *s, const double *way, double *y)
{
    const double share = 1 + s->alpha;
    double *d = s->d1;

    for (size_t i = 0; i < s->n; i++)
        d[i] = s->x[i] + way[i];
    restore(s, d, y);
    for (size_t i = 0; i < s->n; i++)
        y[i] = s->rhs[i] - share * (y[i] - s->rN[i]);
    yk_matrix_add_product(&s->KN, share, way, y);
}

/* Sweeps over the NS, with the way so far in s->work. One that would move more than the sweep before, by the energy of
 * the move, meets a bend beyond its reach, and its result is dropped. */
YK_RT static void sweep(struct yk_efc *s, bool moving)
{
    const size_t n = s->n, bytes = n * sizeof(double);
    double *old = s->bent, *y = s->bent + n, *way = s->bent + 2 * n;
    double before = yk_dot(n, s->work, s->rhs);

    if (!s->restoring.at)
        return;
    memcpy(old, s->rhs, bytes);
    for (int k = 1; k < s->sweeps; k++) {
        double energy = 0;

        bend(s, s->work, y);
        memcpy(way, y, bytes);
        solve(s, moving, way);
        for (size_t i = 0; i < n; i++)
            energy += (way[i] - s->work[i]) * (y[i] - old[i]);
        if (!(energy < before))
            return;
        before = energy;
        memcpy(s->work, way, bytes);
        memcpy(old, y, bytes);
    }
}

/* From the right side in s->rhs and the way of the first sweep in s->work to d1 */
YK_RT static void arrive(struct yk_efc *s, bool moving)
{
    sweep(s, moving);
    for (size_t i = 0; i < s->n; i++)
        s->d1[i] = s->x[i] + s->work[i];
}

YK_RT static void first_way(struct yk_efc *s, bool moving)
{
    memcpy(s->work, s->rhs, s->n * sizeof(double));
    solve(s, moving, s->work);
}

/* eq. (17): the reaction is held */
YK_RT static void correct_held(struct yk_efc *s)
{
    memcpy(s->rhs, s->error, s->n * sizeof(double));
    first_way(s, false);
    arrive(s, false);
}

/* eq. (18): the reaction follows KE, unless the plant went past the command. The work of the missing displacement on
 * the change of the command tells, whatever the units of the degrees of freedom. */
YK_RT static void correct_displacement(struct yk_efc *s)
{
    double work = 0;

    memcpy(s->rhs, s->error, s->n * sizeof(double));
    first_way(s, true);
    for (size_t i = 0; i < s->n; i++)
        work += s->work[i] * (s->F1[i] - s->F0[i]);
    if (work > 0)
        arrive(s, true);
    else
        correct_held(s);
}

/* Displacement that the integrator predicts, eq. (2) without a1 */
YK_RT static double predicted(const struct yk_efc *s, size_t i)
{
    return s->d[i] + s->dt * s->v[i] + (0.5 - s->beta) * s->dt * s->dt * s->a[i];
}

/* eq. (19): (KT + m)(d1 - x) = error + (1+al) ME aE + m (dp - x),   m = (1+al) ME / (be dt^2) */
YK_RT static void correct_acceleration(struct yk_efc *s, const double *aE)
{
    const double bt2 = s->beta * s->dt * s->dt;

    memcpy(s->rhs, s->error, s->n * sizeof(double));
    if (s->has_mass) {
        double *change = s->edge, *force = s->edge + s->m;

        for (size_t b = 0; b < s->m; b++)
            change[b] = aE[b] + (predicted(s, s->dof[b]) - s->x[s->dof[b]]) / bt2;
        memset(force, 0, s->m * sizeof(double));
        yk_matrix_add_product(&s->ME, 1 + s->alpha, change, force);
        for (size_t b = 0; b < s->m; b++)
            s->rhs[s->dof[b]] += force[b];
    }
    first_way(s, true);
    arrive(s, true);
}

YK_RT static void correct(struct yk_efc *s, const double *aE)
{
    switch (s->correction) {
    case YK_EFC_PEEK:
        correct_held(s);
        break;
    case YK_EFC_DISPLACEMENT:
        correct_displacement(s);
        break;
    case YK_EFC_ACCELERATION:
        correct_acceleration(s, aE);
        break;
    case YK_EFC_NONE:
        memcpy(s->d1, s->x, s->n * sizeof(double));
        break;
    }
}

/* eq. (20), and the shift of what the next step starts from */
YK_RT static void accept(struct yk_efc *s, const double *R1)
{
    const double dt = s->dt;

    for (size_t i = 0; i < s->n; i++) {
        const double a1 = (s->d1[i] - predicted(s, i)) / (s->beta * dt * dt);

        s->v[i] += dt * ((1 - s->gamma) * s->a[i] + s->gamma * a1);
        s->a[i] = a1;
        s->d[i] = s->d1[i];
        s->Fm[i] = s->F0[i];
        s->F0[i] = s->F1[i];
    }
    memcpy(s->R0, R1, s->m * sizeof(double));
    s->first = false;
}

YK_RT enum yk_status yk_efc_end_step(struct yk_efc *s, const struct yk_efc_measured *measured)
{
    if (s->correction == YK_EFC_ACCELERATION && s->has_mass && !measured->a)
        return YK_E_INPUT;
    s->tick = s->samples;
    command_now(s);
    compare(s, measured);
    if (yk_efc_secant_prepare(s))
        return YK_E_DIVERGED;
    correct(s, measured->a);
    accept(s, measured->r);
    return yk_all_finite(3 * s->n, s->d) ? YK_OK : YK_E_DIVERGED;
}

YK_RT struct yk_efc_motion yk_efc_now(const struct yk_efc *s)
{
    return (struct yk_efc_motion){s->d, s->v, s->a};
}

YK_RT struct yk_efc_force yk_efc_record(const struct yk_efc *s)
{
    return (struct yk_efc_force){s->command, s->feedback, s->error};
}
