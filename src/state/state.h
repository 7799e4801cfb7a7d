/* Models with their method prepared, and any number of states of them.
 *
 *     model   the contents of the file, and after yk_model_prepare its method: matrices factored, schedules made;
 *             constant, shared by threads
 *     state   the substructures, the station and the memory of the method as they are now, in one block
 *
 * A state is copied, saved and restored by copying its block. */
#ifndef YOKE_STATE_H
#define YOKE_STATE_H

#include "experiment/experiment.h"
#include <yoke/yoke.h>

/* A model set in motion: one domain, or a coupling of two sides. */
struct yk_state {
    const struct yk_model *model;
    struct yk_arena *mem;                  /* all of the following that changes */
    struct yk_substructure *substructures; /* by substructure of the model */
    struct yk_assembly *assembly;          /* the untorn structure; its system is NULL where a varying mass is joined */
    struct yk_station *station;            /* of the physical substructures; NULL: there is none */
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
    bool shares; /* the constants of its method are those of the first state of the model */
    void *block; /* then: where its memory is */
};
/* The substructures and the station alone, as they start: for work that moves them without a method. Only one state at
 * a time may move a rig outside this process. Must not outlive the model. */
enum yk_status yk_state_bodies(struct yk_state *state, const struct yk_model *model, struct yk_err *err);
/* Prepares the method for one state alone; dt > 0 replaces the step of the model. */
enum yk_status yk_state_open(struct yk_state *state, const struct yk_model *model, double dt, struct yk_err *err);
/* A state of a model: nothing is read or factored. */
enum yk_status yk_model_state(const struct yk_model *model, struct yk_state *state, struct yk_err *err);
void yk_state_close(struct yk_state *state);
/* At t = 0 in the initial state of the model, or in the state (u, v) of the untorn structure. */
enum yk_status yk_state_start(struct yk_state *state);
enum yk_status yk_state_start_from(struct yk_state *state, const double *u, const double *v);
/* One system step in parts, as yk_domain_next and yk_coupling_next: the caller moves the station to time t before it
 * calls yk_state_absorb. */
enum yk_need yk_state_next(struct yk_state *state, double *t) YK_RT;
void yk_state_absorb(struct yk_state *state) YK_RT;
enum yk_status yk_state_status(const struct yk_state *state) YK_RT; /* of the last step */
/* A whole system step, without a clock or an operator; for analyses. */
enum yk_status yk_state_step(struct yk_state *state) YK_RT;
/* State of substructure k: u, v, a of its degrees of freedom. */
void yk_state_now(const struct yk_state *state, size_t k, double *u, double *v, double *a) YK_RT;
/* Is the side of substructure k, or the one domain, stepped in modes? */
bool yk_state_in_modes(const struct yk_state *state, size_t k) YK_RT;
/* Only what is needed of each degree of freedom, which saves time in modes; elsewhere all are written. NULL: all. */
enum { YK_READ_U = 1, YK_READ_V = 2, YK_READ_A = 4, YK_READ_ALL = 7 };
void yk_state_read(const struct yk_state *state, size_t k, const unsigned char *needed, double *u, double *v,
                   double *a) YK_RT;
/* Multipliers: how many, their values now, and the interface row of the model each belongs to. */
size_t yk_state_multipliers(const struct yk_state *state);
const double *yk_state_lambda(const struct yk_state *state);
size_t yk_state_row(const struct yk_state *state, size_t multiplier);

/* ---- models ---- */

/* Prepares the method of a model that was read; dt > 0 replaces its step. */
enum yk_status yk_model_prepare(struct yk_model *model, double dt, struct yk_err *err);
/* For runs: also prepares the reference solution, if the model has one. */
enum yk_status yk_model_complete(struct yk_model *model, struct yk_err *err);
/* Either of these for a new model with the contents of another one, which must outlive it. */
enum yk_status yk_model_create(struct yk_model **model, const struct yk_model *of, double dt, struct yk_err *err);
enum yk_status yk_model_create_complete(struct yk_model **model, const struct yk_model *of, struct yk_err *err);
/* The model of the reference solution: the untorn structure with the models of the specimens, by an accurate method
 * with YK_REFERENCE_SUBSTEPS of its steps in each of ours. NULL: there is none. */
enum { YK_REFERENCE_SUBSTEPS = 10 };
struct yk_reference_model {
    struct yk_model *model;
    bool in_full;   /* reduced models are replaced by the full ones they were made from */
    char note[200]; /* why not, if there are reduced models */
};
const struct yk_reference_model *yk_model_reference(const struct yk_model *model);
enum yk_status yk_reference_model_open(struct yk_reference_model *reference, const struct yk_model *model,
                                       struct yk_err *err);
void yk_reference_model_close(struct yk_reference_model *reference);

/* The model on the virtual rig, for work that must not move a real one: the model itself, or another of the same file.
 */
struct yk_virtual_model {
    const struct yk_model *model;
    struct yk_model *own; /* NULL: the model is on the virtual rig already */
};
enum yk_status yk_virtual_model_open(struct yk_virtual_model *virtual, const struct yk_model *model,
                                     struct yk_err *err);
void yk_virtual_model_close(struct yk_virtual_model *virtual);
/* A state of the model that is never stepped: for results that need the preparation only. */
const struct yk_state *yk_model_first(const struct yk_model *model);

/* Copies a state over another of the same model, or saves it as yk_state_size bytes, aligned to a cache line, which
 * are valid as long as the model exists. */
void yk_state_copy(struct yk_state *to, const struct yk_state *from);
size_t yk_state_size(const struct yk_model *model);
void yk_state_save(const struct yk_state *state, void *bytes);
void yk_state_restore(struct yk_state *state, const void *bytes);
/* Changes of a state since the model was made, as numbers that hold in other processes, too: see
 * yk_layout_changes. malloc'd; restoring fails if they are of another model. */
enum yk_status yk_state_changes(const struct yk_state *state, uint64_t **changes, size_t *count, struct yk_err *err);
enum yk_status yk_state_apply(struct yk_state *state, const uint64_t *changes, size_t count, struct yk_err *err);

/* Why the motion is not finite, where a model, controller or plant of others knows it; false: none does. */
bool yk_state_fault(const struct yk_state *state, char *text, size_t size);
/* The failure `st` where the force of the initial state is not finite, with its reason. */
enum yk_status yk_state_no_start(const struct yk_state *state, enum yk_status st, struct yk_err *err);

#endif
