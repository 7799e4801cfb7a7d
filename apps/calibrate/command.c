/* `yoke calibrate` and its options, for the program itself and for `yoke --help`, completion and manual page. */
#include "options.h"

static const struct yk_option options[] = {
    {"--output|-o", "OUT.yaml", "write the law with its settings, for an experiment file",
     YK_INTO(struct calibrate_options, out)},
    {"--plot", "DIR", "draw every run: loop, force over velocity, force over time",
     YK_INTO(struct calibrate_options, plot)},
    {"--set", "KEY=VALUE", "replace a value of the file", YK_INTO(struct calibrate_options, set)},
    {"--jobs|-j", "N", "threads; default 2", YK_INTO(struct calibrate_options, threads), .least = 1, .most = 64},
    {"--json", NULL, "print the result as JSON", YK_INTO(struct calibrate_options, json)},
    {0},
};

const struct yk_command command_calibrate = {
    .name = "calibrate",
    .summary = "fit the settings of a law to measured loops",
    .usage = "FILE [-o OUT.yaml] [--plot DIR] [--set KEY=VALUE]... [--jobs N] [--json]",
    .about = "Fits settings of an element law, or of several in parallel, to recordings of displacement and force "
             "(docs/measured.md). FILE has a section `calibrate`: the law, the settings to fit and their starts, the "
             "runs that are fitted and those that are held out. Settings may depend on a current or another value of "
             "the runs. The spread of each value is that of whole cycles drawn again; values that cannot be told "
             "apart, and values at a bound, are named. The first figure is that of the runs that were held out. Ctrl-C "
             "ends the search with the best values so far.",
    .options = options,
    .json = "{held_nrms, mean_nrms, values: [{setting, law, at, value, spread, bounded}], alike: {values, "
            "correlation},\n"
            "runs: [{file, over, held_out, nrms, offset_N, level, frequency_Hz, cutoff_Hz, sha256}], stopped}",
    .examples = "yoke calibrate damper.yaml -o law.yaml --plot loops",
};
