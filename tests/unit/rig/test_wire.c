/* Backends over shared memory and UDP against a rig in another process: the same numbers as without a wire, and a
 * defined end of every fault. Expected readings: the lag of support/wire.h computed beside it. */

#include "support/check.h"
#include "support/patience.h"
#include "support/wire.h"

#include "rig/remote.h"

#include "base/clock.h"

#include <arpa/inet.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static void lock_step_gives_the_numbers_of_the_rig_itself(void **state)
{
    for (int k = 0; k < 2; k++) {
        const struct yk_server_settings s = serving(wires[k]);
        struct peer p;
        struct peer_counts c;

        peer_start(&p, &s, &wire_plan);
        for (int session = 0; session < 2; session++) { /* the second begins anew */
            struct wire w = wire_make(&p, patient);

            assert_ok(w.ops->open(w.self, &wire_plan, &err));
            assert_near(w.ops->worst_wait_s(w.self), 20, 1e-9);
            move_and_compare(&w, 1000);
            wire_free(&w);
        }
        c = peer_stop(&p);
        assert_int_equal(c.sessions, 2);
        assert_int_equal(c.lost_sessions, 0);
        assert_int_equal(c.commands, 2000);
        assert_int_equal(c.missing, 0);
        assert_int_equal(c.damaged, 0);
    }
}

/* A run may be faster than the wall clock only where a simulation answers each command; a device of udp-raw cannot say
 * that it is one. */
static void a_rig_says_whether_it_simulates(void **state)
{
    for (int k = 0; k < 8; k++) {
        struct yk_server_settings s = serving(wires[k % 2]);
        struct peer p;

        s.own_clock = k & 2;
        wire_simulates = k & 4;
        peer_start(&p, &s, &wire_plan);
        wire_simulates = false;
        struct wire w = wire_make(&p, patient);
        assert_ok(w.ops->open(w.self, &wire_plan, &err));
        assert_int_equal(yk_rig_world(w.ops, w.self), k < 4         ? YK_RIG_REAL
                                                      : s.own_clock ? YK_RIG_CLOCKED
                                                                    : YK_RIG_COMPUTED);
        wire_free(&w);
        peer_stop(&p);
    }
}

static void waits_are_bounded_and_said(void **state)
{
    const struct {
        bool own_clock;
        double wait, silence, worst;
    } cases[] = {{false, 0, 0, 1},      {true, 0, 0, 0.5e-3}, {false, 7e-3, 0, 7e-3},
                 {true, 7e-3, 0, 7e-3}, {false, 0, 0.2, 0.2}, {true, 5, 0, 0.1}}; /* not beyond the silence */

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        struct yk_server_settings s = serving(NULL);
        const struct setting_of set[] = {
            {"patience", 30}, {"wait", cases[k].wait}, {"silence", cases[k].silence}, {NULL, 0}};
        struct peer p;

        s.own_clock = cases[k].own_clock;
        peer_start(&p, &s, &wire_plan);
        struct wire w = wire_make(&p, set);
        assert_ok(w.ops->open(w.self, &wire_plan, &err));
        assert_near(w.ops->worst_wait_s(w.self), cases[k].worst, 1e-9);
        wire_free(&w);
        peer_stop(&p);
    }
}

/* A lost command or reading is asked for again, so what arrives is the same as without loss. */
static void lock_step_survives_loss_repetition_and_latency(void **state)
{
    const struct {
        struct yk_wire_faults faults;
        int ticks;
    } cases[] = {{{.loss = 0.01}, 400},
                 {{.loss = 0.1}, 100},
                 {{.loss = 0.5}, 30},
                 {{.duplicate = 0.5}, 400},
                 {{.reorder = 0.3}, 50},
                 {{.latency = 1e-3, .jitter = 1e-3}, 100},
                 {{.loss = 0.2, .duplicate = 0.2, .reorder = 0.2, .latency = 2e-3, .jitter = 2e-3}, 40}};

    for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        struct yk_server_settings s = serving(wires[i % 2]);
        struct peer p;
        struct peer_counts c;

        s.faults = cases[i / 2].faults;
        s.faults.seed = (int)i;
        peer_start(&p, &s, &wire_plan);
        struct wire w = wire_make(&p, patient);
        assert_ok(w.ops->open(w.self, &wire_plan, &err));
        move_and_compare(&w, cases[i / 2].ticks);
        const struct yk_remote_counts noticed = ((struct yk_remote *)w.self)->counts;
        wire_free(&w);
        c = peer_stop(&p);
        assert_int_equal(c.commands, cases[i / 2].ticks);
        if (s.faults.loss > 0.05)
            assert_true(noticed.resent > 0);
        if (s.faults.duplicate > 0.3)
            assert_true(c.stale > 0);
    }
}

/* Exchanges at the control rate until `enough`, at most 20000 ticks. */
static void run_by_clock(struct wire *w, bool (*enough)(const struct yk_remote *, long fresh, long held))
{
    struct yk_reading got[WIRE_ACTUATORS];
    const struct yk_remote *r = w->self;
    long fresh = 0, held = 0;
    int64_t due = yk_clock_now_ns();

    for (int k = 0; k < 20000 && !enough(r, fresh, held); k++) {
        const double command[WIRE_ACTUATORS] = {1e-6 * k, 0};
        const enum yk_rig_answer answer = wire_exchange(w, command, got);

        fresh += answer == YK_RIG_FRESH;
        held += answer == YK_RIG_HELD;
        assert_int_not_equal(answer, YK_RIG_LOST);
        assert_true(got[0].displacement <= 1e-6 * k); /* behind the ramp, never ahead */
        assert_near(got[0].force, 1000 * got[0].displacement, 0);
        due += 1010000; /* a little slower than the rig: the readings come in every phase */
        yk_clock_sleep_until(due);
    }
    assert_true(enough(r, fresh, held));
}

static bool hundred_fresh(const struct yk_remote *r, long fresh, long held)
{
    return fresh >= 100;
}

static bool losses_seen(const struct yk_remote *r, long fresh, long held)
{
    return fresh >= 20 && held >= 3 && r->counts.missing >= 3;
}

static bool stale_seen(const struct yk_remote *r, long fresh, long held)
{
    return fresh >= 20 && r->counts.stale >= 3;
}

static void a_rig_with_a_clock_moves_by_itself_and_its_faults_are_held(void **state)
{
    const struct {
        struct yk_wire_faults faults;
        bool (*enough)(const struct yk_remote *, long, long);
        bool udp_only; /* shared memory keeps only the newest */
    } cases[] = {{{0}, hundred_fresh, false},
                 {{.loss = 0.01}, hundred_fresh, false},
                 {{.loss = 0.3}, losses_seen, false},
                 {{.loss = 0.5}, losses_seen, false},
                 {{.duplicate = 0.3}, stale_seen, false},
                 {{.reorder = 0.3}, stale_seen, true},
                 {{.latency = 2e-3, .jitter = 2e-3}, stale_seen, true}};

    for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        const struct setting_of set[] = {{"patience", 30}, {"silence", 20}, {NULL, 0}};
        struct yk_server_settings s = serving(wires[i % 2]);
        struct yk_reading got[WIRE_ACTUATORS];
        struct peer p;

        if (cases[i / 2].udp_only && s.shm)
            continue;
        s.own_clock = true;
        s.faults = cases[i / 2].faults;
        peer_start(&p, &s, &wire_plan);
        struct wire w = wire_make(&p, set);
        assert_ok(w.ops->open(w.self, &wire_plan, &err));
        assert_ok(wire_rest(&w, (const double[]){0, 0}, got, &err));
        run_by_clock(&w, cases[i / 2].enough);
        wire_free(&w);
        assert_true(peer_stop(&p).ticks > 0);
    }
}

static void a_rig_that_freezes_or_crashes_is_lost_for_good(void **state)
{
    const struct yk_wire_faults faults[] = {{.freeze_after = 50}, {.crash_after = 50}};

    for (int i = 0; i < 8; i++) {
        struct yk_server_settings s = serving(wires[i % 2]);
        struct yk_reading got[WIRE_ACTUATORS], last[WIRE_ACTUATORS] = {{.force = 0}};
        struct peer p;
        int k = 0, held = 0;

        s.faults = faults[i / 2 % 2];
        s.own_clock = i >= 4;
        peer_start(&p, &s, &wire_plan);
        struct wire w = wire_make(&p, hasty);
        assert_ok(w.ops->open(w.self, &wire_plan, &err));
        assert_ok(wire_rest(&w, wire_start, got, &err));
        for (enum yk_rig_answer answer = YK_RIG_FRESH; answer != YK_RIG_LOST && k < 100000; k++) {
            const double command[WIRE_ACTUATORS] = {wish(k, 0), wish(k, 1)};

            answer = wire_exchange(&w, command, got);
            held += answer == YK_RIG_HELD;
            if (answer != YK_RIG_FRESH && last[0].force != 0)
                assert_memory_equal(got, last, sizeof got); /* the last reading */
            memcpy(last, got, sizeof last);
        }
        assert_true(k < 100000 && held > 0);
        assert_string_equal(w.ops->reason(w.self), "no reading for longer than `silence`");
        kill(p.pid, SIGKILL);
        for (int more = 0; more < 5; more++) {
            assert_int_equal(wire_exchange(&w, wire_start, got), YK_RIG_LOST);
            assert_memory_equal(got, last, sizeof got);
        }
        wire_free(&w);
        peer_stop(&p);
    }
}

static void a_rig_that_says_goodbye_is_lost_at_once(void **state)
{
    for (int i = 0; i < 2; i++) {
        const struct yk_server_settings s = serving(wires[i]);
        struct yk_reading got[WIRE_ACTUATORS];
        struct peer p;

        peer_start(&p, &s, &wire_plan);
        struct wire w = wire_make(&p, patient); /* it would wait for 20 s */
        assert_ok(w.ops->open(w.self, &wire_plan, &err));
        move_and_compare(&w, 10);
        peer_stop(&p);
        assert_int_equal(wire_exchange(&w, wire_start, got), YK_RIG_LOST);
        assert_string_equal(w.ops->reason(w.self), "the rig has ended the session");
        wire_free(&w);
    }
}

/* The commanding side ends without a word while the actuators stand away from their start. */
static void a_silent_commander_sends_the_rig_home_by_a_ramp(void **state)
{
    for (int i = 0; i < 4; i++) {
        struct yk_server_settings s = serving(wires[i % 2]);
        struct yk_reading got[WIRE_ACTUATORS];
        struct peer p;
        struct peer_counts c;
        double step = 0;
        long n;

        s.own_clock = i >= 2;
        s.silence = 0.2;
        s.ramp = 0.1;
        peer_start(&p, &s, &wire_plan);
        struct wire w = wire_make(&p, hasty);
        assert_ok(w.ops->open(w.self, &wire_plan, &err));
        assert_ok(wire_rest(&w, wire_start, got, &err));
        for (int k = 0; k < 50; k++) {
            wire_exchange(&w, (const double[]){0.05, 0}, got);
            usleep(1000);
        }
        const long before = atomic_load(&p.log->count);
        for (int tries = 0; tries < 20000; tries++) { /* until it stands at the start again */
            n = atomic_load(&p.log->count);
            if (n > before && p.log->command[n - 1] == wire_start[0])
                break;
            patience_sleep(0.001);
        }
        assert_near(p.log->command[n - 1], wire_start[0], 0);
        for (long k = before; k < n; k++)
            step = fmax(step, fabs(p.log->command[k] - p.log->command[k - 1]));
        assert_near(step, (0.05 - wire_start[0]) / 101, 1e-9); /* a straight line in 101 ticks */
        /* what comes now is refused: a new session has to begin */
        enum yk_rig_answer answer = YK_RIG_FRESH;
        for (int k = 0; k < 1000 && answer != YK_RIG_LOST; k++)
            answer = wire_exchange(&w, (const double[]){0.05, 0}, got);
        assert_int_equal(answer, YK_RIG_LOST);
        assert_ok(wire_rest(&w, wire_start, got, &err)); /* which a rest does */
        wire_free(&w);
        struct wire again = wire_make(&p, patient);
        assert_ok(again.ops->open(again.self, &wire_plan, &err));
        assert_ok(wire_rest(&again, wire_start, got, &err));
        wire_free(&again);
        c = peer_stop(&p);
        assert_true(c.lost_sessions >= 1);
        assert_int_equal(c.sessions, 3);
    }
}

/* A rate that faded along a straight line would leave the actuator in motion, and somewhere else. It is led home
 * instead: v = 2 pi (0 - x), and zero at the end. */
static void a_silent_commander_of_velocities_has_its_rig_led_home(void **state)
{
    static const enum yk_command_kind kinds[] = {YK_BY_VELOCITY, YK_BY_DISPLACEMENT};
    struct yk_server_settings s = serving(wires[0]);
    struct yk_rig_plan plan = wire_plan;
    struct yk_reading got[WIRE_ACTUATORS];
    struct peer p;
    double x = 0;
    long n = 0, before, commanded = 0;

    plan.kinds = kinds;
    s.silence = 0.1;
    s.ramp = 0.1;
    peer_start(&p, &s, &plan);
    struct wire w = wire_make(&p, hasty);
    assert_ok(w.ops->open(w.self, &plan, &err));
    assert_ok(wire_rest(&w, (const double[]){0, 0}, got, &err));
    for (int k = 0; k < 50; k++)
        wire_exchange(&w, (const double[]){0.05, 0}, got);
    before = atomic_load(&p.log->count);
    for (int tries = 0; tries < 20000 && (n <= before || p.log->command[n - 1] != 0); tries++) {
        patience_sleep(0.001);
        n = atomic_load(&p.log->count);
    }
    for (long k = 0; k < n; k++) { /* the rig follows by x <- x + 0.1 (command - x) */
        if (p.log->command[k] != 0.05)
            assert_near(p.log->command[k], k + 1 < n ? -2 * M_PI * x : 0, 1e-12);
        else
            commanded = k;
        x += 0.1 * (p.log->command[k] - x);
    }
    assert_int_equal(p.log->command[n - 1], 0);
    assert_true(n - 1 - commanded > 1990); /* 2 s, whatever `ramp` says */
    wire_free(&w);
    peer_stop(&p);
}

/* It is held for three ticks, then falls by a tenth a tick, long before the session is lost; and lines up with the next
 * command. Expected: v_k = 0.9^k v, so that it stops after 4 + 10 ticks of its way. */
static void a_rate_without_commands_brakes_by_itself(void **state)
{
    static const enum yk_command_kind rates[] = {YK_BY_VELOCITY, YK_BY_ACCELERATION};

    for (int k = 0; k < 2; k++) {
        const enum yk_command_kind kinds[] = {rates[k], YK_BY_DISPLACEMENT};
        const double speed = 0.1; /* m/s */
        struct yk_server_settings s = serving(NULL);
        struct yk_rig_plan plan = wire_plan;
        struct yk_reading got[WIRE_ACTUATORS];
        struct peer p;
        long n = 0, last = 0;

        plan.kinds = kinds;
        wire_moves_by = rates[k];
        s.own_clock = true;
        s.silence = 20;
        peer_start(&p, &s, &plan);
        wire_moves_by = YK_BY_DISPLACEMENT;
        struct wire w = wire_make(&p, patient);
        assert_ok(w.ops->open(w.self, &plan, &err));
        assert_ok(wire_rest(&w, (const double[]){0, 0}, got, &err));
        for (int again = 0; again < 2; again++) {
            const double mark = 1 + again, rate = rates[k] == YK_BY_VELOCITY ? speed : 2.0;

            wire_exchange(&w, (const double[]){rate, mark}, got); /* an acceleration of 2 m/s2 for some ticks */
            for (int tries = 0; tries < 20000; tries++) {
                n = atomic_load(&p.log->count);
                for (last = n; last > 0 && p.log->second[last - 1] == mark;)
                    last--;
                if (n - last > 1000)
                    break;
                usleep(1000);
            }
            assert_true(n - last > 1000); /* the session goes on: it is not the ramp home that stops it */
            for (long i = last; i < last + 4; i++)
                assert_near(p.log->command[i], rate, 0);
            const double began = p.log->place[last + 4];
            if (rates[k] == YK_BY_VELOCITY)
                for (long i = 0; i < 20; i++)
                    assert_near(p.log->command[last + 4 + i], speed * pow(0.9, (double)i), 1e-3 * speed);
            else
                assert_true(p.log->command[last + 4] < 0);
            const double came = (p.log->place[last + 4] - p.log->place[last + 3]) / plan.tick; /* its speed */
            assert_near(p.log->place[n - 1] - began, 10 * plan.tick * came, 2 * plan.tick * came);
            assert_near(p.log->place[n - 1], p.log->place[n - 2], 1e-3 * plan.tick * came); /* it stands */
        }
        wire_free(&w);
        const struct peer_counts c = peer_stop(&p);
        assert_int_equal(c.lost_sessions, 0);
        assert_int_equal(c.commands, 2);
    }
}

/* A real rig is moved by the ramps of a run only: neither the rest nor the silence behind it is a command to jump. */
static void a_rig_that_stands_elsewhere_is_not_moved_by_a_rest(void **state)
{
    struct yk_server_settings s = serving(NULL);
    struct yk_reading got[WIRE_ACTUATORS];
    struct peer p;

    s.own_clock = true;
    wire_stands_at = 0.03;
    peer_start(&p, &s, &wire_plan);
    wire_stands_at = 0;
    struct wire w = wire_make(&p, hasty);
    assert_ok(w.ops->open(w.self, &wire_plan, &err));
    assert_ok(wire_rest(&w, (const double[WIRE_ACTUATORS]){0}, got, &err));
    assert_true(got[0].displacement == 0.03);
    const long rested = atomic_load(&p.log->count);
    while (atomic_load(&p.log->count) < rested + 50)
        usleep(1000);
    for (long k = rested + 1; k < rested + 50; k++)
        assert_true(p.log->command[k] == 0.03);
    wire_free(&w);
    peer_stop(&p);
}

/* At 4 Hz nothing is said for longer than the 0.1 s after which a peer would be lost, on either side. */
static void a_slow_clock_is_not_silence(void **state)
{
    static const struct setting_of as_given[] = {{"patience", 30}, {NULL, 0}};

    for (int i = 0; i < 2; i++) {
        struct yk_server_settings s = serving(wires[i]);
        struct yk_rig_plan slow = wire_plan;
        struct yk_reading got[WIRE_ACTUATORS];
        struct peer p;

        s.own_clock = true;
        s.silence = 0;
        slow.tick = 0.25;
        peer_start(&p, &s, &slow);
        struct wire w = wire_make(&p, as_given);
        assert_ok(w.ops->open(w.self, &slow, &err));
        assert_ok(wire_rest(&w, wire_start, got, &err));
        for (int k = 0; k < 6; k++) {
            assert_int_not_equal(wire_exchange(&w, wire_start, got), YK_RIG_LOST);
            usleep(250000);
        }
        wire_free(&w);
        assert_int_equal(peer_stop(&p).lost_sessions, 0);
    }
}

/* Shared memory shows the newest message only: the HELLO of the next session may hide the goodbye of the last. */
static void a_goodbye_that_was_never_read_does_not_keep_the_rig_busy(void **state)
{
    const struct yk_server_settings s = serving("shm"); /* silence would end the session after 20 s */
    struct yk_reading got[WIRE_ACTUATORS];
    struct peer_counts c;
    struct peer p;
    pid_t waker;

    peer_start(&p, &s, &wire_plan);
    struct wire w = wire_make(&p, patient);
    assert_ok(w.ops->open(w.self, &wire_plan, &err));
    assert_ok(wire_rest(&w, wire_start, got, &err));
    kill(p.pid, SIGSTOP);
    wire_free(&w);
    fflush(NULL);
    if ((waker = fork()) == 0) {
        usleep(200000);
        kill(p.pid, SIGCONT);
        _exit(0);
    }
    struct wire again = wire_make(&p, patient);
    assert_ok(again.ops->open(again.self, &wire_plan, &err));
    assert_ok(wire_rest(&again, wire_start, got, &err));
    wire_free(&again);
    assert_int_equal(waitpid(waker, NULL, 0), waker);
    c = peer_stop(&p);
    assert_int_equal(c.sessions, 2);
    assert_int_equal(c.lost_sessions, 0);
}

/* Was x the last command that the rig made a tick with? */
static bool has_logged(const struct wire_log *log, double x)
{
    const long n = atomic_load(&log->count);

    return n > 0 && log->command[n - 1] == x;
}

/* Neither the goodbye nor the silence behind a cut sends the rig home. */
static void a_cut_disables_the_drive_until_a_new_session(void **state)
{
    for (int i = 0; i < 4; i++) {
        struct yk_server_settings s = serving(wires[i % 2]);
        struct yk_reading got[WIRE_ACTUATORS];
        struct peer p;
        struct peer_counts c;

        s.own_clock = i >= 2;
        s.silence = 0.3;
        peer_start(&p, &s, &wire_plan);
        struct wire w = wire_make(&p, hasty);
        assert_ok(w.ops->open(w.self, &wire_plan, &err));
        assert_ok(wire_rest(&w, wire_start, got, &err));
        for (int k = 0; k < 10; k++)
            wire_exchange(&w, (const double[]){0.05, 0}, got);
        for (int k = 0; k < 2000 && !has_logged(p.log, 0.05); k++) { /* a rig with a clock may be late to begin */
            patience_sleep(0.001);
            wire_exchange(&w, (const double[]){0.05, 0}, got);
        }
        w.ops->cut(w.self, 0);
        wire_free(&w);
        for (int tries = 0; tries < 20000 && !atomic_load(&p.log->cuts); tries++)
            patience_sleep(0.001);
        assert_int_equal(atomic_load(&p.log->cuts), 1);
        const long n = atomic_load(&p.log->count);
        usleep(400000);
        assert_int_equal(atomic_load(&p.log->count), n); /* not a tick more */
        assert_near(p.log->command[n - 1], 0.05, 0);
        struct wire again = wire_make(&p, patient);
        assert_ok(again.ops->open(again.self, &wire_plan, &err)); /* says where it is to stand only with a rest */
        usleep(50000);
        wire_free(&again);
        usleep(50000);
        assert_int_equal(atomic_load(&p.log->count), n);
        again = wire_make(&p, patient);
        assert_ok(again.ops->open(again.self, &wire_plan, &err));
        assert_ok(wire_rest(&again, wire_start, got, &err));
        wire_free(&again);
        c = peer_stop(&p);
        assert_int_equal(c.cuts, 1);
        assert_int_equal(c.sessions, 3);
    }
}

static void a_command_that_is_no_number_does_not_move_the_rig(void **state)
{
    for (int i = 0; i < 2; i++) {
        const struct yk_server_settings s = serving(wires[i]);
        struct yk_reading got[WIRE_ACTUATORS];
        const double bad[][WIRE_ACTUATORS] = {{NAN, 0}, {0, INFINITY}};
        struct peer p;

        peer_start(&p, &s, &wire_plan);
        struct wire w = wire_make(&p, hasty);
        assert_ok(w.ops->open(w.self, &wire_plan, &err));
        assert_ok(wire_rest(&w, wire_start, got, &err));
        for (int k = 0; k < 2; k++)
            assert_int_not_equal(wire_exchange(&w, bad[k], got), YK_RIG_FRESH);
        wire_free(&w);
        const long n = atomic_load(&p.log->count);
        for (long k = 0; k < n; k++)
            assert_true(isfinite(p.log->command[k]));
        assert_true(peer_stop(&p).refused >= 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lock_step_gives_the_numbers_of_the_rig_itself),
        cmocka_unit_test(a_rig_says_whether_it_simulates),
        cmocka_unit_test(waits_are_bounded_and_said),
        cmocka_unit_test(lock_step_survives_loss_repetition_and_latency),
        cmocka_unit_test(a_rig_with_a_clock_moves_by_itself_and_its_faults_are_held),
        cmocka_unit_test(a_rig_that_freezes_or_crashes_is_lost_for_good),
        cmocka_unit_test(a_rig_that_says_goodbye_is_lost_at_once),
        cmocka_unit_test(a_silent_commander_sends_the_rig_home_by_a_ramp),
        cmocka_unit_test(a_silent_commander_of_velocities_has_its_rig_led_home),
        cmocka_unit_test(a_rate_without_commands_brakes_by_itself),
        cmocka_unit_test(a_rig_that_stands_elsewhere_is_not_moved_by_a_rest),
        cmocka_unit_test(a_slow_clock_is_not_silence),
        cmocka_unit_test(a_goodbye_that_was_never_read_does_not_keep_the_rig_busy),
        cmocka_unit_test(a_cut_disables_the_drive_until_a_new_session),
        cmocka_unit_test(a_command_that_is_no_number_does_not_move_the_rig),
    };
    return cmocka_run_group_tests_name("wire", tests, NULL, NULL);
}
