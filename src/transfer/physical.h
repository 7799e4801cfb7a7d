/* A physical substructure: a specimen on the rig of a test station.
 *
 * To a method it is a system like any other. It gets the target at which its force will be evaluated (`set_target`).
 * All specimens get theirs before the first force of an instant is evaluated; the station then moves every actuator to
 * its target and reads the load cells. Forces are evaluated at the times of the stages, in order. The matrices are the
 * user's estimate. */
#ifndef YOKE_PHYSICAL_H
#define YOKE_PHYSICAL_H

#include "transfer/setup.h"
#include "transfer/station.h"
#include <yoke/signal.h>
#include <yoke/system.h>

/* An actuator that follows a signal, whatever the method does. */
struct yk_prescribed {
    size_t actuator;
    const struct yk_signal_ops *signal;
    void *settings; /* malloc'd, taken over */
};

/* The compliance form: degrees of freedom whose actuators are commanded by force. docs/theory/transfer.md, section 7.
 */
struct yk_compliance {
    size_t count;  /* of them */
    size_t *dofs;  /* malloc'd, as are the next two */
    double *share; /* W, count x count */
    double *rows;  /* W K_f, count x n, where K_f are their rows of the estimate */
};
void yk_compliance_free(struct yk_compliance *c);
/* Compliance of `count` degrees of freedom out of n, connected to the structure by springs (`stiffness`, count values;
 * INFINITY: rigidly). K and C, the estimate of the specimen, become those of specimen and springs in series. */
enum yk_status yk_compliance_init(struct yk_compliance *c, size_t count, const size_t *dofs, const double *stiffness,
                                  struct yk_matrix *K, struct yk_matrix *C, struct yk_err *err);

struct yk_physical_parts {
    struct yk_matrix M, C, K;         /* estimate, n x n; taken over */
    struct yk_compliance compliance;  /* taken over; count 0: every actuator is commanded by its motion */
    double *u0, *v0;                  /* taken over */
    struct yk_station *station;       /* outlives the system */
    size_t first;                     /* its first actuator; the others follow */
    struct yk_setup *setup;           /* NULL: actuator i moves degree of freedom i; taken over */
    struct yk_prescribed *prescribed; /* malloc'd, taken over */
    size_t prescribed_count;
};
enum yk_status yk_physical_create(struct yk_system **system, struct yk_physical_parts *parts, struct yk_arena *mem,
                                  struct yk_err *err);
void yk_physical_parts_free(struct yk_physical_parts *parts);

bool yk_is_physical(const struct yk_system *system);
/* How many actuators of the station it has, those that follow a signal among them, and the first of them. */
size_t yk_physical_actuators(const struct yk_system *system, size_t *first);
/* From now on it answers exactly as estimated, p = f - C v - K u, and leaves the station alone; for analyses without
 * the rig. */
void yk_physical_imagine(struct yk_system *system);
/* Keeps prescribed loads at their initial values from now on; for analyses, which have constant loads. */
void yk_physical_hold_loads(struct yk_system *system);
/* Displacements of the actuators for a motion of the degrees of freedom, in m or rad; moves nothing. */
void yk_physical_strokes(struct yk_system *system, const double *u, double *strokes) YK_RT;
/* The last readings as motion and restoring force of the degrees of freedom; the force is the one for the target. */
void yk_physical_read(struct yk_system *system, double *u, double *v, double *a, double *r) YK_RT;
/* The state that was reached, once its acceleration is known; for compensators that predict from it. */
void yk_physical_reached(struct yk_system *system, const double *u, const double *v, const double *a) YK_RT;

#endif
