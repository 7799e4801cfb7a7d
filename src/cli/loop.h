/* The loop with specimens: its verdict in words, and its consequence for a run. */
#ifndef YOKE_CLI_LOOP_H
#define YOKE_CLI_LOOP_H

#include "cli/cli.h"

#include "engine/engine.h"

#define CHECK_BUDGET_S  20.0 /* CPU time of `yoke check` */
#define MARGIN_BUDGET_S 60.0 /* and of each method of `yoke analyze margin` */
#define RUN_BUDGET_S    2.0  /* and before a run */

/* Shows progress on a terminal. */
enum yk_status judge_loop(const struct yk_plan *plan, struct yk_judging how, struct yk_margin *out, struct yk_err *err);
/* "stable; delay margin 32.5 ms", "UNSTABLE: free vibration doubles every 0.3 s", "undecided: ...". */
void loop_words(const struct yk_margin *m, double budget_s, char *text, size_t size);
/* The known cause of growth, and possible remedies. */
void loop_advice(const struct yk_experiment *e, const struct yk_margin *m, char *text, size_t size);

/* Prints it on stderr, unless simply stable. */
void tell_loop(const struct yk_loop_report *report);
/* Before a run: fills the report; prints messages; refuses to move an unstable loop that is paced or outside this
 * process, unless the file allows it. Returns an exit code, 0 to continue. */
int check_loop(const struct yk_plan *plan, double budget_s, bool paced, struct yk_loop_report *report);

#endif
