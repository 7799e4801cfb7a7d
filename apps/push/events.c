/* Events on the path: hinges that yield and fail, the peak of the load factor and what follows it. Units: N, m, rad. */
#include "path.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BISECTIONS = 10, MOST_PIVOTS = 3000 };

enum yk_status event_add(struct path *p, double step, double x, double lambda, struct yk_err *err, const char *format,
                         ...)
{
    struct event *larger = realloc(p->events, (p->event_count + 1) * sizeof *larger);
    va_list values;

    if (!larger)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    p->events = larger;
    larger[p->event_count] = (struct event){.step = step, .x = x, .lambda = lambda, .stage = p->stage};
    va_start(values, format);
    vsnprintf(larger[p->event_count++].words, sizeof larger->words, format, values);
    va_end(values);
    return YK_OK;
}

/* ---- the hinges of the file ------------------------------------------------------------------------------------ */

static enum yk_status add_hinge(struct path *p, size_t k, const struct yk_look *look, struct yk_err *err)
{
    const struct yk_substructure *s = yk_part(p->q->parts, k);
    struct hinge *larger = realloc(p->hinges, (p->hinge_count + 1) * sizeof *larger), *h;
    const char *member = yk_look_member(s->system, look);

    if (!larger)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    p->hinges = larger;
    h = &larger[p->hinge_count++];
    *h = (struct hinge){.part = k, .member = look->member, .system = s->system, .rotation = *look, .moment = *look};
    h->moment.kind = YK_LOOK_MOMENT;
    snprintf(h->name, sizeof h->name, "%s.%s.hinge%zu%s", s->name, member, look->point + 1, look->component ? "y" : "");
    yk_hinge_find(p->q->parts, k, member, look->point, look->component != 0, &h->points);
    return YK_OK;
}

enum yk_status events_open(struct path *p, struct yk_err *err)
{
    enum yk_status st = YK_OK;

    for (size_t i = 0; i < p->look_count && !st; i++)
        if (p->looks[i].kind == YK_LOOK_ROTATION)
            st = add_hinge(p, p->look_part[i], &p->looks[i], err);
    return st;
}

/* ---- their states ---------------------------------------------------------------------------------------------- */

static double ratio(double x, const double limit[2])
{
    return x >= 0 ? x / limit[1] : -x / limit[0];
}

/* Moment over that at yield; *rotation goes with it. Displacements are those of p->states. */
static double demand(const struct path *p, const struct hinge *h, double *rotation)
{
    *rotation = yk_look_now(h->system, &h->rotation, p->u[h->part]);
    return ratio(yk_look_now(h->system, &h->moment, p->u[h->part]), h->points.strength);
}

static int state_of(const struct hinge *h, double value, double rotation)
{
    if (ratio(rotation, h->points.last) >= 1)
        return 3;
    if (ratio(rotation, h->points.cap) >= 1)
        return 2;
    return value >= 1 - 1e-12 ? 1 : 0;
}

static const char *const states[] = {"elastic", "yields", "is on its falling branch", "is beyond its last point"};

/* The place of an event of hinge h between two steps, in x, by bisection: to a thousandth of the step. */
static double locate(struct path *p, const struct hinge *h, int state, double x, double *lambda)
{
    double low = p->last_x, high = x, at_high = *lambda;

    for (int i = 0; i < BISECTIONS; i++) {
        const double middle = 0.5 * (low + high);
        double rotation, l;

        if (!statics_search(p->q, &(struct condition){.d = p->q->c, .g = middle - p->last_x}, &l))
            break;
        path_state(p, p->q->trial);
        const double value = demand(p, h, &rotation);
        if (state_of(h, value, rotation) >= state) {
            high = middle;
            at_high = l;
        } else
            low = middle;
    }
    *lambda = at_high;
    return high;
}

enum yk_status events_before(struct path *p, double x, double lambda, struct yk_err *err)
{
    enum yk_status st = YK_OK;

    for (size_t i = 0; i < p->hinge_count && !st; i++) {
        struct hinge *h = &p->hinges[i];
        double rotation;

        if (i == 0 || p->stages[p->stage].locate) {
            for (size_t k = 0; k < p->q->n; k++)
                p->q->trial[k] = p->q->u[k] + p->change[k];
            path_state(p, p->q->trial);
        }
        const double value = demand(p, h, &rotation);
        const int state = state_of(h, value, rotation);
        const double before = h->before, turned = h->turned;

        h->before = value;
        h->turned = rotation;
        h->peak = fmax(h->peak, fabs(rotation));
        if (state <= h->state)
            continue;
        const double *limit = state == 2 ? h->points.cap : h->points.last;
        double part = state == 1 ? (1 - before) / (value - before)
                                 : (1 - ratio(turned, limit)) / (ratio(rotation, limit) - ratio(turned, limit));
        double l = lambda, at = x;

        part = part >= 0 && part <= 1 ? part : 1;
        if (p->stages[p->stage].locate && !p->stages[p->stage].arc) {
            at = locate(p, h, state, x, &l);
            part = (at - p->last_x) / (x - p->last_x);
        } else {
            at = p->last_x + part * (x - p->last_x);
            l = p->last_lambda + part * (lambda - p->last_lambda);
        }
        st = event_add(p, (double)p->count - 1 + part, at, l, err, "%s %s", h->name, states[state]);
        h->state = state;
    }
    return st;
}

/* ---- the load factor ------------------------------------------------------------------------------------------- */

static enum yk_status watch_pivots(struct path *p, double x, double lambda, struct yk_err *err)
{
    struct yk_ldlt *factor = NULL;

    if (p->negative || p->q->n > MOST_PIVOTS || statics_tangent(p->q, p->q->u, NULL, NULL))
        return YK_OK;
    const bool negative = !yk_ldlt_create(&factor, &p->q->K, NULL) && yk_ldlt_negative(factor) > 0;

    yk_ldlt_destroy(factor);
    if (!negative)
        return YK_OK;
    p->negative = true;
    return event_add(p, (double)p->count - 1, x, lambda, err,
                     "the stiffness has a negative pivot: only displacements "
                     "hold the structure in equilibrium");
}

enum yk_status events_after(struct path *p, bool *stop, struct yk_err *err)
{
    const struct stage *s = &p->stages[p->stage];
    const double x = yk_dot(p->q->n, p->q->c, p->q->u), lambda = p->q->lambda, size = fabs(lambda);
    enum yk_status st = YK_OK;

    *stop = false;
    if (p->factor_known && lambda * p->last_lambda < 0 && s->kind == STAGE_PUSH) {
        const double part = p->last_lambda / (p->last_lambda - lambda);

        st = event_add(p, (double)p->count - 2 + part, p->last_x + part * (x - p->last_x), 0, err,
                       "the load factor passes zero");
    }
    p->factor_known = lambda != 0;
    if (size > p->peak) {
        p->peak = size;
        p->peak_x = x;
        p->peak_step = (double)p->count - 1;
    }
    const double drop = s->drop > 0 ? s->drop : 0.2, limit = (1 - drop) * p->peak;
    if (!st && !p->dropped && s->kind == STAGE_PUSH && size < limit && fabs(p->last_lambda) >= limit) {
        const double part = (fabs(p->last_lambda) - limit) / (fabs(p->last_lambda) - size);
        const double step = (double)p->count - 2 + part;

        p->dropped = true;
        st = event_add(p, p->peak_step, p->peak_x, lambda < 0 ? -p->peak : p->peak, err, "peak of the load factor");
        if (!st)
            st = event_add(p, step, p->last_x + part * (x - p->last_x), lambda < 0 ? -limit : limit, err,
                           "the load factor has fallen by %g %% from its peak", 100 * drop);
        *stop = s->drop > 0;
    }
    if (!st)
        st = watch_pivots(p, x, lambda, err);
    p->last_x = x;
    p->last_lambda = lambda;
    return st;
}
