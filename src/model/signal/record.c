/* A recorded ground motion, m/s2. docs/theory/signals.md, eq. (13), (14). */
#include "sampled.h"

static const struct yk_param params[] = {
    YK_SERIES(struct yk_sampled, file, YK_ACCELERATION,
              "accelerations: PEER AT2, or a table with time and value, or one column of a table"),
    YK_TEXT(struct yk_sampled, unit, 0,
            "unit of the values, if the file does not state it: g or m/s2; required if the peak is below 5"),
    YK_REAL(struct yk_sampled, scale, YK_NUMBER, 1, -YK_HUGE, YK_HUGE, "factor on the accelerations"),
    YK_SAMPLED_STEP,
    YK_PARAM_END,
};

const struct yk_signal_ops yk_signal_record = {
    .name = "record",
    .summary = "scale times a recorded ground acceleration, 0 outside the record",
    .reference = "PEER NGA record format",
    .params = params,
    .settings_size = sizeof(struct yk_sampled),
    .value = yk_sampled_value,
};
