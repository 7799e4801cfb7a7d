/* The stages of a static analysis, as the key `statics` of an experiment file lists them. */
#ifndef YOKE_PUSH_STAGES_H
#define YOKE_PUSH_STAGES_H

#include "statics.h"

#include <yoke/protocol.h>

enum stage_kind { STAGE_GRAVITY, STAGE_PUSH, STAGE_CYCLE };
struct stage {
    enum stage_kind kind;
    const struct yk_node *node;
    int steps; /* of gravity; of arc-length: at most */
    /* push and cycle */
    char control[150];   /* the control displacement */
    enum yk_sense sense; /* of it */
    double *c;           /* n: it is c^T U */
    double *p;           /* n: the load pattern */
    bool own;            /* the pattern is the control displacement itself: p = c */
    double to, step;     /* m or rad */
    bool arc, locate;
    double length, scale; /* of an arc; 0: from the first step */
    double drop;          /* stop after a fall of the load factor by this part of its peak; 0: no stop */
    struct yk_protocol protocol;
};

/* All stages of the file; with none, an error. `count` at most stages; free them even after a failure. */
enum yk_status stages_read(const struct statics *q, struct stage **stages, size_t *count, struct yk_err *err);
void stages_free(struct stage *stages, size_t count);

/* The pattern by a word, uniform (M b), triangle (M b h) or mode (M phi), with the sum 1 in the direction of the
 * control displacement; it depends on the state, so it is made when the stage begins. */
enum yk_status stage_pattern(struct stage *stage, struct statics *q, struct yk_err *err);
/* Permanent loads of the file; false: it has none. */
bool stages_permanent(const struct statics *q, double *P);

#endif
