/* The screen of `yoke watch`: on a terminal drawn in place, elsewhere one block of lines per update. */
#include "watch.h"

#include <yoke/clock.h>
#include <yoke/gauge.h>
#include <yoke/json.h>
#include <yoke/units.h>

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LOOK_US = 20000, BAR = 20, ROWS = 256, NAME = 40 };
#define AMBER 0.8 /* of a limit: from here on a warning */

struct screen {
    const struct watched *w;
    json_t *about;
    struct yk_gauges gauges;
    struct yk_telemetry_now now;
    struct yk_telemetry_told told;
    struct yk_telemetry_track tracks[YK_TELEMETRY_TRACKED];
    uint64_t next[YK_TELEMETRY_STREAMS], lost;
    double *rows; /* ROWS of the widest stream */
    double *row;  /* the newest of the stream that is shown */
    bool terminal, has_row;
};

/* ---- collecting ---- */

/* Rows since the last look: for the gauges all of them. */
static void collect(struct screen *s)
{
    const struct yk_telemetry_info *about = s->w->about;

    for (size_t k = 0; k < about->stream_count; k++) {
        const size_t n = about->streams[k].count;
        size_t got;

        /* no more than there can be at once: the memory is of another process, which may count as it likes */
        for (size_t left = yk_telemetry_held(s->w->view, k); left > 0; left -= got < left ? got : left) {
            if (!(got = yk_telemetry_rows(s->w->view, k, &s->next[k], &s->lost, s->rows, ROWS)))
                break;
            for (size_t i = 0; i < got; i++)
                yk_gauges_row(&s->gauges, k, s->rows + i * n);
            if (k == s->w->stream) {
                memcpy(s->row, s->rows + (got - 1) * n, n * sizeof *s->row);
                s->has_row = true;
            }
        }
    }
}

/* The state, and the gauges that come with it; false where nothing was posted yet. */
static bool read_state(struct screen *s)
{
    if (!yk_telemetry_read(s->w->view, &s->now, s->tracks, &s->told))
        return false;
    yk_gauges_tracks(&s->gauges, s->tracks, s->w->about->tracked);
    return true;
}

/* ---- drawing ---- */

/* The end of a line; what stood there before is wiped out. */
static void end_line(const struct screen *s)
{
    fputs(s->terminal ? "\033[K\n" : "\n", stdout);
}

static void print_time_left(const struct screen *s)
{
    const double left = ((double)(s->w->about->steps - s->now.step)) * s->w->about->period_s * s->now.scale;

    if (s->now.paced && s->w->about->steps && left > 0)
        printf(", %.0f s left", left);
}

static void print_state(const struct screen *s)
{
    const struct yk_telemetry_info *about = s->w->about;
    const bool bad = s->told.trip.tripped;

    printf("  %s%s%s%s, step %lld", s->terminal && bad ? "\033[1;31m" : "", watch_state(about, s->now.state),
           s->terminal && bad ? "\033[0m" : "",
           s->now.degraded ? " (degraded: the machine refuses real-time settings)" : "", (long long)s->now.step);
    if (about->steps)
        printf(" of %lld", (long long)about->steps);
    print_time_left(s);
    end_line(s);
    printf("  late %s (at most %s)", yk_time_format(1e-9 * (double)s->now.late_ns).text,
           yk_time_format(1e-9 * (double)s->now.largest_late_ns).text);
    if (s->now.largest_took_ns) /* a console computes nothing */
        printf(", computed for %s (at most %s)", yk_time_format(1e-9 * (double)s->now.took_ns).text,
               yk_time_format(1e-9 * (double)s->now.largest_took_ns).text);
    printf(", %lld deadline%s missed", (long long)s->now.missed, s->now.missed == 1 ? "" : "s");
    end_line(s);
}

static void print_trip(const struct screen *s, const char *what, const struct yk_telemetry_trip *trip)
{
    if (!trip->tripped)
        return;
    printf("  %s: ", what);
    watch_text(trip->words);
    end_line(s);
}

/* "  a1 force                 [##########..........]  48 %   4.0 of 8.3 kN" */
static void print_gauge(const struct screen *s, const struct yk_gauge *g)
{
    const double share = fabs(g->value) / g->max, peak = g->peak / g->max;
    const struct yk_display_unit unit = yk_unit_for_display(g->unit, g->max);
    const char *colour = share >= 1 ? "\033[31m" : share >= AMBER ? "\033[33m" : "\033[32m";
    char bar[BAR + 1];

    for (int i = 0; i < BAR; i++)
        bar[i] = (char)(i < share * BAR ? '#' : i < peak * BAR ? '-' : '.');
    bar[BAR] = 0;
    printf("  %-10s %-28s %s[%s]%s %3.0f %%  %.3g of %.3g %s%s", g->actuator, g->words, s->terminal ? colour : "", bar,
           s->terminal ? "\033[0m" : "", 100 * fmin(share, 9.99), g->value * unit.factor, g->max * unit.factor,
           unit.text,
           share >= 1       ? "  AT ITS LIMIT"
           : share >= AMBER ? "  near its limit"
                            : "");
    end_line(s);
}

static void print_channels(const struct screen *s)
{
    const struct yk_stream *stream = &s->w->about->streams[s->w->stream];

    for (size_t i = 0; s->has_row && i < s->w->count; i++) {
        const struct yk_channel *c = &stream->channels[s->w->channels[i]];

        fputs("  ", stdout);
        watch_text(c->name);
        printf("%*s %14.6g %s", (int)(NAME - strnlen(c->name, NAME)), "", s->row[s->w->channels[i]], c->unit);
        end_line(s);
    }
    if (s->w->left_out) {
        printf("  %zu more channels; choose with --channels", s->w->left_out);
        end_line(s);
    }
}

static void draw(const struct screen *s)
{
    if (s->terminal)
        fputs("\033[H", stdout); /* home */
    watch_text(s->w->about->title);
    end_line(s);
    print_state(s);
    print_trip(s, "TRIPPED", &s->told.trip);
    print_trip(s, "warning", &s->told.warning);
    for (size_t i = 0; i < s->gauges.count; i++)
        print_gauge(s, &s->gauges.items[i]);
    print_channels(s);
    if (s->lost) {
        printf("  %llu rows were not looked at: this program was too slow", (unsigned long long)s->lost);
        end_line(s);
    }
    if (s->terminal)
        fputs("\033[J", stdout); /* nothing below */
    fflush(stdout);
}

/* ---- until the end ---- */

/* Another screen, without a cursor; what was there before comes back at the end. */
static void enter(const struct screen *s)
{
    if (s->terminal)
        fputs("\033[?1049h\033[?25l\033[2J", stdout);
}

static void leave(struct screen *s)
{
    if (!s->terminal)
        return;
    fputs("\033[?25h\033[?1049l", stdout);
    s->terminal = false;
    draw(s); /* the last state stays to be read */
}

static void follow(struct screen *s, double every_s)
{
    int64_t due = 0;
    bool live, drawn = false;

    enter(s);
    do {
        live = yk_telemetry_is_live(s->w->view); /* before the rows: what was written before the end is read */
        collect(s);
        if ((yk_clock_now_ns() >= due || !live) && read_state(s)) {
            draw(s);
            drawn = true;
            due = yk_clock_now_ns() + (int64_t)(1e9 * every_s);
        }
        if (live && !watch_is_stopped())
            usleep(LOOK_US);
    } while (live && !watch_is_stopped() && !ferror(stdout));
    if (drawn || !s->terminal)
        leave(s);
    else
        fputs("\033[?25h\033[?1049l", stdout);
}

static int conclude(const struct screen *s)
{
    if (yk_telemetry_view_is_cut(s->w->view)) {
        fputs("yoke: another process truncated the telemetry; `yoke control status` shows whether the run goes on\n",
              stderr);
        return 1;
    }
    if (!yk_telemetry_is_live(s->w->view))
        puts("  the run has ended");
    return 0;
}

static bool open_screen(struct screen *s)
{
    const struct yk_telemetry_info *about = s->w->about;
    struct yk_err err = {0};
    size_t widest = 0;

    for (size_t k = 0; k < about->stream_count; k++) {
        const uint64_t written = yk_telemetry_written(s->w->view, k);

        widest = about->streams[k].count > widest ? about->streams[k].count : widest;
        s->next[k] = written ? written - 1 : 0; /* from the newest on */
    }
    s->about = yk_json_read_text(about->description);
    s->rows = calloc(ROWS * widest + 1, sizeof *s->rows);
    s->row = calloc(widest + 1, sizeof *s->row);
    if (s->rows && s->row && !yk_gauges_open(&s->gauges, s->about, about->streams, about->stream_count, &err))
        return true;
    fputs("yoke: out of memory\n", stderr);
    return false;
}

int watch_screen(const struct watched *watched, double every_s, bool once)
{
    struct screen s = {.w = watched, .terminal = !once && isatty(STDOUT_FILENO)};
    int code = 1;

    if (open_screen(&s) && once) {
        collect(&s);
        if (read_state(&s)) {
            draw(&s);
            code = 0;
        } else {
            fputs("yoke: the run has not published anything yet\n", stderr);
        }
    } else if (s.rows && s.row) {
        follow(&s, every_s);
        code = conclude(&s);
    }
    yk_gauges_close(&s.gauges);
    json_decref(s.about);
    free(s.rows);
    free(s.row);
    return code;
}
