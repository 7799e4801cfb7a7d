/* Quantities of orders, of actuators and of hybrid loops. */
#include "quantity.h"

#include <yoke/identify.h>
#include <yoke/json.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- order ---- */

#define ORDER_OF "displacement, velocity, multiplier, or the one that vpnr1 and vpnr2 carry from step to step"

static enum yk_status measure_order(struct yk_lab *lab, const struct yk_variant *variant, int halvings,
                                    struct yk_order *order, struct yk_err *err)
{
    struct yk_parts *parts;
    enum yk_status st = yk_lab_parts(lab, variant, &parts, err);

    if (st)
        return st;
    st = yk_parts_order(parts, halvings, order, err);
    yk_parts_close(parts);
    return st;
}

static enum yk_status order(struct yk_lab *lab, const struct yk_variant *variant, const struct yk_ask *ask,
                            const struct yk_node *map, double *value, struct yk_err *err)
{
    struct yk_order o;
    enum yk_status st = measure_order(lab, variant, ask->halvings, &o, err);

    if (!st)
        *value = (const double[]){o.order_u, o.order_v, o.order_lambda, o.order_carried}[ask->of];
    return st;
}

static const struct yk_param order_params[] = {ASK_OF("u|v|lambda|carried", ORDER_OF), ASK_HALVINGS(3), YK_PARAM_END};
const struct yk_quantity_ops yk_obtain_order = {
    .name = "order",
    .summary = "observed order of convergence at the end, from the last two halvings of the step",
    .params = order_params,
    .value = order,
};

static enum yk_status global_error(struct yk_lab *lab, const struct yk_variant *variant, const struct yk_ask *ask,
                                   const struct yk_node *map, double *value, struct yk_err *err)
{
    struct yk_order o;
    enum yk_status st = measure_order(lab, variant, ask->halvings, &o, err);

    if (!st)
        *value = (const double *[]){o.error_u, o.error_v, o.error_lambda, o.error_carried}[ask->of][ask->halvings];
    return st;
}

static const struct yk_param error_params[] = {ASK_OF("u|v|lambda|carried", ORDER_OF), ASK_HALVINGS(0), YK_PARAM_END};
const struct yk_quantity_ops yk_obtain_global_error = {
    .name = "global-error",
    .summary = "largest error at the end against the exact solution",
    .params = error_params,
    .value = global_error,
};

/* ---- actuators ---- */

enum yk_status yk_lab_actuator(const struct yk_station *station, const struct yk_variant *variant, const char *name,
                               size_t *index, struct yk_err *err)
{
    const long found = !station ? -1 : name ? yk_station_find(station, name) : 0;

    if (found < 0)
        return yk_fail(err, YK_E_INPUT, "%s has no actuator%s%s", variant->file, name ? " " : "", name ? name : "");
    *index = (size_t)found;
    return YK_OK;
}

enum yk_status yk_lab_response(struct yk_lab *lab, const struct yk_variant *variant, const struct yk_ask *ask,
                               size_t count, const double *frequency_Hz, struct yk_response *response,
                               struct yk_err *err)
{
    struct yk_stepped s;
    size_t index = 0;
    enum yk_status st = yk_lab_stepping(lab, variant, false, &s, err);

    if (st)
        return st;
    struct yk_station *station = yk_stepping_station(s.stepping);

    if (!(st = yk_lab_actuator(station, variant, ask->actuator, &index, err)))
        st = yk_frequency_response(station, index, ask->amplitude, count, frequency_Hz, response, err);
    yk_stepped_close(&s);
    return st;
}

static enum yk_status frf(struct yk_lab *lab, const struct yk_variant *variant, const struct yk_ask *ask,
                          const struct yk_node *map, double *value, struct yk_err *err)
{
    struct yk_response r;
    enum yk_status st = yk_lab_response(lab, variant, ask, 1, &ask->frequency, &r, err);

    if (!st)
        *value = (const double[]){r.magnitude, r.phase_rad, r.delay_s,
                                  hypot(1 - r.magnitude * cos(r.phase_rad), r.magnitude * sin(r.phase_rad))}[ask->of];
    return st;
}

static const struct yk_param frf_params[] = {
    ASK_OF("magnitude|phase|delay|error", "phase in rad, delay in s, modulus of 1 less the response"), ASK_ACTUATOR,
    YK_REAL(struct yk_ask, frequency, YK_FREQUENCY, YK_REQUIRED, YK_TINY, 1e6, "of the sine"),
    YK_REAL(struct yk_ask, amplitude, YK_LENGTH, 0.010, YK_TINY, 1e3, "of the sine"), YK_PARAM_END};
const struct yk_quantity_ops yk_obtain_frf = {
    .name = "frf",
    .summary = "frequency response from the target of an actuator to its measured displacement",
    .params = frf_params,
    .value = frf,
};

/* A number of an object whose name begins so; NaN where it is not finite. */
static double number(json_t *object, const char *begin)
{
    const char *key;
    json_t *value;

    json_object_foreach(object, key, value)
    {
        if (strncmp(key, begin, strlen(begin)) == 0)
            return json_is_number(value) ? json_number_value(value) : NAN;
    }
    return NAN;
}

static enum yk_status delay(struct yk_lab *lab, const struct yk_variant *variant, const struct yk_ask *ask,
                            const struct yk_node *map, double *value, struct yk_err *err)
{
    static const char *const names[] = {"command_delay_s", "target_delay_s", "amplitude", "nrms", "peak_"};
    struct yk_model *model;
    char *text = NULL;
    const char *actuator;
    json_t *all, *found;
    enum yk_status st = yk_lab_model(lab, variant, &model, err);

    if (st)
        return st;
    if (!(st = yk_model_analyze(model, "delay", NULL, &text, err)))
        st = yk_fail_at(err, YK_E_INPUT, map->where, "the run has no actuator%s%s", ask->actuator ? " " : "",
                        ask->actuator ? ask->actuator : "");
    all = yk_json_read_text(text);
    json_object_foreach(json_object_get(all, "actuators"), actuator, found)
    {
        if (ask->actuator && strcmp(ask->actuator, actuator) != 0)
            continue;
        *value = number(found, names[ask->of]);
        st = YK_OK;
    }
    json_decref(all);
    free(text);
    yk_model_close(model);
    return st;
}

static const struct yk_param delay_params[] = {
    ASK_OF("command|target|amplitude|nrms|peak", "delay from command or target to measured [s], measured over target"),
    ASK_ACTUATOR, YK_PARAM_END};
const struct yk_quantity_ops yk_obtain_delay = {
    .name = "delay",
    .summary = "delays and errors of an actuator over the steps of a run",
    .params = delay_params,
    .value = delay,
};

/* ---- the loop ---- */

static enum yk_status margin(struct yk_lab *lab, const struct yk_variant *variant, const struct yk_ask *ask,
                             const struct yk_node *map, double *value, struct yk_err *err)
{
    struct yk_model *model;
    struct yk_margin m;
    enum yk_status st = yk_lab_model(lab, variant, &model, err);

    if (st)
        return st;
    if (!(st = yk_model_margin(model, 0, &m, err)))
        *value = (const double[]){m.stable ? m.margin_s : 0, m.decay, m.decay_model}[ask->of];
    yk_model_close(model);
    return st;
}

static const struct yk_param margin_params[] = {
    ASK_OF("delay|decay|model", "further delay that is tolerated [s]; decay of the loop, or with models [1/s]"),
    YK_PARAM_END};
const struct yk_quantity_ops yk_obtain_margin = {
    .name = "margin",
    .summary = "stability of the loop with a specimen",
    .params = margin_params,
    .value = margin,
};
