/* Telemetry: readers see whole rows, however fast they come, and cannot write. */
#include "support/check.h"
#include "support/own_shm.h"
#include "support/program.h"
#include "support/scratch.h"

#include "base/board.h"
#include "base/segment.h"

#include "engine/telemetry.h"

#include <jansson.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHANNELS = 40 };

static const char *const states[] = {"idle", "running", "tripped", NULL};
static struct yk_channel channels[CHANNELS];
static const struct yk_stream streams[] = {{"system", CHANNELS, channels}, {"ticks", 3, channels}};
static char name[64];
static bool alone; /* nobody else uses this /dev/shm */

static struct yk_telemetry_info info(void)
{
    return (struct yk_telemetry_info){
        .title = "a run", .stream_count = 2, .streams = streams, .states = states, .period_s = 1e-3, .steps = 777};
}

static int set_up(void **state)
{
    alone = own_shm();
    snprintf(name, sizeof name, "test-%d", (int)getpid());
    for (int i = 0; i < CHANNELS; i++) {
        snprintf(channels[i].name, sizeof channels[i].name, "c%d.u", i);
        snprintf(channels[i].unit, sizeof channels[i].unit, "m");
    }
    return scratch_create(state);
}

static void a_reader_gets_what_was_posted(void **state)
{
    struct yk_telemetry_info about = info();
    struct yk_telemetry *t;
    struct yk_telemetry_view *v;
    const struct yk_telemetry_posted posted = {.now = {.step = 5, .late_ns = 7, .took_ns = 9, .missed = 2, .state = 1}};
    struct yk_telemetry_now got;
    double row[CHANNELS], read[CHANNELS];

    assert_ok(yk_telemetry_create(&t, name, &about, &err));
    assert_ok(yk_telemetry_open(&v, name, &err));
    assert_false(yk_telemetry_read(v, &got, NULL, NULL));
    assert_false(yk_telemetry_newest(v, 0, read));
    for (int i = 0; i < CHANNELS; i++)
        row[i] = 0.5 * i;
    yk_telemetry_post(t, &posted, NULL);
    yk_telemetry_row(t, 0, row);
    assert_true(yk_telemetry_read(v, &got, NULL, NULL));
    assert_true(yk_telemetry_newest(v, 0, read));
    assert_int_equal(got.step, 5);
    assert_int_equal(got.missed, 2);
    assert_true(got.posted_ns > 0);
    assert_memory_equal(row, read, sizeof row);
    assert_string_equal(yk_telemetry_about(v)->title, "a run");
    assert_int_equal(yk_telemetry_about(v)->stream_count, 2);
    assert_int_equal(yk_telemetry_about(v)->streams[0].count, CHANNELS);
    assert_string_equal(yk_telemetry_about(v)->streams[0].channels[7].name, "c7.u");
    assert_string_equal(yk_telemetry_about(v)->streams[1].name, "ticks");
    assert_string_equal(yk_telemetry_about(v)->states[2], "tripped");
    assert_null(yk_telemetry_about(v)->states[3]);
    assert_true(yk_telemetry_is_live(v));
    assert_refused(yk_telemetry_create(&(struct yk_telemetry *){NULL}, name, &about, &err), YK_E_INPUT,
                   "in use by another process");
    yk_telemetry_destroy(t);
    assert_false(yk_telemetry_is_live(v));
    assert_true(yk_telemetry_newest(v, 0, read)); /* the last row stays */
    yk_telemetry_close(v);
    assert_refused(yk_telemetry_open(&v, name, &err), YK_E_INPUT, "there is no shared memory yoke-telemetry-test");
}

/* A name that another user has taken before: a run is published all the same, and watched by its name. */
static void a_name_that_another_user_took_does_no_harm(void **state)
{
    struct yk_telemetry_info about = info();
    struct yk_telemetry *t;
    struct yk_telemetry_view *v;
    struct yk_segment theirs;
    char whole[80], **names;
    int listed = 0;

    if (geteuid() != 0 || !alone)
        skip();
    snprintf(whole, sizeof whole, "telemetry-%s", name);
    assert_ok(yk_segment_create(&theirs, whole, 4096, 0644, &err));
    assert_int_equal(fchown(theirs.fd, 65534, 65534), 0);
    assert_ok(yk_telemetry_create(&t, name, &about, &err));
    assert_ok(yk_telemetry_open(&v, name, &err));
    assert_true(yk_telemetry_is_mine(v) && yk_telemetry_is_live(v));
    assert_string_equal(yk_telemetry_about(v)->title, "a run");
    names = yk_telemetry_list();
    for (char **n = names; *n; n++)
        listed += strcmp(*n, name) == 0;
    assert_int_equal(listed, 1);
    assert_null(names[1]); /* and nothing else */
    yk_telemetry_list_free(names);
    yk_telemetry_close(v);
    yk_telemetry_destroy(t);
    assert_refused(yk_telemetry_open(&v, name, &err), YK_E_INPUT, "is not ready yet"); /* theirs is left */
    yk_segment_close(&theirs);
}

/* The values of a row are all the same number, and that of row k is k; a torn row would have two. */
struct reading {
    struct yk_telemetry_view *view;
    atomic_bool stop;
    long states, rows, torn, backwards, out_of_order;
    uint64_t next, lost;
};

static void *read_rows(void *arg)
{
    enum { AT_ONCE = 64 };
    struct reading *r = arg;
    struct yk_telemetry_now now;
    double rows[AT_ONCE * CHANNELS];
    int64_t last = 0;
    bool stop;

    do {
        stop = atomic_load(&r->stop); /* read before the rows: all of them are read */
        if (yk_telemetry_read(r->view, &now, NULL, NULL)) {
            r->states++;
            r->backwards += now.step < last;
            r->torn += now.took_ns != now.step || now.warnings != now.step;
            last = now.step;
        }
        size_t n;
        while ((n = yk_telemetry_rows(r->view, 0, &r->next, &r->lost, rows, AT_ONCE))) {
            for (size_t k = 0; k < n; k++) {
                r->out_of_order += rows[k * CHANNELS] != (double)(r->next - n + k);
                for (int i = 0; i < CHANNELS; i++)
                    r->torn += rows[k * CHANNELS + (size_t)i] != rows[k * CHANNELS];
            }
            r->rows += (long)n;
        }
    } while (!stop);
    return NULL;
}

static void no_reader_ever_sees_half_a_row(void **state)
{
    enum { ROWS = 50000 };
    struct yk_telemetry_info about = info();
    struct yk_telemetry *t;
    struct reading readers[2] = {{0}};
    pthread_t threads[2];

    assert_ok(yk_telemetry_create(&t, name, &about, &err));
    for (int k = 0; k < 2; k++) {
        assert_ok(yk_telemetry_open(&readers[k].view, name, &err));
        assert_int_equal(pthread_create(&threads[k], NULL, read_rows, &readers[k]), 0);
    }
    for (int64_t step = 0; step < ROWS; step++) {
        double row[CHANNELS];

        for (int i = 0; i < CHANNELS; i++)
            row[i] = (double)step;
        yk_telemetry_post(t, &(struct yk_telemetry_posted){.now = {.step = step, .took_ns = step, .warnings = step}},
                          NULL);
        yk_telemetry_row(t, 0, row);
        if (step % 1000 == 0)
            usleep(500);
    }
    for (int k = 0; k < 2; k++) {
        atomic_store(&readers[k].stop, true);
        pthread_join(threads[k], NULL);
        assert_true(readers[k].states > 0);
        assert_int_equal(readers[k].torn, 0);
        assert_int_equal(readers[k].backwards, 0);
        assert_int_equal(readers[k].out_of_order, 0);
        assert_int_equal(readers[k].next, ROWS);
        assert_int_equal(readers[k].rows + (long)readers[k].lost, ROWS);
        yk_telemetry_close(readers[k].view);
    }
    yk_telemetry_destroy(t);
}

static void a_reader_that_is_too_slow_knows_what_it_lost(void **state)
{
    struct yk_telemetry_info about = info();
    struct yk_telemetry *t;
    struct yk_telemetry_view *v;
    uint64_t next = 0, lost = 0, other = 0, none = 0;
    double row[CHANNELS] = {0}, read[3 * CHANNELS];

    assert_ok(yk_telemetry_create(&t, name, &about, &err));
    assert_ok(yk_telemetry_open(&v, name, &err));
    const uint64_t held = yk_telemetry_held(v, 0);
    for (uint64_t k = 0; k < held + 7; k++) {
        row[0] = (double)k;
        yk_telemetry_row(t, 0, row);
        if (k == 0)
            assert_int_equal(yk_telemetry_rows(v, 0, &other, &none, read, 3), 1);
    }
    assert_int_equal(yk_telemetry_rows(v, 0, &next, &lost, read, 3), 3);
    assert_int_equal(lost, 7);
    assert_true(read[0] == 7 && read[CHANNELS] == 8 && read[2 * CHANNELS] == 9);
    assert_int_equal(next, 10);
    assert_int_equal(yk_telemetry_rows(v, 0, &other, &none, read, 3), 3); /* a place of its own */
    assert_int_equal(none, 6);
    assert_int_equal(yk_telemetry_rows(v, 1, &(uint64_t){0}, &none, read, 3), 0);
    yk_telemetry_close(v);
    yk_telemetry_destroy(t);
}

static void a_reader_that_writes_is_ended_by_its_machine(void **state)
{
    struct yk_telemetry_info about = info();
    struct yk_telemetry *t;
    int status;

    assert_ok(yk_telemetry_create(&t, name, &about, &err));
    const pid_t pid = fork();
    if (pid == 0) {
        struct yk_segment s;
        char path[80];

        signal(SIGSEGV, SIG_DFL);
        snprintf(path, sizeof path, "telemetry-%s", name);
        if (!yk_segment_open(&s, path, 1, false, NULL))
            memset(s.at, 0, 8);
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(!WIFEXITED(status) || WEXITSTATUS(status) != 0);
    yk_telemetry_destroy(t);
}

static void a_remnant_of_a_killed_run_is_replaced(void **state)
{
    struct yk_telemetry_info about = info();
    struct yk_telemetry *t;
    struct yk_telemetry_view *v;
    int status;

    const pid_t pid = fork();
    if (pid == 0) {
        if (!yk_telemetry_create(&t, name, &about, NULL))
            raise(SIGKILL);
        _exit(1);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status));
    if (alone) { /* otherwise a run beside this test may have swept it */
        assert_ok(yk_telemetry_open(&v, name, &err));
        assert_false(yk_telemetry_is_live(v));
        yk_telemetry_close(v);
    }
    assert_ok(yk_telemetry_create(&t, name, &about, &err));
    yk_telemetry_destroy(t);
}

/* In a /dev/shm of its own, of four pages. */
static void full_memory_is_an_error_and_not_a_crash(void **state)
{
    enum { NO_SUCH_RIGHT = 77 };
    int status;
    const pid_t pid = fork();

    if (pid == 0) {
        struct yk_segment s;
        struct yk_err why = {0};

        signal(SIGBUS, SIG_DFL);
        if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
            mount("none", "/dev/shm", "tmpfs", 0, "size=16k"))
            _exit(NO_SUCH_RIGHT);
        const enum yk_status st = yk_segment_create(&s, name, 1 << 20, 0600, &why);
        _exit(st == YK_E_IO && strstr(yk_err_line(&why).text, "No space left") ? 0 : 1);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (WIFEXITED(status) && WEXITSTATUS(status) == NO_SUCH_RIGHT)
        skip();
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void other_versions_and_damage_are_refused(void **state)
{
    struct yk_telemetry_info about = info();
    struct yk_telemetry *t;
    struct yk_telemetry_view *v;
    struct yk_segment s;
    char path[80], file[120];
    uint32_t *version;
    uint64_t *count;

    assert_ok(yk_telemetry_create(&t, name, &about, &err));
    snprintf(path, sizeof path, "telemetry-%s", name);
    snprintf(file, sizeof file, "/dev/shm/yoke-%s", path);
    assert_int_equal(chmod(file, 0600), 0); /* what others may read is not opened for writing */
    assert_ok(yk_segment_open(&s, path, 1, true, &err));
    version = (uint32_t *)((char *)s.at + 8);
    count = (uint64_t *)((char *)s.at + 16);
    *version = 9;
    assert_refused(yk_telemetry_open(&v, name, &err), YK_E_UNSUPPORTED, "version 9; this program reads version 4");
    *version = YK_TELEMETRY_VERSION;
    *count = 30000;
    assert_refused(yk_telemetry_open(&v, name, &err), YK_E_INPUT, "damaged");
    memset(s.at, 'x', 8);
    assert_refused(yk_telemetry_open(&v, name, &err), YK_E_INPUT, "not telemetry");
    yk_segment_close(&s);
    yk_telemetry_destroy(t);
    assert_refused(yk_telemetry_open(&v, "no/such", &err), YK_E_INPUT, "letters, digits");
}

static void trips_are_told_in_words_whatever_the_memory_holds(void **state)
{
    struct yk_telemetry_info about = info();
    struct yk_telemetry_posted posted = {
        .trip = {.tripped = true, .kind = YK_LIMIT_FORCE, .action = YK_ACTION_RAMP, .value = 51, .limit = 50}};
    struct yk_telemetry_now now;
    struct yk_telemetry_told told;
    struct yk_telemetry *t;
    struct yk_telemetry_view *v;

    about.description = "{\"actuators\": [{\"name\": \"north\"}]}";
    about.tracked = 1;
    assert_ok(yk_telemetry_create(&t, name, &about, &err));
    assert_ok(yk_telemetry_open(&v, name, &err));
    yk_telemetry_post(t, &posted, &(struct yk_telemetry_track){0});
    assert_true(yk_telemetry_read(v, &now, NULL, &told));
    assert_true(told.trip.tripped);
    assert_false(told.warning.tripped);
    assert_string_equal(told.trip.words, "force of north, 51 N, passed its limit of 50 N");
    assert_string_equal(told.trip.limit, "force");
    assert_string_equal(told.trip.action, "ramp");
    assert_string_equal(told.trip.actuator, "north");
    assert_near(told.trip.value, 51, 0);
    posted.warning = posted.trip;
    posted.warning.actuator = 70; /* there is no such actuator */
    memset(posted.warning.words, 'x', sizeof posted.warning.words);
    posted.trip.kind = (enum yk_limit_kind)9999;
    posted.level = 99;
    posted.criterion = INT64_C(1) << 40;
    posted.culprit = 500;
    yk_telemetry_post(t, &posted, &(struct yk_telemetry_track){0});
    assert_true(yk_telemetry_read(v, &now, NULL, &told));
    assert_false(told.trip.tripped);
    assert_true(told.warning.tripped);
    assert_string_equal(told.warning.actuator, "");
    assert_string_equal(told.level, "good");
    assert_string_equal(told.reason, "");
    assert_int_equal(strspn(told.warning.words + strlen("force: "), "x"), sizeof posted.warning.words - 1);
    yk_telemetry_close(v);
    yk_telemetry_destroy(t);
}

static void the_program_prints_it(void **state)
{
    struct yk_telemetry_info about = info();
    struct yk_telemetry *t;
    struct program p;
    double row[CHANNELS] = {0.25};

    assert_ok(yk_telemetry_create(&t, name, &about, &err));
    program_run(&p, "watch", name, "--json");
    assert_int_equal(p.code, 1);
    assert_non_null(strstr(p.err, "has not published anything yet"));
    program_free(&p);
    yk_telemetry_post(t, &(struct yk_telemetry_posted){.now = {.step = 12, .late_ns = 3000, .state = 1, .degraded = 1}},
                      NULL);
    yk_telemetry_row(t, 0, row);
    program_run(&p, "watch", name, "--json");
    assert_int_equal(p.code, 0);
    json_t *json = json_loads(p.out, 0, NULL);
    assert_non_null(json);
    assert_string_equal(json_string_value(json_object_get(json, "state")), "running");
    assert_int_equal(json_integer_value(json_object_get(json, "step")), 12);
    assert_near(json_number_value(json_object_get(json, "late_s")), 3e-6, 1e-12);
    assert_near(json_number_value(json_object_get(json_object_get(json, "values"), "c0.u")), 0.25, 0);
    json_decref(json);
    program_free(&p);
    program_run(&p, "watch", name, "--once");
    assert_int_equal(p.code, 0);
    assert_non_null(strstr(p.out, "running (degraded"));
    assert_non_null(strstr(p.out, "step 12 of 777"));
    program_free(&p);
    yk_telemetry_destroy(t);
    program_run(&p, "watch", name);
    assert_int_equal(p.code, 2);
    program_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_reader_gets_what_was_posted),
        cmocka_unit_test(a_name_that_another_user_took_does_no_harm),
        cmocka_unit_test(no_reader_ever_sees_half_a_row),
        cmocka_unit_test(a_reader_that_is_too_slow_knows_what_it_lost),
        cmocka_unit_test(a_reader_that_writes_is_ended_by_its_machine),
        cmocka_unit_test(a_remnant_of_a_killed_run_is_replaced),
        cmocka_unit_test(full_memory_is_an_error_and_not_a_crash),
        cmocka_unit_test(other_versions_and_damage_are_refused),
        cmocka_unit_test(trips_are_told_in_words_whatever_the_memory_holds),
        cmocka_unit_test(the_program_prints_it),
    };
    return cmocka_run_group_tests_name("telemetry", tests, set_up, scratch_remove);
}
