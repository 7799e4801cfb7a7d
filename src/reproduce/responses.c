/* Quantities of orders, of actuators and of hybrid loops. */
#include "reproduce/quantity.h"

#include "analyze/analyze.h"
#include "analyze/identify.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- order ---- */

#define ORDER_OF "displacement, velocity, multiplier, or the one that vpnr1 and vpnr2 carry from step to step"

static enum yk_status measure_order(struct yk_lab *lab, const struct yk_variant *variant, int halvings,
                                    struct yk_order *order, struct yk_err *err)
{
    struct yk_experiment *e;
    enum yk_status st = yk_lab_load(lab, variant, &e, err);

    if (st)
        return st;
    st = yk_observed_order(e, halvings, order, err);
    yk_experiment_destroy(e);
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

enum yk_status yk_lab_actuator(const struct yk_experiment *e, const char *name, size_t *index, struct yk_err *err)
{
    const long found = !e->station ? -1 : name ? yk_station_find(e->station, name) : 0;

    if (found < 0)
        return yk_fail(err, YK_E_INPUT, "%s has no actuator%s%s", e->path, name ? " " : "", name ? name : "");
    *index = (size_t)found;
    return YK_OK;
}

enum yk_status yk_lab_response(struct yk_lab *lab, const struct yk_variant *variant, const struct yk_ask *ask,
                               size_t count, const double *frequency_Hz, struct yk_response *response,
                               struct yk_err *err)
{
    struct yk_experiment *e;
    size_t index = 0;
    enum yk_status st = yk_lab_load(lab, variant, &e, err);

    if (st)
        return st;
    if (!(st = yk_lab_actuator(e, ask->actuator, &index, err)))
        st = yk_frequency_response(e->station, index, ask->amplitude, count, frequency_Hz, response, err);
    yk_experiment_destroy(e);
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

static enum yk_status delay(struct yk_lab *lab, const struct yk_variant *variant, const struct yk_ask *ask,
                            const struct yk_node *map, double *value, struct yk_err *err)
{
    struct yk_plan *plan;
    struct yk_delay_report *reports = NULL;
    size_t count = 0;
    enum yk_status st = yk_lab_plan(lab, variant, false, &plan, err);

    if (st)
        return st;
    if (!(st = yk_measure_delays(plan, &reports, &count, err)))
        st = yk_fail_at(err, YK_E_INPUT, map->where, "the run has no actuator%s%s", ask->actuator ? " " : "",
                        ask->actuator ? ask->actuator : "");
    for (size_t i = 0; i < count && st; i++) {
        const double values[] = {reports[i].command.delay_s, reports[i].target.delay_s, reports[i].amplitude,
                                 reports[i].nrms, reports[i].peak};

        if (ask->actuator && strcmp(ask->actuator, reports[i].actuator) != 0)
            continue;
        *value = values[ask->of];
        st = YK_OK;
    }
    free(reports);
    yk_plan_close(plan);
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
    struct yk_plan *plan;
    struct yk_margin m;
    enum yk_status st = yk_lab_plan(lab, variant, false, &plan, err);

    if (st)
        return st;
    if (!(st = yk_hybrid_margin(plan, 0, &m, err)))
        *value = (const double[]){m.stable ? m.margin_s : 0, m.decay, m.decay_model}[ask->of];
    yk_plan_close(plan);
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
