/* Rayleigh and modal damping of a substructure. */
#include "experiment/build.h"
#include "substructure/member/placed.h"

#include <math.h>
#include <stdlib.h>

#define HEAVY 0.3 /* damping ratio from which on it is questioned */

enum { INITIAL, COMMITTED };
struct rayleigh {
    double mass, stiffness, ratio;
    struct yk_reals frequencies;
    int stiffness_of;
};

const struct yk_param yk_keys_rayleigh[] = {
    YK_REAL(struct rayleigh, mass, YK_PER_TIME, 0, 0, 1e12, "factor on the mass matrix"),
    YK_REAL(struct rayleigh, stiffness, YK_TIME, 0, 0, 1e12, "factor on the stiffness matrix"),
    YK_REAL(struct rayleigh, ratio, YK_NUMBER, 0, 0, 10, "instead: damping ratio at the two frequencies"),
    YK_REALS(struct rayleigh, frequencies, YK_FREQUENCY, 0, YK_TINY, 1e9, "the two frequencies with that ratio"),
    YK_CHOICE(struct rayleigh, stiffness_of, "initial|committed", INITIAL,
              "of nonlinear members: their stiffness at rest, or as of the last step, with what axial forces add"),
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

/* With committed stiffness the matrix has the share of linear parts, and the structure adds that of its members. */
static enum yk_status add_factors(const struct yk_node *node, const struct rayleigh *r, const struct yk_matrix *K0,
                                  struct yk_structure_parts *parts, struct yk_err *err)
{
    const bool committed = r->stiffness_of == COMMITTED;

    if (committed && !parts->member_count)
        return yk_fail_at(err, YK_E_INPUT, yk_node_get(node, "stiffness_of")->where,
                          "stiffness_of: committed has no effect: there are no members with fibres, hinges or a "
                          "geometry that is not linear");
    if (committed)
        parts->committed_damping = r->stiffness;
    return add_to(&parts->C, 3, (double[]){1, r->mass, r->stiffness},
                  (const struct yk_matrix *[]){&parts->C, &parts->M, committed ? &parts->K : K0}, err);
}

/* A ratio is a part of critical damping, and often written in percent by mistake. */
static void doubt_ratio(const struct yk_model *e, const struct yk_node *node, const char *key, double ratio)
{
    if (ratio > HEAVY)
        yk_note(e->notes, node->where, "%s %g is %.4g %% of critical damping; %g %% would be %g", key, ratio,
                100 * ratio, ratio, ratio / 100);
}

static enum yk_status add_rayleigh(const struct yk_model *e, const struct yk_node *node, const struct yk_matrix *K0,
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
    if (!st) {
        doubt_ratio(e, node, "rayleigh: ratio", r.ratio);
        st = add_factors(node, &r, K0, parts, err);
    }
    yk_param_free(yk_keys_rayleigh, &r);
    return st;
}

static enum yk_status add_modal(const struct yk_model *e, const struct yk_node *node, const struct yk_matrix *K0,
                                struct yk_structure_parts *parts, struct yk_err *err)
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
        if (!(st = yk_field_real(node->items[i], YK_NUMBER, 0, 10, &ratio[i], err)))
            doubt_ratio(e, node->items[i], "modal_damping", ratio[i]);
    if (!st && (st = yk_modal_damping(&parts->M, K0, ratio, node->count, &modal, err)))
        yk_fail_within(err, node->where, "modal_damping: ");
    if (!st)
        st = add_to(&parts->C, 2, (double[]){1, 1}, (const struct yk_matrix *[]){&parts->C, &modal}, err);
    yk_matrix_fini(&modal);
    free(ratio);
    return st;
}

enum yk_status yk_build_damping(const struct yk_model *e, const struct yk_node *map, struct yk_structure_parts *parts,
                                struct yk_err *err)
{
    const struct yk_node *rayleigh = yk_node_get(map, "rayleigh"), *modal = yk_node_get(map, "modal_damping");
    struct yk_matrix own = {0};
    const struct yk_matrix *K0 = parts->member_count ? &own : &parts->K;
    enum yk_status st = YK_OK;

    if (!rayleigh && !modal)
        return YK_OK;
    if (parts->member_count && (st = yk_structure_stiffness(parts, &own, err)))
        return st;
    if (rayleigh)
        st = add_rayleigh(e, rayleigh, K0, parts, err);
    if (!st && modal)
        st = add_modal(e, modal, K0, parts, err);
    yk_matrix_fini(&own);
    return st;
}
