/* Faults that foreign code reports: models, controllers and plants in FMUs. */
#include "state/state.h"

static bool system_fault(const struct yk_system *s, char *text, size_t size)
{
    return s->ops->fault && s->ops->fault(s->self, text, size);
}

/* Fault of a rig or of one inside it. */
static bool rig_fault(const struct yk_rig_ops *rig, void *self, char *text, size_t size)
{
    void *inside;
    const struct yk_rig_ops *inner;
    const char *name;

    if (rig->fault && rig->fault(self, text, size))
        return true;
    for (size_t k = 0; rig->inner && (inner = rig->inner(self, k, &inside, &name)); k++)
        if (rig_fault(inner, inside, text, size))
            return true;
    return false;
}

bool yk_state_fault(const struct yk_state *m, char *text, size_t size)
{
    void *self;

    for (size_t k = 0; k < m->model->substructure_count; k++)
        if (system_fault(m->substructures[k].system, text, size))
            return true;
    if (!m->station)
        return false;
    const struct yk_rig_ops *rig = yk_station_rig(m->station, &self);
    return yk_station_fault(m->station, text, size) || rig_fault(rig, self, text, size);
}

enum yk_status yk_state_no_start(const struct yk_state *m, enum yk_status st, struct yk_err *err)
{
    char words[600] = "the force is not a finite number";

    yk_state_fault(m, words, sizeof words);
    return yk_fail_at(err, st, YK_IN_FILE(m->model->path), "at t = 0: %s", words);
}
