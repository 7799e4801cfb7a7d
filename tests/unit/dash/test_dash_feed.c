/* A watched run: what viewers get is what the run wrote, and a spike of one sample is neither hidden nor missed. */
#include "support/check.h"
#include "support/own_shm.h"
#include "support/patience.h"
#include "support/scratch.h"

#include "base/tape.h"
#include "dash/feed.h"
#include "dash/scope.h"
#include "dash/viewer.h"
#include "engine/telemetry.h"

#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { SYSTEM = 2, TICKS = 5 };
#define DESCRIPTION                                                                                                    \
    "{\"step_s\": 0.01, \"end_s\": 100, \"steps\": 10000, \"substeps\": 1, \"control_rate_hz\": 1000, \"scale\": 1,"   \
    " \"actuators\": [{\"name\": \"a1\", \"limits\": [{\"limit\": \"force\", \"words\": \"force\", \"unit\": \"N\","   \
    " \"max\": 50, \"action\": \"ramp\"}, {\"limit\": \"command_rate\", \"words\": \"rate of the command\", \"unit\":" \
    " \"m/s\", \"max\": 4, \"action\": \"hold\"}]}], \"limits\": [], \"notes\": [\"quake.at2 names no unit\"]}"

static const struct yk_channel system_channels[SYSTEM] = {{.name = "time", .unit = "s"},
                                                          {.name = "frame.x.u", .unit = "m"}};
static const struct yk_channel tick_channels[TICKS] = {{.name = "time", .unit = "s"},
                                                       {.name = "state"},
                                                       {.name = "a1.sent", .unit = "m"},
                                                       {.name = "a1.displacement", .unit = "m"},
                                                       {.name = "a1.force", .unit = "N"}};
static const struct yk_stream streams[] = {{"system", SYSTEM, system_channels}, {"ticks", TICKS, tick_channels}};
static const uint32_t FORCE = SYSTEM + 4, STATE = SYSTEM + 1, SENT = SYSTEM + 2;

static char name[64];
static struct yk_telemetry *telemetry;
static struct yk_feed *feed;
static uint64_t tick;

static struct yk_telemetry_info info(void)
{
    return (struct yk_telemetry_info){.title = "a <script>alert(1)</script> run",
                                      .description = DESCRIPTION,
                                      .stream_count = 2,
                                      .streams = streams,
                                      .period_s = 0.01,
                                      .steps = 10000,
                                      .tracked = 1};
}

static void post_with(struct yk_telemetry_now now, struct yk_trip trip)
{
    now.paced = 1;
    now.scale = 1;
    yk_telemetry_post(telemetry, &(struct yk_telemetry_posted){.now = now, .trip = trip},
                      &(struct yk_telemetry_track){.nrms = 0.02, .delay_s = 1e-3});
}

static void post(struct yk_telemetry_now now)
{
    post_with(now, (struct yk_trip){0});
}

/* One control tick, and a system step at every tenth. */
static void run_tick(double force)
{
    const double row[TICKS] = {1e-3 * (double)tick, 3, 1e-3 * (double)(tick % 2), 0, force};

    yk_telemetry_row(telemetry, 1, row);
    if (tick % 10 == 0)
        yk_telemetry_row(telemetry, 0, (const double[]){1e-3 * (double)tick, 5});
    tick++;
}

static int begin(void **state)
{
    const struct yk_telemetry_info about = info();

    tick = 0;
    snprintf(name, sizeof name, "feed-%d", (int)getpid());
    assert_ok(yk_telemetry_create(&telemetry, name, &about, &err));
    post((struct yk_telemetry_now){.state = YK_STATE_RUNNING});
    assert_ok(yk_feed_open_live(&feed, name, &err));
    return 0;
}

static int end(void **state)
{
    yk_telemetry_destroy(telemetry);
    yk_feed_close(feed);
    telemetry = NULL;
    feed = NULL;
    return 0;
}

/* ---- frames ---- */

struct got {
    uint32_t word[8];
    double *time, *values;
    void *bytes;
};

static struct got read_frame(void *bytes, const size_t *size)
{
    struct got g = {.bytes = bytes};

    assert_non_null(bytes);
    memcpy(g.word, bytes, sizeof g.word);
    g.time = (double *)((char *)bytes + 32 + 8 * ((g.word[4] + 1) / 2));
    g.values = g.time + g.word[5];
    assert_int_equal(*size, (char *)(g.values + g.word[4] * (g.word[6] > 1 ? 2 : 1) * g.word[5]) - (char *)bytes);
    return g;
}

static void a_window_and_what_is_appended_are_all_rows(void **state)
{
    struct yk_cursor cursor;
    size_t size, seen = 0;
    double next = 0;

    for (int k = 0; k < 500; k++)
        run_tick(k);
    yk_feed_collect(feed);
    struct got g = read_frame(yk_feed_window(feed, 1, &FORCE, 1, 5, 8000, &cursor, &size), &size);
    for (int round = 0;; round++) {
        assert_int_equal(g.word[6], 1);
        for (uint32_t j = 0; j < g.word[5]; j++, next++)
            assert_true(g.values[j] == next && g.time[j] == 1e-3 * next);
        seen += g.word[5];
        free(g.bytes);
        if (round == 10)
            break;
        for (int k = 0; k < 33; k++)
            run_tick((double)tick);
        yk_feed_collect(feed);
        g = read_frame(yk_feed_append(feed, 1, &FORCE, 1, &cursor, &size), &size);
        assert_int_equal(g.word[1], YK_FRAME_APPEND);
    }
    assert_int_equal(seen, 500 + 10 * 33);
    assert_null(yk_feed_append(feed, 1, &FORCE, 1, &cursor, &size));
}

static void a_spike_of_one_sample_is_seen_at_every_zoom(void **state)
{
    enum { ROWS = 300000, SPIKE = 123456 };
    const size_t points[] = {100, 1000, 8000};
    size_t size;

    for (int k = 0; k < ROWS; k++) {
        run_tick(k == SPIKE ? 42 : 0);
        if (k % 1000 == 0)
            yk_feed_collect(feed);
    }
    yk_feed_collect(feed);
    for (size_t i = 0; i < 3; i++) {
        struct yk_cursor cursor;
        double largest = 0;
        struct got g = read_frame(yk_feed_window(feed, 1, &FORCE, 1, 300, points[i], &cursor, &size), &size);

        assert_true(g.word[5] <= points[i] + 1);
        for (uint32_t j = 0; j < g.word[5]; j++)
            largest = fmax(largest, g.values[g.word[5] + j]);
        assert_true(largest == 42);
        free(g.bytes);
        const struct yk_message wish = {.from_s = 100, .to_s = 200, .points = points[i], .request = 8};
        g = read_frame(yk_feed_between(feed, 1, &wish, &FORCE, 1, &size), &size);
        assert_int_equal(g.word[3], 8);
        largest = 0;
        for (uint32_t j = 0; j < g.word[5]; j++)
            largest = fmax(largest, g.values[g.word[5] + j]);
        assert_true(largest == 42);
        assert_true(g.time[0] <= 100 && g.time[g.word[5] - 1] >= 199);
        free(g.bytes);
    }
}

/* ---- the scope ---- */

static void arm(struct yk_scope *s, struct yk_scope_wish wish)
{
    struct yk_message m = {.request = 5, .scope = wish, .channels = malloc(sizeof *m.channels), .channel_count = 1};

    assert_non_null(m.channels);
    m.channels[0] = FORCE;
    assert_ok(yk_scope_arm(s, feed, &m, &err));
    yk_message_free(&m);
}

static void the_scope_catches_a_spike_of_one_sample(void **state)
{
    struct yk_scope s = {0};
    size_t size;
    void *frame = NULL;

    for (int k = 0; k < 1000; k++)
        run_tick(0);
    yk_feed_collect(feed);
    arm(&s, (struct yk_scope_wish){.mode = YK_SCOPE_SINGLE,
                                   .trigger = YK_TRIGGER_EDGE,
                                   .channel = FORCE,
                                   .level = 10,
                                   .pre = 50,
                                   .length = 200});
    for (int k = 0; k < 5000 && !frame; k++) {
        run_tick(tick == 3333 ? 11 : 0);
        if (k % 37 == 0) {
            yk_feed_collect(feed);
            frame = yk_scope_poll(&s, feed, &size);
        }
    }
    struct got g = read_frame(frame, &size);
    assert_int_equal(g.word[1], YK_FRAME_CAPTURE);
    assert_int_equal(g.word[3], 5);
    assert_int_equal(g.word[5], 200);
    assert_int_equal(g.word[6], 1);
    assert_int_equal(g.word[7], 50);
    for (uint32_t j = 0; j < 200; j++) {
        assert_true(g.values[j] == (j == 50 ? 11 : 0));
        assert_near(g.time[j], 1e-3 * (3333 - 50 + j), 1e-12);
    }
    assert_int_equal(s.state, YK_SCOPE_IDLE);
    free(frame);
    yk_scope_clear(&s);
}

static void triggers_are_what_they_are_called(void **state)
{
    struct yk_scope s = {.wish = {.trigger = YK_TRIGGER_EDGE, .level = 1, .slope = YK_SLOPE_RISE}, .limit = 50};

    assert_true(yk_scope_triggers(&s, 0, 1));
    assert_false(yk_scope_triggers(&s, 1, 2));
    assert_false(yk_scope_triggers(&s, 2, 0));
    s.wish.slope = YK_SLOPE_FALL;
    assert_true(yk_scope_triggers(&s, 2, 0));
    assert_false(yk_scope_triggers(&s, 0, 2));
    s.wish.slope = YK_SLOPE_EITHER;
    assert_true(yk_scope_triggers(&s, 0, 2) && yk_scope_triggers(&s, 2, 0));
    s.wish.trigger = YK_TRIGGER_LEVEL;
    assert_true(yk_scope_triggers(&s, 5, 5));
    assert_false(yk_scope_triggers(&s, 5, 0.5));
    s.wish.trigger = YK_TRIGGER_LIMIT;
    assert_true(yk_scope_triggers(&s, 0, -50));
    assert_false(yk_scope_triggers(&s, 0, 49.9));
    s.wish.trigger = YK_TRIGGER_EVENT;
    assert_true(yk_scope_triggers(&s, 3, 6));
    assert_false(yk_scope_triggers(&s, 3, 3));
}

static void a_scope_that_the_run_cannot_serve_is_refused(void **state)
{
    struct yk_scope s = {0};
    uint32_t *two = calloc(2, sizeof *two);
    struct yk_message m = {.scope = {.mode = YK_SCOPE_ROLL, .length = 100}, .channels = two, .channel_count = 2};

    assert_non_null(two);
    two[0] = 1;
    two[1] = FORCE;
    assert_refused(yk_scope_arm(&s, feed, &m, &err), YK_E_INPUT, "of one stream");
    m.channels = calloc(1, sizeof *two);
    m.channel_count = 1;
    m.channels[0] = 99;
    assert_refused(yk_scope_arm(&s, feed, &m, &err), YK_E_INPUT, "no channel 99");
    m.channels = calloc(1, sizeof *two);
    m.channel_count = 1;
    m.channels[0] = FORCE;
    m.scope =
        (struct yk_scope_wish){.mode = YK_SCOPE_SINGLE, .trigger = YK_TRIGGER_LIMIT, .channel = SENT, .length = 9};
    assert_refused(yk_scope_arm(&s, feed, &m, &err), YK_E_INPUT, "has no limit");
    m.channels = calloc(1, sizeof *two);
    m.channel_count = 1;
    m.channels[0] = FORCE;
    m.scope.length = YK_MESSAGE_ROWS;
    assert_refused(yk_scope_arm(&s, feed, &m, &err), YK_E_INPUT, "this run allows");
    yk_scope_clear(&s);
    assert_int_equal(STATE, 3);
}

/* ---- status and events ---- */

static double number_at(json_t *status, const char *object, const char *key)
{
    return json_number_value(json_object_get(object ? json_object_get(status, object) : status, key));
}

static void the_status_tells_limits_trips_and_time_left(void **state)
{
    struct yk_telemetry_now now = {.step = 4000, .state = YK_STATE_RUNNING, .missed = 3, .beat_s = 1e-3};
    json_t *status, *gauge;
    char *events;
    size_t next = 0;

    run_tick(-30);
    run_tick(20);
    now.lateness[6] = 11;
    post(now);
    yk_feed_collect(feed);
    status = yk_feed_status(feed);
    assert_string_equal(json_string_value(json_object_get(status, "state")), "running");
    assert_string_equal(json_string_value(json_object_get(status, "level")), "ok");
    assert_near(number_at(status, NULL, "left_s"), 60, 1e-9);
    assert_near(number_at(status, "timing", "missed"), 3, 0);
    gauge = json_array_get(json_object_get(status, "gauges"), 0);
    assert_near(json_number_value(json_object_get(gauge, "value")), 20, 0);
    assert_near(json_number_value(json_object_get(gauge, "peak")), 30, 0);
    assert_near(json_number_value(json_object_get(gauge, "share")), 0.4, 1e-12);
    gauge = json_array_get(json_object_get(status, "gauges"), 1);
    assert_near(json_number_value(json_object_get(gauge, "value")), 1, 1e-9); /* 1 mm in 1 ms */
    json_decref(status);
    now.state = YK_STATE_TRIPPED;
    post_with(now, (struct yk_trip){
                       .tripped = true, .kind = YK_LIMIT_FORCE, .action = YK_ACTION_RAMP, .value = 51, .limit = 50});
    yk_feed_collect(feed);
    status = yk_feed_status(feed);
    assert_string_equal(json_string_value(json_object_get(status, "level")), "bad");
    assert_string_equal(json_string_value(json_object_get(json_object_get(status, "trip"), "words")),
                        "force of a1, 51 N, passed its limit of 50 N");
    json_decref(status);
    events = yk_feed_events(feed, &next);
    assert_non_null(events);
    assert_non_null(strstr(events, "\"trip\""));
    assert_non_null(strstr(events, "3 deadlines missed"));
    assert_non_null(strstr(events, "quake.at2 names no unit"));
    free(events);
    assert_null(yk_feed_events(feed, &next));
}

static void a_run_that_is_killed_is_lost_and_one_that_ends_is_not(void **state)
{
    json_t *status;

    post((struct yk_telemetry_now){.state = YK_STATE_DONE, .ended = 1});
    yk_telemetry_destroy(telemetry);
    yk_feed_collect(feed);
    status = yk_feed_status(feed);
    assert_false(yk_feed_is_live(feed));
    assert_string_equal(json_string_value(json_object_get(status, "state")), "done");
    json_decref(status);
    yk_feed_close(feed);

    begin(NULL);
    yk_telemetry_destroy(telemetry); /* without a last word */
    telemetry = NULL;
    yk_feed_collect(feed);
    status = yk_feed_status(feed);
    assert_string_equal(json_string_value(json_object_get(status, "state")), "lost");
    assert_string_equal(json_string_value(json_object_get(status, "level")), "bad");
    json_decref(status);
}

static void a_feed_that_is_too_slow_says_what_it_lost(void **state)
{
    json_t *status;
    const uint64_t many = 40000; /* more than the tape holds */

    for (uint64_t k = 0; k < many; k++)
        run_tick(0);
    yk_feed_collect(feed);
    status = yk_feed_status(feed);
    assert_int_equal(yk_feed_row_count(feed, 1) + (uint64_t)number_at(status, NULL, "lost"), many);
    assert_true(number_at(status, NULL, "lost") > 0);
    json_decref(status);
}

/* ---- a viewer ---- */

/* Everything that a viewer is sent in this round, as texts; frames are counted. */
static size_t hear(struct yk_viewer *v, char *all, size_t room)
{
    size_t frames = 0, size, used = 0;
    bool is_text;
    char *what;

    *all = 0;
    while ((what = yk_viewer_next(v, &size, &is_text))) {
        if (is_text && used + size + 1 < room) {
            memcpy(all + used, what, size + 1);
            used += size;
        }
        frames += !is_text;
        free(what);
    }
    return frames;
}

static bool obey(const char *run, const char *word, enum yk_role role, char *answer, size_t size)
{
    snprintf(answer, size, "%s requested\n", word);
    return strcmp(run, name) == 0;
}

static void say(struct yk_viewer *v, const char *text)
{
    yk_viewer_take(v, text, strlen(text));
}

static void a_viewer_is_answered(void **state)
{
    static char heard[65536];
    struct yk_viewer *v = yk_viewer_create(&(struct yk_viewer_settings){.feed = feed, .ask = obey});

    assert_non_null(v);
    for (int k = 0; k < 100; k++)
        run_tick(k);
    yk_feed_collect(feed);
    assert_int_equal(hear(v, heard, sizeof heard), 0);
    assert_non_null(strstr(heard, "{\"hello\":"));
    assert_non_null(strstr(heard, "{\"events\":"));
    assert_non_null(strstr(heard, "{\"status\":"));
    say(v, "{\"subscribe\": {\"channels\": [1, 6], \"window_s\": 1, \"points\": 100}}");
    assert_int_equal(hear(v, heard, sizeof heard), 2); /* a window of each stream */
    assert_int_equal(hear(v, heard, sizeof heard), 0);
    say(v, "{\"subscribe\": {\"channels\": [77]}}");
    hear(v, heard, sizeof heard);
    assert_non_null(strstr(heard, "there is no channel"));
    say(v, "nonsense");
    hear(v, heard, sizeof heard);
    assert_non_null(strstr(heard, "must be a JSON object"));
    say(v, "{\"control\": {\"word\": \"pause\"}}");
    hear(v, heard, sizeof heard);
    assert_non_null(strstr(heard, "\"accepted\":false"));
    say(v, "{\"control\": {\"word\": \"pause\", \"confirm\": true}}");
    hear(v, heard, sizeof heard);
    assert_non_null(strstr(heard, "\"accepted\":true"));
    assert_non_null(strstr(heard, "pause, from the dashboard")); /* an event, for all viewers */
    say(v, "{\"history\": {\"request\": 3, \"channels\": [6], \"from_s\": 0.01, \"to_s\": 0.05}}");
    assert_int_equal(hear(v, heard, sizeof heard), 1);
    for (int k = 0; k < 1000; k++) /* a page that asks and does not read */
        say(v, "{\"history\": {\"channels\": [6]}}");
    assert_int_equal(hear(v, heard, sizeof heard), 16);
    yk_viewer_destroy(v);
    v = yk_viewer_create(&(struct yk_viewer_settings){.feed = feed});
    assert_non_null(v);
    say(v, "{\"control\": {\"word\": \"abort\", \"confirm\": true}}");
    say(v, "{\"note\": {\"text\": \"x\"}}");
    hear(v, heard, sizeof heard);
    assert_non_null(strstr(heard, "\"accepted\":false"));
    assert_non_null(strstr(heard, "--read-only"));
    yk_viewer_destroy(v);
}

/* ---- what was before, from the recording ---- */

static void the_beginning_of_a_run_is_read_from_its_recording(void **state)
{
    struct yk_telemetry_info about = info();
    struct yk_recorder *recorder;
    struct yk_feed *late;
    char path[700], folder[600];
    size_t size;

    snprintf(folder, sizeof folder, "%s", scratch_path("late"));
    mkdir(folder, 0755);
    snprintf(path, sizeof path, "%s/run.h5", folder);
    yk_telemetry_destroy(telemetry);
    about.folder = folder;
    assert_ok(yk_telemetry_create(&telemetry, name, &about, &err));
    assert_ok(yk_recorder_open(
        &recorder, path,
        &(struct yk_recording_info){.title = "t", .experiment = "", .experiment_path = "t", .build = "b"}, &streams[1],
        1, &err));
    for (int k = 0; k < 140000; k++) { /* more than tape and history hold one by one */
        const double row[TICKS] = {1e-3 * k, 3, 0, 0, k};

        yk_telemetry_row(telemetry, 1, row);
        assert_ok(yk_recorder_push_waiting(recorder, 0, row));
    }
    assert_ok(yk_feed_open_live(&late, name, &err));
    for (int tries = 0; tries < 200 && yk_feed_row_count(late, 1) < 140000; tries++) { /* until it is flushed */
        yk_feed_close(late);
        patience_sleep(0.1);
        assert_ok(yk_feed_open_live(&late, name, &err));
    }
    assert_int_equal(yk_feed_row_count(late, 1), 140000);
    assert_true(yk_feed_note(late, "a crack\nat the \033[2J weld"));
    snprintf(path, sizeof path, "%s/notes.txt", folder);
    FILE *notes = fopen(path, "r");
    char line[200] = "", rest[8];
    assert_non_null(notes);
    assert_non_null(fgets(line, sizeof line, notes));
    assert_null(fgets(rest, sizeof rest, notes)); /* one line */
    fclose(notes);
    assert_non_null(strstr(line, ": a crack at the  [2J weld\n"));
    const struct yk_message wish = {.from_s = 1, .to_s = 2, .points = 8000};
    struct got g = read_frame(yk_feed_between(late, 1, &wish, &FORCE, 1, &size), &size);
    assert_true(g.time[0] <= 1 && g.time[g.word[5] - 1] >= 1.9);
    free(g.bytes);
    yk_feed_close(late);
    assert_ok(yk_recorder_close(recorder, true, "{\"state\": \"done\", \"finished\": true}", &err));

    /* and afterwards as a recording, with every row where one looks closely */
    assert_ok(yk_feed_open_recording(&late, folder, "recording:x", &err));
    assert_false(yk_feed_is_live(late));
    const uint32_t force = 4;
    g = read_frame(yk_feed_between(late, 0, &wish, &force, 1, &size), &size);
    assert_int_equal(g.word[6], 1);
    assert_int_equal(g.word[5], 1001);
    assert_true(g.values[0] == 1000 && g.values[1000] == 2000);
    free(g.bytes);
    yk_feed_close(late);
}

static int set_up(void **state)
{
    own_shm();
    return scratch_create(state);
}

/* ---- a writer that counts as it likes ---- */

/* The tape of ticks, in memory of this test. */
static struct yk_tape *find_tape(void)
{
    char path[128];
    struct stat about;
    int fd;

    snprintf(path, sizeof path, "/dev/shm/yoke-telemetry-%s", name);
    assert_true((fd = open(path, O_RDWR | O_CLOEXEC)) >= 0);
    assert_int_equal(fstat(fd, &about), 0);
    char *at = mmap(NULL, (size_t)about.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    assert_true(at != MAP_FAILED);
    close(fd);
    for (size_t i = 0; i + sizeof(struct yk_tape) <= (size_t)about.st_size; i += 64) {
        struct yk_tape *tape = (struct yk_tape *)(at + i);

        if (atomic_load(&tape->begun) == tick && atomic_load(&tape->written) == tick)
            return tape;
    }
    fail_msg("no tape with %llu rows", (unsigned long long)tick);
    return NULL;
}

static atomic_bool enough;

static void *count_on(void *self)
{
    struct yk_tape *tape = self;

    while (!atomic_load(&enough))
        atomic_store(&tape->begun, atomic_fetch_add(&tape->written, 1 << 16));
    return NULL;
}

static void a_writer_that_counts_as_it_likes_does_not_hold_a_viewer(void **state)
{
    pthread_t writer;

    for (int i = 0; i < 1234; i++)
        run_tick(1);
    atomic_store(&enough, false);
    assert_int_equal(pthread_create(&writer, NULL, count_on, find_tape()), 0);
    for (int i = 0; i < 5; i++)
        yk_feed_collect(feed);
    atomic_store(&enough, true);
    pthread_join(writer, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_window_and_what_is_appended_are_all_rows, begin, end),
        cmocka_unit_test_setup_teardown(a_spike_of_one_sample_is_seen_at_every_zoom, begin, end),
        cmocka_unit_test_setup_teardown(the_scope_catches_a_spike_of_one_sample, begin, end),
        cmocka_unit_test(triggers_are_what_they_are_called),
        cmocka_unit_test_setup_teardown(a_scope_that_the_run_cannot_serve_is_refused, begin, end),
        cmocka_unit_test_setup_teardown(the_status_tells_limits_trips_and_time_left, begin, end),
        cmocka_unit_test_setup_teardown(a_run_that_is_killed_is_lost_and_one_that_ends_is_not, begin, end),
        cmocka_unit_test_setup_teardown(a_feed_that_is_too_slow_says_what_it_lost, begin, end),
        cmocka_unit_test_setup_teardown(a_writer_that_counts_as_it_likes_does_not_hold_a_viewer, begin, end),
        cmocka_unit_test_setup_teardown(a_viewer_is_answered, begin, end),
        cmocka_unit_test_setup_teardown(the_beginning_of_a_run_is_read_from_its_recording, begin, end),
    };
    return cmocka_run_group_tests(tests, set_up, scratch_remove);
}
