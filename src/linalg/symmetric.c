/* The choice between a band and supernodes. Times are those of a 2.8 GHz x86 with AVX2, fitted to chains, lattices and
 * solids of 10^2 to 10^5 degrees of freedom; they only have to be right in proportion, and they are constants, not
 * measured anew, so that the same file takes the same path, and gives the same bits, whenever it runs. */
#include "linalg/symmetric.h"

/* seconds */
#define BAND_COLUMN   9e-9    /* a column of a band, factored ... */
#define BAND_UPDATE   0.2e-9  /* ... and for each product in it */
#define BAND_SOLVE    9e-9    /* a column of a band, both sweeps ... */
#define BAND_ENTRY    0.5e-9  /* ... and for each entry in it */
#define BLOCK         120e-9  /* a supernode, factored ... */
#define BLOCK_PRODUCT 0.08e-9 /* ... for each product in it ... */
#define BLOCK_NUMBER  1e-9    /* ... and for each number of L */
#define BLOCK_SOLVE   30e-9   /* a supernode, both sweeps ... */
#define BLOCK_ENTRY   0.3e-9  /* ... and for each number of L */

static void cost_of_band(struct yk_symmetric *s)
{
    const double n = (double)s->band->n, half = (double)s->band->half;

    s->factor_s = n * (BAND_COLUMN + BAND_UPDATE * half * (half + 1));
    s->solve_s = n * (BAND_SOLVE + BAND_ENTRY * 2 * half);
}

static void cost_of_blocks(struct yk_symmetric *s)
{
    const double blocks = (double)s->supernodal->count, numbers = (double)s->supernodal->numbers;

    s->factor_s = BLOCK * blocks + BLOCK_PRODUCT * s->supernodal->multiplications + BLOCK_NUMBER * numbers;
    s->solve_s = BLOCK_SOLVE * blocks + BLOCK_ENTRY * 2 * numbers;
}

static double cost(const struct yk_symmetric *s, size_t solves)
{
    return solves ? s->factor_s + (double)solves * s->solve_s : s->solve_s;
}

enum yk_status yk_symmetric_create(struct yk_symmetric *s, const struct yk_matrix *A, enum yk_solve_path path,
                                   size_t solves, struct yk_err *err)
{
    struct yk_symmetric band = {0}, blocks = {0};
    enum yk_status st = YK_OK;

    *s = (struct yk_symmetric){0};
    if (path != YK_SOLVE_SPARSE && !(st = yk_band_create(&band.band, A, err)))
        cost_of_band(&band);
    if (!st && path != YK_SOLVE_BANDED && !(st = yk_supernodal_create(&blocks.supernodal, A, err)))
        cost_of_blocks(&blocks);
    if (st)
        goto fail;
    if (path == YK_SOLVE_BANDED || (path != YK_SOLVE_SPARSE && cost(&band, solves) < cost(&blocks, solves))) {
        *s = band;
        band.band = NULL;
        s->numbers = s->band->numbers;
        s->solve_work = s->band->work;
    } else {
        *s = blocks;
        blocks.supernodal = NULL;
        s->numbers = s->supernodal->numbers;
        s->factor_work = s->supernodal->factor_work;
        s->solve_work = s->supernodal->solve_work;
        s->iwork = s->supernodal->iwork;
    }
fail:
    yk_symmetric_fini(&band);
    yk_symmetric_fini(&blocks);
    return st;
}

void yk_symmetric_fini(struct yk_symmetric *s)
{
    yk_band_destroy(s->band);
    yk_supernodal_destroy(s->supernodal);
    s->band = NULL;
    s->supernodal = NULL;
}

YK_RT enum yk_status yk_symmetric_factor(const struct yk_symmetric *s, const double *x, double *numbers, double *work,
                                         int *iwork, struct yk_pivots *pivots)
{
    return s->band ? yk_band_factor(s->band, x, numbers, pivots)
                   : yk_supernodal_factor(s->supernodal, x, numbers, work, iwork, pivots);
}

YK_RT void yk_symmetric_solve(const struct yk_symmetric *s, const double *numbers, double *work, double *b)
{
    if (s->band)
        yk_band_solve(s->band, numbers, work, b);
    else
        yk_supernodal_solve(s->supernodal, numbers, work, b);
}
