/* A substructure whose restoring force is computed by OpenSees: M a + C v + r(u) = f, where r comes over the wire.
 *
 * Every force is a trial from the last committed state; `commit` accepts a state. The model elsewhere has one past:
 * it belongs to the motion that was put at rest last, and begins anew with each rest. */
#ifndef YOKE_FRESCO_SYSTEM_H
#define YOKE_FRESCO_SYSTEM_H

#include "rig/child.h"
#include "rig/fresco_client.h"
#include <yoke/system.h>

struct yk_fresco_system_settings {
    struct yk_interpreter interpreter;
    char *host;
    int port;
    double patience, wait; /* s: for the server before the run; for an answer */
};

struct yk_fresco_system_parts {
    struct yk_matrix M, C, K;                  /* n x n, taken over; K without rows: asked for */
    double *u0, *v0;                           /* taken over */
    struct yk_fresco_system_settings settings; /* taken over */
};
void yk_fresco_system_parts_free(struct yk_fresco_system_parts *parts);
/* Starts or joins the server. */
enum yk_status yk_fresco_system_create(struct yk_system **system, struct yk_fresco_system_parts *parts,
                                       struct yk_arena *mem, struct yk_err *err);

#endif
