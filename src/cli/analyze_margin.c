/* yoke analyze margin: stability of the hybrid loop and the delay it still tolerates, in two ways. */
#include "cli/analyze.h"

#include <math.h>

static json_t *margin_json(const struct yk_margin *m)
{
    return m->stable ? json_number(m->margin_s) : json_real(0);
}

static void print_margin(const char *label, const struct yk_margin *m)
{
    if (m->stable && isfinite(m->margin_s))
        printf("%-15s %.4f ms more delay of the actuators, and it begins to grow", label, 1e3 * m->margin_s);
    else if (m->stable)
        printf("%-15s more than 1 s of delay", label);
    else
        printf("%-15s none", label);
    printf(" (%s)\n", m->by_matrix ? "amplification matrix" : "free vibrations");
}

int analyze_margin(const struct request *q)
{
    struct yk_margin m, simulated;
    struct yk_err err = {0};

    if (!yk_experiment_is_hybrid(q->e)) {
        fprintf(stderr, "yoke: %s: no substructure is physical: there is no loop with delay\n", q->file);
        return 2;
    }
    if (yk_hybrid_margin(q->e, 0, &m, &err) || yk_hybrid_margin(q->e, YK_MARGIN_PERIODS, &simulated, &err))
        return report_failure(&err);
    if (q->json)
        return print_json(json_pack("{s:b, s:o, s:o, s:b, s:o, s:o}", "stable", m.stable, "decay_per_s",
                                    json_number(m.decay), "decay_model_per_s", json_number(m.decay_model), "by_matrix",
                                    m.by_matrix, "margin_s", margin_json(&m), "margin_simulated_s",
                                    margin_json(&simulated)));
    printf("hybrid loop     %s\n", m.stable ? "stable" : "UNSTABLE: free vibration grows");
    printf("decay           %.4g 1/s", m.decay);
    if (isfinite(m.decay_model))
        printf("; %.4g 1/s with models in the place of the specimens", m.decay_model);
    putchar('\n');
    if (m.by_matrix)
        print_margin("margin", &m);
    else
        printf("amplification   the loop is not linear (something adapts, rubs or saturates): it has no matrix\n");
    print_margin(m.by_matrix ? "" : "margin", &simulated);
    return 0;
}
