/* The hybrid test of an experiment file with the machine in place of its actuator. */
#include "replay.h"

#include <yoke/fields.h>
#include <yoke/json.h>
#include <yoke/text.h>
#include <yoke/yoke.h>

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The first actuator of `rig`. */
static enum yk_status find_actuator(const char *path, char *name, size_t size, struct yk_err *err)
{
    struct yk_text text = {0};
    struct yk_node *root = NULL;
    enum yk_status st = yk_text_load(&text, path, err);

    if (st)
        return yk_fail_as(err, st == YK_E_IO ? YK_E_INPUT : st);
    if (!(st = yk_tree_parse(&root, text.data, text.size, path, err))) {
        const struct yk_node *rig = yk_node_get(root, "rig"),
                             *all = rig && rig->type == YK_MAP ? yk_node_get(rig, "actuators") : NULL;

        if (!all || all->type != YK_MAP || all->count == 0)
            st = yk_fail_at(err, YK_E_INPUT, root->where,
                            "the experiment has no actuator under rig.actuators to put the machine in place of");
        else
            snprintf(name, size, "%s", all->items[0]->key);
    }
    yk_tree_free(root);
    yk_text_free(&text);
    return st;
}

static void describe_plant(const struct job *j, const char *actuator, char *text, size_t size)
{
    const struct yk_rational *m = &j->model;

    if (m->poles == 2)
        snprintf(text, size,
                 "rig.actuators.%s.plant={ kind: servo, gain: %.9g, frequency: %.9g, damping: %.9g, dead_time: %.9g }",
                 actuator, m->gain, 1 / (2 * M_PI * sqrt(m->a[2])), 0.5 * m->a[1] / sqrt(m->a[2]), m->dead_time_s);
    else
        snprintf(text, size,
                 "rig.actuators.%s.plant={ kind: first-order, gain: %.9g, time_constant: %.9g, dead_time: %.9g, lead: "
                 "%.9g }",
                 actuator, m->gain, m->a[1], m->dead_time_s, m->lead);
}

enum yk_status replay_experiment(struct job *j, struct yk_err *err)
{
    char actuator[128], plant[400];
    enum yk_status st;

    if (!j->options->experiment)
        return YK_OK;
    if ((st = find_actuator(j->options->experiment, actuator, sizeof actuator, err)))
        return st;
    describe_plant(j, actuator, plant, sizeof plant);
    for (size_t i = 0; i < j->trials; i++) {
        char compensator[400];
        const char *const overrides[] = {plant, compensator, "reference=monolithic"};
        struct yk_model *model = NULL;
        char *summary = NULL;
        struct yk_err own = {0};

        snprintf(compensator, sizeof compensator, "transfer.%s.compensator=%s", actuator, j->trial[i].text);
        if ((st = yk_model_open(&model, j->options->experiment, overrides, 3, err)))
            return st;
        if (!yk_model_run(model, NULL, &summary, &own)) { /* stopped or diverged: no figure */
            json_t *all = yk_json_read_text(summary),
                   *error = json_object_get(json_object_get(all, "errors"), "displacement_nrms");

            j->trial[i].test_nrms = json_is_number(error) ? json_number_value(error) : NAN;
            json_decref(all);
        }
        yk_free(summary);
        yk_model_close(model);
    }
    return YK_OK;
}
