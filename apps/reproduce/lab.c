/* Variants of the experiments of a case, and the runs that were made of them. */
#include "lab.h"
#include "reductions.h"

#include <yoke/json.h>
#include <yoke/number.h>
#include <yoke/recording.h>

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

/* File and settings of a variant for the reader; `file` is malloc'd and set[0], or NULL. */
struct reading {
    const char *set[YK_VARIANT_SETTINGS + 1];
    char *file;
    struct yk_model_source source;
};

static enum yk_status prepare(struct yk_lab *lab, const struct yk_variant *v, struct reading *r, struct yk_err *err)
{
    size_t count = 0;
    enum yk_status st;

    *r = (struct reading){.file = NULL};
    if (lab->reduce && !is_full(lab, v->file)) {
        if ((st = make_reduced(lab, err)))
            return st;
        if (asprintf(&r->file, "substructures.%s.file=%s", yk_node_get(lab->reduce, "substructure")->text,
                     lab->reduced_path) < 0)
            return yk_fail(err, YK_E_MEMORY, "out of memory");
        r->set[count++] = r->file;
    }
    for (size_t i = 0; i < v->count; i++)
        r->set[count++] = v->set[i];
    r->source =
        (struct yk_model_source){.path = v->file, .overrides = r->set, .override_count = count, .rehearse = true};
    return YK_OK;
}

enum yk_status yk_lab_parts(struct yk_lab *lab, const struct yk_variant *v, struct yk_parts **parts, struct yk_err *err)
{
    struct reading r;
    enum yk_status st = prepare(lab, v, &r, err);

    *parts = NULL;
    if (!st)
        st = yk_parts_open(parts, &r.source, err);
    free(r.file);
    return st;
}

enum yk_status yk_lab_model(struct yk_lab *lab, const struct yk_variant *v, struct yk_model **model, struct yk_err *err)
{
    struct reading r;
    enum yk_status st = prepare(lab, v, &r, err);

    *model = NULL;
    if (!st)
        st = yk_model_read(model, &r.source, err);
    free(r.file);
    return st;
}

enum yk_status yk_lab_stepping(struct yk_lab *lab, const struct yk_variant *v, bool settled, struct yk_stepped *out,
                               struct yk_err *err)
{
    enum yk_status st = yk_lab_model(lab, v, &out->model, err);

    out->stepping = NULL;
    if (!st)
        st = (settled ? yk_stepping_open_settled : yk_stepping_open)(&out->stepping, out->model, err);
    if (st)
        yk_stepped_close(out);
    return st;
}

void yk_stepped_close(struct yk_stepped *s)
{
    yk_stepping_close(s->stepping);
    yk_model_close(s->model);
    *s = (struct yk_stepped){0};
}

/* ---- runs ---- */

static void free_outcome(struct yk_outcome *o)
{
    if (!o)
        return;
    free(o->key);
    for (int k = 0; k < YK_TABLES; k++) {
        free(o->table[k].x);
        free(o->table[k].text);
        free(o->table[k].name);
    }
    json_decref(o->summary);
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
    json_decref(lab->told);
    *lab = (struct yk_lab){0};
}

/* Takes over the rows that a session has kept of a stream; none where there is no such stream. */
static enum yk_status copy_rows(const struct yk_session *session, const char *stream, struct yk_table *t,
                                struct yk_err *err)
{
    const struct yk_kept_rows kept = yk_session_rows(session, stream);
    char *save = NULL;

    if (!kept.channels)
        return YK_OK;
    t->rows = kept.count;
    t->width = kept.channels;
    t->x = malloc((kept.count * kept.channels + 1) * sizeof *t->x);
    t->text = strdup(kept.names);
    t->name = calloc(kept.channels, sizeof *t->name);
    if (!t->x || !t->text || !t->name)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    if (kept.count)
        memcpy(t->x, kept.rows, kept.count * kept.channels * sizeof *t->x);
    for (size_t c = 0; c < t->width; c++)
        t->name[c] = strtok_r(c ? NULL : t->text, "\n", &save);
    return YK_OK;
}

static enum yk_status take_outcome(const struct yk_session *session, struct yk_outcome *o, struct yk_err *err)
{
    char *summary = yk_session_summary(session);
    enum yk_status st;

    o->summary = yk_json_read_text(summary);
    free(summary);
    if (!o->summary)
        return yk_fail(err, YK_E_MEMORY, "out of memory for the summary");
    if ((st = copy_rows(session, "system", &o->table[YK_TABLE_SYSTEM], err)))
        return st;
    return copy_rows(session, "fine", &o->table[YK_TABLE_FINE], err);
}

/* As `yoke run` makes and records it. A run that stops early is an outcome; steps that are not stable are made, too. */
static enum yk_status run_to(const struct yk_model *model, const char *path, struct yk_outcome *o, struct yk_err *err)
{
    const struct yk_session_settings settings = {.recording = path, .keep_rows = true, .threads = 1, .checked = true};
    struct yk_session *session;
    enum yk_status st = yk_session_begin(&session, model, &settings, err);
    long made;

    if (st)
        return st;
    yk_session_advance(session, yk_model_steps(model), 0, &made, NULL);
    if (!(st = yk_session_end(session, err)))
        st = take_outcome(session, o, err);
    yk_session_close(session);
    return st;
}

static enum yk_status make_run(struct yk_lab *lab, const struct yk_variant *v, struct yk_outcome *o, struct yk_err *err)
{
    struct yk_model *model;
    char *path = NULL;
    enum yk_status st;

    if ((st = yk_lab_model(lab, v, &model, err)))
        return st;
    o->end = (double)yk_model_steps(model) * yk_model_step(model);
    if (!(st = temporary(&path, err))) {
        st = run_to(model, path, o, err);
        unlink(path);
    }
    free(path);
    yk_model_close(model);
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
    const struct yk_table *table;
    size_t at;
};

static const char *next_channel(void *self)
{
    struct channel_names *n = self;

    return n->at < n->table->width ? n->table->name[n->at++] : NULL;
}

/* Adds factor times a channel. */
static enum yk_status add_channel(const struct yk_table *t, const char *name, double factor, double *values,
                                  struct yk_err *err)
{
    char hint[YK_CHANNEL_NAME + 32];

    for (size_t c = 0; c < t->width; c++) {
        if (strcmp(t->name[c], name) != 0)
            continue;
        for (size_t i = 0; i < t->rows; i++)
            values[i] += factor * t->x[i * t->width + c];
        return YK_OK;
    }
    return yk_fail(err, YK_E_INPUT, "the run has no channel '%s'%s", name,
                   yk_suggest(name, next_channel, &(struct channel_names){t, 0}, "", hint, sizeof hint));
}

/* "0.5*A.x.u" */
static enum yk_status add_term(const struct yk_table *t, char *term, double sign, double *values, struct yk_err *err)
{
    char *star = strchr(term, '*');
    double factor = 1;

    if (!star)
        return add_channel(t, term, sign, values, err);
    if (yk_number_scan(term, star, &factor) != star)
        return yk_fail(err, YK_E_INPUT, "'%s': a number is expected in front of *", term);
    return add_channel(t, star + 1, sign * factor, values, err);
}

enum yk_status yk_outcome_values(const struct yk_outcome *o, int stream, const char *channel, double **values,
                                 size_t *count, struct yk_err *err)
{
    const struct yk_table *t = &o->table[stream];
    char *words = strdup(channel), *save = NULL;
    double sign = 1;
    enum yk_status st = YK_OK;

    *count = t->rows;
    *values = calloc(t->rows + 1, sizeof **values);
    if (!words || !*values)
        st = yk_fail(err, YK_E_MEMORY, "out of memory");
    else if (!t->width)
        st = yk_fail(err, YK_E_INPUT, "the run has no stream of fine steps");
    for (char *w = st ? NULL : strtok_r(words, " ", &save); w && !st; w = strtok_r(NULL, " ", &save)) {
        if (strcmp(w, "+") == 0 || strcmp(w, "-") == 0)
            sign = *w == '-' ? -1 : 1;
        else
            st = add_term(t, w, sign, *values, err);
    }
    free(words);
    if (st) {
        free(*values);
        *values = NULL;
    }
    return st;
}
