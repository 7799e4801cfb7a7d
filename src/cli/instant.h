/* An instant that several programs have agreed on. */
#ifndef YOKE_CLI_INSTANT_H
#define YOKE_CLI_INSTANT_H

#include "cli/cli.h"

#include <time.h>

/* "2026-11-16T10:00:00Z" (or without Z: local time), or "+10 s" from now. False after a message: it is not an instant,
 * or past. */
bool instant_parse(const struct yk_command *command, const char *option, const char *text, struct timespec *instant);
/* Sleeps until then. */
void instant_await(const struct timespec *instant);

#endif
