/* Finding the actuator that a command is about. */
#include "cli/cli.h"
#include "door/parts.h"

bool find_actuator(const struct yk_model *e, const char *name, size_t *index)
{
    return yk_command_actuator(&(struct yk_parts){.e = (struct yk_model *)e}, name, index);
}
