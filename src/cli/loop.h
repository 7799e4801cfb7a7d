/* The loop with specimens: its verdict in words, and its consequence for a run. */
#ifndef YOKE_CLI_LOOP_H
#define YOKE_CLI_LOOP_H

#include "cli/cli.h"

#include "engine/engine.h"

#define RUN_BUDGET_S 2.0 /* CPU time before a run */

/* The progress of judging a loop, on a terminal. */
struct loop_progress {
    int64_t begin_ns, shown_ns;
    double budget_s;
};
/* Sets the callback and its argument where there is a terminal. */
void loop_progress_begin(struct loop_progress *p, double budget_s, void (**progress)(void *, double), void **self);
void loop_progress_end(const struct loop_progress *p);

/* Prints it on stderr, unless simply stable. */
void tell_loop(const struct yk_loop_report *report);
/* Before a run: fills the report; prints messages; refuses to move an unstable loop that is paced or outside this
 * process, unless the file allows it. Returns an exit code, 0 to continue. */
int check_loop(const struct yk_plan *plan, double budget_s, bool paced, struct yk_loop_report *report);

#endif
