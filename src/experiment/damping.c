/* Rayleigh and modal damping of a substructure. */
#include "experiment/build.h"

#include <math.h>
#include <stdlib.h>

struct rayleigh {
    double mass, stiffness, ratio;
    struct yk_reals frequencies;
};

const struct yk_param yk_keys_rayleigh[] = {
    YK_REAL(struct rayleigh, mass, YK_PER_TIME, 0, 0, 1e12, "factor on the mass matrix"),
    YK_REAL(struct rayleigh, stiffness, YK_TIME, 0, 0, 1e12, "factor on the stiffness matrix"),
    YK_REAL(struct rayleigh, ratio, YK_NUMBER, 0, 0, 10, "instead: damping ratio at the two frequencies"),
    YK_REALS(struct rayleigh, frequencies, YK_FREQUENCY, 0, YK_TINY, 1e9, "the two frequencies with that ratio"),
    YK_PARAM_END,
};

/* Factors with the given ratio at two frequencies: zeta = a/(2w) + b w/2 at both. */
static enum yk_status rayleigh_from_ratio(const struct yk_node *node, struct rayleigh *r, struct yk_err *err)
{
    const double w1 = r->frequencies.n == 2 ? 2 * M_PI * r->frequencies.x[0] : 0;
    const double w2 = r->frequencies.n == 2 ? 2 * M_PI * r->frequencies.x[1] : 0;

    if (r->mass != 0 || r->stiffness != 0 || r->frequencies.n != 2 || w1 == w2 || !yk_node_get(node, "ratio"))
        return yk_fail_at(err, YK_E_INPUT, node->where,
                          "give either `mass` and `stiffness`, or `ratio` with two different `frequencies`");
    r->mass = 2 * r->ratio * w1 * w2 / (w1 + w2);
    r->stiffness = 2 * r->ratio / (w1 + w2);
    return YK_OK;
}

static enum yk_status add_to(struct yk_matrix *C, size_t count, const double *factor, const struct yk_matrix *const *A,
                             struct yk_err *err)
{
    struct yk_matrix sum = {0};
    enum yk_status st = yk_matrix_combine(&sum, count, factor, A, err);

    if (!st) {
        yk_matrix_fini(C);
        *C = sum;
    }
    return st;
}

static enum yk_status add_rayleigh(const struct yk_experiment *e, const struct yk_node *node,
                                   struct yk_structure_parts *parts, struct yk_err *err)
{
    const struct yk_field_context context = yk_build_context(e);
    struct rayleigh r = {0};
    enum yk_status st;

    if ((st = yk_field_type(node, YK_MAP, "a map", err)) || (st = yk_field_known(node, yk_keys_rayleigh, NULL, err)) ||
        (st = yk_field_settings(node, yk_keys_rayleigh, &r, &context, err)))
        return st;
    if (r.ratio != 0 || r.frequencies.n)
        st = rayleigh_from_ratio(node, &r, err);
    if (!st)
        st = add_to(&parts->C, 3, (double[]){1, r.mass, r.stiffness},
                    (const struct yk_matrix *[]){&parts->C, &parts->M, &parts->K}, err);
    yk_param_free(yk_keys_rayleigh, &r);
    return st;
}

static enum yk_status add_modal(const struct yk_node *node, struct yk_structure_parts *parts, struct yk_err *err)
{
    struct yk_matrix modal = {0};
    double *ratio;
    enum yk_status st;

    if ((st = yk_field_type(node, YK_LIST, "a list of damping ratios", err)))
        return st;
    if (node->count == 0)
        return yk_fail_at(err, YK_E_INPUT, node->where, "modal_damping needs at least one ratio");
    if (node->count > parts->M.rows)
        return yk_fail_at(err, YK_E_INPUT, node->items[parts->M.rows]->where,
                          "%zu ratios for %zu degrees of freedom: at most one for each mode", node->count,
                          parts->M.rows);
    if (!(ratio = calloc(node->count, sizeof *ratio)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t i = 0; i < node->count && !st; i++)
        st = yk_field_real(node->items[i], YK_NUMBER, 0, 10, &ratio[i], err);
    if (!st && (st = yk_modal_damping(&parts->M, &parts->K, ratio, node->count, &modal, err)))
        yk_fail_within(err, node->where, "modal_damping: ");
    if (!st)
        st = add_to(&parts->C, 2, (double[]){1, 1}, (const struct yk_matrix *[]){&parts->C, &modal}, err);
    yk_matrix_fini(&modal);
    free(ratio);
    return st;
}

enum yk_status yk_build_damping(const struct yk_experiment *e, const struct yk_node *map,
                                struct yk_structure_parts *parts, struct yk_err *err)
{
    const struct yk_node *rayleigh = yk_node_get(map, "rayleigh"), *modal = yk_node_get(map, "modal_damping");
    enum yk_status st = rayleigh ? add_rayleigh(e, rayleigh, parts, err) : YK_OK;

    return !st && modal ? add_modal(modal, parts, err) : st;
}
