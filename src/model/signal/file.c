/* A sampled signal from a file, in the unit of what it drives. docs/theory/signals.md, eq. (13), (14). */
#include "sampled.h"

static const struct yk_param params[] = {
    YK_SERIES(struct yk_sampled, file, YK_FORCE,
              "a table with time and value, or one column of a table, lab.csv:Force"),
    YK_TEXT(struct yk_sampled, unit, 0, "unit of the values, if the file does not state it, such as kN, g or mm"),
    YK_REAL(struct yk_sampled, scale, YK_NUMBER, 1, -YK_HUGE, YK_HUGE, "factor on the values"),
    YK_SAMPLED_STEP,
    YK_PARAM_END,
};

const struct yk_signal_ops yk_signal_file = {
    .name = "file",
    .summary = "scale times the samples of a file, straight lines between them, 0 outside",
    .reference = "",
    .params = params,
    .settings_size = sizeof(struct yk_sampled),
    .value = yk_sampled_value,
};
