/* A sampled signal from a file, in the unit of what it drives. docs/theory/signals.md, eq. (13), (14). */
#include "table.h"

struct file {
    struct yk_series file;
    double scale, step;
    char *unit;
};

static const struct yk_param params[] = {
    YK_SERIES(struct file, file, YK_FORCE, "two columns: time, value"),
    YK_TEXT(struct file, unit, 0, "unit of the values, if the file does not state it, such as kN, g or mm"),
    YK_REAL(struct file, scale, YK_NUMBER, 1, -YK_HUGE, YK_HUGE, "factor on the values"),
    YK_REAL(struct file, step, YK_TIME, 0, 0, 1e6, "spacing of the samples of a one-column file"),
    YK_PARAM_END,
};

YK_RT static double value(const void *settings, double t)
{
    const struct file *s = settings;

    return s->scale * yk_series_value(&s->file, t);
}

const struct yk_signal_ops yk_signal_file = {
    .name = "file",
    .summary = "scale times the samples of a file, straight lines between them, 0 outside",
    .reference = "",
    .params = params,
    .settings_size = sizeof(struct file),
    .value = value,
};
