/* L D L^T factors: residuals, inertia against eigenvalues in closed form, large ones (MUMPS where it is built in). */
#include "support/check.h"

#include <yoke/linalg.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The Laplacian of a grid of sides a, b, c: eigenvalues sum of 2 - 2 cos(pi k / (side + 1)). */
static void laplacian(struct yk_matrix *A, const int *side)
{
    const int n = side[0] * side[1] * side[2];
    int *row = malloc(7 * (size_t)n * sizeof *row), *col = malloc(7 * (size_t)n * sizeof *col), entries = 0;
    double *value = malloc(7 * (size_t)n * sizeof *value);

    for (int i = 0; i < n; i++) {
        const int at[3] = {i % side[0], i / side[0] % side[1], i / (side[0] * side[1])};
        const int step[3] = {1, side[0], side[0] * side[1]};

        for (int d = 0; d < 3; d++)
            for (int s = -1; s <= 1; s += 2)
                if (at[d] + s >= 0 && at[d] + s < side[d]) {
                    row[entries] = i;
                    col[entries] = i + s * step[d];
                    value[entries++] = -1;
                }
        row[entries] = col[entries] = i;
        value[entries++] = 6;
    }
    assert_ok(yk_matrix_from_triplets(A, (size_t)n, (size_t)n, (size_t)entries, row, col, value, &err));
    free(row);
    free(col);
    free(value);
}

static size_t eigenvalues_below(const int *side, double limit)
{
    size_t count = 0;

    for (int i = 1; i <= side[0]; i++)
        for (int j = 1; j <= side[1]; j++)
            for (int k = 1; k <= side[2]; k++)
                count += 6 - 2 * cos(M_PI * i / (side[0] + 1)) - 2 * cos(M_PI * j / (side[1] + 1)) -
                             2 * cos(M_PI * k / (side[2] + 1)) <
                         limit;
    return count;
}

static void check_grid(const int *side, double shift)
{
    const size_t n = (size_t)side[0] * (size_t)side[1] * (size_t)side[2];
    struct yk_matrix A, M;
    struct yk_ldlt *f;
    double *x = malloc(2 * n * sizeof *x), *b = calloc(2 * n, sizeof *b);
    size_t count;

    laplacian(&A, side);
    assert_ok(yk_matrix_init(&M, YK_DIAGONAL, n, n, &err));
    for (size_t i = 0; i < n; i++)
        M.x[i] = 1;
    assert_ok(yk_ldlt_sum(&f, 2, (double[]){1, -shift}, (const struct yk_matrix *[]){&A, &M}, &err));
    assert_int_equal(yk_ldlt_negative(f), eigenvalues_below(side, shift));
    assert_ok(yk_eigen_count(&A, &M, shift, &count, &err));
    assert_int_equal(count, eigenvalues_below(side, shift));
    for (size_t i = 0; i < 2 * n; i++)
        x[i] = sin((double)i);
    for (int c = 0; c < 2; c++) {
        yk_matrix_add_product(&A, 1, x + (size_t)c * n, b + (size_t)c * n);
        yk_matrix_add_product(&M, -shift, x + (size_t)c * n, b + (size_t)c * n);
    }
    assert_int_equal(yk_ldlt_solve(f, 2, b), YK_OK);
    for (size_t i = 0; i < 2 * n; i++)
        assert_near(b[i], x[i], 1e-8);
    yk_ldlt_destroy(f);
    yk_matrix_fini(&A);
    yk_matrix_fini(&M);
    free(x);
    free(b);
}

static void small_factors(void **state)
{
    check_grid((const int[]){7, 5, 3}, 0);
    check_grid((const int[]){7, 5, 3}, 4.321);
    check_grid((const int[]){40, 1, 1}, 6.5);
}

#ifdef LOADS_MUMPS_LATE
static bool has_mumps(void)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[4400];
    bool found = false;

    assert_non_null(maps);
    while (fgets(line, sizeof line, maps))
        found |= strstr(line, "/libdmumps") != NULL;
    fclose(maps);
    return found;
}
#endif

/* More work than supernodes are given: MUMPS, where it is built in. This program loads it late, as `yoke` does, where
 * the build can. */
static void large_factors(void **state)
{
#ifdef LOADS_MUMPS_LATE
    assert_false(has_mumps());
#endif
    check_grid((const int[]){29, 28, 30}, 0);
    check_grid((const int[]){29, 28, 30}, 1.2345);
#ifdef LOADS_MUMPS_LATE
    assert_true(has_mumps());
#endif
}

static void every_form(void **state)
{
    struct yk_matrix dense, diagonal;
    struct yk_ldlt *f;
    double x[2] = {1, 2};

    assert_ok(yk_matrix_init(&dense, YK_DENSE, 2, 2, &err));
    memcpy(dense.x, (double[]){2, 1, 1, -3}, 4 * sizeof(double));
    assert_ok(yk_ldlt_create(&f, &dense, &err));
    assert_int_equal(yk_ldlt_negative(f), 1);
    assert_int_equal(yk_ldlt_solve(f, 1, x), YK_OK);
    assert_near(x[0], 5.0 / 7, 1e-15);
    assert_near(x[1], -3.0 / 7, 1e-15);
    yk_ldlt_destroy(f);
    assert_ok(yk_matrix_init(&diagonal, YK_DIAGONAL, 2, 2, &err));
    diagonal.x[0] = 4;
    diagonal.x[1] = -5;
    assert_ok(yk_ldlt_create(&f, &diagonal, &err));
    assert_int_equal(yk_ldlt_negative(f), 1);
    yk_ldlt_destroy(f);
    diagonal.x[1] = 0;
    assert_refused(yk_ldlt_create(&f, &diagonal, &err), YK_E_SINGULAR, "no pivot is left for row 2");
    yk_matrix_fini(&dense);
    yk_matrix_fini(&diagonal);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(small_factors),
        cmocka_unit_test(large_factors),
        cmocka_unit_test(every_form),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
