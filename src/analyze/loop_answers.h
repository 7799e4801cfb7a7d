/* A linear hybrid loop as a process from pushes of the commands to the commands, from the answers of its real steps.
 *
 * A cycle of the method has some ticks; with all actuators, some ports. w are the pushes at the ports, p the commands.
 * Commands of a leg lie on a path between two targets, so that those of a cycle are few shapes, p = U q, and
 *
 *     q = (D + C (z I - A)^-1 B) w
 *
 * from one cycle to the next. docs/theory/delay.md, eq. (42). */
#ifndef YOKE_LOOP_ANSWERS_H
#define YOKE_LOOP_ANSWERS_H

#include "analyze/decay.h"
#include "rig/virtual/rig.h"
#include "state/state.h"

enum { YK_MOST_SHAPES = 24 };

/* Places of the virtual rig that are pushed, and what is seen of it, beside the commands (loop_ports.h). */
struct yk_rig_places {
    size_t pushes, numbers; /* of the rig in a tick: places for a push, numbers that it records */
    size_t places;          /* that are pushed: place[0], ... */
    const size_t *place;
    const double *amount; /* of a push there */
    size_t answers;       /* that are made of the numbers of a tick */
    void (*answer)(const struct yk_rig_places *rig, const double *numbers, double *answers);
    /* Puts the probe on the rig of a motion; NULL: takes it off. */
    void (*attach)(const struct yk_rig_places *rig, struct yk_state *m, struct yk_rig_probe *probe);
};

struct yk_loop_answers {
    /* inputs: ports, then places of the rig tick by tick; outputs: commands, then answers of the rig
     * tick by tick. Without the rig both are `ports`. */
    const struct yk_rig_places *rig; /* NULL: commands only */
    size_t inputs, outputs;
    double *size, *weight;          /* unit of each output, and of each input */
    size_t ports, actuators, ticks; /* ports: ticks of a cycle times actuators; tick by tick */
    size_t shapes, states;
    double cycle_s;
    double *U;             /* outputs x shapes, orthonormal */
    double *D, *A, *B, *C; /* shapes x inputs, states x states, states x inputs, shapes x states */
};
/* Takes the answers of a motion that is linear, unloaded and stable. *told is false if they do not identify the process
 * well enough: too many ticks, too many hidden states, or too much rounding. YK_E_STOPPED: the budget is spent. To be
 * freed. */
enum yk_status yk_loop_answers_take(struct yk_loop_answers *answers, struct yk_state *m, const struct yk_watched *how,
                                    bool *told, struct yk_err *err);
/* The same with places of the rig; rig NULL: as above. */
enum yk_status yk_loop_answers_take_with(struct yk_loop_answers *answers, struct yk_state *m,
                                         const struct yk_watched *how, const struct yk_rig_places *rig, bool *told,
                                         struct yk_err *err);
void yk_loop_answers_free(struct yk_loop_answers *answers);

#endif
