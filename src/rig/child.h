/* A program that is started beside this one, and ended with it. */
#ifndef YOKE_CHILD_H
#define YOKE_CHILD_H

#include <sys/types.h>
#include <yoke/status.h>

/* Starts `words` (NULL at the end) in its own process group, so that Ctrl-C does not reach it; what it prints goes to
 * the file `log`, NULL: nowhere. */
enum yk_status yk_child_start(pid_t *pid, const char *const *words, const char *log, struct yk_err *err);
/* Has it ended by itself? Then *pid becomes 0. */
bool yk_child_has_ended(pid_t *pid);
/* Waits up to grace_s for its end, then asks for it, then forces it. 0 is no child. */
void yk_child_end(pid_t *pid, double grace_s);
/* A TCP port that nobody uses now; 0: none. */
int yk_free_port(void);

#endif
