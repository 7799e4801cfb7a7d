/* The words of `yoke iterate`. */
#include "options.h"

static const struct yk_option options[] = {
    {"--dry", NULL, "the whole iteration on the virtual rig, with budgets and the largest motion: moves nothing",
     YK_INTO(struct iterate_options, dry)},
    {"--resume", "DIR", "continue the iteration in DIR after a trip or a kill; its runs are not repeated",
     YK_INTO(struct iterate_options, resume)},
    {"--output|-o", "DIR", "folder for recordings, table, pictures and report; default: out/NAME/iterate",
     YK_INTO(struct iterate_options, output)},
    {"--force", NULL, "replace an iteration that is there", YK_INTO(struct iterate_options, force)},
    {"--uncommissioned", "TEXT", "\"NAME: REASON\": who moves a rig without a passed check-list, and why",
     YK_INTO(struct iterate_options, uncommissioned)},
    {"--set", "KEY=VALUE", "replace a value of the file", YK_INTO(struct iterate_options, set)},
    {"--json", NULL, "print the result as JSON", YK_INTO(struct iterate_options, json)},
    {0},
};

const struct yk_command command_iterate = {
    .name = "iterate",
    .summary = "test a specimen by runs that are corrected afterwards: no loop that could be unstable",
    .usage = "FILE [--dry] [--resume DIR] [-o DIR] [--force] [--uncommissioned \"NAME: REASON\"] [--set "
             "KEY=VALUE]... [--json]",
    .about =
        "MOVES THE RIG of the file, run after run (with --dry: the virtual rig). In each run the specimen follows a "
        "displacement that is known before; its forces correct the displacement of the next run, until specimen and "
        "computed structure belong together. Nothing acts back during a run: a test whose hybrid loop is unstable can "
        "be made this way. The key `iterate` of the file says how: `kind: periodic` finds steady vibration or a "
        "response curve by Fourier coefficients, `kind: record` a whole record with a model of the specimen that is "
        "refitted after each run. Between runs the rig returns to rest. Each command is rehearsed on the virtual rig "
        "before a real one gets it, and budgets bound what the specimen must bear (docs/iterate.md).\n\n"
        "Exit code 0: converged; 3: stopped by a limit, a budget or on request, resume with --resume; 4: not "
        "converged.",
    .options = options,
    .json = "{title, kind, end, verdict, dry, runs: [{run, rung, factor, frequency_Hz, error, peak_m, work_J, fit,\n"
            "blend, status}], error_account: {interface, tracking, refit}, folds_Hz, curve: [{frequency_Hz,\n"
            "amplitude_m}], budget: {runs, full, work_J}, largest_m, rest_force_N, remarks: []}",
    .examples = "yoke iterate examples/iterated-brace/iterated-brace.yaml --dry\n"
                "yoke iterate frame.yaml --resume out/frame/iterate",
};
