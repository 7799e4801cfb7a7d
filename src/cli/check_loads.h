/* The loads of an experiment, as `yoke check` reports them. */
#ifndef YOKE_CLI_CHECK_LOADS_H
#define YOKE_CLI_CHECK_LOADS_H

#include "cli/cli.h"

void print_loads(const struct yk_experiment *e);
json_t *loads_json(const struct yk_experiment *e);

#endif
