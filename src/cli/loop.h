/* The loop with specimens: its verdict in words, and its consequence for a run. */
#ifndef YOKE_CLI_LOOP_H
#define YOKE_CLI_LOOP_H

#include "cli/cli.h"

#include "engine/engine.h"

#define RUN_BUDGET_S 2.0 /* CPU time before a run */

/* Prints it on stderr, unless simply stable. */
void tell_loop(const struct yk_loop_report *report);
/* Before a run: fills the report; prints messages; refuses to move an unstable loop that is paced or outside this
 * process, unless the file allows it. Returns an exit code, 0 to continue. */
int check_loop(const struct yk_model *model, double budget_s, bool paced, struct yk_loop_report *report);

#endif
