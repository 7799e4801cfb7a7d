/* An FMU as a system: its motion goes in, its force comes out. */
#ifndef YOKE_SUBSTRUCTURE_FMU_H
#define YOKE_SUBSTRUCTURE_FMU_H

#include <yoke/fmu.h>
#include <yoke/system.h>

#define YK_FMU_INPUT_CHOICES "auto|linear|mean|end"
#define YK_FMU_TRIAL_CHOICES "auto|save|none"
enum yk_fmu_inputs { YK_FMU_INPUTS_AUTO, YK_FMU_INPUTS_LINEAR, YK_FMU_INPUTS_MEAN, YK_FMU_INPUTS_END };
enum yk_fmu_trials { YK_FMU_TRIALS_AUTO, YK_FMU_TRIALS_SAVED, YK_FMU_TRIALS_NONE };

struct yk_fmu_parts {
    struct yk_fmu *fmu; /* interface chosen; inputs: n displacements, n velocities ("" where it takes none); outputs: n
                           forces */
    size_t n;
    struct yk_matrix M;              /* at the interface, beside what the FMU has */
    double *u0, *v0;                 /* malloc'd */
    size_t *displacement, *velocity; /* own states of each degree of freedom, malloc'd; of yk_fmu_own_system */
    double *stiffness, *damping;     /* given feedthrough, n x n, malloc'd; NULL: found */
    bool action;                     /* the force is that on the structure, not the one that resists */
    bool in_process;
    enum yk_fmu_inputs inputs;
    enum yk_fmu_trials trials;
    bool asks_once;          /* the method asks for each force once, in the order of time */
    const char *method;      /* its name, for messages */
    int substeps;            /* Runge-Kutta steps in a step, model exchange */
    double timeout_s, end_s; /* of a call; of the run */
    double step;             /* between two forces [s] */
};
/* Takes over all that the parts own, also when it fails. */
enum yk_status yk_fmu_system(struct yk_system **system, struct yk_fmu_parts *parts, struct yk_arena *mem,
                             struct yk_err *err);
/* The same for an FMU whose displacements and velocities are states. Inputs: n forces; outputs: derivatives of the n
 * velocities, then of the n displacements. M must be empty. */
enum yk_status yk_fmu_own_system(struct yk_system **system, struct yk_fmu_parts *parts, struct yk_arena *mem,
                                 struct yk_err *err);
void yk_fmu_parts_free(struct yk_fmu_parts *parts);

#endif
