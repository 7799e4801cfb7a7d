/* The loop with specimens: its verdict in words, and what a run makes of it. */
#include "cli/loop.h"

#include "base/clock.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

#define EXACTLY 0.1 /* of a delay: what is left of it when it counts as compensated */

/* ---- at work ---- */

struct progress {
    int64_t shown_ns;
    double budget_s;
};

static void show(void *self, double spent_s)
{
    struct progress *p = self;
    const int64_t now = yk_clock_now_ns();

    if (now - p->shown_ns < 500000000)
        return;
    p->shown_ns = now;
    fprintf(stderr, "\rjudging the hybrid loop: %.0f s of at most %.0f s ", spent_s, p->budget_s);
}

enum yk_status judge_loop(const struct yk_plan *plan, struct yk_judging how, struct yk_margin *out, struct yk_err *err)
{
    const int64_t begin = yk_clock_now_ns();
    struct progress progress = {begin, how.budget_s};
    enum yk_status st;

    if (isatty(STDERR_FILENO)) {
        how.progress = show;
        how.self = &progress;
    }
    st = yk_hybrid_judge(plan, &how, out, err);
    if (progress.shown_ns != begin)
        fputs("\r\033[K", stderr);
    return st;
}

/* ---- in words ---- */

static void stable_words(const struct yk_margin *m, double budget_s, char *text, size_t size)
{
    if (isnan(m->margin_s))
        snprintf(text, size, "stable");
    else if (m->complete && isfinite(m->margin_s))
        snprintf(text, size, "stable; delay margin %s%.3g ms", m->brief ? "about " : "", 1e3 * m->margin_s);
    else if (m->complete)
        snprintf(text, size, "stable; delay margin more than %.4g ms", 1e3 * m->longest_s);
    else if (isfinite(m->growth_s))
        snprintf(text, size, "stable; delay margin between %.3g and %.3g ms (CPU time of %g s used up)",
                 1e3 * m->margin_s, 1e3 * m->growth_s, budget_s);
    else
        snprintf(text, size,
                 "stable; delay margin at least %.4g ms (CPU time of %g s used up before every delay was tried)",
                 1e3 * m->longest_s, budget_s);
}

void loop_words(const struct yk_margin *m, double budget_s, char *text, size_t size)
{
    if (m->verdict == YK_LOOP_STABLE)
        stable_words(m, budget_s, text, size);
    else if (m->verdict == YK_LOOP_UNDECIDED)
        snprintf(text, size, "undecided: %g s of CPU time did not suffice; raise it with --budget", budget_s);
    else if (isfinite(m->decay))
        snprintf(text, size, "UNSTABLE: free vibration doubles every %.2g s", log(2) / -m->decay);
    else
        snprintf(text, size, "UNSTABLE: free vibration grows without bound");
}

void loop_advice(const struct yk_experiment *e, const struct yk_margin *m, char *text, size_t size)
{
    const char *name = yk_station_name(e->station, m->actuator);
    const double delay = m->late_s + m->lead_s, left = EXACTLY * fmax(fabs(delay), yk_station_pace(e->station).tick);
    char compensated[64] = "nothing is compensated";

    if (m->lead_s > 0)
        snprintf(compensated, sizeof compensated, "%.3g ms are compensated", 1e3 * m->lead_s);
    if (!isfinite(m->late_s))
        *text = 0;
    else if (m->late_s > left)
        snprintf(text, size,
                 "actuator %s has a delay of about %.3g ms and %s; compensate %s (transfer.%s.compensator) or make the "
                 "actuator faster",
                 name, 1e3 * delay, compensated, m->lead_s > 0 ? "the rest" : "it", name);
    else if (m->late_s < -left)
        snprintf(text, size, "actuator %s has a delay of about %.3g ms and %s; compensate less", name, 1e3 * delay,
                 compensated);
    else
        snprintf(
            text, size,
            "actuator %s has a delay of about %.3g ms and %s, which is right; another compensator or method, a shorter "
            "step, more damping, or less of the stiffness and mass in the specimen may help",
            name, 1e3 * delay, compensated);
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
        loop_words(&m, budget_s, report->words, sizeof report->words);
    report->judged = true;
    report->verdict = m.verdict;
    report->decay = m.decay;
    if (m.verdict == YK_LOOP_STABLE)
        return 0;
    if (m.verdict == YK_LOOP_UNSTABLE) {
        const size_t used = strlen(report->words);

        loop_advice(e, &m, advice, sizeof advice);
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
