/* Frames of a watched run: windows, what follows them, and single rows. */
#include "feed_parts.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_READ = 8 << 20 }; /* doubles that are read again from a recording */

/* ---- frames; with the lock held ---- */

static size_t column_of(const struct yk_feed *f, uint32_t channel)
{
    size_t column;

    yk_feed_place(f, channel, &column);
    return column;
}

/* Columns [first, first + frame->column_count) of a level. */
static void *frame_of(const struct yk_feed *f, struct yk_frame *frame, int level, uint64_t first, size_t *size)
{
    const struct yk_history *h = f->history[frame->stream];
    double *time, *values;
    size_t stride;
    void *bytes;

    frame->rows = (uint32_t)yk_history_width(level);
    if (!(bytes = yk_frame_create(frame, size, &time, &values, &stride)))
        return NULL;
    for (size_t j = 0; j < frame->column_count; j++)
        time[j] = yk_history_time(h, level, first + j);
    for (size_t i = 0; i < frame->channel_count; i++)
        yk_history_copy(h, level, first, frame->column_count, column_of(f, frame->channels[i]), values + i * stride,
                        level ? values + i * stride + frame->column_count : NULL);
    return bytes;
}

void *yk_feed_window(struct yk_feed *f, size_t stream, const uint32_t *channels, size_t count, double window_s,
                     size_t points, struct yk_cursor *cursor, size_t *size)
{
    const struct yk_history *h = f->history[stream];
    const double period = f->period_s[stream];
    struct yk_frame frame = {
        .kind = YK_FRAME_WINDOW, .stream = (uint32_t)stream, .channels = channels, .channel_count = count};
    uint64_t first, end_, rows;
    void *bytes;

    pthread_mutex_lock(&f->lock);
    rows = yk_history_rows(h);
    if (!f->recording && period > 0 && window_s / period < 1e15)
        rows = (uint64_t)ceil(window_s / period);
    cursor->level = yk_history_level(h, rows, points);
    yk_history_span(h, cursor->level, &first, &end_);
    const uint64_t wanted = rows / yk_history_width(cursor->level) + 1;
    if (end_ - first > wanted)
        first = end_ - wanted;
    frame.column_count = (size_t)(end_ - first);
    cursor->next = end_;
    bytes = frame_of(f, &frame, cursor->level, first, size);
    pthread_mutex_unlock(&f->lock);
    return bytes;
}

void *yk_feed_append(struct yk_feed *f, size_t stream, const uint32_t *channels, size_t count, struct yk_cursor *cursor,
                     size_t *size)
{
    struct yk_frame frame = {
        .kind = YK_FRAME_APPEND, .stream = (uint32_t)stream, .channels = channels, .channel_count = count};
    uint64_t first, end_;
    void *bytes = NULL;

    pthread_mutex_lock(&f->lock);
    yk_history_span(f->history[stream], cursor->level, &first, &end_);
    if (cursor->next < first)
        cursor->next = first; /* the viewer was away for long */
    if (end_ > cursor->next) {
        frame.column_count = (size_t)(end_ - cursor->next);
        bytes = frame_of(f, &frame, cursor->level, cursor->next, size);
        cursor->next = end_;
    }
    pthread_mutex_unlock(&f->lock);
    return bytes;
}

/* ---- between two times ---- */

/* The first row of a recorded stream that is not before t. */
static uint64_t recorded_row(struct yk_feed *f, int stream, double t, double *row)
{
    uint64_t low = 0, high = yk_recording_rows(f->recording, stream);

    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;

        if (yk_recording_read(f->recording, stream, middle, 1, row, NULL))
            return low;
        if (row[0] < t)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Rows of a recording that the history no longer has one by one, `rows` in a column. */
static void *decimated(struct yk_feed *f, struct yk_frame *frame, int stream, uint64_t first, uint64_t end_,
                       size_t *size)
{
    const size_t n = f->streams[frame->stream].count, count = (size_t)(end_ - first);
    double *rows = malloc(count * n * sizeof *rows), *time, *values;
    size_t stride;
    void *bytes = NULL;

    frame->column_count = (count + frame->rows - 1) / frame->rows;
    if (rows && !yk_recording_read(f->recording, stream, first, count, rows, NULL) &&
        (bytes = yk_frame_create(frame, size, &time, &values, &stride)))
        for (size_t j = 0; j < frame->column_count; j++) {
            const size_t from = j * frame->rows, to = from + frame->rows < count ? from + frame->rows : count;

            time[j] = rows[from * n];
            for (size_t i = 0; i < frame->channel_count; i++) {
                const size_t column = column_of(f, frame->channels[i]);
                double least = rows[from * n + column], largest = least;

                for (size_t k = from + 1; k < to; k++) {
                    least = fmin(least, rows[k * n + column]);
                    largest = fmax(largest, rows[k * n + column]);
                }
                values[i * stride + j] = least;
                if (frame->rows > 1)
                    values[i * stride + frame->column_count + j] = largest;
            }
        }
    free(rows);
    return bytes;
}

/* From the recording itself, where that shows more than the history and is not too long; NULL where not. */
static void *from_recording(struct yk_feed *f, struct yk_frame *frame, const struct yk_message *wish, size_t *size)
{
    const size_t n = f->streams[frame->stream].count;
    const int stream = f->recording ? yk_recording_stream(f->recording, f->streams[frame->stream].name) : -1;
    uint64_t first, end_;

    if (stream < 0)
        return NULL;
    first = recorded_row(f, stream, wish->from_s, f->block);
    end_ = recorded_row(f, stream, wish->to_s, f->block);
    if (end_ < yk_recording_rows(f->recording, stream))
        end_++;
    if (end_ <= first || (end_ - first) * n > MOST_READ)
        return NULL;
    frame->rows = (uint32_t)((end_ - first + wish->points - 1) / wish->points);
    return decimated(f, frame, stream, first, end_, size);
}

void *yk_feed_between(struct yk_feed *f, size_t stream, const struct yk_message *wish, const uint32_t *channels,
                      size_t count, size_t *size)
{
    const struct yk_history *h = f->history[stream];
    struct yk_frame frame = {.kind = YK_FRAME_HISTORY,
                             .stream = (uint32_t)stream,
                             .request = wish->request,
                             .channels = channels,
                             .channel_count = count};
    uint64_t first, end_, kept, last;
    int level = 0;
    void *bytes;

    pthread_mutex_lock(&f->lock);
    for (;; level++) { /* the finest level that begins early enough and is not too long */
        yk_history_span(h, level, &kept, &last);
        first = yk_history_find(h, level, wish->from_s);
        end_ = yk_history_find(h, level, wish->to_s);
        first -= first > kept; /* a column that begins before may reach into it */
        end_ += end_ < last;
        if (level + 1 == yk_history_levels(h) ||
            (end_ - first <= wish->points && (kept == 0 || yk_history_time(h, level, kept) <= wish->from_s)))
            break;
    }
    bytes = level ? from_recording(f, &frame, wish, size) : NULL;
    if (!bytes) {
        frame.column_count = (size_t)(end_ - first);
        bytes = frame_of(f, &frame, level, first, size);
    }
    pthread_mutex_unlock(&f->lock);
    return bytes;
}

/* ---- single rows ---- */

void *yk_feed_rows(struct yk_feed *f, const struct yk_frame *wanted, uint64_t first, size_t rows, size_t *size)
{
    struct yk_frame frame = *wanted;
    uint64_t kept, end_;
    void *bytes = NULL;

    pthread_mutex_lock(&f->lock);
    yk_history_span(f->history[frame.stream], 0, &kept, &end_);
    if (first >= kept && first + rows <= end_) {
        frame.column_count = rows;
        bytes = frame_of(f, &frame, 0, first, size);
    }
    pthread_mutex_unlock(&f->lock);
    return bytes;
}

size_t yk_feed_values(struct yk_feed *f, uint32_t channel, uint64_t *next, double *to, size_t most)
{
    size_t column, count;
    const size_t stream = yk_feed_place(f, channel, &column);
    uint64_t kept, end_;

    pthread_mutex_lock(&f->lock);
    yk_history_span(f->history[stream], 0, &kept, &end_);
    if (*next < kept)
        *next = kept;
    count = end_ - *next < most ? (size_t)(end_ - *next) : most;
    yk_history_copy(f->history[stream], 0, *next, count, column, to, NULL);
    *next += count;
    pthread_mutex_unlock(&f->lock);
    return count;
}

uint64_t yk_feed_row_count(struct yk_feed *f, size_t stream)
{
    uint64_t rows;

    pthread_mutex_lock(&f->lock);
    rows = yk_history_rows(f->history[stream]);
    pthread_mutex_unlock(&f->lock);
    return rows;
}

double yk_feed_row_time(struct yk_feed *f, size_t stream, uint64_t row)
{
    uint64_t kept, end_;
    double t = NAN;

    pthread_mutex_lock(&f->lock);
    yk_history_span(f->history[stream], 0, &kept, &end_);
    if (row >= kept && row < end_)
        t = yk_history_time(f->history[stream], 0, row);
    pthread_mutex_unlock(&f->lock);
    return t;
}
