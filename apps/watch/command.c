/* `yoke watch` in `yoke --help`, the completion and the help of its program. */
#include "options.h"

static const struct yk_option options[] = {
    {"--channels", "P",
     "channels to show: names with * and ?, separated by commas; default: some of targets and measurements",
     YK_INTO(struct watch_options, channels)},
    {"--fine", NULL, "channels of the fine steps instead of the system steps", YK_INTO(struct watch_options, fine)},
    {"--ticks", NULL, "channels of the control ticks instead of the system steps",
     YK_INTO(struct watch_options, ticks)},
    {"--every", "T", "time between two updates; default 0.5 s", YK_INTO(struct watch_options, every_s),
     .quantity = YK_TIME, .least = 0.02, .most = 3600},
    {"--once", NULL, "print once", YK_INTO(struct watch_options, once)},
    {"--json", NULL,
     "print once, as {name, title, live, state, degraded, step, steps, period_s, late_s, took_s, largest_late_s, "
     "largest_took_s, missed, age_s, values: {channel: value}}",
     YK_INTO(struct watch_options, json)},
    {"--plotjuggler", "H:P",
     "send every row to the UDP server of PlotJuggler (its default port is 9870) as JSON; tick \"use field as "
     "timestamp if available\" there, field timestamp",
     YK_INTO(struct watch_options, plotjuggler)},
    {"--rate", "F", "with --plotjuggler: at most so many rows a second", YK_INTO(struct watch_options, rate),
     .quantity = YK_FREQUENCY, .least = 0.01, .most = 1e6},
    {0},
};

const struct yk_command command_watch = {
    .name = "watch",
    .summary = "show a run in the terminal: state, limits, chosen channels",
    .usage = "[NAME] [--channels PATTERNS]... [--fine|--ticks] [--every 0.5s] [--once] [--json]\n"
             "[NAME] --plotjuggler HOST:PORT [--channels PATTERNS]... [--fine|--ticks] [--rate HZ]",
    .about =
        "Shows state, time left, timing, how near the actuators are to their limits, and the newest values of some "
        "channels. It only reads the telemetry of the run in shared memory and cannot disturb it. NAME is needed if "
        "more than one run is active. Ends when the run ends. Without a terminal it prints one block per update.",
    .options = options,
    .examples = "yoke watch\n"
                "yoke watch frame --channels 'a1.*,energy.error'\n"
                "yoke watch frame --ticks --plotjuggler localhost:9870 --channels 'a?.force'",
};
