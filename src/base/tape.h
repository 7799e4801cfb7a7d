/* An endless tape of rows in memory, shared or not: one writer, any number of readers at their own places. The writer
 * never waits and never looks at the readers; a reader that falls behind by more than the tape holds loses the oldest
 * rows, knows how many, and disturbs nobody.
 *
 * `begun` counts the rows whose writing has begun, `written` those that are complete. Words are stored with release and
 * loaded with acquire order: a reader that has copied a word of a later row also sees it counted in `begun`, and
 * discards the row. No fences, as in board.h. */
#ifndef YOKE_TAPE_H
#define YOKE_TAPE_H

#include <stdatomic.h>
#include <stdint.h>
#include <yoke/status.h>

struct yk_tape {
    _Alignas(64) _Atomic uint64_t begun, written;
    _Alignas(64) _Atomic uint64_t words[];
};

/* Bytes of a tape with room for `rows` rows of `columns` numbers. Both sides must know both; nothing in the memory is
 * trusted for it. The memory must be zero at first and aligned to 64 bytes. */
size_t yk_tape_size(size_t columns, size_t rows);
void yk_tape_write(struct yk_tape *tape, size_t columns, size_t rows, const double *row) YK_RT;

/* Rows written so far. */
uint64_t yk_tape_written(const struct yk_tape *tape);
/* Copies up to `most` rows from number *next on, oldest first; returns how many. *next becomes the number after the
 * last one, and *lost grows by the rows that were overwritten before they could be copied. */
size_t yk_tape_read(const struct yk_tape *tape, size_t columns, size_t rows, uint64_t *next, uint64_t *lost, double *to,
                    size_t most);

#endif
