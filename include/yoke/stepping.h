/* The steps of an experiment and nothing else: no rows, no clock, no recording, no operator. For measurements and
 * analyses that step a method themselves; a run is a session (yoke/yoke.h). */
#ifndef YOKE_STEPPING_H
#define YOKE_STEPPING_H

#include <yoke/analysis.h>
#include <yoke/station.h>
#include <yoke/substructure.h>
#include <yoke/yoke.h>

/* A state of the model. Its rig must be one that simulates, as that of a model to rehearse (yk_model_source). The model
 * must outlive it; one thread at a time. */
struct yk_stepping;
enum yk_status yk_stepping_open(struct yk_stepping **stepping, const struct yk_model *model, struct yk_err *err);
/* The same where the method has a control loop inside (efc): the loop is at rest at the end of every step, with the
 * matrices that the specimen really has. That is what the method would do with an ideal control loop. For one specimen
 * on the virtual rig. */
enum yk_status yk_stepping_open_settled(struct yk_stepping **stepping, const struct yk_model *model,
                                        struct yk_err *err);
void yk_stepping_close(struct yk_stepping *stepping); /* NULL: does nothing */
/* Back to t = 0; a new one is there. */
enum yk_status yk_stepping_start(struct yk_stepping *stepping, struct yk_err *err);
/* A whole system step. */
enum yk_status yk_stepping_step(struct yk_stepping *stepping) YK_RT;
/* Status of the last step. */
enum yk_status yk_stepping_status(const struct yk_stepping *stepping);
/* Substructure k; NULL: there are not so many. */
const struct yk_system *yk_stepping_system(const struct yk_stepping *stepping, size_t k);
/* Modes of the structure, with diagonal matrices, if the method steps in modes; NULL: it does not. */
const struct yk_system *yk_stepping_modes(const struct yk_stepping *stepping);
/* Load k; NULL: there are not so many. */
const struct yk_load *yk_stepping_load(const struct yk_stepping *stepping, size_t k);
/* Substructure and degree of freedom of "frame.x". A name that does not exist is refused with the nearest one; `where`:
 * the place that the message names (YK_NOWHERE: none). */
enum yk_status yk_stepping_find_dof(const struct yk_stepping *stepping, struct yk_where where, const char *name,
                                    size_t *substructure, size_t *dof, struct yk_err *err);
/* Displacements, velocities and accelerations of substructure k, one for each of its degrees of freedom. YK_E_INPUT:
 * there are not so many substructures. */
enum yk_status yk_stepping_motion(const struct yk_stepping *stepping, size_t k, double *u, double *v, double *a);
/* Amplification matrix of its next step; A is malloc'd. Linear models. The state stays as it is. */
enum yk_status yk_stepping_cycle(struct yk_stepping *stepping, struct yk_cycle *out, struct yk_err *err);
/* How many multipliers join its sides, and their values (lambda may be NULL), valid until the next step; 0: it has no
 * coupling. */
size_t yk_stepping_multipliers(const struct yk_stepping *stepping, const double **lambda);
/* The link displacement of a degree of freedom is the sum of weight[r] lambda[r]: what the multipliers add to its free
 * motion in a system step. YK_E_UNSUPPORTED: the method does not report it; the partitioned Newmark methods do. */
enum yk_status yk_stepping_link(const struct yk_stepping *stepping, size_t substructure, size_t dof, double *weight,
                                struct yk_err *err);

/* Its actuators (yoke/station.h); NULL: it has none. */
struct yk_station *yk_stepping_station(struct yk_stepping *stepping);
/* Takes the specimens of a virtual rig off its actuators, until the stepping is closed. False: it has no virtual rig.
 */
bool yk_stepping_dismount(struct yk_stepping *stepping);

#endif
