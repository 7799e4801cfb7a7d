/* `yoke bench` in `yoke --help`, the completion and the help of its program. */
#include "options.h"

static const struct yk_option options[] = {
    {"--list", NULL, "print the names, measure nothing; names do not change between versions",
     YK_INTO(struct timing_options, list)},
    {"--model", "MODEL",
     "a model that other programs step too, such as truss-1000 (--list --json names all): print its motion here as "
     "JSON, and write the matrices of a linear one to DIR",
     YK_INTO(struct timing_options, model)},
    {"--json", NULL, "print the result as JSON", YK_INTO(struct timing_options, json)},
    {"--output|-o", "DIR", "with --model: folder for the matrices", YK_INTO(struct timing_options, folder)},
    {0},
};

const struct yk_command command_bench = {
    .name = "bench",
    .summary = "time the steps of every method and the control ticks, as ratios to a baseline",
    .usage = "[NAME...] [--json] [--list]\n"
             "--model MODEL [-o DIR]",
    .about = "Times every benchmark and its baseline alternately in this process and prints their ratio. The ratio "
             "depends little on the machine and mostly on the code. Exit code 4 if a ratio exceeds its limit.\n"
             "\n"
             "With NAME only benchmarks whose names begin with it, such as step/chain.",
    .options = options,
    .json =
        "{build, holds, results: [{name, reference, ratio, ratio_limit, seconds_per_op, reference_seconds, holds}]};\n"
        "`reference` names the baseline; ratio_limit is null if there is no limit.\n"
        "--list --json: {benchmarks: [name], models: [name]}\n"
        "--model: {model, dofs, step_s, steps, integrator, modal, seconds_per_step, peak_m}",
    .examples = "yoke bench\n"
                "yoke bench step/chain step/truss\n"
                "yoke bench --model truss-1000 -o out/truss",
};
