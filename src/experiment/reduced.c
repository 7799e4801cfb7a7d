/* The kind `reduced`: a model file of `yoke reduce`; or, for a reference, the full model that it was made from. */
#include "base/names.h"
#include "experiment/build.h"

#include <yoke/reduction.h>

#include <stdlib.h>
#include <string.h>

static const struct yk_param keys[] = {
    YK_NODE("file", "file", YK_REQUIRED, "model file written by `yoke reduce`"),
    YK_PARAM_END,
};

static enum yk_status load(const struct yk_model *e, const struct yk_node *map, struct yk_reduced *r,
                           struct yk_err *err)
{
    const struct yk_node *file = yk_node_get(map, "file");
    enum yk_status st;
    char *path;

    if (!file)
        return yk_fail_at(err, YK_E_INPUT, map->where, "a reduced model needs 'file', written by `yoke reduce`");
    if ((st = yk_field_type(file, YK_SCALAR, "a file name", err)))
        return st;
    if (!(path = yk_field_path(e->directory, file->text)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    if ((st = yk_reduced_load(r, path, err)))
        yk_fail_within(err, file->where, "%s", "");
    free(path);
    return st;
}

/* Start values of the coordinates, zero where `initial` does not name them. */
static enum yk_status read_start(const struct yk_node *map, const struct yk_reduced *r,
                                 struct yk_structure_parts *parts, struct yk_err *err)
{
    struct yk_dofs d = {.names = r->names, .n = r->n};
    enum yk_status st = yk_build_rest_state(parts, r->n, err);

    if (!st)
        st = yk_dofs_initial(map, &d, parts->u0, parts->v0, err);
    yk_dofs_forget(&d);
    return st;
}

static enum yk_status build_reduced(const struct yk_model *e, const struct yk_node *map, struct yk_dofs *d,
                                    struct yk_system **system, struct yk_part *extra, struct yk_err *err)
{
    struct yk_structure_parts parts = {0};
    struct yk_reduced r;
    enum yk_status st;

    if ((st = yk_field_known(map, keys, yk_keys_substructure, err)) || (st = load(e, map, &r, err)))
        return st;
    if (!(st = read_start(map, &r, &parts, err)) && !(extra->ground = calloc(1, sizeof *extra->ground)))
        st = yk_fail(err, YK_E_MEMORY, "out of memory");
    if (!st) {
        d->names = r.names;
        d->n = r.n;
        parts.M = r.M;
        parts.C = r.C;
        parts.K = r.K;
        *extra->ground = r.ground;
        r.names = NULL;
        r.M = r.C = r.K = (struct yk_matrix){0};
        r.ground = (struct yk_ground){0};
    }
    yk_reduced_free(&r);
    if (st) {
        yk_structure_parts_free(&parts);
        return st;
    }
    parts.names = (const char *const *)d->names;
    if ((st = yk_structure_create(system, &parts, e->mem, err)))
        yk_build_blame(map, err);
    return st;
}

/* ---- the full model ---- */

/* Coordinates of the reduced model in the full one, x = A u: interface displacements are picked, modal ones follow from
 * the rest of the motion, q = M_qq^-1 (T_q^T M u - M_qb u_b). docs/theory/reduction.md, eq. (19) */
static enum yk_status make_coordinates(const struct yk_reduced *r, const struct yk_matrix *M, struct yk_matrix *A,
                                       struct yk_err *err)
{
    const size_t n = r->n, q = r->modes;
    double *column = calloc(r->full + 1, sizeof *column);
    struct yk_matrix Mqq = {0};
    struct yk_factor *factor = NULL;
    enum yk_status st =
        column ? yk_matrix_init(A, YK_DENSE, n, r->full, err) : yk_fail(err, YK_E_MEMORY, "out of memory");

    for (size_t c = 0; c < q && !st; c++) {
        memset(column, 0, r->full * sizeof *column);
        yk_matrix_add_product(M, 1, r->T + c * r->full, column);
        for (size_t j = 0; j < r->full; j++)
            A->x[c + j * n] = column[j];
    }
    for (size_t b = 0; b < r->interface_count && !st; b++) {
        double *picked = A->x + r->interface_dofs[b] * n;

        for (size_t c = 0; c < q; c++)
            picked[c] -= yk_matrix_get(&r->M, c, q + b);
        picked[q + b] = 1;
    }
    if (!st && q && !(st = yk_matrix_init(&Mqq, YK_DENSE, q, q, err))) {
        for (size_t c = 0; c < q; c++)
            memcpy(Mqq.x + c * q, r->M.x + c * n, q * sizeof *Mqq.x);
        st = yk_factor_create(&factor, &Mqq, NULL, err);
    }
    for (size_t j = 0; factor && j < r->full; j++)
        yk_factor_solve(factor, A->x + j * n);
    yk_factor_destroy(factor);
    yk_matrix_fini(&Mqq);
    free(column);
    return st;
}

/* Takes substructure k out of an experiment, which is kept for its memory. */
static void take_substructure(struct yk_model *from, size_t k, struct yk_dofs *d, struct yk_system **system,
                              struct yk_part *extra)
{
    struct yk_substructure *s = &from->substructures[k];
    const size_t last = from->substructure_count - 1;

    *d = (struct yk_dofs){.names = s->dofs, .n = s->system->n, .place = from->parts[k].place};
    *system = s->system;
    yk_names_free(&from->parts[k].dof_index);
    *extra = from->parts[k];
    extra->place = NULL; /* of the degrees of freedom, which the caller gets */
    extra->dof_index = (struct yk_names){0};
    free(s->name);
    from->substructures[k] = from->substructures[last];
    from->parts[k] = from->parts[last];
    from->substructure_count--;
    extra->source = from;
}

/* Is substructure k of the source unchanged since its reduction? */
static bool is_unchanged(const struct yk_reduced *r, const struct yk_model *source, size_t k)
{
    const struct yk_substructure *s = &source->substructures[k];
    const struct yk_linear_model now = {
        .M = &s->system->M, .C = &s->system->C, .K = &s->system->K, .names = (const char *const *)s->dofs};
    char checksum[sizeof r->source.checksum];

    if (!s->system->linear || s->system->n != r->full)
        return false;
    yk_linear_model_checksum(&now, checksum);
    return strcmp(checksum, r->source.checksum) == 0;
}

static enum yk_status find_full(const struct yk_reduced *r, const struct yk_node *map, struct yk_arena *mem,
                                struct yk_model **source, size_t *k, struct yk_err *err)
{
    struct yk_err reason = {0};

    if (!r->source.file)
        return yk_fail(err, YK_E_UNSUPPORTED, "the model file of '%s' does not name the model it was made from",
                       map->key);
    if (yk_build_load_models(source, r->source.file, r->source.overrides, mem, &reason))
        return yk_fail(err, YK_E_UNSUPPORTED, "the full model of '%s' cannot be read: %s", map->key,
                       yk_err_line(&reason).text);
    yk_model_return_mass(*source);
    for (*k = 0; *k < (*source)->substructure_count; ++*k)
        if (strcmp((*source)->substructures[*k].name, r->source.substructure) == 0)
            break;
    if (*k < (*source)->substructure_count && is_unchanged(r, *source, *k))
        return YK_OK;
    yk_model_free_contents(*source);
    return yk_fail(err, YK_E_UNSUPPORTED, "the full model of '%s' in %s has changed since it was reduced", map->key,
                   r->source.file);
}

/* The full model that it was made from, where that is found and unchanged. */
static enum yk_status build_full(const struct yk_model *e, const struct yk_node *map, struct yk_dofs *d,
                                 struct yk_system **system, struct yk_part *extra, struct yk_err *err)
{
    struct yk_structure_parts start = {0};
    struct yk_model *source = NULL;
    struct yk_reduced r;
    size_t k = 0;
    enum yk_status st;

    if ((st = yk_field_known(map, keys, yk_keys_substructure, err)) || (st = load(e, map, &r, err)))
        return st;
    if (!(st = read_start(map, &r, &start, err)) && !(st = find_full(&r, map, e->mem, &source, &k, err))) {
        take_substructure(source, k, d, system, extra);
        yk_reduced_recover(&r, start.u0, (*system)->u0);
        yk_reduced_recover(&r, start.v0, (*system)->v0);
        if ((st = make_coordinates(&r, &(*system)->M, &extra->coordinates, err)))
            yk_system_destroy(*system);
    }
    yk_structure_parts_free(&start);
    yk_reduced_free(&r);
    return st;
}

static enum yk_status build(const struct yk_model *e, const struct yk_node *map, bool massless, struct yk_dofs *d,
                            struct yk_system **system, struct yk_part *extra, struct yk_err *err)
{
    return (e->players == YK_PLAYED_BY_FULL_MODELS ? build_full : build_reduced)(e, map, d, system, extra, err);
}

static const struct yk_keys_section sections[] = {
    {"Kind `reduced`",
     "A model reduced by `yoke reduce`. Its degrees of freedom are the modal coordinates q1, q2, ... and those of\n"
     "its interface under their own names; damping is that of the full model. It can be driven by ground motion like "
     "the\n"
     "full model: `influence` names directions or interface displacements.",
     keys},
    {0},
};

const struct yk_builder_ops yk_builder_reduced = {
    .name = "reduced",
    .sections = sections,
    .build = build,
};
