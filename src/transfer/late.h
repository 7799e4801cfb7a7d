/* Readings that come a constant number of ticks late, as from the play-out buffer of a distant site; for rigs that are
 * simulated in this process. docs/sites.md. */
#ifndef YOKE_TRANSFER_LATE_H
#define YOKE_TRANSFER_LATE_H

#include <yoke/rig.h>

struct yk_late {
    size_t slots;     /* ticks that are kept: the longest delay and one more; 0: nothing is late */
    const size_t *of; /* ticks, of each actuator, sensor and line */
    size_t actuators, sensors, lines;

    /* private */
    size_t at; /* slot of the newest reading */
    struct yk_reading *readings;
    double *values;
    uint32_t *levels;
};
/* Buffers of the late readings, from the arena; none if no delay is above 0. `of` outlives it. */
enum yk_status yk_late_make(struct yk_late *late, const size_t *of, const struct yk_rig_plan *plan, struct yk_err *err);
/* At rest: the readings `in` also stand for all earlier ticks. */
void yk_late_reset(struct yk_late *late, const struct yk_rig_in *in);
/* Takes the readings of a tick, and gives those that are due. */
void yk_late_step(struct yk_late *late, struct yk_rig_in *in) YK_RT;

#endif
