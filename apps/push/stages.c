/* The key `statics` of an experiment file. */
#include "path.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static enum yk_status no_memory(struct yk_err *err)
{
    return yk_fail(err, YK_E_MEMORY, "out of memory");
}

/* ---- keys ------------------------------------------------------------------------------------------------------ */

struct gravity {
    char *gravity;
    int steps, specimens;
};
static const struct yk_param gravity_keys[] = {
    YK_TEXT(struct gravity, gravity, YK_REQUIRED, "all: every permanent load"),
    YK_COUNT(struct gravity, steps, 10, 1, 10000, "equal increments"),
    YK_CHOICE(struct gravity, specimens, "held|share", 0,
              "specimens stay where they were installed, or take their share"),
    YK_PARAM_END,
};

struct way {
    char *dof;
    double to, step, length, scale, rate, hold;
    int control, steps;
    bool locate;
};
static const struct yk_param push_keys[] = {
    {.name = "push",
     .type = YK_PARAM_TEXT,
     .offset = offsetof(struct way, dof),
     .fallback = YK_REQUIRED,
     .help = "control displacement"},
    YK_REAL(struct way, to, YK_DISPLACEMENT, YK_REQUIRED, -1e6, 1e6, "its target"),
    YK_REAL(struct way, step, YK_DISPLACEMENT, 0, 0, 1e6, "largest step; default: a hundredth of the way"),
    YK_CHOICE(struct way, control, "displacement|arc", 0, "what advances: the control displacement, or the arc-length"),
    YK_REAL(struct way, length, YK_NUMBER, 0, 0, 1e6, YK_WHEN("control=arc", "of an arc, then constant")),
    YK_REAL(struct way, scale, YK_NUMBER, 0, 0, 1e15, YK_WHEN("control=arc", "of the load factor in the length")),
    YK_COUNT(struct way, steps, 1000, 1, 1000000, YK_WHEN("control=arc", "at most")),
    YK_FLAG(struct way, locate, 0, "find events to a thousandth of a step"),
    YK_REAL(struct way, rate, YK_VELOCITY, 0, 0, 1e6, "on a rig: speed"),
    YK_REAL(struct way, hold, YK_TIME, 0, 0, 1e6, "on a rig: after each step"),
    YK_NODE("pattern", "map of degree of freedom to factor", 0, ""),
    YK_NODE("stop", "map of drop", 0, ""),
    YK_PARAM_END,
};
static const struct yk_param cycle_keys[] = {
    {.name = "cycle",
     .type = YK_PARAM_TEXT,
     .offset = offsetof(struct way, dof),
     .fallback = YK_REQUIRED,
     .help = "control displacement"},
    YK_REAL(struct way, step, YK_DISPLACEMENT, YK_REQUIRED, YK_TINY, 1e6, "largest step"),
    YK_REAL(struct way, rate, YK_VELOCITY, 0, 0, 1e6, "on a rig: speed between turning points"),
    YK_REAL(struct way, hold, YK_TIME, 0, 0, 1e6, "on a rig: after each step"),
    YK_FLAG(struct way, locate, 0, "find events to a thousandth of a step"),
    YK_NODE("protocol", "map", YK_REQUIRED, ""),
    YK_NODE("pattern", "map of degree of freedom to factor", 0, ""),
    YK_NODE("stop", "map of drop", 0, ""),
    YK_PARAM_END,
};

struct duration {
    bool permanent;
};
static const struct yk_param duration_keys[] = {
    YK_FLAG(struct duration, permanent, 0, ""),
    YK_PARAM_END,
};

struct stop {
    double drop;
};
static const struct yk_param stop_keys[] = {
    YK_REAL(struct stop, drop, YK_NUMBER, YK_REQUIRED, 1e-6, 1, "fall of the load factor after its peak"),
    YK_PARAM_END,
};

/* ---- reading --------------------------------------------------------------------------------------------------- */

static const struct yk_field_context plain = {.directory = "", .force_means = YK_FORCE};

static enum yk_status read_gravity(struct stage *s, struct yk_err *err)
{
    struct gravity g = {0};
    enum yk_status st;

    if (!(st = yk_field_known(s->node, gravity_keys, NULL, err)) &&
        !(st = yk_field_settings(s->node, gravity_keys, &g, &plain, err))) {
        s->steps = g.steps;
        if (strcmp(g.gravity, "all") != 0)
            st = yk_fail_at(err, YK_E_INPUT, yk_node_get(s->node, "gravity")->where,
                            "gravity: '%s' is not known; it is all: every load that is permanent", g.gravity);
        else if (g.specimens)
            st = yk_fail_at(
                err, YK_E_UNSUPPORTED, yk_node_get(s->node, "specimens")->where,
                "specimens: share moves specimens and needs a rig; `yoke push` computes with specimens held");
    }
    yk_param_free(gravity_keys, &g);
    return st;
}

/* Is it a rotation, by the last part of its name? */
static enum yk_sense sense_of(const char *name)
{
    const char *dot = strrchr(name, '.');

    return dot && dot[1] == 'r' && dot[2] >= 'x' && dot[2] <= 'z' && !dot[3] ? YK_ABOUT : YK_ALONG;
}

static enum yk_status read_pattern(const struct statics *q, struct stage *s, struct yk_err *err)
{
    const struct yk_node *pattern = yk_node_get(s->node, "pattern");
    double *column;
    enum yk_status st = YK_OK;

    s->own = !pattern;
    if (!pattern)
        memcpy(s->p, s->c, q->n * sizeof *s->p);
    if (!pattern || pattern->type != YK_MAP) {
        if (pattern && (pattern->type != YK_SCALAR || yk_choice_index("uniform|triangle|mode", pattern->text) < 0))
            return yk_fail_at(err, YK_E_INPUT, pattern->where,
                              "pattern is a map of degrees of freedom to factors, or uniform, triangle or mode");
        return YK_OK;
    }
    if (!pattern->count)
        return yk_fail_at(err, YK_E_INPUT, pattern->where, "pattern is empty");
    if (!(column = malloc(q->n * sizeof *column)))
        return no_memory(err);
    for (size_t i = 0; i < pattern->count && !st; i++) {
        const struct yk_node *one = pattern->items[i];
        double factor = 0;

        if ((st = yk_field_real(one, YK_NUMBER, -1e15, 1e15, &factor, err)) ||
            (st = statics_find(q, one->key_where, one->key, column, err)))
            break;
        yk_add_scaled(q->n, factor, column, s->p);
    }
    free(column);
    if (!st && !(yk_dot(q->n, s->p, s->p) > 0))
        st = yk_fail_at(err, YK_E_INPUT, pattern->where, "pattern: all factors are 0");
    return st;
}

static enum yk_status read_way(const struct statics *q, struct stage *s, const struct yk_param *keys, const char *key,
                               struct yk_err *err)
{
    const struct yk_node *dof = yk_node_get(s->node, key), *stop = yk_node_get(s->node, "stop");
    struct yk_field_context context = plain;
    struct way w = {0};
    enum yk_status st;

    s->c = calloc(2 * q->n + 1, sizeof *s->c);
    if (!s->c)
        return no_memory(err);
    s->p = s->c + q->n;
    if ((st = yk_field_known(s->node, keys, NULL, err)) ||
        (st = yk_field_type(dof, YK_SCALAR, "a degree of freedom", err)) ||
        (st = statics_find(q, dof->where, dof->text, s->c, err)) || (st = read_pattern(q, s, err)))
        return st;
    snprintf(s->control, sizeof s->control, "%s", dof->text);
    context.sense = s->sense = sense_of(dof->text);
    if (!(yk_dot(q->n, s->c, s->c) > 0))
        return yk_fail_at(err, YK_E_INPUT, dof->where, "%s cannot move: an interface holds it", dof->text);
    if (!(st = yk_field_settings(s->node, keys, &w, &context, err))) {
        s->to = w.to;
        s->step = w.step;
        s->arc = w.control == 1;
        s->steps = w.steps;
        s->length = w.length;
        s->scale = w.scale;
        s->locate = w.locate;
    }
    yk_param_free(keys, &w);
    if (!st && stop) {
        struct stop bounds = {0};

        if (!(st = yk_field_type(stop, YK_MAP, "a map of drop", err)) &&
            !(st = yk_field_known(stop, stop_keys, NULL, err)) &&
            !(st = yk_field_settings(stop, stop_keys, &bounds, &plain, err)))
            s->drop = bounds.drop;
    }
    return st;
}

static enum yk_status read_stage(const struct statics *q, const struct yk_node *node, struct stage *s,
                                 struct yk_err *err)
{
    const struct yk_node *protocol = NULL;
    enum yk_status st = yk_field_type(node, YK_MAP, "a stage as a map", err);

    if (st)
        return st;
    s->node = node;
    if (yk_node_get(node, "gravity"))
        return read_gravity(s, err);
    if (yk_node_get(node, "push")) {
        s->kind = STAGE_PUSH;
        return read_way(q, s, push_keys, "push", err);
    }
    if (!yk_node_get(node, "cycle"))
        return yk_fail_at(err, YK_E_INPUT, node->where, "a stage has gravity, push or cycle");
    s->kind = STAGE_CYCLE;
    if ((st = read_way(q, s, cycle_keys, "cycle", err)))
        return st;
    protocol = yk_node_get(node, "protocol");
    return protocol ? yk_protocol_read(protocol, s->sense, &s->protocol, err)
                    : yk_fail_at(err, YK_E_INPUT, node->where, "cycle: missing protocol");
}

enum yk_status stages_read(const struct statics *q, struct stage **stages, size_t *count, struct yk_err *err)
{
    const struct yk_node *root = yk_parts_tree(q->parts), *list = yk_node_get(root, "statics");
    enum yk_status st;

    *stages = NULL;
    *count = 0;
    if (!list)
        return yk_fail_at(err, YK_E_INPUT, root->where,
                          "there is no statics: list its stages, such as\nstatics:\n  - { gravity: all }\n"
                          "  - { push: frame.roof.x, to: 0.2 m }");
    if ((st = yk_field_type(list, YK_LIST, "a list of stages", err)))
        return st;
    if (!list->count)
        return yk_fail_at(err, YK_E_INPUT, list->where, "statics is empty");
    if (!(*stages = calloc(list->count, sizeof **stages)))
        return no_memory(err);
    *count = list->count;
    for (size_t i = 0; i < list->count && !st; i++)
        st = read_stage(q, list->items[i], &(*stages)[i], err);
    return st;
}

void stages_free(struct stage *stages, size_t count)
{
    for (size_t i = 0; stages && i < count; i++) {
        free(stages[i].c);
        yk_protocol_free(&stages[i].protocol);
    }
    free(stages);
}

/* ---- patterns -------------------------------------------------------------------------------------------------- */

/* b := 1 (or the height above the lowest place) in the degrees of freedom of one direction. */
static enum yk_status influence(const struct statics *q, const char *direction, bool heights, double *b,
                                struct yk_err *err)
{
    double lowest = INFINITY;

    memset(b, 0, q->n * sizeof *b);
    for (int pass = 0; pass < 2; pass++)
        for (size_t k = 0; k < yk_parts_count(q->parts); k++) {
            const struct yk_substructure *s = yk_part(q->parts, k);
            const struct yk_frame *f = yk_part_frame(q->parts, k, NULL);
            const double *place = yk_part_places(q->parts, k);
            const size_t up = f && !f->plane ? 2 : 1;
            double *local = calloc(s->system->n + 1, sizeof *local);

            if (!local)
                return no_memory(err);
            for (size_t i = 0; f && i < f->node_count; i++)
                lowest = fmin(lowest, f->nodes[i].at[up]);
            for (size_t i = 0; i < s->system->n; i++) {
                const char *dot = strrchr(s->dofs[i], '.');

                if (strcmp(dot ? dot + 1 : s->dofs[i], direction) == 0)
                    local[i] = !heights ? 1 : place ? place[3 * i + up] - lowest : NAN;
            }
            if (pass)
                yk_matrix_add_product(&q->assembly->map[k], 1, local, b);
            free(local);
        }
    return yk_all_finite(q->n, b) ? YK_OK
                                  : yk_fail(err, YK_E_INPUT, "pattern: triangle needs coordinates of all nodes");
}

/* A node that several substructures share counts once: entries of b are those of one of them. */
static void bound(size_t n, double *b, double most)
{
    for (size_t i = 0; i < n; i++)
        b[i] = fmin(b[i], most);
}

enum yk_status stage_pattern(struct stage *s, struct statics *q, struct yk_err *err)
{
    const struct yk_node *pattern = yk_node_get(s->node, "pattern");
    const char *dot = strrchr(s->control, '.'), *direction = dot ? dot + 1 : s->control;
    double *b, w2, sum;
    size_t found;
    enum yk_status st;

    if (!pattern || pattern->type == YK_MAP)
        return YK_OK;
    if (!(b = calloc(2 * q->n, sizeof *b)))
        return no_memory(err);
    if (!(st = influence(q, direction, false, b + q->n, err))) {
        bound(q->n, b + q->n, 1);
        memcpy(b, b + q->n, q->n * sizeof *b);
        if (strcmp(pattern->text, "triangle") == 0)
            st = influence(q, direction, true, b, err);
        else if (strcmp(pattern->text, "mode") == 0 && !(st = statics_tangent(q, q->u, NULL, err)))
            st = modes_of(&q->K, &q->s->M, 1, &w2, b, &found, err);
    }
    if (!st) {
        memset(s->p, 0, q->n * sizeof *s->p);
        yk_matrix_add_product(&q->s->M, 1, b, s->p);
        sum = yk_dot(q->n, s->p, b + q->n);
        if (!(fabs(sum) > 0))
            st = yk_fail(err, YK_E_INPUT, "pattern: nothing has mass in the direction of %s", s->control);
        for (size_t i = 0; i < q->n && !st; i++)
            s->p[i] /= sum;
    }
    free(b);
    return st ? yk_fail_within(err, pattern->where, "%s", "") : YK_OK;
}

bool stages_permanent(const struct statics *q, double *P)
{
    const struct yk_node *loads = yk_node_get(yk_parts_tree(q->parts), "loads");
    bool some = false;

    for (size_t i = 0; i < yk_parts_loads(q->parts); i++) {
        const struct yk_load *load = yk_parts_load(q->parts, i);
        struct duration duration = {0};

        if (yk_field_settings(loads->items[load->entry], duration_keys, &duration, &plain, NULL) || !duration.permanent)
            continue;
        some = true;
        yk_matrix_add_product(&q->assembly->map[load->substructure], load->signal->value(load->settings, 0),
                              load->direction, P);
    }
    return some;
}
