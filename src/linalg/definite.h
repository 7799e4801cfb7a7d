/* Is a symmetric matrix positive definite? */
#ifndef YOKE_DEFINITE_H
#define YOKE_DEFINITE_H

#include <yoke/linalg.h>

/* False with the first bad row in *row; also false when memory runs out (*row = 0). */
bool yk_matrix_is_definite(const struct yk_matrix *A, size_t *row);

#endif
