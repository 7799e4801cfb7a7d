/* The loop with specimens: its verdict in words, and what a run makes of it. */
#include "cli/loop.h"
#include "program/answers.h"

#include "base/clock.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

/* ---- at work ---- */

static void show(void *self, double spent_s)
{
    struct loop_progress *p = self;
    const int64_t now = yk_clock_now_ns();

    if (now - p->shown_ns < 500000000)
        return;
    p->shown_ns = now;
    fprintf(stderr, "\rjudging the hybrid loop: %.0f s of at most %.0f s ", spent_s, p->budget_s);
}

void loop_progress_begin(struct loop_progress *p, double budget_s, void (**progress)(void *, double), void **self)
{
    *p = (struct loop_progress){.begin_ns = yk_clock_now_ns(), .budget_s = budget_s};
    p->shown_ns = p->begin_ns;
    if (!isatty(STDERR_FILENO))
        return;
    *progress = show;
    *self = p;
}

void loop_progress_end(const struct loop_progress *p)
{
    if (p->shown_ns != p->begin_ns)
        fputs("\r\033[K", stderr);
}

static enum yk_status judge_loop(const struct yk_plan *plan, struct yk_judging how, struct yk_margin *out,
                                 struct yk_err *err)
{
    struct loop_progress progress;
    enum yk_status st;

    loop_progress_begin(&progress, how.budget_s, &how.progress, &how.self);
    st = yk_hybrid_judge(plan, &how, out, err);
    loop_progress_end(&progress);
    return st;
}

/* ---- before a run ---- */

/* Anything but the models in this process. */
static bool moves_a_rig(const struct yk_experiment *e)
{
    void *self;

    return !(yk_station_rig(e->station, &self)->can & YK_RIG_SIMULATES);
}

static int refuse(const struct yk_experiment *e, const char *words)
{
    struct yk_err err = {0};

    yk_fail_at(
        &err, YK_E_CHECK, e->method_where,
        "the hybrid loop is %s; no actuator was moved. `yoke check %s` explains it; set method.stability: warn to run "
        "anyway",
        words, e->path);
    return report_failure(&err);
}

int check_loop(const struct yk_plan *plan, double budget_s, bool paced, struct yk_loop_report *report)
{
    const struct yk_experiment *e = yk_plan_experiment(plan);
    struct yk_margin m = {.verdict = YK_LOOP_UNDECIDED, .decay = NAN};
    const struct yk_judging how = {.periods = YK_MARGIN_CHECK, .budget_s = budget_s};
    struct yk_err err = {0};
    char advice[320] = "";

    *report = (struct yk_loop_report){0};
    if (!e->station)
        return 0;
    if (!yk_experiment_is_hybrid(e))
        snprintf(report->words, sizeof report->words,
                 "undecided: the mass depends on the configuration, so the whole structure cannot be assembled");
    else if (budget_s == 0)
        snprintf(report->words, sizeof report->words, "undecided: not judged (--budget 0)");
    else if (judge_loop(plan, how, &m, &err))
        snprintf(report->words, sizeof report->words, "undecided: %.600s", yk_err_line(&err).text);
    else
        yk_loop_words(&m, budget_s, report->words, sizeof report->words);
    report->judged = true;
    report->verdict = m.verdict;
    report->decay = m.decay;
    if (m.verdict == YK_LOOP_STABLE)
        return 0;
    if (m.verdict == YK_LOOP_UNSTABLE) {
        const size_t used = strlen(report->words);

        yk_loop_advice(e, &m, advice, sizeof advice);
        snprintf(report->words + used, sizeof report->words - used, "%s%s", *advice ? "; " : "", advice);
        if ((paced || moves_a_rig(e)) && e->stability == YK_REFUSE_UNSTABLE)
            return refuse(e, report->words);
    }
    tell_loop(report);
    return 0;
}

void tell_loop(const struct yk_loop_report *report)
{
    if (report->judged && report->verdict != YK_LOOP_STABLE)
        fprintf(stderr, "yoke: %s: stability of the hybrid loop: %s\n",
                report->verdict == YK_LOOP_UNSTABLE ? "warning" : "note", report->words);
}
