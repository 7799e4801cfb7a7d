/* Every signal that can be caught, sent to a paced run in the middle of its motion and to `yoke serve`: whatever would
 * have ended or stopped it leads to the ramp, with a complete recording. The processes are started with every signal
 * blocked, which must not matter. */
#include "support/check.h"
#include "support/patience.h"
#include "support/program.h"
#include "support/scratch.h"

#include "record/record.h"

#include <jansson.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define SPRING YOKE_SOURCE "/examples/spring-specimen/spring-specimen.yaml"
#define PLUGIN YOKE_BINARY "/tests/plugins/fault_in.so"

enum { BESIDE = 32, LAST_SIGNAL = 64, STEPS_IN_MOTION = 5 };

/* Left alone by a run: those that do nothing by default; those that mean nothing to it; those that a terminal sends to
 * stop it; the two of the C library. */
static bool is_ignored(int signal)
{
    static const int ignored[] = {SIGCHLD, SIGURG,  SIGWINCH, SIGCONT, SIGPIPE, SIGXFSZ,
                                  SIGTSTP, SIGTTIN, SIGTTOU,  32,      33};

    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        if (signal == ignored[i])
            return true;
    return false;
}

static bool can_be_caught(int signal)
{
    return signal != SIGKILL && signal != SIGSTOP;
}

/* ---- a run ---- */

struct trial {
    struct program p;
    int signal;
    char name[64], folder[600];
};

static void start_blocked(struct program *p, const char *const *words)
{
    sigset_t all, before;

    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &before);
    program_start(p, words, 0);
    sigprocmask(SIG_SETMASK, &before, NULL);
}

/* A copy of the example under a name of its own, paced slowly so that many run beside each other. */
static void start(struct trial *t, int signal, const char *before)
{
    static int number;
    char file[700];

    *t = (struct trial){.signal = signal};
    snprintf(t->name, sizeof t->name, "signal-%ld-%d", (long)getpid(), number++);
    snprintf(t->folder, sizeof t->folder, "%s", scratch_path(t->name));
    snprintf(file, sizeof file, "%s.yaml", t->folder);
    assert_runs((const char *const[]){"/bin/cp", SPRING, file, NULL});
    start_blocked(&t->p, (const char *const[]){"/usr/bin/env",
                                               before,
                                               YOKE_PROGRAM,
                                               "run",
                                               file,
                                               "-o",
                                               t->folder,
                                               "-q",
                                               "--realtime",
                                               "--priority",
                                               "0",
                                               "--set",
                                               "time.end=800",
                                               "--set",
                                               "time.scale=4",
                                               "--set",
                                               "reference=none",
                                               "--set",
                                               "limits={displacement: 200 mm, end_ramp: 0.1, missed_deadlines: 0, "
                                               "stall: 0}",
                                               NULL});
}

/* The step of a run, from its socket; -1: it does not answer. */
static long step_of(const struct trial *t)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    char answer[100] = "";
    long step = -1;

    snprintf(address.sun_path, sizeof address.sun_path, "/tmp/yoke-%u/%s.sock", (unsigned)getuid(), t->name);
    if (connect(fd, (struct sockaddr *)&address, sizeof address) == 0 && write(fd, "status", 6) == 6 &&
        shutdown(fd, SHUT_WR) == 0 && read(fd, answer, sizeof answer - 1) > 0 &&
        sscanf(answer, "running step %ld", &step) != 1)
        step = -1;
    close(fd);
    return step;
}

static void await_step(const struct trial *t, long step)
{
    siginfo_t end = {0};

    for (int tries = 0; tries < 10000 && !end.si_pid; tries++) {
        if (step_of(t) >= step)
            return;
        patience_sleep(0.01);
        waitid(P_PID, (id_t)t->p.pid, &end, WEXITED | WNOHANG | WNOWAIT);
    }
    fail_msg("%s %s", t->name, end.si_pid ? "has ended" : "does not run");
}

/* The commands end where they began, by small steps; every step and tick is there. */
static void check_recording(const struct trial *t, long steps)
{
    struct yk_recording *recording;
    char path[700];
    double largest = 0, jump = 0;

    snprintf(path, sizeof path, "%s/run.h5", t->folder);
    assert_ok(yk_recording_open(&recording, path, &err));
    const int ticks = yk_recording_stream(recording, "ticks");
    const int sent = yk_recording_find(recording, ticks, "a1.sent");
    const size_t width = yk_recording_channels(recording, ticks), count = yk_recording_rows(recording, ticks);
    double *rows = calloc(count * width, sizeof *rows);
    assert_non_null(rows);
    assert_true(sent >= 0);
    assert_ok(yk_recording_read(recording, ticks, 0, count, rows, &err));
    for (size_t i = 1; i < count; i++) {
        largest = fmax(largest, fabs(rows[i * width + (size_t)sent]));
        jump = fmax(jump, fabs(rows[i * width + (size_t)sent] - rows[(i - 1) * width + (size_t)sent]));
    }
    assert_true(largest > 1e-5); /* it had left its place */
    assert_near(rows[(count - 1) * width + (size_t)sent], 0, 0);
    assert_true(jump < 0.2 * largest); /* 15/8 of 1/25 in the ramp of 25 ticks; without a ramp it were all of it */
    if (steps >= 0) {
        assert_true(yk_recording_finished(recording) || steps > 0);
        assert_int_equal(yk_recording_rows(recording, 0), steps + 1);
        assert_true(count >= (size_t)(10 * steps)); /* control ticks of a step */
    }
    free(rows);
    yk_recording_close(recording);
}

static void finish(struct trial *t)
{
    char path[700];

    program_wait(&t->p);
    if (t->p.code != 3)
        print_error("signal %d: exit code %d, '%s'\n", t->signal, t->p.code, t->p.err);
    assert_int_equal(t->p.code, 3);
    program_free(&t->p);
    snprintf(path, sizeof path, "%s/summary.json", t->folder);
    json_t *summary = json_load_file(path, 0, NULL);
    assert_non_null(summary);
    assert_string_equal(json_string_value(json_object_get(summary, "state")), "done");
    assert_non_null(strstr(json_string_value(json_object_get(summary, "stop_reason")), "stopped by request at step "));
    check_recording(t, (long)json_integer_value(json_object_get(summary, "steps")));
    json_decref(summary);
}

static void every_signal_brings_the_actuators_to_rest(void **state)
{
    for (int first = 1; first <= LAST_SIGNAL;) {
        struct trial trials[BESIDE];
        int count = 0;

        for (; count < BESIDE && first <= LAST_SIGNAL; first++)
            if (can_be_caught(first))
                start(&trials[count++], first, "A=");
        for (int i = 0; i < count; i++)
            await_step(&trials[i], STEPS_IN_MOTION);
        for (int i = 0; i < count; i++)
            kill(trials[i].p.pid, trials[i].signal);
        for (int i = 0; i < count; i++)
            if (is_ignored(trials[i].signal)) {
                await_step(&trials[i], step_of(&trials[i]) + 3); /* it goes on */
                kill(trials[i].p.pid, SIGTERM);
            }
        for (int i = 0; i < count; i++)
            finish(&trials[i]);
    }
}

/* ---- faults of the program itself ---- */

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) /* they must be loaded first */
static void start_faulty(struct trial *t, const char *fault)
{
    assert_int_equal(access(PLUGIN, R_OK), 0); /* the run would go on for an hour */
    setenv("LD_PRELOAD", PLUGIN, 1);
    start(t, SIGSEGV, fault);
    unsetenv("LD_PRELOAD");
}

static void a_fault_outside_the_loop_lets_it_ramp(void **state)
{
    struct trial t;

    start_faulty(&t, "FAULT_IN=poll:200"); /* of the thread that hears the operator, every 10 ms */
    program_wait(&t.p);
    assert_int_equal(t.p.code, -SIGSEGV);
    assert_non_null(strstr(t.p.err, "internal error outside the control loop"));
    program_free(&t.p);
    check_recording(&t, -1);
}

static void a_fault_in_the_loop_is_told_and_leaves_a_recording(void **state)
{
    struct yk_recording *recording;
    struct trial t;
    char path[700];

    start_faulty(&t, "FAULT_IN=clock_nanosleep:400");
    program_wait(&t.p);
    assert_int_equal(t.p.code, -SIGSEGV);
    assert_non_null(strstr(t.p.err, "internal error in the control loop"));
    program_free(&t.p);
    snprintf(path, sizeof path, "%s/run.h5", t.folder);
    assert_ok(yk_recording_open(&recording, path, &err));
    assert_true(yk_recording_rows(recording, 0) > 5);
    yk_recording_close(recording);
}
#else
static void a_fault_outside_the_loop_lets_it_ramp(void **state)
{
    skip();
}

static void a_fault_in_the_loop_is_told_and_leaves_a_recording(void **state)
{
    skip();
}
#endif

/* ---- the rig ---- */

static void await_line(const struct program *p)
{
    for (int tries = 0; tries < 3000; tries++) {
        FILE *in = fopen(p->out_path, "r");
        const int first = in ? fgetc(in) : EOF;

        if (in)
            fclose(in);
        if (first != EOF)
            return;
        patience_sleep(0.01);
    }
    fail_msg("yoke serve did not start");
}

static void every_signal_ends_a_served_rig_in_order(void **state)
{
    for (int first = 1; first <= LAST_SIGNAL;) {
        struct program rigs[BESIDE];
        int count = 0, signals[BESIDE];

        for (; count < BESIDE && first <= LAST_SIGNAL; first++)
            if (can_be_caught(first)) {
                signals[count] = first;
                start_blocked(&rigs[count++], (const char *const[]){YOKE_PROGRAM, "serve", SPRING, "--udp", "0", NULL});
            }
        for (int i = 0; i < count; i++) {
            await_line(&rigs[i]);
            kill(rigs[i].pid, signals[i]);
        }
        program_sleep(0.05);
        for (int i = 0; i < count; i++) {
            if (is_ignored(signals[i])) {
                assert_int_equal(kill(rigs[i].pid, 0), 0);
                kill(rigs[i].pid, SIGTERM);
            }
            program_wait(&rigs[i]);
            if (rigs[i].code)
                print_error("signal %d: exit code %d\n", signals[i], rigs[i].code);
            assert_int_equal(rigs[i].code, 0);
            assert_non_null(strstr(rigs[i].out, "waiting: "));
            program_free(&rigs[i]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_signal_brings_the_actuators_to_rest),
        cmocka_unit_test(a_fault_outside_the_loop_lets_it_ramp),
        cmocka_unit_test(a_fault_in_the_loop_is_told_and_leaves_a_recording),
        cmocka_unit_test(every_signal_ends_a_served_rig_in_order),
    };

    return cmocka_run_group_tests_name("signals", tests, scratch_create, scratch_remove);
}
