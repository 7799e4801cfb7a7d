/* A user's shared object: what it provides, whether it is usable, and how experiments name it. */
#include "experiment/build.h"
#include "experiment/shared_object.h"

#include <yoke/plugin.h>

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

const struct yk_param yk_keys_plugin[] = {
    YK_NODE("library", "file", YK_REQUIRED, "shared object that exports yk_plugin"),
    YK_PARAM_END,
};

/* ---- families ---- */

/* First members of the table of every component. */
struct head {
    const char *name, *summary, *reference;
};

enum { MOST_NEEDS = 12 };

struct family {
    const char *list, *what;
    size_t slot;               /* of the table in struct yk_plugin     */
    size_t params, size, user; /* of these in the table          */
    size_t joint;              /* of the table for several actuators; 0: there is none */
    bool (*taken)(const char *name);
    struct need {
        const char *name;
        size_t offset;
    } needs[MOST_NEEDS]; /* what must not be NULL */
};

#define TAKEN(family)                                                                                                  \
    static bool family##_taken(const char *name)                                                                       \
    {                                                                                                                  \
        return yk_##family##_find(name);                                                                               \
    }
TAKEN(law)
TAKEN(rig)
TAKEN(compensator)
TAKEN(estimator)
TAKEN(controller)
TAKEN(plant)
TAKEN(integrator)
TAKEN(coupling)
TAKEN(signal)

static bool kind_taken(const char *name)
{
    return yk_builder_find(name) || yk_kind_find(name);
}

#define FAMILY(list_, what_, family, size_)                                                                            \
    .list = list_, .what = what_, .slot = offsetof(struct yk_plugin, family),                                          \
    .params = offsetof(struct yk_##family##_ops, params), .size = offsetof(struct yk_##family##_ops, size_),           \
    .user = offsetof(struct yk_##family##_ops, user), .taken = family##_taken
#define NEED(family, function)                                                                                         \
    {                                                                                                                  \
#function, offsetof(struct yk_##family##_ops, function)                                                        \
    }

static const struct family families[] = {
    {FAMILY("laws", "an element law", law, settings_size), .needs = {NEED(law, force), NEED(law, tangent)}},
    {FAMILY("substructures", "a substructure", kind, settings_size), .needs = {NEED(kind, dofs), NEED(kind, create)}},
    {FAMILY("backends", "a rig backend", rig, size),
     .needs = {NEED(rig, open), NEED(rig, close), NEED(rig, rest), NEED(rig, exchange)}},
    {FAMILY("compensators", "a compensator", compensator, size), .joint = offsetof(struct yk_compensator_ops, joint),
     .needs = {NEED(compensator, init), NEED(compensator, reset), NEED(compensator, predict)}},
    {FAMILY("estimators", "a delay estimator", estimator, size),
     .needs = {NEED(estimator, init), NEED(estimator, reset), NEED(estimator, update)}},
    {FAMILY("controllers", "a controller", controller, size), .joint = offsetof(struct yk_controller_ops, joint),
     .needs = {NEED(controller, init), NEED(controller, reset), NEED(controller, step)}},
    {FAMILY("plants", "a plant", plant, size), .joint = offsetof(struct yk_plant_ops, joint),
     .needs = {NEED(plant, init), NEED(plant, reset), NEED(plant, step)}},
    {FAMILY("integrators", "an integrator", integrator, size),
     .needs = {NEED(integrator, layout), NEED(integrator, init), NEED(integrator, fini), NEED(integrator, start),
               NEED(integrator, target), NEED(integrator, absorb), NEED(integrator, now), NEED(integrator, state)}},
    {FAMILY("couplings", "a coupling", coupling, size),
     .needs = {NEED(coupling, exchange), NEED(coupling, startup), NEED(coupling, layout), NEED(coupling, init),
               NEED(coupling, start), NEED(coupling, schedule), NEED(coupling, coarse), NEED(coupling, fine_target),
               NEED(coupling, fine_absorb), NEED(coupling, sync), NEED(coupling, now), NEED(coupling, state)}},
    {FAMILY("signals", "a signal", signal, settings_size), .needs = {NEED(signal, value)}},
};
enum { FAMILIES = sizeof families / sizeof *families };

/* The pointer at an offset: of tables, texts and functions, which are all alike here. */
static const void *pointer_at(const void *base, size_t offset)
{
    const void *pointer;

    memcpy(&pointer, (const char *)base + offset, sizeof pointer);
    return pointer;
}

/* ---- checks ---- */

static size_t width_of(const struct yk_param *p)
{
    switch (p->type) {
    case YK_PARAM_REAL:
    case YK_PARAM_WHOLE:
        return sizeof(double);
    case YK_PARAM_COUNT:
    case YK_PARAM_CHOICE:
        return sizeof(int);
    case YK_PARAM_FLAG:
        return sizeof(bool);
    case YK_PARAM_REALS:
    case YK_PARAM_POINTS:
        return sizeof(struct yk_reals);
    case YK_PARAM_SERIES:
        return sizeof(struct yk_series);
    case YK_PARAM_FILE:
    case YK_PARAM_TEXT:
        return sizeof(char *);
    case YK_PARAM_NODE:
        break;
    }
    return 0;
}

static enum yk_status check_settings(const char *path, const struct family *f, const void *table, struct yk_err *err)
{
    const char *name = ((const struct head *)table)->name;
    const size_t begin = pointer_at(table, f->user) ? sizeof(void *) : 0;
    size_t size;

    memcpy(&size, (const char *)table + f->size, sizeof size);
    if (size < begin)
        return yk_fail(err, YK_E_INPUT,
                       "%s: '%s' has `user`, and its private struct of %zu bytes has no room for it: its first member "
                       "must be `void *user`",
                       path, name, size);
    for (const struct yk_param *p = pointer_at(table, f->params); p && p->name; p++) {
        if (strcmp(p->name, "kind") == 0 || strcmp(p->name, "library") == 0)
            return yk_fail(err, YK_E_INPUT, "%s: a setting of '%s' is called '%s', which is reserved for plugins", path,
                           name, p->name);
        if (p->type == YK_PARAM_NODE)
            return yk_fail(err, YK_E_INPUT, "%s: setting '%s' of '%s' is a map or list, which plugins cannot read",
                           path, p->name, name);
        if (p->offset < begin)
            return yk_fail(err, YK_E_INPUT,
                           "%s: setting '%s' of '%s' lies where `user` is stored: the first member of its private "
                           "struct must be `void *user`",
                           path, p->name, name);
        if (p->offset > size || width_of(p) > size - p->offset)
            return yk_fail(err, YK_E_INPUT,
                           "%s: setting '%s' of '%s' lies beyond its %zu bytes; does its table give the size of the "
                           "struct that holds the settings?",
                           path, p->name, name, size);
    }
    return YK_OK;
}

static enum yk_status check_table(const char *path, const struct family *f, const void *table, struct yk_err *err)
{
    const struct head *head = table;

    if (!head->name || !*head->name || !head->summary || !head->reference)
        return yk_fail(err, YK_E_INPUT, "%s offers %s without name, summary or reference", path, f->what);
    if (strcmp(head->name, "none") == 0 || strcmp(head->name, "plugin") == 0 || f->taken(head->name))
        return yk_fail(err, YK_E_INPUT, "%s offers %s '%s', but that name is taken: choose another", path, f->what,
                       head->name);
    const bool joint = f->joint && pointer_at(table, f->joint);
    for (const struct need *need = f->needs; need < f->needs + MOST_NEEDS && need->name && !joint; need++)
        if (!pointer_at(table, need->offset))
            return yk_fail(err, YK_E_INPUT, "%s offers %s '%s' without '%s', which it must have", path, f->what,
                           head->name, need->name);
    for (size_t i = 0; joint && i < 3; i++) /* init, reset, and step or predict come first in each */
        if (!pointer_at(pointer_at(table, f->joint), i * sizeof(void *)))
            return yk_fail(err, YK_E_INPUT, "%s offers %s '%s' for several actuators without init, reset or %s", path,
                           f->what, head->name, f->needs[2].name);
    return check_settings(path, f, table, err);
}

/* The family of a plugin; NULL where it offers nothing, or more than one thing. */
static const struct family *family_of(const struct yk_plugin *plugin)
{
    const struct family *found = NULL;
    int count = 0;

    for (const struct family *f = families; f < families + FAMILIES; f++)
        if (pointer_at(plugin, f->slot)) {
            found = f;
            count++;
        }
    return count == 1 ? found : NULL;
}

/* ---- what others see ---- */

/* Makes the symbols of the library visible to plugins if it was loaded as a private shared object, for example by
 * Python. */
static void show_library(void)
{
    Dl_info about;

    if (dladdr(families, &about))
        dlopen(about.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL);
}

enum yk_status yk_plugin_load(const char *path, const struct yk_plugin **plugin, struct yk_err *err)
{
    struct yk_err reason = {0};
    char *local = NULL;
    void *object;

    *plugin = NULL;
    /* dlopen looks in its own places unless there is a slash in the name */
    if (!strchr(path, '/') && asprintf(&local, "./%s", path) < 0)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    if (yk_shared_object_check(local ? local : path, &reason)) {
        free(local);
        return yk_fail(err, YK_E_INPUT, "cannot load the plugin: %s", yk_err_line(&reason).text);
    }
    show_library();
    object = dlopen(local ? local : path, RTLD_NOW | RTLD_LOCAL); /* never closed: tables and code stay in use */
    free(local);
    if (!object)
        return yk_fail(err, YK_E_INPUT, "cannot load the plugin: %s", dlerror());
    *plugin = dlsym(object, "yk_plugin");
    if (!*plugin)
        return yk_fail(err, YK_E_INPUT, "%s has no symbol 'yk_plugin'; see include/yoke/plugin.h", path);
    return yk_plugin_check(path, *plugin, err);
}

enum yk_status yk_plugin_check(const char *path, const struct yk_plugin *plugin, struct yk_err *err)
{
    const struct family *family;

    if (plugin->abi != YK_PLUGIN_ABI)
        return yk_fail(err, YK_E_UNSUPPORTED,
                       "%s was built for plugin interface %u, this program has %u: build it again", path, plugin->abi,
                       YK_PLUGIN_ABI);
    if (!(family = family_of(plugin)))
        return yk_fail(err, YK_E_INPUT,
                       "%s must offer one of: a law, a kind of substructure, a rig backend, a compensator, an "
                       "estimator, a controller, a plant, an integrator, a coupling, a signal",
                       path);
    return check_table(path, family, pointer_at(plugin, family->slot), err);
}

struct yk_plugin_offer yk_plugin_offer(const struct yk_plugin *plugin)
{
    const struct family *f = family_of(plugin);
    const void *table = pointer_at(plugin, f->slot);
    const struct head *head = table;

    return (struct yk_plugin_offer){f->list,       f->what,         head->name,
                                    head->summary, head->reference, pointer_at(table, f->params)};
}

bool yk_is_plugin(const struct yk_node *kind)
{
    return kind && kind->type == YK_SCALAR && strcmp(kind->text, "plugin") == 0;
}

/* One that the program provides; NULL: none has that name. */
static const struct yk_plugin *find_component(const struct yk_model *e, const char *name)
{
    for (size_t i = 0; i < e->component_count; i++)
        if (strcmp(e->components[i].name, name) == 0)
            return e->components[i].plugin;
    return NULL;
}

enum yk_status yk_build_plugin(const struct yk_model *e, const struct yk_node *kind, const struct yk_node *map,
                               const char *family, const struct yk_plugin **plugin, struct yk_err *err)
{
    const struct yk_node *library = yk_node_get(map, "library");
    const struct family *wanted = families;
    char *path;
    enum yk_status st;

    *plugin = NULL;
    if (!library)
        return yk_fail_at(err, YK_E_INPUT, map->where, "a plugin needs 'library', the shared object to load");
    if ((st = yk_field_type(library, YK_SCALAR, "a file name", err)))
        return st;
    if ((*plugin = find_component(e, library->text))) {
        st = yk_plugin_check(library->text, *plugin, err);
    } else {
        if (!(path = yk_field_path(e->directory, library->text)))
            return yk_fail(err, YK_E_MEMORY, "out of memory");
        st = yk_plugin_load(path, plugin, err);
        free(path);
    }
    if (st)
        yk_fail_within(err, library->where, "%s", "");
    while (strcmp(wanted->list, family) != 0)
        wanted++;
    if (st || family_of(*plugin) == wanted)
        return st;
    return yk_fail_at(err, YK_E_INPUT, kind->where, "this plugin offers %s, not %s", family_of(*plugin)->what,
                      wanted->what);
}

enum yk_status yk_build_known(const struct yk_node *map, const char *name, bool plugin, const struct yk_param *first,
                              const struct yk_param *second, struct yk_err *err)
{
    enum yk_status st = YK_OK;

    for (size_t i = 0; i < map->count && !st; i++) {
        struct yk_node one = {.type = YK_MAP, .key = (char *)name, .count = 1, .items = &map->items[i]};

        if (!plugin || strcmp(map->items[i]->key, "library") != 0)
            st = yk_field_known(&one, first, second, err);
    }
    return st;
}
