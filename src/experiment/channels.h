/* The section `channels`: one table for each number that a rig takes or gives. docs/calibration.md. */
#ifndef YOKE_EXPERIMENT_CHANNELS_H
#define YOKE_EXPERIMENT_CHANNELS_H

#include "experiment/signals.h"

#include "transfer/calibration.h"

/* All scales of the rig of `names`, without a conversion; free with yk_rig_scales_free. */
enum yk_status yk_rig_scales_make(struct yk_rig_scales *scales, const struct yk_rig_names *names, struct yk_err *err);
/* Scale of the value with that index in a COMMAND or READING (rig/message.h). */
struct yk_scale *yk_rig_scale_at(const struct yk_rig_names *names, bool command, size_t index);
/* Reads the scales in the section `channels`. */
enum yk_status yk_rig_scales_read(const struct yk_model *e, const struct yk_rig_names *names, struct yk_err *err);
/* Reads the scale of one entry of the section; skips an entry of another rig. */
enum yk_status yk_rig_channel_read(const struct yk_node *map, const struct yk_rig_names *names, struct yk_scale *scale,
                                   struct yk_err *err);
/* Refuses a command with the same units as the reading of its quantity but another zero: the first
 * command is that reading, so the actuator would move by the difference at once. */
enum yk_status yk_rig_scales_check(const struct yk_rig_names *names, const char *backend, struct yk_where where,
                                   struct yk_err *err);

/* Puts the scales before the conversions that the parts already have; the second one for one actuator. */
void yk_rig_scales_apply(const struct yk_rig_names *names, const struct yk_station_parts *parts);
void yk_build_chain_scales(const struct yk_station_parts *parts, size_t actuator, const struct yk_calibration *first);
/* Scales of an actuator whose section names the virtual rig. No conversion if the virtual rig only replaces another
 * backend. */
enum yk_status yk_build_channels_of_virtual(const struct yk_model *e, const struct yk_station_parts *parts,
                                            size_t actuator, struct yk_calibration *counts, struct yk_err *err);
/* Scales of the sensors of such sections: their descriptions give raw numbers, which the station converts. */
enum yk_status yk_build_channels_of_sensors(const struct yk_model *e, const struct yk_station_parts *parts,
                                            struct yk_err *err);

#endif
