/* A recorded ground motion, m/s2. docs/theory/signals.md, eq. (13), (14). */
#include "table.h"

struct record {
    struct yk_series file;
    double scale, step;
    char *unit;
};

static const struct yk_param params[] = {
    YK_SERIES(struct record, file, YK_ACCELERATION, "accelerations: PEER AT2, or two columns time, acceleration"),
    YK_TEXT(struct record, unit, 0,
            "unit of the values, if the file does not state it: g or m/s2; required if the peak is below 5"),
    YK_REAL(struct record, scale, YK_NUMBER, 1, -YK_HUGE, YK_HUGE, "factor on the accelerations"),
    YK_REAL(struct record, step, YK_TIME, 0, 0, 1e6, "spacing of the samples of a one-column file"),
    YK_PARAM_END,
};

YK_RT static double value(const void *settings, double t)
{
    const struct record *s = settings;

    return s->scale * yk_series_value(&s->file, t);
}

const struct yk_signal_ops yk_signal_record = {
    .name = "record",
    .summary = "scale times a recorded ground acceleration, 0 outside the record",
    .reference = "PEER NGA record format",
    .params = params,
    .settings_size = sizeof(struct record),
    .value = value,
};
