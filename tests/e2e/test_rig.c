/* `yoke rig` as a person and as a script use it: nothing moves before `enable` or beyond a limit, a tare is kept and
 * applied. How it ends, and who else speaks to it: test_rig_ends.c. */
#include "support/cli.h"
#include "support/console.h"
#include "support/scratch.h"
#include "support/served.h"

#include <math.h>
#include <stdlib.h>

/* Commands on the virtual rig, as fast as they go; what was said is in `p`. */
static void obey(struct program *p, const char *commands, const char *const *options)
{
    const char *words[WORDS_MOST] = {YOKE_PROGRAM, "rig", console.file, "--fast", "-c", commands};
    int n = 6;

    words_add(words, &n, options);
    program_start(p, words, 0);
    program_wait(p);
}

/* They give this exit code and say this; with one more word of the command line unless NULL. */
static void check(const char *commands, const char *option, const char *value, int code, const char *said)
{
    struct program p;

    obey(&p, commands, (const char *const[]){option, value, NULL});
    if (p.code != code || !strstr(p.out, said))
        print_error("%s: code %d, said\n%s%s", commands, p.code, p.out, p.err);
    assert_int_equal(p.code, code);
    assert_non_null(strstr(p.out, said));
    program_free(&p);
}

/* ---- moving ---- */

static void nothing_moves_before_enable(void **state)
{
    check("move a1 5 mm", NULL, NULL, 2, "refused: the drives are disabled; `enable` first");
    check("jog a1 5 mm", NULL, NULL, 2, "refused: the drives are disabled");
    check("home", NULL, NULL, 2, "refused: the drives are disabled");
    check("identify a1", NULL, NULL, 2, "refused: the drives are disabled");
    check("status", NULL, NULL, 0, "a1: command 0 m, displacement 0 m, force 120 N");
    check("wait 1 s; status", NULL, NULL, 0, "line on: level 0");
    /* 5 mm times the static gain of the plant is 4.934 mm */
    check("enable; move a1 5 mm; wait 1 s; status", NULL, NULL, 0,
          "a1: command 5 mm, displacement 4.934 mm, force 295.3 N");
    check("enable; status", NULL, NULL, 0, "line on: level 1");
    check("enable; move a1 5 mm; disable; move a1 4 mm", NULL, NULL, 2, "refused: the drives are disabled");
    check("enable; move a1 5 mm; disable; wait 1 s; status", NULL, NULL, 0, "displacement 4.934 mm");
    check("enable; move a1 5 mm; home; wait 1 s; status", NULL, NULL, 0, "command 0 m");
}

/* A device that counts 10 um and a load cell of 5 kN/V with the wrong sign: both numbers of each channel stand side by
 * side, and belong to each other by the table. */
static void raw_numbers_stand_beside_their_values(void **state)
{
    static const char *const table[] = {"--set",
                                        "channels={a1.displacement: {raw: count, scale: 10 um, offset: 1 mm}, "
                                        "a1.force: {raw: V, scale: 5 kN/V, sign: -1}}",
                                        NULL};
    double raw, si;
    struct program p;
    const char *at;

    obey(&p, "enable; move a1 5 mm; wait 1 s; status", table);
    assert_code(&p, 0);
    assert_non_null(strstr(p.out, "displacement 4.934 mm, force 295.3 N"));
    assert_non_null(at = strstr(p.out, "a1.displacement: raw "));
    assert_int_equal(sscanf(at, "a1.displacement: raw %lf count is %lf m", &raw, &si), 2);
    assert_near(si, 4.934e-3, 1e-6);
    assert_near(1e-5 * raw + 1e-3, si, 1e-8);
    assert_non_null(at = strstr(p.out, "a1.force: raw "));
    assert_int_equal(sscanf(at, "a1.force: raw %lf V is %lf N", &raw, &si), 2);
    assert_near(si, 295.3, 0.1);
    assert_near(-5e3 * raw, si, 1e-2);
    program_free(&p);
}

/* With initial values a run does not begin at zero. */
static void home_is_where_a_run_begins(void **state)
{
    static const char *const start[] = {"--set", "substructures.frame.initial={displacement: {x: 8 mm}}", "--set",
                                        "substructures.column.initial={displacement: {x: 8 mm}}", NULL};
    struct program p;

    obey(&p, "status; enable; move a1 2 mm; home; status", start);
    assert_code(&p, 0);
    assert_non_null(strstr(p.out, "a1: command 8 mm, displacement 8 mm"));
    assert_non_null(strstr(strstr(p.out, "where a run begins"), "a1: command 8 mm"));
    program_free(&p);
}

/* limits.console hold on every rig; `full` lifts them until the drives are disabled. */
static void the_console_has_limits_of_its_own(void **state)
{
    static const char *const low = "limits.console={speed: 2 mm/s, travel: 4 mm, force: 1 kN}";

    check("enable; move a1 5 mm", "--set", low, 2, "refused: a1 to 5 mm is farther than limits.console.travel = 4 mm");
    check("enable; move a1 3 mm 3 mm/s", "--set", low, 2, "is faster than the largest speed of a1, 1.8 mm/s");
    check("enable; identify a1 amplitude 5 mm", "--set", low, 2, "limits.console.travel is 4 mm");
    check("enable; move a1 3 mm; status", "--set", low, 0, "a1: limits of the console: 1.8 mm/s, 1 kN, travel 4 mm");
    check("enable; full; move a1 5 mm; status", "--set", low, 0, "a1: limits of the test: ");
    check("enable; full; move a1 5 mm; disable; enable; move a1 -5 mm", "--set", low, 2, "limits.console.travel");
    check("enable; full; move a1 5 mm; disable; enable; home", "--set", low, 0, "where a run begins");
    check("full", "--set", low, 2, "refused: the drives are disabled");
}

/* A tare shifts the commanded pose of a platform by 5 mm in one tick, but nothing moves. */
static void a_tare_is_no_motion_of_a_platform(void **state)
{
    static const char *const platform[] = {
        "--set", "substructures.column={role: physical, dofs: [x], actuators: [a1], setup: {kind: matrix}}", "--set",
        "limits.dofs={column.x: {command_rate: 0.4 m/s}}", NULL};
    struct program p;

    console_forget_zeros();
    obey(&p, "enable; move a1 5 mm; wait 1 s; tare a1.displacement; jog a1 1 mm; status", platform);
    assert_code(&p, 0);
    assert_non_null(strstr(p.out, "a1: command 1 mm"));
    program_free(&p);
    console_forget_zeros();
}

static void a_motion_beyond_a_limit_is_refused_with_the_limit_named(void **state)
{
    static const char *const moves[] = {"move a1 200.1 mm", "move a1 -201 mm", "jog a1 1 m",
                                        "move a1 100 mm; jog a1 0.11 m", "jog a1 -20.01 cm"};
    char commands[128];

    for (size_t i = 0; i < sizeof moves / sizeof *moves; i++) {
        snprintf(commands, sizeof commands, "enable; %s", moves[i]);
        check(commands, NULL, NULL, 2, "is beyond limits.displacement = 200 mm; nothing was moved");
    }
    check("enable; move a1 1 mm 0 mm/s", NULL, NULL, 2, "refused: a speed must be positive");
    /* a tenth of the rate is 50 mm/s, 200 mm in 20 s are 10 mm/s */
    check("enable; move a1 1 mm 11 mm/s", NULL, NULL, 2, "is faster than the largest speed of a1, 10 mm/s");
    check("enable; move a1 1 mm 11 mm/s", "--speed", "20 mm/s", 0, "ok: a1 at");
    check("status", "--speed", "0.46 m/s", 2, "");
    check("enable; identify a1 amplitude 0 mm", NULL, NULL, 2, "refused: sweep: amplitude 0 m is not positive");
    check("enable; identify a1 amplitude 150 mm", NULL, NULL, 2, "and limits.command_rate is 0.5 m/s");
    check("enable; move a1 50 mm; identify a1 to 0.4 Hz amplitude 160 mm duration 30 s", NULL, NULL, 2,
          "and limits.displacement is 0.2 m");
}

/* An actuator that is commanded by force loads; one that is commanded by a rate is only held. */
static void forces_are_moved_within_their_limit(void **state)
{
    static const struct {
        const char *file, *commands, *words;
        int code;
    } cases[] = {
        {"axial-load/axial-load.yaml", "enable; move axial 10 kN; wait 1 s; status", "axial: command 10 kN", 0},
        {"axial-load/axial-load.yaml", "enable; jog axial 61 kN", "axial to 61 kN is beyond limits.force = 60 kN", 2},
        {"axial-load/axial-load.yaml", "enable; move axial 5 mm", "is a length, but a force is expected", 2},
        {"shake-table/shake-table.yaml", "enable; move table 5 mm", "table is commanded by a rate", 2},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char path[1024];
        struct program p;

        snprintf(path, sizeof path, YOKE_SOURCE "/examples/%s", cases[i].file);
        program_run(&p, "rig", path, "--fast", "-c", cases[i].commands);
        assert_code(&p, cases[i].code);
        assert_words(p.out, cases[i].words);
        program_free(&p);
    }
}

static void a_trip_acts_as_in_a_run(void **state)
{
    static const char force[] = "limits.force=400 N";
    struct program p;

    /* 35.53 kN/m and a bias of 120 N pass 400 N near 7.9 mm; the trip leads back to where the drives were enabled */
    check("enable; move a1 20 mm", "--set", force, 3, "TRIPPED: force of a1, 400");
    obey(&p, "enable; move a1 20 mm", (const char *const[]){"--set", force, NULL});
    assert_non_null(strstr(p.err, "yoke: tripped: force of a1"));
    program_free(&p);
    /* a dialogue goes on after it */
    program_start(
        &p,
        (const char *const[]){"/bin/sh", "-c",
                              "printf 'enable\\nmove a1 20 mm\\nmove a1 1 mm\\nwait 2 s\\nstatus\\nreset\\nstatus\\n"
                              "enable\\nmove a1 5 mm\\n' | \"$0\" rig \"$1\" --fast --set 'limits.force=400 N'",
                              YOKE_PROGRAM, console.file, NULL},
        0);
    program_wait(&p);
    assert_int_equal(p.code, 3);
    assert_non_null(strstr(p.out, "refused: tripped: force of a1"));
    assert_non_null(strstr(p.out, "line red: level 1"));
    const char *after = strstr(p.out, "ok: TRIPPED: force of a1");
    assert_non_null(after);
    assert_non_null(strstr(after, "ok: reset; the drives are disabled"));
    assert_non_null(strstr(after, "a1: command 0 m"));
    assert_non_null(strstr(after, "ok: a1 at 4.9"));
    program_free(&p);
    /* with drives disabled nothing ramps, whatever trips */
    check("enable; move a1 5 mm; disable; wait 21 s; status", NULL, NULL, 3, "TRIPPED: emergency stop: stop");
}

/* ---- words ---- */

static void nonsense_is_refused_and_the_dialogue_goes_on(void **state)
{
    static const char script[] = "{ printf 'enable now\\nbogus\\nmove\\nmove a2 1 mm\\nmove a1\\nmove a1 x\\nmove a1 "
                                 "5\\nmove a1 5 kg\\nmove a1 1 mm -1 "
                                 "mm/s\\nmove a1 nan mm\\nmove a1 1e999 mm\\njog a1 1 mm 1 mm/s more\\ntare "
                                 "nothing\\ntare 0 s\\nline\\nline door on\\n"
                                 "line on on\\nline blue on\\nline red maybe\\nwait 1\\nnote\\nidentify a1 to 900 "
                                 "Hz\\nidentify a1 sideways 3 m\\n"
                                 "\\000\\001\\n\\377\\376\\n'; head -c 9000 /dev/zero | tr '\\0' a; printf '\\n;;;\\n  "
                                 "# a remark\\n\\nstatus'; } | "
                                 "\"$0\" rig \"$1\" --fast";
    struct program p;
    int refused = 0;

    program_start(&p, (const char *const[]){"/bin/sh", "-c", script, YOKE_PROGRAM, console.file, NULL}, 0);
    program_wait(&p);
    for (const char *at = p.out; (at = strstr(at, "refused: ")); at++)
        refused++;
    if (refused != 27)
        print_error("%d refusals:\n%s", refused, p.out);
    assert_int_equal(refused, 27); /* 23 wrong lines, two that are no text, one too long, and ;;; */
    assert_non_null(strstr(p.out, "ok: drives disabled"));
    assert_int_equal(p.code, 2);
    program_free(&p);
}

/* A line or a number is taken as a whole or refused, never cut. */
static void long_lines_and_numbers_are_not_cut(void **state)
{
    char commands[256];
    struct program p;

    snprintf(commands, sizeof commands, "enable; move a1 %0130d mm; status", 5);
    check(commands, NULL, NULL, 0, "a1: command 5 mm");
    program_start(&p,
                  (const char *const[]){"/bin/sh", "-c", "printf 'note %600s\\n' x | \"$0\" rig \"$1\" --fast",
                                        YOKE_PROGRAM, console.file, NULL},
                  0);
    program_wait(&p);
    assert_non_null(strstr(p.out, "refused: the line is too long"));
    assert_int_equal(p.code, 2);
    program_free(&p);
}

static void output_lines_are_tested_with_drives_disabled(void **state)
{
    check("line red on; status", NULL, NULL, 0, "line red: level 1");
    check("line red on; line red auto; wait 0.1 s; status", NULL, NULL, 0, "line red: level 0");
    check("line red on; enable; status", NULL, NULL, 0, "line red: level 0"); /* enabled, it tells the truth */
    check("enable; line red on", NULL, NULL, 2, "`disable` first");
    check("line door on", NULL, NULL, 2, "door is an input");
    check("line on on", NULL, NULL, 2, "on follows the drives");
}

/* ---- zeros ---- */

static double summary_number(const char *folder, const char *key, const char *member)
{
    char path[1100];
    double value;

    snprintf(path, sizeof path, "%s/summary.json", folder);
    json_t *summary = json_load_file(path, 0, NULL);
    assert_non_null(summary);
    const json_t *of = json_object_get(summary, key);
    value = json_number_value(json_object_get(json_is_array(of) ? json_array_get(of, 0) : of, member));
    json_decref(summary);
    return value;
}

static double peak_of_a_run(const char *set)
{
    char folder[1024];
    struct program p;

    snprintf(folder, sizeof folder, "%s", scratch_path("out"));
    program_run(&p, "run", console.file, "-q", "--no-report", "-o", folder, "--set", set);
    assert_code(&p, 0);
    program_free(&p);
    return summary_number(folder, "peaks", "a1.force");
}

static void a_tare_is_kept_with_its_date_and_applied_by_a_run(void **state)
{
    char folder[1024];

    console_forget_zeros();
    const double biased = peak_of_a_run("time.scale=1"),
                 clean = peak_of_a_run("rig.actuators.a1.sensors.force_bias=0 N");
    assert_true(fabs(biased - clean) > 1);
    check("tare force", NULL, NULL, 0, "ok: zero of a1.force 120 N, deviation 0 N over 1 s");
    assert_near_relative(peak_of_a_run("time.scale=1"), clean, 1e-9);
    snprintf(folder, sizeof folder, "%s", scratch_path("out"));
    assert_near_relative(summary_number(folder, "calibration", "zero"), 120, 1e-9);
    assert_near_relative(peak_of_a_run("calibration=none"), biased, 1e-9);
    assert_in_scratch(console.zeros, "a1.force: { zero: 120");
    assert_in_scratch(console.zeros, "date: \"20");
    /* taken again, another channel, and while the drives hold it somewhere: nothing moves by it */
    check("tare sensors; tare force", NULL, NULL, 0, "ok: zero of sensor.strain 7 um/m");
    check("enable; move a1 5 mm; wait 1 s; tare a1.displacement; status", NULL, NULL, 0,
          "a1: command 0 m, displacement 0 m, force 175.3 N");
    assert_int_equal(scratch_count(console.zeros, "zero: "), 3);
    /* the next console counts from there */
    check("enable; move a1 0 mm; wait 1 s; status", NULL, NULL, 0, "force 175.3 N");
    console_forget_zeros();
}

static void a_tare_under_load_asks_for_confirmation(void **state)
{
    static const char loaded[] = "rig.actuators.a1.sensors.force_bias=500 N"; /* of 8.3 kN: more than 5 % */
    struct program p;

    console_forget_zeros();
    check("tare force", "--set", loaded, 2,
          "refused: a1.force reads 500 N, more than 5 % of limits.force = 8.3 kN; `tare! a1.force` takes it");
    assert_false(there(scratch_path(console.zeros)));
    check("tare force", "--set", "rig.actuators.a1.sensors.force_bias=400 N", 0, "ok: zero of a1.force 400 N");
    console_forget_zeros();
    check("tare! force", "--set", loaded, 0, "ok: zero of a1.force 500 N");
    console_forget_zeros();
    obey(&p, "tare", (const char *const[]){"--yes", "--set", loaded, NULL});
    assert_code(&p, 0);
    program_free(&p);
    console_forget_zeros();
    /* and by an answer */
    for (int yes = 0; yes < 2; yes++) {
        program_start(&p,
                      (const char *const[]){"/bin/sh", "-c",
                                            "printf 'tare force\\n%s\\n' \"$2\" | \"$0\" rig \"$1\" --fast --set "
                                            "'rig.actuators.a1.sensors.force_bias=500 N'",
                                            YOKE_PROGRAM, console.file, yes ? "y" : "n", NULL},
                      0);
        program_wait(&p);
        assert_non_null(strstr(p.out, "? a1.force reads 500 N"));
        assert_int_equal(p.code, yes ? 0 : 2);
        assert_int_equal(there(scratch_path(console.zeros)), yes);
        program_free(&p);
    }
    console_forget_zeros();
}

static void bad_files_are_refused(void **state)
{
    struct program p;

    program_run(&p, "rig", scratch_path("missing.yaml"));
    assert_code(&p, 2);
    program_free(&p);
    program_run(&p, "rig", OSCILLATOR);
    assert_code(&p, 2);
    assert_words(p.err, "there is no rig");
    program_free(&p);
    scratch_write(console.zeros, "calibration:\n  a1.force: {zero: 9000, date: \"2026-01-01T00:00:00+0000\"}\n");
    program_run(&p, "rig", console.file, "-c", "status");
    assert_code(&p, 2);
    assert_words(p.err, "console.calibration.yaml:2:20: zero of a1.force = 9000 is beyond its limit of 8300");
    program_free(&p);
    scratch_write(console.zeros, "calibration: [\n");
    program_run(&p, "run", console.file, "-o", scratch_path("out"));
    assert_code(&p, 2);
    assert_words(p.err, "console.calibration.yaml:");
    program_free(&p);
    console_forget_zeros();
}

/* ---- identify and check-list ---- */

static const char *line_with(const char *text, const char *words, char *line, size_t size)
{
    const char *at = strstr(text, words);

    assert_non_null(at);
    snprintf(line, size, "%.*s", (int)strcspn(at, "\n+"), at);
    return line;
}

static void the_console_identifies_what_yoke_identify_does(void **state)
{
    static const char *const lines[] = {"  gain ", "  T1 ", "  T2 ", "  dead time "};
    struct program p, q;
    char a[200], b[200];

    obey(&p, "enable; move a1 3 mm; wait 1 s; identify a1 amplitude 1 mm duration 10 s", NULL);
    assert_code(&p, 0);
    program_run(&q, "identify", console.file, "--mounted", "--amplitude", "1 mm", "--duration", "10 s");
    assert_code(&q, 0);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        assert_string_equal(line_with(p.out, lines[i], a, sizeof a), line_with(q.out, lines[i], b, sizeof b));
    assert_non_null(strstr(p.out, "T1                53.97"));
    program_free(&p);
    program_free(&q);
}

static double value_of(const json_t *protocol, const char *item, const char *member, const char **result)
{
    const json_t *items = json_object_get(protocol, "items");

    for (size_t i = 0; i < json_array_size(items); i++) {
        const json_t *one = json_array_get(items, i);

        if (strcmp(json_string_value(json_object_get(one, "item")), item) == 0) {
            *result = json_string_value(json_object_get(one, "result"));
            return json_number_value(json_object_get(json_object_get(one, "values"), member));
        }
    }
    fail_msg("no item %s", item);
    return 0;
}

static void the_check_list_measures_and_writes_a_protocol(void **state)
{
    const char *result;
    char name[1024];
    struct program p;

    snprintf(name, sizeof name, "%s", scratch_path("protocol"));
    obey(&p, "note by the test; checklist", (const char *const[]){"--yes", "--protocol", name, NULL});
    assert_code(&p, 0);
    program_free(&p);
    json_t *protocol = json_load_file(scratch_path("protocol.json"), 0, NULL);
    assert_non_null(protocol);
    assert_near(value_of(protocol, "sign and scale", "scale", &result), 0.9868, 5e-4);
    assert_string_equal(result, "pass");
    assert_near_relative(value_of(protocol, "sign of the force", "stiffness", &result), 35530, 1e-3);
    /* dead time and time constants, less half a tick */
    assert_near(value_of(protocol, "loop delay", "delay_s", &result), 9.331e-3 + 53.97e-3 + 5.014e-3 - 0.5e-3, 1e-3);
    value_of(protocol, "emergency stop", "", &result);
    assert_string_equal(result, "pass");
    value_of(protocol, "watchdog", "", &result);
    assert_string_equal(result, "not applicable");
    assert_int_equal(strlen(json_string_value(json_object_get(protocol, "sha256"))), 64);
    value_of(protocol, "direction", "", &result);
    assert_string_equal(result, "not confirmed"); /* --yes claims nothing */
    assert_string_equal(json_string_value(json_object_get(protocol, "verdict")), "incomplete");
    json_decref(protocol);
    assert_in_scratch("protocol.md", "| sign and scale | a1 | pass |");
    assert_in_scratch("protocol.md", "by the test");
    /* a reversed sensor is found without a trip; nobody answers: nothing is moved */
    check("checklist", "--set", "rig.actuators.a1.sensors.displacement_gain=-1", 2,
          "nobody said that the rig is clear");
    obey(&p, "checklist",
         (const char *const[]){"--yes", "--set", "rig.actuators.a1.sensors.displacement_gain=-1", "--protocol", name,
                               NULL});
    assert_code(&p, 4);
    assert_words(p.out, "FAIL           sign and scale of a1");
    assert_words(p.out, "reversed");
    program_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_moves_before_enable),
        cmocka_unit_test(raw_numbers_stand_beside_their_values),
        cmocka_unit_test(home_is_where_a_run_begins),
        cmocka_unit_test(the_console_has_limits_of_its_own),
        cmocka_unit_test(a_tare_is_no_motion_of_a_platform),
        cmocka_unit_test(a_motion_beyond_a_limit_is_refused_with_the_limit_named),
        cmocka_unit_test(forces_are_moved_within_their_limit),
        cmocka_unit_test(a_trip_acts_as_in_a_run),
        cmocka_unit_test(nonsense_is_refused_and_the_dialogue_goes_on),
        cmocka_unit_test(long_lines_and_numbers_are_not_cut),
        cmocka_unit_test(output_lines_are_tested_with_drives_disabled),
        cmocka_unit_test(a_tare_is_kept_with_its_date_and_applied_by_a_run),
        cmocka_unit_test(a_tare_under_load_asks_for_confirmation),
        cmocka_unit_test(bad_files_are_refused),
        cmocka_unit_test(the_console_identifies_what_yoke_identify_does),
        cmocka_unit_test(the_check_list_measures_and_writes_a_protocol),
    };

    return cmocka_run_group_tests(tests, console_set_up, scratch_remove);
}
