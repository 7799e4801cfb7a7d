/* The Rosenbrock couplings against the independent prototype: states, errors and orders, drift, long runs, case studies
 * and the spring-pendulum; and what every coupling owes: two threads agree with one, a saved state goes on. */
#include "support/check.h"
#include "support/duffing.h"
#include "support/pendulum.h"
#include "support/torn_systems.h"

#include <math.h>
#include <stdlib.h>

#define NOTHING_GIVEN NAN

static const double pi = 3.14159265358979323846;

static void within(double x, double y, double tolerance, const char *label, const char *what)
{
    if (!(fabs(x - y) <= tolerance)) {
        print_error("%s: %s = %.12g, wanted %.12g within %.2g\n", label, what, x, y, tolerance);
        fail();
    }
}

static void sine_load(void *self, double t, double *f)
{
    f[0] = sin(2 * t);
}

/* Loads on one side: sin 2t on its first degree of freedom. */
static const struct yk_loading sine_on[YK_SIDES][YK_SIDES] = {{{sine_load, NULL}, {NULL, NULL}},
                                                              {{NULL, NULL}, {sine_load, NULL}}};

/* ---- the untorn structure ---------------------------------------------------------------------------------------- */

/* Its exact motion, step by step; loads of the coarse side only. */
struct whole {
    struct yk_domain domain;
    struct bench *bench;
    struct yk_loading load; /* of the coarse side; {0}: none */
    double f[8], u[8], v[8];
};

static void whole_load(void *self, double t, double *f)
{
    struct whole *w = self;
    const size_t n = w->bench->torn.untorn.system->n;

    memset(f, 0, n * sizeof *f);
    if (!w->load.at)
        return;
    memset(w->f, 0, sizeof w->f);
    w->load.at(w->load.self, t, w->f);
    yk_coupled_to_untorn(w->bench->torn.problem, YK_COARSE, w->f, f);
}

static void whole_open(struct whole *w, struct bench *b, struct yk_loading load, double dt)
{
    const struct yk_system *s = b->torn.untorn.system;

    w->bench = b;
    w->load = load;
    method_open(&w->domain, &(struct method){"exact", {{0}}}, b->torn.untorn.system, (struct yk_loading){whole_load, w},
                dt);
    assert_int_equal(yk_domain_start(&w->domain, s->u0, s->v0), YK_OK);
}

/* The exact state of a side, in w->u and w->v. */
static void whole_now(struct whole *w, int side)
{
    struct yk_kinematics now;

    yk_domain_now(&w->domain, &now);
    yk_coupled_from_untorn(w->bench->torn.problem, now.u, side, w->u);
    yk_coupled_from_untorn(w->bench->torn.problem, now.v, side, w->v);
}

static void whole_at(struct whole *w, struct bench *b, double T)
{
    whole_open(w, b, (struct yk_loading){NULL, NULL}, T);
    assert_int_equal(yk_domain_step(&w->domain), YK_OK);
}

/* ---- states ------------------------------------------------------------------------------------------------------ */

struct state_row {
    struct coupled_method method;
    double b;
    int steps;
    double y[4]; /* uA, vA, uB, vB */
};

static void check_states(const struct state_row *row, const struct torn_case *which, double dt,
                         const struct yk_loading *loads, double tolerance)
{
    const char *label = bench_label(which, &row->method, dt);
    struct bench b;
    struct yk_kinematics now[YK_SIDES];

    bench_open(&b, which, &row->method, dt, loads);
    bench_run(&b, row->steps);
    now[0] = bench_now(&b, YK_COARSE);
    now[1] = bench_now(&b, YK_FINE);
    for (int i = 0; i < 4; i++)
        within((i % 2 ? now[i / 2].v : now[i / 2].u)[0], row->y[i], tolerance * fabs(row->y[i]), label, "state");
    bench_close(&b);
}

static void states_of_the_forced_split_mass(void **state)
{
    static const struct state_row rows[] = {
        {COUPLING("apnr1", 1, 1), 10, 200, {1.3812665044, -1.0984210915, 1.2898317813, -1.1270230031}},
        {COUPLING("apnr1", 1, 0.5), 10, 200, {1.3710401924, -1.1316538148, 1.3235397073, -1.1476452801}},
        {COUPLING("apnr2", 1, G_MINUS), 10, 200, {1.3516446819, -1.1671247863, 1.3517212889, -1.1669947786}},
        {COUPLING("apnr2", 1, G_PLUS), 10, 200, {1.3515440338, -1.1660422905, 1.3479720270, -1.1706931585}},
        {COUPLING("apnr2", 1, 0.25), 10, 200, {1.3516449790, -1.1671292744, 1.3517245320, -1.1669951917}},
        {COUPLING("apnr2", 1, 0.5), 10, 200, {1.3516354030, -1.1670884173, 1.3516231782, -1.1670914493}},
        {COUPLING_MIXED("apnr2", 1, G_MINUS, G_PLUS),
         10,
         200,
         {1.3516423569, -1.1660081749, 1.3479659375, -1.1707047024}},
    };

    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        const struct torn_case which = {.kind = SPLIT_MASS, .b = 10, .u0 = 1, .v0 = 1};
        const struct torn_case other = {.kind = SPLIT_MASS, .b = 0.1, .u0 = 1, .v0 = 1};
        struct state_row swapped = rows[r];

        check_states(&rows[r], &which, 0.01, sine_on[YK_FINE], 1e-9);
        if (rows[r].method.gamma_A != rows[r].method.gamma_B)
            continue;
        memcpy(swapped.y, rows[r].y + 2, 2 * sizeof(double)); /* the sides change places */
        memcpy(swapped.y + 2, rows[r].y, 2 * sizeof(double));
        check_states(&swapped, &other, 0.01, sine_on[YK_COARSE], 1e-9);
    }
}

static void states_of_the_interfield_methods(void **state)
{
    static const struct coupled_method even = COUPLING_SET("iplsrt2", 2, G_MINUS, "projection", 1),
                                       plain = COUPLING_SET("iplsrt2", 2, G_MINUS, "jacobian", 1);
    const struct coupled_method p = COUPLING("plsrt2", 2, G_MINUS), ip = COUPLING("iplsrt2", 2, G_MINUS);
    const struct state_row rows[] = {
        {p, 0.1, 3, {2.975442125173e-04, 9.823588947510e-03, 2.982452392926e-04, 9.823475064752e-03}},
        {p, 0.1, 4, {3.818242699063e-04, 9.688366607829e-03, 3.958380405783e-04, 9.689241787699e-03}},
        {p, 0.1, 100, {-2.726794615980e-04, 9.506845168142e-03, -6.534942935210e-04, 9.489166670718e-03}},
        {p, 2, 4, {3.955599919727e-04, 9.686188906678e-03, 3.957096579783e-04, 9.686314826586e-03}},
        {p, 2, 100, {-9.775784967186e-06, 1.000166376882e-02, -5.226455381222e-06, 1.000174914482e-02}},
        {ip, 0.1, 1, {1.0e-04, 9.982074017973e-03, 9.993572070364e-05, 9.982074017973e-03}},
        {ip, 0.1, 4, {3.949503944712e-04, 9.692594520755e-03, 3.959849582646e-04, 9.692594520755e-03}},
        {ip, 0.1, 100, {-2.106302647213e-05, 9.973534589826e-03, -2.120324951478e-05, 9.973534589826e-03}},
        {ip, 2, 4, {3.958043151968e-04, 9.693801956774e-03, 3.967444501422e-04, 9.693801956774e-03}},
        {ip, 2, 100, {6.766032122482e-06, 9.981627564071e-03, 7.950299808212e-06, 9.981627564071e-03}},
        {even, 0.1, 100, {-2.144774178447e-05, 1.000694023606e-02, -2.165812365561e-05, 1.000694023606e-02}},
        {plain, 0.1, 100, {-2.030081034782e-04, 9.824166848323e-03, -2.124404273905e-04, 9.824166848323e-03}},
    };

    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        const struct torn_case which = {.kind = SPLIT_MASS, .b = rows[r].b, .v0 = 0.01, .k = 6.28 * 6.28};

        check_states(&rows[r], &which, 0.01, NULL, 1e-9);
    }
}

/* Sine loads at the natural frequencies of the rig, N and N m. */
static void rig_load(void *self, double t, double *f)
{
    f[0] = 500 * sin(2 * pi * 2 * t);
    f[1] = 15 * sin(2 * pi * 1.5 * t);
}
static const struct yk_loading rig_loads[YK_SIDES] = {{rig_load, NULL}, {NULL, NULL}};

static void displacements_of_larger_structures(void **state)
{
    static const struct {
        struct torn_case which;
        struct coupled_method method;
        int steps;
        size_t nA, nB;
        double uA[3], uB[2];
    } rows[] = {
        {{.kind = BASE_2DOF},
         COUPLING("plsrt2", 2, G_MINUS),
         100,
         2,
         2,
         {-1.708693914271e-03, 1.305872632640e-03},
         {-1.730528503181e-03, 1.304069484720e-03}},
        {{.kind = BASE_2DOF},
         COUPLING("iplsrt2", 2, G_MINUS),
         100,
         2,
         2,
         {-1.719260627050e-03, 1.305435241304e-03},
         {-1.722678478351e-03, 1.305500629455e-03}},
        {{.kind = BASE_2DOF},
         COUPLING("plsrt2", 2, G_MINUS),
         500,
         2,
         0,
         {-1.596396061994e-02, -9.438161853746e-03},
         {0}},
        {{.kind = BASE_2DOF},
         COUPLING("iplsrt2", 2, G_MINUS),
         500,
         2,
         0,
         {-1.591145115278e-02, -9.415539305337e-03},
         {0}},
        {{.kind = CHAIN_4DOF, .u0 = 0.01},
         COUPLING("plsrt2", 2, G_MINUS),
         100,
         3,
         2,
         {2.172644494230e-03, -3.337209948096e-03, -4.536496235494e-03},
         {2.749081810923e-03, -4.544677575862e-03}},
        {{.kind = CHAIN_4DOF, .u0 = 0.01},
         COUPLING("iplsrt2", 2, G_MINUS),
         100,
         3,
         2,
         {2.153587240052e-03, -3.379647999885e-03, -4.527559400906e-03},
         {2.727834525831e-03, -4.535406001504e-03}},
    };

    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        const char *label = bench_label(&rows[r].which, &rows[r].method, 0.004);
        struct bench b;

        bench_open(&b, &rows[r].which, &rows[r].method, 0.004, rows[r].which.kind == BASE_2DOF ? rig_loads : NULL);
        bench_run(&b, rows[r].steps);
        for (size_t i = 0; i < rows[r].nA; i++)
            within(bench_now(&b, YK_COARSE).u[i], rows[r].uA[i], 1e-9 * fabs(rows[r].uA[i]), label, "u of A");
        for (size_t i = 0; i < rows[r].nB; i++)
            within(bench_now(&b, YK_FINE).u[i], rows[r].uB[i], 1e-9 * fabs(rows[r].uB[i]), label, "u of B");
        bench_close(&b);
    }
}

/* ---- errors and orders ------------------------------------------------------------------------------------------- */

enum { UA, VA, UB, VB, L, ERRORS };

/* Errors of the forced split mass at T: u = cos t + 5/3 sin t - 1/3 sin 2t, L = mA u'' + kA u - fA. */
static void forced_errors(const struct coupled_method *method, double b1, int loaded, double T, double dt,
                          double *error)
{
    const struct torn_case which = {.kind = SPLIT_MASS, .b = b1, .u0 = 1, .v0 = 1};
    const double u = cos(T) + 5.0 / 3 * sin(T) - sin(2 * T) / 3;
    const double v = -sin(T) + 5.0 / 3 * cos(T) - 2.0 / 3 * cos(2 * T);
    const double a = -cos(T) - 5.0 / 3 * sin(T) + 4.0 / 3 * sin(2 * T);
    const double lambda = (b1 * a + u) / (1 + b1) - (loaded == YK_COARSE ? sin(2 * T) : 0);
    struct bench b;
    struct yk_kinematics now[YK_SIDES];

    bench_open(&b, &which, method, dt, sine_on[loaded]);
    bench_run(&b, lround(T / dt));
    now[0] = bench_now(&b, YK_COARSE);
    now[1] = bench_now(&b, YK_FINE);
    error[UA] = fabs(now[0].u[0] - u);
    error[VA] = fabs(now[0].v[0] - v);
    error[UB] = fabs(now[1].u[0] - u);
    error[VB] = fabs(now[1].v[0] - v);
    error[L] = fabs(b.c.ops->lambda(b.c.self)[0] - lambda);
    bench_close(&b);
}

static const char *const error_names[ERRORS] = {"error of uA", "error of vA", "error of uB", "error of vB",
                                                "error of L"};

static void errors_of_the_forced_split_mass(void **state)
{
    static const struct {
        struct coupled_method method;
        int loaded;
        double T, error[ERRORS];
    } rows[] = {
        {COUPLING("assr1", 1, 1), YK_FINE, 2, {3.6637e-2, 8.4824e-2, 7.5601e-2, 5.0808e-2, 6.2783e-2}},
        {COUPLING("assr1", 10, 1), YK_FINE, 2, {7.9101e-3, 1.5550e-2, 7.7301e-3, 5.5069e-3, 6.3231e-3}},
        {COUPLING("apnr2", 1, G_MINUS), YK_FINE, 2, {4.4450e-5, 1.8005e-5, 1.6364e-4, 1.8507e-4, 1.3488e-4}},
        {COUPLING("assr2", 10, G_MINUS), YK_FINE, 2, {2.4905e-5, 8.2006e-6, 1.7672e-6, 1.2406e-6, 1.2547e-6}},
        {COUPLING("assr2", 10, G_PLUS), YK_FINE, 2, {1.3719e-4, 3.3196e-5, 4.6090e-5, 4.9789e-5, 3.6957e-5}},
        {COUPLING("plsrt2", 10, G_MINUS), YK_FINE, 2, {3.9696e-4, 1.4084e-4, 1.0817e-6, 1.4842e-5, 4.1747e-6}},
        {COUPLING("plsrt2", 10, G_PLUS), YK_FINE, 2, {2.1191e-3, 4.7761e-4, 2.3797e-4, 3.8440e-5, 1.7916e-4}},
        {COUPLING("apsr1", 10, 1), YK_FINE, 2, {2.0975e-2, 2.2869e-2, 7.0735e-3, 6.3724e-3, 5.6725e-3}},
        {COUPLING("vpnr1", 1, 1), YK_COARSE, 0.5, {4.2818e-3, 6.6283e-3, 4.6557e-3, 6.6283e-3, NOTHING_GIVEN}},
        {COUPLING_SET("vpnr2", 1, G_MINUS, "variant", 1),
         YK_COARSE,
         0.5,
         {1.4489e-5, 3.9340e-5, 1.2453e-4, 3.9340e-5, NOTHING_GIVEN}},
        {COUPLING_SET("vpnr2", 1, 0.5, "variant", 1),
         YK_COARSE,
         0.5,
         {3.4155e-5, 5.2965e-5, 1.7149e-4, 5.2965e-5, NOTHING_GIVEN}},
        {COUPLING("vpnr2", 1, G_MINUS),
         YK_COARSE,
         0.5,
         {1.1131e-5, NOTHING_GIVEN, NOTHING_GIVEN, NOTHING_GIVEN, 8.386e-5}},
    };

    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        const struct torn_case which = {.kind = SPLIT_MASS, .b = 10};
        double error[ERRORS];

        forced_errors(&rows[r].method, 10, rows[r].loaded, rows[r].T, 0.0125, error);
        for (int i = 0; i < ERRORS; i++)
            if (!isnan(rows[r].error[i]))
                within(error[i], rows[r].error[i], 0.01 * rows[r].error[i],
                       bench_label(&which, &rows[r].method, 0.0125), error_names[i]);
    }
}

/* The multiplier inside VPNR has memory and is of order 1; what is reported is not. */
static void inner_multiplier_of_the_projection_methods(void **state)
{
    static const struct {
        struct coupled_method method;
        double error;
    } rows[] = {{COUPLING("vpnr1", 1, 1), 5.0175e-3},
                {COUPLING_SET("vpnr2", 1, G_MINUS, "variant", 1), 3.9228e-3},
                {COUPLING_SET("vpnr2", 1, 0.5, "variant", 1), 3.9644e-3},
                {COUPLING("vpnr2", 1, G_MINUS), 1.9927e-3}};
    const double T = 0.5, u = cos(T) + 5.0 / 3 * sin(T) - sin(2 * T) / 3;
    const double a = -cos(T) - 5.0 / 3 * sin(T) + 4.0 / 3 * sin(2 * T), exact = (10 * a + u) / 11 - sin(2 * T);
    const struct torn_case which = {.kind = SPLIT_MASS, .b = 10, .u0 = 1, .v0 = 1};

    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        double error[2];

        for (int half = 0; half < 2; half++) {
            struct bench b;
            struct yk_span span[3];
            const double dt = half ? 0.00625 : 0.0125;

            bench_open(&b, &which, &rows[r].method, dt, sine_on[YK_COARSE]);
            bench_run(&b, lround(T / dt));
            assert_int_equal(b.c.ops->state(b.c.self, span, 3), 3);
            error[half] = fabs(span[2].x[0] - exact);
            bench_close(&b);
        }
        within(error[0], rows[r].error, 0.01 * rows[r].error, rows[r].method.name, "error of the inner multiplier");
        within(log2(error[0] / error[1]), 1, 0.05, rows[r].method.name, "its order");
    }
}

/* Largest error over u and v of both sides, and its order from the last halving. */
static void orders_on_the_forced_split_mass(void **state)
{
    static const struct {
        struct coupled_method method;
        double b, dt, order, tolerance;
    } rows[] = {
        {COUPLING("apnr1", 1, 1), 10, 0.005, 1, 0.07},
        {COUPLING("apnr1", 1, 0.5), 10, 0.005, 1, 0.07},
        {COUPLING("assr1", 2, 1), 10, 0.005, 1, 0.05},
        {COUPLING("assr1", 10, 1), 10, 0.005, 1, 0.05},
        {COUPLING("apsr1", 1, 1), 10, 0.005, 1, 0.15},
        {COUPLING("apsr1", 10, 1), 10, 0.005, 1, 0.15},
        {COUPLING("apnr2", 1, G_MINUS), 10, 0.005, 2, 0.07},
        {COUPLING("apnr2", 1, 0.25), 10, 0.005, 2, 0.07},
        {COUPLING("apnr2", 1, 0.5), 10, 0.001, 2, 0.07},
        {COUPLING("apnr2", 1, G_PLUS), 10, 0.001, 2, 0.1},
        {COUPLING("assr2", 2, G_MINUS), 10, 0.005, 2, 0.03},
        {COUPLING("assr2", 10, G_MINUS), 10, 0.005, 2, 0.03},
        {COUPLING("assr2", 10, G_PLUS), 10, 0.002, 2, 0.05},
        {COUPLING_MIXED("assr2", 10, G_MINUS, G_PLUS), 10, 0.002, 2, 0.05},
        {COUPLING("plsrt2", 1, G_MINUS), 10, 0.002, 2, 0.05},
        {COUPLING("plsrt2", 10, G_MINUS), 10, 0.002, 2, 0.05},
        {COUPLING("plsrt2", 10, G_PLUS), 10, 0.002, 2, 0.05},
        {COUPLING("plsrt2", 10, G_PLUS), 0.1, 0.0005, 2, 0.1},
        {COUPLING("vpnr1", 1, 1), 10, 0.005, 1, 0.05},
        {COUPLING("vpnr1", 1, 0.5), 10, 0.005, 1, 0.05},
        {COUPLING("vpnr2", 1, G_MINUS), 10, 0.002, 2, 0.06},
        {COUPLING("vpnr2", 1, 0.5), 10, 0.002, 2, 0.06},
        {COUPLING_SET("vpnr2", 1, G_MINUS, "variant", 1), 10, 0.002, 2, 0.06},
        {COUPLING_SET("vpnr2", 1, 0.5, "variant", 1), 10, 0.002, 2, 0.06},
    };

    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        const struct torn_case which = {.kind = SPLIT_MASS, .b = rows[r].b};
        double coarse[ERRORS], fine[ERRORS], largest[2] = {0};

        forced_errors(&rows[r].method, rows[r].b, YK_FINE, 2, rows[r].dt, coarse);
        forced_errors(&rows[r].method, rows[r].b, YK_FINE, 2, rows[r].dt / 2, fine);
        for (int i = UA; i <= VB; i++) {
            largest[0] = fmax(largest[0], coarse[i]);
            largest[1] = fmax(largest[1], fine[i]);
        }
        within(log2(largest[0] / largest[1]), rows[r].order, rows[r].tolerance,
               bench_label(&which, &rows[r].method, rows[r].dt), "order");
    }
}

static void drift_orders_without_subcycling(void **state)
{
    static const struct {
        struct coupled_method method;
        double gap, order;
    } rows[] = {{COUPLING("apnr1", 1, 1), 9.1e-2, 0.95},
                {COUPLING("apnr2", 1, G_MINUS), 7.7e-5, 1.99},
                {COUPLING("apnr2", 1, G_PLUS), 3.6e-3, 2.2},
                {COUPLING("apnr2", 1, 0.5), 1.2e-5, 3.0}};
    const struct torn_case which = {.kind = SPLIT_MASS, .b = 10, .u0 = 1, .v0 = 1};

    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        double gap[2];

        for (int half = 0; half < 2; half++) {
            struct bench b;
            const double dt = half ? 0.005 : 0.01;

            bench_open(&b, &which, &rows[r].method, dt, sine_on[YK_FINE]);
            bench_run(&b, lround(2 / dt));
            gap[half] = fabs(bench_gap(&b, 0));
            bench_close(&b);
        }
        within(gap[0], rows[r].gap, 0.03 * rows[r].gap, rows[r].method.name, "gap");
        within(log2(gap[0] / gap[1]), rows[r].order, 0.06, rows[r].method.name, "order of the gap");
    }
}

/* Errors of free vibration at 0.8 s, u0 = 0.01, k. */
static void free_errors(const struct coupled_method *method, double b1, double k, double dt, double *error)
{
    const struct torn_case which = {.kind = SPLIT_MASS, .b = b1, .u0 = 0.01, .k = k};
    const double T = 0.8, w = sqrt(k), u = 0.01 * cos(w * T), v = -0.01 * w * sin(w * T);
    struct bench b;

    bench_open(&b, &which, method, dt, NULL);
    bench_run(&b, lround(T / dt));
    for (int side = 0; side < YK_SIDES; side++) {
        error[2 * side] = fabs(bench_now(&b, side).u[0] - u);
        error[2 * side + 1] = fabs(bench_now(&b, side).v[0] - v);
    }
    bench_close(&b);
}

#define NO_PROJECTION                                                                                                  \
    {                                                                                                                  \
        {"projection", 2},                                                                                             \
        {                                                                                                              \
            "jacobian", 1                                                                                              \
        }                                                                                                              \
    }

static void errors_of_the_interfield_methods(void **state)
{
    static const struct {
        struct coupled_method method;
        double b, error[4], order[4];
    } rows[] = {
        {{"iplsrt2", 2, G_MINUS, G_MINUS, NO_PROJECTION},
         0.1,
         {5.2274e-7, 5.1943e-7, 9.2690e-9, 4.5687e-8},
         {1.99, 2.01, 2.08, 1.94}},
        {COUPLING_SET("iplsrt2", 2, G_MINUS, "jacobian", 1),
         0.1,
         {4.0165e-7, 3.1023e-7, 1.2528e-7, 3.1023e-7},
         {1.91, 1.56, 1.70, 1.56}},
        {COUPLING("iplsrt2", 2, G_MINUS), 0.1, {9.6193e-8, 2.4451e-7, 8.1182e-8, 2.4451e-7}, {1.60, 1.41, 1.52, 1.41}},
        {COUPLING("iplsrt2", 2, G_PLUS), 0.1, {6.4089e-7, 1.1073e-7, 1.2101e-8, 1.1073e-7}, {2.16, 1.03, 3.06, 1.03}},
        {COUPLING_SET("iplsrt2", 2, G_MINUS, "projection", 1),
         0.1,
         {5.1291e-8, 7.9874e-8, 3.5061e-8, 7.9874e-8},
         {1.99, 2.00, 2.00, 2.00}},
        {COUPLING("plsrt2", 2, G_MINUS), 0.1, {5.2545e-7, 5.2598e-7, 2.4475e-8, 1.2562e-7}, {1.99, 2.01, 1.97, 1.98}},
        {{"iplsrt2", 2, G_MINUS, G_MINUS, NO_PROJECTION},
         2,
         {1.6907e-8, 5.2626e-8, 1.4827e-8, 3.3613e-8},
         {1.98, 2.00, 2.00, 2.00}},
        {COUPLING("iplsrt2", 2, G_MINUS), 2, {6.4920e-8, 2.5620e-7, 7.1179e-8, 2.5620e-7}, {0.66, 0.85, 0.86, 0.85}},
        {COUPLING_SET("iplsrt2", 2, G_MINUS, "projection", 1),
         2,
         {9.6727e-9, 2.0201e-8, 9.1197e-9, 2.0201e-8},
         {2.02, 2.03, 1.96, 2.03}},
        {COUPLING("plsrt2", 2, G_MINUS), 2, {2.8304e-9, 5.3814e-9, 2.2474e-9, 3.1686e-9}, {2.08, 2.01, 2.01, 2.00}},
    };

    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        const struct torn_case which = {.kind = SPLIT_MASS, .b = rows[r].b};
        const char *label = bench_label(&which, &rows[r].method, 0.003125);
        double before[4], error[4];

        free_errors(&rows[r].method, rows[r].b, 1, 0.00625, before);
        free_errors(&rows[r].method, rows[r].b, 1, 0.003125, error);
        for (int i = 0; i < 4; i++) {
            within(error[i], rows[r].error[i], 0.01 * rows[r].error[i], label, error_names[i]);
            within(log2(before[i] / error[i]), rows[r].order[i], 0.01, label, "order");
        }
    }
}

static void errors_at_practical_steps(void **state)
{
    static const struct {
        struct coupled_method method;
        double b, error[5]; /* dt = 40, 20, 10, 5, 2.5 ms */
    } rows[] = {
        {COUPLING("plsrt2", 2, G_MINUS), 0.1, {2.876e-2, 1.004e-2, 2.442e-3, 5.683e-4, 1.358e-4}},
        {COUPLING("iplsrt2", 2, G_MINUS), 0.1, {1.309e-3, 3.320e-4, 8.250e-5, 2.316e-5, 7.618e-6}},
        {COUPLING("plsrt2", 2, G_MINUS), 2, {2.840e-4, 4.460e-5, 9.017e-6, 2.068e-6, 5.059e-7}},
        {COUPLING("iplsrt2", 2, G_MINUS), 2, {1.098e-3, 2.518e-4, 6.018e-5, 2.752e-5, 1.281e-5}},
    };
    const double w = 2 * pi;

    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++)
        for (int i = 0; i < 5; i++) {
            const struct torn_case which = {.kind = SPLIT_MASS, .b = rows[r].b};
            const double dt = 0.04 / (1 << i);
            double e[4];

            free_errors(&rows[r].method, rows[r].b, w * w, dt, e);
            within(fmax(fmax(e[UA], e[VA] / w), fmax(e[UB], e[VB] / w)), rows[r].error[i], 0.01 * rows[r].error[i],
                   bench_label(&which, &rows[r].method, dt), "largest error");
        }
}

/* ---- drift and long runs ----------------------------------------------------------------------------------------- */

/* Largest gap over the interface rows at T. */
static double largest_gap(const struct torn_case *which, const struct coupled_method *method, double dt, double T)
{
    struct bench b;
    double gap = 0;

    bench_open(&b, which, method, dt, NULL);
    bench_run(&b, lround(T / dt));
    for (size_t r = 0; r < b.torn.problem->rows; r++)
        gap = fmax(gap, fabs(bench_gap(&b, r)));
    bench_close(&b);
    return gap;
}

static void drift_of_torn_structures(void **state)
{
    static const struct {
        struct torn_case which;
        double minus, subcycled, plus;
    } rows[] = {
        {{.kind = SPLIT_MASS, .b = 10, .u0 = 1, .v0 = 1}, 1.395e-3, 8.945e-5, 3.256e-2},
        {{.kind = SPLIT_FLOATING, .b = 10, .u0 = 1, .v0 = 1}, 1.245e-5, 3.500e-6, 4.267e-4},
        {{.kind = FOUR_DOF_2, .u0 = 1, .v0 = 1}, 3.366e-5, 2.373e-5, 9.365e-4},
        {{.kind = FOUR_DOF_3, .u0 = 1, .v0 = 1}, 1.837e-4, NOTHING_GIVEN, 5.501e-3},
    };
    static const struct coupled_method minus = COUPLING("apnr2", 1, G_MINUS), plus = COUPLING("apnr2", 1, G_PLUS),
                                       subcycled = COUPLING("assr2", 10, G_MINUS);

    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        const struct torn_case *which = &rows[r].which;
        const char *label = bench_label(which, &minus, 0.0125);
        const double gap = largest_gap(which, &minus, 0.0125, 10);

        within(gap, rows[r].minus, 0.01 * rows[r].minus, label, "gap");
        within(log2(gap / largest_gap(which, &minus, 0.00625, 10)), 2, 0.02, label, "order of the gap");
        within(largest_gap(which, &plus, 0.0125, 10), rows[r].plus, 0.01 * rows[r].plus, label, "gap with g+");
        if (!isnan(rows[r].subcycled))
            within(largest_gap(which, &subcycled, 0.0125, 10), rows[r].subcycled, 0.01 * rows[r].subcycled, label,
                   "gap with ten substeps");
    }
}

static void gaps_of_long_runs(void **state)
{
    static const struct torn_case moving = {.kind = SPLIT_MASS, .b = 10, .u0 = 1, .v0 = 1},
                                  pushed_01 = {.kind = SPLIT_MASS, .b = 0.1, .v0 = 1},
                                  pushed_1 = {.kind = SPLIT_MASS, .b = 1, .v0 = 1},
                                  pushed_10 = {.kind = SPLIT_MASS, .b = 10, .v0 = 1},
                                  columns = {.kind = THREE_DOF, .b = 2, .v0 = 1};
    const struct {
        struct torn_case which;
        struct coupled_method method;
        double T[2], gap[2]; /* of the first interface row */
    } rows[] = {
        {moving, COUPLING("apnr2", 1, G_MINUS), {10, 100}, {-8.917e-4, -6.145e-3}},
        {moving, COUPLING("assr2", 10, G_MINUS), {10, 100}, {-5.725e-5, -4.281e-4}},
        {moving, COUPLING("apnr2", 1, G_PLUS), {10, 100}, {2.275e-2, 1.214e-1}},
        {moving, COUPLING("assr2", 10, G_PLUS), {10, 100}, {1.325e-4, -2.189e-4}},
        {pushed_01, COUPLING("plsrt2", 10, G_MINUS), {10, 100}, {1.021e-2, 9.376e-2}},
        {pushed_1, COUPLING("plsrt2", 10, G_MINUS), {10, 100}, {4.922e-4, 4.388e-3}},
        {pushed_10, COUPLING("plsrt2", 10, G_MINUS), {10, 100}, {-5.913e-4, -5.556e-3}},
        {pushed_01, COUPLING("plsrt2", 10, G_PLUS), {10, 100}, {-0.368, -2.243}},
        {pushed_1, COUPLING("plsrt2", 10, G_PLUS), {10, 100}, {-3.128e-2, -0.2733}},
        {pushed_10, COUPLING("plsrt2", 10, G_PLUS), {10, 100}, {-2.331e-3, -2.521e-2}},
        {columns, COUPLING("apnr2", 1, G_MINUS), {10, 50}, {1.787e-2, 9.065e-2}},
        {columns, COUPLING("assr2", 10, G_MINUS), {10, 50}, {5.392e-3, 2.752e-2}},
        {columns, COUPLING("apnr2", 1, G_PLUS), {10, 50}, {-0.440, -2.019}},
    };

    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        struct bench b;
        double t = 0;

        bench_open(&b, &rows[r].which, &rows[r].method, 0.01, NULL);
        for (int i = 0; i < 2; i++) {
            bench_run(&b, lround((rows[r].T[i] - t) / 0.01));
            t = rows[r].T[i];
            within(bench_gap(&b, 0), rows[r].gap[i], 0.01 * fabs(rows[r].gap[i]),
                   bench_label(&rows[r].which, &rows[r].method, 0.01), i ? "gap at the end" : "gap at 10 s");
        }
        bench_close(&b);
    }
}

/* Ten minutes of a chain of two: gap and velocity error at 590 s. */
static void ten_minutes_of_a_chain(void **state)
{
    static const struct {
        struct coupled_method method;
        double gap, error;
    } rows[] = {{COUPLING("apnr2", 1, G_MINUS), 7.172e-3, 2.4e-3},
                {COUPLING("assr2", 10, G_MINUS), 4.113e-3, 1.7e-3},
                {COUPLING("plsrt2", 10, G_MINUS), 9.069e-2, 2.9e-2}};
    static const struct torn_case which = {.kind = TWO_DOF_1, .b = 1, .v0 = 1};

    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        const char *label = bench_label(&which, &rows[r].method, 0.01);
        struct bench b;
        struct whole w;

        bench_open(&b, &which, &rows[r].method, 0.01, NULL);
        bench_run(&b, 59000);
        whole_at(&w, &b, 590);
        whole_now(&w, YK_COARSE);
        within(fabs(bench_gap(&b, 0)), rows[r].gap, 0.01 * rows[r].gap, label, "gap");
        within(fabs(bench_now(&b, YK_COARSE).v[0] - w.v[0]), rows[r].error, 5e-5 + 0.01 * rows[r].error, label,
               "error of v"); /* given with two digits */
        yk_domain_destroy(&w.domain);
        bench_close(&b);
    }
}

static double velocity_gap(struct bench *b)
{
    double gap[3] = {0}, largest = 0;

    for (int side = 0; side < YK_SIDES; side++)
        yk_side_gap(&b->torn.problem->side[side], 1, bench_now(b, side).v, gap);
    for (int i = 0; i < 3; i++)
        largest = fmax(largest, fabs(gap[i]));
    return largest;
}

/* Velocity projection: errors of uA, gaps of u small, of v none. */
static void long_runs_with_velocity_projection(void **state)
{
    static const struct torn_case split = {.kind = SPLIT_MASS, .b = 10, .v0 = 1},
                                  two = {.kind = TWO_DOF_2, .b = 10, .v0 = 1};
    const struct {
        struct torn_case which;
        struct coupled_method method;
        double T, error, tolerance, gap;
    } rows[] = {
        {split, COUPLING_SET("vpnr2", 1, G_MINUS, "variant", 1), 100, -6.539e-3, 1e-5, -9.04e-5},
        {split, COUPLING_SET("vpnr2", 1, G_PLUS, "variant", 1), 100, 1.955e-2, 1e-4, 8.07e-5},
        {split, COUPLING_SET("vpnr2", 1, 0.5, "variant", 1), 100, -9.456e-3, 1e-5, -1.29e-4},
        {split, COUPLING_SET("vpnr2", 1, G_MINUS, "variant", 1), 2000, 4.4e-2, 5e-4, NOTHING_GIVEN},
        {split, COUPLING_SET("vpnr2", 1, G_PLUS, "variant", 1), 2000, -0.273, 1e-3, NOTHING_GIVEN},
        {split, COUPLING_SET("vpnr2", 1, 0.5, "variant", 1), 2000, 5.7e-2, 5e-4, NOTHING_GIVEN},
        {split, COUPLING("vpnr1", 1, 1), 100, 0.187, 1e-3, NOTHING_GIVEN},
        {split, COUPLING("vpnr1", 1, 0.5), 100, -9.5e-3, 1e-4, NOTHING_GIVEN},
        {two, COUPLING_SET("vpnr2", 1, G_MINUS, "variant", 1), 100, -7.671e-4, 1e-5, NOTHING_GIVEN},
        {two, COUPLING_SET("vpnr2", 1, G_MINUS, "variant", 1), 600, 5.338e-3, 1e-4, NOTHING_GIVEN},
        {two, COUPLING_SET("vpnr2", 1, G_PLUS, "variant", 1), 100, 1.262e-2, 1e-4, NOTHING_GIVEN},
        {two, COUPLING_SET("vpnr2", 1, G_PLUS, "variant", 1), 600, -8.502e-2, 1e-3, NOTHING_GIVEN},
        {two, COUPLING_SET("vpnr2", 1, 0.25, "variant", 1), 100, -5.50e-4, 1e-5, NOTHING_GIVEN},
        {two, COUPLING_SET("vpnr2", 1, 0.25, "variant", 1), 600, 3.83e-3, 5e-5, NOTHING_GIVEN},
        {two, COUPLING_SET("vpnr2", 1, 0.5, "variant", 1), 100, -1.31e-3, 2e-5, NOTHING_GIVEN},
        {two, COUPLING_SET("vpnr2", 1, 0.5, "variant", 1), 600, 9.12e-3, 1e-4, NOTHING_GIVEN},
    };

    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        const char *label = bench_label(&rows[r].which, &rows[r].method, 0.01);
        struct bench b;
        struct whole w;

        bench_open(&b, &rows[r].which, &rows[r].method, 0.01, NULL);
        bench_run(&b, lround(rows[r].T / 0.01));
        whole_at(&w, &b, rows[r].T);
        whole_now(&w, YK_COARSE);
        within(bench_now(&b, YK_COARSE).u[0] - w.u[0], rows[r].error, rows[r].tolerance, label, "error of uA");
        if (!isnan(rows[r].gap))
            within(bench_gap(&b, 0), rows[r].gap, 0.01 * fabs(rows[r].gap), label, "gap");
        within(velocity_gap(&b), 0, 2e-15, label, "velocity gap");
        yk_domain_destroy(&w.domain);
        bench_close(&b);
    }
}

/* ---- case studies ------------------------------------------------------------------------------------------------ */

/* What a run shows against the exact motion, at every system step; each relative to the peak of the exact one. */
struct study {
    double drift, error_u[YK_SIDES], error_v;
    double peak_u, last_v; /* not relative: of the exact motion, and of vA in the last 2 s */
    double peak_uA;        /* of the computed motion of A's interface */
    double uA, uB;         /* of the interface, at the end */
};

/* `dof`: the joined degree of freedom on each side, where errors and peaks are taken. */
static struct study study(const struct torn_case *which, const struct coupled_method *method, double dt, double T,
                          const struct yk_loading *loads, const size_t *dof)
{
    const long steps = lround(T / dt);
    struct study s = {0};
    struct bench b;
    struct whole w;
    double peak_v = 0;

    bench_open(&b, which, method, dt, loads);
    whole_open(&w, &b, loads ? loads[YK_COARSE] : (struct yk_loading){NULL, NULL}, dt);
    for (long k = 1; k <= steps; k++) {
        bench_run(&b, 1);
        assert_int_equal(yk_domain_step(&w.domain), YK_OK);
        for (int side = 0; side < YK_SIDES; side++) {
            const struct yk_kinematics now = bench_now(&b, side);
            const size_t i = dof[side];

            whole_now(&w, side);
            s.error_u[side] = fmax(s.error_u[side], fabs(now.u[i] - w.u[i]));
            s.peak_u = fmax(s.peak_u, fabs(w.u[i]));
            peak_v = fmax(peak_v, fabs(w.v[i]));
            if (side == YK_FINE)
                continue;
            s.error_v = fmax(s.error_v, fabs(now.v[i] - w.v[i]));
            s.last_v = (double)k * dt > T - 2 ? fmax(s.last_v, fabs(now.v[i])) : 0;
        }
        s.uA = bench_now(&b, YK_COARSE).u[dof[YK_COARSE]];
        s.uB = bench_now(&b, YK_FINE).u[dof[YK_FINE]];
        s.drift = fmax(s.drift, fabs(s.uA - s.uB));
        s.peak_uA = fmax(s.peak_uA, fabs(s.uA));
    }
    s.drift /= s.peak_u;
    s.error_u[0] /= s.peak_u;
    s.error_u[1] /= s.peak_u;
    s.error_v /= peak_v;
    yk_domain_destroy(&w.domain);
    bench_close(&b);
    return s;
}

static void split_oscillator_of_one_hertz(void **state)
{
    static const struct {
        struct coupled_method method;
        double b, drift, error_u, error_v, uA, uB;
    } rows[] = {
        {COUPLING("plsrt2", 2, G_MINUS), 0.1, 2.2307, 1.6218, 1.4458, -7.476377e-4, -4.299760e-3},
        {COUPLING_SET("iplsrt2", 2, G_MINUS, "jacobian", 1), 0.1, 0.0403, 1.1010, 1.1301, -1.367721e-3, -1.421954e-3},
        {COUPLING("iplsrt2", 2, G_MINUS), 0.1, 0.0043, 0.1005, 0.1017, -2.030187e-4, -2.037991e-4},
        {COUPLING("plsrt2", 2, G_MINUS), 2, 0.0299, 0.0307, 0.0108, -9.946877e-5, -5.181793e-5},
        {COUPLING_SET("iplsrt2", 2, G_MINUS, "jacobian", 1), 2, 0.0019, 0.0748, 0.0724, 3.796928e-5, 3.811179e-5},
        {COUPLING("iplsrt2", 2, G_MINUS), 2, 0.0023, 0.0949, 0.0926, 7.769589e-5, 7.784886e-5},
    };

    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        const struct torn_case which = {.kind = SPLIT_MASS, .b = rows[r].b, .v0 = 0.01, .k = 6.28 * 6.28};
        const struct study s = study(&which, &rows[r].method, 0.01, 10, NULL, (size_t[]){0, 0});
        const char *label = bench_label(&which, &rows[r].method, 0.01);

        within(s.drift, rows[r].drift, 5.1e-5, label, "drift");
        within(s.error_u[YK_COARSE], rows[r].error_u, 5.1e-5, label, "error of uA");
        within(s.error_v, rows[r].error_v, 5.1e-5, label, "error of vA");
        within(s.uA, rows[r].uA, 1e-6 * fabs(rows[r].uA), label, "uA(10 s)");
        within(s.uB, rows[r].uB, 1e-6 * fabs(rows[r].uB), label, "uB(10 s)");
    }
}

static void hundred_seconds_of_one_hertz(void **state)
{
    static const struct {
        const char *name;
        double b, last;
    } rows[] = {{"plsrt2", 2, 1.0189}, {"iplsrt2", 2, 0.5973}, {"plsrt2", 0.1, 0.0535}, {"iplsrt2", 0.1, 0.7115}};

    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        const struct torn_case which = {.kind = SPLIT_MASS, .b = rows[r].b, .v0 = 0.01, .k = 6.28 * 6.28};
        const struct coupled_method method = COUPLING(rows[r].name, 2, G_MINUS);
        const struct study s = study(&which, &method, 0.01, 100, NULL, (size_t[]){0, 0});

        within(s.last_v / 0.01, rows[r].last, 5.1e-5, bench_label(&which, &method, 0.01), "peak of the last 2 s");
    }
}

static void rig_of_translation_and_rotation(void **state)
{
    static const struct {
        const char *name;
        size_t dof;
        double drift, error, uA, uB, late;
    } rows[] = {
        {"plsrt2", 0, 0.0096, 0.0895, -4.831785e-2, -4.880138e-2, 0.147},
        {"plsrt2", 1, 0.0047, 0.0405, -3.627976e-2, -3.645164e-2, 0.042},
        {"iplsrt2", 0, 0.0020, 0.0583, -4.777201e-2, -4.781291e-2, 0.0021},
        {"iplsrt2", 1, 0.0012, 0.0290, -3.565415e-2, -3.567086e-2, 0.0012},
    };
    static const struct torn_case which = {.kind = BASE_2DOF};

    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        const struct coupled_method method = COUPLING(rows[r].name, 2, G_MINUS);
        const size_t dof[] = {rows[r].dof, rows[r].dof};
        const struct study s = study(&which, &method, 0.004, 10, rig_loads, dof),
                           late = study(&which, &method, 0.004, 300, rig_loads, dof);
        const char *label = bench_label(&which, &method, 0.004);

        within(s.drift, rows[r].drift, 5.1e-5, label, "drift");
        /* the solution of the reference is LSRT2 with 1 ms, which is 3e-4 off by itself */
        within(s.error_u[YK_COARSE], rows[r].error, 4e-4, label, "error of uA");
        within(s.uA, rows[r].uA, 1e-6 * fabs(rows[r].uA), label, "uA(10 s)");
        within(s.uB, rows[r].uB, 1e-6 * fabs(rows[r].uB), label, "uB(10 s)");
        within(late.drift * late.peak_u / late.peak_uA, rows[r].late, 0.01 * rows[r].late + 5e-5, label,
               "drift after 300 s");
    }
}

static void fixed_chain_of_four(void **state)
{
    static const struct {
        struct coupled_method method;
        double drift, error_A, error_B, uA, uB;
    } rows[] = {
        {COUPLING("plsrt2", 2, G_MINUS), 0.0083, 0.1940, 0.1883, -3.879244e-5, -9.464244e-6},
        {COUPLING_SET("iplsrt2", 2, G_MINUS, "jacobian", 1), 0.0056, 0.1585, 0.1605, 7.201737e-5, 4.143047e-5},
        {COUPLING("iplsrt2", 2, G_MINUS), 0.0051, 0.1348, 0.1370, 2.837802e-4, 2.564412e-4},
    };
    static const struct torn_case which = {.kind = CHAIN_4DOF, .u0 = 0.01};

    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        const size_t dof[] = {2, 1};
        const struct study s = study(&which, &rows[r].method, 0.004, 10, NULL, dof);
        const char *label = bench_label(&which, &rows[r].method, 0.004);

        within(s.drift, rows[r].drift, 5.1e-5, label, "drift");
        within(s.error_u[YK_COARSE], rows[r].error_A, 5.1e-5, label, "error of A");
        within(s.error_u[YK_FINE], rows[r].error_B, 5.1e-5, label, "error of B");
        within(s.uA, rows[r].uA, 1e-6 * fabs(rows[r].uA), label, "uA(10 s)");
        within(s.uB, rows[r].uB, 1e-6 * fabs(rows[r].uB), label, "uB(10 s)");
    }
}

/* ---- the spring-pendulum on the fine side ------------------------------------------------------------------------ */

static void pendulum_torn(struct torn *t, double dt, int substeps)
{
    const double u0[] = {0.02, 5e-4, 0.3}, v0[3] = {0}, m = 10, c = 40, k = 1000;
    const struct pendulum settings = {
        .platform_mass = 1, .mass = 0.34, .stiffness = 4e5, .length = 0.167, .gravity = 9.81};
    struct yk_structure_parts parts = {.u0 = malloc(sizeof(double)), .v0 = calloc(1, sizeof(double))};
    struct yk_system *systems[2];

    assert_ok(yk_matrix_init(&parts.M, YK_DENSE, 1, 1, &err));
    assert_ok(yk_matrix_init(&parts.C, YK_DENSE, 1, 1, &err));
    assert_ok(yk_matrix_init(&parts.K, YK_DENSE, 1, 1, &err));
    parts.M.x[0] = m;
    parts.C.x[0] = c;
    parts.K.x[0] = k;
    parts.u0[0] = u0[0];
    assert_ok(yk_structure_create(&systems[0], &parts, NULL, &err));
    systems[1] = pendulum_make(&settings, u0, v0);
    torn_from_systems(t, systems, (bool[]){false, true}, 2, &(struct torn_join){0, 0, 1, 0}, 1, dt, substeps);
}

/* Two seconds of it: platform, angle, peak of the axial rate in the last tenth of a second, gap of the platform. */
struct swing {
    double yA, theta, rate, drift;
};

static struct swing swing(const struct coupled_method *m, double dt)
{
    const char *names[] = {"gamma", "gamma_B", m->set[0].name};
    const double values[] = {m->gamma_A, m->gamma_B, m->set[0].value};
    const long steps = lround(2 / dt);
    struct swing s = {0};
    struct bench b;

    pendulum_torn(&b.torn, dt, m->substeps);
    torn_open(&b.c, &b.torn, m->name, names, values, m->set[0].name ? 3 : 2, 1);
    for (long k = 1; k <= steps; k++) {
        bench_run(&b, 1);
        s.rate = (double)k * dt > 1.9 ? fmax(s.rate, fabs(bench_now(&b, YK_FINE).v[1])) : 0;
    }
    s.yA = bench_now(&b, YK_COARSE).u[0];
    s.theta = bench_now(&b, YK_FINE).u[2];
    s.drift = fabs(s.yA - bench_now(&b, YK_FINE).u[0]);
    bench_close(&b);
    return s;
}

static void stiff_spring_pendulum(void **state)
{
    static const struct {
        struct coupled_method method;
        double dt;
        struct swing end;
    } rows[] = {
        {COUPLING("apnr2", 1, G_MINUS), 1e-3, {3.789954e-4, -0.250732, 0, NOTHING_GIVEN}},
        {COUPLING("assr2", 10, G_MINUS), 1e-3, {NOTHING_GIVEN, -0.248401, 0.487, NOTHING_GIVEN}},
        {COUPLING("apnr2", 1, G_PLUS), 1e-3, {NOTHING_GIVEN, -0.264011, NOTHING_GIVEN, 0.264}},
        {COUPLING_SET("vpnr2", 1, G_MINUS, "variant", 1), 1e-3, {NOTHING_GIVEN, -0.250439, NOTHING_GIVEN, 3.3e-5}},
        {COUPLING_SET("vpnr2", 1, G_MINUS, "variant", 1), 1e-2, {NOTHING_GIVEN, -0.248911, NOTHING_GIVEN, 3.3e-3}},
        {COUPLING_SET("vpnr2", 1, G_PLUS, "variant", 1),
         1e-2,
         {NOTHING_GIVEN, -0.172543, NOTHING_GIVEN, NOTHING_GIVEN}},
        /* tests/prototypes/pendulum.py */
        {COUPLING("plsrt2", 1, G_MINUS), 1e-3, {3.76693312e-4, -0.24985524, 0, 0.0211826}},
        {COUPLING("plsrt2", 2, G_MINUS), 1e-3, {3.87631281e-4, -0.25015430, 0.0579821, 5.95479e-3}},
        {COUPLING("plsrt2", 2, G_PLUS), 1e-3, {3.72799696e-4, -0.26330124, 0, 0.2505079}},
    };

    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        const struct swing end = swing(&rows[r].method, rows[r].dt), *wanted = &rows[r].end;
        const char *label = rows[r].method.name;

        within(end.theta, wanted->theta, 1e-6, label, "theta");
        if (!isnan(wanted->yA))
            within(end.yA, wanted->yA, 1e-6 * wanted->yA, label, "yA");
        if (!isnan(wanted->rate)) /* 0: damped out */
            within(end.rate, wanted->rate, 1e-5 + 1e-3 * wanted->rate, label, "axial rate");
        if (!isnan(wanted->drift))
            within(end.drift, wanted->drift, 0.02 * wanted->drift, label, "drift");
    }
}

/* ---- what every method owes -------------------------------------------------------------------------------------- */

static const struct coupled_method family[] = {
    COUPLING("apnr1", 1, 1),
    COUPLING("apnr2", 1, G_MINUS),
    COUPLING("assr1", 3, 1),
    COUPLING("assr2", 4, G_MINUS),
    COUPLING_SET("assr2", 4, G_PLUS, "multipliers", 1),
    COUPLING("apsr1", 3, 1),
    COUPLING("plsrt2", 3, G_MINUS),
    COUPLING("iplsrt2", 3, G_MINUS),
    COUPLING_SET("iplsrt2", 3, G_MINUS, "projection", 1),
    COUPLING_SET("iplsrt2", 3, G_MINUS, "projection", 2),
    COUPLING("vpnr1", 1, 1),
    COUPLING("vpnr2", 1, G_MINUS),
    COUPLING_SET("vpnr2", 1, G_MINUS, "variant", 1),
};
enum { FAMILY = sizeof family / sizeof *family, MOST = 32 };

/* Two cubic oscillators m, k, k3 u^3 split b : 1, sine loads on both sides. */
static void cubic_torn(struct torn *t, double b, double dt, int substeps)
{
    struct yk_system *systems[2];
    const double share[] = {b / (1 + b), 1 / (1 + b)}, u0 = 0.5, v0 = 1;

    for (int i = 0; i < 2; i++) {
        struct yk_matrix A[3] = {{0}};

        for (int k = 0; k < 3; k++)
            assert_ok(yk_matrix_init(&A[k], YK_DENSE, 1, 1, &err));
        A[0].x[0] = share[i];
        A[1].x[0] = 0.1 * share[i];
        A[2].x[0] = share[1 - i];
        systems[i] = duffing_create(A[0], A[1], A[2], 2 * share[i], false, &u0, &v0);
    }
    torn_from_systems(t, systems, (bool[]){false, true}, 2, &(struct torn_join){0, 0, 1, 0}, 1, dt, substeps);
    torn_load(t, YK_COARSE, (struct yk_loading){sine_load, NULL});
    torn_load(t, YK_FINE, (struct yk_loading){sine_load, NULL});
}

static void open_cubic(struct bench *b, const struct coupled_method *m, double dt, int threads)
{
    const char *names[] = {"gamma", "gamma_B", m->set[0].name};
    const double values[] = {m->gamma_A, m->gamma_B, m->set[0].value};

    cubic_torn(&b->torn, 2, dt, m->substeps);
    torn_open(&b->c, &b->torn, m->name, names, values, m->set[0].name ? 3 : 2, threads);
}

static void assert_same(struct bench *x, struct bench *y, double tolerance, const char *label)
{
    for (int side = 0; side < YK_SIDES; side++) {
        const struct yk_kinematics a = bench_now(x, side), b = bench_now(y, side);

        within(a.u[0], b.u[0], tolerance, label, "u");
        within(a.v[0], b.v[0], tolerance, label, "v");
        within(a.a[0], b.a[0], tolerance, label, "a");
    }
    within(x->c.ops->lambda(x->c.self)[0], y->c.ops->lambda(y->c.self)[0], tolerance, label, "lambda");
}

static void two_threads_agree_bit_by_bit(void **state)
{
    for (size_t m = 0; m < FAMILY; m++) {
        struct bench one, two;

        open_cubic(&one, &family[m], 0.02, 1);
        open_cubic(&two, &family[m], 0.02, 2);
        assert_true(!two.c.apart == !(two.c.ops->caps & YK_COUPLING_PARALLEL));
        for (int k = 0; k < 200; k++) {
            bench_run(&one, 1);
            bench_run(&two, 1);
            assert_same(&one, &two, 0, family[m].name);
        }
        bench_close(&one);
        bench_close(&two);
    }
}

/* A state put into a fresh coupling at the same step goes on as the first; at every phase of cycles and start-up. */
static void saved_states_go_on(void **state)
{
    for (size_t m = 0; m < FAMILY; m++)
        for (int at = 1; at < 9; at++) {
            struct bench first, second;
            struct yk_span from[MOST], to[MOST];
            size_t count;

            open_cubic(&first, &family[m], 0.02, 1);
            open_cubic(&second, &family[m], 0.02, 1);
            bench_run(&first, at);
            second.torn.problem->step = at;
            count = first.c.ops->state(first.c.self, from, MOST);
            assert_int_equal(second.c.ops->state(second.c.self, to, MOST), count);
            for (size_t i = 0; i < count; i++) {
                assert_int_equal(from[i].n, to[i].n);
                memcpy(to[i].x, from[i].x, to[i].n * sizeof(double));
            }
            assert_int_equal(second.c.ops->resume(second.c.self), YK_OK);
            for (int k = 0; k < 5; k++) {
                bench_run(&first, 1);
                bench_run(&second, 1);
                assert_same(&first, &second, 1e-12, family[m].name);
            }
            bench_close(&first);
            bench_close(&second);
        }
}

/* Order against the untorn structure, with cubic springs and damping on both sides. The load is the same on both. */
static void orders_with_cubic_springs(void **state)
{
    static const struct {
        struct coupled_method method;
        double order;
    } rows[] = {{COUPLING("apnr1", 1, 1), 1},
                {COUPLING("apnr2", 1, G_MINUS), 2},
                {COUPLING("assr1", 10, 1), 1},
                {COUPLING("assr2", 10, G_MINUS), 2},
                {COUPLING("apsr1", 10, 1), 1},
                {COUPLING("plsrt2", 10, G_MINUS), 2},
                {COUPLING_SET("iplsrt2", 10, G_MINUS, "projection", 2), 2},
                {COUPLING("vpnr1", 1, 1), 1},
                {COUPLING("vpnr2", 1, G_MINUS), 2}};
    const double T = 2;
    struct bench fine;
    double u;

    open_cubic(&fine, &family[3], 1e-4, 1); /* error 1e-8 */
    bench_run(&fine, lround(T / 1e-4));
    u = bench_now(&fine, YK_FINE).u[0];
    bench_close(&fine);
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        double error[2] = {0};

        for (int half = 0; half < 2; half++) {
            struct bench b;
            const double dt = half ? 0.0025 : 0.005;

            open_cubic(&b, &rows[r].method, dt, 1);
            bench_run(&b, lround(T / dt));
            error[half] = fmax(fabs(bench_now(&b, YK_COARSE).u[0] - u), fabs(bench_now(&b, YK_FINE).u[0] - u));
            bench_close(&b);
        }
        within(log2(error[0] / error[1]), rows[r].order, 0.15, rows[r].method.name, "order");
    }
}

/* mA = 2, mB = 1, vA = 1, vB = -0.5: both become 0.5. */
static void projection_shares_the_momentum(void **state)
{
    const double mA = 2, mB = 1, k = 1;
    const struct torn_part parts[] = {{false, 1, &mA, NULL, &k, NULL, NULL}, {true, 1, &mB, NULL, &k, NULL, NULL}};
    struct torn t;
    double v[] = {1, -0.5}, gap[2] = {0}, work[3], mu;

    torn_make(&t, parts, 2, &(struct torn_join){0, 0, 1, 0}, 1, 0.1, 1);
    for (int i = 0; i < YK_SIDES; i++)
        yk_side_gap(&t.problem->side[i], 1, &v[i], &gap[i]);
    yk_multiplier(t.problem, &(struct yk_trace){&gap[0], NULL}, &(struct yk_trace){&gap[1], NULL}, work, &mu);
    for (int i = 0; i < YK_SIDES; i++) {
        yk_side_kick(&t.problem->side[i], 1, 1, &mu, &v[i]);
        assert_near(v[i], 0.5, 1e-15);
    }
    torn_free(&t);
}

static enum yk_status try_coupling(struct torn *t, const char *name, const char *key, double value, struct yk_err *err)
{
    const struct yk_coupling_ops *ops = yk_coupling_find(name);
    void *settings = calloc(1, ops->size);
    struct yk_coupling c;
    enum yk_status st;

    assert_non_null(settings);
    yk_param_defaults(ops->params, settings);
    if (key)
        assert_int_equal(yk_param_set(ops->params, settings, key, value, err), YK_OK);
    st = yk_coupling_create(&c, ops, settings, t->problem, NULL, err);
    if (!st)
        yk_coupling_destroy(&c);
    free(settings);
    return st;
}

static void unfit_problems_are_refused(void **state)
{
    static const char *const without_substeps[] = {"apnr1", "apnr2", "vpnr1", "vpnr2"};
    struct torn t;

    torn_split_mass(&t, 1, 0, 1, 0.01, 1);
    assert_refused(try_coupling(&t, "assr2", NULL, 0, &err), YK_E_UNSUPPORTED, "use apnr2");
    t.problem->untorn = NULL;
    assert_refused(try_coupling(&t, "iplsrt2", NULL, 0, &err), YK_E_UNSUPPORTED, "untorn structure");
    torn_free(&t);
    torn_split_mass(&t, 1, 0, 1, 0.01, 5);
    assert_refused(try_coupling(&t, "assr2", NULL, 0, &err), YK_E_UNSUPPORTED, "time.substeps = 5 is odd");
    for (size_t i = 0; i < sizeof without_substeps / sizeof *without_substeps; i++)
        assert_refused(try_coupling(&t, without_substeps[i], NULL, 0, &err), YK_E_UNSUPPORTED, "must be 1, not 5");
    torn_free(&t);
    pendulum_torn(&t, 0.001, 2);
    assert_refused(try_coupling(&t, "assr2", "multipliers", 1, &err), YK_E_UNSUPPORTED, "multipliers: single");
    torn_free(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(states_of_the_forced_split_mass),
        cmocka_unit_test(states_of_the_interfield_methods),
        cmocka_unit_test(displacements_of_larger_structures),
        cmocka_unit_test(errors_of_the_forced_split_mass),
        cmocka_unit_test(inner_multiplier_of_the_projection_methods),
        cmocka_unit_test(orders_on_the_forced_split_mass),
        cmocka_unit_test(drift_orders_without_subcycling),
        cmocka_unit_test(errors_of_the_interfield_methods),
        cmocka_unit_test(errors_at_practical_steps),
        cmocka_unit_test(drift_of_torn_structures),
        cmocka_unit_test(gaps_of_long_runs),
        cmocka_unit_test(ten_minutes_of_a_chain),
        cmocka_unit_test(long_runs_with_velocity_projection),
        cmocka_unit_test(split_oscillator_of_one_hertz),
        cmocka_unit_test(hundred_seconds_of_one_hertz),
        cmocka_unit_test(rig_of_translation_and_rotation),
        cmocka_unit_test(fixed_chain_of_four),
        cmocka_unit_test(stiff_spring_pendulum),
        cmocka_unit_test(two_threads_agree_bit_by_bit),
        cmocka_unit_test(saved_states_go_on),
        cmocka_unit_test(orders_with_cubic_springs),
        cmocka_unit_test(projection_shares_the_momentum),
        cmocka_unit_test(unfit_problems_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
