/* Is a degree of freedom a rotation? By the last part of its name: theta.., phi.., psi.., rot.., rx, ry, rz. */
#ifndef YOKE_ROTATION_H
#define YOKE_ROTATION_H

#include <stdbool.h>

bool yk_is_rotation(const char *dof);

#endif
