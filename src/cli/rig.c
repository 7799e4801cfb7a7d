/* yoke rig: the console of the rig that a file describes. */
#include "cli/rig.h"
#include "base/json.h"
#include "cli/live.h"
#include "cli/operator.h"
#include <yoke/progress.h>

#include "base/clock.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <yoke/end_signals.h>

enum { LINE = 1024, IDLE_NS = 1000000, IDLE_MS = 2 };
#define MARGIN 0.9 /* of limits.command_rate: the largest --speed */

static struct yk_console *console; /* for the signals */
static struct yk_run_control control;
static struct operator_desk desk; /* `yoke control` and the dashboard */
static struct trail trail;
static atomic_bool ending, done;

static void ask_for_end(void)
{
    atomic_store(&ending, true);
    if (console)
        yk_console_stop(console, true);
}

bool rig_is_ending(void)
{
    return atomic_load(&ending);
}

/* Abort ends the console, pause stops a motion; resume and step have nothing to go on with. */
void rig_hear(struct rig_desk *d)
{
    struct yk_console_now *now = &d->now;

    desk_hear(&desk);
    rig_look(d);
    atomic_store(&control.state, (int)now->state);
    atomic_store(&control.step, (long)now->tick);
    const unsigned requests = atomic_exchange(&control.requests, 0);

    if (requests & 1u << YK_EVENT_ABORT)
        ask_for_end();
    else if (requests & 1u << YK_EVENT_PAUSE)
        rig_stop(d);
}

/* ---- a script: -c ---- */

static void print_line(struct rig_desk *d, const char *line)
{
    puts(line);
    fflush(stdout);
}

static int answer_yes(struct rig_desk *d, const char *question)
{
    return d->yes ? 1 : -1;
}

static void sleep_shortly(struct rig_desk *d)
{
    yk_clock_sleep_until(yk_clock_now_ns() + IDLE_NS);
    rig_hear(d);
}

static int serve_script(struct rig_desk *d, const struct yk_text_list *lists)
{
    static const struct rig_face script = {print_line, answer_yes, sleep_shortly};
    int code = 0;

    d->face = &script;
    for (size_t i = 0; i < lists->count && !code && !d->quit && !rig_is_ending(); i++)
        code = rig_obey_list(d, lists->text[i]);
    return code;
}

/* ---- lines from another program or a file ---- */

struct input {
    char text[4 * LINE];
    size_t used;
    bool ended, skips; /* a line that was too long is skipped to its end */
};

/* Takes what has come; waits for it up to so long. */
static void listen(struct input *in, int milliseconds)
{
    struct pollfd ready = {.fd = STDIN_FILENO, .events = POLLIN};
    ssize_t got;

    if (in->ended || in->used == sizeof in->text || poll(&ready, 1, milliseconds) <= 0)
        return;
    got = read(STDIN_FILENO, in->text + in->used, sizeof in->text - in->used);
    if (got > 0)
        in->used += (size_t)got;
    else if (got == 0 || (errno != EINTR && errno != EAGAIN))
        in->ended = true;
}

/* The first whole line, or what is left at the end. */
static bool next_line(struct rig_desk *d, struct input *in, char *line)
{
    const char *end = memchr(in->text, '\n', in->used);
    const size_t length = end ? (size_t)(end - in->text) : in->used;
    const bool whole = end || (in->ended && in->used > 0), too_long = length >= LINE;

    if (!whole && in->used < sizeof in->text)
        return false;
    if (!whole || too_long || in->skips || memchr(in->text, 0, length)) {
        if (!in->skips)
            rig_say(d, "refused: the line is too long, or no text");
        d->code = d->code ? d->code : 2;
        in->skips = !whole;
        *line = 0;
    } else {
        memcpy(line, in->text, length);
        line[length] = 0;
    }
    in->used -= length + (end != NULL);
    memmove(in->text, in->text + length + (end != NULL), in->used);
    return true;
}

void rig_refuse_meanwhile(struct rig_desk *d, const char *line)
{
    if (strcmp(line, "stop") == 0)
        rig_stop(d);
    else if (*line)
        rig_say(d,
                "busy: an order of the dashboard or of `yoke control` is being carried out; only `stop` is taken now");
}

static void idle_and_listen(struct rig_desk *d)
{
    struct input *in = d->self;
    static const char stop[] = "stop\n";

    if (in->ended)
        sleep_shortly(d);
    else
        listen(in, IDLE_MS);
    rig_hear(d);
    if (in->used >= sizeof stop - 1 && memcmp(in->text, stop, sizeof stop - 1) == 0) { /* the only one that overtakes */
        in->used -= sizeof stop - 1;
        memmove(in->text, in->text + sizeof stop - 1, in->used);
        rig_stop(d);
    }
    char line[LINE];

    while (d->guest && next_line(d, in, line))
        rig_refuse_meanwhile(d, line);
}

static int answer_from_input(struct rig_desk *d, const char *question)
{
    struct input *in = d->self;
    char line[LINE];

    if (d->yes)
        return 1;
    rig_say(d, "? %s", question);
    while (!rig_is_ending() && !in->ended && !memchr(in->text, '\n', in->used)) {
        listen(in, IDLE_MS);
        rig_hear(d);
    }
    if (!next_line(d, in, line))
        return -1;
    return *line == 'y' || *line == 'Y' ? 1 : *line == 'n' || *line == 'N' ? 0 : -1;
}

/* Answers every line; after the last one the actuators are held and the drives disabled. */
int rig_serve_input(struct rig_desk *d)
{
    static const struct rig_face face = {print_line, answer_from_input, idle_and_listen};
    static struct input in;
    char line[LINE];

    d->face = &face;
    d->self = &in;
    while (!d->quit && !rig_is_ending() && !ferror(stdout)) {
        if (next_line(d, &in, line))
            rig_obey(d, line);
        else if (in.ended)
            break;
        else
            listen(&in, 10 * IDLE_MS);
        rig_hear(d);
    }
    return d->code;
}

/* ---- opening ---- */

static void *work(void *self)
{
    yk_signals_mark_loop();
    yk_console_run(self);
    atomic_store(&done, true);
    return NULL;
}

/* A speed that the limits do not allow is no bound; false after a message. */
static bool check_speed(const struct rig_desk *d)
{
    const struct yk_supervisor *v = d->limits;

    for (size_t i = 0; i < d->count && d->speed > 0; i++) {
        const double rate = yk_supervisor_limit(v, YK_LIMIT_COMMAND_RATE, i);

        if (yk_station_kind(d->station, i) == YK_BY_DISPLACEMENT && rate > 0 && d->speed > MARGIN * rate) {
            yk_misuse(&command_rig, "--speed %g is more than 0.9 times limits.command_rate = %g of actuator %s",
                      d->speed, rate, yk_station_name(d->station, i));
            return false;
        }
    }
    return true;
}

/* The zeros of the file, with room for all channels. */
static bool take_zeros(struct rig_desk *d)
{
    d->zeros = calloc(d->model->zero_count + 2 * d->count + d->sensors + 1, sizeof *d->zeros);
    if (!d->zeros)
        return false;
    for (; d->zero_count < d->model->zero_count; d->zero_count++)
        d->zeros[d->zero_count] = d->model->zeros[d->zero_count];
    d->zeros_path = yk_zeros_path(d->model);
    return true;
}

static int serve(struct rig_desk *d, const struct yk_text_list *lists)
{
    pthread_t thread;
    int code;

    if (pthread_create(&thread, NULL, work, d->console)) {
        fputs("yoke: cannot start the loop\n", stderr);
        return 1;
    }
    if (lists->count)
        code = serve_script(d, lists);
    else
        code = isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) ? rig_serve_terminal(d) : rig_serve_input(d);
    yk_console_stop(d->console, true);
    pthread_join(thread, NULL);
    rig_look(d);
    if (rig_is_ending())
        fputs("yoke: stopped by a signal or by `yoke control`; the actuators are held and the drives disabled\n",
              stderr);
    if (d->now.trip.tripped)
        fprintf(stderr, "yoke: tripped: %s\n", rig_trip_words(d, &d->now.trip));
    return rig_is_ending() || d->now.trip.tripped ? 3 : code;
}

/* As of a run, with what the page needs to offer a console; malloc'd. */
static char *describe(const struct yk_model *model)
{
    char *run = yk_run_description(model), *text = NULL;
    json_t *all = yk_json_read_text(run);

    if (all && !json_object_set_new(all, "console", rig_describe(yk_station_supervisor(model->station))))
        text = json_dumps(all, JSON_COMPACT | JSON_PRESERVE_ORDER);
    json_decref(all);
    free(run);
    return text;
}

static int open_and_serve(const struct yk_model *model, struct yk_run_settings *settings, struct rig_desk *d,
                          const struct yk_text_list *lists)
{
    struct yk_run_channels channels = {0};
    char *description = describe(model), *beside = yk_path_beside(model->path, "-rig");
    struct yk_err err = {0};
    int code = 1;

    yk_signals_take(&(struct yk_signal_use){ask_for_end, &done, true});
    if (desk_open(&desk, &control, beside ? beside : "rig", 0, &err))
        fprintf(stderr, "yoke: `yoke control` will not reach this console: %s\n", yk_err_line(&err).text);
    desk_leave_keys(&desk);
    desk.console = rig_serve_guest;
    desk.console_self = d;
    desk.trail = d->trail = &trail;
    d->desk = &desk;
    d->by = lists->count ? "command line" : "terminal";
    if (!trail_open(&trail, model, desk.name)) {
        code = 1;
    } else if (yk_run_channels(model, &channels, &err)) {
        code = yk_command_fail(&err);
    } else {
        struct yk_run_channels ticks = {.streams = {[YK_STREAM_TICKS] = channels.streams[YK_STREAM_TICKS]}};

        settings->telemetry = live_publish(model, desk.name, &ticks, description, NULL);
        if (yk_console_open(&d->console, model, settings, &err)) {
            code = yk_command_fail(&err);
        } else {
            d->model = model;
            d->station = yk_console_station(d->console);
            d->count = yk_station_count(d->station);
            d->own = *yk_station_supervisor(model->station);
            d->own.by_hand = true;
            d->own.time.measured = !yk_station_simulates(d->station);
            d->own.supervised = d->supervised = calloc(d->count + 1, sizeof *d->supervised);
            if (d->supervised)
                memcpy(d->supervised, yk_station_supervisor(model->station)->supervised,
                       d->count * sizeof *d->supervised);
            d->limits = &d->own;
            d->sensors = d->limits->sensor_count;
            d->tick_s = yk_console_tick_s(d->console);
            d->seen = calloc(yk_console_width(d->console) + d->count + 1, sizeof *d->seen);
            d->enabled_at = d->seen + yk_console_width(d->console);
            d->notes = json_array();
            console = d->console;
            yk_waiting_end();
            if (!d->supervised || !check_speed(d))
                code = 2;
            else if (d->seen && d->supervised && d->notes && take_zeros(d)) {
                trail_begin(&trail, model, "console");
                code = serve(d, lists);
                trail_add(&trail, d->by, "end", "exit code %d%s%s", code, d->now.trip.tripped ? ": " : "",
                          d->now.trip.tripped ? rig_trip_words(d, &d->now.trip) : "");
            }
            console = NULL;
        }
    }
    desk_close(&desk);
    trail_close(&trail);
    yk_console_close(d->console);
    yk_telemetry_destroy(settings->telemetry);
    yk_run_channels_free(&channels);
    json_decref(d->notes);
    free(d->zeros);
    free(d->zeros_path);
    free(d->seen);
    free(d->supervised);
    free(description);
    free(beside);
    return code;
}

struct given {
    struct rig_desk desk;
    struct yk_text_list set, lists;
    long priority;
    bool fast;
};

static int run(int argc, char **argv)
{
    struct yk_run_settings settings = yk_run_defaults();
    struct given g = {.desk = {.tare_s = 1, .watchdog_s = 1}, .priority = settings.priority};
    struct yk_model *model;
    struct yk_words words;
    void *self;
    int code;

    if (!yk_take_options(&command_rig, argc, argv, &g, &words))
        return 2;
    settings.priority = (int)g.priority;
    settings.realtime = !g.fast;
    if (!(model = load_experiment(&command_rig, &words, &g.set, &code)))
        return code;
    if (!model->station || (g.fast && !(yk_station_rig(model->station, &self)->can & YK_RIG_SIMULATES))) {
        fprintf(stderr, "yoke: %s: %s\n", model->path,
                model->station ? "--fast is for the virtual rig; a rig outside this process has its own time"
                               : "no substructure is physical, so there is no rig");
        yk_model_close(model);
        return 2;
    }
    if ((code = prepare_model(model, false)))
        return code;
    code = open_and_serve(model, &settings, &g.desk, &g.lists);
    yk_model_close(model);
    return code;
}

static void print_commands(FILE *out)
{
    fputs("\ncommands:\n", out);
    rig_print_commands(out);
}

static const struct yk_option options[] = {
    {.print = print_commands},
    {.help = "Options:"},
    {"--command|-c", "LIST", "do these, separated by semicolons, up to the first that fails",
     YK_INTO(struct given, lists)},
    {"--yes", NULL, "answer every question by yes", YK_INTO(struct given, desk.yes)},
    {"--speed", "V",
     "largest speed of jog, move and home; default: a tenth of limits.command_rate, or the way to limits.displacement "
     "in 20 s, whichever is slower",
     YK_INTO(struct given, desk.speed), .quantity = YK_VELOCITY, .least = 1e-9, .most = 1e3},
    {"--tare-time", "T", "over which a tare takes the mean; default 1 s", YK_INTO(struct given, desk.tare_s),
     .quantity = YK_TIME, .least = 1e-3, .most = 600},
    {"--watchdog", "T", "silence after which the rig must have noticed, for the check-list; default 1 s",
     YK_INTO(struct given, desk.watchdog_s), .quantity = YK_TIME, .least = 1e-3, .most = 600},
    {"--protocol", "NAME",
     "write the protocol of the check-list to NAME.md and NAME.json; default: beside FILE, with the ending "
     ".commissioning",
     YK_INTO(struct given, desk.protocol)},
    {"--priority", "N", "SCHED_FIFO priority of the loop; 0: normal; default 80", YK_INTO(struct given, priority),
     .least = 0, .most = 98},
    {"--fast", NULL, "do not pace the loop; virtual rig only", YK_INTO(struct given, fast)},
    {"--set", "KEY=VALUE", "replace a value of the file", YK_INTO(struct given, set)},
    {0},
};

const struct yk_command command_rig = {
    .name = "rig",
    .summary = "console of a rig: readings, tare, jog, identify, check-list",
    .usage = "FILE [-c \"COMMAND; COMMAND\"]... [--yes] [--speed \"5 mm/s\"] [--tare-time 1s] [--watchdog 1s] "
             "[--protocol NAME] [--priority 80] [--fast] [--set KEY=VALUE]...",
    .about = "The console of the rig that the file describes: readings with their limits, and commands. Every command "
             "goes through the supervisor and its limits, as in a run. The drives are disabled at first; nothing moves "
             "before `enable`. At the end, at a signal, and if the terminal is lost, the actuators are held and the "
             "drives disabled. In a terminal the screen shows bars and a command line; otherwise commands are read "
             "from the standard input, one in a line, and answered by a line that begins with ok, refused, stopped, "
             "failed or TRIPPED.",
    .options = options,
    .notes = "Zeros are kept in the file of the section calibration, by default FILE with the ending "
             ".calibration.yaml, which every run applies. Exit codes: 0 done; 2 a command was refused; 3 tripped or "
             "stopped; 4 a check did not hold.",
    .examples =
        "yoke rig examples/spring-specimen/spring-specimen.yaml --fast -c \"enable; move a1 5 mm; status; home\"\n"
        "yoke rig frame.yaml\n"
        "yoke rig frame.yaml -c \"tare force\" -c checklist --yes",
    .run = run,
};
