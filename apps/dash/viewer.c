/* A viewer. The page's messages change its wishes under a lock; each round of sending works through them. */
#include "viewer.h"
#include "scope.h"

#include <yoke/clock.h>
#include <yoke/control.h>
#include <yoke/json.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { STREAMS = 4, HISTORIES = 16, OUTBOX = 64, STATUS_NS = 200000000, VERSION = 1 };
enum { CALLS = 4, ANSWER = 4096, CALL_S = 4000 }; /* to a console: at the same time; bytes at once; longest */

/* A line that a console is carrying out. */
struct call {
    bool open;
    int fd;
    uint32_t request;
    int64_t since_ns;
    char text[ANSWER]; /* a line of the answer that is not complete */
    size_t used;
};

struct yk_viewer {
    struct yk_viewer_settings with;
    pthread_mutex_t lock;

    /* requests of the page */
    uint32_t *channels[STREAMS]; /* of the subscription, by stream */
    size_t count[STREAMS];
    double window_s;
    size_t points;
    bool fresh[STREAMS]; /* the window is still to be sent */
    struct yk_message histories[HISTORIES];
    size_t history_count, history_stream; /* which stream of the first one is next */
    struct yk_scope scope;
    enum yk_scope_state scope_told;
    struct call calls[CALLS];
    char *outbox[OUTBOX];
    size_t outbox_count;

    /* state of the sender */
    struct yk_cursor cursor[STREAMS];
    size_t stream, next_event; /* of this round */
    bool greeted, scoped;      /* looked at the scope in this round */
    int64_t status_ns;
    unsigned long changes;
};

/* ---- what is said in texts; with the lock held ---- */

static void post(struct yk_viewer *v, json_t *message)
{
    char *text = message ? json_dumps(message, JSON_COMPACT) : NULL;

    json_decref(message);
    if (text && v->outbox_count < OUTBOX)
        v->outbox[v->outbox_count++] = text;
    else
        free(text); /* a page that asks faster than it reads */
}

static void complain(struct yk_viewer *v, uint32_t request, const char *words)
{
    post(v, json_pack("{s:{s:I, s:o}}", "error", "request", (json_int_t)request, "words", yk_json_any(words)));
}

static void tell_scope(struct yk_viewer *v, const char *state)
{
    post(v, json_pack("{s:{s:I, s:s, s:o}}", "scope", "request", (json_int_t)v->scope.request, "state", state, "time_s",
                      v->scope.state == YK_SCOPE_TRIGGERED || strcmp(state, "captured") == 0
                          ? yk_json_number(yk_feed_row_time(v->with.feed, v->scope.stream, v->scope.trigger))
                          : json_null()));
    v->scope_told = v->scope.state;
}

/* ---- messages from the page; with the lock held ---- */

static void clear_subscription(struct yk_viewer *v)
{
    for (size_t s = 0; s < STREAMS; s++) {
        free(v->channels[s]);
        v->channels[s] = NULL;
        v->count[s] = 0;
        v->fresh[s] = false;
    }
}

/* The channels of a list that belong to a stream; malloc'd, NULL if there is none. */
static uint32_t *of_stream(const struct yk_viewer *v, const struct yk_message *m, size_t stream, size_t *count)
{
    uint32_t *all = calloc(m->channel_count + 1, sizeof *all);
    size_t column;

    *count = 0;
    for (size_t i = 0; all && i < m->channel_count; i++)
        if (yk_feed_place(v->with.feed, m->channels[i], &column) == stream)
            all[(*count)++] = m->channels[i];
    if (*count)
        return all;
    free(all);
    return NULL;
}

static bool knows(const struct yk_viewer *v, const struct yk_message *m)
{
    for (size_t i = 0; i < m->channel_count; i++)
        if (m->channels[i] >= yk_feed_channels(v->with.feed))
            return false;
    return true;
}

static void subscribe(struct yk_viewer *v, const struct yk_message *m)
{
    clear_subscription(v);
    v->window_s = m->window_s;
    v->points = m->points;
    for (size_t s = 0; s < yk_feed_streams(v->with.feed); s++) {
        v->channels[s] = of_stream(v, m, s, &v->count[s]);
        v->fresh[s] = v->count[s] > 0;
    }
}

static void remember(struct yk_viewer *v, struct yk_message *m)
{
    if (v->history_count == HISTORIES) {
        complain(v, m->request, "too many requests at the same time");
        return;
    }
    v->histories[v->history_count++] = *m;
    *m = (struct yk_message){0};
}

static void arm(struct yk_viewer *v, struct yk_message *m)
{
    struct yk_err err = {0};

    if (yk_scope_arm(&v->scope, v->with.feed, m, &err))
        complain(v, m->request, yk_err_line(&err).text);
    tell_scope(v, yk_scope_state_text(v->scope.state));
}

/* Waits for the answer of the run: without the lock. */
static void control(struct yk_viewer *v, const struct yk_message *m)
{
    char answer[256] = "", words[300];
    bool accepted = false;

    if (!v->with.ask)
        snprintf(answer, sizeof answer, "this dashboard only shows; it was started with --read-only");
    else if (!m->confirmed)
        snprintf(answer, sizeof answer, "%s was not confirmed", m->word);
    else if (!yk_feed_is_live(v->with.feed))
        snprintf(answer, sizeof answer, "the run has ended");
    else if (!(accepted = v->with.ask(yk_feed_name(v->with.feed), m->word, v->with.role, answer, sizeof answer)))
        snprintf(answer, sizeof answer, "the run does not answer");
    answer[strcspn(answer, "\n")] = 0;
    if (accepted) {
        snprintf(words, sizeof words, "%s, from the dashboard", m->word);
        yk_feed_tell(v->with.feed, "control", words);
    }
    pthread_mutex_lock(&v->lock);
    post(v, json_pack("{s:{s:I, s:s, s:b, s:o}}", "control", "request", (json_int_t)m->request, "word", m->word,
                      "accepted", accepted, "words", yk_json_any(answer)));
    pthread_mutex_unlock(&v->lock);
}

/* ---- lines for a console ---- */

static void answer_line(struct yk_viewer *v, uint32_t request, const char *words)
{
    post(v, json_pack("{s:{s:I, s:[o], s:i}}", "console", "request", (json_int_t)request, "lines", yk_json_any(words),
                      "code", 2));
}

/* Connects without the lock; only the side of the page makes calls. */
static void call(struct yk_viewer *v, const struct yk_message *m)
{
    struct call *c = v->calls;
    char words[200];
    int fd = -1;

    pthread_mutex_lock(&v->lock);
    while (c < v->calls + CALLS && c->open)
        c++;
    pthread_mutex_unlock(&v->lock);
    const bool free_place = c < v->calls + CALLS, live = yk_feed_is_live(v->with.feed);

    if (v->with.call && live && free_place &&
        (fd = v->with.call(yk_feed_name(v->with.feed), m->text, v->with.role)) >= 0) {
        snprintf(words, sizeof words, "console: %.150s, from the dashboard", m->text);
        yk_feed_tell(v->with.feed, "control", words);
    }
    pthread_mutex_lock(&v->lock);
    if (fd >= 0)
        *c = (struct call){.open = true, .fd = fd, .request = m->request, .since_ns = yk_clock_now_ns()};
    else
        answer_line(v, m->request,
                    !v->with.call ? "refused: this dashboard only shows; it was started with --read-only"
                    : !live       ? "refused: the run has ended"
                    : !free_place ? "busy: too many lines of this page are being carried out"
                                  : "failed: the console does not answer");
    pthread_mutex_unlock(&v->lock);
}

/* Takes the complete lines of what was read; true after the last one, whose number is `code`. */
static bool take_lines(struct call *c, json_t *lines, int *code)
{
    char *end;

    while ((end = memchr(c->text, '\n', c->used))) {
        const size_t length = (size_t)(end - c->text) + 1;
        const bool last = strncmp(c->text, YK_CONSOLE_END, strlen(YK_CONSOLE_END)) == 0;

        *end = 0;
        if (last)
            *code = (int)strtol(c->text + strlen(YK_CONSOLE_END), NULL, 10);
        else
            json_array_append_new(lines, yk_json_any(c->text));
        c->used -= length;
        memmove(c->text, end + 1, c->used);
        if (last)
            return true;
    }
    return false;
}

/* The answers of a console since the last round; with the lock held. */
static void hear(struct yk_viewer *v, struct call *c)
{
    json_t *lines = json_array();
    int code = 1;
    const ssize_t got = recv(c->fd, c->text + c->used, sizeof c->text - c->used, MSG_DONTWAIT);

    c->used += got > 0 ? (size_t)got : 0;
    bool over = take_lines(c, lines, &code);

    if (!over && (got == 0 || c->used == sizeof c->text || yk_clock_now_ns() - c->since_ns > CALL_S * 1000000000LL)) {
        json_array_append_new(lines, json_string("failed: the console did not finish its answer"));
        over = true;
    }
    if (over || json_array_size(lines))
        post(v, json_pack("{s:{s:I, s:O, s:o}}", "console", "request", (json_int_t)c->request, "lines", lines, "code",
                          over ? json_integer(code) : json_null()));
    json_decref(lines);
    if (over) {
        close(c->fd);
        c->open = false;
    }
}

void yk_viewer_take(struct yk_viewer *v, const char *text, size_t size)
{
    struct yk_message m;
    struct yk_err err = {0};
    const enum yk_status st = yk_message_parse(&m, text, size, &err);

    if (!st && (m.kind == YK_MESSAGE_CONTROL || m.kind == YK_MESSAGE_CONSOLE)) {
        (m.kind == YK_MESSAGE_CONTROL ? control : call)(v, &m);
        yk_message_free(&m);
        return;
    }
    pthread_mutex_lock(&v->lock);
    if (st)
        complain(v, m.request, yk_err_line(&err).text);
    else if (!knows(v, &m))
        complain(v, m.request, "there is no channel with that number");
    else if (m.kind == YK_MESSAGE_SUBSCRIBE)
        subscribe(v, &m);
    else if (m.kind == YK_MESSAGE_HISTORY)
        remember(v, &m);
    else if (m.kind == YK_MESSAGE_SCOPE)
        arm(v, &m);
    else if (m.kind == YK_MESSAGE_NOTED && !v->with.ask)
        complain(v, m.request, "this dashboard only shows; it was started with --read-only");
    else if (m.kind == YK_MESSAGE_NOTED && !yk_feed_note(v->with.feed, m.text))
        complain(v, m.request, "the note is shown, but could not be written beside the recording");
    else if (m.kind == YK_MESSAGE_PING)
        post(v, json_pack("{s:{s:I}}", "pong", "request", (json_int_t)m.request));
    pthread_mutex_unlock(&v->lock);
    yk_message_free(&m);
}

/* ---- what is sent; with the lock held ---- */

static void *greeting(struct yk_viewer *v, size_t *size)
{
    json_t *hello = json_pack("{s:{s:i, s:s, s:i, s:I}}", "hello", "version", VERSION, "id", yk_feed_id(v->with.feed),
                              "frame_rate_hz", 30, "longest_capture", (json_int_t)yk_feed_longest(v->with.feed));
    char *text = hello ? json_dumps(hello, JSON_COMPACT) : NULL;

    json_decref(hello);
    *size = text ? strlen(text) : 0;
    return text;
}

/* Now and then, and when something has changed. */
static void *status(struct yk_viewer *v, size_t *size)
{
    const int64_t now = yk_clock_now_ns();
    const unsigned long changes = yk_feed_changes(v->with.feed);
    json_t *message;
    char *text;

    if (v->status_ns && now - v->status_ns < STATUS_NS && changes == v->changes)
        return NULL;
    v->status_ns = now;
    v->changes = changes;
    message = json_pack("{s:o}", "status", yk_feed_status(v->with.feed));
    text = message ? json_dumps(message, JSON_COMPACT) : NULL;
    json_decref(message);
    *size = text ? strlen(text) : 0;
    return text;
}

static void *texts(struct yk_viewer *v, size_t *size)
{
    char *text = NULL;

    if (!v->greeted) {
        v->greeted = true;
        return greeting(v, size);
    }
    for (size_t i = 0; i < CALLS && v->outbox_count < OUTBOX / 2; i++)
        if (v->calls[i].open)
            hear(v, &v->calls[i]);
    if (v->outbox_count) {
        text = v->outbox[0];
        memmove(v->outbox, v->outbox + 1, --v->outbox_count * sizeof *v->outbox);
    } else if (!(text = yk_feed_events(v->with.feed, &v->next_event))) {
        return status(v, size);
    }
    *size = strlen(text);
    return text;
}

static void *scope(struct yk_viewer *v, size_t *size)
{
    void *frame;

    if (v->scoped || v->scope.state == YK_SCOPE_IDLE)
        return NULL;
    v->scoped = true;
    frame = yk_scope_poll(&v->scope, v->with.feed, size);
    if (frame && v->scope.wish.mode != YK_SCOPE_ROLL)
        tell_scope(v, "captured");
    if (v->scope.state != v->scope_told || (frame && v->scope.wish.mode == YK_SCOPE_NORMAL))
        tell_scope(v, yk_scope_state_text(v->scope.state));
    return frame;
}

/* The answer to the first request for history, stream by stream. */
static void *history(struct yk_viewer *v, size_t *size)
{
    while (v->history_count) {
        struct yk_message *m = &v->histories[0];

        while (v->history_stream < yk_feed_streams(v->with.feed)) {
            size_t count;
            const size_t stream = v->history_stream++;
            uint32_t *channels = of_stream(v, m, stream, &count);
            void *frame = channels ? yk_feed_between(v->with.feed, stream, m, channels, count, size) : NULL;

            free(channels);
            if (frame)
                return frame;
        }
        v->history_stream = 0;
        yk_message_free(m);
        memmove(v->histories, v->histories + 1, --v->history_count * sizeof *v->histories);
    }
    return NULL;
}

/* The subscription, stream by stream. */
static void *stream(struct yk_viewer *v, size_t *size)
{
    while (v->stream < yk_feed_streams(v->with.feed)) {
        const size_t s = v->stream++;
        void *frame = NULL;

        if (v->fresh[s])
            frame = yk_feed_window(v->with.feed, s, v->channels[s], v->count[s], v->window_s, v->points, &v->cursor[s],
                                   size);
        else if (v->count[s])
            frame = yk_feed_append(v->with.feed, s, v->channels[s], v->count[s], &v->cursor[s], size);
        v->fresh[s] = false;
        if (frame)
            return frame;
    }
    return NULL;
}

void *yk_viewer_next(struct yk_viewer *v, size_t *size, bool *is_text)
{
    void *what;

    pthread_mutex_lock(&v->lock);
    *is_text = (what = texts(v, size));
    if (!what && !(what = scope(v, size)) && !(what = history(v, size)) && !(what = stream(v, size))) {
        v->stream = 0; /* the round is complete */
        v->scoped = false;
    }
    pthread_mutex_unlock(&v->lock);
    return what;
}

/* ---- beginning and end ---- */

struct yk_viewer *yk_viewer_create(const struct yk_viewer_settings *settings)
{
    struct yk_viewer *v = calloc(1, sizeof *v);

    if (!v)
        return NULL;
    v->with = *settings;
    pthread_mutex_init(&v->lock, NULL);
    return v;
}

void yk_viewer_destroy(struct yk_viewer *v)
{
    if (!v)
        return;
    clear_subscription(v);
    yk_scope_clear(&v->scope);
    for (size_t i = 0; i < v->history_count; i++)
        yk_message_free(&v->histories[i]);
    for (size_t i = 0; i < CALLS; i++) /* the orders go on */
        if (v->calls[i].open)
            close(v->calls[i].fd);
    for (size_t i = 0; i < v->outbox_count; i++)
        free(v->outbox[i]);
    pthread_mutex_destroy(&v->lock);
    free(v);
}
