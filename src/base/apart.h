/* Work in a separate process. Libraries that read foreign files may crash, loop or exhaust the memory; only the child
 * process is affected, and the caller gets a result or a message. */
#ifndef YOKE_APART_H
#define YOKE_APART_H

#include <stdio.h>
#include <yoke/status.h>

struct yk_apart {
    enum yk_status (*work)(void *self, FILE *out, struct yk_err *err); /* what it writes to `out` is returned */
    void *self;
    const char *name; /* of what is read, for messages */
    double cpu_s;     /* most processor time                                      */
    size_t bytes;     /* most memory beyond what the process has now              */
};

/* Runs the work in a child, whose standard output and error are discarded. YK_OK: *out holds what was written; read and
 * close it. Otherwise the message of the work, or YK_E_INPUT and the reason if the child did not finish. */
enum yk_status yk_apart(const struct yk_apart *apart, FILE **out, struct yk_err *err);

#endif
