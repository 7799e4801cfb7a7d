/* Reads forces and deformations of a structure of matrices and elements, for recordings. It changes nothing that a
 * method or an account reads. */
#ifndef YOKE_PROBE_H
#define YOKE_PROBE_H

#include <yoke/substructure.h>

/* One element of a structure. Linear ones have become part of its matrices, so that a copy is kept here. */
struct yk_probe {
    char *name; /* owned */
    bool turns; /* rad and N m instead of m and N */
    bool linear;
    bool drawn; /* a member that is not linear: only its place counts, since it has channels of its own */
    struct yk_element element; /* a linear one's settings are owned; others have none here */
    size_t number, variables;  /* of others: which of the structure's, and where its internal variables begin */
    /* of a member of a frame: its elongation is the sum of factor[j] u[dof[j]], its force the stiffness EA/L times it
     */
    size_t terms, *dof;
    double *factor, stiffness;
    double ends[2][3]; /* its coordinates [m] */
};
struct yk_probes {
    struct yk_probe *items; /* malloc'd */
    size_t count;
};
/* Makes probes of the elements of a future structure, in their order. The caller names them afterwards. */
enum yk_status yk_probes_take(struct yk_probes *probes, const struct yk_element *elements, size_t count,
                              struct yk_err *err);
/* Adds one, which is taken over, name and all, also when it fails. */
enum yk_status yk_probes_add(struct yk_probes *probes, struct yk_probe *probe, struct yk_err *err);
void yk_probes_free(struct yk_probes *probes);

/* Was it made by yk_structure_create? */
bool yk_is_structure(const struct yk_system *system);
/* Force and extension of an element of that structure in the state (u, v), reached from the committed one. */
void yk_probe_now(const struct yk_probe *probe, const struct yk_system *structure, const double *u, const double *v,
                  double *force, double *extension) YK_RT;
/* Advice of the element's law about steps of h [s], in words. False: none. */
bool yk_probe_advise(const struct yk_probe *probe, const struct yk_system *structure, double h, char *text,
                     size_t size);
/* Damping at rest of a rate-dependent law, times the step h over the mass that moves with it; *usual: the part of that
 * damping left at 0.1 m/s. 0: no such law. */
double yk_probe_rest_damping(const struct yk_probe *probe, const struct yk_system *structure, double h, double *usual);
/* Marks the degrees of freedom whose u and v that needs: needed[i] |= mark. */
void yk_probe_touch(const struct yk_probe *probe, const struct yk_system *structure, unsigned char mark,
                    unsigned char *needed);
/* The restoring force r(u, v) of the structure on each degree of freedom: stiffness, damping and elements. */
void yk_structure_restoring(const struct yk_system *structure, const double *u, const double *v, double *r) YK_RT;
/* Do two threads find the states of its members faster than one? */
bool yk_structure_in_halves(const struct yk_system *structure);
/* Commits of members whose iterations had come to their bound, since it was at rest; the last such member. */
size_t yk_structure_unconverged(const struct yk_system *structure, const char **member) YK_RT;

#endif
