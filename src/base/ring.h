/* Ring of fixed-size rows of doubles between one producer and one consumer thread. Wait-free on both sides.
 * The producer never blocks: a row that finds the ring full is dropped and counted. */
#ifndef YOKE_RING_H
#define YOKE_RING_H

#include <stdint.h>
#include <yoke/status.h>

struct yk_ring; /* opaque: shared between two threads */

/* capacity is rounded up to a power of two. */
enum yk_status yk_ring_create(struct yk_ring **ring, size_t row_doubles, size_t capacity, struct yk_err *err);
void yk_ring_destroy(struct yk_ring *ring);
/* Brings its memory in, so that no push causes a page fault. Before the first push. */
void yk_ring_touch(struct yk_ring *ring);

/* Producer. False when the ring was full: the row is counted as dropped. */
bool yk_ring_push(struct yk_ring *ring, const double *row) YK_RT;
/* Producer: is there room for one more row? For a producer that may wait (the offline engine). */
bool yk_ring_has_room(const struct yk_ring *ring) YK_RT;

/* Consumer: copies up to max_rows rows, oldest first, and returns how many. */
size_t yk_ring_pop(struct yk_ring *ring, double *rows, size_t max_rows);
uint64_t yk_ring_dropped(const struct yk_ring *ring);
uint64_t yk_ring_pushed(const struct yk_ring *ring);

#endif
