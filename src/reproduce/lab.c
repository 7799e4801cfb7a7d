/* Variants of the experiments of a case, and the runs that were made of them. */
#include "reproduce/lab.h"
#include "reproduce/reductions.h"

#include "base/number.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- variants ---- */

/* A value as YAML on one line, as a setting wants it. */
static void write_value(FILE *out, const struct yk_node *node)
{
    if (node->type == YK_SCALAR) {
        fputs(node->text, out);
        return;
    }
    fputc(node->type == YK_LIST ? '[' : '{', out);
    for (size_t i = 0; i < node->count; i++) {
        fputs(i ? ", " : "", out);
        if (node->type == YK_MAP)
            fprintf(out, "%s: ", node->items[i]->key);
        write_value(out, node->items[i]);
    }
    fputc(node->type == YK_LIST ? ']' : '}', out);
}

void yk_variant_free(struct yk_variant *v)
{
    free(v->file);
    for (size_t i = 0; i < v->count; i++)
        free(v->set[i]);
    *v = (struct yk_variant){0};
}

/* One more setting; the caller's text is copied. */
static enum yk_status add_setting(struct yk_variant *v, const char *key, const char *value, struct yk_err *err)
{
    if (v->count == YK_VARIANT_SETTINGS)
        return yk_fail(err, YK_E_RANGE, "more than %d settings in a variant", YK_VARIANT_SETTINGS);
    if (asprintf(&v->set[v->count], "%s=%s", key, value) < 0)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    v->count++;
    return YK_OK;
}

static enum yk_status add_settings(struct yk_variant *v, const struct yk_node *map, struct yk_err *err)
{
    enum yk_status st = map ? yk_field_type(map, YK_MAP, "a map of settings", err) : YK_OK;

    for (size_t i = 0; map && i < map->count && !st; i++) {
        char *value = NULL;
        size_t size;
        FILE *out = open_memstream(&value, &size);

        if (!out)
            return yk_fail(err, YK_E_MEMORY, "out of memory");
        write_value(out, map->items[i]);
        st = fclose(out) ? yk_fail(err, YK_E_MEMORY, "out of memory") : add_setting(v, map->items[i]->key, value, err);
        free(value);
    }
    return st;
}

struct names {
    const struct yk_node *map;
    size_t at;
};

static const char *next_name(void *self)
{
    struct names *n = self;

    return n->map && n->at < n->map->count ? n->map->items[n->at++]->key : NULL;
}

static enum yk_status add_named(const struct yk_lab *lab, struct yk_variant *v, const char *name, struct yk_where where,
                                struct yk_err *err)
{
    const struct yk_node *map = lab->variants ? yk_node_get(lab->variants, name) : NULL;
    char hint[96];

    if (!map)
        return yk_fail_at(err, YK_E_INPUT, where, "there is no variant '%s'%s", name,
                          yk_suggest(name, next_name, &(struct names){lab->variants, 0}, "", hint, sizeof hint));
    return add_settings(v, map, err);
}

/* `with`: one name or a list of them */
static enum yk_status add_with(const struct yk_lab *lab, struct yk_variant *v, const struct yk_node *with,
                               struct yk_err *err)
{
    enum yk_status st = YK_OK;

    if (!with)
        return YK_OK;
    if (with->type == YK_SCALAR)
        return add_named(lab, v, with->text, with->where, err);
    if ((st = yk_field_type(with, YK_LIST, "a list of variants", err)))
        return st;
    for (size_t i = 0; i < with->count && !st; i++)
        if (!(st = yk_field_type(with->items[i], YK_SCALAR, "the name of a variant", err)))
            st = add_named(lab, v, with->items[i]->text, with->items[i]->where, err);
    return st;
}

enum yk_status yk_lab_variant(const struct yk_lab *lab, const struct yk_node *map, const char *const *among,
                              size_t among_count, struct yk_variant *out, struct yk_err *err)
{
    const struct yk_node *file = yk_node_get(map, "file");
    const char *name = file ? file->text : lab->file;
    enum yk_status st;

    *out = (struct yk_variant){0};
    if (!name)
        return yk_fail_at(err, YK_E_INPUT, map->where, "missing 'file' (the experiment), here or for the whole case");
    if (!(out->file = yk_field_path(lab->folder, name)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    st = add_settings(out, lab->set, err);
    if (!st)
        st = add_with(lab, out, yk_node_get(map, "with"), err);
    for (size_t i = 0; i < among_count && !st; i++)
        st = add_named(lab, out, among[i], map->where, err);
    if (!st && lab->also)
        st = add_named(lab, out, lab->also, map->where, err);
    if (!st)
        st = add_settings(out, yk_node_get(map, "set"), err);
    if (!st && lab->key) {
        char value[32];

        snprintf(value, sizeof value, "%.17g", lab->key_value);
        st = add_setting(out, lab->key, value, err);
    }
    if (st)
        yk_variant_free(out);
    return st;
}

char *yk_variant_key(const struct yk_variant *v)
{
    char *key = NULL;
    size_t size;
    FILE *out = open_memstream(&key, &size);

    if (!out)
        return NULL;
    fputs(v->file, out);
    for (size_t i = 0; i < v->count; i++)
        fprintf(out, "\n%s", v->set[i]);
    return fclose(out) ? NULL : key;
}

/* An empty file of its own; malloc'd name. */
static enum yk_status temporary(char **path, struct yk_err *err)
{
    const char *tmp = getenv("TMPDIR"), *folder = tmp && *tmp ? tmp : "/tmp";
    int file;

    if (asprintf(path, "%s/yoke-reproduce-XXXXXX", folder) < 0) {
        *path = NULL;
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    }
    if ((file = mkstemp(*path)) < 0) {
        free(*path);
        *path = NULL;
        return yk_fail(err, YK_E_IO, "cannot make a file in %s", folder);
    }
    close(file);
    return YK_OK;
}

/* ---- reduced models ---- */

const struct yk_param yk_keys_reduce[] = {
    YK_NODE("file", "name", YK_REQUIRED, "experiment with the full substructure"),
    YK_NODE("substructure", "name", YK_REQUIRED, "that is reduced, here and where it is used"),
    YK_NODE("modes", "count", 0, "that are kept; default 30"),
    YK_PARAM_END,
};

/* The model file that `reduce` of the case asks for, made when it is first needed. */
static enum yk_status make_reduced(struct yk_lab *lab, struct yk_err *err)
{
    const struct yk_node *modes = yk_node_get(lab->reduce, "modes");
    const struct yk_lab_reduction *r;
    struct yk_variant full;
    double count = 30;
    enum yk_status st;

    if (lab->reduced_path)
        return YK_OK;
    if ((modes && (st = yk_field_real(modes, YK_NUMBER, 1, 10000, &count, err))) ||
        (st = yk_lab_variant(lab, lab->reduce, NULL, 0, &full, err)))
        return st;
    if (!(st = yk_lab_reduce(lab, &full, yk_node_get(lab->reduce, "substructure")->text, (int)count, &r, err)) &&
        !(st = temporary(&lab->reduced_path, err)))
        st = yk_reduced_save(&r->reduced, lab->reduced_path, err);
    yk_variant_free(&full);
    return st;
}

/* Is the file the one with the full substructure, or does it take the reduced one? */
static bool is_full(const struct yk_lab *lab, const char *file)
{
    const char *name = yk_node_get(lab->reduce, "file")->text;
    const size_t length = strlen(file), tail = strlen(name);

    return length >= tail && strcmp(file + length - tail, name) == 0 &&
           (length == tail || file[length - tail - 1] == '/');
}

enum yk_status yk_lab_load(struct yk_lab *lab, const struct yk_variant *v, struct yk_experiment **out,
                           struct yk_err *err)
{
    const char *set[YK_VARIANT_SETTINGS + 1];
    char *file = NULL;
    size_t count = 0;
    enum yk_status st;

    *out = NULL;
    if (lab->reduce && !is_full(lab, v->file)) {
        if ((st = make_reduced(lab, err)))
            return st;
        if (asprintf(&file, "substructures.%s.file=%s", yk_node_get(lab->reduce, "substructure")->text,
                     lab->reduced_path) < 0)
            return yk_fail(err, YK_E_MEMORY, "out of memory");
        set[count++] = file;
    }
    for (size_t i = 0; i < v->count; i++)
        set[count++] = v->set[i];
    st = yk_experiment_load(out, v->file, set, count, err);
    free(file);
    return st;
}

enum yk_status yk_lab_plan(struct yk_lab *lab, const struct yk_variant *v, bool for_runs, struct yk_plan **plan,
                           struct yk_err *err)
{
    struct yk_experiment *e;
    const enum yk_status st = yk_lab_load(lab, v, &e, err);

    *plan = NULL;
    return st ? st : yk_plan_adopt(plan, e, for_runs, err);
}

/* ---- runs ---- */

static void free_outcome(struct yk_outcome *o)
{
    if (!o)
        return;
    free(o->key);
    yk_run_channels_free(&o->channels);
    free(o->table[0]);
    free(o->table[1]);
    yk_run_result_free(&o->result);
    free(o);
}

void yk_lab_fini(struct yk_lab *lab)
{
    for (size_t i = 0; i < lab->outcome_count; i++)
        free_outcome(lab->outcomes[i]);
    free(lab->outcomes);
    for (size_t i = 0; i < lab->reduction_count; i++)
        yk_lab_reduction_free(lab->reductions[i]);
    free(lab->reductions);
    if (lab->reduced_path)
        unlink(lab->reduced_path);
    free(lab->reduced_path);
    *lab = (struct yk_lab){0};
}

static enum yk_status read_stream(struct yk_recording *recording, int stream, struct yk_outcome *o, struct yk_err *err)
{
    const uint64_t rows = yk_recording_rows(recording, stream);

    o->rows[stream] = rows;
    o->table[stream] = malloc((rows * yk_recording_channels(recording, stream) + 1) * sizeof(double));
    if (!o->table[stream])
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    return yk_recording_read(recording, stream, 0, rows, o->table[stream], err);
}

static enum yk_status read_back(const char *path, struct yk_outcome *o, struct yk_err *err)
{
    struct yk_recording *recording;
    enum yk_status st = yk_recording_open(&recording, path, err);

    if (st)
        return st;
    st = read_stream(recording, 0, o, err);
    if (!st && o->channels.streams[YK_STREAM_FINE].count)
        st = read_stream(recording, 1, o, err);
    yk_recording_close(recording);
    return st;
}

/* The run as `yoke run` makes it, recorded to a file that is read back. */
static enum yk_status run_to(const struct yk_plan *plan, const char *path, struct yk_outcome *o, struct yk_err *err)
{
    enum yk_status st;

    if ((st = yk_run_channels(plan, &o->channels, err)) ||
        (st = yk_run_recorded(plan, path, &o->channels, &o->result, err)))
        return st;
    return read_back(path, o, err);
}

static enum yk_status make_run(struct yk_lab *lab, const struct yk_variant *v, struct yk_outcome *o, struct yk_err *err)
{
    struct yk_plan *plan;
    char *path = NULL;
    enum yk_status st;

    if ((st = yk_lab_plan(lab, v, true, &plan, err)))
        return st;
    o->end = yk_plan_experiment(plan)->time.end;
    if (!(st = temporary(&path, err))) {
        st = run_to(plan, path, o, err);
        unlink(path);
    }
    free(path);
    yk_plan_close(plan);
    return st;
}

enum yk_status yk_lab_run(struct yk_lab *lab, const struct yk_variant *v, const struct yk_outcome **out,
                          struct yk_err *err)
{
    struct yk_outcome *o = calloc(1, sizeof *o), **all;
    enum yk_status st;

    if (!o || !(o->key = yk_variant_key(v))) {
        free_outcome(o);
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    }
    for (size_t i = 0; i < lab->outcome_count; i++)
        if (strcmp(lab->outcomes[i]->key, o->key) == 0) {
            *out = lab->outcomes[i];
            free_outcome(o);
            return YK_OK;
        }
    if ((st = make_run(lab, v, o, err))) {
        free_outcome(o);
        return st;
    }
    if (!(all = realloc(lab->outcomes, (lab->outcome_count + 1) * sizeof(struct yk_outcome *)))) {
        free_outcome(o);
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    }
    lab->outcomes = all;
    *out = lab->outcomes[lab->outcome_count++] = o;
    return YK_OK;
}

/* ---- channels ---- */

struct channel_names {
    const struct yk_channel *channels;
    size_t count, at;
};

static const char *next_channel(void *self)
{
    struct channel_names *n = self;

    return n->at < n->count ? n->channels[n->at++].name : NULL;
}

/* Adds factor times a channel. */
static enum yk_status add_channel(const struct yk_outcome *o, int stream, const char *name, double factor,
                                  double *values, struct yk_err *err)
{
    const struct yk_channel *channels = o->channels.streams[stream].channels;
    const size_t width = o->channels.streams[stream].count;
    char hint[YK_CHANNEL_NAME + 32];

    for (size_t c = 0; c < width; c++) {
        if (strcmp(channels[c].name, name) != 0)
            continue;
        for (size_t i = 0; i < o->rows[stream]; i++)
            values[i] += factor * o->table[stream][i * width + c];
        return YK_OK;
    }
    return yk_fail(err, YK_E_INPUT, "the run has no channel '%s'%s", name,
                   yk_suggest(name, next_channel, &(struct channel_names){channels, width, 0}, "", hint, sizeof hint));
}

/* "0.5*A.x.u" */
static enum yk_status add_term(const struct yk_outcome *o, int stream, char *term, double sign, double *values,
                               struct yk_err *err)
{
    char *star = strchr(term, '*');
    double factor = 1;

    if (!star)
        return add_channel(o, stream, term, sign, values, err);
    if (yk_number_scan(term, star, &factor) != star)
        return yk_fail(err, YK_E_INPUT, "'%s': a number is expected in front of *", term);
    return add_channel(o, stream, star + 1, sign * factor, values, err);
}

enum yk_status yk_outcome_values(const struct yk_outcome *o, int stream, const char *channel, double **values,
                                 size_t *count, struct yk_err *err)
{
    char *words = strdup(channel), *save = NULL;
    double sign = 1;
    enum yk_status st = YK_OK;

    *count = o->rows[stream];
    *values = calloc(o->rows[stream] + 1, sizeof **values);
    if (!words || !*values)
        st = yk_fail(err, YK_E_MEMORY, "out of memory");
    else if (!o->table[stream])
        st = yk_fail(err, YK_E_INPUT, "the run has no stream of fine steps");
    for (char *w = st ? NULL : strtok_r(words, " ", &save); w && !st; w = strtok_r(NULL, " ", &save)) {
        if (strcmp(w, "+") == 0 || strcmp(w, "-") == 0)
            sign = *w == '-' ? -1 : 1;
        else
            st = add_term(o, stream, w, sign, *values, err);
    }
    free(words);
    if (st) {
        free(*values);
        *values = NULL;
    }
    return st;
}
