/* The transfer system of a station: the chain of every actuator. */
#include "experiment/blocks.h"
#include "experiment/build.h"

#include "transfer/station.h"
#include <yoke/plugin.h>

#include <string.h>

enum { MOST_TARGETS_AHEAD = 100 };

struct transfer {
    double delay;
};

struct chain {
    int path;
};

const struct yk_param yk_keys_chain[] = {
    YK_NODE("compensator", "map with kind, delay and settings", 0, "default none; see `yoke list compensators`"),
    YK_NODE("estimator", "map with kind and settings", 0,
            "measures the delay during the run; see `yoke list estimators`"),
    YK_NODE("feedback", "map with kind and settings", 0,
            "which force goes back to the method; default: that of the last tick"),
    YK_NODE("controller", "map with kind and settings", 0, "default none; see `yoke list controllers`"),
    YK_CHOICE(struct chain, path, "line|quadratic|cubic", YK_PATH_LINE,
              "how the command moves between targets: a straight line, a parabola through the last three, or a cubic "
              "through the last two and their velocities"),
    YK_PARAM_END,
};

const struct yk_param yk_keys_block[] = {
    YK_NODE("kind", "name, or plugin", YK_REQUIRED, "name of the component; its settings are written next to it"),
    YK_PARAM_END,
};

const struct yk_param yk_keys_compensated[] = {
    YK_NODE("kind", "name, or plugin", YK_REQUIRED, "name of the component; its settings are written next to it"),
    YK_REAL(struct transfer, delay, YK_TIME, 0, 0, 10, "delay of the actuator, which is compensated"),
    YK_PARAM_END,
};

YK_BLOCK_FIND(compensator)
YK_BLOCK_FIND(controller)
YK_BLOCK_FIND(estimator)

/* Nothing can be said of a time that is far longer than what has been seen of the motion. */
static enum yk_status check_horizon(const struct yk_experiment *e, const struct yk_node *delay,
                                    const struct yk_actuator *a, struct yk_err *err)
{
    const double spacing = yk_fine_step(e) / (e->coupling ? e->coupling->stages : e->integrator->stages);

    if (a->delay <= MOST_TARGETS_AHEAD * spacing)
        return YK_OK;
    return yk_fail_at(err, YK_E_RANGE, delay->where,
                      "delay = %g s is %.0f times the %g s between two targets, and %s extrapolates from the last few "
                      "of them: at most %d; a longer time.step or a faster actuator is needed",
                      a->delay, a->delay / spacing, spacing, a->compensator.ops->name, MOST_TARGETS_AHEAD);
}

static enum yk_status read_compensator(const struct yk_experiment *e, const struct yk_node *map, struct yk_actuator *a,
                                       struct yk_err *err)
{
    static const struct yk_field_context context = {.directory = "", .force_means = YK_FORCE};
    struct transfer transfer = {0};
    enum yk_status st = find_compensator(e, map, &a->compensator.ops, err);

    if (st)
        return st;
    const char *name = a->compensator.ops->name;
    const struct yk_block_kind b = {name, a->compensator.ops->params, a->compensator.ops->size};
    if ((st = yk_block_read(e->directory, yk_block_sense(a->limits.turns), map ? map : &yk_block_nothing, &b,
                            yk_keys_compensated, &a->compensator.self, err)) ||
        !map)
        return st;
    if (a->compensator.ops->reached && !e->integrator)
        return yk_fail_at(err, YK_E_UNSUPPORTED, yk_node_get(map, "kind")->where,
                          "compensator %s predicts from the acceleration at the target before, which couplings do not "
                          "know within a step; use an integrator, or compensator lagrange or velocity",
                          name);
    a->compensator.where = map->where;
    if ((st = yk_field_settings(map, yk_keys_compensated, &transfer, &context, err)))
        return st;
    a->delay = strcmp(name, "none") == 0 ? 0 : transfer.delay;
    return check_horizon(e, yk_node_get(map, "delay"), a, err);
}

static enum yk_status read_controller(const struct yk_experiment *e, const struct yk_node *map, struct yk_actuator *a,
                                      struct yk_err *err)
{
    enum yk_status st = find_controller(e, map, &a->controller.ops, err);

    if (st)
        return st;
    a->controller.where = map ? map->where : YK_NOWHERE;
    const struct yk_block_kind b = {a->controller.ops->name, a->controller.ops->params, a->controller.ops->size};
    return yk_block_read(e->directory, yk_block_sense(a->limits.turns), map ? map : &yk_block_nothing, &b,
                         yk_keys_block, &a->controller.self, err);
}

static enum yk_status read_estimator(const struct yk_experiment *e, const struct yk_node *map, struct yk_actuator *a,
                                     struct yk_err *err)
{
    const char *kind;
    enum yk_status st = yk_block_name(map, &kind, err);

    if (st || strcmp(kind, "none") == 0 || (st = find_estimator(e, map, &a->estimator.ops, err)))
        return st;
    a->estimator.where = map->where;
    const struct yk_block_kind b = {a->estimator.ops->name, a->estimator.ops->params, a->estimator.ops->size};
    return yk_block_read(e->directory, yk_block_sense(a->limits.turns), map, &b, yk_keys_block, &a->estimator.self,
                         err);
}

/* An estimator never leaves its bounds: a delay beyond them would be cut at once. */
static enum yk_status check_nominal(const struct yk_node *chain, const struct yk_actuator *a, struct yk_err *err)
{
    const struct yk_param *p = a->estimator.ops ? a->estimator.ops->params : NULL;

    while (p && p->name && strcmp(p->name, "tau_max") != 0)
        p++;
    if (!p || !p->name || p->type != YK_PARAM_REAL)
        return YK_OK;
    const double most = *(const double *)((const char *)a->estimator.self + p->offset);
    if (a->delay <= most)
        return YK_OK;
    return yk_fail_at(err, YK_E_RANGE, yk_node_get(yk_node_get(chain, "compensator"), "delay")->where,
                      "delay = %g s is longer than estimator %s believes, tau_max = %g s", a->delay,
                      a->estimator.ops->name, most);
}

/* By how much the specimen is early on purpose, where the delay is as expected. */
static double lead_of(const struct yk_experiment *e, const struct yk_actuator *a)
{
    const double over[] = {a->feedback.bound - a->delay, (a->feedback.factor - 1) * a->delay,
                           a->feedback.steps * yk_fine_step(e)};

    return over[a->feedback.over];
}

/* Optimal feedback looks for the instant at which a specimen that is early crossed its target. */
static enum yk_status check_optimal(const struct yk_experiment *e, const struct yk_node *map,
                                    const struct yk_actuator *a, struct yk_err *err)
{
    const struct yk_node *bound = yk_node_get(map, "bound"), *window = yk_node_get(map, "window");
    const double lead = lead_of(e, a);

    if (strcmp(a->compensator.ops->name, "none") == 0)
        return yk_fail_at(err, YK_E_INPUT, map->key_where,
                          "feedback optimal needs a compensator, which it makes lead; see `yoke list compensators`");
    if (a->feedback.over == YK_OVER_BOUND && !(lead > 0))
        return yk_fail_at(
            err, YK_E_RANGE, bound ? bound->where : map->key_where,
            "bound = %g s is not above the delay of %g s, so nothing is overcompensated; give the largest "
            "delay to expect",
            a->feedback.bound, a->delay);
    if (a->feedback.window < lead)
        return yk_fail_at(err, YK_E_RANGE, window ? window->where : map->key_where,
                          "window = %g s is shorter than the %g s by which targets are crossed early; twice that is a "
                          "good choice",
                          a->feedback.window, lead);
    return YK_OK;
}

static enum yk_status read_feedback(const struct yk_experiment *e, const struct yk_node *map, struct yk_actuator *a,
                                    struct yk_err *err)
{
    const struct yk_field_context context = {"", YK_FORCE, yk_block_sense(a->limits.turns)};
    struct yk_feedback_settings *f = &a->feedback;
    enum yk_status st;

    if (map &&
        ((st = yk_field_type(map, YK_MAP, "a map", err)) || (st = yk_field_known(map, yk_feedback_params, NULL, err))))
        return st;
    if ((st = yk_field_settings(map ? map : &yk_block_nothing, yk_feedback_params, f, &context, err)) || !map)
        return st;
    const int order = f->x_order > f->r_order ? f->x_order : f->r_order;
    const struct yk_node *samples = yk_node_get(map, "samples");
    if (f->source == YK_FORCE_CORRECTED && f->samples < order + 1)
        return yk_fail_at(err, YK_E_RANGE, samples ? samples->where : map->key_where,
                          "samples = %d is too few for polynomials of order %d: at least %d", f->samples, order,
                          order + 1);
    return f->source == YK_FORCE_OPTIMAL ? check_optimal(e, map, a, err) : YK_OK;
}

enum yk_status yk_build_chain(const struct yk_experiment *e, const struct yk_node *name, struct yk_actuator *a,
                              struct yk_err *err)
{
    static const struct yk_field_context context = {.directory = "", .force_means = YK_FORCE};
    const struct yk_node *chain;
    struct chain settings;
    enum yk_status st;

    if ((st = yk_build_find_actuator(e, "transfer", NULL, name, &chain, err)) ||
        (st = yk_field_known(chain, yk_keys_chain, NULL, err)) ||
        (st = yk_field_settings(chain, yk_keys_chain, &settings, &context, err)))
        return st;
    a->path = settings.path;
    if (!(a->name = strdup(name->text)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    if ((st = read_compensator(e, yk_node_get(chain, "compensator"), a, err)) ||
        (st = read_estimator(e, yk_node_get(chain, "estimator"), a, err)) || (st = check_nominal(chain, a, err)) ||
        (st = read_feedback(e, yk_node_get(chain, "feedback"), a, err)))
        return st;
    return read_controller(e, yk_node_get(chain, "controller"), a, err);
}
