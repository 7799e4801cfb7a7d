/* The section `channels` as a table for people: `yoke check`, recordings and reports show raw numbers and SI units. */
#ifndef YOKE_EXPERIMENT_CHANNEL_ROWS_H
#define YOKE_EXPERIMENT_CHANNEL_ROWS_H

#include "experiment/experiment.h"

#include "transfer/calibration.h"

struct yk_channel_row {
    const char *name; /* "a1.force", "sensor.oil"; names and texts belong to the experiment */
    const char *raw;  /* unit of the raw number; "" where the file has none */
    const char *unit; /* of the value */
    struct yk_scale scale;
    double zero; /* subtracted from readings */
};
/* In the order of the file; malloc'd. */
enum yk_status yk_channel_rows(const struct yk_model *e, struct yk_channel_row **rows, size_t *count,
                               struct yk_err *err);

#endif
