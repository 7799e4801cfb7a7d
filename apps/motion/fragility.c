/* yoke motion fragility: a fragility curve from counts of collapses, or from capacities. */
#include "motion.h"

#include <yoke/figure.h>
#include <yoke/number.h>

#include <jansson.h>
#include <math.h>

enum { POINTS = 200 };

struct data {
    double x[MOST_LEVELS], n[MOST_LEVELS], k[MOST_LEVELS], observed[MOST_LEVELS];
    size_t count;
};

static bool take(const char *option, const char *text, double *values, size_t *count)
{
    *count = yk_number_list(text, values, MOST_LEVELS);
    return *count > 0 ||
           yk_misuse(&command_motion, "%s '%s' must be a list of numbers such as 0.2,0.4", option, text) == 0;
}

static int read_counts(const struct motion_options *o, struct data *d)
{
    size_t runs, collapsed;

    if (!o->levels || !o->collapsed || !o->runs)
        return yk_misuse(&command_motion, "--levels, --collapsed and --runs go together");
    if (!take("--levels", o->levels, d->x, &d->count) || !take("--collapsed", o->collapsed, d->k, &collapsed) ||
        !take("--runs", o->runs, d->n, &runs))
        return 2;
    if (collapsed != d->count || (runs != d->count && runs != 1))
        return yk_misuse(&command_motion, "%zu levels, %zu counts of collapses, %zu of runs: there must be as many",
                         d->count, collapsed, runs);
    for (size_t i = 0; i < d->count; i++) {
        d->n[i] = runs == 1 ? d->n[0] : d->n[i];
        d->observed[i] = d->n[i] > 0 ? d->k[i] / d->n[i] : NAN;
    }
    return 0;
}

static int draw(const struct motion_options *o, const struct data *d, const struct yk_fragility *f)
{
    double x[POINTS], P[POINTS];
    struct yk_err err = {0};

    const double last = fmax(d->x[d->count - 1], f->theta * exp(2 * f->beta));
    for (size_t i = 0; i < POINTS; i++) {
        x[i] = last * (double)i / (POINTS - 1);
        P[i] = yk_fragility_probability(f, x[i]);
    }
    const struct yk_plot_series series[] = {
        {.name = "fitted", .style = YK_PLOT_LINE, .n = POINTS, .x = x, .y = P},
        {.name = "observed", .style = YK_PLOT_POINTS, .n = d->count, .x = d->x, .y = d->observed}};
    const struct yk_plot_panel panel = {.x = {.label = "intensity"},
                                        .y = {.label = "probability of collapse", .bounded = true, .min = 0, .max = 1},
                                        .series = series,
                                        .count = 2};
    return yk_figure_write(&(struct yk_figure){.title = "Fragility", .panels = &panel, .count = 1}, o->out, &err)
               ? yk_command_fail(&err)
               : 0;
}

int motion_fragility(const struct motion_options *o)
{
    struct data d = {.count = 0};
    struct yk_fragility f;
    struct yk_err err = {0};
    enum yk_status st;
    int code;

    if (o->out && yk_figure_check_path(o->out, &err))
        return yk_command_fail(&err);
    if (o->capacities && (o->levels || o->collapsed || o->runs))
        return yk_misuse(&command_motion, "--capacities goes without --levels, --collapsed and --runs");
    if (o->capacities) {
        if (!take("--capacities", o->capacities, d.x, &d.count))
            return 2;
        st = yk_fragility_capacities(d.count, d.x, &f, &err);
        for (size_t i = 0; i < d.count; i++) { /* share of capacities at or below each */
            d.observed[i] = 0;
            for (size_t k = 0; k < d.count; k++)
                d.observed[i] += d.x[k] <= d.x[i] ? 1 / (double)d.count : 0;
        }
    } else {
        if ((code = read_counts(o, &d)))
            return code;
        st = yk_fragility_counts(d.count, d.x, d.n, d.k, &f, &err);
    }
    if (st)
        return yk_command_fail(&err);
    if (o->json)
        code = yk_print_json(json_pack("{s:f, s:f, s:o, s:o, s:o}", "theta", f.theta, "beta", f.beta, "log_likelihood",
                                       yk_json_number(f.log_likelihood), "theta_error", yk_json_number(f.theta_error),
                                       "beta_error", yk_json_number(f.beta_error)));
    else
        code = 0;
    if (!o->json) {
        printf("theta %.8g (standard error of its logarithm %.3g)\nbeta  %.8g (standard error %.3g)\n", f.theta,
               f.theta_error, f.beta, f.beta_error);
        if (isfinite(f.log_likelihood))
            printf("log likelihood %.9g\n", f.log_likelihood);
    }
    return code || !o->out ? code : draw(o, &d, &f);
}
