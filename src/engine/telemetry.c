/* Telemetry in shared memory: a head that never changes, channels and description, a board with the newest state, and a
 * tape with the last rows of each stream. */
#include "engine/telemetry.h"
#include "base/clock.h"

#include "base/board.h"
#include "base/segment.h"
#include "base/tape.h"

#include <glob.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PREFIX "telemetry-"
#define FOLDER "/dev/shm/yoke-" PREFIX

enum {
    NOW_WORDS = sizeof(struct yk_telemetry_now) / sizeof(uint64_t),
    TRACK_WORDS = sizeof(struct yk_telemetry_track) / sizeof(uint64_t),
    LINE = 64,
    TAPE_BYTES = 8 << 20,        /* of all tapes together ... */
    TAPE_ROWS_MOST = 16384,      /* ... but no more rows on one than this ... */
    TAPE_ROWS_LEAST = 16,        /* ... and no fewer */
    DESCRIPTION_MOST = 64 << 20, /* bytes */
};
_Static_assert(NOW_WORDS * sizeof(uint64_t) == sizeof(struct yk_telemetry_now), "made of 64-bit words");
_Static_assert(TRACK_WORDS * sizeof(uint64_t) == sizeof(struct yk_telemetry_track), "made of 64-bit words");

/* The first bytes of the segment; every field has the same place on every machine. */
struct head {
    char magic[8];
    uint32_t version, bytes; /* of the layout; of this head */
    uint64_t streams, tracked, description_bytes, channel_bytes, now_bytes;
    struct {
        char name[YK_TELEMETRY_STREAM];
        uint64_t channels, rows; /* on its tape */
    } stream[YK_TELEMETRY_STREAMS];
    int64_t steps;
    double period_s;
    char title[YK_TELEMETRY_TITLE];
    char folder[YK_TELEMETRY_FOLDER];
    char states[YK_TELEMETRY_STATES][YK_TELEMETRY_STATE];
    _Atomic uint32_t ready; /* set last */
};
static const char magic[8] = "YOKETEL";

/* Where things are in the segment. */
struct places {
    size_t channels, description, board, tape[YK_TELEMETRY_STREAMS], end;
};

struct yk_telemetry {
    struct yk_segment segment;
    struct yk_board *board;
    struct yk_tape *tape[YK_TELEMETRY_STREAMS];
    size_t columns[YK_TELEMETRY_STREAMS], rows[YK_TELEMETRY_STREAMS], streams, tracked;
    uint64_t *message;
};

struct yk_telemetry_view {
    struct yk_segment segment;
    const struct yk_board *board;
    const struct yk_tape *tape[YK_TELEMETRY_STREAMS];
    struct yk_telemetry_info info;
    struct yk_stream streams[YK_TELEMETRY_STREAMS];
    const char *states[YK_TELEMETRY_STATES + 1];
    struct head head;            /* a copy: what was checked is what is used */
    struct yk_channel *channels; /* likewise, of all streams */
    char *description;           /* likewise */
    uint64_t *message;
};

static size_t message_words(size_t tracked)
{
    return NOW_WORDS + tracked * TRACK_WORDS;
}

static size_t whole_lines(size_t bytes)
{
    return (bytes + LINE - 1) / LINE * LINE;
}

static struct places places_of(const struct head *h)
{
    struct places p = {.channels = sizeof *h};
    size_t channels = 0;

    for (size_t i = 0; i < h->streams; i++)
        channels += h->stream[i].channels;
    p.description = p.channels + channels * sizeof(struct yk_channel);
    p.board = whole_lines(p.description + h->description_bytes);
    p.end = whole_lines(p.board + yk_board_size(message_words(h->tracked)));
    for (size_t i = 0; i < h->streams; i++) {
        p.tape[i] = p.end;
        p.end += yk_tape_size(h->stream[i].channels, h->stream[i].rows);
    }
    return p;
}

/* "telemetry-<name>"; segment.c refuses what is too long. */
static void segment_name(char *to, size_t size, const char *name)
{
    snprintf(to, size, PREFIX "%s", name);
}

/* ---- the writer ---- */

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
                       .now_bytes = sizeof(struct yk_telemetry_now),
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
    segment_name(path, sizeof path, name);
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

YK_RT void yk_telemetry_post(struct yk_telemetry *t, const struct yk_telemetry_now *now,
                             const struct yk_telemetry_track *tracks)
{
    const size_t words = message_words(t->tracked);
    const int64_t posted = yk_clock_now_ns();

    memcpy(t->message, now, sizeof *now);
    memcpy((char *)t->message + offsetof(struct yk_telemetry_now, posted_ns), &posted, sizeof posted);
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

/* ---- a reader ---- */

/* Numbers of the head that sizes are computed from: small enough that nothing overflows. */
static bool is_sane(const struct head *h)
{
    size_t channels = 0;

    if (!h->streams || h->streams > YK_TELEMETRY_STREAMS || h->tracked > YK_TELEMETRY_TRACKED ||
        h->description_bytes > DESCRIPTION_MOST)
        return false;
    for (size_t i = 0; i < h->streams; i++) {
        if (!h->stream[i].channels || h->stream[i].channels > YK_TELEMETRY_CHANNELS || !h->stream[i].rows ||
            h->stream[i].rows > TAPE_ROWS_MOST)
            return false;
        channels += h->stream[i].channels;
    }
    return channels <= YK_TELEMETRY_CHANNELS;
}

/* Is it what this version writes, and does everything lie inside? */
static enum yk_status check_head(const struct yk_telemetry_view *v, const char *name, struct yk_err *err)
{
    const struct head *h = &v->head;

    if (memcmp(h->magic, magic, sizeof magic) != 0)
        return yk_fail(err, YK_E_INPUT, "'%s' is not telemetry of Yoke", name);
    if (h->version != YK_TELEMETRY_VERSION || h->bytes != sizeof *h || h->channel_bytes != sizeof(struct yk_channel) ||
        h->now_bytes != sizeof(struct yk_telemetry_now))
        return yk_fail(err, YK_E_UNSUPPORTED, "telemetry '%s' has version %u; this program reads version %d", name,
                       h->version, YK_TELEMETRY_VERSION);
    if (!is_sane(h) || v->segment.size < places_of(h).end)
        return yk_fail(err, YK_E_INPUT, "telemetry '%s' is damaged", name);
    return YK_OK;
}

/* Texts end, whatever the memory holds. */
static void end_texts(struct yk_channel *c)
{
    c->name[sizeof c->name - 1] = c->unit[sizeof c->unit - 1] = c->kind[sizeof c->kind - 1] = 0;
    c->owner[sizeof c->owner - 1] = c->long_name[sizeof c->long_name - 1] = 0;
}

static void describe(struct yk_telemetry_view *v)
{
    struct head *h = &v->head;
    const struct places p = places_of(h);
    const char *at = v->segment.at;
    size_t channels = 0;

    h->title[sizeof h->title - 1] = h->folder[sizeof h->folder - 1] = 0;
    for (int i = 0; i < YK_TELEMETRY_STATES; i++) {
        h->states[i][YK_TELEMETRY_STATE - 1] = 0;
        v->states[i] = h->states[i][0] ? h->states[i] : NULL;
    }
    for (size_t i = 0; i < h->streams; i++) {
        h->stream[i].name[YK_TELEMETRY_STREAM - 1] = 0;
        v->streams[i] = (struct yk_stream){h->stream[i].name, h->stream[i].channels, v->channels + channels};
        v->tape[i] = (const struct yk_tape *)(at + p.tape[i]);
        channels += h->stream[i].channels;
    }
    memcpy(v->channels, at + p.channels, channels * sizeof *v->channels);
    for (size_t i = 0; i < channels; i++)
        end_texts(&v->channels[i]);
    memcpy(v->description, at + p.description, h->description_bytes);
    v->info = (struct yk_telemetry_info){
        .title = h->title,
        .folder = h->folder,
        .description = h->description_bytes ? v->description : NULL,
        .stream_count = h->streams,
        .streams = v->streams,
        .states = v->states,
        .period_s = h->period_s,
        .steps = h->steps,
        .tracked = h->tracked,
    };
    v->board = (const struct yk_board *)(at + p.board);
}

/* Memory for copies, once the head is known to be sane. */
static enum yk_status make_room(struct yk_telemetry_view *v, struct yk_err *err)
{
    const struct places p = places_of(&v->head);

    v->message = calloc(message_words(v->head.tracked), sizeof *v->message);
    v->channels = calloc(1, p.description - p.channels);
    v->description = calloc(1, v->head.description_bytes + 1);
    return v->message && v->channels && v->description ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory");
}

enum yk_status yk_telemetry_open(struct yk_telemetry_view **view, const char *name, struct yk_err *err)
{
    struct yk_telemetry_view *v = calloc(1, sizeof *v);
    char path[80];
    enum yk_status st;

    *view = NULL;
    if (!v)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    segment_name(path, sizeof path, name);
    if ((st = yk_segment_open(&v->segment, path, sizeof v->head, false, err))) {
        free(v);
        return st;
    }
    if (!atomic_load_explicit(&((const struct head *)v->segment.at)->ready, memory_order_acquire)) {
        st = yk_fail(err, YK_E_INPUT, "telemetry '%s' is not ready yet", name);
    } else {
        memcpy(&v->head, v->segment.at, sizeof v->head);
        st = check_head(v, name, err);
    }
    if (st || (st = make_room(v, err))) {
        yk_telemetry_close(v);
        return st;
    }
    describe(v);
    *view = v;
    return YK_OK;
}

const struct yk_telemetry_info *yk_telemetry_about(const struct yk_telemetry_view *view)
{
    return &view->info;
}

/* A trip that can be put into words, whatever the memory holds. */
static void tame(struct yk_trip *trip, size_t actuators)
{
    const unsigned char *tripped = (const unsigned char *)&trip->tripped, *turns = (const unsigned char *)&trip->turns;

    trip->tripped = *tripped != 0;
    trip->turns = *turns != 0;
    trip->words[sizeof trip->words - 1] = trip->unit[sizeof trip->unit - 1] = 0;
    if ((unsigned)trip->kind >= YK_LIMITS || (unsigned)trip->action >= YK_ACTIONS ||
        (unsigned)trip->command >= YK_COMMAND_KINDS)
        trip->tripped = false;
    if (trip->actuator >= actuators)
        trip->actuator = SIZE_MAX;
    if (trip->kind == YK_LIMIT_IMPLAUSIBLE_FORCE && trip->actuator == SIZE_MAX)
        trip->tripped = false;
}

bool yk_telemetry_read(struct yk_telemetry_view *v, struct yk_telemetry_now *now, struct yk_telemetry_track *tracks)
{
    const size_t words = message_words(v->info.tracked);
    size_t length = 0;

    if (!yk_board_read(v->board, words, v->message, &length) || length != words)
        return false;
    memcpy(now, v->message, sizeof *now);
    tame(&now->trip, v->info.tracked);
    tame(&now->warning, v->info.tracked);
    if (tracks && v->info.tracked)
        memcpy(tracks, v->message + NOW_WORDS, v->info.tracked * sizeof *tracks);
    return true;
}

size_t yk_telemetry_rows(const struct yk_telemetry_view *v, size_t stream, uint64_t *next, uint64_t *lost, double *rows,
                         size_t most)
{
    return yk_tape_read(v->tape[stream], v->head.stream[stream].channels, v->head.stream[stream].rows, next, lost, rows,
                        most);
}

uint64_t yk_telemetry_written(const struct yk_telemetry_view *v, size_t stream)
{
    return yk_tape_written(v->tape[stream]);
}

size_t yk_telemetry_held(const struct yk_telemetry_view *v, size_t stream)
{
    return v->head.stream[stream].rows;
}

bool yk_telemetry_newest(const struct yk_telemetry_view *v, size_t stream, double *row)
{
    enum { TRIES = 16 };
    uint64_t lost = 0;

    for (int i = 0; i < TRIES; i++) {
        const uint64_t written = yk_telemetry_written(v, stream);
        uint64_t next = written ? written - 1 : 0;

        if (yk_telemetry_rows(v, stream, &next, &lost, row, 1))
            return true;
    }
    return false;
}

bool yk_telemetry_is_live(const struct yk_telemetry_view *view)
{
    return !yk_segment_is_cut(&view->segment) && yk_segment_has_owner(&view->segment);
}

bool yk_telemetry_view_is_cut(const struct yk_telemetry_view *view)
{
    return yk_segment_is_cut(&view->segment);
}

bool yk_telemetry_is_mine(const struct yk_telemetry_view *view)
{
    return yk_segment_is_mine(&view->segment);
}

void yk_telemetry_close(struct yk_telemetry_view *view)
{
    if (!view)
        return;
    yk_segment_close(&view->segment);
    free(view->channels);
    free(view->description);
    free(view->message);
    free(view);
}

char **yk_telemetry_list(void)
{
    glob_t found = {0};
    char **names;

    glob(FOLDER "*", 0, NULL, &found);
    names = calloc(found.gl_pathc + 1, sizeof *names);
    for (size_t i = 0; names && i < found.gl_pathc; i++)
        if (!(names[i] = strdup(found.gl_pathv[i] + strlen(FOLDER))))
            break;
    globfree(&found);
    return names;
}

void yk_telemetry_list_free(char **names)
{
    for (char **n = names; n && *n; n++)
        free(*n);
    free(names);
}
