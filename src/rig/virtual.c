/* The virtual rig. docs/theory/transfer.md. In a tick
 *
 *     drive -> plant, within its limits -> specimen: M a + r(u, v) -> sensors
 *
 * The force that acts on a plant is the one its load cell read last. */
#include <yoke/virtual_rig.h>

#include <stdlib.h>
#include <string.h>

void yk_virtual_actuator_free(struct yk_virtual_actuator *a)
{
    if (a->plant && a->plant->fini && a->plant_self)
        a->plant->fini(a->plant_self);
    free(a->plant_self);
    *a = (struct yk_virtual_actuator){0};
}

/* Force of a specimen in the state of its actuators. */
YK_RT static void move_specimen(struct yk_virtual_rig *rig, const struct yk_virtual_specimen *s)
{
    struct yk_system *model = s->model;
    const size_t n = model->n;
    const struct yk_plant_output *out = rig->out + s->first;

    for (size_t i = 0; i < n; i++) {
        rig->u[i] = out[i].x;
        rig->v[i] = out[i].v;
        rig->a[i] = out[i].a;
    }
    yk_system_force(model, (double)rig->ticks * rig->tick, rig->zero, rig->u, rig->v, rig->r);
    for (size_t i = 0; i < n; i++)
        rig->r[i] = -rig->r[i];
    yk_matrix_add_product(&model->M, 1, rig->a, rig->r);
    if (model->ops->commit)
        model->ops->commit(model->self, rig->u, rig->v);
}

static enum yk_status rest(void *self, const double *x, struct yk_reading *readings, struct yk_err *err)
{
    struct yk_virtual_rig *rig = self;

    rig->ticks = 0;
    for (size_t i = 0; i < rig->count; i++) {
        struct yk_virtual_actuator *a = &rig->actuators[i];

        a->plant->reset(a->plant_self, x[i]);
        yk_plant_limits_reset(&a->limits, x[i]);
        rig->out[i] = (struct yk_plant_output){.x = x[i]};
        yk_sensor_reset(&a->displacement, x[i]);
        yk_sensor_reset(&a->acceleration, 0);
        readings[i].displacement = x[i];
        readings[i].acceleration = 0;
    }
    for (size_t k = 0; k < rig->specimen_count; k++) {
        const struct yk_virtual_specimen *s = &rig->specimens[k];

        if (s->model->ops->rest)
            s->model->ops->rest(s->model->self, x + s->first);
        move_specimen(rig, s);
        for (size_t i = 0; i < s->model->n; i++) {
            yk_sensor_reset(&rig->actuators[s->first + i].force, rig->r[i]);
            rig->last[s->first + i] = readings[s->first + i].force = rig->r[i];
        }
    }
    return YK_OK;
}

YK_RT static enum yk_rig_answer exchange(void *self, const double *command, struct yk_reading *readings)
{
    struct yk_virtual_rig *rig = self;

    rig->ticks++;
    for (size_t i = 0; i < rig->count; i++) {
        struct yk_virtual_actuator *a = &rig->actuators[i];

        yk_plant_limits_step(&a->limits, a->plant, a->plant_self, command[i], rig->last[i], &rig->out[i]);
        readings[i].displacement = yk_sensor_step(&a->displacement, rig->out[i].x);
        readings[i].acceleration = yk_sensor_step(&a->acceleration, rig->out[i].a);
    }
    for (size_t k = 0; k < rig->specimen_count; k++) {
        const struct yk_virtual_specimen *s = &rig->specimens[k];

        move_specimen(rig, s);
        for (size_t i = 0; i < s->model->n; i++)
            rig->last[s->first + i] = readings[s->first + i].force =
                yk_sensor_step(&rig->actuators[s->first + i].force, rig->r[i]);
    }
    return YK_RIG_FRESH;
}

static enum yk_status open_actuator(struct yk_virtual_actuator *a, const char *name, double tick, struct yk_err *err)
{
    enum yk_status st;

    if ((st = a->plant->init(a->plant_self, tick, err)) || (st = yk_plant_limits_init(&a->limits, tick, err)) ||
        (st = yk_sensor_init(&a->displacement, err)) || (st = yk_sensor_init(&a->force, err)) ||
        (st = yk_sensor_init(&a->acceleration, err)))
        return yk_fail_within(err, a->where, "actuator %s: ", name);
    return YK_OK;
}

static enum yk_status open(void *self, const struct yk_rig_plan *plan, struct yk_err *err)
{
    struct yk_virtual_rig *rig = self;
    size_t most = 1;
    enum yk_status st;

    for (size_t k = 0; k < rig->specimen_count; k++)
        most = rig->specimens[k].model->n > most ? rig->specimens[k].model->n : most;
    rig->tick = plan->tick;
    rig->out = calloc(rig->count, sizeof *rig->out);
    rig->u = calloc(5 * most + rig->count, sizeof *rig->u);
    if (!rig->out || !rig->u)
        return yk_fail(err, YK_E_MEMORY, "out of memory for the virtual rig");
    rig->v = rig->u + most;
    rig->a = rig->u + 2 * most;
    rig->r = rig->u + 3 * most;
    rig->zero = rig->u + 4 * most;
    rig->last = rig->u + 5 * most;
    for (size_t i = 0; i < rig->count; i++)
        if ((st = open_actuator(&rig->actuators[i], plan->names[i], plan->tick, err)))
            return st;
    return YK_OK;
}

void yk_virtual_rig_dismount(struct yk_virtual_rig *rig)
{
    for (size_t k = 0; k < rig->specimen_count; k++)
        yk_system_destroy(rig->specimens[k].model);
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
    free(rig->actuators);
    free(rig->specimens);
    free(rig->out);
    free(rig->u);
    *rig = (struct yk_virtual_rig){0};
}

static double worst_wait_s(const void *self)
{
    return 0;
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
    .worst_wait_s = worst_wait_s,
    .rest = rest,
    .exchange = exchange,
};
