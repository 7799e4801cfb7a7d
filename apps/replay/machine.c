/* The machine that is replayed on: the plant of a file, or what the first half of the recording says. */
#include "replay.h"

#include <yoke/fields.h>
#include <yoke/text.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double setting(const struct job *j, const char *name, double otherwise)
{
    for (const struct yk_param *p = j->plant->params; p->name; p++)
        if (strcmp(p->name, name) == 0)
            return *(const double *)((const char *)j->plant_settings + p->offset);
    return otherwise;
}

/* The linear model of the plants that `yoke identify --csv` writes. */
static enum yk_status model_of(struct job *j, struct yk_err *err)
{
    if (strcmp(j->plant->name, "first-order") == 0) {
        j->model = (struct yk_rational){.poles = 1,
                                        .gain = setting(j, "gain", 1),
                                        .dead_time_s = setting(j, "dead_time", 0),
                                        .lead = setting(j, "lead", 0),
                                        .a = {1, setting(j, "time_constant", 0)},
                                        .b = {1}};
        return YK_OK;
    }
    if (strcmp(j->plant->name, "servo") == 0) {
        const double w = 2 * M_PI * setting(j, "frequency", 1);

        j->model = (struct yk_rational){.poles = 2,
                                        .gain = setting(j, "gain", 1),
                                        .dead_time_s = setting(j, "dead_time", 0),
                                        .a = {1, 2 * setting(j, "damping", 1) / w, 1 / (w * w)},
                                        .b = {1}};
        return YK_OK;
    }
    return yk_fail(err, YK_E_UNSUPPORTED, "--plant: a plant %s; first-order and servo can be replayed", j->plant->name);
}

static enum yk_status read_plant(struct job *j, const struct yk_node *map, struct yk_err *err)
{
    static const struct yk_param own[] = {YK_NODE("kind", "", 0, ""), YK_PARAM_END};
    const struct yk_field_context context = {.directory = ".", .force_means = YK_FORCE};
    const struct yk_node *kind;
    enum yk_status st = yk_field_type(map, YK_MAP, "a map with kind and settings", err);

    if (st)
        return st;
    if (!(kind = yk_node_get(map, "kind")) || kind->type != YK_SCALAR || !(j->plant = yk_plant_find(kind->text)))
        return yk_fail_at(err, YK_E_INPUT, kind ? kind->where : map->where,
                          "the plant needs a kind that `yoke list plants` has");
    if ((st = yk_field_known(map, own, j->plant->params, err)))
        return st;
    if (!(j->plant_settings = calloc(1, j->plant->size + 1)))
        return yk_fail(err, YK_E_MEMORY, "out of memory for a plant");
    st = yk_field_settings(map, j->plant->params, j->plant_settings, &context, err);
    return st ? st : model_of(j, err);
}

static enum yk_status from_file(struct job *j, struct yk_err *err)
{
    struct yk_text text = {0};
    struct yk_node *root = NULL;
    const struct yk_node *plant;
    enum yk_status st = yk_text_load(&text, j->options->plant, err);

    if (st)
        return yk_fail_as(err, st == YK_E_IO ? YK_E_INPUT : st);
    if (!(st = yk_tree_parse(&root, text.data, text.size, j->options->plant, err))) {
        plant = yk_node_get(root, "plant");
        st = plant ? read_plant(j, plant, err)
                   : yk_fail_at(err, YK_E_INPUT, root->where, "the file has no section 'plant'");
    }
    yk_tree_free(root);
    yk_text_free(&text);
    return st;
}

static enum yk_status from_first_half(struct job *j, struct yk_err *err)
{
    const struct yk_actuator_record half = {.name = j->options->csv,
                                            .n = j->n / 2,
                                            .command = j->log.column[0].x,
                                            .motion = j->log.column[1].x,
                                            .step_s = j->h};
    const struct yk_identify_ask ask = {.records = &half, .count = 1, .lowest = 1, .highest = 1, .threads = 2};
    struct yk_actuator_found found;
    enum yk_status st = yk_identify_actuator(&ask, &found, err);

    if (st)
        return st;
    j->from = j->n / 2;
    j->model = found.model;
    j->plant = yk_plant_find("first-order");
    if ((st = yk_param_settings(j->plant->params, j->plant->size, &j->plant_settings, err)) ||
        (st = yk_param_set(j->plant->params, j->plant_settings, "gain", found.model.gain, err)) ||
        (st = yk_param_set(j->plant->params, j->plant_settings, "time_constant", found.model.a[1], err)) ||
        (st = yk_param_set(j->plant->params, j->plant_settings, "dead_time", found.model.dead_time_s, err)))
        return st;
    return yk_param_set(j->plant->params, j->plant_settings, "lead", found.model.lead, err);
}

enum yk_status replay_machine(struct job *j, struct yk_err *err)
{
    return j->options->plant ? from_file(j, err) : from_first_half(j, err);
}

double replay_phase_delay(const struct job *j, double frequency_Hz)
{
    const double complex late = cexp(-2 * M_PI * I * frequency_Hz * j->model.dead_time_s);

    return j->model.dead_time_s - carg(yk_rational_at(&j->model, frequency_Hz) / late) / (2 * M_PI * frequency_Hz);
}
