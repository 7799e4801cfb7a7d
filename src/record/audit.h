/* The audit log: who did what to a rig, when, across runs. docs/audit.md.
 *
 * One entry is one line of JSON. Every line holds the SHA-256 of the line above it (`before`), so a line that was
 * changed, removed, inserted or moved breaks the chain at the next one. The end of the file is protected by anchors:
 * summaries hold number and hash of the last line of their time. */
#ifndef YOKE_AUDIT_H
#define YOKE_AUDIT_H

#include <yoke/status.h>

#define YK_AUDIT_HASH 65 /* hexadecimal digits and the end */

/* Number and hash of a line: the log up to it cannot change any more without a contradiction. 0: none. */
struct yk_audit_anchor {
    long line;
    char hash[YK_AUDIT_HASH];
};

struct yk_audit; /* opaque: an open file */

/* Path of the log: $YOKE_AUDIT, or yoke/audit.log in $XDG_STATE_HOME or ~/.local/state; malloc'd. NULL after a
 * failure. */
char *yk_audit_path(struct yk_err *err);
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

struct yk_audit_report {
    long lines, torn;         /* entries; lines that a process left incomplete when it died */
    long broken;              /* the first line whose chain does not hold; 0: none */
    const char *why;          /* in words; NULL where the chain holds */
    char first[40], last[40]; /* dates */
    struct yk_audit_anchor end;
};
/* Reads the whole log. `anchor` (may be NULL) must be part of it. Fails only if the file cannot be read: whether the
 * chain holds is in the report. */
enum yk_status yk_audit_verify(const char *path, const struct yk_audit_anchor *anchor, struct yk_audit_report *report,
                               struct yk_err *err);

#endif
