/* yoke analyze delay: how the actuators of an experiment track, from a run. */
#include "cli/analyze.h"

#include <math.h>
#include <stdlib.h>

static json_t *to_json(const struct yk_delay_report *r)
{
    const struct yk_track *t = &r->track;

    return json_pack("{s:o, s:o, s:o, s:o, s:f, s:{s:o, s:o, s:o}, s:{s:o, s:o, s:o}}", "command_delay_s",
                     json_number(r->command_delay_s), "target_delay_s", json_number(r->target_delay_s), "amplitude",
                     json_number(r->amplitude), "nrms", json_number(r->nrms), "peak_m", r->peak_m, "frequency_domain",
                     "amplitude", json_number(t->amplitude), "delay_s", json_number(t->delay_s), "frequency_Hz",
                     json_number(t->frequency_Hz), "synchronisation", "amplitude", json_number(t->sync_amplitude),
                     "phase_rad", json_number(t->sync_phase_rad), "area_m2", json_number(t->sync_area_m2));
}

static void print_tracks(const struct yk_delay_report *r, size_t count)
{
    printf("\n%-12s %14s %14s %10s %12s %12s\n", "actuator", "amplitude", "delay [ms]", "at [Hz]", "phase [deg]",
           "area [m2]");
    for (size_t i = 0; i < count; i++)
        printf("%-12s %14.5f %14.3f %10.4g %12.4f %12.3e\n", r[i].actuator, r[i].track.amplitude,
               1e3 * r[i].track.delay_s, r[i].track.frequency_Hz, r[i].track.sync_phase_rad * 180 / M_PI,
               r[i].track.sync_area_m2);
    printf("amplitude and delay from target to measured over the spectrum of the target; phase and area of measured "
           "over target\n");
}

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
            json_object_set_new(all, r[i].actuator, to_json(&r[i]));
        code = print_json(json_pack("{s:o}", "actuators", all));
    } else {
        printf("%-12s %14s %14s %10s %10s %12s\n", "actuator", "command [ms]", "target [ms]", "amplitude", "NRMS",
               "peak [mm]");
        for (size_t i = 0; i < count; i++)
            printf("%-12s %14.3f %14.3f %10.5f %10.5f %12.4f\n", r[i].actuator, 1e3 * r[i].command_delay_s,
                   1e3 * r[i].target_delay_s, r[i].amplitude, r[i].nrms, 1e3 * r[i].peak_m);
        printf(
            "delays from command and from target to the measured displacement, by least squares; negative is early\n");
        print_tracks(r, count);
    }
    free(r);
    return code;
}
