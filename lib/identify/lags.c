/* A model of an actuator from a sweep, by least squares of the output error. docs/theory/control.md, eq. (56)-(61);
 * Ljung 1999; Marquardt 1963. The model is the plant `first-order` or `second-order` itself, driven by the recorded
 * command. Units: m, s. */
#include <yoke/fit.h>
#include <yoke/identification.h>
#include <yoke/linalg.h>

#include <complex.h>
#include <stdlib.h>

#define TWO_PI                  6.283185307179586
#define LONGEST_TIME_CONSTANT_S 100.0
#define LONGEST_DEAD_TIME_S     10.0
#define LEAST_FIT_PERCENT       20.0

/* Parameters; the first three by their logarithm, so that they stay positive. Of a servo LAG1 is 1/omega and LAG2 the
 * damping ratio. */
enum { GAIN, LAG1, LAG2, DEAD, OFFSET, PARAMETERS };

struct fit {
    const struct yk_sweep_record *record;
    int order, count;      /* count: parameters of this order */
    int which[PARAMETERS]; /* they are */
    double p[PARAMETERS], cost;
    double covariance[PARAMETERS * PARAMETERS]; /* of those of `which`, for residuals of variance 1 */
    int iterations;
};

/* ---- the model ---- */

/* The plants that are fitted, and what their two parameters are called. */
static const struct {
    const char *plant, *first, *second;
} forms[] = {[YK_MODEL_LAG] = {"first-order", "time_constant", NULL},
             [YK_MODEL_LAGS] = {"second-order", "T1", "T2"},
             [YK_MODEL_SERVO] = {"servo", "frequency", "damping"}};

static enum yk_status set_plant(const struct yk_plant_ops *ops, void *self, int order, const double *p,
                                struct yk_err *err)
{
    enum yk_status st;

    yk_param_defaults(ops->params, self);
    if ((st = yk_param_set(ops->params, self, "gain", exp(p[GAIN]), err)) ||
        (st = yk_param_set(ops->params, self, forms[order].first,
                           order == YK_MODEL_SERVO ? exp(-p[LAG1]) / TWO_PI : exp(p[LAG1]), err)) ||
        (forms[order].second && (st = yk_param_set(ops->params, self, forms[order].second, exp(p[LAG2]), err))))
        return st;
    return yk_param_set(ops->params, self, "dead_time", p[DEAD], err);
}

/* y: measured less model */
static enum yk_status simulate(const struct fit *f, const double *p, double *y, struct yk_err *err)
{
    const struct yk_plant_ops *ops = yk_plant_find(forms[f->order].plant);
    const struct yk_sweep_record *r = f->record;
    struct yk_arena mem = {0};
    void *self = yk_arena_take(&mem, ops->size);
    struct yk_plant_output out;
    enum yk_status st;

    if (!self)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    if (!(st = set_plant(ops, self, f->order, p, err)) && !(st = ops->init(self, r->tick_s, &mem, err))) {
        ops->reset(self, 0);
        for (size_t k = 0; k < r->n; k++) {
            ops->step(self, r->command[k], 0, &out);
            y[k] = r->measured[k] - out.x - p[OFFSET];
        }
        if (ops->fini)
            ops->fini(self);
    }
    yk_arena_free(&mem);
    return st;
}

/* ---- start: eq. (56), on a grid, from the frequency response ---- */

enum { POINTS = 40, LAGS = 20, DEADS = 48, STEPS = 100 };

struct start {
    double f[POINTS];
    double complex H[POINTS];
};

/* Residual of a model with the best gain for it. */
static double misfit(const struct start *s, double T1, double T2, double dead, double *gain)
{
    double complex M[POINTS];
    double top = 0, below = 0, sum = 0;

    for (int i = 0; i < POINTS; i++) {
        const double complex z = I * TWO_PI * s->f[i];

        M[i] = cexp(-dead * z) / ((T1 * z + 1) * (T2 * z + 1));
        top += creal(conj(M[i]) * s->H[i]);
        below += creal(conj(M[i]) * M[i]);
    }
    *gain = top / below;
    for (int i = 0; i < POINTS; i++)
        sum += pow(cabs(s->H[i] - *gain * M[i]), 2);
    return *gain > 0 ? sum : INFINITY;
}

/* The band that the sweep covered: where its transform is largest lies within; found from the turns of the command. */
static void band(const struct yk_sweep_record *r, double *low, double *high)
{
    size_t crossings = 0, last = 0;
    double shortest = INFINITY, first = 0;

    for (size_t k = 1; k < r->n; k++) {
        if (!((r->command[k - 1] < 0) != (r->command[k] < 0) && r->command[k] != 0))
            continue;
        if (crossings++ == 1)
            first = (double)(k - last);
        if (crossings > 2)
            shortest = fmin(shortest, (double)(k - last));
        last = k;
    }
    *high = crossings > 3 ? 0.5 / (shortest * r->tick_s) : NAN;
    *low = crossings > 3 ? 0.5 / (first * r->tick_s) : NAN;
}

static enum yk_status find_start(struct fit *f, struct yk_err *err)
{
    const double h = f->record->tick_s;
    struct yk_response response[POINTS];
    struct start s;
    double low, high, best = INFINITY, gain;

    band(f->record, &low, &high);
    if (!(low > 0 && high > low))
        return yk_fail(err, YK_E_INPUT, "identify: the command is not a sweep");
    for (int i = 0; i < POINTS; i++)
        s.f[i] = low * pow(high / low, (double)i / (POINTS - 1));
    yk_sweep_response(f->record, POINTS, s.f, response);
    for (int i = 0; i < POINTS; i++)
        s.H[i] = response[i].magnitude * cexp(I * response[i].phase_rad);
    for (int i = 0; i < LAGS; i++) {
        for (int j = 0; j <= (f->order == YK_MODEL_LAG ? 0 : i); j++) {
            const double T1 = h * pow(5 / h, (double)i / (LAGS - 1)), T2 = h * pow(5 / h, (double)j / (LAGS - 1));

            for (int k = 0; k < DEADS; k++) {
                const double dead = k / (8 * high),
                             left = misfit(&s, T1, f->order == YK_MODEL_LAG ? 0 : T2, dead, &gain);

                if (!(left < best))
                    continue;
                best = left;
                f->p[GAIN] = log(gain);
                f->p[LAG1] = log(T1);
                f->p[LAG2] = log(T2);
                f->p[DEAD] = dead;
            }
        }
    }
    f->p[OFFSET] = f->record->offset;
    if (f->order == YK_MODEL_SERVO) { /* from the two lags */
        const double T1 = exp(f->p[LAG1]), T2 = exp(f->p[LAG2]), T = sqrt(T1 * T2);

        f->p[LAG1] = log(T);
        f->p[LAG2] = log(fmin(0.5 * (T1 + T2) / T, 0.95));
    }
    return isfinite(best)
               ? YK_OK
               : yk_fail(err, YK_E_INPUT, "identify: the actuator does not follow the sweep, or reverses it");
}

/* ---- descent ---- */

static void spread_out(const struct fit *f, const double *x, double *p)
{
    for (int k = 0; k < PARAMETERS; k++)
        p[k] = f->p[k];
    for (int c = 0; c < f->count; c++)
        p[f->which[c]] = x[c];
}

static bool residuals(void *self, const double *x, double *r)
{
    const struct fit *f = self;
    double p[PARAMETERS];

    spread_out(f, x, p);
    return !simulate(f, p, r, NULL);
}

/* From f->p to the least cost, eq. (57), (58); iterations 0: only cost and covariance, where one is asked for. */
static enum yk_status descend(struct fit *f, int iterations, double *covariance, struct yk_err *err)
{
    const double tick = f->record->tick_s, shortest = log(1e-3 * tick), longest = log(LONGEST_TIME_CONSTANT_S);
    const double low[PARAMETERS] = {log(1e-5), shortest, shortest, 0, -INFINITY},
                 high[PARAMETERS] = {log(1e5), longest, longest, LONGEST_DEAD_TIME_S, INFINITY},
                 size[PARAMETERS] = {1, 1, 1, 100 * tick, 1};
    double x[PARAMETERS], least[PARAMETERS], most[PARAMETERS], scale[PARAMETERS];
    const struct yk_fit fit = {.parameters = (size_t)f->count,
                               .count = f->record->n,
                               .residuals = residuals,
                               .self = f,
                               .least = least,
                               .most = most,
                               .scale = scale,
                               .iterations = iterations,
                               .threads = 1,
                               .covariance = covariance};
    struct yk_fit_result result;

    for (int c = 0; c < f->count; c++) {
        const int i = f->which[c];

        x[c] = f->p[i];
        least[c] = low[i];
        most[c] = high[i];
        scale[c] = size[i];
    }
    const enum yk_status st = yk_fit_run(&fit, x, &result, err);
    if (st)
        return st;
    spread_out(f, x, f->p);
    f->cost = result.cost;
    f->iterations += result.iterations;
    return YK_OK;
}

/* Equal lags cannot be told apart by their derivatives, so that a descent that comes to them stays: they are parted and
 * it goes on, once. */
static enum yk_status minimise(struct fit *f, struct yk_err *err)
{
    enum yk_status st = YK_OK;

    for (int part = 0; part < 2 && !st; part++) {
        const bool equal = f->order == YK_MODEL_LAGS && fabs(f->p[LAG1] - f->p[LAG2]) < 0.02;

        if (part && !equal)
            break;
        f->p[LAG1] += equal ? 0.5 : 0;
        f->p[LAG2] -= equal ? 0.5 : 0;
        st = descend(f, STEPS, NULL, err);
    }
    return st ? st : descend(f, 0, f->covariance, err);
}

/* ---- results ---- */

/* eq. (60): square roots of the diagonal of s^2 A^-1; NaN at a bound */
static void find_deviations(const struct fit *f, double *deviation)
{
    const double variance = f->cost / (double)(f->record->n - (size_t)f->count);

    for (int c = 0; c < f->count; c++)
        deviation[f->which[c]] = sqrt(variance * f->covariance[c * (f->count + 1)]);
}

/* eq. (59) */
static double fit_percent(const struct fit *f)
{
    const struct yk_sweep_record *r = f->record;
    double mean = 0, sum = 0;

    for (size_t k = 0; k < r->n; k++)
        mean += r->measured[k] / (double)r->n;
    for (size_t k = 0; k < r->n; k++)
        sum += (r->measured[k] - mean) * (r->measured[k] - mean);
    return 100 * (1 - sqrt(f->cost / sum));
}

static void report(const struct fit *f, struct yk_identified *found)
{
    double d[PARAMETERS] = {0};
    const double second = exp(f->p[LAG2]);
    struct yk_lags m = {.gain = exp(f->p[GAIN]),
                        .T1 = exp(f->p[LAG1]),
                        .T2 = f->order == YK_MODEL_LAGS ? second : 0,
                        .dead_time = f->p[DEAD],
                        .damping = f->order == YK_MODEL_SERVO ? second : 0},
                   s;

    find_deviations(f, d);
    s = (struct yk_lags){m.gain * d[GAIN], m.T1 * d[LAG1], m.T2 * d[LAG2], d[DEAD], m.damping * d[LAG2]};
    if (m.T2 > m.T1) {
        m = (struct yk_lags){m.gain, m.T2, m.T1, m.dead_time, 0};
        s = (struct yk_lags){s.gain, s.T2, s.T1, s.dead_time, 0};
    }
    *found = (struct yk_identified){.order = f->order,
                                    .model = m,
                                    .deviation = s,
                                    .offset_m = f->p[OFFSET],
                                    .fit_percent = fit_percent(f),
                                    .residual_m = sqrt(f->cost / (double)f->record->n),
                                    .iterations = f->iterations};
}

enum yk_status yk_identify(const struct yk_sweep_record *record, int order, struct yk_identified *found,
                           struct yk_err *err)
{
    const size_t n = record->n;
    struct fit f = {.record = record,
                    .order = order,
                    .count = order == YK_MODEL_LAG ? 4 : 5,
                    .which = {GAIN, LAG1, DEAD, OFFSET, LAG2}};
    enum yk_status st;

    if (order < YK_MODEL_LAG || order > YK_MODEL_SERVO)
        return yk_fail(err, YK_E_RANGE, "identify: model %d is none of 1, 2 and servo (3)", order);
    if (n < 100)
        return yk_fail(err, YK_E_INPUT, "identify: %zu samples are too few", n);
    if (!(st = find_start(&f, err)) && !(st = minimise(&f, err)))
        report(&f, found);
    if (!st && !(found->fit_percent >= LEAST_FIT_PERCENT))
        st = yk_fail(
            err, YK_E_INPUT,
            "identify: no model of order %d explains the sweep (fit %.3g %%); does the actuator follow it, in the "
            "same direction?",
            order, found->fit_percent);
    return st;
}

/* eq. (61) */
enum yk_status yk_propose(const struct yk_lags *model, double tick_s, struct yk_proposal *proposal, struct yk_err *err)
{
    const bool servo = model->damping > 0;
    const double T2 = fmax(model->T2, 1e-3 * tick_s);
    struct yk_tangent tangent;
    enum yk_status st =
        servo ? yk_tangent_servo(model->gain, 1 / model->T1, model->damping, model->dead_time, &tangent, err)
              : yk_tangent_lags(model->gain, model->T1, T2, model->dead_time, &tangent, err);

    if (st)
        return st;
    proposal->pi = yk_tune(YK_TUNE_CHR_PI, &tangent);
    proposal->pid = yk_tune(YK_TUNE_CHR_PID, &tangent);
    proposal->quick_p = yk_tune(YK_TUNE_ZN_P, &tangent);
    proposal->quick_pi = yk_tune(YK_TUNE_ZN_PI, &tangent);
    proposal->quick_pid = yk_tune(YK_TUNE_ZN_PID, &tangent);
    proposal->imc_T2_s = T2;
    proposal->imc_filter_s = fmax(fmax(model->dead_time * 2 / 3, 5 * tick_s), sqrt(0.1 * model->T1 * T2 / model->gain));
    proposal->imc_delay_s = model->dead_time + 2 * proposal->imc_filter_s - 0.5 * tick_s;
    proposal->open_delay_s = model->dead_time + (servo ? 2 * model->damping * model->T1 : model->T1 + model->T2);
    return YK_OK;
}
