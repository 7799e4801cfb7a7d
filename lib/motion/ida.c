/* Incremental dynamic analysis (Vamvatsikos and Cornell 2002): levels of a record grow until the structure collapses,
 * the largest gap below is divided, then the capacity is bisected. */
#include <yoke/motion.h>

#include <math.h>
#include <string.h>

#define STANDARD_GRAVITY 9.80665

struct yk_ida yk_ida_defaults(void)
{
    return (struct yk_ida){.start = 0.1 * STANDARD_GRAVITY,
                           .step = 0.1 * STANDARD_GRAVITY,
                           .growth = 0.05 * STANDARD_GRAVITY,
                           .runs = 20,
                           .tolerance = 0.05};
}

/* Runs a level and keeps it in its place. *collapsed: it, or its neighbours below, say so. */
static enum yk_status add(const struct yk_ida *ida, struct yk_ida_curve *curve, double level, struct yk_ida_point *made,
                          struct yk_err *err)
{
    struct yk_ida_point point = {.level = level, .demand = NAN};
    const enum yk_status st = ida->run(ida->self, level, &point, err);
    size_t i = curve->count;

    if (st == YK_AGAIN) {
        point = (struct yk_ida_point){.level = level, .demand = NAN, .unknown = true};
        curve->unknown++;
    } else if (st) {
        return st;
    }
    if (point.collapsed)
        point.demand = NAN;
    *made = point;
    if (curve->count == YK_IDA_POINTS)
        return YK_OK;
    for (; i > 0 && curve->point[i - 1].level > level; i--)
        curve->point[i] = curve->point[i - 1];
    curve->point[i] = point;
    curve->count++;
    return YK_OK;
}

static double largest_safe(const struct yk_ida_curve *curve)
{
    double level = 0;

    for (size_t i = 0; i < curve->count && !curve->point[i].collapsed; i++)
        level = curve->point[i].unknown ? level : curve->point[i].level;
    return level;
}

static double first_collapse(const struct yk_ida_curve *curve)
{
    for (size_t i = 0; i < curve->count; i++)
        if (curve->point[i].collapsed)
            return curve->point[i].level;
    return NAN;
}

/* Middle of the largest gap below `top`, zero included. */
static double gap_below(const struct yk_ida_curve *curve, double top)
{
    double last = 0, width = 0, middle = NAN;

    for (size_t i = 0; i < curve->count && curve->point[i].level <= top; i++) {
        const double level = curve->point[i].level;

        if (level - last > width) {
            width = level - last;
            middle = (last + level) / 2;
        }
        last = level;
    }
    return middle;
}

/* The first point from which the curve is flat: the secant to the next one is below part of that through the origin. */
static double flat_level(const struct yk_ida_curve *curve, double part)
{
    const struct yk_ida_point *last = NULL;
    double first = NAN;

    for (size_t i = 0; i < curve->count && part > 0; i++) {
        const struct yk_ida_point *p = &curve->point[i];

        if (!isfinite(p->demand))
            continue;
        if (!last)
            first = p->level / p->demand;
        else if (p->demand > last->demand && (p->level - last->level) / (p->demand - last->demand) < part * first)
            return last->level;
        last = p;
    }
    return NAN;
}

enum yk_status yk_ida_run(const struct yk_ida *ida, struct yk_ida_curve *curve, struct yk_err *err)
{
    struct yk_ida_point point = {0};
    double level = ida->start, step = ida->step;
    enum yk_status st = YK_OK;
    int runs = 0;

    *curve = (struct yk_ida_curve){.capacity = NAN, .flat = NAN};
    if (!(ida->start > 0 && ida->step > 0 && ida->growth >= 0 && ida->runs >= 1 && ida->tolerance > 0))
        return yk_fail(err, YK_E_RANGE, "start, step, runs and tolerance must be above 0, growth not below 0");
    for (; runs < ida->runs && !point.collapsed; runs++) {
        if ((st = add(ida, curve, level, &point, err)))
            return st;
        level += step;
        step += ida->growth;
    }
    const double top = first_collapse(curve);
    for (; runs < ida->runs && isfinite(top) && curve->count + 16 < YK_IDA_POINTS; runs++)
        if ((st = add(ida, curve, gap_below(curve, first_collapse(curve)), &point, err)))
            return st;
    double high = first_collapse(curve), low = isfinite(high) ? largest_safe(curve) : 0;
    while (isfinite(high) && high - low > ida->tolerance * high && curve->count < YK_IDA_POINTS) {
        const double middle = (low + high) / 2;

        if ((st = add(ida, curve, middle, &point, err)))
            return st;
        if (point.unknown) /* neither side is known: what is certain stays */
            break;
        *(point.collapsed ? &high : &low) = middle;
    }
    curve->capacity = isfinite(high) ? high : NAN;
    curve->flat = flat_level(curve, ida->flat);
    return YK_OK;
}

double yk_ida_demand(const struct yk_ida_curve *curve, double level)
{
    double x = 0, y = 0;

    if (level >= curve->capacity)
        return INFINITY;
    for (size_t i = 0; i < curve->count; i++) {
        const struct yk_ida_point *p = &curve->point[i];

        if (!isfinite(p->demand))
            continue;
        if (p->level >= level)
            return y + (level - x) / (p->level - x) * (p->demand - y);
        x = p->level;
        y = p->demand;
    }
    return NAN;
}
