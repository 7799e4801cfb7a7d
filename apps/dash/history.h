/* The past of a stream, for those who look at it: every row of the last while, and the least and largest values of
 * groups of 4, 16, 64, ... rows further back. A value that occurred in one row only is in every level, so no peak is
 * hidden however far one zooms out. Memory is fixed when it is made. Not thread-safe. */
#ifndef YOKE_DASH_HISTORY_H
#define YOKE_DASH_HISTORY_H

#include <yoke/status.h>

#include <stdint.h>

enum { YK_HISTORY_FACTOR = 4, YK_HISTORY_LEVELS = 10 };

struct yk_history; /* opaque */
/* Rows of `columns` numbers, the first of which is the time; about `bytes` of memory. */
enum yk_status yk_history_create(struct yk_history **history, size_t columns, size_t bytes, struct yk_err *err);
void yk_history_destroy(struct yk_history *history);
void yk_history_add(struct yk_history *history, const double *rows, size_t count);

/* Rows added so far. */
uint64_t yk_history_rows(const struct yk_history *history);
/* Rows that are kept one by one. */
size_t yk_history_room(const struct yk_history *history);
int yk_history_levels(const struct yk_history *history);
/* Rows in a column of a level. */
uint64_t yk_history_width(int level);
/* The finest level at which `rows` rows are at most `points` columns, and that keeps as many. */
int yk_history_level(const struct yk_history *history, uint64_t rows, size_t points);
/* The complete columns of a level that are kept: numbers *first .. *end - 1, counted from the first row on. */
void yk_history_span(const struct yk_history *history, int level, uint64_t *first, uint64_t *end);
/* The first column of a level, among those kept, that does not begin before time t; *end of the span where none. */
uint64_t yk_history_find(const struct yk_history *history, int level, double t);
/* The time of a column that is kept. */
double yk_history_time(const struct yk_history *history, int level, uint64_t column);
/* Copies one channel (a column of the rows) of columns [first, first + count), which are kept. Level 0 has equal least
 * and largest values, and `largest` may be NULL. */
void yk_history_copy(const struct yk_history *history, int level, uint64_t first, size_t count, size_t channel,
                     double *least, double *largest);

#endif
