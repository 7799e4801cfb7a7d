/* yoke report: the page of a run, or of several to compare. */
#include "options.h"
#include "report.h"

#include <libgen.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RUNS = 8 };

/* The file beside a recording. */
static char *beside(const char *recording, const char *name)
{
    char *copy = strdup(recording), *path = NULL;

    if (copy && asprintf(&path, "%s/%s", dirname(copy), name) < 0)
        path = NULL;
    free(copy);
    return path;
}

static int write_page(const struct yk_report_run *runs, size_t count, const char *output)
{
    struct yk_err err = {0};

    for (size_t i = 0; i < count; i++)
        if (yk_command_replaces(output, runs[i].recording))
            return 2;
    if (yk_report_write(runs, count, output, &err)) {
        const int code = yk_command_fail(&err);

        return strcmp(err.file, output) == 0 ? code : 2; /* what cannot be read is bad input */
    }
    printf("%s\n", output);
    return 0;
}

static int run(int argc, char **argv)
{
    struct report_options o = {0};
    struct yk_report_run runs[MOST_RUNS] = {0};
    char *paths[MOST_RUNS] = {0}, *labels[MOST_RUNS] = {0}, *own = NULL;
    struct yk_words words;
    int code = 0;

    if (!yk_take_options(&command_report, argc, argv, &o, &words))
        return 2;
    if (words.count < 1 || words.count > MOST_RUNS)
        return yk_misuse(&command_report, words.count ? "at most %d runs" : "which run?", MOST_RUNS);
    for (int i = 0; i < words.count && !code; i++) {
        paths[i] = yk_command_recording(words.rest[i]);
        labels[i] = yk_command_label(words.rest[i]);
        code = paths[i] && labels[i] ? 0 : 1;
        runs[i] = (struct yk_report_run){paths[i], labels[i], o.own};
    }
    if (!code && !o.output)
        o.output = own = beside(paths[0], words.count > 1 ? "comparison.html" : "report.html");
    if (code || !o.output) {
        fputs("yoke: out of memory\n", stderr);
        code = 1;
    } else {
        code = write_page(runs, (size_t)words.count, o.output);
    }
    for (int i = 0; i < words.count; i++) {
        free(paths[i]);
        free(labels[i]);
    }
    free(own);
    return code;
}

int main(int argc, char **argv)
{
    return yk_command_main(&command_report, run, argc, argv);
}
