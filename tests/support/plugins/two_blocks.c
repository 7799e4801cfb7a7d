/* A plugin that offers two blocks. */
#include <yoke/plugin.h>

static const struct yk_controller_ops controller = {.name = "first", .summary = "", .reference = ""};
static const struct yk_plant_ops plant = {.name = "second", .summary = "", .reference = ""};

extern const struct yk_plugin yk_plugin;
const struct yk_plugin yk_plugin = {.abi = YK_PLUGIN_ABI, .controller = &controller, .plant = &plant};
