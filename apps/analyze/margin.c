/* yoke analyze margin: stability of the hybrid loop and its delay margin, in two ways. */
#include "request.h"
#include <yoke/progress.h>

#include <math.h>

static void print_margin(const char *label, const struct yk_margin *m)
{
    printf("%-15s ", label);
    if (m->verdict == YK_LOOP_UNDECIDED)
        fputs("undecided", stdout);
    else if (m->verdict == YK_LOOP_UNSTABLE)
        fputs("none", stdout);
    else if (m->complete && isfinite(m->margin_s))
        printf("%.4f ms; unstable beyond that", 1e3 * m->margin_s);
    else if (isfinite(m->growth_s))
        printf("between %.4g and %.4g ms", 1e3 * m->margin_s, 1e3 * m->growth_s);
    else
        printf("more than %.4g ms", 1e3 * m->longest_s);
    printf(" (by %s%s)\n", m->by_matrix ? "amplification matrix" : "free vibrations",
           m->verdict != YK_LOOP_UNSTABLE && !m->complete ? "; the budget was spent" : "");
}

static void print_all(const struct request *q, const struct yk_margin *m, const struct yk_margin *simulated,
                      const struct yk_robustness *r, double budget_s)
{
    char text[512];

    yk_loop_words(m, budget_s, text, sizeof text);
    printf("hybrid loop     %s\n", text);
    if (m->verdict == YK_LOOP_UNSTABLE) {
        yk_parts_loop_advice(q->parts, m, text, sizeof text);
        printf("%s%s%s", *text ? "                " : "", text, *text ? "\n" : "");
    }
    if (isfinite(m->decay))
        printf("decay           %.4g 1/s", m->decay);
    if (isfinite(m->decay) && isfinite(m->decay_model))
        printf("; %.4g 1/s without the rig, with models instead of the specimens", m->decay_model);
    fputs(isfinite(m->decay) ? "\n" : "", stdout);
    if (m->modes)
        printf(
            "condensed       %zu shapes of each linear part; a push is answered as by the full structure to %.2g %%\n",
            m->modes, 100 * m->unlike);
    if (m->by_matrix)
        print_margin("delay margin", m);
    else
        printf("matrix          none: %s\n", m->large ? "the structure is too large for an amplification matrix"
                                                      : "the loop is not linear (adaptation, friction or saturation)");
    print_margin(m->by_matrix ? "" : "delay margin", simulated);
    if (!simulated->windows && simulated->verdict == YK_LOOP_STABLE)
        printf("                not all smaller delays were tried; some of them may be unstable\n");
    if (m->verdict == YK_LOOP_STABLE)
        yk_robustness_print(r, budget_s, "raise it with --budget", stdout);
}

int analyze_margin(struct request *q)
{
    struct yk_robustness r = {0};
    struct yk_margin m, simulated;
    struct yk_judging how = {.margin = true, .budget_s = YK_MARGIN_BUDGET_S, .simulated = &simulated};
    struct yk_err err = {0};
    int code;

    if (!yk_option_quantity(&command_analyze, "--budget", q->budget, YK_TIME, 1e-9, 1e6, &how.budget_s))
        return 2;
    if (!yk_parts_are_hybrid(q->parts)) {
        fprintf(stderr, "yoke: %s: no substructure is physical, so there is no hybrid loop\n", q->file);
        return 2;
    }
    if (!analyze_model(q, &code))
        return code;
    code = yk_hybrid_judge(q->model, &how, &m, &err) ||
                   (m.verdict == YK_LOOP_STABLE && yk_hybrid_robustness(q->model, &how, &r, &err))
               ? yk_command_fail(&err)
               : 0;
    yk_waiting_end();
    if (code)
        return code;
    if (q->json)
        return yk_print_json(yk_margin_json(&m, &simulated, &r));
    print_all(q, &m, &simulated, &r, how.budget_s);
    return 0;
}
