/* A frame of members and springs for tests: displacements and dead loads of nodes, full Newton, commits. */
#ifndef YOKE_TEST_MEMBER_FRAME_H
#define YOKE_TEST_MEMBER_FRAME_H

#include "substructure/member/member.h"

enum { FRAME_MEMBERS = 100, FRAME_DOFS = 6 * (FRAME_MEMBERS + 1) };

struct frame_spring {
    const struct yk_law_ops *law;
    const void *settings;
    size_t dof[2]; /* the extension is the second less the first */
    double memory[2][YK_LAW_VARIABLES];
};

/* Degree of freedom d (0..5: x .. rz) of node n is 6 n + d. */
struct member_frame {
    size_t nodes, members, springs;
    struct yk_member member[FRAME_MEMBERS];
    size_t dof[FRAME_MEMBERS][YK_MEMBER_DOFS]; /* of its ends */
    double *memory[FRAME_MEMBERS][2];          /* committed and trial */
    struct frame_spring spring[16];
    bool held[FRAME_DOFS];
    double u[FRAME_DOFS];    /* those of held ones may be set */
    double load[FRAME_DOFS]; /* dead */
    double f[FRAME_DOFS];    /* of members and springs, after frame_solve */
    size_t most_iterations;
    bool bounded;            /* a basic element came to its bound, in the last evaluation */
    double last[FRAME_DOFS]; /* committed displacements */
};

/* On the heap: destroy frees it. In the plane z, rx and ry are held. */
struct member_frame *frame_create(size_t nodes, bool plane);
void frame_destroy(struct member_frame *frame);
/* The member belongs to the frame from now on. */
void frame_add(struct member_frame *frame, struct yk_member member, size_t from, size_t to);
void frame_add_spring(struct member_frame *frame, const struct yk_law_ops *law, const void *settings, size_t from,
                      size_t to);
void frame_hold(struct member_frame *frame, size_t node, unsigned dofs); /* bits */
/* Equilibrium to `tolerance` [N] from the committed state; false after 60 iterations. */
bool frame_solve(struct member_frame *frame, double tolerance);
void frame_commit(struct member_frame *frame);
/* Solves and commits, or fails the test. */
void frame_step(struct member_frame *frame, double tolerance);

#endif
