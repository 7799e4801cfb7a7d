/* An FMU that makes one step a tick. */
#include "fmi/ticker.h"

#include <math.h>
#include <string.h>

enum { SUBSTEPS = 4 };

static enum yk_status connect(struct yk_fmu_ticker *t, const struct yk_fmu_wire *w, bool input, struct yk_err *err)
{
    const enum yk_status st = input ? yk_fmu_input(t->fmu, w->name ? w->name : "", w->quantity, err)
                                    : yk_fmu_output(t->fmu, w->name, w->quantity, err);

    return st ? yk_fail_within(err, YK_NOWHERE, "%s: ", w->key) : YK_OK;
}

enum yk_status yk_fmu_ticker_open(struct yk_fmu_ticker *t, const char *name, const struct yk_fmu_wire *inputs,
                                  size_t input_count, const struct yk_fmu_wire *outputs, size_t output_count, double h,
                                  double end_s, struct yk_arena *mem, struct yk_err *err)
{
    const struct yk_fmu_start start = {.in_process = t->isolation == 1, .timeout_s = t->timeout, .end_s = end_s};
    enum yk_status st;

    t->h = h;
    t->substeps = SUBSTEPS;
    t->inputs = input_count;
    t->outputs = output_count;
    t->settling = lround(t->settle / h);
    if ((st = yk_fmu_open(&t->fmu, t->file, name, err)))
        return yk_fail_as(err, st == YK_E_IO ? YK_E_INPUT : st);
    st = yk_fmu_choose(t->fmu, (enum yk_fmu_wish)t->interface, true, err);
    for (size_t i = 0; i < input_count && !st; i++)
        st = connect(t, &inputs[i], true, err);
    for (size_t i = 0; i < output_count && !st; i++)
        st = connect(t, &outputs[i], false, err);
    if (!st && !(st = yk_fmu_parameters(t->fmu, t->parameters, err))) {
        const size_t states = yk_fmu_states(t->fmu);

        yk_arena_each(mem, input_count + 1, 2, (double **const[]){&t->in, &t->first_in});
        yk_arena_each(mem, output_count + 1, 2, (double **const[]){&t->out, &t->first_out});
        yk_arena_each(mem, states + 1, 2, (double **const[]){&t->z, &t->first_z});
        if (!(st = yk_arena_check(mem, err)))
            st = yk_fmu_start(t->fmu, &start, t->first_in, &t->first, t->first_out, t->first_z, err);
    }
    const double d = st ? 0 : yk_fmu_flags(t->fmu)->internal_step;
    if (!st && d > 0 && !(fabs(h / d - round(h / d)) <= 1e-9 * h / d && h / d > 0.5))
        st = yk_fail(err, YK_E_RANGE, "the FMU has a fixed internal step of %g s, and a tick of %g s is not a multiple",
                     d, h);
    if (st) {
        yk_fmu_ticker_close(t);
        return st;
    }
    if (yk_fmu_chosen(t->fmu) == YK_FMU_COSIMULATION)
        t->substeps = 1;
    yk_fmu_ticker_reset(t);
    return YK_OK;
}

void yk_fmu_ticker_close(void *self)
{
    struct yk_fmu_ticker *t = self;

    yk_fmu_close(t->fmu);
    t->fmu = NULL;
}

YK_RT static void fail(struct yk_fmu_ticker *t)
{
    for (size_t i = 0; i < t->outputs; i++)
        t->out[i] = (double)NAN;
}

YK_RT void yk_fmu_ticker_reset(struct yk_fmu_ticker *t)
{
    const size_t states = yk_fmu_states(t->fmu);

    t->ticks = 0;
    t->fresh = true;
    t->number = t->first;
    memcpy(t->out, t->first_out, t->outputs * sizeof *t->out);
    memcpy(t->z, t->first_z, states * sizeof *t->z);
    if (memcmp(t->in, t->first_in, t->inputs * sizeof *t->in) != 0 || yk_fmu_has_failed(t->fmu)) {
        if (yk_fmu_again(t->fmu, t->in, &t->number, t->out, t->z) != YK_FMU_FINE)
            fail(t);
    }
    for (long i = 0; i < t->settling; i++)
        yk_fmu_ticker_step(t);
}

YK_RT void yk_fmu_ticker_step(struct yk_fmu_ticker *t)
{
    struct yk_fmu_ask ask = {.what = yk_fmu_has_events(t->fmu) ? YK_FMU_COMMIT : YK_FMU_STEP,
                             .course = YK_FMU_HELD,
                             .substeps = t->substeps,
                             .keep = true,
                             .from = t->number,
                             .as = yk_fmu_number(t->fmu),
                             .t = (double)t->ticks * t->h,
                             .h = t->h,
                             .begin = t->in,
                             .end = t->in,
                             .z = t->z};
    enum yk_fmu_outcome outcome = yk_fmu_ask(t->fmu, &ask, t->out, t->z);

    if (outcome == YK_FMU_STATE_GONE && t->fresh &&
        yk_fmu_again(t->fmu, t->in, &t->number, t->out, t->z) == YK_FMU_FINE) {
        ask.from = t->number;
        outcome = yk_fmu_ask(t->fmu, &ask, t->out, t->z);
    }
    t->fresh = false;
    t->ticks++;
    if (yk_fmu_chosen(t->fmu) == YK_FMU_COSIMULATION || yk_fmu_has_events(t->fmu))
        t->number = ask.as;
    if (outcome != YK_FMU_FINE)
        fail(t);
}

bool yk_fmu_ticker_fault(const void *self, char *text, size_t size)
{
    const struct yk_fmu_ticker *t = self;

    return t->fmu && yk_fmu_fault(t->fmu, text, size);
}
