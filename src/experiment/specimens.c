/* The specimen models: which specimen each one simulates, and which of its degrees of freedom the actuators move. */
#include "experiment/build.h"

#include <stdio.h>
#include <string.h>

enum yk_status yk_build_find_specimen(const struct yk_model *e, const struct yk_node *physical,
                                      const struct yk_node **specimen, struct yk_err *err)
{
    const struct yk_node *actuators = yk_node_get(physical, "actuators"),
                         *first = actuators && actuators->count ? actuators->items[0] : NULL,
                         *rig = first && first->type == YK_SCALAR ? yk_build_rig_of(e, first->text) : NULL;
    const struct yk_node *several = rig ? yk_node_get(rig, "specimens") : NULL;

    *specimen = several ? yk_node_get(several, physical->key) : rig ? yk_node_get(rig, "specimen") : NULL;
    if (!*specimen)
        return yk_fail_at(err, YK_E_INPUT, physical->where, "'%s' is physical, but the file has no %s for it",
                          physical->key, several ? "entry of its name in rig.specimens" : "rig.specimen");
    return YK_OK;
}

/* Whether `name` is that of the node or of the direction of "node.direction". */
static bool is_part_of(const char *name, const char *own)
{
    const char *dot = strrchr(own, '.');
    const size_t length = strlen(name);

    return dot && (strcmp(dot + 1, name) == 0 || (length == (size_t)(dot - own) && strncmp(name, own, length) == 0));
}

/* By name, or by one part of it, "x" for "body.x", where only one has it; -1 where there is none. */
static long find_in_model(const struct yk_dofs *own, const char *name)
{
    const long exact = yk_dofs_find(own, name);
    long found = -1;

    for (size_t i = 0; exact < 0 && i < own->n; i++) {
        if (!is_part_of(name, own->names[i]))
            continue;
        if (found >= 0)
            return -1;
        found = (long)i;
    }
    return exact < 0 ? found : exact;
}

/* "; it has n.x, m.x", with a hint where several fit in part. */
static enum yk_status refuse_moved(const struct yk_node *physical, const struct yk_node *model, const char *name,
                                   const struct yk_dofs *own, struct yk_err *err)
{
    char has[160] = "";
    size_t fits = 0, used = 0;

    for (size_t i = 0; i < own->n; i++) {
        fits += is_part_of(name, own->names[i]);
        if (used + strlen(own->names[i]) + 8 < sizeof has)
            used += (size_t)sprintf(has + used, "%s%s", i ? ", " : "", own->names[i]);
        else if (has[used - 1] != '.')
            used += (size_t)sprintf(has + used, ", ...");
    }
    if (fits > 1)
        return yk_fail_at(err, YK_E_INPUT, model->where,
                          "degree of freedom '%s' of '%s' is ambiguous in the specimen model, which has %s: "
                          "write the whole name in '%s'",
                          name, physical->key, has, physical->key);
    return yk_fail_at(err, YK_E_INPUT, model->where,
                      "the specimen model has no degree of freedom '%s', which '%s' has; it has %s", name,
                      physical->key, has);
}

enum yk_status yk_build_find_moved(const struct yk_node *physical, const struct yk_node *model,
                                   const struct yk_dofs *dofs, const struct yk_dofs *own, size_t *moved,
                                   struct yk_err *err)
{
    for (size_t i = 0; i < dofs->n; i++) {
        const long at = find_in_model(own, dofs->names[i]);

        if (at < 0)
            return refuse_moved(physical, model, dofs->names[i], own, err);
        moved[i] = (size_t)at;
    }
    return YK_OK;
}
