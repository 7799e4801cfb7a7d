/* The curves: spectra over the step, channels of runs, errors over the step, responses, and any quantity over a
 * setting. */
#include "curve.h"
#include "reductions.h"
#include "spectra.h"

#include <yoke/identify.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

const struct yk_curve_ops *const yk_curves[] = {
#define CURVE(name) &yk_curve_##name,
#include "curves.def"
#undef CURVE
    NULL,
};

static enum yk_status allocate(struct yk_curve *c, size_t n, struct yk_err *err)
{
    c->x = calloc(n + 1, sizeof *c->x);
    c->y = calloc(n + 1, sizeof *c->y);
    c->n = n;
    return c->x && c->y ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory");
}

/* ---- spectra over the step ---- */

/* Adds points for the roots at one step. */
typedef enum yk_status (*draw_step)(const struct yk_parts *parts, double step, struct yk_curve *c, struct yk_err *err);

static enum yk_status over_steps(struct yk_lab *lab, const struct yk_variant *variant, const char *text, size_t most,
                                 draw_step draw, struct yk_curve *c, struct yk_err *err)
{
    struct yk_parts *parts;
    double *steps;
    size_t count;
    enum yk_status st;

    if ((st = yk_ask_numbers(text, &steps, &count, err)))
        return st;
    if ((st = yk_lab_parts(lab, variant, &parts, err))) {
        free(steps);
        return st;
    }
    st = allocate(c, count * most, err);
    c->n = 0;
    for (size_t i = 0; i < count && !st; i++)
        st = draw(parts, steps[i], c, err);
    free(steps);
    yk_parts_close(parts);
    return st;
}

static void add_point(struct yk_curve *c, double x, double y)
{
    c->x[c->n] = x;
    c->y[c->n++] = y;
}

static enum yk_status draw_radius(const struct yk_parts *parts, double step, struct yk_curve *c, struct yk_err *err)
{
    double radius;
    enum yk_status st = yk_radius_find(parts, step, &radius, err);

    if (!st)
        add_point(c, step, radius);
    return st;
}

static enum yk_status radius(struct yk_lab *lab, const struct yk_variant *variant, const struct yk_ask *ask,
                             const struct yk_node *map, struct yk_curve *c, struct yk_err *err)
{
    return over_steps(lab, variant, ask->steps, 1, draw_radius, c, err);
}

static const struct yk_param steps_params[] = {
    YK_TEXT(struct yk_ask, steps, YK_REQUIRED, "\"0.1,1\", from:to:count or from:to:countlog"), YK_PARAM_END};
const struct yk_curve_ops yk_curve_radius = {
    .name = "radius",
    .summary = "spectral radius over the step",
    .style = YK_PLOT_LINE,
    .params = steps_params,
    .produce = radius,
};

enum { MOST_ROOTS = 64 };

static enum yk_status draw_moduli(const struct yk_parts *parts, double step, struct yk_curve *c, struct yk_err *err)
{
    struct yk_roots roots;
    enum yk_status st = yk_roots_find(parts, step, &roots, err);

    if (st)
        return st;
    for (size_t i = 0; i < roots.n && i < MOST_ROOTS; i++)
        add_point(c, step, hypot(roots.re[i], roots.im[i]));
    free(roots.re);
    return YK_OK;
}

static enum yk_status moduli(struct yk_lab *lab, const struct yk_variant *variant, const struct yk_ask *ask,
                             const struct yk_node *map, struct yk_curve *c, struct yk_err *err)
{
    return over_steps(lab, variant, ask->steps, MOST_ROOTS, draw_moduli, c, err);
}

const struct yk_curve_ops yk_curve_moduli = {
    .name = "moduli",
    .summary = "moduli of all eigenvalues over the step",
    .style = YK_PLOT_POINTS,
    .params = steps_params,
    .produce = moduli,
};

static enum yk_status draw_damping(const struct yk_parts *parts, double step, struct yk_curve *c, struct yk_err *err)
{
    struct yk_roots roots;
    enum yk_status st = yk_roots_find(parts, step, &roots, err);

    if (!st)
        add_point(c, step, roots.report.damping);
    free(st ? NULL : roots.re);
    return st;
}

static enum yk_status damping(struct yk_lab *lab, const struct yk_variant *variant, const struct yk_ask *ask,
                              const struct yk_node *map, struct yk_curve *c, struct yk_err *err)
{
    return over_steps(lab, variant, ask->steps, 1, draw_damping, c, err);
}

const struct yk_curve_ops yk_curve_damping = {
    .name = "damping",
    .summary = "numerical damping ratio of the first mode over the step",
    .style = YK_PLOT_LINE,
    .params = steps_params,
    .produce = damping,
};

static enum yk_status draw_frequency_error(const struct yk_parts *parts, double step, struct yk_curve *c,
                                           struct yk_err *err)
{
    struct yk_roots roots;
    enum yk_status st = yk_roots_find(parts, step, &roots, err);

    if (!st)
        add_point(c, step, roots.report.frequency_error);
    free(st ? NULL : roots.re);
    return st;
}

static enum yk_status frequency_error(struct yk_lab *lab, const struct yk_variant *variant, const struct yk_ask *ask,
                                      const struct yk_node *map, struct yk_curve *c, struct yk_err *err)
{
    return over_steps(lab, variant, ask->steps, 1, draw_frequency_error, c, err);
}

const struct yk_curve_ops yk_curve_frequency_error = {
    .name = "frequency-error",
    .summary = "relative error of the frequency of the first mode over the step",
    .style = YK_PLOT_LINE,
    .params = steps_params,
    .produce = frequency_error,
};

/* ---- channels ---- */

/* Keeps the rows between from and to. */
static void cut(struct yk_curve *c, const double *t, double from, double to)
{
    size_t kept = 0;

    for (size_t i = 0; i < c->n; i++)
        if (t[i] >= from && t[i] <= to) {
            c->x[kept] = c->x[i];
            c->y[kept++] = c->y[i];
        }
    c->n = kept;
}

static enum yk_status channel(struct yk_lab *lab, const struct yk_variant *variant, const struct yk_ask *ask,
                              const struct yk_node *map, struct yk_curve *c, struct yk_err *err)
{
    const struct yk_outcome *o;
    double *t = NULL;
    enum yk_status st;

    if ((st = yk_lab_run(lab, variant, &o, err)) || (st = yk_outcome_values(o, ask->stream, "time", &t, &c->n, err)) ||
        (st = yk_outcome_values(o, ask->stream, ask->x ? ask->x : "time", &c->x, &c->n, err)) ||
        (st = yk_outcome_values(o, ask->stream, ask->y, &c->y, &c->n, err))) {
        free(t);
        return st;
    }
    cut(c, t, ask->from, ask->to);
    free(t);
    return YK_OK;
}

static const struct yk_param channel_params[] = {
    YK_TEXT(struct yk_ask, x, 0, "channel, or sum of channels; default: time"),
    YK_TEXT(struct yk_ask, y, YK_REQUIRED, "channel, or sum of channels such as A.x.u - B.x.u"),
    ASK_STREAM,
    ASK_FROM,
    ASK_TO,
    YK_PARAM_END,
};
const struct yk_curve_ops yk_curve_channel = {
    .name = "channel",
    .summary = "a channel of a run over time or over another channel",
    .style = YK_PLOT_LINE,
    .params = channel_params,
    .produce = channel,
};

/* ---- errors over the step ---- */

static enum yk_status convergence(struct yk_lab *lab, const struct yk_variant *variant, const struct yk_ask *ask,
                                  const struct yk_node *map, struct yk_curve *c, struct yk_err *err)
{
    struct yk_parts *parts;
    struct yk_order o;
    enum yk_status st = yk_lab_parts(lab, variant, &parts, err);

    if (st)
        return st;
    st = yk_parts_order(parts, ask->halvings, &o, err);
    yk_parts_close(parts);
    if (st || (st = allocate(c, (size_t)o.count, err)))
        return st;
    memcpy(c->x, o.step, c->n * sizeof *c->x);
    memcpy(c->y, (const double *[]){o.error_u, o.error_v, o.error_lambda}[ask->of], c->n * sizeof *c->y);
    return YK_OK;
}

static const struct yk_param convergence_params[] = {ASK_OF("u|v|lambda", "displacement, velocity or multiplier"),
                                                     ASK_HALVINGS(5), YK_PARAM_END};
const struct yk_curve_ops yk_curve_convergence = {
    .name = "convergence",
    .summary = "largest error at the end over the step",
    .style = YK_PLOT_LINE_POINTS,
    .params = convergence_params,
    .produce = convergence,
};

/* ---- responses ---- */

static enum yk_status frf(struct yk_lab *lab, const struct yk_variant *variant, const struct yk_ask *ask,
                          const struct yk_node *map, struct yk_curve *c, struct yk_err *err)
{
    struct yk_response *r = NULL;
    double *f = NULL;
    size_t count;
    enum yk_status st;

    if ((st = yk_ask_numbers(ask->frequencies, &f, &count, err)))
        return st;
    if (!(r = calloc(count, sizeof *r)))
        st = yk_fail(err, YK_E_MEMORY, "out of memory");
    else if (!(st = yk_lab_response(lab, variant, ask, count, f, r, err)))
        st = allocate(c, count, err);
    for (size_t i = 0; i < count && !st; i++) {
        c->x[i] = r[i].frequency_Hz;
        c->y[i] = (const double[]){r[i].magnitude, r[i].phase_rad * 180 / M_PI, r[i].delay_s}[ask->of];
    }
    free(r);
    free(f);
    return st;
}

static const struct yk_param frf_params[] = {
    ASK_OF("magnitude|phase|delay", "phase in degrees, delay in s"), ASK_ACTUATOR,
    YK_TEXT(struct yk_ask, frequencies, YK_REQUIRED, "[Hz]: \"1,2,5\", from:to:count or from:to:countlog"),
    YK_REAL(struct yk_ask, amplitude, YK_LENGTH, 0.010, YK_TINY, 1e3, "of the sine"), YK_PARAM_END};
const struct yk_curve_ops yk_curve_frf = {
    .name = "frf",
    .summary = "frequency response of an actuator",
    .style = YK_PLOT_LINE,
    .params = frf_params,
    .produce = frf,
};

/* ---- reductions ---- */

static enum yk_status frequencies(struct yk_lab *lab, const struct yk_variant *variant, const struct yk_ask *ask,
                                  const struct yk_node *map, struct yk_curve *c, struct yk_err *err)
{
    const struct yk_lab_reduction *r;
    enum yk_status st = yk_lab_reduce(lab, variant, ask->substructure, ask->modes, &r, err);

    if (st || (st = allocate(c, r->fidelity.modes, err)))
        return st;
    for (size_t i = 0; i < c->n; i++) {
        const double full = r->fidelity.full_Hz[i], reduced = r->fidelity.reduced_Hz[i];

        c->x[i] = (double)(i + 1);
        c->y[i] = (const double[]){full, reduced, fabs(reduced / full - 1)}[ask->of];
    }
    return YK_OK;
}

static const struct yk_param frequencies_params[] = {
    ASK_OF("full|reduced|error", "frequency in Hz, or relative error"),
    YK_TEXT(struct yk_ask, substructure, 0, "substructure to reduce; default: the first"),
    YK_COUNT(struct yk_ask, modes, 30, 1, 10000, "number of modes to keep"), YK_PARAM_END};
const struct yk_curve_ops yk_curve_frequencies = {
    .name = "frequencies",
    .summary = "elastic frequencies of a substructure, full and reduced, over their number",
    .style = YK_PLOT_POINTS,
    .params = frequencies_params,
    .produce = frequencies,
};

static enum yk_status response(struct yk_lab *lab, const struct yk_variant *variant, const struct yk_ask *ask,
                               const struct yk_node *map, struct yk_curve *c, struct yk_err *err)
{
    const struct yk_lab_reduction *r;
    enum yk_status st = yk_lab_reduce(lab, variant, ask->substructure, ask->modes, &r, err);

    if (st)
        return st;
    const size_t count = r->reduced.interface_count;
    if ((size_t)ask->rank > count)
        return yk_fail_at(err, YK_E_RANGE, map->where, "rank = %d, but the interface has %zu degrees of freedom",
                          ask->rank, count);
    if ((st = allocate(c, r->fidelity.steps + 1, err)))
        return st;
    for (size_t i = 0; i < c->n; i++) {
        c->x[i] = (double)i * r->fidelity.dt;
        c->y[i] = (ask->of ? r->fidelity.reduced_u : r->fidelity.full_u)[i * count + (size_t)ask->rank - 1];
    }
    return YK_OK;
}

static const struct yk_param response_params[] = {
    ASK_OF("full|reduced", "model"),
    YK_TEXT(struct yk_ask, substructure, 0, "substructure to reduce; default: the first"),
    YK_COUNT(struct yk_ask, modes, 30, 1, 10000, "number of modes to keep"),
    ASK_RANK("of the degree of freedom of the interface"), YK_PARAM_END};
const struct yk_curve_ops yk_curve_response = {
    .name = "response",
    .summary = "displacement of the interface under noise on it, full and reduced, over time",
    .style = YK_PLOT_LINE,
    .params = response_params,
    .produce = response,
};

/* ---- histories that no run records ---- */

/* The values of a history; it is taken over. */
static void take_over(struct yk_history *h, struct yk_curve *c)
{
    *c = (struct yk_curve){h->t, h->y, h->n};
    *h = (struct yk_history){0};
}

static enum yk_status step_response(struct yk_lab *lab, const struct yk_variant *variant, const struct yk_ask *ask,
                                    const struct yk_node *map, struct yk_curve *c, struct yk_err *err)
{
    struct yk_history h;
    enum yk_status st = yk_lab_step_response(lab, variant, ask, &h, err);

    take_over(&h, c);
    return st;
}

static const struct yk_param step_response_params[] = {ASK_STEP_RESPONSE, YK_PARAM_END};
const struct yk_curve_ops yk_curve_step_response = {
    .name = "step-response",
    .summary = "response of an actuator with its controller to a step of the target",
    .style = YK_PLOT_LINE,
    .params = step_response_params,
    .produce = step_response,
};

static enum yk_status link_curve(struct yk_lab *lab, const struct yk_variant *variant, const struct yk_ask *ask,
                                 const struct yk_node *map, struct yk_curve *c, struct yk_err *err)
{
    struct yk_history h;
    enum yk_status st = yk_lab_link(lab, variant, ask, map, &h, err);

    take_over(&h, c);
    return st;
}

static const struct yk_param link_params[] = {ASK_NODE, YK_PARAM_END};
const struct yk_curve_ops yk_curve_link = {
    .name = "link",
    .summary = "displacement that the multiplier adds to a degree of freedom, at system steps",
    .style = YK_PLOT_LINE,
    .params = link_params,
    .produce = link_curve,
};

static enum yk_status settled(struct yk_lab *lab, const struct yk_variant *variant, const struct yk_ask *ask,
                              const struct yk_node *map, struct yk_curve *c, struct yk_err *err)
{
    struct yk_history h;
    enum yk_status st = yk_lab_settled(lab, variant, ask, map, &h, err);

    take_over(&h, c);
    return st;
}

static const struct yk_param settled_params[] = {
    ASK_NODE, YK_CHOICE(struct yk_ask, signal, "displacement|velocity", 0, "of the degree of freedom"), YK_PARAM_END};
const struct yk_curve_ops yk_curve_settled = {
    .name = "settled",
    .summary = "a run of efc whose loop has settled at the end of every step",
    .style = YK_PLOT_LINE,
    .params = settled_params,
    .produce = settled,
};

/* ---- any quantity ---- */

/* Over the values of a setting. */
static enum yk_status over_key(struct yk_lab *lab, const struct yk_ask *ask, const struct yk_node *obtain,
                               struct yk_curve *c, struct yk_err *err)
{
    double *values;
    size_t count;
    enum yk_status st;

    if (!ask->values)
        return yk_fail_at(err, YK_E_INPUT, obtain->where, "missing 'values' (of the key)");
    if ((st = yk_ask_numbers(ask->values, &values, &count, err)))
        return st;
    st = allocate(c, count, err);
    lab->key = ask->key;
    for (size_t i = 0; i < count && !st; i++) {
        c->x[i] = lab->key_value = values[i];
        st = yk_obtain(lab, obtain, &c->y[i], err);
    }
    lab->key = NULL;
    free(values);
    return st;
}

/* Over a list of variants, at the places of `points_x`, or numbered from 1. */
static enum yk_status over_variants(struct yk_lab *lab, const struct yk_ask *ask, const struct yk_node *obtain,
                                    const struct yk_node *across, struct yk_curve *c, struct yk_err *err)
{
    enum yk_status st;

    if ((st = yk_field_type(across, YK_LIST, "a list of variants", err)) || (st = allocate(c, across->count, err)))
        return st;
    if (ask->points_x.n && ask->points_x.n != across->count)
        return yk_fail_at(err, YK_E_INPUT, across->where, "%zu variants, but %zu places", across->count,
                          ask->points_x.n);
    for (size_t i = 0; i < across->count && !st; i++) {
        c->x[i] = ask->points_x.n ? ask->points_x.x[i] : (double)(i + 1);
        lab->also = across->items[i]->text;
        st = yk_obtain(lab, obtain, &c->y[i], err);
    }
    lab->also = NULL;
    return st;
}

static enum yk_status values(struct yk_lab *lab, const struct yk_variant *variant, const struct yk_ask *ask,
                             const struct yk_node *map, struct yk_curve *c, struct yk_err *err)
{
    const struct yk_node *obtain = yk_node_get(map, "obtain"), *across = yk_node_get(map, "across");

    if (!ask->key == !across)
        return yk_fail_at(err, YK_E_INPUT, map->where, "either 'key' with 'values', or 'across' is expected");
    return ask->key ? over_key(lab, ask, obtain, c, err) : over_variants(lab, ask, obtain, across, c, err);
}

static const struct yk_param values_params[] = {
    YK_NODE("obtain", "quantity", YK_REQUIRED, "what is drawn"),
    YK_TEXT(struct yk_ask, key, 0, "setting to vary"),
    YK_TEXT(struct yk_ask, values, 0, "of the key: \"1,2,5\", from:to:count or from:to:countlog"),
    YK_NODE("across", "list of variants", 0, "instead of a key"),
    YK_REALS(struct yk_ask, points_x, YK_NUMBER, 0, -1e300, 1e300, "abscissas of the variants; default: 1, 2, ..."),
    YK_PARAM_END,
};
static enum yk_status check_values(const struct yk_lab *lab, const struct yk_node *map, struct yk_err *err)
{
    return yk_obtain_check(lab, yk_node_get(map, "obtain"), err);
}

const struct yk_curve_ops yk_curve_values = {
    .name = "values",
    .source = YK_CURVE_OF_WORDS,
    .check = check_values,
    .summary = "any quantity over the values of a setting, or over variants",
    .style = YK_PLOT_LINE_POINTS,
    .params = values_params,
    .produce = values,
};

/* ---- points as given ---- */

static enum yk_status points(struct yk_lab *lab, const struct yk_variant *variant, const struct yk_ask *ask,
                             const struct yk_node *map, struct yk_curve *c, struct yk_err *err)
{
    enum yk_status st;

    if (!ask->points_x.n || ask->points_x.n != ask->points_y.n)
        return yk_fail_at(err, YK_E_INPUT, map->where, "points_x and points_y must have the same length");
    if ((st = allocate(c, ask->points_x.n, err)))
        return st;
    memcpy(c->x, ask->points_x.x, c->n * sizeof *c->x);
    memcpy(c->y, ask->points_y.x, c->n * sizeof *c->y);
    return YK_OK;
}

static const struct yk_param points_params[] = {
    YK_REALS(struct yk_ask, points_x, YK_NUMBER, YK_REQUIRED, -1e300, 1e300, "abscissas"),
    YK_REALS(struct yk_ask, points_y, YK_NUMBER, YK_REQUIRED, -1e300, 1e300, "ordinates"),
    YK_PARAM_END,
};
const struct yk_curve_ops yk_curve_points = {
    .name = "points",
    .source = YK_CURVE_OF_WORDS,
    .summary = "points as given: published values, slopes, limits",
    .style = YK_PLOT_GUIDE,
    .params = points_params,
    .produce = points,
};
