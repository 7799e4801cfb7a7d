/* The gate of commissioning, for commands that move a rig. */
#ifndef YOKE_GATE_H
#define YOKE_GATE_H

#include "experiment/experiment.h"

#include <yoke/command.h>

#include <jansson.h>

/* The option --uncommissioned "NAME: REASON", into a const char *. */
extern const struct yk_option uncommissioned_option[];

/* Returns an exit code after a message, 0 to go on: yk_commissioning_check. Says who takes the responsibility. */
int gate_check(const struct yk_model *model, const char *uncommissioned, json_t **record);

#endif
