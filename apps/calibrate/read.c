/* The section `calibrate` of a file: laws, settings to fit, runs. */
#include "calibrate.h"

#include <yoke/number.h>
#include <yoke/text.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- values ---- */

static enum yk_status expect_known(const struct yk_node *map, const char *const *keys, struct yk_err *err)
{
    for (size_t i = 0; i < map->count; i++) {
        const char *const *key = keys;

        while (*key && strcmp(*key, map->items[i]->key) != 0)
            key++;
        if (!*key)
            return yk_fail_at(err, YK_E_INPUT, map->items[i]->key_where, "unknown key '%s'", map->items[i]->key);
    }
    return YK_OK;
}

/* A number with any unit: the value that settings depend on. The same unit everywhere. */
static enum yk_status read_over(struct job *job, const struct yk_node *node, double *value, struct yk_err *err)
{
    enum yk_status st = yk_field_type(node, YK_SCALAR, "a number with its unit", err);

    if (st)
        return st;
    const char *end = node->text + strlen(node->text), *rest = yk_number_scan(node->text, end, value);
    if (!rest || rest == node->text)
        return yk_fail_at(err, YK_E_INPUT, node->where, "'%s' is not a number", node->text);
    rest += strspn(rest, " ");
    if (!*job->unit)
        snprintf(job->unit, sizeof job->unit, "%s", *rest ? rest : "-");
    if (strcmp(job->unit, *rest ? rest : "-") != 0)
        return yk_fail_at(err, YK_E_UNIT, node->where, "'%s': the others are in %s", node->text, job->unit);
    return YK_OK;
}

static enum yk_status read_choice(const struct yk_node *node, const char *choices, int *value, struct yk_err *err)
{
    enum yk_status st;

    if (!node)
        return YK_OK;
    if ((st = yk_field_type(node, YK_SCALAR, "a word", err)))
        return st;
    if ((*value = yk_choice_index(choices, node->text)) < 0)
        return yk_fail_at(err, YK_E_INPUT, node->where, "%s = '%s' is not one of: %s", node->key, node->text, choices);
    return YK_OK;
}

/* ---- laws ---- */

static const struct yk_node *fit_of(const struct job *job, const struct yk_law_ops *ops, const char *name)
{
    const struct yk_node *fit = yk_node_get(job->section, "fit");
    char full[80];

    snprintf(full, sizeof full, "%s.%s", ops->name, name);
    return yk_node_get(fit, name) ? yk_node_get(fit, name) : yk_node_get(fit, full);
}

static enum yk_status find_law(struct job *job, const struct yk_node *map, struct yk_err *err)
{
    static const struct yk_param own[] = {YK_NODE("kind", "", 0, ""), YK_PARAM_END};
    const struct yk_node *kind;
    const struct yk_law_ops *ops;
    enum yk_status st;

    if ((st = yk_field_type(map, YK_MAP, "a map with kind and settings", err)))
        return st;
    if (job->ask.laws == YK_CALIBRATE_LAWS)
        return yk_fail_at(err, YK_E_RANGE, map->where, "more than %d laws", YK_CALIBRATE_LAWS);
    if (!(kind = yk_node_get(map, "kind")) || kind->type != YK_SCALAR)
        return yk_fail_at(err, YK_E_INPUT, map->where, "the law needs 'kind'; see `yoke list laws`");
    if (!(ops = yk_law_find(kind->text)))
        return yk_fail_at(err, YK_E_INPUT, kind->where, "'%s' is not a law; see `yoke list laws`", kind->text);
    job->ask.law[job->ask.laws++].ops = ops;
    return yk_field_known(map, own, ops->params, err);
}

/* Law k of a list of parallel laws, or the only law. */
static const struct yk_node *law_node(const struct job *job, size_t k)
{
    const struct yk_node *law = yk_node_get(job->section, "law");

    return law->type == YK_LIST ? law->items[k] : law;
}

static enum yk_status find_laws(struct job *job, struct yk_err *err)
{
    const struct yk_node *law = yk_node_get(job->section, "law");
    enum yk_status st = YK_OK;

    if (!law || (law->type == YK_LIST && law->count == 0))
        return yk_fail_at(err, YK_E_INPUT, law ? law->where : job->section->where, "missing 'law': { kind: ... }");
    for (size_t i = 0; i < (law->type == YK_LIST ? law->count : 1) && !st; i++)
        st = find_law(job, law_node(job, i), err);
    return st;
}

/* Settings that are fitted need no value in the law: they get one for the reader. */
static enum yk_status read_law(struct job *job, size_t k, struct yk_err *err)
{
    const struct yk_field_context context = {.directory = job->directory, .force_means = YK_FORCE};
    const struct yk_law_ops *ops = job->ask.law[k].ops;
    const struct yk_node *map = law_node(job, k);
    struct yk_node *full = yk_tree_copy(map);
    enum yk_status st = YK_OK;

    job->settings[k] = calloc(1, ops->settings_size + 1);
    job->ask.law[k].settings = job->settings[k];
    if (!full || !job->settings[k])
        st = yk_fail(err, YK_E_MEMORY, "out of memory");
    for (const struct yk_param *q = ops->params; q->name && !st; q++) {
        char dummy[120];

        if (!isnan(q->fallback) || !fit_of(job, ops, q->name) || yk_node_get(map, q->name))
            continue;
        snprintf(dummy, sizeof dummy, "%s=%.17g", q->name, fmax(q->min, fmin(q->max, 1)));
        st = yk_tree_set(full, dummy, "fit", err);
    }
    if (!st)
        st = yk_field_settings(full, ops->params, job->settings[k], &context, err);
    yk_tree_free(full);
    return st;
}

/* ---- settings to fit ---- */

static enum yk_status read_values(const struct yk_node *node, enum yk_quantity quantity, double *value, size_t *count,
                                  struct yk_err *err)
{
    enum yk_status st = YK_OK;
    const size_t n = node->type == YK_LIST ? node->count : 1;

    if (n == 0 || n > YK_CALIBRATE_POINTS)
        return yk_fail_at(err, YK_E_RANGE, node->where, "%zu values; 1 to %d are possible", n, YK_CALIBRATE_POINTS);
    for (size_t i = 0; i < n && !st; i++)
        st = yk_field_real(node->type == YK_LIST ? node->items[i] : node, quantity, -1e300, 1e300, &value[i], err);
    *count = n;
    return st;
}

static enum yk_status find_setting(const struct job *job, const struct yk_node *node, struct yk_fitted_setting *s,
                                   const struct yk_param **param, struct yk_err *err)
{
    const char *dot = strrchr(node->key, '.');

    s->name = dot ? dot + 1 : node->key;
    for (s->law = 0; s->law < job->ask.laws; s->law++) {
        const struct yk_law_ops *ops = job->ask.law[s->law].ops;

        if (dot && (strncmp(ops->name, node->key, (size_t)(dot - node->key)) != 0 || ops->name[dot - node->key]))
            continue;
        for (const struct yk_param *q = ops->params; q->name; q++)
            if (strcmp(q->name, s->name) == 0 && (q->type == YK_PARAM_REAL || q->type == YK_PARAM_WHOLE)) {
                *param = q;
                return YK_OK;
            }
    }
    return yk_fail_at(err, YK_E_INPUT, node->key_where,
                      "'%s' is no number of the law%s; `yoke reference` lists its settings", node->key,
                      job->ask.laws > 1 ? "s (LAW.SETTING if several have it)" : "");
}

static enum yk_status read_points(struct job *job, const struct yk_node *node, struct yk_fitted_setting *s,
                                  struct yk_err *err)
{
    const struct yk_node *over = yk_node_get(node, "over"), *at = yk_node_get(node, "at");
    enum yk_status st;

    if (!over && !at)
        return YK_OK;
    if (!over || !at)
        return yk_fail_at(err, YK_E_INPUT, node->where,
                          "'over' and 'at' go together: { over: current, at: [0 A, 1 A], ... }");
    if ((st = yk_field_type(over, YK_SCALAR, "the name of a value of the runs", err)) ||
        (st = yk_field_type(at, YK_LIST, "a list of values", err)))
        return st;
    if (*job->over && strcmp(job->over, over->text) != 0)
        return yk_fail_at(err, YK_E_INPUT, over->where, "all settings depend on one value, and others on '%s'",
                          job->over);
    snprintf(job->over, sizeof job->over, "%s", over->text);
    if (at->count == 0 || at->count > YK_CALIBRATE_POINTS)
        return yk_fail_at(err, YK_E_RANGE, at->where, "%zu values; 1 to %d are possible", at->count,
                          YK_CALIBRATE_POINTS);
    s->points = at->count;
    for (size_t i = 0; i < at->count; i++) {
        if ((st = read_over(job, at->items[i], &s->at[i], err)))
            return st;
        for (size_t k = 0; k < i; k++)
            if (s->at[k] == s->at[i])
                return yk_fail_at(err, YK_E_INPUT, at->items[i]->where, "'%s' is there twice", at->items[i]->text);
    }
    return YK_OK;
}

static enum yk_status read_setting(struct job *job, const struct yk_node *node, struct yk_err *err)
{
    static const char *const keys[] = {"over", "at", "start", "from", "to", "scale", NULL};
    struct yk_fitted_setting *s = &job->setting[job->ask.settings];
    const struct yk_param *param = NULL;
    const struct yk_node *start;
    size_t count = 0;
    int scale = 0;
    enum yk_status st;

    if (job->ask.settings == YK_CALIBRATE_SETTINGS)
        return yk_fail_at(err, YK_E_RANGE, node->key_where, "more than %d settings to fit", YK_CALIBRATE_SETTINGS);
    if ((st = yk_field_type(node, YK_MAP, "a map with start", err)) || (st = expect_known(node, keys, err)) ||
        (st = find_setting(job, node, s, &param, err)))
        return st;
    s->points = 1;
    if (!(start = yk_node_get(node, "start")))
        return yk_fail_at(err, YK_E_INPUT, node->where, "%s needs 'start': a value near the one that is looked for",
                          node->key);
    if ((st = read_points(job, node, s, err)) || (st = read_values(start, param->quantity, s->start, &count, err)) ||
        (st = read_choice(yk_node_get(node, "scale"), "linear|log", &scale, err)))
        return st;
    if (count != 1 && count != s->points)
        return yk_fail_at(err, YK_E_INPUT, start->where, "%zu starts for %zu values", count, s->points);
    for (size_t i = count; i < s->points; i++)
        s->start[i] = s->start[0];
    s->geometric = scale == 1;
    for (size_t i = 0; i < s->points; i++)
        if (s->geometric && !(s->start[i] > 0))
            return yk_fail_at(err, YK_E_RANGE, start->where, "with scale: log every start must be positive");
    s->least = param->min;
    s->most = param->max;
    if (yk_node_get(node, "from") &&
        (st = yk_field_real(yk_node_get(node, "from"), param->quantity, -1e300, 1e300, &s->least, err)))
        return st;
    if (yk_node_get(node, "to") &&
        (st = yk_field_real(yk_node_get(node, "to"), param->quantity, -1e300, 1e300, &s->most, err)))
        return st;
    if (!yk_node_get(node, "from") && !yk_node_get(node, "to"))
        s->least = s->most = 0; /* found from table and start */
    else if (!(s->most > s->least))
        return yk_fail_at(err, YK_E_RANGE, node->where, "%s: 'to' must be above 'from'", node->key);
    job->ask.settings++;
    return YK_OK;
}

/* ---- runs ---- */

static char *columns_of(const struct yk_node *map)
{
    char *text = strdup("");

    for (size_t i = 0; map && text && i < map->count; i++) {
        char *more;

        if (map->items[i]->type != YK_SCALAR ||
            asprintf(&more, "%s%s%s=%s", text, i ? "," : "", map->items[i]->key, map->items[i]->text) < 0)
            break;
        free(text);
        text = more;
    }
    return text;
}

/* A file with pauses or gaps has independent records: which one is the run. */
static enum yk_status choose_record(struct job *job, size_t k, const struct yk_node *node, const struct yk_node *file,
                                    struct yk_err *err)
{
    const struct yk_node *record = yk_node_get(node, "record");
    const struct yk_log *log = &job->log[k];
    double number = 1;
    char rows[160] = "";
    enum yk_status st;

    for (size_t s = 0; s < log->segments && strlen(rows) + 24 < sizeof rows; s++)
        snprintf(rows + strlen(rows), sizeof rows - strlen(rows), "%s%zu", s ? ", " : "",
                 log->first[s + 1] - log->first[s]);
    if (!record && log->segments > 1)
        return yk_fail_at(err, YK_E_INPUT, file->where,
                          "%s has %zu records between pauses or gaps, of %s rows; say which one with `record: 1`",
                          file->text, log->segments, rows);
    if (record && (st = yk_field_real(record, YK_NUMBER, 1, (double)log->segments, &number, err)))
        return st;
    if (number != floor(number))
        return yk_fail_at(err, YK_E_INPUT, record->where, "record = %g is not a whole number", number);
    job->record[k] = record ? (size_t)number : 0;
    for (size_t i = 0; i < k; i++)
        if (strcmp(job->log[i].sha256, log->sha256) == 0 && job->record[i] == job->record[k])
            return yk_fail_at(err, YK_E_INPUT, file->where,
                              "the same recording as %s; a run is fitted or held out, and once", job->file[i]);
    if ((record ? asprintf(&job->name[k], "%s record %zu", file->text, job->record[k])
                : asprintf(&job->name[k], "%s", file->text)) < 0) {
        job->name[k] = NULL;
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    }
    const size_t s = job->record[k] ? job->record[k] - 1 : 0, first = log->first[s];
    job->run[k].name = job->name[k];
    job->run[k].n = log->first[s + 1] - first;
    job->run[k].displacement = log->column[0].x + first;
    job->run[k].force = log->column[1].x + first;
    job->run[k].velocity = log->column[2].x ? log->column[2].x + first : NULL;
    job->run[k].step_s = log->step_s;
    return YK_OK;
}

static enum yk_status read_run(struct job *job, const struct yk_node *node, struct yk_err *err)
{
    static const struct yk_log_role roles[] = {{.name = "displacement", .quantity = YK_DISPLACEMENT},
                                               {.name = "force", .quantity = YK_FORCE},
                                               {.name = "velocity", .quantity = YK_VELOCITY, .optional = true}};
    const struct yk_node *columns = yk_node_get(job->section, "columns"), *file = NULL;
    const struct yk_log_ask ask = {
        .roles = roles, .count = 3, .columns = job->columns && *job->columns ? job->columns : NULL};
    const size_t k = job->runs;
    enum yk_status st = yk_field_type(node, YK_MAP, "a map with file", err);

    if (st)
        return st;
    if (k == RUNS)
        return yk_fail_at(err, YK_E_RANGE, node->where, "more than %d runs", RUNS);
    for (size_t i = 0; i < node->count; i++) {
        if (strcmp(node->items[i]->key, "file") == 0)
            file = node->items[i];
        else if (*job->over && strcmp(node->items[i]->key, job->over) == 0)
            st = read_over(job, node->items[i], &job->run[k].over, err);
        else if (*job->over && strcmp(node->items[i]->key, "record") != 0)
            st = yk_fail_at(err, YK_E_INPUT, node->items[i]->key_where,
                            "unknown key '%s'; a run has file, record and %s", node->items[i]->key, job->over);
        if (st)
            return st;
    }
    if (!file || file->type != YK_SCALAR)
        return yk_fail_at(err, YK_E_INPUT, node->where, "a run needs 'file'");
    if (*job->over && !yk_node_get(node, job->over))
        return yk_fail_at(err, YK_E_INPUT, node->where, "settings depend on '%s', and this run does not say its own",
                          job->over);
    if (!(job->file[k] = yk_field_path(job->directory, file->text)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    job->runs++;
    if ((st = yk_log_read(&job->log[k], job->file[k], &ask, err))) {
        yk_fail_within(err, columns ? columns->where : file->where, "%s: ", columns ? "columns" : "file");
        return st == YK_E_MEMORY ? st : yk_fail_as(err, YK_E_INPUT);
    }
    return choose_record(job, k, node, file, err);
}

static enum yk_status read_runs(struct job *job, const char *key, struct yk_err *err)
{
    const struct yk_node *list = yk_node_get(job->section, key);
    enum yk_status st = YK_OK;

    if (list && (st = yk_field_type(list, YK_LIST, "a list of runs", err)))
        return st;
    for (size_t i = 0; list && i < list->count && !st; i++)
        st = read_run(job, list->items[i], err);
    return st;
}

/* ---- the rest ---- */

/* "15 per cycle" or a frequency */
static enum yk_status read_filter(struct job *job, const struct yk_node *node, struct yk_err *err)
{
    char *end;

    if (!node)
        return YK_OK;
    if (node->type == YK_SCALAR && strstr(node->text, "per cycle")) {
        job->ask.per_cycle = strtod(node->text, &end);
        if (job->ask.per_cycle >= 1 && job->ask.per_cycle <= 1000 && strcmp(end + strspn(end, " "), "per cycle") == 0)
            return YK_OK;
        return yk_fail_at(err, YK_E_INPUT, node->where,
                          "filter = '%s': a number from 1 to 1000 per cycle, or a frequency", node->text);
    }
    return yk_field_real(node, YK_FREQUENCY, 0.01, 1e5, &job->ask.cutoff_Hz, err);
}

static enum yk_status read_rest(struct job *job, struct yk_err *err)
{
    const struct yk_node *s = job->section;
    int offset = 0, level = 1, initial = 1, loss = 0;
    double starts = 8;
    enum yk_status st;

    job->ask.cycles = 5;
    if ((st = read_filter(job, yk_node_get(s, "filter"), err)) ||
        (st = read_choice(yk_node_get(s, "offset"), "each|one|none", &offset, err)) ||
        (st = read_choice(yk_node_get(s, "level"), "each|one", &level, err)) ||
        (st = read_choice(yk_node_get(s, "initial"), "each|rest", &initial, err)) ||
        (st = read_choice(yk_node_get(s, "loss"), "soft|huber|square", &loss, err)) ||
        (yk_node_get(s, "starts") && (st = yk_field_real(yk_node_get(s, "starts"), YK_NUMBER, 1, 64, &starts, err))) ||
        (yk_node_get(s, "cycles") &&
         (st = yk_field_real(yk_node_get(s, "cycles"), YK_NUMBER, 0, 1e6, &job->ask.cycles, err))))
        return st;
    job->ask.offset = offset == 0 ? YK_NUISANCE_EACH : offset == 1 ? YK_NUISANCE_ONE : YK_NUISANCE_NONE;
    job->ask.level = level == 0;
    job->ask.initial = initial == 0;
    job->ask.soft = loss < 2 ? 0.1 : 0;
    job->ask.huber = loss == 1;
    job->ask.starts = (int)starts;
    job->ask.threads = job->options->threads ? (int)job->options->threads : 2;
    return YK_OK;
}

static enum yk_status read_section(struct job *job, struct yk_err *err)
{
    static const char *const keys[] = {"law",  "fit",      "columns", "filter", "offset", "level", "initial",
                                       "runs", "hold_out", "loss",    "starts", "cycles", NULL};
    const struct yk_node *fit;
    enum yk_status st;

    if (!(job->section = yk_node_get(job->tree, "calibrate")))
        return yk_fail_at(err, YK_E_INPUT, job->tree->where, "the file has no section 'calibrate'");
    if ((st = yk_field_type(job->section, YK_MAP, "a map", err)) || (st = expect_known(job->section, keys, err)))
        return st;
    if (!(fit = yk_node_get(job->section, "fit")) || fit->type != YK_MAP || fit->count == 0)
        return yk_fail_at(err, YK_E_INPUT, fit ? fit->where : job->section->where,
                          "'fit' names the settings to fit: { yield_force: { start: 700 N } }");
    job->columns = columns_of(yk_node_get(job->section, "columns"));
    if ((st = find_laws(job, err)))
        return st;
    for (size_t i = 0; i < fit->count && !st; i++)
        st = read_setting(job, fit->items[i], err);
    for (size_t k = 0; k < job->ask.laws && !st; k++)
        st = read_law(job, k, err);
    if (st || (st = read_rest(job, err)) || (st = read_runs(job, "runs", err)))
        return st;
    job->fitted = job->runs;
    if (job->fitted == 0)
        return yk_fail_at(err, YK_E_INPUT, job->section->where, "missing 'runs': [ { file: loop.csv } ]");
    if ((st = read_runs(job, "hold_out", err)))
        return st;
    job->ask.setting = job->setting;
    job->ask.runs = job->run;
    job->ask.run_count = job->fitted;
    job->ask.held = job->run + job->fitted;
    job->ask.held_count = job->runs - job->fitted;
    return YK_OK;
}

enum yk_status calibrate_read(struct job *job, struct yk_err *err)
{
    const char *slash = strrchr(job->path, '/');
    struct yk_text text = {0};
    enum yk_status st = yk_text_load(&text, job->path, err);

    if (st)
        return yk_fail_as(err, st == YK_E_IO ? YK_E_INPUT : st);
    job->directory = slash ? strndup(job->path, (size_t)(slash - job->path)) : strdup(".");
    st = yk_tree_parse(&job->tree, text.data, text.size, job->path, err);
    for (size_t i = 0; i < job->options->set.count && !st; i++)
        st = yk_tree_set(job->tree, job->options->set.text[i], job->options->set.text[i], err);
    if (!st)
        st = job->directory ? read_section(job, err) : yk_fail(err, YK_E_MEMORY, "out of memory");
    yk_text_free(&text);
    return st;
}

void calibrate_free(struct job *job)
{
    yk_calibrated_free(&job->found);
    for (size_t k = 0; k < job->ask.laws && job->settings[k]; k++)
        yk_param_free(job->ask.law[k].ops->params, job->settings[k]);
    for (size_t k = 0; k < YK_CALIBRATE_LAWS; k++)
        free(job->settings[k]);
    for (size_t k = 0; k < job->runs; k++) {
        yk_log_free(&job->log[k]);
        free(job->file[k]);
        free(job->name[k]);
    }
    yk_tree_free(job->tree);
    free(job->directory);
    free(job->columns);
}
