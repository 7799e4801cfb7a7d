/* The specimen of a virtual rig: free degrees of freedom against exact solutions, its force on the actuators, and what
 * is refused. Expected values: closed forms, the exponential of the linear system, and for the pendulum and for
 * hysteresis the equations written out anew and integrated in steps of 10 us. The bound is 1e-6 of the response. */
#include "support/check.h"
#include "support/pendulum.h"
#include "support/trap.h"

#include "rig/virtual/specimen.h"
#include <yoke/substructure.h>

#include <math.h>
#include <stdlib.h>

static const double tick = 1e-3;

/* ---- models ---- */

struct law {
    const char *kind;
    long from, to;
    struct {
        const char *name;
        double value;
    } set[4];
};

static struct yk_element element_of(const struct law *law)
{
    struct yk_element e = {.law = yk_law_find(law->kind), .from = law->from, .to = law->to};

    assert_non_null(e.law);
    e.settings = calloc(1, e.law->settings_size + 1);
    assert_non_null(e.settings);
    yk_param_defaults(e.law->params, e.settings);
    for (int i = 0; i < 4 && law->set[i].name; i++)
        assert_ok(yk_param_set(e.law->params, e.settings, law->set[i].name, law->set[i].value, &err));
    if (e.law->prepare)
        assert_ok(e.law->prepare(e.settings, &err));
    return e;
}

/* Masses by rows, elements, initial state; massless is allowed. */
static struct yk_system *structure(size_t n, const double *M, size_t count, const struct law *laws, const double *u0,
                                   const double *v0)
{
    struct yk_structure_parts parts = {.massless = true};
    struct yk_system *system = NULL;

    assert_ok(yk_matrix_init(&parts.M, YK_DENSE, n, n, &err));
    assert_ok(yk_matrix_init(&parts.C, YK_DIAGONAL, n, n, &err));
    assert_ok(yk_matrix_init(&parts.K, YK_DIAGONAL, n, n, &err));
    memcpy(parts.M.x, M, n * n * sizeof *M);
    parts.elements = calloc(count + 1, sizeof *parts.elements);
    parts.u0 = calloc(n, sizeof(double));
    parts.v0 = calloc(n, sizeof(double));
    assert_true(parts.elements && parts.u0 && parts.v0);
    for (size_t i = 0; i < count; i++)
        parts.elements[parts.element_count++] = element_of(&laws[i]);
    if (u0)
        memcpy(parts.u0, u0, n * sizeof *u0);
    if (v0)
        memcpy(parts.v0, v0, n * sizeof *v0);
    assert_ok(yk_structure_create(&system, &parts, NULL, &err));
    return system;
}

static struct yk_specimen *mount(struct yk_system *system, size_t count, const size_t *moved)
{
    const struct yk_specimen_mounting plan = {.system = system, .count = count, .moved = moved, .tick = tick};
    struct yk_specimen *s = NULL;

    assert_ok(yk_specimen_create(&s, &plan, NULL, &err));
    return s;
}

static void dismount(struct yk_specimen *s, struct yk_system *system)
{
    yk_specimen_destroy(s);
    yk_system_destroy(system);
}

/* ---- nothing is free ---- */

static void without_free_ones_it_is_one_evaluation(void **state)
{
    static const double M[] = {2, 0.5, 0.5, 1};
    static const struct law laws[] = {{"cubic-spring", -1, 0, {{"stiffness", 300}, {"cubic", 5e4}}},
                                      {"friction", 0, 1, {{"force", 3}, {"slip_velocity", 0.01}}}};
    struct yk_system *system = structure(2, M, 2, laws, NULL, NULL);
    struct yk_specimen *s = mount(system, 2, (size_t[]){1, 0}); /* in another order */
    const double x[] = {0.02, -0.01}, v[] = {0.1, 0.3}, a[] = {-4, 7};
    const double slip = 3 * tanh((0.1 - 0.3) / 0.01);
    double r[2];

    yk_specimen_step(s, tick, x, v, a, r);
    assert_near(r[0], 0.5 * 7 + 1 * -4 + slip, 1e-14);
    assert_near(r[1], 2 * 7 + 0.5 * -4 + 300 * -0.01 + 5e4 * -1e-6 - slip, 1e-13);
    dismount(s, system);
}

/* The pendulum held in all of its degrees of freedom: the generalised forces of eq. (33) of integrators.md. */
static void a_mass_that_is_divided_out_comes_back(void **state)
{
    static const struct pendulum q = {1, 5, 30, 0.34, 400, 0.167, 9.81};
    const double none[3] = {0}, x[] = {0.01, 0.003, 0.4}, v[] = {0.2, -0.1, 1.5}, a[] = {-3, 2, 5};
    const double sn = sin(x[2]), cs = cos(x[2]), R = q.length + x[1];
    struct yk_system *system = pendulum_make(&q, none, none);
    struct yk_specimen *s = mount(system, 3, (size_t[]){0, 1, 2});
    double r[3];

    yk_specimen_step(s, tick, x, v, a, r);
    /* m (z'' + g) along l and theta, z upwards */
    assert_near(r[1], q.mass * (a[1] - a[0] * cs - R * v[2] * v[2] + q.gravity * (1 - cs)) + q.stiffness * x[1], 1e-12);
    assert_near(r[2], q.mass * R * (R * a[2] + 2 * v[1] * v[2] + (q.gravity + a[0]) * sn), 1e-12);
    assert_near(r[0],
                1 * a[0] + 5 * v[0] + 30 * x[0] +
                    q.mass * (a[0] - (a[1] * cs - 2 * v[1] * v[2] * sn - R * a[2] * sn - R * v[2] * v[2] * cs)),
                1e-12);
    dismount(s, system);
}

/* ---- linear ---- */

enum { CHAIN = 4, FREE = CHAIN - 1, STATES = 2 * CHAIN };

/* Masses with coupled inertia on springs and dampers; the first is moved by A sin(w t) from t = 0 on. */
static const double chain_M[CHAIN * CHAIN] = {2, 0.4, 0, 0, 0.4, 1, 0.2, 0, 0, 0.2, 1.5, 0.1, 0, 0, 0.1, 0.5};
static const double chain_k[CHAIN] = {0, 3000, 2000, 4000}, chain_c[CHAIN] = {0, 2, 1, 3};

static struct yk_system *chain_system(void)
{
    struct law laws[2 * CHAIN];
    size_t count = 0;

    for (long i = 1; i < CHAIN; i++) {
        laws[count++] = (struct law){"spring", i - 1, i, {{"stiffness", chain_k[i]}}};
        laws[count++] = (struct law){"damper", i - 1, i, {{"damping", chain_c[i]}}};
    }
    return structure(CHAIN, chain_M, count, laws, NULL, NULL);
}

/* Tridiagonal matrix of the chain. */
static double chained(const double *k, int i, int j)
{
    const double next = i + 1 < CHAIN ? k[i + 1] : 0;

    return i == j ? k[i] + next : j == i + 1 ? -next : j == i - 1 ? -k[i] : 0;
}

/* exp(B tick) of (u_b, v_b, sin, cos): the exact step. */
static void exact_step(double A, double w, double *E)
{
    enum { B = FREE };
    double *G = calloc(STATES * STATES, sizeof *G);
    struct yk_factor *factor = NULL;
    struct yk_matrix Mbb = {0};

    assert_non_null(G);
    assert_ok(yk_matrix_init(&Mbb, YK_DENSE, B, B, &err));
    for (int i = 0; i < B; i++)
        for (int j = 0; j < B; j++)
            Mbb.x[i + j * B] = chain_M[i + 1 + (j + 1) * CHAIN];
    assert_ok(yk_factor_create(&factor, &Mbb, NULL, &err));
    for (int j = 0; j < STATES; j++) {
        double a[B];

        for (int i = 0; i < B; i++)
            a[i] = j < B        ? -chained(chain_k, i + 1, j + 1)
                   : j < 2 * B  ? -chained(chain_c, i + 1, j - B + 1)
                   : j == 2 * B ? A * (w * w * chain_M[i + 1] - chained(chain_k, i + 1, 0))
                                : -A * w * chained(chain_c, i + 1, 0);
        yk_factor_solve(factor, a);
        for (int i = 0; i < B; i++) {
            G[i + j * STATES] = tick * (j == B + i);
            G[B + i + j * STATES] = tick * a[i];
        }
    }
    G[2 * B + (2 * B + 1) * STATES] = tick * w;
    G[2 * B + 1 + 2 * B * STATES] = -tick * w;
    assert_ok(yk_expm(STATES, G, E, &err));
    yk_factor_destroy(factor);
    yk_matrix_fini(&Mbb);
    free(G);
}

/* The chain at the start of its motion: velocity A w of the first mass is an impulse on the free ones, which start with
 * -M_bb^-1 M_bc of it. Mbb comes back factored. */
static void exact_start(double A, double w, double *z, struct yk_lu *lu)
{
    for (int i = 0; i < FREE; i++) {
        for (int j = 0; j < FREE; j++)
            lu->a[i + j * FREE] = chain_M[i + 1 + (j + 1) * CHAIN];
        z[FREE + i] = -chain_M[i + 1] * A * w;
    }
    assert_int_equal(yk_lu_factor(lu), YK_OK);
    yk_lu_solve(lu, z + FREE);
    z[2 * FREE + 1] = 1;
}

static void exact_advance(const double *E, double *z)
{
    double next[STATES] = {0};

    for (int j = 0; j < STATES; j++)
        for (int i = 0; i < STATES; i++)
            next[i] += E[i + j * STATES] * z[j];
    memcpy(z, next, sizeof next);
}

/* M_cc a + M_cb a_b + k_2 (x - u_1) + c_2 (v - v_1), a_b from their own equations */
static double exact_force(const double *z, const struct yk_lu *Mbb, double x, double v, double a)
{
    double p[FREE], force = chain_M[0] * a + chain_k[1] * (x - z[0]) + chain_c[1] * (v - z[FREE]);

    for (int i = 0; i < FREE; i++) {
        p[i] = -chain_M[i + 1] * a - chained(chain_k, i + 1, 0) * x - chained(chain_c, i + 1, 0) * v;
        for (int j = 0; j < FREE; j++)
            p[i] -= chained(chain_k, i + 1, j + 1) * z[j] + chained(chain_c, i + 1, j + 1) * z[FREE + j];
    }
    yk_lu_solve(Mbb, p);
    for (int i = 0; i < FREE; i++)
        force += chain_M[i + 1] * p[i];
    return force;
}

/* Ten seconds near resonance, the actuator with its true rates or, as the ideal plant has them, with differences. */
static void follow_chain(bool differences, double bound_u, double bound_r)
{
    const double A = 0.01, w = 20;
    double E[STATES * STATES], z[STATES] = {0}, Mbb[FREE * FREE], worst_u = 0, worst_r = 0, most_u = 0, most_r = 0;
    double r, last_x = 0, last_v = 0;
    struct yk_lu lu = {FREE, Mbb, (int[FREE]){0}};
    struct yk_system *system = chain_system();
    struct yk_specimen *s = mount(system, 1, (size_t[]){0});

    exact_step(A, w, E);
    exact_start(A, w, z, &lu);
    for (int k = 1; k <= 10000; k++) {
        const double t = k * tick, x = A * sin(w * t), v = A * w * cos(w * t), a = -A * w * w * sin(w * t);
        const double mean = (x - last_x) / tick, change = (mean - last_v) / tick;

        exact_advance(E, z);
        yk_specimen_step(s, t, &x, differences ? &mean : &v, differences ? &change : &a, &r);
        last_x = x;
        last_v = mean;
        for (int i = 0; i < FREE; i++) {
            worst_u = fmax(worst_u, fabs(yk_specimen_now(s).u[i + 1] - z[i]));
            most_u = fmax(most_u, fabs(z[i]));
        }
        const double force = exact_force(z, &lu, x, v, a);
        if (k > 1) /* differences see the start one tick late, as a shock */
            worst_r = fmax(worst_r, fabs(r - force));
        most_r = fmax(most_r, fabs(force));
    }
    assert_true(most_u > 2 * A);
    assert_near(worst_u / most_u, 0, bound_u);
    assert_near(worst_r / most_r, 0, bound_r);
    dismount(s, system);
}

static void linear_ones_follow_the_exact_solution(void **state)
{
    follow_chain(false, 1e-6, 1e-6);
}

/* Rates half a tick and a tick late, (w h)/2 = 1 % in the force; the path itself stays true. */
static void differences_keep_the_path(void **state)
{
    follow_chain(true, 1e-4, 0.02);
}

/* No springs: the moved one jumps to a speed and keeps it. The free ones take part by -M_bb^-1 M_bc and keep on. */
static void an_impulse_is_shared_at_once(void **state)
{
    static const double M[] = {2, 0.5, 0.5, 1};
    struct yk_system *system = structure(2, M, 0, NULL, NULL, NULL);
    struct yk_specimen *s = mount(system, 1, (size_t[]){0});
    const double v = 0.3, a = 0;
    double r;

    for (int k = 1; k <= 3; k++) {
        const double x = v * k * tick;

        yk_specimen_step(s, k * tick, &x, &v, &a, &r);
        assert_near(yk_specimen_now(s).v[1], -0.5 * 0.3, 1e-14);
        assert_near(r, 0, 1e-9);
    }
    dismount(s, system);
}

/* ---- the pendulum on its platform ---- */

struct swing {
    double l, theta, l1, theta1;
};

static const struct pendulum rig_a = {1, 0, 0, 0.34, 400, 0.167, 9.81};

static void platform(double t, double *y, double *v, double *a)
{
    const double A = 0.01, w = 2 * 3.14159265358979323846 * 2.2;

    *y = A * (1 - cos(w * t));
    *v = A * w * sin(w * t);
    *a = A * w * w * cos(w * t);
}

static struct swing swing_rate(const struct swing *q, double t)
{
    double y, v, a;

    platform(t, &y, &v, &a);
    const double R = rig_a.length + q->l, g = rig_a.gravity;
    return (struct swing){q->l1, q->theta1,
                          a * cos(q->theta) + R * q->theta1 * q->theta1 - rig_a.stiffness / rig_a.mass * q->l -
                              g * (1 - cos(q->theta)),
                          (-(g + a) * sin(q->theta) - 2 * q->l1 * q->theta1) / R};
}

static struct swing swing_add(const struct swing *q, double h, const struct swing *k)
{
    return (struct swing){q->l + h * k->l, q->theta + h * k->theta, q->l1 + h * k->l1, q->theta1 + h * k->theta1};
}

static struct swing swing_step(struct swing q, double t, double h)
{
    const struct swing k1 = swing_rate(&q, t), q2 = swing_add(&q, h / 2, &k1), k2 = swing_rate(&q2, t + h / 2),
                       q3 = swing_add(&q, h / 2, &k2), k3 = swing_rate(&q3, t + h / 2), q4 = swing_add(&q, h, &k3),
                       k4 = swing_rate(&q4, t + h);

    q = swing_add(&q, h / 6, &k1);
    q = swing_add(&q, h / 3, &k2);
    q = swing_add(&q, h / 3, &k3);
    return swing_add(&q, h / 6, &k4);
}

/* The specimen of tests 2 and 3 of rig A: a platform of 1 kg that the actuator moves, 0.34 kg on 400 N/m below it,
 * swinging from 0.3 rad. */
static void a_pendulum_swings_from_a_moved_platform(void **state)
{
    enum { FINE = 100 };
    const double u0[] = {0, 0, 0.3}, v0[3] = {0};
    struct yk_system *system = pendulum_make(&rig_a, u0, v0);
    struct yk_specimen *s = mount(system, 1, (size_t[]){0});
    struct swing q = {0, 0.3, 0, 0};
    double r, worst_l = 0, worst_theta = 0, worst_r = 0, most_l = 0, most_r = 0;

    for (int k = 1; k <= 3000; k++) {
        const double t = k * tick;
        double y, v, a;

        for (int i = 0; i < FINE; i++)
            q = swing_step(q, t - tick + i * tick / FINE, tick / FINE);
        platform(t, &y, &v, &a);
        yk_specimen_step(s, t, &y, &v, &a, &r);
        const double force = rig_a.platform_mass * a +
                             (rig_a.stiffness * q.l + rig_a.mass * rig_a.gravity) * cos(q.theta) -
                             rig_a.mass * rig_a.gravity;
        worst_l = fmax(worst_l, fabs(yk_specimen_now(s).u[1] - q.l));
        worst_theta = fmax(worst_theta, fabs(yk_specimen_now(s).u[2] - q.theta));
        worst_r = fmax(worst_r, fabs(r - force));
        most_l = fmax(most_l, fabs(q.l));
        most_r = fmax(most_r, fabs(force));
    }
    assert_near(worst_l / most_l, 0, 1e-6);
    assert_near(worst_theta / 0.3, 0, 1e-6);
    assert_near(worst_r / most_r, 0, 1e-6);
    dismount(s, system);
}

/* ---- gaps, friction, hysteresis ---- */

static const double apart[] = {0, 0, 0, 2}; /* 2 kg that no actuator moves */
static const double still = 0;

/* A free mass meets a stop of 20 kN/m, 3 mm away: half a sine, and back with the same speed. */
static void a_mass_bounces_off_a_stop(void **state)
{
    static const struct law stop = {"gap", 0, 1, {{"stiffness", 2e4}, {"gap", 0.003}, {"side", 1}}};
    const double v0[] = {0, 0.25}, w = sqrt(2e4 / 2), met = 0.003 / 0.25, left = met + 3.14159265358979323846 / w;
    struct yk_system *system = structure(2, apart, 1, &stop, NULL, v0);
    struct yk_specimen *s = mount(system, 1, (size_t[]){0});
    double r;

    for (int k = 1; k <= 100; k++) {
        const double t = k * tick, inside = t - met;
        const bool contact = inside > 0 && t < left;
        const double u = contact ? 0.003 + 0.25 / w * sin(w * inside) : t < left ? 0.25 * t : 0.003 - 0.25 * (t - left);

        yk_specimen_step(s, t, &still, &still, &still, &r);
        assert_near(yk_specimen_now(s).u[1], u, 1e-6 * 0.003);
        assert_near(r, contact ? -2e4 * (u - 0.003) : 0, 1e-6 * 2e4 * 0.25 / w);
    }
    dismount(s, system);
}

/* m w' = -F tanh(w/vs): sinh(w/vs) falls as exp(-F t/(m vs)), here 500 times a second. */
static void a_mass_slides_to_rest(void **state)
{
    static const struct law slide = {"friction", 0, 1, {{"force", 10}, {"slip_velocity", 0.01}}};
    const double v0[] = {0, 0.1}, rate = 10 / (2 * 0.01);
    struct yk_system *system = structure(2, apart, 1, &slide, NULL, v0);
    struct yk_specimen *s = mount(system, 1, (size_t[]){0});
    double r;

    for (int k = 1; k <= 60; k++) {
        const double w = 0.01 * asinh(sinh(10) * exp(-rate * k * tick));

        yk_specimen_step(s, k * tick, &still, &still, &still, &r);
        assert_near(yk_specimen_now(s).v[1], w, 1e-6 * 0.1);
        assert_near(r, -10 * tanh(w / 0.01), 1e-6 * 10);
    }
    dismount(s, system);
}

struct hysteretic {
    double u, v, z;
};

/* dz/dt = k0 w - |z| (beta sgn(z w) + gamma) w over a moved base, z pulling the mass of 2 kg back */
static struct hysteretic hysteretic_rate(const struct hysteretic *q, double base)
{
    const double w = q->v - base;

    return (struct hysteretic){q->v, -q->z / 2, 1000 * w - fabs(q->z) * (55 * (q->z * w > 0 ? 1 : -1) + 45) * w};
}

static struct hysteretic hysteretic_add(const struct hysteretic *q, double h, const struct hysteretic *k)
{
    return (struct hysteretic){q->u + h * k->u, q->v + h * k->v, q->z + h * k->z};
}

/* Bouc-Wen as in test 1 of rig A, far into yield and back a few times. */
static void a_hysteretic_spring_is_followed(void **state)
{
    enum { FINE = 100 };
    static const struct law law = {"bouc-wen", 0, 1, {{"k0", 1000}, {"beta", 55}, {"gamma", 45}}};
    struct yk_system *system = structure(2, apart, 1, &law, NULL, NULL);
    struct yk_specimen *s = mount(system, 1, (size_t[]){0});
    const double A = 0.02, w = 15, h = tick / FINE;
    struct hysteretic q = {0};
    double worst = 0, most = 0, r;

    for (int k = 1; k <= 3000; k++) {
        const double t = k * tick, x = A * (1 - cos(w * t)), v = A * w * sin(w * t), a = A * w * w * cos(w * t);

        for (int i = 0; i < FINE; i++) {
            const double at = t - tick + i * h, b0 = A * w * sin(w * at), b1 = A * w * sin(w * (at + h / 2)),
                         b2 = A * w * sin(w * (at + h));
            const struct hysteretic k1 = hysteretic_rate(&q, b0), q2 = hysteretic_add(&q, h / 2, &k1),
                                    k2 = hysteretic_rate(&q2, b1), q3 = hysteretic_add(&q, h / 2, &k2),
                                    k3 = hysteretic_rate(&q3, b1), q4 = hysteretic_add(&q, h, &k3),
                                    k4 = hysteretic_rate(&q4, b2);

            q = hysteretic_add(&q, h / 6, &k1);
            q = hysteretic_add(&q, h / 3, &k2);
            q = hysteretic_add(&q, h / 3, &k3);
            q = hysteretic_add(&q, h / 6, &k4);
        }
        yk_specimen_step(s, t, &x, &v, &a, &r);
        worst = fmax(worst, fabs(yk_specimen_now(s).u[1] - q.u));
        most = fmax(most, fabs(q.u));
        assert_near(r, -q.z, 1e-5 * 10);
    }
    assert_near(worst / most, 0, 1e-6);
    dismount(s, system);
}

/* ---- set-up and loop ---- */

static void rest_forgets_everything(void **state)
{
    struct yk_system *system = chain_system();
    struct yk_specimen *s = mount(system, 1, (size_t[]){0});
    double first = 0, again = 0, r, x0 = 0;

    for (int round = 0; round < 2; round++) {
        yk_specimen_rest(s, &x0, &r);
        assert_near(r, 0, 0);
        for (int k = 1; k <= 50; k++) {
            const double x = 1e-3 * k * k, v = 2 * k, a = 2000;

            yk_specimen_step(s, k * tick, &x, &v, &a, round ? &again : &first);
        }
    }
    assert_true(first != 0);
    assert_near(again, first, 0);
    dismount(s, system);
}

static void the_loop_uses_no_heap(void **state)
{
    const double u0[] = {0, 0, 0.3}, v0[3] = {0};
    struct yk_system *systems[] = {chain_system(), pendulum_make(&rig_a, u0, v0)};

    for (int i = 0; i < 2; i++) {
        struct yk_specimen *s = mount(systems[i], 1, (size_t[]){0});
        struct trap_counts counts;
        double r;

        trap_begin();
        yk_specimen_rest(s, &still, &r);
        for (int k = 1; k <= 20; k++)
            yk_specimen_step(s, k * tick, &(double){1e-3 * k}, &(double){1}, &still, &r);
        trap_end(&counts);
        assert_int_equal(counts.heap_calls, 0);
        dismount(s, systems[i]);
    }
}

/* A motion that is not a number is told by the force, within bounded work. */
static void what_is_not_a_number_is_not_hidden(void **state)
{
    struct yk_system *system = chain_system();
    struct yk_specimen *s = mount(system, 1, (size_t[]){0});
    double r;

    yk_specimen_step(s, tick, &(double){NAN}, &still, &still, &r);
    assert_true(isnan(r));
    assert_true(yk_specimen_now(s).substeps <= 4096);
    dismount(s, system);
}

static void bad_specimens_are_refused(void **state)
{
    static const double massless[] = {1, 0, 0, 0}, light[] = {1, 0, 0, 1e-12};
    static const struct law spring = {"spring", 0, 1, {{"stiffness", 1e3}}};
    static const char *const names[] = {"foot", "head"};
    struct yk_system *system = structure(2, massless, 1, &spring, NULL, NULL);
    struct yk_specimen_mounting plan = {.system = system, .count = 1, .moved = (size_t[]){0, 0}, .names = names};
    struct yk_specimen *s = NULL;

    assert_refused(yk_specimen_create(&s, &plan, NULL, &err), YK_E_RANGE, "a tick of 0 s is not above 0");
    plan.tick = tick;
    assert_refused(yk_specimen_create(&s, &plan, NULL, &err), YK_E_SINGULAR,
                   "no actuator moves head and it has no mass");
    plan.count = 2;
    assert_refused(yk_specimen_create(&s, &plan, NULL, &err), YK_E_INPUT, "degree of freedom 1 is moved twice");
    plan.count = 3;
    assert_refused(yk_specimen_create(&s, &plan, NULL, &err), YK_E_RANGE,
                   "actuators move 3 of its 2 degrees of freedom");
    plan.count = 1;
    plan.moved = (size_t[]){2};
    assert_refused(yk_specimen_create(&s, &plan, NULL, &err), YK_E_RANGE, "there is no degree of freedom 3, only 2");
    yk_system_destroy(system);

    plan.system = system = structure(2, light, 1, &spring, NULL, NULL);
    plan.moved = (size_t[]){0};
    assert_refused(yk_specimen_create(&s, &plan, NULL, &err), YK_E_RANGE,
                   "(3.16228e+07 rad/s) needs more than 4096 substeps");
    yk_system_destroy(system);
    assert_null(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_free_ones_it_is_one_evaluation),
        cmocka_unit_test(a_mass_that_is_divided_out_comes_back),
        cmocka_unit_test(linear_ones_follow_the_exact_solution),
        cmocka_unit_test(differences_keep_the_path),
        cmocka_unit_test(an_impulse_is_shared_at_once),
        cmocka_unit_test(a_pendulum_swings_from_a_moved_platform),
        cmocka_unit_test(a_mass_bounces_off_a_stop),
        cmocka_unit_test(a_mass_slides_to_rest),
        cmocka_unit_test(a_hysteretic_spring_is_followed),
        cmocka_unit_test(rest_forgets_everything),
        cmocka_unit_test(the_loop_uses_no_heap),
        cmocka_unit_test(what_is_not_a_number_is_not_hidden),
        cmocka_unit_test(bad_specimens_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
