/* Telemetry in shared memory: a head that never changes, the channels, and a board with the newest row. */
#include "engine/telemetry.h"
#include "base/clock.h"

#include "base/board.h"
#include "base/segment.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PREFIX "telemetry-"
#define FOLDER "/dev/shm/yoke-" PREFIX

enum { NOW_WORDS = sizeof(struct yk_telemetry_now) / sizeof(uint64_t) };
_Static_assert(NOW_WORDS * sizeof(uint64_t) == sizeof(struct yk_telemetry_now), "made of 64-bit words");

/* The first bytes of the segment; every field has the same place on every machine. */
struct head {
    char magic[8];
    uint32_t version, bytes; /* of the layout; of this head */
    uint64_t channels, channel_bytes, board_at;
    int64_t steps;
    double period_s;
    char title[YK_TELEMETRY_TITLE];
    char states[YK_TELEMETRY_STATES][YK_TELEMETRY_STATE];
    _Atomic uint32_t ready; /* set last */
};
static const char magic[8] = "YOKETEL";

struct yk_telemetry {
    struct yk_segment segment;
    struct yk_board *board;
    size_t count;
    uint64_t *message;
};

struct yk_telemetry_view {
    struct yk_segment segment;
    const struct yk_board *board;
    struct yk_telemetry_info info;
    const char *states[YK_TELEMETRY_STATES + 1];
    struct head head;            /* a copy: what was checked is what is used */
    struct yk_channel *channels; /* likewise */
    uint64_t *message;
};

/* Where the board begins behind `count` channels. */
static size_t board_at(size_t count)
{
    return (sizeof(struct head) + count * sizeof(struct yk_channel) + 63) / 64 * 64;
}

static size_t message_words(size_t count)
{
    return NOW_WORDS + count;
}

/* "telemetry-<name>"; segment.c refuses what is too long. */
static void segment_name(char *to, size_t size, const char *name)
{
    snprintf(to, size, PREFIX "%s", name);
}

/* ---- the writer ---- */

static void fill_head(struct head *h, const struct yk_telemetry_info *info)
{
    memcpy(h->magic, magic, sizeof magic);
    h->version = YK_TELEMETRY_VERSION;
    h->bytes = sizeof *h;
    h->channels = info->count;
    h->channel_bytes = sizeof(struct yk_channel);
    h->board_at = board_at(info->count);
    h->steps = info->steps;
    h->period_s = info->period_s;
    snprintf(h->title, sizeof h->title, "%s", info->title ? info->title : "");
    for (int i = 0; info->states && i < YK_TELEMETRY_STATES && info->states[i]; i++)
        snprintf(h->states[i], sizeof h->states[i], "%s", info->states[i]);
    if (info->count)
        memcpy(h + 1, info->channels, info->count * sizeof *info->channels);
    atomic_store_explicit(&h->ready, 1, memory_order_release);
}

enum yk_status yk_telemetry_create(struct yk_telemetry **telemetry, const char *name,
                                   const struct yk_telemetry_info *info, struct yk_err *err)
{
    const size_t words = message_words(info->count);
    struct yk_telemetry *t;
    char path[80];
    enum yk_status st;

    *telemetry = NULL;
    if (info->count > YK_TELEMETRY_CHANNELS)
        return yk_fail(err, YK_E_RANGE, "telemetry: %zu channels; at most %d", info->count, YK_TELEMETRY_CHANNELS);
    t = calloc(1, sizeof *t);
    if (!t || !(t->message = calloc(words, sizeof *t->message))) {
        free(t);
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    }
    segment_name(path, sizeof path, name);
    st = yk_segment_create(&t->segment, path, board_at(info->count) + yk_board_size(words), 0644, err);
    if (st) {
        free(t->message);
        free(t);
        return yk_fail_within(err, YK_NOWHERE, "telemetry: ");
    }
    t->count = info->count;
    t->board = (struct yk_board *)((char *)t->segment.at + board_at(info->count));
    fill_head(t->segment.at, info);
    *telemetry = t;
    return YK_OK;
}

YK_RT void yk_telemetry_post(struct yk_telemetry *t, const struct yk_telemetry_now *now, const double *row)
{
    struct yk_telemetry_now stamped = *now;

    stamped.posted_ns = yk_clock_now_ns();
    memcpy(t->message, &stamped, sizeof stamped);
    memcpy(t->message + NOW_WORDS, row, t->count * sizeof *row);
    yk_board_post(t->board, message_words(t->count), t->message, message_words(t->count));
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

/* Is it what this version writes, and does everything lie inside? */
static enum yk_status check_head(const struct yk_telemetry_view *v, const char *name, struct yk_err *err)
{
    const struct head *h = &v->head;

    if (memcmp(h->magic, magic, sizeof magic) != 0)
        return yk_fail(err, YK_E_INPUT, "'%s' is not telemetry of Yoke", name);
    if (h->version != YK_TELEMETRY_VERSION || h->bytes != sizeof *h || h->channel_bytes != sizeof(struct yk_channel))
        return yk_fail(err, YK_E_UNSUPPORTED, "telemetry '%s' has version %u; this program reads version %d", name,
                       h->version, YK_TELEMETRY_VERSION);
    if (h->channels > YK_TELEMETRY_CHANNELS || h->board_at != board_at(h->channels) ||
        v->segment.size < h->board_at + yk_board_size(message_words(h->channels)))
        return yk_fail(err, YK_E_INPUT, "telemetry '%s' is damaged", name);
    return YK_OK;
}

static void describe(struct yk_telemetry_view *v)
{
    struct head *h = &v->head;

    h->title[sizeof h->title - 1] = 0;
    for (int i = 0; i < YK_TELEMETRY_STATES; i++) {
        h->states[i][YK_TELEMETRY_STATE - 1] = 0;
        v->states[i] = h->states[i][0] ? h->states[i] : NULL;
    }
    memcpy(v->channels, (const char *)v->segment.at + sizeof *h, h->channels * sizeof *v->channels);
    for (size_t i = 0; i < h->channels; i++) {
        struct yk_channel *c = &v->channels[i];

        c->name[sizeof c->name - 1] = c->unit[sizeof c->unit - 1] = c->kind[sizeof c->kind - 1] = 0;
        c->owner[sizeof c->owner - 1] = c->long_name[sizeof c->long_name - 1] = 0;
    }
    v->info = (struct yk_telemetry_info){
        .title = h->title,
        .count = h->channels,
        .channels = v->channels,
        .states = v->states,
        .period_s = h->period_s,
        .steps = h->steps,
    };
    v->board = (const struct yk_board *)((const char *)v->segment.at + h->board_at);
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
    if (!st && (!(v->message = calloc(message_words(v->head.channels), sizeof *v->message)) ||
                !(v->channels = calloc(v->head.channels + 1, sizeof *v->channels))))
        st = yk_fail(err, YK_E_MEMORY, "out of memory");
    if (st) {
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

bool yk_telemetry_read(struct yk_telemetry_view *v, struct yk_telemetry_now *now, double *row)
{
    const size_t words = message_words(v->info.count);
    size_t length = 0;

    if (!yk_board_read(v->board, words, v->message, &length) || length != words)
        return false;
    memcpy(now, v->message, sizeof *now);
    memcpy(row, v->message + NOW_WORDS, v->info.count * sizeof *row);
    return true;
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
