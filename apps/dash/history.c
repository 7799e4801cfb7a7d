/* Levels of rings. Level 0 has rows; a column of level k is made of four of level k - 1 when the last of them is
 * complete. */
#include "history.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM_LEAST = 128, ROOM_MOST = 65536, ROOM_ABOVE = 64 };
#define ROWS_COVERED 16e6 /* by levels that need not keep all of their room: more than four hours at 1 kHz */

struct level {
    double *least, *largest; /* column after column, all channels of each; level 0: the same */
    size_t room;             /* columns that are kept */
    uint64_t end;            /* complete columns so far */
};

struct yk_history {
    size_t columns;
    int levels;
    struct level level[YK_HISTORY_LEVELS];
};

uint64_t yk_history_width(int level)
{
    return 1ull << (2 * level);
}

/* Columns that a level keeps, where level 0 keeps `room`. */
static size_t room_of(size_t room, int level)
{
    const double needed = ceil(ROWS_COVERED / (double)yk_history_width(level));

    return needed >= (double)room ? room : needed > ROOM_ABOVE ? (size_t)needed : ROOM_ABOVE;
}

static double memory_of(size_t columns, size_t room)
{
    double sum = (double)room;

    for (int k = 1; k < YK_HISTORY_LEVELS; k++)
        sum += 2 * (double)room_of(room, k);
    return 8 * sum * (double)columns;
}

enum yk_status yk_history_create(struct yk_history **history, size_t columns, size_t bytes, struct yk_err *err)
{
    struct yk_history *h = calloc(1, sizeof *h);

    *history = NULL;
    if (!h)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    size_t room = ROOM_LEAST;

    h->columns = columns;
    h->levels = YK_HISTORY_LEVELS;
    while (room < ROOM_MOST && memory_of(columns, 2 * room) <= (double)bytes)
        room *= 2;
    for (int k = 0; k < h->levels; k++) {
        struct level *l = &h->level[k];

        l->room = room_of(room, k);
        l->least = calloc(l->room * columns, sizeof *l->least);
        l->largest = k ? calloc(l->room * columns, sizeof *l->largest) : l->least;
        if (!l->least || !l->largest) {
            yk_history_destroy(h);
            return yk_fail(err, YK_E_MEMORY, "out of memory for the history of %zu channels", columns);
        }
    }
    *history = h;
    return YK_OK;
}

void yk_history_destroy(struct yk_history *h)
{
    for (int k = 0; h && k < h->levels; k++) {
        free(h->level[k].least);
        if (k)
            free(h->level[k].largest);
    }
    free(h);
}

static size_t slot(const struct yk_history *h, const struct level *l, uint64_t column)
{
    return (size_t)(column % l->room) * h->columns;
}

/* A column of level k from the last four of level k - 1. A value that is not a number does not count. */
static void fold(struct yk_history *h, int k)
{
    const struct level *from = &h->level[k - 1];
    struct level *to = &h->level[k];
    const uint64_t first = from->end - YK_HISTORY_FACTOR;
    double *least = to->least + slot(h, to, to->end), *largest = to->largest + slot(h, to, to->end);

    memcpy(least, from->least + slot(h, from, first), h->columns * sizeof *least);
    memcpy(largest, from->largest + slot(h, from, first), h->columns * sizeof *largest);
    for (uint64_t j = first + 1; j < from->end; j++) {
        const double *low = from->least + slot(h, from, j), *high = from->largest + slot(h, from, j);

        for (size_t i = 0; i < h->columns; i++) {
            least[i] = fmin(least[i], low[i]);
            largest[i] = fmax(largest[i], high[i]);
        }
    }
    least[0] = from->least[slot(h, from, first)]; /* the time of the first row, even if clocks run backwards */
    to->end++;
}

void yk_history_add(struct yk_history *h, const double *rows, size_t count)
{
    for (size_t r = 0; r < count; r++) {
        struct level *first = &h->level[0];

        memcpy(first->least + slot(h, first, first->end), rows + r * h->columns, h->columns * sizeof *rows);
        first->end++;
        for (int k = 1; k < h->levels && h->level[k - 1].end % YK_HISTORY_FACTOR == 0; k++)
            fold(h, k);
    }
}

uint64_t yk_history_rows(const struct yk_history *h)
{
    return h->level[0].end;
}

size_t yk_history_room(const struct yk_history *h)
{
    return h->level[0].room;
}

int yk_history_levels(const struct yk_history *h)
{
    return h->levels;
}

int yk_history_level(const struct yk_history *h, uint64_t rows, size_t points)
{
    int k = 0;

    while (k + 1 < h->levels && (rows + yk_history_width(k) - 1) / yk_history_width(k) >
                                    (points < h->level[k].room ? points : h->level[k].room))
        k++;
    return k;
}

void yk_history_span(const struct yk_history *h, int level, uint64_t *first, uint64_t *end)
{
    *end = h->level[level].end;
    *first = *end > h->level[level].room ? *end - h->level[level].room : 0;
}

double yk_history_time(const struct yk_history *h, int level, uint64_t column)
{
    return h->level[level].least[slot(h, &h->level[level], column)];
}

uint64_t yk_history_find(const struct yk_history *h, int level, double t)
{
    uint64_t low, high;

    yk_history_span(h, level, &low, &high);
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;

        if (yk_history_time(h, level, middle) < t)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

void yk_history_copy(const struct yk_history *h, int level, uint64_t first, size_t count, size_t channel, double *least,
                     double *largest)
{
    const struct level *l = &h->level[level];

    for (size_t j = 0; j < count; j++) {
        least[j] = l->least[slot(h, l, first + j) + channel];
        if (largest)
            largest[j] = l->largest[slot(h, l, first + j) + channel];
    }
}
