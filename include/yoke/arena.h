/* The memory of everything that changes while time runs.
 *
 * Preparation takes pieces from an arena: the private structs of methods, systems and chains, and their arrays. What
 * stays constant (matrices, factors, tables, names) is not taken from it, and pieces only point to it. So the pieces of
 * an arena together are a state: `yk_image_make` finds the pointers from piece to piece, and then any number of states
 * can be made, copied, saved and restored as one block each.
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
    unsigned char *chunk; /* where the next pieces come from */
    size_t chunk_left;
    unsigned char **chunks; /* all of them, for yk_arena_free */
    size_t chunk_count, chunk_room;
    bool failed; /* memory ran out: this and all later requests return NULL */
};

/* A piece that may hold pointers to other pieces: structs, and arrays of structs or of pointers. */
void *yk_arena_take(struct yk_arena *arena, size_t bytes);
/* Pieces of numbers. */
double *yk_arena_doubles(struct yk_arena *arena, size_t count);
int *yk_arena_ints(struct yk_arena *arena, size_t count);
/* `count` pieces of `doubles` each, *to[i] pointed at them. */
void yk_arena_each(struct yk_arena *arena, size_t doubles, size_t count, double **const *to);

/* Fails if memory has run out so far. Call it before using the pieces. */
enum yk_status yk_arena_check(const struct yk_arena *arena, struct yk_err *err);
void yk_arena_free(struct yk_arena *arena);

/* ---- states ---- */

/* The template of the states of an arena: its contents at one moment, and its internal pointers. Constant; any number
 * of threads may make states from it. */
struct yk_image;
enum yk_status yk_image_make(struct yk_image **image, const struct yk_arena *arena, struct yk_err *err);
void yk_image_destroy(struct yk_image *image);
size_t yk_image_size(const struct yk_image *image); /* bytes of a state, a multiple of a cache line */
/* Writes a state into `block` (yk_image_size bytes, aligned to a cache line): the contents at the time of the image,
 * with pointers into the block. */
void yk_image_write(const struct yk_image *image, void *block);
/* Overwrites a state with another of the same image. */
void yk_image_copy(const struct yk_image *image, void *to, const void *from);
/* What a state has changed since the image was made, in a form that holds in another process with the same image.
 * changes: room for yk_image_most_changes, or NULL to count. Returns how many numbers are written; SIZE_MAX if a
 * pointer to something outside the state has changed, which no other process could follow. */
size_t yk_image_most_changes(const struct yk_image *image);
size_t yk_image_changes(const struct yk_image *image, const void *block, uint64_t *changes);
/* Makes a state from them; false: they are not of such an image, and the state is that of the image. */
bool yk_image_apply(const struct yk_image *image, void *block, const uint64_t *changes, size_t count);
/* The address of a piece of the arena in a state. */
void *yk_image_at(const struct yk_image *image, void *block, const void *piece);
/* Writes a state into an arena as new pieces and returns its address; for preparation that continues from it. NULL:
 * memory ran out. */
void *yk_image_place(const struct yk_image *image, struct yk_arena *arena);

#endif
