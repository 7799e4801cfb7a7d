#include "support/dofs.h"

#include "support/check.h"

size_t row_of(const struct yk_substructure *s, const char *dof)
{
    for (size_t i = 0; i < s->system->n; i++)
        if (strcmp(s->dofs[i], dof) == 0)
            return i;
    print_error("there is no degree of freedom %s\n", dof);
    fail();
    return 0;
}
