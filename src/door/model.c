/* Plans for programs: other sources, and what a model says of itself. */
#include "state/state.h"

#include "base/json.h"
#include "door/session.h"
#include <yoke/tree.h>

#include <stdlib.h>
#include <string.h>

/* Prepares a model that was read, or closes it. */
static enum yk_status complete(struct yk_model **model, struct yk_err *err)
{
    const enum yk_status st = yk_model_complete(*model, err);

    if (st) {
        yk_model_close(*model);
        *model = NULL;
    }
    return st;
}

enum yk_status yk_model_read(struct yk_model **model, const struct yk_model_source *source, struct yk_err *err)
{
    const enum yk_status st = yk_model_load_source(model, source, err);

    return st ? st : complete(model, err);
}

enum yk_status yk_model_vary(struct yk_model **model, const struct yk_model *of, const char *const *overrides,
                             size_t count, struct yk_err *err)
{
    const enum yk_status st = yk_model_with_settings(of, overrides, count, model, err);

    return st ? st : complete(model, err);
}

enum yk_status yk_model_on_rig(struct yk_model **model, const struct yk_model *of, struct yk_err *err)
{
    const enum yk_status st = yk_model_with_players(of, YK_PLAYED_BY_BACKEND, model, err);

    return st ? st : complete(model, err);
}

/* ---- what it says ---- */

static json_t *tree_json(const struct yk_node *node)
{
    json_t *all;

    if (node->type == YK_SCALAR)
        return yk_json_any(node->text);
    all = node->type == YK_MAP ? json_object() : json_array();
    for (size_t i = 0; i < node->count; i++)
        if (node->type == YK_MAP)
            json_object_set_new(all, node->items[i]->key, tree_json(node->items[i]));
        else
            json_array_append_new(all, tree_json(node->items[i]));
    return all;
}

static json_t *substructures_json(const struct yk_model *model)
{
    json_t *all = json_array();

    for (size_t k = 0; k < model->substructure_count; k++) {
        const struct yk_substructure *s = &model->substructures[k];
        json_t *dofs = json_array();

        for (size_t i = 0; i < s->system->n; i++)
            json_array_append_new(dofs, json_string(s->dofs[i]));
        json_array_append_new(all, json_pack("{s:s, s:o}", "name", s->name, "dofs", dofs));
    }
    return all;
}

static json_t *channels_json(const struct yk_model *model)
{
    struct yk_run_channels channels = {0};
    json_t *all = json_object();

    if (!yk_run_channels(model, &channels, NULL))
        for (int k = 0; k < YK_STREAMS; k++) {
            json_t *list = json_array();

            for (size_t i = 0; i < channels.streams[k].count; i++)
                json_array_append_new(list, json_pack("[s, s]", channels.streams[k].channels[i].name,
                                                      channels.streams[k].channels[i].unit));
            json_object_set_new(all, yk_stream_names[k], list);
        }
    yk_run_channels_free(&channels);
    return all;
}

char *yk_model_describe(const struct yk_model *model)
{
    char *method = yk_method_text(model), *description = yk_run_description(model), *text;
    json_t *actuators = json_array(), *all;
    void *self;

    for (size_t i = 0; i < yk_station_count(model->station); i++)
        json_array_append_new(actuators, json_string(yk_station_name(model->station, i)));
    all = json_pack(
        "{s:o, s:o, s:s, s:o, s:f, s:f, s:I, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "title",
        yk_json_any(model->title), "path", yk_json_any(model->path), "method", yk_model_method(model), "method_text",
        yk_json_any(method), "step_s", model->time.step, "end_s", model->time.end, "steps", (json_int_t)model->steps,
        "simulates", !model->station || (yk_station_rig(model->station, &self)->can & YK_RIG_SIMULATES) != 0,
        "substructures", substructures_json(model), "actuators", actuators, "channels", channels_json(model), "tree",
        tree_json(model->tree), "text", yk_json_any(model->text), "overrides", yk_json_any(model->overrides),
        "description", yk_json_any(description), "notes", yk_json_notes(model->notes));
    text = method && description && all ? json_dumps(all, 0) : NULL;
    json_decref(all);
    free(method);
    free(description);
    return text;
}

const char *yk_model_note(const struct yk_model *model, size_t k)
{
    const struct yk_notes *notes = model->notes;

    return k < notes->count ? notes->items[k] : NULL;
}

enum yk_status yk_model_matrix(const struct yk_model *model, size_t k, char which, double *entries, struct yk_err *err)
{
    const struct yk_system *s = k < model->substructure_count ? model->substructures[k].system : NULL;
    const struct yk_matrix *m = s && which == 'M'   ? &s->M
                                : s && which == 'C' ? &s->C
                                : s && which == 'K' ? &s->K
                                                    : NULL;

    if (!m)
        return yk_fail(err, YK_E_INPUT, "there is no matrix '%c' of substructure %zu", which, k);
    memset(entries, 0, s->n * s->n * sizeof *entries);
    for (size_t i = 0; i < s->n; i++)
        for (size_t j = 0; j < s->n; j++)
            entries[i + j * s->n] = yk_matrix_get(m, i, j);
    return YK_OK;
}
