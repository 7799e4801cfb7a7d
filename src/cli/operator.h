/* The operator of a run: keys of the terminal, and a socket that `yoke control` talks to. */
#ifndef YOKE_OPERATOR_H
#define YOKE_OPERATOR_H

#include "engine/engine.h"

#include <stdbool.h>
#include <sys/types.h>
#include <termios.h>

struct operator_desk {
    struct yk_run_control *control;
    long steps; /* of the whole run */
    char name[64];
    char path[160]; /* of the socket; "": none */
    int listener;   /* -1: none */
    ino_t inode;    /* of the socket: closing removes no other */
    bool keys;      /* the terminal gives single keys */
    struct termios before;
};

/* Takes single keys from a terminal if there is one, and opens the socket under a name made from `file`; removes the
 * sockets and the shared memory of runs of this user that were killed. A desk without a socket is to be closed, too. */
enum yk_status desk_open(struct operator_desk *desk, struct yk_run_control *control, const char *file, long steps,
                         struct yk_err *err);
void desk_close(struct operator_desk *desk);
/* Hears what was asked since the last call. */
void desk_hear(struct operator_desk *desk);

/* A name as sockets and shared memory have it: what is no letter, digit, - _ or . becomes _. */
void desk_name(char *to, size_t size, const char *name);
/* Folder of the sockets of this user, made where it is not there. */
enum yk_status desk_folder(char *folder, size_t size, struct yk_err *err);
/* Asks the run behind a socket; the answer in `answer`. */
bool desk_ask(const char *path, const char *word, char *answer, size_t size);

#endif
