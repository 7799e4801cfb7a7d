/* The loop of a large linear structure in a few coordinates, where it answers the rig as the full one does.
 * docs/theory/delay.md, section 6. */
#ifndef YOKE_CONDENSED_H
#define YOKE_CONDENSED_H

#include "state/state.h"

struct yk_condensed {
    struct yk_model *model; /* on the virtual rig; NULL: the loop cannot be condensed, and the full one counts */
    size_t modes;           /* of each part */
    double unlike; /* largest difference from the answer of the full loop, over its largest value; NAN: known */
};
/* Fewest modes with which the loop answers a push of the actuators as the full one does, to 1 %. `modes`: known to do
 * from an earlier time; 0: to be found, by a part of budget_s of CPU time (0: no end). To be closed, after a failure as
 * well. */
enum yk_status yk_condensed_open(struct yk_condensed *c, const struct yk_model *model, size_t modes, double budget_s,
                                 struct yk_err *err);
void yk_condensed_close(struct yk_condensed *c);

#endif
