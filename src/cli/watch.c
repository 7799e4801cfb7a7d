/* yoke watch: what a run is doing now, from its telemetry. */
#include "cli/cli.h"
#include "cli/operator.h"
#include "cli/signals.h"

#include "base/clock.h"
#include "engine/telemetry.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t stopped;

static void on_signal(int signal)
{
    stopped = 1;
}

static const char *state_name(const struct yk_telemetry_info *about, int64_t state)
{
    for (int i = 0; about->states[i]; i++)
        if (i == state)
            return about->states[i];
    return "?";
}

/* Was it made by this user, and does its run go on? */
static bool is_mine(const char *name, bool live)
{
    struct yk_telemetry_view *view = NULL;
    struct yk_err err;
    bool mine;

    if (yk_telemetry_open(&view, name, &err))
        return false;
    mine = yk_telemetry_is_mine(view) && (!live || yk_telemetry_is_live(view));
    yk_telemetry_close(view);
    return mine;
}

/* Drops the others' runs, which are watched only by name since anybody can make memory of any name; and what killed
 * runs left behind, unless there is nothing else. */
static void keep_mine(char **names)
{
    bool any_live = false;
    char **to = names;

    for (char **n = names; *n && !any_live; n++)
        any_live = is_mine(*n, true);
    for (char **n = names; *n; n++)
        if (is_mine(*n, any_live))
            *to++ = *n;
        else
            free(*n);
    *to = NULL;
}

/* The name that was given, or the only one there is; malloc'd, NULL after a message. */
static char *choose(const struct words *words)
{
    char **names, *chosen = NULL, name[256];

    if (words->count) {
        desk_name(name, sizeof name, words->rest[0]);
        return strdup(name);
    }
    if ((names = yk_telemetry_list()))
        keep_mine(names);
    if (!names || !names[0]) {
        fputs("yoke: no run is active\n", stderr);
    } else if (names[1]) {
        fputs("yoke: several runs are active, name one:", stderr);
        for (char **n = names; *n; n++)
            fprintf(stderr, " %s", *n);
        fputc('\n', stderr);
    } else {
        chosen = strdup(names[0]);
    }
    yk_telemetry_list_free(names);
    return chosen;
}

static json_t *to_json(const char *name, struct yk_telemetry_view *view, const struct yk_telemetry_now *now,
                       const double *row)
{
    const struct yk_telemetry_info *about = yk_telemetry_about(view);
    json_t *values = json_object();

    for (size_t i = 0; i < about->streams->count; i++)
        json_object_set_new(values, about->streams->channels[i].name, json_number(row[i]));
    return json_pack("{s:s, s:s, s:b, s:s, s:b, s:I, s:I, s:f, s:f, s:f, s:f, s:f, s:I, s:f, s:o}", "name", name,
                     "title", about->title, "live", yk_telemetry_is_live(view), "state", state_name(about, now->state),
                     "degraded", now->degraded != 0, "step", (json_int_t)now->step, "steps", (json_int_t)about->steps,
                     "period_s", about->period_s, "late_s", 1e-9 * (double)now->late_ns, "took_s",
                     1e-9 * (double)now->took_ns, "largest_late_s", 1e-9 * (double)now->largest_late_ns,
                     "largest_took_s", 1e-9 * (double)now->largest_took_ns, "missed", (json_int_t)now->missed, "age_s",
                     1e-9 * (double)(yk_clock_now_ns() - now->posted_ns), "values", values);
}

static void print_row(struct yk_telemetry_view *view, const struct yk_telemetry_now *now, const double *row)
{
    const struct yk_telemetry_info *about = yk_telemetry_about(view);

    printf("%s\n  %s%s, step %lld", about->title, state_name(about, now->state),
           now->degraded ? " (degraded: the machine refuses real-time settings)" : "", (long long)now->step);
    if (about->steps)
        printf(" of %lld", (long long)about->steps);
    printf("\n  late %.3g us (at most %.3g), computed for %.3g us (at most %.3g), %lld deadlines missed\n",
           1e-3 * (double)now->late_ns, 1e-3 * (double)now->largest_late_ns, 1e-3 * (double)now->took_ns,
           1e-3 * (double)now->largest_took_ns, (long long)now->missed);
    for (size_t i = 0; i < about->streams->count; i++)
        printf("  %-36s %14.6g %s\n", about->streams->channels[i].name, row[i], about->streams->channels[i].unit);
}

/* Prints until the run or the user ends it. */
static int follow(struct yk_telemetry_view *view, double every_s, double *row)
{
    const bool terminal = isatty(STDOUT_FILENO);
    struct yk_telemetry_now now;
    bool live;

    do {
        live = yk_telemetry_is_live(view);
        if ((yk_telemetry_read(view, &now, NULL) && yk_telemetry_newest(view, 0, row))) {
            if (terminal)
                fputs("\033[H\033[J", stdout); /* home, clear */
            print_row(view, &now, row);
            fflush(stdout);
        }
        for (int64_t due = yk_clock_now_ns() + (int64_t)(1e9 * every_s); live && !stopped && yk_clock_now_ns() < due;)
            usleep(20000);
    } while (live && !stopped && !ferror(stdout));
    if (yk_telemetry_view_is_cut(view)) {
        fputs("yoke: another process truncated the telemetry; `yoke control status` shows whether the run goes "
              "on\n",
              stderr);
        return 1;
    }
    if (!live)
        puts("  the run has ended");
    return 0;
}

static int watch(const char *name, bool json, bool once, double every_s)
{
    struct yk_telemetry_view *view = NULL;
    struct yk_telemetry_now now;
    struct yk_err err = {0};
    double *row;
    int code = 0;

    if (yk_telemetry_open(&view, name, &err))
        return report_failure(&err);
    if (!(row = calloc(yk_telemetry_about(view)->streams->count + 1, sizeof *row))) {
        fputs("yoke: out of memory\n", stderr);
        code = 1;
    } else if (!json && !once) {
        sigaction(SIGINT, &(struct sigaction){.sa_handler = on_signal}, NULL);
        sigaction(SIGTERM, &(struct sigaction){.sa_handler = on_signal}, NULL);
        code = follow(view, every_s, row);
    } else if (!(yk_telemetry_read(view, &now, NULL) && yk_telemetry_newest(view, 0, row))) {
        fprintf(stderr, "yoke: '%s' has not published anything yet\n", name);
        code = 1;
    } else if (json) {
        code = print_json(to_json(name, view, &now, row));
    } else {
        print_row(view, &now, row);
    }
    free(row);
    yk_telemetry_close(view);
    return code;
}

static int run(int argc, char **argv)
{
    const char *every = NULL;
    double every_s = 0.5;
    bool json = false, once = false;
    const struct option_spec specs[] = {
        {"--json", OPTION_FLAG, &json}, {"--once", OPTION_FLAG, &once}, {"--every", OPTION_TEXT, &every}, {0}};
    struct words words;
    char *name;
    int code;

    if (!take_options(&command_watch, argc, argv, specs, &words))
        return 2;
    if (words.count > 1)
        return usage_error(&command_watch, "one run at a time");
    if (!parse_quantity(&command_watch, "--every", every, YK_TIME, 0.02, 3600, &every_s))
        return 2;
    signals_protect_memory();
    if (!(name = choose(&words)))
        return 2;
    code = watch(name, json, once, every_s);
    free(name);
    return code;
}

const struct command command_watch = {
    .name = "watch",
    .summary = "show the state and the newest sample of a run",
    .options = "--json --once --every",
    .help = "usage: yoke watch [NAME] [--every 0.5s] [--once] [--json]\n\n"
            "Prints the newest sample, the timing and the state of a run. It only reads the telemetry of the run in "
            "shared\n"
            "memory and cannot disturb it. NAME is needed if more than one run is active. Ends when the run ends.\n\n"
            "  --every T   time between two prints\n"
            "  --once      print once\n"
            "  --json      print once, as {name, title, live, state, degraded, step, steps, period_s, late_s, took_s,\n"
            "              largest_late_s, largest_took_s, missed, age_s, values: {channel: value}}\n\n"
            "examples:\n"
            "  yoke watch\n"
            "  yoke watch frame --json\n",
    .run = run,
};
