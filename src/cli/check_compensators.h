/* yoke check --compensators. */
#ifndef YOKE_CLI_CHECK_COMPENSATORS_H
#define YOKE_CLI_CHECK_COMPENSATORS_H

#include "cli/cli.h"
#include "state/state.h"

/* Compares compensators for every actuator that is commanded by displacement; `frequency_Hz`: of the structure. Exit
 * code. */
int check_compensators(const struct yk_model *model, double frequency_Hz, double budget_s, bool json);

#endif
