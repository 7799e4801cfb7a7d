/* A system whose degrees of freedom are joined to others by springs. connected.c */
#ifndef YOKE_CONNECTED_H
#define YOKE_CONNECTED_H

#include <yoke/system.h>

/* The degrees of freedom of `inner` (taken over, also on failure), and `count` more without mass behind them: number k
 * is joined to `dofs[k]` by a spring of `stiffness[k]` [N/m]. It begins where that one does. */
enum yk_status yk_connected_create(struct yk_system **system, struct yk_system *inner, size_t count, const size_t *dofs,
                                   const double *stiffness, struct yk_arena *mem, struct yk_err *err);

#endif
