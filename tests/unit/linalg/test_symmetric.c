/* L D L^T of symmetric sparse matrices, in a band and in supernodes, and factors whose matrix changes in the loop.
 * Expected values: x itself, from b = A x; the same matrix factored dense. */
#include "support/check.h"
#include "support/random.h"
#include "support/trap.h"

#include "linalg/symmetric.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#include <yoke/arena.h>
#include <yoke/linalg.h>

enum { MOST = 4096 };

/* ---- matrices ---------------------------------------------------------------------------------------------------- */

/* (i, j), (j, i) and their diagonal entries: a spring of stiffness k between two, j < 0: to the ground. */
struct list {
    int row[16 * MOST], col[16 * MOST];
    double value[16 * MOST];
    size_t count;
};

static void add(struct list *l, int i, int j, double x)
{
    l->row[l->count] = i;
    l->col[l->count] = j;
    l->value[l->count++] = x;
}

static void spring(struct list *l, int i, int j, double k)
{
    add(l, i, i, k);
    if (j < 0)
        return;
    add(l, j, j, k);
    add(l, i, j, -k);
    add(l, j, i, -k);
}

/* A membrane of side x side nodes with random springs, numbered at random where `shuffle`; and its ground springs. */
static void membrane(struct yk_matrix *A, size_t side, double ground, bool shuffle, uint64_t *seed)
{
    static struct list l;
    static int number[MOST];
    const size_t n = side * side;

    l.count = 0;
    for (size_t i = 0; i < n; i++)
        number[i] = (int)i;
    for (size_t i = n - 1; shuffle && i > 0; i--) {
        const size_t j = random_below(seed, i + 1);
        const int kept = number[i];

        number[i] = number[j];
        number[j] = kept;
    }
    for (size_t i = 0; i < n; i++) {
        if (i % side + 1 < side)
            spring(&l, number[i], number[i + 1], 1.5 + random_value(seed));
        if (i + side < n)
            spring(&l, number[i], number[i + side], 1.5 + random_value(seed));
        spring(&l, number[i], -1, ground);
    }
    assert_ok(yk_matrix_from_triplets(A, n, n, l.count, l.row, l.col, l.value, &err));
}

static void chain(struct yk_matrix *A, size_t n, bool shuffle, uint64_t *seed)
{
    static struct list l;
    static int number[MOST];

    l.count = 0;
    for (size_t i = 0; i < n; i++)
        number[i] = shuffle ? (int)(i * 7 % n) : (int)i; /* n is no multiple of 7 */
    for (size_t i = 0; i < n; i++)
        spring(&l, number[i], i ? number[i - 1] : -1, 1.5 + random_value(seed));
    assert_ok(yk_matrix_from_triplets(A, n, n, l.count, l.row, l.col, l.value, &err));
}

/* Largest error of the solution for b = A x, x random, relative to x. */
static double error_of(struct yk_factor *f, const struct yk_matrix *A, uint64_t *seed)
{
    static double x[MOST], b[MOST];
    double worst = 0;

    for (size_t i = 0; i < A->rows; i++) {
        x[i] = random_value(seed);
        b[i] = 0;
    }
    yk_matrix_add_product(A, 1, x, b);
    yk_factor_solve(f, b);
    for (size_t i = 0; i < A->rows; i++)
        worst = isnan(b[i]) ? INFINITY : fmax(worst, fabs(b[i] - x[i]));
    return worst;
}

static const enum yk_solve_path paths[] = {YK_SOLVE_AUTO, YK_SOLVE_DENSE, YK_SOLVE_BANDED, YK_SOLVE_SPARSE};
enum { PATHS = sizeof paths / sizeof *paths };

/* ---- factored once ----------------------------------------------------------------------------------------------- */

static void every_path_solves_to_rounding(void **state)
{
    const size_t sides[] = {2, 3, 7, 12, 23, 40};
    uint64_t seed = 5;

    for (size_t s = 0; s < sizeof sides / sizeof *sides; s++)
        for (size_t p = 0; p < PATHS; p++) {
            struct yk_matrix A = {0};
            struct yk_factor *f;

            if (sides[s] == 40 && paths[p] == YK_SOLVE_DENSE)
                continue;
            membrane(&A, sides[s], 0.05, s % 2, &seed);
            assert_ok(yk_factor_sum_by(&f, paths[p], 1, (double[]){1}, (const struct yk_matrix *[]){&A}, NULL, &err));
            assert_true(error_of(f, &A, &seed) < 100 * DBL_EPSILON / yk_factor_rcond(f));
            assert_true(yk_factor_rcond(f) > 1e-4 && yk_factor_rcond(f) <= 1); /* ground 0.05 under springs of 10 */
            yk_factor_destroy(f);
            yk_matrix_fini(&A);
        }
}

static void condition_agrees_with_that_of_the_dense_factor(void **state)
{
    uint64_t seed = 11;
    struct yk_matrix A = {0};
    struct yk_factor *f[2];

    membrane(&A, 15, 0.01, true, &seed);
    for (int k = 0; k < 2; k++)
        assert_ok(yk_factor_sum_by(&f[k], k ? YK_SOLVE_SPARSE : YK_SOLVE_DENSE, 1, (double[]){1},
                                   (const struct yk_matrix *[]){&A}, NULL, &err));
    assert_float_equal(yk_factor_rcond(f[1]) / yk_factor_rcond(f[0]), 1, 1e-9); /* the same estimate, LAPACK's */
    yk_factor_destroy(f[0]);
    yk_factor_destroy(f[1]);
    yk_matrix_fini(&A);
}

/* No pivots: a matrix that is not positive definite goes to KLU, which pivots. */
static void indefinite_matrices_are_solved_too(void **state)
{
    uint64_t seed = 3;
    struct yk_matrix A = {0};
    struct yk_factor *f;

    membrane(&A, 20, -2.05, false, &seed);
    assert_ok(yk_factor_create(&f, &A, NULL, &err));
    assert_true(error_of(f, &A, &seed) < 1e-10);
    yk_factor_destroy(f);
    yk_matrix_fini(&A);
}

static void a_chain_is_a_band_in_any_order(void **state)
{
    uint64_t seed = 9;

    for (int shuffle = 0; shuffle < 2; shuffle++) {
        struct yk_matrix A = {0};
        struct yk_symmetric s;

        chain(&A, 1000, shuffle, &seed);
        assert_ok(yk_symmetric_create(&s, &A, YK_SOLVE_AUTO, 2, &err));
        assert_non_null(s.band);
        assert_int_equal(s.band->half, 1);
        yk_symmetric_fini(&s);
        yk_matrix_fini(&A);
    }
}

static void a_membrane_is_no_band(void **state)
{
    uint64_t seed = 9;
    struct yk_matrix A = {0};
    struct yk_symmetric s;

    membrane(&A, 60, 1, false, &seed);
    assert_ok(yk_symmetric_create(&s, &A, YK_SOLVE_AUTO, 2, &err));
    assert_non_null(s.supernodal);
    /* blocks, not columns: an index for every entry would be as many as there are numbers */
    assert_true(s.supernodal->below[s.supernodal->count] < s.supernodal->numbers / 4);
    yk_symmetric_fini(&s);
    yk_matrix_fini(&A);
}

/* ---- factored again ---------------------------------------------------------------------------------------------- */

struct change {
    struct yk_factor *f;
    enum yk_status status;
};

static void factor_again(void *arg)
{
    struct change *c = arg;

    c->status = yk_factor_again(c->f);
}

/* Values of A, changed as those of a tangent: springs soften. Symmetric where A is. */
static void soften(struct yk_matrix *A, uint64_t *seed)
{
    const double factor = 0.8 + 0.1 * random_value(seed);

    for (size_t j = 0; j < A->cols; j++)
        for (int e = A->col[j]; e < A->col[j + 1]; e++)
            A->x[e] *= (size_t)A->row[e] == j ? 1 : factor + 1e-3 * ((double)(A->row[e] + (int)j) / (double)A->rows);
}

static void check_change(const struct yk_matrix *given, bool symmetric, enum yk_solve_path path, uint64_t *seed)
{
    struct yk_matrix A = {0};
    struct yk_arena mem = {0};
    struct change c = {0};

    assert_ok(yk_matrix_copy(&A, given, &err));
    assert_ok(yk_factor_create_changing(&c.f, &A, symmetric, path, &mem, &err));
    for (int round = 0; round < 3; round++) {
        struct trap_counts counts;

        soften(&A, seed);
        memcpy(yk_factor_values(c.f), A.x,
               (A.form == YK_SPARSE ? (size_t)A.col[A.cols] : A.rows * A.cols) * sizeof *A.x);
        trap_begin();
        factor_again(&c);
        trap_end(&counts);
        assert_int_equal(c.status, YK_OK);
        assert_int_equal(counts.heap_calls, 0);
        assert_true(error_of(c.f, &A, seed) < 1e-11);
    }
    yk_factor_destroy(c.f);
    yk_arena_free(&mem);
    yk_matrix_fini(&A);
}

static void a_changing_matrix_is_factored_again_without_heap_calls(void **state)
{
    uint64_t seed = 21;

    for (int large = 0; large < 2; large++) {
        struct yk_matrix A = {0};

        membrane(&A, large ? 45 : 9, 0.5, true, &seed);
        check_change(&A, true, YK_SOLVE_BANDED, &seed);
        check_change(&A, true, YK_SOLVE_SPARSE, &seed);
        A.x[A.col[3]] += 0.01; /* no longer symmetric */
        check_change(&A, false, YK_SOLVE_SPARSE, &seed);
        yk_matrix_fini(&A);
    }
}

static void a_state_of_a_plan_has_its_own_changing_factor(void **state)
{
    uint64_t seed = 2;
    const bool symmetric[] = {true, true, false};
    const enum yk_solve_path path[] = {YK_SOLVE_BANDED, YK_SOLVE_SPARSE, YK_SOLVE_SPARSE};

    for (int k = 0; k < 3; k++) {
        struct yk_matrix A = {0}, B = {0};
        struct yk_arena mem = {0}, other = {0};
        struct yk_factor **f, *copy;
        struct yk_layout *image;

        membrane(&A, 14, 0.5, true, &seed);
        assert_ok(yk_matrix_copy(&B, &A, &err));
        soften(&B, &seed);
        assert_non_null(f = yk_arena_take(&mem, sizeof *f));
        assert_ok(yk_factor_create_changing(f, &A, symmetric[k], path[k], &mem, &err));
        assert_ok(yk_layout_make(&image, &mem, &err));
        void *block = yk_layout_place(image, &other);
        assert_non_null(block);
        copy = *(struct yk_factor **)yk_layout_at(image, block, f);
        memcpy(yk_factor_values(copy), B.x, (size_t)B.col[B.cols] * sizeof *B.x);
        assert_int_equal(yk_factor_again(copy), YK_OK);
        assert_true(error_of(*f, &A, &seed) < 1e-12);
        assert_true(error_of(copy, &B, &seed) < 1e-12);
        yk_layout_destroy(image);
        yk_factor_destroy(*f);
        yk_arena_free(&other);
        yk_arena_free(&mem);
        yk_matrix_fini(&A);
        yk_matrix_fini(&B);
    }
}

static void a_lost_pivot_is_told_and_leaves_no_numbers(void **state)
{
    uint64_t seed = 4;
    const enum yk_solve_path path[] = {YK_SOLVE_BANDED, YK_SOLVE_SPARSE, YK_SOLVE_SPARSE};

    for (int k = 0; k < 3; k++) {
        struct yk_matrix A = {0};
        struct yk_arena mem = {0};
        struct yk_factor *f;
        double x[36] = {1};

        membrane(&A, 6, 0.5, false, &seed);
        assert_ok(yk_factor_create_changing(&f, &A, k < 2, path[k], &mem, &err));
        memset(yk_factor_values(f), 0, (size_t)A.col[36] * sizeof *A.x);
        assert_int_equal(yk_factor_again(f), YK_E_SINGULAR);
        yk_factor_solve(f, x);
        assert_false(yk_all_finite(36, x));
        memcpy(yk_factor_values(f), A.x, (size_t)A.col[36] * sizeof *A.x); /* and the next one is whole again */
        assert_int_equal(yk_factor_again(f), YK_OK);
        assert_true(error_of(f, &A, &seed) < 1e-12);
        yk_factor_destroy(f);
        yk_arena_free(&mem);
        yk_matrix_fini(&A);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_path_solves_to_rounding),
        cmocka_unit_test(condition_agrees_with_that_of_the_dense_factor),
        cmocka_unit_test(indefinite_matrices_are_solved_too),
        cmocka_unit_test(a_chain_is_a_band_in_any_order),
        cmocka_unit_test(a_membrane_is_no_band),
        cmocka_unit_test(a_changing_matrix_is_factored_again_without_heap_calls),
        cmocka_unit_test(a_state_of_a_plan_has_its_own_changing_factor),
        cmocka_unit_test(a_lost_pivot_is_told_and_leaves_no_numbers),
    };
    return cmocka_run_group_tests_name("symmetric", tests, NULL, NULL);
}
