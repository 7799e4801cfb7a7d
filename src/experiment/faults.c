/* What code of others reports after it failed: models, controllers and plants in FMUs. */
#include "experiment/experiment.h"

#include "rig/several.h"
#include "rig/virtual/rig.h"

static bool system_fault(const struct yk_system *s, char *text, size_t size)
{
    return s->ops->fault && s->ops->fault(s->self, text, size);
}

static bool rig_fault(const struct yk_rig_ops *rig, void *self, char *text, size_t size)
{
    const struct yk_virtual_rig *r = rig == &yk_rig_virtual ? self : NULL;
    const struct yk_several_rigs *several = rig == &yk_rig_several ? self : NULL;

    for (size_t i = 0; r && i < r->count; i++)
        if (r->actuators[i].plant && r->actuators[i].plant->fault && r->actuators[i].plant_at_work &&
            r->actuators[i].plant->fault(r->actuators[i].plant_at_work, text, size))
            return true;
    for (size_t i = 0; r && i < r->specimen_count; i++)
        if (r->specimens[i].model && system_fault(r->specimens[i].model, text, size))
            return true;
    for (size_t i = 0; several && i < several->count; i++)
        if (rig_fault(several->members[i].rig, several->members[i].self, text, size))
            return true;
    return false;
}

bool yk_experiment_fault(const struct yk_experiment *e, char *text, size_t size)
{
    void *self;

    for (size_t k = 0; k < e->substructure_count; k++)
        if (system_fault(e->substructures[k].system, text, size))
            return true;
    if (!e->station)
        return false;
    const struct yk_rig_ops *rig = yk_station_rig(e->station, &self);
    return yk_station_fault(e->station, text, size) || rig_fault(rig, self, text, size);
}
