/* Plan and motion: an experiment with its method prepared, and any number of states of it.
 *
 *     experiment   what the file says; constant
 *     plan         the method prepared for it: matrices factored, schedules made; constant, shared by threads
 *     motion       a state: the bodies (an instance of the experiment) and what the method keeps, in one block
 *
 * A motion is copied, saved and restored by copying its block. */
#ifndef YOKE_PLAN_H
#define YOKE_PLAN_H

#include "experiment/experiment.h"
#include <yoke/yoke.h>

/* An experiment set in motion: one domain, or a coupling of two sides. */
struct yk_motion {
    struct yk_experiment *experiment; /* its own instance */
    double dt;
    long step;                    /* system steps made */
    struct yk_domain *domain;     /* NULL: a coupling */
    struct yk_coupling *coupling; /* NULL: one domain */
    struct yk_coupled *problem;   /* of the coupling */
    struct yk_assembly *modal;    /* of one domain: the structure in modes, which the method steps; NULL: it does not */
    struct yk_load_set *loads;    /* then its loads; constant */
    double *u, *v, *a;            /* room for the states passed to specimens; NULL: none uses them */
    double *stage_a;              /* of the untorn structure, within a step */
    struct yk_factor *mass;
    const struct yk_plan *plan; /* that it is a state of; NULL: the motion owns the constants of its method */
    void *block;                /* of a plan's motion: where its memory is */
};
/* Prepares the method for one motion alone; dt > 0 replaces the experiment's step. */
enum yk_status yk_motion_open(struct yk_motion *motion, const struct yk_experiment *experiment, double dt,
                              struct yk_err *err);
/* A state of a plan: nothing is read or factored. */
enum yk_status yk_plan_motion(const struct yk_plan *plan, struct yk_motion *motion, struct yk_err *err);
void yk_motion_close(struct yk_motion *motion);
/* At t = 0 in the initial state of the experiment, or in the state (u, v) of the untorn structure. The experiment is
 * shared by all motions and stays as it is. */
enum yk_status yk_motion_start(struct yk_motion *motion);
enum yk_status yk_motion_start_from(struct yk_motion *motion, const double *u, const double *v);
/* One system step in parts, as yk_domain_next and yk_coupling_next: the caller moves the station to time t before it
 * calls yk_motion_absorb. */
enum yk_need yk_motion_next(struct yk_motion *motion, double *t) YK_RT;
void yk_motion_absorb(struct yk_motion *motion) YK_RT;
enum yk_status yk_motion_status(const struct yk_motion *motion) YK_RT; /* of the last step */
/* A whole system step, without a clock or an operator; for analyses. */
enum yk_status yk_motion_step(struct yk_motion *motion) YK_RT;
/* State of substructure k: u, v, a of its degrees of freedom. */
void yk_motion_now(const struct yk_motion *motion, size_t k, double *u, double *v, double *a) YK_RT;
/* Is the side of substructure k, or the one domain, stepped in modes? */
bool yk_motion_in_modes(const struct yk_motion *motion, size_t k) YK_RT;
/* Only what is needed of each degree of freedom, which saves time in modes; elsewhere all are written. NULL: all. */
enum { YK_READ_U = 1, YK_READ_V = 2, YK_READ_A = 4, YK_READ_ALL = 7 };
void yk_motion_read(const struct yk_motion *motion, size_t k, const unsigned char *needed, double *u, double *v,
                    double *a) YK_RT;
/* Multipliers: how many, their values now, and the interface row of the experiment each belongs to. */
size_t yk_motion_multipliers(const struct yk_motion *motion);
const double *yk_motion_lambda(const struct yk_motion *motion);
size_t yk_motion_row(const struct yk_motion *motion, size_t multiplier);

/* ---- plans ---- */

/* Prepares the method; dt > 0 replaces the experiment's step. The experiment must outlive the plan. */
enum yk_status yk_plan_create(struct yk_plan **plan, const struct yk_experiment *experiment, double dt,
                              struct yk_err *err);
/* For runs: also prepares the reference solution, if the experiment has one. */
enum yk_status yk_plan_complete(struct yk_plan **plan, const struct yk_experiment *experiment, struct yk_err *err);
/* Either of these; the plan then owns the experiment, which is destroyed if the plan cannot be made. */
enum yk_status yk_plan_adopt(struct yk_plan **plan, struct yk_experiment *experiment, bool for_runs,
                             struct yk_err *err);
/* The experiment of the plan. */
const struct yk_experiment *yk_plan_experiment(const struct yk_plan *plan);
/* The plan of the reference solution: the untorn structure with the models of the specimens, by an accurate method with
 * YK_REFERENCE_SUBSTEPS of its steps in each of ours. NULL: there is none. */
enum { YK_REFERENCE_SUBSTEPS = 10 };
struct yk_reference_plan {
    struct yk_plan *plan;
    struct yk_experiment *experiment;
    bool in_full;   /* reduced models are replaced by the full ones they were made from */
    char note[200]; /* why not, if there are reduced models */
};
const struct yk_reference_plan *yk_plan_reference(const struct yk_plan *plan);
enum yk_status yk_reference_plan_open(struct yk_reference_plan *reference, const struct yk_experiment *experiment,
                                      struct yk_err *err);
void yk_reference_plan_close(struct yk_reference_plan *reference);

/* The plan on the virtual rig, for work that must not move a real one: the plan itself, or another of the same file. */
struct yk_virtual_plan {
    const struct yk_plan *plan;
    struct yk_experiment *own; /* NULL: the plan is on the virtual rig already */
    struct yk_plan *own_plan;
};
enum yk_status yk_virtual_plan_open(struct yk_virtual_plan *virtual, const struct yk_plan *plan, struct yk_err *err);
void yk_virtual_plan_close(struct yk_virtual_plan *virtual);
/* A motion of the plan that is never stepped: for results that need the preparation only. */
const struct yk_motion *yk_plan_first(const struct yk_plan *plan);

/* Copies a motion over another of the same plan, or saves it as yk_motion_size bytes, aligned to a cache line, which
 * are valid as long as the plan exists. */
void yk_motion_copy(struct yk_motion *to, const struct yk_motion *from);
size_t yk_motion_size(const struct yk_plan *plan);
void yk_motion_save(const struct yk_motion *motion, void *bytes);
void yk_motion_restore(struct yk_motion *motion, const void *bytes);
/* What a motion has changed since the plan was made, as numbers that hold in other processes, too: see
 * yk_image_changes. malloc'd; restoring fails if they are of another plan. */
enum yk_status yk_motion_changes(const struct yk_motion *motion, uint64_t **changes, size_t *count, struct yk_err *err);
enum yk_status yk_motion_apply(struct yk_motion *motion, const uint64_t *changes, size_t count, struct yk_err *err);

#endif
