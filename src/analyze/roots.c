/* Classes of the eigenvalues of a cycle: principal (they represent the modes of the structure), unit, zero,
 * spurious. */
#include "analyze/analyze.h"

#include <math.h>
#include <stdlib.h>

#define UNIT_WIDTH 1e-6 /* defective unit roots are known to about this */
#define ZERO_WIDTH 1e-7

enum yk_status yk_natural_frequencies(const struct yk_model *model, double **omega, size_t *count, struct yk_err *err)
{
    const struct yk_system *s = model->assembly->system;
    size_t i, j;
    enum yk_status st;

    *omega = NULL;
    *count = 0;
    if (!s || s->n > 400 || yk_matrix_asymmetry(&s->K, &i, &j) > 1e-6)
        return YK_OK;
    if (!(*omega = malloc(s->n * sizeof **omega)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    if ((st = yk_eigen_symmetric(&s->K, &s->M, s->n, *omega, NULL, err)))
        return st;
    for (i = 0; i < s->n; i++)
        if ((*omega)[i] > 0)
            (*omega)[(*count)++] = sqrt((*omega)[i]);
    return YK_OK;
}

/* The root of the upper half plane nearest to exp(i omega T) that is not taken yet; n where there is none. */
static size_t nearest(size_t n, const double *re, const double *im, const bool *taken, double angle)
{
    size_t best = n;
    double distance = INFINITY;

    for (size_t i = 0; i < n; i++) {
        const double d = hypot(re[i] - cos(angle), im[i] - sin(angle));

        if (!taken[i] && im[i] > 0 && d < distance) {
            distance = d;
            best = i;
        }
    }
    return best;
}

enum yk_status yk_classify_roots(const struct yk_model *model, double cycle_s, size_t n, const double *re,
                                 const double *im, struct yk_root_report *out, struct yk_err *err)
{
    bool *taken = calloc(n + 1, sizeof *taken);
    double *omega = NULL;
    size_t modes = 0;
    enum yk_status st =
        taken ? yk_natural_frequencies(model, &omega, &modes, err) : yk_fail(err, YK_E_MEMORY, "out of memory");

    *out = (struct yk_root_report){.damping = NAN, .frequency_error = NAN};
    for (size_t m = 0; m < modes && !st; m++) {
        const double angle = omega[m] * cycle_s;
        const size_t i = angle < M_PI ? nearest(n, re, im, taken, angle) : n;

        if (i == n)
            continue;
        for (size_t j = 0; j < n; j++) /* with its conjugate */
            if (re[j] == re[i] && fabs(im[j]) == im[i]) {
                taken[j] = true;
                out->principal++;
            }
        if (m == 0) {
            const double arg = atan2(im[i], re[i]);

            out->damping = -log(hypot(re[i], im[i])) / arg;
            out->frequency_error = arg / angle - 1;
        }
    }
    for (size_t i = 0; i < n && !st; i++) {
        if (taken[i])
            continue;
        out->unit += hypot(re[i] - 1, im[i]) < UNIT_WIDTH;
        out->zero += hypot(re[i], im[i]) < ZERO_WIDTH;
    }
    out->spurious = (int)n - out->principal - out->unit - out->zero;
    free(taken);
    free(omega);
    return st;
}
