/* yoke control: controls a run from another terminal. */
#include "cli/cli.h"
#include "cli/operator.h"

#include <dirent.h>
#include <string.h>

enum { PATH = 600 };

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

static int run(int argc, char **argv)
{
    static const char *const known[] = {"pause", "resume", "step", "abort", "status", "note", NULL};
    const struct option_spec specs[] = {{0}};
    const char *const *word = known;
    char folder[64], path[PATH], answer[256], name[256], request[16 + YK_REMARK];
    struct yk_err err = {0};
    struct words words;

    if (!take_options(&command_control, argc, argv, specs, &words))
        return 2;
    const bool notes = words.count > 0 && strcmp(words.rest[0], "note") == 0;
    if (words.count < 1 + notes || words.count > 2 + notes)
        return usage_error(&command_control, notes ? "give the text of the note, and the name of the run if several "
                                                     "are active"
                                                   : "give one of pause, resume, step, abort, status, note, and the "
                                                     "name of the run if several are active");
    while (*word && strcmp(*word, words.rest[0]) != 0)
        word++;
    if (!*word)
        return usage_error(&command_control, "'%s' is not one of pause, resume, step, abort, status, note",
                           words.rest[0]);
    if (notes && strlen(words.rest[1]) >= YK_REMARK)
        return usage_error(&command_control, "the note has %zu bytes; at most %d are kept", strlen(words.rest[1]),
                           YK_REMARK - 1);
    snprintf(request, sizeof request, "%s%s%s", *word, notes ? " " : "", notes ? words.rest[1] : "");
    if (desk_folder(folder, sizeof folder, &err))
        return report_failure(&err);
    if (words.count == 2 + notes) {
        desk_name(name, sizeof name, words.rest[1 + notes]);
        snprintf(path, sizeof path, "%s/%s.sock", folder, name);
    } else if (!find_only(folder, path, sizeof path)) {
        return 1;
    }
    if (!desk_ask(path, request, answer, sizeof answer)) {
        fprintf(stderr, "yoke: no run answers at %s\n", path);
        return 1;
    }
    fputs(answer, stdout);
    return 0;
}

const struct command command_control = {
    .name = "control",
    .summary = "pause, resume, step or abort a run, or note something",
    .options = "pause resume step abort status note",
    .help = "usage: yoke control pause|resume|step|abort|status [NAME]\n"
            "       yoke control note TEXT [NAME]\n\n"
            "Sends a request to a run through its socket /tmp/yoke-UID/NAME.sock.\n\n"
            "  pause     hold the actuators and suspend the method\n"
            "  resume    continue\n"
            "  step      make one system step of a paused run\n"
            "  abort     ramp the actuators back and end the run with exit code 3\n"
            "  status    print state and step\n"
            "  note      keep TEXT with its time among the events of the run: summary, recording, report\n\n"
            "NAME is the name of the experiment file without its ending; it is needed if more than one run is active. "
            "In the\n"
            "terminal of the run, the keys p, r, s and q do the same.\n\n"
            "examples:\n"
            "  yoke control pause\n"
            "  yoke control status spring-specimen\n"
            "  yoke control note \"crack at the weld, 12 mm\"\n",
    .run = run,
};
