/* Events of a recording: those that a viewer of the run would have been told. They come from the states of the control
 * ticks, from the summary and from the notes of operators. docs/dashboard-protocol.md */
#include "feed_parts.h"

#include <yoke/file.h>
#include <yoke/json.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_CHANGES = 1000, MOST_NOTE_LINES = 500 };

void yk_feed_follow_states(struct yk_feed *f, size_t stream, const double *rows, size_t count)
{
    uint32_t channel;
    size_t column;

    if (!yk_feed_state_channel(f, &channel) || yk_feed_place(f, channel, &column) != stream)
        return;
    if (!f->states && !(f->states = calloc(MOST_CHANGES, sizeof *f->states)))
        return;
    for (size_t k = 0; k < count; k++) {
        const double *row = rows + k * f->streams[stream].count;
        const int state = row[column] >= 0 && row[column] < YK_STATES ? (int)row[column] : -1;

        if (f->state_count < MOST_CHANGES && (!f->state_count || f->states[f->state_count - 1].state != state))
            f->states[f->state_count++] = (struct yk_state_change){row[0], state};
        f->station_end_s = row[0];
    }
}

/* Time that the test has advanced when the clock of the station shows `station_s`: it stands still but for `running`,
 * and its end is known. */
static double test_time(const struct yk_feed *f, double station_s)
{
    double before = 0, all = 0;

    for (size_t i = 0; i < f->state_count; i++) {
        const double from = f->states[i].time_s,
                     to = i + 1 < f->state_count ? f->states[i + 1].time_s : f->station_end_s;

        if (f->states[i].state != YK_STATE_RUNNING)
            continue;
        all += to - from;
        before += fmax(0, fmin(to, station_s) - from);
    }
    return all > 0 ? f->last_time[0] * before / all : 0;
}

/* ---- what happened ---- */

static void tell_states(struct yk_feed *f)
{
    for (size_t i = 0; i < f->state_count; i++)
        yk_feed_tell_at(f, "", test_time(f, f->states[i].time_s), "state",
                        f->states[i].state < 0 ? "?" : yk_rig_state_text((enum yk_rig_state)f->states[i].state));
}

/* Seconds of a tick on the clock of the station. */
static double tick_period(const struct yk_feed *f)
{
    for (size_t i = 0; i < f->stream_count; i++)
        if (strcmp(f->streams[i].name, "ticks") == 0)
            return f->period_s[i];
    return 0;
}

static void tell_summary(struct yk_feed *f, const json_t *summary)
{
    const json_t *events = json_object_get(summary, "events"), *event, *realtime = json_object_get(summary, "realtime");
    const json_int_t missed = json_integer_value(json_object_get(summary, "missed_deadlines"));
    char words[80];
    size_t i;

    if (json_is_true(json_object_get(realtime, "degraded")))
        yk_feed_tell_at(f, "", 0, "degraded", yk_json_text(realtime, "refused"));
    json_array_foreach(events, i, event)
    {
        const json_t *time = json_object_get(event, "time_s"), *tick = json_object_get(event, "tick");
        const char *said = yk_json_text(event, "words"), *kind = yk_json_text(event, "kind");

        yk_feed_tell_at(f, "",
                        json_is_number(time) ? json_number_value(time)
                                             : test_time(f, json_number_value(tick) * tick_period(f)),
                        *kind ? kind : "control", said);
    }
    if (missed > 0) {
        snprintf(words, sizeof words, "%lld deadline%s missed", (long long)missed, missed == 1 ? "" : "s");
        yk_feed_tell_at(f, "", f->last_time[0], "missed", words);
    }
}

static bool was_told(const struct yk_feed *f, const char *words)
{
    for (size_t i = 0; i < f->event_count; i++)
        if (strcmp(f->events[i].kind, "note") == 0 && strcmp(f->events[i].words, words) == 0)
            return true;
    return false;
}

/* Lines of notes.txt, "WALL t = 1.234 s: words": see yk_feed_note. */
static void tell_notes(struct yk_feed *f)
{
    char path[700], *line = NULL;
    size_t room = 0;
    FILE *in;

    snprintf(path, sizeof path, "%s/notes.txt", f->folder);
    if (yk_file_check(path, NULL) || !(in = fopen(path, "r")))
        return;
    for (int i = 0; i < MOST_NOTE_LINES && getline(&line, &room, in) > 0; i++) {
        char wall[40];
        double time_s = 0;
        int at = 0;

        line[strcspn(line, "\n")] = 0;
        if (sscanf(line, "%39s t = %lf s: %n", wall, &time_s, &at) < 2 || !at)
            *wall = 0, at = 0;
        if (line[at] && !was_told(f, line + at))
            yk_feed_tell_at(f, wall, isfinite(time_s) ? time_s : 0, "note", line + at);
    }
    free(line);
    fclose(in);
}

static void tell_end(struct yk_feed *f, const json_t *summary)
{
    const char *reason = yk_json_text(summary, "stop_reason");
    const bool tripped = json_is_object(json_object_get(summary, "trip"));

    yk_feed_tell_at(f, "", f->last_time[0], "end",
                    !json_is_object(summary) ? "the recording has no end: the run was killed, or still goes on"
                    : *reason && !tripped    ? reason
                                             : "the run has ended");
}

/* By time; what happened at one time stays in the order in which it was told. */
static void sort_events(struct yk_feed *f)
{
    for (size_t i = 1; i < f->event_count; i++) {
        const struct yk_event_told e = f->events[i];
        size_t k = i;

        for (; k > 0 && f->events[k - 1].time_s > e.time_s; k--)
            f->events[k] = f->events[k - 1];
        f->events[k] = e;
    }
}

void yk_feed_tell_recorded(struct yk_feed *f)
{
    const json_t *summary = json_object_get(f->about, "summary");
    const char *note = yk_json_text(f->about, "note");

    if (*note)
        yk_feed_tell_at(f, "", 0, "note", note);
    tell_states(f);
    tell_summary(f, summary);
    tell_notes(f);
    sort_events(f);
    tell_end(f, summary);
}

const char *yk_recorded_state(const json_t *summary)
{
    const char *state = yk_json_text(summary, "state");

    return !*state ? "incomplete" : strcmp(state, "running") == 0 ? "done" : state; /* without a rig nobody says so */
}
