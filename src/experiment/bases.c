/* `bases` of a substructure: points with a prescribed motion, to which elements can be attached. */
#include "experiment/build.h"

#include <stdlib.h>
#include <string.h>

const struct yk_param yk_keys_base[] = {
    YK_NODE("motion", "list of signals", YK_REQUIRED,
            "their sum is the displacement of the base, with amplitudes in m instead of N"),
    YK_REAL(struct yk_base, fade_in, YK_TIME, 0, 0, 1e9, "time over which the motion rises to its full size"),
    YK_PARAM_END,
};

static const struct yk_param signal_keys[] = {YK_NODE("kind", "name of a signal", YK_REQUIRED, ""), YK_PARAM_END};

static enum yk_status read_base(const struct yk_model *e, const struct yk_node *node, struct yk_base *base,
                                struct yk_err *err)
{
    const struct yk_field_context context = yk_build_context(e);
    const struct yk_node *motion;
    enum yk_status st;

    if ((st = yk_field_type(node, YK_MAP, "a map", err)) || (st = yk_check_name(node, node->key, err)) ||
        (st = yk_field_known(node, yk_keys_base, NULL, err)) ||
        (st = yk_field_settings(node, yk_keys_base, base, &context, err)))
        return st;
    motion = yk_node_get(node, "motion");
    if ((st = yk_field_type(motion, YK_LIST, "a list of signals", err)))
        return st;
    base->name = strdup(node->key);
    base->signals = calloc(motion->count + 1, sizeof *base->signals);
    if (!base->name || !base->signals)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t i = 0; i < motion->count && !st; i++) {
        if ((st = yk_field_type(motion->items[i], YK_MAP, "a signal as a map", err)))
            return st;
        base->count++;
        st = yk_build_signal(e, motion->items[i], signal_keys, YK_DISPLACEMENT, &base->signals[i].ops,
                             &base->signals[i].settings, err);
    }
    return st;
}

enum yk_status yk_build_bases(const struct yk_model *e, const struct yk_node *map, struct yk_structure_parts *parts,
                              struct yk_err *err)
{
    const struct yk_node *bases = yk_node_get(map, "bases");
    enum yk_status st = bases ? yk_field_type(bases, YK_MAP, "a map of bases", err) : YK_OK;

    if (st || !bases)
        return st;
    if (!(parts->bases = calloc(bases->count + 1, sizeof *parts->bases)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t i = 0; i < bases->count && !st; i++)
        st = read_base(e, bases->items[i], &parts->bases[parts->base_count++], err);
    return st;
}
