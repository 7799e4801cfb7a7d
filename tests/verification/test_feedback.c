/* The feedback scheme on the coupled spring-pendulum and with a Bouc-Wen spring: golden states, errors, orders,
 * zero-stability, the stiff pendulum, and the virtual real-time tests. Expected values: independent prototypes (DOP853
 * for the exact states). */
#include "support/check.h"
#include "support/coupled.h"
#include "support/pendulum.h"
#include "support/trap.h"

#include <math.h>
#include <stdlib.h>

#include <yoke/law.h>

#define G_MINUS 0.29289321881345248 /* 1 - sqrt(2)/2 */
#define G_PLUS  1.7071067811865475

enum { LSRT1, LSRT2, LSRT3, ENM, CHANG };
enum { EXACT = 1, LATE_STEP = 1 };
enum { EQUILIBRIUM, DIFFERENTIATION, HERMITE };
enum { X2 = 1, X3 = 2 };

static const double pi = 3.14159265358979323846;
static const char *const names[] = {"lsrt1", "lsrt2", "lsrt3", "explicit-newmark", "chang"};
/* evaluations per step: at equal cost the step is as many times as long */
static const int cost[] = {1, 2, 3, 1, 1};

/* x1, x1', x2, x3 at 1.2 s */
static const double exact[4] = {6.4616045e-3, 3.0695369e-2, -1.3794081e-3, -0.61918903};

struct sine {
    double amplitude, hz;
};

static void shake(void *self, double t, double *f)
{
    const struct sine *s = self;

    f[0] = s->amplitude * sin(2 * pi * s->hz * t);
}

static void rest(void *self, double t, double *f)
{
    memset(f, 0, *(size_t *)self * sizeof *f);
}

/* The problem that is solved: NS of one mass with spring and damper or Bouc-Wen spring, PS with or without pendulum. */
struct problem {
    double m1n, m1p, c1p, k2p; /* k2p = 0: no pendulum */
    bool hysteretic;
    struct sine load;
};

static const struct problem coupled_pendulum = {.m1n = 10, .m1p = 1, .k2p = 400, .load = {12, 2.2}};

/* How. */
struct scheme {
    int integrator;
    double gamma;
    int loop, late, subcycling, substeps;
};

struct run {
    struct torn torn;
    struct yk_coupling c;
    struct sine load;
    size_t nB;
};

static struct yk_matrix one(double x)
{
    struct yk_matrix A = {0};

    assert_ok(yk_matrix_init(&A, YK_DIAGONAL, 1, 1, &err));
    A.x[0] = x;
    return A;
}

static struct yk_system *mass(double m, double c, double k, bool hysteretic)
{
    struct yk_structure_parts parts = {.M = one(m), .C = one(c), .K = one(k)};
    struct yk_system *system;

    parts.u0 = calloc(1, sizeof(double));
    parts.v0 = calloc(1, sizeof(double));
    if (hysteretic) {
        const struct yk_law_ops *law = yk_law_find("bouc-wen");

        parts.elements = calloc(1, sizeof *parts.elements);
        parts.element_count = 1;
        parts.elements[0] = (struct yk_element){.law = law, .settings = calloc(1, law->settings_size), .from = -1};
        yk_param_defaults(law->params, parts.elements[0].settings);
        assert_ok(yk_param_set(law->params, parts.elements[0].settings, "k0", 1000, &err));
        assert_ok(yk_param_set(law->params, parts.elements[0].settings, "beta", 55, &err));
        assert_ok(yk_param_set(law->params, parts.elements[0].settings, "gamma", 45, &err));
        assert_ok(law->prepare(parts.elements[0].settings, &err));
    }
    assert_ok(yk_structure_create(&system, &parts, NULL, &err));
    return system;
}

static struct yk_system *physical(const struct problem *p)
{
    const struct pendulum s = {.platform_mass = p->m1p,
                               .platform_damping = p->c1p,
                               .mass = 0.34,
                               .stiffness = p->k2p,
                               .length = 0.167,
                               .gravity = 9.81};

    if (p->k2p > 0)
        return pendulum_make(&s, (double[]){0, 0, 0.5}, (double[]){0, 0, 0});
    return mass(p->m1p, p->c1p, 0, false);
}

static void open_run(struct run *r, const struct problem *p, const struct scheme *how, double dt)
{
    static const char *const settings[] = {"integrator", "gamma", "loop", "late", "subcycling"};
    struct yk_system *systems[2] = {mass(p->m1n, p->hysteretic ? 0 : 40, p->hysteretic ? 0 : 1000, p->hysteretic),
                                    physical(p)};

    r->load = p->load;
    r->nB = systems[1]->n;
    torn_from_systems(&r->torn, systems, (bool[]){false, true}, 2, &(struct torn_join){0, 0, 1, 0}, 1, dt,
                      how->substeps ? how->substeps : 1);
    torn_load(&r->torn, YK_COARSE, (struct yk_loading){shake, &r->load});
    torn_load(&r->torn, YK_FINE, (struct yk_loading){rest, &r->nB});
    torn_open(&r->c, &r->torn, "feedback", settings,
              (double[]){how->integrator, how->gamma, how->loop, how->late, how->subcycling}, 5, 1);
}

static void close_run(struct run *r)
{
    yk_coupling_destroy(&r->c);
    torn_free(&r->torn);
}

static void look(struct run *r, struct yk_kinematics *a, struct yk_kinematics *b)
{
    r->c.ops->now(r->c.self, YK_COARSE, a);
    r->c.ops->now(r->c.self, YK_FINE, b);
}

/* x1, x1', x2, x3 of the coupled pendulum at 1.2 s */
static void state_at_the_end(const struct scheme *how, int steps, double x[4])
{
    struct run r;
    struct yk_kinematics a, b;

    open_run(&r, &coupled_pendulum, how, 1.2 / steps);
    for (int k = 0; k < steps; k++)
        assert_int_equal(yk_coupling_step(&r.c), YK_OK);
    look(&r, &a, &b);
    x[0] = a.u[0];
    x[1] = a.v[0];
    x[2] = b.u[X2];
    x[3] = b.u[X3];
    close_run(&r);
}

static void errors(const struct scheme *how, int steps, double error[4])
{
    state_at_the_end(how, steps, error);
    for (int i = 0; i < 4; i++)
        error[i] = fabs(error[i] - exact[i]);
}

static void check(const struct scheme *how, const char *what, double got, double wanted, double tolerance)
{
    if (!(fabs(got - wanted) <= tolerance)) {
        print_error("%s: %s is %.13g, wanted %.13g (off by %.2g)\n", names[how->integrator], what, got, wanted,
                    got - wanted);
        fail();
    }
}

static double order(double coarse, double fine)
{
    return log2(coarse / fine);
}

/* ---- the coupled spring-pendulum --------------------------------------------------------------------------------- */

static void golden_states(void **state)
{
    static const struct {
        struct scheme how;
        double x[4];
    } rows[] = {
        {{.integrator = LSRT2}, {6.467150207937e-3, 3.044329057212e-2, -1.380845415624e-3, -0.6194004547545}},
        {{.integrator = ENM}, {6.473445715728e-3, 3.018509438619e-2, -1.373598088854e-3, -0.6196288823696}},
    };

    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        double x[4];

        state_at_the_end(&rows[r].how, 1200, x);
        for (int i = 0; i < 4; i++)
            check(&rows[r].how, "state", x[i], rows[r].x[i], 1e-11);
    }
}

/* Errors of x1 and x1' at 1 ms per evaluation; they halve with the step whatever the integrator. */
static void delay_makes_every_integrator_first_order(void **state)
{
    static const struct {
        struct scheme how;
        double x1, v1;
    } rows[] = {
        {{.integrator = ENM}, 1.18e-5, 5.10e-4},
        {{.integrator = CHANG}, 1.11e-5, 5.11e-4},
        {{.integrator = LSRT2}, 1.08e-5, 5.03e-4},
        {{.integrator = LSRT3}, 1.21e-5, 5.06e-4},
        {{.integrator = LSRT1}, 9.59e-5, 1.65e-3},
        {{.integrator = LSRT2, .late = LATE_STEP}, 9.35e-6, 4.52e-4},
        {{.integrator = LSRT3, .late = LATE_STEP}, 2.49e-5, 1.095e-3},
    };

    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        const struct scheme *how = &rows[r].how;
        const int steps = 1200 / cost[how->integrator];
        double e[2][4];

        errors(how, steps, e[0]);
        errors(how, 2 * steps, e[1]);
        check(how, "error of x1", e[0][0], rows[r].x1, 6e-3 * rows[r].x1);
        check(how, "error of x1'", e[0][1], rows[r].v1, 6e-3 * rows[r].v1);
        check(how, "order of x1", order(e[0][0], e[1][0]), 1, 0.07);
        check(how, "order of x1'", order(e[0][1], e[1][1]), 1, 0.1);
    }
}

/* LSRT3 stays at 2: each side has its own Jacobian. */
static void exact_loop_gives_order_two(void **state)
{
    static const int integrators[] = {LSRT2, LSRT3, ENM, CHANG};

    for (int i = 0; i < 4; i++)
        for (int substeps = 1; substeps <= 6; substeps += 5) {
            const struct scheme how = {.integrator = integrators[i], .loop = EXACT, .substeps = substeps};
            const int steps = 1200 / cost[integrators[i]];
            double e[2][4];

            errors(&how, steps, e[0]);
            errors(&how, 2 * steps, e[1]);
            check(&how, "order of x1", order(e[0][0], e[1][0]), 2, 0.15);
            assert_true(e[0][0] < 8e-7);
        }
}

static void subcycling_errors(void **state)
{
    static const struct {
        struct scheme how;
        double v1, x2, tolerance; /* v1 0: not given */
    } rows[] = {
        {{.integrator = LSRT2, .subcycling = EQUILIBRIUM}, 8.2e-5, 1.45e-7, 0.03},
        {{.integrator = LSRT2, .subcycling = DIFFERENTIATION}, 2.1e-4, 5.13e-6, 0.03},
        {{.integrator = LSRT3, .subcycling = EQUILIBRIUM}, 8.2e-5, 3.5e-7, 0.03},
        {{.integrator = LSRT3, .subcycling = DIFFERENTIATION}, 9.5e-4, 1.7e-6, 0.03},
        {{.integrator = ENM, .subcycling = HERMITE}, 0, 2.1e-6, 0.03},
        {{.integrator = CHANG, .subcycling = HERMITE}, 0, 1.7e-6, 0.03},
        /* a second prototype */
        {{.integrator = ENM, .subcycling = EQUILIBRIUM}, 8.945e-5, 4.333e-7, 2e-3},
        {{.integrator = CHANG, .subcycling = EQUILIBRIUM}, 8.983e-5, 2.989e-7, 2e-3},
        {{.integrator = ENM, .subcycling = DIFFERENTIATION}, 3.336e-4, 7.247e-6, 2e-3},
        {{.integrator = CHANG, .subcycling = DIFFERENTIATION}, 5.345e-4, 7.127e-7, 2e-3},
    };

    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct scheme how = rows[r].how;
        const int steps = 1200 / cost[how.integrator];
        double e[2][4];

        how.substeps = 6;
        errors(&how, steps, e[0]);
        errors(&how, 2 * steps, e[1]);
        check(&how, "error of x2", e[0][2], rows[r].x2, rows[r].tolerance * rows[r].x2);
        if (rows[r].v1 > 0)
            check(&how, "error of x1'", e[0][1], rows[r].v1, rows[r].tolerance * rows[r].v1);
        check(&how, "order of x1'", order(e[0][1], e[1][1]), 1, 0.07);
    }
}

/* Largest |x1| in 3 s with steps of 1 ms; stops beyond 1 m. */
static double largest_motion(const struct problem *p, const struct scheme *how)
{
    struct run r;
    struct yk_kinematics a, b;
    double most = 0;

    open_run(&r, p, how, 1e-3);
    for (int k = 0; k < 3000 && most < 1 && !yk_coupling_step(&r.c); k++) {
        look(&r, &a, &b);
        most = fmax(most, isnan(a.u[0]) ? INFINITY : fabs(a.u[0]));
    }
    close_run(&r);
    return most;
}

static void masses_at_the_interface_decide_zero_stability(void **state)
{
    static const double ratio[] = {0.90, 0.99, 1.01, 1.10};

    for (int integrator = LSRT1; integrator <= CHANG; integrator++)
        for (int i = 0; i < 4; i++) {
            struct problem p = coupled_pendulum;
            struct scheme how = {.integrator = integrator};

            p.m1p = ratio[i] * p.m1n;
            if (ratio[i] < 1)
                assert_true(largest_motion(&p, &how) < 0.01);
            else
                assert_true(largest_motion(&p, &how) > 1);
            how.loop = EXACT;
            assert_true(largest_motion(&p, &how) < 0.01);
        }
}

/* Returns the time at which |x2'| passes 1 km/s, or 0; rms is that of x2' in the first and in the last 0.2 s of 1.8
 * s. */
static double stiff_run(const struct scheme *how, double dt, double rms[2])
{
    struct problem p = coupled_pendulum;
    const long steps = lround(1.8 / dt);
    double sum[2] = {0}, diverged = 0;
    long count[2] = {0};
    struct run r;
    struct yk_kinematics a, b;

    p.k2p = 4e5;
    open_run(&r, &p, how, dt);
    for (long k = 1; k <= steps && diverged == 0; k++) {
        const double t = (double)k * dt;
        const int window = t < 0.2 - 1e-9 ? 0 : t > 1.6 + 1e-9 ? 1 : -1;

        if (yk_coupling_step(&r.c))
            diverged = t;
        look(&r, &a, &b);
        if (!(fabs(b.v[X2]) < 1e3))
            diverged = t;
        if (window >= 0) {
            sum[window] += b.v[X2] * b.v[X2];
            count[window]++;
        }
    }
    for (int i = 0; i < 2; i++)
        rms[i] = sqrt(sum[i] / (double)count[i]);
    close_run(&r);
    return diverged;
}

/* The delay acts as negative damping of the stiff spring; what the method dissipates decides. */
static void stiff_pendulum(void **state)
{
    static const struct {
        double dt0;
        struct scheme how;
        double rms[2], diverged;
    } rows[] = {
        {1e-3 / 3, {.integrator = ENM}, {1.27e-3, 1.56}, 0},
        {1e-3 / 3, {.integrator = CHANG}, {1.26e-3, 1.24}, 0},
        {1e-3 / 3, {.integrator = LSRT2, .gamma = G_MINUS}, {1.08e-3, 0.136}, 0},
        {1e-3 / 3, {.integrator = LSRT2, .gamma = G_PLUS}, {6.4e-5, 3.5e-5}, 0},
        {1e-3 / 3, {.integrator = LSRT3}, {2.7e-4, 3.7e-5}, 0},
        {2e-3, {.integrator = ENM}, {0}, 0.04},
        {2e-3, {.integrator = CHANG}, {0}, 0.67},
        {2e-3, {.integrator = LSRT2, .gamma = G_MINUS}, {1.5e-4, 4.6e-5}, 0},
        {2e-3, {.integrator = LSRT2, .gamma = G_PLUS}, {3.3e-5, 3.5e-5}, 0},
        {2e-3, {.integrator = LSRT3}, {4.9e-5, 5.0e-5}, 0},
    };

    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        const struct scheme *how = &rows[r].how;
        double rms[2];
        const double diverged = stiff_run(how, rows[r].dt0 * cost[how->integrator], rms);

        check(how, "time of divergence", diverged, rows[r].diverged, rows[r].diverged > 0 ? 0.01 : 0);
        if (rows[r].diverged > 0)
            continue;
        check(how, "rms in the first window", rms[0], rows[r].rms[0], 0.02 * rows[r].rms[0]);
        check(how, "rms in the last window", rms[1], rows[r].rms[1], 0.02 * rows[r].rms[1]);
    }
}

/* ---- virtual real-time tests ------------------------------------------------------------------------------------- */

/* Largest |x1| and |z| in 5 s; z is the whole restoring force of the NS at rest. */
static void hysteretic_run(const struct problem *p, const struct scheme *how, double dt, double *x1, double *z)
{
    const long steps = lround(5 / dt);
    struct run r;
    struct yk_kinematics a, b;

    *x1 = *z = 0;
    open_run(&r, p, how, dt);
    for (long k = 0; k < steps; k++) {
        double p1;

        assert_int_equal(yk_coupling_step(&r.c), YK_OK);
        look(&r, &a, &b);
        assert_near(a.u[0], b.u[0], 1e-15);
        assert_near(a.v[0], b.v[0], 1e-15);
        yk_system_force(r.torn.subs[0].system, 0, (double[]){0}, a.u, (double[]){0}, &p1);
        *x1 = fmax(*x1, fabs(a.u[0]));
        *z = fmax(*z, fabs(p1));
    }
    close_run(&r);
}

static void virtual_test_1(void **state)
{
    static const struct problem p = {.m1n = 10, .m1p = 1, .c1p = 50, .hysteretic = true, .load = {12, 1.5}};
    double x1, z;

    hysteretic_run(&p, &(struct scheme){.integrator = LSRT2}, 1e-3, &x1, &z);
    assert_near(x1, 0.017719, 1e-6);
    assert_near(z, 8.868, 5e-4);
    hysteretic_run(&p, &(struct scheme){.integrator = LSRT2, .loop = EXACT}, 1e-3, &x1, &z);
    assert_near(x1, 0.017707, 5e-7);
    assert_near(z, 8.867, 5e-4);
}

static void virtual_tests_2_and_3_are_stable(void **state)
{
    struct problem p = coupled_pendulum;
    double x1, z;

    hysteretic_run(&p, &(struct scheme){.integrator = LSRT2}, 2e-3, &x1, &z);
    assert_true(x1 < 0.02);
    p.hysteretic = true;
    p.load = (struct sine){20, 1.2};
    hysteretic_run(&p, &(struct scheme){.integrator = LSRT2}, 2e-3, &x1, &z);
    assert_true(x1 < 0.1 && z < 10);
}

/* ---- other structures -------------------------------------------------------------------------------------------- */

/* The sides exchanged: A carries the pendulum, whose mass is divided out. With the loop solved the error is of order 2
 * against the same exact state. */
static void pendulum_on_the_coarse_side(void **state)
{
    const struct pendulum s = {10, 40, 1000, 0.34, 400, 0.167, 9.81};
    double error[2];

    for (int fine = 0; fine < 2; fine++) {
        struct yk_system *systems[2] = {pendulum_make(&s, (double[]){0, 0, 0.5}, (double[]){0, 0, 0}),
                                        mass(1, 0, 0, false)};
        struct sine load = {12, 2.2};
        size_t nA = 3;
        struct torn t;
        struct yk_coupling c;
        struct yk_kinematics now;

        torn_from_systems(&t, systems, (bool[]){false, true}, 2, &(struct torn_join){0, 0, 1, 0}, 1, 1e-3 / (1 + fine),
                          1);
        torn_load(&t, YK_COARSE, (struct yk_loading){rest, &nA});
        torn_load(&t, YK_FINE, (struct yk_loading){shake, &load});
        torn_open(&c, &t, "feedback", (const char *[]){"loop"}, (double[]){EXACT}, 1, 1);
        for (int k = 0; k < 1200 * (1 + fine); k++)
            assert_int_equal(yk_coupling_step(&c), YK_OK);
        c.ops->now(c.self, YK_COARSE, &now);
        error[fine] = fabs(now.u[X2] - exact[2]);
        assert_near(now.u[0], exact[0], 1e-6);
        assert_near(now.u[X3], exact[3], 1e-5);
        yk_coupling_destroy(&c);
        torn_free(&t);
    }
    assert_near(order(error[0], error[1]), 2, 0.1);
}

/* Two joined degrees of freedom on each side and one of its own, B lighter: with the loop solved, explicit Newmark on
 * the torn structure is explicit Newmark on the whole one. */
static void two_rows_with_the_loop_solved_are_the_untorn_structure(void **state)
{
    static const double MA[9] = {4, 0.5, 0, 0.5, 5, 0, 0, 0, 3}, KA[9] = {300, -100, 0, -100, 250, -80, 0, -80, 120};
    static const double MB[9] = {1, 0.1, 0, 0.1, 1.5, 0.2, 0, 0.2, 2},
                        KB[9] = {90, -30, -20, -30, 80, -10, -20, -10, 60};
    static const double uA[3] = {0.01, -0.02, 0.03}, uB[3] = {0.01, -0.02, 0.05};
    static const struct torn_part parts[] = {{false, 3, MA, NULL, KA, uA, NULL}, {true, 3, MB, NULL, KB, uB, NULL}};
    static const struct torn_join joins[] = {{0, 0, 1, 0}, {0, 1, 1, 1}};
    const struct yk_integrator_ops *ops = yk_integrator_find("newmark");
    struct torn t;
    struct yk_coupling c;
    struct yk_kinematics side, whole;
    struct yk_domain d;
    double local[3];
    void *settings = calloc(1, ops->size);

    torn_make(&t, parts, 2, joins, 2, 0.01, 1);
    torn_open(&c, &t, "feedback", (const char *[]){"integrator", "loop"}, (double[]){ENM, EXACT}, 2, 1);
    yk_param_defaults(ops->params, settings);
    assert_ok(yk_param_set(ops->params, settings, "beta", 0, &err));
    assert_ok(yk_domain_create(&d, ops, settings, t.untorn.system, (struct yk_loading){0}, 0.01, NULL, &err));
    assert_int_equal(yk_domain_start(&d, t.untorn.system->u0, t.untorn.system->v0), YK_OK);
    for (int k = 0; k < 200; k++) {
        assert_int_equal(yk_coupling_step(&c), YK_OK);
        assert_int_equal(yk_domain_step(&d), YK_OK);
    }
    yk_domain_now(&d, &whole);
    for (int s = 0; s < YK_SIDES; s++) {
        c.ops->now(c.self, s, &side);
        yk_coupled_from_untorn(t.problem, whole.u, s, local);
        for (int i = 0; i < 3; i++)
            assert_near(side.u[i], local[i], 1e-12);
    }
    yk_domain_destroy(&d);
    free(settings);
    yk_coupling_destroy(&c);
    torn_free(&t);
}

/* A state that was saved and put back goes on bit by bit. */
static void restarts_repeat_bit_by_bit(void **state)
{
    static const struct scheme schemes[] = {
        {.integrator = LSRT1},
        {.integrator = LSRT2},
        {.integrator = LSRT3, .late = LATE_STEP},
        {.integrator = ENM},
        {.integrator = CHANG},
        {.integrator = LSRT2, .loop = EXACT},
        {.integrator = LSRT2, .substeps = 6},
        {.integrator = LSRT3, .substeps = 6, .subcycling = DIFFERENTIATION},
        {.integrator = CHANG, .substeps = 6, .subcycling = HERMITE},
        {.integrator = ENM, .substeps = 6, .late = LATE_STEP},
    };

    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        struct run r;
        struct yk_span spans[8];
        struct yk_kinematics a, b;
        double kept[8][32], end[2][6];
        size_t count;

        open_run(&r, &coupled_pendulum, &schemes[i], 2e-3);
        count = r.c.ops->state(r.c.self, spans, 8);
        for (int again = 0; again < 2; again++) {
            if (again) {
                for (size_t k = 0; k < count; k++)
                    memcpy(spans[k].x, kept[k], spans[k].n * sizeof(double));
                r.c.problem->step = 50;
                assert_int_equal(r.c.ops->resume(r.c.self), YK_OK);
            }
            while (r.c.problem->step < 100) {
                for (size_t k = 0; k < count && r.c.problem->step == 50; k++)
                    memcpy(kept[k], spans[k].x, spans[k].n * sizeof(double));
                assert_int_equal(yk_coupling_step(&r.c), YK_OK);
            }
            look(&r, &a, &b);
            memcpy(end[again], (double[]){a.u[0], a.v[0], b.u[X2], b.v[X2], b.u[X3], b.v[X3]}, sizeof end[again]);
        }
        assert_memory_equal(end[0], end[1], sizeof end[0]);
        close_run(&r);
    }
}

static void steps_do_not_touch_the_heap(void **state)
{
    static const struct scheme schemes[] = {
        {.integrator = LSRT3},
        {.integrator = CHANG, .loop = EXACT},
        {.integrator = LSRT2, .substeps = 6},
        {.integrator = ENM, .substeps = 6, .subcycling = HERMITE},
    };

    if (!trap_sees_heap())
        skip();
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        struct run r;
        struct trap_counts counts;

        open_run(&r, &coupled_pendulum, &schemes[i], 2e-3);
        trap_begin();
        for (int k = 0; k < 10; k++)
            yk_coupling_step(&r.c);
        trap_end(&counts);
        assert_int_equal(counts.heap_calls, 0);
        close_run(&r);
    }
}

/* ---- what is refused --------------------------------------------------------------------------------------------- */

static enum yk_status try_split_mass(const struct scheme *how, struct yk_err *err)
{
    const struct yk_coupling_ops *ops = yk_coupling_find("feedback");
    void *settings = calloc(1, ops->size);
    struct torn t;
    struct yk_coupling c;
    enum yk_status st;

    yk_param_defaults(ops->params, settings);
    yk_param_set(ops->params, settings, "integrator", how->integrator, err);
    yk_param_set(ops->params, settings, "gamma", how->gamma, err);
    yk_param_set(ops->params, settings, "loop", how->loop, err);
    yk_param_set(ops->params, settings, "subcycling", how->subcycling, err);
    torn_split_mass(&t, 10, 1, 1, 0.01, how->substeps);
    if (!(st = yk_coupling_create(&c, ops, settings, t.problem, NULL, err)))
        yk_coupling_destroy(&c);
    torn_free(&t);
    free(settings);
    return st;
}

static void settings_that_do_not_fit_are_refused(void **state)
{
    assert_refused(try_split_mass(&(struct scheme){.integrator = LSRT3, .substeps = 10}, &err), YK_E_INPUT,
                   "not a multiple of the 3 stages of lsrt3");
    assert_refused(try_split_mass(&(struct scheme){.integrator = CHANG, .gamma = 0.5, .substeps = 1}, &err), YK_E_INPUT,
                   "gamma is a setting of lsrt1 and lsrt2");
    assert_refused(try_split_mass(&(struct scheme){.integrator = LSRT1, .substeps = 2, .subcycling = HERMITE}, &err),
                   YK_E_UNSUPPORTED, "does not work with lsrt1");
    assert_refused(try_split_mass(&(struct scheme){LSRT2, 0, EXACT, 0, DIFFERENTIATION, 2}, &err), YK_E_UNSUPPORTED,
                   "loop: exact with substeps needs subcycling: equilibrium");
    assert_ok(try_split_mass(&(struct scheme){.integrator = LSRT2, .substeps = 10}, &err));
}

/* Two coarse masses joined to each other, one of them to the fine one. */
static void rows_without_the_fine_side_are_refused(void **state)
{
    const struct yk_coupling_ops *ops = yk_coupling_find("feedback");
    const double m = 1, k = 10;
    const struct torn_part parts[] = {{false, 1, &m, NULL, &k, NULL, NULL},
                                      {false, 1, &m, NULL, &k, NULL, NULL},
                                      {true, 1, &m, NULL, &k, NULL, NULL}};
    const struct torn_join joins[] = {{0, 0, 1, 0}, {0, 0, 2, 0}};
    void *settings = calloc(1, ops->size);
    struct torn t;
    struct yk_coupling c;

    yk_param_defaults(ops->params, settings);
    torn_make(&t, parts, 3, joins, 2, 0.01, 1);
    assert_refused(yk_coupling_create(&c, ops, settings, t.problem, NULL, &err), YK_E_UNSUPPORTED,
                   "must take part in every interface row");
    torn_free(&t);
    free(settings);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(golden_states),
        cmocka_unit_test(delay_makes_every_integrator_first_order),
        cmocka_unit_test(exact_loop_gives_order_two),
        cmocka_unit_test(subcycling_errors),
        cmocka_unit_test(masses_at_the_interface_decide_zero_stability),
        cmocka_unit_test(stiff_pendulum),
        cmocka_unit_test(virtual_test_1),
        cmocka_unit_test(virtual_tests_2_and_3_are_stable),
        cmocka_unit_test(pendulum_on_the_coarse_side),
        cmocka_unit_test(two_rows_with_the_loop_solved_are_the_untorn_structure),
        cmocka_unit_test(restarts_repeat_bit_by_bit),
        cmocka_unit_test(steps_do_not_touch_the_heap),
        cmocka_unit_test(settings_that_do_not_fit_are_refused),
        cmocka_unit_test(rows_without_the_fine_side_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
