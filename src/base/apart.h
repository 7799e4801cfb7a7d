/* Work in a separate process. Libraries that read foreign files may crash, loop or exhaust the memory; only the child
 * process is affected, and the caller gets a result or a message. */
#ifndef YOKE_APART_H
#define YOKE_APART_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>
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

/* A child that answers requests until the caller closes its end of the channel. It has no other open file of the caller
 * and a stack of 8 MB, whatever thread starts it. */
struct yk_apart_server {
    int channel; /* -1: there is none */
    pid_t child;
};
/* `serve` runs in the child and reads requests from the channel; the child ends when it returns. `bytes`: most memory
 * beyond what the process has now. */
enum yk_status yk_apart_start(struct yk_apart_server *server, void (*serve)(void *self, int channel), void *self,
                              size_t bytes, struct yk_err *err);
/* In the child: ends it when it has used that much more processor time. */
void yk_apart_spend(double cpu_s);
/* All bytes or false. Receiving gives up after `wait_s` without a byte; INFINITY: never. */
bool yk_apart_send(int channel, const void *bytes, size_t size);
bool yk_apart_receive(int channel, void *bytes, size_t size, double wait_s);
/* Ends the child. After a failed exchange, `err` gets how it had ended, in words without a place; `cpu_s`: what it was
 * allowed. */
void yk_apart_stop(struct yk_apart_server *server);
enum yk_status yk_apart_fail(struct yk_apart_server *server, double cpu_s, struct yk_err *err);

enum { YK_APART_WAIT_S = 60 }; /* for a child that sleeps, or a file on a slow disk */

#endif
