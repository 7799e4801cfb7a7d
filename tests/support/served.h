/* A rig in another process: `yoke serve` beside the program under test. */
#ifndef YOKE_TEST_SERVED_H
#define YOKE_TEST_SERVED_H

#include "support/program.h"

#include <stdbool.h>

enum { WORDS_MOST = 48 };
/* Copies words up to NULL behind words[*n]. */
void words_add(const char **words, int *n, const char *const *more);

struct rig {
    struct program p;
    char address[128]; /* port or name of the shared memory */
    const char *backend, *key;
};

/* Starts it for a file with one actuator; returns when it takes sessions. */
void served_start(struct rig *r, const char *program, bool shm, const char *file, const char *const *options);
#define rig_start(r, shm, ...) served_start(r, YOKE_PROGRAM, shm, __VA_ARGS__)
/* The first line that it prints, once it is there. */
void rig_first_line(const struct rig *r, char *line, int size);
/* Ends it and checks that it did so in good order, and that its actuators are back at their start. */
void rig_stop(struct rig *r, int with);

#endif
