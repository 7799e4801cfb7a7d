/* Whatever ends the console of a rig leaves the rig at rest: kills, signals, a lost terminal, a lost rig. Another
 * terminal gives commands as its own does, and a stop acts at once. */
#include "support/cli.h"
#include "support/console.h"
#include "support/parts.h"
#include "support/patience.h"
#include "support/scratch.h"
#include "support/served.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

/* ---- ends ---- */

#define OUTSIDE "--set", r.backend, "--set", setting

/* Longest silence where none is to be noticed: longer than a busy machine keeps anybody waiting. */
#define LONG "20s"

/* A console with a pipe to it, over a wire; the rig is lost after a silence. */
static void start_console(struct program *p, const struct rig *rig, const char *silence, int *pipe_to)
{
    const struct rig r = *rig;
    char setting[256], limit[64];

    snprintf(setting, sizeof setting, "rig.settings={%s: %s, patience: 60, silence: %s}", r.key, r.address, silence);
    snprintf(limit, sizeof limit, "limits.peer_silence=%s", silence);
    program_start_piped(
        p, (const char *const[]){YOKE_PROGRAM, "rig", console.file, "--priority", "0", OUTSIDE, "--set", limit, NULL},
        pipe_to);
}

static void say(int to, const char *lines)
{
    assert_int_equal(write(to, lines, strlen(lines)), strlen(lines));
}

/* Until the words stand in what it has printed so far. */
static void await_words(const struct program *p, const char *words)
{
    char text[4096] = "";

    for (int tries = 0; tries < 3000 && !strstr(text, words); tries++) {
        FILE *in = fopen(p->out_path, "r");
        const size_t got = in ? fread(text, 1, sizeof text - 1, in) : 0;

        text[got] = 0;
        if (in)
            fclose(in);
        patience_sleep(0.01);
    }
    assert_non_null(strstr(text, words));
}

static int lost_sessions(const struct rig *r, const char *text)
{
    int ticks, commands, sessions, lost;
    const char *at = strstr(text, "waiting: ");

    assert_non_null(at);
    assert_int_equal(
        sscanf(at, "waiting: %d ticks, %d commands in %d sessions (%d lost", &ticks, &commands, &sessions, &lost), 4);
    return lost;
}

/* Whatever the moment, the rig notices, goes back by itself and takes the next console. */
static void a_killed_console_leaves_the_rig_ramped_down(void **state)
{
    static const double moments_s[] = {0.02, 0.13, 0.61};

    for (int shm = 0; shm < 2; shm++) {
        struct program p;
        struct rig r;
        int to;

        rig_start(&r, shm, console.file, (const char *const[]){"--clock", "--silence", "0.6s", NULL});
        for (size_t i = 0; i < sizeof moments_s / sizeof *moments_s; i++) {
            start_console(&p, &r, LONG, &to);
            say(to, "enable\nmove a1 30 mm\n");
            await_words(&p, "ok: drives enabled");
            program_sleep(moments_s[i]);
            kill(p.pid, SIGKILL);
            program_wait(&p);
            assert_int_equal(p.code, -SIGKILL);
            program_sleep(0.8); /* longer than the silence: the rig notices before the next console comes */
            program_free(&p);
            close(to);
        }
        /* the next one finds it at rest, and it moves again */
        start_console(&p, &r, LONG, &to);
        say(to, "status\nenable\nmove a1 2 mm\nhome\nquit\n");
        program_wait(&p);
        assert_code(&p, 0);
        assert_non_null(strstr(p.out, "a1: command 0 m"));
        assert_non_null(strstr(p.out, "ok: a1 at "));
        program_free(&p);
        close(to);
        kill(r.p.pid, SIGINT);
        program_wait(&r.p);
        assert_int_equal(lost_sessions(&r, r.p.out), sizeof moments_s / sizeof *moments_s);
        program_free(&r.p);
    }
}

static void a_lost_terminal_or_a_signal_holds_and_disables(void **state)
{
    static const int signals[] = {SIGHUP, SIGTERM, SIGINT, SIGPWR};
    struct program p;
    struct rig r;
    int to;

    rig_start(&r, false, console.file, (const char *const[]){"--clock", "--silence", LONG, NULL});
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        start_console(&p, &r, LONG, &to);
        say(to, "enable\nfull\nmove a1 150 mm\n"); /* takes 28 s */
        await_words(&p, "ok: drives enabled");
        program_sleep(0.3);
        kill(p.pid, signals[i]);
        program_wait(&p);
        assert_code(&p, 3);
        assert_true(p.wall_s < 20 * patience());
        assert_words(p.out, "stopped: the actuators are held where they are");
        assert_words(p.err, "; the actuators are held and the drives disabled");
        program_free(&p);
        close(to);
    }
    /* a stop overtakes; the end of the input ends the console in order */
    start_console(&p, &r, LONG, &to);
    say(to, "enable\nfull\nmove a1 150 mm\n");
    await_words(&p, "ok: drives enabled");
    program_sleep(0.3);
    say(to, "stop\n");
    await_words(&p, "stopped: the actuators are held");
    say(to, "home");
    close(to);
    program_wait(&p);
    assert_code(&p, 3); /* that of the first that did not succeed */
    assert_words(p.out, "ok: all actuators are where a run begins");
    program_free(&p);
    /* every one of them said goodbye: otherwise the next had to wait until it was lost */
    start_console(&p, &r, LONG, &to);
    say(to, "quit\n");
    program_wait(&p);
    assert_code(&p, 0);
    program_free(&p);
    close(to);
    kill(r.p.pid, SIGINT);
    program_wait(&r.p);
    assert_int_equal(lost_sessions(&r, r.p.out), 0);
    program_free(&r.p);
}

static void another_terminal_stops_a_motion_and_ends_the_console(void **state)
{
    struct program p, q;
    struct rig r;
    int to;

    rig_start(&r, true, console.file, (const char *const[]){"--clock", "--silence", LONG, NULL});
    start_console(&p, &r, LONG, &to);
    say(to, "enable\nfull\nmove a1 150 mm\n");
    await_words(&p, "ok: drives enabled");
    program_run(&q, "control", "status", console.name);
    assert_words(q.out, "running step ");
    program_free(&q);
    program_run(&q, "watch", console.name, "--once", "--ticks");
    assert_words(q.out, "a1.displacement");
    program_free(&q);
    program_run(&q, "control", "pause", console.name);
    assert_code(&q, 0);
    program_free(&q);
    await_words(&p, "stopped: the actuators are held");
    program_run(&q, "control", "abort", console.name);
    assert_code(&q, 0);
    program_free(&q);
    program_wait(&p);
    assert_code(&p, 3);
    assert_words(p.err, "the drives disabled");
    program_free(&p);
    close(to);
    rig_stop(&r, SIGINT);
}

/* A console of the virtual rig, which no busy machine loses. */
static void start_alone(struct program *p, int *to)
{
    program_start_piped(
        p, (const char *const[]){YOKE_PROGRAM, "rig", console.file, "--priority", "0", "--set", "rig.lines={}", NULL},
        to);
}

/* `yoke control console LINE` ends with this code and prints this. */
static void check_guest(const char *line, int code, const char *said)
{
    struct program q;

    program_run(&q, "control", "console", line, console.name);
    if (q.code != code || !strstr(q.out, said))
        print_error("%s: code %d, said\n%s%s", line, q.code, q.out, q.err);
    assert_code(&q, code);
    assert_words(q.out, said);
    assert_null(strstr(q.out, "end "));
    program_free(&q);
}

/* To the socket of the console. */
static int call_console(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    snprintf(address.sun_path, sizeof address.sun_path, "/tmp/yoke-%u/%s.sock", (unsigned)getuid(), console.name);
    assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof address), 0);
    return fd;
}

/* Bytes to the socket of the console; waits for the end of the answer unless NULL. */
static void send_bytes(const char *bytes, size_t size, char *answer, size_t room)
{
    const int fd = call_console();
    size_t used = 0;
    ssize_t got;

    assert_int_equal(send(fd, bytes, size, MSG_NOSIGNAL), size);
    shutdown(fd, SHUT_WR);
    while (answer && used + 1 < room && (got = read(fd, answer + used, room - 1 - used)) > 0)
        used += (size_t)got;
    if (answer)
        answer[used] = 0;
    close(fd);
}

static void a_guest_gives_commands_as_the_terminal_does(void **state)
{
    struct program p;
    int to;

    start_alone(&p, &to);
    say(to, "status\n");
    await_words(&p, "ok: drives disabled");
    check_guest("move a1 5 mm", 2, "refused: the drives are disabled; `enable` first");
    check_guest("enable; move a1 3 mm", 0, "> enable\nok: drives enabled");
    check_guest("move a1 201 mm; home", 2, "is beyond limits.displacement = 200 mm; nothing was moved\n");
    check_guest("status", 0, "a1: command 3 mm");
    check_guest("status; nonsense; status", 2, "refused: unknown command 'nonsense'");
    check_guest("quit", 2, "refused: the console belongs to its terminal");
    check_guest("note a crack at the weld", 0, "ok: noted for the protocol");
    /* 16 mm times 35.53 kN/m and a bias of 120 N are more than 5 % of 8.3 kN */
    check_guest("move a1 16 mm; tare a1.force 0.1 s", 2, "% of limits.force = 8.3 kN. Is it really at zero?");
    check_guest("tare a1.force 0.1 s", 2, "`tare! a1.force` takes it all the same");
    check_guest("tare! a1.force 0.1 s", 0, "ok: zero of a1.force ");
    await_words(&p, "@ > enable\n@ ok: drives enabled"); /* the terminal sees it */
    say(to, "home\n");
    close(to);
    program_wait(&p);
    assert_code(&p, 0); /* of its own lines only */
    assert_words(p.out, "\nok: all actuators are where a run begins");
    program_free(&p);
    console_forget_zeros();
}

static void orders_of_terminal_and_guests_do_not_mix_and_a_stop_acts_at_once(void **state)
{
    static const char far[] = "console move a1 150 mm; move a1 -150 mm";
    struct program p;
    int to;

    start_alone(&p, &to);
    say(to, "enable\nmove a1 150 mm\n"); /* takes 28 s */
    await_words(&p, "ok: drives enabled");
    program_sleep(0.3);
    check_guest("home", 2, "busy: an order of the terminal is being carried out");
    check_guest("stop", 0, "ok: the order is being stopped");
    await_words(&p, "stopped: the actuators are held");
    /* a guest that leaves changes nothing; the terminal and other guests are told */
    send_bytes(far, sizeof far - 1, NULL, 0);
    await_words(&p, "@ > move a1 150 mm");
    check_guest("status", 2, "busy: an order of another page or of `yoke control`");
    say(to, "home\n");
    await_words(&p, "\nbusy: an order of the dashboard or of `yoke control` is being carried out");
    say(to, "stop\n");
    await_words(&p, "@ stopped: the actuators are held");
    check_guest("stop", 0, "ok: nothing is moving");
    check_guest("status", 0, "ok: drives enabled, holding");
    close(to);
    program_wait(&p);
    assert_null(strstr(p.out, "-150 mm")); /* what followed the order that was stopped */
    assert_null(strstr(p.out, "where a run begins"));
    assert_true(p.wall_s < 20 * patience());
    program_free(&p);
}

/* A zero that could not be written does not hold, and does not appear with the next one. */
static void a_tare_that_cannot_be_kept_is_forgotten(void **state)
{
    struct program p;
    char part[700];
    int to;

    console_forget_zeros();
    snprintf(part, sizeof part, "%s.part", scratch_path(console.zeros));
    assert_int_equal(mkdir(part, 0700), 0);
    start_alone(&p, &to);
    say(to, "tare! force\n");
    await_words(&p, "failed: cannot write ");
    assert_int_equal(rmdir(part), 0);
    say(to, "tare sensors\n");
    await_words(&p, "ok: zero of sensor.strain");
    close(to);
    program_wait(&p);
    program_free(&p);
    assert_int_equal(scratch_count(console.zeros, "a1.force: "), 0);
    assert_int_equal(scratch_count(console.zeros, "sensor.strain: "), 1);
    console_forget_zeros();
}

/* The console hears nobody else meanwhile, not even a stop. */
static void a_guest_that_speaks_slowly_is_not_waited_for(void **state)
{
    struct program p;
    int to, bytes = 0;

    start_alone(&p, &to);
    say(to, "status\n");
    await_words(&p, "ok: drives disabled");
    const int fd = call_console();
    while (bytes < 100 && send(fd, "x", 1, MSG_NOSIGNAL) == 1) {
        bytes++;
        program_sleep(0.05);
    }
    close(fd);
    assert_in_range(bytes, 1, 99); /* 200 ms are given; a line would take 50 s */
    close(to);
    program_wait(&p);
    assert_code(&p, 0);
    program_free(&p);
}

static void lines_that_are_no_text_are_refused(void **state)
{
    static const struct {
        const char *bytes;
        size_t size;
        const char *said;
    } cases[] = {
        {"console ", 8, "refused: a line must be a text of 1 .. 1000 bytes\nend 2\n"},
        {"console \0enable", 15, "refused: a line must be a text"},
        {"console status\0", 15, "refused: a line must be a text"},
        {"console \033[2Jstatus", 18, "refused: a line must not contain control characters\nend 2\n"},
        {"console note \xc2\x9b"
         "2J",
         17, "refused: a line must not contain control characters"},
        {"console status\n", 15, "refused: a line must not contain control characters"},
        {"consolestatus", 13, "unknown request"},
        {"console", 7, "unknown request"},
    };
    char answer[4096], big[4000];
    struct program p;
    int to;

    start_alone(&p, &to);
    say(to, "status\n");
    await_words(&p, "ok: drives disabled");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        send_bytes(cases[i].bytes, cases[i].size, answer, sizeof answer);
        assert_words(answer, cases[i].said);
    }
    memset(big, 'a', sizeof big);
    memcpy(big, "console ", 8);
    send_bytes(big, 8 + 1001, answer, sizeof answer);
    assert_words(answer, "refused: a line must be a text of 1 .. 1000 bytes\nend 2\n");
    send_bytes(big, 8 + 1000, answer, sizeof answer);
    assert_words(answer, "refused: the line is too long\nend 2\n");
    send_bytes("console help", 12, answer, sizeof answer);
    assert_words(answer, "ok: every number needs its unit\nend 0\n");
    close(to);
    program_wait(&p);
    assert_code(&p, 0);
    program_free(&p);
}

static void a_lost_rig_trips_and_a_reset_finds_it_again(void **state)
{
    struct program p;
    struct rig r;
    int to;

    rig_start(&r, false, console.file, (const char *const[]){"--clock", "--silence", "0.6s", NULL});
    start_console(&p, &r, "0.6s", &to);
    say(to, "enable\nstatus\n");
    await_words(&p, "ok: drives enabled, holding");
    kill(r.p.pid, SIGSTOP);
    program_sleep(1.2);
    kill(r.p.pid, SIGCONT);
    say(to, "move a1 1 mm\nreset\nenable\nmove a1 1 mm\n");
    close(to);
    program_wait(&p);
    assert_words(p.out, "refused: tripped: ");
    assert_words(p.out, "ok: reset");
    assert_words(p.out, "ok: a1 at 0.9");
    program_free(&p);
    rig_stop(&r, SIGINT);
}

/* The watchdog of a rig is found by silence; without one, or with one that is too slow, the item fails. */
static void the_check_list_finds_the_watchdog(void **state)
{
    for (int slow = 0; slow < 2; slow++) {
        char setting[256], name[1024];
        struct program p;
        struct rig r;

        rig_start(&r, true, console.file,
                  (const char *const[]){"--clock", "--silence", slow ? LONG : "0.6s", "--set", "rig.lines={}", NULL});
        snprintf(setting, sizeof setting, "rig.settings={%s: %s, patience: 60, silence: 5}", r.key, r.address);
        snprintf(name, sizeof name, "%s", scratch_path("outside"));
        program_run(&p, "rig", console.file, OUTSIDE, "--set", "rig.lines={}", "--priority", "0", "--yes", "--watchdog",
                    "1.2s", "--protocol", name, "-c", "checklist");
        assert_words(p.out, slow ? "FAIL           watchdog: 1.2 s of silence: the rig did not notice"
                                 : "pass           watchdog: 1.2 s of silence: the rig is lost");
        assert_int_equal(p.code == 4, slow);
        program_free(&p);
        rig_stop(&r, SIGINT);
    }
}

static void an_old_zero_is_not_used_on_a_rig_outside_this_process(void **state)
{
    char setting[256];
    struct program p;
    struct rig r;

    rig_start(&r, true, console.file, NULL);
    snprintf(setting, sizeof setting, "rig.settings={%s: %s}", r.key, r.address);
    scratch_write(console.zeros, "calibration:\n  a1.force: {zero: 12, date: \"2020-01-01T00:00:00+0000\"}\n");
    program_run(&p, "rig", console.file, OUTSIDE, "-c", "status");
    assert_code(&p, 2);
    assert_words(p.err, "days ago; a rig outside this process needs one of the last 30 days");
    program_free(&p);
    program_run(&p, "rig", console.file, "--fast", "-c", "status"); /* here it does no harm */
    assert_code(&p, 0);
    program_free(&p);
    console_forget_zeros();
    rig_stop(&r, SIGINT);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_killed_console_leaves_the_rig_ramped_down),
        cmocka_unit_test(a_lost_terminal_or_a_signal_holds_and_disables),
        cmocka_unit_test(another_terminal_stops_a_motion_and_ends_the_console),
        cmocka_unit_test(a_guest_gives_commands_as_the_terminal_does),
        cmocka_unit_test(orders_of_terminal_and_guests_do_not_mix_and_a_stop_acts_at_once),
        cmocka_unit_test(a_guest_that_speaks_slowly_is_not_waited_for),
        cmocka_unit_test(a_tare_that_cannot_be_kept_is_forgotten),
        cmocka_unit_test(lines_that_are_no_text_are_refused),
        cmocka_unit_test(a_lost_rig_trips_and_a_reset_finds_it_again),
        cmocka_unit_test(the_check_list_finds_the_watchdog),
        cmocka_unit_test(an_old_zero_is_not_used_on_a_rig_outside_this_process),
    };

    return run_part(argc, argv, tests, sizeof tests / sizeof *tests, console_set_up, scratch_remove);
}
