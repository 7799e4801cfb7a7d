/* A rig that was not commissioned is not moved, unless somebody takes the responsibility. */
#include "cli/gate.h"
#include "cli/cli.h"

#include "base/json.h"
#include "engine/commissioning.h"

#include <string.h>

int gate_check(const struct yk_experiment *e, const char *uncommissioned, json_t **record)
{
    struct yk_err err = {0};

    if (yk_commissioning_check(e, uncommissioned, record, &err))
        return report_failure(&err);
    if (*record && strcmp(yk_json_text(*record, "state"), "overridden") == 0)
        fprintf(stderr, "yoke: WARNING: the rig is not commissioned (%s); %s takes the responsibility: %s\n",
                yk_json_text(*record, "instead_of"), yk_json_text(*record, "by"), yk_json_text(*record, "reason"));
    return 0;
}
