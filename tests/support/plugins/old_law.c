/* A plugin built for an interface that is gone. */
#include <yoke/plugin.h>

extern const struct yk_plugin yk_plugin;
const struct yk_plugin yk_plugin = {.abi = YK_PLUGIN_ABI + 1};
