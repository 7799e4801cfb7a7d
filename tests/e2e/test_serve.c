/* A rig in another process as a user runs it: `yoke serve` beside `yoke run` gives the samples of a run in one process
 * to the last bit, whatever the wire loses; and every way to end is clean. */
#include "support/check.h"
#include "support/patience.h"
#include "support/scratch.h"
#include "support/served.h"

#include "record/record.h"

#include <jansson.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#define EXAMPLES YOKE_SOURCE "/examples/"
#define SPRING   EXAMPLES "spring-specimen/spring-specimen.yaml"
/* Limits that a rig outside this process needs and the file lacks; the motion stays far from them. */
#define LIMITED  "--set", "limits.command_rate=5", "--set", "limits.tracking_error=0.1"
#define MODES    EXAMPLES "two-modes/two-modes.yaml" /* its drive changes its control mode four times in a second */
#define ADAPTIVE EXAMPLES "adaptive-compensation/adaptive.yaml"

/* ---- the run ---- */

/* Runs `file` and returns its samples as text; over the wire of `r` unless NULL. */
static char *samples(const char *file, const struct rig *r, const char *const *options)
{
    char folder[1024], csv[1024], setting[256];
    const char *words[WORDS_MOST] = {YOKE_PROGRAM, "run", file, "-q", "-o", folder};
    struct program p;
    int n = 6;

    snprintf(folder, sizeof folder, "%s", scratch_path("out"));
    snprintf(csv, sizeof csv, "%s", scratch_path("out.csv"));
    words_add(words, &n, options);
    if (r) { /* patient: a busy machine is no fault */
        snprintf(setting, sizeof setting, "rig.settings={%s: %s, patience: 60, wait: 60, silence: 60}", r->key,
                 r->address);
        words_add(words, &n, (const char *const[]){"--set", r->backend, "--set", setting, LIMITED, NULL});
    }
    program_start(&p, words, 0);
    program_wait(&p);
    if (p.code)
        print_error("%s", p.err);
    assert_int_equal(p.code, 0);
    program_free(&p);
    program_run(&p, "export", folder, "--csv", csv);
    assert_int_equal(p.code, 0);
    program_free(&p);

    FILE *in = fopen(csv, "r");
    char *text = NULL;
    size_t size = 0;
    assert_non_null(in);
    assert_true(getdelim(&text, &size, 0, in) > 1000);
    fclose(in);
    return text;
}

static void a_rig_elsewhere_gives_the_same_samples(void **state)
{
    static const struct {
        const char *file, *options[10];
    } cases[] = {
        {SPRING, {"--set", "time.end=2", NULL}},
        {SPRING,
         {"--set", "rig.actuators.a1.sensors={force_noise: 2 N, displacement_noise: 1e-5, filter: 100 Hz}", "--set",
          "time.end=2", NULL}},
        {ADAPTIVE, {"--set", "time.end=2", NULL}},
        {MODES, {"--set", "time.end=2", LIMITED, NULL}},
        /* volts and kilonewtons on the wire; the initial displacement too */
        {SPRING,
         {"--set", "time.end=2", "--set",
          "substructures.specimen.setup={kind: matrix, calibrate: {a1: {gain: 0.125, force_gain: 1024, offset: 125 mm, "
          "reversed: true}}}",
          "--set", "substructures.frame.initial={displacement: {x: 5 mm}}", "--set",
          "substructures.specimen.initial={displacement: {x: 5 mm}}", NULL}},
    };

    for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        const char *const *options = cases[i / 2].options, *file = cases[i / 2].file;
        struct rig r;

        rig_start(&r, i % 2, file, options);
        char *here = samples(file, NULL, options), *there = samples(file, &r, options),
             *again = samples(file, &r, options);
        assert_string_equal(here, there);
        assert_string_equal(here, again);
        rig_stop(&r, i % 2 ? SIGTERM : SIGINT);
        free(here);
        free(there);
        free(again);
    }
}

static void a_bad_wire_changes_no_sample(void **state)
{
    static const char *const bad[] = {"--loss",   "0.1",   "--duplicate", "0.2", "--latency", "0.2ms",
                                      "--jitter", "0.2ms", "--seed",      "4",   NULL};
    static const char *const brief[] = {"--set", "time.end=0.3", "--set", "limits.end_ramp=0.1", NULL};

    for (int shm = 0; shm < 2; shm++) {
        struct rig r;

        rig_start(&r, shm, SPRING, bad);
        char *here = samples(SPRING, NULL, brief), *there = samples(SPRING, &r, brief);
        assert_string_equal(here, there);
        rig_stop(&r, SIGTERM);
        free(here);
        free(there);
    }
}

/* Such a run ends well and near to the reference; else says why. The bound is ten times what an idle machine shows.
 * After readings that came late on a busy machine the command jumps, by more than a real rig should follow: only the
 * motion is judged here. */
static bool is_paced(const struct rig *r)
{
    char setting[256];
    struct program p;

    snprintf(setting, sizeof setting, "rig.settings={%s: %s, patience: 30, wait: 30, silence: 30}", r->key, r->address);
    program_run(&p, "run", SPRING, "--json", "-q", "-o", scratch_path("clock"), "--set", r->backend, "--set", setting,
                LIMITED, "--set", "limits.command_rate=1000", "--set", "limits.relative_error=0", "--set",
                "limits.peer_silence=30", "--set", "time.end=1", "--set", "limits.end_ramp=0.1");
    json_t *summary = json_loads(p.out, 0, NULL);
    assert_non_null(summary);
    const double error = json_number_value(json_object_get(json_object_get(summary, "errors"), "displacement_nrms"));
    const json_t *wire = json_object_get(summary, "wire");
    assert_int_equal(json_integer_value(json_object_get(wire, "from_strangers")), 0);
    assert_int_equal(json_integer_value(json_object_get(wire, "far_ahead")), 0);
    assert_true(json_is_integer(json_object_get(wire, "held_ticks")));
    const bool good = p.code == 0 && error < 0.1;
    if (!good)
        print_message("exit code %d, error %g: %s", p.code, error, p.err);
    json_decref(summary);
    program_free(&p);
    return good;
}

/* A site whose answers take 3 ms on the way there and back is too slow for 1 kHz, and a run that waits for it says so.
 */
static void a_run_that_waits_says_how_late_a_paced_one_would_be(void **state)
{
    char setting[256];
    struct program p;
    struct rig r;

    rig_start(&r, false, SPRING, (const char *const[]){"--latency", "3ms", NULL});
    snprintf(setting, sizeof setting, "rig.settings={%s: %s, patience: 30, wait: 30, silence: 30}", r.key, r.address);
    program_run(&p, "run", SPRING, "-o", scratch_path("slow"), "--no-report", "--set", r.backend, "--set", setting,
                LIMITED, "--set", "time.end=0.2", "--set", "limits.end_ramp=0.1");
    assert_int_equal(p.code, 0);
    assert_non_null(strstr(p.out, "not paced: a paced run would be late at 200 of 200 ticks of 1 ms"));
    program_free(&p);
    json_t *summary = json_load_file(scratch_path("slow/summary.json"), 0, NULL);
    assert_non_null(summary);
    assert_true(json_number_value(json_object_get(json_object_get(summary, "answers"), "longest_s")) >= 3e-3);
    json_decref(summary);
    rig_stop(&r, SIGTERM);
}

/* The clock of the rig paces a run that waits for its readings; when they come is not the same twice, so the motion is
 * only near to the reference. The rig goes on while a busy machine keeps the run from answering: tried again. */
static void a_rig_with_a_clock_paces_the_run(void **state)
{
    for (int shm = 0; shm < 2; shm++) {
        bool good = false;
        struct rig r;

        rig_start(&r, shm, SPRING, (const char *const[]){"--clock", "--silence", "30 s", NULL});
        for (int tries = 0; tries < 10 && !good; tries++)
            good = is_paced(&r);
        assert_true(good);
        rig_stop(&r, SIGTERM);
    }
}

/* Without a pace the run would send commands faster than the rig plays them. A busy machine may trip it. */
static void a_play_out_of_a_rig_with_a_clock_is_paced(void **state)
{
    static const char *const setup[] = {"--clock", "--set", "rig.playout=6 ms", NULL};
    char setting[256], folder[1024];
    struct program p;
    struct rig r;

    rig_start(&r, false, SPRING, setup);
    snprintf(folder, sizeof folder, "%s", scratch_path("hasty"));
    snprintf(setting, sizeof setting, "rig.settings={port: %s, patience: 30, wait: 30, silence: 30}", r.address);
    program_run(&p, "run", SPRING, "--json", "-o", folder, "--set", r.backend, "--set", setting, LIMITED, "--set",
                "rig.playout=6 ms", "--set", "time.end=1");
    json_t *summary = json_loads(p.out, 0, NULL);
    if (!summary || (p.code != 0 && p.code != 3))
        fail_msg("code %d, said: %s", p.code, p.err);
    assert_true(json_is_object(json_object_get(summary, "realtime")));
    assert_non_null(strstr(p.err, "paced on the wall clock, because the rig is real"));
    json_decref(summary);
    program_free(&p);
    kill(r.p.pid, SIGTERM);
    program_wait(&r.p);
    assert_null(strstr(r.p.out, " ticks, 0 commands in "));
    program_free(&r.p);
}

static void a_rig_listens_to_this_machine_only_unless_told_otherwise(void **state)
{
    static const struct {
        const char *options[3], *address;
    } cases[] = {{{NULL}, " on UDP 127.0.0.1:"}, {{"--bind", "0.0.0.0", NULL}, " on UDP 0.0.0.0:"}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char line[256], socket[64], entry[256];
        bool found = false;
        struct rig r;

        rig_start(&r, false, SPRING, cases[i].options);
        rig_first_line(&r, line, sizeof line);
        assert_non_null(strstr(line, cases[i].address));
        snprintf(socket, sizeof socket, ": %s:%04X ", i ? "00000000" : "0100007F", (unsigned)atoi(r.address));
        FILE *in = fopen("/proc/net/udp", "r"); /* what the kernel says */
        assert_non_null(in);
        while (fgets(entry, sizeof entry, in))
            found |= strstr(entry, socket) != NULL;
        fclose(in);
        assert_true(found);
        rig_stop(&r, SIGTERM);
    }
}

/* In lock-step a tick may take as long as `wait`, which no pace can promise. */
static void a_wait_beyond_the_tick_degrades_a_paced_run(void **state)
{
    static const struct {
        const char *wait;
        bool told;
    } cases[] = {{"0", true}, {"0.9 ms", false}};

    for (int i = 0; i < 2; i++) {
        char setting[256], folder[1024];
        struct program p;
        struct rig r;

        rig_start(&r, i, SPRING, NULL);
        snprintf(folder, sizeof folder, "%s", scratch_path("waits"));
        snprintf(setting, sizeof setting, "rig.settings={%s: %s, silence: 30, wait: %s}", r.key, r.address,
                 cases[i].wait);
        program_run(&p, "run", SPRING, "--realtime", "-q", "-o", folder, "--set", r.backend, "--set", setting, "--set",
                    "time.end=0.1", "--set",
                    "limits={displacement: 1, command_rate: 10, force: 1e6, tracking_error: 1}");
        assert_int_equal(strstr(p.out, "a wait for the rig may last 1 s, longer than the control period of "
                                       "0.001 s") != NULL,
                         cases[i].told);
        program_free(&p);
        rig_stop(&r, SIGTERM);
    }
}

/* Runs against a rig that fails after 300 commands: the run ends by a limit, with the recording up to there. */
static void run_until_lost(const struct rig *r)
{
    char setting[256], folder[1024];
    struct program p;

    snprintf(folder, sizeof folder, "%s", scratch_path("lost"));
    snprintf(setting, sizeof setting, "rig.settings={%s: %s, wait: 0.2, silence: 0.4}", r->key, r->address);
    program_run(&p, "run", SPRING, "-q", "-o", folder, "--set", r->backend, "--set", setting, LIMITED);
    assert_int_equal(p.code, 3);
    assert_non_null(strstr(p.out, "of 2000 steps"));
    assert_true(strstr(p.out, "the rig is lost") || strstr(p.out, "silence of the rig"));
    program_free(&p);
    program_run(&p, "export", folder, "--csv", "-");
    assert_int_equal(p.code, 0);
    assert_non_null(strstr(p.out, "\n0.1"));
    program_free(&p);
}

static void a_rig_that_freezes_ends_the_run(void **state)
{
    for (int shm = 0; shm < 2; shm++) {
        struct rig r;

        rig_start(&r, shm, SPRING, (const char *const[]){"--freeze-after", "300", NULL});
        run_until_lost(&r);
        kill(r.p.pid, SIGTERM);
        program_wait(&r.p);
        assert_int_equal(r.p.code, 0);
        program_free(&r.p);
    }
}

/* A crash leaves shared memory behind, which the next rig replaces. */
static void a_rig_that_crashes_ends_the_run_and_can_be_served_again(void **state)
{
    for (int shm = 0; shm < 2; shm++) {
        struct rig r;
        char line[256];

        rig_start(&r, shm, SPRING, (const char *const[]){"--crash-after", "300", NULL});
        run_until_lost(&r);
        program_wait(&r.p);
        assert_int_equal(r.p.code, 1);
        program_free(&r.p);
        program_start(
            &r.p, (const char *const[]){YOKE_PROGRAM, "serve", SPRING, shm ? "--shm" : "--udp", r.address, NULL}, 0);
        rig_first_line(&r, line, sizeof line);
        rig_stop(&r, SIGTERM);
    }
}

/* Somebody truncates the shared memory while the rig moves. Neither side dies of it: the run ends as with a rig that is
 * lost, the rig goes home. */
static void memory_that_is_cut_short_ends_run_and_rig_in_order(void **state)
{
    for (int clock = 0; clock < 2; clock++) {
        static const char *const by_itself[] = {"--clock", "--silence", "30 s", NULL};
        char name[64], file[1024], folder[1024], memory[200], setting[256];
        struct program p, ask;
        struct rig r;

        rig_start(&r, true, SPRING, clock ? by_itself : NULL);
        snprintf(name, sizeof name, "cut-%d-%d", (int)getpid(), clock);
        snprintf(file, sizeof file, "%s.yaml", scratch_path(name));
        snprintf(folder, sizeof folder, "%s", scratch_path(name));
        snprintf(memory, sizeof memory, "/dev/shm/yoke-rig-%s", r.address);
        snprintf(setting, sizeof setting, "rig.settings={name: %s, silence: 30}", r.address);
        assert_runs((const char *const[]){"/bin/cp", SPRING, file, NULL});
        program_start(&p,
                      (const char *const[]){YOKE_PROGRAM, "run", file, "-q", "-o", folder, "--realtime", "--set",
                                            "rig.backend=shm", "--set", setting, "--set",
                                            "limits={displacement: 200 mm, force: 8.3 kN, command_rate: 1, "
                                            "tracking_error: 100 mm, missed_deadlines: 0, stall: 0, peer_silence: 20, "
                                            "on_trip: ramp}",
                                            NULL},
                      0);
        long step = 0;
        for (int tries = 0; tries < 1000 && step < 30; tries++) {
            program_run(&ask, "control", "status", name);
            if (sscanf(ask.out, "running step %ld", &step) != 1)
                step = 0;
            program_free(&ask);
            patience_sleep(0.01);
        }
        assert_true(step >= 30);
        assert_int_equal(truncate(memory, 0), 0);
        program_wait(&p);
        if (p.code != 3)
            print_error("exit code %d: %s\n", p.code, p.err);
        assert_int_equal(p.code, 3);
        assert_non_null(strstr(p.out, "the rig is lost"));
        program_free(&p);

        char path[1100];
        snprintf(path, sizeof path, "%s/summary.json", folder);
        json_t *summary = json_load_file(path, 0, NULL);
        assert_non_null(summary);
        const json_int_t steps = json_integer_value(json_object_get(summary, "steps"));
        assert_true(steps >= 30);
        assert_string_equal(json_string_value(json_object_get(summary, "state")), "tripped");
        json_decref(summary);
        struct yk_recording *recording;
        snprintf(path, sizeof path, "%s/run.h5", folder);
        assert_ok(yk_recording_open(&recording, path, &err));
        assert_int_equal(yk_recording_rows(recording, 0), steps + 1);
        yk_recording_close(recording);

        program_wait(&r.p); /* it ends by itself: nobody can reach it any more */
        assert_int_equal(r.p.code, 1);
        assert_non_null(strstr(r.p.err, "another process truncated the shared memory"));
        assert_non_null(strstr(r.p.out, "waiting: "));
        program_free(&r.p);
        assert_int_equal(access(memory, F_OK), -1);
    }
}

/* ---- what is refused, and what does not connect ---- */

#define REFUSED(words, ...)                                                                                            \
    do {                                                                                                               \
        struct program p_;                                                                                             \
        program_run(&p_, __VA_ARGS__);                                                                                 \
        if (p_.code != 2 || !strstr(p_.err, words))                                                                    \
            print_error("code %d: %s\n", p_.code, p_.err);                                                             \
        assert_int_equal(p_.code, 2);                                                                                  \
        assert_non_null(strstr(p_.err, words));                                                                        \
        program_free(&p_);                                                                                             \
    } while (0)

static void what_cannot_be_served_is_refused(void **state)
{
    REFUSED("give one connection: --shm NAME, --udp PORT, --udp-raw PORT", "serve", SPRING);
    REFUSED("give one connection: --shm NAME, --udp PORT", "serve", SPRING, "--shm", "a", "--udp", "0");
    REFUSED("--udp 'x' must be a port of 0 .. 65535", "serve", SPRING, "--udp", "x");
    REFUSED("--fault goes with --ethercat", "serve", SPRING, "--udp", "0", "--fault", "lost@1s");
    REFUSED("--drives 'big' must be counts or float", "serve", SPRING, "--ethercat", "nic", "--drives", "big");
    REFUSED("fault 'lots@1s': must be KIND@TIME", "serve", SPRING, "--ethercat", "nic", "--fault", "lots@1s");
    REFUSED("a fault names slave 9; the segment has slaves 1 to 3", "serve", SPRING, "--ethercat", "nic", "--fault",
            "cut@1s:9");
    REFUSED("--udp '70000' must be", "serve", SPRING, "--udp", "70000");
    REFUSED("give the address with --bind", "serve", SPRING, "--udp", "127.0.0.1:7000");
    REFUSED("'nowhere' is not an IPv4 address", "serve", SPRING, "--udp", "0", "--bind", "nowhere");
    REFUSED("--bind goes with --udp", "serve", SPRING, "--shm", "a", "--bind", "127.0.0.1");
    REFUSED("--loss '2' is outside 0 .. 1", "serve", SPRING, "--udp", "0", "--loss", "2");
    REFUSED("--crash-after '1.5' must be a whole number", "serve", SPRING, "--udp", "0", "--crash-after", "1.5");
    REFUSED("letters, digits, - _ . only", "serve", SPRING, "--shm", "a/b");
    REFUSED("'--shm' needs a value", "serve", SPRING, "--shm", "");
    REFUSED("--site judges and records in SI units", "serve", SPRING, "--udp", "0", "--site", "site-of-raw", "--set",
            "channels={a1.force: {scale: 0.25 N}}");
    REFUSED("no substructure is physical", "serve", EXAMPLES "oscillator/oscillator.yaml", "--udp", "0");
}

static void settings_of_backends_are_checked(void **state)
{
    REFUSED("there is no backend 'upd'; did you mean 'udp'?", "run", SPRING, "--set", "rig.backend=upd");
    REFUSED("missing 'port' (port on which the rig listens)", "run", SPRING, "--set", "rig.backend=udp");
    REFUSED("unknown key 'prot' in settings; did you mean 'port'?", "run", SPRING, "--set", "rig.backend=udp", "--set",
            "rig.settings.prot=5");
    REFUSED("missing 'name'", "run", SPRING, "--set", "rig.backend=shm");
    /* what is wrong elsewhere in the file is told first: nobody serves this rig, and nobody is asked */
    REFUSED("an interface has either 'join' or 'row'", "run", SPRING, "--set", "rig.backend=udp", "--set",
            "rig.settings.port=9", "--set", "interfaces=[{}]", LIMITED);
    REFUSED("a load has either 'on' (a force) or 'ground'", "run", SPRING, "--set", "rig.backend=shm", "--set",
            "rig.settings.name=nobody", "--set", "loads=[{kind: sine}]", LIMITED);
    REFUSED("unknown key 'port' in settings\n", "run", SPRING, "--set", "rig.backend=shm", "--set",
            "rig.settings.port=5"); /* another word, not a misprint of one */
    REFUSED("needs rig.settings with 'library'", "run", SPRING, "--set", "rig.backend=plugin");
    REFUSED("this plugin offers an element law, not a rig backend", "run", SPRING, "--set", "rig.backend=plugin",
            "--set", "rig.settings.library=" YOKE_BINARY "/tests/plugins/good_law.so");
    REFUSED("must offer one of: a law, a kind of substructure, a rig backend, a compensator", "run", SPRING, "--set",
            "rig.backend=plugin", "--set", "rig.settings.library=" YOKE_BINARY "/tests/plugins/empty_plugin.so");
    REFUSED("unknown key 'port' in settings", "run", SPRING, "--set", "rig.settings.port=5");
}

static void another_control_rate_is_refused(void **state)
{
    struct rig r;
    char setting[256];

    rig_start(&r, false, SPRING, NULL);
    snprintf(setting, sizeof setting, "rig.settings.port=%s", r.address);
    REFUSED("the rig refuses: it has another control period, 0.001 s", "run", SPRING, "--set", r.backend, "--set",
            setting, LIMITED, "--set", "time.control_rate=2000");
    rig_stop(&r, SIGTERM);
}

/* Without damping and compensation the delay of the actuator makes the motion grow. */
static void an_unstable_loop_moves_no_rig_elsewhere(void **state)
{
    struct rig r;
    char setting[256];
    struct program p;

    rig_start(&r, true, SPRING, NULL);
    snprintf(setting, sizeof setting, "rig.settings.name=%s", r.address);
    program_run(&p, "run", SPRING, "-q", "-o", scratch_path("unstable"), "--set", r.backend, "--set", setting, LIMITED,
                "--set", "transfer.a1.compensator.kind=none", "--set", "substructures.frame.damping=0");
    assert_int_equal(p.code, 4);
    assert_non_null(strstr(p.err, "the hybrid loop is UNSTABLE: free vibration doubles every "));
    program_free(&p);
    assert_int_equal(access(scratch_path("unstable/run.h5"), F_OK), -1);
    rig_stop(&r, SIGTERM);
}

/* Nobody listens on port 9: a command that tried to connect would fail. */
static void checks_and_analyses_do_not_touch_a_rig(void **state)
{
    struct program p;

    program_run(&p, "check", SPRING, "--set", "rig.backend=udp", "--set", "rig.settings.port=9");
    assert_int_equal(p.code, 0);
    program_free(&p);
    program_run(&p, "analyze", "margin", SPRING, "--set", "rig.backend=udp", "--set", "rig.settings.port=9");
    assert_int_equal(p.code, 0);
    program_free(&p);
    program_run(&p, "run", SPRING, "--set", "rig.backend=udp", "--set", "rig.settings={port: 9, patience: 0.1}",
                LIMITED);
    assert_int_equal(p.code, 1);
    assert_non_null(strstr(p.err, "no rig answers within 0.1 s (patience); is `yoke serve` running?"));
    program_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rig_elsewhere_gives_the_same_samples),
        cmocka_unit_test(a_bad_wire_changes_no_sample),
        cmocka_unit_test(a_rig_with_a_clock_paces_the_run),
        cmocka_unit_test(a_run_that_waits_says_how_late_a_paced_one_would_be),
        cmocka_unit_test(a_play_out_of_a_rig_with_a_clock_is_paced),
        cmocka_unit_test(a_rig_listens_to_this_machine_only_unless_told_otherwise),
        cmocka_unit_test(a_wait_beyond_the_tick_degrades_a_paced_run),
        cmocka_unit_test(a_rig_that_freezes_ends_the_run),
        cmocka_unit_test(a_rig_that_crashes_ends_the_run_and_can_be_served_again),
        cmocka_unit_test(memory_that_is_cut_short_ends_run_and_rig_in_order),
        cmocka_unit_test(what_cannot_be_served_is_refused),
        cmocka_unit_test(settings_of_backends_are_checked),
        cmocka_unit_test(another_control_rate_is_refused),
        cmocka_unit_test(an_unstable_loop_moves_no_rig_elsewhere),
        cmocka_unit_test(checks_and_analyses_do_not_touch_a_rig),
    };

    return cmocka_run_group_tests_name("serve", tests, scratch_create, scratch_remove);
}
