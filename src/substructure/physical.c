/* A specimen on a virtual rig. docs/theory/transfer.md.
 *
 * Between two forces the actuators go from the last command to the new one in a straight line, tick by tick:
 *
 *     command -> controller -> limits -> plant -> specimen -> sensors
 *
 * The command is what the compensator predicts for the target; the force of the last tick is fed back. */
#include <yoke/physical.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RAMP_S 1.0 /* a trip with `ramp` takes the actuators home in this time */

/* What changes in the chain of an actuator. */
struct chain {
    struct yk_actuator a;
    double x0; /* where it starts */
    double target, last_target, command, last_command, delay;
    struct yk_plant_output out;
    double reading, force;                     /* of the sensors */
    double *past;                              /* commands of the last ticks, for an added delay; NULL: none */
    double square, error, moment, speed, peak; /* sums for the tracking indices */
};

struct yk_physical {
    struct yk_system system;
    struct chain *chains;
    struct yk_system *specimen;
    double *u, *v, *a, *r, *zero;  /* of the specimen */
    double *last_u, *last_r, work; /* energy account */
    double tick, dt;
    int stages, ticks; /* ticks between two forces */
    long calls;        /* forces given since the start */
    struct yk_limits limits;
    /* the first limit that tripped: what of which actuator, by how much; NULL: none. The words are made outside the
     * loop */
    const char *tripped;
    size_t trip_actuator;
    double trip_value;
    char trip_text[160];
    int past_count;    /* commands that are kept */
    double past_share; /* weight of the oldest but one; the rest is the oldest */
};

void yk_actuator_free(struct yk_actuator *a)
{
    if (a->compensator && a->compensator->fini && a->compensator_self)
        a->compensator->fini(a->compensator_self);
    if (a->estimator && a->estimator->fini && a->estimator_self)
        a->estimator->fini(a->estimator_self);
    if (a->controller && a->controller->fini && a->controller_self)
        a->controller->fini(a->controller_self);
    if (a->plant && a->plant->fini && a->plant_self)
        a->plant->fini(a->plant_self);
    free(a->compensator_self);
    free(a->estimator_self);
    free(a->controller_self);
    free(a->plant_self);
    free(a->name);
    *a = (struct yk_actuator){0};
}

void yk_physical_parts_free(struct yk_physical_parts *parts)
{
    for (size_t i = 0; parts->actuators && i < parts->M.rows; i++)
        yk_actuator_free(&parts->actuators[i]);
    free(parts->actuators);
    yk_matrix_fini(&parts->M);
    yk_matrix_fini(&parts->C);
    yk_matrix_fini(&parts->K);
    free(parts->u0);
    free(parts->v0);
    yk_system_destroy(parts->specimen);
    *parts = (struct yk_physical_parts){0};
}

/* ---- the rig ---- */

/* Force of the specimen in the state of the actuators: M a + r(u, v). */
YK_RT static void move_specimen(struct yk_physical *p, double t)
{
    const size_t n = p->system.n;
    struct yk_system *s = p->specimen;

    for (size_t i = 0; i < n; i++) {
        p->u[i] = p->chains[i].out.x;
        p->v[i] = p->chains[i].out.v;
        p->a[i] = p->chains[i].out.a;
    }
    yk_system_force(s, t, p->zero, p->u, p->v, p->r);
    for (size_t i = 0; i < n; i++)
        p->r[i] = -p->r[i];
    yk_matrix_add_product(&s->M, 1, p->a, p->r);
    if (s->ops->commit)
        s->ops->commit(s->self, p->u, p->v);
}

YK_RT static void trip(struct yk_physical *p, const char *what, const struct chain *c, double value)
{
    if (p->tripped)
        return;
    p->tripped = what;
    p->trip_actuator = (size_t)(c - p->chains);
    p->trip_value = value;
}

/* A command within the limits of displacement. */
YK_RT static double within(struct yk_physical *p, const struct chain *c, double command)
{
    const double limit = p->limits.displacement;

    if (!(limit > 0) || fabs(command) <= limit)
        return command;
    trip(p, "command", c, command);
    return isnan(command) ? c->out.x : copysign(limit, command);
}

/* The command that reaches the controller: the one of an added delay ago, a straight line between ticks. */
YK_RT static double delayed(const struct yk_physical *p, struct chain *c, double command)
{
    const int n = p->past_count;

    if (!c->past)
        return command;
    memmove(c->past + 1, c->past, (size_t)(n - 1) * sizeof *c->past);
    c->past[0] = command;
    return p->past_share * c->past[n - 2] + (1 - p->past_share) * c->past[n - 1];
}

/* One control tick, `share` of the way to the new commands. */
YK_RT static void tick(struct yk_physical *p, double t, double share)
{
    const size_t n = p->system.n;

    for (size_t i = 0; i < n; i++) {
        struct chain *c = &p->chains[i];
        const double command = c->last_command + share * (c->command - c->last_command);
        const double sent = delayed(p, c, within(p, c, command));
        const double drive = c->a.controller->step(c->a.controller_self, sent, c->reading);

        c->a.plant->step(c->a.plant_self, drive, c->force, &c->out);
    }
    move_specimen(p, t);
    for (size_t i = 0; i < n; i++) {
        struct chain *c = &p->chains[i];
        const double desired = c->last_target + share * (c->target - c->last_target);
        const double speed = (c->target - c->last_target) / (p->ticks * p->tick);

        c->reading = yk_sensor_step(&c->a.displacement, c->out.x);
        c->force = yk_sensor_step(&c->a.force, p->r[i]);
        if (p->limits.force > 0 && !(fabs(c->force) <= p->limits.force))
            trip(p, "force", c, c->force);
        c->square += desired * desired;
        c->error += (desired - c->reading) * (desired - c->reading);
        c->moment += (desired - c->reading) * speed;
        c->speed += speed * speed;
        c->peak = fmax(c->peak, fabs(desired - c->reading));
    }
}

/* The new target of an actuator, and the command for it. */
YK_RT static void aim(struct yk_physical *p, struct chain *c, double x, double v)
{
    const struct yk_target target = {.x = x, .v = v, .stage = (int)(p->calls % p->stages), .stages = p->stages};

    c->last_target = c->target;
    c->last_command = c->command;
    c->target = x;
    c->command = c->a.compensator->predict(c->a.compensator_self, &target, c->delay);
}

/* At the due time: what was learnt about the actuator. */
YK_RT static void learn(struct yk_physical *p, struct chain *c)
{
    if (c->a.compensator->learn)
        c->a.compensator->learn(c->a.compensator_self, c->reading);
    if (c->a.estimator && p->calls % p->stages == 0) {
        const struct yk_tracking sample = {c->target, c->command, c->reading};

        c->delay = c->a.estimator->update(c->a.estimator_self, &sample);
    }
}

/* ---- the system ---- */

YK_RT static void rest(void *self, const double *u)
{
    struct yk_physical *p = self;

    p->calls = 0;
    p->tripped = NULL;
    if (p->specimen->ops->rest)
        p->specimen->ops->rest(p->specimen->self, u);
    for (size_t i = 0; i < p->system.n; i++) {
        struct chain *c = &p->chains[i];
        const double x = u[i];

        c->a.compensator->reset(c->a.compensator_self, x);
        c->a.controller->reset(c->a.controller_self, x);
        c->a.plant->reset(c->a.plant_self, x);
        if (c->a.estimator)
            c->a.estimator->reset(c->a.estimator_self, c->a.delay);
        c->x0 = c->target = c->last_target = c->command = c->last_command = x;
        c->delay = c->a.delay;
        for (int k = 0; c->past && k < p->past_count; k++)
            c->past[k] = x;
        c->out = (struct yk_plant_output){x, 0, 0};
        c->square = c->error = c->moment = c->speed = c->peak = 0;
        yk_sensor_reset(&c->a.displacement, x);
        c->reading = x;
    }
    move_specimen(p, 0);
    for (size_t i = 0; i < p->system.n; i++) {
        yk_sensor_reset(&p->chains[i].a.force, p->r[i]);
        p->chains[i].force = p->r[i];
    }
}

/* The first call, at t = 0, finds the specimen where it was put; every other moves it. */
YK_RT static void force(void *self, double t, const double *f, const double *u, const double *v, double *out)
{
    struct yk_physical *p = self;
    const size_t n = p->system.n;

    if (t > 0) {
        for (size_t i = 0; i < n; i++)
            aim(p, &p->chains[i], u[i], v[i]);
        for (int k = 1; k <= p->ticks; k++)
            tick(p, t - (p->ticks - k) * p->tick, (double)k / p->ticks);
        p->calls++;
        for (size_t i = 0; i < n; i++)
            learn(p, &p->chains[i]);
    }
    for (size_t i = 0; i < n; i++)
        out[i] = f[i] - p->chains[i].force;
}

YK_RT static void tangent(void *self, const double *u, const double *v, double *K, double *C)
{
    struct yk_physical *p = self;

    yk_matrix_to_dense(&p->system.K, K);
    yk_matrix_to_dense(&p->system.C, C);
}

/* The work of the measured force; what a specimen stores and what it dissipates cannot be told apart from outside. */
YK_RT static void account(void *self, const double *f, const double *u, const double *v, struct yk_energy *energy)
{
    struct yk_physical *p = self;

    if (!energy->started)
        energy->dissipated = energy->work = 0;
    energy->kinetic = energy->stored = 0;
    for (size_t i = 0; i < p->system.n; i++) {
        if (energy->started)
            energy->dissipated += 0.5 * (p->last_r[i] + p->chains[i].force) * (u[i] - p->last_u[i]);
        p->last_u[i] = u[i];
        p->last_r[i] = p->chains[i].force;
    }
    energy->started = true;
}

static void destroy(void *self)
{
    struct yk_physical *p = self;

    for (size_t i = 0; p->chains && i < p->system.n; i++) {
        yk_actuator_free(&p->chains[i].a);
        free(p->chains[i].past);
    }
    free(p->chains);
    yk_system_destroy(p->specimen);
    free(p->u);
}

static const struct yk_system_ops ops = {
    .force = force, .rest = rest, .tangent = tangent, .account = account, .destroy = destroy};

/* ---- set-up ---- */

static enum yk_status start_chain(struct yk_actuator *a, double tick_s, double dt, int stages, struct yk_err *err)
{
    struct yk_where where = a->where.compensator;
    enum yk_status st = a->compensator->init(a->compensator_self, dt, stages, err);

    if (!st) {
        where = a->where.controller;
        st = a->controller->init(a->controller_self, tick_s, err);
    }
    if (!st) {
        where = a->where.plant;
        st = a->plant->init(a->plant_self, tick_s, err);
    }
    if (!st && a->estimator) {
        where = a->where.estimator;
        st = a->estimator->init(a->estimator_self, dt, err);
    }
    if (!st) {
        where = a->where.plant;
        if (!(st = yk_sensor_init(&a->displacement, err)))
            st = yk_sensor_init(&a->force, err);
    }
    return st ? yk_fail_within(err, where, "actuator %s: ", a->name) : YK_OK;
}

/* Ticks between two forces: a whole number of them must fit. */
static enum yk_status count_ticks(struct yk_physical *p, struct yk_err *err)
{
    const double ticks = p->dt / p->stages / p->tick;

    p->ticks = (int)lround(ticks);
    if (p->ticks < 1 || fabs(ticks - p->ticks) > 1e-6)
        return yk_fail(
            err, YK_E_RANGE,
            "%g control ticks of %g s fit between two forces (step %g s, %d force%s a step); it must be a whole "
            "number: change time.control_rate or time.step",
            ticks, p->tick, p->dt, p->stages, p->stages == 1 ? "" : "s");
    return YK_OK;
}

enum yk_status yk_physical_create(struct yk_system **system, struct yk_physical_parts *parts, struct yk_err *err)
{
    const size_t n = parts->M.rows;
    struct yk_physical *p = calloc(1, sizeof *p);
    struct chain *chains = calloc(n, sizeof *chains);
    enum yk_status st = YK_OK;

    *system = NULL;
    if (!p || !chains || !(p->u = calloc(7 * n, sizeof *p->u))) {
        free(chains);
        free(p);
        yk_physical_parts_free(parts);
        return yk_fail(err, YK_E_MEMORY, "out of memory for the rig");
    }
    p->v = p->u + n;
    p->a = p->u + 2 * n;
    p->r = p->u + 3 * n;
    p->zero = p->u + 4 * n;
    p->last_u = p->u + 5 * n;
    p->last_r = p->u + 6 * n;
    p->chains = chains;
    for (size_t i = 0; i < n; i++)
        chains[i].a = parts->actuators[i];
    free(parts->actuators);
    p->system = (struct yk_system){
        .n = n, .M = parts->M, .C = parts->C, .K = parts->K, .u0 = parts->u0, .v0 = parts->v0, .ops = &ops, .self = p};
    p->specimen = parts->specimen;
    p->tick = parts->tick;
    p->dt = parts->dt;
    p->stages = parts->stages;
    p->limits = parts->limits;
    *parts = (struct yk_physical_parts){0};
    for (size_t i = 0; i < n && !st; i++)
        st = start_chain(&chains[i].a, p->tick, p->dt, p->stages, err);
    if (!st)
        st = count_ticks(p, err);
    if (st) {
        yk_system_destroy(&p->system);
        return st;
    }
    rest(p, p->system.u0);
    *system = &p->system;
    return YK_OK;
}

struct yk_physical *yk_physical_of(struct yk_system *system)
{
    return system->ops == &ops ? system->self : NULL;
}

size_t yk_physical_count(const struct yk_physical *p)
{
    return p->system.n;
}

const char *yk_physical_name(const struct yk_physical *p, size_t i)
{
    return p->chains[i].a.name;
}

struct yk_actuator *yk_physical_actuator(struct yk_physical *p, size_t i)
{
    return &p->chains[i].a;
}

struct yk_system *yk_physical_specimen(struct yk_physical *p)
{
    return p->specimen;
}

YK_RT struct yk_pace yk_physical_pace(const struct yk_physical *p)
{
    return (struct yk_pace){p->tick, p->dt, p->stages};
}

YK_RT struct yk_actuator_state yk_physical_state(const struct yk_physical *p, size_t i)
{
    const struct chain *c = &p->chains[i];

    return (struct yk_actuator_state){c->target, c->command, c->reading, c->force, c->delay};
}

struct yk_tracking_indices yk_physical_tracking(const struct yk_physical *p, size_t i)
{
    const struct chain *c = &p->chains[i];

    return (struct yk_tracking_indices){.nrms = c->square > 0 ? sqrt(c->error / c->square) : 0,
                                        .peak = c->peak,
                                        .delay_s = c->speed > 0 ? c->moment / c->speed : 0};
}

void yk_physical_quieten(struct yk_physical *p)
{
    for (size_t i = 0; i < p->system.n; i++) {
        struct yk_sensor *sensors[] = {&p->chains[i].a.displacement, &p->chains[i].a.force};

        for (int k = 0; k < 2; k++)
            sensors[k]->noise = sensors[k]->bias = sensors[k]->dropout = sensors[k]->quantum = 0;
    }
}

void yk_physical_retire(struct yk_physical *p)
{
    const long ticks = p->limits.on_trip == 1 ? lround(RAMP_S / p->tick) : 0;

    for (size_t i = 0; i < p->system.n; i++) {
        struct chain *c = &p->chains[i];

        c->last_command = c->out.x;
        c->command = c->x0;
        c->last_target = c->target = c->x0;
    }
    for (long k = 1; k <= ticks; k++)
        tick(p, 0, (double)k / (double)ticks);
}

enum yk_status yk_physical_add_delay(struct yk_physical *p, double delay_s, struct yk_err *err)
{
    const double ticks = delay_s / p->tick;

    if (!(delay_s >= 0 && ticks < 1e6))
        return yk_fail(err, YK_E_RANGE, "an added delay of %g s is outside 0 .. 1e6 ticks", delay_s);
    p->past_count = (int)floor(ticks) + 2;
    p->past_share = 1 - (ticks - floor(ticks));
    for (size_t i = 0; i < p->system.n; i++) {
        double *past = realloc(p->chains[i].past, (size_t)p->past_count * sizeof *past);

        if (!past)
            return yk_fail(err, YK_E_MEMORY, "out of memory");
        p->chains[i].past = past;
        for (int k = 0; k < p->past_count; k++)
            past[k] = p->chains[i].x0;
    }
    return YK_OK;
}

const char *yk_physical_trip(struct yk_physical *p)
{
    if (!p->tripped)
        return "";
    const bool force_limit = strcmp(p->tripped, "force") == 0;
    const char *unit = force_limit ? "N" : "m";

    snprintf(p->trip_text, sizeof p->trip_text, "%s of %s, %g %s, passed its limit of %g %s", p->tripped,
             p->chains[p->trip_actuator].a.name, p->trip_value, unit,
             force_limit ? p->limits.force : p->limits.displacement, unit);
    return p->trip_text;
}
