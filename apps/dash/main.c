/* yoke dash: the dashboard, for browsers. */
#include "options.h"
#include "server.h"

#include <yoke/clock.h>
#include <yoke/control.h>
#include <yoke/telemetry.h>

#include <libgen.h>
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
        return yk_command_fail(&err);
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

/* The program that runs examples: beside this one, or where an installation has it. "" if it is nowhere. */
static void find_yoke(char *path, size_t size)
{
    static const char *const places[] = {"", YOKE_PROGRAM_FOLDER "/"};
    char own[512];
    const ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);

    own[length > 0 ? length : 0] = 0;
    const char *folder = dirname(own);

    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(path, size, "%s/%syoke", folder, places[i]);
        if (access(path, X_OK) == 0)
            return;
    }
    *path = 0;
}

static int run(int argc, char **argv)
{
    static const char *const here[] = {"out"};
    struct dash_options g = {.address = "127.0.0.1", .port = -1};
    char yoke[600], name[256] = "";
    struct yk_words words;

    if (!yk_take_options(&command_dash, argc, argv, &g, &words))
        return 2;
    for (int i = 0; i < words.count; i++)
        if (!is_folder(words.rest[i]))
            return yk_misuse(&command_dash, "'%s' is not a folder", words.rest[i]);
    if (g.only)
        yk_control_name(name, sizeof name, g.only);
    find_yoke(yoke, sizeof yoke);
    g.hosts.text[g.hosts.count < 63 ? g.hosts.count : 63] = NULL;
    yk_telemetry_protect();
    signal(SIGPIPE, SIG_IGN);
    sigaction(SIGINT, &(struct sigaction){.sa_handler = on_signal}, NULL);
    sigaction(SIGTERM, &(struct sigaction){.sa_handler = on_signal}, NULL);
    return serve(&(struct yk_dash_settings){
        .address = g.address,
        .port = g.port < 0 ? YK_DASH_PORT : (int)g.port,
        .search = g.port < 0,
        .hosts = g.hosts.text,
        .runs = {.folders = words.count ? (const char *const *)words.rest : here,
                 .folder_count = words.count ? (size_t)words.count : is_folder("out"),
                 .only = g.only ? name : NULL,
                 .program = g.no_learn || g.only || !*yoke ? NULL : yoke},
        .ask = g.read_only ? NULL : yk_control_ask,
        .call = g.read_only ? NULL : yk_control_console,
    });
}

int main(int argc, char **argv)
{
    return yk_command_main(&command_dash, run, argc, argv);
}
