/* Levels of rings. Level 0 has rows; a column of level k is made of four of level k - 1 when the last of them is
 * complete. */
#include "dash/history.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROOM_LEAST = 128, ROOM_MOST = 65536 };
#define ROWS_COVERED 16e6 /* by the highest level: more than four hours at 1 kHz */

struct level {
    double *least, *largest; /* column after column, all channels of each; level 0: the same */
    uint64_t end;            /* complete columns so far */
};

struct yk_history {
    size_t columns, room;
    int levels;
    struct level level[YK_HISTORY_LEVELS];
};

uint64_t yk_history_width(int level)
{
    return 1ull << (2 * level);
}

static int levels_for(size_t room)
{
    int levels = 1;

    while (levels < YK_HISTORY_LEVELS && (double)room * (double)yk_history_width(levels - 1) < ROWS_COVERED)
        levels++;
    return levels;
}

static double memory_of(size_t columns, size_t room)
{
    return 8.0 * (double)columns * (double)room * (2 * levels_for(room) - 1);
}

enum yk_status yk_history_create(struct yk_history **history, size_t columns, size_t bytes, struct yk_err *err)
{
    struct yk_history *h = calloc(1, sizeof *h);

    *history = NULL;
    if (!h)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    h->columns = columns;
    h->room = ROOM_LEAST;
    while (h->room < ROOM_MOST && memory_of(columns, 2 * h->room) <= (double)bytes)
        h->room *= 2;
    h->levels = levels_for(h->room);
    for (int k = 0; k < h->levels; k++) {
        struct level *l = &h->level[k];

        l->least = calloc(h->room * columns, sizeof *l->least);
        l->largest = k ? calloc(h->room * columns, sizeof *l->largest) : l->least;
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

static size_t slot(const struct yk_history *h, uint64_t column)
{
    return (size_t)(column % h->room) * h->columns;
}

/* A column of level k from the last four of level k - 1. A value that is not a number does not count. */
static void fold(struct yk_history *h, int k)
{
    const struct level *from = &h->level[k - 1];
    struct level *to = &h->level[k];
    const uint64_t first = from->end - YK_HISTORY_FACTOR;
    double *least = to->least + slot(h, to->end), *largest = to->largest + slot(h, to->end);

    memcpy(least, from->least + slot(h, first), h->columns * sizeof *least);
    memcpy(largest, from->largest + slot(h, first), h->columns * sizeof *largest);
    for (uint64_t j = first + 1; j < from->end; j++) {
        const double *low = from->least + slot(h, j), *high = from->largest + slot(h, j);

        for (size_t i = 0; i < h->columns; i++) {
            least[i] = fmin(least[i], low[i]);
            largest[i] = fmax(largest[i], high[i]);
        }
    }
    least[0] = from->least[slot(h, first)]; /* the time of the first row, even if clocks run backwards */
    to->end++;
}

void yk_history_add(struct yk_history *h, const double *rows, size_t count)
{
    for (size_t r = 0; r < count; r++) {
        struct level *first = &h->level[0];

        memcpy(first->least + slot(h, first->end), rows + r * h->columns, h->columns * sizeof *rows);
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
    return h->room;
}

int yk_history_levels(const struct yk_history *h)
{
    return h->levels;
}

int yk_history_level(const struct yk_history *h, uint64_t rows, size_t points)
{
    const uint64_t most = points < h->room ? points : h->room;
    int k = 0;

    while (k + 1 < h->levels && (rows + yk_history_width(k) - 1) / yk_history_width(k) > most)
        k++;
    return k;
}

void yk_history_span(const struct yk_history *h, int level, uint64_t *first, uint64_t *end)
{
    *end = h->level[level].end;
    *first = *end > h->room ? *end - h->room : 0;
}

double yk_history_time(const struct yk_history *h, int level, uint64_t column)
{
    return h->level[level].least[slot(h, column)];
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
        least[j] = l->least[slot(h, first + j) + channel];
        if (largest)
            largest[j] = l->largest[slot(h, first + j) + channel];
    }
}
