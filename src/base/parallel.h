/* Independent jobs on a few threads, before the loop starts. */
#ifndef YOKE_PARALLEL_H
#define YOKE_PARALLEL_H

#include <stddef.h>

/* Calls job(self, k) once for every k < count, on up to `threads` threads, the caller's among them; returns when all
 * are done. Jobs must not share what they write. Works with fewer threads if some cannot be started. */
void yk_parallel(size_t count, int threads, void (*job)(void *self, size_t k), void *self);

#endif
