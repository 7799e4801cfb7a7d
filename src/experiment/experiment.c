/* From the text of an experiment file to objects ready to run. */
#include "base/names.h"
#include "base/progress.h"
#include "experiment/build.h"

#include <yoke/plugin.h>
#include <yoke/yoke.h>

#include <stdlib.h>
#include <string.h>

const struct yk_param yk_keys_root[] = {
    YK_TEXT(struct yk_model, title, 0, "title of the experiment, one line"),
    YK_NODE("time", "map", YK_REQUIRED, "step and duration"),
    YK_NODE("method", "map", YK_REQUIRED, "the integrator or coupling and its settings"),
    YK_NODE("substructures", "map of name to substructure", YK_REQUIRED, "the parts of the structure"),
    YK_NODE("interfaces", "list of interfaces", 0, "how the parts are joined"),
    YK_NODE("loads", "list of loads", 0, "forces and ground motions"),
    YK_NODE("transfer", "map of actuator to its chain, or files", 0,
            "compensator, estimator, path and controller of each actuator"),
    YK_NODE("rig", "map", 0, "the rig: backend, actuators, and specimen models for the virtual rig"),
    YK_NODE("rigs", "map of name to rig", 0,
            "several rigs that serve one experiment: each a map like `rig`, with the actuators that it moves"),
    YK_NODE("limits", "map", 0, "safety limits: what stops the test"),
    YK_NODE("channels", "map of channel to its table, or a file", 0,
            "calibration of each number that a rig takes or gives: scale, offset, range, filter, certificate"),
    YK_NODE(
        "calibration", "map of channel to zero, or a file, or none", 0,
        "zeros of the sensors; by default the file NAME.calibration.yaml beside this one (NAME.yaml), if it exists"),
    YK_NODE("certificates", "map of channel to certificate, or a file", 0,
            "calibrations of the sensors: kept in the recording and the report; an overdue one warns"),
    YK_CHOICE(struct yk_model, analysis, "dynamic|static", 0,
              "static: the run is a quasi-static test: specimens follow the stages of `statics`, and nothing is "
              "integrated"),
    YK_NODE("statics", "list of stages", 0,
            "gravity, pushover and cyclic protocols, for `yoke push`, and for runs with `analysis: static`"),
    YK_NODE("iterate", "map of kind and settings", 0,
            "a test by runs that are corrected afterwards, without feedback, for `yoke iterate`"),
    YK_NODE("floors", "map of name to list of nodes", 0,
            "levels of the structure for drifts and storey forces, from below; default: found from the coordinates"),
    YK_NODE("record", "map", 0, "which channels are recorded, how often, and derived channels"),
    YK_NODE("quality", "map", 0, "bounds for the verdict: from which numbers on results are doubtful or unusable"),
    YK_NODE("uncertain", "map of key to interval", 0,
            "limits within which values of this file are known, for `yoke check --certify`: a percentage, or A..B"),
    YK_CHOICE(struct yk_model, reference, "none|monolithic", 0,
              "monolithic: also integrate the untorn structure accurately and report errors against it; reduced models "
              "are replaced by the full models they were made from, if those are found unchanged"),
    YK_PARAM_END,
};

static const struct yk_field_context no_files = {.directory = "", .force_means = YK_FORCE};

const char *yk_model_kind(const struct yk_model *e, size_t k)
{
    const struct yk_node *all = e->tree ? yk_node_get(e->tree, "substructures") : NULL,
                         *own = all ? yk_node_get(all, e->substructures[k].name) : NULL,
                         *kind = own ? yk_node_get(own, "kind") : NULL;
    const struct yk_plugin *plugin;

    if (yk_is_plugin(kind) && yk_build_plugin(e, kind, own, "substructures", &plugin, NULL) == YK_OK)
        return plugin->kind->name;
    return kind && kind->text ? kind->text : "linear";
}

/* The folder of a path: "" for a plain name. */
static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    if (!slash)
        return strdup("");
    return slash == path ? strdup("/") : strndup(path, (size_t)(slash - path));
}

bool yk_has_models_only(const struct yk_model *e)
{
    return e->players == YK_PLAYED_BY_MODELS || e->players == YK_PLAYED_BY_FULL_MODELS;
}

/* Applies the settings and keeps them: their text for the recording, behind that of earlier ones, and a label of each
 * for messages. */
static enum yk_status keep_overrides(struct yk_model *e, const char *earlier, const char *const *overrides,
                                     size_t count, struct yk_err *err)
{
    const struct yk_method_choice old = yk_build_choice(e);
    size_t size = strlen(earlier) + 1;
    enum yk_status st = YK_OK;

    for (size_t i = 0; i < count; i++)
        size += strlen(overrides[i]) + 1;
    e->overrides = calloc(1, size);
    e->labels = calloc(count + 1, sizeof *e->labels);
    if (!e->overrides || !e->labels)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    strcat(e->overrides, earlier);
    for (size_t i = 0; i < count && !st; i++) {
        if (asprintf(&e->labels[i], "--set %s", overrides[i]) < 0) {
            e->labels[i] = NULL;
            return yk_fail(err, YK_E_MEMORY, "out of memory");
        }
        strcat(strcat(e->overrides, overrides[i]), "\n");
        st = yk_tree_set(e->tree, overrides[i], e->labels[i], err);
    }
    if (!st)
        yk_build_forget(e, &old);
    return st;
}

/* Places an error of all rows together at the section `interfaces`, unless the message has a place already. */
static enum yk_status place_assembly(const struct yk_model *e, struct yk_err *err)
{
    const struct yk_node *interfaces = yk_node_get(e->tree, "interfaces");

    if (*err->file)
        return err->status;
    return yk_fail_within(err, interfaces ? interfaces->where : (struct yk_where){e->path, 0, 0}, "%s", "");
}

/* The path as a title; bytes that are not UTF-8 would not pass through JSON. */
static char *title_of_path(const char *path)
{
    char *title = strdup(path);

    for (char *at = title; at && *at;) {
        const size_t length = yk_utf8_length(at, at + strlen(at));

        if (length == 0)
            *at = '?';
        at += length ? length : 1;
    }
    return title;
}

static enum yk_status build(struct yk_model *e, struct yk_err *err)
{
    enum yk_status st;

    if ((st = yk_field_known(e->tree, yk_keys_root, NULL, err)) ||
        (st = yk_field_settings(e->tree, yk_keys_root, e, &no_files, err)))
        return st;
    if (!e->title && !(e->title = title_of_path(e->path)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    yk_progress("building the substructures");
    if ((st = yk_build_time(e, err)) || (st = yk_build_method(e, err)) || (st = yk_build_substructures(e, err)) ||
        (st = yk_build_interfaces(e, err)) ||
        (st = e->condensed_modes ? yk_build_condensed(e, err) : yk_build_loads(e, err)) ||
        (st = yk_build_record(e, err)) || (st = yk_build_quality(e, err)))
        return st;
    for (size_t k = 0; k < e->substructure_count; k++)
        e->substructures[k].system->path = /* modes are those of a whole structure: src/state/state.c */
            e->solve_path == YK_SOLVE_MODAL ? YK_SOLVE_AUTO : (enum yk_solve_path)e->solve_path;
    yk_progress("joining the substructures");
    if ((st = yk_build_held_equilibrium(e, err)))
        return st;
    st = yk_assembly_create(e->assembly, e->substructures, e->substructure_count, e->rows, e->row_count, e->mem, err);
    const bool torn = st == YK_E_UNSUPPORTED && e->coupling; /* a varying mass can be coupled, but not untorn */

    if (st && !torn)
        return place_assembly(e, err);
    if ((st = yk_build_connect(e, err)) || (st = yk_build_equilibrium(e, err)) || (st = yk_build_static_path(e, err)) ||
        (!torn && (st = yk_build_check_passivity(e, err))) || torn)
        return st;
    return yk_load_set_create(&e->load_set, e->assembly, e->loads, e->load_count, err);
}

/* An empty model; what changes is in its own arena or in `mem`. */
static struct yk_model *make_empty(struct yk_arena *mem)
{
    struct yk_model *e = calloc(1, sizeof *e);

    if (!e)
        return NULL;
    e->guest = mem;
    if (!(e->mem = mem ? mem : calloc(1, sizeof *e->mem)) || !(e->notes = calloc(1, sizeof *e->notes)) ||
        !(e->assembly = yk_arena_take(e->mem, sizeof *e->assembly))) {
        yk_model_free_contents(e);
        return NULL;
    }
    return e;
}

/* Source of an experiment: its text and settings. mem: its arena; NULL: its own. */
struct source {
    const char *path, *text;
    size_t size;
    const char *const *overrides;
    size_t override_count;
    enum yk_players players;
    bool static_only;
    struct yk_arena *mem;
    const struct yk_component *components;
    size_t component_count;
};

/* Includes the files of sections; before and after the settings of --set, which may name other files. */
static enum yk_status include_sections(struct yk_model *e, struct yk_err *err)
{
    const enum yk_status st = yk_tree_include(e->tree, "transfer", e->directory, &e->included, &e->text, err);

    return st ? st : yk_build_include_actuators(e, err);
}

static enum yk_status parse(struct yk_model **experiment, const struct source *from, struct yk_err *err)
{
    const char *stage = yk_progress("reading the experiment file");
    struct yk_model *e = make_empty(from->mem);
    struct yk_err own = {0};
    enum yk_status st;

    err = err ? err : &own;
    *experiment = NULL;
    if (!e || !(e->path = strdup(from->path)) || !(e->directory = folder_of(from->path)) ||
        !(e->text = strndup(from->text, from->size))) {
        yk_model_free_contents(e);
        yk_progress(stage);
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    }
    e->players = from->players;
    e->static_only = from->static_only;
    e->components = from->components;
    e->component_count = from->component_count;
    e->owns_tree = true;
    if (!(st = yk_blas_reserve(err)) && !(st = yk_tree_parse(&e->tree, from->text, from->size, e->path, err)) &&
        !(st = include_sections(e, err)) && !(st = keep_overrides(e, "", from->overrides, from->override_count, err)) &&
        !(st = include_sections(e, err)) && !(st = yk_build_include_zeros(e, err)) &&
        !(st = yk_build_include_certificates(e, err)))
        st = build(e, err);
    if (st)
        yk_model_free_contents(e);
    else
        *experiment = e;
    yk_progress(stage);
    return st;
}

/* Builds a variant, or destroys it after a failure. */
static enum yk_status build_variant(struct yk_model *e, enum yk_status st, struct yk_model **other, struct yk_err *err)
{
    const char *before = yk_progress("preparing the models");

    if (!st)
        st = build(e, err);
    yk_progress(before);
    if (st)
        yk_model_free_contents(e);
    *other = st ? NULL : e;
    return st;
}

/* An empty variant of the same file. */
static struct yk_model *make_variant(const struct yk_model *base, struct yk_err *err)
{
    struct yk_model *e = make_empty(NULL);

    if (!e) {
        yk_fail(err, YK_E_MEMORY, "out of memory");
        return NULL;
    }
    e->base = base->base ? base->base : base;
    e->path = base->path;
    e->directory = base->directory;
    e->players = base->players;
    e->static_only = base->static_only;
    e->condensed_modes = base->condensed_modes;
    e->components = base->components;
    e->component_count = base->component_count;
    return e;
}

/* The same settings with other players. */
static enum yk_status vary(const struct yk_model *base, enum yk_players players, size_t condensed_modes,
                           struct yk_model **other, struct yk_err *err)
{
    struct yk_model *e = make_variant(base, err);

    *other = NULL;
    if (!e)
        return YK_E_MEMORY;
    e->text = base->text;
    e->tree = base->tree;
    e->overrides = base->overrides;
    e->labels = base->labels;
    e->included = base->included;
    e->players = players;
    e->condensed_modes = condensed_modes;
    return build_variant(e, YK_OK, other, err);
}

enum yk_status yk_model_with_players(const struct yk_model *base, enum yk_players players, struct yk_model **other,
                                     struct yk_err *err)
{
    return vary(base, players, base->condensed_modes, other, err);
}

enum yk_status yk_model_condense(const struct yk_model *base, size_t modes, struct yk_model **other, struct yk_err *err)
{
    return vary(base, YK_PLAYED_BY_VIRTUAL_RIG, modes, other, err);
}

enum yk_status yk_model_with_settings(const struct yk_model *base, const char *const *overrides, size_t count,
                                      struct yk_model **other, struct yk_err *err)
{
    struct yk_model *e = make_variant(base, err);
    enum yk_status st;

    *other = NULL;
    if (!e)
        return YK_E_MEMORY;
    e->owns_tree = true;
    if (!(e->text = strdup(base->text)) || !(e->tree = yk_tree_copy(base->tree)))
        st = yk_fail(err, YK_E_MEMORY, "out of memory");
    else if (!(st = keep_overrides(e, base->overrides, overrides, count, err)) && !(st = include_sections(e, err)))
        st = yk_build_include_zeros(e, err);
    if (!st)
        st = yk_build_include_certificates(e, err);
    return build_variant(e, st, other, err);
}

enum yk_status yk_model_parse(struct yk_model **experiment, const char *path, const char *text, size_t size,
                              const char *const *overrides, size_t override_count, struct yk_err *err)
{
    return parse(experiment, &(struct source){path, text, size, overrides, override_count, .mem = NULL}, err);
}

static enum yk_status load(struct yk_model **experiment, struct source from, struct yk_err *err)
{
    struct yk_text text = {0};
    enum yk_status st;

    *experiment = NULL;
    if ((st = yk_text_load(&text, from.path, err)))
        return yk_fail_as(err, st == YK_E_IO ? YK_E_INPUT : st);
    from.text = text.data;
    from.size = text.size;
    st = parse(experiment, &from, err);
    yk_text_free(&text);
    return st;
}

enum yk_status yk_model_load(struct yk_model **experiment, const char *path, const char *const *overrides,
                             size_t override_count, struct yk_err *err)
{
    return load(
        experiment,
        (struct source){
            .path = path, .overrides = overrides, .override_count = override_count, .players = YK_PLAYED_BY_BACKEND},
        err);
}

enum yk_status yk_model_rehearse(struct yk_model **experiment, const char *path, const char *const *overrides,
                                 size_t override_count, struct yk_err *err)
{
    return load(experiment,
                (struct source){.path = path,
                                .overrides = overrides,
                                .override_count = override_count,
                                .players = YK_PLAYED_BY_VIRTUAL_RIG},
                err);
}

enum yk_status yk_model_load_source(struct yk_model **experiment, const struct yk_model_source *s, struct yk_err *err)
{
    const struct source from = {.path = s->path,
                                .text = s->text,
                                .size = s->size,
                                .overrides = s->overrides,
                                .override_count = s->override_count,
                                .players = s->models     ? YK_PLAYED_BY_MODELS
                                           : s->rehearse ? YK_PLAYED_BY_VIRTUAL_RIG
                                                         : YK_PLAYED_BY_BACKEND,
                                .static_only = s->statics,
                                .components = s->components,
                                .component_count = s->component_count};

    return s->text ? parse(experiment, &from, err) : load(experiment, from, err);
}

/* Settings as they are kept, one in a line, as words; changes the text. NULL: no memory. */
static const char **split_lines(char *lines, size_t *count)
{
    size_t most = 1;

    for (const char *at = lines; (at = strchr(at, '\n')); at++)
        most++;
    const char **words = calloc(most, sizeof(*words));

    *count = 0;
    for (char *save, *w = words ? strtok_r(lines, "\n", &save) : NULL; w; w = strtok_r(NULL, "\n", &save))
        words[(*count)++] = w;
    return words;
}

enum yk_status yk_build_load_models(struct yk_model **experiment, const char *path, const char *overrides,
                                    struct yk_arena *mem, struct yk_err *err)
{
    struct source from = {.path = path, .players = YK_PLAYED_BY_MODELS, .mem = mem};
    char *lines = strdup(overrides);
    const char **words = lines ? split_lines(lines, &from.override_count) : NULL;
    enum yk_status st;

    from.overrides = words;
    st = words ? load(experiment, from, err) : yk_fail(err, YK_E_MEMORY, "out of memory");
    free(words);
    free(lines);
    return st;
}

enum yk_status yk_model_integrate_by(struct yk_model *e, const char *integrator, struct yk_err *err)
{
    const struct yk_integrator_ops *ops = yk_integrator_find(integrator);
    void *settings;
    enum yk_status st = yk_param_settings(ops->params, ops->size, &settings, err);

    if (st)
        return st;
    yk_param_free(yk_model_params(e), e->settings);
    free(e->settings);
    e->integrator = ops;
    e->coupling = NULL;
    e->solve_path = e->solve_path == YK_SOLVE_MODAL ? YK_SOLVE_AUTO : e->solve_path; /* was asked of another method */
    e->settings = settings;
    e->method_where = YK_IN_FILE(e->path);
    return YK_OK;
}

/* ---- the end ---- */

static void free_tree(struct yk_model *e)
{
    yk_tree_free(e->tree);
    free(e->overrides);
    for (char **label = e->labels; label && *label; label++)
        free(*label);
    free(e->labels);
    yk_included_free(&e->included);
    free(e->text);
}

static void free_substructures(struct yk_model *e)
{
    for (size_t i = 0; i < e->substructure_count; i++) {
        struct yk_substructure *s = &e->substructures[i];

        for (size_t k = 0; k < s->system->n; k++)
            free(s->dofs[k]);
        free(s->dofs);
        free(s->name);
        yk_system_destroy(s->system);
        yk_part_free(&e->parts[i]); /* after the system, whose memory a source may own */
    }
    free(e->parts);
}

void yk_model_free_contents(struct yk_model *e)
{
    if (!e)
        return;
    yk_load_set_destroy(e->load_set);
    if (e->assembly)
        yk_assembly_destroy(e->assembly);
    for (size_t i = 0; i < e->load_count; i++) {
        yk_signal_free(e->loads[i].signal, e->loads[i].settings);
        free(e->loads[i].direction);
    }
    free(e->loads);
    for (size_t i = 0; i < e->row_count; i++) {
        free(e->rows[i].substructure);
        free(e->rows[i].dof);
        free(e->rows[i].coefficient);
        free(e->row_names[i]);
    }
    free(e->rows);
    free(e->row_names);
    free(e->moved_mass);
    free_substructures(e);
    yk_station_destroy(e->station);
    yk_static_path_free(e->static_path);
    free(e->zeros);
    yk_build_free_certificates(e);
    yk_selection_free(e->selection);
    if (e->settings)
        yk_param_free(yk_model_params(e), e->settings);
    free(e->settings);
    free(e->title);
    yk_notes_free(e->notes);
    if (e->owns_tree)
        free_tree(e);
    if (!e->base) {
        free(e->directory);
        free(e->path);
    }
    struct yk_arena *mem = e->guest ? NULL : e->mem;

    if (mem)
        yk_arena_free(mem);
    free(mem);
    free(e);
}
