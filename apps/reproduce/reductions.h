/* Reductions of the large substructures of a case, each made once. */
#ifndef YOKE_REDUCTIONS_H
#define YOKE_REDUCTIONS_H

#include "lab.h"

#include <yoke/fidelity.h>

struct yk_lab_reduction {
    char *key; /* of the variant, the substructure and the modes */
    struct yk_reduced reduced;
    struct yk_fidelity fidelity;
};

/* Reduces a substructure (NULL: the first) of the variant by Craig and Bampton to its interface degrees of freedom and
 * `modes` modes, and compares. */
enum yk_status yk_lab_reduce(struct yk_lab *lab, const struct yk_variant *variant, const char *substructure, int modes,
                             const struct yk_lab_reduction **out, struct yk_err *err);
void yk_lab_reduction_free(struct yk_lab_reduction *reduction);

#endif
