/* Delay of a recorded run in the mean square. docs/theory/delay.md, eq. (36).
 *
 *     tau = argmin sum_i (x_c(t_i) - x_m(t_i + tau))^2
 *
 * x_m between samples is a straight line. A scan in steps of dt finds the basin, golden sections its bottom. */
#include <yoke/transfer.h>

struct record {
    size_t first, last; /* samples that are compared, `last` not included */
    double dt;
    const double *command, *measured;
};

static double misfit(const struct record *r, double tau)
{
    const double lag = tau / r->dt;
    const size_t whole = (size_t)lag;
    const double part = lag - (double)whole;
    double sum = 0;

    for (size_t i = r->first; i < r->last; i++) {
        const double *m = r->measured + i + whole;
        const double e = r->command[i] - (part > 0 ? m[0] + part * (m[1] - m[0]) : m[0]);

        sum += e * e;
    }
    return sum;
}

/* Minimum within low .. high, to a ten-thousandth of the step. */
static double golden_section(const struct record *r, double low, double high)
{
    const double ratio = 0.61803398874989485;
    double a = high - ratio * (high - low), b = low + ratio * (high - low);
    double fa = misfit(r, a), fb = misfit(r, b);

    while (high - low > 1e-4 * r->dt)
        if (fa < fb) {
            high = b;
            b = a;
            fb = fa;
            a = high - ratio * (high - low);
            fa = misfit(r, a);
        } else {
            low = a;
            a = b;
            fa = fb;
            b = low + ratio * (high - low);
            fb = misfit(r, b);
        }
    return 0.5 * (low + high);
}

enum yk_status yk_delay_least_squares(size_t n, double dt, const double *command, const double *measured,
                                      double max_delay, size_t skip, double *tau, struct yk_err *err)
{
    struct record r = {.first = skip, .dt = dt, .command = command, .measured = measured};
    double least = INFINITY, best = 0;

    if (!(dt > 0 && max_delay > 0 && isfinite(max_delay / dt)))
        return yk_fail(err, YK_E_RANGE, "delay: step = %g s and largest delay = %g s must be positive", dt, max_delay);
    const double reach = ceil(max_delay / dt) + 1;
    if (!((double)n > reach + (double)skip + 2))
        return yk_fail(err, YK_E_INPUT, "delay: %zu samples are too few for %zu skipped and a delay of up to %g s", n,
                       skip, max_delay);
    r.last = n - (size_t)reach;
    for (double lag = 0; lag < reach; lag++) {
        const double f = misfit(&r, fmin(lag * dt, max_delay));

        if (f < least) {
            least = f;
            best = lag * dt;
        }
    }
    if (!(least < INFINITY))
        return yk_fail(err, YK_E_INPUT, "delay: the records hold values that are not finite");
    *tau = golden_section(&r, fmax(best - dt, 0), fmin(best + dt, max_delay));
    return YK_OK;
}
