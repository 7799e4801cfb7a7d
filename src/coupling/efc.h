/* The inside of the EFC coupling, for tests. */
#ifndef YOKE_COUPLING_EFC_H
#define YOKE_COUPLING_EFC_H

#include "coupling/efc_core.h"
#include <yoke/coupling.h>

/* Its controller. The coupling is `efc`. */
struct yk_efc *yk_efc_of(const struct yk_coupling *coupling);

#endif
