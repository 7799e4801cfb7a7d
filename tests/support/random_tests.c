#include "support/random_tests.h"

#include "support/check.h"
#include "support/random.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <yoke/yoke.h>

#define TWO_PI 6.283185307179586

/* Uniform in [a, b). */
static double between(uint64_t *seed, double a, double b)
{
    return a + (b - a) * 0.5 * (1 + random_value(seed));
}

/* A frame of n storeys, of which the specimen is the first: storey stiffness k, mass m, damping proportional to it. */
static int write_frame(char *text, size_t size, int n, double k, double m, double c)
{
    const char *const names[] = {"dofs: [x1", "mass: [", "damping: [", "stiffness: ["};
    size_t used = (size_t)snprintf(text, size, "  frame:\n");

    for (int what = 0; what < 4; what++) {
        used += (size_t)snprintf(text + used, size - used, "    %s", names[what]);
        for (int i = 0; i < n; i++) {
            if (what == 0) {
                used += i ? (size_t)snprintf(text + used, size - used, ", x%d", i + 1) : 0;
                continue;
            }
            used += (size_t)snprintf(text + used, size - used, "%s[", i ? ", " : "");
            for (int j = 0; j < n; j++) {
                const double rows = (i > 0) + (i < n - 1),
                             a = i == j            ? rows
                                 : abs(i - j) == 1 ? -1
                                                   : 0,
                             value = what == 1   ? (i == j ? m : 0)
                                     : what == 2 ? a * c + (i == j && i == 0 ? c : 0)
                                                 : a * k;

                used += (size_t)snprintf(text + used, size - used, "%s%.6g", j ? ", " : "", value);
            }
            used += (size_t)snprintf(text + used, size - used, "]");
        }
        used += (size_t)snprintf(text + used, size - used, "]\n");
    }
    return (int)used;
}

struct made {
    double k, delay, frequency; /* of the specimen; of the actuator; lowest of the structure, about [Hz] */
    double step;
    bool servo;
    double servo_Hz, damping, loop_gain;
};

static void write_test(uint64_t *seed, struct random_test *t, struct made *x)
{
    static const double steps[] = {2e-3, 2.5e-3, 4e-3, 5e-3};
    const int n = 1 + (int)random_below(seed, 3);
    const double first = between(seed, 0.8, 2), lowest = 2 * sin(0.25 * TWO_PI / (2 * n + 1)),
                 m = pow(10, between(seed, 2.7, 4)), k = m * pow(TWO_PI * first / lowest, 2),
                 xi = between(seed, 0.03, 0.06), c = 2 * xi * k / (TWO_PI * first), peak = between(seed, 0.05, 0.25),
                 shaking = between(seed, 1, 2.5);
    char frame[1200], plant[200];

    *x = (struct made){.k = k, .frequency = first, .step = steps[random_below(seed, 4)]};
    x->servo = random_below(seed, 2);
    x->servo_Hz = between(seed, 15, 30);
    x->damping = between(seed, 0.6, 0.9);
    x->loop_gain = between(seed, 60, 100);
    x->delay = x->servo ? 2 * x->damping / (TWO_PI * x->servo_Hz) : 1 / x->loop_gain;
    write_frame(frame, sizeof frame, n, k, m, c);
    if (x->servo)
        snprintf(plant, sizeof plant, "{ kind: servo, frequency: %.6g, damping: %.6g }", x->servo_Hz, x->damping);
    else
        snprintf(plant, sizeof plant, "{ kind: first-order, time_constant: %.6g, dead_time: %.6g }", 0.7 * x->delay,
                 0.3 * x->delay);
    snprintf(t->name, sizeof t->name, "%d storeys, %.2g Hz, %.2g kN/m, %s, %.3g ms late", n, first, 1e-3 * k,
             x->servo ? "servo" : "lag", 1e3 * x->delay);
    snprintf(
        t->text, sizeof t->text,
        "title: random\n"
        "time: { step: %g, end: 10 s, control_rate: 2000 Hz }\n"
        "method: { integrator: chang }\n"
        "substructures:\n%s"
        "  column: { role: physical, dofs: [x], actuators: { x: a1 }, estimate: { stiffness: [[%.6g]] } }\n"
        "interfaces: [ { join: [frame.x1, column.x] } ]\n"
        "loads: [ { ground: frame, kind: earthquake, peak: %.4g g, frequency: %.4g, rise: 1 s, strong: 5 s, "
        "decay: 4 s, seed: %d } ]\n"
        "transfer: { a1: { compensator: { kind: lagrange, order: 3, delay: %.6g }, feedback: { kind: latest } } }\n"
        "rig:\n  backend: virtual\n  actuators: { a1: { plant: %s } }\n"
        "  specimen: { dofs: [x], mass: [0], stiffness: [%.6g] }\n"
        "reference: monolithic\n",
        x->step, frame, k, peak, shaking, (int)random_below(seed, 100000), x->delay, plant, k);
}

/* Is its verdict good? demand: takes the one on its actuator. */
static bool is_good(struct random_test *t, bool demand)
{
    const char *set[RANDOM_SETTINGS];
    struct yk_model_source source = {.path = "random.yaml", .text = t->text, .size = strlen(t->text), .overrides = set};
    struct yk_model *model;
    char *answer = NULL;

    for (int i = 0; i < RANDOM_SETTINGS && *t->set[i]; i++)
        set[source.override_count++] = t->set[i];

    assert_ok(yk_model_read(&model, &source, &err));
    assert_ok(yk_model_analyze(model, "verdict", NULL, &answer, &err));
    json_t *all = json_loads(answer, 0, NULL), *a1 = json_object_get(json_object_get(all, "demand"), "a1");
    const bool good = strcmp(json_string_value(json_object_get(all, "level")), "good") == 0;

    if (demand) {
        t->stroke = json_number_value(json_object_get(json_object_get(a1, "stroke"), "demand"));
        t->speed = json_number_value(json_object_get(json_object_get(a1, "speed"), "demand"));
        t->force = json_number_value(json_object_get(json_object_get(a1, "force"), "demand"));
    }
    json_decref(all);
    yk_free(answer);
    yk_model_close(model);
    return good;
}

#define SET(number, ...) snprintf(t->set[number], sizeof t->set[number], __VA_ARGS__)

/* A step of up to a fifth of the lowest period, about, that divides the test. */
static double long_step(double wanted)
{
    static const double steps[] = {0.01, 0.02, 0.025, 0.04, 0.05, 0.0625, 0.08, 0.1, 0.125, 0.2, 0.25};
    size_t k = 0;

    while (k + 1 < sizeof steps / sizeof *steps && steps[k] < wanted)
        k++;
    return steps[k];
}

/* One cause. much: from 0, where it changes nothing, to 1. */
static void spoil(uint64_t *seed, double much, struct random_test *t, const struct made *x)
{
    static const char *const causes[] = {"saturation", "saturation", "saturation", "delay", "delay",    "delay",
                                         "sensors",    "sensors",    "sensors",    "step",  "friction", "compensation"};
    const size_t which = random_below(seed, sizeof causes / sizeof *causes);
    const bool soft = random_below(seed, 2);

    t->cause = causes[which];
    t->set[1][0] = 0;
    switch (which) {
    case 0:
        SET(0, "rig.actuators.a1.capacity.force=%.6g", t->force * (1.1 - 0.85 * much));
        break;
    case 1:
        SET(0, "rig.actuators.a1.capacity.stroke=%.6g", t->stroke * (1.1 - 0.9 * much));
        break;
    case 2:
        SET(0, "rig.actuators.a1.capacity.speed=%.6g", t->speed * (1.1 - 0.95 * much));
        break;
    case 3:
        SET(0, "transfer.a1.compensator.delay=%.6g", x->delay * (1 - much));
        break;
    case 4:
        SET(0, "transfer.a1.compensator.delay=%.6g", x->delay * (1 + much));
        break;
    case 5:
        SET(0, "rig.actuators.a1.plant={kind: delay, delay: %.6g}", x->delay + 0.03 * much / x->frequency);
        break;
    case 6:
        SET(0, "rig.actuators.a1.sensors={force_noise: %.6g, seed: 7}", 1.5 * much * t->force);
        break;
    case 7:
        SET(0, "rig.actuators.a1.sensors={force_gain: %.4g}", soft ? 1 - 0.6 * much : 1 + much);
        break;
    case 8:
        SET(0, "rig.actuators.a1.sensors={force_gain: %.4g}", -0.3 - much);
        break;
    case 9:
        SET(0, "time.step=%.4g", long_step(0.2 * much / x->frequency));
        break;
    case 10:
        SET(0, "rig.actuators.a1.capacity.backlash=%.6g", t->stroke * much);
        break;
    default:
        SET(0, "rig.actuators.a1.plant={kind: ideal}");
        SET(1, "transfer.a1.compensator.delay=%.6g", 0.06 * much / x->frequency);
    }
}

/* Stiffness and times of the rig differ a little from its model, and its noise is another one. */
static void build_rig(uint64_t *seed, struct random_test *t, const struct made *x)
{
    const double stiff = 1 + 0.05 * random_value(seed), slow = 1 + 0.05 * random_value(seed);

    snprintf(t->rig[0], sizeof t->rig[0], "rig.specimen.stiffness=[%.6g]", x->k * stiff);
    if (x->servo)
        snprintf(t->rig[1], sizeof t->rig[1], "rig.actuators.a1.plant.frequency=%.6g", x->servo_Hz / slow);
    else
        snprintf(t->rig[1], sizeof t->rig[1], "rig.actuators.a1.plant.time_constant=%.6g", 0.7 * x->delay * slow);
    snprintf(t->rig[2], sizeof t->rig[2], "rig.actuators.a1.sensors.seed=%d", 1000 + (int)random_below(seed, 1000));
}

void random_test(uint64_t seed, enum random_how how, struct random_test *t)
{
    uint64_t s = seed * 2654435761u + 12345;
    struct made x;

    for (int k = 0; k < 8; k++)
        random_bits(&s);
    do {
        *t = (struct random_test){.cause = "none"};
        write_test(&s, t, &x);
    } while (!is_good(t, true));
    if (how == RANDOM_OF_ANY_SIZE)
        spoil(&s, between(&s, 0, 1), t, &x);
    for (bool again = how == RANDOM_SPOILED; again; again = is_good(t, false))
        spoil(&s, between(&s, 0.6, 1), t, &x);
    build_rig(&s, t, &x);
}
