/* One block of memory, laid out before the loop starts.
 *
 * A layout function asks the arena for its pieces. It runs twice: first on an empty arena that only counts, then, after
 * yk_arena_alloc, on the real block. Size and pointers cannot disagree. Pieces are zeroed and aligned to a cache line.
 */
#ifndef YOKE_ARENA_H
#define YOKE_ARENA_H

#include <yoke/status.h>

struct yk_arena {
    unsigned char *base; /* NULL: counting pass, every request returns NULL */
    size_t size;         /* bytes in the block                              */
    size_t used;         /* bytes asked for so far                          */
};

void *yk_arena_take(struct yk_arena *arena, size_t bytes);
double *yk_arena_doubles(struct yk_arena *arena, size_t count);
/* `count` pieces of `doubles` each, *to[i] pointed at them. */
void yk_arena_each(struct yk_arena *arena, size_t doubles, size_t count, double **const *to);

/* After a counting pass: allocates what was counted and rewinds. Touches every page. */
enum yk_status yk_arena_alloc(struct yk_arena *arena, struct yk_err *err);
void yk_arena_free(struct yk_arena *arena);

#endif
