/* A plugin that works: a linear spring of twice the stiffness that is written. */
#include <yoke/plugin.h>

struct doubled {
    double stiffness;
};

static const struct yk_param params[] = {
    YK_REAL(struct doubled, stiffness, YK_STIFFNESS, YK_REQUIRED, 0, 1e15, "half the stiffness"),
    YK_PARAM_END,
};

static double force(const void *settings, const double *committed, double d, double w, double h, double *trial)
{
    return 2 * ((const struct doubled *)settings)->stiffness * d;
}

static void tangent(const void *settings, const double *committed, double d, double w, double h, double *k, double *c)
{
    *k = 2 * ((const struct doubled *)settings)->stiffness;
    *c = 0;
}

static const struct yk_law_ops law = {
    .name = "doubled",
    .summary = "2 k d",
    .reference = "",
    .params = params,
    .settings_size = sizeof(struct doubled),
    .linear = true,
    .force = force,
    .tangent = tangent,
};

extern const struct yk_plugin yk_plugin;
const struct yk_plugin yk_plugin = {.abi = YK_PLUGIN_ABI, .law = &law};
