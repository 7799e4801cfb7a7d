/* yoke analyze delay: how actuators track, from a run of an experiment, a recording, or columns of a file. */
#include "measured.h"
#include "request.h"

#include <yoke/logger.h>

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
        code = yk_print_json(yk_delays_json(count, r));
    } else {
        print_fits(r, count);
        print_tracks(r, count);
    }
    free(r);
    return code;
}

int analyze_delay(struct request *q)
{
    struct yk_delay_report *r;
    struct yk_err err = {0};
    size_t count;

    int code;

    if (!analyze_model(q, &code))
        return code;
    return yk_measure_delays(q->model, &r, &count, &err) ? yk_command_fail(&err) : show(r, count, q->json);
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
    char *path = yk_command_recording(word);
    struct yk_recording *recording;
    struct yk_delay_report *r;
    struct yk_err err = {0};
    size_t count;
    int code;

    if (!path)
        return 1;
    if (yk_recording_open(&recording, path, &err)) {
        yk_command_fail(&err);
        free(path);
        return 2;
    }
    code = recorded_delays(recording, path, longest, &r, &count, &err) ? yk_command_fail(&err) : show(r, count, json);
    yk_recording_close(recording);
    free(path);
    return code;
}

/* Both columns as displacements, or both as forces or angles. */
static enum yk_status read_log(struct yk_log *log, const char *path, const struct measured_columns *columns,
                               struct yk_err *err)
{
    static const enum yk_quantity kinds[] = {YK_DISPLACEMENT, YK_FORCE, YK_ANGLE};
    char *map = NULL;
    enum yk_status st = YK_E_UNIT;

    if (columns->list ? !(map = strdup(columns->list))
                      : asprintf(&map, "command=%s,displacement=%s%s%s", columns->command, columns->measured,
                                 columns->time ? ",time=" : "", columns->time ? columns->time : "") < 0)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && st == YK_E_UNIT; i++) {
        const struct yk_log_role roles[] = {{"command", kinds[i], false}, {"displacement", kinds[i], false}};
        struct yk_err own = {0};

        st = yk_log_read(log, path,
                         &(struct yk_log_ask){.roles = roles, .count = 2, .columns = map, .first_is_time = true}, &own);
        if (st && (st != YK_E_UNIT || i == 0))
            *err = own; /* of units, the first says what to do */
    }
    free(map);
    return st;
}

/* The longest record of the file. */
static enum yk_status fit_log(const struct yk_log *log, const char *path, const struct measured_columns *columns,
                              double longest, struct yk_delay_fit *fit, struct yk_track *track, struct yk_err *err)
{
    size_t best = 0;

    for (size_t k = 1; k < log->segments; k++)
        if (log->first[k + 1] - log->first[k] > log->first[best + 1] - log->first[best])
            best = k;
    const size_t first = log->first[best], n = log->first[best + 1] - first;
    const double *x[] = {log->column[0].x + first, log->column[1].x + first};
    for (int c = 0; c < 2; c++) {
        double low = x[c][0], high = x[c][0];

        for (size_t k = 0; k < n; k++) {
            low = fmin(low, x[c][k]);
            high = fmax(high, x[c][k]);
        }
        if (!(high > low))
            return yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(path), "column '%s' is constant (%g), so it has no delay",
                              *log->column[c].name ? log->column[c].name
                              : c                  ? columns->measured
                                                   : columns->command,
                              low / log->column[c].factor);
    }
    if (signals_delay(n, log->step_s, x[0], x[1], longest, fit, track, err))
        return yk_fail_within(err, YK_IN_FILE(path), "%s", "");
    return YK_OK;
}

int analyze_delay_csv(const char *path, const struct measured_columns *columns, double longest, bool json)
{
    struct yk_delay_fit fit;
    struct yk_track track;
    struct yk_err err = {0};
    struct yk_log log = {0};

    if (read_log(&log, path, columns, &err) || fit_log(&log, path, columns, longest, &fit, &track, &err)) {
        yk_log_free(&log);
        yk_command_fail(&err);
        return 2;
    }
    const char *names[] = {*log.column[0].name || !columns->command ? log.column[0].name : columns->command,
                           *log.column[1].name || !columns->measured ? log.column[1].name : columns->measured};
    char words[2][YK_LOG_NAME];
    for (int c = 0; c < 2; c++)
        snprintf(words[c], sizeof words[c], "%s", names[c]);
    fputs(log.notes, stderr);
    yk_log_free(&log);
    if (json)
        return yk_print_json(json_pack("{s:o, s:o, s:o, s:o}", "delay_s", yk_json_number(fit.delay_s), "gain",
                                       yk_json_number(fit.gain), "residual", yk_json_number(fit.residual),
                                       "frequency_domain", yk_track_json(&track)));
    printf("from '%s' to '%s' of %s\n", words[0], words[1], path);
    printf("  delay      %12.3f ms, by least squares; negative: leads\n", 1e3 * fit.delay_s);
    printf("  gain       %12.5f at this delay\n", fit.gain);
    printf("  residual   %12.5f NRMS of '%s' that delay and gain do not explain\n", fit.residual, words[1]);
    printf("  spectrum   %12.3f ms and gain %.5f on average, around %.4g Hz\n", 1e3 * track.delay_s, track.amplitude,
           track.frequency_Hz);
    return 0;
}
