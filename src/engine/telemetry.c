/* Telemetry in shared memory: a head that never changes, channels and description, a board with the newest state, and a
 * tape with the last rows of each stream. */
#include "base/clock.h"
#include "engine/telemetry_parts.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

enum {
    TAPE_BYTES = 8 << 20, /* of all tapes together ... */
    TAPE_ROWS_LEAST = 16, /* ... but no fewer rows on one than this, and TAPE_ROWS_MOST at most */
    NAMES_TRIED = 8
};

struct yk_telemetry {
    struct yk_segment segment;
    struct yk_board *board;
    struct yk_tape *tape[YK_TELEMETRY_STREAMS];
    size_t columns[YK_TELEMETRY_STREAMS], rows[YK_TELEMETRY_STREAMS], streams, tracked;
    uint64_t *message;
};

/* A name that is free or of this user. */
static enum yk_status own_name(char *to, size_t size, const char *name, struct yk_err *err)
{
    segment_name(to, size, name);
    for (int i = 0; i < NAMES_TRIED && yk_segment_is_anothers(to); i++) {
        uint32_t end;

        if (getrandom(&end, sizeof end, 0) != sizeof end)
            return yk_fail(err, YK_E_IO, "no random numbers: %s", strerror(errno));
        snprintf(to, size, PREFIX "%s" END_MARK "%08" PRIx32, name, end);
    }
    return YK_OK;
}

/* Rows of a tape: the largest power of two within its share of the memory. */
static size_t tape_rows(size_t columns, size_t stream_count)
{
    const size_t fitting = TAPE_BYTES / stream_count / sizeof(double) / columns;
    size_t rows = TAPE_ROWS_LEAST;

    while (rows * 2 <= fitting && rows < TAPE_ROWS_MOST)
        rows *= 2;
    return rows;
}

static void fill_head(struct head *h, const struct yk_telemetry_info *info)
{
    *h = (struct head){.version = YK_TELEMETRY_VERSION,
                       .bytes = sizeof *h,
                       .streams = info->stream_count,
                       .tracked = info->tracked < YK_TELEMETRY_TRACKED ? info->tracked : YK_TELEMETRY_TRACKED,
                       .description_bytes = info->description ? strlen(info->description) : 0,
                       .channel_bytes = sizeof(struct yk_channel),
                       .now_bytes = sizeof(struct yk_telemetry_posted),
                       .steps = info->steps,
                       .period_s = info->period_s};
    memcpy(h->magic, magic, sizeof magic);
    for (size_t i = 0; i < info->stream_count; i++) {
        snprintf(h->stream[i].name, sizeof h->stream[i].name, "%s", info->streams[i].name);
        h->stream[i].channels = info->streams[i].count;
        h->stream[i].rows = tape_rows(info->streams[i].count, info->stream_count);
    }
    snprintf(h->title, sizeof h->title, "%s", info->title ? info->title : "");
    snprintf(h->folder, sizeof h->folder, "%s", info->folder ? info->folder : "");
    for (int i = 0; info->states && i < YK_TELEMETRY_STATES && info->states[i]; i++)
        snprintf(h->states[i], sizeof h->states[i], "%s", info->states[i]);
}

/* The segment, from a head that is not ready. */
static void fill(struct yk_telemetry *t, const struct head *head, const struct yk_telemetry_info *info)
{
    const struct places p = places_of(head);
    char *at = t->segment.at;
    struct head *h = t->segment.at;
    size_t channels = 0;

    memcpy(h, head, sizeof *h);
    for (size_t i = 0; i < info->stream_count; i++) {
        const struct yk_stream *s = &info->streams[i];

        memcpy(at + p.channels + channels * sizeof *s->channels, s->channels, s->count * sizeof *s->channels);
        channels += s->count;
        t->tape[i] = (struct yk_tape *)(at + p.tape[i]);
        t->columns[i] = s->count;
        t->rows[i] = head->stream[i].rows;
    }
    if (head->description_bytes)
        memcpy(at + p.description, info->description, head->description_bytes);
    t->streams = head->streams;
    t->tracked = head->tracked;
    t->board = (struct yk_board *)(at + p.board);
    atomic_store_explicit(&h->ready, 1, memory_order_release);
}

static enum yk_status check_info(const struct yk_telemetry_info *info, struct yk_err *err)
{
    size_t channels = 0;

    if (!info->stream_count || info->stream_count > YK_TELEMETRY_STREAMS)
        return yk_fail(err, YK_E_RANGE, "telemetry: %zu streams; 1 .. %d are allowed", info->stream_count,
                       YK_TELEMETRY_STREAMS);
    for (size_t i = 0; i < info->stream_count; i++) {
        channels += info->streams[i].count;
        if (!info->streams[i].count)
            return yk_fail(err, YK_E_RANGE, "telemetry: stream '%s' has no channel", info->streams[i].name);
    }
    if (channels > YK_TELEMETRY_CHANNELS)
        return yk_fail(err, YK_E_RANGE, "telemetry: %zu channels; at most %d", channels, YK_TELEMETRY_CHANNELS);
    return YK_OK;
}

enum yk_status yk_telemetry_create(struct yk_telemetry **telemetry, const char *name,
                                   const struct yk_telemetry_info *info, struct yk_err *err)
{
    struct yk_telemetry *t;
    struct head head;
    char path[80];
    enum yk_status st;

    *telemetry = NULL;
    if ((st = check_info(info, err)))
        return st;
    fill_head(&head, info);
    t = calloc(1, sizeof *t);
    if (!t || !(t->message = calloc(message_words(head.tracked), sizeof *t->message))) {
        free(t);
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    }
    if (!(st = own_name(path, sizeof path, name, err)))
        st = yk_segment_create(&t->segment, path, places_of(&head).end, 0644, err);
    if (st) {
        free(t->message);
        free(t);
        return yk_fail_within(err, YK_NOWHERE, "telemetry: ");
    }
    fill(t, &head, info);
    *telemetry = t;
    return YK_OK;
}

YK_RT void yk_telemetry_post(struct yk_telemetry *t, const struct yk_telemetry_posted *what,
                             const struct yk_telemetry_track *tracks)
{
    const size_t words = message_words(t->tracked);
    const int64_t posted = yk_clock_now_ns();

    memcpy(t->message, what, sizeof *what);
    memcpy((char *)t->message + offsetof(struct yk_telemetry_posted, now.posted_ns), &posted, sizeof posted);
    if (t->tracked)
        memcpy(t->message + NOW_WORDS, tracks, t->tracked * sizeof *tracks);
    yk_board_post(t->board, words, t->message, words);
}

YK_RT void yk_telemetry_row(struct yk_telemetry *t, size_t stream, const double *row)
{
    if (stream < t->streams)
        yk_tape_write(t->tape[stream], t->columns[stream], t->rows[stream], row);
}

YK_RT size_t yk_telemetry_tracked(const struct yk_telemetry *t)
{
    return t->tracked;
}

bool yk_telemetry_is_cut(const struct yk_telemetry *t)
{
    return t && yk_segment_is_cut(&t->segment);
}

void yk_telemetry_destroy(struct yk_telemetry *t)
{
    if (!t)
        return;
    yk_segment_close(&t->segment);
    free(t->message);
    free(t);
}
