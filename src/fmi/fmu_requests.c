/* Requests to a running FMU and their answers, its start, and what went wrong in words. */
#include "fmi/fmu_parts.h"

#include "base/thread.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

YK_RT uint64_t yk_fmu_number(struct yk_fmu *f)
{
    return atomic_fetch_add_explicit(&f->number, 1, memory_order_relaxed) + 1;
}

YK_RT static void write_request(struct yk_fmu *f, const struct yk_fmu_ask *ask)
{
    const size_t n = f->job.inputs;
    union yk_fmu_word *r = f->request;

    r[0].n =
        (uint64_t)ask->what | (uint64_t)ask->course << 8 | (uint64_t)ask->substeps << 16 | (uint64_t)ask->keep << 32;
    r[1].n = ask->from;
    r[2].n = ask->as;
    r[3].x = ask->t;
    r[4].x = ask->h;
    r[5].n = (uint64_t)yk_thread_priority();
    r += YK_FMU_REQUEST_HEAD;
    if (ask->begin)
        memcpy(r, ask->begin, n * sizeof(double));
    if (ask->end)
        memcpy(r + n, ask->end, n * sizeof(double));
    if (ask->z)
        memcpy(r + 2 * n, ask->z, f->job.states * sizeof(double));
}

YK_RT void yk_fmu_post_request(struct yk_fmu *f)
{
    yk_board_post(f->requests, yk_fmu_request_words(&f->job), &f->request[0].n, yk_fmu_request_words(&f->job));
    yk_board_ring(f->requests);
}

/* The host, or the instance in this process. False: it is gone. */
YK_RT static bool get_answer(struct yk_fmu *f)
{
    if (f->instance) {
        yk_fmu_instance_answer(f->instance, f->request, f->answer);
        return true;
    }
    if (f->dead || !f->shared)
        return false;
    yk_fmu_post_request(f);
    return yk_fmu_await_answer(f, f->timeout_ns);
}

YK_RT enum yk_fmu_outcome yk_fmu_ask(struct yk_fmu *f, const struct yk_fmu_ask *ask, double *outputs, double *z)
{
    enum yk_fmu_outcome outcome;

    while (atomic_flag_test_and_set_explicit(&f->busy, memory_order_acquire))
        ;
    write_request(f, ask);
    if (get_answer(f)) {
        outcome = (enum yk_fmu_outcome)f->answer[0].n;
        if ((outcome == YK_FMU_FINE || outcome == YK_FMU_WANTS_END) && outputs)
            memcpy(outputs, f->answer + YK_FMU_ANSWER_HEAD, f->job.outputs * sizeof *outputs);
        if (outcome == YK_FMU_FINE && z)
            memcpy(z, f->answer + YK_FMU_ANSWER_HEAD + f->job.outputs, f->job.states * sizeof *z);
        if (outcome != YK_FMU_FINE && outcome != YK_FMU_STATE_GONE && f->fault.outcome == YK_FMU_FINE) {
            f->fault.outcome = outcome;
            f->fault.t = isfinite(f->answer[4].x) ? f->answer[4].x : ask->t + ask->h;
            memcpy(f->fault.where, f->shared->where, sizeof f->fault.where - 1);
        }
        f->dead = f->dead || (outcome == YK_FMU_FATAL && !f->instance);
    } else {
        outcome = f->fault.outcome ? f->fault.outcome : YK_FMU_DIED;
        if (f->fault.t == 0)
            f->fault.t = ask->t + ask->h;
    }
    atomic_flag_clear_explicit(&f->busy, memory_order_release);
    return outcome;
}

static enum yk_fmu_outcome initialize(struct yk_fmu *f, const double *inputs, uint64_t *number, double *outputs,
                                      double *z)
{
    const struct yk_fmu_ask ask = {
        .what = YK_FMU_INIT, .as = *number = yk_fmu_number(f), .begin = inputs, .end = inputs};

    f->fault = (struct yk_fmu_failure){0};
    return yk_fmu_ask(f, &ask, outputs, z);
}

enum yk_fmu_outcome yk_fmu_again(struct yk_fmu *f, const double *inputs, uint64_t *number, double *outputs, double *z)
{
    if (f->dead && yk_fmu_start_host(f, NULL))
        return f->fault.outcome ? f->fault.outcome : YK_FMU_FAILED;
    return initialize(f, inputs, number, outputs, z);
}

enum yk_status yk_fmu_refuse_start(const struct yk_fmu *f, struct yk_err *err)
{
    char words[YK_FMU_TEXT + 200];

    if (!yk_fmu_fault(f, words, sizeof words))
        snprintf(words, sizeof words, "it cannot be initialized");
    return yk_fail(err, YK_E_INPUT, "%s", words);
}

enum yk_status yk_fmu_start(struct yk_fmu *f, const struct yk_fmu_start *start, const double *inputs, uint64_t *number,
                            double *outputs, double *z, struct yk_err *err)
{
    enum yk_status st = YK_OK;

    f->in_process = start->in_process;
    f->timeout_ns = llround(1e9 * start->timeout_s);
    f->job.stop = start->end_s > 0 ? f->job.start + start->end_s : NAN;
    f->job.saves = f->job.saves && !start->no_saving;
    f->job.interpolates = f->chosen == YK_FMU_COSIMULATION && yk_fmu_flags(f)->interpolates;
    f->job.intermediate = f->chosen == YK_FMU_COSIMULATION && yk_fmu_flags(f)->intermediate;
    for (size_t i = 0; i < f->job.inputs && f->job.intermediate; i++)
        for (size_t k = 0; k < f->d.variable_count; k++)
            if (f->d.variables[k].vr == f->job.input[i].vr && !f->job.input[i].absent)
                f->job.intermediate = f->job.intermediate && f->d.variables[k].intermediate;
    free(f->request);
    free(f->answer);
    if (!(f->request = calloc(yk_fmu_request_words(&f->job), sizeof *f->request)) ||
        !(f->answer = calloc(yk_fmu_answer_words(&f->job), sizeof *f->answer)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    if (f->in_process) {
        if (!(f->shared = calloc(1, sizeof *f->shared)))
            return yk_fail(err, YK_E_MEMORY, "out of memory");
        st = yk_fmu_instance_open(&f->instance, &f->job, f->shared->where, f->shared->text, err);
    } else {
        st = yk_fmu_start_host(f, err);
    }
    if (st)
        return yk_fail_within(err, YK_IN_FILE(f->path), "%s", "");
    if (initialize(f, inputs, number, outputs, z) != YK_FMU_FINE)
        st = yk_fmu_refuse_start(f, err);
    return st ? yk_fail_within(err, YK_IN_FILE(f->path), "%s", "") : YK_OK;
}

bool yk_fmu_saves(const struct yk_fmu *f)
{
    return f->job.saves;
}

size_t yk_fmu_states(const struct yk_fmu *f)
{
    return f->job.states;
}

bool yk_fmu_has_events(const struct yk_fmu *f)
{
    return f->chosen == YK_FMU_EXCHANGE && (f->job.completes || f->job.indicators);
}

YK_RT bool yk_fmu_has_failed(const struct yk_fmu *f)
{
    return f->fault.outcome != YK_FMU_FINE;
}

void yk_fmu_forgive(struct yk_fmu *f)
{
    f->fault = (struct yk_fmu_failure){0};
}

double yk_fmu_stopped_at(const struct yk_fmu *f)
{
    return f->fault.t;
}

bool yk_fmu_fault(const struct yk_fmu *f, char *text, size_t size)
{
    const struct yk_fmu_failure *x = &f->fault;
    const char *says = f->shared && *f->shared->text ? f->shared->text : "", *name = f->job.name;
    const char *in = *x->where ? x->where : "its code";

    switch (x->outcome) {
    case YK_FMU_FINE:
    case YK_FMU_STATE_GONE:
        return false;
    case YK_FMU_DIED:
        snprintf(text, size, "FMU '%s' died by signal %d (%s) in %s at t = %g s", name, x->code, strsignal(x->code), in,
                 x->t);
        break;
    case YK_FMU_EXITED:
        snprintf(text, size, "FMU '%s' ended its process (exit code %d) in %s at t = %g s", name, x->code, in, x->t);
        break;
    case YK_FMU_SILENT:
        snprintf(text, size, "FMU '%s' did not answer within %g s in %s at t = %g s", name, x->waited_s, in, x->t);
        break;
    case YK_FMU_NOT_FINITE:
        snprintf(text, size, "FMU '%s' returned a value that is not a finite number at t = %g s", name, x->t);
        break;
    case YK_FMU_REPEATED:
        snprintf(text, size,
                 "FMU '%s' was asked twice for one instant (t = %g s), but cannot go back: it saves no state", name,
                 x->t);
        break;
    case YK_FMU_WANTS_END:
        snprintf(text, size, "FMU '%s' asked to stop at t = %g s", name, x->t);
        break;
    case YK_FMU_EVENTS:
        snprintf(text, size, "FMU '%s' has more than 1000 events in the step to t = %g s", name, x->t);
        break;
    default:
        snprintf(text, size, "FMU '%s' %s in %s at t = %g s%s%.200s", name,
                 x->outcome == YK_FMU_DISCARDED ? "discarded its step" : "reported an error", in, x->t,
                 *says ? ": " : "", says);
    }
    return true;
}

void yk_fmu_costs(const struct yk_fmu *f, uint64_t *heap, uint64_t *ns, uint64_t *warnings)
{
    *warnings = f->answer[1].n;
    *ns = f->answer[2].n;
    *heap = f->answer[3].n;
}
