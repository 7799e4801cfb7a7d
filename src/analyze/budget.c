/* CPU time that an analysis may take, see budget.h. */
#include "analyze/budget.h"

#include <math.h>
#include <stddef.h>
#include <time.h>

enum { MOST_STEPS = 64 }; /* between two readings of the clock, which costs as much as a short step */
#define OFTEN_S 1e-3      /* and as far apart as the readings may be */

static double cpu_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void yk_budget_begin(struct yk_budget *b, double seconds)
{
    b->begin_s = b->read_s = cpu_s();
    b->end_s = seconds > 0 ? b->begin_s + seconds : INFINITY;
    b->steps = 0;
    b->every = 1;
    b->spent = false;
}

bool yk_budget_spent(struct yk_budget *b)
{
    if (!b || b->spent || ++b->steps < b->every)
        return b && b->spent;
    const double now = cpu_s();

    if (now - b->read_s > OFTEN_S)
        b->every = 1;
    else if (b->every < MOST_STEPS)
        b->every *= 2;
    b->read_s = now;
    b->steps = 0;
    b->spent = now >= b->end_s;
    return b->spent;
}

double yk_budget_used_s(const struct yk_budget *b)
{
    return cpu_s() - b->begin_s;
}
