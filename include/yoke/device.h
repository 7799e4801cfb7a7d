/* The rig of an experiment as a device, for a program that puts it behind a wire of its own: plants, specimens and
 * sensors of the file, whatever its backend, in the units of its devices. Nothing outside this process moves.
 *
 *     yk_device_open(&device, &(struct yk_model_source){.path = "frame.yaml"}, NULL, &err);
 *     rig = yk_device_rig(device, &self);         to be called once a tick: exchange (yoke/rig.h)
 *     plan = yk_device_plan(device);              its actuators, sensors and lines
 *
 * `yoke serve --ethercat` is such a program. */
#ifndef YOKE_DEVICE_H
#define YOKE_DEVICE_H

#include <yoke/rig.h>
#include <yoke/yoke.h>

struct yk_device;
/* Reads the experiment and opens the rig `name` of it; NULL: its only one. `rehearse` of the source is not looked at.
 */
enum yk_status yk_device_open(struct yk_device **device, const struct yk_model_source *source, const char *name,
                              struct yk_err *err);
void yk_device_close(struct yk_device *device); /* NULL: does nothing */

/* At rest at the start of the experiment. A command is in the counts of the device if its setup has `calibrate`,
 * otherwise in SI; readings likewise. One thread at a time. */
const struct yk_rig_ops *yk_device_rig(struct yk_device *device, void **self);
const struct yk_rig_plan *yk_device_plan(const struct yk_device *device);

/* Settings that the file gives to the backend of this rig, if that is `backend` ("ethercat"): the struct that the
 * backend's table of settings fills; that of ethercat begins with a struct yk_ec_setup (yoke/ethercat_setup.h).
 * *settings is NULL if the rig has another backend. It lives as long as the device. */
enum yk_status yk_device_settings(struct yk_device *device, const char *backend, const void **settings,
                                  struct yk_err *err);
/* Note k of the reader, for the user; NULL: there are no more. */
const char *yk_device_note(const struct yk_device *device, size_t k);

#endif
