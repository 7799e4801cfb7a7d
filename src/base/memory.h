/* Is there room for a large block? Some libraries wait for ever for memory. */
#ifndef YOKE_MEMORY_H
#define YOKE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/* Memory that OpenBLAS allocates for each concurrent thread: a little more than 128 MiB. */
#define YK_BLAS_BUFFER ((size_t)130 << 20)

/* Could a block of this size be allocated now? */
bool yk_memory_has_room(size_t bytes);

#endif
