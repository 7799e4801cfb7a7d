/* A user's own component as a shared object: an element law, a substructure, a rig backend, a part of the transfer
 * chain (compensator, delay estimator, controller, plant), an integrator, a coupling or a signal.
 *
 * The object exports one symbol, `yk_plugin`. It uses the same tables as the built-in components, so the same rules
 * apply (settings with units and ranges, trial and commit, no heap in the loop).
 *
 *     const struct yk_plugin yk_plugin = {YK_PLUGIN_ABI, .law = &my_law};
 *
 * Build: cc -shared -fPIC $(pkg-config --cflags yoke) my_law.c -o my_law.so
 * Use:   { kind: plugin, library: my_law.so, <its settings> }  where a built-in component has its name as `kind`.
 *
 * A table with `user` belongs to an object of the program: the private struct of each component that is made from it
 * begins with `void *user`, which has that value. So the functions of the table find the object. */
#ifndef YOKE_PLUGIN_H
#define YOKE_PLUGIN_H

#include <stdio.h>
#include <yoke/coupling.h>
#include <yoke/integrator.h>
#include <yoke/law.h>
#include <yoke/rig.h>
#include <yoke/signal.h>
#include <yoke/substructure.h>
#include <yoke/transfer.h>

#define YK_PLUGIN_ABI 12u

/* Exactly one table is set. */
struct yk_plugin {
    unsigned abi; /* YK_PLUGIN_ABI at the time of compilation */
    const struct yk_law_ops *law;
    const struct yk_kind_ops *kind;
    const struct yk_rig_ops *rig;
    const struct yk_compensator_ops *compensator;
    const struct yk_estimator_ops *estimator;
    const struct yk_controller_ops *controller;
    const struct yk_plant_ops *plant;
    const struct yk_integrator_ops *integrator;
    const struct yk_coupling_ops *coupling;
    const struct yk_signal_ops *signal;
};

/* Loads a plugin, path relative to the working directory, and checks its table: a name that no built-in component of
 * the family has, all required functions, settings within the private struct. The object stays loaded until the program
 * ends. */
enum yk_status yk_plugin_load(const char *path, const struct yk_plugin **plugin, struct yk_err *err);
/* The checks of a table alone; `name` is for messages. */
enum yk_status yk_plugin_check(const char *name, const struct yk_plugin *plugin, struct yk_err *err);

/* A component that a program provides: `library: name` finds it before any file. The table must outlive the model. */
struct yk_component {
    const char *name;
    const struct yk_plugin *plugin;
};

/* The component that a loaded plugin provides. */
struct yk_plugin_offer {
    const char *family; /* as in `yoke list`: "compensators" */
    const char *what;   /* "a compensator"                   */
    const char *name, *summary, *reference;
    const struct yk_param *params;
};
struct yk_plugin_offer yk_plugin_offer(const struct yk_plugin *plugin);

#endif
