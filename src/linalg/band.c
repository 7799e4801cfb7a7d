/* A = L D L^T in a band: column j holds the reciprocal pivot and the `half` entries of L below it. Golub and Van Loan,
 * Matrix Computations, section 4.3; the order is that of Cuthill and McKee (1969), reversed. Columns of zeros follow
 * the last one, so that no loop has to look where the matrix ends. */
#include "linalg/band.h"

#include "base/processor.h"

#include "linalg/blas.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define NOWHERE SIZE_MAX

static enum yk_status no_memory(size_t n, struct yk_err *err)
{
    return yk_fail(err, YK_E_MEMORY, "out of memory for the factors of order %zu", n);
}

/* ---- order ------------------------------------------------------------------------------------------------------- */

static int degree(const struct yk_matrix *A, int k)
{
    return A->col[k + 1] - A->col[k];
}

/* Breadth first from `root`: what is reached goes to `order`, neighbours by rising degree. `seen` is set to `mark`.
 * Returns how many were reached; *depth: levels. */
static size_t spread(const struct yk_matrix *A, int root, int mark, int *seen, int *order, size_t *depth)
{
    size_t count = 1, level_end = 1;

    seen[root] = mark;
    order[0] = root;
    *depth = 1;
    for (size_t at = 0; at < count; at++) {
        const size_t begin = count;

        if (at == level_end) {
            level_end = count;
            ++*depth;
        }
        for (int e = A->col[order[at]]; e < A->col[order[at] + 1]; e++) {
            const int k = A->row[e];
            size_t i;

            if (seen[k] == mark)
                continue;
            seen[k] = mark;
            for (i = count++; i > begin && degree(A, order[i - 1]) > degree(A, k); i--)
                order[i] = order[i - 1];
            order[i] = k;
        }
    }
    return count;
}

/* Every connected part from a node at its far end: the last of a spread is a better root while levels get more. */
static void cuthill_mckee(const struct yk_matrix *A, int *P, int *seen)
{
    const size_t n = A->rows;
    size_t placed = 0;
    int mark = 0;

    for (size_t k = 0; k < n; k++)
        seen[k] = -1;
    for (size_t k = 0; k < n; k++) {
        size_t count, depth, before = 0;
        int root = (int)k;

        if (seen[k] >= 0)
            continue;
        count = spread(A, root, mark++, seen, P + placed, &depth);
        while (depth > before) {
            before = depth;
            root = P[placed + count - 1];
            count = spread(A, root, mark++, seen, P + placed, &depth);
        }
        placed += count;
    }
    for (size_t k = 0; k < n / 2; k++) {
        const int other = P[n - 1 - k];

        P[n - 1 - k] = P[k];
        P[k] = other;
    }
}

/* Half the width of the band; inverse NULL: of A as it stands. */
static size_t half_width(const struct yk_matrix *A, const int *inverse)
{
    int half = 0;

    for (size_t j = 0; j < A->cols; j++)
        for (int e = A->col[j]; e < A->col[j + 1]; e++) {
            const int off = inverse ? inverse[A->row[e]] - inverse[j] : A->row[e] - (int)j;

            half = abs(off) > half ? abs(off) : half;
        }
    return (size_t)half;
}

static void place_entries(struct yk_band *s, const struct yk_matrix *A, const int *inverse)
{
    for (size_t j = 0; j < s->n; j++)
        for (int e = A->col[j]; e < A->col[j + 1]; e++) {
            const size_t column = s->P ? (size_t)inverse[j] : j;
            const size_t row = s->P ? (size_t)inverse[A->row[e]] : (size_t)A->row[e];

            s->place[e] = row < column ? NOWHERE : column * (s->half + 1) + row - column;
        }
}

enum yk_status yk_band_create(struct yk_band **created, const struct yk_matrix *A, struct yk_err *err)
{
    const size_t n = A->rows;
    struct yk_band *s = calloc(1, sizeof *s);
    int *inverse = yk_ints(n);
    enum yk_status st = YK_E_MEMORY;
    size_t narrow;

    *created = NULL;
    if (!s || !inverse || !(s->P = yk_ints(n)) || !(s->place = malloc(((size_t)A->col[n] + 1) * sizeof *s->place))) {
        no_memory(n, err);
        goto fail;
    }
    s->n = n;
    s->entries = (size_t)A->col[n];
    cuthill_mckee(A, s->P, inverse);
    for (size_t k = 0; k < n; k++)
        inverse[s->P[k]] = (int)k;
    s->half = half_width(A, NULL);
    narrow = half_width(A, inverse);
    if (narrow < s->half) {
        s->half = narrow;
    } else {
        free(s->P);
        s->P = NULL;
    }
    place_entries(s, A, inverse);
    s->numbers = (n + s->half) * (s->half + 1);
    s->work = n + s->half;
    *created = s;
    s = NULL;
    st = YK_OK;
fail:
    free(inverse);
    yk_band_destroy(s);
    return st;
}

void yk_band_destroy(struct yk_band *s)
{
    if (!s)
        return;
    free(s->P);
    free(s->place);
    free(s);
}

/* ---- factor and solve -------------------------------------------------------------------------------------------- */

/* Column by column, looking right. half: known where this is compiled for chains, whose loops then vanish. */
YK_RT YK_PART enum yk_status eliminate(const struct yk_band *s, size_t half, double *numbers, struct yk_pivots *pivots)
{
    const size_t stride = half + 1;

    for (size_t j = 0; j < s->n; j++) {
        double *column = numbers + j * stride;
        const double pivot = column[0], reciprocal = 1 / pivot;

        if (!(fabs(pivot) > 0) || isinf(pivot)) {
            pivots->lost = s->P ? (size_t)s->P[j] : j;
            return YK_E_SINGULAR;
        }
        pivots->negative += pivot < 0;
        for (size_t c = 1; c <= half; c++) {
            const double share = column[c] * reciprocal;
            double *target = column + c * stride - c;

            for (size_t i = c; i <= half; i++)
                target[i] -= share * column[i];
            column[c] = share;
        }
        column[0] = reciprocal;
    }
    return YK_OK;
}

YK_RT enum yk_status yk_band_factor(const struct yk_band *s, const double *x, double *numbers, struct yk_pivots *pivots)
{
    *pivots = (struct yk_pivots){0};
    memset(numbers, 0, s->numbers * sizeof *numbers);
    for (size_t e = 0; e < s->entries; e++)
        if (s->place[e] != NOWHERE)
            numbers[s->place[e]] += x[e];
    return s->half == 1 ? eliminate(s, 1, numbers, pivots) : eliminate(s, s->half, numbers, pivots);
}

/* half = 1: each entry waits for the one before it alone, which stays in a register. */
YK_RT static void sweep_chain(size_t n, const double *numbers, double *b)
{
    double last = b[0];

    for (size_t j = 1; j < n; j++)
        b[j] = last = b[j] - numbers[2 * j - 1] * last;
    for (size_t j = 0; j < n; j++)
        b[j] *= numbers[2 * j];
    last = b[n - 1];
    for (size_t j = n - 1; j-- > 0;)
        b[j] = last = b[j] - numbers[2 * j + 1] * last;
}

YK_RT void yk_band_solve(const struct yk_band *s, const double *numbers, double *work, double *b)
{
    const size_t half = s->half, stride = half + 1;

    if (half == 1 && !s->P) {
        sweep_chain(s->n, numbers, b);
        return;
    }
    for (size_t k = 0; k < s->n; k++)
        work[k] = b[s->P ? s->P[k] : (int)k];
    for (size_t k = s->n; k < s->work; k++)
        work[k] = 0;
    for (size_t j = 0; j < s->n; j++)
        for (size_t c = 1; c <= half; c++)
            work[j + c] -= numbers[j * stride + c] * work[j];
    for (size_t j = s->n; j-- > 0;) {
        double sum = work[j] * numbers[j * stride];

        for (size_t c = 1; c <= half; c++)
            sum -= numbers[j * stride + c] * work[j + c];
        work[j] = sum;
    }
    for (size_t k = 0; k < s->n; k++)
        b[s->P ? s->P[k] : (int)k] = work[k];
}
