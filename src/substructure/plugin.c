/* Loading of a user's shared object. */
#include <yoke/plugin.h>

#include <dlfcn.h>

enum yk_status yk_plugin_load(const char *path, const struct yk_plugin **plugin, struct yk_err *err)
{
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL); /* never closed: tables and code stay in use */

    *plugin = NULL;
    if (!object)
        return yk_fail(err, YK_E_INPUT, "cannot load the plugin: %s", dlerror());
    *plugin = dlsym(object, "yk_plugin");
    if (!*plugin)
        return yk_fail(err, YK_E_INPUT, "%s has no symbol 'yk_plugin'; see include/yoke/plugin.h", path);
    if ((*plugin)->abi != YK_PLUGIN_ABI)
        return yk_fail(err, YK_E_UNSUPPORTED,
                       "%s was built for plugin interface %u, this program has %u: build it again", path,
                       (*plugin)->abi, YK_PLUGIN_ABI);
    if (!!(*plugin)->law + !!(*plugin)->kind + !!(*plugin)->rig != 1)
        return yk_fail(err, YK_E_INPUT, "%s must offer one of: a law, a kind of substructure, a rig backend", path);
    return YK_OK;
}
