/* Is there room for a large block? Asked by taking it and giving it back. */
#include "base/memory.h"

#include <sys/mman.h>

bool yk_memory_has_room(size_t bytes)
{
    void *block = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (block == MAP_FAILED)
        return false;
    munmap(block, bytes);
    return true;
}
