/* Sums and peaks of a run for its verdict. docs/theory/verdict.md, eq. (3) to (7). Units: m, N, s. */
#include "analyze/course.h"

#include "rig/virtual/rig.h"
#include "transfer/physical.h"
#include "transfer/supervisor.h"

#include <stdlib.h>
#include <string.h>

#define TWO_PI       6.283185307179586
#define AT_LIMIT     0.995 /* of a capacity: the rest is rounding */
#define FAR_BELOW    1e-10 /* of the highest eigenvalue: a rigid motion */
#define SMALL        1e-6  /* amplitude of a mode, at which setups are linear */
#define LOST         0.25  /* error of the response: the loop has gone wrong */
#define WITHOUT      2     /* off the weight of a capacity that is used up then */
#define LATER        0.25  /* off the weight of a capacity that is used up at the very end */
#define CORRELATED   0.5   /* measured and expected force: less says nothing of their sign, */
#define PROPORTIONAL 0.95  /* and less than this nothing of the size: the specimen may yield or rub, */
#define BEYOND_YIELD 80    /* but softens by no such factor */
#define RESTLESS     0.1   /* steps in a mean period of the target: such a motion has differences like noise */
#define AHEAD        0.125 /* of the mean period of the target: a prediction as far as that amplifies */
#define MISSING      0.3   /* of the target: a loop that goes wrong by its delay moves all of it */
#define TOO_FAST     0.25 /* of that, or of the period of the first mode: what predicts further fails before the rest */
enum { BURST = 16 };      /* ticks */
enum { LEAST_STEPS = 20 }; /* before a capacity was used up, to say what was wrong then */
enum { MOST_DOFS = 60 };   /* of a structure whose modes are cheap beside the preparation of a run */

/* ---- signals ---- */

YK_RT static void swing_add(struct yk_swing *s, double x)
{
    if (s->count++ == 0)
        s->first = s->last = x;
    x -= s->first; /* sums of a large constant cancel */
    s->product += x * (s->last - s->first);
    s->last = x + s->first;
    s->sum += x;
    s->square += x * x;
}

/* eq. (5): from the correlation of neighbours */
YK_RT double yk_swing_frequency(const struct yk_swing *s, double dt)
{
    const double n = (double)s->count, mean = s->sum / n, variance = s->square / n - mean * mean,
                 together = s->product / n - mean * mean;

    if (s->count < 8 || !(variance > 1e-12 * (s->square / n)) || !(variance > 0))
        return NAN;
    return acos(fmax(-1, fmin(1, together / variance))) / (TWO_PI * dt);
}

/* eq. (6), from the first ticks of every sixteen, counted by `at`: noise is the same in the others. */
YK_RT static void hiss_add(struct yk_hiss *h, long at, double x)
{
    double *p = h->past;

    if (h->count++ == 0)
        h->least = h->most = x;
    else if (x < h->least)
        h->least = x;
    else if (x > h->most)
        h->most = x;
    p[at] = x;
    const double step = at > 0 ? fabs(x - p[at - 1]) : 0;
    if (step > 0 && !(h->finest > 0 && h->finest <= step))
        h->finest = step;
    if (at < YK_COURSE_PAST - 1)
        return;
    h->sum += fabs(p[0] - 4 * p[1] + 6 * p[2] - 4 * p[3] + p[4]);
    h->heard++;
}

/* The mean modulus of a fourth difference of white noise is sqrt(70) sqrt(2/pi) times its standard deviation. */
YK_RT double yk_hiss_share(const struct yk_hiss *h)
{
    const double amplitude = 0.5 * (h->most - h->least);

    if (!h->heard || !(amplitude > 0))
        return NAN;
    return fmax(h->sum / (double)h->heard / (8.3666 * 0.79788), h->finest / sqrt(12)) / amplitude;
}

/* ---- preparation ---- */

/* eq. (3): the exact response over a step to a force that is constant in it. */
static void prepare_mode(struct yk_course_mode *m, double w, double xi, double h)
{
    const double decay = exp(-xi * w * h), wd = w * sqrt(fabs(1 - xi * xi)), c = cos(wd * h), s = sin(wd * h) / wd;

    m->A[0][0] = decay * (c + xi * w * s);
    m->A[0][1] = decay * s;
    m->A[1][0] = -decay * w * w * s;
    m->A[1][1] = decay * (c - xi * w * s);
    m->b[0] = (1 - m->A[0][0]) / (w * w);
    m->b[1] = -m->A[1][0] / (w * w);
}

/* Strokes of the actuators for a unit of the shape. */
static void take_strokes(struct yk_course_mode *m, struct yk_state *motion, const double *shape)
{
    for (size_t k = 0; k < motion->model->substructure_count; k++) {
        struct yk_system *system = motion->substructures[k].system;
        double u[MOST_DOFS] = {0}, rest[YK_COURSE_ACTUATORS], moved[YK_COURSE_ACTUATORS];
        size_t first = 0, count;

        if (!yk_is_physical(system) || system->n > MOST_DOFS)
            continue;
        count = yk_physical_actuators(system, &first);
        if (first + count > YK_COURSE_ACTUATORS)
            continue;
        yk_physical_strokes(system, u, rest);
        yk_matrix_add_transposed_product(&motion->assembly->map[k], SMALL, shape, u);
        yk_physical_strokes(system, u, moved);
        for (size_t i = 0; i < count; i++)
            m->stroke[first + i] = (moved[i] - rest[i]) / SMALL;
    }
}

static void prepare_modes(struct yk_course *c, struct yk_state *motion)
{
    const struct yk_system *s = motion->assembly->system;
    double w2[YK_COURSE_MODES], shape[YK_COURSE_MODES * MOST_DOFS];
    const size_t count = s->n < YK_COURSE_MODES ? s->n : YK_COURSE_MODES;

    if (yk_eigen_symmetric(&s->K, &s->M, count, w2, shape, NULL))
        return;
    for (size_t j = 0; j < count; j++) {
        const double *phi = shape + j * s->n, w = sqrt(fmax(w2[j], 0));
        double Cphi[MOST_DOFS] = {0};

        if (!(w > 0 && w2[j] > FAR_BELOW * w2[count - 1]))
            continue; /* rigid: no compliance of its own */
        c->lowest_Hz = c->lowest_Hz > 0 ? c->lowest_Hz : w / TWO_PI;
        yk_matrix_add_product(&s->C, 1, phi, Cphi);
        const double xi = yk_dot(s->n, phi, Cphi) / (2 * w);

        if (!(xi < 1))
            continue;
        prepare_mode(&c->mode[c->modes], w, xi, c->dt);
        c->mode[c->modes].frequency_Hz = w / TWO_PI;
        take_strokes(&c->mode[c->modes++], motion, phi);
    }
}

/* The data sheets of plants of a virtual rig. */
static void take_sheets(struct yk_course *c, struct yk_station *station)
{
    void *self;
    const struct yk_rig_ops *ops = yk_station_rig(station, &self);
    const struct yk_virtual_rig *rig = ops ? yk_rig_simulation(ops, self) : NULL;

    for (size_t i = 0; rig && i < rig->count && i < c->actuators; i++) {
        const struct yk_virtual_actuator *a = &rig->actuators[i];

        c->moved[i] = a->moved;
        if (a->plant && a->plant->sheet)
            a->plant->sheet(a->plant_at_work, &c->sheet[i]);
    }
}

void yk_course_begin(struct yk_course *c, struct yk_state *motion)
{
    const struct yk_assembly *whole = motion->assembly;
    const size_t n = motion->station ? yk_station_count(motion->station) : 0;

    *c = (struct yk_course){.actuators = n < YK_COURSE_ACTUATORS ? n : YK_COURSE_ACTUATORS, .dt = motion->dt};
    c->all_steps = motion->model->steps;
    c->tick_s = motion->station ? yk_station_pace(motion->station).tick : 0;
    for (size_t i = 0; i < c->actuators; i++)
        for (int k = 0; k < YK_USES; k++)
            c->of[i].capacity[k] = NAN;
    if (c->actuators)
        take_sheets(c, motion->station);
    for (size_t i = 0; i < c->actuators; i++) {
        struct yk_actuator_use use;
        void *self;
        const struct yk_rig_ops *rig = yk_station_rig(motion->station, &self);

        c->of[i].bounded = rig->use && rig->use(self, i, &use);
    }
    if (whole->system && whole->map && whole->system->n <= MOST_DOFS)
        prepare_modes(c, motion);
}

/* ---- ticks ---- */

YK_RT static void use_add(struct yk_course *c, size_t i, enum yk_use what, double share, double t)
{
    struct yk_course_actuator *a = &c->of[i];

    if (isnan(share))
        return;
    if (share >= AT_LIMIT && a->at[what]++ == 0) {
        a->since[what] = t;
        c->limited = true;
    }
    if (share > a->most[what]) {
        a->most[what] = share;
        a->when[what] = t;
    }
}

YK_RT static void peak_add(double now, double t, double *peak, double *when)
{
    if (fabs(now) > *peak) {
        *peak = fabs(now);
        *when = t;
    }
}

YK_RT static void demand_add(struct yk_course_actuator *a, const struct yk_reading *r, double t)
{
    peak_add(r->displacement, t, &a->demand[YK_USE_STROKE], &a->asked[YK_USE_STROKE]);
    peak_add(r->velocity, t, &a->demand[YK_USE_SPEED], &a->asked[YK_USE_SPEED]);
    peak_add(r->force, t, &a->demand[YK_USE_FORCE], &a->asked[YK_USE_FORCE]);
    peak_add(r->force * r->velocity, t, &a->power, &a->power_at);
}

YK_RT void yk_course_tick(struct yk_course *c, struct yk_station *station)
{
    const double t = (double)c->ticks * c->tick_s;
    const long at = c->ticks % BURST;
    void *self;
    const struct yk_rig_ops *rig = yk_station_rig(station, &self);

    if (!yk_supervisor_follows(yk_station_supervisor(station)))
        return;
    c->ticks++;
    for (size_t i = 0; i < c->actuators; i++) {
        struct yk_course_actuator *a = &c->of[i];
        const struct yk_reading r = yk_station_reading(station, i);
        struct yk_actuator_use use;

        if (at < YK_COURSE_PAST) {
            hiss_add(&a->displacement_hiss, at, r.displacement);
            hiss_add(&a->force_hiss, at, r.force);
        }
        demand_add(a, &r, t);
        if (!a->bounded || !rig->use(self, i, &use))
            continue;
        for (int k = 0; k < YK_USES; k++) {
            a->capacity[k] = use.capacity[k];
            use_add(c, i, (enum yk_use)k, use.share[k], t);
        }
    }
}

/* ---- steps ---- */

/* eq. (4): measured beside expected force. */
YK_RT static void compare_forces(struct yk_course *c, struct yk_station *station, size_t i,
                                 const struct yk_reading *readings)
{
    struct yk_course_actuator *a = &c->of[i];
    const double F = readings[i].force;
    double E;

    if (!yk_supervisor_expects(yk_station_supervisor(station), i, readings, &E))
        return;
    a->F += F;
    a->E += E;
    a->FF += F * F;
    a->EE += E * E;
    a->FE += F * E;
    a->forces++;
}

/* The force on actuator i that the tracking errors leave out. */
YK_RT static double missing_force(const struct yk_course *c, const struct yk_supervisor *s, size_t i,
                                  const double *errors)
{
    const struct yk_force_estimate *e = &s->supervised[i].estimate;
    double F = 0;

    for (size_t j = 0; j < e->count && e->first + j < c->actuators; j++) {
        const size_t k = e->first + j;

        F += e->stiffness[j] * errors[k];
        if (e->damped)
            F += e->damping[j] * (errors[k] - c->of[k].error) / c->dt;
    }
    return F;
}

/* eq. (3): what the structure does under these forces. */
YK_RT static void feel(struct yk_course *c, const struct yk_supervisor *s, const double *errors)
{
    double F[YK_COURSE_ACTUATORS], response[YK_COURSE_ACTUATORS] = {0};

    for (size_t i = 0; i < c->actuators; i++)
        F[i] = missing_force(c, s, i, errors);
    for (size_t j = 0; j < c->modes; j++) {
        struct yk_course_mode *m = &c->mode[j];
        double Q = 0;

        for (size_t i = 0; i < c->actuators; i++)
            Q += m->stroke[i] * F[i];
        const double x = m->A[0][0] * m->x[0] + m->A[0][1] * m->x[1] + m->b[0] * Q;

        m->x[1] = m->A[1][0] * m->x[0] + m->A[1][1] * m->x[1] + m->b[1] * Q;
        m->x[0] = x;
        m->square += x * x;
        for (size_t i = 0; i < c->actuators; i++)
            response[i] += m->stroke[i] * x;
    }
    for (size_t i = 0; i < c->actuators; i++) {
        c->of[i].felt += response[i] * response[i];
        if (!c->limited)
            c->of[i].misfit.felt += response[i] * response[i];
    }
}

/* eq. (8) */
YK_RT static void explain(struct yk_misfit *m, double error, double target, double rate)
{
    m->error += error * error;
    m->speed += rate * rate;
    m->place += target * target;
    m->late += error * rate;
    m->small += error * target;
    m->between += rate * target;
    m->moved += target * target;
    m->count++;
}

YK_RT void yk_course_step(struct yk_course *c, const struct yk_state *motion, double kinetic_energy)
{
    struct yk_station *station = motion->station;
    struct yk_reading readings[YK_COURSE_ACTUATORS];
    double errors[YK_COURSE_ACTUATORS];
    const long part = c->all_steps > 0 ? YK_PARTS_OF_RUN * c->steps / c->all_steps : 0;
    const long at = part < YK_PARTS_OF_RUN ? part : YK_PARTS_OF_RUN - 1;

    c->steps++;
    swing_add(&c->kinetic, kinetic_energy);
    for (size_t i = 0; i < c->actuators; i++)
        readings[i] = yk_station_reading(station, i);
    for (size_t i = 0; i < c->actuators; i++) {
        const struct yk_actuator_state now = yk_station_state(station, i);
        const bool by_place = yk_station_kind(station, i) == YK_BY_DISPLACEMENT;

        errors[i] = by_place ? now.target - now.matched : 0;
        if (!c->limited)
            explain(&c->of[i].misfit, errors[i], now.target, (now.target - c->of[i].target.last) / c->dt);
        c->of[i].moved += now.target * now.target;
        c->of[i].asked_for[at] += now.target * now.target;
        c->of[i].missed[at] += errors[i] * errors[i];
        c->of[i].work += 0.5 * (now.force + c->of[i].force) * (c->of[i].error - errors[i]);
        c->of[i].force = now.force;
        swing_add(&c->of[i].target, now.target);
        if (by_place)
            compare_forces(c, station, i, readings);
    }
    if (c->modes)
        feel(c, yk_station_supervisor(station), errors);
    for (size_t i = 0; i < c->actuators; i++)
        c->of[i].error = errors[i];
}

/* ---- measures ---- */

YK_RT static double share(double part, double whole)
{
    return whole > 0 ? part / whole : (double)NAN;
}

/* eq. (4) */
YK_RT static void measure_forces(const struct yk_course_actuator *a, int i, struct yk_measures *m)
{
    const double n = (double)a->forces, F = a->FF - a->F * a->F / n, E = a->EE - a->E * a->E / n,
                 together = a->FE - a->F * a->E / n, factor = sqrt(F / E);

    if (!(F > 0 && E > 1e-12 * a->EE) || fabs(together) < CORRELATED * sqrt(F * E))
        return;
    yk_measures_add(m, YK_JUDGED_SIGN, -together / E, i);
    if (fabs(together) >= PROPORTIONAL * sqrt(F * E) || fmax(factor, 1 / factor) > BEYOND_YIELD)
        yk_measures_add(m, YK_JUDGED_ESTIMATE, fmax(factor, 1 / factor), i);
}

/* eq. (8): the parts of the error of the response, or of the motion if that is larger, that delay and gain explain. A
 * motion that is predicted far ahead has errors of other reasons. */
YK_RT static void measure_misfit(const struct yk_misfit *s, double lead, int i, struct yk_measures *m)
{
    const double error = s->error, felt = sqrt(share(lead > AHEAD ? s->felt : fmax(s->felt, error), s->moved));

    if (s->count < LEAST_STEPS || !(error > 0))
        return;
    yk_measures_add(m, YK_JUDGED_LAG, felt * sqrt(fmin(1, share(s->late * s->late, s->speed * error))), i);
    yk_measures_add(m, YK_JUDGED_GAIN, felt * sqrt(fmin(1, share(s->small * s->small, s->place * error))), i);
}

/* The error in each part of the run, over the target there, or on average where that is larger: rest is no failure. */
YK_RT static void measure_parts(const struct yk_course_actuator *a, int i, struct yk_measures *m)
{
    for (int k = 0; k < YK_PARTS_OF_RUN; k++) {
        const double part = sqrt(share(a->missed[k], fmax(a->asked_for[k], a->moved / YK_PARTS_OF_RUN)));

        if (isnan(part))
            continue;
        m->tracking[k] = fmax(m->tracking[k], part);
        yk_measures_add(m, YK_JUDGED_TRACKING_PART, part, i);
    }
}

/* Error of the response by mode, at the actuator where it is largest. */
YK_RT static void measure_bands(const struct yk_course *c, size_t i, struct yk_measures *m)
{
    for (size_t j = 0; j < c->modes; j++) {
        const struct yk_course_mode *mode = &c->mode[j];
        const double felt = fabs(mode->stroke[i]) * sqrt(share(mode->square, c->of[i].moved));

        m->band_Hz[j] = mode->frequency_Hz;
        m->band_felt[j] = isnan(felt) ? m->band_felt[j] : fmax(m->band_felt[j], felt);
    }
}

/* Discount of a capacity that was used up: 1 if the loop had gone wrong before, or was bound to, so that it is no
 * cause; else the later, the larger. */
YK_RT static double discount_of(const struct yk_course *c, const struct yk_course_actuator *a, bool hopeless,
                                enum yk_use what)
{
    const struct yk_misfit *s = &a->misfit;
    const bool weak = s->small > MISSING * s->place; /* it moved too little from the beginning */
    const bool lost =
        hopeless || (!weak && s->count >= LEAST_STEPS &&
                     (sqrt(share(s->error, s->moved)) > 1 || (c->modes && sqrt(share(s->felt, s->moved)) > LOST)));
    const double until = (double)a->target.count * c->dt;

    return lost ? WITHOUT : LATER * fmin(1, a->since[what] / until);
}

YK_RT void yk_course_measure(const struct yk_course *c, size_t i, const struct yk_tracking_indices *tracked,
                             const struct yk_compensated *compensated, double delay_share, double energy,
                             struct yk_measures *m)
{
    static const enum yk_criterion limits[YK_USES] = {[YK_USE_STROKE] = YK_JUDGED_STROKE,
                                                      [YK_USE_SPEED] = YK_JUDGED_SPEED,
                                                      [YK_USE_FORCE] = YK_JUDGED_FORCE,
                                                      [YK_USE_VALVE] = YK_JUDGED_VALVE};
    const struct yk_course_actuator *a = &c->of[i];
    const double swings = yk_swing_frequency(&a->target, c->dt);
    const bool hopeless = compensated->lead_s * fmax(c->lowest_Hz, swings) > TOO_FAST;
    const int who = (int)i;

    for (int k = 0; k < YK_USES; k++)
        if (a->most[k] > 0) {
            struct yk_measure *kept = &m->of[limits[k]];

            yk_measures_add(m, limits[k], share((double)a->at[k], (double)c->ticks), who);
            if (kept->actuator == who)
                kept->discount = discount_of(c, a, hopeless, (enum yk_use)k);
        }
    measure_parts(a, who, m);
    measure_bands(c, i, m);
    if (!hopeless)
        measure_misfit(&a->misfit, compensated->lead_s * swings, who, m);
    if (a->misfit.error == 0 && !c->limited) /* commanded by force */
        yk_measures_add(m, YK_JUDGED_LAG, fmin(tracked->felt_nrms, TWO_PI * swings * fabs(tracked->delay_s)), who);
    measure_forces(a, who, m);
    if (!(swings * c->dt > RESTLESS)) {
        yk_measures_add(m, YK_JUDGED_FORCE_NOISE, yk_hiss_share(&a->force_hiss), who);
        yk_measures_add(m, YK_JUDGED_DISPLACEMENT_NOISE, yk_hiss_share(&a->displacement_hiss), who);
    }
    yk_measures_add(m, YK_JUDGED_LEAD, compensated->lead_s * swings, who);
    yk_measures_add(m, YK_JUDGED_DELAY, delay_share, who);
    yk_measures_add(m, YK_JUDGED_TRACKING, a->moved > 0 ? tracked->felt_nrms : (double)NAN, who);
    if (c->modes)
        yk_measures_add(m, YK_JUDGED_FELT, sqrt(share(a->felt, a->moved)), who);
    yk_measures_add(m, YK_JUDGED_RIG_ENERGY, share(fabs(a->work), energy), who);
}
