/* CPU time that an analysis may take. Loops ask after every step whether it is spent; the clock is read now and then.
 */
#ifndef YOKE_BUDGET_H
#define YOKE_BUDGET_H

#include <stdbool.h>

struct yk_budget {
    double begin_s, end_s; /* CPU time of this thread; INFINITY: no end */
    double read_s;         /* when the clock was read last */
    int steps, every;      /* since then; between two readings */
    bool spent;
};
/* From now on; seconds of 0 or less: no end. */
void yk_budget_begin(struct yk_budget *budget, double seconds);
bool yk_budget_spent(struct yk_budget *budget); /* NULL: never */
double yk_budget_used_s(const struct yk_budget *budget);

#endif
