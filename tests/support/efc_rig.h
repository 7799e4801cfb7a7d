/* A split structure under equivalent force control: the module, a linear specimen and what moves it.
 *
 * Linear structures of up to EFC_DOFS degrees of freedom, NS and specimen on the same ones (a specimen that touches
 * only some has zeros elsewhere); matrices are column-major n*n. The specimen is moved ideally, by actuators of second
 * order or without any dynamics. */
#ifndef YOKE_TEST_EFC_RIG_H
#define YOKE_TEST_EFC_RIG_H

#include "coupling/efc_core.h"
#include <yoke/integrator.h>

enum { EFC_DOFS = 4, EFC_STATES = 5 * EFC_DOFS + EFC_DOFS };

struct efc_model {
    size_t n;
    double MN[EFC_DOFS * EFC_DOFS], CN[EFC_DOFS * EFC_DOFS], KN[EFC_DOFS * EFC_DOFS];
    double ME[EFC_DOFS * EFC_DOFS], CE[EFC_DOFS * EFC_DOFS], KE[EFC_DOFS * EFC_DOFS];
};

/* One degree of freedom of the family MN/ME = KE/KN = CN/CE = b with MN = 100 kg, natural frequency omega and damping
 * ratio zeta of the whole. */
struct efc_model efc_family(double b, double omega, double zeta);

/* Second order, x'' + 2 zeta w x' + w^2 x = w^2 u, u held over a sample: exact by the matrix exponential. */
struct efc_actuator {
    double omega, zeta;
    double A[4], B[2]; /* of the sampled (x, x') */
    double x, v, a;    /* a under the command just before it changes */
};
void efc_actuator_init(struct efc_actuator *p, double omega, double zeta, double h, double x0);
void efc_actuator_step(struct efc_actuator *p, double u);

struct efc_rig {
    struct efc_model model;
    struct yk_efc efc;
    struct yk_lu KT; /* with the true KE, for the ideal specimen */
    struct yk_arena mem;
    size_t m, dof[EFC_DOFS]; /* interface */
    struct efc_actuator actuator[EFC_DOFS];
    double dE[EFC_DOFS], vE[EFC_DOFS], rE[EFC_DOFS], aE[EFC_DOFS]; /* measured on the interface; vE for tests only */
    void (*load)(double t, double *f);                             /* NULL: none */
    long step;
};

/* Settings of the module under test: settings without matrices, shares of the specimen's mass and stiffness in their
 * estimates, interface (m = 0: all degrees of freedom). */
struct efc_plan {
    struct yk_efc_settings set;
    double gm, gk;
    size_t m, dof[EFC_DOFS];
};
struct efc_plan efc_plan(double alpha, enum yk_efc_law law, enum yk_efc_correction correction, double dt, double h);

void efc_rig_open(struct efc_rig *rig, const struct efc_model *model, const struct efc_plan *plan);
void efc_rig_close(struct efc_rig *rig);
/* At displacement d0, at rest, in balance. */
void efc_rig_start(struct efc_rig *rig, const double *d0);
void efc_rig_actuators(struct efc_rig *rig, double omega, double zeta);

/* One step with the ideal specimen, docs/theory/efc.md, eq. (15). */
enum yk_status efc_step_ideal(struct efc_rig *rig);
/* One step sample by sample through the actuators. */
enum yk_status efc_step_actuated(struct efc_rig *rig);

/* Amplification matrix of a step of the ideal rig in (d, v, a, F0, Fm, R), N = 6 n; its eigenvalues and radius. */
size_t efc_amplification(struct efc_rig *rig, double *A);
double efc_radius(struct efc_rig *rig);

/* Forty steps with actuators, and forty more without heap or system calls: a fresh page would show in the second pass.
 * Closes the rig. */
void efc_rig_assert_clean(struct efc_rig *rig);
/* The whole structure under the HHT method of the library, as a domain to step through; start it at d0. */
void efc_whole_open(struct yk_domain *domain, const struct efc_model *model, double alpha,
                    void (*load)(double, double *), double dt, const double *d0);
void efc_whole_close(struct yk_domain *domain);

/* Largest and rms difference of one displacement or velocity from the whole structure, over the latter's own. */
struct efc_comparison {
    double max, rms, peak;   /* peak of the whole structure */
    double last, last_whole; /* peaks within the last `window` */
};

struct efc_watched {
    size_t dof;
    bool velocity;
    double window;
};
/* Steps the rig beside the whole structure until `end`. */
void efc_compare(struct efc_rig *rig, enum yk_status (*step)(struct efc_rig *), const double *d0, double end,
                 struct efc_watched watch, struct efc_comparison *out);

/* `good` settings with one change must be refused; for functions with `good`, `set` and `efc`. */
#define EFC_REFUSED(change, status, words)                                                                             \
    do {                                                                                                               \
        set = good;                                                                                                    \
        change;                                                                                                        \
        assert_refused(yk_efc_create(&efc, &set, NULL, &err), status, words);                                          \
    } while (0)

#endif
