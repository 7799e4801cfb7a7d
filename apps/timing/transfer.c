/* The cost of a control tick of one actuator: compensator, estimator, controller, plant, specimen and sensors.
 *
 * A target comes with every tick, which is as often as it can: predictions and estimates are made as often as the drive
 * is computed. The targets are a sine. Units: N, m, s. */
#include "transfer.h"

#include "measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ORDER = 10 };
#define TICK      1e-3 /* s */
#define AMPLITUDE 5e-3 /* m */
#define FREQUENCY 2.0  /* Hz: whole periods in the targets */

/* A usual value of a setting without a default. */
static double usual(enum yk_quantity quantity)
{
    static const struct {
        enum yk_quantity quantity;
        double value;
    } values[] = {{YK_TIME, 10e-3}, {YK_FREQUENCY, 15},  {YK_AREA, 5e-3},   {YK_FLOW, 1e-3},
                  {YK_LENGTH, 0.1}, {YK_PLAIN_MASS, 60}, {YK_INERTIA, 1e-3}};

    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (values[i].quantity == quantity)
            return values[i].value;
    return 1;
}

/* ", T1: 0.01, T2: 0.01": settings that a plant cannot do without. A plant inside a plant is a lag. */
static void settings_of(const char *plant, char *text, size_t size)
{
    const struct yk_plant_ops *ops = yk_plant_find(plant);
    size_t length = 0;

    *text = 0;
    for (const struct yk_param *p = ops ? ops->params : NULL; p && p->name && length < size; p++) {
        if (p->type == YK_PARAM_REAL && isnan(p->fallback))
            length += (size_t)snprintf(text + length, size - length, ", %s: %g", p->name,
                                       fmin(fmax(usual(p->quantity), p->min), p->max));
        else if (p->type == YK_PARAM_NODE && strcmp(p->name, "model") == 0)
            length +=
                (size_t)snprintf(text + length, size - length, ", model: {kind: first-order, time_constant: 10 ms}");
    }
}

static enum yk_status make_plan(struct yk_model **model, const struct yk_chain_kinds *kinds, struct yk_err *err)
{
    char text[1600], settings[256];

    settings_of(kinds->plant, settings, sizeof settings);
    const int length = snprintf(
        text, sizeof text,
        "time: {step: 1 ms, end: 1 s, control_rate: 1 kHz}\n"
        "method: {integrator: chang}\n"
        "substructures:\n"
        "  frame: {dofs: [x], mass: 100, stiffness: 1e4}\n"
        "  specimen: {role: physical, dofs: [x], actuators: {x: a}, estimate: {stiffness: 1e3}}\n"
        "interfaces: [{join: [frame.x, specimen.x]}]\n"
        "transfer: {a: {compensator: {kind: %s, delay: 10 ms}, estimator: {kind: %s}, controller: {kind: %s}}}\n"
        "rig:\n"
        "  backend: virtual\n"
        "  actuators: {a: {plant: {kind: %s%s}, sensors: {displacement_noise: 1e-6, force_noise: 0.1, filter: 100}}}\n"
        "  specimen: {dofs: [x], mass: 0, stiffness: 1e3}\n",
        kinds->compensator, kinds->estimator, kinds->controller, kinds->plant, settings);

    if (length >= (int)sizeof text)
        return yk_fail(err, YK_E_RANGE, "the names of the chain are too long");
    return yk_model_read(
        model, &(struct yk_model_source){.path = "chain.yaml", .text = text, .size = (size_t)length, .rehearse = true},
        err);
}

enum yk_status yk_chain_open(struct yk_chain *chain, const struct yk_chain_kinds *kinds, struct yk_err *err)
{
    const double w = 2 * M_PI * FREQUENCY;
    enum yk_status st;

    *chain = (struct yk_chain){0};
    for (int i = 0; i < YK_CHAIN_TARGETS; i++) {
        const double t = TICK * (i + 1);

        chain->x[i] = AMPLITUDE * sin(w * t);
        chain->v[i] = AMPLITUDE * w * cos(w * t);
        chain->a[i] = -w * w * chain->x[i];
    }
    if ((st = make_plan(&chain->model, kinds, err)) || (st = yk_stepping_open(&chain->stepping, chain->model, err)))
        yk_chain_close(chain);
    else
        chain->station = yk_stepping_station(chain->stepping);
    return st;
}

void yk_chain_close(struct yk_chain *chain)
{
    yk_stepping_close(chain->stepping);
    yk_model_close(chain->model);
    chain->stepping = NULL;
    chain->model = NULL;
}

void yk_chain_rest(struct yk_chain *chain)
{
    chain->tick = 0;
    (void)yk_station_rest(chain->station, (double[]){0}, NULL); /* a virtual rig always does */
}

YK_RT void yk_chain_run(struct yk_chain *chain, long ticks)
{
    struct yk_station *station = chain->station;

    for (long k = 0; k < ticks; k++) {
        const long i = chain->tick++ % YK_CHAIN_TARGETS;

        yk_station_set_target(station, 0, chain->x[i], chain->v[i]);
        yk_station_move(station, TICK * (double)chain->tick);
        yk_station_reached(station, 0, chain->x[i], chain->v[i], chain->a[i]);
    }
}

/* ---- benchmark ---- */

static void reset(void *self)
{
    yk_chain_rest(self);
}

static void run(void *self, long count)
{
    yk_chain_run(self, count);
}

struct product {
    struct yk_matrix A;
    _Alignas(64) double x[ORDER], y[ORDER];
};

static void run_product(void *self, long count)
{
    struct product *p = self;

    for (long k = 0; k < count; k++)
        yk_matrix_add_product(&p->A, 1e-9, p->x, p->y);
}

enum yk_status yk_bench_transfer(const struct yk_chain_kinds *kinds, struct yk_bench_result *out, struct yk_err *err)
{
    struct yk_chain *chain = malloc(sizeof *chain); /* moves with the rest of what is measured */
    struct product product = {.x = {1}};
    enum yk_status st = yk_random_matrix(&product.A, ORDER, ORDER, 1, 3, err);

    if (!chain)
        st = yk_fail(err, YK_E_MEMORY, "out of memory");
    if (!st && !(st = yk_chain_open(chain, kinds, err))) {
        yk_measure(&(struct yk_task){reset, run, chain}, &(struct yk_task){NULL, run_product, &product}, out);
        if (*yk_station_trip(chain->station))
            st = yk_fail(err, YK_E_UNSUPPORTED, "the chain tripped: %s", yk_station_trip(chain->station));
        yk_chain_close(chain);
    }
    free(chain);
    yk_matrix_fini(&product.A);
    return st;
}
