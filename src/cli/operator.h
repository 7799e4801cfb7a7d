/* The operator of a run: keys of the terminal, and a socket that `yoke control` talks to. */
#ifndef YOKE_OPERATOR_H
#define YOKE_OPERATOR_H

#include <yoke/engine.h>

#include <stdbool.h>
#include <termios.h>

struct operator_desk {
    struct yk_run_control *control;
    long steps; /* of the whole run */
    char name[64];
    char path[160]; /* of the socket; "": none */
    int listener;   /* -1: none */
    bool keys;      /* the terminal gives single keys */
    struct termios before;
};

/* Opens the socket under a name made from `file`, and takes single keys from a terminal if there is one. What cannot be
 * had is left out. */
void desk_open(struct operator_desk *desk, struct yk_run_control *control, const char *file, long steps);
void desk_close(struct operator_desk *desk);
/* Hears what was asked since the last call. */
void desk_hear(struct operator_desk *desk);

/* A name as sockets and shared memory have it: what is no letter, digit, - _ or . becomes _. */
void desk_name(char *to, size_t size, const char *name);
/* Folder of the sockets of this user, made where it is not there; false: there is none. */
bool desk_folder(char *folder, size_t size);
/* Asks the run behind a socket; the answer in `answer`. */
bool desk_ask(const char *path, const char *word, char *answer, size_t size);

#endif
