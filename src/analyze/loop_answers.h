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
#include "state/state.h"

enum { YK_MOST_SHAPES = 24 };

struct yk_loop_answers {
    size_t ports, actuators, ticks; /* ports: ticks of a cycle times actuators; tick by tick */
    size_t shapes, states;
    double cycle_s;
    double *U;             /* ports x shapes, orthonormal */
    double *D, *A, *B, *C; /* shapes x ports, states x states, states x ports, shapes x states */
};
/* Takes the answers of a motion that is linear, unloaded and stable. *told is false if they do not identify the process
 * well enough: too many ticks, too many hidden states, or too much rounding. YK_E_STOPPED: the budget is spent. To be
 * freed. */
enum yk_status yk_loop_answers_take(struct yk_loop_answers *answers, struct yk_state *m, const struct yk_watched *how,
                                    bool *told, struct yk_err *err);
void yk_loop_answers_free(struct yk_loop_answers *answers);

#endif
