/* A run that is watched. One lock protects what changes; nobody holds it while sending or waiting. */
#include "feed_parts.h"

#include <yoke/json.h>

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    HISTORY_BYTES = 256 << 20, /* of all streams; pages that are not needed are not taken */
    MOST_EVENTS = 2000,
    MOST_EARLIER = 64 << 20, /* doubles of a live run that are read from its recording */
    FIRST_MISSED = 1,        /* deadlines that are told; then at each doubling */
};

/* ---- events ---- */

void yk_feed_tell_at(struct yk_feed *f, const char *wall, double time_s, const char *kind, const char *words)
{
    struct yk_event_told *e;

    if (f->event_count == MOST_EVENTS || !f->events)
        return;
    e = &f->events[f->event_count];
    *e = (struct yk_event_told){.time_s = time_s, .words = strdup(words)};
    if (!e->words)
        return;
    snprintf(e->wall, sizeof e->wall, "%s", wall);
    snprintf(e->kind, sizeof e->kind, "%s", kind);
    f->event_count++;
    f->changes++;
}

static void tell(struct yk_feed *f, const char *kind, const char *words)
{
    char wall[40];

    yk_wall_time(wall, sizeof wall);
    yk_feed_tell_at(f, wall, f->last_time[0], kind, words);
}

void yk_feed_tell(struct yk_feed *f, const char *kind, const char *words)
{
    pthread_mutex_lock(&f->lock);
    tell(f, kind, words);
    pthread_mutex_unlock(&f->lock);
}

bool yk_feed_note(struct yk_feed *f, const char *words)
{
    char path[700], wall[40];
    int fd;
    bool kept = false;

    yk_feed_tell(f, "note", words);
    yk_wall_time(wall, sizeof wall);
    snprintf(path, sizeof path, "%s/notes.txt", f->folder);
    if (*f->folder && (fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666)) >= 0) {
        char line[YK_MESSAGE_NOTE + 100];

        pthread_mutex_lock(&f->lock);
        snprintf(line, sizeof line, "%s t = %.3f s: %s", wall, f->last_time[0], words);
        pthread_mutex_unlock(&f->lock);
        for (char *c = line; *c; c++)
            *c = (char)((unsigned char)*c < ' ' ? ' ' : *c);
        const size_t length = strlen(line);

        line[length] = '\n'; /* the end of a text is no part of it */
        kept = write(fd, line, length + 1) == (ssize_t)length + 1;
        kept = close(fd) == 0 && kept;
    }
    return kept;
}

char *yk_feed_events(struct yk_feed *f, size_t *next)
{
    json_t *all = NULL, *message;
    char *text;

    pthread_mutex_lock(&f->lock);
    for (; *next < f->event_count; ++*next) {
        const struct yk_event_told *e = &f->events[*next];

        if (!all)
            all = json_array();
        json_array_append_new(all,
                              json_pack("{s:s, s:o, s:s, s:o}", "wall", e->wall, "time_s", yk_json_number(e->time_s),
                                        "kind", e->kind, "words", yk_json_any(e->words)));
    }
    pthread_mutex_unlock(&f->lock);
    if (!all)
        return NULL;
    message = json_pack("{s:o}", "events", all);
    text = json_dumps(message, JSON_COMPACT);
    json_decref(message);
    return text;
}

/* ---- opening and closing ---- */

static struct yk_feed *make(const char *id, const char *name, const char *folder)
{
    struct yk_feed *f = calloc(1, sizeof *f);

    if (!f)
        return NULL;
    snprintf(f->id, sizeof f->id, "%s", id);
    snprintf(f->name, sizeof f->name, "%s", name);
    snprintf(f->folder, sizeof f->folder, "%s", folder);
    pthread_mutex_init(&f->lock, NULL);
    f->events = calloc(MOST_EVENTS, sizeof *f->events);
    f->block = calloc(YK_FEED_BLOCK, sizeof *f->block);
    if (!f->events || !f->block) {
        yk_feed_close(f);
        return NULL;
    }
    return f;
}

/* Copies names and channels of the streams, and makes their histories. */
static enum yk_status take_streams(struct yk_feed *f, const struct yk_stream *streams, size_t count, struct yk_err *err)
{
    size_t total = 0, at = 0;
    enum yk_status st;

    f->stream_count = count < YK_FEED_STREAMS ? count : YK_FEED_STREAMS;
    for (size_t i = 0; i < f->stream_count; i++)
        total += streams[i].count;
    if (!(f->channels = calloc(total + 1, sizeof *f->channels)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t i = 0; i < f->stream_count; i++) {
        const size_t n = streams[i].count;

        snprintf(f->stream_names[i], sizeof f->stream_names[i], "%s", streams[i].name);
        memcpy(f->channels + at, streams[i].channels, n * sizeof *f->channels);
        f->streams[i] = (struct yk_stream){f->stream_names[i], n, f->channels + at};
        f->first_channel[i] = at;
        at += n;
        if (n > YK_FEED_BLOCK)
            return yk_fail(err, YK_E_RANGE, "%zu channels; at most %d can be shown", n, YK_FEED_BLOCK);
        if ((st = yk_history_create(&f->history[i], n, (size_t)(HISTORY_BYTES * ((double)n / (double)total)), err)))
            return st;
    }
    f->first_channel[f->stream_count] = at;
    return YK_OK;
}

/* Rows that are new, to history and gauges. */
static void add_rows(struct yk_feed *f, size_t stream, const double *rows, size_t count)
{
    const size_t n = f->streams[stream].count;

    yk_history_add(f->history[stream], rows, count);
    for (size_t k = 0; k < count; k++)
        yk_gauges_row(&f->gauges, stream, rows + k * n);
    if (count)
        f->last_time[stream] = rows[(count - 1) * n];
}

/* Rows [first, end) of a recorded stream. */
static enum yk_status add_recorded(struct yk_feed *f, struct yk_recording *r, size_t stream, int recorded,
                                   uint64_t first, uint64_t end, struct yk_err *err)
{
    const size_t most = YK_FEED_BLOCK / f->streams[stream].count;
    enum yk_status st = YK_OK;

    while (first < end && !st) {
        const size_t n = end - first < most ? (size_t)(end - first) : most;

        if (!(st = yk_recording_read(r, recorded, first, n, f->block, err))) {
            add_rows(f, stream, f->block, n);
            yk_feed_follow_states(f, stream, f->block, n);
        }
        first += n;
    }
    return st;
}

/* Reads the beginning of a live run, before it was watched, from its recording if that has every row. */
static void add_earlier(struct yk_feed *f, struct yk_recording *r)
{
    for (size_t i = 0; i < f->stream_count; i++) {
        const int recorded = yk_recording_stream(r, f->streams[i].name);
        const uint64_t rows = recorded < 0 ? 0 : yk_recording_rows(r, recorded),
                       written = yk_telemetry_written(f->view, i);
        const size_t n = f->streams[i].count;
        uint64_t last = rows ? rows - 1 : 0, lost = 0;
        double then;

        f->next[i] = written > yk_telemetry_held(f->view, i) ? written - yk_telemetry_held(f->view, i) : 0;
        /* every n-th row may have been recorded; the same time in the same row says that none was left out */
        if (!f->next[i] || !rows || last < f->next[i] || yk_recording_channels(r, recorded) != n ||
            yk_recording_read(r, recorded, last, 1, f->block, NULL))
            continue;
        then = f->block[0];
        if (!yk_telemetry_rows(f->view, i, &last, &lost, f->block, 1) || lost || f->block[0] != then)
            continue;
        const uint64_t most = MOST_EARLIER / n, first = rows > most ? rows - most : 0;
        if (!add_recorded(f, r, i, recorded, first, rows, NULL))
            f->next[i] = rows;
    }
}

static enum yk_status open_recording_of(const char *folder, struct yk_recording **r, struct yk_err *err)
{
    char path[700];

    *r = NULL;
    if (!*folder)
        return yk_fail(err, YK_E_INPUT, "there is no recording");
    snprintf(path, sizeof path, "%s/run.h5", folder);
    return yk_recording_open(r, path, err);
}

/* Notes of the reader of the experiment file become events. */
static void tell_notes(struct yk_feed *f)
{
    const json_t *notes = json_object_get(f->about, "notes");

    for (size_t i = 0; i < json_array_size(notes); i++)
        if (json_is_string(json_array_get(notes, i)))
            tell(f, "warning", json_string_value(json_array_get(notes, i)));
}

enum yk_status yk_feed_open_live(struct yk_feed **feed, const char *name, struct yk_err *err)
{
    struct yk_telemetry_view *view;
    struct yk_recording *recording = NULL;
    char id[sizeof((struct yk_feed *)0)->id];
    struct yk_feed *f;
    enum yk_status st = yk_telemetry_open(&view, name, err);

    *feed = NULL;
    if (st)
        return st;
    const struct yk_telemetry_info *info = yk_telemetry_about(view);
    snprintf(id, sizeof id, "live:%s", name);
    if (!(f = make(id, name, info->folder ? info->folder : ""))) {
        yk_telemetry_close(view);
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    }
    f->view = view;
    f->live = true;
    open_recording_of(f->folder, &recording, NULL);
    if (!(st = take_streams(f, info->streams, info->stream_count, err)) &&
        !(st = yk_feed_describe(f, info->title, info->description, recording, err)) && recording)
        add_earlier(f, recording);
    yk_recording_close(recording);
    if (st) {
        yk_feed_close(f);
        return st;
    }
    tell_notes(f);
    yk_feed_collect(f);
    *feed = f;
    return YK_OK;
}

/* The streams of a recording, as the telemetry of a run has them. */
static size_t recorded_streams(const struct yk_recording *r, struct yk_stream *streams, int *numbers)
{
    static const char *const names[] = {"system", "fine", "ticks", NULL};
    size_t count = 0;

    for (const char *const *name = names; *name; name++) {
        const int number = yk_recording_stream(r, *name);

        if (number < 0 || !yk_recording_channels(r, number))
            continue;
        numbers[count] = number;
        streams[count++] =
            (struct yk_stream){*name, yk_recording_channels(r, number), yk_recording_channel(r, number, 0)};
    }
    return count;
}

enum yk_status yk_feed_open_recording(struct yk_feed **feed, const char *folder, const char *id, struct yk_err *err)
{
    struct yk_recording *r;
    struct yk_stream streams[YK_FEED_STREAMS];
    int numbers[YK_FEED_STREAMS];
    struct yk_feed *f;
    enum yk_status st = open_recording_of(folder, &r, err);

    *feed = NULL;
    if (st)
        return st;
    if (!(f = make(id, "", folder))) {
        yk_recording_close(r);
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    }
    f->recording = r;
    const size_t count = recorded_streams(r, streams, numbers);
    if (!(st = take_streams(f, streams, count, err)))
        st = yk_feed_describe(f, yk_recording_text(r, "title"), yk_recording_text(r, "description"), r, err);
    for (size_t i = 0; i < count && !st; i++)
        st = add_recorded(f, r, i, numbers[i], 0, yk_recording_rows(r, numbers[i]), err);
    if (st) {
        yk_feed_close(f);
        return st;
    }
    tell_notes(f);
    yk_feed_tell_recorded(f);
    *feed = f;
    return YK_OK;
}

void yk_feed_close(struct yk_feed *f)
{
    if (!f)
        return;
    yk_telemetry_close(f->view);
    yk_recording_close(f->recording);
    for (size_t i = 0; i < YK_FEED_STREAMS; i++)
        yk_history_destroy(f->history[i]);
    for (size_t i = 0; i < f->event_count; i++)
        free(f->events[i].words);
    yk_gauges_close(&f->gauges);
    json_decref(f->about);
    pthread_mutex_destroy(&f->lock);
    free(f->actuators);
    free(f->channels);
    free(f->events);
    free(f->states);
    free(f->block);
    free(f);
}

/* ---- collecting ---- */

const char *yk_feed_state(const struct yk_feed *f)
{
    return f->gone                                         ? "lost"
           : !f->has_now                                   ? "idle"
           : f->now.state >= 0 && f->now.state < YK_STATES ? yk_rig_state_text((enum yk_rig_state)f->now.state)
                                                           : "?";
}

/* Tells what has changed since the last look. */
static void compare(struct yk_feed *f, const struct yk_telemetry_now *now, const struct yk_telemetry_told *told)
{
    const struct yk_telemetry_now before = f->now;
    const bool first = !f->has_now, warned = !first && f->told.warning.tripped,
               tripped = !first && f->told.trip.tripped;
    char words[120];

    f->now = *now;
    f->told = *told;
    f->has_now = true;
    if (first) {
        f->began_ns = now->posted_ns;
        f->began_step = now->step;
    }
    if (first || before.state != now->state)
        tell(f, "state", yk_feed_state(f));
    if (now->degraded && (first || !before.degraded))
        tell(f, "degraded", "the machine refuses real-time settings; `yoke doctor` says what to change");
    if (told->warning.tripped && !warned)
        tell(f, "warning", told->warning.words);
    if (told->trip.tripped && !tripped)
        tell(f, "trip", told->trip.words);
    if (now->missed >= FIRST_MISSED && now->missed >= 2 * f->told_missed) {
        f->told_missed = now->missed;
        snprintf(words, sizeof words, "%lld deadline%s missed so far", (long long)now->missed,
                 now->missed == 1 ? "" : "s");
        tell(f, "missed", words);
    }
}

static void collect_rows(struct yk_feed *f)
{
    for (size_t i = 0; i < f->stream_count; i++) {
        const size_t most = YK_FEED_BLOCK / f->streams[i].count;
        size_t n = most;

        /* no more than there can be at once: the memory is of another process, which may count as it likes */
        for (size_t done = 0; n == most && done < yk_telemetry_held(f->view, i); done += n) {
            n = yk_telemetry_rows(f->view, i, &f->next[i], &f->lost, f->block, most);
            add_rows(f, i, f->block, n);
        }
    }
}

/* The end of a run, orderly or not. */
static void end(struct yk_feed *f)
{
    char words[120];

    f->live = false;
    f->gone = !f->has_now || !f->now.ended;
    snprintf(words, sizeof words, "%s",
             f->gone ? "the run ended without saying so: it was killed, or its memory was cut" : "the run has ended");
    tell(f, "end", words);
}

void yk_feed_collect(struct yk_feed *f)
{
    struct yk_telemetry_now now;
    struct yk_telemetry_told told;
    char words[120];

    pthread_mutex_lock(&f->lock);
    if (f->view && f->live) {
        const bool live = yk_telemetry_is_live(f->view); /* before the rows: what was written before the end is read */

        collect_rows(f);
        if (yk_telemetry_read(f->view, &now, f->tracks, &told)) {
            compare(f, &now, &told);
            yk_gauges_tracks(&f->gauges, f->tracks, yk_telemetry_about(f->view)->tracked);
        }
        if (f->lost > f->told_lost) {
            snprintf(words, sizeof words, "%llu rows were not shown: this program was too slow; the recording has them",
                     (unsigned long long)f->lost);
            tell(f, "lost", words);
            f->told_lost = 2 * f->lost;
        }
        if (!live)
            end(f);
    }
    pthread_mutex_unlock(&f->lock);
}

const char *yk_feed_id(const struct yk_feed *f)
{
    return f->id;
}

const char *yk_feed_name(const struct yk_feed *f)
{
    return f->name;
}

const char *yk_feed_folder(const struct yk_feed *f)
{
    return f->folder;
}

bool yk_feed_is_live(struct yk_feed *f)
{
    bool live;

    pthread_mutex_lock(&f->lock);
    live = f->live;
    pthread_mutex_unlock(&f->lock);
    return live;
}

unsigned long yk_feed_changes(struct yk_feed *f)
{
    unsigned long changes;

    pthread_mutex_lock(&f->lock);
    changes = f->changes;
    pthread_mutex_unlock(&f->lock);
    return changes;
}

/* ---- streams and channels ---- */

size_t yk_feed_streams(const struct yk_feed *f)
{
    return f->stream_count;
}

size_t yk_feed_channels(const struct yk_feed *f)
{
    return f->first_channel[f->stream_count];
}

size_t yk_feed_place(const struct yk_feed *f, uint32_t channel, size_t *column)
{
    size_t stream = 0;

    while (stream + 1 < f->stream_count && channel >= f->first_channel[stream + 1])
        stream++;
    *column = channel - f->first_channel[stream];
    return stream;
}

double yk_feed_limit(const struct yk_feed *f, uint32_t channel)
{
    size_t column;
    const size_t stream = yk_feed_place(f, channel, &column);

    for (size_t i = 0; i < f->gauges.count; i++) {
        const struct yk_gauge *g = &f->gauges.items[i];

        if (g->kind == YK_GAUGE_VALUE && g->stream == stream && g->column == column)
            return g->max;
    }
    return 0;
}

bool yk_feed_state_channel(const struct yk_feed *f, uint32_t *channel)
{
    for (size_t s = 0; s < f->stream_count; s++)
        for (size_t i = 0; strcmp(f->streams[s].name, "ticks") == 0 && i < f->streams[s].count; i++)
            if (strcmp(f->streams[s].channels[i].name, "state") == 0) {
                *channel = (uint32_t)(f->first_channel[s] + i);
                return true;
            }
    return false;
}

size_t yk_feed_longest(const struct yk_feed *f)
{
    size_t least = YK_MESSAGE_ROWS;

    for (size_t s = 0; s < f->stream_count; s++) {
        const size_t room = yk_history_room(f->history[s]) / 4 * 3; /* the rest comes while it is being looked at */

        least = room < least ? room : least;
    }
    return least;
}
