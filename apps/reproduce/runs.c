/* Quantities of runs: channels, differences between channels and between runs, drift, errors, tracking, time. */
#include "quantity.h"

#include <yoke/deviation.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum yk_status yk_history_open(struct yk_history *h, size_t n, struct yk_err *err)
{
    *h = (struct yk_history){.t = calloc(n + 1, sizeof *h->t), .y = calloc(n + 1, sizeof *h->y), .n = n};
    return h->t && h->y ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory");
}

void yk_history_free(struct yk_history *h)
{
    free(h->t);
    free(h->y);
    *h = (struct yk_history){0};
}

static enum yk_status take_history(const struct yk_outcome *o, int stream, const char *channel, struct yk_history *h,
                                   struct yk_err *err)
{
    enum yk_status st;

    *h = (struct yk_history){0};
    if ((st = yk_outcome_values(o, stream, "time", &h->t, &h->n, err)) ||
        (st = yk_outcome_values(o, stream, channel, &h->y, &h->n, err)))
        yk_history_free(h);
    return st;
}

double yk_history_at(const struct yk_history *h, double t)
{
    size_t low = 0, high = h->n - 1;

    if (t <= h->t[0] || h->n == 1)
        return h->y[0];
    if (t >= h->t[high])
        return h->y[high];
    while (high - low > 1) {
        const size_t middle = (low + high) / 2;

        if (h->t[middle] <= t)
            low = middle;
        else
            high = middle;
    }
    return h->y[low] + (h->y[high] - h->y[low]) * (t - h->t[low]) / (h->t[high] - h->t[low]);
}

static bool inside(const struct yk_ask *ask, double t)
{
    const double slack = 1e-9 * (1 + fabs(t));

    return t >= ask->from - slack && t <= ask->to + slack;
}

/* ---- one channel ---- */

enum { FINAL, PEAK, MAXIMUM, MINIMUM, MEAN, RMS, AT, ROUGHNESS, INTEGRAL, SHARE, RISE, COMPONENT };

struct moments {
    double first, end, last, peak, max, min, sum, squares, rough, area, rise; /* first, end: times */
    size_t n, low;                                                            /* low: rows within the level */
};

static struct moments collect(const struct yk_history *h, const struct yk_ask *ask)
{
    struct moments m = {.last = NAN, .max = -INFINITY, .min = INFINITY, .rise = INFINITY};

    for (size_t i = 0; i < h->n; i++) {
        if (!inside(ask, h->t[i]))
            continue;
        if (m.n)
            m.area += 0.5 * (fabs(h->y[i]) + fabs(h->y[i - 1])) * (h->t[i] - h->t[i - 1]);
        m.first = m.n ? m.first : h->t[i];
        m.end = h->t[i];
        m.last = h->y[i];
        if (fabs(h->y[i]) <= ask->level)
            m.low++;
        else
            m.rise = fmin(m.rise, h->t[i]);
        m.peak = fmax(m.peak, fabs(h->y[i]));
        m.max = fmax(m.max, h->y[i]);
        m.min = fmin(m.min, h->y[i]);
        m.sum += h->y[i];
        m.squares += h->y[i] * h->y[i];
        if (i > 0 && i + 1 < h->n) {
            const double bend = h->y[i + 1] - 2 * h->y[i] + h->y[i - 1];

            m.rough += bend * bend;
        }
        m.n++;
    }
    return m;
}

/* Amplitude of the part of a frequency, through Hann's window, so that other lines hardly leak into it. */
static double component(const struct yk_history *h, const struct yk_ask *ask, double first, double last)
{
    double re = 0, im = 0, weights = 0;

    for (size_t i = 0; i < h->n; i++) {
        if (!inside(ask, h->t[i]))
            continue;
        const double w = 1 - cos(2 * M_PI * (h->t[i] - first) / (last - first)),
                     angle = 2 * M_PI * ask->frequency * h->t[i];

        re += w * h->y[i] * cos(angle);
        im += w * h->y[i] * sin(angle);
        weights += w;
    }
    return 2 * hypot(re, im) / weights;
}

enum yk_status yk_history_measure(const struct yk_history *h, const struct yk_ask *ask, const struct yk_node *map,
                                  double *value, struct yk_err *err)
{
    const struct moments m = collect(h, ask);
    const double n = (double)m.n;
    const double values[] = {[FINAL] = m.last,
                             [PEAK] = m.peak,
                             [MAXIMUM] = m.max,
                             [MINIMUM] = m.min,
                             [MEAN] = m.sum / n,
                             [RMS] = sqrt(m.squares / n),
                             [AT] = yk_history_at(h, ask->at),
                             [ROUGHNESS] = sqrt(m.rough / n),
                             [INTEGRAL] = m.area,
                             [SHARE] = (double)m.low / n,
                             [RISE] = m.rise,
                             [COMPONENT] = component(h, ask, m.first, m.end)};

    if (!m.n)
        return yk_fail_at(err, YK_E_RANGE, map->where, "there are no rows between %g s and %g s", ask->from, ask->to);
    *value = values[ask->of];
    return YK_OK;
}

static enum yk_status channel(struct yk_lab *lab, const struct yk_variant *variant, const struct yk_ask *ask,
                              const struct yk_node *map, double *value, struct yk_err *err)
{
    const struct yk_outcome *o;
    struct yk_history h;
    enum yk_status st;

    if ((st = yk_lab_run(lab, variant, &o, err)) || (st = take_history(o, ask->stream, ask->channel, &h, err)))
        return st;
    st = yk_history_measure(&h, ask, map, value, err);
    yk_history_free(&h);
    return st;
}

static const struct yk_param channel_params[] = {
    ASK_CHANNEL,
    ASK_STREAM,
    ASK_MEASURE,
    YK_PARAM_END,
};
const struct yk_quantity_ops yk_obtain_channel = {
    .name = "channel",
    .summary = "one number from a channel of a run",
    .params = channel_params,
    .value = channel,
};

static enum yk_status sampling(struct yk_lab *lab, const struct yk_variant *variant, const struct yk_ask *ask,
                               const struct yk_node *map, double *value, struct yk_err *err)
{
    const struct yk_outcome *o;
    double *t;
    size_t count;
    enum yk_status st;

    if ((st = yk_lab_run(lab, variant, &o, err)) || (st = yk_outcome_values(o, ask->stream, "time", &t, &count, err)))
        return st;
    if (count < 2)
        st = yk_fail_at(err, YK_E_RANGE, map->where, "the run has fewer than two rows");
    else
        *value = (t[count - 1] - t[0]) / (double)(count - 1);
    free(t);
    return st;
}

static const struct yk_param sampling_params[] = {ASK_STREAM, YK_PARAM_END};
const struct yk_quantity_ops yk_obtain_sampling = {
    .name = "sampling",
    .summary = "time between the rows of a run [s]",
    .params = sampling_params,
    .value = sampling,
};

/* ---- two channels, of one run or of two ---- */

enum { NRMS, MSE, LARGEST };

/* `reference`: the run to compare with; without it the same run. */
static enum yk_status find_other(struct yk_lab *lab, const struct yk_node *map, const struct yk_outcome *own,
                                 const struct yk_outcome **other, struct yk_err *err)
{
    static const struct yk_param keys[] = {YK_NODE("file", "name", 0, "experiment file"),
                                           YK_NODE("with", "names of variants", 0, "applied in order"),
                                           YK_NODE("set", "map of settings", 0, "applied last"), YK_PARAM_END};
    const struct yk_node *node = yk_node_get(map, "reference");
    struct yk_variant variant;
    enum yk_status st;

    *other = own;
    if (!node)
        return YK_OK;
    if ((st = yk_field_type(node, YK_MAP, "a map with file, with or set", err)) ||
        (st = yk_field_known(node, keys, NULL, err)) || (st = yk_lab_variant(lab, node, NULL, 0, &variant, err)))
        return st;
    st = yk_lab_run(lab, &variant, other, err);
    yk_variant_free(&variant);
    return st;
}

static double compare(const struct yk_history *h, const struct yk_history *reference, const struct yk_ask *ask)
{
    struct yk_deviation d = {0};
    double peak = 0;

    for (size_t i = 0; i < h->n; i++) {
        if (!inside(ask, h->t[i]))
            continue;
        const double r = yk_history_at(reference, h->t[i]);

        yk_deviation_add(&d, r, h->y[i]);
        peak = fmax(peak, fabs(r));
    }
    return ask->of == NRMS ? yk_deviation_nrms(&d, NAN) : ask->of == MSE ? d.error / (double)d.count : d.peak / peak;
}

static enum yk_status nrms(struct yk_lab *lab, const struct yk_variant *variant, const struct yk_ask *ask,
                           const struct yk_node *map, double *value, struct yk_err *err)
{
    const struct yk_outcome *o, *other;
    struct yk_history h, reference;
    enum yk_status st;

    if ((st = yk_lab_run(lab, variant, &o, err)) || (st = find_other(lab, map, o, &other, err)) ||
        (st = take_history(o, ask->stream, ask->channel, &h, err)))
        return st;
    if (!(st = take_history(other, ask->stream, ask->against ? ask->against : ask->channel, &reference, err))) {
        *value = compare(&h, &reference, ask);
        yk_history_free(&reference);
    }
    yk_history_free(&h);
    return st;
}

static const struct yk_param nrms_params[] = {
    ASK_CHANNEL,
    YK_TEXT(struct yk_ask, against, 0, "channel of the reference; default: the same"),
    YK_NODE("reference", "map with file, with, set", 0, "the run to compare with; default: the same"),
    ASK_OF("nrms|mse|peak", "rms of the difference over rms of the reference; mean square; largest over largest"),
    ASK_STREAM,
    ASK_FROM,
    ASK_TO,
    YK_PARAM_END,
};
const struct yk_quantity_ops yk_obtain_nrms = {
    .name = "difference",
    .summary = "difference of two channels, of one run or of two",
    .params = nrms_params,
    .value = nrms,
};

/* ---- what the summary says about a run ---- */

/* A number of an object; NaN where it is not finite. */
static double number(const json_t *object, const char *name)
{
    const json_t *x = json_object_get(object, name);

    return json_is_number(x) ? json_number_value(x) : NAN;
}

/* The first number whose name begins so: "peak_m" or "peak_rad". */
static double number_like(const json_t *object, const char *begin)
{
    const char *key;
    json_t *value;

    json_object_foreach((json_t *)object, key, value)
    {
        if (strncmp(key, begin, strlen(begin)) == 0)
            return json_is_number(value) ? json_number_value(value) : NAN;
    }
    return NAN;
}

static enum yk_status drift(struct yk_lab *lab, const struct yk_variant *variant, const struct yk_ask *ask,
                            const struct yk_node *map, double *value, struct yk_err *err)
{
    const struct yk_outcome *o;
    enum yk_status st = yk_lab_run(lab, variant, &o, err);

    if (st)
        return st;
    const json_t *gaps = json_object_get(o->summary, "drift");

    *value = json_is_null(gaps) ? 0 : number(gaps, ask->of ? "velocity" : "displacement"); /* null: no interface */
    return YK_OK;
}

static const struct yk_param drift_params[] = {ASK_OF("displacement|velocity", "gap"), YK_PARAM_END};
const struct yk_quantity_ops yk_obtain_drift = {
    .name = "drift",
    .summary = "largest gap of an interface in a run",
    .params = drift_params,
    .value = drift,
};

static enum yk_status run_error(struct yk_lab *lab, const struct yk_variant *variant, const struct yk_ask *ask,
                                const struct yk_node *map, double *value, struct yk_err *err)
{
    const struct yk_outcome *o;
    enum yk_status st = yk_lab_run(lab, variant, &o, err);

    if (st)
        return st;
    static const char *const names[] = {"displacement_nrms", "velocity_nrms", "displacement_max"};
    const json_t *errors = json_object_get(o->summary, "errors");

    if (!json_is_object(errors))
        return yk_fail_at(err, YK_E_INPUT, map->where, "the run has no reference: set reference: monolithic");
    *value = number(errors, names[ask->of]);
    return YK_OK;
}

static const struct yk_param run_error_params[] = {
    ASK_OF("displacement|velocity|largest", "NRMS of displacements or velocities, largest difference of displacement"),
    YK_PARAM_END};
const struct yk_quantity_ops yk_obtain_run_error = {
    .name = "error",
    .summary = "error of a run against the untorn structure (reference: monolithic)",
    .params = run_error_params,
    .value = run_error,
};

static enum yk_status energy_error(struct yk_lab *lab, const struct yk_variant *variant, const struct yk_ask *ask,
                                   const struct yk_node *map, double *value, struct yk_err *err)
{
    const struct yk_outcome *o;
    enum yk_status st = yk_lab_run(lab, variant, &o, err);

    if (!st)
        *value = number(json_object_get(o->summary, "energy"), "error_relative");
    return st;
}

const struct yk_quantity_ops yk_obtain_energy_error = {
    .name = "energy-error",
    .summary = "largest error of the energy account over the largest energy of a run",
    .value = energy_error,
};

static enum yk_status finished(struct yk_lab *lab, const struct yk_variant *variant, const struct yk_ask *ask,
                               const struct yk_node *map, double *value, struct yk_err *err)
{
    const struct yk_outcome *o;
    enum yk_status st = yk_lab_run(lab, variant, &o, err);

    if (!st)
        *value = json_is_true(json_object_get(o->summary, "finished"));
    return st;
}

const struct yk_quantity_ops yk_obtain_finished = {
    .name = "finished",
    .summary = "1 if the run finished, 0 if it diverged or was stopped",
    .value = finished,
};

static enum yk_status reached(struct yk_lab *lab, const struct yk_variant *variant, const struct yk_ask *ask,
                              const struct yk_node *map, double *value, struct yk_err *err)
{
    const struct yk_outcome *o;
    enum yk_status st = yk_lab_run(lab, variant, &o, err);

    if (st)
        return st;
    const struct yk_table *t = &o->table[YK_TABLE_SYSTEM];

    *value = t->rows ? t->x[(t->rows - 1) * t->width] : 0;
    return YK_OK;
}

const struct yk_quantity_ops yk_obtain_reached = {
    .name = "reached",
    .summary = "time [s] at which the run ended",
    .value = reached,
};

static enum yk_status wall(struct yk_lab *lab, const struct yk_variant *variant, const struct yk_ask *ask,
                           const struct yk_node *map, double *value, struct yk_err *err)
{
    const struct yk_outcome *o;
    enum yk_status st = yk_lab_run(lab, variant, &o, err);

    if (!st)
        *value =
            ask->of ? number(json_object_get(o->summary, "timing"), "median_s") : number(o->summary, "wall_s") / o->end;
    return st;
}

static const struct yk_param wall_params[] = {
    ASK_OF("run|step", "seconds for a second of the run, recording included; or the median of a step"), YK_PARAM_END};
const struct yk_quantity_ops yk_obtain_wall = {
    .name = "wall",
    .summary = "computing time [s]",
    .params = wall_params,
    .value = wall,
};

static enum yk_status tracking(struct yk_lab *lab, const struct yk_variant *variant, const struct yk_ask *ask,
                               const struct yk_node *map, double *value, struct yk_err *err)
{
    const struct yk_outcome *o;
    enum yk_status st = yk_lab_run(lab, variant, &o, err);

    if (st)
        return st;
    const char *name;
    json_t *t;

    json_object_foreach(json_object_get(o->summary, "tracking"), name, t)
    {
        const double estimated = number(t, "delay_estimated_s");
        const double values[] = {number(t, "nrms"), number_like(t, "peak_"), number(t, "delay_s"),
                                 isnan(estimated) ? number(t, "delay_used_s") : estimated};

        if (ask->actuator && strcmp(ask->actuator, name) != 0)
            continue;
        *value = values[ask->of];
        return YK_OK;
    }
    return yk_fail_at(err, YK_E_INPUT, map->where, "the run has no actuator%s%s", ask->actuator ? " " : "",
                      ask->actuator ? ask->actuator : "");
}

static const struct yk_param tracking_params[] = {
    ASK_OF("nrms|peak|delay|compensated", "index of target against measured displacement"), ASK_ACTUATOR, YK_PARAM_END};
const struct yk_quantity_ops yk_obtain_tracking = {
    .name = "tracking",
    .summary = "how well an actuator tracked in a run",
    .params = tracking_params,
    .value = tracking,
};
