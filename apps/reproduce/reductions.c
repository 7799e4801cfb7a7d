/* Quantities of reductions: frequencies, shapes and responses of the reduced model against the full one. */
#include "reductions.h"
#include "quantity.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void yk_lab_reduction_free(struct yk_lab_reduction *r)
{
    if (!r)
        return;
    free(r->key);
    yk_reduced_free(&r->reduced);
    yk_fidelity_free(&r->fidelity);
    free(r);
}

/* The degrees of freedom of a substructure that the interfaces join, each once; malloc'd. */
static size_t *joined_dofs(const struct yk_parts *parts, size_t substructure, size_t *count)
{
    size_t *dofs = calloc(yk_parts_rows(parts) + 1, sizeof *dofs);

    *count = 0;
    for (size_t i = 0; dofs && i < yk_parts_rows(parts); i++) {
        const struct yk_row *row = yk_parts_row(parts, i);

        for (size_t k = 0; k < row->count; k++) {
            size_t at = 0;

            if (row->substructure[k] != substructure)
                continue;
            while (at < *count && dofs[at] != row->dof[k])
                at++;
            dofs[at] = row->dof[k];
            *count += at == *count;
        }
    }
    return dofs;
}

static enum yk_status reduce(const struct yk_parts *parts, const char *name, int modes, struct yk_lab_reduction *r,
                             struct yk_err *err)
{
    struct yk_reduce_settings settings = yk_reduce_defaults();
    const struct yk_fidelity_settings compare = yk_fidelity_defaults();
    const long k = name ? yk_parts_find(parts, name) : 0;
    size_t count, *dofs;
    enum yk_status st;

    if (k < 0)
        return yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(yk_parts_path(parts)), "there is no substructure '%s'", name);
    const struct yk_substructure *part = yk_part(parts, (size_t)k);
    const struct yk_system *s = part->system;
    const struct yk_linear_model model = {.M = &s->M, .C = &s->C, .K = &s->K, .names = (const char *const *)part->dofs};
    if (!s->linear)
        return yk_fail_at(err, YK_E_UNSUPPORTED, YK_IN_FILE(yk_parts_path(parts)),
                          "'%s' is nonlinear and cannot be reduced", part->name);
    if (!(dofs = joined_dofs(parts, (size_t)k, &count)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    settings.modes = (size_t)modes;
    if (!(st = yk_reduce(&r->reduced, &model, dofs, count, yk_reduction_find("craig-bampton"), &settings, err)))
        st = yk_fidelity(&r->fidelity, &model, &r->reduced, &compare, err);
    free(dofs);
    return st;
}

/* One more in the list of the lab. */
static enum yk_status keep(struct yk_lab *lab, struct yk_lab_reduction *r, struct yk_err *err)
{
    struct yk_lab_reduction **all =
        realloc(lab->reductions, (lab->reduction_count + 1) * sizeof(struct yk_lab_reduction *));

    if (!all)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    lab->reductions = all;
    lab->reductions[lab->reduction_count++] = r;
    return YK_OK;
}

enum yk_status yk_lab_reduce(struct yk_lab *lab, const struct yk_variant *variant, const char *substructure, int modes,
                             const struct yk_lab_reduction **out, struct yk_err *err)
{
    struct yk_lab_reduction *r = calloc(1, sizeof *r);
    char *key = yk_variant_key(variant);
    struct yk_parts *parts = NULL;
    enum yk_status st = YK_OK;

    if (!r || !key || asprintf(&r->key, "%s\n%s %d", key, substructure ? substructure : "", modes) < 0)
        st = yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t i = 0; i < lab->reduction_count && !st; i++)
        if (strcmp(lab->reductions[i]->key, r->key) == 0) {
            *out = lab->reductions[i];
            yk_lab_reduction_free(r);
            free(key);
            return YK_OK;
        }
    if (!st && !(st = yk_lab_parts(lab, variant, &parts, err)) && !(st = reduce(parts, substructure, modes, r, err)))
        st = keep(lab, r, err);
    yk_parts_close(parts);
    free(key);
    if (st)
        yk_lab_reduction_free(r);
    else
        *out = r;
    return st;
}

/* ---- the quantity ---- */

enum { WORST, BELOW, FREQUENCY_NMSE, DIAGONAL, ELSEWHERE, FULL, REDUCED, HELD, MSE, NMSE, SIZE };

static enum yk_status reduction(struct yk_lab *lab, const struct yk_variant *variant, const struct yk_ask *ask,
                                const struct yk_node *map, double *value, struct yk_err *err)
{
    const struct yk_lab_reduction *r;
    const size_t rank = (size_t)ask->rank - 1;
    enum yk_status st = yk_lab_reduce(lab, variant, ask->substructure, ask->modes, &r, err);

    if (st)
        return st;
    const struct yk_fidelity *f = &r->fidelity;
    const size_t most = ask->of == HELD ? r->reduced.modes : f->modes;
    const bool ranked = ask->of == FULL || ask->of == REDUCED || ask->of == HELD;
    if (ranked && rank >= most)
        return yk_fail_at(err, YK_E_RANGE, map->where, "rank = %d, but there are %zu modes", ask->rank, most);
    const double values[] = {[WORST] = f->worst_error,
                             [BELOW] = f->exact_below_Hz,
                             [FREQUENCY_NMSE] = f->frequency_nmse,
                             [DIAGONAL] = f->least_diagonal,
                             [ELSEWHERE] = f->largest_off_diagonal,
                             [FULL] = ranked && rank < f->modes ? f->full_Hz[rank] : NAN,
                             [REDUCED] = ranked && rank < f->modes ? f->reduced_Hz[rank] : NAN,
                             [HELD] = ask->of == HELD ? sqrt(r->reduced.w2[rank]) / (2 * M_PI) : NAN,
                             [MSE] = f->mse,
                             [NMSE] = f->nmse,
                             [SIZE] = (double)r->reduced.n};
    *value = values[ask->of];
    return YK_OK;
}

static const struct yk_param reduction_params[] = {
    ASK_OF("worst-error|exact-below|frequency-nmse|mac-diagonal|mac-elsewhere|full-frequency|reduced-frequency|held-"
           "frequency|response-mse|response-nmse|size",
           "errors of frequencies are relative; frequencies in Hz, of elastic modes or with the interface held"),
    YK_TEXT(struct yk_ask, substructure, 0, "substructure to reduce; default: the first"),
    YK_COUNT(struct yk_ask, modes, 30, 1, 10000, "number of modes to keep"),
    ASK_RANK("of a frequency, from the lowest"),
    YK_PARAM_END,
};
const struct yk_quantity_ops yk_obtain_reduction = {
    .name = "reduction",
    .summary = "a Craig-Bampton reduction compared with the full substructure",
    .params = reduction_params,
    .value = reduction,
};
