/* Surrogate of a bridge pier that carries deck mass, torn at its top. Side A: the deck on a spring to the ground. Side
 * B: the pier with its bearing and a node of nearly no mass of its own, or the pier alone where nothing isolates it.
 * Masses 1 (pier) and PIER_DECK; stiffness of the pier (2 pi)^2 PIER_STIFFNESS, of the bearing PIER_BEARING times that.
 * They fit the frequencies published for the Rio Torto viaduct. */
#ifndef YOKE_TEST_PIER_H
#define YOKE_TEST_PIER_H

#include "support/coupled.h"

#define TWO_PI         6.283185307179586
#define PIER_DECK      8.9184
#define PIER_STIFFNESS 5.6092
#define PIER_BEARING   29.074

enum pier_kind {
    PIER_LINEAR,   /* elastic pier and bearing                                              */
    PIER_ISOLATED, /* bilinear bearing: hardening 0.02, yield slip 2 mm                     */
    PIER_AS_BUILT  /* hysteretic softening pier: alpha 200 1/m2, beta 20 1/m; no bearing    */
};

struct pier {
    struct torn torn;
    size_t node; /* degree of freedom of B at the joint */
    struct pier_load {
        double mass[2];
        size_t n;
        double (*ground)(double t);
    } load[YK_SIDES];
};

/* deck_Hz2: square of the frequency of the deck on its spring; moved: fraction of the deck's mass that B gets. Stays at
 * its address: the loads point into it. */
void pier_make(struct pier *p, enum pier_kind kind, double deck_Hz2, double moved, double (*ground)(double t),
               double dt, int substeps);
void pier_free(struct pier *p);

#endif
