/* The endless tape. */
#include "base/tape.h"

#include <string.h>

enum { LINE = 64 };

size_t yk_tape_size(size_t columns, size_t rows)
{
    return (sizeof(struct yk_tape) + columns * rows * sizeof(uint64_t) + LINE - 1) / LINE * LINE;
}

YK_RT void yk_tape_write(struct yk_tape *t, size_t columns, size_t rows, const double *row)
{
    const uint64_t number = atomic_load_explicit(&t->written, memory_order_relaxed);
    _Atomic uint64_t *words = t->words + number % rows * columns;

    atomic_store_explicit(&t->begun, number + 1, memory_order_relaxed);
    for (size_t i = 0; i < columns; i++) {
        uint64_t word;

        memcpy(&word, &row[i], sizeof word);
        atomic_store_explicit(&words[i], word, memory_order_release);
    }
    atomic_store_explicit(&t->written, number + 1, memory_order_release);
}

uint64_t yk_tape_written(const struct yk_tape *t)
{
    return atomic_load_explicit(&t->written, memory_order_acquire);
}

size_t yk_tape_read(const struct yk_tape *t, size_t columns, size_t rows, uint64_t *next, uint64_t *lost, double *to,
                    size_t most)
{
    const uint64_t written = yk_tape_written(t);

    if (*next > written) /* not what this writer wrote */
        *next = written;
    if (written - *next > rows) {
        *lost += written - rows - *next;
        *next = written - rows;
    }
    const size_t count = written - *next < most ? (size_t)(written - *next) : most;
    for (size_t k = 0; k < count; k++)
        for (size_t i = 0; i < columns; i++) {
            const uint64_t word =
                atomic_load_explicit(&t->words[(*next + k) % rows * columns + i], memory_order_acquire);

            memcpy(&to[k * columns + i], &word, sizeof word);
        }
    /* a row is gone when writing of the one that takes its place has begun */
    const uint64_t begun = atomic_load_explicit(&t->begun, memory_order_relaxed);
    const uint64_t gone = begun > *next + rows ? begun - rows - *next : 0;
    const size_t torn = gone < count ? (size_t)gone : count;

    *next += count;
    *lost += torn;
    memmove(to, to + torn * columns, (count - torn) * columns * sizeof *to);
    return count - torn;
}
