/* Places of names, by open addressing with linear probing; the hash is FNV-1a. At most half of the slots are taken. */
#include "base/names.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST_ROOM = 64 };

static const char *name_at(const void *names, size_t stride, size_t i)
{
    return *(const char *const *)((const char *)names + i * stride);
}

static size_t hash(const char *name)
{
    uint64_t h = 14695981039346656037u;

    for (; *name; name++)
        h = (h ^ (unsigned char)*name) * 1099511628211u;
    return (size_t)(h ^ h >> 32);
}

/* The slot of the name, or the free one where it belongs. */
static size_t *slot_of(const struct yk_names *index, const void *names, size_t stride, const char *name)
{
    size_t at = hash(name) & (index->room - 1);

    while (index->slots[at] && strcmp(name_at(names, stride, index->slots[at] - 1), name) != 0)
        at = (at + 1) & (index->room - 1);
    return &index->slots[at];
}

/* Takes in what was added to the table; false without memory. */
static int catch_up(struct yk_names *index, const void *names, size_t stride, size_t count)
{
    size_t room = index->room ? index->room : LEAST_ROOM;

    while (room < 2 * count)
        room *= 2;
    if (room != index->room) {
        yk_names_free(index);
        if (!(index->slots = calloc(room, sizeof *index->slots)))
            return 0;
        index->room = room;
    }
    for (; index->known < count; index->known++) {
        size_t *slot = slot_of(index, names, stride, name_at(names, stride, index->known));

        if (!*slot) /* of equal names the first counts */
            *slot = index->known + 1;
    }
    return 1;
}

long yk_names_find(struct yk_names *index, const void *names, size_t stride, size_t count, const char *name)
{
    if (index && catch_up(index, names, stride, count))
        return (long)*slot_of(index, names, stride, name) - 1;
    for (size_t i = 0; i < count; i++)
        if (strcmp(name_at(names, stride, i), name) == 0)
            return (long)i;
    return -1;
}

void yk_names_free(struct yk_names *index)
{
    if (index)
        free(index->slots);
    if (index)
        *index = (struct yk_names){0};
}
