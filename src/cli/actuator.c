/* Finding the actuator that a command is about. */
#include "cli/cli.h"
#include "door/parts.h"

bool find_actuator(const struct yk_model *model, const char *name, size_t *index)
{
    return yk_command_actuator(&(struct yk_parts){.model = (struct yk_model *)model}, name, index);
}
