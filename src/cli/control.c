/* yoke control: controls a run from another terminal. */
#include "door/control.h"
#include "cli/cli.h"
#include "engine/engine.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum { PATH = 600, LONGEST_S = 3700 }; /* for the next line of an answer */

/* The only run there is; false after a message. */
static bool find_only(const char *folder, char *path, size_t size)
{
    DIR *dir = opendir(folder);
    struct dirent *entry;
    char answer[256], names[512] = "", one[PATH];
    int count = 0;

    while (dir && (entry = readdir(dir))) {
        char *dot = strrchr(entry->d_name, '.');

        if (!dot || strcmp(dot, ".sock") != 0)
            continue;
        snprintf(one, sizeof one, "%s/%s", folder, entry->d_name);
        if (!yk_control_ask_at(one, "status", answer, sizeof answer))
            continue; /* left behind by a run that was killed */
        *dot = 0;
        snprintf(names + strlen(names), sizeof names - strlen(names), " %s", entry->d_name);
        snprintf(path, size, "%s", one);
        count++;
    }
    if (dir)
        closedir(dir);
    if (count == 0)
        fputs("yoke: no run is active\n", stderr);
    if (count > 1)
        fprintf(stderr, "yoke: several runs are active, name one:%s\n", names);
    return count == 1;
}

/* Prints the lines of a console as they come; returns its exit code. */
static int print_answer(int fd)
{
    FILE *in = fdopen(fd, "r");
    char line[1200];
    int code = -1;

    if (!in)
        return 1;
    while (code < 0 && fgets(line, sizeof line, in)) {
        if (strncmp(line, YK_CONSOLE_END, strlen(YK_CONSOLE_END)) == 0) {
            code = (int)strtol(line + strlen(YK_CONSOLE_END), NULL, 10);
        } else {
            fputs(line, stdout);
            fflush(stdout);
        }
    }
    if (code < 0)
        fputs("yoke: the console did not finish its answer\n", stderr);
    fclose(in);
    return code < 0 ? 1 : code;
}

static int give_line(const char *path, const char *request)
{
    const struct timeval patience = {.tv_sec = LONGEST_S};
    const int fd = yk_control_call(path, request);

    if (fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) == 0)
        return print_answer(fd);
    fprintf(stderr, "yoke: no console answers at %s\n", path);
    return 1;
}

static int run(int argc, char **argv)
{
    char folder[64], path[PATH], answer[256], name[256], request[16 + YK_CONSOLE_LINE];
    struct yk_err err = {0};
    struct yk_words words;
    const struct yk_option *word;

    if (!yk_take_options(&command_control, argc, argv, NULL, &words))
        return 2;
    const bool console = words.count > 0 && strcmp(words.rest[0], "console") == 0,
               notes = console ||
                       (words.count > 0 && (strcmp(words.rest[0], "note") == 0 || strcmp(words.rest[0], "mode") == 0));
    const size_t most = console ? YK_CONSOLE_LINE : YK_REMARK - 1;

    if (words.count < 1 + notes || words.count > 2 + notes)
        return yk_misuse(&command_control,
                         notes ? "give a text, and the name of the run if several are active"
                               : "give one of pause, resume, step, abort, status, note, mode, console, and the "
                                 "name of the run if several are active");
    if (!(word = yk_command_row(&command_control, words.rest[0])))
        return yk_misuse(&command_control, "'%s' is not one of pause, resume, step, abort, status, note, mode, console",
                         words.rest[0]);
    if (notes && strlen(words.rest[1]) > most)
        return yk_misuse(&command_control, "the text has %zu bytes; at most %zu are taken", strlen(words.rest[1]),
                         most);
    snprintf(request, sizeof request, "%s%s%s", word->name, notes ? " " : "", notes ? words.rest[1] : "");
    const int fd = yk_control_folder(folder, sizeof folder, &err);

    if (fd < 0)
        return yk_command_fail(&err);
    close(fd);
    if (words.count == 2 + notes) {
        yk_control_name(name, sizeof name, words.rest[1 + notes]);
        snprintf(path, sizeof path, "%s/%s.sock", folder, name);
    } else if (!find_only(folder, path, sizeof path)) {
        return 1;
    }
    if (console)
        return give_line(path, request);
    if (!yk_control_ask_at(path, request, answer, sizeof answer)) {
        fprintf(stderr, "yoke: no run answers at %s\n", path);
        return 1;
    }
    fputs(answer, stdout);
    return 0;
}

static const struct yk_option options[] = {
    {.name = "pause", .help = "hold the actuators and suspend the method"},
    {.name = "resume", .help = "continue"},
    {.name = "step", .help = "make one system step of a paused run"},
    {.name = "abort", .help = "ramp the actuators back and end the run with exit code 3"},
    {.name = "status", .help = "print state and step"},
    {.name = "note",
     .argument = "TEXT",
     .help = "keep TEXT with its time among the events of the run: summary, recording, report"},
    {.name = "mode",
     .argument = "TEXT",
     .help =
         "control mode of an actuator that has two: \"a1 force\", \"a1 displacement\", or \"a1 auto\", by the measured "
         "force again"},
    {.name = "console",
     .argument = "LIST",
     .help = "give commands, separated by semicolons, to a console of `yoke rig`, up to the first that fails; prints "
             "its answers and ends with its exit code. While another order is carried out, only `stop` is taken"},
    {0},
};

const struct yk_command command_control = {
    .name = "control",
    .summary = "pause, resume, step or abort a run, note something, or command a console",
    .usage = "pause|resume|step|abort|status [NAME]\n"
             "note TEXT [NAME]\n"
             "mode \"ACTUATOR displacement|force|auto\" [NAME]\n"
             "console \"COMMAND; COMMAND\" [NAME]",
    .about = "Sends a request to a run through its socket /tmp/yoke-UID/NAME.sock.",
    .options = options,
    .notes = "NAME is the name of the experiment file without its ending, with -rig behind it for a console; it is "
             "needed if more than one run is active. In the terminal of the run, the keys p, r, s and q do the same.",
    .examples = "yoke control pause\n"
                "yoke control status spring-specimen\n"
                "yoke control note \"crack at the weld, 12 mm\"\n"
                "yoke control console \"enable; move a1 5 mm\" spring-specimen-rig",
    .run = run,
};
