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
    if (a->model && a->model_self)
        yk_param_free(a->model->params, a->model_self);
    free(a->model_self);
    free(a->plant_self);
    *a = (struct yk_virtual_actuator){0};
}

/* How many specimens the actuators move. */
YK_RT static size_t mounted(const struct yk_virtual_rig *rig)
{
    return rig->dismounted ? 0 : rig->specimen_count;
}

/* ---- the probe of analyses ---- */

YK_RT size_t yk_virtual_rig_moved(const struct yk_virtual_rig *rig)
{
    size_t moved = 0;

    for (size_t k = 0; k < mounted(rig); k++)
        moved += rig->specimens[k].moved_count;
    return moved;
}

/* Records number `number` of the present tick. */
YK_RT static void seen_by_probe(const struct yk_virtual_rig *rig, size_t number, double value)
{
    const struct yk_rig_probe *p = rig->probe;

    if (p->made < p->room)
        p->answers[p->made * (3 * yk_virtual_rig_moved(rig) + 2 * rig->count) + number] = value;
}

/* Push at a place in the present tick. */
YK_RT static double pushed(const struct yk_virtual_rig *rig, size_t place)
{
    const struct yk_rig_probe *p = rig->probe;

    return p->made < p->pushed ? p->push[p->made * (yk_virtual_rig_moved(rig) + 2 * rig->count) + place] : 0;
}

/* At the force of a specimen. */
YK_RT static void probe_specimen(struct yk_virtual_rig *rig, const struct yk_virtual_specimen *s)
{
    const struct yk_specimen_state now = yk_specimen_now(s->mounted);
    size_t first = 0;

    for (const struct yk_virtual_specimen *before = rig->specimens; before < s; before++)
        first += before->moved_count;
    for (size_t i = 0; i < s->moved_count; i++) {
        seen_by_probe(rig, 3 * (first + i), now.u[s->moved[i]]);
        seen_by_probe(rig, 3 * (first + i) + 1, now.v[s->moved[i]]);
        seen_by_probe(rig, 3 * (first + i) + 2, now.a[s->moved[i]]);
        rig->r[i] += pushed(rig, first + i);
    }
}

/* At the readings; the end of a tick. */
YK_RT static void probe_readings(struct yk_virtual_rig *rig, struct yk_reading *readings)
{
    const size_t moved = yk_virtual_rig_moved(rig), n = rig->count;

    for (size_t i = 0; i < n; i++) {
        seen_by_probe(rig, 3 * moved + i, readings[i].force);
        seen_by_probe(rig, 3 * moved + n + i, readings[i].displacement);
        readings[i].force += pushed(rig, moved + i);
        readings[i].displacement += pushed(rig, moved + n + i);
    }
    rig->probe->made++;
}

void yk_virtual_rig_probe(struct yk_virtual_rig *rig, struct yk_rig_probe *probe)
{
    rig->probe = probe;
}

/* Moves a specimen to the state of its actuators; forces on the load cells into y. */
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
    if (rig->probe && !at_rest)
        probe_specimen(rig, s);
    if (s->setup)
        yk_setup_readings(s->setup, u, rig->r, rig->y);
    else
        memcpy(rig->y, rig->r, s->count * sizeof *rig->y);
}

/* Under a wrong calibration: the true stroke for a command x, then the readings as the run sees them. */
YK_RT static double really(const struct yk_virtual_actuator *a, double x)
{
    return a->calibrated ? yk_scale_si(&a->real.sent.command, yk_scale_raw(&a->told.sent.command, x)) : x;
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

/* True value at a sensor: a count, a reading of an actuator, or a state of a specimen. */
YK_RT static double seen(const struct yk_virtual_rig *rig, const struct yk_virtual_sensor *s,
                         const struct yk_reading *readings)
{
    if (s->beats)
        return count(rig, s);
    if (!s->of_specimen)
        return yk_reading_of(&readings[s->index], (enum yk_command_kind)s->state);
    const struct yk_specimen_state now = yk_specimen_now(rig->specimens[s->index].mounted);
    const double *states[] = {now.u, now.v, now.a};
    return states[s->state][s->dof];
}

YK_RT static double raw_of(const struct yk_virtual_sensor *s, double reading)
{
    return s->counts ? yk_scale_raw(s->counts, reading) : reading;
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
    if (rig->line_count == 0)
        return 0;
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

/* Resets the plants to rest at the commanded strokes x. */
static void rest_plants(struct yk_virtual_rig *rig, const double *x)
{
    for (size_t i = 0; i < rig->count; i++) {
        struct yk_virtual_actuator *a = &rig->actuators[i];
        const bool placed = a->kind == YK_BY_DISPLACEMENT || a->kind == YK_BY_FORCE;
        const double at = placed ? really(a, x[i]) : 0;

        if (a->plant)
            a->plant->reset(a->plant_at_work, at);
        yk_plant_limits_reset(&a->limits, at);
        a->second = false;
        a->changing = 0;
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

/* Reading of an actuator that loads a specimen: motion of the specimen, and the load. */
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
    for (size_t k = 0; k < mounted(rig); k++) {
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
    for (size_t i = 0; mounted(rig) && i < rig->count; i++)
        in->readings[i].force = rest_sensor(&rig->actuators[i].force, in->readings[i].force);
    for (size_t k = 0; k < rig->sensor_count; k++)
        in->sensors[k] =
            raw_of(&rig->sensors[k], rest_sensor(&rig->sensors[k].sensor, seen(rig, &rig->sensors[k], in->readings)));
    for (size_t k = 0; k < rig->line_count; k++)
        rig->lines[k].ordered = rig->plan->lines[k].role == YK_LINE_RESET_KEY && !rig->lines[k].ordered;
    in->lines = input_levels(rig, 0);
    in->modes = 0;
    believe(rig, in->readings);
    return YK_OK;
}

/* Force in a load cell: specimen, plus inertia of the mass between both. docs/theory/test-rigs.md, eq. (24). */
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
    a->limits.acting = 0;
    if (a->limits.force > 0 && fabs(out->x) > a->limits.force) {
        a->limits.acting = YK_AT_FORCE;
        out->x = copysign(a->limits.force, out->x);
    }
}

/* Motion of a plant, from its own time to that of the rig. */
YK_RT static struct yk_plant_output in_time(const struct yk_virtual_rig *rig, struct yk_plant_output own)
{
    own.v /= rig->slowness;
    own.a /= rig->slowness * rig->slowness;
    return own;
}

/* Integrates a commanded velocity or acceleration, linear within the tick, to a motion. Limits in its way stop it. */
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

/* Force control: the drive moves with a speed that is proportional to the error of the force. */
YK_RT static void step_second(const struct yk_virtual_rig *rig, struct yk_virtual_actuator *a, double command,
                              double force, struct yk_plant_output *out)
{
    const double u = a->calibrated ? yk_scale_si(&a->real.sent.ahead[YK_BY_FORCE],
                                                 yk_scale_raw(&a->told.sent.ahead[YK_BY_FORCE], command))
                                   : command,
                 v = a->admittance * (u - force);
    const struct yk_plant_output ideal = {out->x + v * rig->tick, v, (v - out->v) / rig->tick};

    a->limits.acting = 0;
    yk_plant_limits_move(&a->limits, &ideal, force, out);
}

/* The control mode of the drive, which needs some time to change. Back in displacement control it stands where it is.
 */
YK_RT static bool is_second(struct yk_virtual_rig *rig, size_t i, const struct yk_rig_out *out)
{
    struct yk_virtual_actuator *a = &rig->actuators[i];
    const bool wanted = out->modes >> i & 1;

    if (!rig->plan->others || rig->plan->others[i] == a->kind)
        return false;
    a->changing = wanted != a->second ? a->changing + 1 : 0;
    if (a->changing > 0 && (double)a->changing * rig->tick > a->change_s) {
        a->second = wanted;
        a->changing = 0;
        if (!a->second) {
            a->plant->reset(a->plant_at_work, rig->out[i].x);
            yk_plant_limits_reset(&a->limits, rig->out[i].x);
        }
    }
    return a->second;
}

YK_RT static void step_plants(struct yk_virtual_rig *rig, const struct yk_rig_out *out)
{
    for (size_t i = 0; i < rig->count; i++) {
        struct yk_virtual_actuator *a = &rig->actuators[i];

        if (a->plant && a->kind == YK_BY_FORCE)
            step_force(a, plant_command(rig, i, out), &rig->out[i]);
        else if (a->plant && yk_command_is_rate(a->kind))
            step_rate(rig, a, plant_command(rig, i, out), rig->last[i], &rig->out[i]);
        else if (a->plant && is_second(rig, i, out))
            step_second(rig, a, out->others[i], rig->last[i], &rig->out[i]);
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

YK_RT static uint64_t modes(const struct yk_virtual_rig *rig)
{
    uint64_t of_all = 0;

    for (size_t i = 0; rig->plan->others && i < rig->count; i++)
        of_all |= (uint64_t)rig->actuators[i].second << i;
    return of_all;
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
        in->readings[i].force = rig->actuators[i].kind == YK_BY_FORCE && !mounted(rig) ? o->x : 0;
    }
    for (size_t k = 0; k < mounted(rig); k++)
        read_specimen(rig, &rig->specimens[k], in);
    for (size_t k = 0; k < rig->sensor_count; k++)
        in->sensors[k] = raw_of(&rig->sensors[k],
                                yk_sensor_step(&rig->sensors[k].sensor, seen(rig, &rig->sensors[k], in->readings)));
    in->lines = input_levels(rig, out->lines);
    in->modes = modes(rig);
    if (rig->probe)
        probe_readings(rig, in->readings);
    believe(rig, in->readings);
    return YK_RIG_FRESH;
}

/* The tighter limit counts: that of the plant itself, or that around it. */
YK_RT static bool use(const void *self, size_t i, struct yk_actuator_use *use)
{
    const struct yk_virtual_rig *rig = self;
    const struct yk_virtual_actuator *a = &rig->actuators[i];
    const struct yk_plant_limits *l = &a->limits;

    if (!(l->stroke > 0 || l->speed > 0 || l->force > 0 || l->rate > 0 || (a->plant && a->plant->use)))
        return false;
    struct yk_actuator_use own = {{NAN, NAN, NAN, NAN}, {NAN, NAN, NAN, NAN}};

    yk_plant_limits_use(&a->limits, rig->last[i], use);
    if (a->plant && a->plant->use)
        a->plant->use(a->plant_at_work, &own);
    for (int k = 0; k < YK_USES; k++)
        if (!(own.share[k] <= use->share[k])) {
            use->share[k] = fmax(use->share[k], own.share[k]);
            use->capacity[k] = isnan(own.share[k]) ? use->capacity[k] : own.capacity[k];
        }
    return true;
}

/* The plant works in a copy of its block, which keeps what was read. */
static enum yk_status open_actuator(struct yk_virtual_actuator *a, const char *name, double tick, struct yk_arena *mem,
                                    struct yk_err *err)
{
    enum yk_status st;

    if (a->plant && !yk_arena_point_to_new(mem, &a->plant_at_work, 1, a->plant->size))
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

    if (!yk_arena_array(mem, &s->found, s->moved_count))
        return yk_fail(err, YK_E_MEMORY, "out of memory for a specimen");
    if ((st = yk_specimen_create(&s->mounted, &plan, mem, err)))
        return yk_fail_within(err, s->where, "%s", "");
    yk_arena_pointers(mem, &s->mounted, &s->model, &s->setup);
    return YK_OK;
}

/* docs/theory/control.md, eq. (16q): a mass that the plant does not carry by itself comes back a tick late, as its last
 * acceleration times their ratio. From 1 on that grows with every tick. */
static enum yk_status check_masses(struct yk_virtual_rig *rig, struct yk_virtual_specimen *s, struct yk_err *err)
{
    for (size_t k = 0; k < s->count; k++) {
        struct yk_virtual_actuator *a = &rig->actuators[s->movers[k]];
        struct yk_plant_sheet sheet = {0};

        if (!a->plant || !a->plant->sheet)
            continue;
        a->plant->sheet(a->plant_at_work, &sheet);
        move_specimen(rig, s, true);
        const double rest = rig->y[k];

        rig->out[s->movers[k]].a = 1;
        move_specimen(rig, s, false);
        rig->out[s->movers[k]].a = 0;
        const double mass = rig->y[k] - rest + a->moving_mass, late = fabs(mass - sheet.load_mass);
        a->moved = mass;

        if (sheet.mass > 0 && late >= sheet.mass)
            return yk_fail_at(err, YK_E_RANGE, a->where,
                              "the %s actuator moves %.4g kg of specimen and fixture, but carries %.4g kg by itself, "
                              "%.4g of it load_mass: the simulation would diverge, since the force of the rest acts a "
                              "tick late; set plant.load_mass to %.4g kg",
                              a->plant->name, mass, sheet.mass, sheet.load_mass, mass);
    }
    return YK_OK;
}

static enum yk_status open_joint(struct yk_virtual_joint *j, double tick, struct yk_arena *mem, struct yk_err *err)
{
    enum yk_status st;

    yk_arena_point_to_new(mem, &j->plant_at_work, 1, j->plant->size);
    yk_arena_array(mem, &j->u, 2 * j->count);
    yk_arena_array(mem, &j->out, j->count);
    if (!j->plant_at_work || !j->u || !j->out)
        return yk_fail(err, YK_E_MEMORY, "out of memory for the actuators");
    j->force = j->u + j->count;
    yk_arena_pointer(mem, &j->force);
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
    yk_arena_array(plan->mem, &rig->out, rig->count);
    yk_arena_array(plan->mem, &rig->u, 4 * most + 4 * rig->count);
    if (!rig->out || !rig->u)
        return yk_fail(err, YK_E_MEMORY, "out of memory for the virtual rig");
    rig->v = rig->u + most;
    rig->a = rig->u + 2 * most;
    rig->r = rig->u + 3 * most;
    rig->y = rig->u + 4 * most;
    rig->y_v = rig->y + rig->count;
    rig->y_a = rig->y_v + rig->count;
    rig->last = rig->y_a + rig->count;
    yk_arena_pointers(plan->mem, &rig->v, &rig->a, &rig->r, &rig->y, &rig->y_v, &rig->y_a, &rig->last);
    yk_arena_pointers(plan->mem, &rig->plan, &rig->actuators, &rig->specimens, &rig->joints, &rig->sensors, &rig->lines,
                      &rig->probe);
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
        if ((st = mount(&rig->specimens[k], plan->tick, plan->mem, err)) ||
            (st = check_masses(rig, &rig->specimens[k], err)))
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
    rig->dismounted = true;
    for (size_t i = 0; rig->last && i < rig->count; i++)
        rig->last[i] = 0;
}

static void close(void *self)
{
    struct yk_virtual_rig *rig = self;

    for (size_t k = 0; k < rig->specimen_count; k++)
        free_specimen(&rig->specimens[k]);
    for (size_t i = 0; i < rig->count; i++)
        yk_virtual_actuator_free(&rig->actuators[i]);
    for (size_t k = 0; k < rig->joint_count; k++)
        free_joint(&rig->joints[k]);
    *rig = (struct yk_virtual_rig){0};
}

double yk_virtual_rig_use_raw(struct yk_virtual_rig *rig, size_t i, const struct yk_calibration *counts, double x)
{
    struct yk_virtual_actuator *a = &rig->actuators[i];

    if (a->calibrated)
        x = yk_scale_raw(&a->told.sent.command, x);
    if (counts) {
        a->real = a->calibrated ? yk_calibration_chain(counts, &a->real) : *counts;
        a->calibrated = true;
        x = yk_scale_raw(&counts->sent.command, x);
    }
    a->told = yk_calibration_none();
    return x;
}

void yk_virtual_rig_quieten(struct yk_virtual_rig *rig)
{
    for (size_t i = 0; i < rig->count; i++) {
        struct yk_sensor *sensors[] = {&rig->actuators[i].displacement, &rig->actuators[i].force,
                                       &rig->actuators[i].acceleration};

        for (int k = 0; k < 3; k++)
            sensors[k]->noise = sensors[k]->bias = sensors[k]->dropout = sensors[k]->quantum = 0;
        if (rig->actuators[i].plant && rig->actuators[i].plant->noisy)
            rig->actuators[i].plant->noisy(rig->actuators[i].plant_at_work, false);
    }
    for (size_t k = 0; k < rig->sensor_count; k++)
        rig->sensors[k].sensor.noise = rig->sensors[k].sensor.dropout = 0;
}

/* Slows the plants down by making them for a shorter tick. */
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

static bool fault(const void *self, char *text, size_t size)
{
    const struct yk_virtual_rig *r = self;

    for (size_t i = 0; i < r->count; i++) {
        const struct yk_virtual_actuator *a = &r->actuators[i];

        if (a->plant && a->plant->fault && a->plant_at_work && a->plant->fault(a->plant_at_work, text, size))
            return true;
    }
    for (size_t i = 0; i < r->specimen_count; i++) {
        const struct yk_system *model = r->specimens[i].model;

        if (model && model->ops->fault && model->ops->fault(model->self, text, size))
            return true;
    }
    return false;
}

static struct yk_virtual_rig *simulation(void *self)
{
    return self;
}

const struct yk_rig_ops yk_rig_virtual = {
    .name = "virtual",
    .summary = "simulated plants, specimens and sensors in the same process",
    .reference = "docs/theory/transfer.md",
    .size = sizeof(struct yk_virtual_rig),
    .can = YK_RIG_EVERYTHING | YK_RIG_SWITCHES | YK_RIG_SIMULATES,
    .open = open,
    .close = close,
    .rest = rest,
    .exchange = exchange,
    .use = use,
    .fault = fault,
    .simulation = simulation,
};
