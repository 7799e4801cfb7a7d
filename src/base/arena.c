/* Arena and image: pieces of memory, and states made of them.
 *
 * A state holds the pieces one after the other. When it is copied, the words of pieces that may hold pointers are
 * looked at: one that is the address of a byte of the old state becomes the address of the same byte of the new one. So
 * nobody has to declare pointers, none can be forgotten, and methods may exchange them. A number that happens to equal
 * such an address would be changed too; arrays of numbers are not looked at, and the settings and counters of structs
 * are far from 2^46. */
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
    size_t size;   /* rounded to lines; at least a byte more than asked for, so that ends belong to their piece */
    bool pointers; /* it may hold some */
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

static void *take(struct yk_arena *a, size_t bytes, bool pointers)
{
    const size_t size = bytes / LINE * LINE + LINE;
    unsigned char *at = NULL;

    if (!a->failed && size > bytes && grow((void **)&a->pieces, &a->room, a->count, sizeof *a->pieces))
        at = carve(a, size);
    if (at)
        a->pieces[a->count++] = (struct yk_piece){at, size, pointers};
    else
        a->failed = true;
    return at;
}

void *yk_arena_take(struct yk_arena *arena, size_t bytes)
{
    return take(arena, bytes, true);
}

static size_t times(size_t count, size_t size)
{
    return count > SIZE_MAX / size ? SIZE_MAX : count * size;
}

double *yk_arena_doubles(struct yk_arena *arena, size_t count)
{
    return take(arena, times(count, sizeof(double)), false);
}

int *yk_arena_ints(struct yk_arena *arena, size_t count)
{
    return take(arena, times(count, sizeof(int)), false);
}

void yk_arena_each(struct yk_arena *arena, size_t doubles, size_t count, double **const *to)
{
    for (size_t i = 0; i < count; i++)
        *to[i] = yk_arena_doubles(arena, doubles);
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
    *arena = (struct yk_arena){0};
}

/* ---- images ---- */

/* Where a piece stands: in the arena, and in a state. */
struct place {
    const unsigned char *at;
    size_t size, offset;
    bool pointers;
};

struct yk_image {
    size_t size;
    unsigned char *first; /* a state that is never stepped: all others are copies of it */
    struct place *places; /* sorted by address */
    size_t place_count;
};

static int by_address(const void *a, const void *b)
{
    const uintptr_t x = (uintptr_t)((const struct place *)a)->at, y = (uintptr_t)((const struct place *)b)->at;

    return x < y ? -1 : x > y;
}

/* The place that holds an address; NULL: none does. */
static const struct place *find(const struct yk_image *image, uintptr_t address)
{
    size_t low = 0, high = image->place_count;

    while (low < high) {
        const size_t middle = (low + high) / 2;
        const struct place *p = &image->places[middle];

        if (address < (uintptr_t)p->at)
            high = middle;
        else if (address - (uintptr_t)p->at < p->size)
            return p;
        else
            low = middle + 1;
    }
    return NULL;
}

/* Points the first state, bytes of the arena so far, to itself. */
static void turn_inwards(struct yk_image *image)
{
    for (size_t i = 0; i < image->place_count; i++) {
        const struct place *p = &image->places[i];

        for (size_t k = 0; p->pointers && k < p->size; k += sizeof(uintptr_t)) {
            const struct place *to;
            uintptr_t word;

            memcpy(&word, p->at + k, sizeof word);
            if (!word || !(to = find(image, word)))
                continue;
            word = (uintptr_t)image->first + to->offset + (word - (uintptr_t)to->at);
            memcpy(image->first + p->offset + k, &word, sizeof word);
        }
    }
}

enum yk_status yk_image_make(struct yk_image **created, const struct yk_arena *arena, struct yk_err *err)
{
    struct yk_image *image = calloc(1, sizeof *image);

    *created = NULL;
    if (!image || !(image->places = calloc(arena->count + 1, sizeof *image->places))) {
        free(image);
        return no_memory(sizeof *image, err);
    }
    image->place_count = arena->count;
    for (size_t i = 0; i < arena->count; i++) {
        const struct yk_piece *p = &arena->pieces[i];

        image->places[i] = (struct place){p->at, p->size, image->size, p->pointers};
        image->size += p->size;
    }
    if (!(image->first = aligned_alloc(LINE, image->size ? image->size : LINE))) {
        const size_t size = image->size;

        yk_image_destroy(image);
        return no_memory(size, err);
    }
    qsort(image->places, image->place_count, sizeof *image->places, by_address);
    for (size_t i = 0; i < image->place_count; i++)
        memcpy(image->first + image->places[i].offset, image->places[i].at, image->places[i].size);
    turn_inwards(image);
    *created = image;
    return YK_OK;
}

void yk_image_destroy(struct yk_image *image)
{
    if (!image)
        return;
    free(image->first);
    free(image->places);
    free(image);
}

size_t yk_image_size(const struct yk_image *image)
{
    return image->size;
}

void yk_image_copy(const struct yk_image *image, void *to, const void *from)
{
    unsigned char *block = to;

    memcpy(to, from, image->size);
    for (size_t i = 0; i < image->place_count; i++) {
        const struct place *p = &image->places[i];

        for (size_t k = p->offset; p->pointers && k < p->offset + p->size; k += sizeof(uintptr_t)) {
            uintptr_t word;

            memcpy(&word, block + k, sizeof word);
            if (word - (uintptr_t)from >= image->size)
                continue;
            word += (uintptr_t)to - (uintptr_t)from;
            memcpy(block + k, &word, sizeof word);
        }
    }
}

void yk_image_write(const struct yk_image *image, void *block)
{
    yk_image_copy(image, block, image->first);
}

/* ---- changes: pairs of (place, word), place = 2 index + 1 for a pointer, whose word is then an offset ---- */

/* Addresses of a process. Counters, flags beside an int, and numbers in floating point but denormal ones are not among
 * them. */
static bool looks_outside(uintptr_t word)
{
    return word >= (uintptr_t)1 << 44 && word < (uintptr_t)1 << 48;
}

/* A word of a state, with pointers into it as offsets. */
static uint64_t word_of(const struct yk_image *image, const unsigned char *block, size_t at, bool pointers,
                        bool *inside)
{
    uintptr_t word;

    memcpy(&word, block + at, sizeof word);
    *inside = pointers && word - (uintptr_t)block < image->size;
    return *inside ? word - (uintptr_t)block : word;
}

size_t yk_image_most_changes(const struct yk_image *image)
{
    return 2 * (image->size / sizeof(uint64_t));
}

size_t yk_image_changes(const struct yk_image *image, const void *block, uint64_t *changes)
{
    size_t count = 0;

    for (size_t i = 0; i < image->place_count; i++) {
        const struct place *p = &image->places[i];

        for (size_t k = p->offset; k < p->offset + p->size; k += sizeof(uint64_t)) {
            bool inside, was_inside;
            const uint64_t word = word_of(image, block, k, p->pointers, &inside),
                           was = word_of(image, image->first, k, p->pointers, &was_inside);

            if (word == was && inside == was_inside)
                continue;
            /* the state of a random generator may look like anything, but was neither an address nor 0 before */
            if (p->pointers && !inside && looks_outside(word) && (was_inside || was == 0 || looks_outside(was)))
                return SIZE_MAX;
            if (changes) {
                changes[count] = 2 * (k / sizeof(uint64_t)) + inside;
                changes[count + 1] = word;
            }
            count += 2;
        }
    }
    return count;
}

bool yk_image_apply(const struct yk_image *image, void *block, const uint64_t *changes, size_t count)
{
    bool fits = count % 2 == 0;

    for (size_t i = 0; i < count && fits; i += 2)
        fits = changes[i] / 2 < image->size / sizeof(uint64_t) && (changes[i] % 2 == 0 || changes[i + 1] < image->size);
    yk_image_write(image, block);
    for (size_t i = 0; i < count && fits; i += 2) {
        const uint64_t word = changes[i] % 2 ? (uintptr_t)block + changes[i + 1] : changes[i + 1];

        memcpy((unsigned char *)block + changes[i] / 2 * sizeof(uint64_t), &word, sizeof word);
    }
    return fits;
}

void *yk_image_at(const struct yk_image *image, void *block, const void *piece)
{
    const struct place *p = piece ? find(image, (uintptr_t)piece) : NULL;

    return p ? (unsigned char *)block + p->offset + ((const unsigned char *)piece - p->at) : NULL;
}

void *yk_image_place(const struct yk_image *image, struct yk_arena *arena)
{
    unsigned char *block = take(arena, image->size, false);

    if (!block)
        return NULL;
    yk_image_write(image, block);
    /* its pieces, as if they had been taken one by one */
    arena->count--;
    for (size_t i = 0; i < image->place_count; i++) {
        const struct place *p = &image->places[i];

        if (!grow((void **)&arena->pieces, &arena->room, arena->count, sizeof *arena->pieces)) {
            arena->failed = true;
            return NULL;
        }
        arena->pieces[arena->count++] = (struct yk_piece){block + p->offset, p->size, p->pointers};
    }
    return block;
}
