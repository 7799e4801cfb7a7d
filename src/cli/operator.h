/* The operator of a run: keys of the terminal, and a socket for `yoke control`. */
#ifndef YOKE_OPERATOR_H
#define YOKE_OPERATOR_H

#include "cli/trail.h"
#include "engine/console.h"
#include "engine/role.h"

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
    bool local;          /* the terminal alone commands; others may look, pause, stop and abort */
    struct trail *trail; /* may be NULL */
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

/* A name for sockets and shared memory: characters other than letters, digits, - _ . become _. */
void desk_name(char *to, size_t size, const char *name);
/* Folder of the sockets of this user, created if missing. */
enum yk_status desk_folder(char *folder, size_t size, struct yk_err *err);
/* Sends a request to the run behind a socket and leaves the connection open for its reply; -1: nobody takes it. */
int desk_call(const char *path, const char *word);
/* Sends a line to the console of that name; see desk_call. The answer has lines, as they come; the last one is
 * YK_CONSOLE_END. */
int desk_call_console(const char *run, const char *line, enum yk_role role);
/* The same as desk_call; the reply is in `answer`. */
bool desk_ask(const char *path, const char *word, char *answer, size_t size);
/* The same for a run of this user by its name, for somebody on the dashboard. */
bool desk_ask_run(const char *run, const char *word, enum yk_role role, char *answer, size_t size);

#endif
