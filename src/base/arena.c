/* Arena and layout: pieces of memory, and states made of them.
 *
 * A state holds the pieces one after the other. Pointers from piece to piece were declared as the pieces were taken; a
 * copy shifts those that point into the old state and leaves all other bytes as they are. */
#include <yoke/arena.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    LINE = 64,        /* bytes of a cache line; also what vector loads like best */
    CHUNK = 64 * 1024 /* small pieces share one */
};

struct yk_piece {
    unsigned char *at;
    size_t size; /* rounded to lines; at least a byte more than asked for, so that ends belong to their piece */
};

/* ---- pieces ---- */

static bool grow(void **array, size_t *room, size_t count, size_t size)
{
    const size_t more = *room ? 2 * *room : 16;
    void *larger;

    if (count < *room)
        return true;
    if (!(larger = realloc(*array, more * size)))
        return false;
    *array = larger;
    *room = more;
    return true;
}

static unsigned char *carve(struct yk_arena *a, size_t size)
{
    unsigned char *piece;

    if (size > a->chunk_left) {
        const size_t bytes = size > CHUNK ? size : CHUNK;

        if (!grow((void **)&a->chunks, &a->chunk_room, a->chunk_count, sizeof *a->chunks) ||
            !(piece = aligned_alloc(LINE, bytes)))
            return NULL;
        memset(piece, 0, bytes); /* touches every page */
        a->chunks[a->chunk_count++] = piece;
        if (bytes - size <= a->chunk_left) /* a large one has its own chunk, and the old one goes on */
            return piece;
        a->chunk = piece;
        a->chunk_left = bytes;
    }
    piece = a->chunk;
    a->chunk += size;
    a->chunk_left -= size;
    return piece;
}

void *yk_arena_take(struct yk_arena *a, size_t bytes)
{
    const size_t size = bytes / LINE * LINE + LINE;
    unsigned char *at = NULL;

    if (!a->failed && size > bytes && grow((void **)&a->pieces, &a->room, a->count, sizeof *a->pieces))
        at = carve(a, size);
    if (at)
        a->pieces[a->count++] = (struct yk_piece){at, size};
    else
        a->failed = true;
    return at;
}

void yk_arena_pointer(struct yk_arena *a, void *at)
{
    if (!a->failed && grow((void **)&a->pointers, &a->pointer_room, a->pointer_count, sizeof *a->pointers))
        a->pointers[a->pointer_count++] = at;
    else
        a->failed = true;
}

void yk_arena_pointer_list(struct yk_arena *arena, size_t count, void *const *at)
{
    for (size_t i = 0; i < count; i++)
        yk_arena_pointer(arena, at[i]);
}

void *yk_arena_point_to_new(struct yk_arena *arena, void *at, size_t count, size_t size)
{
    void *piece = yk_arena_take(arena, count > SIZE_MAX / size ? SIZE_MAX : count * size);

    memcpy(at, &piece, sizeof piece);
    yk_arena_pointer(arena, at);
    return arena->failed ? NULL : piece;
}

void yk_arena_each(struct yk_arena *arena, size_t doubles, size_t count, double **const *to)
{
    for (size_t i = 0; i < count; i++)
        yk_arena_array(arena, to[i], doubles);
}

static enum yk_status no_memory(size_t bytes, struct yk_err *err)
{
    return yk_fail(err, YK_E_MEMORY, "out of memory: a block of %zu bytes could not be allocated", bytes);
}

enum yk_status yk_arena_check(const struct yk_arena *arena, struct yk_err *err)
{
    size_t bytes = 0;

    for (size_t i = 0; i < arena->count; i++)
        bytes += arena->pieces[i].size;
    return arena->failed ? yk_fail(err, YK_E_MEMORY, "out of memory: more than %zu bytes could not be allocated", bytes)
                         : YK_OK;
}

void yk_arena_free(struct yk_arena *arena)
{
    for (size_t i = 0; i < arena->chunk_count; i++)
        free(arena->chunks[i]);
    free(arena->chunks);
    free(arena->pieces);
    free(arena->pointers);
    *arena = (struct yk_arena){0};
}

/* ---- layouts ---- */

/* Place of a piece: address in the arena, offset in a state. */
struct place {
    const unsigned char *at;
    size_t size, offset;
};

struct yk_layout {
    size_t size;
    unsigned char *first; /* a state that is never stepped: all others are copies of it */
    struct place *places; /* sorted by address */
    size_t place_count;
    size_t *pointers; /* offsets of the declared pointers, increasing */
    size_t pointer_count;
};

static int by_address(const void *a, const void *b)
{
    const uintptr_t x = (uintptr_t)((const struct place *)a)->at, y = (uintptr_t)((const struct place *)b)->at;

    return x < y ? -1 : x > y;
}

static int by_size(const void *a, const void *b)
{
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;

    return x < y ? -1 : x > y;
}

/* The place that holds an address; NULL: none does. */
static const struct place *find(const struct yk_layout *layout, uintptr_t address)
{
    size_t low = 0, high = layout->place_count;

    while (low < high) {
        const size_t middle = (low + high) / 2;
        const struct place *p = &layout->places[middle];

        if (address < (uintptr_t)p->at)
            high = middle;
        else if (address - (uintptr_t)p->at < p->size)
            return p;
        else
            low = middle + 1;
    }
    return NULL;
}

static uintptr_t word_at(const void *block, size_t offset)
{
    uintptr_t word;

    memcpy(&word, (const unsigned char *)block + offset, sizeof word);
    return word;
}

static void set_word(void *block, size_t offset, uintptr_t word)
{
    memcpy((unsigned char *)block + offset, &word, sizeof word);
}

/* The declared pointers as offsets, each once. */
static enum yk_status find_pointers(struct yk_layout *layout, const struct yk_arena *arena, struct yk_err *err)
{
    size_t *offset = layout->pointers, kept = 0;

    for (size_t i = 0; i < arena->pointer_count; i++) {
        const uintptr_t at = (uintptr_t)arena->pointers[i];
        const struct place *p = find(layout, at);

        if (!p || at % sizeof(void *))
            return yk_fail(err, YK_E_INPUT,
                           "a pointer was declared that is not in the state: yk_arena_pointer, yk_arena_array and "
                           "yk_arena_each take the address of a member of a struct that is in the arena");
        offset[i] = p->offset + (at - (uintptr_t)p->at);
    }
    qsort(offset, arena->pointer_count, sizeof *offset, by_size);
    for (size_t i = 0; i < arena->pointer_count; i++)
        if (!i || offset[i] != offset[i - 1])
            offset[kept++] = offset[i];
    layout->pointer_count = kept;
    return YK_OK;
}

/* Points the first state, bytes of the arena so far, to itself. */
static void turn_inwards(struct yk_layout *layout)
{
    for (size_t i = 0; i < layout->pointer_count; i++) {
        const uintptr_t word = word_at(layout->first, layout->pointers[i]);
        const struct place *to = find(layout, word);

        if (to)
            set_word(layout->first, layout->pointers[i],
                     (uintptr_t)layout->first + to->offset + (word - (uintptr_t)to->at));
    }
}

enum yk_status yk_layout_make(struct yk_layout **created, const struct yk_arena *arena, struct yk_err *err)
{
    struct yk_layout *layout = calloc(1, sizeof *layout);
    enum yk_status st = YK_OK;

    *created = NULL;
    if (!layout || !(layout->places = calloc(arena->count + 1, sizeof *layout->places)) ||
        !(layout->pointers = calloc(arena->pointer_count + 1, sizeof *layout->pointers))) {
        yk_layout_destroy(layout);
        return no_memory(sizeof *layout, err);
    }
    layout->place_count = arena->count;
    for (size_t i = 0; i < arena->count; i++) {
        const struct yk_piece *p = &arena->pieces[i];

        layout->places[i] = (struct place){p->at, p->size, layout->size};
        layout->size += p->size;
    }
    qsort(layout->places, layout->place_count, sizeof *layout->places, by_address);
    if (!(layout->first = aligned_alloc(LINE, layout->size ? layout->size : LINE)))
        st = no_memory(layout->size, err);
    if (st || (st = find_pointers(layout, arena, err))) {
        yk_layout_destroy(layout);
        return st;
    }
    for (size_t i = 0; i < layout->place_count; i++)
        memcpy(layout->first + layout->places[i].offset, layout->places[i].at, layout->places[i].size);
    turn_inwards(layout);
    *created = layout;
    return YK_OK;
}

void yk_layout_destroy(struct yk_layout *layout)
{
    if (!layout)
        return;
    free(layout->first);
    free(layout->places);
    free(layout->pointers);
    free(layout);
}

size_t yk_layout_size(const struct yk_layout *layout)
{
    return layout->size;
}

void yk_layout_copy(const struct yk_layout *layout, void *to, const void *from)
{
    memcpy(to, from, layout->size);
    for (size_t i = 0; i < layout->pointer_count; i++) {
        const uintptr_t word = word_at(from, layout->pointers[i]);

        if (word - (uintptr_t)from < layout->size)
            set_word(to, layout->pointers[i], word - (uintptr_t)from + (uintptr_t)to);
    }
}

void yk_layout_write(const struct yk_layout *layout, void *block)
{
    yk_layout_copy(layout, block, layout->first);
}

/* ---- changes: pairs of (place, word), place = 2 index + 1 for a pointer, whose word is then an offset ---- */

size_t yk_layout_most_changes(const struct yk_layout *layout)
{
    return 2 * (layout->size / sizeof(uint64_t));
}

size_t yk_layout_changes(const struct yk_layout *layout, const void *block, uint64_t *changes)
{
    size_t count = 0, next = 0;

    for (size_t k = 0; k < layout->size; k += sizeof(uint64_t)) {
        const bool pointer = next < layout->pointer_count && layout->pointers[next] == k;
        uintptr_t word = word_at(block, k), was = word_at(layout->first, k);
        const bool inside = pointer && word - (uintptr_t)block < layout->size,
                   was_inside = pointer && was - (uintptr_t)layout->first < layout->size;

        next += pointer;
        word -= inside ? (uintptr_t)block : 0;
        was -= was_inside ? (uintptr_t)layout->first : 0;
        if (word == was && inside == was_inside)
            continue;
        if (pointer && !inside && word)
            return SIZE_MAX;
        if (changes) {
            changes[count] = 2 * (k / sizeof(uint64_t)) + inside;
            changes[count + 1] = word;
        }
        count += 2;
    }
    return count;
}

/* Is a change of that word one that a state of this layout can have? */
static bool can_change(const struct yk_layout *layout, uint64_t place, uint64_t word)
{
    const size_t offset = place / 2 * sizeof(uint64_t);
    const bool inside = place % 2;

    if (place / 2 >= layout->size / sizeof(uint64_t))
        return false;
    const bool pointer =
        bsearch(&offset, layout->pointers, layout->pointer_count, sizeof *layout->pointers, by_size) != NULL;
    return inside ? pointer && word < layout->size : !pointer || word == 0;
}

bool yk_layout_apply(const struct yk_layout *layout, void *block, const uint64_t *changes, size_t count)
{
    bool fits = count % 2 == 0;

    for (size_t i = 0; i < count && fits; i += 2)
        fits = can_change(layout, changes[i], changes[i + 1]);
    yk_layout_write(layout, block);
    for (size_t i = 0; i < count && fits; i += 2)
        set_word(block, changes[i] / 2 * sizeof(uint64_t),
                 changes[i] % 2 ? (uintptr_t)block + changes[i + 1] : changes[i + 1]);
    return fits;
}

void *yk_layout_at(const struct yk_layout *layout, void *block, const void *piece)
{
    const struct place *p = piece ? find(layout, (uintptr_t)piece) : NULL;

    return p ? (unsigned char *)block + p->offset + ((const unsigned char *)piece - p->at) : NULL;
}

void *yk_layout_place(const struct yk_layout *layout, struct yk_arena *arena)
{
    unsigned char *block = yk_arena_take(arena, layout->size);

    if (!block)
        return NULL;
    yk_layout_write(layout, block);
    /* its pieces, as if they had been taken one by one */
    arena->count--;
    for (size_t i = 0; i < layout->place_count; i++) {
        const struct place *p = &layout->places[i];

        if (!grow((void **)&arena->pieces, &arena->room, arena->count, sizeof *arena->pieces)) {
            arena->failed = true;
            return NULL;
        }
        arena->pieces[arena->count++] = (struct yk_piece){block + p->offset, p->size};
    }
    for (size_t i = 0; i < layout->pointer_count; i++)
        yk_arena_pointer(arena, block + layout->pointers[i]);
    return arena->failed ? NULL : block;
}
