/* The kind `reduced`: a model file of `yoke reduce`. */
#include "experiment/build.h"

#include <yoke/reduce.h>

#include <stdlib.h>

const struct yk_param yk_keys_reduced[] = {
    YK_NODE("file", "file", YK_REQUIRED, "model file written by `yoke reduce`"),
    YK_PARAM_END,
};

static enum yk_status load(const struct yk_experiment *e, const struct yk_node *map, struct yk_reduced *r,
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

enum yk_status yk_build_reduced(const struct yk_experiment *e, const struct yk_node *map, struct yk_dofs *d,
                                struct yk_system **system, struct yk_err *err)
{
    struct yk_structure_parts parts = {0};
    struct yk_reduced r;
    enum yk_status st;

    if ((st = yk_field_known(map, yk_keys_reduced, yk_keys_substructure, err)) || (st = load(e, map, &r, err)))
        return st;
    d->names = r.names;
    d->n = r.n;
    parts.M = r.M;
    parts.C = r.C;
    parts.K = r.K;
    r.names = NULL;
    r.M = r.C = r.K = (struct yk_matrix){0};
    yk_reduced_free(&r);
    if ((st = yk_build_rest_state(&parts, d->n, err)) || (st = yk_dofs_initial(map, d, parts.u0, parts.v0, err))) {
        yk_structure_parts_free(&parts);
        return st;
    }
    parts.names = (const char *const *)d->names;
    if ((st = yk_structure_create(system, &parts, err)))
        yk_build_blame(map, err);
    return st;
}
