/* A hybrid experiment that is left alone: a motion without loads, noise and limits. Units: m, s. */
#include "analyze/decay.h"
#include "state/state.h"

#include "rig/virtual/rig.h"
#include "transfer/physical.h"

#include <string.h>

void yk_unlimit(struct yk_station *station)
{
    struct yk_supervisor *s = yk_station_supervisor(station);

    memset(s->limits.limit, 0, sizeof s->limits.limit);
    for (size_t i = 0; i < s->count; i++)
        memset(s->supervised[i].own.limit, 0, sizeof s->supervised[i].own.limit);
    yk_station_limit_no_pose(station);
    yk_station_leave_passivity(station);
    yk_supervisor_watch(s, NULL, 0, NULL, 0); /* nor sensors and lines */
}

void yk_for_specimens(struct yk_state *m, void (*act)(struct yk_system *))
{
    for (size_t k = 0; k < m->model->substructure_count; k++)
        if (yk_is_physical(m->substructures[k].system))
            act(m->substructures[k].system);
}

/* The rig without noise, and as it may be instead. */
static enum yk_status prepare_rig(struct yk_state *m, const struct yk_rig_varied *varied, struct yk_err *err)
{
    void *self;
    const struct yk_rig_ops *ops = yk_station_rig(m->station, &self);
    struct yk_virtual_rig *rig = yk_rig_simulation(ops, self);

    if (!rig)
        return YK_OK;
    yk_virtual_rig_quieten(rig);
    return varied ? yk_virtual_rig_vary(rig, varied, m->mem, err) : YK_OK;
}

enum yk_status yk_loop_motion(const struct yk_model *model, const struct yk_rig_varied *varied, double added,
                              struct yk_state *m, struct yk_err *err)
{
    enum yk_status st = yk_model_state(model, m, err);

    if (st)
        return st;
    struct yk_station *station = m->station;

    if (station) {
        struct yk_limits *limits = &yk_station_supervisor(station)->limits;

        yk_unlimit(station);
        limits->start_ramp = limits->end_ramp = 0;
        if ((st = prepare_rig(m, varied, err)) || (st = yk_station_add_delay(station, added, err))) {
            yk_state_close(m);
            return st;
        }
        yk_for_specimens(m, yk_physical_hold_loads);
    }
    yk_state_unload(m);
    return YK_OK;
}
