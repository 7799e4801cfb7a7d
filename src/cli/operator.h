/* The operator of a run: keys of the terminal, and a socket for `yoke control`. */
#ifndef YOKE_OPERATOR_H
#define YOKE_OPERATOR_H

#include "cli/trail.h"
#include "engine/engine.h"

#include <stdbool.h>
#include <sys/types.h>
#include <termios.h>
#include <yoke/control.h>

struct operator_desk {
    struct yk_run_control *control;
    long steps; /* of the whole run */
    char name[64];
    char path[160]; /* of the socket; "": none */
    int listener;   /* -1: none */
    ino_t inode;    /* of the socket: closing removes no other */
    bool keys;      /* the terminal gives single keys */
    struct termios before;
    bool local;                       /* the terminal alone commands; others may look, pause, stop and abort */
    struct trail *trail;              /* may be NULL */
    const struct yk_station *station; /* of a run, for its control modes; may be NULL */
    /* A line for the console of a rig, NULL: no text or too long; what is written to `fd` is its answer. NULL: a run.
     */
    void (*console)(void *self, int fd, const char *line, const char *by);
    void *console_self;
};

/* Takes single keys from a terminal if there is one, and opens the socket under a name made from `file`; removes the
 * sockets and the shared memory of runs of this user that were killed. Close a desk without a socket, too. */
enum yk_status desk_open(struct operator_desk *desk, struct yk_run_control *control, const char *file, long steps,
                         struct yk_err *err);
void desk_close(struct operator_desk *desk);
/* Gives the keys of the terminal back to somebody else. */
void desk_leave_keys(struct operator_desk *desk);
/* Local: only the terminal commands. The terminal switches. */
void desk_switch(struct operator_desk *desk, bool local);
/* Handles the requests since the last call. */
void desk_hear(struct operator_desk *desk);

/* Can text be written there now? A terminal that was stopped (Ctrl-S) or a pipe that nobody reads would block, and the
 * operator would not be heard. */
bool desk_takes_text(int fd);

#endif
