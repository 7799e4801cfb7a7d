/* Degrees of freedom of a substructure by name. */
#ifndef YOKE_TEST_DOFS_H
#define YOKE_TEST_DOFS_H

#include "experiment/experiment.h"

/* Its number, or a failed test. */
size_t row_of(const struct yk_substructure *s, const char *dof);

#endif
