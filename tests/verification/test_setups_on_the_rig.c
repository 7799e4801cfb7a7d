/* Set-ups, free degrees of freedom and several specimens, from files: what the same structure does without a rig, and
 * the geometry of an actuator pair written out anew. docs/theory/test-rigs.md. */
#include "support/check.h"
#include "support/planned.h"
#include "support/recorded.h"
#include "support/scratch.h"
#include "support/transfer.h"

#include "analyze/analyze.h"
#include "engine/engine.h"
#include "state/state.h"
#include "transfer/station.h"

#include <math.h>
#include <stdlib.h>

static enum yk_status try(struct yk_model **e, const char *text, const char *const *set, size_t count,
                          struct yk_err *err)
{
    return yk_model_parse(e, "rig.yaml", text, strlen(text), set, count, err);
}

static struct yk_model *parse(const char *text, const char *const *set, size_t count)
{
    struct yk_model *e = NULL;

    assert_ok(try(&e, text, set, count, &err));
    return e;
}

/* Largest difference of all displacements of the first substructure, of the largest of each, between the run on the rig
 * and that of its models. */
static double difference(struct yk_model *rig)
{
    struct yk_model *models = NULL;
    struct yk_state a, b;
    double u[2][8], v[8], acc[8], most = 0, peak[8] = {0}, off[8] = {0};

    assert_ok(yk_model_with_players(rig, YK_PLAYED_BY_MODELS, &models, &err));
    assert_ok(yk_state_open(&a, rig, 0, &err));
    assert_ok(yk_state_open(&b, models, 0, &err));
    assert_int_equal(yk_state_start(&a), YK_OK);
    assert_int_equal(yk_state_start(&b), YK_OK);
    const size_t n = rig->substructures[0].system->n;
    for (long i = 0; i < rig->steps; i++) {
        assert_int_equal(yk_state_step(&a), YK_OK);
        assert_int_equal(yk_state_step(&b), YK_OK);
        yk_state_now(&a, 0, u[0], v, acc);
        yk_state_now(&b, 0, u[1], v, acc);
        for (size_t k = 0; k < n; k++) {
            peak[k] = fmax(peak[k], fabs(u[1][k]));
            off[k] = fmax(off[k], fabs(u[0][k] - u[1][k]));
        }
    }
    for (size_t k = 0; k < n; k++)
        most = fmax(most, off[k] / peak[k]);
    yk_state_close(&a);
    yk_state_close(&b);
    yk_model_close(models);
    return most;
}

/* ---- a rotating mass on a pair of actuators ---- */

/* Its springs on levers are the specimen, geometry included; it turns by 15 degrees. Central differences want no
 * tangent, which an estimate does not give as the model does. */
#define MASS                                                                                                           \
    "time: {step: 5 ms, end: 2 s, control_rate: 2000 Hz}\n"                                                            \
    "method: {integrator: central-difference}\n"                                                                       \
    "interfaces: [{join: [n.h, s.h]}, {join: [n.theta, s.theta]}]\n"                                                   \
    "rig:\n"                                                                                                           \
    "  backend: virtual\n"                                                                                             \
    "  actuators: {a1: {plant: {kind: ideal}}, a2: {plant: {kind: ideal}}}\n"                                          \
    "  specimen:\n"                                                                                                    \
    "    kind: assembled\n"                                                                                            \
    "    nodes: {m: {dofs: [h, theta], mass: {h: 0, theta: 0}}}\n"                                                     \
    "    elements:\n"                                                                                                  \
    "      - {kind: spring, stiffness: 14.8 kN/m, between: [ground, m.h], levers: {m.theta: 200 mm}}\n"                \
    "      - {kind: spring, stiffness: 16.28 kN/m, between: [ground, m.h], levers: {m.theta: -200 mm}}\n"              \
    "transfer: {a1: {}, a2: {}}\n"                                                                                     \
    "substructures:\n"                                                                                                 \
    "  n: {dofs: [h, theta], mass: [237, 5.275], damping: [150, 3], stiffness: [2e3, 100],\n"                          \
    "      initial: {displacement: {h: 30 mm, theta: 15 deg}}}\n"                                                      \
    "  s:\n"                                                                                                           \
    "    role: physical\n"                                                                                             \
    "    dofs: [h, theta]\n"                                                                                           \
    "    estimate: {stiffness: [[31080, -296], [-296, 1243.2]]}\n"                                                     \
    "    initial: {displacement: {h: 30 mm, theta: 15 deg}}\n"

static const char pair[] = MASS "    actuators: [a1, a2]\n"
                                "    setup: {kind: pair, lever: 400 mm, moves: {h: [a1, a2], theta: [a1, -a2]}}\n";

/* With ideal actuators the rig is the model to rounding, as far as the geometry is solved for: 1e-13 m or rad. */
static void a_perfect_rig_is_its_model_whatever_the_set_up(void **state)
{
    static const char *const sets[][3] = {
        {"time.end=2"},
        {"substructures.s.setup={kind: pair, lever: 400 mm, geometry: exact, radius: 990 mm}"},
        {"substructures.s.setup={kind: pair, lever: 400 mm, geometry: exact, radius: 990 mm, offset: 155 mm}"},
        {"substructures.s.setup={kind: matrix, rows: {a1: {h: 1, theta: 200 mm}, a2: {h: 1, theta: -300 mm}}}"},
        {"substructures.s.setup={kind: pair, lever: 400 mm, calibrate: {a1: {reversed: true, gain: 0.5, force_gain: "
         "3}, "
         "a2: {offset: 100 mm, force_offset: 20 N}}, moves: {h: [-a1, a2], theta: [-a1, -a2]}}"},
        {"substructures.s.setup={kind: pair, lever: 400 mm, geometry: exact, radius: 990 mm, calibrate: {a2: "
         "{reversed: "
         "true}}}"},
        {"substructures.s.actuators=[a1, a2, a3]",
         "substructures.s.setup={kind: matrix, rows: {a1: {h: 1, theta: 200 mm}, a2: {h: 1, theta: -200 mm}, a3: {h: "
         "0.5}}, moves: {h: [a1, a2, a3]}}",
         "rig.actuators.a3={plant: {kind: ideal}}"},
    };

    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        const bool three = sets[i][1];
        const char *const all[] = {sets[i][0], sets[i][1], sets[i][2], "transfer.a3={}"};
        struct yk_model *e = parse(pair, all, three ? 4 : 1);
        const double off = difference(e);

        if (!(off < 1e-11))
            print_error("%s: off by %g\n", sets[i][three], off);
        assert_true(off < 1e-11);
        yk_model_close(e);
    }
}

/* ---- what the devices count ---- */

#define DEVICES                                                                                                        \
    "calibrate: {a1: {gain: 0.001, force_gain: 1000, offset: 10 mm, force_offset: 20 N, reversed: true}, a2: {gain: "  \
    "4}}}"

/* Step at which the load cell passes its limit, and what the actuators did until then. */
static long trip_step(struct yk_model *e, struct yk_actuator_state *state)
{
    struct yk_state m;
    long step = 0;

    assert_ok(yk_state_open(&m, e, 0, &err));
    assert_int_equal(yk_state_start(&m), YK_OK);
    do {
        yk_state_step(&m);
        step++;
        for (size_t i = 0; i < 2; i++)
            state[2 * step + i] = yk_station_state(m.station, i);
    } while (step < 300 && !*yk_station_trip(m.station));
    assert_non_null(strstr(yk_station_trip(m.station), "force of a"));
    yk_state_close(&m);
    return step;
}

/* A load cell that counts kN must not make a limit of 400 N one of 400 kN. */
static void limits_and_recordings_are_in_metres_and_newtons_whatever_the_devices_count(void **state)
{
    static const char *const sets[] = {
        "substructures.s.setup={kind: pair, lever: 400 mm}",
        "substructures.s.setup={kind: pair, lever: 400 mm, " DEVICES,
        "substructures.s.setup={kind: pair, lever: 400 mm, geometry: exact, radius: 990 mm}",
        "substructures.s.setup={kind: pair, lever: 400 mm, geometry: exact, radius: 990 mm, " DEVICES};
    struct yk_actuator_state states[2][602];
    long step[2];

    for (int k = 0; k < 4; k++) {
        const char *const all[] = {sets[k],
                                   "limits={force: 400 N, displacement: 90 mm}",
                                   "rig.actuators.a1.limits={stroke: 85 mm}",
                                   "substructures.n.initial={}",
                                   "substructures.s.initial={}",
                                   "loads=[{on: n.h, kind: sine, amplitude: 900 N, frequency: 1 Hz}]"};
        struct yk_model *e = parse(pair, all, 6);

        step[k % 2] = trip_step(e, states[k % 2]);
        for (long i = 2; k % 2 && i < 2 * step[0]; i++) {
            assert_near(states[1][i].command, states[0][i].command, 1e-12);
            assert_near(states[1][i].displacement, states[0][i].displacement, 1e-12);
            assert_near(states[1][i].force, states[0][i].force, 1e-8);
        }
        yk_model_close(e);
    }
    assert_true(step[0] > 2 && step[0] == step[1]);
}

/* The device goes 5 mm further than it is believed to, by 2 % more, and its cell reads a tenth less. */
static void a_rig_with_another_calibration_is_wrong_as_predicted(void **state)
{
    static const char *const set[] = {
        "substructures.s.setup={kind: pair, lever: 400 mm, calibrate: {a1: {gain: 0.1, force_gain: 10}}}",
        "rig.setup={kind: pair, lever: 400 mm, calibrate: {a1: {gain: 0.102, offset: 5 mm, force_gain: 11}}}",
        "rig.specimen={dofs: [h, theta], mass: [0, 0], stiffness: [30e3, 1200]}"};
    static const double zero[2] = {0}, u[2] = {0.02, 0.1};
    struct yk_model *e = parse(pair, set, 3);
    struct yk_system *s = e->substructures[1].system;
    const double s1 = 1.02 * 0.04 + 0.005, s2 = 0, h = (s1 + s2) / 2, theta = (s1 - s2) / 0.4;
    const double f1 = (30e3 * h + 1200 * theta / 0.2) / 2, f2 = (30e3 * h - 1200 * theta / 0.2) / 2;
    double p[2];

    s->ops->rest(s->self, u);
    for (int tick = 1; tick < 4; tick++)
        specimen_force(s, e->station, tick * 2.5e-3, zero, u, zero, p);
    assert_near(-p[0], f1 / 1.1 + f2, 1e-6);
    assert_near(-p[1], 0.2 * (f1 / 1.1 - f2), 1e-7);
    yk_model_close(e);
}

static const char *unit_of(const struct yk_channel *channels, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(channels[i].name, name) == 0)
            return channels[i].unit;
    return "none";
}

/* One actuator slides the mass, the other turns it; a pair only slides. */
static void actuators_that_turn_are_recorded_in_radians(void **state)
{
    static const char turning[] = MASS "    actuators: {h: a1, theta: a2}\n"
                                       "loads: [{on: n.theta, kind: constant, amplitude: 2 N m}]\n";
    static const struct {
        const char *name, *turning, *pair;
    } cases[] = {
        {"a1.displacement", "m", "m"},   {"a1.force", "N", "N"},   {"a2.target", "rad", "m"},
        {"a2.displacement", "rad", "m"}, {"a2.force", "N m", "N"}, {"load.0", "N m", "none"},
    };

    for (int k = 0; k < 2; k++) {
        struct yk_model *e = parse(k ? pair : turning, NULL, 0);
        struct yk_run_channels channels = {0};

        assert_ok(planned_channels(e, &channels, &err));
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
            assert_string_equal(unit_of(channels.streams[0].channels, channels.streams[0].count, cases[i].name),
                                k ? cases[i].pair : cases[i].turning);
        assert_string_equal(unit_of(channels.streams[2].channels, channels.streams[2].count, "a2.sent"),
                            k ? "m" : "rad");
        yk_run_channels_free(&channels);
        yk_model_close(e);
    }
}

/* ---- the real geometry is another one ---- */

enum { LEVER, RADIUS, OFFSET }; /* lever: half the distance of the actuators */
static const double rod[] = {0.2, 0.99, 0.155};

/* Stroke of the first (side 1) or second (-1) actuator. eq. (4) */
static double stroke(double h, double theta, int side, double offset)
{
    const double along = sqrt(rod[RADIUS] * rod[RADIUS] - offset * offset);

    return hypot(along + h + side * rod[LEVER] * sin(theta), offset + rod[LEVER] * (1 - cos(theta))) - rod[RADIUS];
}

struct jacobian {
    double h[2], theta[2];
};

static struct jacobian derivative(double h, double theta, double offset)
{
    const double d = 1e-6;
    struct jacobian J;

    for (int i = 0; i < 2; i++) {
        const int side = i ? -1 : 1;

        J.h[i] = (stroke(h + d, theta, side, offset) - stroke(h - d, theta, side, offset)) / (2 * d);
        J.theta[i] = (stroke(h, theta + d, side, offset) - stroke(h, theta - d, side, offset)) / (2 * d);
    }
    return J;
}

/* The place to which the strokes h + e theta and h - e theta really bring the mass. */
static struct jacobian bring(double *h, double *theta, double offset)
{
    const double s1 = *h + rod[LEVER] * *theta, s2 = *h - rod[LEVER] * *theta;
    struct jacobian J = {{0}, {0}};

    for (int i = 0; i < 50; i++) {
        J = derivative(*h, *theta, offset);
        const double d1 = s1 - stroke(*h, *theta, 1, offset), d2 = s2 - stroke(*h, *theta, -1, offset);
        const double det = J.h[0] * J.theta[1] - J.h[1] * J.theta[0];

        *h += (d1 * J.theta[1] - d2 * J.theta[0]) / det;
        *theta += (d2 * J.h[0] - d1 * J.h[1]) / det;
    }
    return J;
}

/* The rig turns the mass too far, by the sine; its springs resist there, the load cells feel forces that do that work,
 * and these are read with the linear set-up. */
static void a_rig_driven_with_the_wrong_geometry_is_wrong_as_predicted(void **state)
{
    static const char *const real[] = {
        "rig.setup={kind: pair, lever: 400 mm, geometry: exact, radius: 990 mm}",
        "rig.setup={kind: pair, lever: 400 mm, geometry: exact, radius: 990 mm, offset: 155 mm}"};
    static const double zero[2] = {0}, at[][2] = {{0.03, 0}, {0, 0.1}, {0, 0.2967}, {-0.02, 0.2}};

    for (int k = 0; k < 2; k++) {
        const char *const set[] = {real[k], "rig.specimen={dofs: [h, theta], mass: [0, 0], stiffness: [30e3, 1200]}"};
        struct yk_model *e = parse(pair, set, 2);
        struct yk_system *s = e->substructures[1].system;

        for (int i = 0; i < 4; i++) {
            double u[2] = {at[i][0], at[i][1]}, h = u[0], theta = u[1], p[2];
            const struct jacobian J = bring(&h, &theta, k ? rod[OFFSET] : 0);
            const double r = 30e3 * h, moment = 1200 * theta, det = J.h[0] * J.theta[1] - J.h[1] * J.theta[0];
            const double f1 = (r * J.theta[1] - moment * J.h[1]) / det, f2 = (moment * J.h[0] - r * J.theta[0]) / det;

            s->ops->rest(s->self, u);
            for (int tick = 1; tick < 4; tick++)
                specimen_force(s, e->station, tick * 2.5e-3, zero, u, zero, p);
            assert_near(-p[0], f1 + f2, 1e-5);
            assert_near(-p[1], rod[LEVER] * (f1 - f2), 1e-6);
            if (i == 2 && k == 0) { /* 17 degrees: the moment is off by the cosine, the angle by the sine */
                assert_near(-p[1] / moment, 1 / cos(theta), 0.004);
                assert_near(sin(theta) / u[1], 1, 0.002);
            }
        }
        assert_true(difference(e) > 1e-3);
        yk_model_close(e);
    }
}

static void wrong_signs_are_refused_with_the_mistake(void **state)
{
    static const struct refused_setting cases[] = {
        {"substructures.s.setup.moves={h: [a1, a2], theta: [-a1, a2]}", "theta had the opposite sign"},
        {"substructures.s.setup.calibrate={a2: {reversed: true}}", "a2 were reversed"},
        {"substructures.s.actuators=[a2, a1]", "everything would agree if"},
        {"substructures.s.actuators=[a1]", "'a2' in transfer moves no degree of freedom"},
        {"substructures.s.actuators=[a1, a1]", "actuator 'a1' already moves another degree of freedom"},
        {"substructures.s.actuators={h: a1}", "no actuator moves 'theta'"},
    };

    check_refused_settings(pair, cases, sizeof cases / sizeof *cases);
}

/* ---- degrees of freedom that no actuator moves ---- */

/* Two masses of the specimen, of which only the first hangs on the actuator; named otherwise and in another order than
 * the substructure has them. */
static const char hanging[] =
    "time: {step: 2 ms, end: 4 s, control_rate: 2000 Hz}\n"
    "method: {integrator: lsrt2}\n"
    "substructures:\n"
    "  n: {dofs: [x], mass: [3], damping: [1], stiffness: [600], initial: {displacement: {x: 10 mm}}}\n"
    "  s: {role: physical, dofs: [x], actuators: {x: a1}, initial: {displacement: {x: 10 mm}}}\n"
    "interfaces: [{join: [n.x, s.x]}]\n"
    "transfer: {a1: {}}\n"
    "rig:\n"
    "  backend: virtual\n"
    "  actuators: {a1: {plant: {kind: ideal}}}\n"
    "  specimen:\n"
    "    kind: assembled\n"
    "    nodes: {head: {dofs: [z], mass: 1 kg}, foot: {dofs: [x], mass: 0}}\n"
    "    elements: [{kind: spring, stiffness: 150, between: [foot.x, head.z]}, {kind: damper, damping: 0.5, between: "
    "[foot.x, head.z]}]\n"
    "reference: monolithic\n";

static double error_with(const char *text, const char *const *set, size_t count)
{
    struct yk_model *e = parse(text, set, count);
    struct recorded r;

    recorded_run(&r, e, &(struct yk_run_settings){.threads = 1}, NULL);
    assert_int_equal(r.status, YK_OK);
    assert_true(r.result.finished && r.result.has_reference);
    const double error = r.result.error_u;
    recorded_free(&r);
    yk_model_close(e);
    return error;
}

/* The error is that of the method, of second order; the free mass is integrated far more finely. Where the reference
 * took the head for the foot it would be of the size of the motion. */
static void a_free_mass_is_compared_by_name(void **state)
{
    const double coarse = error_with(hanging, (const char *[]){"time.step=4 ms"}, 1),
                 fine = error_with(hanging, NULL, 0);

    assert_true(coarse < 1e-3);
    assert_near(coarse / fine, 4, 0.4);
}

/* A mass that is computed beside the specimen, as part of its estimate, belongs to the structure without a rig too. */
static void a_computed_mass_is_in_the_model(void **state)
{
    const char *const set[] = {"method.integrator=central-difference", "substructures.s.estimate={mass: [2]}",
                               "rig.specimen={dofs: [x], mass: [0], stiffness: [150]}"};
    struct yk_model *e = parse(hanging, set, 3);

    assert_true(difference(e) < 1e-11);
    yk_model_close(e);
    assert_true(error_with(hanging, set, 3) < 1e-3);
}

/* The margin of a coupling whose sides start somewhere else than at rest: the start is asked for again and again. */
static void a_displaced_start_does_not_disturb_the_margin(void **state)
{
    const char *const set[] = {
        "method={coupling: vpnr2}", "substructures.s.rate=fine", "substructures.s.estimate={mass: [2]}",
        "rig.specimen={dofs: [x], mass: [0], stiffness: [150]}", "rig.actuators.a1.plant={kind: delay, delay: 1 ms}"};
    struct yk_model *e = parse(hanging, set, 5);
    struct yk_margin margin;

    assert_ok(planned_margin(e, 0, &margin, &err));
    /* 1 N s/m of damping, of which 150 N/m times 1 ms are lost: half of the rest over the mass of 5 kg */
    assert_near(margin.decay, (1 - 0.15) / 10, 2e-3);
    assert_near(margin.decay_model, 0.1, 2e-3);
    yk_model_close(e);
}

/* A pendulum on a platform that the actuator moves: test 2 of the rig with one actuator, whose specimen has three
 * degrees of freedom. The same structure computed: the platform of the pendulum takes all. */
static const char pendulum_on_the_rig[] =
    "time: {step: 1 ms, end: 4 s, control_rate: 2000 Hz}\n"
    "method: {integrator: lsrt2}\n"
    "substructures:\n"
    "  p: {dofs: [y], mass: [11], damping: [40], stiffness: [1000]}\n"
    "  s: {role: physical, dofs: [y], actuators: {y: a1}}\n"
    "interfaces: [{join: [p.y, s.y]}]\n"
    "loads: [{on: p.y, kind: sine, amplitude: 12 N, frequency: 2.2 Hz}]\n"
    "transfer: {a1: {compensator: {kind: velocity, order: 2, delay: 5 ms}}}\n"
    "rig:\n"
    "  backend: virtual\n"
    "  actuators: {a1: {plant: {kind: delay, delay: 5 ms}}}\n"
    "  specimen: {kind: spring-pendulum, platform_mass: 1e-6, platform_damping: 0, platform_stiffness: 0,\n"
    "             mass: 0.34, stiffness: 400, length: 0.167, initial: {displacement: {theta: 0.5}}}\n";

static const char pendulum_computed[] =
    "time: {step: 1 ms, end: 4 s}\n"
    "method: {integrator: lsrt3}\n"
    "substructures:\n"
    "  p: {kind: spring-pendulum, platform_mass: 11, platform_damping: 40, platform_stiffness: 1000,\n"
    "      mass: 0.34, stiffness: 400, length: 0.167, initial: {displacement: {theta: 0.5}}}\n"
    "loads: [{on: p.y, kind: sine, amplitude: 12 N, frequency: 2.2 Hz}]\n";

static double *path_of(const char *text, const char *dof, long *steps)
{
    struct yk_model *e = parse(text, NULL, 0);
    double *path = calloc((size_t)e->steps, sizeof *path), u[8], v[8], a[8];
    size_t k = 0;
    struct yk_state m;

    while (strcmp(e->substructures[0].dofs[k], dof) != 0)
        k++;
    assert_ok(yk_state_open(&m, e, 0, &err));
    assert_int_equal(yk_state_start(&m), YK_OK);
    for (long i = 0; i < e->steps; i++) {
        assert_int_equal(yk_state_step(&m), YK_OK);
        yk_state_now(&m, 0, u, v, a);
        path[i] = u[k];
    }
    *steps = e->steps;
    yk_state_close(&m);
    yk_model_close(e);
    return path;
}

static void a_pendulum_swings_on_the_rig(void **state)
{
    long steps, same;
    double *rig = path_of(pendulum_on_the_rig, "y", &steps), *model = path_of(pendulum_computed, "y", &same);
    double error = 0, square = 0;

    assert_int_equal(steps, same);
    for (long i = 0; i < steps; i++) {
        error += (rig[i] - model[i]) * (rig[i] - model[i]);
        square += model[i] * model[i];
    }
    assert_true(sqrt(error / square) < 0.01);
    free(rig);
    free(model);
}

/* Its mass cannot be put together with others, so there is no model to compare the decay with; the loop is judged. */
static void the_loop_of_a_pendulum_is_judged(void **state)
{
    struct yk_model *e = parse(pendulum_on_the_rig, NULL, 0);
    struct yk_margin margin;

    assert_ok(planned_margin(e, 0, &margin, &err));
    assert_true(margin.stable && margin.margin_s > 1e-3 && isnan(margin.decay_model));
    yk_model_close(e);
}

static void a_pendulum_has_no_monolithic_reference(void **state)
{
    struct yk_model *e = parse(pendulum_on_the_rig, (const char *[]){"reference=monolithic"}, 1);
    struct recorded r;

    recorded_run(&r, e, &(struct yk_run_settings){.threads = 1}, NULL);
    assert_int_equal(r.status, YK_E_UNSUPPORTED);
    assert_non_null(strstr(yk_err_line(&r.err).text, "such a structure has no `reference: monolithic`"));
    recorded_free(&r);
    yk_model_close(e);
}

/* ---- several specimens ---- */

static const char two_specimens[] =
    "time: {step: 5 ms, end: 2 s, control_rate: 2000 Hz}\n"
    "method: {integrator: central-difference}\n"
    "substructures:\n"
    "  n: {dofs: [x, h, theta], mass: [2, 4, 1], damping: [1, 1, 1], stiffness: [[300, -100, 0], [-100, 400, 0], [0, "
    "0, "
    "30]],\n"
    "      initial: {displacement: {x: 10 mm, theta: 5 deg}}}\n"
    "  body: {role: physical, dofs: [h, theta], actuators: [a1, a2], setup: {kind: pair, lever: 400 mm, geometry: "
    "exact, "
    "radius: 990 mm},\n"
    "         initial: {displacement: {theta: 5 deg}}}\n"
    "  spring: {role: physical, dofs: [x], actuators: {x: a3}, initial: {displacement: {x: 10 mm}}}\n"
    "interfaces: [{join: [n.x, spring.x]}, {join: [n.h, body.h]}, {join: [n.theta, body.theta]}]\n"
    "transfer: {a1: {}, a2: {}, a3: {}}\n"
    "rig:\n"
    "  backend: virtual\n"
    "  actuators: {a1: {plant: {kind: ideal}}, a2: {plant: {kind: ideal}}, a3: {plant: {kind: ideal}}}\n"
    "  specimens:\n"
    "    spring: {dofs: [x], mass: [0], stiffness: [250]}\n"
    "    body: {dofs: [theta, h], mass: [0, 0], stiffness: [[20, 5], [5, 150]]}\n";

static void several_specimens_share_a_rig(void **state)
{
    struct yk_model *e = parse(two_specimens, NULL, 0);

    assert_true(difference(e) < 1e-11);
    yk_model_close(e);
    e = parse(two_specimens, (const char *[]){"rig.setups={body: {kind: pair, lever: 500 mm}}"}, 1);
    assert_true(difference(e) > 1e-3);
    yk_model_close(e);
}

/* Three actuators of two specimens; the third is never told to move, and has no delay. */
static void the_delay_of_every_actuator_is_measured(void **state)
{
    const char *const set[] = {"substructures.n.initial={displacement: {theta: 5 deg}}",
                               "substructures.spring.initial={}",
                               "substructures.n.stiffness=[300, 400, 30]",
                               "rig.specimens.body={dofs: [theta, h], mass: [0, 0], stiffness: [20, 150]}",
                               "rig.actuators.a1.plant={kind: delay, delay: 4 ms}",
                               "rig.actuators.a2.plant={kind: delay, delay: 2 ms}"};
    struct yk_model *e = parse(two_specimens, set, 6);
    struct yk_delay_report *r;
    size_t count;

    assert_ok(planned_delays(e, &r, &count, &err));
    assert_int_equal(count, 3);
    assert_near(r[0].command.delay_s, 4e-3, 1e-4);
    assert_near(r[1].command.delay_s, 2e-3, 1e-4);
    assert_true(isnan(r[2].command.delay_s) && isnan(r[2].amplitude));
    free(r);
    yk_model_close(e);
}

static void specimens_that_do_not_fit_are_refused(void **state)
{
    static const struct refused_setting cases[] = {
        {"rig.setup={kind: matrix}", "use setups: { body: ... }"},
        {"rig.setups={bodi: {kind: matrix}}",
         "'bodi' in rig.setups is not a physical substructure; did you mean 'body'?"},
        {"rig.setups=matrix", "a map of physical substructures"},
        {"rig.specimens.sprung={dofs: [x], mass: [0], stiffness: [1]}", "'sprung' in rig.specimens is not a physical"},
        {"rig.specimen={dofs: [x], mass: [0], stiffness: [1]}", "rig has 'specimen' and 'specimens'"},
        {"rig.specimens={spring: {dofs: [x], mass: [0], stiffness: [1]}}",
         "'body' is physical, but the file has no entry"},
        {"rig.specimens.body={dofs: [theta, y], mass: [0, 0], stiffness: [1, 1]}",
         "no degree of freedom 'h', which 'body'"},
        {"rig.specimens.spring={dofs: [x, y], mass: [0, 0], stiffness: [[1, -1], [-1, 1]]}", "y"},
    };

    check_refused_settings(two_specimens, cases, sizeof cases / sizeof *cases);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_perfect_rig_is_its_model_whatever_the_set_up),
        cmocka_unit_test(limits_and_recordings_are_in_metres_and_newtons_whatever_the_devices_count),
        cmocka_unit_test(actuators_that_turn_are_recorded_in_radians),
        cmocka_unit_test(a_rig_with_another_calibration_is_wrong_as_predicted),
        cmocka_unit_test(a_rig_driven_with_the_wrong_geometry_is_wrong_as_predicted),
        cmocka_unit_test(wrong_signs_are_refused_with_the_mistake),
        cmocka_unit_test(a_free_mass_is_compared_by_name),
        cmocka_unit_test(a_computed_mass_is_in_the_model),
        cmocka_unit_test(a_displaced_start_does_not_disturb_the_margin),
        cmocka_unit_test(a_pendulum_swings_on_the_rig),
        cmocka_unit_test(the_loop_of_a_pendulum_is_judged),
        cmocka_unit_test(a_pendulum_has_no_monolithic_reference),
        cmocka_unit_test(several_specimens_share_a_rig),
        cmocka_unit_test(the_delay_of_every_actuator_is_measured),
        cmocka_unit_test(specimens_that_do_not_fit_are_refused),
    };

    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
