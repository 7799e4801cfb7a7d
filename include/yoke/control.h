/* Requests to runs and consoles of this user, over the socket that each of them opens: what `yoke control` and the
 * dashboard send. Only the user who started a run can open its socket.
 *
 *     char answer[256];
 *
 *     if (yk_control_ask("frame", "pause", YK_ROLE_OPERATOR, answer, sizeof answer))
 *         fputs(answer, stdout);
 *
 * Requests: pause, resume, step, abort, status, and "note TEXT". The answer is one line. A run refuses what the role
 * may not do; the audit log of a rig keeps who asked (docs/audit.md). */
#ifndef YOKE_CONTROL_H
#define YOKE_CONTROL_H

#include <yoke/role.h>
#include <yoke/status.h>

enum { YK_CONSOLE_LINE = 1000 }; /* bytes of a line for a console, most */
#define YK_CONSOLE_END "end "    /* begins the last line of its answer; the exit code follows */

/* The name under which a run can be asked and watched: characters other than letters, digits, - _ . become _. That of a
 * run is made from its file, without folder and ending; that of a console (`yoke rig`) ends with "-rig". */
void yk_control_name(char *to, size_t size, const char *name);
/* Asks a run by its name; the answer is in `answer`. False where nobody answers within 0.2 s. */
bool yk_control_ask(const char *run, const char *request, enum yk_role role, char *answer, size_t size);
/* Gives a line to the console of that name, "move a1 5 mm; wait 1 s". Its answer is read from the descriptor that is
 * returned, in lines, as they come; the last one is YK_CONSOLE_END. The caller closes it. -1: nobody takes the line. */
int yk_control_console(const char *run, const char *line, enum yk_role role);

#endif
