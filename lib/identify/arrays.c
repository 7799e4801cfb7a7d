/* Recordings in arrays: actuators and laws for programs that are not written in C. */
#include <yoke/arrays.h>
#include <yoke/calibrate.h>
#include <yoke/json.h>
#include <yoke/measured.h>

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 200, RUNS = 256 };

static enum yk_status print(json_t *all, char **json, struct yk_err *err)
{
    *json = all ? json_dumps(all, JSON_INDENT(2)) : NULL;
    json_decref(all);
    return *json ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory for an answer");
}

static json_t *numbers(const double *x, size_t n)
{
    json_t *list = json_array();

    for (size_t i = 0; i < n; i++)
        json_array_append_new(list, yk_json_number(x[i]));
    return list;
}

/* ---- actuators ---- */

static json_t *points_of(const struct yk_actuator_record *record, const struct yk_actuator_found *found)
{
    const double half = 0.5 * (found->to_Hz - found->from_Hz) / POINTS;
    struct yk_frequency_point *p = calloc(POINTS, sizeof *p);
    json_t *list = json_array();
    double f[POINTS];

    for (size_t i = 0; i < POINTS; i++)
        f[i] = found->from_Hz + half * (double)(2 * i + 1);
    if (p && !yk_frequency_points_of(record, 1, fmax(half, 0.05), f, POINTS, p, NULL))
        for (size_t i = 0; i < POINTS; i++)
            if (p[i].power > 0)
                json_array_append_new(list,
                                      json_pack("{s:f, s:o, s:o, s:o, s:o}", "frequency_Hz", f[i], "gain",
                                                yk_json_number(cabs(p[i].H)), "phase_rad",
                                                yk_json_number(p[i].phase_rad), "delay_s", yk_json_number(p[i].delay_s),
                                                "coherence", yk_json_number(p[i].coherence)));
    free(p);
    return list;
}

enum yk_status yk_identify_arrays(size_t n, double step, const double *command, const double *motion,
                                  const double *band_Hz, char **json, struct yk_err *err)
{
    const struct yk_actuator_record record = {
        .name = "the record", .n = n, .command = command, .motion = motion, .step_s = step};
    const struct yk_identify_ask ask = {.records = &record,
                                        .count = 1,
                                        .from_Hz = band_Hz ? band_Hz[0] : 0,
                                        .to_Hz = band_Hz ? band_Hz[1] : 0,
                                        .threads = 2};
    struct yk_actuator_found found;
    enum yk_status st;

    *json = NULL;
    if (!(step > 0) || n < 100)
        return yk_fail(err, YK_E_INPUT, "%zu samples of %g s are too few", n, step);
    if ((st = yk_identify_actuator(&ask, &found, err)))
        return st;
    const struct yk_rational *m = &found.model, *s = &found.spread;
    return print(json_pack("{s:o, s:o, s:[f, f], s:{s:i, s:i, s:f, s:f, s:o, s:f, s:o, s:o}, s:{s:o, s:o, s:o}, s:o}",
                           "nrms", yk_json_number(found.nrms), "held_nrms", yk_json_number(found.held_nrms), "band_Hz",
                           found.from_Hz, found.to_Hz, "model", "poles", m->poles, "zeros", m->zeros, "gain", m->gain,
                           "dead_time_s", m->dead_time_s, "time_constant_s",
                           yk_json_number(m->poles == 1 ? m->a[1] : NAN), "lead", m->lead, "denominator",
                           numbers(m->a, (size_t)m->poles + 1), "numerator", numbers(m->b, (size_t)m->zeros + 1),
                           "spread", "gain", yk_json_number(s->gain), "dead_time_s", yk_json_number(s->dead_time_s),
                           "time_constant_s", yk_json_number(m->poles == 1 ? s->a[1] : NAN), "points",
                           points_of(&record, &found)),
                 json, err);
}

/* ---- laws ---- */

static bool fill(const json_t *value, double *to, size_t *count)
{
    *count = json_is_array(value) ? json_array_size(value) : 1;
    for (size_t i = 0; i < *count && i < YK_CALIBRATE_POINTS; i++) {
        const json_t *one = json_is_array(value) ? json_array_get(value, i) : value;

        if (!json_is_number(one))
            return false;
        to[i] = json_number_value(one);
    }
    return *count > 0 && *count <= YK_CALIBRATE_POINTS;
}

static enum yk_status read_setting(const char *name, const json_t *of, struct yk_fitted_setting *s, struct yk_err *err)
{
    const json_t *at = json_object_get(of, "at");
    size_t starts;

    *s = (struct yk_fitted_setting){.name = name, .points = 1, .geometric = json_is_true(json_object_get(of, "log"))};
    if (!fill(json_object_get(of, "start"), s->start, &starts))
        return yk_fail(err, YK_E_INPUT, "%s: start must be one to %d numbers", name, YK_CALIBRATE_POINTS);
    if (at && !fill(at, s->at, &s->points))
        return yk_fail(err, YK_E_INPUT, "%s: at must be one to %d numbers", name, YK_CALIBRATE_POINTS);
    if (starts != 1 && starts != s->points)
        return yk_fail(err, YK_E_INPUT, "%s: %zu starts for %zu values", name, starts, s->points);
    for (size_t i = starts; i < s->points; i++)
        s->start[i] = s->start[0];
    for (size_t i = 0; i < s->points && s->geometric; i++)
        if (!(s->start[i] > 0))
            return yk_fail(err, YK_E_RANGE, "%s: with log every start must be positive", name);
    s->least = json_number_value(json_object_get(of, "least"));
    s->most = json_number_value(json_object_get(of, "most"));
    return YK_OK;
}

static json_t *answer(const struct yk_calibrate_ask *ask, const struct yk_calibrated *found)
{
    json_t *values = json_object(), *spread = json_object(), *bounded = json_object(), *runs = json_array();

    for (size_t i = 0; i < ask->settings; i++) {
        const struct yk_fitted_setting *s = &ask->setting[i];
        json_t *at_bound = json_array();

        for (size_t k = 0; k < s->points; k++)
            json_array_append_new(at_bound, json_boolean(found->bounded[i][k]));
        json_object_set_new(values, s->name, numbers(found->value[i], s->points));
        json_object_set_new(spread, s->name, numbers(found->spread[i], s->points));
        json_object_set_new(bounded, s->name, at_bound);
    }
    for (size_t i = 0; i < found->runs; i++)
        json_array_append_new(runs, json_pack("{s:o, s:f, s:f, s:b, s:f}", "nrms", yk_json_number(found->run[i].nrms),
                                              "offset_N", found->run[i].offset, "level", found->run[i].level,
                                              "held_out", i >= found->fitted, "over", found->run[i].over));
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "held_nrms", yk_json_number(found->held_nrms), "mean_nrms",
                     yk_json_number(found->mean_nrms), "values", values, "spread", spread, "bounded", bounded, "runs",
                     runs);
}

struct request {
    json_t *root;
    void *settings;
    struct yk_fitted_setting setting[YK_CALIBRATE_SETTINGS];
    struct yk_measured_loop *runs;
    struct yk_calibrate_ask ask;
};

static enum yk_status read_request(struct request *q, struct yk_err *err)
{
    const struct yk_law_ops *ops = yk_law_find(yk_json_text(q->root, "law"));
    json_t *fit = json_object_get(q->root, "fit"), *value;
    const char *name;
    enum yk_status st;

    if (!ops)
        return yk_fail(err, YK_E_INPUT, "'%s' is not a law", yk_json_text(q->root, "law"));
    if ((st = yk_param_settings(ops->params, ops->settings_size, &q->settings, err)))
        return st;
    json_object_foreach(
        json_object_get(q->root, "settings"), name,
        value) if ((st = yk_param_set(ops->params, q->settings, name, json_number_value(value), err))) return st;
    json_object_foreach(fit, name, value)
    {
        if (q->ask.settings == YK_CALIBRATE_SETTINGS)
            return yk_fail(err, YK_E_RANGE, "more than %d settings to fit", YK_CALIBRATE_SETTINGS);
        if ((st = read_setting(name, value, &q->setting[q->ask.settings++], err)))
            return st;
    }
    q->ask.law[0].ops = ops;
    q->ask.law[0].settings = q->settings;
    q->ask.laws = 1;
    q->ask.setting = q->setting;
    q->ask.cycles = json_object_get(q->root, "cycles") ? json_number_value(json_object_get(q->root, "cycles")) : 5;
    q->ask.starts = json_object_get(q->root, "starts") ? (int)json_number_value(json_object_get(q->root, "starts")) : 8;
    q->ask.level = json_is_true(json_object_get(q->root, "level"));
    q->ask.offset = YK_NUISANCE_EACH;
    q->ask.soft = 0.1;
    q->ask.threads = 2;
    return YK_OK;
}

enum yk_status yk_calibrate_arrays(const char *what, size_t runs, size_t fitted, const size_t *rows, const double *step,
                                   const double *over, const double *const *displacement, const double *const *force,
                                   char **json, struct yk_err *err)
{
    struct request q = {.root = yk_json_read_text(what)};
    struct yk_calibrated found = {0};
    enum yk_status st = q.root ? read_request(&q, err) : yk_fail(err, YK_E_INPUT, "not JSON: what to calibrate");

    *json = NULL;
    if (!st && (fitted == 0 || fitted > runs || runs > RUNS))
        st = yk_fail(err, YK_E_RANGE, "%zu of %zu runs to fit; 1 to %d", fitted, runs, RUNS);
    if (!st && !(q.runs = calloc(runs, sizeof *q.runs)))
        st = yk_fail(err, YK_E_MEMORY, "out of memory for runs");
    for (size_t i = 0; i < runs && !st; i++)
        q.runs[i] = (struct yk_measured_loop){.name = "a run",
                                              .n = rows[i],
                                              .displacement = displacement[i],
                                              .force = force[i],
                                              .step_s = step[i],
                                              .over = over[i]};
    if (!st) {
        q.ask.runs = q.runs;
        q.ask.run_count = fitted;
        q.ask.held = q.runs + fitted;
        q.ask.held_count = runs - fitted;
        if (!(st = yk_calibrate(&q.ask, &found, err)))
            st = print(answer(&q.ask, &found), json, err);
        yk_calibrated_free(&found);
    }
    if (q.settings)
        yk_param_free(q.ask.law[0].ops ? q.ask.law[0].ops->params : (const struct yk_param[]){YK_PARAM_END},
                      q.settings);
    free(q.settings);
    free(q.runs);
    json_decref(q.root);
    return st;
}
