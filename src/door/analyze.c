/* The analyses by their names, with options and results in JSON. */
#include "base/json.h"
#include "door/answers.h"

#include "analyze/first_mode.h"
#include "state/state.h"
#include <yoke/number.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- options ---- */

/* A number of the options within its range; leaves *value where there is none. */
static enum yk_status option(json_t *options, const char *name, double min, double max, double *value,
                             struct yk_err *err)
{
    const json_t *x = json_object_get(options, name);

    if (!x || json_is_null(x))
        return YK_OK;
    if (!json_is_number(x) || !(json_number_value(x) >= min && json_number_value(x) <= max))
        return yk_fail(err, YK_E_RANGE, "%s must be a number; %g .. %g are allowed", name, min, max);
    *value = json_number_value(x);
    return YK_OK;
}

/* A list of positive numbers, malloc'd; *count 0: there is none. */
static enum yk_status option_list(json_t *options, const char *name, size_t most, double **list, size_t *count,
                                  struct yk_err *err)
{
    const json_t *x = json_object_get(options, name);

    *count = 0;
    *list = NULL;
    if (!x || json_is_null(x))
        return YK_OK;
    if (!json_is_array(x) || json_array_size(x) == 0 || json_array_size(x) > most)
        return yk_fail(err, YK_E_RANGE, "%s must be a list of 1 .. %zu numbers", name, most);
    if (!(*list = malloc(json_array_size(x) * sizeof **list)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (; *count < json_array_size(x); ++*count) {
        const json_t *item = json_array_get(x, *count);

        (*list)[*count] = json_is_number(item) ? json_number_value(item) : NAN;
        if (!((*list)[*count] > 0 && isfinite((*list)[*count])))
            return yk_fail(err, YK_E_RANGE, "%s: number %zu is not positive", name, *count + 1);
    }
    return YK_OK;
}

/* ---- analyses ---- */

static enum yk_status spectrum(const struct yk_model *model, json_t *options, json_t **found, struct yk_err *err)
{
    json_t *list = json_array();
    double *steps;
    size_t count;
    struct yk_first_mode mode = {0};
    enum yk_status st = option_list(options, "steps", 10000, &steps, &count, err);

    for (size_t i = 0; i < (count ? count : 1) && !st; i++) {
        struct yk_spectrum_point p = {0};

        if (!(st = yk_spectrum_at(model, count ? steps[i] : model->time.step, &mode, &p, err)))
            json_array_append_new(list, yk_spectrum_json(&p, false));
        free(p.re);
    }
    free(steps);
    *found = json_pack("{s:o}", "points", list);
    return st;
}

static enum yk_status order(const struct yk_model *model, json_t *options, json_t **found, struct yk_err *err)
{
    double halvings = 4;
    struct yk_order o;
    enum yk_status st;

    if ((st = option(options, "halvings", 1, YK_HALVINGS_MAX, &halvings, err)) ||
        (st = yk_observed_order(model, (int)halvings, &o, err)))
        return st;
    *found = yk_order_json(&o);
    return YK_OK;
}

/* Memory for the samples that the options ask for. */
static enum yk_status samples(json_t *options, size_t size, size_t *count, void **room, struct yk_err *err)
{
    double wanted = 21;
    const enum yk_status st = option(options, "samples", 2, 1e6, &wanted, err);

    *count = (size_t)wanted;
    *room = st ? NULL : calloc(*count, size);
    return st || *room ? st : yk_fail(err, YK_E_MEMORY, "out of memory");
}

static enum yk_status energy(const struct yk_model *model, json_t *options, json_t **found, struct yk_err *err)
{
    struct yk_energy_sample *s;
    size_t count;
    enum yk_status st = samples(options, sizeof *s, &count, (void **)&s, err);

    if (!st && !(st = yk_energy_history(model, count, s, err)))
        *found = yk_energy_json(count, s);
    free(s);
    return st;
}

static enum yk_status drift(const struct yk_model *model, json_t *options, json_t **found, struct yk_err *err)
{
    struct yk_drift_sample *s;
    size_t count;
    enum yk_status st = samples(options, sizeof *s, &count, (void **)&s, err);

    if (!st && !model->row_count)
        st =
            yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(model->path), "there are no interfaces, so nothing can drift apart");
    if (!st && !(st = yk_drift_history(model, count, s, err)))
        *found = yk_drift_json(count, s);
    free(s);
    return st;
}

static json_t *matrix_json(size_t rows, size_t cols, const double *x)
{
    json_t *list = json_array();

    for (size_t i = 0; i < rows; i++) {
        json_t *row = json_array();

        for (size_t j = 0; j < cols; j++)
            json_array_append_new(row, json_real(x[i + j * rows]));
        json_array_append_new(list, row);
    }
    return list;
}

static json_t *loop_json(const struct yk_loop_ported *l, size_t count)
{
    json_t *parameter = json_array(), *acts = json_array();

    for (size_t i = 0; i < l->ports; i++)
        json_array_append_new(parameter, json_integer((json_int_t)l->parameter[i]));
    for (size_t i = 0; i < count; i++)
        json_array_append_new(acts, json_boolean(l->acts[i]));
    return json_pack("{s:b, s:b, s:f, s:f, s:o, s:o, s:o, s:o, s:o, s:o}", "linear", l->linear, "told", l->told,
                     "decay_per_s", l->decay, "cycle_s", l->cycle_s, "A", matrix_json(l->states, l->states, l->A), "B",
                     matrix_json(l->states, l->ports, l->B), "C", matrix_json(l->ports, l->states, l->C), "D",
                     matrix_json(l->ports, l->ports, l->D), "parameter", parameter, "acts", acts);
}

enum { MOST_VARIED = 40 };

/* The loop with ports; varied: for each parameter the setting "key=value" that is one unit away. */
static enum yk_status loop(const struct yk_model *model, json_t *options, json_t **found, struct yk_err *err)
{
    json_t *varied = json_object_get(options, "varied");
    const size_t count = json_array_size(varied);
    struct yk_model *models[MOST_VARIED] = {0};
    struct yk_loop_ported l;
    enum yk_status st = YK_OK;

    if (varied && (!json_is_array(varied) || count > MOST_VARIED))
        return yk_fail(err, YK_E_RANGE, "varied must be a list of at most %d settings", MOST_VARIED);
    for (size_t i = 0; i < count && !st; i++) {
        const char *setting = json_string_value(json_array_get(varied, i));

        st = setting ? yk_model_vary(&models[i], model, &setting, 1, err)
                     : yk_fail(err, YK_E_INPUT, "varied: number %zu is not a text", i + 1);
    }
    if (!st && !(st = yk_model_loop_ports(model, (const struct yk_model *const *)models, count, false, &l, err))) {
        *found = loop_json(&l, count);
        yk_loop_ported_free(&l);
    }
    for (size_t i = 0; i < count; i++)
        yk_model_close(models[i]);
    return st;
}

static enum yk_status margin(const struct yk_model *model, json_t *options, json_t **found, struct yk_err *err)
{
    struct yk_robustness r = {0};
    struct yk_margin m, simulated;
    struct yk_judging how = {.margin = true, .budget_s = YK_MARGIN_BUDGET_S, .simulated = &simulated};
    enum yk_status st = option(options, "budget", 1e-9, 1e6, &how.budget_s, err);

    if (!st && !yk_model_is_hybrid(model))
        st = yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(model->path),
                        "no substructure is physical, so there is no hybrid loop");
    if (!st && !(st = yk_hybrid_judge(model, &how, &m, err)) &&
        !(m.verdict == YK_LOOP_STABLE && (st = yk_hybrid_robustness(model, &how, &r, err))))
        *found = yk_margin_json(&m, &simulated, &r);
    return st;
}

static enum yk_status delay(const struct yk_model *model, json_t *options, json_t **found, struct yk_err *err)
{
    struct yk_delay_report *r;
    size_t count;
    const enum yk_status st = yk_measure_delays(model, &r, &count, err);

    if (st)
        return st;
    *found = yk_delays_json(count, r);
    free(r);
    return YK_OK;
}

static enum yk_status frf(const struct yk_model *model, json_t *options, json_t **found, struct yk_err *err)
{
    const char *name = json_string_value(json_object_get(options, "actuator"));
    const long a = !model->station ? -1 : name ? yk_station_find(model->station, name) : 0;
    double amplitude = YK_FRF_AMPLITUDE, *f, usual[YK_FRF_POINTS];
    struct yk_response_point *p = calloc(YK_FRF_POINTS, sizeof *p);
    struct yk_state moved = {0};
    size_t n;
    enum yk_status st = option_list(options, "frequencies", YK_FRF_POINTS, &f, &n, err);

    if (!st && !p)
        st = yk_fail(err, YK_E_MEMORY, "out of memory");
    if (!st)
        st = option(options, "amplitude", 1e-9, 1e3, &amplitude, err);
    if (!st && a < 0)
        st = yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(model->path),
                        model->station ? "there is no actuator '%s'" : "there is no actuator%s",
                        model->station ? name : "");
    if (!st && !n)
        n = yk_number_range(YK_FRF_FREQUENCIES, usual, YK_FRF_POINTS);
    if (!st && !(st = yk_state_bodies(&moved, model, err)) &&
        !(st = yk_frequency_points(moved.station, (size_t)a, amplitude, n, f ? f : usual, p, err)))
        st = yk_frf_any(n, p, err) ? YK_OK : YK_E_RANGE;
    if (!st)
        *found = yk_frf_json(yk_station_name(model->station, (size_t)a), amplitude, n, p);
    yk_state_close(&moved);
    free(f);
    free(p);
    return st;
}

/* ---- the check ---- */

static void warn(json_t *list, struct yk_where where, const char *words)
{
    json_array_append_new(list, json_pack("{s:s, s:s?, s:i, s:i}", "text", words, "file", where.file, "line",
                                          where.line, "column", where.column));
}

static json_t *warnings_of(const struct yk_model *model, const struct yk_findings *f)
{
    json_t *list = json_array();
    struct yk_err err = {0};
    char words[640];

    for (size_t i = 0; i < model->notes->count; i++)
        warn(list, YK_NOWHERE, model->notes->items[i]);
    for (size_t i = 0; i < f->doubts->count; i++)
        warn(list, YK_NOWHERE, f->doubts->items[i]);
    if (!f->stability.stable) {
        yk_stability_words(model, &f->stability, false, &err);
        struct yk_err plain = err; /* without its place, which is told beside it */

        *plain.file = 0;
        warn(list, (struct yk_where){err.file, err.line, err.column}, yk_err_line(&plain).text);
    }
    if (f->hybrid && f->margin.verdict != YK_LOOP_STABLE) {
        yk_loop_words(&f->margin, f->budget_s, words, sizeof words);
        warn(list, model->method_where, words);
    } else if (f->hybrid && !yk_findings_good(f) && f->stability.stable)
        warn(list, model->method_where, "the delay of the actuators changes the damping of the structure");
    for (size_t i = 0; i < yk_station_count(model->station); i++)
        if (yk_station_compensated(yk_model_first(model)->station, i).idle) {
            snprintf(words, sizeof words, "the compensator of %s has no delay to compensate",
                     yk_station_name(model->station, i));
            warn(list, YK_IN_FILE(model->path), words);
        }
    if (*f->missing) {
        snprintf(words, sizeof words, "limits are missing for a rig outside this process: %s", f->missing);
        warn(list, YK_IN_FILE(model->path), words);
    }
    return list;
}

static enum yk_status check(const struct yk_model *model, json_t *options, json_t **found, struct yk_err *err)
{
    struct yk_findings f = {.budget_s = YK_CHECK_BUDGET_S};
    enum yk_status st = option(options, "budget", 1e-9, 1e6, &f.budget_s, err);
    char *text = NULL;
    size_t size;
    FILE *out;

    if (!st && !(st = yk_findings_make(model, &f, err))) {
        if ((out = open_memstream(&text, &size))) {
            yk_findings_print(model, &f, out);
            fclose(out);
        }
        *found = yk_findings_json(model, &f);
        json_object_set_new(*found, "text", json_string(text ? text : ""));
        json_object_set_new(*found, "good", json_boolean(yk_findings_good(&f)));
        json_object_set_new(*found, "warnings", warnings_of(model, &f));
        free(text);
    }
    yk_findings_free(model, &f);
    return st;
}

static enum yk_status verdict(const struct yk_model *model, json_t *options, json_t **found, struct yk_err *err)
{
    struct yk_judged j;
    double budget_s = YK_CHECK_BUDGET_S;
    enum yk_status st = option(options, "budget", 1e-9, 1e6, &budget_s, err);

    if (!st && !(st = yk_judge_rehearsal(model, budget_s, &j, err)))
        json_object_set_new(*found = yk_judged_json(model, &j), "demand", yk_demand_json(model, &j.course));
    return st;
}

/* ---- by name ---- */

enum { MOST_OPTIONS = 3 };
static const struct {
    const char *name;
    const char *options[MOST_OPTIONS];
    enum yk_status (*find)(const struct yk_model *, json_t *, json_t **, struct yk_err *);
} analyses[] = {{"check", {"budget"}, check},   {"spectrum", {"steps"}, spectrum},
                {"order", {"halvings"}, order}, {"energy", {"samples"}, energy},
                {"drift", {"samples"}, drift},  {"margin", {"budget"}, margin},
                {"loop", {"varied"}, loop},     {"verdict", {"budget"}, verdict},
                {"delay", {NULL}, delay},       {"frf", {"actuator", "frequencies", "amplitude"}, frf}};

static enum yk_status check_options(const char *const known[MOST_OPTIONS], const char *name, json_t *options,
                                    struct yk_err *err)
{
    const char *key;
    json_t *value;

    json_object_foreach(options, key, value)
    {
        size_t i = 0;

        while (i < MOST_OPTIONS && (!known[i] || strcmp(known[i], key) != 0))
            i++;
        if (i == MOST_OPTIONS)
            return yk_fail(err, YK_E_INPUT, "%s has no option '%s'", name, key);
    }
    return YK_OK;
}

enum yk_status yk_model_analyze(const struct yk_model *model, const char *name, const char *options, char **json,
                                struct yk_err *err)
{
    const size_t count = sizeof analyses / sizeof *analyses;
    json_t *chosen = options ? yk_json_read_text(options) : json_object(), *found = NULL;
    struct yk_virtual_model virtual = {0};
    size_t k = 0;
    enum yk_status st;

    *json = NULL;
    while (k < count && strcmp(analyses[k].name, name) != 0)
        k++;
    if (k == count)
        st = yk_fail(err, YK_E_INPUT, "there is no analysis '%s'", name);
    else if (!json_is_object(chosen))
        st = yk_fail(err, YK_E_INPUT, "the options of an analysis are a JSON object");
    else if (!(st = check_options(analyses[k].options, name, chosen, err)) &&
             !(st = yk_virtual_model_open(&virtual, model, err)) &&
             !(st = analyses[k].find(virtual.model, chosen, &found, err)) &&
             !(*json = json_dumps(found, JSON_PRESERVE_ORDER)))
        st = yk_fail(err, YK_E_MEMORY, "out of memory");
    yk_virtual_model_close(&virtual);
    json_decref(found);
    json_decref(chosen);
    return st;
}
