/* The kind `opensees`: the restoring force comes from a model in OpenSees, mass and damping from the file. */
#include "experiment/build.h"

#include "rig/fresco_system.h"

#include <stdlib.h>

static const struct yk_param keys[] = {
    YK_NODE("dofs", "list of names", YK_REQUIRED, "names of the degrees of freedom, in the order of the script"),
    YK_NODE("mass", "matrix [kg]", YK_REQUIRED, "rows, a diagonal, or a file; positive definite"),
    YK_NODE("damping", "matrix [N s/m]", 0, "rows, a diagonal, or a file; in addition to what the model resists"),
    YK_NODE("stiffness", "matrix [N/m]", 0,
            "estimate, from which methods take their coefficients; default: the initial one of the model"),
    YK_INTERPRETER_PARAMS(struct yk_fresco_system_settings, interpreter),
    YK_TEXT(struct yk_fresco_system_settings, host, 0, "IPv4 address of the server; default 127.0.0.1"),
    YK_COUNT(struct yk_fresco_system_settings, port, 0, 0, 65535,
             "port of the server; 0: a free one, which the script is told"),
    YK_REAL(struct yk_fresco_system_settings, patience, YK_TIME, 10, 0, 600,
            "how long to wait for the server before the run"),
    YK_REAL(struct yk_fresco_system_settings, wait, YK_TIME, 10, 1e-6, 600, "longest wait for a force"),
    YK_PARAM_END,
};

static enum yk_status build(const struct yk_model *e, const struct yk_node *map, bool massless, struct yk_dofs *d,
                            struct yk_system **system, struct yk_part *extra, struct yk_err *err)
{
    const struct yk_node *dofs = yk_node_get(map, "dofs"), *mass = yk_node_get(map, "mass");
    const struct yk_field_context context = yk_build_context(e);
    struct yk_fresco_system_parts parts = {0};
    enum yk_status st;

    if ((st = yk_build_known(map, map->key, false, keys, yk_keys_substructure, err)))
        return st;
    if (!dofs || !mass)
        return yk_fail_at(err, YK_E_INPUT, map->where, "missing '%s' in %s", dofs ? "mass" : "dofs", map->key);
    if (e->reference)
        return yk_fail_at(err, YK_E_UNSUPPORTED, map->key_where,
                          "reference: monolithic would move the model of '%s', which has one past; leave it out",
                          map->key);
    if (!(st = yk_dofs_read(dofs, d, err)) && !(st = yk_field_settings(map, keys, &parts.settings, &context, err)) &&
        !(st = yk_build_matrices(e, map, d, &parts.M, &parts.C, &parts.K, err))) {
        if (!yk_node_get(map, "stiffness"))
            yk_matrix_fini(&parts.K);
        parts.u0 = calloc(d->n, sizeof *parts.u0);
        parts.v0 = calloc(d->n, sizeof *parts.v0);
        st = parts.u0 && parts.v0 ? yk_dofs_initial(map, d, parts.u0, parts.v0, err)
                                  : yk_fail(err, YK_E_MEMORY, "out of memory");
    }
    if (st) {
        yk_fresco_system_parts_free(&parts);
        return st;
    }
    if ((st = yk_fresco_system_create(system, &parts, e->mem, err)))
        yk_fail_within(err, map->where, "%s: ", map->key);
    return st;
}

static const struct yk_keys_section sections[] = {
    {"Kind `opensees`",
     "M a + C v + r(u) = f, where r is computed by a model in OpenSees behind a socket (docs/opensees.md). Every force "
     "is\n"
     "a trial; accepted states are committed.",
     keys},
    {0},
};

const struct yk_builder_ops yk_builder_opensees = {
    .name = "opensees",
    .sections = sections,
    .build = build,
};
