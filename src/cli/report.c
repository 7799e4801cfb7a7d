/* yoke report: the page of a run, or of several to compare. */
#include "page/report.h"
#include "cli/cli.h"

#include "record/record.h"

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
        if (is_recording(output, runs[i].recording))
            return 2;
    if (yk_report_write(runs, count, output, &err)) {
        const int code = report_failure(&err);

        return strcmp(err.file, output) == 0 ? code : 2; /* what cannot be read is bad input */
    }
    printf("%s\n", output);
    return 0;
}

static int run(int argc, char **argv)
{
    const char *output = NULL;
    const struct option_spec specs[] = {{"--output|-o", OPTION_TEXT, &output}, {0}};
    struct yk_report_run runs[MOST_RUNS] = {0};
    char *paths[MOST_RUNS] = {0}, *labels[MOST_RUNS] = {0}, *own = NULL;
    struct words words;
    int code = 0;

    if (!take_options(&command_report, argc, argv, specs, &words))
        return 2;
    if (words.count < 1 || words.count > MOST_RUNS)
        return usage_error(&command_report, words.count ? "at most %d runs" : "which run?", MOST_RUNS);
    for (int i = 0; i < words.count && !code; i++) {
        paths[i] = recording_path(words.rest[i]);
        labels[i] = recording_label(words.rest[i]);
        code = paths[i] && labels[i] ? 0 : 1;
        runs[i] = (struct yk_report_run){paths[i], labels[i]};
    }
    if (!code && !output)
        output = own = beside(paths[0], words.count > 1 ? "comparison.html" : "report.html");
    if (code || !output) {
        fputs("yoke: out of memory\n", stderr);
        code = 1;
    } else {
        code = write_page(runs, (size_t)words.count, output);
    }
    for (int i = 0; i < words.count; i++) {
        free(paths[i]);
        free(labels[i]);
    }
    free(own);
    return code;
}

const struct command command_report = {
    .name = "report",
    .summary = "write a page about a run, or one that compares several",
    .options = "--output",
    .help =
        "usage: yoke report DIR [-o FILE.html]\n"
        "       yoke report DIR1 DIR2 ... [-o FILE.html]\n\n"
        "Writes one HTML file about a run: verdict, structure, response, loops, tracking, accuracy, timing, events, "
        "the\n"
        "experiment file and how to rerun it. It contains its data and needs no network. Plots can be zoomed; every "
        "panel can\n"
        "be saved as a picture or a table. The page prints on A4. `yoke run` writes it unless `--no-report` is given.\n"
        "With several runs it compares them: curves on top of each other, differences, and a table of indices.\n\n"
        "  -o, --output FILE  default DIR/report.html, or DIR1/comparison.html\n\n"
        "examples:\n"
        "  yoke report out/frame\n"
        "  yoke report out/coarse out/fine -o compare.html\n",
    .run = run,
};
