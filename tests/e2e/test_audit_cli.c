/* Who commands a rig, and what is left of it: roles of the dashboard, the switch between local and remote, and the
 * audit log of a run and a console on a rig in another process. */
#include "support/dashboard.h"
#include "support/scratch.h"

#include <jansson.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#define SPRING YOKE_SOURCE "/examples/spring-specimen/spring-specimen.yaml"

/* ---- roles ---- */

/* The token of a role from what the server printed, as a header. */
static void take_role(const char *role)
{
    char text[300], words[64], token[64] = "";
    FILE *in = fopen(dash.server.out_path, "r");

    snprintf(words, sizeof words, " %s: http://", role);
    while (in && fgets(text, sizeof text, in))
        if (strstr(text, words))
            sscanf(strstr(text, "token="), "token=%63[0-9a-f]", token);
    fclose(in);
    assert_int_equal(strlen(token), 32);
    snprintf(dash.authorized, sizeof dash.authorized, "Authorization: Bearer %s\r\n", token);
}

static void say_and_await(struct web_socket *w, const char *message, const char *words)
{
    char *heard;

    assert_true(web_say(w, message));
    heard = web_await(w, words, 30);
    if (!heard)
        fail_msg("%s: %s was not heard", message, words);
    free(heard);
}

static void roles_may_do_what_they_are_for(void **state)
{
    struct web_socket viewer, operator_, engineer;
    struct program p;
    char *answer;
    int to, status;

    dash_name_run();
    strcat(dash.run_name, "-rig");
    program_start_piped(
        &p, (const char *const[]){YOKE_PROGRAM, "rig", dash.run_file, "--priority", "0", "--set", PATIENT, NULL}, &to);
    dash_watch_run(&engineer);
    take_role("viewer");
    dash_watch_run(&viewer);
    answer = web_get(dash.port, "/api/runs", dash.authorized, &status);
    assert_non_null(strstr(answer, "\"controls\":false"));
    assert_non_null(strstr(answer, "\"role\":\"viewer\""));
    free(answer);
    free(web_post(dash.port, "/api/learn", dash.authorized, "{\"example\": \"delay\"}", &status));
    assert_int_equal(status, 403);
    take_role("operator");
    dash_watch_run(&operator_);
    say_and_await(&viewer, "{\"control\": {\"word\": \"pause\", \"confirm\": true}}", "needs the role operator");
    say_and_await(&viewer, "{\"console\": {\"request\": 1, \"line\": \"stop\"}}", "needs the role operator");
    say_and_await(&operator_, "{\"console\": {\"request\": 1, \"line\": \"enable\"}}", "needs the role engineer");
    say_and_await(&operator_, "{\"console\": {\"request\": 2, \"line\": \"stop\"}}", "ok: nothing is moving");
    say_and_await(&operator_, "{\"control\": {\"word\": \"pause\", \"confirm\": true}}", "pause requested");
    say_and_await(&engineer, "{\"console\": {\"request\": 1, \"line\": \"remote\"}}",
                  "only the terminal of the console");
    assert_true(write(to, "local\n", 6) == 6);
    for (int i = 0; i < 100 && i >= 0; i++) { /* until the terminal has switched */
        assert_true(web_say(&engineer, "{\"console\": {\"request\": 2, \"line\": \"enable; disable\"}}"));
        if ((answer = web_await(&engineer, "\"console\":{\"request\":2", 30)) && strstr(answer, "switched to local"))
            i = -2;
        free(answer);
    }
    say_and_await(&engineer, "{\"console\": {\"request\": 3, \"line\": \"stop\"}}", "ok: nothing is moving");
    assert_true(write(to, "remote\n", 7) == 7);
    say_and_await(&operator_, "{\"control\": {\"word\": \"abort\", \"confirm\": true}}", "abort requested");
    web_close(&viewer);
    web_close(&operator_);
    web_close(&engineer);
    close(to);
    program_wait(&p);
    assert_int_equal(p.code, 3);
    program_free(&p);
}

/* ---- the log ---- */

#define LIMITS                                                                                                         \
    "limits={displacement: 200 mm, force: 8.3 kN, command_rate: 1, tracking_error: 100 mm, missed_deadlines: 0, "      \
    "stall: 0, peer_silence: 20, start_ramp: 0.1, end_ramp: 0.1}"

static void change_a_digit(const char *path, const char *before)
{
    char text[1 << 16];
    FILE *file = fopen(path, "r+");
    const size_t size = file ? fread(text, 1, sizeof text - 1, file) : 0;

    text[size] = 0;
    const char *at = strstr(text, before);

    assert_non_null(at);
    fseek(file, at - text + (long)strlen(before) - 1, SEEK_SET);
    fputc('9', file);
    fclose(file);
}

static void the_log_tells_who_did_what(void **state)
{
    char log[600], folder[600], name[64], settings[120];
    struct program rig, p;

    snprintf(folder, sizeof folder, "%s", scratch_path("logged"));
    snprintf(log, sizeof log, "%s", scratch_path("audit.log"));
    assert_int_equal(setenv("YOKE_AUDIT", log, 1), 0);
    snprintf(name, sizeof name, "audit-%ld", (long)getpid());
    snprintf(settings, sizeof settings, "rig.settings={name: %s, patience: 30 s}", name);
    program_start(&rig, (const char *const[]){YOKE_PROGRAM, "serve", SPRING, "--shm", name, NULL}, 0);
    program_run(&p, "run", SPRING, "-o", folder, "--no-report", "--set", "rig.backend=shm", "--set", settings, "--set",
                LIMITS, "--set", "time.end=0.1", "--approach");
    if (p.code)
        fail_msg("%s%s", p.out, p.err);
    program_free(&p);
    assert_runs((const char *const[]){YOKE_PROGRAM, "rig", SPRING, "--priority", "0", "--set", "rig.backend=shm",
                                      "--set", settings, "--set", LIMITS, "-c", "status; enable; jog a1 0.5 mm 5 mm/s",
                                      NULL});
    assert_int_equal(setenv("YOKE_AUDIT", "/dev/null", 1), 0);
    assert_int_equal(program_code((const char *const[]){YOKE_PROGRAM, "rig", SPRING, "--set", "rig.backend=shm",
                                                        "--set", settings, "--set", LIMITS, "-c", "enable", NULL}),
                     1);
    assert_said("a rig does not move without its audit log");
    assert_int_equal(setenv("YOKE_AUDIT", log, 1), 0);
    kill(rig.pid, SIGTERM);
    program_wait(&rig);
    program_free(&rig);
    assert_runs((const char *const[]){YOKE_PROGRAM, "audit", "show", NULL});
    assert_said("backend shm");
    assert_said("time.end=0.1");
    assert_said("--approach");
    assert_said("command_rate");
    assert_said("done after");
    assert_said("command line");
    assert_said("jog a1 0.5 mm 5 mm/s");
    assert_runs((const char *const[]){YOKE_PROGRAM, "audit", "verify", "--against", folder, NULL});
    assert_said("the chain holds");
    change_a_digit(log, "time.end=0.1");
    assert_int_equal(program_code((const char *const[]){YOKE_PROGRAM, "audit", "verify", NULL}), 4);
    assert_said("THE CHAIN IS BROKEN");
    assert_int_equal(truncate(log, 100), 0);
    assert_int_equal(program_code((const char *const[]){YOKE_PROGRAM, "audit", "verify", "--against", folder, NULL}),
                     4);
    assert_said("the log ends before the line");
}

static void simulations_are_not_logged_and_nonsense_is_refused(void **state)
{
    assert_int_equal(setenv("YOKE_AUDIT", "/dev/null", 1), 0);
    assert_runs((const char *const[]){YOKE_PROGRAM, "rig", SPRING, "--fast", "-c", "enable", NULL});
    assert_int_equal(program_code((const char *const[]){YOKE_PROGRAM, "audit", "verify", "/nowhere", NULL}), 2);
    assert_int_equal(program_code((const char *const[]){YOKE_PROGRAM, "audit", "burn", NULL}), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(roles_may_do_what_they_are_for),
        cmocka_unit_test(the_log_tells_who_did_what),
        cmocka_unit_test(simulations_are_not_logged_and_nonsense_is_refused),
    };

    return cmocka_run_group_tests(tests, dash_set_up, dash_tear_down);
}
