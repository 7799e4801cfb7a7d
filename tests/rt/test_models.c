/* The state machine of the supervisor and the meeting of the two threads, checked with spin. The table of the machine
 * is written from the C table into Promela here, so that the two cannot drift apart. */
#include "support/check.h"
#include "support/program.h"
#include "support/scratch.h"

#include <yoke/supervisor.h>

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
static const char *const entries[] = {"NONE", "HOLD", "TO_START", "TO_HOME", "SAFE", "FOLLOW", "FOLLOW_ONE"};
static const char *const sources[] = {"NOTHING", "HELD", "RAMPED", "FOLLOWED", "SAFE"};

static void write_names(FILE *out, const char *prefix, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        fprintf(out, "#define %s_%s %zu\n", prefix, names[i], i);
}

static void write_table(const char *path)
{
    FILE *out = fopen(path, "w");

    assert_non_null(out);
    write_names(out, "S", states, YK_STATES);
    write_names(out, "E", events, YK_EVENTS);
    write_names(out, "ENTRY", entries, YK_ENTRY_FOLLOW_ONE + 1);
    write_names(out, "SOURCE", sources, YK_SOURCE_SAFE + 1);
    fprintf(out, "#define EVENTS %d\n#define source(s) (", YK_EVENTS);
    for (int s = 0; s < YK_STATES; s++)
        fprintf(out, "s == %d -> %d : (", s, yk_state_sources[s]);
    fputs("0", out);
    for (int s = 0; s <= YK_STATES; s++)
        fputc(')', out);
    fputs("\ninline transition(s, e, entry_)\n{\n    if\n", out);
    for (int s = 0; s < YK_STATES; s++)
        for (int e = 0; e < YK_EVENTS; e++)
            fprintf(out, "    :: s == %d && e == %d -> s = %d; entry_ = %d\n", s, e, yk_transitions[s][e].next,
                    yk_transitions[s][e].entry);
    fputs("    fi\n}\n", out);
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

/* build: options of the verifier's compilation; run: those of its run. */
static void check_model(const char *name, const char *build, const char *run)
{
    char command[1024];
    int code;
    char *text;

    free(shell("command -v spin", &code));
    if (code) {
        print_message("spin is not installed: the model %s is not checked (apt-get install spin)\n", name);
        skip();
    }
    snprintf(command, sizeof command,
             "cp " YOKE_SOURCE "/tests/model/%s.pml . && spin -a %s.pml && cc -O1 -w %s -o pan pan.c && ./pan %s "
             "-m100000 -w20",
             name, name, build, run);
    text = shell(command, &code);
    if (code || !strstr(text, "errors: 0") || strstr(text, "max search depth too small"))
        print_error("%s %s: exit code %d\n%s\n", name, run, code, text);
    assert_int_equal(code, 0);
    assert_non_null(strstr(text, "errors: 0"));
    assert_null(strstr(text, "max search depth too small"));
    free(text);
}

static void the_names_are_those_of_the_machine(void **state)
{
    for (int s = 0; s < YK_STATES; s++)
        assert_int_equal(strlen(states[s]), strlen(yk_state_text((enum yk_state)s)));
    assert_int_equal(sizeof entries / sizeof *entries, YK_ENTRY_FOLLOW_ONE + 1);
    assert_int_equal(sizeof sources / sizeof *sources, YK_SOURCE_SAFE + 1);
}

static void nothing_follows_after_a_trip_and_no_trip_is_lost(void **state)
{
    write_table(scratch_path("table.pml"));
    check_model("supervisor", "-DNOCLAIM -DSAFETY", ""); /* assertions, deadlock */
    check_model("supervisor", "", "-a");                 /* an abort ends the run */
}

static void the_meeting_of_the_sides_has_no_deadlock_and_a_bound(void **state)
{
    check_model("exchange", "-DNOCLAIM -DSAFETY", "");
    check_model("exchange", "", "-a -f"); /* the fine side comes to its end, even where the coarse one hangs */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_names_are_those_of_the_machine),
        cmocka_unit_test(nothing_follows_after_a_trip_and_no_trip_is_lost),
        cmocka_unit_test(the_meeting_of_the_sides_has_no_deadlock_and_a_bound),
    };

    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
