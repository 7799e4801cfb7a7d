/* Checks of a substructure by its matrices: symmetry, definiteness, moving mass, rigid-body modes, frequencies
 * and mode shapes. */
#ifndef YOKE_INSPECT_H
#define YOKE_INSPECT_H

#include <yoke/substructure.h>

enum { YK_AXES = 3 };

struct yk_inspection {
    size_t n;
    size_t nodes;                               /* different "<node>" of "<node>.<direction>"; 0: names have no nodes */
    double asymmetry_mass, asymmetry_stiffness; /* largest |A_ij - A_ji| / largest |A_ij| */
    bool mass_definite;
    size_t mass_lost;        /* where not: a degree of freedom without inertia of its own          */
    double mass_kg[YK_AXES]; /* that moves when all degrees of freedom x (y, z) move by one; NaN: unknown */
    size_t modes;            /* found; 0 where the matrices do not allow it                        */
    size_t rigid;            /* of these without stiffness                                         */
    size_t negative;         /* of these with negative stiffness                                   */
    double *frequency_Hz;    /* of each mode, 0 of a rigid one, NaN of a negative one              */
    double *shape;           /* n * modes, mass-normalised                                         */
    size_t *largest;         /* of each mode: the degree of freedom that moves most                */
};

/* At most `modes` of the lowest modes. Matrices that are no eigenproblem are a finding, not a failure. */
enum yk_status yk_inspect(struct yk_inspection *inspection, const struct yk_substructure *substructure, size_t modes,
                          struct yk_err *err);
void yk_inspection_free(struct yk_inspection *inspection);
/* One substructure of `yoke model info --json`, without its sections. */
struct json_t *yk_inspection_json(const struct yk_substructure *substructure, const struct yk_inspection *inspection);

#endif
