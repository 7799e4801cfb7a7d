/* The loop with specimens: its verdict in words, and what a run makes of it. */
#include "cli/loop.h"
#include "door/answers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- before a run ---- */

/* Anything but the models in this process. */
static bool moves_a_rig(const struct yk_model *model)
{
    void *self;

    return !(yk_station_rig(model->station, &self)->can & YK_RIG_SIMULATES);
}

static int refuse(const struct yk_model *model, const char *words)
{
    struct yk_err err = {0};

    yk_fail_at(
        &err, YK_E_CHECK, model->method_where,
        "the hybrid loop is %s; no actuator was moved. `yoke check %s` explains it; set method.stability: warn to run "
        "anyway",
        words, model->path);
    return yk_command_fail(&err);
}

/* Adds lines to a sentence. */
static void join_lines(char *text, size_t size, const char *lines)
{
    for (const char *at = lines + strspn(lines, " \n"); *at; at += strspn(at, " \n")) {
        const size_t length = strcspn(at, "\n"), used = strlen(text);

        snprintf(text + used, size - used, "; %.*s", (int)length, at);
        at += length;
    }
}

/* Spends the rest of the budget on the margins with another specimen and actuator. */
static void add_margins(const struct yk_model *model, const struct yk_judging *how, const struct yk_margin *m,
                        struct yk_loop_report *report)
{
    const struct yk_judging rest = {.periods = how->periods, .budget_s = fmax(how->budget_s - m->spent_s, 0.1)};
    struct yk_robustness r;
    char *words = NULL;
    size_t size = 0;

    if (isfinite(m->margin_s)) {
        report->margin_s = m->margin_s;
        report->unstable_at_s = m->margin_s + (isfinite(m->late_s) ? fmax(m->late_s, 0) : 0);
    }
    if (yk_hybrid_robustness(model, &rest, &r, NULL))
        return;
    report->gain = isfinite(r.gain_growth) ? r.gain : NAN;
    FILE *out = open_memstream(&words, &size);
    if (out) {
        yk_robustness_print(&r, rest.budget_s, "`yoke analyze margin` takes longer", out);
        fclose(out);
        join_lines(report->words, sizeof report->words, words);
    }
    free(words);
}

int check_loop(const struct yk_model *model, double budget_s, bool paced, struct yk_loop_report *report)
{
    struct yk_margin m = {.verdict = YK_LOOP_UNDECIDED, .decay = NAN};
    const struct yk_judging how = {
        .periods = YK_MARGIN_CHECK, .budget_s = budget_s, .margin = model->station && (paced || moves_a_rig(model))};
    struct yk_err err = {0};
    char advice[320] = "";

    *report = (struct yk_loop_report){.margin_s = NAN, .unstable_at_s = NAN, .gain = NAN};
    if (!model->station || model->static_path) /* a quasi-static test has no loop */
        return 0;
    if (!yk_model_is_hybrid(model))
        snprintf(report->words, sizeof report->words,
                 "undecided: the mass depends on the configuration, so the whole structure cannot be assembled");
    else if (budget_s == 0)
        snprintf(report->words, sizeof report->words, "undecided: not judged (--budget 0)");
    else if (yk_hybrid_judge(model, &how, &m, &err))
        snprintf(report->words, sizeof report->words, "undecided: %.600s", yk_err_line(&err).text);
    else
        yk_loop_words(&m, budget_s, report->words, sizeof report->words);
    report->judged = true;
    report->verdict = m.verdict;
    report->decay = m.decay;
    if (m.verdict == YK_LOOP_STABLE && how.margin)
        add_margins(model, &how, &m, report);
    if (m.verdict == YK_LOOP_STABLE)
        return 0;
    if (m.verdict == YK_LOOP_UNSTABLE) {
        const size_t used = strlen(report->words);

        yk_loop_advice(model, &m, advice, sizeof advice);
        snprintf(report->words + used, sizeof report->words - used, "%s%s", *advice ? "; " : "", advice);
        if ((paced || moves_a_rig(model)) && model->stability == YK_REFUSE_UNSTABLE)
            return refuse(model, report->words);
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
