/* The lag with dead time, and its rate that depends on the direction, by the output error in time.
 * docs/theory/control.md, eq. (57), (81). */
#include <yoke/fit.h>
#include <yoke/measured.h>

#include <math.h>

enum { GAIN, LAG, DEAD, LEAD, PARAMETERS };

struct lag {
    const struct yk_actuator_record *records;
    size_t count;
};

static void model_of(const double *p, struct yk_rational *m)
{
    *m = (struct yk_rational){
        .poles = 1, .gain = p[GAIN], .dead_time_s = p[DEAD], .lead = p[LEAD], .a = {1, exp(p[LAG])}, .b = {1}};
}

/* Records count alike; the offset of each is the mean of its residual. */
static bool residuals(void *self, const double *p, double *r)
{
    const struct lag *lag = self;
    struct yk_rational m;

    model_of(p, &m);
    for (size_t i = 0; i < lag->count; r += lag->records[i++].n) {
        const struct yk_actuator_record *record = &lag->records[i];
        struct yk_fit_quality q;

        if (yk_model_quality(&m, record, &q, r, NULL))
            return false;
        for (size_t k = 0; k < record->n; k++)
            r[k] *= q.nrms / (q.rms * sqrt((double)record->n));
    }
    return true;
}

enum yk_status yk_lag_refine(const struct yk_actuator_record *records, size_t count, bool lead,
                             struct yk_rational *model, struct yk_err *err)
{
    const double T = model->a[1], scale[] = {1, 1, 0.01, 1};
    const double least[] = {-INFINITY, log(T) - 3, 0, lead ? -0.9 : 0},
                 most[] = {INFINITY, log(T) + 3, 1, lead ? 0.9 : 0};
    double p[PARAMETERS] = {model->gain, log(T), model->dead_time_s, lead ? model->lead : 0};
    struct lag lag = {records, count};
    struct yk_fit fit = {.parameters = PARAMETERS,
                         .residuals = residuals,
                         .self = &lag,
                         .least = least,
                         .most = most,
                         .scale = scale,
                         .iterations = 20,
                         .enough = 1e-8,
                         .threads = 2};
    struct yk_fit_result result;
    enum yk_status st;

    for (size_t i = 0; i < count; i++)
        fit.count += records[i].n;
    if (!(st = yk_fit_run(&fit, p, &result, err)))
        model_of(p, model);
    return st;
}
