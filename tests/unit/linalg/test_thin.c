/* A diagonal plus a matrix of low rank: the same as the dense matrix that it stands for. */
#include "support/check.h"
#include "support/random.h"

#include "linalg/low_rank.h"
#include "linalg/thin.h"

#include <yoke/arena.h>

#include <math.h>
#include <stdlib.h>

enum { N = 37, COLUMNS = 5 };

struct pair {
    double E[N * COLUMNS];
    struct yk_matrix thin, dense;
};

/* Not symmetric, with a diagonal between 1 and 2 times `scale`. */
static void make(struct pair *p, double scale, uint64_t seed)
{
    assert_ok(yk_matrix_init_thin(&p->thin, N, COLUMNS, p->E, &err));
    assert_ok(yk_matrix_init(&p->dense, YK_DENSE, N, N, &err));
    for (size_t i = 0; i < N * COLUMNS; i++)
        p->E[i] = random_value(&seed);
    for (size_t i = 0; i < N; i++)
        p->thin.x[i] = scale * (1.5 + 0.5 * random_value(&seed));
    for (size_t i = 0; i < COLUMNS * COLUMNS; i++)
        p->thin.x[N + i] = scale * random_value(&seed);
    for (size_t j = 0; j < N; j++)
        for (size_t i = 0; i < N; i++) {
            double sum = i == j ? p->thin.x[i] : 0;

            for (size_t r = 0; r < COLUMNS; r++)
                for (size_t q = 0; q < COLUMNS; q++)
                    sum += p->E[i + r * N] * p->thin.x[N + r + q * COLUMNS] * p->E[j + q * N];
            p->dense.x[i + j * N] = sum;
        }
}

static void drop(struct pair *p)
{
    yk_matrix_fini(&p->thin);
    yk_matrix_fini(&p->dense);
}

static void compare(const double *x, const double *y, size_t n, double tolerance)
{
    for (size_t i = 0; i < n; i++)
        assert_near(x[i], y[i], tolerance);
}

static void entries_and_products_are_those_of_the_dense_matrix(void **state)
{
    static double dense[N * N];
    double x[N], y[2][N] = {{0}}, z[2][N] = {{0}};
    struct pair p;

    make(&p, 1, 1);
    for (size_t i = 0; i < N; i++)
        x[i] = sin((double)i);
    yk_matrix_to_dense(&p.thin, dense);
    compare(dense, p.dense.x, N * N, 1e-14);
    assert_near(yk_matrix_get(&p.thin, 3, 8), p.dense.x[3 + 8 * N], 1e-14);
    assert_true(yk_matrix_asymmetry(&p.thin, NULL, NULL) > 0.01);
    yk_matrix_add_product(&p.thin, -2, x, y[0]);
    yk_matrix_add_product(&p.dense, -2, x, y[1]);
    compare(y[0], y[1], N, 1e-12);
    yk_matrix_add_transposed_product(&p.thin, 3, x, z[0]);
    yk_matrix_add_transposed_product(&p.dense, 3, x, z[1]);
    compare(z[0], z[1], N, 1e-12);
    drop(&p);
}

static void sums_stay_thin_and_are_solved(void **state)
{
    struct yk_matrix M, sum = {0}, copy = {0};
    struct yk_factor *factor[2];
    double x[2][N], b[N];
    struct pair p;

    make(&p, 1, 2);
    assert_ok(yk_matrix_init(&M, YK_DIAGONAL, N, N, &err));
    for (size_t i = 0; i < N; i++) {
        M.x[i] = 3;
        x[1][i] = b[i] = cos(2.0 * (double)i);
    }
    assert_ok(yk_matrix_combine(&sum, 2, (double[]){1, 0.5}, (const struct yk_matrix *[]){&M, &p.thin}, &err));
    assert_int_equal(sum.form, YK_THIN);
    assert_ok(yk_matrix_copy(&copy, &sum, &err));
    assert_ok(yk_factor_create(&factor[0], &copy, NULL, &err));
    assert_ok(yk_factor_sum(&factor[1], 2, (double[]){1, 0.5}, (const struct yk_matrix *[]){&M, &p.dense}, NULL, &err));
    yk_factor_solve_to(factor[0], b, x[0]);
    yk_factor_solve(factor[1], x[1]);
    compare(x[0], x[1], N, 1e-13);
    assert_refused(yk_matrix_combine(&sum, 2, (double[]){1, 1}, (const struct yk_matrix *[]){&p.dense, &p.thin}, &err),
                   YK_E_INPUT, "a matrix of low rank can only be added to diagonal ones");
    for (int i = 0; i < 2; i++)
        yk_factor_destroy(factor[i]);
    yk_matrix_fini(&copy);
    yk_matrix_fini(&sum);
    yk_matrix_fini(&M);
    drop(&p);
}

/* The factor of one matrix, corrected to that of another: A + F S E^T with F = E, and with another F; some entries of S
 * are always 0. */
static void a_kept_factor_is_corrected(void **state)
{
    for (int other = 0; other < 2; other++) {
        struct yk_arena mem = {0};
        struct yk_low_rank correction;
        struct yk_factor *kept, *direct;
        double x[2][N], columns[N * COLUMNS];
        size_t entry[COLUMNS * COLUMNS], count = 0;
        struct pair p;

        make(&p, 1, 3);
        for (size_t i = 0; i < N * COLUMNS; i++)
            columns[i] = p.E[i] + other * 0.5 * cos(3.0 * (double)i);
        for (size_t i = 0; i < COLUMNS * COLUMNS; i += 1 + i % 2)
            entry[count++] = i;
        const struct yk_matrix E = {.form = YK_DENSE, .rows = N, .cols = COLUMNS, .x = p.E};
        const struct yk_matrix F = {.form = YK_DENSE, .rows = N, .cols = COLUMNS, .x = columns};
        assert_ok(yk_factor_create(&kept, &p.thin, NULL, &err));
        assert_ok(yk_low_rank_init_dense(&correction, &F, &E, entry, count, kept, &mem, &err));
        for (size_t k = 0; k < count; k++) {
            const size_t r = entry[k] % COLUMNS, c = entry[k] / COLUMNS;

            correction.change[k] = 0.3 * sin((double)k);
            for (size_t i = 0; i < N * N; i++)
                p.dense.x[i] += correction.change[k] * F.x[i % N + r * N] * E.x[i / N + c * N];
        }
        for (size_t i = 0; i < N; i++)
            x[0][i] = x[1][i] = cos((double)i);
        assert_int_equal(yk_low_rank_factor(&correction), YK_OK);
        yk_low_rank_solve(&correction, x[0]);
        assert_ok(yk_factor_create(&direct, &p.dense, NULL, &err));
        yk_factor_solve(direct, x[1]);
        compare(x[0], x[1], N, 1e-12);
        yk_factor_destroy(direct);
        yk_low_rank_fini(&correction);
        yk_factor_destroy(kept);
        yk_arena_free(&mem);
        drop(&p);
    }
}

static void too_many_columns_are_refused(void **state)
{
    struct yk_matrix A;

    assert_refused(yk_matrix_init_thin(&A, 300, YK_THIN_MOST + 1, NULL, &err), YK_E_RANGE, "is more than 128");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entries_and_products_are_those_of_the_dense_matrix),
        cmocka_unit_test(sums_stay_thin_and_are_solved),
        cmocka_unit_test(a_kept_factor_is_corrected),
        cmocka_unit_test(too_many_columns_are_refused),
    };

    return cmocka_run_group_tests_name("thin", tests, NULL, NULL);
}
