/* The test station. docs/theory/transfer.md.
 *
 * Between two targets an actuator goes from the last command to the new one in a straight line, tick by tick:
 *
 *     command -> controller -> supervisor -> rig -> supervisor -> readings
 *
 * The command is what the compensator predicts for the target. The supervisor has the last word on what is sent. The
 * force of the last tick is handed back, or the one that fits the target best (feedback.c). */
#include <yoke/station.h>

#include "transfer/feedback.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What changes in the chain of an actuator. */
struct chain {
    struct yk_actuator a;
    void *compensator, *estimator, *controller; /* working copies of the blocks */
    struct yk_feedback feedback;
    double target, speed, last_target, last_speed;
    double aim, aim_speed; /* the target to come */
    double command, last_command, delay, fed;
    double drive;                              /* that the controller asked for */
    double *past;                              /* commands of the last ticks, for an added delay; NULL: none */
    double square, error, moment, power, peak; /* sums for the tracking indices */
};

struct yk_station {
    struct chain *chains;
    size_t count;
    const struct yk_rig_ops *rig;
    void *rig_self;
    struct yk_between between;
    bool was_cut; /* the rig has been told to disable its drive */
    const char **names;
    double *x0, *drive, *desired;
    struct yk_reading *readings;
    double tick, dt;
    int stages, ticks; /* ticks between two targets */
    long targets;      /* reached since the start */
    struct yk_station_hooks hooks;
    bool begun; /* the actuators stand where the run begins, under way since yk_station_begin */
    struct yk_supervisor supervisor;
    struct yk_guard *guards;
    char trip_text[160];
    int past_count;    /* commands that are kept */
    double past_share; /* weight of the oldest but one; the rest is the oldest */
};

void yk_actuator_free(struct yk_actuator *a)
{
    free(a->compensator.self);
    free(a->estimator.self);
    free(a->controller.self);
    free(a->name);
    *a = (struct yk_actuator){0};
}

void yk_station_parts_free(struct yk_station_parts *parts)
{
    for (size_t i = 0; parts->actuators && i < parts->count; i++)
        yk_actuator_free(&parts->actuators[i]);
    free(parts->actuators);
    if (parts->rig_self)
        parts->rig->close(parts->rig_self);
    free(parts->rig_self);
    *parts = (struct yk_station_parts){0};
}

/* ---- cycle ---- */

/* The command that reaches the controller: the one of an added delay ago, a straight line between ticks. */
YK_RT static double delayed(const struct yk_station *s, struct chain *c, double command)
{
    const int n = s->past_count;

    if (!c->past)
        return command;
    memmove(c->past + 1, c->past, (size_t)(n - 1) * sizeof *c->past);
    c->past[0] = command;
    return s->past_share * c->past[n - 2] + (1 - s->past_share) * c->past[n - 1];
}

YK_RT static void keep_indices(struct chain *c, double desired, double speed, double measured)
{
    const double error = desired - measured;

    c->square += desired * desired;
    c->error += error * error;
    c->moment += error * speed;
    c->power += speed * speed;
    c->peak = fmax(c->peak, fabs(error));
}

/* The rig, or what stands before it. */
YK_RT static const struct yk_rig_ops *rig_ops(const struct yk_station *s)
{
    return s->between.ops ? s->between.ops : s->rig;
}

YK_RT static void *rig_self(const struct yk_station *s)
{
    return s->between.ops ? s->between.self : s->rig_self;
}

/* A limit may have asked for the drive to be disabled: the rig is told once. */
YK_RT static void tell_cut(struct yk_station *s)
{
    if (s->supervisor.cut && !s->was_cut && rig_ops(s)->cut)
        rig_ops(s)->cut(rig_self(s));
    s->was_cut = s->supervisor.cut;
}

/* Sends `drive` as far as the supervisor lets it, and takes the readings. */
YK_RT static void exchange(struct yk_station *s)
{
    const bool sends = yk_supervisor_commands(&s->supervisor, s->drive, s->drive);
    enum yk_rig_answer answer = YK_RIG_FRESH;

    if (s->hooks.sending)
        s->hooks.sending(s->hooks.self);
    if (sends)
        answer = rig_ops(s)->exchange(rig_self(s), s->drive, s->readings);
    yk_supervisor_readings(&s->supervisor, answer, s->desired, s->readings);
    tell_cut(s);
    if (s->hooks.after)
        s->hooks.after(s->hooks.self);
}

YK_RT void yk_station_wait(struct yk_station *s)
{
    if (s->hooks.before)
        s->hooks.before(s->hooks.self);
    exchange(s);
}

/* One control tick, `share` of the way to the new commands. False: the method is not followed any more. */
YK_RT static bool tick(struct yk_station *s, double share)
{
    if (s->hooks.before)
        s->hooks.before(s->hooks.self);
    while (s->supervisor.state == YK_STATE_PAUSED) {
        exchange(s);
        if (s->hooks.before)
            s->hooks.before(s->hooks.self);
        else
            return false; /* nobody could end it */
    }
    if (!yk_supervisor_follows(&s->supervisor))
        return false;
    for (size_t i = 0; i < s->count; i++) {
        struct chain *c = &s->chains[i];
        const double command = c->last_command + share * (c->command - c->last_command);

        c->drive = s->drive[i] =
            c->a.controller.ops->step(c->controller, delayed(s, c, command), s->readings[i].displacement);
        s->desired[i] = c->last_target + share * (c->target - c->last_target);
    }
    exchange(s);
    for (size_t i = 0; i < s->count; i++) {
        struct chain *c = &s->chains[i];

        if (s->drive[i] != c->drive && c->a.controller.ops->clipped)
            c->a.controller.ops->clipped(c->controller, s->drive[i]);
        yk_feedback_push(&c->feedback, &s->readings[i]);
        keep_indices(c, s->desired[i], (c->target - c->last_target) / (s->ticks * s->tick),
                     s->readings[i].displacement);
    }
    return true;
}

/* The new target of an actuator, and the command for it. */
YK_RT static void command(struct yk_station *s, struct chain *c, double x, double v)
{
    const struct yk_target target = {.x = x, .v = v, .stage = (int)(s->targets % s->stages), .stages = s->stages};

    c->last_target = c->target;
    c->last_command = c->command;
    c->target = x;
    c->command = c->a.compensator.ops->predict(c->compensator, &target,
                                               yk_feedback_delay(&c->feedback, c->delay + c->a.filter_delay, s->dt));
}

/* At the due time: what is fed back, and what was learnt about the actuator. */
YK_RT static void learn(struct yk_station *s, struct chain *c, double measured)
{
    c->fed = yk_feedback_force(&c->feedback, c->target);
    if (c->a.compensator.ops->learn)
        c->a.compensator.ops->learn(c->compensator, measured);
    if (c->a.estimator.ops && s->targets % s->stages == 0) {
        const struct yk_tracking sample = {c->target, c->command, measured};

        c->delay = c->a.estimator.ops->update(c->estimator, &sample);
    }
}

/* The cubic through two targets and their velocities, at the fraction x of the time h between them. */
YK_RT static double between(const struct chain *c, double h, double x, double *v)
{
    const double d = c->aim - c->last_target, m0 = h * c->last_speed, m1 = h * c->aim_speed;

    *v = (m0 + x * (2 * (3 * d - 2 * m0 - m1) + 3 * x * (m0 + m1 - 2 * d))) / h;
    return c->last_target + x * (m0 + x * (3 * d - 2 * m0 - m1 + x * (m0 + m1 - 2 * d)));
}

/* To the next targets: all actuators together. */
YK_RT static void advance(struct yk_station *s)
{
    for (int k = 1; k <= s->ticks && tick(s, (double)k / s->ticks); k++)
        ;
    s->targets++;
    for (size_t i = 0; i < s->count; i++)
        learn(s, &s->chains[i], s->readings[i].displacement);
}

YK_RT void yk_station_aim(struct yk_station *s, size_t i, double x, double v)
{
    s->chains[i].aim = x;
    s->chains[i].aim_speed = v;
}

/* A method that starts with longer stages than it goes on with has targets put between them. */
YK_RT void yk_station_move(struct yk_station *s, double t)
{
    const double spacing = s->dt / s->stages;
    const long ahead = lround(t / spacing) - s->targets;

    for (size_t i = 0; i < s->count; i++)
        s->chains[i].last_speed = s->chains[i].speed;
    for (long k = 1; k <= ahead; k++) {
        for (size_t i = 0; i < s->count; i++) {
            struct chain *c = &s->chains[i];
            double x = c->aim, v = c->aim_speed;

            if (k < ahead)
                x = between(c, (double)(ahead - k + 1) * spacing, 1 / (double)(ahead - k + 1), &v);
            command(s, c, x, v);
            c->speed = c->last_speed = v;
        }
        advance(s);
        for (size_t i = 0; i < s->count; i++)
            s->chains[i].last_target = s->chains[i].target;
    }
}

YK_RT void yk_station_reached(struct yk_station *s, size_t i, double x, double v, double a)
{
    struct chain *c = &s->chains[i];
    const struct yk_target state = {.x = x, .v = v, .a = a, .stage = s->stages - 1, .stages = s->stages};

    if (c->a.compensator.ops->reached)
        c->a.compensator.ops->reached(c->compensator, &state);
}

YK_RT double yk_station_force(const struct yk_station *s, size_t i)
{
    return s->chains[i].fed;
}

static enum yk_status rest_rig(struct yk_station *s, const double *x, struct yk_err *err)
{
    if (s->between.ops && s->between.ops->rest)
        return s->between.ops->rest(s->between.self, x, s->readings, err);
    return s->rig->rest(s->rig_self, x, s->readings, err);
}

enum yk_status yk_station_rest(struct yk_station *s, const double *x, struct yk_err *err)
{
    enum yk_status st = YK_OK;

    memmove(s->x0, x, s->count * sizeof *x); /* x may be s->x0 itself */
    s->targets = 0;
    if (!s->begun) {
        st = rest_rig(s, x, err);
        yk_supervisor_rest(&s->supervisor, x, x, s->readings);
        yk_supervisor_event(&s->supervisor, YK_EVENT_ARM);
        yk_supervisor_event(&s->supervisor, YK_EVENT_START);
    }
    for (size_t i = 0; i < s->count; i++) {
        struct chain *c = &s->chains[i];

        c->a.compensator.ops->reset(c->compensator, x[i]);
        c->a.controller.ops->reset(c->controller, x[i]);
        if (c->a.estimator.ops)
            c->a.estimator.ops->reset(c->estimator, c->a.delay);
        yk_feedback_reset(&c->feedback, &s->readings[i]);
        c->target = c->last_target = c->aim = c->command = c->last_command = x[i];
        c->speed = c->last_speed = c->aim_speed = 0;
        c->delay = c->a.delay;
        c->fed = s->readings[i].force;
        for (int k = 0; c->past && k < s->past_count; k++)
            c->past[k] = x[i];
        c->square = c->error = c->moment = c->power = c->peak = 0;
    }
    return st;
}

YK_RT struct yk_reading yk_station_reading(const struct yk_station *s, size_t i)
{
    return s->readings[i];
}

enum yk_status yk_station_begin(struct yk_station *s, struct yk_err *err)
{
    const enum yk_status st = rest_rig(s, s->x0, err);

    if (st)
        return st;
    for (size_t i = 0; i < s->count; i++)
        s->drive[i] = isfinite(s->readings[i].displacement) ? s->readings[i].displacement : s->x0[i];
    yk_supervisor_rest(&s->supervisor, s->x0, s->supervisor.limits.start_ramp > 0 ? s->drive : s->x0, s->readings);
    yk_supervisor_event(&s->supervisor, YK_EVENT_ARM);
    yk_supervisor_event(&s->supervisor, YK_EVENT_START);
    while (s->supervisor.state == YK_STATE_STARTING)
        yk_station_wait(s);
    s->begun = true;
    return YK_OK;
}

double yk_station_start(const struct yk_station *s, size_t i)
{
    return s->x0[i];
}

/* ---- set-up ---- */

/* Working copies of the blocks, as they were read. */
static enum yk_status copy_block(void **to, const void *from, size_t size, struct yk_err *err)
{
    void *copy = realloc(*to, size + 1);

    if (!copy)
        return yk_fail(err, YK_E_MEMORY, "out of memory for an actuator");
    memcpy(copy, from, size);
    *to = copy;
    return YK_OK;
}

static void stop_chain(struct chain *c)
{
    if (c->compensator && c->a.compensator.ops->fini)
        c->a.compensator.ops->fini(c->compensator);
    if (c->estimator && c->a.estimator.ops->fini)
        c->a.estimator.ops->fini(c->estimator);
    if (c->controller && c->a.controller.ops->fini)
        c->a.controller.ops->fini(c->controller);
    yk_feedback_fini(&c->feedback);
}

static enum yk_status start_chain(const struct yk_station *s, struct chain *c, struct yk_err *err)
{
    const struct yk_actuator *a = &c->a;
    struct yk_where where = a->compensator.where;
    enum yk_status st;

    stop_chain(c);
    if ((st = copy_block(&c->compensator, a->compensator.self, a->compensator.ops->size, err)) ||
        (st = copy_block(&c->controller, a->controller.self, a->controller.ops->size, err)) ||
        (a->estimator.ops && (st = copy_block(&c->estimator, a->estimator.self, a->estimator.ops->size, err))))
        return st;
    if (!(st = a->compensator.ops->init(c->compensator, s->dt, s->stages, err))) {
        where = a->controller.where;
        st = a->controller.ops->init(c->controller, s->tick, err);
    }
    if (!st && a->estimator.ops) {
        where = a->estimator.where;
        st = a->estimator.ops->init(c->estimator, s->dt, err);
    }
    if (!st)
        st = yk_feedback_init(&c->feedback, &a->feedback, s->tick, err);
    return st ? yk_fail_within(err, where, "actuator %s: ", a->name) : YK_OK;
}

/* Ticks between two targets: a whole number of them must fit. */
static enum yk_status count_ticks(struct yk_station *s, struct yk_err *err)
{
    const double ticks = s->dt / s->stages / s->tick;

    s->ticks = (int)lround(ticks);
    if (s->ticks < 1 || fabs(ticks - s->ticks) > 1e-6)
        return yk_fail(
            err, YK_E_RANGE,
            "%g control ticks of %g s fit between two forces (step %g s, %d force%s a step); it must be a whole "
            "number: change time.control_rate or time.step",
            ticks, s->tick, s->dt, s->stages, s->stages == 1 ? "" : "s");
    return YK_OK;
}

enum yk_status yk_station_prepare(struct yk_station *s, double dt, int stages, struct yk_err *err)
{
    enum yk_status st;

    if (s->dt == dt && s->stages == stages)
        return YK_OK;
    s->dt = dt;
    s->stages = stages;
    if ((st = count_ticks(s, err)))
        return st;
    for (size_t i = 0; i < s->count; i++)
        if ((st = start_chain(s, &s->chains[i], err)))
            return st;
    return yk_station_rest(s, s->x0, err);
}

static enum yk_status open_rig(struct yk_station *s, struct yk_err *err)
{
    const struct yk_rig_plan plan = {.count = s->count, .names = s->names, .tick = s->tick, .x0 = s->x0};

    return s->rig->open(s->rig_self, &plan, err);
}

enum yk_status yk_station_create(struct yk_station **station, struct yk_station_parts *parts, struct yk_err *err)
{
    const size_t n = parts->count;
    struct yk_station *s = calloc(1, sizeof *s);
    enum yk_status st;

    *station = NULL;
    if (!s || !(s->chains = calloc(n, sizeof *s->chains)) || !(s->x0 = calloc(3 * n, sizeof *s->x0)) ||
        !(s->guards = calloc(n, sizeof *s->guards)) || !(s->readings = calloc(n, sizeof *s->readings)) ||
        !(s->names = calloc(n, sizeof *s->names))) {
        yk_station_destroy(s);
        yk_station_parts_free(parts);
        return yk_fail(err, YK_E_MEMORY, "out of memory for the rig");
    }
    s->drive = s->x0 + n;
    s->desired = s->x0 + 2 * n;
    s->count = n;
    for (size_t i = 0; i < n; i++) {
        s->chains[i].a = parts->actuators[i];
        s->names[i] = parts->actuators[i].name;
    }
    free(parts->actuators);
    s->rig = parts->rig;
    s->rig_self = parts->rig_self;
    s->tick = parts->tick;
    yk_supervisor_init(&s->supervisor, &parts->limits, s->guards, n, s->tick);
    *parts = (struct yk_station_parts){0};
    if ((st = open_rig(s, err))) {
        yk_station_destroy(s);
        return st;
    }
    *station = s;
    return YK_OK;
}

void yk_station_destroy(struct yk_station *s)
{
    if (!s)
        return;
    for (size_t i = 0; s->chains && i < s->count; i++) {
        struct chain *c = &s->chains[i];

        stop_chain(c);
        free(c->compensator);
        free(c->estimator);
        free(c->controller);
        free(c->past);
        yk_actuator_free(&c->a);
    }
    if (s->rig_self)
        s->rig->close(s->rig_self);
    free(s->rig_self);
    free(s->chains);
    free(s->x0);
    free(s->readings);
    free(s->guards);
    free(s->names);
    free(s);
}

/* ---- what it is and does ---- */

YK_RT struct yk_pace yk_station_pace(const struct yk_station *s)
{
    return (struct yk_pace){s->tick, s->dt, s->stages};
}

size_t yk_station_count(const struct yk_station *s)
{
    return s ? s->count : 0;
}

const char *yk_station_name(const struct yk_station *s, size_t i)
{
    return s->chains[i].a.name;
}

const char *const *yk_station_names(const struct yk_station *s)
{
    return s->names;
}

long yk_station_find(const struct yk_station *s, const char *name)
{
    for (size_t i = 0; i < yk_station_count(s); i++)
        if (strcmp(s->chains[i].a.name, name) == 0)
            return (long)i;
    return -1;
}

const struct yk_rig_ops *yk_station_rig(const struct yk_station *s, void **self)
{
    *self = s->rig_self;
    return s->rig;
}

struct yk_between yk_station_interpose(struct yk_station *s, struct yk_between between)
{
    const struct yk_between before = s->between;

    s->between = between;
    return before;
}

bool yk_station_wants_acceleration(const struct yk_station *s)
{
    for (size_t i = 0; i < yk_station_count(s); i++)
        if (s->chains[i].a.compensator.ops->reached)
            return true;
    return false;
}

YK_RT struct yk_actuator_state yk_station_state(const struct yk_station *s, size_t i)
{
    const struct chain *c = &s->chains[i];

    return (struct yk_actuator_state){c->target, c->command, s->readings[i].displacement, c->fed, c->delay};
}

struct yk_tracking_indices yk_station_tracking(const struct yk_station *s, size_t i)
{
    const struct chain *c = &s->chains[i];

    return (struct yk_tracking_indices){.nrms = c->square > 0 ? sqrt(c->error / c->square) : 0,
                                        .peak = c->peak,
                                        .delay_s = c->power > 0 ? c->moment / c->power : 0};
}

void yk_station_hook(struct yk_station *s, const struct yk_station_hooks *hooks)
{
    s->hooks = *hooks;
}

YK_RT struct yk_supervisor *yk_station_supervisor(struct yk_station *s)
{
    return s ? &s->supervisor : NULL;
}

void yk_station_retire(struct yk_station *s)
{
    struct yk_supervisor *v = &s->supervisor;

    yk_supervisor_event(v, v->state == YK_STATE_PAUSED ? YK_EVENT_ABORT : YK_EVENT_FINISH);
    while (yk_supervisor_moves(v) && !(v->trip.tripped && v->trip.kind == YK_LIMIT_RIG_LOST))
        yk_station_wait(s);
    tell_cut(s); /* asked for between two ticks */
    s->begun = false;
}

enum yk_status yk_station_add_delay(struct yk_station *s, double delay_s, struct yk_err *err)
{
    const double ticks = delay_s / s->tick;

    if (!(delay_s >= 0 && ticks < 1e6))
        return yk_fail(err, YK_E_RANGE, "an added delay of %g s is outside 0 .. 1e6 ticks", delay_s);
    s->past_count = (int)floor(ticks) + 2;
    s->past_share = 1 - (ticks - floor(ticks));
    for (size_t i = 0; i < s->count; i++) {
        double *past = realloc(s->chains[i].past, (size_t)s->past_count * sizeof *past);

        if (!past)
            return yk_fail(err, YK_E_MEMORY, "out of memory");
        s->chains[i].past = past;
        for (int k = 0; k < s->past_count; k++)
            past[k] = s->x0[i];
    }
    return YK_OK;
}

const char *yk_station_trip(struct yk_station *s)
{
    if (!s)
        return "";
    yk_trip_text(&s->supervisor.trip, s->names, s->trip_text, sizeof s->trip_text);
    return s->trip_text;
}
