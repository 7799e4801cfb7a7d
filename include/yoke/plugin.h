/* A user's element law, substructure or rig backend as a shared object.
 *
 * The object exports one symbol, `yk_plugin`. Its tables are the ones the built-in laws and kinds use, so whatever is
 * true of those (settings with units and ranges, trial and commit, no heap in the loop) is true of a plugin.
 *
 *     const struct yk_plugin yk_plugin = {YK_PLUGIN_ABI, .law = &my_law};
 *
 * Build: cc -shared -fPIC $(pkg-config --cflags yoke) my_law.c -o my_law.so
 * Use:   { kind: plugin, library: my_law.so, <its settings> }  among the elements, or as a substructure. */
#ifndef YOKE_PLUGIN_H
#define YOKE_PLUGIN_H

#include <yoke/law.h>
#include <yoke/rig.h>
#include <yoke/substructure.h>

#define YK_PLUGIN_ABI 2u

struct yk_plugin {
    unsigned abi; /* YK_PLUGIN_ABI at the time of compilation */
    const struct yk_law_ops *law;
    const struct yk_kind_ops *kind;
    const struct yk_rig_ops *rig;
};

/* Loads a plugin; the object stays loaded until the program ends. */
enum yk_status yk_plugin_load(const char *path, const struct yk_plugin **plugin, struct yk_err *err);

#endif
