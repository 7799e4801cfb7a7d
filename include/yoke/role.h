/* Roles of those who speak to a run or console from elsewhere: the dashboard has a token for each. docs/audit.md#roles
 */
#ifndef YOKE_ROLE_H
#define YOKE_ROLE_H

#include <stddef.h>

/* X(id, word, what it may do) */
#define YK_ROLE_LIST(X)                                                                                                \
    X(VIEWER, "viewer", "look")                                                                                        \
    X(OPERATOR, "operator", "also pause, resume, step, abort, stop, and write notes")                                  \
    X(ENGINEER, "engineer", "also command the console of a rig and start examples")

enum yk_role {
    YK_ROLE_NONE = -1,
#define X(id, ...) YK_ROLE_##id,
    YK_ROLE_LIST(X)
#undef X
        YK_ROLES
};

const char *yk_role_text(enum yk_role role);
/* By its word, which need not end there; YK_ROLE_NONE: there is none. */
enum yk_role yk_role_find(const char *word, size_t length);

#endif
