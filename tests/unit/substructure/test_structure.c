/* Structures of matrices: what is refused and how it is said, the force they give, and modal damping. */
#include "support/check.h"
#include "support/method.h"

#include <math.h>
#include <stdlib.h>

#include <yoke/substructure.h>

enum { N = 3, LARGEST = 8 };

static void set(struct yk_matrix *A, enum yk_form form, size_t n, const double *dense)
{
    int row[LARGEST * LARGEST], col[LARGEST * LARGEST];

    for (size_t i = 0; i < n * n; i++) {
        row[i] = (int)(i % n);
        col[i] = (int)(i / n);
    }
    if (form == YK_SPARSE)
        assert_ok(yk_matrix_from_triplets(A, n, n, n * n, row, col, dense, &err));
    else
        assert_ok(yk_matrix_init(A, form, n, n, &err));
    for (size_t i = 0; form != YK_SPARSE && i < (form == YK_DENSE ? n * n : n); i++)
        A->x[i] = dense[form == YK_DENSE ? i : i * (n + 1)];
}

static const double unit[N * N] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
static const double springs[N * N] = {2, -1, 0, -1, 2, -1, 0, -1, 2};

/* ---- what is refused --------------------------------------------------------------------------------------------- */

static void bad_matrices_are_refused_with_a_message(void **state)
{
    static const double asymmetric[N * N] = {2, -1, 0, -1.001, 2, -1, 0, -1, 2};
    static const double indefinite[N * N] = {1, 2, 0, 2, 1, 0, 0, 0, 1};
    static const double massless[N * N] = {1, 0, 0, 0, 0, 0, 0, 0, 1};
    static const double negative[N * N] = {1, 0, 0, 0, 1, 0, 0, 0, -1};
    static const double with_nan[N * N] = {1, 0, 0, 0, NAN, 0, 0, 0, 1};
    static const double with_infinity[N * N] = {1, 0, 0, 0, 1, 0, 0, 0, INFINITY};
    static const struct {
        int which; /* 0 mass, 1 damping, 2 stiffness */
        enum yk_form form;
        const double *matrix;
        enum yk_status status;
        const char *words;
    } rows[] = {
        {0, YK_DENSE, asymmetric, YK_E_INPUT, "mass is not symmetric: entry ("},
        {2, YK_DENSE, asymmetric, YK_E_INPUT, "stiffness is not symmetric: entry ("},
        {2, YK_SPARSE, asymmetric, YK_E_INPUT, "-1.001"},
        {0, YK_DENSE, indefinite, YK_E_SINGULAR, "mass is not positive definite: degree of freedom 2"},
        {0, YK_SPARSE, indefinite, YK_E_SINGULAR, "mass is not positive definite"},
        {0, YK_DENSE, massless, YK_E_SINGULAR, "degree of freedom 2 has no inertia"},
        {0, YK_DIAGONAL, massless, YK_E_SINGULAR, "degree of freedom 2 has no inertia"},
        {0, YK_SPARSE, massless, YK_E_SINGULAR, "degree of freedom 2 has no inertia"},
        {0, YK_DIAGONAL, negative, YK_E_SINGULAR, "degree of freedom 3"},
        {0, YK_SPARSE, negative, YK_E_SINGULAR, "degree of freedom 3"},
        {0, YK_DIAGONAL, with_nan, YK_E_INPUT, "mass holds a value that is not a finite number"},
        {1, YK_DENSE, with_nan, YK_E_INPUT, "damping holds a value that is not a finite number"},
        {2, YK_SPARSE, with_nan, YK_E_INPUT, "stiffness holds a value that is not a finite number"},
        {2, YK_DENSE, with_infinity, YK_E_INPUT, "stiffness holds a value that is not a finite number"},
    };

    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        struct yk_structure_parts parts = {0};
        struct yk_matrix *A[] = {&parts.M, &parts.C, &parts.K};
        struct yk_system *system;

        for (int i = 0; i < 3; i++)
            set(A[i], rows[r].which == i ? rows[r].form : YK_DENSE, N, rows[r].which == i ? rows[r].matrix : unit);
        assert_refused(yk_structure_create(&system, &parts, NULL, &err), rows[r].status, rows[r].words);
        assert_null(system);
        assert_null(parts.M.x); /* taken over all the same */
    }
}

static void matrices_of_the_wrong_size_are_refused(void **state)
{
    static const char *words[] = {NULL, "damping is 2 x 2, but 3 x 3 is expected",
                                  "stiffness is 2 x 2, but 3 x 3 is expected"};

    for (int wrong = 1; wrong < 3; wrong++) {
        struct yk_structure_parts parts = {0};
        struct yk_matrix *A[] = {&parts.M, &parts.C, &parts.K};
        struct yk_system *system;

        for (int i = 0; i < 3; i++)
            set(A[i], YK_DIAGONAL, i == wrong ? 2 : N, unit);
        assert_refused(yk_structure_create(&system, &parts, NULL, &err), YK_E_INPUT, words[wrong]);
    }
}

static void a_structure_without_degrees_of_freedom_is_refused(void **state)
{
    struct yk_structure_parts parts = {0};
    struct yk_system *system;

    assert_refused(yk_structure_create(&system, &parts, NULL, &err), YK_E_INPUT, "no degree of freedom");
}

/* ---- what it does ------------------------------------------------------------------------------------------------ */

/* p = f - C v - K u; the damping matrix may be unsymmetric (gyroscopic). */
static void force_is_load_minus_damping_minus_stiffness(void **state)
{
    static const double gyroscopic[N * N] = {0.1, -0.3, 0, 0.3, 0.1, 0, 0, 0, 0.1}; /* columns */
    static const double u[N] = {1, -2, 0.5}, v[N] = {0.4, 1, -1}, f[N] = {10, 20, 30};
    static const double wanted[N] = {10 - (2 + 2) - (0.04 + 0.3), 20 - (-1 - 4 - 0.5) - (-0.12 + 0.1),
                                     30 - (2 + 1) + 0.1};
    struct yk_structure_parts parts = {0};
    struct yk_system *system;
    struct yk_energy energy = {0};
    double p[N], K[N * N], C[N * N];

    set(&parts.M, YK_DENSE, N, unit);
    set(&parts.C, YK_DENSE, N, gyroscopic);
    set(&parts.K, YK_DENSE, N, springs);
    assert_ok(yk_structure_create(&system, &parts, NULL, &err));
    assert_true(system->linear);
    yk_system_force(system, 0, f, u, v, p);
    system->ops->tangent(system->self, u, v, K, C);
    system->ops->account(system->self, f, u, v, &energy);
    for (int i = 0; i < N; i++)
        assert_near(p[i], wanted[i], 1e-14);
    assert_memory_equal(K, springs, sizeof K);
    assert_memory_equal(C, gyroscopic, sizeof C);
    assert_near(energy.kinetic, 0.5 * (0.16 + 1 + 1), 1e-15);
    assert_near(energy.stored, 0.5 * (2 * (1 + 4 + 0.25) + 2 * (2 + 1)), 1e-14); /* -2 u1 u2 = 4, -2 u2 u3 = 2 */
    yk_system_destroy(system);
}

/* Free damped vibration: what is lost from E is what the account calls dissipated, to the trapezoidal rule. */
static void energy_account_balances(void **state)
{
    static const struct method method = {"newmark", {{0}}};
    static const double u0[N] = {1, -2, 0.5};
    struct yk_structure_parts parts = {.u0 = calloc(N, sizeof(double))};
    struct yk_system *system;
    struct yk_domain d;
    struct yk_kinematics now;
    struct yk_energy energy = {0};
    double start;

    assert_non_null(parts.u0);
    memcpy(parts.u0, u0, sizeof u0);
    set(&parts.M, YK_DENSE, N, unit);
    set(&parts.C, YK_DIAGONAL, N, unit);
    set(&parts.K, YK_DENSE, N, springs);
    assert_ok(yk_structure_create(&system, &parts, NULL, &err));
    method_open(&d, &method, system, no_load, 0.01);
    system->ops->account(system->self, d.f, u0, system->v0, &energy);
    start = energy.stored;
    for (int k = 0; k < 500; k++) {
        assert_int_equal(yk_domain_step(&d), YK_OK);
        yk_domain_now(&d, &now);
        system->ops->account(system->self, d.f, now.u, now.v, &energy);
        assert_near(energy.kinetic + energy.stored + energy.dissipated, start,
                    1e-12 * start); /* average acceleration: exact */
    }
    assert_true(energy.dissipated > 0.9 * start);
    yk_domain_destroy(&d);
    yk_system_destroy(system);
}

/* ---- modal damping ----------------------------------------------------------------------------------------------- */

/* phi^T C phi = 2 zeta w delta_ij, with the modes of a held chain in closed form: sin(i k pi/(n+1)). */
static void modal_damping_gives_the_ratios_back(void **state)
{
    static const double pi = 3.14159265358979323846, ratio[] = {0.02, 0.05, 0.01};
    static const struct chain chain = {.n = LARGEST, .m = 3, .k = 70};

    for (int form = YK_DENSE; form <= YK_SPARSE; form += YK_SPARSE - YK_DENSE) {
        struct yk_matrix M, none, K, C;

        chain_matrices(&chain, (enum yk_form)form, &M, &none, &K);
        assert_ok(yk_modal_damping(&M, &K, ratio, 3, &C, &err));
        for (int a = 1; a <= LARGEST; a++)
            for (int b = 1; b <= LARGEST; b++) {
                const double w = 2 * sqrt(chain.k / chain.m) * sin(a * pi / (2 * (LARGEST + 1)));
                double x[LARGEST], Cy[LARGEST] = {0}, y[LARGEST];

                for (int i = 0; i < LARGEST; i++) {
                    x[i] = sqrt(2 / (chain.m * (LARGEST + 1))) * sin((i + 1) * a * pi / (LARGEST + 1));
                    y[i] = sqrt(2 / (chain.m * (LARGEST + 1))) * sin((i + 1) * b * pi / (LARGEST + 1));
                }
                yk_matrix_add_product(&C, 1, y, Cy);
                assert_near(yk_dot(LARGEST, x, Cy), a == b ? 2 * ratio[a <= 3 ? a - 1 : 2] * w : 0, 1e-12);
            }
        yk_matrix_fini(&M);
        yk_matrix_fini(&none);
        yk_matrix_fini(&K);
        yk_matrix_fini(&C);
    }
}

/* A mode without stiffness has no frequency and gets no damping. */
static void modal_damping_leaves_rigid_motion_free(void **state)
{
    static const double free_pair[4] = {5, -5, -5, 5}, masses[4] = {1, 0, 0, 1}, ratio = 0.1;
    struct yk_matrix M, K, C;
    double force[2] = {0};

    set(&M, YK_DENSE, 2, masses);
    set(&K, YK_DENSE, 2, free_pair);
    assert_ok(yk_modal_damping(&M, &K, &ratio, 1, &C, &err));
    yk_matrix_add_product(&C, 1, (double[]){1, 1}, force);
    assert_near(force[0], 0, 1e-7); /* the square root of rounding in w^2 */
    assert_near(force[1], 0, 1e-7);
    assert_near(yk_matrix_get(&C, 0, 0), 2 * 0.1 * sqrt(10) / 2, 1e-7);
    yk_matrix_fini(&M);
    yk_matrix_fini(&K);
    yk_matrix_fini(&C);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_matrices_are_refused_with_a_message),
        cmocka_unit_test(matrices_of_the_wrong_size_are_refused),
        cmocka_unit_test(a_structure_without_degrees_of_freedom_is_refused),
        cmocka_unit_test(force_is_load_minus_damping_minus_stiffness),
        cmocka_unit_test(energy_account_balances),
        cmocka_unit_test(modal_damping_gives_the_ratios_back),
        cmocka_unit_test(modal_damping_leaves_rigid_motion_free),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
