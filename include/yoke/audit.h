/* The audit log: who did what to a rig, when, across runs. docs/audit.md. Runs and consoles write it, programs may read
 * it.
 *
 * One entry is one line of JSON: {line, date, host, user, run, by, what, words, before}. Every line holds the SHA-256
 * of the line above it (`before`), so a line that was changed, removed, inserted or moved breaks the chain at the next
 * one. The end of the file is protected by anchors: summaries hold number and hash of the last line of their time
 * (`audit`). */
#ifndef YOKE_AUDIT_H
#define YOKE_AUDIT_H

#include <yoke/status.h>

#define YK_AUDIT_HASH  65  /* hexadecimal digits and the end */
#define YK_AUDIT_FIRST "0" /* `before` of the first line */

/* Number and hash of a line: the log up to it cannot change any more without a contradiction. 0: none. */
struct yk_audit_anchor {
    long line;
    char hash[YK_AUDIT_HASH];
};

/* Path of the log: $YOKE_AUDIT, or yoke/audit.log in $XDG_STATE_HOME or ~/.local/state; malloc'd. NULL after a
 * failure. */
char *yk_audit_path(struct yk_err *err);
#endif
