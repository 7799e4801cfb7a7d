/* A column of members that yield, fixed at its foot: a structure with members whose basic element is the test's own.
 *
 * Along y, in the plane; degrees of freedom x, y, rz of each node from the foot up. The basic element is elastic, but
 * what bends it to an S (theta1 + theta2) is bilinear: small enough to be followed by hand. */
#ifndef YOKE_TEST_YIELDING_COLUMN_H
#define YOKE_TEST_YIELDING_COLUMN_H

#include "substructure/member/placed.h"

#include <stdatomic.h>

struct yielding_column {
    size_t members;
    double yield;     /* rad; INFINITY: elastic */
    double hardening; /* of the stiffness */
    double bound;     /* rad; an iteration that does not exist comes to its bound beyond it; 0: never */
    enum yk_geometry geometry;
    double mass_damping, committed_damping;
    bool mixed; /* and an elastic spring beside the top, and a law that remembers */
};
#define COLUMN_EA     2e8  /* N */
#define COLUMN_EI     4e6  /* N m2 */
#define COLUMN_HEIGHT 3.0  /* m */
#define COLUMN_MASS   2000 /* kg; the top has ten times that */

/* The parts, and the structure made of them. */
void yielding_column_parts(const struct yielding_column *column, struct yk_structure_parts *parts);
struct yk_system *yielding_column_create(const struct yielding_column *column, struct yk_arena *mem);

/* How often states have been found, and tangents with them. */
extern struct yielding_count {
    atomic_size_t states, tangents;
} yielding_count;

#endif
