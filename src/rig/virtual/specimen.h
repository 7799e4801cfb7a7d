/* The specimen of a virtual rig: a model of any kind, some degrees of freedom of which are moved by actuators.
 *
 * Every tick it takes displacement, velocity and acceleration of the actuators. The degrees of freedom that no actuator
 * moves follow from the equations of motion, in as many substeps as accuracy needs. The result is the force with which
 * the specimen resists, inertia included. Without free degrees of freedom it is one evaluation.
 * docs/theory/test-rigs.md, eq. (11)-(19). */
#ifndef YOKE_SPECIMEN_H
#define YOKE_SPECIMEN_H

#include <yoke/system.h>

struct yk_specimen_mounting {
    struct yk_system *system; /* stays the caller's */
    size_t count;             /* of degrees of freedom that actuators move, at least one unless it is `loaded` */
    bool loaded;              /* actuators load free ones */
    const size_t *moved;      /* which: 0 .. n - 1, none twice; x, v, a and r below come in this order */
    const char *const *names; /* of all degrees of freedom, for messages; may be NULL */
    double tick;              /* s */
};

struct yk_specimen; /* opaque */
/* Refuses free degrees of freedom without mass, and those too fast to be followed within a tick. */
enum yk_status yk_specimen_create(struct yk_specimen **created, const struct yk_specimen_mounting *plan,
                                  struct yk_arena *mem, struct yk_err *err);
void yk_specimen_destroy(struct yk_specimen *s);

/* Actuators at rest in x; the free degrees of freedom in the initial state of the system, or in equilibrium with their
 * loads where there are some. r: force there. */
void yk_specimen_rest(struct yk_specimen *s, const double *x, double *r);
/* A load on a free degree of freedom, from now on [N]. Set before a rest, the specimen rests in equilibrium with it. */
void yk_specimen_load(struct yk_specimen *s, size_t dof, double force) YK_RT;
/* One tick, to the time t: the actuators come to x, v, a. r: force of the specimen on them, positive where it resists.
 * NaN if the motion diverges. */
void yk_specimen_step(struct yk_specimen *s, double t, const double *x, const double *v, const double *a,
                      double *r) YK_RT;

/* All n degrees of freedom at the end of the last tick; valid until the next. */
struct yk_specimen_state {
    const double *u, *v, *a;
    long substeps; /* made since the last rest */
};
struct yk_specimen_state yk_specimen_now(const struct yk_specimen *s) YK_RT;

#endif
