/* Readers of telemetry. The memory is another process's: what was checked is copied, and only the copy is used. */
#include "analyze/judge.h"
#include "engine/telemetry_parts.h"

#include <glob.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <yoke/json.h>

#define FOLDER "/dev/shm/yoke-" PREFIX

enum { DESCRIPTION_MOST = 64 << 20 /* bytes */ };

struct yk_telemetry_view {
    struct yk_segment segment;
    const struct yk_board *board;
    const struct yk_tape *tape[YK_TELEMETRY_STREAMS];
    struct yk_telemetry_info info;
    struct yk_stream streams[YK_TELEMETRY_STREAMS];
    const char *states[YK_TELEMETRY_STATES + 1];
    struct head head;            /* a copy: what was checked is what is used */
    struct yk_channel *channels; /* of all streams; a copy, too */
    char *description;           /* a copy, too */
    json_t *about;               /* the description, once a name was needed */
    uint64_t *message;
};

/* Does its run go on? */
static bool is_owned(const char *name)
{
    struct yk_segment s;
    const bool owned = yk_segment_open(&s, name, 1, false, NULL) == YK_OK && yk_segment_has_owner(&s);

    yk_segment_close(&s);
    return owned;
}

/* The memory of a run: if the plain name belongs to another user, the one of this user with a random end, if any; what
 * a killed run left only where there is nothing else. */
static void find_name(char *to, size_t size, const char *name)
{
    char pattern[128];
    glob_t found = {0};

    segment_name(to, size, name);
    if (yk_segment_check_name(to, NULL) || !yk_segment_is_anothers(to))
        return;
    snprintf(pattern, sizeof pattern, FOLDER "%s" END_MARK "*", name);
    glob(pattern, 0, NULL, &found);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        const char *other = found.gl_pathv[i] + strlen(FOLDER);
        char whole[80];

        segment_name(whole, sizeof whole, other);
        if (plain_length(other) != strlen(name) || yk_segment_is_anothers(whole))
            continue;
        snprintf(to, size, "%s", whole);
        if (is_owned(whole))
            break;
    }
    globfree(&found);
}

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
        h->now_bytes != sizeof(struct yk_telemetry_posted))
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
    find_name(path, sizeof path, name);
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

/* The name of an actuator, by the description; "?" where that does not say. */
static const char *name_of(struct yk_telemetry_view *v, size_t actuator)
{
    const json_t *actuators;

    if (!v->about && v->info.description)
        v->about = yk_json_read_text(v->info.description);
    actuators = json_object_get(v->about, "actuators");
    return actuator < json_array_size(actuators) ? yk_json_text(json_array_get(actuators, actuator), "name") : "?";
}

/* A trip as readers see it. */
static void tell_trip(const struct yk_telemetry_view *v, struct yk_trip *trip, const char *const *names,
                      struct yk_telemetry_trip *told)
{
    tame(trip, v->info.tracked);
    *told = (struct yk_telemetry_trip){.tripped = trip->tripped};
    if (!trip->tripped)
        return;
    told->limit = yk_limit_key(trip->kind);
    told->action = yk_action_text(trip->action);
    told->value = trip->value;
    if (trip->actuator != SIZE_MAX)
        snprintf(told->actuator, sizeof told->actuator, "%s", names[trip->actuator]);
    yk_trip_text(trip, names, told->words, sizeof told->words);
}

/* The verdict; the memory may hold anything. */
static void tell_verdict(const struct yk_telemetry_view *v, const struct yk_telemetry_posted *posted,
                         const char *const *names, struct yk_telemetry_told *told)
{
    const bool of_one = posted->culprit >= 0 && (uint64_t)posted->culprit < v->info.tracked;
    const struct yk_reason reason = {
        .criterion = (enum yk_criterion)(posted->criterion - 1),
        .level = posted->level >= 0 && posted->level < YK_LEVELS ? (enum yk_level)posted->level : YK_LEVEL_GOOD,
        .value = posted->found,
        .bound = posted->bound,
        .actuator = of_one ? (int)posted->culprit : -1};

    told->level = yk_level_word(reason.level);
    told->reason[0] = 0;
    if (posted->criterion > 0 && posted->criterion <= YK_CRITERIA)
        yk_reason_text(&reason, names, told->reason, sizeof told->reason);
}

static void tell(struct yk_telemetry_view *v, struct yk_telemetry_posted *posted, struct yk_telemetry_told *told)
{
    const char *names[YK_TELEMETRY_TRACKED];

    for (size_t i = 0; i < YK_TELEMETRY_TRACKED; i++)
        names[i] = name_of(v, i);
    tell_trip(v, &posted->trip, names, &told->trip);
    tell_trip(v, &posted->warning, names, &told->warning);
    tell_verdict(v, posted, names, told);
}

bool yk_telemetry_read(struct yk_telemetry_view *v, struct yk_telemetry_now *now, struct yk_telemetry_track *tracks,
                       struct yk_telemetry_told *told)
{
    const size_t words = message_words(v->info.tracked);
    struct yk_telemetry_posted posted;
    size_t length = 0;

    if (!yk_board_read(v->board, words, v->message, &length) || length != words)
        return false;
    memcpy(&posted, v->message, sizeof posted);
    *now = posted.now;
    if (told)
        tell(v, &posted, told);
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
    json_decref(view->about);
    free(view->message);
    free(view);
}

char **yk_telemetry_list(void)
{
    glob_t found = {0};
    char **names;

    glob(FOLDER "*", 0, NULL, &found);
    names = calloc(found.gl_pathc + 1, sizeof *names);
    for (size_t i = 0, count = 0; names && i < found.gl_pathc; i++) {
        const char *name = found.gl_pathv[i] + strlen(FOLDER);
        const size_t length = plain_length(name);
        bool known = false;

        for (size_t k = 0; k < count; k++)
            known = known || (strlen(names[k]) == length && strncmp(names[k], name, length) == 0);
        if (!known && !(names[count++] = strndup(name, length)))
            break;
    }
    globfree(&found);
    return names;
}

void yk_telemetry_list_free(char **names)
{
    for (char **n = names; n && *n; n++)
        free(*n);
    free(names);
}
