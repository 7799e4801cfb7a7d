/* The audit log, appended to by runs and consoles (yoke/audit.h). */
#ifndef YOKE_RECORD_AUDIT_H
#define YOKE_RECORD_AUDIT_H

#include <yoke/audit.h>

struct yk_audit; /* opaque: an open file */

/* Opens the log for appending, creates it and its folders (only for this user) if they are missing. Refuses links and
 * what is not a regular file. */
enum yk_status yk_audit_open(struct yk_audit **log, const char *path, struct yk_err *err);
void yk_audit_close(struct yk_audit *log);
/* Appends an entry and waits until it is on the disk. `run`: name of the run or console. `by`: who asked, such as
 * "terminal". `what`: one word of the table in docs/audit.md. `words`: details, any text. Locks the file against other
 * processes for the moment. `log` NULL: does nothing. */
enum yk_status yk_audit_add(struct yk_audit *log, const char *run, const char *by, const char *what, const char *words,
                            struct yk_err *err);
/* The last line that this process wrote. */
struct yk_audit_anchor yk_audit_anchor(const struct yk_audit *log);

#endif
