/* yoke analyze margin: stability of the hybrid loop and the delay it still tolerates. */
#include "cli/analyze.h"

#include <math.h>

int analyze_margin(const struct request *q)
{
    struct yk_margin m;
    struct yk_err err = {0};

    if (!yk_experiment_is_hybrid(q->e)) {
        fprintf(stderr, "yoke: %s: no substructure is physical: there is no loop with delay\n", q->file);
        return 2;
    }
    if (yk_hybrid_margin(q->e, &m, &err))
        return report_failure(&err);
    if (q->json)
        return print_json(json_pack("{s:b, s:o, s:o, s:o}", "stable", m.stable, "decay_per_s", json_number(m.decay),
                                    "decay_model_per_s", json_number(m.decay_model), "margin_s",
                                    m.stable ? json_number(m.margin_s) : json_real(0)));
    printf("hybrid loop     %s\n", m.stable ? "stable" : "UNSTABLE: free vibration grows");
    printf("decay           %.4g 1/s; %.4g 1/s with models in the place of the specimens\n", m.decay, m.decay_model);
    if (m.stable && isfinite(m.margin_s))
        printf("margin          %.4f ms more delay of the actuators, and it begins to grow\n", 1e3 * m.margin_s);
    else if (m.stable)
        printf("margin          more than 1 s of delay\n");
    return 0;
}
