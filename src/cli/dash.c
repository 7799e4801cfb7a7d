/* yoke dash: the dashboard, for browsers. */
#include "cli/cli.h"
#include "cli/operator.h"
#include "cli/signals.h"

#include "base/clock.h"
#include "dash/server.h"

#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    LOOK_US = 50000,
    UNWATCHED_NS = 1000000000, /* after the run, for a page that is being reloaded */
    APPEAR_NS = 2000000000     /* for the run to be seen */
};

static volatile sig_atomic_t stopped;

static void on_signal(int signal)
{
    stopped = 1;
}

/* Until a signal; with `--run`, until that run has ended and nobody looks any more. */
static void attend(struct yk_dash *dash, bool of_one)
{
    int64_t needed = yk_clock_now_ns() + APPEAR_NS;

    while (!stopped) {
        const int64_t now = yk_clock_now_ns();

        if ((yk_dash_is_live(dash) || yk_dash_viewers(dash)) && needed < now + UNWATCHED_NS)
            needed = now + UNWATCHED_NS;
        if (of_one && now > needed)
            return;
        usleep(LOOK_US);
    }
}

static int serve(const struct yk_dash_settings *settings)
{
    struct yk_dash *dash;
    struct yk_err err = {0};

    if (yk_dash_open(&dash, settings, &err))
        return report_failure(&err);
    /* the first line, for people and for programs that start this one */
    printf("dashboard: %s\n", yk_dash_address(dash, YK_ROLE_ENGINEER));
    for (int i = YK_ROLE_OPERATOR; settings->ask && i >= 0; i--)
        printf("  for a%s %s: %s\n", i == YK_ROLE_OPERATOR ? "n" : "", yk_role_text((enum yk_role)i),
               yk_dash_address(dash, (enum yk_role)i));
    if (strcmp(settings->address, "127.0.0.1") != 0 && strcmp(settings->address, "::1") != 0)
        fprintf(stderr,
                "yoke: listening on %s without encryption: whoever reads this network can read the token; prefer `ssh "
                "-L %d:127.0.0.1:%d`\n",
                settings->address, YK_DASH_PORT, YK_DASH_PORT);
    fflush(stdout);
    attend(dash, settings->runs.only);
    yk_dash_close(dash);
    return 0;
}

static bool is_folder(const char *path)
{
    struct stat info;

    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static int run(int argc, char **argv)
{
    static const char *const here[] = {"out"};
    const char *port = NULL, *address = "127.0.0.1", *only = NULL;
    bool read_only = false, no_learn = false;
    struct text_list hosts = {0};
    long number = YK_DASH_PORT;
    char self[512] = "", name[256] = "";
    struct words words;
    const struct option_spec specs[] = {{"--port", OPTION_TEXT, &port},
                                        {"--listen", OPTION_TEXT, &address},
                                        {"--host", OPTION_LIST, &hosts},
                                        {"--run", OPTION_TEXT, &only},
                                        {"--read-only", OPTION_FLAG, &read_only},
                                        {"--no-learn", OPTION_FLAG, &no_learn},
                                        {0}};

    if (!take_options(&command_dash, argc, argv, specs, &words) ||
        !parse_count(&command_dash, "--port", port, 0, 65535, &number))
        return 2;
    for (int i = 0; i < words.count; i++)
        if (!is_folder(words.rest[i]))
            return usage_error(&command_dash, "'%s' is not a folder", words.rest[i]);
    if (only)
        desk_name(name, sizeof name, only);
    if (readlink("/proc/self/exe", self, sizeof self - 1) < 0)
        no_learn = true;
    hosts.text[hosts.count < 63 ? hosts.count : 63] = NULL;
    signals_protect_memory();
    signal(SIGPIPE, SIG_IGN);
    sigaction(SIGINT, &(struct sigaction){.sa_handler = on_signal}, NULL);
    sigaction(SIGTERM, &(struct sigaction){.sa_handler = on_signal}, NULL);
    return serve(&(struct yk_dash_settings){
        .address = address,
        .port = (int)number,
        .search = !port,
        .hosts = hosts.text,
        .runs = {.folders = words.count ? (const char *const *)words.rest : here,
                 .folder_count = words.count ? (size_t)words.count : is_folder("out"),
                 .only = only ? name : NULL,
                 .program = no_learn || only ? NULL : self},
        .ask = read_only ? NULL : desk_ask_run,
        .call = read_only ? NULL : desk_call_console,
    });
}

const struct command command_dash = {
    .name = "dash",
    .summary = "show runs in a browser: live traces, scope, limits, controls",
    .options = "--port --listen --host --run --read-only --no-learn",
    .help =
        "usage: yoke dash [FOLDER...] [--port N] [--listen ADDRESS] [--host NAME]... [--read-only]\n"
        "                 [--run NAME] [--no-learn]\n\n"
        "Serves the dashboard and prints its address. Open the address in a browser on this machine: it contains a\n"
        "token, and without the token nothing can be read or sent. Shows all paced runs of this user, and the\n"
        "recordings in the FOLDERs (default: out). It only reads the telemetry of runs and cannot delay them. Ends\n"
        "with Ctrl-C. Three addresses are printed, each with a token of its own: an engineer may command the console "
        "of "
        "a\n"
        "rig, an operator may pause, resume, step and abort, a viewer may look.\n\n"
        "  --port N          port (default: 8347, or one of the next if that is taken; 0: any)\n"
        "  --listen ADDRESS  listen on another address than 127.0.0.1; 0.0.0.0 is every network of this machine. The\n"
        "                    connection is not encrypted\n"
        "  --host NAME       with --listen: a name by which browsers may call this machine; IP addresses are allowed\n"
        "  --read-only       no controls, notes or examples\n"
        "  --run NAME        show one run, and end when it has ended and nobody looks any more\n"
        "  --no-learn        do not offer examples to run on the virtual rig\n\n"
        "examples:\n"
        "  yoke dash\n"
        "  yoke dash out /data/tests --read-only\n"
        "  ssh -L 8347:127.0.0.1:8347 rig yoke dash\n",
    .run = run,
};
