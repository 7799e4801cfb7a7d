/* yoke analyze delay: how actuators track, from a run of an experiment, a recording, or columns of a file. */
#include "cli/analyze.h"

#include "record/record.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- actuators ---- */

static void print_fits(const struct yk_delay_report *r, size_t count)
{
    printf("%-12s %-8s %12s %10s %10s %10s %10s %14s\n", "actuator", "from", "delay [ms]", "gain", "residual",
           "amplitude", "NRMS", "peak");
    for (size_t i = 0; i < count; i++) {
        printf("%-12s %-8s %12.3f %10.5f %10.5f\n", r[i].actuator, "command", 1e3 * r[i].command.delay_s,
               r[i].command.gain, r[i].command.residual);
        printf("%-12s %-8s %12.3f %10.5f %10.5f %10.5f %10.5f %9.4f %s\n", "", "target", 1e3 * r[i].target.delay_s,
               r[i].target.gain, r[i].target.residual, r[i].amplitude, r[i].nrms, 1e3 * r[i].peak,
               r[i].turns ? "mrad" : "mm");
    }
    printf("delay and gain of the measured displacement and NRMS of the residual, by least squares; negative delay: "
           "leads\n");
}

static void print_tracks(const struct yk_delay_report *r, size_t count)
{
    printf("\n%-12s %14s %14s %10s %12s %12s\n", "actuator", "amplitude", "delay [ms]", "at [Hz]", "phase [deg]",
           "area");
    for (size_t i = 0; i < count; i++)
        printf("%-12s %14.5f %14.3f %10.4g %12.4f %12.3e %s\n", r[i].actuator, r[i].track.amplitude,
               1e3 * r[i].track.delay_s, r[i].track.frequency_Hz, r[i].track.sync_phase_rad * 180 / M_PI,
               r[i].track.sync_area_m2, r[i].turns ? "rad2" : "m2");
    printf("amplitude ratio and delay from target to measured, weighted by the spectrum of the target; phase and area "
           "of the "
           "measured-target loop\n");
}

/* Takes the reports over. */
static int show(struct yk_delay_report *r, size_t count, bool json)
{
    int code = 0;

    if (json) {
        code = print_json(yk_delays_json(count, r));
    } else {
        print_fits(r, count);
        print_tracks(r, count);
    }
    free(r);
    return code;
}

static int run(struct request *q)
{
    struct yk_delay_report *r;
    struct yk_err err = {0};
    size_t count;

    int code;

    if (!analyze_plan(q, &code))
        return code;
    return yk_measure_delays(q->plan, &r, &count, &err) ? report_failure(&err) : show(r, count, q->json);
}

/* ---- what was measured ---- */

bool analyze_delay_is_recording(const char *word)
{
    const size_t length = strlen(word);
    struct stat st;

    return (length > 3 && strcmp(word + length - 3, ".h5") == 0) || (stat(word, &st) == 0 && S_ISDIR(st.st_mode));
}

int analyze_delay_recording(const char *word, double longest, bool json)
{
    char *path = recording_path(word);
    struct yk_recording *recording;
    struct yk_delay_report *r;
    struct yk_err err = {0};
    size_t count;
    int code;

    if (!path)
        return 1;
    if (yk_recording_open(&recording, path, &err)) {
        report_failure(&err);
        free(path);
        return 2;
    }
    code = yk_recorded_delays(recording, path, longest, &r, &count, &err) ? report_failure(&err) : show(r, count, json);
    yk_recording_close(recording);
    free(path);
    return code;
}

int analyze_delay_csv(const char *path, const struct yk_measured_columns *columns, double longest, bool json)
{
    struct yk_delay_fit fit;
    struct yk_track track;
    struct yk_err err = {0};

    if (yk_csv_delay(path, columns, longest, &fit, &track, &err)) {
        report_failure(&err);
        return 2;
    }
    if (json)
        return print_json(json_pack("{s:o, s:o, s:o, s:o}", "delay_s", json_number(fit.delay_s), "gain",
                                    json_number(fit.gain), "residual", json_number(fit.residual), "frequency_domain",
                                    yk_track_json(&track)));
    printf("from '%s' to '%s' of %s\n", columns->command, columns->measured, path);
    printf("  delay      %12.3f ms, by least squares; negative: leads\n", 1e3 * fit.delay_s);
    printf("  gain       %12.5f at this delay\n", fit.gain);
    printf("  residual   %12.5f NRMS of '%s' that delay and gain do not explain\n", fit.residual, columns->measured);
    printf("  spectrum   %12.3f ms and gain %.5f on average, around %.4g Hz\n", 1e3 * track.delay_s, track.amplitude,
           track.frequency_Hz);
    return 0;
}

const struct analysis analysis_delay = {
    .name = "delay",
    .usage = "delay FILE    [--set KEY=VALUE]... [--json]\n"
             "delay DIR     [--longest \"200 ms\"] [--json]\n"
             "delay --csv FILE --command COLUMN --measured COLUMN [--time COLUMN] [--longest T] [--json]",
    .help =
        "delays, gains and tracking errors of the actuators in a run, by least squares, weighted by the spectrum of\n"
        "the target, and from the measured-target loop. FILE is an experiment, DIR the folder of a run. With --csv, "
        "the\n"
        "delay from one column of a table to another, named by title or number; rows evenly spaced in time; time in s\n"
        "(default column: `time` or the first) and the others in one unit, or in the units of the header: time [ms]",
    .json = "delay {actuators: {name: {command_delay_s, command_gain, command_residual, target_delay_s,\n"
            "target_gain, target_residual, amplitude, nrms, peak_m (peak_rad of rotary actuators),\n"
            "frequency_domain: {amplitude, delay_s, frequency_Hz}, synchronisation: {amplitude, phase_rad,\n"
            "area_m2}}}}; with --csv {delay_s, gain, residual, frequency_domain}",
    .run = run,
};
