/* The torn structures of the reference results, and a coupling with its settings on one of them. */
#ifndef YOKE_TEST_TORN_SYSTEMS_H
#define YOKE_TEST_TORN_SYSTEMS_H

#include "support/coupled.h"
#include "support/method.h"

#define G_MINUS 0.29289321881345248 /* 1 - sqrt(2)/2 */
#define G_PLUS  1.7071067811865475

enum torn_kind {
    SPLIT_MASS,     /* m = 1, k; mA : mB = kB : kA = b */
    SPLIT_FLOATING, /* the same with kB = 0 */
    TWO_DOF_1,      /* wall-m1-m2-wall, m1 split b : 1; A = {m1A}, B = {m1B, m2} */
    TWO_DOF_2,      /* m2 split 1 : 1 as well; A = both ends, B floats between */
    THREE_DOF,      /* two columns with a turning joint, split r = b at (u1, phi1); B floats */
    FOUR_DOF_1,     /* wall-m1-m2-m3-m4-wall, m2 split; A = {m1, m2A} */
    FOUR_DOF_2,     /* m2 and m3 split; A = both ends, B floats between */
    FOUR_DOF_3,     /* m2, m3 and m4 split; A = both ends, B = two floating pairs */
    BASE_2DOF,      /* translation and rotation of a rig, uncoupled, both split */
    CHAIN_4DOF,     /* fixed chain, k = 100; A = {1, 1, 2/3}, B = {1, 1/3}; only the first of B is displaced by u0 */
};

/* u0 and v0 hold for every degree of freedom, save where the kind says otherwise; k = 0 means 1. */
struct torn_case {
    enum torn_kind kind;
    double b, u0, v0, k;
};
void torn_case_make(struct torn *t, const struct torn_case *which, double dt, int substeps);

/* A coupling with substeps, gammas of both sides and up to two more settings. */
struct coupled_method {
    const char *name;
    int substeps;
    double gamma_A, gamma_B;
    struct setting set[2];
};
#define COUPLING(name, substeps, gamma)                                                                                \
    {                                                                                                                  \
        name, substeps, gamma, gamma,                                                                                  \
        {                                                                                                              \
            {NULL, 0},                                                                                                 \
            {                                                                                                          \
                NULL, 0                                                                                                \
            }                                                                                                          \
        }                                                                                                              \
    }
#define COUPLING_MIXED(name, substeps, gA, gB)                                                                         \
    {                                                                                                                  \
        name, substeps, gA, gB,                                                                                        \
        {                                                                                                              \
            {NULL, 0},                                                                                                 \
            {                                                                                                          \
                NULL, 0                                                                                                \
            }                                                                                                          \
        }                                                                                                              \
    }
#define COUPLING_SET(name, substeps, gamma, k, x)                                                                      \
    {                                                                                                                  \
        name, substeps, gamma, gamma,                                                                                  \
        {                                                                                                              \
            {k, x},                                                                                                    \
            {                                                                                                          \
                NULL, 0                                                                                                \
            }                                                                                                          \
        }                                                                                                              \
    }

struct bench {
    struct torn torn;
    struct yk_coupling c;
};
/* Loads are of both sides; {0}: none. Started. */
void bench_open(struct bench *b, const struct torn_case *which, const struct coupled_method *method, double dt,
                const struct yk_loading *loads);
void bench_close(struct bench *b);
void bench_run(struct bench *b, long steps);
struct yk_kinematics bench_now(struct bench *b, int side);
/* Row r of the interface: (G_A u_A + G_B u_B)[r]. */
double bench_gap(struct bench *b, size_t row);
/* "assr2 ss=10 gA=.. gB=.. on .." for messages; valid until the next call. */
const char *bench_label(const struct torn_case *which, const struct coupled_method *method, double dt);

#endif
