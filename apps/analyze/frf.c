/* yoke analyze frf: from the target of an actuator to its measured displacement. */
#include "request.h"

#include <yoke/identify.h>

#include <math.h>
#include <stdlib.h>

static int draw(const struct request *q, const char *name, size_t n, const struct yk_response_point *p)
{
    double columns[4][YK_FRF_POINTS];
    struct yk_plot_series series[3];
    char *title = NULL;
    int code = 1;

    for (size_t i = 0; i < n; i++) {
        const struct yk_response *r = &p[i].response;
        const bool there = !*p[i].missing;

        columns[0][i] = r->frequency_Hz;
        columns[1][i] = there ? r->magnitude : NAN;
        columns[2][i] = there ? r->phase_rad * 180 / M_PI : NAN;
        columns[3][i] = there ? 1e3 * r->delay_s : NAN;
    }
    for (int c = 0; c < 3; c++)
        series[c] = (struct yk_plot_series){.name = "target to measured",
                                            .style = YK_PLOT_LINE_POINTS,
                                            .n = n,
                                            .x = columns[0],
                                            .y = columns[c + 1],
                                            .origin = YK_PLOT_MEASURED};
    if (asprintf(&title, "Frequency response of %s: %s", name, yk_parts_title(q->parts)) >= 0) {
        const struct yk_plot_axis x = {.label = "frequency [Hz]", .log = true};
        const struct yk_plot_panel panels[] = {{.x = x, .y.label = "magnitude", .series = series, .count = 1},
                                               {.x = x, .y.label = "phase [deg]", .series = series + 1, .count = 1},
                                               {.x = x, .y.label = "delay [ms]", .series = series + 2, .count = 1}};

        code = analyze_draw(q, &(struct yk_figure){.title = title, .panels = panels, .count = 3});
    }
    free(title);
    return code;
}

static void print_table(const char *name, double amplitude, size_t n, const struct yk_response_point *p)
{
    size_t lowered = 0, missing = 0;

    printf("%s: target to measured displacement, sine of %g mm\n", name, 1e3 * amplitude);
    printf("%12s %12s %12s %12s %12s %12s   [Hz, -, deg, ms, mm, %%]\n", "frequency", "magnitude", "phase", "delay",
           "amplitude", "not a sine");
    for (size_t i = 0; i < n; i++) {
        const struct yk_response *r = &p[i].response;

        lowered += p[i].amplitude_m < amplitude;
        missing += *p[i].missing != 0;
        if (*p[i].missing)
            printf("%12.5g %12s %s\n", r->frequency_Hz, "missing", p[i].missing);
        else
            printf("%12.5g %12.6f %12.4f %12.4f %12.4g %12.3g\n", r->frequency_Hz, r->magnitude,
                   r->phase_rad * 180 / M_PI, 1e3 * r->delay_s, 1e3 * p[i].amplitude_m, 100 * p[i].other);
    }
    if (lowered)
        printf("amplitude lowered at %zu of %zu frequencies, to stay within the limits of the actuator\n", lowered, n);
    if (missing)
        printf("%zu of %zu points are missing\n", missing, n);
}

int analyze_frf(struct request *q)
{
    const char *list = q->frequencies ? q->frequencies : YK_FRF_FREQUENCIES;
    double f[YK_FRF_POINTS], amplitude = YK_FRF_AMPLITUDE;
    struct yk_response_point p[YK_FRF_POINTS];
    size_t a;
    struct yk_err err = {0};
    const size_t n = yk_number_range(list, f, YK_FRF_POINTS);
    int code;

    if (!n)
        return yk_misuse(&command_analyze, "--frequencies '%s' must be 1,2,5 or from:to:count or from:to:countlog",
                         list);
    if (!yk_option_quantity(&command_analyze, "--amplitude", q->amplitude, YK_LENGTH, 1e-9, 1e3, &amplitude) ||
        !yk_command_actuator(q->parts, q->actuator, &a))
        return 2;
    code = yk_parts_responses(q->parts, a, amplitude, n, f, p, &err) || !yk_frf_any(n, p, &err) ? yk_command_fail(&err)
                                                                                                : 0;
    if (code)
        return code;
    if (q->json)
        code = yk_print_json(yk_frf_json(yk_parts_actuator(q->parts, a), amplitude, n, p));
    else
        print_table(yk_parts_actuator(q->parts, a), amplitude, n, p);
    return code || !q->plot ? code : draw(q, yk_parts_actuator(q->parts, a), n, p);
}
