/* The virtual rig. docs/theory/transfer.md. In a tick
 *
 *     command -> plant, within its capacity -> specimen: M a + r(u, v), moving mass -> sensors
 *
 * A setup, if any, connects actuators and specimen (docs/theory/test-rigs.md). The force on a plant is what its load
 * cell felt in the tick before, without the errors of the sensor. */
#include "rig/virtual/rig.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define KEY_S        1.0  /* that a reset key is on, and then off */
#define COUNTS_PER_S 20.0 /* of a counter of the PLC */

void yk_virtual_actuator_free(struct yk_virtual_actuator *a)
{
    if (a->plant && a->plant_self) {
        if (a->plant->fini && a->plant_at_work)
            a->plant->fini(a->plant_at_work);
        yk_param_free(a->plant->params, a->plant_self);
    }
    free(a->plant_self);
    *a = (struct yk_virtual_actuator){0};
}

/* What the load cells of a specimen feel in the state of its actuators, into y. */
YK_RT static void move_specimen(struct yk_virtual_rig *rig, struct yk_virtual_specimen *s, bool at_rest)
{
    for (size_t i = 0; i < s->count; i++) {
        const struct yk_plant_output *out = &rig->out[s->movers[i]];

        rig->y[i] = out->x;
        rig->y_v[i] = out->v;
        rig->y_a[i] = out->a;
    }
    if (s->setup) {
        memcpy(rig->u, s->found, s->moved_count * sizeof *rig->u);
        yk_setup_motion(s->setup, rig->y, rig->y_v, rig->y_a, rig->u, rig->v, rig->a);
        memcpy(s->found, rig->u, s->moved_count * sizeof *rig->u);
    }
    const double *u = s->setup ? rig->u : rig->y, *v = s->setup ? rig->v : rig->y_v, *a = s->setup ? rig->a : rig->y_a;

    if (at_rest)
        yk_specimen_rest(s->mounted, u, rig->r);
    else
        yk_specimen_step(s->mounted, (double)rig->ticks * rig->tick, u, v, a, rig->r);
    for (size_t i = 0; i < s->moved_count; i++)
        rig->r[i] *= rig->strength;
    if (s->setup)
        yk_setup_readings(s->setup, u, rig->r, rig->y);
    else
        memcpy(rig->y, rig->r, s->count * sizeof *rig->y);
}

/* Where a device goes that is sent for the stroke x, and what its readings are taken for. */
YK_RT static double really(const struct yk_virtual_actuator *a, double x)
{
    if (!a->calibrated)
        return x;
    if (a->kind == YK_BY_FORCE)
        return yk_calibration_si(&a->real, (struct yk_reading){.force = yk_calibration_command(&a->told, a->kind, x)})
            .force;
    return yk_calibration_stroke(&a->real, yk_calibration_device(&a->told, x));
}

YK_RT static void believe(const struct yk_virtual_rig *rig, struct yk_reading *readings)
{
    for (size_t i = 0; i < rig->count; i++) {
        const struct yk_virtual_actuator *a = &rig->actuators[i];

        if (a->calibrated)
            readings[i] = yk_calibration_si(&a->told, yk_calibration_raw(&a->real, readings[i]));
    }
}

/* ---- lines and sensors of the rig ---- */

/* The counter of a PLC. */
YK_RT static double count(const struct yk_virtual_rig *rig, const struct yk_virtual_sensor *s)
{
    const double t = (double)rig->ticks * rig->tick;

    return floor((s->hangs > 0 ? fmin(t, s->hangs) : t) * COUNTS_PER_S);
}

/* What a sensor looks at. */
YK_RT static double seen(const struct yk_virtual_rig *rig, const struct yk_virtual_sensor *s,
                         const struct yk_reading *readings)
{
    if (s->counts)
        return count(rig, s);
    if (!s->of_specimen)
        return yk_reading_of(&readings[s->index], (enum yk_command_kind)s->state);
    const struct yk_specimen_state now = yk_specimen_now(rig->specimens[s->index].mounted);
    const double *states[] = {now.u, now.v, now.a};
    return states[s->state][s->dof];
}

/* Does the output that this input acknowledges order anything? */
YK_RT static bool is_ordered(const struct yk_virtual_rig *rig, enum yk_line_role answer, uint32_t outputs)
{
    const enum yk_line_role order = answer == YK_LINE_LOW_ON ? YK_LINE_PRESSURE_LOW : YK_LINE_PRESSURE_HIGH;

    for (size_t k = 0; k < rig->line_count; k++)
        if (rig->plan->lines[k].role == order && (bool)(outputs >> k & 1) != rig->plan->lines[k].inverted)
            return true;
    return false;
}

/* Is the whole part of a number even that is not negative? */
YK_RT static bool is_even(double x)
{
    return (int64_t)x % 2 == 0;
}

/* Level that a healthy PLC gives on an input at the time t. */
YK_RT static bool says(const struct yk_virtual_rig *rig, size_t k, uint32_t outputs, double t)
{
    const struct yk_rig_line *line = &rig->plan->lines[k];
    struct yk_virtual_line *v = &rig->lines[k];
    const double period = fmax(line->period_s, rig->tick);

    switch (line->role) {
    case YK_LINE_HEARTBEAT_IN:
        return is_even(t / period);
    case YK_LINE_RESET_KEY: /* somebody turns it once in a second */
        return is_even(t / KEY_S) == v->ordered;
    case YK_LINE_LOW_ON:
    case YK_LINE_HIGH_ON:
        if (is_ordered(rig, line->role, outputs) != v->ordered) {
            v->ordered = !v->ordered;
            v->since = t;
        }
        return t - v->since >= v->answers ? v->ordered : v->on;
    default:
        return true;
    }
}

/* Levels of the inputs. */
YK_RT static uint32_t input_levels(const struct yk_virtual_rig *rig, uint32_t outputs)
{
    const double t = (double)rig->ticks * rig->tick;
    uint32_t levels = 0;

    for (size_t k = 0; k < rig->line_count; k++) {
        const struct yk_rig_line *line = &rig->plan->lines[k];
        struct yk_virtual_line *v = &rig->lines[k];

        if (yk_line_is_output(line->role))
            continue;
        const bool on = says(rig, k, outputs, t);

        if (!(v->hangs > 0 && t >= v->hangs))
            v->on = on && !(v->opens > 0 && t >= v->opens);
        if (v->on != line->inverted)
            levels |= UINT32_C(1) << k;
    }
    return levels;
}

/* ---- rest ---- */

/* The plants at rest, where they have been told. */
static void rest_plants(struct yk_virtual_rig *rig, const double *x)
{
    for (size_t i = 0; i < rig->count; i++) {
        struct yk_virtual_actuator *a = &rig->actuators[i];
        const bool placed = a->kind == YK_BY_DISPLACEMENT || a->kind == YK_BY_FORCE;
        const double at = placed ? really(a, x[i]) : 0;

        if (a->plant)
            a->plant->reset(a->plant_at_work, at);
        yk_plant_limits_reset(&a->limits, at);
        rig->out[i] = (struct yk_plant_output){.x = at};
        a->motion = rig->out[i];
    }
    for (size_t k = 0; k < rig->joint_count; k++) {
        struct yk_virtual_joint *j = &rig->joints[k];

        for (size_t i = 0; i < j->count; i++)
            j->u[i] = rig->out[j->members[i]].x;
        j->plant->joint->reset(j->plant_at_work, j->u);
    }
}

/* What actuators that load a specimen see of it. */
YK_RT static struct yk_reading loaded_state(const struct yk_virtual_rig *rig, const struct yk_virtual_specimen *s,
                                            size_t k)
{
    const struct yk_specimen_state now = yk_specimen_now(s->mounted);
    const size_t dof = s->loaded[k];

    return (struct yk_reading){now.u[dof], rig->out[s->loaders[k]].x, now.a[dof], now.v[dof]};
}

YK_RT static void put_loads(struct yk_virtual_rig *rig, const struct yk_virtual_specimen *s)
{
    for (size_t k = 0; k < s->loaded_count; k++)
        yk_specimen_load(s->mounted, s->loaded[k], rig->out[s->loaders[k]].x);
}

/* The reading of a sensor that has always seen x: with gain and bias, without noise. */
static double rest_sensor(struct yk_sensor *s, double x)
{
    yk_sensor_reset(s, x);
    return s->last;
}

static enum yk_status rest(void *self, const double *x, struct yk_rig_in *in, struct yk_err *err)
{
    struct yk_virtual_rig *rig = self;

    rig->ticks = 0;
    rest_plants(rig, x);
    for (size_t i = 0; i < rig->count; i++)
        in->readings[i] = (struct yk_reading){.displacement = rig->out[i].x, .force = in->readings[i].force};
    for (size_t k = 0; k < rig->specimen_count; k++) {
        struct yk_virtual_specimen *s = &rig->specimens[k];

        memset(s->found, 0, s->moved_count * sizeof *s->found);
        put_loads(rig, s);
        move_specimen(rig, s, true);
        for (size_t i = 0; i < s->count; i++)
            rig->last[s->movers[i]] = in->readings[s->movers[i]].force = rig->y[i];
        for (size_t i = 0; i < s->loaded_count; i++)
            in->readings[s->loaders[i]] = loaded_state(rig, s, i);
    }
    for (size_t i = 0; i < rig->count; i++) {
        struct yk_virtual_actuator *a = &rig->actuators[i];

        in->readings[i].displacement = rest_sensor(&a->displacement, in->readings[i].displacement);
        in->readings[i].acceleration = rest_sensor(&a->acceleration, 0);
        in->readings[i].velocity = 0;
    }
    for (size_t i = 0; rig->specimen_count && i < rig->count; i++)
        in->readings[i].force = rest_sensor(&rig->actuators[i].force, in->readings[i].force);
    for (size_t k = 0; k < rig->sensor_count; k++)
        in->sensors[k] = rest_sensor(&rig->sensors[k].sensor, seen(rig, &rig->sensors[k], in->readings));
    for (size_t k = 0; k < rig->line_count; k++)
        rig->lines[k].ordered = rig->plan->lines[k].role == YK_LINE_RESET_KEY && !rig->lines[k].ordered;
    in->lines = input_levels(rig, 0);
    believe(rig, in->readings);
    return YK_OK;
}

/* What a load cell feels: the specimen, and what moves between both. docs/theory/test-rigs.md, eq. (24). */
YK_RT static double felt(const struct yk_virtual_rig *rig, size_t i, double specimen)
{
    return specimen + rig->actuators[i].moving_mass * rig->out[i].a;
}

/* ---- a tick ---- */

/* The command of the plant of an actuator: that of the rig, and what is fed forward to a displacement. */
YK_RT static double plant_command(struct yk_virtual_rig *rig, size_t i, const struct yk_rig_out *out)
{
    struct yk_virtual_actuator *a = &rig->actuators[i];
    const double u = really(a, out->command[i]);

    if (!out->ahead || a->kind != YK_BY_DISPLACEMENT)
        return u;
    return u + a->velocity_ahead * out->ahead[i].velocity + a->acceleration_ahead * out->ahead[i].acceleration;
}

/* A force within the limit of the actuator. */
YK_RT static void step_force(struct yk_virtual_actuator *a, double u, struct yk_plant_output *out)
{
    a->plant->step(a->plant_at_work, u, 0, out);
    if (a->limits.force > 0 && fabs(out->x) > a->limits.force)
        out->x = copysign(a->limits.force, out->x);
}

/* Motion of a plant, from its own time to that of the rig. */
YK_RT static struct yk_plant_output in_time(const struct yk_virtual_rig *rig, struct yk_plant_output own)
{
    own.v /= rig->slowness;
    own.a /= rig->slowness * rig->slowness;
    return own;
}

/* A velocity or an acceleration, and the motion that it adds up to: it changes on a straight line during the tick. What
 * lies in the way of that motion stops it. */
YK_RT static void step_rate(const struct yk_virtual_rig *rig, struct yk_virtual_actuator *a, double u, double force,
                            struct yk_plant_output *out)
{
    const struct yk_plant_output last = a->motion;
    const double h = rig->tick;
    struct yk_plant_output rate;

    a->plant->step(a->plant_at_work, u, 0, &rate);
    rate = in_time(rig, rate);
    if (a->kind == YK_BY_VELOCITY)
        a->motion = (struct yk_plant_output){last.x + 0.5 * h * (last.v + rate.x), rate.x, rate.v};
    else
        a->motion = (struct yk_plant_output){last.x + h * (last.v + h * (2 * last.a + rate.x) / 6),
                                             last.v + 0.5 * h * (last.a + rate.x), rate.x};
    a->limits.acting = 0;
    yk_plant_limits_move(&a->limits, &a->motion, force, out);
    if (a->limits.acting)
        a->motion = *out;
}

YK_RT static void step_plants(struct yk_virtual_rig *rig, const struct yk_rig_out *out)
{
    for (size_t i = 0; i < rig->count; i++) {
        struct yk_virtual_actuator *a = &rig->actuators[i];

        if (a->plant && a->kind == YK_BY_FORCE)
            step_force(a, plant_command(rig, i, out), &rig->out[i]);
        else if (a->plant && yk_command_is_rate(a->kind))
            step_rate(rig, a, plant_command(rig, i, out), rig->last[i], &rig->out[i]);
        else if (a->plant) {
            yk_plant_limits_step(&a->limits, a->plant, a->plant_at_work, plant_command(rig, i, out), rig->last[i],
                                 &rig->out[i]);
            rig->out[i] = in_time(rig, rig->out[i]);
        }
    }
    for (size_t k = 0; k < rig->joint_count; k++) {
        struct yk_virtual_joint *j = &rig->joints[k];

        for (size_t m = 0; m < j->count; m++) {
            const size_t i = j->members[m];

            j->force[m] = rig->last[i];
            j->u[m] = yk_plant_limits_command(&rig->actuators[i].limits, plant_command(rig, i, out), &j->force[m]);
        }
        j->plant->joint->step(j->plant_at_work, j->u, j->force, j->out);
        for (size_t m = 0; m < j->count; m++) {
            const struct yk_plant_output moved = in_time(rig, j->out[m]);

            yk_plant_limits_move(&rig->actuators[j->members[m]].limits, &moved, rig->last[j->members[m]],
                                 &rig->out[j->members[m]]);
        }
    }
}

YK_RT static void read_actuator(struct yk_virtual_rig *rig, size_t i, const struct yk_reading *true_state,
                                struct yk_reading *r)
{
    struct yk_virtual_actuator *a = &rig->actuators[i];

    r->displacement = yk_sensor_step(&a->displacement, true_state->displacement);
    r->acceleration = yk_sensor_step(&a->acceleration, true_state->acceleration);
    r->velocity = true_state->velocity;
}

/* Moves a specimen and reads the load cells, then what the actuators that load it see. */
YK_RT static void read_specimen(struct yk_virtual_rig *rig, struct yk_virtual_specimen *s, struct yk_rig_in *in)
{
    put_loads(rig, s);
    move_specimen(rig, s, false);
    for (size_t k = 0; k < s->count; k++) {
        const size_t i = s->movers[k];

        rig->last[i] = felt(rig, i, rig->y[k]);
        in->readings[i].force = yk_sensor_step(&rig->actuators[i].force, rig->last[i]);
    }
    for (size_t k = 0; k < s->loaded_count; k++) {
        const struct yk_reading now = loaded_state(rig, s, k);
        const size_t i = s->loaders[k];

        read_actuator(rig, i, &now, &in->readings[i]);
        in->readings[i].force = yk_sensor_step(&rig->actuators[i].force, now.force);
    }
}

YK_RT static enum yk_rig_answer exchange(void *self, const struct yk_rig_out *out, struct yk_rig_in *in)
{
    struct yk_virtual_rig *rig = self;

    rig->ticks++;
    step_plants(rig, out);
    for (size_t i = 0; i < rig->count; i++) {
        const struct yk_plant_output *o = &rig->out[i];

        if (rig->actuators[i].kind != YK_BY_FORCE)
            read_actuator(rig, i, &(struct yk_reading){.displacement = o->x, .acceleration = o->a, .velocity = o->v},
                          &in->readings[i]);
        /* of an actuator without a specimen */
        in->readings[i].force = rig->actuators[i].kind == YK_BY_FORCE && !rig->specimen_count ? o->x : 0;
    }
    for (size_t k = 0; k < rig->specimen_count; k++)
        read_specimen(rig, &rig->specimens[k], in);
    for (size_t k = 0; k < rig->sensor_count; k++)
        in->sensors[k] = yk_sensor_step(&rig->sensors[k].sensor, seen(rig, &rig->sensors[k], in->readings));
    in->lines = input_levels(rig, out->lines);
    believe(rig, in->readings);
    return YK_RIG_FRESH;
}

/* The plant works in a copy of its block, which keeps what was read. */
static enum yk_status open_actuator(struct yk_virtual_actuator *a, const char *name, double tick, struct yk_arena *mem,
                                    struct yk_err *err)
{
    enum yk_status st;

    if (a->plant && !(a->plant_at_work = yk_arena_take(mem, a->plant->size)))
        return yk_fail(err, YK_E_MEMORY, "out of memory for actuator %s", name);
    if (a->plant)
        memcpy(a->plant_at_work, a->plant_self, a->plant->size);
    if ((a->plant && (st = a->plant->init(a->plant_at_work, tick, mem, err))) ||
        (st = yk_plant_limits_init(&a->limits, tick, err)) || (st = yk_sensor_init(&a->displacement, err)) ||
        (st = yk_sensor_init(&a->force, err)) || (st = yk_sensor_init(&a->acceleration, err)))
        return yk_fail_within(err, a->where, "actuator %s: ", name);
    return YK_OK;
}

static enum yk_status mount(struct yk_virtual_specimen *s, double tick, struct yk_arena *mem, struct yk_err *err)
{
    const struct yk_specimen_mounting plan = {.system = s->model,
                                              .loaded = s->loaded_count > 0,
                                              .count = s->moved_count,
                                              .moved = s->moved,
                                              .names = (const char *const *)s->names,
                                              .tick = tick};
    enum yk_status st;

    if (!(s->found = yk_arena_doubles(mem, s->moved_count)))
        return yk_fail(err, YK_E_MEMORY, "out of memory for a specimen");
    if ((st = yk_specimen_create(&s->mounted, &plan, mem, err)))
        return yk_fail_within(err, s->where, "%s", "");
    return YK_OK;
}

static enum yk_status open_joint(struct yk_virtual_joint *j, double tick, struct yk_arena *mem, struct yk_err *err)
{
    enum yk_status st;

    j->plant_at_work = yk_arena_take(mem, j->plant->size);
    j->u = yk_arena_doubles(mem, 2 * j->count);
    j->out = yk_arena_take(mem, j->count * sizeof *j->out);
    if (!j->plant_at_work || !j->u || !j->out)
        return yk_fail(err, YK_E_MEMORY, "out of memory for the actuators");
    j->force = j->u + j->count;
    memcpy(j->plant_at_work, j->plant_self, j->plant->size);
    st = j->plant->joint->init(j->plant_at_work, j->count, tick, mem, err);
    return st ? yk_fail_within(err, j->where, "plant: ") : YK_OK;
}

static enum yk_status open(void *self, const struct yk_rig_plan *plan, struct yk_err *err)
{
    struct yk_virtual_rig *rig = self;
    size_t most = 1;
    enum yk_status st;

    for (size_t k = 0; k < rig->specimen_count; k++)
        most = rig->specimens[k].moved_count > most ? rig->specimens[k].moved_count : most;
    rig->tick = plan->tick;
    rig->slowness = rig->strength = 1;
    rig->plan = plan;
    rig->sensor_count = rig->sensors ? plan->sensor_count : 0;
    rig->line_count = rig->lines ? plan->line_count : 0;
    for (size_t i = 0; i < rig->count; i++)
        rig->actuators[i].kind = plan->kinds ? plan->kinds[i] : YK_BY_DISPLACEMENT;
    rig->out = yk_arena_take(plan->mem, rig->count * sizeof *rig->out);
    rig->u = yk_arena_doubles(plan->mem, 4 * most + 4 * rig->count);
    if (!rig->out || !rig->u)
        return yk_fail(err, YK_E_MEMORY, "out of memory for the virtual rig");
    rig->v = rig->u + most;
    rig->a = rig->u + 2 * most;
    rig->r = rig->u + 3 * most;
    rig->y = rig->u + 4 * most;
    rig->y_v = rig->y + rig->count;
    rig->y_a = rig->y_v + rig->count;
    rig->last = rig->y_a + rig->count;
    for (size_t i = 0; i < rig->count; i++)
        if ((st = open_actuator(&rig->actuators[i], plan->names[i], plan->tick, plan->mem, err)))
            return st;
    for (size_t k = 0; k < rig->joint_count; k++)
        if ((st = open_joint(&rig->joints[k], plan->tick, plan->mem, err)))
            return st;
    for (size_t k = 0; k < rig->sensor_count; k++)
        if ((st = yk_sensor_init(&rig->sensors[k].sensor, err)))
            return yk_fail_within(err, YK_NOWHERE, "sensor %s: ", plan->sensors[k].name);
    for (size_t k = 0; k < rig->specimen_count; k++)
        if ((st = mount(&rig->specimens[k], plan->tick, plan->mem, err)))
            return st;
    return YK_OK;
}

static void free_specimen(struct yk_virtual_specimen *s)
{
    yk_specimen_destroy(s->mounted);
    yk_setup_destroy(s->setup);
    for (size_t i = 0; s->names && i < s->model->n; i++)
        free(s->names[i]);
    yk_system_destroy(s->model);
    free(s->names);
    free(s->moved);
    free(s->movers);
    free(s->loaded);
    free(s->loaders);
}

static void free_joint(struct yk_virtual_joint *j)
{
    if (j->plant->fini && j->plant_at_work)
        j->plant->fini(j->plant_at_work);
    if (j->plant_self)
        yk_param_free(j->plant->params, j->plant_self);
    free(j->plant_self);
    free(j->members);
}

void yk_virtual_rig_dismount(struct yk_virtual_rig *rig)
{
    for (size_t k = 0; k < rig->specimen_count; k++)
        free_specimen(&rig->specimens[k]);
    rig->specimen_count = 0;
    for (size_t i = 0; rig->last && i < rig->count; i++)
        rig->last[i] = 0;
}

static void close(void *self)
{
    struct yk_virtual_rig *rig = self;

    yk_virtual_rig_dismount(rig);
    for (size_t i = 0; i < rig->count; i++)
        yk_virtual_actuator_free(&rig->actuators[i]);
    for (size_t k = 0; k < rig->joint_count; k++)
        free_joint(&rig->joints[k]);
    *rig = (struct yk_virtual_rig){0};
}

double yk_virtual_rig_use_device(struct yk_virtual_rig *rig, size_t i, double x)
{
    struct yk_virtual_actuator *a = &rig->actuators[i];

    if (!a->calibrated)
        return x;
    x = yk_calibration_device(&a->told, x);
    yk_param_defaults(yk_calibration_params, &a->told);
    return x;
}

void yk_virtual_rig_quieten(struct yk_virtual_rig *rig)
{
    for (size_t i = 0; i < rig->count; i++) {
        struct yk_sensor *sensors[] = {&rig->actuators[i].displacement, &rig->actuators[i].force,
                                       &rig->actuators[i].acceleration};

        for (int k = 0; k < 3; k++)
            sensors[k]->noise = sensors[k]->bias = sensors[k]->dropout = sensors[k]->quantum = 0;
    }
    for (size_t k = 0; k < rig->sensor_count; k++)
        rig->sensors[k].sensor.noise = rig->sensors[k].sensor.dropout = 0;
}

/* A plant that is told of a shorter tick does everything later. */
static enum yk_status slow_down(struct yk_virtual_rig *rig, double lag, struct yk_arena *mem, struct yk_err *err)
{
    const double tick = rig->tick / lag;
    enum yk_status st = YK_OK;

    for (size_t i = 0; i < rig->count && !st; i++) {
        struct yk_virtual_actuator *a = &rig->actuators[i];

        if (a->plant && a->plant->fini)
            return yk_fail(err, YK_E_UNSUPPORTED, "the plant of actuator %s cannot be slowed down",
                           rig->plan->names[i]);
        if (a->plant) {
            memcpy(a->plant_at_work, a->plant_self, a->plant->size);
            st = a->plant->init(a->plant_at_work, tick, mem, err);
        }
    }
    for (size_t k = 0; k < rig->joint_count && !st; k++) {
        struct yk_virtual_joint *j = &rig->joints[k];

        if (j->plant->fini)
            return yk_fail(err, YK_E_UNSUPPORTED, "the plant of several actuators cannot be slowed down");
        memcpy(j->plant_at_work, j->plant_self, j->plant->size);
        st = j->plant->joint->init(j->plant_at_work, j->count, tick, mem, err);
    }
    rig->slowness = lag;
    return st;
}

enum yk_status yk_virtual_rig_vary(struct yk_virtual_rig *rig, const struct yk_rig_varied *by, struct yk_arena *mem,
                                   struct yk_err *err)
{
    rig->strength = by->specimen;
    for (size_t i = 0; i < rig->count; i++)
        rig->actuators[i].force.gain *= by->force;
    return by->lag == 1 ? YK_OK : slow_down(rig, by->lag, mem, err);
}

const struct yk_rig_ops yk_rig_virtual = {
    .name = "virtual",
    .summary = "simulated plants, specimens and sensors in the same process",
    .reference = "docs/theory/transfer.md",
    .size = sizeof(struct yk_virtual_rig),
    .can = YK_RIG_EVERYTHING | YK_RIG_SIMULATES,
    .open = open,
    .close = close,
    .rest = rest,
    .exchange = exchange,
};
