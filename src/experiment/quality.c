/* The section `quality`: bounds of the criteria by which a test is judged. */
#include "experiment/quality.h"

#include "experiment/build.h"

const struct yk_param yk_keys_quality[] = {
    YK_NODE("doubtful", "map", 0, "above it, the results are called doubtful"),
    YK_NODE("unusable", "map", 0, "above it, the results are called unusable, and `yoke run` ends with exit code 5"),
    YK_PARAM_END,
};

#define BOUND(id, key, default_, help_)                                                                                \
    {                                                                                                                  \
        .name = #key, .type = YK_PARAM_REAL,                                                                           \
        .offset = offsetof(struct yk_bounds, of) + YK_JUDGED_##id * sizeof(double), .quantity = YK_NUMBER,             \
        .fallback = default_, .min = 0, .max = 1e12, .help = help_                                                     \
    }
const struct yk_param yk_doubtful_params[] = {
#define CRITERION(id, key, kind, shown, doubtful, unusable, help, ...) BOUND(id, key, doubtful, help),
#include "experiment/criteria.def"
#undef CRITERION
    YK_PARAM_END,
};
const struct yk_param yk_unusable_params[] = {
#define CRITERION(id, key, kind, shown, doubtful, unusable, help, ...) BOUND(id, key, unusable, help),
#include "experiment/criteria.def"
#undef CRITERION
    YK_PARAM_END,
};

struct yk_quality yk_quality_defaults(void)
{
    struct yk_quality q;

    yk_param_defaults(yk_doubtful_params, &q.doubtful);
    yk_param_defaults(yk_unusable_params, &q.unusable);
    return q;
}

static enum yk_status read_bounds(const struct yk_node *map, const struct yk_param *params, struct yk_bounds *bounds,
                                  struct yk_err *err)
{
    static const struct yk_field_context context = {.directory = "", .force_means = YK_FORCE};
    enum yk_status st;

    if (!map)
        return YK_OK;
    if ((st = yk_field_type(map, YK_MAP, "a map of criteria to bounds", err)) ||
        (st = yk_field_known(map, params, NULL, err)))
        return st;
    return yk_field_settings(map, params, bounds, &context, err);
}

enum yk_status yk_build_quality(struct yk_model *e, struct yk_err *err)
{
    const struct yk_node *map = yk_node_get(e->tree, "quality");
    enum yk_status st;

    e->quality = yk_quality_defaults();
    if (!map)
        return YK_OK;
    if ((st = yk_field_type(map, YK_MAP, "a map", err)) || (st = yk_field_known(map, yk_keys_quality, NULL, err)) ||
        (st = read_bounds(yk_node_get(map, "doubtful"), yk_doubtful_params, &e->quality.doubtful, err)))
        return st;
    return read_bounds(yk_node_get(map, "unusable"), yk_unusable_params, &e->quality.unusable, err);
}
