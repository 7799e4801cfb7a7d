/* Arena: count, allocate, carve. */
#include <yoke/arena.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 64 }; /* bytes of a cache line; also what vector loads like best */

void *yk_arena_take(struct yk_arena *arena, size_t bytes)
{
    size_t rounded = (bytes + LINE - 1) / LINE * LINE;
    unsigned char *piece = arena->base ? arena->base + arena->used : NULL;

    if (rounded < bytes || arena->used > SIZE_MAX - rounded) {
        arena->used = SIZE_MAX; /* yk_arena_alloc refuses it */
        return NULL;
    }
    arena->used += rounded;
    return piece && arena->used <= arena->size ? piece : NULL;
}

double *yk_arena_doubles(struct yk_arena *arena, size_t count)
{
    return yk_arena_take(arena, count > SIZE_MAX / sizeof(double) ? SIZE_MAX : count * sizeof(double));
}

void yk_arena_each(struct yk_arena *arena, size_t doubles, size_t count, double **const *to)
{
    for (size_t i = 0; i < count; i++)
        *to[i] = yk_arena_doubles(arena, doubles);
}

enum yk_status yk_arena_alloc(struct yk_arena *arena, struct yk_err *err)
{
    arena->size = arena->used;
    arena->used = 0;
    arena->base = arena->size <= SIZE_MAX - LINE ? aligned_alloc(LINE, arena->size ? arena->size : LINE) : NULL;
    if (!arena->base)
        return yk_fail(err, YK_E_MEMORY, "out of memory: a block of %zu bytes could not be had", arena->size);
    memset(arena->base, 0, arena->size);
    return YK_OK;
}

void yk_arena_free(struct yk_arena *arena)
{
    free(arena->base);
    *arena = (struct yk_arena){0};
}
