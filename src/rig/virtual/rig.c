/* The virtual rig. docs/theory/transfer.md. In a tick
 *
 *     drive -> plant, within its limits -> specimen: M a + r(u, v), moving mass -> sensors
 *
 * A set-up stands between actuators and specimen where there is one (docs/theory/test-rigs.md). The force that acts on
 * a plant is the one its load cell read last. */
#include "rig/virtual/rig.h"

#include <stdlib.h>
#include <string.h>

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
    const struct yk_plant_output *out = rig->out + s->first;

    for (size_t i = 0; i < s->count; i++) {
        rig->y[i] = out[i].x;
        rig->y_v[i] = out[i].v;
        rig->y_a[i] = out[i].a;
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
    if (s->setup)
        yk_setup_readings(s->setup, u, rig->r, rig->y);
    else
        memcpy(rig->y, rig->r, s->count * sizeof *rig->y);
}

/* Where a device goes that is sent for the stroke x, and what is believed of its readings. */
YK_RT static double really(const struct yk_virtual_actuator *a, double x)
{
    return a->calibrated ? yk_calibration_stroke(&a->real, yk_calibration_device(&a->told, x)) : x;
}

YK_RT static void believe(const struct yk_virtual_rig *rig, struct yk_reading *readings)
{
    for (size_t i = 0; i < rig->count; i++) {
        const struct yk_virtual_actuator *a = &rig->actuators[i];

        if (a->calibrated)
            readings[i] = yk_calibration_si(&a->told, yk_calibration_raw(&a->real, readings[i]));
    }
}

static enum yk_status rest(void *self, const double *x, struct yk_rig_in *in, struct yk_err *err)
{
    struct yk_virtual_rig *rig = self;

    rig->ticks = 0;
    for (size_t i = 0; i < rig->count; i++) {
        struct yk_virtual_actuator *a = &rig->actuators[i];
        const double at = really(a, x[i]);

        a->plant->reset(a->plant_at_work, at);
        yk_plant_limits_reset(&a->limits, at);
        rig->out[i] = (struct yk_plant_output){.x = at};
        yk_sensor_reset(&a->displacement, at);
        yk_sensor_reset(&a->acceleration, 0);
        in->readings[i].displacement = at;
        in->readings[i].acceleration = 0;
    }
    for (size_t k = 0; k < rig->specimen_count; k++) {
        struct yk_virtual_specimen *s = &rig->specimens[k];

        memset(s->found, 0, s->moved_count * sizeof *s->found);
        move_specimen(rig, s, true);
        for (size_t i = 0; i < s->count; i++) {
            yk_sensor_reset(&rig->actuators[s->first + i].force, rig->y[i]);
            rig->last[s->first + i] = in->readings[s->first + i].force = rig->y[i];
        }
    }
    believe(rig, in->readings);
    return YK_OK;
}

/* What a load cell feels: the specimen, and what moves between both. docs/theory/test-rigs.md, eq. (24). */
YK_RT static double felt(const struct yk_virtual_rig *rig, size_t i, double specimen)
{
    return specimen + rig->actuators[i].moving_mass * rig->out[i].a;
}

YK_RT static enum yk_rig_answer exchange(void *self, const struct yk_rig_out *out, struct yk_rig_in *in)
{
    struct yk_virtual_rig *rig = self;

    rig->ticks++;
    for (size_t i = 0; i < rig->count; i++) {
        struct yk_virtual_actuator *a = &rig->actuators[i];

        yk_plant_limits_step(&a->limits, a->plant, a->plant_at_work, really(a, out->command[i]), rig->last[i],
                             &rig->out[i]);
        in->readings[i].displacement = yk_sensor_step(&a->displacement, rig->out[i].x);
        in->readings[i].acceleration = yk_sensor_step(&a->acceleration, rig->out[i].a);
        in->readings[i].force = 0; /* of an actuator without a specimen */
    }
    for (size_t k = 0; k < rig->specimen_count; k++) {
        struct yk_virtual_specimen *s = &rig->specimens[k];

        move_specimen(rig, s, false);
        for (size_t i = 0; i < s->count; i++)
            rig->last[s->first + i] = in->readings[s->first + i].force =
                yk_sensor_step(&rig->actuators[s->first + i].force, felt(rig, s->first + i, rig->y[i]));
    }
    believe(rig, in->readings);
    return YK_RIG_FRESH;
}

/* The plant works in a copy of its block, which keeps what was read. */
static enum yk_status open_actuator(struct yk_virtual_actuator *a, const char *name, double tick, struct yk_arena *mem,
                                    struct yk_err *err)
{
    enum yk_status st;

    if (!(a->plant_at_work = yk_arena_take(mem, a->plant->size)))
        return yk_fail(err, YK_E_MEMORY, "out of memory for actuator %s", name);
    memcpy(a->plant_at_work, a->plant_self, a->plant->size);
    if ((st = a->plant->init(a->plant_at_work, tick, mem, err)) || (st = yk_plant_limits_init(&a->limits, tick, err)) ||
        (st = yk_sensor_init(&a->displacement, err)) || (st = yk_sensor_init(&a->force, err)) ||
        (st = yk_sensor_init(&a->acceleration, err)))
        return yk_fail_within(err, a->where, "actuator %s: ", name);
    return YK_OK;
}

static enum yk_status mount(struct yk_virtual_specimen *s, double tick, struct yk_arena *mem, struct yk_err *err)
{
    const struct yk_specimen_mounting plan = {.system = s->model,
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

static enum yk_status open(void *self, const struct yk_rig_plan *plan, struct yk_err *err)
{
    struct yk_virtual_rig *rig = self;
    size_t most = 1;
    enum yk_status st;

    for (size_t k = 0; k < rig->specimen_count; k++)
        most = rig->specimens[k].moved_count > most ? rig->specimens[k].moved_count : most;
    rig->tick = plan->tick;
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
}

const struct yk_rig_ops yk_rig_virtual = {
    .name = "virtual",
    .summary = "plants, models of the specimens and sensors, in the same process",
    .reference = "docs/theory/transfer.md",
    .size = sizeof(struct yk_virtual_rig),
    .open = open,
    .close = close,
    .rest = rest,
    .exchange = exchange,
};
