/* The gate of commissioning, for commands that move a rig. */
#ifndef YOKE_GATE_H
#define YOKE_GATE_H

#include "experiment/experiment.h"

#include <jansson.h>

#define UNCOMMISSIONED_HELP                                                                                            \
    "  --uncommissioned \"NAME: REASON\"   move a rig without a passed check-list (`yoke rig FILE -c checklist`); "    \
    "kept "                                                                                                            \
    "in\n"                                                                                                             \
    "                     summary, report and audit log\n"

/* Returns an exit code after a message, 0 to go on: yk_commissioning_check. Says who takes the responsibility. */
int gate_check(const struct yk_experiment *e, const char *uncommissioned, json_t **record);

#endif
