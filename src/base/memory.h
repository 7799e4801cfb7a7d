/* Is there room for a large block? Some libraries wait for ever for one that they cannot have. */
#ifndef YOKE_MEMORY_H
#define YOKE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* What OpenBLAS takes for every thread that is inside of it at the same time: 128 MiB and a little. */
#define YK_BLAS_BUFFER ((size_t)130 << 20)

/* Could a block of this size be had now? */
bool yk_memory_has_room(size_t bytes);

#endif
