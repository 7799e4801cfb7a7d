/* Calibration of the channels of a rig: from the raw numbers of a device to SI units, and back.
 *
 *     reading = scale raw + offset          command sent = (command - offset)/scale
 *
 * Backends deliver and take raw numbers: counts, registers, volts, the fields of a packet. The station converts them
 * (readings.h); the virtual rig, which plays devices, converts the other way. Both use the two functions below, and no
 * other code applies a scale and an offset. A negative scale reverses a device. */
#ifndef YOKE_TRANSFER_CALIBRATION_H
#define YOKE_TRANSFER_CALIBRATION_H

#include <yoke/rig.h>

struct yk_scale {
    double scale;  /* SI unit per raw unit; not 0 */
    double offset; /* SI unit: value at raw 0 */
};
#define YK_RAW_IS_SI ((struct yk_scale){1, 0})
double yk_scale_si(const struct yk_scale *s, double raw) YK_RT;
double yk_scale_raw(const struct yk_scale *s, double si) YK_RT;
bool yk_scale_is_none(const struct yk_scale *s);
/* Two conversions as one: `first` from raw, `then` of its result. Preparation only. */
struct yk_scale yk_scale_chain(struct yk_scale first, struct yk_scale then);

/* Scales of the values sent to an actuator: its command, and its feed-forward by enum yk_command_kind. */
struct yk_sent_scales {
    struct yk_scale command, ahead[YK_COMMAND_KINDS];
};
/* All channels of an actuator; readings by enum yk_command_kind. */
struct yk_calibration {
    struct yk_scale read[YK_COMMAND_KINDS];
    struct yk_sent_scales sent;
};
struct yk_calibration yk_calibration_none(void);
bool yk_calibration_is_none(const struct yk_calibration *c);
struct yk_calibration yk_calibration_chain(const struct yk_calibration *first, const struct yk_calibration *then);
struct yk_reading yk_calibration_si(const struct yk_calibration *c, struct yk_reading raw) YK_RT;
struct yk_reading yk_calibration_raw(const struct yk_calibration *c, struct yk_reading si) YK_RT;

/* All channels of a rig, in the order of its plan. */
struct yk_rig_scales {
    struct yk_calibration *actuators; /* malloc'd, as is the next */
    struct yk_scale *sensors;
    struct yk_where old;   /* the first deprecated key that gave one; file NULL: none */
    struct yk_where given; /* the same of any key */
};
void yk_rig_scales_free(struct yk_rig_scales *scales);

#endif
