/* A sweep of one actuator, evaluated. */
#include <yoke/identification.h>

#include <math.h>

void yk_sweep_print(const struct yk_sweep *sweep, double tick_s, bool mounted, FILE *out)
{
    fprintf(out, " from %g to %g Hz, %g mm, %g s at %g Hz, %s\n", sweep->from_Hz, sweep->to_Hz,
            1e3 * sweep->amplitude_m, sweep->duration_s, 1 / tick_s, mounted ? "specimen mounted" : "without specimen");
}

/* Two lags that come out nearly equal stand for poles that are complex. */
static enum yk_status fit(const struct yk_sweep_record *record, int order, struct yk_identified *found,
                          struct yk_err *err)
{
    const enum yk_status st = yk_identify(record, order ? order : YK_MODEL_LAGS, found, err);
    struct yk_identified servo;

    if (!st && !order && found->model.T1 < 1.5 * found->model.T2 &&
        !yk_identify(record, YK_MODEL_SERVO, &servo, NULL) && servo.residual_m < found->residual_m)
        *found = servo;
    return st;
}

enum yk_status yk_identification_make(struct yk_identification *j, const struct yk_sweep_record *record, int order,
                                      struct yk_err *err)
{
    double f[YK_BODE_POINTS];
    enum yk_status st = fit(record, order, &j->found, err);

    if (st)
        return st;
    yk_sweep_frequencies(&j->sweep, YK_BODE_POINTS, f);
    yk_sweep_response(record, YK_BODE_POINTS, f, j->measured);
    yk_lags_response(&j->found.model, YK_BODE_POINTS, f, j->model);
    return yk_propose(&j->found.model, j->tick_s, &j->proposal, err);
}

/* A parameter with its standard deviation, or that the sweep says nothing about it. */
static void print_parameter(FILE *out, const char *name, double scale, double value, double deviation, const char *unit)
{
    if (fabs(scale * value) < 1e-9)
        fprintf(out, "  %-10s %12g\n", name, 0.0);
    else if (isfinite(deviation) && deviation < 0.5 * fabs(value))
        fprintf(out, "  %-10s %12.6g  +- %.2g%s\n", name, scale * value, scale * deviation, unit);
    else if (isfinite(deviation))
        fprintf(out, "  %-10s %12s  between 0 and %.2g%s: the sweep does not tell it apart from the others\n", name,
                "-", scale * (value + 2 * deviation), unit);
    else
        fprintf(out, "  %-10s %12.6g  (not determined)\n", name, scale * value);
}

bool yk_identification_section(const struct yk_identification *j, FILE *out)
{
    const struct yk_lags *m = &j->found.model;
    const struct yk_proposal *p = &j->proposal;
    const char *name = j->actuator;

    if (m->damping > 0)
        return fprintf(out,
                       "transfer:\n"
                       "  %s:\n"
                       "    compensator: { kind: model-inverse, frequency: %.7g Hz, damping: %.7g, delay: %.7g s }\n",
                       name, 1 / (2 * M_PI * m->T1), m->damping, p->open_delay_s) > 0;
    return fprintf(out,
                   "transfer:\n"
                   "  %s:\n"
                   "    compensator: { kind: lagrange, order: 3, delay: %.7g s }\n"
                   "    controller:  { kind: imc, gain: %.7g, T1: %.7g s, T2: %.7g s, dead_time: %.7g s, "
                   "filter: %.7g s }\n",
                   name, p->imc_delay_s, m->gain, m->T1, p->imc_T2_s, m->dead_time, p->imc_filter_s) > 0;
}

void yk_identification_print(const struct yk_identification *j, FILE *out)
{
    const struct yk_lags *m = &j->found.model, *d = &j->found.deviation;
    const struct yk_proposal *p = &j->proposal;

    fprintf(out, "%s: sweep", j->actuator);
    yk_sweep_print(&j->sweep, j->tick_s, j->mounted, out);
    print_parameter(out, "gain", 1, m->gain, d->gain, "");
    if (m->damping > 0) {
        const double f = 1 / (2 * M_PI * m->T1);

        print_parameter(out, "frequency", 1, f, f * d->T1 / m->T1, " Hz");
        print_parameter(out, "damping", 1, m->damping, d->damping, "");
    } else {
        print_parameter(out, "T1", 1e3, m->T1, d->T1, " ms");
        if (j->found.order == YK_MODEL_LAGS)
            print_parameter(out, "T2", 1e3, m->T2, d->T2, " ms");
    }
    print_parameter(out, "dead time", 1e3, m->dead_time, d->dead_time, " ms");
    fprintf(out, "  fit        %12.4f %%, rms residual %.3g mm\n", j->found.fit_percent, 1e3 * j->found.residual_m);
    fprintf(out, "proposed\n");
    if (!(m->damping > 0))
        fprintf(out, "  imc        filter %.5g ms, delay to compensate %.5g ms\n", 1e3 * p->imc_filter_s,
                1e3 * p->imc_delay_s);
    fprintf(out, "  pi         K %.5g, Ti %.5g ms\n", p->pi.K, 1e3 * p->pi.Ti);
    fprintf(out, "  pid        K %.5g, Ti %.5g ms, Td %.5g ms\n", p->pid.K, 1e3 * p->pid.Ti, 1e3 * p->pid.Td);
    fprintf(out, "faster, with overshoot (Ziegler and Nichols)\n");
    fprintf(out, "  p          K %.5g\n", p->quick_p.K);
    fprintf(out, "  pi         K %.5g, Ti %.5g ms\n", p->quick_pi.K, 1e3 * p->quick_pi.Ti);
    fprintf(out, "  pid        K %.5g, Ti %.5g ms, Td %.5g ms\n", p->quick_pid.K, 1e3 * p->quick_pid.Ti,
            1e3 * p->quick_pid.Td);
    fprintf(out, "to paste (then compare with others: yoke check FILE --compensators)\n");
    yk_identification_section(j, out);
}
