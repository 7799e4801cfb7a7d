/* `time` and `method` of an experiment: steps, the integrator or coupling and its settings. */
#include "base/names.h"
#include "experiment/build.h"

#include <yoke/plugin.h>
#include <yoke/yoke.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct method {
    int stability, path;
};

const struct yk_param yk_keys_time[] = {
    YK_REAL(struct yk_time, step, YK_TIME, YK_REQUIRED, YK_TINY, 1e6, "system step"),
    YK_REAL(struct yk_time, end, YK_TIME, YK_REQUIRED, YK_TINY, 1e9, "duration; a whole number of steps"),
    YK_COUNT(struct yk_time, substeps, 1, 1, 1000000, "substeps of the fine side in a system step, for couplings"),
    YK_REAL(struct yk_time, control_rate, YK_FREQUENCY, 0, 0, 1e6, "control ticks per second, required with specimens"),
    YK_REAL(struct yk_time, scale, YK_NUMBER, 1, 1e-6, 1e6,
            "seconds of wall time per second of the test, in paced runs and on real rigs; `limits` are in wall time in "
            "all runs"),
    YK_FLAG(struct yk_time, faster_than_real, false,
            "allow a scale below 1 in paced runs with actuators and for a rig outside this process"),
    YK_PARAM_END,
};

const struct yk_param yk_keys_method[] = {
    YK_NODE("integrator", "name of an integrator, or plugin", 0,
            "for runs of one domain; see `yoke list integrators`; its settings are written next to it"),
    YK_NODE("coupling", "name of a coupling, or plugin", 0,
            "for coupled runs; see `yoke list couplings`; its settings are written next to it"),
    YK_CHOICE(struct method, stability, "refuse|warn", 0,
              "what to do if the step of an integrator is above its stability limit (a coupling only warns), or if the "
              "loop with specimens is unstable and the run is paced or on a rig outside this process"),
    YK_CHOICE(struct method, path, "auto|dense|banded|sparse|low-rank|modal", 0,
              "how the equations are solved; auto takes the cheapest, `yoke check` says which and why; modal steps the "
              "modes of a structure with classical damping, or of each side of a coupling; see docs/performance.md"),
    YK_PARAM_END,
};

static const struct yk_field_context no_files = {.directory = "", .force_means = YK_FORCE};

enum yk_status yk_build_time(struct yk_model *e, struct yk_err *err)
{
    const struct yk_node *map = yk_node_get(e->tree, "time");
    double steps;
    enum yk_status st;

    if ((st = yk_field_type(map, YK_MAP, "a map", err)) || (st = yk_field_known(map, yk_keys_time, NULL, err)) ||
        (st = yk_field_settings(map, yk_keys_time, &e->time, &no_files, err)))
        return st;
    e->step_where = yk_node_get(map, "step")->where;
    e->scale_where = yk_node_get(map, "scale") ? yk_node_get(map, "scale")->where : map->where;
    steps = round(e->time.end / e->time.step);
    if (steps < 1)
        return yk_fail_at(err, YK_E_RANGE, yk_node_get(map, "end")->where,
                          "end = %g s is shorter than one step of %g s", e->time.end, e->time.step);
    if (steps > 1e12)
        return yk_fail_at(err, YK_E_RANGE, yk_node_get(map, "end")->where,
                          "end = %g s makes %.3g steps of %g s; 1 .. 1e12 are allowed", e->time.end, steps,
                          e->time.step);
    if (fabs(steps * e->time.step - e->time.end) > 1e-6 * e->time.step)
        return yk_fail_at(err, YK_E_RANGE, yk_node_get(map, "end")->where,
                          "end = %g s is not a whole number of steps of %g s; the nearest is %.12g s", e->time.end,
                          e->time.step, steps * e->time.step);
    e->steps = (long)steps;
    return YK_OK;
}

static const char *next_integrator(void *self)
{
    const struct yk_integrator_ops *const **at = self;

    return **at ? (*(*at)++)->name : NULL;
}

static const char *next_coupling(void *self)
{
    const struct yk_coupling_ops *const **at = self;

    return **at ? (*(*at)++)->name : NULL;
}

static enum yk_status find_method(struct yk_model *e, const struct yk_node *name, bool coupling, struct yk_err *err)
{
    const struct yk_coupling_ops *const *couplings = yk_couplings;
    const struct yk_integrator_ops *const *integrators = yk_integrators;
    const char *word = coupling ? "coupling" : "integrator", *text = name->text;
    const struct yk_plugin *plugin;
    char hint[96];

    if (yk_is_plugin(name)) {
        const char *family = coupling ? "couplings" : "integrators";
        const enum yk_status st = yk_build_plugin(e, name, yk_node_get(e->tree, "method"), family, &plugin, err);

        e->coupling = st || !coupling ? NULL : plugin->coupling;
        e->integrator = st || coupling ? NULL : plugin->integrator;
        return st;
    }
    e->coupling = coupling ? yk_coupling_find(text) : NULL;
    e->integrator = coupling ? NULL : yk_integrator_find(text);
    if (e->coupling || e->integrator)
        return YK_OK;
    if (coupling && yk_integrator_find(text))
        return yk_fail_at(err, YK_E_INPUT, name->where, "'%s' is an integrator, not a coupling: write integrator: %s",
                          text, text);
    if (!coupling && yk_coupling_find(text))
        return yk_fail_at(err, YK_E_INPUT, name->where, "'%s' is a coupling, not an integrator: write coupling: %s",
                          text, text);
    if (coupling)
        yk_suggest(text, next_coupling, &couplings, "; see `yoke list couplings`", hint, sizeof hint);
    else
        yk_suggest(text, next_integrator, &integrators, "; see `yoke list integrators`", hint, sizeof hint);
    return yk_fail_at(err, YK_E_INPUT, name->where, "there is no %s '%s'%s", word, text, hint);
}

const char *yk_model_method(const struct yk_model *e)
{
    return e->coupling ? e->coupling->name : e->integrator->name;
}

double yk_fine_step(const struct yk_model *e)
{
    return e->coupling ? e->time.step / e->time.substeps : e->time.step;
}

const struct yk_param *yk_model_params(const struct yk_model *e)
{
    return e->coupling ? e->coupling->params : e->integrator->params;
}

static const char *next_choice(void *self)
{
    static const char *const words[] = {"integrator", "coupling", NULL};
    int *at = self;

    return words[*at] ? words[(*at)++] : NULL;
}

/* Neither or both were given: a word that is nearly one of them is reported as unknown, at its place. */
static enum yk_status no_method(const struct yk_node *map, struct yk_err *err)
{
    for (size_t i = 0; i < map->count; i++) {
        const struct yk_node *node = map->items[i];
        char hint[96];
        int at = 0;

        if (strcmp(node->key, "integrator") != 0 && strcmp(node->key, "coupling") != 0 &&
            *yk_suggest(node->key, next_choice, &at, "", hint, sizeof hint))
            return yk_fail_at(err, YK_E_INPUT, node->key_where, "unknown key '%s' in method%s", node->key, hint);
    }
    return yk_fail_at(err, YK_E_INPUT, map->where,
                      "method needs either 'integrator' (one domain) or 'coupling' (two sides), see `yoke list`");
}

static const struct yk_param *find_setting(const struct yk_param *params, const char *name)
{
    while (params && params->name && strcmp(params->name, name) != 0)
        params++;
    return params && params->name ? params : NULL;
}

static bool has_setting(const struct yk_param *params, const char *name)
{
    return find_setting(params, name);
}

enum yk_status yk_build_method(struct yk_model *e, struct yk_err *err)
{
    const struct yk_node *map = yk_node_get(e->tree, "method"), *integrator, *coupling, *name;
    struct method method;
    enum yk_status st;

    if ((st = yk_field_type(map, YK_MAP, "a map", err)))
        return st;
    integrator = yk_node_get(map, "integrator");
    coupling = yk_node_get(map, "coupling");
    if (!integrator && !coupling)
        return no_method(map, err);
    name = coupling ? coupling : integrator;
    if ((st = yk_field_type(name, YK_SCALAR, "the name of a method", err)) ||
        (st = find_method(e, name, coupling, err)))
        return st;
    if (integrator && coupling && !has_setting(e->coupling->params, "integrator"))
        return no_method(map, err);
    e->method_where = name->where;
    if (!coupling && e->time.substeps != 1)
        return yk_fail_at(err, YK_E_INPUT, name->where,
                          "time.substeps = %d needs a coupling; an integrator has one step", e->time.substeps);
    e->settings = coupling ? yk_param_block(e->coupling->size, e->coupling->user)
                           : yk_param_block(e->integrator->size, e->integrator->user);
    if (!e->settings)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    if ((st = yk_build_known(map, map->key, yk_is_plugin(name), yk_keys_method, yk_model_params(e), err)) ||
        (st = yk_field_settings(map, yk_keys_method, &method, &no_files, err)))
        return st;
    e->stability = method.stability;
    e->solve_path = method.path;
    return yk_field_settings(
        map, yk_model_params(e), e->settings,
        &(struct yk_field_context){.directory = e->directory, .notes = e->notes, .force_means = YK_FORCE}, err);
}

/* ---- another method by --set ---- */

static struct yk_method_choice plugin_of(const struct yk_model *e, const struct yk_node *name,
                                         const struct yk_node *method)
{
    const bool couples = strcmp(name->key, "coupling") == 0;
    struct yk_method_choice choice = {.family = couples ? "coupling" : "integrator", .name = "plugin", .plugin = true};
    const struct yk_plugin *plugin;

    /* one that cannot be loaded is complained of when it is used */
    if (!yk_build_plugin(e, name, method, couples ? "couplings" : "integrators", &plugin, NULL))
        choice.params = couples ? plugin->coupling->params : plugin->integrator->params;
    return choice;
}

struct yk_method_choice yk_build_choice(const struct yk_model *e)
{
    const struct yk_node *method = yk_node_get(e->tree, "method");
    const struct yk_node *integrator = yk_node_get(method, "integrator"), *coupling = yk_node_get(method, "coupling");
    const struct yk_integrator_ops *one =
        integrator && integrator->type == YK_SCALAR ? yk_integrator_find(integrator->text) : NULL;
    const struct yk_coupling_ops *two =
        coupling && coupling->type == YK_SCALAR ? yk_coupling_find(coupling->text) : NULL;

    if (yk_is_plugin(coupling) || (yk_is_plugin(integrator) && !coupling))
        return plugin_of(e, coupling ? coupling : integrator, method);
    if (two && (!integrator || has_setting(two->params, "integrator")))
        return (struct yk_method_choice){"coupling", two->name, two->params, false};
    return one && !coupling ? (struct yk_method_choice){"integrator", one->name, one->params, false}
                            : (struct yk_method_choice){0};
}

static bool belongs(const struct yk_method_choice *method, const char *key)
{
    return has_setting(method->params, key) || strcmp(key, method->family) == 0 ||
           (method->plugin && strcmp(key, "library") == 0);
}

/* Does the key name a method rather than a setting of the old one? Some couplings have an integrator as a setting. */
static bool names_method(const struct yk_method_choice *old, const char *key)
{
    return strcmp(key, "coupling") == 0 || (strcmp(key, "integrator") == 0 && !has_setting(old->params, key));
}

/* The method that a setting names instead of the old one; NULL: none does. */
static const struct yk_node *find_new(const struct yk_model *e, const struct yk_node *method,
                                      const struct yk_method_choice *old)
{
    for (size_t i = 0; old->name && method && method->type == YK_MAP && i < method->count; i++) {
        const struct yk_node *item = method->items[i];

        if (item->where.file != e->path && item->type == YK_SCALAR && strcmp(item->text, old->name) != 0 &&
            names_method(old, item->key))
            return item;
    }
    return NULL;
}

/* Does a setting mean the same to both? Equal names are not enough: gamma of a Rosenbrock method is none of Newmark. */
static bool means_the_same(const struct yk_param *a, const struct yk_param *b)
{
    return a && b && a->type == b->type && a->quantity == b->quantity && a->min == b->min && a->max == b->max &&
           strcmp(a->help, b->help) == 0 && (!a->choices || (b->choices && strcmp(a->choices, b->choices) == 0));
}

void yk_build_forget(struct yk_model *e, const struct yk_method_choice *old)
{
    struct yk_node *method = yk_node_get(e->tree, "method");
    const struct yk_node *named = find_new(e, method, old);
    char names[120] = "";
    size_t kept = 0, count = 0;

    if (!named)
        return;
    const struct yk_coupling_ops *coupling = strcmp(named->key, "coupling") == 0 ? yk_coupling_find(named->text) : NULL;
    const struct yk_integrator_ops *integrator =
        strcmp(named->key, "integrator") == 0 ? yk_integrator_find(named->text) : NULL;
    const struct yk_param *params = coupling ? coupling->params : integrator ? integrator->params : NULL;

    for (size_t i = 0; i < method->count; i++) {
        struct yk_node *item = method->items[i];
        const bool is_name = strcmp(item->key, old->family) == 0;

        if (item->where.file != e->path || !belongs(old, item->key) ||
            (!is_name && means_the_same(find_setting(old->params, item->key), find_setting(params, item->key)))) {
            method->items[kept++] = item;
            continue;
        }
        if (!is_name) {
            const size_t used = strlen(names);

            snprintf(names + used, sizeof names - used, "%s%s", count++ ? ", " : "", item->key);
        }
        yk_tree_free(item);
    }
    method->count = kept;
    if (count)
        yk_note(e->notes, YK_NOWHERE, "%s in `method` of the file belong%s to %s and %s not used with %.40s", names,
                count == 1 ? "s" : "", old->name, count == 1 ? "is" : "are", named->text);
}
