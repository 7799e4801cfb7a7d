/* yoke watch: what a run is doing now, from its telemetry. */
#include "options.h"
#include "watch.h"

#include <yoke/clock.h>
#include <yoke/control.h>
#include <yoke/json.h>

#include <fnmatch.h>
#include <jansson.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

enum { FEW = 12 }; /* channels that are shown by default */

static volatile sig_atomic_t stopped;

static void on_signal(int signal)
{
    stopped = 1;
}

bool watch_is_stopped(void)
{
    return stopped;
}

void watch_text(const char *text)
{
    for (const char *c = text; *c; c++)
        putchar((unsigned char)*c < ' ' || *c == 127 ? '?' : *c);
}

const char *watch_state(const struct yk_telemetry_info *about, int64_t state)
{
    for (int i = 0; about->states[i]; i++)
        if (i == state)
            return about->states[i];
    return "?";
}

/* ---- which run ---- */

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
static char *choose(const struct yk_words *words)
{
    char **names, *chosen = NULL, name[256];

    if (words->count) {
        yk_control_name(name, sizeof name, words->rest[0]);
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

/* ---- which channels ---- */

/* Does one of the patterns, separated by commas, match the whole name? */
static bool matches(const char *patterns, const char *name)
{
    char *copy = strdup(patterns), *rest = copy;
    const char *one;
    bool match = false;

    while (!match && (one = strsep(&rest, ",")))
        match = fnmatch(one, name, 0) == 0;
    free(copy);
    return match;
}

static bool is_chosen(const struct yk_text_list *patterns, const char *name)
{
    for (size_t i = 0; i < patterns->count; i++)
        if (matches(patterns->text[i], name))
            return true;
    return false;
}

/* Kinds of channels that a laboratory looks at first. */
static bool matters(const struct yk_channel *c)
{
    static const char *const kinds[] = {"target", "measured displacement", "measured force", "displacement", NULL};

    for (const char *const *k = kinds; *k; k++)
        if (strcmp(c->kind, *k) == 0)
            return true;
    return false;
}

/* By patterns with * and ?, several of them separated by commas; NULL: a few that matter (`few`), or all. False after a
 * message. */
static bool choose_channels(struct watched *w, const struct yk_text_list *patterns, bool few)
{
    const struct yk_stream *s = &w->about->streams[w->stream];

    if (!(w->channels = calloc(s->count + 1, sizeof *w->channels))) {
        fputs("yoke: out of memory\n", stderr);
        return false;
    }
    for (int pass = 0; pass < 2 && !w->count; pass++) /* where nothing matters, the first ones */
        for (size_t i = 1; i < s->count; i++) {       /* all but the time */
            const bool shown =
                patterns->count ? is_chosen(patterns, s->channels[i].name) : !few || pass || matters(&s->channels[i]);

            if (shown && (patterns->count || !few || w->count < FEW))
                w->channels[w->count++] = i;
        }
    w->left_out = s->count - 1 - w->count;
    if (w->count || !patterns->count)
        return true;
    fprintf(stderr, "yoke: no channel matches --channels; the first ones are");
    for (size_t i = 1; i < s->count && i < FEW; i++)
        fprintf(stderr, " %s", s->channels[i].name);
    fputc('\n', stderr);
    return false;
}

static bool find_stream_of(struct watched *w, const char *name)
{
    for (w->stream = 0; w->stream < w->about->stream_count; w->stream++)
        if (strcmp(w->about->streams[w->stream].name, name) == 0)
            return true;
    fprintf(stderr, "yoke: this run has no %s\n", strcmp(name, "ticks") == 0 ? "control ticks" : "fine steps");
    return false;
}

/* ---- once, for programs ---- */

static int print_once(const char *name, struct yk_telemetry_view *view)
{
    const struct yk_telemetry_info *about = yk_telemetry_about(view);
    const struct yk_stream *system = about->streams;
    double *row = calloc(system->count + 1, sizeof *row);
    struct yk_telemetry_now now;
    json_t *values;

    if (!row || !yk_telemetry_read(view, &now, NULL, NULL) || !yk_telemetry_newest(view, 0, row)) {
        fprintf(stderr, "yoke: '%s' has not published anything yet\n", name);
        free(row);
        return 1;
    }
    values = json_object();
    for (size_t i = 0; i < system->count; i++)
        json_object_set_new(values, system->channels[i].name, yk_json_number(row[i]));
    free(row);
    return yk_print_json(json_pack(
        "{s:s, s:s, s:b, s:s, s:b, s:I, s:I, s:f, s:f, s:f, s:f, s:f, s:I, s:f, s:o}", "name", name, "title",
        about->title, "live", yk_telemetry_is_live(view), "state", watch_state(about, now.state), "degraded",
        now.degraded != 0, "step", (json_int_t)now.step, "steps", (json_int_t)about->steps, "period_s", about->period_s,
        "late_s", 1e-9 * (double)now.late_ns, "took_s", 1e-9 * (double)now.took_ns, "largest_late_s",
        1e-9 * (double)now.largest_late_ns, "largest_took_s", 1e-9 * (double)now.largest_took_ns, "missed",
        (json_int_t)now.missed, "age_s", 1e-9 * (double)(yk_clock_now_ns() - now.posted_ns), "values", values));
}

/* ---- the command ---- */

static int watch(const char *name, const struct watch_options *wishes)
{
    struct watched w = {0};
    struct yk_err err = {0};
    int code = 2;

    if (yk_telemetry_open(&w.view, name, &err))
        return yk_command_fail(&err);
    w.about = yk_telemetry_about(w.view);
    sigaction(SIGINT, &(struct sigaction){.sa_handler = on_signal}, NULL);
    sigaction(SIGTERM, &(struct sigaction){.sa_handler = on_signal}, NULL);
    if (wishes->json)
        code = print_once(name, w.view);
    else if ((!wishes->fine || find_stream_of(&w, "fine")) && (!wishes->ticks || find_stream_of(&w, "ticks")) &&
             choose_channels(&w, &wishes->channels, !wishes->plotjuggler))
        code = wishes->plotjuggler ? watch_bridge(&w, wishes->plotjuggler, wishes->rate)
                                   : watch_screen(&w, wishes->every_s, wishes->once);
    free(w.channels);
    yk_telemetry_close(w.view);
    return code;
}

static int run(int argc, char **argv)
{
    struct watch_options wishes = {.every_s = 0.5};
    struct yk_words words;
    char *name;
    int code;

    if (!yk_take_options(&command_watch, argc, argv, &wishes, &words))
        return 2;
    if (words.count > 1)
        return yk_misuse(&command_watch, "one run at a time");
    if (wishes.fine && wishes.ticks)
        return yk_misuse(&command_watch, "either --fine or --ticks");
    if (wishes.rate > 0 && !wishes.plotjuggler)
        return yk_misuse(&command_watch, "--rate goes with --plotjuggler");
    yk_telemetry_protect();
    if (!(name = choose(&words)))
        return 2;
    code = watch(name, &wishes);
    free(name);
    return code;
}

int main(int argc, char **argv)
{
    return yk_command_main(&command_watch, run, argc, argv);
}
