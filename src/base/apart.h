/* Work in a process of its own. Libraries that read files of others crash on some of them, loop on others, or ask for
 * all the memory there is; a child process takes the consequences, and the caller gets a result or a message. */
#ifndef YOKE_APART_H
#define YOKE_APART_H

#include <stdio.h>
#include <yoke/status.h>

struct yk_apart {
    enum yk_status (*work)(void *self, FILE *out, struct yk_err *err); /* what it writes to `out` comes back */
    void *self;
    const char *name; /* of what is read, for messages */
    double cpu_s;     /* most processor time                                      */
    size_t bytes;     /* most memory beyond what the process has now              */
};

/* Runs the work in a child, whose standard output and error lead nowhere. YK_OK: *out holds what was written, to be
 * read and closed. Otherwise the message of the work; or, where the child did not come to an end, YK_E_INPUT and why.
 */
enum yk_status yk_apart(const struct yk_apart *apart, FILE **out, struct yk_err *err);

#endif
