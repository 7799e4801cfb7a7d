/* Somebody without the key between a run and a rig, for each thing that he can do (support/onpath.h). Whatever it is:
 * the rig moves by new commands of the run only, it goes home when they end, and genuine runs get in.
 *
 * YOKE_WIRE_SECONDS: how long each kind lasts (`make soak`: 60). All kinds at once, each in a process. */
#include "support/check.h"
#include "support/onpath.h"
#include "support/scratch.h"
#include "support/wire.h"

#include "base/clock.h"
#include "rig/sealed.h"

#include <math.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define STEP  1e-6 /* m: from one command of the second actuator to the next, each another place */
#define SPEED 0.02 /* m/s: of the first actuator, if it is commanded by velocity */

enum { SILENCE_TICKS = 100, HELD_TICKS = 4, COMMANDS = 120, SLACK = 4 };

static const struct setting_of settings[] = {{"patience", 30}, {"silence", 20}, {NULL, 0}};

/* ---- what the rig was told ---- */

struct account {
    bool by_rate;
    double ramp_ticks;
    /* counts */
    long newest;        /* command that the rig took last */
    long held, longest; /* ticks with it; most of all */
    long ramp;          /* ticks on the way home; 0: none */
    double from, place; /* where that began; of the first actuator with the newest command */
    long homecomings;
};

/* A command of the run that is newer than the last, the last one again, or one more tick of the way home. */
static void follow(struct account *a, double told)
{
    const long number = lround(told / STEP);

    if (a->ramp) {
        const double share = fmin((double)++a->ramp / a->ramp_ticks, 1);

        assert_near(told, (1 - share) * a->from, 1e-15);
        if (share == 1) {
            a->ramp = 0;
            a->held = 0;
            a->homecomings++;
        }
    } else if (fabs(told - (double)number * STEP) < 1e-15 && number > a->newest) {
        a->newest = number;
        a->held = 1;
    } else if (a->held && fabs(told - (double)a->newest * STEP) < 1e-15) {
        a->longest = ++a->held > a->longest ? a->held : a->longest;
    } else if (a->held) {
        a->from = (double)a->newest * STEP;
        a->ramp = 1;
        assert_near(told, (1 - 1 / a->ramp_ticks) * a->from, 1e-15);
    } else {
        assert_near(told, 0, 0); /* at home */
    }
}

/* A velocity lasts for three more ticks, then it falls by a tenth a tick. */
static void brake(struct account *a, double velocity, double place)
{
    if (!a->held || a->ramp)
        return;
    if (a->held <= HELD_TICKS)
        assert_near(velocity, SPEED, 0);
    else
        assert_near(velocity, SPEED * pow(0.9, (double)(a->held - HELD_TICKS - 1)), 0.02 * SPEED);
    if (a->held == 1)
        a->place = place;
    assert_true(place - a->place <= SPEED * 1e-3 * (HELD_TICKS + 12));
}

static void check_log(struct account *a, const struct wire_log *log)
{
    const long n = atomic_load(&log->count);

    assert_true(n < WIRE_LOG);
    for (long i = 0; i < n; i++) {
        follow(a, log->second[i]);
        if (a->by_rate)
            brake(a, log->command[i], log->place[i]);
    }
    assert_int_equal(a->ramp, 0);
    assert_true(a->longest <= SILENCE_TICKS + SLACK);
}

/* ---- runs ---- */

struct tally {
    long rounds, sent;
    double slowest_s; /* until a run had its session */
};

static void wait_for_home(const struct wire_log *log)
{
    const long then = atomic_load(&log->count);
    const int64_t until = yk_clock_now_ns() + INT64_C(30000000000);
    long n = then;

    while (yk_clock_now_ns() < until && (n = atomic_load(&log->count), n < then + 2 || log->second[n - 1] != 0))
        usleep(1000);
    assert_true(n > 0 && log->second[n - 1] == 0);
}

/* A run gets in, moves, and ends without a word. */
static void play_round(struct onpath *o, const struct peer *rig, const struct yk_rig_plan *plan, struct tally *t)
{
    const struct peer at = {.port = o->port, .key = rig->key};
    struct wire w = wire_make(&at, settings);
    struct yk_reading got[WIRE_ACTUATORS];
    const int64_t began = yk_clock_now_ns();
    enum yk_rig_answer answer = YK_RIG_FRESH;

    assert_ok(w.ops->open(w.self, plan, &err));
    assert_ok(wire_rest(&w, (const double[]){0, 0}, got, &err));
    int64_t due = yk_clock_now_ns();
    t->slowest_s = fmax(t->slowest_s, 1e-9 * (double)(due - began));
    for (int k = 0; k < COMMANDS && answer != YK_RIG_LOST; k++) {
        answer = wire_exchange(&w, (const double[]){SPEED, (double)++t->sent * STEP}, got);
        due += 1000000;
        yk_clock_sleep_until(due);
    }
    atomic_store(&o->mute, true);
    wire_free(&w);
    wait_for_home(rig->log);
    usleep(20000); /* he has the rig for himself */
    atomic_store(&o->mute, false);
    t->rounds++;
}

/* He lets the last run through, which finds the rig free: every session before it is over. */
static void end_quietly(struct onpath *o, const struct peer *rig, const struct yk_rig_plan *plan)
{
    const struct peer at = {.port = o->port, .key = rig->key};
    struct wire w = wire_make(&at, settings);
    struct yk_reading got[WIRE_ACTUATORS];

    atomic_store(&o->acts, false);
    assert_ok(w.ops->open(w.self, plan, &err));
    assert_ok(wire_rest(&w, (const double[]){0, 0}, got, &err));
    wire_free(&w);
    atomic_store(&o->acts, true);
}

/* One rig is commanded by displacement, the next one in its place by velocity; he knows all of the first. */
static void stand(enum onpath_kind kind, double seconds)
{
    static const enum yk_command_kind kinds[] = {YK_BY_VELOCITY, YK_BY_DISPLACEMENT};
    struct yk_server_settings s = serving(NULL);
    struct yk_rig_plan plan = wire_plan;
    struct onpath *o = NULL;
    struct peer rigs[2];

    s.own_clock = true;
    s.silence = 1e-3 * SILENCE_TICKS;
    s.spin = 0;
    s.key = "key";
    plan.kinds = kinds;
    peer_start(&rigs[0], &s, &wire_plan);
    wire_moves_by = YK_BY_VELOCITY;
    peer_start(&rigs[1], &s, &plan);
    for (int k = 0; k < 2; k++) {
        struct account a = {.by_rate = k == 1, .ramp_ticks = k ? 2001 : 21};
        struct tally t = {0};
        const int64_t until = yk_clock_now_ns() + (int64_t)(0.5e9 * seconds);

        if (!o)
            o = onpath_start(kind, rigs[k].port);
        atomic_store(&o->rig_port, rigs[k].port);
        do
            play_round(o, &rigs[k], k ? &plan : &wire_plan, &t);
        while (yk_clock_now_ns() < until);
        end_quietly(o, &rigs[k], k ? &plan : &wire_plan);
        check_log(&a, rigs[k].log);
        const struct peer_counts c = peer_stop(&rigs[k]);
        print_message("%s, by %s: %ld runs of %lu sessions got in, the slowest within %.3f s; %lu datagrams seen, %lu "
                      "passed on, %lu own; %lu of %ld commands taken, one held for at most %ld ticks; %lu challenges, "
                      "%lu greetings void, %lu forged, %lu replayed\n",
                      onpath_names[kind], k ? "velocity" : "displacement", t.rounds, c.sessions, t.slowest_s,
                      atomic_load(&o->seen), atomic_load(&o->passed), atomic_load(&o->sent), c.commands, t.sent,
                      a.longest, c.challenges, c.void_greetings, c.forged, c.replayed);
        assert_int_equal(c.lost_sessions, c.sessions - 1); /* all but the last ended by the watchdog */
        assert_true(c.commands > 0);
        if (kind == ONPATH_REPLAYS || kind == ONPATH_FORGES) { /* nothing of the run was lost, nothing of his counts */
            assert_int_equal(c.sessions, t.rounds + 1);
        } else
            assert_true(c.sessions > (unsigned long)t.rounds);
        if (kind == ONPATH_REPLAYS)
            assert_true(c.replayed > 0 && c.challenges > 0);
        if (kind == ONPATH_FORGES)
            assert_true(c.forged > 0);
    }
    onpath_stop(o);
}

static void somebody_on_the_wire_moves_nothing_and_keeps_nobody_out(void **state)
{
    const char *given = getenv("YOKE_WIRE_SECONDS"), *only = getenv("YOKE_WIRE_KIND");
    const double seconds = given ? strtod(given, NULL) : 1;
    pid_t pids[ONPATH_KINDS] = {0};

    fflush(NULL);
    for (int k = 0; k < ONPATH_KINDS; k++)
        if ((!only || strcmp(only, onpath_names[k]) == 0) && (pids[k] = fork()) == 0) {
            stand((enum onpath_kind)k, seconds);
            fflush(NULL);
            _exit(0);
        }
    for (int k = 0; k < ONPATH_KINDS; k++) {
        int status = 0;

        if (pids[k])
            assert_int_equal(waitpid(pids[k], &status, 0), pids[k]);
        if (status)
            fail_msg("somebody who %s got his way", onpath_names[k]);
    }
}

static int set_up(void **state)
{
    struct yk_err err = {0};

    return scratch_enter(state) || yk_seal_make_key("key", &err);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(somebody_on_the_wire_moves_nothing_and_keeps_nobody_out),
    };

    if (yk_seal_make_key("/", NULL) == YK_E_UNSUPPORTED)
        return 77; /* built without libsodium */
    return cmocka_run_group_tests_name("wire, on the path", tests, set_up, scratch_leave);
}
