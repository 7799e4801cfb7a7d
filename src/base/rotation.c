/* Rotations by their name. */
#include "base/rotation.h"

#include <string.h>

bool yk_is_rotation(const char *dof)
{
    static const char *const words[] = {"theta", "phi", "psi", "rot", "rx", "ry", "rz"};
    const char *dot = strrchr(dof, '.'), *last = dot ? dot + 1 : dof;

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strncmp(last, words[i], strlen(words[i])) == 0)
            return true;
    return false;
}
