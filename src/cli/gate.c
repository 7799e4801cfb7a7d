/* A rig that was not commissioned is not moved, unless somebody takes the responsibility. */
#include "cli/gate.h"
#include "cli/cli.h"

#include "base/json.h"
#include "experiment/commissioning.h"

#include <string.h>

const struct yk_option uncommissioned_option[] = {
    {"--uncommissioned", "\"NAME: REASON\"",
     "move a rig without a passed check-list (`yoke rig FILE -c checklist`); kept in summary, report and audit log",
     .kind = YK_OPTION_TEXT},
    {0},
};

int gate_check(const struct yk_model *model, const char *uncommissioned, json_t **record)
{
    struct yk_err err = {0};

    if (yk_commissioning_check(model, uncommissioned, record, &err))
        return yk_command_fail(&err);
    if (*record && strcmp(yk_json_text(*record, "state"), "overridden") == 0)
        fprintf(stderr, "yoke: WARNING: the rig is not commissioned (%s); %s takes the responsibility: %s\n",
                yk_json_text(*record, "instead_of"), yk_json_text(*record, "by"), yk_json_text(*record, "reason"));
    return 0;
}
