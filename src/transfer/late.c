#include "transfer/late.h"

#include <string.h>

enum yk_status yk_late_make(struct yk_late *l, const size_t *of, const struct yk_rig_plan *plan, struct yk_err *err)
{
    const size_t n = plan->count, m = plan->sensor_count, k = plan->line_count;
    size_t most = 0;

    *l = (struct yk_late){.of = of, .actuators = n, .sensors = m, .lines = k};
    for (size_t i = 0; i < n + m + k; i++)
        most = of[i] > most ? of[i] : most;
    if (!most)
        return YK_OK;
    l->slots = most + 1;
    yk_arena_array(plan->mem, &l->readings, l->slots * n);
    yk_arena_array(plan->mem, &l->values, l->slots * m + 1);
    yk_arena_array(plan->mem, &l->levels, l->slots);
    return l->readings && l->values && l->levels ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory for late readings");
}

YK_RT static void keep(struct yk_late *l, const struct yk_rig_in *in)
{
    memcpy(l->readings + l->at * l->actuators, in->readings, l->actuators * sizeof *l->readings);
    if (l->sensors)
        memcpy(l->values + l->at * l->sensors, in->sensors, l->sensors * sizeof *l->values);
    l->levels[l->at] = in->lines;
}

void yk_late_reset(struct yk_late *l, const struct yk_rig_in *in)
{
    for (l->at = 0; l->at < l->slots; l->at++)
        keep(l, in);
    l->at = 0;
}

YK_RT void yk_late_step(struct yk_late *l, struct yk_rig_in *in)
{
    const size_t *of = l->of;

    if (!l->slots)
        return;
    l->at = (l->at + 1) % l->slots;
    keep(l, in);
    for (size_t i = 0; i < l->actuators; i++, of++)
        in->readings[i] = l->readings[(l->at + l->slots - *of) % l->slots * l->actuators + i];
    for (size_t i = 0; i < l->sensors; i++, of++)
        in->sensors[i] = l->values[(l->at + l->slots - *of) % l->slots * l->sensors + i];
    for (size_t i = 0; i < l->lines; i++, of++) {
        const uint32_t bit = UINT32_C(1) << i, level = l->levels[(l->at + l->slots - *of) % l->slots] & bit;

        in->lines = (in->lines & ~bit) | level;
    }
}
