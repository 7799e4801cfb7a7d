/* `yoke report` in `yoke --help`, the completion and the help of its program. */
#include "options.h"

static const struct yk_option options[] = {
    {"--output|-o", "FILE", "the page; default DIR/report.html, or DIR1/comparison.html",
     YK_INTO(struct report_options, output)},
    {"--own", NULL, NULL, YK_INTO(struct report_options, own)}, /* for `yoke run` alone */
    {0},
};

const struct yk_command command_report = {
    .name = "report",
    .summary = "write a page about a run, or one that compares several",
    .usage = "DIR [-o FILE.html]\n"
             "DIR1 DIR2 ... [-o FILE.html]",
    .about = "Writes one HTML file about a run: verdict, structure, response, loops, tracking, accuracy, timing, "
             "events, the experiment file and how to rerun it. It contains its data and needs no network. Plots can be "
             "zoomed; every panel can be saved as a picture or a table. The page prints on A4. `yoke run` writes it "
             "unless `--no-report` is given. With several runs it compares them: curves on top of each other, "
             "differences, and a table of indices.",
    .options = options,
    .examples = "yoke report out/frame\n"
                "yoke report out/coarse out/fine -o compare.html",
};
