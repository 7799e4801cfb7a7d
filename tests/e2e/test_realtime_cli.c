/* Paced runs as a user makes them: options, the operator from another terminal, signals, and a machine that refuses. */
#include "support/check.h"
#include "support/own_shm.h"
#include "support/patience.h"
#include "support/program.h"
#include "support/scratch.h"

#include "record/record.h"

#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <linux/capability.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_  YOKE_SOURCE "/examples/paced-split-mass/paced-split-mass.yaml"
#define SPRING YOKE_SOURCE "/examples/spring-specimen/spring-specimen.yaml"
/* deadlines that are missed are none of these tests' business */
#define PATIENT "limits={displacement: 100 mm, missed_deadlines: 0, stall: 0, coarse_wait: 10, end_ramp: 0.1}"

static char folder[600], name[64];
static bool alone; /* nobody else uses this /dev/shm */

static int set_up(void **state)
{
    alone = own_shm();
    return scratch_create(state);
}

/* Prefix of the file name of the next run. */
static const char *prefix = "realtime";

/* A copy of the experiment with a name of its own, since tests run beside each other. */
static const char *write_file(void)
{
    static int number;
    static char file[600];
    char text[8192];
    FILE *in = fopen(FILE_, "r"), *out;
    size_t length;

    snprintf(name, sizeof name, "%s-%ld-%d", prefix, (long)getpid(), number++);
    snprintf(file, sizeof file, "%s/%s.yaml", scratch_path(""), name);
    snprintf(folder, sizeof folder, "%s/%s", scratch_path(""), name);
    assert_non_null(in);
    length = fread(text, 1, sizeof text, in);
    fclose(in);
    out = fopen(file, "w");
    assert_non_null(out);
    assert_int_equal(fwrite(text, 1, length, out), length);
    fclose(out);
    return file;
}

/* Runs of some tenths of a second, whose results nobody uses: their noise is larger than their motion. */
static void start(struct program *p, const char *end)
{
    program_start(p,
                  (const char *const[]){YOKE_PROGRAM, "run", write_file(), "-o", folder, "--realtime", "--threads", "2",
                                        "--accept-quality", "--set", PATIENT, "--set", end, NULL},
                  0);
}

static json_t *summary_of(void)
{
    char path[700];
    json_t *summary;

    snprintf(path, sizeof path, "%s/summary.json", folder);
    summary = json_load_file(path, 0, NULL);
    assert_non_null(summary);
    return summary;
}

static const char *text_of(const json_t *summary, const char *key)
{
    return json_string_value(json_object_get(summary, key));
}

/* The answer of `yoke control WORD`, to be freed; asks again until the run is there. */
static char *ask(const char *word)
{
    for (int tries = 0; tries < 400; tries++) {
        struct program p;

        program_run(&p, "control", word, name);
        if (p.code == 0) {
            char *answer = strdup(p.out);

            program_free(&p);
            return answer;
        }
        program_free(&p);
        patience_sleep(0.05);
    }
    fail_msg("no answer to %s", word);
    return NULL;
}

static void await_state(const char *state)
{
    for (int tries = 0; tries < 400; tries++) {
        char *answer = ask("status");
        const bool there = strncmp(answer, state, strlen(state)) == 0;

        free(answer);
        if (there)
            return;
        patience_sleep(0.02);
    }
    fail_msg("never %s", state);
}

static long step_now(void)
{
    char *answer = ask("status");
    long step = -1;

    assert_int_equal(sscanf(answer, "running step %ld", &step), 1);
    free(answer);
    return step;
}

static void check_rows(const json_t *summary)
{
    struct yk_recording *recording;
    char path[700];

    snprintf(path, sizeof path, "%s/run.h5", folder);
    assert_ok(yk_recording_open(&recording, path, &err));
    assert_int_equal(yk_recording_rows(recording, 0), json_integer_value(json_object_get(summary, "steps")) + 1);
    yk_recording_close(recording);
}

static void a_paced_run_tells_how_it_kept_its_pace(void **state)
{
    struct program p;
    json_t *summary, *realtime;

    start(&p, "time.end=0.8");
    program_wait(&p);
    assert_int_equal(p.code, 0);
    assert_non_null(strstr(p.out, "paced at 1000 Hz"));
    assert_true(p.wall_s > 0.8);
    program_free(&p);
    summary = summary_of();
    realtime = json_object_get(summary, "realtime");
    assert_int_equal(json_array_size(json_object_get(realtime, "misses")),
                     json_integer_value(json_object_get(summary, "missed_deadlines")));
    assert_near(json_number_value(json_object_get(realtime, "period_s")), 1e-3, 1e-12);
    assert_true(json_is_object(json_object_get(json_object_get(summary, "stages"), "coarse")));
    assert_true(json_is_object(json_object_get(json_object_get(summary, "stages"), "rig")));
    assert_true(json_is_null(json_object_get(summary, "trip")));
    assert_string_equal(text_of(summary, "state"), "done");
    check_rows(summary);
    json_decref(summary);
}

/* A pipe that nobody reads, as a terminal after Ctrl-S: the next line of progress would wait for a reader. */
static void an_operator_is_heard_while_nobody_reads_the_progress(void **state)
{
    char pipe[600], words[64] = {0};
    struct program p;
    int fd;

    snprintf(pipe, sizeof pipe, "%s", scratch_path("progress"));
    assert_int_equal(mkfifo(pipe, 0600), 0);
    fd = open(pipe, O_RDWR | O_NONBLOCK);
    assert_true(fd >= 0);
    program_start(&p,
                  (const char *const[]){"/bin/sh", "-c",
                                        "exec \"$0\" run \"$1\" -o \"$2\" --realtime --set \"$3\" --set "
                                        "time.end=60 2>\"$4\"",
                                        YOKE_PROGRAM, write_file(), folder, PATIENT, pipe, NULL},
                  0);
    await_state("running");
    while (write(fd, words, sizeof words) > 0)
        ;
    program_sleep(2.5); /* a line every two seconds */
    free(ask("abort"));
    for (int quiet = 0; quiet < 100;) { /* what Ctrl-Q does */
        quiet = read(fd, words, sizeof words) > 0 ? 0 : quiet + 1;
        if (quiet)
            patience_sleep(0.01);
    }
    program_wait(&p);
    assert_int_equal(p.code, 3);
    assert_true(p.wall_s < 30 * patience());
    program_free(&p);
    close(fd);
}

/* Requests and notes of the operator are in the summary and in the recording, in their order, with times that do not go
 * back. */
static void check_events(const json_t *events)
{
    static const char *const kinds[] = {"pause", "note", "resume", "abort"};
    struct yk_recording *recording;
    char path[700];
    double then = 0;

    assert_int_equal(json_array_size(events), 4);
    for (size_t i = 0; i < 4; i++) {
        const json_t *event = json_array_get(events, i);
        const double wall = json_number_value(json_object_get(event, "wall_s"));

        assert_string_equal(text_of(event, "kind"), kinds[i]);
        assert_true(wall >= then && json_integer_value(json_object_get(event, "step")) > 0 &&
                    json_integer_value(json_object_get(event, "tick")) > 0);
        then = wall;
    }
    assert_string_equal(text_of(json_array_get(events, 1), "words"), "crack at the weld, 12 mm \"long\"");
    snprintf(path, sizeof path, "%s/run.h5", folder);
    assert_ok(yk_recording_open(&recording, path, &err));
    assert_non_null(strstr(yk_recording_text(recording, "summary"), "crack at the weld, 12 mm"));
    yk_recording_close(recording);
}

static void an_operator_speaks_to_it_from_another_terminal(void **state)
{
    struct program p, note;
    json_t *summary;
    char *before, *after;

    start(&p, "time.end=800");
    await_state("running");
    free(ask("pause"));
    await_state("paused");
    before = ask("status");
    program_sleep(0.1);
    after = ask("status");
    assert_string_equal(before, after);
    free(before);
    free(after);
    program_run(&note, "control", "note", "crack at the weld,\n12 mm \"long\"", name);
    assert_int_equal(note.code, 0);
    assert_string_equal(note.out, "noted\n");
    program_free(&note);
    free(ask("resume"));
    await_state("running");
    free(ask("abort"));
    program_wait(&p);
    assert_int_equal(p.code, 3);
    program_free(&p);
    summary = summary_of();
    assert_non_null(strstr(text_of(summary, "stop_reason"), "stopped by request at step "));
    check_rows(summary);
    check_events(json_object_get(summary, "events"));
    json_decref(summary);
}

static void a_signal_brings_the_actuators_to_rest(void **state)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};

    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        struct program p;
        json_t *summary;

        start(&p, "time.end=800");
        await_state("running");
        kill(p.pid, signals[i]);
        program_sleep(0.03); /* the ramp takes 0.1 s; a second one does not end it */
        kill(p.pid, signals[i]);
        program_wait(&p);
        assert_int_equal(p.code, 3);
        program_free(&p);
        summary = summary_of();
        assert_string_equal(text_of(summary, "state"), "done");
        check_rows(summary);
        json_decref(summary);
    }
}

/* `nohup` says so by a signal that is ignored already. */
static void a_run_under_nohup_outlives_its_terminal(void **state)
{
    struct program p;

    signal(SIGHUP, SIG_IGN);
    start(&p, "time.end=800");
    signal(SIGHUP, SIG_DFL);
    await_state("running");
    kill(p.pid, SIGHUP);
    program_sleep(0.3);
    await_state("running");
    kill(p.pid, SIGTERM);
    program_wait(&p);
    assert_int_equal(p.code, 3);
    program_free(&p);
}

/* Any name of a file will do, also one that cannot name shared memory. */
static void a_run_is_found_whatever_its_file_is_called(void **state)
{
    struct program p, w;

    prefix = "my test, \xc3\xbc";
    start(&p, "time.end=800");
    prefix = "realtime";
    await_state("running");
    program_run(&w, "watch", name, "--json");
    assert_int_equal(w.code, 0);
    assert_non_null(strstr(w.out, "\"live\": true"));
    program_free(&w);
    kill(p.pid, SIGTERM);
    program_wait(&p);
    assert_int_equal(p.code, 3);
    program_free(&p);
}

/* Signals that a process ignores, as bits from SIGHUP on. */
static unsigned long long ignored_by(pid_t pid)
{
    unsigned long long ignored = 0;
    char path[64], line[256];
    FILE *in;

    snprintf(path, sizeof path, "/proc/%ld/status", (long)pid);
    in = fopen(path, "r");
    assert_non_null(in);
    while (fgets(line, sizeof line, in))
        if (strncmp(line, "SigIgn:", 7) == 0)
            ignored = strtoull(line + 7, NULL, 16);
    fclose(in);
    return ignored;
}

/* Ctrl-Z, or a key asked of a terminal that is another's by now, would leave the actuators without commands. */
static void a_terminal_cannot_stop_the_actuators_half_way(void **state)
{
    static const int stops[] = {SIGTSTP, SIGTTIN, SIGTTOU};
    struct program p;

    start(&p, "time.end=800");
    await_state("running");
    for (size_t i = 0; i < sizeof stops / sizeof *stops; i++)
        assert_true(ignored_by(p.pid) & 1ull << (stops[i] - 1));
    kill(p.pid, SIGTERM);
    program_wait(&p);
    assert_int_equal(p.code, 3);
    program_free(&p);
}

/* Paths of the socket of a run and of the shared memory of its telemetry. */
static void remnants_of(const char *of, char *socket, char *memory, size_t size)
{
    snprintf(socket, size, "/tmp/yoke-%u/%s.sock", (unsigned)getuid(), of);
    snprintf(memory, size, "/dev/shm/yoke-telemetry-%s", of);
}

static void a_kill_leaves_a_recording_that_opens(void **state)
{
    struct yk_recording *recording;
    struct program p;
    char path[700];

    start(&p, "time.end=800");
    await_state("running");
    program_sleep(1.5);
    kill(p.pid, SIGKILL);
    program_wait(&p);
    assert_int_equal(p.code, -SIGKILL);
    program_free(&p);
    snprintf(path, sizeof path, "%s/run.h5", folder);
    assert_ok(yk_recording_open(&recording, path, &err));
    assert_false(yk_recording_finished(recording));
    assert_true(yk_recording_rows(recording, 0) > 10);
    yk_recording_close(recording);
}

/* A summary is never that of another recording than the one beside it. */
static void a_killed_run_leaves_no_summary_of_an_earlier_one(void **state)
{
    struct program p;
    char file[600], path[700];

    start(&p, "time.end=0.2");
    program_wait(&p);
    assert_int_equal(p.code, 0);
    program_free(&p);
    snprintf(path, sizeof path, "%s/summary.json", folder);
    assert_int_equal(access(path, F_OK), 0);
    snprintf(file, sizeof file, "%s/%s.yaml", scratch_path(""), name);
    program_start(&p,
                  (const char *const[]){YOKE_PROGRAM, "run", file, "-o", folder, "--realtime", "--set", PATIENT,
                                        "--set", "time.end=800", NULL},
                  0);
    await_state("running");
    kill(p.pid, SIGKILL);
    program_wait(&p);
    program_free(&p);
    assert_int_equal(access(path, F_OK), -1);
}

/* Starts a run, kills it when it moves, and leaves its name in `killed`. */
static void kill_one(char *killed, size_t size)
{
    struct program p;

    start(&p, "time.end=800");
    await_state("running");
    kill(p.pid, SIGKILL);
    program_wait(&p);
    program_free(&p);
    snprintf(killed, size, "%s", name);
}

static void what_a_kill_left_behind_is_removed_by_the_next_run(void **state)
{
    char killed[64], socket[200], memory[200], other[64];
    struct program p, w;

    kill_one(killed, sizeof killed);
    remnants_of(killed, socket, memory, sizeof socket);
    if (alone) { /* otherwise a run beside this test may have been first */
        assert_int_equal(access(memory, F_OK), 0);
        program_run(&w, "watch", killed, "--json"); /* its last row can be looked at until then */
        assert_int_equal(w.code, 0);
        assert_non_null(strstr(w.out, "\"live\": false"));
        program_free(&w);
    }
    start(&p, "time.end=800");
    await_state("running");
    assert_int_equal(access(socket, F_OK), -1);
    assert_int_equal(access(memory, F_OK), -1);
    program_run(&w, "watch", "--json");
    assert_null(strstr(w.err, killed));
    assert_null(strstr(w.out, killed));
    program_free(&w);

    struct program second; /* removes nothing of the first, which goes on */
    remnants_of(name, socket, memory, sizeof socket);
    snprintf(other, sizeof other, "%s", name);
    start(&second, "time.end=0.08");
    program_wait(&second);
    assert_int_equal(second.code, 0);
    program_free(&second);
    assert_int_equal(access(socket, F_OK), 0);
    assert_int_equal(access(memory, F_OK), 0);
    snprintf(name, sizeof name, "%s", other);
    free(ask("status"));
    kill(p.pid, SIGTERM);
    program_wait(&p);
    program_free(&p);
    assert_int_equal(access(socket, F_OK), -1);
    assert_int_equal(access(memory, F_OK), -1);
}

/* Nobody can watch it any more, which is no reason to end. */
static void telemetry_that_is_cut_short_does_not_disturb_the_run(void **state)
{
    char socket[200], memory[200];
    struct stat said = {0};
    struct program p, w;
    json_t *summary;

    start(&p, "time.end=800");
    await_state("running");
    program_start(&w, (const char *const[]){YOKE_PROGRAM, "watch", name, "--every", "0.05", NULL}, 0);
    for (int tries = 0; tries < 2000 && said.st_size == 0; tries++) { /* until it has shown a row */
        patience_sleep(0.01);
        assert_true(stat(w.out_path, &said) == 0 || errno == ENOENT);
    }
    assert_true(said.st_size > 0);
    remnants_of(name, socket, memory, sizeof socket);
    assert_int_equal(truncate(memory, 0), 0);
    program_wait(&w);
    assert_int_equal(w.code, 1);
    assert_non_null(strstr(w.err, "another process truncated the telemetry; `yoke control status`"));
    program_free(&w);
    const long then = step_now();
    for (int tries = 0; tries < 2000 && step_now() < then + 20; tries++) /* the run goes on */
        patience_sleep(0.01);
    free(ask("abort"));
    program_wait(&p);
    assert_int_equal(p.code, 3);
    assert_non_null(strstr(p.err, "another process truncated the telemetry"));
    program_free(&p);
    summary = summary_of();
    assert_non_null(strstr(text_of(summary, "stop_reason"), "stopped by request at step "));
    assert_true(json_integer_value(json_object_get(summary, "steps")) >= then + 20);
    check_rows(summary);
    json_decref(summary);
}

/* ---- the socket of the operator ---- */

/* A run that does not answer, because it was stopped, keeps its name. */
static void two_runs_of_a_file_have_two_sockets(void **state)
{
    char file[700], first[64], socket[200], memory[200];
    struct program p, q;

    start(&p, "time.end=800");
    await_state("running");
    remnants_of(name, socket, memory, sizeof socket);
    kill(p.pid, SIGSTOP);
    snprintf(file, sizeof file, "%s/%s.yaml", scratch_path(""), name);
    program_start(&q,
                  (const char *const[]){YOKE_PROGRAM, "run", file, "-o", scratch_path("second"), "--realtime", "--set",
                                        PATIENT, "--set", "time.end=800", NULL},
                  0);
    snprintf(first, sizeof first, "%s", name);
    snprintf(name + strlen(name), sizeof name - strlen(name), "-%ld", (long)q.pid);
    await_state("running");
    kill(p.pid, SIGCONT);
    free(ask("abort"));
    program_wait(&q);
    assert_int_equal(q.code, 3);
    program_free(&q);
    assert_int_equal(access(socket, F_OK), 0);
    snprintf(name, sizeof name, "%s", first);
    free(ask("abort"));
    program_wait(&p);
    assert_int_equal(p.code, 3);
    program_free(&p);
    assert_int_equal(access(socket, F_OK), -1);
}

/* A file in the place of the socket is removed; a link is not followed. */
static void a_link_in_the_place_of_the_socket_is_not_followed(void **state)
{
    char target[600], socket[200], memory[200];
    const char *file = write_file();
    struct stat info;
    struct program p;
    FILE *out;

    snprintf(target, sizeof target, "%s", scratch_path("target"));
    out = fopen(target, "w");
    assert_non_null(out);
    fclose(out);
    remnants_of(name, socket, memory, sizeof socket);
    assert_int_equal(symlink(target, socket), 0);
    program_start(&p,
                  (const char *const[]){YOKE_PROGRAM, "run", file, "-o", folder, "--realtime", "--set", PATIENT,
                                        "--set", "time.end=800", NULL},
                  0);
    await_state("running");
    assert_int_equal(lstat(socket, &info), 0);
    assert_true(S_ISSOCK(info.st_mode));
    kill(p.pid, SIGTERM);
    program_wait(&p);
    assert_int_equal(p.code, 3);
    program_free(&p);
    assert_int_equal(lstat(target, &info), 0);
    assert_true(S_ISREG(info.st_mode));
}

/* A folder of another user, or one that others may enter: nobody could be sure who speaks there. */
static void a_paced_run_without_a_socket_does_not_start(void **state)
{
    static const struct {
        const char *how, *words;
    } cases[] = {{"uid=65534,mode=700", "belongs to another user (number 65534)"},
                 {"mode=755", "can be opened by other users (mode 755); chmod 700 /tmp/yoke-"},
                 {"mode=700,size=4k,nr_inodes=1", "cannot create the socket /tmp/yoke-"}};
    char sockets[100], recording[700];

    if (!alone || getuid() != 0)
        skip();
    snprintf(sockets, sizeof sockets, "/tmp/yoke-%u", (unsigned)getuid());
    mkdir(sockets, 0700);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct program p;

        assert_int_equal(mount("none", sockets, "tmpfs", 0, cases[i].how), 0);
        start(&p, "time.end=0.08");
        program_wait(&p);
        snprintf(recording, sizeof recording, "%s/run.h5", folder);
        assert_int_equal(p.code, 1);
        assert_non_null(strstr(p.err, "a paced run needs a socket for `yoke control`"));
        assert_non_null(strstr(p.err, cases[i].words));
        assert_int_equal(access(recording, F_OK), -1);
        program_free(&p);
        program_run(&p, "run", write_file(), "-o", folder, "-q", "--set", "time.end=0.08"); /* not paced: it is said */
        assert_int_equal(p.code, 0);
        assert_non_null(strstr(p.err, "`yoke control` will not reach this run"));
        program_free(&p);
        assert_int_equal(umount(sockets), 0);
    }
}

/* A rig in another process that ends without a word after 300 ticks; it has a name of its own. */
static void lose_peer(const char *const *serve, const char *backend, const char *where)
{
    struct program rig, p;
    char line[256] = "";

    program_start(&rig, serve, 0);
    for (int tries = 0; tries < 600 && !strchr(line, '\n'); tries++) {
        FILE *in = fopen(rig.out_path, "r");

        if (in && !fgets(line, sizeof line, in))
            line[0] = 0;
        if (in)
            fclose(in);
        patience_sleep(0.02);
    }
    snprintf(folder, sizeof folder, "%s", scratch_path("peer"));
    program_run(&p, "run", SPRING, "-o", folder, "-q", "--realtime", "--set", backend, "--set", where, "--set",
                "limits.missed_deadlines=0", "--set", "limits.stall=0", "--set", "limits.command_rate=5", "--set",
                "limits.tracking_error=0.1");
    if (p.code != 3)
        print_error("%s\n%s\n", p.err, line);
    assert_int_equal(p.code, 3);
    program_free(&p);
    program_wait(&rig);
    program_free(&rig);

    json_t *summary = summary_of();
    assert_non_null(strstr(text_of(summary, "stop_reason"), "rig"));
    assert_string_equal(text_of(summary, "state"), "tripped");
    assert_int_equal(json_integer_value(json_object_get(summary, "steps")), 31);
    check_rows(summary);
    json_decref(summary);
}

static void a_rig_that_dies_in_another_process_ends_the_run(void **state)
{
    char shm[64], shm_key[96];

    snprintf(shm, sizeof shm, "realtime-%ld", (long)getpid());
    snprintf(shm_key, sizeof shm_key, "rig.settings.name=%s", shm);
    lose_peer((const char *const[]){YOKE_PROGRAM, "serve", SPRING, "--shm", shm, "--crash-after", "300", NULL},
              "rig.backend=shm", shm_key);
}

static void check_refused(const char *words, const char *const *line)
{
    struct program p;

    program_start(&p, line, 0);
    program_wait(&p);
    if (p.code != 2 || !strstr(p.err, words))
        print_error("exit code %d, '%s', wanted '%s'\n", p.code, p.err, words);
    assert_int_equal(p.code, 2);
    assert_non_null(strstr(p.err, words));
    program_free(&p);
}
#define REFUSED(words, ...) check_refused(words, (const char *const[]){YOKE_PROGRAM, __VA_ARGS__, NULL})

static void words_that_make_no_sense_are_refused(void **state)
{
    REFUSED("--spin, --priority and --cpus go with --realtime", "run", FILE_, "--spin", "10us");
    REFUSED("--priority '99' must be a whole number from 0 to 98", "run", FILE_, "--realtime", "--priority", "99");
    REFUSED("--cpus '1' must be two cores", "run", FILE_, "--realtime", "--cpus", "1");
    REFUSED("--cpus '0.5,1' must be two cores", "run", FILE_, "--realtime", "--cpus", "0.5,1");
    REFUSED("needs ", "run", FILE_, "--realtime", "--set", "time.scale=1e-5", "--set", "time.faster_than_real=true",
            "-o", scratch_path("refused"));
    REFUSED("scale = 0.2 moves the actuators 5 times as fast as in the test that the file describes", "run", FILE_,
            "--realtime", "--set", "time.scale=0.2", "-o", scratch_path("refused"));
    REFUSED("'stop' is not one of pause, resume, step, abort, status", "control", "stop");
    REFUSED("limit = ", "run", FILE_, "--set", "limits={force: {limit: -1}}");
    REFUSED("missing 'limit'", "run", FILE_, "--set", "limits={force: {action: cut}}");
    REFUSED("action = 'stop' is not one of: hold, ramp, cut, warn", "run", FILE_, "--set",
            "limits={force: {limit: 1, action: stop}}");
}

static void nobody_answers_for_a_run_that_is_not_there(void **state)
{
    struct program p;

    program_run(&p, "control", "status", "no-such-run");
    assert_int_equal(p.code, 1);
    assert_non_null(strstr(p.err, "no run answers"));
    program_free(&p);
}

/* The last one: this process gives up its rights for good. */
static void a_machine_that_refuses_is_called_degraded(void **state)
{
    struct program p;
    json_t *summary, *realtime;

    prctl(PR_CAPBSET_DROP, CAP_SYS_NICE);
    prctl(PR_CAPBSET_DROP, CAP_IPC_LOCK);
    setrlimit(RLIMIT_MEMLOCK, &(struct rlimit){4096, 4096});
    setrlimit(RLIMIT_RTPRIO, &(struct rlimit){0, 0});
    start(&p, "time.end=0.2");
    program_wait(&p);
    assert_int_equal(p.code, 0);
    assert_non_null(strstr(p.out, "DEGRADED: "));
    program_free(&p);
    summary = summary_of();
    realtime = json_object_get(summary, "realtime");
    assert_true(json_is_true(json_object_get(realtime, "degraded")));
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) /* they take the locking of memory for themselves  \
                                                                     */
    assert_non_null(strstr(text_of(realtime, "refused"), "locking of memory was refused"));
#endif
    assert_non_null(strstr(text_of(realtime, "refused"), "real-time scheduling was refused"));
    check_rows(summary);
    json_decref(summary);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_paced_run_tells_how_it_kept_its_pace),
        cmocka_unit_test(an_operator_speaks_to_it_from_another_terminal),
        cmocka_unit_test(an_operator_is_heard_while_nobody_reads_the_progress),
        cmocka_unit_test(a_signal_brings_the_actuators_to_rest),
        cmocka_unit_test(a_run_is_found_whatever_its_file_is_called),
        cmocka_unit_test(a_run_under_nohup_outlives_its_terminal),
        cmocka_unit_test(a_terminal_cannot_stop_the_actuators_half_way),
        cmocka_unit_test(a_kill_leaves_a_recording_that_opens),
        cmocka_unit_test(a_killed_run_leaves_no_summary_of_an_earlier_one),
        cmocka_unit_test(a_rig_that_dies_in_another_process_ends_the_run),
        cmocka_unit_test(what_a_kill_left_behind_is_removed_by_the_next_run),
        cmocka_unit_test(telemetry_that_is_cut_short_does_not_disturb_the_run),
        cmocka_unit_test(two_runs_of_a_file_have_two_sockets),
        cmocka_unit_test(a_link_in_the_place_of_the_socket_is_not_followed),
        cmocka_unit_test(a_paced_run_without_a_socket_does_not_start),
        cmocka_unit_test(words_that_make_no_sense_are_refused),
        cmocka_unit_test(nobody_answers_for_a_run_that_is_not_there),
        cmocka_unit_test(a_machine_that_refuses_is_called_degraded),
    };

    return cmocka_run_group_tests(tests, set_up, scratch_remove);
}
