/* A rig behind a data-acquisition card, as a user runs it, with a card in the place of libcomedi
 * (support/comedi/card.c). Expected: the motion of the virtual rig within the counts of 16 bits. */
#include "support/check.h"
#include "support/program.h"
#include "support/scratch.h"

#include "record/record.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define EXAMPLE YOKE_SOURCE "/examples/comedi/card.yaml"
#define CARD    YOKE_BINARY "/tests/comedi/card.so"
/* a late beat is followed by an early one, in which a command near its limit of rate would be clipped */
#define ANY_RATE "limits.command_rate=1000"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define CARD_CANNOT_BE_LOADED 1 /* their own libraries must be the first */
#endif

/* With a fault of the card; NULL: on the virtual rig. */
static int run(const char *file, const char *fault, const char *set, struct program *p)
{
    char folder[1024];

    snprintf(folder, sizeof folder, "%s", scratch_path(fault ? "card" : "virtual"));
    if (!fault) {
        program_run(p, "run", file, "-q", "-o", folder, "--set", "rig.backend=virtual", "--set", "rig.settings={}",
                    "--set", "time.end=2", "--set", ANY_RATE);
        return p->code;
    }
#ifndef CARD_CANNOT_BE_LOADED
    setenv("LD_PRELOAD", CARD, 1);
#endif
    setenv("FAKE_COMEDI", fault, 1);
    program_run(p, "run", file, "-q", "-o", folder, "--set", "time.end=2", "--set", ANY_RATE, "--set",
                *set ? set : "time.end=2");
    unsetenv("LD_PRELOAD");
    unsetenv("FAKE_COMEDI");
    return p->code;
}

static void assert_run_refused(const char *file, const char *fault, const char *set, int code, const char *words)
{
    struct program p;
    const int got = run(file, fault, set, &p);

    if (got != code || !strstr(p.err, words))
        print_error("%s, %s: exit code %d: %s%s\n", fault, set, got, p.out, p.err);
    assert_int_equal(got, code);
    assert_non_null(strstr(p.err, words));
    program_free(&p);
}

#if __has_include(<comedilib.h>) && !defined(CARD_CANNOT_BE_LOADED)
static struct yk_recording *recording_of(const char *path)
{
    struct yk_recording *r;

    assert_ok(yk_recording_open(&r, scratch_path(path), &err));
    return r;
}

/* The largest difference of a channel between both runs. */
static double largest_difference(const char *channel)
{
    struct yk_recording *of[] = {recording_of("card/run.h5"), recording_of("virtual/run.h5")};
    double worst = 0, *rows[2];
    size_t width[2], at[2], count = yk_recording_rows(of[0], 0);

    assert_true(count > 100);
    assert_int_equal(count, yk_recording_rows(of[1], 0));
    for (int k = 0; k < 2; k++) {
        const int column = yk_recording_find(of[k], 0, channel);

        assert_true(column >= 0);
        at[k] = (size_t)column;
        width[k] = yk_recording_channels(of[k], 0);
        assert_non_null(rows[k] = calloc(count * width[k], sizeof **rows));
        assert_ok(yk_recording_read(of[k], 0, 0, count, rows[k], &err));
        yk_recording_close(of[k]);
    }
    for (size_t i = 0; i < count; i++)
        worst = fmax(worst, fabs(rows[0][i * width[0] + at[0]] - rows[1][i * width[1] + at[1]]));
    free(rows[0]);
    free(rows[1]);
    return worst;
}

/* Half a count of the command, 1.5 um, is 0.054 N in the force, one of the force 0.015 N / 2; the frame is stiffer. */
static void the_card_moves_as_the_virtual_rig(void **state)
{
    const double count_m = 0.01 * 20 / 65535, count_N = 100 * 10.0 / 65535;
    struct program p;

    const int code = run(EXAMPLE, "", "", &p);
    if (code)
        print_error("%s%s", p.out, p.err);
    assert_int_equal(code, 0);
    program_free(&p);
    assert_int_equal(run(EXAMPLE, NULL, "", &p), 0);
    program_free(&p);
    const double u = largest_difference("frame.x.u"), x = largest_difference("a1.displacement"),
                 force = largest_difference("a1.force");

    print_message("differences: u %.3g m, measured %.3g m (count %.3g), force %.3g N (count %.3g)\n", u, x, count_m,
                  force, count_N);
    assert_true(x > 0 && x <= count_m + u); /* rounding of command and reading, and another motion */
    assert_true(u > 0 && u <= count_m);
    assert_true(force > 0 && force <= 35530 * count_m + count_N);
}

/* The example with the first `from` replaced, and one of these cards. */
static void assert_edited_refused(const char *fault, const char *from, const char *to, int code, const char *words)
{
    char text[4000] = "", edited[4200];
    FILE *in = fopen(EXAMPLE, "r");

    assert_non_null(in);
    text[fread(text, 1, sizeof text - 1, in)] = 0;
    fclose(in);
    const char *at = strstr(text, from);
    assert_non_null(at);
    snprintf(edited, sizeof edited, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    assert_run_refused(scratch_write("card.yaml", edited), fault, "", code, words);
}

static void what_the_card_lacks_is_refused_before_anything_moves(void **state)
{
    static const struct {
        const char *fault, *from, *to;
        int code;
        const char *words;
    } cases[] = {
        {"missing", "", "", 1, "comedi: /dev/comedi0: No such file or directory"},
        {"busy", "", "", 1,
         "card.yaml:16:29: comedi: 'a1.command': subdevice 1, channel 0: cannot be locked: Device or resource busy"},
        {"no outputs", "", "", 2, "card.yaml:16:29: comedi: 'a1.command': the card has no analogue outputs"},
        {"", "output: 0", "output: 2", 2,
         "card.yaml:16:29: comedi: 'a1.command': channel 2; subdevice 1 has channels 0 .. 1"},
        {"", "input: 1", "input: 16", 2,
         "card.yaml:18:26: comedi: 'a1.force': channel 16; subdevice 0 has channels 0 .. 15"},
        {"", "range: 1", "range: 2", 2, "card.yaml:18:26: comedi: 'a1.force': range 2; this channel has ranges 0 .. 1"},
        {"", "range: 1", "subdevice: 1", 2, "card.yaml:18:26: comedi: 'a1.force': subdevice 1 has no analogue inputs"},
        {"", "digital: 0", "digital: 5", 2, "the card cannot have channel"},
        {"", "output: 0", "output: 0, range: 1", 2, "its range is 0 .. 10 V"},
        {"", "displacement: 90 mm", "displacement: 101 mm", 2,
         "card.yaml:16:29: comedi: 'a1.command': up to the limit of its actuator it needs -10.1 .. 10.1 V; its range "
         "is "
         "-10 .. 10 V"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_edited_refused(cases[i].fault, cases[i].from, cases[i].to, cases[i].code, cases[i].words);
    assert_run_refused(EXAMPLE, "", "rig.settings.map={a1.command: {output: 0}}", 2,
                       "the map has no 'a1.displacement'");
}

/* Every fault ends the run by a limit, with all rows. */
static void faults_of_the_card_end_the_run_in_order(void **state)
{
    static const struct {
        const char *fault, *words;
    } cases[] = {{"error", "the rig is lost: Input/output error"},
                 {"part", "the rig is lost: the card carried out a part of the tick only"},
                 {"overload", "the rig refuses: a1.force is at the end of the range of its input"},
                 {"door", "an interlock has opened: door"}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct program p;
        const int code = run(EXAMPLE, cases[i].fault, "", &p);

        if (code != 3 || !strstr(p.out, cases[i].words))
            print_error("%s: exit code %d: %s%s\n", cases[i].fault, code, p.out, p.err);
        assert_int_equal(code, 3);
        assert_non_null(strstr(p.out, cases[i].words));
        program_free(&p);
        struct yk_recording *r = recording_of("card/run.h5");
        json_t *end = json_load_file(scratch_path("card/summary.json"), 0, NULL);
        const json_int_t steps = json_integer_value(json_object_get(end, "steps"));
        assert_string_equal(json_string_value(json_object_get(end, "state")), "tripped");
        json_decref(end);
        assert_int_equal(yk_recording_rows(r, 0), steps + 1);
        print_message("%s: %d steps\n", cases[i].fault, (int)steps);
        assert_in_range(steps, 5, 90); /* the start ramp has its time on the wall, not its number of exchanges */
        yk_recording_close(r);
    }
}
#else
static void the_card_moves_as_the_virtual_rig(void **state)
{
#ifdef CARD_CANNOT_BE_LOADED
    skip();
#else
    assert_run_refused(EXAMPLE, "", "", 2, "built without libcomedi");
#endif
}
#define what_the_card_lacks_is_refused_before_anything_moves skipped
#define faults_of_the_card_end_the_run_in_order              skipped
static void skipped(void **state)
{
    print_message("no libcomedi here, or a sanitizer\n");
    skip();
}
#endif

static void wrong_maps_are_refused(void **state)
{
    static const struct {
        const char *set, *words;
    } cases[] = {
        {"rig.lines.drive.role=run_lamp", "comedi: no line has the role watchdog or enable"},
        {"rig.settings.map={a1.command: {range: 1}}", "'a1.command' needs one of output, input and digital"},
        {"rig.settings.map={a1.command: {input: 0}}", "'a1.command' is written: it needs an output"},
        {"rig.settings.map={a1.force: {output: 0}}", "'a1.force' is read: it needs an input"},
        {"rig.settings.map={a1.command: {output: 0, input: 1}}", "'a1.command' has two places"},
        {"rig.settings.map={a1.command: {digital: 0}}", "'a1.command' is not a line of this rig: it needs an output"},
        {"rig.settings.map={door: {input: 0}}", "'door' is a line: it needs a digital channel"},
        {"rig.settings.map={a1.command: {output: 0.5}}", "output = 0.5 must be a whole number"},
        {"channels={a1.command: {scale: 1 kN}}", "kN"},
        {"rig.settings.map={a1.command: {output: 0, scale: 10 mm}}", "given here and in the section `channels`"},
        {"rig.settings.map={a1.displacement: {input: 0}, a1.force: {input: 0}}",
         "'a1.displacement' and 'a1.force' have the same channel"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_run_refused(EXAMPLE, "", cases[i].set, 2, cases[i].words);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_card_moves_as_the_virtual_rig),
        cmocka_unit_test(what_the_card_lacks_is_refused_before_anything_moves),
        cmocka_unit_test(faults_of_the_card_end_the_run_in_order),
        cmocka_unit_test(wrong_maps_are_refused),
    };

    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
