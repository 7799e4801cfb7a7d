/* A signal from an FMU without inputs: run from 0 to the end before the experiment starts, then read from the table
 * with straight lines. docs/fmi.md. */
#include "fmi/ticker.h"
#include <yoke/signal.h>

#include <math.h>
#include <stdlib.h>

struct fmu {
    struct yk_fmu_ticker t;
    char *output;
    double sample;
    int after;
    struct yk_series table;
};

enum { AFTER_REFUSE, AFTER_HOLD, AFTER_ZERO, MOST_SAMPLES = 10000000 };

/* The quantity that the unit of the output is one of. */
static enum yk_quantity quantity_of(const struct yk_fmu_description *d, const char *name)
{
    static const enum yk_quantity tries[] = {YK_FORCE, YK_ACCELERATION, YK_DISPLACEMENT, YK_VELOCITY};
    size_t element;
    const struct yk_fmu_variable *v = yk_fmu_variable(d, name, &element);
    double factor, offset;
    bool assumed;

    for (size_t i = 0; v && i < sizeof tries / sizeof *tries; i++)
        if (!yk_fmu_unit_of(d, v, tries[i], &factor, &offset, &assumed, NULL))
            return tries[i];
    return YK_NUMBER;
}

static enum yk_status tabulate(struct fmu *s, struct yk_err *err)
{
    char words[600];

    for (size_t i = 0; i < s->table.n; i++) {
        if (i)
            yk_fmu_ticker_step(&s->t);
        s->table.t[i] = (double)i * s->sample;
        s->table.y[i] = s->t.out[0];
        if (yk_fmu_ticker_fault(&s->t, words, sizeof words)) {
            if (s->after == AFTER_REFUSE || i == 0)
                return yk_fail(err, YK_E_INPUT, "%s; what follows is said by after: hold or zero", words);
            s->table.n = i;
        }
    }
    return YK_OK;
}

static enum yk_status prepare(void *settings, double end_s, struct yk_err *err)
{
    struct fmu *s = settings;
    struct yk_arena mem = {0};
    struct yk_fmu *look = NULL;
    enum yk_quantity quantity;
    enum yk_status st = yk_fmu_open(&look, s->t.file, "load", err);

    if (st)
        return yk_fail_as(err, st == YK_E_IO ? YK_E_INPUT : st);
    quantity = quantity_of(yk_fmu_description(look), s->output);
    if (s->sample == 0)
        s->sample = yk_fmu_description(look)->step > 0 ? yk_fmu_description(look)->step : 1e-3;
    yk_fmu_close(look);
    const double count = ceil(end_s / s->sample) + 1;
    if (!(count <= MOST_SAMPLES))
        return yk_fail(err, YK_E_RANGE, "sample = %g s would make %g samples; at most %d", s->sample, count,
                       MOST_SAMPLES);
    s->table.n = (size_t)count;
    s->table.t = calloc(s->table.n, sizeof(double));
    s->table.y = calloc(s->table.n, sizeof(double));
    if (!s->table.t || !s->table.y)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    if (!(st = yk_fmu_ticker_open(&s->t, "load", NULL, 0, &(struct yk_fmu_wire){"output", s->output, quantity}, 1,
                                  s->sample, end_s + s->sample, &mem, err)))
        st = tabulate(s, err);
    yk_fmu_ticker_close(&s->t);
    yk_arena_free(&mem);
    return st;
}

static void fini(void *settings)
{
    struct fmu *s = settings;

    free(s->table.t);
    free(s->table.y);
}

YK_RT static double value(const void *settings, double t)
{
    const struct fmu *s = settings;
    const size_t n = s->table.n;

    return s->after != AFTER_ZERO && n && t > s->table.t[n - 1] ? s->table.y[n - 1] : yk_series_value(&s->table, t);
}

static const struct yk_param params[] = {
    YK_FMU_TICKER_PARAMS(struct fmu, t),
    YK_FMU_VARIABLE(struct fmu, output, YK_REQUIRED, "output of the FMU"),
    YK_REAL(struct fmu, sample, YK_TIME, 0, 0, 1e4,
            "spacing of the table; 0: the step that the FMU recommends, or 1 ms"),
    YK_CHOICE(
        struct fmu, after, "refuse|hold|zero", AFTER_REFUSE,
        "what follows where the FMU stops before the end: its last value, zero, or nothing, so that it is refused"),
    YK_PARAM_END,
};

const struct yk_signal_ops yk_signal_fmu = {
    .name = "fmu",
    .summary = "output of a functional mock-up unit, tabulated before the run; straight lines between the samples",
    .reference = "FMI 2.0, 3.0",
    .params = params,
    .settings_size = sizeof(struct fmu),
    .prepare = prepare,
    .fini = fini,
    .value = value,
};
