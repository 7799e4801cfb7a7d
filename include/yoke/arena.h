/* The memory of everything that changes while time runs.
 *
 * Preparation takes pieces from an arena: the private structs of methods, systems and chains, and their arrays. What
 * stays constant (matrices, factors, tables, names) is not taken from it, and pieces only point to it. The pieces of an
 * arena together are a state: a layout knows their contents at the start and where their pointers to each other are, so
 * that any number of states can be made, copied, saved and restored as one block each.
 *
 * A pointer from piece to piece is declared, or a copy of the state would go on using the memory of the first:
 *
 *     struct mine *m = yk_arena_take(mem, sizeof *m);
 *     yk_arena_array(mem, &m->u, n);                  takes n numbers, points m->u at them, declares m->u
 *     m->v = m->u + n / 2;
 *     yk_arena_pointer(mem, &m->v);                   a pointer that is set otherwise, now or later
 *
 * A declared pointer may point into the state, outside of it, or be NULL, and may change at any time. Pointers to
 * constants need no declaration. Memory is not searched: a number is never taken for a pointer.
 *
 * Pieces are zeroed and aligned to a cache line. They live until the arena is freed.
 *
 * Functions that create an object take its memory from `mem`; with NULL the object gets its own arena, which is freed
 * with it. */
#ifndef YOKE_ARENA_H
#define YOKE_ARENA_H

#include <stdint.h>
#include <yoke/status.h>

struct yk_arena {
    struct yk_piece *pieces; /* in the order they were taken */
    size_t count, room;
    void **pointers; /* addresses of the declared pointers */
    size_t pointer_count, pointer_room;
    unsigned char *chunk; /* where the next pieces come from */
    size_t chunk_left;
    unsigned char **chunks; /* all of them, for yk_arena_free */
    size_t chunk_count, chunk_room;
    bool failed; /* memory ran out: this and all later requests return NULL */
};

/* A piece whose address the caller keeps: a struct. */
void *yk_arena_take(struct yk_arena *arena, size_t bytes);
/* A piece of `count` numbers or structs. `at` is the address of the pointer to them, such as &self->u: it is set, and
 * declared. Returns it; NULL: memory ran out. */
#define yk_arena_array(arena, at, count) yk_arena_point_to_new((arena), (at), (count), sizeof **(at))
void *yk_arena_point_to_new(struct yk_arena *arena, void *at, size_t count, size_t size);
/* `count` pieces of `doubles` each: *to[i] is pointed at one, and declared. */
void yk_arena_each(struct yk_arena *arena, size_t doubles, size_t count, double **const *to);
/* Declares the pointer at this address, which is in a piece of the arena: `&self->system`. Twice is once. */
void yk_arena_pointer(struct yk_arena *arena, void *at);
/* Several: yk_arena_pointers(mem, &self->system, &self->side). */
#define yk_arena_pointers(arena, ...)                                                                                  \
    yk_arena_pointer_list((arena), sizeof((void *[]){__VA_ARGS__}) / sizeof(void *), (void *[]){__VA_ARGS__})
void yk_arena_pointer_list(struct yk_arena *arena, size_t count, void *const *at);

/* Fails if memory has run out so far. Call it before using the pieces. */
enum yk_status yk_arena_check(const struct yk_arena *arena, struct yk_err *err);
void yk_arena_free(struct yk_arena *arena);

/* ---- states ---- */

/* How the states of an arena are laid out: its contents at one moment, and the places of its pointers. Constant; any
 * number of threads may make states from it. Fails if a declared pointer is not in a piece of the arena. */
struct yk_layout;
enum yk_status yk_layout_make(struct yk_layout **layout, const struct yk_arena *arena, struct yk_err *err);
void yk_layout_destroy(struct yk_layout *layout);
size_t yk_layout_size(const struct yk_layout *layout); /* bytes of a state, a multiple of a cache line */
/* Writes a state into `block` (yk_layout_size bytes, aligned to a cache line): the contents at the time of the layout,
 * with pointers into the block. */
void yk_layout_write(const struct yk_layout *layout, void *block);
/* Overwrites a state with another of the same layout. */
void yk_layout_copy(const struct yk_layout *layout, void *to, const void *from);
/* Changes of a state since the layout was made, in a form that is valid in another process with the same layout.
 * changes: room for yk_layout_most_changes, or NULL to count. Returns how many numbers are written; SIZE_MAX if a
 * declared pointer has been set to something outside the state, which no other process could follow. */
size_t yk_layout_most_changes(const struct yk_layout *layout);
size_t yk_layout_changes(const struct yk_layout *layout, const void *block, uint64_t *changes);
/* Makes a state from such changes; false: they belong to another layout, and the state is the one of the layout. */
bool yk_layout_apply(const struct yk_layout *layout, void *block, const uint64_t *changes, size_t count);
/* The address of a piece of the arena in a state. */
void *yk_layout_at(const struct yk_layout *layout, void *block, const void *piece);
/* Writes a state into an arena as new pieces and returns its address; for preparation that continues from it. NULL:
 * memory ran out. */
void *yk_layout_place(const struct yk_layout *layout, struct yk_arena *arena);

#endif
