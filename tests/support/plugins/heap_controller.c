/* A controller that passes the command on and does what is forbidden in the loop: it takes memory at every tick. */
#include <yoke/plugin.h>

#include <stdlib.h>

static enum yk_status init(void *self, double h, struct yk_arena *mem, struct yk_err *err)
{
    return YK_OK;
}

static void reset(void *self, double x0)
{
}

static double step(void *self, double command, double measured)
{
    double *volatile taken = malloc(sizeof *taken);
    const double drive = taken ? (*taken = command) : measured;

    free(taken);
    return drive;
}

static const struct yk_controller_ops controller = {
    .name = "heap", .summary = "takes memory", .reference = "", .init = init, .reset = reset, .step = step};

extern const struct yk_plugin yk_plugin;
const struct yk_plugin yk_plugin = {.abi = YK_PLUGIN_ABI, .controller = &controller};
