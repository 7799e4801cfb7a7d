/* yoke analyze delay: how the actuators of an experiment track, from a run. */
#include "cli/analyze.h"

#include <stdlib.h>

int analyze_delay(const struct request *q)
{
    struct yk_delay_report *r;
    struct yk_err err = {0};
    size_t count;
    int code = 0;

    if (yk_measure_delays(q->e, &r, &count, &err))
        return report_failure(&err);
    if (q->json) {
        json_t *all = json_object();

        for (size_t i = 0; i < count; i++)
            json_object_set_new(all, r[i].actuator,
                                json_pack("{s:f, s:f, s:f, s:f, s:f}", "command_delay_s", r[i].command_delay_s,
                                          "target_delay_s", r[i].target_delay_s, "amplitude", r[i].amplitude, "nrms",
                                          r[i].nrms, "peak_m", r[i].peak_m));
        code = print_json(json_pack("{s:o}", "actuators", all));
    } else {
        printf("%-12s %14s %14s %10s %10s %12s\n", "actuator", "command [ms]", "target [ms]", "amplitude", "NRMS",
               "peak [mm]");
        for (size_t i = 0; i < count; i++)
            printf("%-12s %14.3f %14.3f %10.5f %10.5f %12.4f\n", r[i].actuator, 1e3 * r[i].command_delay_s,
                   1e3 * r[i].target_delay_s, r[i].amplitude, r[i].nrms, 1e3 * r[i].peak_m);
        printf(
            "delays from command and from target to the measured displacement, by least squares; negative is early\n");
    }
    free(r);
    return code;
}
