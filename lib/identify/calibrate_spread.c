/* Spread of calibrated values: blocks of whole cycles drawn again 50 times, and a step of Gauss and Newton from the
 * optimum for each draw. docs/theory/control.md, eq. (84). */
#include "calibrate.h"

#include <yoke/linalg.h>
#include <yoke/parallel.h>
#include <yoke/random.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STEP  1e-4 /* of a difference, relative to the scale of the unknown */
#define ALIKE 0.95 /* correlation from which on two values are named */

enum { DRAWS = 50, MOST_BLOCKS = 2000 };

struct spread {
    const struct yk_calibration_job *job;
    const double *p;
    double *J;                             /* unknowns columns of residuals */
    double *r;                             /* residuals */
    size_t free[YK_FIT_PARAMETERS], count; /* unknowns that are not at a bound */
    size_t blocks, *first;                 /* of each block, and the end */
    double *A, *g;                         /* of each block: normal matrix and right side */
    bool failed;
};

static void derive(void *self, size_t k)
{
    struct spread *s = self;
    const size_t n = s->job->residuals, i = s->free[k];
    double there[YK_FIT_PARAMETERS], *back = malloc(n * sizeof *back), *column = s->J + k * n;
    const double step = STEP * s->job->scale[i];

    memcpy(there, s->p, sizeof there);
    there[i] = s->p[i] + step;
    bool good = back && yk_calibration_residuals((void *)s->job, there, column);
    there[i] = s->p[i] - step;
    good = good && yk_calibration_residuals((void *)s->job, there, back);
    for (size_t j = 0; j < n && good; j++)
        column[j] = (column[j] - back[j]) / (2 * step);
    s->failed |= !good;
    free(back);
}

/* A block is a cycle, or a tenth of a run that is no sine. */
static void divide(struct spread *s)
{
    size_t at = 0;

    for (size_t i = 0; i < s->job->ask->run_count; at += s->job->loop[i++].rows) {
        const struct yk_loop *l = &s->job->loop[i];
        const double cycle =
            l->frequency_Hz > 0 ? 1 / (l->frequency_Hz * l->dt * (double)l->every) : (double)l->rows / 10;
        const size_t count = (size_t)fmax(1, floor((double)l->rows / cycle));

        for (size_t b = 0; b < count && s->blocks < MOST_BLOCKS; b++)
            s->first[s->blocks++] = at + b * l->rows / count;
    }
    s->first[s->blocks] = at;
}

static void sum_blocks(struct spread *s)
{
    const size_t n = s->job->residuals, c = s->count;

    for (size_t b = 0; b < s->blocks; b++) {
        const size_t from = s->first[b], rows = s->first[b + 1] - from;

        for (size_t i = 0; i < c; i++) {
            s->g[b * c + i] = -yk_dot(rows, s->J + i * n + from, s->r + from);
            for (size_t j = 0; j < c; j++)
                s->A[(b * c + i) * c + j] = yk_dot(rows, s->J + i * n + from, s->J + j * n + from);
        }
    }
}

/* The step for one draw of blocks; false: singular. */
static bool draw(const struct spread *s, uint64_t *random, double *step)
{
    const size_t c = s->count;
    double A[YK_FIT_PARAMETERS * YK_FIT_PARAMETERS] = {0};
    int pivot[YK_FIT_PARAMETERS] = {0};
    struct yk_lu lu = {c, A, pivot};

    memset(step, 0, c * sizeof *step);
    for (size_t b = 0; b < s->blocks; b++) {
        const size_t of = (size_t)(yk_draw_bits(random) * 0x1p-53 * (double)s->blocks);

        for (size_t i = 0; i < c * c; i++)
            A[i] += s->A[of * c * c + i];
        for (size_t i = 0; i < c; i++)
            step[i] += s->g[of * c + i];
    }
    for (size_t i = 0; i < c; i++)
        A[i * (c + 1)] *= 1 + 1e-9;
    if (yk_lu_factor(&lu))
        return false;
    yk_lu_solve(&lu, step);
    return yk_all_finite(c, step);
}

static void state(const struct spread *s, const double steps[DRAWS][YK_FIT_PARAMETERS], size_t draws,
                  struct yk_calibrated *found)
{
    double mean[YK_FIT_PARAMETERS] = {0}, square[YK_FIT_PARAMETERS] = {0};

    for (size_t i = 0; i < s->count; i++) {
        const size_t k = s->free[i];

        for (size_t d = 0; d < draws; d++)
            mean[i] += steps[d][i] / (double)draws;
        for (size_t d = 0; d < draws; d++)
            square[i] += pow(steps[d][i] - mean[i], 2);
        if (k < s->job->values)
            found->spread[s->job->value[k].setting][s->job->value[k].point] =
                sqrt(square[i] / (double)(draws - 1)) *
                (s->job->value[k].logarithm ? yk_calibration_value(s->job, s->p, k) : s->job->value[k].unit);
    }
    for (size_t i = 0; i < s->count; i++)
        for (size_t j = 0; j < i; j++) {
            double product = 0;

            for (size_t d = 0; d < draws; d++)
                product += (steps[d][i] - mean[i]) * (steps[d][j] - mean[j]);
            product /= sqrt(square[i] * square[j]);
            if (s->free[i] < s->job->values && fabs(product) > fmax(ALIKE, fabs(found->correlation))) {
                found->correlation = product;
                found->alike[0] = s->free[j];
                found->alike[1] = s->free[i];
            }
        }
}

enum yk_status yk_calibration_spread(const struct yk_calibration_job *job, const double *p, struct yk_calibrated *found,
                                     struct yk_err *err)
{
    const size_t n = job->residuals, u = job->unknowns;
    struct spread s = {.job = job, .p = p};
    double steps[DRAWS][YK_FIT_PARAMETERS];
    uint64_t random = 88172645463325252u;
    size_t draws = 0;

    for (size_t i = 0; i < YK_CALIBRATE_SETTINGS; i++)
        for (size_t j = 0; j < YK_CALIBRATE_POINTS; j++)
            found->spread[i][j] = NAN;
    for (size_t i = 0; i < u; i++)
        if (p[i] > job->least[i] + STEP && p[i] < job->most[i] - STEP)
            s.free[s.count++] = i;
    s.J = malloc((u + 1) * n * sizeof *s.J);
    s.A = malloc(MOST_BLOCKS * (u + 1) * u * sizeof *s.A);
    s.first = malloc((MOST_BLOCKS + 1) * sizeof *s.first);
    if (!s.J || !s.A || !s.first) {
        yk_fail(err, YK_E_MEMORY, "out of memory for the spread of a calibration");
    } else {
        s.r = s.J + u * n;
        s.g = s.A + MOST_BLOCKS * u * u;
        yk_parallel(s.count, job->ask->threads, derive, &s);
        if (!s.failed && yk_calibration_residuals((void *)job, p, s.r)) {
            divide(&s);
            sum_blocks(&s);
            for (int d = 0; d < DRAWS; d++)
                draws += draw(&s, &random, steps[draws]);
            if (draws > 2)
                state(&s, (const double(*)[YK_FIT_PARAMETERS])steps, draws, found);
        }
    }
    const bool good = s.J && s.A && s.first;
    free(s.J);
    free(s.A);
    free(s.first);
    return good ? YK_OK : YK_E_MEMORY;
}
