/* yoke watch: limits as bars, chosen channels, a terminal that is left as it was, and rows for PlotJuggler. */
#include "support/check.h"
#include "support/own_shm.h"
#include "support/patience.h"
#include "support/program.h"
#include "support/scratch.h"

#include "engine/telemetry.h"

#include <arpa/inet.h>
#include <errno.h>
#include <jansson.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SYSTEM = 40, TICKS = 3 };
#define DESCRIPTION                                                                                                    \
    "{\"step_s\": 0.01, \"control_rate_hz\": 1000, \"scale\": 1, \"actuators\": [{\"name\": \"a1\", \"limits\": ["     \
    "{\"limit\": \"force\", \"words\": \"force\", \"unit\": \"N\", \"max\": 5000, \"action\": \"ramp\"}]}]}"

static struct yk_channel system_channels[SYSTEM] = {{.name = "time", .unit = "s"}};
static const struct yk_channel tick_channels[TICKS] = {
    {.name = "time", .unit = "s"}, {.name = "a1.sent", .unit = "m"}, {.name = "a1.force", .unit = "N"}};
static const struct yk_stream streams[] = {{"system", SYSTEM, system_channels}, {"ticks", TICKS, tick_channels}};
static const char *const states[] = {"idle", "running", "tripped", NULL};
static struct yk_telemetry *telemetry;
static char name[64];

static int begin(void **state)
{
    const struct yk_telemetry_info info = {.title = "a run \033[2J with a bell \a",
                                           .description = DESCRIPTION,
                                           .stream_count = 2,
                                           .streams = streams,
                                           .states = states,
                                           .period_s = 0.01,
                                           .steps = 1000,
                                           .tracked = 1};

    for (int i = 1; i < SYSTEM; i++)
        snprintf(system_channels[i].name, sizeof system_channels[i].name, "%s%d.u", i % 2 ? "frame.x" : "other.y", i);
    snprintf(name, sizeof name, "watch-%d", (int)getpid());
    assert_ok(yk_telemetry_create(&telemetry, name, &info, &err));
    yk_telemetry_post(telemetry,
                      &(struct yk_telemetry_posted){.now = {.step = 250, .state = 1, .paced = 1, .scale = 2}},
                      &(struct yk_telemetry_track){0});
    yk_telemetry_row(telemetry, 0, (double[SYSTEM]){0.5, 0.25});
    yk_telemetry_row(telemetry, 1, (const double[]){0.5, 0.001, -4500});
    return 0;
}

static int end(void **state)
{
    yk_telemetry_destroy(telemetry);
    telemetry = NULL;
    return 0;
}

static size_t lines_of(const char *text)
{
    size_t n = 0;

    for (const char *c = text; (c = strchr(c, '\n')); c++)
        n++;
    return n;
}

static void it_shows_limits_and_a_few_channels(void **state)
{
    struct program p;

    program_run(&p, "watch", name, "--once");
    assert_int_equal(p.code, 0);
    assert_non_null(strstr(p.out, "running, step 250 of 1000, 15 s left"));
    assert_non_null(strstr(p.out, "[##################..]  90 %  -4.5 of 5 kN  near its limit"));
    assert_true(lines_of(p.out) < 20); /* of 39 channels some */
    assert_non_null(strstr(p.out, "27 more channels"));
    assert_null(strchr(p.out, '\033')); /* neither its own nor that of the title */
    assert_null(strchr(p.out, '\a'));
    program_free(&p);
    program_run(&p, "watch", name, "--once", "--channels", "frame.x1*,other.y2.u");
    assert_int_equal(p.code, 0);
    assert_non_null(strstr(p.out, "frame.x19.u"));
    assert_non_null(strstr(p.out, "other.y2.u"));
    assert_null(strstr(p.out, "frame.x3.u"));
    program_free(&p);
    program_run(&p, "watch", name, "--once", "--ticks");
    assert_non_null(strstr(p.out, "a1.sent"));
    program_free(&p);
    program_run(&p, "watch", name, "--once", "--channels", "nothing*");
    assert_int_equal(p.code, 2);
    assert_non_null(strstr(p.err, "no channel matches"));
    program_free(&p);
    program_run(&p, "watch", name, "--once", "--fine");
    assert_int_equal(p.code, 2);
    assert_non_null(strstr(p.err, "no fine steps"));
    program_free(&p);
}

/* A pseudo-terminal: what it gets until the program ends. */
static void a_terminal_is_left_as_it_was(void **state)
{
#ifdef __SANITIZE_THREAD__
    skip(); /* it defers a signal and may then forget a handler that is for once (SA_RESETHAND) */
#endif
    static char all[200000];
    size_t used = 0;
    ssize_t n;
    int fd, status;
    const pid_t pid = forkpty(&fd, NULL, NULL, NULL);

    if (pid < 0) {
        print_message("skipped: no pseudo-terminal (%s); is /dev/pts mounted?\n", strerror(errno));
        skip();
    }
    if (pid == 0) {
        execl(YOKE_PROGRAM, "yoke", "watch", name, "--every", "0.05s", NULL);
        _exit(127);
    }
    while (used < sizeof all - 1 && !strstr(all, "more channels") &&
           (n = read(fd, all + used, sizeof all - 1 - used)) > 0)
        all[used += (size_t)n] = 0;
    kill(pid, SIGTERM);
    while (used < sizeof all - 1 && (n = read(fd, all + used, sizeof all - 1 - used)) > 0)
        all[used += (size_t)n] = 0;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    close(fd);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_non_null(strstr(all, "\033[?1049h\033[?25l")); /* another screen, no cursor */
    const char *back = strstr(all, "\033[?25h\033[?1049l");
    assert_non_null(back);
    assert_non_null(strstr(back, "running, step 250")); /* the last state stays */
    assert_null(strchr(back + strlen("\033[?25h\033[?1049l"), '\033'));
}

/* ---- PlotJuggler ---- */

static void plotjuggler_gets_every_row(void **state)
{
    enum { ROWS = 500 };
    const int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof at;
    struct program p;
    char where[64], text[2000];
    int got = 0;

    assert_int_equal(bind(fd, (struct sockaddr *)&at, sizeof at), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &length), 0);
    snprintf(where, sizeof where, "127.0.0.1:%d", ntohs(at.sin_port));
    program_start(&p,
                  (const char *const[]){YOKE_PROGRAM, "watch", name, "--ticks", "--channels", "a1.force",
                                        "--plotjuggler", where, NULL},
                  0);
    for (int written = 0; got <= ROWS;) { /* the newest one, and those that follow */
        struct pollfd ready = {fd, POLLIN, 0};
        json_t *json;

        if (got && written < ROWS) {
            yk_telemetry_row(telemetry, 1, (const double[]){1 + 1e-3 * written, 0, written});
            written++;
        }
        assert_int_equal(poll(&ready, 1, (int)(10000 * patience())), 1);
        const ssize_t n = recv(fd, text, sizeof text, 0);
        assert_true(n > 0);
        json = json_loadb(text, (size_t)n, 0, NULL);
        assert_non_null(json);
        const double time = json_real_value(json_object_get(json, "timestamp"));
        const json_t *values = json_object_get(json, "ticks");
        assert_int_equal(json_object_size(values), 1);
        const double force = json_number_value(json_object_get(values, "a1.force"));
        assert_true(got ? time == 1 + 1e-3 * (got - 1) && force == got - 1 : time == 0.5 && force == -4500);
        json_decref(json);
        got++;
    }
    kill(p.pid, SIGTERM);
    program_wait(&p);
    assert_int_equal(p.code, 0);
    assert_non_null(strstr(p.err, "501 rows sent"));
    program_free(&p);
    close(fd);
    program_run(&p, "watch", name, "--plotjuggler", "nowhere");
    assert_int_equal(p.code, 2);
    assert_non_null(strstr(p.err, "must be HOST:PORT"));
    program_free(&p);
}

static int set_up(void **state)
{
    own_shm();
    return scratch_create(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(it_shows_limits_and_a_few_channels, begin, end),
        cmocka_unit_test_setup_teardown(a_terminal_is_left_as_it_was, begin, end),
        cmocka_unit_test_setup_teardown(plotjuggler_gets_every_row, begin, end),
    };
    return cmocka_run_group_tests(tests, set_up, scratch_remove);
}
