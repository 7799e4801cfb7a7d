/* Rows of a stream that are kept in memory: all channels, or those that patterns choose. */
#ifndef YOKE_ENGINE_ROWS_H
#define YOKE_ENGINE_ROWS_H

#include "record/record.h"

struct yk_rows {
    size_t width; /* channels that are kept; 0: no such stream */
    size_t *from; /* the channel of a full row that each of them is */
    double *x;    /* one row after the other */
    size_t count, room;
    char *names, *units; /* "time\nframe.x.u"; see yk_kept_rows */
};
/* Opens rows for a stream; patterns as in the shell, NULL: all channels. The time, the first channel, is kept if any
 * other is. */
enum yk_status yk_rows_open(struct yk_rows *rows, const struct yk_stream *stream, const char *const *patterns,
                            size_t pattern_count, struct yk_err *err);
void yk_rows_close(struct yk_rows *rows);
/* Takes what is kept of a full row; false: no memory. */
bool yk_rows_add(struct yk_rows *rows, const double *row);
/* `to` is empty before. */
enum yk_status yk_rows_copy(struct yk_rows *to, const struct yk_rows *from, struct yk_err *err);

#endif
