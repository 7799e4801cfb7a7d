/* Does the chain of an audit log hold? docs/audit.md. */
#ifndef YOKE_AUDIT_VERIFY_H
#define YOKE_AUDIT_VERIFY_H

#include <yoke/audit.h>

struct audit_report {
    long lines, torn;         /* entries; lines that a process left incomplete when it died */
    long broken;              /* the first line whose chain does not hold; 0: none */
    const char *why;          /* in words; NULL where the chain holds */
    char first[40], last[40]; /* dates */
    struct yk_audit_anchor end;
};
/* Reads the whole log. `anchor` (may be NULL) must be part of it. Fails only if the file cannot be read: whether the
 * chain holds is in the report. */
enum yk_status audit_verify(const char *path, const struct yk_audit_anchor *anchor, struct audit_report *report,
                            struct yk_err *err);

#endif
