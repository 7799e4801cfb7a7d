/* The state machine of the supervisor, the meeting of the two threads and the handshake of a wire, checked with spin.
 * The table of the machine is written from the C table into Promela here, so that the two cannot drift apart. */
#include "support/check.h"
#include "support/program.h"
#include "support/scratch.h"

#include "transfer/supervisor.h"

#include <stdlib.h>

static const char *const states[] = {
#define X(id, ...) #id,
    YK_STATE_LIST(X)
#undef X
};
static const char *const events[] = {
#define X(id, ...) #id,
    YK_EVENT_LIST(X)
#undef X
};
static const char *const entries[] = {"NONE", "HOLD", "TO_START", "TO_HOME", "HURRY", "SAFE", "FOLLOW", "FOLLOW_ONE"};
static const char *const sources[] = {"NOTHING", "HELD", "RAMPED", "FOLLOWED", "SAFE"};

static void write_names(FILE *out, const char *prefix, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        fprintf(out, "#define %s_%s %zu\n", prefix, names[i], i);
}

static int source_at(int i)
{
    return (int)yk_state_sources[i];
}

static bool spoiled; /* a table with a way out of a trip, which must be found out */

static int next_at(int i)
{
    if (spoiled && i == YK_STATE_TRIPPED * YK_EVENTS + YK_EVENT_RESUME)
        return YK_STATE_RUNNING;
    return (int)yk_transitions[i / YK_EVENTS][i % YK_EVENTS].next;
}

static int entry_at(int i)
{
    return (int)yk_transitions[i / YK_EVENTS][i % YK_EVENTS].entry;
}

/* A constant array; hidden: not part of the state. */
static void write_numbers(FILE *out, const char *name, int count, int (*at)(int))
{
    fprintf(out, "hidden byte %s[%d] = {", name, count);
    for (int i = 0; i < count; i++)
        fprintf(out, "%s%d", i ? ", " : "", at(i));
    fputs("}\n", out);
}

static void write_table(const char *path)
{
    FILE *out = fopen(path, "w");

    assert_non_null(out);
    write_names(out, "S", states, YK_STATES);
    write_names(out, "E", events, YK_EVENTS);
    write_names(out, "ENTRY", entries, YK_ENTRY_FOLLOW_ONE + 1);
    write_names(out, "SOURCE", sources, YK_SOURCE_SAFE + 1);
    fprintf(out, "#define EVENTS %d\n", YK_EVENTS);
    write_numbers(out, "source_of", YK_STATES, source_at);
    write_numbers(out, "next_of", YK_STATES * YK_EVENTS, next_at);
    write_numbers(out, "entry_of", YK_STATES * YK_EVENTS, entry_at);
    fputs("#define source(s) source_of[s]\n"
          "inline transition(s, e, entry_)\n"
          "{\n    entry_ = entry_of[s * EVENTS + e]; s = next_of[s * EVENTS + e]\n}\n",
          out);
    assert_int_equal(fclose(out), 0);
}

/* Runs a command in the scratch folder; its output, to be freed. */
static char *shell(const char *command, int *code)
{
    char line[2048];
    struct program p;
    char *text = NULL;

    snprintf(line, sizeof line, "cd '%s' && %s 2>&1", scratch_path(""), command);
    program_start(&p, (const char *const[]){"/bin/sh", "-c", line, NULL}, 0);
    program_wait(&p);
    *code = p.code;
    text = strdup(p.out);
    program_free(&p);
    return text;
}

/* Output of the verifier for a model, to be freed. build: options of its compilation; run: those of its run. */
static char *verify(const char *name, const char *build, const char *run)
{
    char command[1024];
    char *text;
    int code;

    free(shell("command -v spin", &code));
    if (code) {
        print_message("spin is not installed: the model %s is not checked (apt-get install spin)\n", name);
        skip();
    }
    snprintf(command, sizeof command,
             "cp " YOKE_SOURCE "/tests/model/%s.pml . && spin -a %s.pml && cc -O0 -w %s -o pan pan.c && ./pan %s "
             "-m100000 -w20",
             name, name, build, run);
    text = shell(command, &code);
    assert_int_equal(code, 0);
    return text;
}

static void check_model(const char *name, const char *build, const char *run)
{
    char *text = verify(name, build, run);

    if (!strstr(text, "errors: 0") || strstr(text, "max search depth too small"))
        print_error("%s %s\n%s\n", name, run, text);
    assert_non_null(strstr(text, "errors: 0"));
    assert_null(strstr(text, "max search depth too small"));
    free(text);
}

static void the_names_are_those_of_the_machine(void **state)
{
    for (int s = 0; s < YK_STATES; s++)
        assert_int_equal(strlen(states[s]), strlen(yk_rig_state_text((enum yk_rig_state)s)));
    assert_int_equal(sizeof entries / sizeof *entries, YK_ENTRY_FOLLOW_ONE + 1);
    assert_int_equal(sizeof sources / sizeof *sources, YK_SOURCE_SAFE + 1);
}

static void nothing_follows_after_a_trip_and_no_trip_is_lost(void **state)
{
    write_table(scratch_path("table.pml"));
    check_model("supervisor", "-DNOCLAIM -DSAFETY", ""); /* assertions, deadlock */
    check_model("supervisor", "", "-a");                 /* an abort ends the run */
}

static void a_way_out_of_a_trip_would_be_found(void **state)
{
    char *text;

    spoiled = true;
    write_table(scratch_path("table.pml"));
    spoiled = false;
    text = verify("supervisor", "-DNOCLAIM -DSAFETY", "");
    assert_non_null(strstr(text, "assertion violated"));
    free(text);
}

static void the_meeting_of_the_sides_has_no_deadlock_and_a_bound(void **state)
{
    check_model("exchange", "-DNOCLAIM -DSAFETY", "");
    check_model("exchange", "", "-a -f"); /* the fine side comes to its end, even where the coarse one hangs */
}

/* spoil: what is wrong with the rig of the model; "": nothing. */
static void spoil_handshake(const char *spoil)
{
    scratch_write("spoil.pml", spoil);
}

static void only_somebody_who_is_there_has_a_session(void **state)
{
    spoil_handshake("\n");
    check_model("handshake", "-DNOCLAIM -DSAFETY", "");
    check_model("handshake", "", "-a -f"); /* the rig is free again and again */
}

static void a_rig_that_believes_what_is_repeated_would_be_found(void **state)
{
    static const char *const spoils[] = {"#define GREETINGS_FEED\n", "#define REPEATS_FEED\n", "#define NO_NUMBER\n"};

    for (size_t i = 0; i < sizeof spoils / sizeof *spoils; i++) {
        spoil_handshake(spoils[i]);
        char *text = verify("handshake", "-DNOCLAIM -DSAFETY", "");

        assert_non_null(strstr(text, "assertion violated"));
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_names_are_those_of_the_machine),
        cmocka_unit_test(nothing_follows_after_a_trip_and_no_trip_is_lost),
        cmocka_unit_test(a_way_out_of_a_trip_would_be_found),
        cmocka_unit_test(the_meeting_of_the_sides_has_no_deadlock_and_a_bound),
        cmocka_unit_test(only_somebody_who_is_there_has_a_session),
        cmocka_unit_test(a_rig_that_believes_what_is_repeated_would_be_found),
    };

    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
