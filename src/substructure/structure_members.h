/* The members of a structure: their state in displacements u, and what they add to forces and tangents.
 *
 * Each keeps, for every state that is remembered: its memory, its forces r and its tangent k on the degrees of freedom
 * that move its ends. So a state is found once, whoever asks: force, tangent, commit and account of the same
 * displacement are one evaluation. docs/theory/nonlinear-frames.md */
#ifndef YOKE_STRUCTURE_MEMBERS_H
#define YOKE_STRUCTURE_MEMBERS_H

#include "substructure/member/placed.h"

struct yk_structure;
struct yk_memory;

/* An entry of T: displacement `end` of the ends has factor times degree of freedom `dof` of the member. */
struct yk_tie {
    size_t end, dof;
    double factor;
};
/* Places of a member's memory, r and k, counted from the head of the variables; its ties. */
struct yk_member_place {
    size_t memory, r, k;
    size_t tie, ties;
    bool plain; /* T only picks */
};
struct yk_members {
    struct yk_structure_member *items;
    size_t count;
    /* constant */
    struct yk_member_place *place;
    struct yk_tie *ties;
    size_t first, kept;                /* memory of all members: first variable, and how many */
    double *rested;                    /* the same at rest, where permanent loads have brought them */
    size_t most, widest, scratch_most; /* memory, degrees of freedom and scratch of one, at most */
    size_t half;                       /* of them: the others may be evaluated by a second thread */
    double damping;                    /* s; factor on the committed stiffness */
    /* changing */
    double *scratch;      /* of an evaluation, for each half of it */
    double *looks;        /* of a look at a member: its memory, its forces, scratch */
    double *force;        /* n each: of all members at the last account, and of damping */
    bool keep, asked;     /* tangents are found with the forces; they were asked for since the last commit */
    size_t evaluations;   /* of all members, since they were made */
    size_t bounded, last; /* commits of a member whose iterations came to their bound, and the last such member */
};

/* Stiffness of a member at rest and without axial force: n x n. */
enum yk_status yk_member_stiffness(const struct yk_structure_member *member, double *k, struct yk_err *err);

enum yk_status yk_members_init(struct yk_structure *s, struct yk_arena *mem, struct yk_err *err);
void yk_members_free(struct yk_members *members);
/* Puts the members at rest in u; their past is forgotten. */
void yk_members_rest(struct yk_structure *s, const double *u);
/* Loads the members to u, which becomes rest. Returns a member whose iterations came to their bound, or NULL. */
const char *yk_members_carry(struct yk_structure *s, const double *u);
/* The state in u, reached from the committed one: in the trial memory. */
void yk_members_evaluate(struct yk_structure *s, const double *u, bool tangents) YK_RT;
/* The state whose tangents are those in u: the committed one if that is its place, else the trial one. */
const struct yk_memory *yk_members_tangents(struct yk_structure *s, const double *u) YK_RT;
/* p += factor times the forces of a state; p += factor K v with its tangents. */
void yk_members_add_force(const struct yk_structure *s, const struct yk_memory *at, double factor, double *p) YK_RT;
void yk_members_add_product(const struct yk_structure *s, const struct yk_memory *at, double factor, const double *v,
                            double *p) YK_RT;
/* A[*place++] += factor times its tangents, member by member, row by row. */
void yk_members_add_tangents(const struct yk_structure *s, const struct yk_memory *at, double factor,
                             const size_t *place, double *A) YK_RT;
/* The same for all of them, as a look: nothing is kept. */
void yk_members_look(const struct yk_structure *s, const double *u, double factor, double *p) YK_RT;
/* One member: its memory in u. Valid until the next look. */
const double *yk_members_look_at(const struct yk_structure *s, size_t number, const double *u) YK_RT;

#endif
