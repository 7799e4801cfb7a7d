/* A law whose force is the Ishigami function of its settings, 30 N added, whatever moves: the acceleration of a mass of
 * 1 kg is the function. Ishigami and Homma 1990, with a = 7 and b = 0.1. */
#include <math.h>
#include <yoke/plugin.h>

struct ishigami {
    double x1, x2, x3;
};

static const struct yk_param params[] = {
    YK_REAL(struct ishigami, x1, YK_NUMBER, YK_REQUIRED, -4, 4, "first variable"),
    YK_REAL(struct ishigami, x2, YK_NUMBER, YK_REQUIRED, -4, 4, "second variable"),
    YK_REAL(struct ishigami, x3, YK_NUMBER, YK_REQUIRED, -4, 4, "third variable"),
    YK_PARAM_END,
};

static double force(const void *settings, const double *committed, double d, double w, double h, double *trial)
{
    const struct ishigami *s = settings;

    return -(30 + sin(s->x1) + 7 * pow(sin(s->x2), 2) + 0.1 * pow(s->x3, 4) * sin(s->x1));
}

static void tangent(const void *settings, const double *committed, double d, double w, double h, double *k, double *c)
{
    *k = *c = 0;
}

static const struct yk_law_ops law = {
    .name = "ishigami",
    .summary = "the Ishigami function as a constant force",
    .reference = "Ishigami and Homma 1990",
    .params = params,
    .settings_size = sizeof(struct ishigami),
    .force = force,
    .tangent = tangent,
};

extern const struct yk_plugin yk_plugin;
const struct yk_plugin yk_plugin = {.abi = YK_PLUGIN_ABI, .law = &law};
