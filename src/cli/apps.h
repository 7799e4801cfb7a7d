/* Commands with a program of their own, yoke-NAME. */
#ifndef YOKE_CLI_APPS_H
#define YOKE_CLI_APPS_H

#include <stdbool.h>
#include <stddef.h>

/* Becomes the program yoke-`name`, with the same words: signals and the exit code are then its own. Returns, with an
 * exit code and after a message, only where there is no such program. argv ends with NULL. */
int start_app(const char *name, char **argv);

enum { APP_PATH = 1200 };
/* Its path, for those who start it themselves. False if it is not there: `path` is then the reason. */
bool find_app(const char *name, char path[APP_PATH]);

/* Runs yoke-`name` beside this process and waits for its end. It reads and prints nothing on the terminal, and Ctrl-C
 * does not reach it. False if it did not end with exit code 0; its last message, without "yoke: ", is then in `said`.
 */
bool run_app(const char *name, char **argv, char *said, size_t size);

#endif
