/* Memory of the BLAS. OpenBLAS takes a buffer of 128 MiB when it is first used, and where it cannot have one it tries
 * again for ever, without a word. So it is asked for before anything else, and taken at once. */
#include "base/memory.h"
#include "blas.h"

#include <stdatomic.h>

enum yk_status yk_blas_reserve(struct yk_err *err)
{
    static atomic_bool taken; /* of the process, like the buffer itself */
    double a = 1, b = 1;
    int one = 1, pivot, info;

    if (atomic_load(&taken))
        return YK_OK;
    if (!yk_memory_has_room(YK_BLAS_BUFFER))
        return yk_fail(err, YK_E_MEMORY,
                       "out of memory: linear algebra needs a block of %zu MiB, and the limit of this process or the "
                       "memory of this machine leaves no room for it; see `ulimit -v`",
                       YK_BLAS_BUFFER >> 20);
    dgesv_(&one, &one, &a, &one, &pivot, &b, &one, &info);
    atomic_store(&taken, true);
    return YK_OK;
}
