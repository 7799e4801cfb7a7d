/* Actuators that act on each other. Expected: the plant by its eigenvalues, which the code does not use, and in the
 * loop by a Runge-Kutta integration of its equations beside it; the controller by the inverse of a 2 x 2 matrix. */
#include "support/between.h"
#include "support/check.h"
#include "support/method.h"
#include "support/scratch.h"

#include <yoke/linalg.h>

#include <math.h>
#include <stdlib.h>

#define TICK 1e-3
#define DEAD 2.5e-3 /* s */

static void *block_of(const struct yk_param *params, size_t size)
{
    void *self;

    assert_ok(yk_param_settings(params, size, &self, &err));
    return self;
}

/* ---- the plant ---- */

/* A = V diag(-20, -50) V^-1 with V = [1 1; 1 -2], C = 1: y(t) = V (1 - e^(lambda t))/(-lambda) V^-1 B u after a step.
 */
static void a_coupled_plant_answers_a_step_by_its_modes(void **state)
{
    const double A[] = {-30, 10, 20, -40}, B[] = {24, -5, -18, 37}, C[] = {1, 0, 0, 1}, zero[2] = {0};
    const double V[2][2] = {{1, 1}, {1, -2}}, W[2][2] = {{2.0 / 3, 1.0 / 3}, {1.0 / 3, -1.0 / 3}},
                 lambda[2] = {-20, -50}, u[2] = {0.01, -0.004};
    const struct yk_plant_ops *ops = yk_plant_find("state-space");
    struct yk_plant_output out[2];
    struct yk_arena mem = {0};
    void *self;

    assert_non_null(ops);
    self = block_of(ops->params, ops->size);
    set_reals(ops->params, self, "A", A, 4);
    set_reals(ops->params, self, "B", B, 4);
    set_reals(ops->params, self, "C", C, 4);
    assert_ok(yk_param_set(ops->params, self, "dead_time", DEAD, &err));
    assert_ok(ops->joint->init(self, 2, TICK, &mem, &err));
    ops->joint->reset(self, zero);
    for (int k = 1; k <= 300; k++) {
        const double t = fmax(k * TICK - DEAD, 0);

        ops->joint->step(self, u, zero, out);
        for (int i = 0; i < 2; i++) {
            double y = 0, v = 0;

            for (int m = 0; m < 2; m++) {
                double in = 0;

                for (int j = 0; j < 2; j++)
                    in += W[m][j] * (B[2 * j] * u[0] + B[2 * j + 1] * u[1]);
                y += V[i][m] * in * expm1(lambda[m] * t) / lambda[m];
                v += V[i][m] * in * exp(lambda[m] * t);
            }
            assert_near(out[i].x, y, 1e-15);
            if (k * TICK > DEAD)
                assert_near(out[i].v, v, 1e-13);
        }
    }
    yk_param_free(ops->params, self);
    free(self);
    yk_arena_free(&mem);
}

static void a_coupled_plant_rests_where_it_is_put(void **state)
{
    const double A[] = {-30, 10, 20, -40}, B[] = {24, -5, -18, 37}, C[] = {1, 0, 0, 1}, at[2] = {0.02, -0.01},
                 zero[2] = {0};
    const struct yk_plant_ops *ops = yk_plant_find("state-space");
    void *self = block_of(ops->params, ops->size);
    struct yk_plant_output out[2];
    struct yk_arena mem = {0};
    /* drives at rest by Cramer's rule: -A y = B u */
    const double r[2] = {30 * at[0] - 10 * at[1], -20 * at[0] + 40 * at[1]}, det = 24 * 37 - 5 * 18,
                 u[2] = {(37 * r[0] + 5 * r[1]) / det, (18 * r[0] + 24 * r[1]) / det};

    set_reals(ops->params, self, "A", A, 4);
    set_reals(ops->params, self, "B", B, 4);
    set_reals(ops->params, self, "C", C, 4);
    assert_ok(ops->joint->init(self, 2, TICK, &mem, &err));
    ops->joint->reset(self, at);
    for (int k = 0; k < 20; k++) {
        ops->joint->step(self, u, zero, out);
        for (int i = 0; i < 2; i++) {
            assert_near(out[i].x, at[i], 1e-15);
            assert_near(out[i].v, 0, 1e-13);
        }
    }
    yk_param_free(ops->params, self);
    free(self);
    yk_arena_free(&mem);
}

static void matrices_that_do_not_fit_are_refused(void **state)
{
    const double A[] = {-30, 10, 20, -40}, singular[] = {1, 2, 2, 4};
    const struct yk_plant_ops *ops = yk_plant_find("state-space");
    static const struct {
        size_t a, b, c;
        bool singular;
        const char *words;
    } cases[] = {{3, 4, 4, false, "A has 3 numbers; it must be square"},
                 {4, 2, 4, false, "B has 2 numbers; 2 states and 2 actuators need 2 x 2"},
                 {4, 4, 3, false, "C has 3 numbers; 2 states and 2 actuators need 2 x 2"},
                 {4, 4, 4, true, "A is singular"}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        void *self = block_of(ops->params, ops->size);
        struct yk_arena mem = {0};

        set_reals(ops->params, self, "A", cases[i].singular ? singular : A, cases[i].a);
        set_reals(ops->params, self, "B", A, cases[i].b);
        set_reals(ops->params, self, "C", A, cases[i].c);
        assert_refused(ops->joint->init(self, 2, TICK, &mem, &err), cases[i].singular ? YK_E_SINGULAR : YK_E_RANGE,
                       cases[i].words);
        yk_param_free(ops->params, self);
        free(self);
        yk_arena_free(&mem);
    }
}

/* ---- the controller ---- */

/* P = [1 0.3; -0.2 0.9], det 0.96 */
static void decoupling_inverts_the_static_gain(void **state)
{
    const double P[] = {1, 0.3, -0.2, 0.9}, zero[2] = {0};
    const struct yk_controller_ops *ops = yk_controller_find("decoupling");
    double z[2] = {0}, drive[2];
    struct yk_arena mem = {0};
    void *self;

    assert_non_null(ops);
    self = block_of(ops->params, ops->size);
    set_reals(ops->params, self, "static_gain", P, 4);
    assert_ok(yk_param_set(ops->params, self, "K", 0.5, &err));
    assert_ok(yk_param_set(ops->params, self, "I", 2, &err));
    assert_ok(ops->joint->init(self, 2, TICK, &mem, &err));
    ops->joint->reset(self, zero);
    for (int k = 1; k <= 100; k++) {
        const double r[2] = {0.01 * sin(0.1 * k), 0.02 * cos(0.07 * k)}, y[2] = {0.9 * r[0], r[1] - 0.001};
        double v[2];

        for (int i = 0; i < 2; i++) {
            z[i] += TICK * (r[i] - y[i]);
            v[i] = r[i] + 0.5 * (r[i] - y[i]) + 2 * z[i];
        }
        ops->joint->step(self, r, y, drive);
        assert_near(drive[0], (0.9 * v[0] - 0.3 * v[1]) / 0.96, 1e-16);
        assert_near(drive[1], (0.2 * v[0] + v[1]) / 0.96, 1e-16);
        if (k == 50) { /* clipped to nothing: z is what would have given that */
            ops->joint->clipped(self, zero);
            for (int i = 0; i < 2; i++)
                z[i] = -(r[i] + 0.5 * (r[i] - y[i])) / 2;
        }
    }
    yk_param_free(ops->params, self);
    free(self);
    yk_arena_free(&mem);
}

/* ---- in the loop ---- */

#define FILE_(a1, a2, joint)                                                                                           \
    "title: two actuators that interact\n"                                                                             \
    "time: {step: 10 ms, end: 1 s, control_rate: 1000 Hz}\n"                                                           \
    "method: {integrator: lsrt2}\n"                                                                                    \
    "substructures:\n"                                                                                                 \
    "  frame: {dofs: [x, y], mass: [1800, 1200], damping: [1130.97, 900], stiffness: [71061, 60000]}\n"                \
    "  specimen: {role: physical, dofs: [x, y], actuators: {x: a1, y: a2},\n"                                          \
    "             estimate: {stiffness: [[35530, -9000], [-9000, 18000]]}}\n"                                          \
    "interfaces: [{join: [frame.x, specimen.x]}, {join: [frame.y, specimen.y]}]\n"                                     \
    "loads: [{on: frame.x, kind: sine, amplitude: 1000 N, frequency: 1.3 Hz},\n"                                       \
    "        {on: frame.y, kind: sine, amplitude: 600 N, frequency: 1.1 Hz}]\n"                                        \
    "transfer: {a1: " a1 ", a2: " a2 ", joint: [{actuators: [a1, a2], " joint "}]}\n"                                  \
    "rig:\n"                                                                                                           \
    "  backend: virtual\n"                                                                                             \
    "  actuators: {a1: {}, a2: {}}\n"                                                                                  \
    "  joint: [{actuators: [a1, a2], plant: {kind: state-space, A: [[-60, 10], [5, -40]], B: [[62, 9], [-13, "         \
    "34.5]],\n"                                                                                                        \
    "           C: [[1, 0], [0, 1]], F: [[1e-6, 2e-7], [0, 1e-6]], dead_time: 2.5 ms}}]\n"                             \
    "  specimen: {dofs: [x, y], mass: [0, 0], stiffness: [[35530, -9000], [-9000, 18000]]}\n"
#define DECOUPLED "controller: {kind: decoupling, static_gain: [[1, 0.3], [-0.2, 0.9]], K: 0.5, I: 2}"
#define LATE      "{compensator: {kind: lagrange, order: 3, delay: 20 ms}}"

/* The plant beside the loop: x' = A x + B u(t - dead time) + F f, f as the load cells read it before. */
static struct {
    double x[2], force[2], drives[8][2]; /* drives: newest first */
    double worst, largest;
} beside;

static void slope(const double *x, const double *u, double *dx)
{
    const double f[2] = {1e-6 * beside.force[0] + 2e-7 * beside.force[1], 1e-6 * beside.force[1]};

    dx[0] = -60 * x[0] + 10 * x[1] + 62 * u[0] + 9 * u[1] + f[0];
    dx[1] = 5 * x[0] - 40 * x[1] - 13 * u[0] + 34.5 * u[1] + f[1];
}

static void integrate(double h, const double *u)
{
    enum { STEPS = 20 };

    for (int k = 0; k < STEPS; k++) {
        double s[4][2], at[2];

        slope(beside.x, u, s[0]);
        for (int stage = 1; stage < 4; stage++) {
            for (int i = 0; i < 2; i++)
                at[i] = beside.x[i] + h / STEPS * (stage < 3 ? 0.5 : 1) * s[stage - 1][i];
            slope(at, u, s[stage]);
        }
        for (int i = 0; i < 2; i++)
            beside.x[i] += h / STEPS / 6 * (s[0][i] + 2 * s[1][i] + 2 * s[2][i] + s[3][i]);
    }
}

static enum yk_rig_answer compare(struct between *b, struct yk_reading *r)
{
    memmove(beside.drives + 1, beside.drives, sizeof beside.drives - sizeof *beside.drives);
    for (int i = 0; i < 2; i++)
        beside.drives[0][i] = b->wire[i].sent;
    integrate(0.5 * TICK, beside.drives[3]); /* 2.5 ticks of dead time: the drive changes in the middle */
    integrate(0.5 * TICK, beside.drives[2]);
    for (int i = 0; i < 2; i++) {
        beside.worst = fmax(beside.worst, fabs(r[i].displacement - beside.x[i]));
        beside.largest = fmax(beside.largest, fabs(beside.x[i]));
        beside.force[i] = r[i].force;
    }
    return YK_RIG_FRESH;
}

static void in_the_loop_the_plant_follows_its_equations(void **state)
{
    struct between b = {.happen = compare, .from = 1, .unpaced = true, .clock = yk_clock_virtual(1)};
    struct yk_model *e = recorded_parse(FILE_(LATE, LATE, DECOUPLED), NULL, 0);
    struct recorded r;

    memset(&beside, 0, sizeof beside);
    between_run(&b, &between_ops, e, &r);
    assert_int_equal(r.status, YK_OK);
    assert_true(r.result.finished);
    assert_true(beside.largest > 0.01);
    assert_true(beside.worst < 1e-12); /* Runge-Kutta with 40 steps a tick: (60 x 25 us)^4/120 of 20 mm is 4e-14 */
    recorded_free(&r);
    yk_model_close(e);
}

/* Tracking with and without it, on a plant that has cross gains of 0.3 and -0.2. */
static void decoupling_makes_coupled_actuators_track(void **state)
{
    static const char text[] = FILE_(LATE, LATE, DECOUPLED);
    double nrms[2];
    struct yk_run_settings settings = yk_run_defaults();

    for (int k = 0; k < 2; k++) {
        struct yk_model *e = recorded_parse(
            text, (const char *[]){k ? "transfer={a1: " LATE ", a2: " LATE "}" : "limits={force: 0}"}, 1);
        struct yk_run_control control = {0};
        struct recorded r;

        recorded_run(&r, e, &settings, &control);
        nrms[k] = fmax(r.result.tracked[0].indices.nrms, r.result.tracked[1].indices.nrms);
        recorded_free(&r);
        yk_model_close(e);
    }
    assert_true(nrms[0] < 0.06);
    assert_true(nrms[1] > 0.15 || !isfinite(nrms[1]));
}

/* ---- a joint compensator, of a plugin ---- */

/* x + delay v for each, told to all of them together: the same bits as for each by itself. */
static void a_joint_compensator_serves_as_those_of_each_do(void **state)
{
    static const char text[] = FILE_("{}", "{}", DECOUPLED);
    static const char *const each =
        "transfer={a1: &c {compensator: {kind: plugin, library: " YOKE_BINARY
        "/tests/plugins/lead_alone.so, delay: 20 ms}}, a2: *c, joint: [{actuators: [a1, a2], " DECOUPLED "}]}";
    static const char *const all =
        "transfer={a1: &c {compensator: {kind: none}}, a2: *c, joint: [{actuators: [a1, a2], " DECOUPLED
        ", compensator: {kind: plugin, library: " YOKE_BINARY "/tests/plugins/lead_together.so, lead: 20 ms}}]}";
    const char *const cases[] = {each, all};
    struct yk_run_settings settings = yk_run_defaults();
    double last[2][2];

    for (int k = 0; k < 2; k++) {
        struct yk_model *e = recorded_parse(text, &cases[k], 1);
        struct yk_run_control control = {0};
        struct recorded r;

        recorded_run(&r, e, &settings, &control);
        assert_int_equal(r.status, YK_OK);
        for (int i = 0; i < 2; i++)
            last[k][i] = r.rows[0][(r.count[0] - 1) * r.width[0] + 1 + (size_t)(3 * i)];
        recorded_free(&r);
        yk_model_close(e);
    }
    assert_memory_equal(last[0], last[1], sizeof last[0]);
    assert_true(fabs(last[0][0]) > 1e-4);
}

static void joint_methods_stand_in_their_own_list(void **state)
{
    static const char text[] = FILE_(LATE, LATE, DECOUPLED);
    static const struct {
        const char *set, *words;
        enum yk_status status;
    } cases[] = {
        {"transfer.a1={controller: {kind: decoupling, static_gain: [1]}}",
         "controller decoupling serves several actuators together", YK_E_INPUT},
        {"transfer.a1={controller: {kind: imc, filter: 6 ms}}", "actuator 'a1' has a controller of its own, imc",
         YK_E_INPUT},
        {"transfer.joint=[{actuators: [a1, a2], controller: {kind: imc, filter: 6 ms}}]",
         "controller imc serves one actuator", YK_E_INPUT},
        {"transfer.joint=[{actuators: [a1, a3], controller: {kind: decoupling, static_gain: [1, 0, 0, 1]}}]",
         "'a3' moves no degree of freedom", YK_E_INPUT},
        {"transfer.joint=[{actuators: [a1, a2], controller: {kind: decoupling, static_gain: [1, 0, 0]}}]",
         "static_gain has 3 numbers; 2 actuators need 2 x 2", YK_E_RANGE},
        {"rig.actuators.a1={plant: {kind: tt1}}", "actuator 'a1' has a plant of its own and is in a joint one",
         YK_E_INPUT},
        {"rig.joint=[{actuators: [a1, a2], plant: {kind: tt1}}]", "plant tt1 is that of one actuator", YK_E_INPUT},
        {"rig.joint=[{actuators: [a1, a2, a1], plant: {kind: state-space, A: [-1], B: [1, 1], C: [1, 1]}}]",
         "'a1' is not an actuator of this rig, or is named twice", YK_E_INPUT},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct yk_model *e = NULL;

        assert_refused(yk_model_parse(&e, "joint.yaml", text, strlen(text), &cases[i].set, 1, &err), cases[i].status,
                       cases[i].words);
        yk_model_close(e);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_coupled_plant_answers_a_step_by_its_modes),
        cmocka_unit_test(a_coupled_plant_rests_where_it_is_put),
        cmocka_unit_test(matrices_that_do_not_fit_are_refused),
        cmocka_unit_test(decoupling_inverts_the_static_gain),
        cmocka_unit_test(in_the_loop_the_plant_follows_its_equations),
        cmocka_unit_test(decoupling_makes_coupled_actuators_track),
        cmocka_unit_test(a_joint_compensator_serves_as_those_of_each_do),
        cmocka_unit_test(joint_methods_stand_in_their_own_list),
    };

    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
