/* Current stage of a long preparation. */
#include "base/progress.h"

#include <stdatomic.h>
#include <stddef.h>

static _Atomic(const char *) current;

const char *yk_progress(const char *what)
{
    return atomic_exchange(&current, what);
}

const char *yk_progress_now(void)
{
    return atomic_load(&current);
}
