/* All modes of a model: frequencies against closed forms, and shapes that uncouple both matrices, also where modes
 * share a frequency. */
#include "support/check.h"

#include "linalg/modes.h"

#include <math.h>
#include <stdlib.h>

enum { CHAIN = 300 };

static const double pi = 3.14159265358979323846;

/* `copies` chains of n unit masses and unit springs beside each other, each held at its first spring, or free. */
static void make(struct yk_matrix *K, struct yk_matrix *M, size_t n, size_t copies, bool held)
{
    const size_t total = n * copies;
    int *row = malloc(4 * total * sizeof *row), *col = malloc(4 * total * sizeof *col);
    double *value = malloc(4 * total * sizeof *value);
    size_t count = 0;

    for (size_t i = 0; i < total; i++) {
        const bool first = i % n == 0;

        if (first && !held)
            continue;
        for (int e = 0; e < (first ? 1 : 4); e++, count++) { /* the spring below mass i */
            row[count] = (int)(e % 2 ? i - 1 : i);
            col[count] = (int)(e / 2 ? i - 1 : i);
            value[count] = e == 0 || e == 3 ? 1 : -1;
        }
    }
    assert_ok(yk_matrix_from_triplets(K, total, total, count, row, col, value, &err));
    assert_ok(yk_matrix_init(M, YK_DIAGONAL, total, total, &err));
    for (size_t i = 0; i < total; i++)
        M->x[i] = 1;
    free(row);
    free(col);
    free(value);
}

/* Largest |X^T A X|_ij beside the diagonal, over sqrt(d_i d_j). */
static double coupling(const struct yk_matrix *A, const double *X, const double *d)
{
    const size_t n = A->rows;
    double *S = malloc(n * n * sizeof *S), most = 0;

    assert_ok(yk_congruence(A, X, S, &err));
    for (size_t j = 0; j < n; j++)
        for (size_t i = j + 1; i < n; i++)
            most = fmax(most, fabs(S[i + j * n]) / (d ? sqrt(d[i] * d[j]) : 1));
    free(S);
    return most;
}

/* w_j = 2 sin((2 j - 1) pi / (4 n + 2)); the softest mode has 7e-6 of the stiffness of the hardest, so LAPACK finds it
 * with an error of 1e-11. */
static void the_frequencies_of_a_chain_are_exact_to_rounding(void **state)
{
    struct yk_matrix K, M;
    double *w2 = malloc(CHAIN * sizeof *w2), *X = malloc(CHAIN * CHAIN * sizeof *X);

    make(&K, &M, CHAIN, 1, true);
    assert_ok(yk_modes(&K, &M, w2, X, &err));
    for (size_t j = 0; j < CHAIN; j++) {
        const double w = 2 * sin((2 * (double)j + 1) * pi / (4 * CHAIN + 2));

        assert_near_relative(w2[j], w * w, 1e-14);
    }
    assert_true(coupling(&K, X, w2) < 1e-13);
    assert_true(coupling(&M, X, NULL) < 1e-14);
    yk_matrix_fini(&K);
    yk_matrix_fini(&M);
    free(w2);
    free(X);
}

/* Three equal chains: every frequency occurs three times. */
static void modes_that_share_a_frequency_are_uncoupled(void **state)
{
    enum { EACH = 40, ALL = 3 * EACH };
    struct yk_matrix K, M;
    double w2[ALL], *X = malloc(ALL * ALL * sizeof *X);

    make(&K, &M, EACH, 3, true);
    assert_ok(yk_modes(&K, &M, w2, X, &err));
    for (size_t j = 0; j < ALL; j++) {
        const double w = 2 * sin((2 * (double)(j / 3) + 1) * pi / (4 * EACH + 2));

        assert_near_relative(w2[j], w * w, 1e-14);
    }
    assert_true(coupling(&K, X, w2) < 1e-13);
    assert_true(coupling(&M, X, NULL) < 1e-14);
    yk_matrix_fini(&K);
    yk_matrix_fini(&M);
    free(X);
}

/* Two chains that nothing holds: w_j = 2 sin(j pi / (2 n)), and the first two are zero. */
static void rigid_motions_are_found(void **state)
{
    enum { EACH = 30, ALL = 2 * EACH };
    struct yk_matrix K, M;
    double w2[ALL], *X = malloc(ALL * ALL * sizeof *X);

    make(&K, &M, EACH, 2, false);
    assert_ok(yk_modes(&K, &M, w2, X, &err));
    for (size_t j = 0; j < ALL; j++) {
        const double w = 2 * sin((double)(j / 2) * pi / (2 * EACH));

        assert_near(w2[j], w * w, j < 2 ? 1e-18 : 1e-14 * w * w);
    }
    assert_true(coupling(&M, X, NULL) < 1e-14);
    yk_matrix_fini(&K);
    yk_matrix_fini(&M);
    free(X);
}

/* Without any stiffness, every vector is a mode. */
static void a_model_without_stiffness_has_modes(void **state)
{
    struct yk_matrix K, M;
    double w2[3], X[9];

    assert_ok(yk_matrix_init(&K, YK_DIAGONAL, 3, 3, &err));
    assert_ok(yk_matrix_init(&M, YK_DIAGONAL, 3, 3, &err));
    for (size_t i = 0; i < 3; i++)
        M.x[i] = 4;
    assert_ok(yk_modes(&K, &M, w2, X, &err));
    for (size_t i = 0; i < 3; i++)
        assert_true(w2[i] == 0);
    assert_true(coupling(&M, X, NULL) < 1e-15);
    yk_matrix_fini(&K);
    yk_matrix_fini(&M);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_frequencies_of_a_chain_are_exact_to_rounding),
        cmocka_unit_test(modes_that_share_a_frequency_are_uncoupled),
        cmocka_unit_test(rigid_motions_are_found),
        cmocka_unit_test(a_model_without_stiffness_has_modes),
    };

    return cmocka_run_group_tests_name("modes", tests, NULL, NULL);
}
