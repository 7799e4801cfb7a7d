/* Preparation of the test station: what it takes over, the memory of its chains, and queries outside the loop. Its
 * cycle is station.c. */
#include "transfer/station_parts.h"

#include "base/progress.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- parts that are taken over ---- */

static void free_actuator(struct yk_actuator *a)
{
    if (a->compensator.self)
        yk_param_free(a->compensator.ops->params, a->compensator.self);
    if (a->estimator.self)
        yk_param_free(a->estimator.ops->params, a->estimator.self);
    if (a->controller.self)
        yk_param_free(a->controller.ops->params, a->controller.self);
    free(a->compensator.self);
    free(a->estimator.self);
    free(a->controller.self);
    free(a->name);
    *a = (struct yk_actuator){0};
}

static void free_joint(struct yk_joint *j)
{
    if (j->compensator.self)
        yk_param_free(j->compensator.ops->params, j->compensator.self);
    if (j->controller.self)
        yk_param_free(j->controller.ops->params, j->controller.self);
    free(j->compensator.self);
    free(j->controller.self);
    free(j->members);
    *j = (struct yk_joint){0};
}

void yk_station_parts_free(struct yk_station_parts *parts)
{
    for (size_t i = 0; parts->actuators && i < parts->count; i++)
        free_actuator(&parts->actuators[i]);
    for (size_t i = 0; parts->joints && i < parts->joint_count; i++)
        free_joint(&parts->joints[i]);
    for (size_t i = 0; parts->sensors && i < parts->sensor_count; i++) {
        free(parts->sensors[i].name);
        free(parts->sensors[i].unit);
    }
    for (size_t i = 0; parts->lines && i < parts->line_count; i++)
        free((char *)parts->lines[i].name);
    for (size_t i = 0; parts->corrections && i < YK_COMMAND_KINDS * parts->count + parts->sensor_count; i++)
        free((char *)parts->corrections[i].label.name);
    free(parts->corrections);
    free(parts->sent);
    free(parts->late);
    free(parts->actuators);
    free(parts->joints);
    free(parts->sensors);
    free(parts->lines);
    if (parts->rig_self)
        parts->rig->close(parts->rig_self);
    free(parts->rig_self);
    *parts = (struct yk_station_parts){0};
}

/* ---- pace: the blocks of every chain, set up for a step and its stages ---- */

/* Working copies of the blocks, as they were read. */
static enum yk_status copy_block(void **to, const void *from, size_t size, struct yk_arena *mem, struct yk_err *err)
{
    if (!yk_arena_point_to_new(mem, to, 1, size))
        return yk_fail(err, YK_E_MEMORY, "out of memory for an actuator");
    memcpy(*to, from, size);
    return YK_OK;
}

static void stop_chain(struct yk_actuator_chain *c)
{
    if (c->compensator && c->a.compensator.ops->fini)
        c->a.compensator.ops->fini(c->compensator);
    if (c->estimator && c->a.estimator.ops->fini)
        c->a.estimator.ops->fini(c->estimator);
    if (c->controller && c->a.controller.ops->fini)
        c->a.controller.ops->fini(c->controller);
    c->compensator = c->estimator = c->controller = NULL;
}

static void stop_joint(struct yk_joint_chain *j)
{
    if (j->compensator && j->j.compensator.ops->fini)
        j->j.compensator.ops->fini(j->compensator);
    if (j->controller && j->j.controller.ops->fini)
        j->j.controller.ops->fini(j->controller);
    j->compensator = j->controller = NULL;
}

/* Does the compensator repeat the targets of a parabola if the delay is zero? Compensators that invert a lag do not.
 * Leaves it in need of a reset. */
static bool repeats_targets(const struct yk_station *s, struct yk_actuator_chain *c)
{
    const struct yk_compensator_ops *ops = c->a.compensator.ops;
    const double D = s->dt / s->stages;
    bool same = true;

    ops->reset(c->compensator, 0);
    for (int k = 0; k < 4 * s->stages; k++) {
        const struct yk_target target = {
            .x = k * k * D * D, .v = 2 * k * D, .a = 2, .stage = k % s->stages, .stages = s->stages};
        const double command = ops->predict(c->compensator, &target, 0);

        if (ops->reached)
            ops->reached(c->compensator, &target);
        /* the rest before the parabola is not part of it */
        same &= k < 3 * s->stages || fabs(command - target.x) <= 1e-9 * target.x;
    }
    return same;
}

static bool is_idle(const struct yk_station *s, struct yk_actuator_chain *c)
{
    const struct yk_compensator_ops *ops = c->a.compensator.ops;

    return !c->jointly_commanded && strcmp(ops->name, "none") != 0 && !ops->learn && !c->a.estimator.ops &&
           yk_feedback_delay(&c->feedback, c->a.delay + c->a.filter_delay, s->dt) == 0 && repeats_targets(s, c);
}

/* Lead beyond the measured delay (actuator, filter of the readings, play-out): filter of the load cell plus
 * overcompensation. */
static double lead_beside(const struct yk_station *s, const struct yk_actuator_chain *c)
{
    const struct yk_actuator *a = &c->a;
    const double all = yk_feedback_delay(&c->feedback, a->delay + a->filter_delay, s->dt);

    return fmax(0, all - (a->delay + a->seen_delay));
}

/* A compensator that learns its delay gets readings delayed by this lead; otherwise it would take it for an error. */
static enum yk_status keep_lead(const struct yk_station *s, struct yk_actuator_chain *c, struct yk_err *err)
{
    const struct yk_compensator_ops *ops = c->a.compensator.ops;
    const double lead = lead_beside(s, c);

    c->seen = (struct yk_delay_line){0};
    c->learns_delay = ops->learns_delay && ops->learns_delay(c->compensator);
    return lead > 0 ? yk_delay_line_init(&c->seen, lead, s->tick, s->mem, err) : YK_OK;
}

static enum yk_status start_chain(const struct yk_station *s, struct yk_actuator_chain *c, struct yk_err *err)
{
    const struct yk_actuator *a = &c->a;
    struct yk_where where = a->compensator.where;
    enum yk_status st;

    stop_chain(c);
    if ((st = copy_block(&c->compensator, a->compensator.self, a->compensator.ops->size, s->mem, err)) ||
        (st = copy_block(&c->controller, a->controller.self, a->controller.ops->size, s->mem, err)) ||
        (a->estimator.ops && (st = copy_block(&c->estimator, a->estimator.self, a->estimator.ops->size, s->mem, err))))
        return st;
    if (!(st = a->compensator.ops->init(c->compensator, s->dt, s->stages, s->mem, err))) {
        where = a->controller.where;
        st = a->controller.ops->init(c->controller, s->tick, s->mem, err);
    }
    if (!st && a->estimator.ops) {
        where = a->estimator.where;
        st = a->estimator.ops->init(c->estimator, s->dt, s->mem, err);
    }
    if (!st)
        st = yk_feedback_init(&c->feedback, &a->feedback, s->tick, s->dt / s->stages, s->mem, err);
    yk_passivity_init(&c->passivity, &a->passivity, s->dt / s->stages);
    c->corrects = a->passivity.kind != YK_PASSIVITY_NONE || a->feedback.source == YK_FORCE_IMPEDANCE ||
                  a->feedback.source == YK_FORCE_SMITH;
    if (!st)
        st = keep_lead(s, c, err);
    if (!st)
        c->idle = is_idle(s, c);
    return st ? yk_fail_within(err, where, "actuator %s: ", a->name) : YK_OK;
}

static enum yk_status start_joint(const struct yk_station *s, struct yk_joint_chain *j, struct yk_err *err)
{
    const size_t n = j->j.count;
    struct yk_where where = j->j.compensator.where;
    enum yk_status st = YK_OK;

    stop_joint(j);
    if (!yk_arena_array(s->mem, &j->targets, n) || !yk_arena_array(s->mem, &j->in, 3 * n))
        return yk_fail(err, YK_E_MEMORY, "out of memory for the actuators");
    j->measured = j->in + n;
    j->out = j->in + 2 * n;
    yk_arena_pointers(s->mem, &j->measured, &j->out);
    if (j->j.compensator.ops &&
        !(st = copy_block(&j->compensator, j->j.compensator.self, j->j.compensator.ops->size, s->mem, err)))
        st = j->j.compensator.ops->joint->init(j->compensator, n, s->dt, s->stages, s->mem, err);
    if (!st && j->j.controller.ops) {
        where = j->j.controller.where;
        if (!(st = copy_block(&j->controller, j->j.controller.self, j->j.controller.ops->size, s->mem, err)))
            st = j->j.controller.ops->joint->init(j->controller, n, s->tick, s->mem, err);
    }
    return st ? yk_fail_within(err, where, "%s: ", "joint") : YK_OK;
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

/* The blocks of a copy are another's until it is prepared anew. */
static void forget_lent(struct yk_station *s)
{
    for (size_t i = 0; s->lent && i < s->count; i++)
        s->chains[i].compensator = s->chains[i].estimator = s->chains[i].controller = NULL;
    for (size_t k = 0; s->lent && k < s->joint_count; k++)
        s->joints[k].compensator = s->joints[k].controller = NULL;
    s->lent = false;
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
    forget_lent(s);
    for (size_t i = 0; i < s->count; i++)
        if ((st = start_chain(s, &s->chains[i], err)))
            return st;
    for (size_t k = 0; k < s->joint_count; k++)
        if ((st = start_joint(s, &s->joints[k], err)))
            return st;
    return yk_station_rest(s, s->x0, err);
}

void yk_station_leave(struct yk_station *s)
{
    for (size_t i = 0; s && !s->lent && i < s->count; i++)
        stop_chain(&s->chains[i]);
    for (size_t k = 0; s && !s->lent && k < s->joint_count; k++)
        stop_joint(&s->joints[k]);
}

/* ---- the station ---- */

enum yk_status yk_station_open(struct yk_station *s, struct yk_err *err)
{
    const char *stage = yk_progress("waiting for the rig");

    for (size_t i = 0; i < s->count; i++)
        s->rates[i] = yk_supervisor_limit_of_test(&s->supervisor, YK_LIMIT_COMMAND_RATE, i) /
                      (s->corrections.of ? fabs(s->corrections.sent[i].command.scale) : 1);
    const enum yk_status st = s->rig->open(s->rig_self, &s->plan, err);

    yk_progress(stage);
    return st;
}

/* The tables of the plan: actuators, sensors, lines. */
static enum yk_status make_plan(struct yk_station *s, struct yk_station_parts *parts, struct yk_err *err)
{
    enum yk_command_kind *kinds = calloc(s->count + 1, sizeof *kinds);
    struct yk_rig_sensor *sensors = calloc(parts->sensor_count + 1, sizeof *sensors);
    bool ahead = false;

    s->plan = (struct yk_rig_plan){.count = s->count,
                                   .names = s->names,
                                   .kinds = kinds,
                                   .tick = s->tick,
                                   .x0 = s->x0,
                                   .rates = s->rates,
                                   .mem = s->rig_mem ? s->rig_mem : s->mem,
                                   .sensors = sensors,
                                   .lines = parts->lines,
                                   .line_count = parts->line_count,
                                   .playout = parts->playout,
                                   .silence = parts->limits.limit[YK_LIMIT_PEER_SILENCE]};
    parts->lines = NULL;
    s->sensors = calloc(parts->sensor_count + 1, sizeof *s->sensors);
    yk_arena_array(s->mem, &s->in.sensors, parts->sensor_count + 1);
    if (!kinds || !sensors || !s->sensors || !s->in.sensors)
        return yk_fail(err, YK_E_MEMORY, "out of memory for the rig");
    for (size_t i = 0; i < s->count; i++) {
        kinds[i] = s->chains[i].a.limits.kind;
        ahead |= s->chains[i].a.feeds_forward;
    }
    for (; s->plan.sensor_count < parts->sensor_count; s->plan.sensor_count++) {
        struct yk_station_sensor *p = &parts->sensors[s->plan.sensor_count];

        sensors[s->plan.sensor_count] = (struct yk_rig_sensor){p->name, p->unit};
        s->sensors[s->plan.sensor_count] =
            (struct yk_sensor_limit){p->name, p->unit, p->limit, p->action, p->heartbeat};
        p->name = p->unit = NULL;
    }
    s->plan.feeds_forward = ahead;
    yk_arena_pointer(s->mem, &s->out.ahead);
    if (ahead && !(s->out.ahead = yk_arena_array(s->mem, &s->ahead, s->count)))
        return yk_fail(err, YK_E_MEMORY, "out of memory for the rig");
    yk_supervisor_watch(&s->supervisor, s->sensors, s->plan.sensor_count, s->plan.lines, s->plan.line_count);
    return YK_OK;
}

/* Room for corrections and for the readings before them. */
static enum yk_status make_corrections(struct yk_station *s, struct yk_err *err)
{
    const size_t channels = YK_COMMAND_KINDS * s->count + s->plan.sensor_count;
    struct yk_correction *of = yk_arena_array(s->mem, &s->corrections.of, channels);
    struct yk_sent_scales *sent = yk_arena_array(s->mem, &s->corrections.sent, s->count);

    yk_arena_array(s->mem, &s->raw.readings, s->count);
    yk_arena_array(s->mem, &s->raw.sensors, s->plan.sensor_count + 1);
    if (!of || !sent || !s->raw.readings || !s->raw.sensors)
        return yk_fail(err, YK_E_MEMORY, "out of memory for the readings");
    for (size_t k = 0; k < channels; k++)
        of[k].scale = YK_RAW_IS_SI;
    for (size_t i = 0; i < s->count; i++)
        sent[i] = yk_calibration_none().sent;
    s->corrections = (struct yk_corrections){of, sent, s->count, s->plan.sensor_count};
    return YK_OK;
}

static enum yk_status take_corrections(struct yk_station *s, struct yk_station_parts *parts, struct yk_err *err)
{
    enum yk_status st = YK_OK;

    if (!parts->corrections || (st = make_corrections(s, err)))
        return parts->corrections ? st : YK_OK;
    for (size_t k = 0; k < YK_COMMAND_KINDS * s->count + s->plan.sensor_count; k++) {
        s->corrections.of[k] = parts->corrections[k];
        parts->corrections[k].label.name = NULL;
    }
    memcpy(s->corrections.sent, parts->sent, s->count * sizeof *parts->sent);
    return YK_OK;
}

static enum yk_status take_late(struct yk_station *s, struct yk_station_parts *parts, struct yk_err *err)
{
    s->late_ticks = parts->late;
    parts->late = NULL;
    return yk_late_make(&s->late, s->late_ticks, &s->plan, err);
}

enum yk_status yk_station_tare(struct yk_station *s, size_t channel, double zero, double command, struct yk_err *err)
{
    enum yk_status st;

    if (!s->corrections.of && (st = make_corrections(s, err)))
        return st;
    s->corrections.of[channel].used = true;
    s->corrections.of[channel].zero = zero;
    s->corrections.of[channel].command_zero = command;
    return YK_OK;
}

const struct yk_corrections *yk_station_corrections(const struct yk_station *s)
{
    return &s->corrections;
}

static enum yk_status take_joints(struct yk_station *s, struct yk_station_parts *parts, struct yk_err *err)
{
    if (!parts->joint_count)
        return YK_OK;
    if (!yk_arena_array(s->mem, &s->joints, parts->joint_count))
        return yk_fail(err, YK_E_MEMORY, "out of memory for the actuators");
    for (; s->joint_count < parts->joint_count; s->joint_count++) {
        const struct yk_joint *j = &parts->joints[s->joint_count];

        s->joints[s->joint_count].j = *j;
        for (size_t k = 0; k < j->count; k++) {
            s->chains[j->members[k]].jointly_commanded |= j->compensator.ops != NULL;
            s->chains[j->members[k]].jointly_driven |= j->controller.ops != NULL;
        }
        parts->joints[s->joint_count] = (struct yk_joint){0};
    }
    return YK_OK;
}

enum yk_status yk_station_create(struct yk_station **station, struct yk_station_parts *parts, struct yk_arena *mem,
                                 struct yk_err *err)
{
    const size_t n = parts->count;
    struct yk_station *s = yk_arena_take(mem, sizeof *s);
    void *rig_self = parts->rig->can & YK_RIG_SIMULATES ? yk_arena_take(mem, parts->rig->size) : parts->rig_self;
    enum yk_status st;

    *station = NULL;
    if (!s || !rig_self || !yk_arena_array(mem, &s->chains, n) || !yk_arena_array(mem, &s->x0, 5 * n) ||
        !yk_arena_array(mem, &s->supervised, n) || !yk_arena_array(mem, &s->in.readings, n) ||
        !(s->names = calloc(n, sizeof *s->names)) || !yk_arena_array(mem, &s->estimates, n)) {
        free(s ? s->names : NULL);
        yk_station_parts_free(parts);
        return yk_fail(err, YK_E_MEMORY, "out of memory for the rig");
    }
    s->mem = mem;
    s->out.command = s->sent = s->x0 + n;
    s->present = s->x0 + 2 * n;
    s->shifted = s->x0 + 3 * n;
    s->rates = s->x0 + 4 * n;
    yk_arena_pointers(mem, &s->out.command, &s->sent, &s->present, &s->shifted, &s->plan.x0, &s->supervisor.supervised);
    yk_arena_pointers(mem, &s->rates, &s->plan.rates, &s->supervisor.reason, &s->noticed, &s->probe, &s->between.ops,
                      &s->between.self);
    s->count = n;
    for (size_t i = 0; i < n; i++) {
        s->chains[i].a = parts->actuators[i];
        s->chains[i].path.kind = parts->actuators[i].path;
        s->names[i] = parts->actuators[i].name;
        s->supervised[i].own = parts->actuators[i].limits;
    }
    free(parts->actuators);
    parts->actuators = NULL;
    s->rig = parts->rig;
    s->rig_self = rig_self;
    yk_arena_pointer(mem, &s->rig_self);
    if (!(parts->rig->can & YK_RIG_SIMULATES) && !(s->rig_mem = calloc(1, sizeof *s->rig_mem))) {
        yk_station_parts_free(parts);
        return yk_fail(err, YK_E_MEMORY, "out of memory for the rig");
    }
    if (parts->rig->can & YK_RIG_SIMULATES) {
        memcpy(rig_self, parts->rig_self, parts->rig->size);
        free(parts->rig_self);
    }
    parts->rig_self = NULL;
    s->tick = parts->tick;
    yk_supervisor_init(&s->supervisor, &parts->limits, s->supervised, n,
                       yk_tick_of(s->tick, parts->scale > 0 ? parts->scale : 1));
    st = make_plan(s, parts, err);
    if (!st)
        st = yk_station_make_modes(s, err);
    if (!st)
        st = take_joints(s, parts, err);
    if (!st)
        st = take_corrections(s, parts, err);
    if (!st && parts->late)
        st = take_late(s, parts, err);
    yk_station_parts_free(parts);
    if (st) {
        yk_station_destroy(s);
        return st;
    }
    *station = s;
    return YK_OK;
}

void yk_station_move_in(struct yk_station *s, struct yk_arena *mem)
{
    if (!s)
        return;
    s->mem = mem;
    s->lent = true;
}

void yk_station_destroy(struct yk_station *s)
{
    if (!s)
        return;
    for (size_t i = 0; s->chains && i < s->count; i++) {
        struct yk_actuator_chain *c = &s->chains[i];

        stop_chain(c);
        free_actuator(&c->a);
    }
    if (s->rig_self)
        s->rig->close(s->rig_self);
    if (s->rig_self && !(s->rig->can & YK_RIG_SIMULATES))
        free(s->rig_self);
    if (s->rig_mem)
        yk_arena_free(s->rig_mem);
    free(s->rig_mem);
    free(s->late_ticks);
    for (size_t i = 0; s->estimates && i < s->count; i++)
        free(s->estimates[i]);
    for (size_t k = 0; k < s->pose_count; k++)
        yk_pose_free(s->poses[k]);
    for (size_t k = 0; k < s->joint_count; k++) {
        stop_joint(&s->joints[k]);
        free_joint(&s->joints[k].j);
    }
    for (size_t k = 0; s->corrections.of && k < YK_COMMAND_KINDS * s->count + s->plan.sensor_count; k++)
        free((char *)s->corrections.of[k].label.name);
    for (size_t k = 0; k < s->plan.sensor_count; k++) {
        free((char *)s->sensors[k].name);
        free((char *)s->sensors[k].unit);
    }
    for (size_t k = 0; k < s->plan.line_count; k++)
        free((char *)s->plan.lines[k].name);
    free((void *)s->plan.kinds);
    free((void *)s->plan.others);
    free((void *)s->plan.sensors);
    free((void *)s->plan.lines);
    free(s->sensors);
    free(s->names);
}

/* ---- what may be added ---- */

struct yk_between yk_station_interpose(struct yk_station *s, struct yk_between between)
{
    const struct yk_between before = s->between;

    s->between = between;
    return before;
}

enum yk_status yk_station_limit_pose(struct yk_station *s, const struct yk_pose *pose, struct yk_err *err)
{
    struct yk_pose *own = s->pose_count < YK_POSES ? yk_arena_array(s->mem, &s->poses[s->pose_count], 1) : NULL;

    if (!own) {
        struct yk_pose unused = *pose;

        yk_pose_free(&unused);
        return yk_fail(err, YK_E_UNSUPPORTED, "no room for the limits of another platform; at most %d", YK_POSES);
    }
    *own = *pose;
    s->pose_count++;
    return yk_pose_init(own, s->mem, err);
}

void yk_station_leave_passivity(struct yk_station *s)
{
    for (size_t i = 0; i < s->count; i++)
        s->chains[i].passivity.set.kind = YK_PASSIVITY_NONE;
}

void yk_station_limit_no_pose(struct yk_station *s)
{
    s->pose_count = 0;
}

enum yk_status yk_station_expect(struct yk_station *s, size_t first, size_t count, const double *stiffness,
                                 const double *damping, const double *mass, struct yk_err *err)
{
    const double *from[] = {stiffness, damping, mass};
    const size_t all = count * count;
    double *rows = malloc(3 * all * sizeof *rows);

    if (!rows)
        return yk_fail(err, YK_E_MEMORY, "out of memory for an estimate");
    free(s->estimates[first]);
    s->estimates[first] = rows;
    for (size_t k = 0; k < 3; k++)
        for (size_t i = 0; i < count; i++)
            for (size_t j = 0; j < count; j++)
                rows[k * all + i * count + j] = from[k][i + j * count];
    for (size_t i = 0; i < count; i++) {
        double *row = rows + i * count;
        struct yk_force_estimate e = {first, count, row, row + all, row + 2 * all, false, false};
        bool known = false;

        row[2 * all + i] += s->chains[first + i].a.feedback.inertia;
        for (size_t j = 0; j < count; j++) {
            e.damped |= e.damping[j] != 0;
            e.felt |= e.mass[j] != 0;
            known |= e.stiffness[j] != 0;
        }
        if (!known && !e.damped && !e.felt)
            e.count = 0;
        s->supervised[first + i].estimate = e;
    }
    return YK_OK;
}

enum yk_status yk_station_add_delay(struct yk_station *s, double delay_s, struct yk_err *err)
{
    const double ticks = delay_s / s->tick;

    if (!(delay_s >= 0 && ticks < 1e6))
        return yk_fail(err, YK_E_RANGE, "an added delay of %g s is outside 0 .. 1e6 ticks", delay_s);
    s->past_count = (int)floor(ticks) + 2;
    s->past_share = 1 - (ticks - floor(ticks));
    for (size_t i = 0; i < s->count; i++) {
        double *past = yk_arena_array(s->mem, &s->chains[i].past, (size_t)s->past_count);

        if (!past)
            return yk_fail(err, YK_E_MEMORY, "out of memory");
        for (int k = 0; k < s->past_count; k++)
            past[k] = s->x0[i];
    }
    return YK_OK;
}

void yk_station_probe(struct yk_station *s, struct yk_delay_probe *probe)
{
    s->probe = probe;
}

/* ---- what it is ---- */

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

bool yk_station_turns(const struct yk_station *s, size_t i)
{
    return s->chains[i].a.limits.turns;
}

enum yk_command_kind yk_station_kind(const struct yk_station *s, size_t i)
{
    return s->chains[i].a.limits.kind;
}

bool yk_station_feeds_forward(const struct yk_station *s, size_t i)
{
    return s->chains[i].a.feeds_forward;
}

const char *yk_station_unit(const struct yk_station *s, size_t i)
{
    static const char *const units[2][YK_COMMAND_KINDS] = {{"m", "m/s", "m/s2", "N"},
                                                           {"rad", "rad/s", "rad/s2", "N m"}};

    return units[s->chains[i].a.limits.turns][s->chains[i].a.limits.kind];
}

const struct yk_rig_plan *yk_station_plan(const struct yk_station *s)
{
    return &s->plan;
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

double yk_station_start(const struct yk_station *s, size_t i)
{
    return s->x0[i];
}

const struct yk_rig_ops *yk_station_rig(const struct yk_station *s, void **self)
{
    *self = s->rig_self;
    return s->rig;
}

bool yk_station_wants_acceleration(const struct yk_station *s)
{
    for (size_t i = 0; i < yk_station_count(s); i++)
        if (!s->chains[i].jointly_commanded && s->chains[i].a.compensator.ops->reached)
            return true;
    for (size_t k = 0; s && k < s->joint_count; k++)
        if (s->joints[k].j.compensator.ops && s->joints[k].j.compensator.ops->joint->reached)
            return true;
    return false;
}

bool yk_station_fault(const struct yk_station *s, char *text, size_t size)
{
    for (size_t i = 0; i < s->count; i++) {
        const struct yk_controller_ops *ops = s->chains[i].a.controller.ops;

        if (ops && ops->fault && s->chains[i].controller && ops->fault(s->chains[i].controller, text, size))
            return true;
    }
    return false;
}

const char *yk_station_trip(struct yk_station *s)
{
    if (!s)
        return "";
    yk_trip_text(&s->supervisor.trip, s->names, s->trip_text, sizeof s->trip_text);
    return s->trip_text;
}
