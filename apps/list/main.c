/* yoke list: every registered method, law and signal, from the registries. */
#include "options.h"

#include <jansson.h>
#include <math.h>
#include <string.h>
#include <yoke/analysis.h>
#include <yoke/families.h>
#include <yoke/plugin.h>

/* Observed order with this many substeps on a split mass; NAN where the coupling does not take them. */
static double observed(const struct yk_coupling_ops *c, int substeps)
{
    double order = NAN;

    return yk_measure_coupling_order(c, substeps, &order, NULL) ? NAN : order;
}

/* With nonlinear sides, without subcycling. */
static double order_nonlinear(const struct yk_coupling_ops *c)
{
    return c->caps & YK_COUPLING_LINEAR_ORDER ? 1 : yk_coupling_order(c, false);
}

static void add_coupling(json_t *o, const struct yk_coupling_ops *c)
{
    const double subcycled = yk_coupling_order(c, true);

    json_object_set_new(o, "order_subcycled", subcycled > 0 ? json_real(subcycled) : json_null());
    json_object_set_new(o, "order_nonlinear", json_real(order_nonlinear(c)));
    json_object_set_new(o, "parallel", json_boolean(c->caps & YK_COUPLING_PARALLEL));
    json_object_set_new(o, "chains", json_integer(c->chains));
    json_object_set_new(o, "exchange", json_string(c->exchange));
    json_object_set_new(o, "startup", json_string(c->startup));
    json_object_set_new(o, "order_measured",
                        json_pack("{s:o, s:o}", "substeps_1", yk_json_number(observed(c, 1)), "substeps_10",
                                  yk_json_number(observed(c, 10))));
}

static json_t *entry_json(const struct yk_family_entry *e)
{
    json_t *settings = json_array();

    for (const struct yk_param *p = e->params; p && p->name; p++)
        json_array_append_new(settings, json_string(p->name));
    json_t *o = json_pack("{s:s, s:s, s:s, s:o}", "name", e->name, "summary", e->summary, "reference", e->reference,
                          "settings", settings);
    if (e->order > 0) {
        json_object_set_new(o, "order", json_real(e->order));
        json_object_set_new(o, "stages", json_integer(e->stages));
    }
    if (e->coupling)
        add_coupling(o, e->coupling);
    return o;
}

static json_t *family_json(size_t f)
{
    json_t *list = json_array();
    struct yk_family_entry e;

    for (size_t i = 0; yk_families[f].at(i, &e); i++)
        json_array_append_new(list, entry_json(&e));
    return list;
}

/* The couplings as a table, with orders measured now. */
static void print_couplings(void)
{
    static const int substeps[] = {1, 10};

    printf("%-12s  %-15s  %-9s  %6s  %s\n%-12s  %7s %7s  %-9s  %6s\n", "", "order, measured", "coarse", "chains",
           "what it is", "substeps", "1", "10", "side runs", "");
    for (const struct yk_coupling_ops *const *c = yk_couplings; *c; c++) {
        printf("%-12s  ", (*c)->name);
        for (int i = 0; i < 2; i++) {
            const double order = observed(*c, substeps[i]);

            if (isfinite(order))
                printf("%7.2f%s", order, i ? "" : " ");
            else
                printf("%7s%s", "-", i ? "" : " ");
        }
        printf("  %-9s  %6d  %s (%s)\n", (*c)->caps & YK_COUPLING_PARALLEL ? "beside" : "first", (*c)->chains,
               (*c)->summary, (*c)->reference);
        printf("%-12s  starts: %s; exchanges: %s\n", "", (*c)->startup, (*c)->exchange);
        if (order_nonlinear(*c) < yk_coupling_order(*c, false))
            printf("%-12s  order %g with nonlinear sides\n", "", order_nonlinear(*c));
    }
}

static void entry_print(const struct yk_family_entry *e)
{
    const double subcycled = e->coupling ? yk_coupling_order(e->coupling, true) : 0;

    if (e->coupling && order_nonlinear(e->coupling) < e->order)
        printf("  %-20s order %g (%g with nonlinear sides): ", e->name, e->order, order_nonlinear(e->coupling));
    else if (subcycled > 0 && subcycled != e->order)
        printf("  %-20s order %g (%g with substeps): ", e->name, e->order, subcycled);
    else if (e->coupling && e->order > 0)
        printf("  %-20s order %g: ", e->name, e->order);
    else if (!e->coupling && e->order > 0)
        printf("  %-20s order %g, %d stage%s: ", e->name, e->order, e->stages, e->stages == 1 ? " " : "s");
    else
        printf("  %-20s ", e->name);
    printf("%s%s%s%s\n", e->summary, *e->reference ? " (" : "", e->reference, *e->reference ? ")" : "");
}

static void family_print(size_t f)
{
    struct yk_family_entry e;

    printf("%s\n", yk_families[f].name);
    for (size_t i = 0; yk_families[f].at(i, &e); i++)
        entry_print(&e);
    putchar('\n');
}

/* Lists the component of a plugin as one entry of its family. */
static int list_plugin(const char *path, bool json)
{
    const struct yk_plugin *plugin;
    struct yk_err err = {0};

    if (yk_plugin_load(path, &plugin, &err))
        return yk_command_fail(&err);
    const struct yk_plugin_offer o = yk_plugin_offer(plugin);
    struct yk_family_entry e = {.name = o.name, .summary = o.summary, .reference = o.reference, .params = o.params};
    if (plugin->integrator) {
        e.order = plugin->integrator->order;
        e.stages = plugin->integrator->stages;
    } else if (plugin->coupling) {
        e.order = yk_coupling_order(plugin->coupling, false);
        e.coupling = plugin->coupling;
    }
    if (json)
        return yk_print_json(json_pack("{s:[o]}", o.family, entry_json(&e)));
    puts(o.family);
    entry_print(&e);
    return 0;
}

static int run(int argc, char **argv)
{
    struct list_options g = {0};
    bool found = false;
    struct yk_words words;

    if (!yk_take_options(&command_list, argc, argv, &g, &words))
        return 2;
    if (words.count > 1)
        return yk_misuse(&command_list, "one family at a time");
    if (words.count && strpbrk(words.rest[0], "./"))
        return list_plugin(words.rest[0], g.json);
    json_t *all = json_object();
    for (size_t f = 0; yk_families[f].name; f++) {
        if (words.count && strcmp(words.rest[0], yk_families[f].name) != 0)
            continue;
        found = true;
        if (g.json)
            json_object_set_new(all, yk_families[f].name, family_json(f));
        else if (words.count && strcmp(yk_families[f].name, "couplings") == 0)
            print_couplings();
        else
            family_print(f);
    }
    if (!found) {
        char hint[64];

        yk_misuse(&command_list, "there is no family '%s'%s", words.rest[0],
                  yk_family_hint(words.rest[0], hint, sizeof hint));
    }
    if (g.json && found)
        return yk_print_json(all);
    json_decref(all);
    return found ? 0 : 2;
}

int main(int argc, char **argv)
{
    return yk_command_main(&command_list, run, argc, argv);
}
