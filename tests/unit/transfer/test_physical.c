/* A specimen on the virtual rig: with perfect actuators it is the model itself, with late ones the closed forms of a
 * delayed spring hold. Expected values: the same structure without a rig, and the formulas beside each test. */
#include "support/actuator.h"
#include "support/check.h"
#include "support/duffing.h"
#include "support/transfer.h"
#include "support/trap.h"

#include "rig/virtual/rig.h"
#include "state/state.h"
#include "transfer/physical.h"

#include <math.h>
#include <stdlib.h>

static struct yk_model *parse(const char *text, const char *const *set, size_t count)
{
    struct yk_model *e = NULL;

    assert_ok(yk_model_parse(&e, "physical.yaml", text, strlen(text), set, count, &err));
    return e;
}

/* Displacement of the first degree of freedom of every substructure, after each step. */
static char tripped[256]; /* the trip of the last run */

static double *run(struct yk_model *e)
{
    double *path = calloc((size_t)e->steps, sizeof *path), u[8], v[8], a[8];
    struct yk_state m;

    assert_non_null(path);
    assert_ok(yk_state_open(&m, e, 0, &err));
    assert_int_equal(yk_state_start(&m), YK_OK);
    for (long i = 0; i < e->steps; i++) {
        assert_int_equal(yk_state_step(&m), YK_OK);
        yk_state_now(&m, 0, u, v, a);
        path[i] = u[0];
    }
    snprintf(tripped, sizeof tripped, "%s", m.station ? yk_station_trip(m.station) : "");
    yk_state_close(&m);
    return path;
}

static double largest(const double *x, long n)
{
    double most = 0;

    for (long i = 0; i < n; i++)
        most = fmax(most, fabs(x[i]));
    return most;
}

static double largest_difference(const double *x, const double *y, long n)
{
    double most = 0;

    for (long i = 0; i < n; i++)
        most = fmax(most, fabs(x[i] - y[i]));
    return most;
}

/* ---- a perfect rig ---- */

static const char two_springs[] =
    "time: {step: 5 ms, end: 2 s, control_rate: 2000 Hz}\n"
    "method: {integrator: lsrt2}\n"
    "substructures:\n"
    "  n: {dofs: [x, y], mass: [2, 1], damping: [[3, -1], [-1, 1]], stiffness: [[300, -100], [-100, 150]],\n"
    "      initial: {displacement: {x: 10 mm}, velocity: {y: 0.1}}}\n"
    "  s: {role: physical, dofs: [x, y], actuators: {x: a1, y: a2}, initial: {displacement: {x: 10 mm}, velocity: {y: "
    "0.1}},\n"
    "      estimate: {stiffness: [[250, -150], [-150, 200]]}}\n"
    "interfaces: [{join: [n.x, s.x]}, {join: [n.y, s.y]}]\n"
    "loads: [{on: n.y, kind: sine, amplitude: 2 N, frequency: 1.5 Hz}]\n"
    "transfer: {a1: {}, a2: {}}\n"
    "rig:\n"
    "  backend: virtual\n"
    "  actuators: {a1: {plant: {kind: ideal}}, a2: {plant: {kind: ideal}}}\n"
    "  specimen: {dofs: [x, y], mass: [0, 0], stiffness: [[250, -150], [-150, 200]]}\n";

/* one mass, a spring in the specimen, everything of the chain to be set */
static const char one_spring[] = "time: {step: 2 ms, end: 10 s, control_rate: 2000 Hz}\n"
                                 "method: {integrator: lsrt2}\n"
                                 "substructures:\n"
                                 "  n: {dofs: [x], mass: [1], stiffness: [300], initial: {displacement: {x: 10 mm}}}\n"
                                 "  s: {role: physical, dofs: [x], actuators: {x: a1}, initial: {displacement: {x: 10 "
                                 "mm}}, estimate: {stiffness: [100]}}\n"
                                 "interfaces: [{join: [n.x, s.x]}]\n"
                                 "transfer: {a1: {compensator: {kind: none}}}\n"
                                 "rig:\n"
                                 "  backend: virtual\n"
                                 "  actuators: {a1: {plant: {kind: delay, delay: 3 ms}, sensors: {seed: 7}}}\n"
                                 "  specimen: {dofs: [x], mass: [0], stiffness: [100]}\n";

/* Rounding of a thousand stages, each a few eps of the largest displacement. */
static void with_perfect_actuators_the_specimen_is_its_model(void **state)
{
    static const char *const methods[] = {"lsrt2", "alpha-os", "chang", "cr", "kr-alpha", "central-difference"};

    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        struct yk_model *rig, *models = NULL;
        char set[64];
        const char *const sets[] = {set};

        snprintf(set, sizeof set, "method.integrator=%s", methods[i]);
        rig = parse(two_springs, sets, 1);
        assert_ok(yk_model_with_players(rig, YK_PLAYED_BY_MODELS, &models, &err));
        double *x = run(rig), *y = run(models);
        const double difference = largest_difference(x, y, rig->steps) / largest(y, rig->steps);

        if (!(difference < 1e-12))
            print_error("%s: %g of the largest displacement\n", methods[i], difference);
        assert_true(difference < 1e-12);
        free(x);
        free(y);
        yk_model_close(rig);
        yk_model_close(models);
    }
}

/* The work that an ideally moved spring of 100 N/m has taken is k (u^2 - u0^2)/2; the rule of trapezoids is exact here.
 */
static void the_work_of_the_measured_force_is_accounted_for(void **state)
{
    static const char *const set[] = {"rig.actuators.a1.plant={kind: ideal}"};
    struct yk_model *e = parse(one_spring, set, 1);
    struct yk_energy energy = {0};
    struct yk_state m;
    double u[8], v[8], a[8], most = 0;

    assert_ok(yk_state_open(&m, e, 0, &err));
    assert_int_equal(yk_state_start(&m), YK_OK);
    const struct yk_system *specimen = m.substructures[1].system;
    specimen->ops->account(specimen->self, NULL, (double[]){0.01}, (double[]){0}, &energy);
    for (int i = 0; i < 500; i++) {
        assert_int_equal(yk_state_step(&m), YK_OK);
        yk_state_now(&m, 1, u, v, a);
        specimen->ops->account(specimen->self, NULL, u, v, &energy);
        assert_near(energy.dissipated, 50 * (u[0] * u[0] - 1e-4), 1e-14);
        most = fmax(most, fabs(energy.dissipated));
    }
    assert_true(most > 4e-3);
    yk_state_close(&m);
    yk_model_close(e);
}

/* A specimen K, C behind a spring k at its first degree of freedom, by eliminating the point between: y = (k x0 - b
 * x1)/(k + a). */
static void springs_in_series_weaken_the_estimate(void **state)
{
    const double a = 900, b = -200, d = 500, c0 = 7, c1 = 3, k = 400, y0 = k / (k + a), y1 = -b / (k + a);
    struct yk_matrix K, C;
    struct yk_compliance c = {0};

    assert_ok(yk_matrix_init(&K, YK_DENSE, 2, 2, &err));
    assert_ok(yk_matrix_init(&C, YK_DENSE, 2, 2, &err));
    memcpy(K.x, (double[]){a, b, b, d}, 4 * sizeof *K.x);
    memcpy(C.x, (double[]){c0, 0, 0, c1}, 4 * sizeof *C.x);
    assert_ok(yk_compliance_init(&c, 1, (size_t[]){0}, (double[]){k}, &K, &C, &err));
    assert_near(yk_matrix_get(&K, 0, 0), k - k * k / (k + a), 1e-10);
    assert_near(yk_matrix_get(&K, 0, 1), k * b / (k + a), 1e-10);
    assert_near(yk_matrix_get(&K, 1, 0), k * b / (k + a), 1e-10);
    assert_near(yk_matrix_get(&K, 1, 1), d - b * b / (k + a), 1e-10);
    assert_near(yk_matrix_get(&C, 0, 0), c0 * y0 * y0, 1e-12);
    assert_near(yk_matrix_get(&C, 0, 1), c0 * y0 * y1, 1e-12);
    assert_near(yk_matrix_get(&C, 1, 1), c0 * y1 * y1 + c1, 1e-12);
    yk_compliance_free(&c);
    yk_matrix_fini(&K);
    yk_matrix_fini(&C);
}

/* ---- a late rig ---- */

/* A spring tau late is a damper of -k_E tau beside it: the amplitude grows as exp(k_E tau t/(2 m)). */
static void a_late_spring_is_a_negative_damper(void **state)
{
    static const char *const delays[] = {"1 ms", "2 ms", "3 ms"};

    for (int i = 0; i < 3; i++) {
        char set[64];
        const char *const sets[] = {set};

        snprintf(set, sizeof set, "rig.actuators.a1.plant.delay=%s", delays[i]);
        struct yk_model *e = parse(one_spring, sets, 1);
        double *x = run(e);
        const long second = e->steps / 10;
        /* two peaks eight seconds apart; a window of a second holds three of them */
        const double early = largest(x, second), late = largest(x + 8 * second, second), rate = log(late / early) / 8;

        assert_near_relative(rate, 100 * 1e-3 * (i + 1) / 2, 0.02);
        free(x);
        yk_model_close(e);
    }
}

/* Known sine through a pure delay: x(t) - x(t - tau) = 2 A sin(w tau/2) cos(..), and the least-squares delay of the
 * error is sin(w tau)/w. The first 3 ms, and the straight lines between targets, are what the tolerance is for. */
static void tracking_indices_of_a_sine(void **state)
{
    const double w = 2 * M_PI * 2, A = 0.01, tau = 3e-3, h = 1e-3;
    struct yk_model *e = parse(one_spring, NULL, 0);
    struct yk_system *s = e->substructures[1].system;
    const double zero = 0;
    double out;

    s->ops->rest(s->self, &zero);
    for (int k = 1; k <= 20000; k++) {
        const double u = A * sin(w * h * k), v = A * w * cos(w * h * k);

        specimen_force(s, e->station, h * k, &zero, &u, &v, &out);
    }
    const struct yk_tracking_indices got = yk_station_tracking(e->station, 0);
    assert_near_relative(got.nrms, 2 * sin(w * tau / 2), 1e-3);
    assert_near_relative(got.peak, 2 * A * sin(w * tau / 2), 1e-3);
    assert_near_relative(got.delay_s, sin(w * tau) / w, 1e-3);
    const struct yk_actuator_state last = yk_station_state(e->station, 0);
    assert_near(last.target, A * sin(w * 20), 1e-15);
    assert_near(last.command, last.target, 0);
    assert_near(last.displacement, A * sin(w * (20 - tau)), 1e-6 * A);
    assert_near(last.force, 100 * last.displacement, 1e-15);
    assert_near(out, -last.force, 0);
    yk_model_close(e);
}

/* A filter makes the force late, so the actuator is led by as much more: a Butterworth filter of second order and f Hz
 * by sqrt(2)/(2 pi f), and its sampling by half a tick. What a compensator learns of the actuator must leave that lead,
 * and that of overcompensation. Where the displacement has the same filter, its reading shows no lead. */
static void learning_leaves_the_lead_for_the_load_cell(void **state)
{
    static const char *const learners[] = {"{kind: velocity, delay: 3 ms}",
                                           "{kind: ats, delay: 3 ms}",
                                           "{kind: cats, delay: 3 ms}",
                                           "{kind: amb, delay: 3 ms}",
                                           "{kind: feed-forward, delay: 3 ms, adapt: rls}",
                                           "{kind: feed-forward, coefficients: [1, 3e-3, 4.5e-6, 4.5e-9], adapt: rls}"};
    static const struct {
        const char *set;
        double lead; /* [s] */
    } cases[] = {
        {"rig.actuators.a1.sensors={filter: 60 Hz}", M_SQRT2 / (2 * M_PI * 60) + 0.25e-3},
        {"rig.actuators.a1.sensors={filter: 60 Hz, filter_on: both}", 0},
        {"rig.readings={a1: {force: {filter: 60 Hz}}}", M_SQRT2 / (2 * M_PI * 60) + 0.25e-3},
        {"transfer.a1.feedback={kind: optimal, over: steps, steps: 2}", 4e-3},
    };
    const double w = 2 * M_PI * 2, h = 1e-3, zero = 0;

    for (size_t i = 0; i < sizeof learners / sizeof *learners; i++)
        for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
            char set[128];
            const char *const sets[] = {set, cases[k].set};
            double out;

            if (strstr(learners[i], "coefficients") && strstr(cases[k].set, "both"))
                continue; /* learns the filter of the displacement beside the delay that it is told */
            snprintf(set, sizeof set, "transfer.a1.compensator=%s", learners[i]);
            struct yk_model *e = parse(one_spring, sets, 2);
            struct yk_system *s = e->substructures[1].system;

            s->ops->rest(s->self, &zero);
            for (int n = 1; n <= 20000; n++) {
                const double u = 0.01 * sin(w * h * n), v = 0.01 * w * cos(w * h * n);

                specimen_force(s, e->station, h * n, &zero, &u, &v, &out);
            }
            const struct yk_tracking_indices got = yk_station_tracking(e->station, 0);

            if (fabs(got.delay_s + cases[k].lead) > 0.5e-3 || got.felt_nrms > 0.02)
                print_error("%s, %s: %g s late, felt %g\n", learners[i], cases[k].set, got.delay_s, got.felt_nrms);
            assert_near(got.delay_s, -cases[k].lead, 0.5e-3);
            assert_true(got.felt_nrms < 0.02);
            yk_model_close(e);
        }
}

/* ---- the same numbers again ---- */

#define NOISY                                                                                                          \
    "rig.actuators.a1.sensors={displacement_noise: 1e-5, force_noise: 0.01, force_dropout: 0.01, filter: 100 Hz, "     \
    "seed: 3}"
#define FULL_CHAIN                                                                                                     \
    "transfer.a1={compensator: {kind: velocity, delay: 15 ms}, estimator: {kind: rls}, controller: {kind: imc}}",      \
        "rig.actuators.a1.plant={kind: tt1}"

static void a_start_forgets_everything(void **state)
{
    static const char *const set[] = {FULL_CHAIN, NOISY, "time.end=2"};
    struct yk_model *e = parse(one_spring, set, 4);
    double *first = run(e), *again = run(e);

    assert_memory_equal(first, again, (size_t)e->steps * sizeof *first);
    free(first);
    free(again);
    yk_model_close(e);
}

static void noise_follows_its_seed(void **state)
{
    static const char *const set[] = {NOISY, "time.end=2"}, *const other[] = {NOISY, "time.end=2",
                                                                              "rig.actuators.a1.sensors.seed=4"};
    struct yk_model *a = parse(one_spring, set, 2), *b = parse(one_spring, set, 2), *c = parse(one_spring, other, 3);
    double *x = run(a), *y = run(b), *z = run(c);

    assert_memory_equal(x, y, (size_t)a->steps * sizeof *x);
    assert_true(largest_difference(x, z, a->steps) > 1e-7);
    free(x);
    free(y);
    free(z);
    yk_model_close(a);
    yk_model_close(b);
    yk_model_close(c);
}

/* ---- which force is handed back ---- */

#define EXAMPLE YOKE_SOURCE "/examples/spring-specimen/spring-specimen.yaml"

/* rms of the difference to the same run with the model in the place of the specimen, over its rms. */
static double wrong_by(const char *chain, const char *sensors)
{
    const char *const set[] = {chain, sensors};
    struct yk_model *e, *model;
    double square = 0, difference = 0;

    assert_ok(yk_model_load(&e, EXAMPLE, set, 2, &err));
    assert_ok(yk_model_with_players(e, YK_PLAYED_BY_MODELS, &model, &err));
    double *got = run(e), *wanted = run(model);
    for (long i = 0; i < e->steps; i++) {
        square += wanted[i] * wanted[i];
        difference += (got[i] - wanted[i]) * (got[i] - wanted[i]);
    }
    free(got);
    free(wanted);
    yk_model_close(e);
    yk_model_close(model);
    return sqrt(difference / square);
}

/* 15 ms compensated of the 21 ms that the actuator is late. */
#define TOO_LATE(feedback)                                                                                             \
    "transfer.a1={compensator: {kind: velocity, order: 2, delay: 15 ms}, controller: {kind: imc, filter: 6 ms}, "      \
    "feedback: " feedback "}"

static void a_force_at_the_target_makes_good_what_was_not_compensated(void **state)
{
    static const char silent[] = "rig.actuators.a1.sensors={force_noise: 0}";

    assert_true(wrong_by(TOO_LATE("{}"), silent) > 0.1);
    assert_true(wrong_by(TOO_LATE("{kind: latest}"), silent) > 0.1);
    assert_true(wrong_by(TOO_LATE("{kind: optimal, over: bound, bound: 25 ms}"), silent) < 0.006);
    assert_true(wrong_by(TOO_LATE("{kind: optimal, over: factor, factor: 1.6}"), silent) < 0.006);
    assert_true(wrong_by(TOO_LATE("{kind: optimal, over: steps, steps: 1, monotone: true}"), silent) < 0.006);
    assert_true(wrong_by(TOO_LATE("{kind: corrected}"), silent) < 0.006);
}

/* A filter of the load cell is late too, and is compensated without being asked for. */
static void the_delay_of_a_filter_is_compensated(void **state)
{
    static const char good[] = "transfer.a1.compensator.delay=21 ms";

    assert_true(wrong_by(good, "rig.actuators.a1.sensors={filter: 50 Hz}") < 0.02);
    assert_true(wrong_by(good, "rig.actuators.a1.sensors={filter: 40 Hz, filter_order: 4}") < 0.02);
    assert_true(wrong_by(good, "rig.actuators.a1.sensors={filter: 20 Hz, filter_kind: elliptic, filter_stop: 30 Hz}") <
                0.06);
    assert_true(wrong_by("transfer.a1.compensator={kind: none}", "rig.actuators.a1.sensors={filter: 50 Hz}") > 0.2);
}

/* ---- limits ---- */

static void check_trip(const char *limit, const char *words)
{
    const char *const set[] = {limit, "time.end=1"};
    struct yk_model *e = parse(one_spring, set, 2);

    free(run(e));
    if (!strstr(tripped, words))
        print_error("'%s' has no '%s'\n", tripped, words);
    assert_non_null(strstr(tripped, words));
    yk_model_close(e);
}

/* The force starts at 1 N and grows, as the displacement does from 10 mm. */
static void a_limit_trips_and_says_which(void **state)
{
    check_trip("limits={force: 1.01 N}", "force of a1, ");
    check_trip("limits={force: 1.01 N}", " N, passed its limit of 1.01 N");
    check_trip("limits={displacement: 10.1 mm}", "command of a1, ");
    check_trip("limits={displacement: 10.1 mm}", " m, passed its limit of 0.0101 m");
}

static void no_limit_trips_below_it(void **state)
{
    static const char *const set[] = {"limits={displacement: 20 mm, force: 2 N}", "time.end=1"};
    struct yk_model *e = parse(one_spring, set, 2);

    free(run(e));
    assert_string_equal(tripped, "");
    yk_model_close(e);
}

/* ---- set-up, and the loop ---- */

static struct yk_matrix number(double value)
{
    struct yk_matrix m = {0};

    assert_ok(yk_matrix_init(&m, YK_DIAGONAL, 1, 1, &err));
    m.x[0] = value;
    return m;
}

static struct yk_arena mem; /* of the stations below */

/* One perfect actuator and a spring. */
static enum yk_status open_station(struct yk_station **station, double tick, struct yk_err *why)
{
    static const struct part none = {"none", {{NULL, 0}}}, ideal = {"ideal", {{NULL, 0}}};
    struct yk_virtual_rig *rig = calloc(1, sizeof *rig);
    struct yk_station_parts parts = {.count = 1, .rig = &yk_rig_virtual, .rig_self = rig, .tick = tick};
    struct yk_actuator *a = calloc(1, sizeof *a);

    assert_non_null(a);
    assert_non_null(rig);
    a->name = strdup("a1");
    a->compensator.ops = yk_compensator_find("none");
    a->compensator.self = part_settings(a->compensator.ops->params, a->compensator.ops->size + 1, &none);
    a->controller.ops = yk_controller_find("none");
    a->controller.self = part_settings(a->controller.ops->params, a->controller.ops->size + 1, &none);
    parts.actuators = a;
    rig->count = rig->specimen_count = 1;
    rig->actuators = yk_arena_take(&mem, sizeof *rig->actuators);
    rig->actuators->plant = yk_plant_find("ideal");
    rig->actuators->plant_self = part_settings(rig->actuators->plant->params, rig->actuators->plant->size + 1, &ideal);
    rig->actuators->displacement.gain = rig->actuators->force.gain = rig->actuators->acceleration.gain = 1;
    rig->specimens = yk_arena_take(&mem, sizeof *rig->specimens);
    rig->specimens->count = rig->specimens->moved_count = 1;
    rig->specimens->moved = calloc(1, sizeof *rig->specimens->moved);
    rig->specimens->movers = calloc(1, sizeof *rig->specimens->movers);
    rig->specimens->model = duffing_create(number(0), number(0), number(4), 0, true, NULL, NULL);
    const enum yk_status st = yk_station_create(station, &parts, &mem, why);

    return st ? st : yk_station_open(*station, why);
}

static void whole_ticks_fit_between_two_forces(void **state)
{
    struct yk_station *station;

    assert_ok(open_station(&station, 1e-3, &err));
    assert_ok(yk_station_prepare(station, 10e-3, 2, &err));
    assert_int_equal(yk_station_count(station), 1);
    assert_string_equal(yk_station_name(station, 0), "a1");
    assert_refused(yk_station_prepare(station, 3e-3, 2, &err), YK_E_RANGE, "1.5 control ticks of 0.001 s fit between");
    assert_refused(yk_station_prepare(station, 0.4e-3, 1, &err), YK_E_RANGE,
                   "0.4 control ticks of 0.001 s fit between");
    yk_station_destroy(station);
    yk_arena_free(&mem);
    assert_refused(open_station(&station, -1e-3, &err), YK_E_RANGE, "actuator a1: ideal: tick h = -0.001 s");
    yk_arena_free(&mem);
}

/* A spring of 4 N/m: the force at the end of the ramp, once per call after the start. */
static void a_call_moves_the_specimen_to_the_target(void **state)
{
    struct yk_physical_parts parts = {.M = number(0),
                                      .C = number(0),
                                      .K = number(4),
                                      .u0 = calloc(1, sizeof(double)),
                                      .v0 = calloc(1, sizeof(double))};
    struct yk_system *system;
    double f = 0.5, u = 0, v = 0, out;

    assert_ok(open_station(&parts.station, 1e-3, &err));
    assert_ok(yk_station_prepare(parts.station, 10e-3, 2, &err));
    struct yk_station *station = parts.station;
    assert_ok(yk_physical_create(&system, &parts, NULL, &err));
    yk_system_force(system, 0, &f, &u, &v, &out);
    assert_near(out, 0.5, 0);
    u = 0.25;
    specimen_force(system, station, 5e-3, &f, &u, &v, &out);
    assert_near(out, 0.5 - 1, 1e-15);
    specimen_force(system, station, 5e-3, &f, &u, &v, &out); /* the same instant: nothing moves */
    assert_near(out, 0.5 - 1, 1e-15);
    system->ops->rest(system->self, &u);
    assert_near(yk_station_state(station, 0).force, 1, 1e-15);
    yk_system_destroy(system);
    yk_station_destroy(station);
    yk_arena_free(&mem);
}

/* A perfect actuator on the fine side of every coupling: the same motion as with the model, to rounding; the stiffness
 * is powers of two, so that estimate and reading agree exactly. */
static const char torn[] = "time: {step: 16 ms, end: 0.96 s, control_rate: 1 kHz}\n"
                           "method: {coupling: gc}\n"
                           "substructures:\n"
                           "  A: {rate: coarse, dofs: [x], mass: [1600], damping: [[500]], stiffness: [[40000]]}\n"
                           "  B: {role: physical, rate: fine, dofs: [x], actuators: {x: a1},\n"
                           "      estimate: {mass: [200], stiffness: [[16384]]}}\n"
                           "interfaces: [{join: [A.x, B.x]}]\n"
                           "loads: [{on: A.x, kind: sine, amplitude: 500, frequency: 1 Hz}]\n"
                           "transfer: {a1: {}}\n"
                           "rig:\n"
                           "  backend: virtual\n"
                           "  actuators: {a1: {plant: {kind: ideal}}}\n"
                           "  specimen: {dofs: [x], mass: [0], stiffness: [[16384]]}\n";

static void every_coupling_moves_a_specimen(void **state)
{
    for (const struct yk_coupling_ops *const *c = yk_couplings; *c; c++) {
        char coupling[64];
        const char *const set[] = {coupling,
                                   (*c)->caps & YK_COUPLING_NO_SUBSTEPS ? "time.substeps=1" : "time.substeps=8"};
        const char *const model[] = {coupling, set[1],
                                     "substructures.B={rate: fine, dofs: [x], mass: [200], "
                                     "stiffness: [[16384]]}"};
        struct yk_model *hybrid, *numerical;
        double *got, *wanted;

        if ((*c)->caps & YK_COUPLING_SPECIMENS)
            continue;
        snprintf(coupling, sizeof coupling, "method.coupling=%s", (*c)->name);
        hybrid = parse(torn, set, 2);
        numerical = parse(torn, model, 3);
        got = run(hybrid);
        wanted = run(numerical);
        if (largest_difference(got, wanted, hybrid->steps) > 1e-14 * largest(wanted, hybrid->steps))
            print_error("%s\n", (*c)->name);
        assert_near(largest_difference(got, wanted, hybrid->steps), 0, 1e-14 * largest(wanted, hybrid->steps));
        free(got);
        free(wanted);
        yk_model_close(hybrid);
        yk_model_close(numerical);
    }
}

static void a_model_is_not_physical(void **state)
{
    struct yk_system *model = duffing_create(number(1), number(0), number(4), 0, true, NULL, NULL);

    assert_false(yk_is_physical(model));
    yk_system_destroy(model);
}

static void steps(void *arg)
{
    for (int i = 0; i < 100; i++)
        yk_state_step(arg);
}

static void moving_a_specimen_is_clean(void **state)
{
    static const char *const set[] = {FULL_CHAIN, NOISY};
    struct yk_model *e = parse(one_spring, set, 3);
    struct trap_counts counts = {0};
    struct yk_state m;

    assert_ok(yk_state_open(&m, e, 0, &err));
    assert_int_equal(yk_state_start(&m), YK_OK);
    steps(&m);
    for (int tries = 0; tries < 2; tries++) { /* a page that the kernel moved is not the loop's doing */
        trap_begin();
        steps(&m);
        trap_end(&counts);
        if (counts.page_faults == 0)
            break;
    }
    assert_int_equal(counts.heap_calls, 0);
    assert_int_equal(counts.page_faults, 0);
    const long calls = count_syscalls(steps, &m, NULL);
    assert_true(calls == 0 || calls == TRAP_UNAVAILABLE);
    yk_state_close(&m);
    yk_model_close(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(with_perfect_actuators_the_specimen_is_its_model),
        cmocka_unit_test(the_work_of_the_measured_force_is_accounted_for),
        cmocka_unit_test(springs_in_series_weaken_the_estimate),
        cmocka_unit_test(a_late_spring_is_a_negative_damper),
        cmocka_unit_test(tracking_indices_of_a_sine),
        cmocka_unit_test(learning_leaves_the_lead_for_the_load_cell),
        cmocka_unit_test(a_start_forgets_everything),
        cmocka_unit_test(noise_follows_its_seed),
        cmocka_unit_test(a_force_at_the_target_makes_good_what_was_not_compensated),
        cmocka_unit_test(the_delay_of_a_filter_is_compensated),
        cmocka_unit_test(a_limit_trips_and_says_which),
        cmocka_unit_test(no_limit_trips_below_it),
        cmocka_unit_test(whole_ticks_fit_between_two_forces),
        cmocka_unit_test(a_call_moves_the_specimen_to_the_target),
        cmocka_unit_test(every_coupling_moves_a_specimen),
        cmocka_unit_test(a_model_is_not_physical),
        cmocka_unit_test(moving_a_specimen_is_clean),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
