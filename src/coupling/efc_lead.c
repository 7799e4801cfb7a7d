/* Equivalent force control: the feed-forward that lifts the loop to type III or IV. docs/theory/efc.md, eq. (25)-(30).
 *
 *     dc = S^-1 (Kp e + q) + N0 y + N1 y' + N2 y'',   S y = command
 *
 * 1/gain (1 + D1 s + D2 s^2) is the inverse of the actuator, command held over a sample h and meant for its end;
 * I + L1 s + L2 s^2 the plant over S. The product of the inverses, less what the controller makes of a feedback that is
 * one sample old, gives N0, N1, N2. Units: N, m, s. */
#include "coupling/efc_parts.h"

#include <math.h>
#include <string.h>

enum yk_status yk_efc_lead_check(const struct yk_efc_settings *set, struct yk_err *err)
{
    const bool servo = set->actuator == YK_EFC_SERVO;

    if (set->feedforward < YK_EFC_NO_FEEDFORWARD || set->feedforward > YK_EFC_TYPE_4)
        return yk_fail(err, YK_E_RANGE, "efc: feedforward %d is unknown", set->feedforward);
    if (set->feedforward == YK_EFC_NO_FEEDFORWARD)
        return YK_OK;
    if (set->actuator < YK_EFC_LAGS || set->actuator > YK_EFC_SERVO)
        return yk_fail(err, YK_E_RANGE, "efc: model %d of the actuator is unknown", set->actuator);
    if (set->law == YK_EFC_STEP)
        return yk_fail(err, YK_E_INPUT,
                       "efc: the feedforward needs the rate of the command, which law: step does not have; use law: "
                       "interpolation-2");
    if (!(set->Ki > 0))
        return yk_fail(err, YK_E_RANGE,
                       "efc: Ki = %g 1/s: a loop without integral part cannot be raised to type III; set Ki > 0",
                       set->Ki);
    if (!(set->gain > 0 && set->T1 >= 0 && set->T2 >= 0 && set->frequency >= 0 && set->damping >= 0 &&
          set->dead_time >= 0 && set->gain < INFINITY && set->T1 + set->T2 + set->dead_time < INFINITY &&
          set->frequency < INFINITY && set->damping < INFINITY))
        return yk_fail(err, YK_E_RANGE, "efc: the model of the actuator has a value that is negative or not finite");
    if (servo ? !(set->frequency > 0) : !(set->T1 + set->T2 + set->dead_time > 0))
        return yk_fail(err, YK_E_INPUT,
                       "efc: the feedforward needs a model of the actuator, and %s; give T1, T2 and dead_time as "
                       "`yoke identify` finds them, or actuator: servo with frequency and damping",
                       servo ? "frequency is not given" : "neither T1, T2 nor dead_time is given");
    return YK_OK;
}

void yk_efc_lead_layout(struct yk_efc *s, struct yk_arena *mem)
{
    const size_t m = s->lead.type ? s->m : 0;

    yk_arena_array(mem, &s->lead.first, m * m);
    yk_arena_array(mem, &s->lead.second, m * m);
    yk_arena_array(mem, &s->lead.y, 3 * m);
    yk_arena_array(mem, &s->lead.now, 3 * m);
}

/* eq. (28): D1, D2 */
static void invert_actuator(const struct yk_efc_settings *set, double h, double *D1, double *D2)
{
    const double w = 2 * M_PI * set->frequency, dead = set->dead_time;
    const double lag = set->actuator == YK_EFC_SERVO ? 2 * set->damping / w : set->T1 + set->T2;
    const double lag2 = set->actuator == YK_EFC_SERVO ? 1 / (w * w) : set->T1 * set->T2;

    *D1 = lag + dead - h / 2;
    *D2 = lag2 + dead * lag + dead * dead / 2 - (lag + dead) * h / 2 + h * h / 12;
}

/* Column c of (1+al) S^-1 A */
static void plant_column(const struct yk_efc *s, const struct yk_matrix *A, size_t c, double *column)
{
    for (size_t b = 0; b < s->m; b++)
        column[b] = A ? (1 + s->alpha) * yk_matrix_get(A, b, c) : 0;
    yk_factor_solve(s->converter, column);
}

/* eq. (29) and (30): with L1 of the damping and L2 of the mass,
 *     gain N1 = D1 - L1,   gain N2 = D2 - D1 L1 + L1^2 - L2 */
void yk_efc_lead_form(struct yk_efc *s, const struct yk_efc_settings *set)
{
    const size_t m = s->m;
    double *N1 = s->lead.first, *N2 = s->lead.second, D1, D2;

    if (!s->lead.type)
        return;
    invert_actuator(set, s->h, &D1, &D2);
    s->lead.share = 1 / set->gain - s->Ki * s->h;
    for (size_t c = 0; c < m; c++) {
        double *L1 = N1 + c * m, *L2 = N2 + c * m;

        plant_column(s, set->CE, c, L1);
        plant_column(s, set->ME, c, L2);
        for (size_t b = 0; b < m; b++)
            L2[b] = (b == c ? D2 : 0) - D1 * L1[b] - L2[b];
    }
    for (size_t c = 0; c < m; c++)
        for (size_t b = 0; b < m; b++)
            for (size_t k = 0; k < m; k++)
                N2[b + c * m] += N1[b + k * m] * N1[k + c * m];
    for (size_t i = 0; i < m * m; i++) {
        const bool diagonal = i % (m + 1) == 0;

        N1[i] = ((diagonal ? D1 : 0) - N1[i]) / set->gain - (diagonal ? s->Kp * s->h : 0);
        N2[i] = N2[i] / set->gain + (diagonal ? s->Kp * s->h * s->h / 2 : 0);
    }
    if (s->lead.type == YK_EFC_TYPE_3)
        memset(N2, 0, m * m * sizeof *N2);
}

/* S y = F on the interface, once the other degrees of freedom have taken their part */
YK_RT static void displace(struct yk_efc *s, const double *F, double *y)
{
    const size_t inner = s->n - s->m;
    double *part = s->d1, *all = s->rhs, *force = s->work; /* of the inner degrees of freedom, and among all */

    memcpy(force, F, s->n * sizeof(double));
    if (inner) {
        for (size_t i = 0; i < inner; i++)
            part[i] = F[s->inner[i]];
        yk_factor_solve(s->inside, part);
        memset(all, 0, s->n * sizeof(double));
        for (size_t i = 0; i < inner; i++)
            all[s->inner[i]] = part[i];
        yk_matrix_add_product(&s->KT, -1, all, force);
    }
    for (size_t b = 0; b < s->m; b++)
        y[b] = force[s->dof[b]];
    yk_factor_solve(s->converter, y);
}

/* y += A x, m*m */
YK_RT static void add(size_t m, const double *A, double factor, const double *x, double *y)
{
    for (size_t c = 0; c < m; c++)
        for (size_t b = 0; b < m; b++)
            y[b] += factor * A[b + c * m] * x[c];
}

YK_RT void yk_efc_lead_start(struct yk_efc *s, const double *a0, double *d)
{
    double *y = s->lead.now, *a = s->lead.now + s->m;

    if (!s->lead.type)
        return;
    displace(s, s->F0, y);
    for (size_t b = 0; b < s->m; b++) {
        a[b] = a0[s->dof[b]];
        d[b] -= s->lead.share * y[b];
    }
    add(s->m, s->lead.second, -1, a, d);
}

YK_RT void yk_efc_lead_begin(struct yk_efc *s)
{
    const double *const command[] = {s->F0, s->c1, s->c2};

    for (size_t k = 0; s->lead.type && k < 3; k++)
        displace(s, command[k], s->lead.y + k * s->m);
}

/* eq. (27) */
YK_RT void yk_efc_lead_add(struct yk_efc *s, bool moves, double *dc)
{
    const size_t m = s->m;
    const double tau = (double)s->tick * s->h;
    const double *y0 = s->lead.y, *y1 = y0 + m, *y2 = y1 + m;
    double *rate = s->lead.now + m, *bend = rate + m;

    if (!s->lead.type)
        return;
    for (size_t b = 0; b < m; b++) {
        dc[b] += s->lead.share * (y0[b] + tau * (y1[b] + tau * y2[b]));
        rate[b] = moves ? y1[b] + 2 * tau * y2[b] : 0;
        bend[b] = moves ? 2 * y2[b] : 0;
    }
    add(m, s->lead.first, 1, rate, dc);
    add(m, s->lead.second, 1, bend, dc);
}
