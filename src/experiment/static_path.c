/* `analysis: static`: the stages `push` and `cycle` of `statics` as the path of a quasi-static test on the rig. */
#include "experiment/static_path.h"

#include "base/rotation.h"
#include "experiment/build.h"
#include "transfer/physical.h"
#include "transfer/station.h"
#include "transfer/supervisor.h"

#include <yoke/protocol.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STEPS = 1000000000 };

struct way {
    double step, rate, hold;
};
/* The keys of a stage that count on a rig; the others are those of `yoke push`. */
static const struct yk_param keys[] = {
    YK_NODE("push", "degree of freedom", 0, ""),
    YK_NODE("cycle", "degree of freedom", 0, ""),
    YK_NODE("to", "number with unit", 0, "target of a push"),
    YK_NODE("protocol", "map", 0, "of a cycle"),
    YK_REAL(struct way, step, YK_DISPLACEMENT, 0, 0, 1e6, "largest step"),
    YK_REAL(struct way, rate, YK_VELOCITY, 0, 0, 1e6, "speed between turning points"),
    YK_REAL(struct way, hold, YK_TIME, 0, 0, 1e6, "after each step"),
    YK_PARAM_END,
};

long yk_static_moves(const struct yk_static_leg *leg)
{
    return leg->hold > 0 && leg->step > 0 ? (long)fmax(ceil(fabs(leg->to - leg->from) / leg->step - 1e-9), 1) : 1;
}

long yk_static_steps(const struct yk_static_leg *leg, double dt)
{
    const double way = fabs(leg->to - leg->from) / (double)yk_static_moves(leg);

    return (long)fmin(fmax(ceil(way / leg->speed / dt - 1e-9), 1), MOST_STEPS);
}

long yk_static_pause(const struct yk_static_leg *leg, double dt)
{
    return (long)fmin(ceil(leg->hold / dt - 1e-9), MOST_STEPS);
}

/* Refuses a displacement or a speed that the limits of an actuator do not allow: nothing has moved yet. */
static enum yk_status check_reach(const struct yk_model *e, const struct yk_node *node, const struct yk_static_leg *leg,
                                  struct yk_err *err)
{
    struct yk_system *s = e->substructures[leg->substructure].system;
    const struct yk_supervisor *v = yk_station_supervisor(e->station);
    size_t first;
    const size_t count = yk_physical_actuators(s, &first);
    double *u = calloc(s->n + 2 * yk_station_count(e->station) + 1, sizeof *u), *at = u ? u + s->n : NULL,
           *start = u ? at + yk_station_count(e->station) : NULL;
    enum yk_status st = u ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory");

    for (size_t k = 0; k < 2 && !st; k++) {
        memcpy(u, s->u0, s->n * sizeof *u);
        u[leg->dof] = k ? leg->to : u[leg->dof];
        yk_physical_strokes(s, u, k ? at : start);
    }
    for (size_t i = 0; i < count && !st; i++) {
        const enum yk_quantity means = yk_station_turns(e->station, first + i) ? YK_ANGLE : YK_LENGTH;
        const double reach = yk_supervisor_limit(v, YK_LIMIT_DISPLACEMENT, first + i),
                     rate = yk_supervisor_limit(v, YK_LIMIT_COMMAND_RATE, first + i) * e->time.scale;

        if (yk_station_kind(e->station, first + i) != YK_BY_DISPLACEMENT)
            continue; /* a prescribed force */
        if (!(reach > 0) || !(rate > 0))
            return free(u),
                   yk_fail_at(err, YK_E_INPUT, node->where,
                              "actuator %s has no limits.%s: a quasi-static test needs limits of displacement and "
                              "command_rate",
                              yk_station_name(e->station, first + i), reach > 0 ? "command_rate" : "displacement");
        if (fabs(at[i]) > reach)
            st = yk_fail_at(
                err, YK_E_RANGE, node->where,
                "the stage moves actuator %s to %s, beyond limits.displacement = %s; end it earlier with `to`",
                yk_station_name(e->station, first + i), yk_quantity_format(at[i], means, 6).text,
                yk_quantity_format(reach, means, 6).text);
        else if (fabs(at[i] - start[i]) / fmax(fabs(leg->to - s->u0[leg->dof]), 1e-300) * leg->speed > rate)
            st = yk_fail_at(err, YK_E_RANGE, node->where,
                            "rate = %g is faster than limits.command_rate of actuator %s, %g in time of the test",
                            leg->speed, yk_station_name(e->station, first + i), rate);
    }
    free(u);
    return st;
}

static enum yk_status add(struct yk_model *e, const struct yk_node *node, struct yk_static_leg leg, struct yk_err *err)
{
    struct yk_static_path *p = e->static_path;

    if (p->count == p->room) {
        struct yk_static_leg *larger = realloc(p->legs, (2 * p->room + 16) * sizeof *larger);

        if (!larger)
            return yk_fail(err, YK_E_MEMORY, "out of memory");
        p->legs = larger;
        p->room = 2 * p->room + 16;
    }
    leg.from = e->substructures[leg.substructure].system->u0[leg.dof];
    for (size_t k = p->count; k-- > 0;)
        if (p->legs[k].substructure == leg.substructure && p->legs[k].dof == leg.dof) {
            leg.from = p->legs[k].to; /* of a protocol: the one before */
            break;
        }
    p->legs[p->count++] = leg;
    return check_reach(e, node, &leg, err);
}

static enum yk_status add_cycle(struct yk_model *e, const struct yk_node *node, enum yk_sense sense,
                                struct yk_static_leg leg, struct yk_err *err)
{
    const struct yk_node *map = yk_node_get(node, "protocol");
    struct yk_protocol protocol = {0};
    size_t count = 0;
    double *turns = NULL;
    enum yk_status st = map ? yk_protocol_read(map, sense, &protocol, err)
                            : yk_fail_at(err, YK_E_INPUT, node->where, "cycle: missing protocol");

    if (!st && !(turns = yk_protocol_turns(&protocol, &count)))
        st = yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t i = 0; i < count && !st; i++) {
        leg.to = turns[i];
        st = add(e, node, leg, err);
    }
    free(turns);
    yk_protocol_free(&protocol);
    return st;
}

static enum yk_status add_stage(struct yk_model *e, const struct yk_node *node, struct yk_err *err)
{
    struct yk_field_context context = {.directory = "", .force_means = YK_FORCE};
    static const char *const of_push[] = {"pattern", "stop", "control", "length", "scale", "steps", "locate"};
    const struct yk_node *push, *cycle, *name, *to;
    struct yk_static_leg leg = {0};
    struct way w = {0};
    enum yk_status st = yk_field_type(node, YK_MAP, "a stage as a map", err);

    if (st || yk_node_get(node, "gravity"))
        return st; /* specimens stay where they were installed */
    push = yk_node_get(node, "push");
    cycle = yk_node_get(node, "cycle");
    if (!(name = push ? push : cycle))
        return yk_fail_at(err, YK_E_INPUT, node->where, "a stage has gravity, push or cycle");
    if ((st = yk_field_type(name, YK_SCALAR, "a degree of freedom", err)) ||
        (st = yk_build_find_dof(e, name->where, name->text, &leg.substructure, &leg.dof, err)))
        return st;
    if (!yk_is_physical(e->substructures[leg.substructure].system))
        return yk_fail_at(err, YK_E_INPUT, name->where,
                          "analysis: static moves specimens, and %s is none; `yoke push` computes models",
                          e->substructures[leg.substructure].name);
    for (size_t i = 0; i < sizeof of_push / sizeof *of_push; i++)
        if (yk_node_get(node, of_push[i]))
            return yk_fail_at(err, YK_E_UNSUPPORTED, yk_node_get(node, of_push[i])->key_where,
                              "'%s' is for `yoke push`; on a rig a stage moves one degree of freedom, and has to or "
                              "protocol, step, rate and hold",
                              of_push[i]);
    context.sense = yk_is_rotation(e->substructures[leg.substructure].dofs[leg.dof]) ? YK_ABOUT : YK_ALONG;
    if ((st = yk_field_known(node, keys, NULL, err)) || (st = yk_field_settings(node, keys, &w, &context, err)))
        return st;
    if (!(w.rate > 0))
        return yk_fail_at(err, YK_E_INPUT, node->where,
                          "on a rig a stage needs rate: the speed between turning points");
    leg.speed = w.rate;
    leg.step = w.step;
    leg.hold = w.hold;
    if (cycle)
        return add_cycle(e, node, context.sense, leg, err);
    if (!(to = yk_node_get(node, "to")))
        return yk_fail_at(err, YK_E_INPUT, node->where, "push: missing to");
    st = yk_field_real(to, yk_quantity_of(YK_DISPLACEMENT, context.sense), -1e6, 1e6, &leg.to, err);
    return st ? st : add(e, node, leg, err);
}

/* The run lasts as long as the path. */
static enum yk_status set_end(struct yk_model *e, const struct yk_node *list, struct yk_err *err)
{
    double steps = 0;

    for (size_t i = 0; i < e->static_path->count; i++) {
        const struct yk_static_leg *leg = &e->static_path->legs[i];

        steps += (double)yk_static_moves(leg) *
                 (double)(yk_static_steps(leg, e->time.step) + yk_static_pause(leg, e->time.step));
    }
    if (!(steps <= MOST_STEPS))
        return yk_fail_at(err, YK_E_RANGE, list->where, "the path takes %.3g steps of %g s; at most %d", steps,
                          e->time.step, MOST_STEPS);
    e->static_path->steps = e->steps = (long)steps;
    e->time.end = steps * e->time.step;
    return YK_OK;
}

enum yk_status yk_build_static_path(struct yk_model *e, struct yk_err *err)
{
    const struct yk_node *list = yk_node_get(e->tree, "statics");
    enum yk_status st = YK_OK;

    if (!e->analysis || e->static_only || yk_has_models_only(e))
        return YK_OK;
    if (!e->station)
        return yk_fail_at(err, YK_E_INPUT, yk_node_get(e->tree, "analysis")->where,
                          "analysis: static leads specimens along `statics`, and no substructure is physical; `yoke "
                          "push` computes models");
    if (!list || !list->count)
        return yk_fail_at(err, YK_E_INPUT, yk_node_get(e->tree, "analysis")->where,
                          "analysis: static needs statics: a list of stages, such as\n"
                          "  - { cycle: specimen.x, protocol: { kind: sac }, rate: 1 mm/s }");
    if ((st = yk_field_type(list, YK_LIST, "a list of stages", err)))
        return st;
    if (!(e->static_path = calloc(1, sizeof *e->static_path)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t i = 0; i < list->count && !st; i++)
        st = add_stage(e, list->items[i], err);
    if (!st && !e->static_path->count)
        st = yk_fail_at(err, YK_E_INPUT, list->where, "analysis: static needs a stage with push or cycle");
    return st ? st : set_end(e, list, err);
}

void yk_static_path_free(struct yk_static_path *path)
{
    if (path)
        free(path->legs);
    free(path);
}
