/* Duties of every registered integrator, in one loop over the registry: a new method joins by its registry line.
 *
 * Exact solutions are written down here (modal superposition, Runge-Kutta at a fine step), not taken from the library.
 */
#include "support/check.h"
#include "support/duffing.h"
#include "support/method.h"

#include <math.h>
#include <stdlib.h>

#include "analyze/analyze.h"

static const double pi = 3.14159265358979323846;

enum { DOFS = 3, LARGE = 40 };

static const struct chain chain = {.n = DOFS, .m = 2, .k = 30, .a = 0.3, .b = 0.01};
static const double start_u[DOFS] = {0.3, -0.2, 0.1}, start_v[DOFS] = {0.5, 0.4, -0.7};
static const double load_amplitude[DOFS] = {4, -7, 3}, load_frequency = 2.5, duration = 3, cubic = 25;

/* f_i = g_i sin(W t); more degrees of freedom repeat the pattern */
static void sine_load(void *self, double t, double *f)
{
    const size_t n = *(const size_t *)self;

    for (size_t i = 0; i < n; i++)
        f[i] = load_amplitude[i % DOFS] * sin(load_frequency * t);
}

static const size_t dofs = DOFS;
static const struct yk_loading sine = {.at = sine_load, .self = (void *)&dofs};

static struct yk_system *chain_create(double k3, bool linear, const double *u0, const double *v0)
{
    struct yk_matrix M, C, K;

    chain_matrices(&chain, YK_DENSE, &M, &C, &K);
    return duffing_create(M, C, K, k3, linear, u0, v0);
}

/* ---- exact solutions --------------------------------------------------------------------------------------------- */

/* q'' + c q' + w^2 q = s sin(W t) from (q0, r0) */
static void modal_solution(double w, double c, double s, double q0, double r0, double t, double *q, double *r)
{
    const double W = load_frequency, wd = sqrt(w * w - c * c / 4), D = pow(w * w - W * W, 2) + pow(c * W, 2);
    const double A = s * (w * w - W * W) / D, B = -s * c * W / D;
    const double E = q0 - B, F = (r0 + c / 2 * E - A * W) / wd, decay = exp(-c / 2 * t);

    *q = decay * (E * cos(wd * t) + F * sin(wd * t)) + A * sin(W * t) + B * cos(W * t);
    *r = decay * ((F * wd - c / 2 * E) * cos(wd * t) - (E * wd + c / 2 * F) * sin(wd * t)) +
         W * (A * cos(W * t) - B * sin(W * t));
}

/* Modes of the chain: sin(i k pi/(n+1)), w_k = 2 sqrt(k/m) sin(k pi/(2(n+1))). */
static void chain_solution(const double *u0, const double *v0, double t, double *u, double *v)
{
    memset(u, 0, DOFS * sizeof *u);
    memset(v, 0, DOFS * sizeof *v);
    for (int mode = 1; mode <= DOFS; mode++) {
        const double w = 2 * sqrt(chain.k / chain.m) * sin(mode * pi / (2 * (DOFS + 1)));
        double shape[DOFS], q0 = 0, r0 = 0, s = 0, q, r;

        for (int i = 0; i < DOFS; i++) {
            shape[i] = sin((i + 1) * mode * pi / (DOFS + 1));
            q0 += 2.0 / (DOFS + 1) * shape[i] * u0[i];
            r0 += 2.0 / (DOFS + 1) * shape[i] * v0[i];
            s += 2.0 / (DOFS + 1) * shape[i] * load_amplitude[i] / chain.m;
        }
        modal_solution(w, chain.a + chain.b * w * w, s, q0, r0, t, &q, &r);
        for (int i = 0; i < DOFS; i++) {
            u[i] += q * shape[i];
            v[i] += r * shape[i];
        }
    }
}

/* y' of the chain with cubic springs to the ground, y = (u, v) */
static void duffing_slope(double t, const double *y, double *slope)
{
    const double *u = y, *v = y + DOFS;

    for (int i = 0; i < DOFS; i++) {
        const double du = 2 * u[i] - (i > 0 ? u[i - 1] : 0) - (i + 1 < DOFS ? u[i + 1] : 0);
        const double dv = 2 * v[i] - (i > 0 ? v[i - 1] : 0) - (i + 1 < DOFS ? v[i + 1] : 0);
        const double f = load_amplitude[i] * sin(load_frequency * t);

        slope[i] = v[i];
        slope[DOFS + i] =
            (f - chain.a * chain.m * v[i] - chain.b * chain.k * dv - chain.k * du - cubic * pow(u[i], 3)) / chain.m;
    }
}

/* Classical Runge-Kutta, written apart from the library's. */
static void duffing_runge_kutta(double t, double h, double *y)
{
    static const double at[4] = {0, 0.5, 0.5, 1}, weight[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
    double k[2 * DOFS] = {0}, stage[2 * DOFS], sum[2 * DOFS] = {0};

    for (int s = 0; s < 4; s++) {
        for (int i = 0; i < 2 * DOFS; i++)
            stage[i] = y[i] + at[s] * h * k[i];
        duffing_slope(t + at[s] * h, stage, k);
        for (int i = 0; i < 2 * DOFS; i++)
            sum[i] += weight[s] * h * k[i];
    }
    for (int i = 0; i < 2 * DOFS; i++)
        y[i] += sum[i];
}

/* ---- observed order ---------------------------------------------------------------------------------------------- */

enum { FEWEST = 8, FINE = 16384, LEVELS = 11 }; /* steps of the run: FEWEST, doubled, .. FINE/2 */

/* Reference states at FINE + 1 instants of the run. */
struct reference {
    double y[FINE + 1][2 * DOFS];
};

static struct reference *linear_reference(const double *u0, const double *v0)
{
    struct reference *ref = malloc(sizeof *ref);

    assert_non_null(ref);
    for (int k = 0; k <= FINE; k++)
        chain_solution(u0, v0, duration * k / FINE, ref->y[k], ref->y[k] + DOFS);
    return ref;
}

static struct reference *duffing_reference(const double *u0, const double *v0)
{
    struct reference *ref = malloc(sizeof *ref);

    assert_non_null(ref);
    memcpy(ref->y[0], u0, DOFS * sizeof *u0);
    memcpy(ref->y[0] + DOFS, v0, DOFS * sizeof *v0);
    for (int k = 0; k < FINE; k++) {
        memcpy(ref->y[k + 1], ref->y[k], sizeof ref->y[k]);
        duffing_runge_kutta(duration * k / FINE, duration / FINE, ref->y[k + 1]);
    }
    return ref;
}

/* Largest error of u and v in a run of `steps` steps; infinite when the step is too long to survive. */
static void run_error(const struct method *method, struct yk_system *system, const struct reference *ref, int steps,
                      double error[2])
{
    struct yk_domain d;
    struct yk_kinematics now;

    error[0] = error[1] = 0;
    method_open(&d, method, system, sine, duration / steps);
    for (int k = 1; k <= steps; k++) {
        const double *exact = ref->y[k * (FINE / steps)];

        if (yk_domain_step(&d)) {
            error[0] = error[1] = INFINITY;
            break;
        }
        yk_domain_now(&d, &now);
        for (int i = 0; i < DOFS; i++) {
            error[0] = fmax(error[0], fabs(now.u[i] - exact[i]));
            error[1] = fmax(error[1], fabs(now.v[i] - exact[DOFS + i]));
        }
    }
    yk_domain_destroy(&d);
}

/* Order from the last halving of the step whose error still stands clear of rounding (and of the iteration's). */
static void observed_order(const struct method *method, struct yk_system *system, const struct reference *ref,
                           double order[2])
{
    double last[2] = {0}, error[2];

    order[0] = order[1] = NAN;
    for (int level = 0; level < LEVELS; level++) {
        run_error(method, system, ref, FEWEST << level, error);
        for (int q = 0; q < 2; q++) {
            if (level > 0 && error[q] > 3e-12)
                order[q] = log2(last[q] / error[q]);
            last[q] = error[q];
        }
    }
}

/* A high order shows only at the longest steps, which stand clear of rounding but where it has not quite settled. */
static void check_order(const char *name, const char *what, double observed, double promised)
{
    const bool enough = promised == 1 ? observed > 0.85 : fabs(observed - promised) <= fmax(0.15, 0.03 * promised);

    if (!enough) {
        print_error("%s: observed order of %s is %.3f, promised %g\n", name, what, observed, promised);
        fail();
    }
}

static void check_orders(const char *problem, bool linear, struct yk_system *(*make)(void), const struct reference *ref)
{
    for (const struct yk_integrator_ops *const *ops = yk_integrators; *ops; ops++) {
        const struct method method = {.integrator = (*ops)->name};
        struct yk_system *system = make();
        double order[2];

        if (linear || !((*ops)->caps & YK_INTEG_LINEAR_ONLY)) {
            observed_order(&method, system, ref, order);
            print_message("%-20s %s: observed order of u %.3f, of v %.3f\n", (*ops)->name, problem, order[0], order[1]);
            check_order((*ops)->name, "u", order[0], (*ops)->order);
            check_order((*ops)->name, "v", order[1], (*ops)->order);
        }
        yk_system_destroy(system);
    }
}

static struct yk_system *moving_chain(void)
{
    return chain_create(0, true, start_u, start_v);
}

static struct yk_system *moving_duffing(void)
{
    return chain_create(cubic, false, start_u, start_v);
}

static void observed_order_is_the_promised_one_on_a_linear_chain(void **state)
{
    struct reference *ref = linear_reference(start_u, start_v);

    check_orders("linear", true, moving_chain, ref);
    free(ref);
}

static void observed_order_is_the_promised_one_on_a_cubic_chain(void **state)
{
    struct reference *ref = duffing_reference(start_u, start_v);

    check_orders("cubic", false, moving_duffing, ref);
    free(ref);
}

/* From rest and with a load that starts at zero the displacement is second order; the velocity lags half a step. */
static void cr_and_kr_alpha_are_second_order_in_u_from_rest(void **state)
{
    static const struct method methods[] = {{"cr", {{0}}}, {"kr-alpha", {{0}}}};
    const double zero[DOFS] = {0};
    struct reference *ref = linear_reference(zero, zero);

    for (size_t i = 0; i < 2; i++) {
        struct yk_system *system = chain_create(0, true, NULL, NULL);
        double order[2];

        observed_order(&methods[i], system, ref, order);
        check_order(methods[i].integrator, "u from rest", order[0], 2);
        check_order(methods[i].integrator, "v from rest", order[1], 1);
        yk_system_destroy(system);
    }
    free(ref);
}

/* ---- what every method must do ----------------------------------------------------------------------------------- */

/* The nonlinear problem, or the linear one for methods that take no other. */
static struct yk_system *hardest_problem(const struct yk_integrator_ops *ops)
{
    return ops->caps & YK_INTEG_LINEAR_ONLY ? moving_chain() : moving_duffing();
}

static void advance(struct yk_domain *d, int steps)
{
    for (int k = 0; k < steps; k++)
        assert_int_equal(yk_domain_step(d), YK_OK);
}

static void copy_state(const struct yk_domain *d, double *y)
{
    struct yk_kinematics now;

    yk_domain_now(d, &now);
    memcpy(y, now.u, DOFS * sizeof *y);
    memcpy(y + DOFS, now.v, DOFS * sizeof *y);
    memcpy(y + 2 * DOFS, now.a, DOFS * sizeof *y);
}

/* Two runs end in the same bits; one that goes back to the state saved half-way agrees to rounding. */
static void check_repeats(const struct yk_integrator_ops *ops)
{
    const struct method method = {.integrator = ops->name};
    struct yk_system *system = hardest_problem(ops), *other = hardest_problem(ops);
    struct yk_domain d, e;
    struct yk_span state;
    double y[3 * DOFS], z[3 * DOFS], *kept;

    method_open(&d, &method, system, sine, 0.02);
    advance(&d, 100);
    copy_state(&d, y);

    method_open(&e, &method, other, sine, 0.02);
    advance(&e, 50);
    state = ops->state(e.integrator.self);
    kept = malloc(state.n * sizeof *kept);
    assert_non_null(kept);
    memcpy(kept, state.x, state.n * sizeof *kept);
    advance(&e, 50);
    copy_state(&e, z);
    assert_memory_equal(y, z, sizeof y);

    memcpy(state.x, kept, state.n * sizeof *kept);
    assert_int_equal(yk_domain_resume(&e, 50), YK_OK);
    advance(&e, 50);
    copy_state(&e, z);
    for (size_t i = 0; i < 3 * DOFS; i++)
        assert_near(z[i], y[i], 1e-9);

    free(kept);
    yk_domain_destroy(&d);
    yk_domain_destroy(&e);
    yk_system_destroy(system);
    yk_system_destroy(other);
}

static void runs_repeat_bit_by_bit_and_restarts_to_rounding(void **state)
{
    for (const struct yk_integrator_ops *const *ops = yk_integrators; *ops; ops++) {
        print_message("%s\n", (*ops)->name);
        check_repeats(*ops);
    }
}

/* a = M^-1 p(0) in the given state; M = m I, and the load is zero at t = 0 */
static void start_is_consistent(void **state)
{
    double slope[2 * DOFS], y[2 * DOFS];

    memcpy(y, start_u, sizeof start_u);
    memcpy(y + DOFS, start_v, sizeof start_v);
    duffing_slope(0, y, slope);
    for (const struct yk_integrator_ops *const *ops = yk_integrators; *ops; ops++) {
        const struct method method = {.integrator = (*ops)->name};
        struct yk_system *system = hardest_problem(*ops);
        struct yk_domain d;
        struct yk_kinematics now;

        method_open(&d, &method, system, sine, 0.02);
        yk_domain_now(&d, &now);
        for (int i = 0; i < DOFS; i++) {
            const double spring = system->linear ? cubic * pow(start_u[i], 3) / chain.m : 0;

            assert_near(now.u[i], start_u[i], 0);
            assert_near(now.v[i], start_v[i], 0);
            assert_near(now.a[i], slope[DOFS + i] + spring, 1e-12);
        }
        yk_domain_destroy(&d);
        yk_system_destroy(system);
    }
}

/* The same linear system, once said to be linear and once not. */
static void nonlinear_path_agrees_with_the_linear_one(void **state)
{
    for (const struct yk_integrator_ops *const *ops = yk_integrators; *ops; ops++) {
        const struct method method = {.integrator = (*ops)->name};
        struct yk_system *linear = chain_create(0, true, start_u, start_v);
        struct yk_system *nonlinear = chain_create(0, false, start_u, start_v);
        void *settings = method_settings(*ops, NULL);
        struct yk_domain d, e;
        double y[3 * DOFS], z[3 * DOFS];

        if ((*ops)->caps & YK_INTEG_LINEAR_ONLY) {
            assert_refused(yk_domain_create(&e, *ops, settings, nonlinear, sine, 0.02, NULL, &err), YK_E_UNSUPPORTED,
                           "linear models only");
        } else {
            method_open(&d, &method, linear, sine, 0.02);
            method_open(&e, &method, nonlinear, sine, 0.02);
            advance(&d, 200);
            advance(&e, 200);
            copy_state(&d, y);
            copy_state(&e, z);
            for (int i = 0; i < 3 * DOFS; i++)
                assert_near(z[i], y[i], 1e-6); /* alpha-os: the force of its balance is linearised */
            yk_domain_destroy(&d);
            yk_domain_destroy(&e);
        }
        free(settings);
        yk_system_destroy(linear);
        yk_system_destroy(nonlinear);
    }
}

/* Tangents of every step, and those of the start, on a system whose tangents do not change. */
static void refreshed_tangents_of_a_linear_system_change_nothing(void **state)
{
    static const char *const names[] = {"chang", "lsrt1", "lsrt2", "lsrt3"};

    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        double y[2][3 * DOFS];

        for (int choice = 0; choice < 2; choice++) {
            const struct method method = {names[k], {{"jacobian", choice}}};
            struct yk_system *system = chain_create(0, false, start_u, start_v);
            struct yk_domain d;

            method_open(&d, &method, system, sine, 0.02);
            advance(&d, 200);
            copy_state(&d, y[choice]);
            yk_domain_destroy(&d);
            yk_system_destroy(system);
        }
        for (int i = 0; i < 3 * DOFS; i++)
            assert_near(y[1][i], y[0][i], 1e-10);
    }
}

/* A method that claims no stability limit has none, with and without damping. */
static void unconditional_methods_have_no_stability_limit(void **state)
{
    static const double xi[] = {0, 0.05, 0.5};

    for (const struct yk_integrator_ops *const *ops = yk_integrators; *ops; ops++) {
        void *settings = method_settings(*ops, NULL);

        for (int i = 0; i < 3 && !((*ops)->caps & YK_INTEG_CONDITIONAL); i++) {
            double limit = 0;

            assert_ok(yk_stability_limit(*ops, settings, 3, xi[i], &limit, &err));
            if (limit < INFINITY) {
                print_error("%s is unstable above omega dt = %g at xi = %g\n", (*ops)->name, 3 * limit, xi[i]);
                fail();
            }
        }
        free(settings);
    }
}

static void constant_load(void *self, double t, double *f)
{
    memcpy(f, load_amplitude, sizeof load_amplitude);
}

/* At rest under a load the acceleration is nothing but rounding: an iteration must not mistake that for divergence. */
static void a_damped_model_settles_under_a_constant_load(void **state)
{
    const struct chain damped = {.n = DOFS, .m = 2, .k = 30, .a = 3, .b = 0.01};

    for (const struct yk_integrator_ops *const *ops = yk_integrators; *ops; ops++) {
        const struct method method = {.integrator = (*ops)->name};
        const bool linear = (*ops)->caps & YK_INTEG_LINEAR_ONLY;
        struct yk_matrix M, C, K;
        struct yk_system *system;
        struct yk_domain d;
        struct yk_kinematics now;

        chain_matrices(&damped, YK_DENSE, &M, &C, &K);
        system = duffing_create(M, C, K, linear ? 0 : cubic, linear, start_u, start_v);
        method_open(&d, &method, system, (struct yk_loading){constant_load, NULL}, 0.05);
        for (int k = 0; k < 2000; k++)
            if (yk_domain_step(&d)) {
                print_error("%s failed in step %d\n", (*ops)->name, k + 1);
                fail();
            }
        yk_domain_now(&d, &now);
        yk_system_force(system, 0, load_amplitude, now.u, now.v, d.p);
        for (int i = 0; i < DOFS; i++)
            assert_near(d.p[i], 0, 1e-9);
        yk_domain_destroy(&d);
        yk_system_destroy(system);
    }
}

/* ---- storage forms ----------------------------------------------------------------------------------------------- */

/* Q A Q with the reflection Q = I - 2 w w^T, w^T w = 1: full, and as well conditioned as A */
static struct yk_matrix reflected(struct yk_matrix *A, const double *w)
{
    const size_t n = A->rows;
    struct yk_matrix B;
    double *Aw = calloc(n, sizeof *Aw), wAw;

    assert_non_null(Aw);
    assert_ok(yk_matrix_init(&B, YK_DENSE, n, n, &err));
    yk_matrix_to_dense(A, B.x);
    yk_matrix_add_product(A, 1, w, Aw);
    wAw = yk_dot(n, w, Aw);
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++)
            B.x[i + j * n] += 4 * wAw * w[i] * w[j] - 2 * w[i] * Aw[j] - 2 * Aw[i] * w[j];
    yk_matrix_fini(A);
    free(Aw);
    return B;
}

static void reflect(size_t n, const double *w, double *x)
{
    const double wx = yk_dot(n, w, x);

    for (size_t i = 0; i < n; i++)
        x[i] -= 2 * wx * w[i];
}

struct reflected_load {
    size_t n;
    const double *w;
};

static void reflected_sine(void *self, double t, double *f)
{
    struct reflected_load *load = self;

    sine_load(&load->n, t, f);
    if (load->w)
        reflect(load->n, load->w, f);
}

/* The chain in its own coordinates (w = NULL) or in reflected ones, where its matrices are full. */
static void run_in_form(const struct yk_integrator_ops *ops, size_t n, enum yk_form form, const double *w, double *y)
{
    const struct method method = {.integrator = ops->name};
    const struct chain c = {.n = n, .m = 2, .k = 30, .a = 0.3, .b = 0.01};
    struct reflected_load load = {n, w};
    struct yk_matrix M, C, K;
    struct yk_system *system;
    struct yk_domain d;
    struct yk_kinematics now;
    double u0[LARGE];

    chain_matrices(&c, form, &M, &C, &K);
    for (size_t i = 0; i < n; i++)
        u0[i] = start_u[i % DOFS];
    if (w) {
        M = reflected(&M, w);
        C = reflected(&C, w);
        K = reflected(&K, w);
        reflect(n, w, u0);
    }
    system = duffing_create(M, C, K, 0, true, u0, NULL);
    method_open(&d, &method, system, (struct yk_loading){reflected_sine, &load}, 0.02);
    advance(&d, 100);
    yk_domain_now(&d, &now);
    memcpy(y, now.u, n * sizeof *y);
    memcpy(y + n, now.v, n * sizeof *y);
    if (w) {
        reflect(n, w, y);
        reflect(n, w, y + n);
    }
    yk_domain_destroy(&d);
    yk_system_destroy(system);
}

/* Tridiagonal matrices up to order 32 are inverted, larger ones take the sparse factor; full ones the dense factor. */
static void every_storage_form_gives_the_same_motion(void **state)
{
    static const size_t sizes[] = {1, 20, LARGE};

    for (const struct yk_integrator_ops *const *ops = yk_integrators; *ops; ops++)
        for (int s = 0; s < 3; s++) {
            const size_t n = sizes[s];
            double w[LARGE], full[2 * LARGE], y[2 * LARGE];

            for (size_t i = 0; i < n; i++)
                w[i] = sqrt(2.0 * (double)(i + 1) / (double)(n * (n + 1)));
            run_in_form(*ops, n, YK_DENSE, w, full);
            for (int form = YK_DENSE; form <= YK_SPARSE; form++) {
                if (form == YK_DIAGONAL && n > 1)
                    continue;
                run_in_form(*ops, n, (enum yk_form)form, NULL, y);
                for (size_t i = 0; i < 2 * n; i++)
                    assert_near(y[i], full[i], 1e-10);
            }
        }
}

/* Loads of the chain that set in at *self. */
static void late_load(void *self, double t, double *f)
{
    for (size_t i = 0; i < DOFS; i++)
        f[i] = t >= *(const double *)self ? load_amplitude[i] : 0;
}

/* From rest, a load that jumps between two steps does later what it would have done at once. */
static void the_exact_response_to_a_jump_between_steps_is_exact(void **state)
{
    static const struct method exact = {.integrator = "exact"};
    double begin[] = {0, 0.5};
    double u[2][DOFS], v[2][DOFS];

    for (int i = 0; i < 2; i++) {
        struct yk_system *system = chain_create(0, true, NULL, NULL);
        struct yk_domain d;
        struct yk_kinematics now;

        method_open(&d, &exact, system, (struct yk_loading){late_load, &begin[i]}, 0.1);
        advance(&d, i ? 20 : 15);
        yk_domain_now(&d, &now);
        memcpy(u[i], now.u, sizeof u[i]);
        memcpy(v[i], now.v, sizeof v[i]);
        yk_domain_destroy(&d);
        yk_system_destroy(system);
    }
    for (size_t i = 0; i < DOFS; i++) {
        assert_near(u[1][i], u[0][i], 1e-13);
        assert_near(v[1][i], v[0][i], 1e-13);
    }
}

/* ---- how often forces are evaluated ---- */

static const struct yk_system_ops *counted;
static long evaluations;

static void counting_force(void *self, double t, const double *f, const double *u, const double *v, double *p)
{
    evaluations++;
    counted->force(self, t, f, u, v, p);
}

/* The exact method of a linear model takes loads. */
static void the_exact_method_evaluates_no_forces(void **state)
{
    struct yk_system *system = chain_create(0, true, NULL, NULL);
    struct yk_domain d;

    counted = system->ops;
    struct yk_system_ops ops = *counted;
    ops.force = counting_force;
    system->ops = &ops;
    method_open(&d, &(struct method){.integrator = "exact"}, system, no_load, 0.1);
    evaluations = 0;
    advance(&d, 10);
    assert_int_equal(evaluations, 0);
    yk_domain_destroy(&d);
    yk_system_destroy(system);
}

/* At 0 it is the state, at 1 the target of the last stage, and its acceleration is the derivative of its velocity,
 * which is at most a parabola: central differences are exact. newmark takes constant acceleration until it has the new
 * one. */
static void dense_output_leads_from_the_state_to_the_target(void **state)
{
    const double h = 0.02, e = 0.125;
    int found = 0;

    for (const struct yk_integrator_ops *const *m = yk_integrators; *m; m++) {
        const struct method method = {.integrator = (*m)->name};
        struct yk_system *system;
        struct yk_domain d;
        struct yk_kinematics now;
        double t, start[2 * DOFS], u[DOFS], v[3][DOFS], a[DOFS];

        if (!(*m)->dense)
            continue;
        found++;
        system = chain_create(cubic, false, start_u, start_v);
        method_open(&d, &method, system, sine, h);
        advance(&d, 5);
        yk_domain_now(&d, &now);
        memcpy(start, now.u, sizeof u);
        memcpy(start + DOFS, now.v, sizeof u);
        while (yk_domain_next(&d, &t)) {
            void *self = d.integrator.self;

            (*m)->dense(self, d.stage, 0, u, v[0], NULL);
            for (int i = 0; i < DOFS; i++) {
                assert_near(u[i], start[i], 1e-15);
                assert_near(v[0][i], start[DOFS + i], 1e-15);
            }
            for (double xi = 0.25; xi < 1; xi += 0.25) {
                (*m)->dense(self, d.stage, xi - e, u, v[0], NULL);
                (*m)->dense(self, d.stage, xi + e, u, v[2], NULL);
                (*m)->dense(self, d.stage, xi, u, v[1], a);
                for (int i = 0; i < DOFS; i++)
                    assert_near(a[i], (v[2][i] - v[0][i]) / (2 * e * h), 1e-10);
            }
            (*m)->dense(self, d.stage, 1, u, v[0], NULL);
            for (int i = 0; i < DOFS && d.stage + 1 == (*m)->stages && strcmp((*m)->name, "newmark") != 0; i++)
                assert_near(u[i], d.want.u[i], 1e-13);
            yk_domain_absorb(&d);
        }
        yk_domain_destroy(&d);
        yk_system_destroy(system);
    }
    assert_true(found >= 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(observed_order_is_the_promised_one_on_a_linear_chain),
        cmocka_unit_test(the_exact_response_to_a_jump_between_steps_is_exact),
        cmocka_unit_test(observed_order_is_the_promised_one_on_a_cubic_chain),
        cmocka_unit_test(cr_and_kr_alpha_are_second_order_in_u_from_rest),
        cmocka_unit_test(start_is_consistent),
        cmocka_unit_test(runs_repeat_bit_by_bit_and_restarts_to_rounding),
        cmocka_unit_test(nonlinear_path_agrees_with_the_linear_one),
        cmocka_unit_test(refreshed_tangents_of_a_linear_system_change_nothing),
        cmocka_unit_test(unconditional_methods_have_no_stability_limit),
        cmocka_unit_test(a_damped_model_settles_under_a_constant_load),
        cmocka_unit_test(every_storage_form_gives_the_same_motion),
        cmocka_unit_test(the_exact_method_evaluates_no_forces),
        cmocka_unit_test(dense_output_leads_from_the_state_to_the_target),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
