/* A run that is watched. One lock protects what changes; nobody holds it while sending or waiting. */
#include "dash/feed.h"

#include "base/clock.h"
#include "base/json.h"
#include "dash/gauge.h"
#include "dash/history.h"
#include "engine/telemetry.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
    STREAMS = YK_TELEMETRY_STREAMS,
    HISTORY_BYTES = 256 << 20, /* of all streams; pages that are not needed are not taken */
    BLOCK_DOUBLES = 1 << 16,   /* that are read at once */
    MOST_EVENTS = 2000,
    MOST_READ = 8 << 20,     /* doubles that are read again from a recording */
    MOST_EARLIER = 64 << 20, /* doubles of a live run that are read from its recording */
    FIRST_MISSED = 1,        /* deadlines that are told; then at each doubling */
};

struct event {
    char wall[40];
    double time_s;
    char kind[16];
    char *words; /* malloc'd */
};

struct yk_feed {
    char id[600], name[80], folder[600];
    size_t stream_count;
    struct yk_stream streams[STREAMS]; /* names and channels are its own */
    size_t first_channel[STREAMS + 1]; /* number of the first channel of each stream */
    struct yk_channel *channels;
    char stream_names[STREAMS][YK_TELEMETRY_STREAM];
    double period_s[STREAMS];
    json_t *about; /* the description */
    const char **actuators;
    size_t actuator_count;
    struct yk_recording *recording; /* of a recording */
    double *block;

    pthread_mutex_t lock;
    struct yk_telemetry_view *view; /* of a live run */
    uint64_t next[STREAMS], lost;   /* on the tapes */
    struct yk_history *history[STREAMS];
    struct yk_gauges gauges;
    struct yk_telemetry_now now;
    struct yk_telemetry_track tracks[YK_TELEMETRY_TRACKED];
    bool has_now, live, gone; /* gone: ended without saying so */
    double last_time[STREAMS];
    int64_t began_ns, began_step; /* when it was first seen */
    int64_t told_missed;
    uint64_t told_lost;
    unsigned long changes;
    struct event *events;
    size_t event_count;
};

/* ---- events ---- */

static void tell(struct yk_feed *f, const char *kind, const char *words)
{
    struct event *e;

    if (f->event_count == MOST_EVENTS || !f->events)
        return;
    e = &f->events[f->event_count];
    *e = (struct event){.time_s = f->last_time[0], .words = strdup(words)};
    if (!e->words)
        return;
    yk_wall_time(e->wall, sizeof e->wall);
    snprintf(e->kind, sizeof e->kind, "%s", kind);
    f->event_count++;
    f->changes++;
}

void yk_feed_tell(struct yk_feed *f, const char *kind, const char *words)
{
    pthread_mutex_lock(&f->lock);
    tell(f, kind, words);
    pthread_mutex_unlock(&f->lock);
}

char *yk_feed_events(struct yk_feed *f, size_t *next)
{
    json_t *all = NULL, *message;
    char *text;

    pthread_mutex_lock(&f->lock);
    for (; *next < f->event_count; ++*next) {
        const struct event *e = &f->events[*next];

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

/* ---- the description ---- */

static const char *clock_of(const char *stream)
{
    return strcmp(stream, "ticks") == 0 ? "station" : "test";
}

static json_t *streams_array(const struct yk_feed *f)
{
    static const char *const words[][2] = {
        {"system", "system steps"}, {"fine", "fine steps"}, {"ticks", "control ticks"}};
    json_t *all = json_array();

    for (size_t i = 0; i < f->stream_count; i++) {
        const char *name = f->streams[i].name, *said = name;

        for (size_t k = 0; k < sizeof words / sizeof *words; k++)
            said = strcmp(words[k][0], name) == 0 ? words[k][1] : said;
        json_array_append_new(all,
                              json_pack("{s:o, s:o, s:o, s:s}", "name", yk_json_any(name), "words", yk_json_any(said),
                                        "period_s", yk_json_number(f->period_s[i]), "clock", clock_of(name)));
    }
    return all;
}

static json_t *channels_array(const struct yk_feed *f)
{
    json_t *all = json_array();

    for (size_t s = 0; s < f->stream_count; s++)
        for (size_t i = 0; i < f->streams[s].count; i++) {
            const struct yk_channel *c = &f->streams[s].channels[i];
            char key[YK_TELEMETRY_STREAM + YK_CHANNEL_NAME + 1];

            snprintf(key, sizeof key, "%s:%s", f->streams[s].name, c->name);
            json_array_append_new(all, json_pack("{s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o}", "id",
                                                 (json_int_t)(f->first_channel[s] + i), "stream", (json_int_t)s, "key",
                                                 yk_json_any(key), "name", yk_json_any(c->name), "unit",
                                                 yk_json_any(c->unit), "kind", yk_json_any(c->kind), "owner",
                                                 yk_json_any(c->owner), "words", yk_json_any(yk_channel_words(c))));
        }
    return all;
}

/* What the texts of a recording say. */
static void add_texts(struct yk_feed *f, const struct yk_recording *r)
{
    static const char *const texts[][2] = {{"method", "method"},      {"date", "started"}, {"command", "command"},
                                           {"note", "note"},          {"build", "build"},  {"experiment", "experiment"},
                                           {"host", "host"},          {"user", "user"},    {"cpu", "cpu"},
                                           {"overrides", "overrides"}};
    const char *summary = r ? yk_recording_text(r, "summary") : NULL;
    json_t *parsed = summary ? json_loads(summary, 0, NULL) : NULL;

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        json_object_set_new(f->about, texts[i][1], yk_json_any(r ? yk_recording_text(r, texts[i][0]) : NULL));
    json_object_set_new(f->about, "summary", parsed ? parsed : json_null());
}

static void set_periods(struct yk_feed *f)
{
    const double step = json_number_value(json_object_get(f->about, "step_s")),
                 substeps = json_number_value(json_object_get(f->about, "substeps")),
                 rate = json_number_value(json_object_get(f->about, "control_rate_hz"));

    for (size_t i = 0; i < f->stream_count; i++)
        f->period_s[i] = strcmp(f->streams[i].name, "ticks") == 0  ? rate > 0 ? 1 / rate : 0
                         : strcmp(f->streams[i].name, "fine") == 0 ? substeps > 0 ? step / substeps : step
                                                                   : step;
}

/* The description that the run made of itself, and what is known besides. */
static enum yk_status describe(struct yk_feed *f, const char *title, const char *description,
                               const struct yk_recording *r, struct yk_err *err)
{
    static const char *const lists[] = {"actuators", "limits", NULL};
    const json_t *actuators;
    json_t *states = json_array();

    f->about = description ? json_loads(description, 0, NULL) : NULL;
    if (!json_is_object(f->about)) {
        json_decref(f->about);
        f->about = json_object();
    }
    for (const char *const *l = lists; *l; l++)
        if (!json_is_array(json_object_get(f->about, *l)))
            json_object_set_new(f->about, *l, json_array());
    if (!json_is_object(json_object_get(f->about, "sketch")))
        json_object_set_new(f->about, "sketch",
                            json_pack("{s:[], s:[], s:[]}", "substructures", "interfaces", "loads"));
    for (int i = 0; i < YK_STATES; i++)
        json_array_append_new(states, json_string(yk_state_text((enum yk_state)i)));
    set_periods(f);
    json_object_set_new(f->about, "id", yk_json_any(f->id));
    json_object_set_new(f->about, "name", yk_json_any(f->name));
    json_object_set_new(f->about, "title", yk_json_any(title));
    json_object_set_new(f->about, "folder", yk_json_any(f->folder));
    json_object_set_new(f->about, "streams", streams_array(f));
    json_object_set_new(f->about, "channels", channels_array(f));
    json_object_set_new(f->about, "states", states);
    add_texts(f, r);
    actuators = json_object_get(f->about, "actuators");
    f->actuator_count = json_array_size(actuators);
    if (!(f->actuators = calloc(f->actuator_count + YK_TELEMETRY_TRACKED + 1, sizeof *f->actuators)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t i = 0; i < f->actuator_count + YK_TELEMETRY_TRACKED; i++)
        f->actuators[i] = i < f->actuator_count ? yk_json_text(json_array_get(actuators, i), "name") : "?";
    return yk_gauges_open(&f->gauges, f->about, f->streams, f->stream_count, err);
}

char *yk_feed_description(struct yk_feed *f)
{
    char *text;

    pthread_mutex_lock(&f->lock);
    json_object_set_new(f->about, "live", json_boolean(f->live));
    text = json_dumps(f->about, JSON_COMPACT);
    pthread_mutex_unlock(&f->lock);
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
    f->block = calloc(BLOCK_DOUBLES, sizeof *f->block);
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

    f->stream_count = count < STREAMS ? count : STREAMS;
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
        if (n > BLOCK_DOUBLES)
            return yk_fail(err, YK_E_RANGE, "%zu channels; at most %d can be shown", n, BLOCK_DOUBLES);
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
    const size_t most = BLOCK_DOUBLES / f->streams[stream].count;
    enum yk_status st = YK_OK;

    while (first < end && !st) {
        const size_t n = end - first < most ? (size_t)(end - first) : most;

        if (!(st = yk_recording_read(r, recorded, first, n, f->block, err)))
            add_rows(f, stream, f->block, n);
        first += n;
    }
    return st;
}

/* What a live run did before it was watched, where its recording has every row. */
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
        !(st = describe(f, info->title, info->description, recording, err)) && recording)
        add_earlier(f, recording);
    yk_recording_close(recording);
    if (st) {
        yk_feed_close(f);
        return st;
    }
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
    struct yk_stream streams[STREAMS];
    int numbers[STREAMS];
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
        st = describe(f, yk_recording_text(r, "title"), yk_recording_text(r, "description"), r, err);
    for (size_t i = 0; i < f->stream_count && !st; i++)
        st = add_recorded(f, r, i, numbers[i], 0, yk_recording_rows(r, numbers[i]), err);
    if (st) {
        yk_feed_close(f);
        return st;
    }
    *feed = f;
    return YK_OK;
}

void yk_feed_close(struct yk_feed *f)
{
    if (!f)
        return;
    yk_telemetry_close(f->view);
    yk_recording_close(f->recording);
    for (size_t i = 0; i < STREAMS; i++)
        yk_history_destroy(f->history[i]);
    for (size_t i = 0; i < f->event_count; i++)
        free(f->events[i].words);
    yk_gauges_close(&f->gauges);
    json_decref(f->about);
    pthread_mutex_destroy(&f->lock);
    free(f->actuators);
    free(f->channels);
    free(f->events);
    free(f->block);
    free(f);
}

/* ---- collecting ---- */

static const char *state_of(const struct yk_feed *f)
{
    return f->gone                                         ? "lost"
           : !f->has_now                                   ? "idle"
           : f->now.state >= 0 && f->now.state < YK_STATES ? yk_state_text((enum yk_state)f->now.state)
                                                           : "?";
}

static void tell_trip(struct yk_feed *f, const char *kind, const struct yk_trip *trip)
{
    char words[256];

    yk_trip_text(trip, f->actuators, words, sizeof words);
    tell(f, kind, words);
}

/* What has changed since the last look. */
static void compare(struct yk_feed *f, const struct yk_telemetry_now *now)
{
    const struct yk_telemetry_now before = f->now;
    const bool first = !f->has_now;
    char words[120];

    f->now = *now;
    f->has_now = true;
    if (first) {
        f->began_ns = now->posted_ns;
        f->began_step = now->step;
    }
    if (first || before.state != now->state)
        tell(f, "state", state_of(f));
    if (now->degraded && (first || !before.degraded))
        tell(f, "degraded", "the machine refuses real-time settings; `yoke doctor` says what to change");
    if (now->warning.tripped && (first || !before.warning.tripped))
        tell_trip(f, "warning", &now->warning);
    if (now->trip.tripped && (first || !before.trip.tripped))
        tell_trip(f, "trip", &now->trip);
    if (now->missed >= FIRST_MISSED && now->missed >= 2 * f->told_missed) {
        f->told_missed = now->missed;
        snprintf(words, sizeof words, "%lld deadlines missed so far", (long long)now->missed);
        tell(f, "missed", words);
    }
}

static void collect_rows(struct yk_feed *f)
{
    for (size_t i = 0; i < f->stream_count; i++) {
        const size_t most = BLOCK_DOUBLES / f->streams[i].count;
        size_t n;

        do {
            n = yk_telemetry_rows(f->view, i, &f->next[i], &f->lost, f->block, most);
            add_rows(f, i, f->block, n);
        } while (n == most);
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
    char words[120];

    pthread_mutex_lock(&f->lock);
    if (f->view && f->live) {
        const bool live = yk_telemetry_is_live(f->view); /* before the rows: what was written before the end is read */

        collect_rows(f);
        if (yk_telemetry_read(f->view, &now, f->tracks)) {
            compare(f, &now);
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

/* ---- the status ---- */

static json_t *trip_object(const struct yk_feed *f, const struct yk_trip *t)
{
    char words[256];

    if (!t->tripped)
        return json_null();
    yk_trip_text(t, f->actuators, words, sizeof words);
    return json_pack("{s:o, s:s, s:o, s:o, s:s}", "words", yk_json_any(words), "limit", yk_limit_key(t->kind),
                     "actuator", t->actuator == SIZE_MAX ? json_null() : yk_json_any(f->actuators[t->actuator]),
                     "value", yk_json_number(t->value), "action", yk_action_text(t->action));
}

/* The bins from the first to the last that has any. */
static json_t *lateness_object(const struct yk_telemetry_now *now)
{
    json_t *upper = json_array(), *counts = json_array();
    int first = 0, end_ = YK_TELEMETRY_OCTAVES;

    while (first < end_ && !now->lateness[first])
        first++;
    while (end_ > first && !now->lateness[end_ - 1])
        end_--;
    for (int i = first; i < end_; i++) {
        json_array_append_new(upper, json_real(1e-9 * (double)(16ull << i)));
        json_array_append_new(counts, json_integer((json_int_t)now->lateness[i]));
    }
    return json_pack("{s:o, s:o}", "upper_s", upper, "counts", counts);
}

static json_t *timing_object(const struct yk_telemetry_now *now)
{
    return json_pack("{s:b, s:o, s:f, s:f, s:f, s:f, s:I, s:o}", "paced", now->paced != 0, "period_s",
                     yk_json_number(now->beat_s), "late_s", 1e-9 * (double)now->late_ns, "took_s",
                     1e-9 * (double)now->took_ns, "largest_late_s", 1e-9 * (double)now->largest_late_ns,
                     "largest_took_s", 1e-9 * (double)now->largest_took_ns, "missed", (json_int_t)now->missed,
                     "lateness", lateness_object(now));
}

static json_t *tracking_array(const struct yk_feed *f)
{
    const size_t count = f->view ? yk_telemetry_about(f->view)->tracked : 0;
    json_t *all = json_array();

    for (size_t i = 0; i < count; i++)
        json_array_append_new(all, json_pack("{s:o, s:o, s:o, s:o, s:o}", "actuator", yk_json_any(f->actuators[i]),
                                             "nrms", yk_json_number(f->tracks[i].nrms), "delay_s",
                                             yk_json_number(f->tracks[i].delay_s), "compensated_s",
                                             yk_json_number(f->tracks[i].lead_s), "estimated_s",
                                             yk_json_number(f->tracks[i].estimated_s)));
    return all;
}

static json_t *quality_object(const struct yk_feed *f)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o}", "energy_error", yk_json_number(f->now.energy_error), "drift_u",
                     yk_json_number(f->now.drift_u), "drift_v", yk_json_number(f->now.drift_v), "error_u",
                     yk_json_number(f->now.error_u), "tracking", tracking_array(f));
}

/* Wall time to the end. */
static double time_left(const struct yk_feed *f, double steps)
{
    const double left = steps - (double)f->now.step, step_s = json_number_value(json_object_get(f->about, "step_s"));
    const double done = (double)(f->now.step - f->began_step), took = 1e-9 * (double)(f->now.posted_ns - f->began_ns);

    if (!f->live || !f->has_now || left <= 0)
        return 0;
    if (f->now.paced)
        return left * step_s * f->now.scale;
    return done > 0 ? left * took / done : (double)NAN;
}

static const char *level_of(const struct yk_feed *f)
{
    if (f->gone || (f->has_now && (f->now.trip.tripped || f->now.state == YK_STATE_TRIPPED)))
        return "bad";
    if (f->has_now && (f->now.warning.tripped || f->now.degraded))
        return "warn";
    return f->has_now && (f->now.state == YK_STATE_RUNNING || f->now.state == YK_STATE_DONE) ? "ok" : "wait";
}

static json_t *live_status(const struct yk_feed *f)
{
    const double steps = json_number_value(json_object_get(f->about, "steps"));
    const size_t ticks = f->stream_count - 1;
    const bool has_ticks = strcmp(f->streams[ticks].name, "ticks") == 0;
    char warning[256] = "";

    if (f->now.warning.tripped)
        yk_trip_text(&f->now.warning, f->actuators, warning, sizeof warning);
    return json_pack("{s:b, s:s, s:s, s:b, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:o, s:o, s:o, s:o, s:I}",
                     "live", f->live, "state", state_of(f), "level", level_of(f), "degraded", f->now.degraded != 0,
                     "step", (json_int_t)f->now.step, "steps", yk_json_number(steps), "time_s",
                     yk_json_number(f->last_time[0]), "end_s", json_incref(json_object_get(f->about, "end_s")),
                     "tick_time_s", has_ticks ? yk_json_number(f->last_time[ticks]) : json_null(), "left_s",
                     yk_json_number(time_left(f, steps)), "age_s",
                     f->has_now ? yk_json_number(1e-9 * (double)(yk_clock_now_ns() - f->now.posted_ns)) : json_null(),
                     "trip", trip_object(f, &f->now.trip), "warnings", (json_int_t)f->now.warnings, "warning",
                     *warning ? yk_json_any(warning) : json_null(), "timing", timing_object(&f->now), "quality",
                     quality_object(f), "gauges", yk_gauges_json(&f->gauges), "lost", (json_int_t)f->lost);
}

/* ---- of a recording, from its summary ---- */

static json_t *copy_of(const json_t *object, const char *key)
{
    json_t *value = json_object_get(object, key);

    return value ? json_incref(value) : json_null();
}

static json_t *recorded_trip(const json_t *summary)
{
    const json_t *trip = json_object_get(summary, "trip");

    return json_is_object(trip) ? json_pack("{s:o, s:o, s:n, s:o, s:o}", "words", copy_of(summary, "stop_reason"),
                                            "limit", copy_of(trip, "cause"), "actuator", "value",
                                            copy_of(trip, "value"), "action", copy_of(trip, "action"))
                                : json_null();
}

static json_t *recorded_tracking(json_t *summary)
{
    json_t *all = json_array(), *entry;
    const char *name;

    json_object_foreach(json_object_get(summary, "tracking"), name, entry) json_array_append_new(
        all, json_pack("{s:s, s:o, s:o, s:o, s:o}", "actuator", name, "nrms", copy_of(entry, "nrms"), "delay_s",
                       copy_of(entry, "delay_s"), "compensated_s", copy_of(entry, "delay_used_s"), "estimated_s",
                       copy_of(entry, "delay_estimated_s")));
    return all;
}

static json_t *recorded_timing(const json_t *summary)
{
    const json_t *realtime = json_object_get(summary, "realtime"), *late = json_object_get(realtime, "lateness"),
                 *timing = json_object_get(summary, "timing"), *histogram = json_object_get(late, "histogram");

    return json_pack(
        "{s:b, s:o, s:n, s:n, s:o, s:o, s:o, s:o}", "paced", json_is_object(realtime), "period_s",
        copy_of(realtime, "period_s"), "late_s", "took_s", "largest_late_s", copy_of(late, "largest_s"),
        "largest_took_s", copy_of(timing, "largest_s"), "missed", copy_of(summary, "missed_deadlines"), "lateness",
        json_is_object(histogram) ? json_incref((json_t *)histogram) : json_pack("{s:[], s:[]}", "upper_s", "counts"));
}

static json_t *recorded_status(const struct yk_feed *f)
{
    json_t *summary = json_object_get(f->about, "summary");
    const bool known = json_is_object(summary), finished = json_is_true(json_object_get(summary, "finished"));
    const char *state = known ? yk_json_text(summary, "state") : "incomplete";
    const json_t *drift = json_object_get(summary, "drift");
    json_t *realtime = json_object_get(summary, "realtime");

    return json_pack(
        "{s:b, s:s, s:s, s:b, s:o, s:o, s:o, s:o, s:n, s:f, s:n, s:o, s:o, s:o, s:o, s:{s:o, s:o, s:o, s:o, "
        "s:o}, s:o, s:i}",
        "live", false, "state", state, "level",
        !known                                                                              ? "warn"
        : json_is_object(json_object_get(summary, "trip")) || strcmp(state, "tripped") == 0 ? "bad"
        : finished                                                                          ? "ok"
                                                                                            : "warn",
        "degraded", json_is_true(json_object_get(realtime, "degraded")), "step", copy_of(summary, "steps"), "steps",
        copy_of(f->about, "steps"), "time_s", yk_json_number(f->last_time[0]), "end_s", copy_of(f->about, "end_s"),
        "tick_time_s", "left_s", 0.0, "age_s", "trip", recorded_trip(summary), "warnings", copy_of(summary, "warnings"),
        "warning", *yk_json_text(summary, "first_warning") ? copy_of(summary, "first_warning") : json_null(), "timing",
        recorded_timing(summary), "quality", "energy_error",
        copy_of(json_object_get(summary, "energy"), "error_relative"), "drift_u", copy_of(drift, "displacement"),
        "drift_v", copy_of(drift, "velocity"), "error_u",
        copy_of(json_object_get(summary, "errors"), "displacement_nrms"), "tracking", recorded_tracking(summary),
        "gauges", yk_gauges_json(&f->gauges), "lost", 0);
}

json_t *yk_feed_status(struct yk_feed *f)
{
    json_t *status;

    pthread_mutex_lock(&f->lock);
    status = f->view ? live_status(f) : recorded_status(f);
    pthread_mutex_unlock(&f->lock);
    return status;
}

/* ---- streams and channels ---- */

size_t yk_feed_streams(const struct yk_feed *f)
{
    return f->stream_count;
}

const struct yk_stream *yk_feed_stream(const struct yk_feed *f, size_t stream)
{
    return &f->streams[stream];
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
