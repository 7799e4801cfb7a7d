/* A controller like `p`: the drive is where it was reset, and K times the error. */
#include <yoke/plugin.h>

struct twin {
    double K, base;
};

static const struct yk_param params[] = {
    YK_REAL(struct twin, K, YK_NUMBER, 1, 1e-9, 1e9, "gain"),
    YK_PARAM_END,
};

static enum yk_status init(void *self, double h, struct yk_arena *mem, struct yk_err *err)
{
    const struct twin *s = self;

    if (s->K > 100)
        return yk_fail(err, YK_E_RANGE, "twin: K = %g is more than anybody needs, 100", s->K);
    return YK_OK;
}

static void reset(void *self, double x0)
{
    ((struct twin *)self)->base = x0;
}

static double step(void *self, double command, double measured)
{
    const struct twin *s = self;

    return s->base + s->K * (command - measured);
}

static const struct yk_controller_ops controller = {
    .name = "twin",
    .summary = "proportional",
    .reference = "",
    .params = params,
    .size = sizeof(struct twin),
    .init = init,
    .reset = reset,
    .step = step,
};

extern const struct yk_plugin yk_plugin;
const struct yk_plugin yk_plugin = {.abi = YK_PLUGIN_ABI, .controller = &controller};
