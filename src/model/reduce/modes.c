/* The lowest modes of a model, checked: residuals, and a Sturm count that says whether one was missed.
 * docs/theory/reduction.md, section 4. */
#include "model/reduce/task.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SPARE = 4, RIGID_MOST = 6 };
#define MOST_RESIDUAL 1e-3  /* relative; rounding alone leaves far less */
#define ENERGY_LOST   1e-13 /* of the sum of absolute terms: energy of a rigid motion by rounding */

void yk_modes_free(struct yk_modes *modes)
{
    free(modes->w2);
    free(modes->phi);
    *modes = (struct yk_modes){0};
}

static double norm(size_t n, const double *x)
{
    return sqrt(yk_dot(n, x, x));
}

static double hertz(double w2)
{
    return sqrt(fmax(w2, 0)) / (2 * M_PI);
}

/* ---- rigid motions -------------------------------------------------------------------------------------------------
 */

/* phi^T K phi against |phi|^T |K| |phi|. K sparse. */
static bool stores_nothing(const struct yk_matrix *K, const double *phi)
{
    double energy = 0, terms = 0;

    for (size_t j = 0; j < K->cols; j++)
        for (int k = K->col[j]; k < K->col[j + 1]; k++) {
            const double term = phi[K->row[k]] * K->x[k] * phi[j];

            energy += term;
            terms += fabs(term);
        }
    return !(fabs(energy) > ENERGY_LOST * terms);
}

size_t yk_modes_rigid(const struct yk_modes *modes, const struct yk_matrix *K)
{
    size_t rigid = 0;

    while (rigid < modes->count && stores_nothing(K, modes->phi + rigid * modes->n))
        rigid++;
    return rigid;
}

/* Degrees of freedom that hold the motions when fixed: the largest row of the shapes, again and again, what it holds
 * taken out of the others (elimination with complete pivoting). Destroys phi. */
static void choose_holds(size_t n, size_t rigid, double *phi, size_t *hold)
{
    for (size_t k = 0; k < rigid; k++) {
        size_t row = 0, column = k;

        for (size_t c = k; c < rigid; c++)
            for (size_t i = 0; i < n; i++)
                if (fabs(phi[i + c * n]) > fabs(phi[row + column * n]) * (1 + 1e-9)) {
                    row = i;
                    column = c;
                }
        hold[k] = row;
        for (size_t i = 0; i < n; i++) { /* the pivot's column to place k */
            const double x = phi[i + column * n];

            phi[i + column * n] = phi[i + k * n];
            phi[i + k * n] = x;
        }
        for (size_t c = k + 1; c < rigid; c++) {
            const double factor = phi[row + c * n] / phi[row + k * n];

            for (size_t i = 0; i < n; i++)
                phi[i + c * n] -= factor * phi[i + k * n];
        }
    }
}

static enum yk_status explain_rigid(const struct yk_reduce_task *t, struct yk_modes *modes, size_t rigid,
                                    struct yk_err *err)
{
    size_t hold[RIGID_MOST + 1];
    char list[400] = "";

    choose_holds(modes->n, rigid, modes->phi, hold);
    for (size_t k = 0; k < rigid; k++) {
        const size_t dof = t->inside[hold[k]], at = strlen(list);

        if (t->names)
            snprintf(list + at, sizeof list - at, "%s%s", k ? ", " : "", t->names[dof]);
        else
            snprintf(list + at, sizeof list - at, "%s%zu", k ? ", " : "", dof + 1);
    }
    return yk_fail(
        err, YK_E_SINGULAR,
        "with its interface held the model can still move rigidly in %zu way%s, so K_ii is singular; hold %s "
        "(fix them in the model, or add them to the interface), or use the method rubin",
        rigid, rigid == 1 ? "" : "s", list);
}

/* The shapes are destroyed where it refuses. */
static enum yk_status check_held(const struct yk_reduce_task *t, struct yk_modes *modes, const struct yk_matrix *Kii,
                                 struct yk_err *err)
{
    const size_t rigid = yk_modes_rigid(modes, Kii);

    if (rigid > RIGID_MOST)
        return yk_fail(err, YK_E_SINGULAR,
                       "with its interface held the model can still move in more than %d ways without resistance: are "
                       "some parts not attached?",
                       RIGID_MOST);
    return rigid ? explain_rigid(t, modes, rigid, err) : YK_OK;
}

enum yk_status yk_task_refuse_rigid(const struct yk_reduce_task *t, const struct yk_matrix *Kii,
                                    const struct yk_matrix *Mii, double *first, struct yk_err *err)
{
    const size_t count = t->interior < RIGID_MOST + 1 ? t->interior : RIGID_MOST + 1;
    struct yk_modes modes = {.n = t->interior, .count = count};
    enum yk_status st;

    modes.w2 = calloc(count + 1, sizeof *modes.w2);
    modes.phi = calloc(modes.n * count + 1, sizeof *modes.phi);
    st = modes.w2 && modes.phi ? yk_eigen_symmetric(Kii, Mii, count, modes.w2, modes.phi, err)
                               : yk_fail(err, YK_E_MEMORY, "out of memory");
    if (!st)
        st = check_held(t, &modes, Kii, err);
    if (!st)
        *first = modes.w2[0];
    yk_modes_free(&modes);
    return st;
}

/* ---- modes and their checks ----------------------------------------------------------------------------------------
 */

static double worst_residual(const struct yk_modes *modes, const struct yk_matrix *K, const struct yk_matrix *M,
                             size_t first, double *work)
{
    const size_t n = modes->n;
    double worst = 0;

    for (size_t c = first; c < modes->count; c++) {
        const double *phi = modes->phi + c * n;
        double size;

        memset(work, 0, n * sizeof *work);
        yk_matrix_add_product(K, 1, phi, work);
        size = norm(n, work);
        yk_matrix_add_product(M, -modes->w2[c], phi, work);
        worst = fmax(worst, norm(n, work) / size);
    }
    return worst;
}

/* The Sturm count stands in the widest gap after the last kept mode: `all` eigenvalues are known. */
static enum yk_status count_modes(const struct yk_matrix *K, const struct yk_matrix *M, const double *w2, size_t kept,
                                  size_t all, struct yk_mode_check *check, struct yk_err *err)
{
    size_t after = kept;
    double shift;
    enum yk_status st;

    for (size_t k = kept; k < all; k++)
        if (w2[k] / w2[k - 1] > w2[after] / w2[after - 1])
            after = k;
    shift = kept < all ? 0.5 * (w2[after - 1] + w2[after]) : 2 * w2[all - 1];
    check->shift_Hz = hertz(shift);
    check->found = kept < all ? after : all;
    if ((st = yk_eigen_count(K, M, shift, &check->counted, err)))
        return st;
    if (check->counted != check->found)
        return yk_fail(err, YK_E_CHECK, "%zu modes were found below %g Hz, but the inertia of K - w2 M counts %zu: %s",
                       check->found, check->shift_Hz, check->counted,
                       check->counted > check->found ? "one was missed; request a few modes more or less"
                                                     : "the matrices may be too badly scaled");
    return YK_OK;
}

/* As many as the settings say, and some to spare for the gap. */
static enum yk_status how_many(const struct yk_matrix *K, const struct yk_matrix *M, const struct yk_reduce_settings *s,
                               size_t *kept, size_t *all, struct yk_err *err)
{
    const double w = 2 * M_PI * s->band_Hz;
    enum yk_status st;

    *kept = s->modes;
    if (K->rows == 0)
        return yk_fail(err, YK_E_RANGE, "the interface is the whole model: nothing is left to reduce");
    if (s->modes == 0 && !(s->band_Hz > 0))
        return yk_fail(err, YK_E_RANGE, "at least one mode is needed; the method guyan takes none");
    if (s->band_Hz > 0) {
        if ((st = yk_eigen_count(K, M, w * w, kept, err)))
            return st;
        if (*kept == 0)
            return yk_fail(err, YK_E_RANGE, "no mode lies below %g Hz; widen the band or give the number of modes",
                           s->band_Hz);
    }
    if (*kept > K->rows)
        return yk_fail(err, YK_E_RANGE, "%zu modes were requested, but there are only %zu", *kept, K->rows);
    *all = *kept + SPARE < K->rows ? *kept + SPARE : K->rows;
    return YK_OK;
}

enum yk_status yk_modes_find(struct yk_modes *modes, const struct yk_matrix *K, const struct yk_matrix *M,
                             const struct yk_reduce_settings *settings, const struct yk_reduce_task *held,
                             struct yk_mode_check *check, struct yk_err *err)
{
    size_t kept = 0, all = 0;
    double *work = NULL;
    enum yk_status st;

    *modes = (struct yk_modes){.n = K->rows};
    if ((st = how_many(K, M, settings, &kept, &all, err)))
        return st;
    modes->w2 = calloc(all + 1, sizeof *modes->w2);
    modes->phi = calloc(modes->n * all + 1, sizeof *modes->phi);
    work = calloc(modes->n + 1, sizeof *work);
    if (!modes->w2 || !modes->phi || !work) {
        st = yk_fail(err, YK_E_MEMORY, "out of memory for %zu modes of %zu degrees of freedom", all, modes->n);
        goto end;
    }
    if ((st = yk_eigen_symmetric(K, M, all, modes->w2, modes->phi, err)))
        goto end;
    modes->count = all;
    if (held && (st = check_held(held, modes, K, err)))
        goto end;
    modes->count = kept;
    check->residual = worst_residual(modes, K, M, yk_modes_rigid(modes, K), work);
    if (!(check->residual < MOST_RESIDUAL)) {
        st = yk_fail(err, YK_E_CHECK, "the modes did not converge: |K phi - w2 M phi| is up to %g of |K phi|",
                     check->residual);
        goto end;
    }
    yk_progress_tell(&settings->progress, "counting the modes", 0.6);
    st = count_modes(K, M, modes->w2, kept, all, check, err);
end:
    free(work);
    if (st)
        yk_modes_free(modes);
    return st;
}
