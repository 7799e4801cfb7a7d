/* The rig of an experiment as a device: yoke/device.h. */
#include "door/device.h"

#include "rig/virtual/rig.h"
#include "transfer/physical.h"

#include <stdlib.h>
#include <string.h>
#include <yoke/device.h>
#include <yoke/tree.h>

/* ---- the part of the virtual rig ---- */

/* The virtual rig as a device: raw numbers instead of SI units. */
static void use_raw(struct yk_device_part *d, const struct yk_rig_scales *scales)
{
    struct yk_virtual_rig *rig = d->part.self;
    const struct yk_rig_member *m = &d->part.member;

    for (size_t i = 0; i < d->devices.count; i++) {
        const struct yk_calibration *counts = NULL;

        for (size_t k = 0; scales && k < m->count; k++)
            if (m->actuators[k] == i)
                counts = &scales->actuators[k];
        d->x0[i] = yk_virtual_rig_use_raw(rig, i, counts, d->x0[i]);
    }
    for (size_t k = 0; scales && k < m->sensor_count; k++)
        rig->sensors[m->sensors[k]].counts = &scales->sensors[k];
}

enum yk_status yk_device_part_open(struct yk_device_part *d, const struct yk_model *model, const char *name,
                                   const struct yk_rig_scales *scales, struct yk_err *err)
{
    enum yk_status st;

    *d = (struct yk_device_part){0};
    if (!model->station)
        return yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(model->path),
                          "no substructure is physical, so there is no rig to simulate");
    d->part.all = yk_station_plan(model->station);
    d->devices = *d->part.all; /* what goes over the wire is what the devices count */
    d->part.rig = yk_station_rig(model->station, &d->part.self);
    d->part.all = &d->devices;
    if (!(d->x0 = calloc(d->devices.count, sizeof *d->x0)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    d->devices.x0 = d->x0;
    for (size_t i = 0; i < d->devices.count; i++)
        d->x0[i] = yk_station_start(model->station, i);
    if ((st = yk_model_rig(model, name, &d->part.member, err)))
        return st;
    if (yk_rig_simulation(d->part.rig, d->part.self))
        use_raw(d, scales);
    return yk_rig_part.open(&d->part, NULL, err);
}

void yk_device_part_close(struct yk_device_part *d)
{
    yk_rig_part.close(&d->part);
    free(d->x0);
}

/* ---- the device of a program ---- */

struct yk_device {
    struct yk_model *experiment;
    char *name; /* of the rig; NULL: the only one */
    struct yk_device_part part;
    const struct yk_rig_ops *backend; /* of the settings; NULL: not read yet */
    void *settings;
    struct yk_rig_scales scales; /* that come with them */
};

enum yk_status yk_device_open(struct yk_device **device, const struct yk_model_source *source, const char *name,
                              struct yk_err *err)
{
    struct yk_model_source virtual = *source;
    struct yk_device *d;
    enum yk_status st;

    *device = NULL;
    if (!(d = calloc(1, sizeof *d)) || (name && !(d->name = strdup(name)))) {
        free(d);
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    }
    virtual.rehearse = true;
    if ((st = yk_model_load_source(&d->experiment, &virtual, err)) ||
        (st = yk_device_part_open(&d->part, d->experiment, name, NULL, err)))
        yk_device_close(d);
    else
        *device = d;
    return st;
}

void yk_device_close(struct yk_device *d)
{
    if (!d)
        return;
    yk_device_part_close(&d->part);
    if (d->settings)
        d->backend->close(d->settings);
    free(d->settings);
    yk_rig_scales_free(&d->scales);
    yk_model_close(d->experiment);
    free(d->name);
    free(d);
}

const struct yk_rig_ops *yk_device_rig(struct yk_device *d, void **self)
{
    *self = &d->part.part;
    return &yk_rig_part;
}

const struct yk_rig_plan *yk_device_plan(const struct yk_device *d)
{
    return &d->part.part.member.plan;
}

enum yk_status yk_device_settings(struct yk_device *d, const char *backend, const void **settings, struct yk_err *err)
{
    const struct yk_node *tree = d->experiment->tree, *rigs = yk_node_get(tree, "rigs"),
                         *section = rigs ? (d->name ? yk_node_get(rigs, d->name) : NULL) : yk_node_get(tree, "rig"),
                         *named = section ? yk_node_get(section, "backend") : NULL;
    enum yk_status st;

    *settings = d->settings;
    if (d->backend || !named || !named->text || strcmp(named->text, backend) != 0)
        return YK_OK;
    st = yk_model_backend(d->experiment, d->name, backend, &d->settings, &d->scales, err);
    d->backend = yk_rig_find(backend);
    *settings = d->settings;
    return st;
}

const char *yk_device_note(const struct yk_device *d, size_t k)
{
    return k < d->experiment->notes->count ? d->experiment->notes->items[k] : NULL;
}
