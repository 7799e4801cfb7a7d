/* Quantities of one actuator with its controller: step response with a disturbance of the output, identified model. */
#include "quantity.h"

#include <yoke/identification.h>

#include <math.h>
#include <stdlib.h>

#define SWEEP 15.0 /* s: long enough for a model without noise */

/* ---- step response ---- */

/* Stands between station and rig and moves the reading of one actuator. */
struct disturbed {
    const struct yk_rig_ops *rig;
    void *self;
    size_t actuator;
    double added; /* m */
};

YK_RT static enum yk_rig_answer exchange(void *self, const struct yk_rig_out *out, struct yk_rig_in *in)
{
    const struct disturbed *d = self;
    const enum yk_rig_answer answer = d->rig->exchange(d->self, out, in);

    in->readings[d->actuator].displacement += d->added;
    return answer;
}

/* The first target is reached a tick after the start, at rest. */
static void record_step(struct yk_station *station, const struct yk_ask *ask, struct disturbed *d, double tick,
                        struct yk_history *h)
{
    for (size_t k = 0; k < h->n; k++) {
        const double t = (double)k * tick;

        h->t[k] = t;
        h->y[k] = k ? yk_station_state(station, d->actuator).displacement / ask->amplitude : 0;
        d->added = t + tick >= ask->disturbed ? ask->disturbance * ask->amplitude : 0;
        yk_station_set_target(station, d->actuator, ask->amplitude, 0);
        yk_station_move(station, t + tick);
    }
    for (size_t k = 0; ask->signal && k < h->n; k++)
        h->y[k] = 1 - h->y[k];
}

static enum yk_status step_station(struct yk_station *station, const struct yk_variant *variant,
                                   const struct yk_ask *ask, struct yk_history *h, struct yk_err *err)
{
    static const struct yk_rig_ops between = {.name = "disturbed", .exchange = exchange};
    struct disturbed d = {.rig = NULL};
    double *rest;
    enum yk_status st;

    if ((st = yk_lab_actuator(station, variant, ask->actuator, &d.actuator, err)))
        return st;
    const struct yk_pace pace = yk_station_pace(station);
    if (fabs(pace.dt / pace.stages - pace.tick) > 1e-9 * pace.tick)
        return yk_fail(err, YK_E_INPUT, "step response: the targets of %s must come at every tick", variant->file);
    d.rig = yk_station_rig(station, &d.self);
    if ((st = yk_history_open(h, (size_t)llround(ask->high / pace.tick) + 1, err)))
        return st;
    if ((rest = calloc(yk_station_count(station), sizeof *rest))) {
        const struct yk_between before = yk_station_interpose(station, (struct yk_between){&between, &d});

        if (!(st = yk_station_rest(station, rest, err)))
            record_step(station, ask, &d, pace.tick, h);
        yk_station_interpose(station, before);
    } else {
        st = yk_fail(err, YK_E_MEMORY, "out of memory");
    }
    free(rest);
    return st;
}

enum yk_status yk_lab_step_response(struct yk_lab *lab, const struct yk_variant *variant, const struct yk_ask *ask,
                                    struct yk_history *h, struct yk_err *err)
{
    struct yk_stepped s;
    enum yk_status st = yk_lab_stepping(lab, variant, false, &s, err);

    *h = (struct yk_history){0};
    if (st)
        return st;
    if ((st = step_station(yk_stepping_station(s.stepping), variant, ask, h, err)))
        yk_history_free(h);
    yk_stepped_close(&s);
    return st;
}

static enum yk_status step_response(struct yk_lab *lab, const struct yk_variant *variant, const struct yk_ask *ask,
                                    const struct yk_node *map, double *value, struct yk_err *err)
{
    struct yk_history h;
    enum yk_status st = yk_lab_step_response(lab, variant, ask, &h, err);

    if (st)
        return st;
    st = yk_history_measure(&h, ask, map, value, err);
    yk_history_free(&h);
    return st;
}

static const struct yk_param step_params[] = {ASK_STEP_RESPONSE, ASK_MEASURE, YK_PARAM_END};
const struct yk_quantity_ops yk_obtain_step_response = {
    .name = "step-response",
    .summary = "one number from the response of an actuator with its controller to a step of the target",
    .params = step_params,
    .value = step_response,
};

/* ---- identification ---- */

/* A sweep of an actuator without its specimen, a model with two lags, and what follows from it. */
static enum yk_status identify(struct yk_stepping *stepping, const struct yk_variant *variant, const struct yk_ask *ask,
                               struct yk_identified *found, struct yk_proposal *proposal, struct yk_err *err)
{
    struct yk_station *station = yk_stepping_station(stepping);
    struct yk_sweep sweep = yk_sweep_defaults();
    struct yk_swept swept = {0};
    struct yk_sweep_record record;
    enum yk_status st;

    if ((st = yk_lab_actuator(station, variant, ask->actuator, &swept.actuator, err)))
        return st;
    sweep.duration_s = SWEEP;
    swept.count = yk_station_count(station);
    swept.rig = yk_station_rig(station, &swept.self);
    yk_stepping_dismount(stepping);
    const double tick = yk_station_pace(station).tick;
    if ((st = yk_sweep_run(&record, &swept, tick, &sweep, err)))
        return st;
    if (!(st = yk_identify(&record, YK_MODEL_LAGS, found, err)))
        st = yk_propose(&found->model, tick, proposal, err);
    yk_sweep_free(&record);
    return st;
}

static enum yk_status identified(struct yk_lab *lab, const struct yk_variant *variant, const struct yk_ask *ask,
                                 const struct yk_node *map, double *value, struct yk_err *err)
{
    struct yk_identified found;
    struct yk_proposal p;
    struct yk_stepped s;
    enum yk_status st = yk_lab_stepping(lab, variant, false, &s, err);

    if (st)
        return st;
    if (!(st = identify(s.stepping, variant, ask, &found, &p, err)))
        *value =
            (const double[]){found.model.gain, found.model.T1, found.model.T2, found.model.dead_time, p.pi.K, p.pi.Ti,
                             p.pid.K,          p.pid.Ti,       p.pid.Td}[ask->of];
    yk_stepped_close(&s);
    return st;
}

static const struct yk_param identified_params[] = {
    ASK_OF("gain|T1|T2|dead_time|pi-K|pi-Ti|pid-K|pid-Ti|pid-Td",
           "of the model, or of the controllers by the rule of Chien, Hrones and Reswick"),
    ASK_ACTUATOR, YK_PARAM_END};
const struct yk_quantity_ops yk_obtain_identified = {
    .name = "identified",
    .summary = "two-lag model with dead time, fitted to a sweep of an actuator from 0.1 to 20 Hz with 10 mm",
    .params = identified_params,
    .value = identified,
};
