/* Stages one after the other. Units: N, m, rad. */
#include "path.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HALVINGS = 10, FEW = 5, CALM = 3 };
#define GROWTH 1.5

/* The stage's c and p become those of the search; loads of another pattern before it are kept. */
static enum yk_status begin(struct path *p, struct stage *s, struct yk_err *err)
{
    struct statics *q = p->q;
    enum yk_status st = stage_pattern(s, q, err);

    if (st)
        return st;
    if (memcmp(q->p, s->p, q->n * sizeof *q->p) != 0) {
        yk_add_scaled(q->n, q->lambda, q->p, q->P);
        q->lambda = 0;
        memcpy(q->p, s->p, q->n * sizeof *q->p);
    }
    if (memcmp(q->c, s->c, q->n * sizeof *q->c) != 0 || !(q->spring > 0)) {
        double *Kc = q->product;

        memcpy(q->c, s->c, q->n * sizeof *q->c);
        if ((st = statics_tangent(q, q->u, NULL, err)))
            return st;
        memset(Kc, 0, q->n * sizeof *Kc);
        yk_matrix_add_product(&q->K, 1, q->c, Kc);
        q->spring = fabs(yk_dot(q->n, q->c, Kc));
        q->spring = q->spring > 0 ? q->spring : 1;
    }
    p->peak = 0;
    p->dropped = false;
    p->factor_known = q->lambda != 0;
    p->last_x = yk_dot(q->n, q->c, q->u);
    p->last_lambda = q->lambda;
    return YK_OK;
}

/* A trial state is accepted: events, commit, row. */
static enum yk_status accept(struct path *p, double lambda, bool *stop, struct yk_err *err)
{
    struct statics *q = p->q;
    enum yk_status st;

    *stop = false;
    for (size_t i = 0; i < q->n; i++)
        p->change[i] = q->trial[i] - q->u[i];
    const bool pushes = p->stages[p->stage].kind != STAGE_GRAVITY;
    if (pushes && (st = events_before(p, yk_dot(q->n, q->c, q->trial), lambda, err)))
        return st;
    for (size_t i = 0; i < q->n; i++) /* a search between may have moved the trial state */
        q->trial[i] = q->u[i] + p->change[i];
    statics_commit(q, lambda);
    if ((st = path_row(p, err)))
        return st;
    return pushes ? events_after(p, stop, err) : YK_OK;
}

static void cannot(struct path *p, const char *hint)
{
    const struct statics *q = p->q;
    double local = 0;
    const char *part = "", *dof = "";

    for (size_t k = 0; k < yk_parts_count(q->parts); k++) { /* the degree of freedom with the largest residual */
        const struct yk_substructure *s = yk_part(q->parts, k);
        double *own = calloc(s->system->n + 1, sizeof *own), *unit = calloc(q->n, sizeof *unit);

        if (own && unit) {
            unit[q->largest] = 1;
            statics_share(q, k, unit, own);
            for (size_t i = 0; i < s->system->n; i++)
                if (fabs(own[i]) > local) {
                    local = fabs(own[i]);
                    part = s->name;
                    dof = s->dofs[i];
                }
        }
        free(own);
        free(unit);
    }
    snprintf(
        p->why, sizeof p->why,
        "no equilibrium beyond %s = %.6g %s, factor %.6g: the step was halved %d times; %.3g %s are left at %s.%s%s",
        p->stages[p->stage].control[0] ? p->stages[p->stage].control : "the permanent loads", path_control(p),
        p->stages[p->stage].sense == YK_ABOUT ? "rad" : "m", q->lambda, HALVINGS, q->left,
        q->turns[q->largest] ? "N m" : "N", part, dof, hint);
}

/* ---- gravity --------------------------------------------------------------------------------------------------- */

/* Degrees of freedom that specimens hold: their own ones, each alone at a place of the structure. */
static enum yk_status hold_specimens(struct path *p, bool held, struct yk_err *err)
{
    struct statics *q = p->q;
    const struct yk_node *parts = yk_node_get(yk_parts_tree(q->parts), "substructures");

    for (size_t k = 0; k < yk_parts_count(q->parts); k++) {
        const struct yk_substructure *s = yk_part(q->parts, k);
        const struct yk_node *own = yk_node_get(parts, s->name), *role = own ? yk_node_get(own, "role") : NULL;
        double *local = role && strcmp(role->text, "physical") == 0 ? calloc(s->system->n + 1, sizeof *local) : NULL;

        for (size_t i = 0; local && i < s->system->n; i++) {
            size_t places = 0, at = 0;

            memset(q->product, 0, q->n * sizeof *q->product);
            local[i] = 1;
            yk_matrix_add_product(&q->assembly->map[k], 1, local, q->product);
            local[i] = 0;
            for (size_t j = 0; j < q->n; j++)
                if (q->product[j] != 0) {
                    places++;
                    at = j;
                }
            if (places != 1) {
                free(local);
                return yk_fail(
                    err, YK_E_UNSUPPORTED,
                    "gravity beside specimen '%s': %s moves with several degrees of freedom of the structure; "
                    "join one with one",
                    s->name, s->dofs[i]);
            }
            q->held[at] = held;
        }
        free(local);
    }
    return YK_OK;
}

static enum yk_status walk_gravity(struct path *p, const struct stage *s, struct yk_err *err)
{
    struct statics *q = p->q;
    double *whole = calloc(q->n, sizeof *whole), lambda, done = 0, part = 1.0 / s->steps;
    enum yk_status st = YK_OK;
    int halved = 0;
    bool stop;

    if (!whole)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    if (!stages_permanent(q, whole)) {
        free(whole);
        return yk_fail_at(err, YK_E_INPUT, s->node->where, "gravity: no load of the file is permanent");
    }
    if ((st = hold_specimens(p, true, err))) {
        free(whole);
        return st;
    }
    while (done < 1 - 1e-12 && !st) {
        const double next = done + part > 1 - 1e-9 ? 1 : done + part;

        for (size_t i = 0; i < q->n; i++)
            q->P[i] = next * whole[i];
        if (!statics_search(q, &(struct condition){0}, &lambda)) {
            part /= 2;
            if (++halved > HALVINGS) {
                char hint[120];

                snprintf(hint, sizeof hint, "; %.4g %% of the permanent loads are carried", 100 * done);
                cannot(p, hint);
                st = YK_E_DIVERGED;
            }
            continue;
        }
        st = accept(p, 0, &stop, err);
        done = next;
    }
    for (size_t i = 0; i < q->n; i++)
        if (q->held[i])
            q->P[i] += q->lambda0[i];
    memset(q->held, 0, q->n * sizeof *q->held);
    free(whole);
    return st;
}

/* ---- displacement control -------------------------------------------------------------------------------------- */

/* Moves the control displacement to `to` in equal steps of at most `step`. */
static enum yk_status walk_to(struct path *p, const struct stage *s, double to, double step, bool *stop,
                              struct yk_err *err)
{
    struct statics *q = p->q;
    const double from = yk_dot(q->n, q->c, q->u), way = to - from;
    const double steps = ceil(fabs(way) / step - 1e-9);
    double most = steps > 0 ? way / steps : 0, h = most, lambda;
    int halved = 0, calm = 0;
    enum yk_status st = YK_OK;

    *stop = false;
    while (!*stop && !st) {
        const double x = yk_dot(q->n, q->c, q->u), left = to - x;

        if (fabs(left) <= 1e-10 * fabs(way) || steps == 0)
            return YK_OK;
        const double go = fabs(left) <= fabs(h) * (1 + 1e-6) ? left : h;

        p->searches++;
        if (statics_search(q, &(struct condition){.d = q->c, .g = go}, &lambda)) {
            calm = q->iterations <= FEW ? calm + 1 : 0;
            halved = 0;
            if (calm >= CALM && fabs(h) < fabs(most)) {
                h = fabs(GROWTH * h) < fabs(most) ? GROWTH * h : most;
                calm = 0;
            }
            st = accept(p, lambda, stop, err);
            continue;
        }
        h = go / 2;
        calm = 0;
        p->halvings++;
        if (++halved > HALVINGS) {
            cannot(p, s->kind == STAGE_PUSH ? "; if the control displacement turns back, try control: arc" : "");
            return YK_E_DIVERGED;
        }
    }
    return st;
}

static enum yk_status walk_cycle(struct path *p, const struct stage *s, struct yk_err *err)
{
    size_t count;
    double *turns = yk_protocol_turns(&s->protocol, &count);
    enum yk_status st = turns ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory");
    bool stop = false;

    for (size_t i = 0; turns && i < count && !st && !stop; i++)
        st = walk_to(p, s, turns[i], s->step, &stop, err);
    free(turns);
    return st;
}

/* ---- arc-length ------------------------------------------------------------------------------------------------ */

struct arc {
    double *way; /* n: direction, then increment, of a step */
    double dlambda, length, scale;
};
/* The step before. */
struct before {
    double *u, *way; /* where it began, and its increment; n */
    double lambda, dlambda, tangent;
};

/* The load factor and x at a distance l along the way from the committed state; false: no equilibrium there. */
static bool look_along(struct statics *q, const struct arc *a, double l, double *lambda, double *x)
{
    double *guess = malloc(q->n * sizeof *guess);
    bool found = false;

    if (guess) {
        yk_scaled(q->n, l / a->length, a->way, guess);
        found =
            statics_search(q,
                           &(struct condition){
                               .arc = true, .g = l, .e = a->scale, .way = guess, .dlambda = a->dlambda * l / a->length},
                           lambda);
        *x = yk_dot(q->n, q->c, q->trial);
    }
    free(guess);
    return found;
}

/* A limit point within the step `way` from the committed state: parabolas through three states, the new one taken for
 * the worst, until the place stands still. Writes an event. */
static void find_limit(struct path *p, const struct arc *arc, double step, struct yk_err *err)
{
    struct statics *q = p->q;
    const double length = arc->length;
    double l[3] = {0, 0.5 * length, length}, f[3] = {q->lambda, 0, q->lambda + arc->dlambda}, at = -1, x = 0, value = 0;

    if (!look_along(q, arc, l[1], &f[1], &x))
        return;
    for (int i = 0; i < 20; i++) {
        const double a = ((f[2] - f[1]) / (l[2] - l[1]) - (f[1] - f[0]) / (l[1] - l[0])) / (l[2] - l[0]);
        const double b = (f[1] - f[0]) / (l[1] - l[0]) - a * (l[0] + l[1]), before = at;

        at = -b / (2 * a);
        if (!(at > 0 && at < length) || !look_along(q, arc, at, &value, &x) || fabs(at - before) <= 1e-6 * length)
            break;
        const size_t near = at < l[1] ? 0 : 2;
        const double sign = a < 0 ? 1 : -1; /* of a peak, or of a valley */

        if (sign * value > sign * f[1]) { /* the new one is the middle, and the old middle an end */
            l[2 - near] = l[1];
            f[2 - near] = f[1];
            l[1] = at;
            f[1] = value;
        } else {
            l[near] = at;
            f[near] = value;
        }
    }
    if (at > 0 && at < length)
        (void)event_add(p, step + at / length, x, value, err, "limit point");
}

/* The direction of the path, of length 1, on the same way as the last increment; the first one towards the target. */
static bool predict(struct path *p, const struct stage *s, struct arc *a, const struct before *last, bool first)
{
    struct statics *q = p->q;
    const double way = s->to - yk_dot(q->n, q->c, q->u);
    double dlambda;

    if (!statics_direction(q, first ? NULL : last->way, first ? 1 : a->scale * a->scale * last->dlambda, a->way,
                           &dlambda))
        return false;
    if (first && !(a->scale > 0))
        a->scale = sqrt(yk_dot(q->n, a->way, a->way)) / fabs(dlambda);
    double size = sqrt(yk_dot(q->n, a->way, a->way) + a->scale * a->scale * dlambda * dlambda);

    if (first && yk_dot(q->n, q->c, a->way) * way < 0)
        size = -size;
    for (size_t i = 0; i < q->n; i++)
        a->way[i] /= size;
    a->dlambda = dlambda / size;
    if (first && !(s->length > 0))
        a->length = (s->step > 0 ? s->step : fabs(way) / 100) / fabs(yk_dot(q->n, q->c, a->way));
    return isfinite(a->length) && yk_all_finite(q->n, a->way);
}

/* The load factor turned within the step that was made last: goes back to its begin, finds where, and makes it again.
 */
static void look_back(struct path *p, const struct arc *a, struct before *last, struct yk_err *err)
{
    struct statics *q = p->q;
    double *end = malloc(q->n * sizeof *end);
    const double lambda = q->lambda, time = q->time;
    struct arc step = {.way = last->way, .dlambda = last->dlambda, .scale = a->scale};

    if (!end)
        return;
    step.length = sqrt(yk_dot(q->n, step.way, step.way) + step.scale * step.scale * step.dlambda * step.dlambda);
    memcpy(end, q->u, q->n * sizeof *end);
    if (q->s->ops->rewind)
        q->s->ops->rewind(q->s->self);
    memcpy(q->u, last->u, q->n * sizeof *q->u);
    q->lambda = last->lambda;
    q->time -= q->tick;
    find_limit(p, &step, (double)p->count - 2, err);
    memcpy(q->trial, end, q->n * sizeof *end);
    statics_commit(q, lambda);
    q->time = time;
    free(end);
}

/* One step along the arc, committed. YK_E_DIVERGED: no equilibrium, nothing has changed. */
static enum yk_status step_along(struct path *p, struct arc *a, struct before *last, bool *stop, struct yk_err *err)
{
    struct statics *q = p->q;
    double lambda;

    for (size_t i = 0; i < q->n; i++)
        a->way[i] *= a->length;
    a->dlambda *= a->length;
    if (!statics_search(
            q, &(struct condition){.arc = true, .g = a->length, .e = a->scale, .way = a->way, .dlambda = a->dlambda},
            &lambda))
        return YK_E_DIVERGED;
    memcpy(last->u, q->u, q->n * sizeof *q->u);
    last->lambda = q->lambda;
    last->dlambda = lambda - q->lambda;
    for (size_t i = 0; i < q->n; i++)
        last->way[i] = q->trial[i] - q->u[i];
    if (q->s->ops->mark)
        q->s->ops->mark(q->s->self);
    return accept(p, lambda, stop, err);
}

static enum yk_status follow(struct path *p, const struct stage *s, struct arc *a, struct before *last,
                             struct yk_err *err)
{
    struct statics *q = p->q;
    const double way = s->to - yk_dot(q->n, q->c, q->u);
    double shortest = 0, longest = 0;
    enum yk_status st = YK_OK;
    int made = 0, halved = 0;
    bool stop = false;

    while (!st && !stop && (yk_dot(q->n, q->c, q->u) - s->to) * way < 0) {
        const double length = a->length;

        if (made == s->steps) {
            snprintf(p->why, sizeof p->why, "%d steps are made, and %s = %.6g %s is not at its target of %.6g", made,
                     s->control, yk_dot(q->n, q->c, q->u), s->sense == YK_ABOUT ? "rad" : "m", s->to);
            return YK_E_STOPPED;
        }
        st = predict(p, s, a, last, made == 0) ? YK_OK : YK_E_DIVERGED;
        const double tangent = a->dlambda;
        if (!st && made == 0) {
            shortest = a->length / 1000;
            longest = 4 * a->length;
        } else if (!st && tangent * last->tangent < 0)
            look_back(p, a, last, err);
        if (!st) {
            last->tangent = tangent;
            st = step_along(p, a, last, &stop, err);
        }
        if (st == YK_E_DIVERGED && made && ++halved <= HALVINGS) {
            a->length = length / 2;
            p->halvings++;
            st = YK_OK;
            continue;
        }
        const double iterations = q->iterations > 1 ? (double)q->iterations : 1;
        if (!(s->length > 0))
            a->length = fmin(fmax(a->length * sqrt(5 / iterations), shortest), longest);
        else if (halved) /* a constant length comes back */
            a->length = fmin(2 * a->length, s->length);
        halved = 0;
        made++;
    }
    if (st == YK_E_DIVERGED)
        cannot(p, "");
    return st;
}

static enum yk_status walk_arc(struct path *p, const struct stage *s, struct yk_err *err)
{
    const size_t n = p->q->n;
    struct arc a = {.length = s->length, .scale = s->scale};
    struct before last = {0};
    enum yk_status st;

    if (!(a.way = calloc(3 * n, sizeof *a.way)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    last.u = a.way + n;
    last.way = a.way + 2 * n;
    st = follow(p, s, &a, &last, err);
    free(a.way);
    return st;
}

/* ---- any of them ----------------------------------------------------------------------------------------------- */

enum yk_status path_stage(struct path *p, struct yk_err *err)
{
    struct stage *s = &p->stages[p->stage];
    bool stop;
    enum yk_status st;

    if (s->kind == STAGE_GRAVITY)
        return walk_gravity(p, s, err);
    if ((st = begin(p, s, err)))
        return st;
    if (s->kind == STAGE_CYCLE)
        return walk_cycle(p, s, err);
    const double way = fabs(s->to - yk_dot(p->q->n, s->c, p->q->u));

    return s->arc ? walk_arc(p, s, err) : walk_to(p, s, s->to, s->step > 0 ? s->step : way / 100, &stop, err);
}
