/* The channels of a rig: from its raw readings to those that Yoke uses, for every backend alike and only here:
 *
 *     reading = filter(scale raw + offset - zero)          sent = (command + command_zero - offset)/scale
 *
 * raw is the number that the backend delivers (calibration.h). A channel with `from` is instead the weighted sum of
 * corrected sensors, less its zero. The range is checked before the filter. */
#ifndef YOKE_TRANSFER_READINGS_H
#define YOKE_TRANSFER_READINGS_H

#include "transfer/calibration.h"
#include "transfer/supervisor.h"
#include <yoke/rig.h>
#include <yoke/transfer.h>

enum { YK_FROM_MOST = 8 };

/* The correction of one channel. Channel 4 i + k is the quantity k (enum yk_command_kind) of actuator i; the sensors of
 * the rig follow. */
struct yk_correction {
    bool used;                    /* false: the reading stays as it is */
    struct yk_scale scale;        /* from the raw number of the backend */
    double zero;                  /* tare: subtracted */
    double command_zero;          /* of the commanded quantity: added to the commands */
    double low, high;             /* range of the corrected reading; low = high: none */
    struct yk_sensor_limit label; /* name and unit for messages; the action beyond the range. Malloc'd name */
    size_t from_count;            /* 0: the reading of the rig itself */
    double from_start;            /* added to the sum */
    struct {
        size_t sensor;
        double factor; /* SI unit per unit of the sensor */
    } from[YK_FROM_MOST];
    struct yk_filter filter; /* and its state */
};

static inline size_t yk_channel_of(size_t actuator, enum yk_command_kind kind)
{
    return YK_COMMAND_KINDS * actuator + kind;
}

/* All channels of a rig: `actuators` of them times YK_COMMAND_KINDS, then `sensors`. */
struct yk_corrections {
    struct yk_correction *of;
    struct yk_sent_scales *sent; /* of each actuator */
    size_t actuators, sensors;
};
/* The first reading: filters are reset to it. */
void yk_corrections_reset(struct yk_corrections *c, const struct yk_rig_in *raw, struct yk_rig_in *in);
/* A fresh reading; a value beyond its range warns or trips. */
void yk_corrections_step(struct yk_corrections *c, const struct yk_rig_in *raw, struct yk_rig_in *in,
                         struct yk_supervisor *supervisor) YK_RT;

#endif
