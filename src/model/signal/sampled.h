/* Shared by the signals from files. docs/theory/signals.md, eq. (13), (14). */
#ifndef YOKE_MODEL_SIGNAL_SAMPLED_H
#define YOKE_MODEL_SIGNAL_SAMPLED_H

#include "table.h"

struct yk_sampled {
    struct yk_series file;
    double scale, step;
    char *unit;
};
#define YK_SAMPLED_STEP                                                                                                \
    YK_REAL(struct yk_sampled, step, YK_TIME, 0, 0, 1e6, "spacing of the samples of a one-column file")

YK_RT static inline double yk_sampled_value(const void *settings, double t)
{
    const struct yk_sampled *s = settings;

    return s->scale * yk_series_value(&s->file, t);
}

#endif
