/* The screen of `yoke rig`: readings as bars between their limits, the last answers, and a command line. */
#include "cli/operator.h"
#include "cli/rig.h"

#include "base/clock.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

enum { KEPT = 400, LINE = 400, HISTORY = 32, LOOK_MS = 20, DRAW_NS = 100000000, BESIDE = 60 };
enum { CTRL_C = 3, CTRL_D = 4, BACKSPACE = 8, CTRL_U = 21, ESCAPE = 27, DELETE = 127 };
#define AMBER 0.8 /* of a limit: from here on a warning */

struct screen {
    struct termios before;
    char *log[KEPT]; /* the newest last */
    size_t logged;
    char line[LINE], history[HISTORY][LINE];
    char keys[1024]; /* that were pressed and not taken yet */
    size_t length, pressed;
    int remembered, recalled;
    int answer; /* to a question: 1, 0; -1 none so far, -2 none is asked */
    bool entered, lost;
    int columns, rows;
    int64_t drawn_ns;
};

/* ---- drawing ---- */

static void measure(struct screen *s)
{
    struct winsize size = {0};

    s->columns = 80;
    s->rows = 24;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 20 && size.ws_row >= 6) {
        s->columns = size.ws_col;
        s->rows = size.ws_row;
    }
}

/* A line that ends at the edge; what stood there before is wiped out. */
static void put_line(const struct screen *s, int *row, const char *colour, const char *text)
{
    if (*row >= s->rows - 1)
        return;
    ++*row;
    printf("%s%.*s%s\033[K\n", colour, s->columns - 1, text, *colour ? "\033[0m" : "");
}

/* "a1 displacement [......|###...]    4.93 mm of 200 mm" */
static void put_bar(const struct screen *s, int *row, const char *name, const char *words, double value, double limit,
                    const char *unit)
{
    const struct yk_display_unit shown = yk_unit_for_display(unit, limit > 0 ? limit : fabs(value));
    const int half = (s->columns - BESIDE > 80 ? 80 : s->columns - BESIDE < 10 ? 10 : s->columns - BESIDE) / 2;
    const double share = limit > 0 ? value / limit : 0;
    const int filled = (int)lround(fmin(fabs(share), 1) * half);
    char bar[128] = "", text[400], reach[48] = "no limit";

    for (int i = 0; i < half && limit > 0; i++) {
        bar[half - 1 - i] = share < 0 && i < filled ? '#' : '.';
        bar[half + 1 + i] = share > 0 && i < filled ? '#' : '.';
        bar[half] = '|';
        bar[2 * half + 1] = 0;
    }
    if (limit > 0)
        snprintf(reach, sizeof reach, "of %.4g %s", limit * shown.factor, shown.text);
    snprintf(text, sizeof text, " %-10.10s %-13.13s [%-*s] %9.4g %-5.5s %s", name, words, 2 * half + 1, bar,
             value * shown.factor, shown.text, reach);
    put_line(s, row,
             limit > 0 && fabs(share) >= 1       ? "\033[31m"
             : limit > 0 && fabs(share) >= AMBER ? "\033[33m"
                                                 : "",
             text);
}

static void put_actuator(const struct screen *s, int *row, const struct rig_desk *d, size_t i)
{
    const struct yk_supervisor *v = d->limits;
    const double *at = d->seen + YK_SEEN * i;
    const bool turns = yk_station_turns(d->station, i);
    const enum yk_command_kind kind = rig_kind(d, i);

    put_bar(s, row, yk_station_name(d->station, i), "displacement", at[YK_SEEN_DISPLACEMENT],
            yk_supervisor_limit(v, YK_LIMIT_DISPLACEMENT, i), turns ? "rad" : "m");
    put_bar(s, row, "", "force", at[YK_SEEN_FORCE], yk_supervisor_limit(v, YK_LIMIT_FORCE, i), turns ? "N m" : "N");
    if (!yk_command_is_rate(kind))
        put_bar(s, row, "", "error", at[YK_SEEN_SENT] - at[kind == YK_BY_FORCE ? YK_SEEN_FORCE : YK_SEEN_DISPLACEMENT],
                yk_supervisor_limit(v, YK_LIMIT_TRACKING_ERROR, i),
                yk_limit_unit(YK_LIMIT_TRACKING_ERROR, kind, turns));
}

static void put_lines(const struct screen *s, int *row, const struct rig_desk *d)
{
    const struct yk_supervisor *v = d->limits;
    char text[400] = " lines";

    for (size_t k = 0; k < v->line_count; k++) {
        const size_t used = strlen(text);

        snprintf(text + used, sizeof text - used, "   %s %d", v->lines[k].name, (int)(d->now.lines >> k & 1));
    }
    if (v->line_count)
        put_line(s, row, "", text);
}

static void put_state(const struct screen *s, int *row, const struct rig_desk *d)
{
    const bool tripped = d->now.trip.tripped;
    char text[400];

    snprintf(text, sizeof text, " %s%s%s   %g Hz, %lld deadlines missed%s%s",
             tripped       ? "TRIPPED: "
             : d->now.off  ? "drives disabled"
             : d->now.busy ? "MOVING (Ctrl-C stops)"
                           : "drives ENABLED, holding",
             tripped ? rig_trip_words(d, &d->now.trip) : "",
             tripped                                              ? ""
             : d->now.full                                        ? ", FULL LIMITS of the test"
             : d->count && yk_supervisor_travel(d->limits, 0) > 0 ? ", low limits of the console"
                                                                  : "",
             1 / d->tick_s, (long long)d->now.missed, d->now.degraded ? ", degraded" : "",
             d->now.held > 10 ? "   NO READINGS" : "");
    put_line(s, row, tripped ? "\033[1;31m" : d->now.off ? "" : "\033[1;33m", text);
}

static void draw(struct rig_desk *d, bool now)
{
    struct screen *s = d->self;
    const struct yk_supervisor *v = d->limits;
    int row = 0;
    char text[LINE + 8];

    if ((!now && yk_clock_now_ns() - s->drawn_ns < DRAW_NS) || !desk_takes_text(STDOUT_FILENO))
        return;
    s->drawn_ns = yk_clock_now_ns();
    measure(s);
    rig_look(d);
    fputs("\033[?25l\033[H", stdout);
    snprintf(text, sizeof text, " %s", d->model->title);
    put_line(s, &row, "\033[1m", text);
    put_state(s, &row, d);
    for (size_t i = 0; i < d->count; i++)
        put_actuator(s, &row, d, i);
    for (size_t k = 0; k < d->sensors; k++)
        put_bar(s, &row, v->sensors[k].name, "", d->seen[YK_SEEN * d->count + k], v->sensors[k].limit,
                v->sensors[k].unit);
    put_lines(s, &row, d);
    put_line(s, &row, "", "");
    const size_t room = s->rows - 1 > row ? (size_t)(s->rows - 1 - row) : 0,
                 first = s->logged > room ? s->logged - room : 0;

    for (size_t k = first; k < s->logged; k++) {
        const char *line = s->log[k % KEPT];

        put_line(s, &row,
                 strncmp(line, "refused", 7) == 0 || strncmp(line, "failed", 6) == 0 ||
                         strncmp(line, "TRIPPED", 7) == 0 || strncmp(line, "  FAIL", 6) == 0
                     ? "\033[31m"
                     : "",
                 line);
    }
    fputs("\033[J", stdout); /* nothing below; the command line is the last one */
    const int most = s->columns - 4, skipped = (int)s->length > most ? (int)s->length - most : 0;

    printf("\033[%d;1H> %s\033[K\033[?25h", s->rows, s->line + skipped);
    fflush(stdout);
}

/* ---- output ---- */

static void keep(struct screen *s, const char *text, size_t length)
{
    char **place = &s->log[s->logged % KEPT];

    free(*place);
    *place = strndup(text, length);
    if (!*place)
        return;
    s->logged++;
}

/* Long lines are broken between words. */
static void say(struct rig_desk *d, const char *line)
{
    struct screen *s = d->self;
    const size_t width = s->columns > 24 ? (size_t)s->columns - 2 : 22;

    while (strlen(line) > width) {
        size_t end = width;

        while (end > width / 2 && line[end] != ' ')
            end--;
        end = line[end] == ' ' ? end : width;
        keep(s, line, end);
        line += end + (line[end] == ' ');
    }
    keep(s, line, strlen(line));
    draw(d, true);
}

/* ---- keys ---- */

static void recall(struct screen *s, int step)
{
    const int oldest = s->remembered > HISTORY ? s->remembered - HISTORY : 0, wanted = s->recalled + step;

    if (wanted < oldest || wanted > s->remembered)
        return;
    s->recalled = wanted;
    snprintf(s->line, sizeof s->line, "%s", wanted == s->remembered ? "" : s->history[wanted % HISTORY]);
    s->length = strlen(s->line);
}

static void edit(struct screen *s, char key)
{
    if (key == DELETE || key == BACKSPACE)
        s->length -= s->length > 0;
    else if (key == CTRL_U)
        s->length = 0;
    else if (!iscntrl((unsigned char)key) && s->length + 1 < sizeof s->line)
        s->line[s->length++] = key;
    s->line[s->length] = 0;
}

static void press(struct screen *s, char key)
{
    if (key == CTRL_C || key == ESCAPE) {
        s->answer = s->answer == -1 ? 0 : s->answer;
        s->length = 0;
        s->line[0] = 0;
    } else if (s->answer == -1) {
        s->answer = key == 'y' || key == 'Y' ? 1 : key == 'n' || key == 'N' ? 0 : -1;
    } else if (key == CTRL_D && s->length == 0) {
        s->lost = true;
    } else if (key == '\r' || key == '\n') {
        s->entered = true;
    } else {
        edit(s, key);
    }
}

/* While an order is carried out keys wait, but for those that stop it; these take back what was typed ahead. */
static bool wants_stop(const struct screen *s)
{
    static const char word[] = "stop\r";
    const size_t length = sizeof word - 1;

    return (s->pressed && (memchr(s->keys, CTRL_C, s->pressed) || s->keys[s->pressed - 1] == ESCAPE)) ||
           (s->pressed >= length && memcmp(s->keys + s->pressed - length, word, length) == 0);
}

/* Takes keys up to the end of a line; returns how many. */
static size_t take_keys(struct screen *s)
{
    size_t i = 0;

    for (; i < s->pressed && !s->entered && s->answer != 0 && s->answer != 1; i++) {
        if (s->keys[i] == ESCAPE && i + 2 < s->pressed && s->keys[i + 1] == '[') {
            i += 2;
            while (i + 1 < s->pressed && (isdigit((unsigned char)s->keys[i]) || s->keys[i] == ';'))
                i++;
            recall(s, s->keys[i] == 'A' ? -1 : s->keys[i] == 'B' ? 1 : 0);
        } else {
            press(s, s->keys[i]);
        }
    }
    return i;
}

static void empty_line(struct screen *s)
{
    s->length = 0;
    s->line[0] = 0;
    s->entered = false;
}

/* The keys since the last look; waits for some a little. */
static void hear(struct rig_desk *d, bool busy)
{
    struct screen *s = d->self;
    struct pollfd ready = {.fd = STDIN_FILENO, .events = POLLIN};
    ssize_t got = 0;

    rig_hear(d);
    if (poll(&ready, 1, s->pressed && !busy ? 0 : LOOK_MS) > 0 && s->pressed < sizeof s->keys) {
        got = read(STDIN_FILENO, s->keys + s->pressed, sizeof s->keys - s->pressed);
        s->lost |= got == 0 || (got < 0 && errno != EINTR && errno != EAGAIN); /* the terminal is gone */
    }
    s->pressed += got > 0 ? (size_t)got : 0;
    const bool stops = busy && (s->lost || wants_stop(s));
    const size_t taken = stops ? s->pressed : busy && !d->guest ? 0 : take_keys(s);

    s->pressed -= taken;
    memmove(s->keys, s->keys + taken, s->pressed);
    if (stops)
        rig_stop(d);
    if (busy && s->entered) {
        rig_refuse_meanwhile(d, s->line);
        empty_line(s);
    }
    if (taken)
        draw(d, true);
}

static void idle(struct rig_desk *d)
{
    hear(d, true);
    draw(d, false);
}

static int ask(struct rig_desk *d, const char *question)
{
    struct screen *s = d->self;
    char text[600];

    if (d->yes)
        return 1;
    snprintf(text, sizeof text, "? %s (y or n)", question);
    say(d, text);
    s->answer = -1;
    while (s->answer == -1 && !s->lost && !rig_is_ending()) {
        hear(d, false);
        draw(d, false);
    }
    const int answer = s->answer;

    s->answer = -2;
    keep(s, answer == 1 ? "  yes" : "  no", 5);
    return answer;
}

/* ---- until the end ---- */

static void enter_line(struct rig_desk *d)
{
    struct screen *s = d->self;
    char line[LINE], shown[LINE + 2];

    snprintf(line, sizeof line, "%s", s->line);
    empty_line(s);
    if (!*line)
        return;
    snprintf(s->history[s->remembered++ % HISTORY], LINE, "%s", line);
    s->recalled = s->remembered;
    snprintf(shown, sizeof shown, "> %s", line);
    say(d, shown);
    rig_obey(d, line);
}

int rig_serve_terminal(struct rig_desk *d)
{
    static const struct rig_face face = {say, ask, idle};
    static struct screen s;
    struct termios raw;

    if (tcgetattr(STDIN_FILENO, &s.before))
        return rig_serve_input(d);
    raw = s.before;
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO | ISIG);
    raw.c_iflag &= ~(tcflag_t)IXON; /* Ctrl-S would hide the screen */
    raw.c_cc[VMIN] = 0;
    raw.c_cc[VTIME] = 0;
    tcsetattr(STDIN_FILENO, TCSANOW, &raw);
    fputs("\033[?1049h\033[2J", stdout); /* another screen; what was there before comes back at the end */
    d->face = &face;
    d->self = &s;
    s.answer = -2;
    measure(&s);
    say(d, "Nothing moves before `enable`. `help` lists the commands; Ctrl-C stops a motion.");
    while (!d->quit && !s.lost && !rig_is_ending()) {
        hear(d, false);
        if (s.entered)
            enter_line(d);
        draw(d, false);
    }
    fputs("\033[?25h\033[?1049l", stdout);
    for (size_t k = s.logged > KEPT ? s.logged - KEPT : 0; k < s.logged; k++) /* what was said stays to be read */
        printf("%s\n", s.log[k % KEPT]);
    fflush(stdout);
    for (size_t k = 0; k < KEPT; k++)
        free(s.log[k]);
    tcsetattr(STDIN_FILENO, TCSANOW, &s.before);
    return 0; /* a person has read what was refused */
}
