/* A lattice of masses that move in one direction, with springs between neighbours, some of them hysteretic. */
#ifndef YOKE_TEST_LATTICE_H
#define YOKE_TEST_LATTICE_H

#include <yoke/substructure.h>

struct lattice {
    size_t width, height; /* height 1: a chain */
    size_t hysteretic;    /* Bouc-Wen springs: the first ones; SIZE_MAX: all */
    bool lever;           /* one more spring ends on a lever that turns: the tangents are not symmetric */
};
/* 1000 kg, 1e8 N/m, yields at 1e5 N; loads of 1e5 N move it far beyond. */
struct yk_system *lattice_create(const struct lattice *lattice);

/* Masses without stiffness and damping: M = mass times 1, all matrices diagonal. */
void masses_alone(struct yk_structure_parts *parts, size_t n, double mass);

/* Settings of a law: its defaults and `count` values by their names; malloc'd, prepared. */
void *settings_of(const struct yk_law_ops *law, const char *const *names, const double *values, size_t count);

#endif
