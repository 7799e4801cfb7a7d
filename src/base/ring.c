/* Ring of rows for one producer and one consumer.
 *
 * Two counters only ever grow: `tail` rows were put in, `head` rows were taken out; tail - head rows lie in between.
 * Each counter has one writer and stands on its own cache line beside that side's last look at the other counter, so
 * that the lines travel between the cores only when a side runs out of what it last saw. */
#include "base/ring.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 64 }; /* bytes of a cache line */

struct yk_ring {
    /* fixed after creation */
    _Alignas(LINE) double *rows;
    size_t row_doubles;
    uint64_t capacity; /* power of two */

    /* written by the producer */
    _Alignas(LINE) _Atomic uint64_t tail;
    _Atomic uint64_t dropped;
    uint64_t seen_head;

    /* written by the consumer */
    _Alignas(LINE) _Atomic uint64_t head;
    uint64_t seen_tail;
};

/* Smallest power of two that is not below n; 0 where there is none. */
static size_t power_of_two(size_t n)
{
    size_t p = 1;

    while (p && p < n)
        p <<= 1;
    return p;
}

enum yk_status yk_ring_create(struct yk_ring **ring, size_t row_doubles, size_t capacity, struct yk_err *err)
{
    size_t rows = power_of_two(capacity), row_bytes = row_doubles * sizeof(double), bytes;
    struct yk_ring *r;

    *ring = NULL;
    if (!row_doubles || !capacity)
        return yk_fail(err, YK_E_RANGE, "ring: %zu rows of %zu numbers; both must be at least 1", capacity,
                       row_doubles);
    if (!rows || row_doubles > SIZE_MAX / sizeof(double) / 2 || row_bytes > (SIZE_MAX / 2 - LINE) / rows)
        return yk_fail(err, YK_E_MEMORY, "ring: %zu rows of %zu numbers do not fit in memory", capacity, row_doubles);

    bytes = (rows * row_bytes + LINE - 1) / LINE * LINE;
    if (!(r = aligned_alloc(LINE, sizeof *r)))
        return yk_fail(err, YK_E_MEMORY, "ring: out of memory");
    memset(r, 0, sizeof *r);
    if (!(r->rows = aligned_alloc(LINE, bytes))) {
        free(r);
        return yk_fail(err, YK_E_MEMORY, "out of memory: ring: a block of %zu bytes could not be allocated", bytes);
    }
    r->row_doubles = row_doubles;
    r->capacity = rows;
    *ring = r;
    return YK_OK;
}

void yk_ring_touch(struct yk_ring *ring)
{
    memset(ring->rows, 0, ring->capacity * ring->row_doubles * sizeof *ring->rows);
}

void yk_ring_destroy(struct yk_ring *ring)
{
    if (!ring)
        return;
    free(ring->rows);
    free(ring);
}

YK_RT bool yk_ring_push(struct yk_ring *ring, const double *row)
{
    const uint64_t tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);

    if (tail - ring->seen_head >= ring->capacity)
        ring->seen_head = atomic_load_explicit(&ring->head, memory_order_acquire);
    if (tail - ring->seen_head >= ring->capacity) {
        uint64_t dropped = atomic_load_explicit(&ring->dropped, memory_order_relaxed);
        atomic_store_explicit(&ring->dropped, dropped + 1, memory_order_relaxed);
        return false;
    }
    memcpy(ring->rows + (tail & (ring->capacity - 1)) * ring->row_doubles, row, ring->row_doubles * sizeof *row);
    atomic_store_explicit(&ring->tail, tail + 1, memory_order_release);
    return true;
}

YK_RT bool yk_ring_has_room(const struct yk_ring *ring)
{
    const uint64_t tail = atomic_load_explicit(&ring->tail, memory_order_relaxed);

    return tail - atomic_load_explicit(&ring->head, memory_order_acquire) < ring->capacity;
}

size_t yk_ring_pop(struct yk_ring *ring, double *rows, size_t max_rows)
{
    const uint64_t head = atomic_load_explicit(&ring->head, memory_order_relaxed);
    uint64_t count, first, at = head & (ring->capacity - 1);

    if (ring->seen_tail - head < max_rows)
        ring->seen_tail = atomic_load_explicit(&ring->tail, memory_order_acquire);
    count = ring->seen_tail - head < max_rows ? ring->seen_tail - head : max_rows;
    if (!count)
        return 0;

    /* up to the end of the block, then from its beginning */
    first = count < ring->capacity - at ? count : ring->capacity - at;
    memcpy(rows, ring->rows + at * ring->row_doubles, first * ring->row_doubles * sizeof *rows);
    memcpy(rows + first * ring->row_doubles, ring->rows, (count - first) * ring->row_doubles * sizeof *rows);
    atomic_store_explicit(&ring->head, head + count, memory_order_release);
    return count;
}

uint64_t yk_ring_dropped(const struct yk_ring *ring)
{
    return atomic_load_explicit(&ring->dropped, memory_order_relaxed);
}

uint64_t yk_ring_pushed(const struct yk_ring *ring)
{
    return atomic_load_explicit(&ring->tail, memory_order_relaxed);
}
