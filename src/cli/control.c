/* yoke control: controls a run from another terminal. */
#include "cli/cli.h"
#include "cli/operator.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>

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
        if (!desk_ask(one, "status", answer, sizeof answer))
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
    const int fd = desk_call(path, request);

    if (fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience) == 0)
        return print_answer(fd);
    fprintf(stderr, "yoke: no console answers at %s\n", path);
    return 1;
}

static int run(int argc, char **argv)
{
    static const char *const known[] = {"pause", "resume", "step", "abort", "status", "note", "console", NULL};
    const struct option_spec specs[] = {{0}};
    const char *const *word = known;
    char folder[64], path[PATH], answer[256], name[256], request[16 + YK_CONSOLE_LINE];
    struct yk_err err = {0};
    struct words words;

    if (!take_options(&command_control, argc, argv, specs, &words))
        return 2;
    const bool console = words.count > 0 && strcmp(words.rest[0], "console") == 0,
               notes = console || (words.count > 0 && strcmp(words.rest[0], "note") == 0);
    const size_t most = console ? YK_CONSOLE_LINE : YK_REMARK - 1;

    if (words.count < 1 + notes || words.count > 2 + notes)
        return usage_error(&command_control,
                           notes ? "give a text, and the name of the run if several are active"
                                 : "give one of pause, resume, step, abort, status, note, console, and the "
                                   "name of the run if several are active");
    while (*word && strcmp(*word, words.rest[0]) != 0)
        word++;
    if (!*word)
        return usage_error(&command_control, "'%s' is not one of pause, resume, step, abort, status, note, console",
                           words.rest[0]);
    if (notes && strlen(words.rest[1]) > most)
        return usage_error(&command_control, "the text has %zu bytes; at most %zu are taken", strlen(words.rest[1]),
                           most);
    snprintf(request, sizeof request, "%s%s%s", *word, notes ? " " : "", notes ? words.rest[1] : "");
    if (desk_folder(folder, sizeof folder, &err))
        return report_failure(&err);
    if (words.count == 2 + notes) {
        desk_name(name, sizeof name, words.rest[1 + notes]);
        snprintf(path, sizeof path, "%s/%s.sock", folder, name);
    } else if (!find_only(folder, path, sizeof path)) {
        return 1;
    }
    if (console)
        return give_line(path, request);
    if (!desk_ask(path, request, answer, sizeof answer)) {
        fprintf(stderr, "yoke: no run answers at %s\n", path);
        return 1;
    }
    fputs(answer, stdout);
    return 0;
}

const struct command command_control = {
    .name = "control",
    .summary = "pause, resume, step or abort a run, note something, or command a console",
    .options = "pause resume step abort status note console",
    .help = "usage: yoke control pause|resume|step|abort|status [NAME]\n"
            "       yoke control note TEXT [NAME]\n"
            "       yoke control console \"COMMAND; COMMAND\" [NAME]\n\n"
            "Sends a request to a run through its socket /tmp/yoke-UID/NAME.sock.\n\n"
            "  pause     hold the actuators and suspend the method\n"
            "  resume    continue\n"
            "  step      make one system step of a paused run\n"
            "  abort     ramp the actuators back and end the run with exit code 3\n"
            "  status    print state and step\n"
            "  note      keep TEXT with its time among the events of the run: summary, recording, report\n"
            "  console   give commands to a console of `yoke rig`, up to the first that fails; prints its answers and "
            "ends\n"
            "            with its exit code. While another order is carried out, only `stop` is taken\n\n"
            "NAME is the name of the experiment file without its ending, with -rig behind it for a console; it is "
            "needed if more than one run is active. "
            "In the\n"
            "terminal of the run, the keys p, r, s and q do the same.\n\n"
            "examples:\n"
            "  yoke control pause\n"
            "  yoke control status spring-specimen\n"
            "  yoke control note \"crack at the weld, 12 mm\"\n"
            "  yoke control console \"enable; move a1 5 mm\" spring-specimen-rig\n",
    .run = run,
};
