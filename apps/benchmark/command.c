/* `yoke benchmark` in `yoke --help`, the completion and the help of its program. */
#include "options.h"

static const struct yk_option options[] = {
    {.name = "rths",
     .help = "the benchmark problem of real-time hybrid simulation (Silva and others 2020): a frame of three storeys "
             "on moving ground, a spring torn out of the first storey, a hydraulic actuator that is 25 ms late, 4096 "
             "Hz; nine indices"},
    {.name = "marths",
     .help = "the multi-axial problem (Condori Uribe and others 2023): two actuators that act on each other move the "
             "node of a frame in translation and rotation, 1024 Hz; ten indices, of each actuator or direction"},
    {"--case", "N",
     "rths: 1 to 4, or several such as 1,3; default all. marths: A, as published, where the specimen is not what was "
     "taken out of the frame, or B, where it is (default)",
     YK_INTO(struct benchmark_options, q.cases)},
    {"--plants", "N", "also N perturbed plants, the same ones for every chain",
     YK_INTO(struct benchmark_options, plants), .least = 0, .most = 100000},
    {"--noise", NULL, "sensors with noise", YK_INTO(struct benchmark_options, q.noise)},
    {"--record", "FILE", "file with a ground acceleration; default: a synthetic one from a seed",
     YK_INTO(struct benchmark_options, q.record)},
    {"--unit", "U", "of its values, if the file does not state it, such as m/s2",
     YK_INTO(struct benchmark_options, q.unit)},
    {"--scale", "X", "factor on the ground motion; default 0.4", YK_INTO(struct benchmark_options, q.scale),
     .quantity = YK_NUMBER, .least = 1e-6, .most = 1e3},
    {"--end", "T", "duration; default 22 s; the first 5 s of rths are quiet",
     YK_INTO(struct benchmark_options, q.end_s), .quantity = YK_TIME, .least = 1, .most = 1e4},
    {"--output|-o", "DIR",
     "write there runs.csv, time histories (of the best chain, or of up to six that were named) and report.html; rths: "
     "also ranking.md and ranking.svg",
     YK_INTO(struct benchmark_options, q.folder)},
    {"--write", "FILE", "the problem as an experiment file, for yoke run", YK_INTO(struct benchmark_options, q.write)},
    {"--jobs|-j", "N", "threads; default: the number of cores", YK_INTO(struct benchmark_options, jobs), .least = 1,
     .most = 64},
    {"--list", NULL, "list the chains", YK_INTO(struct benchmark_options, list)},
    {"--json", NULL, "print the result as JSON", YK_INTO(struct benchmark_options, q.json)},
    {"--quiet|-q", NULL, "show no progress", YK_INTO(struct benchmark_options, q.quiet)},
    {0},
};

const struct yk_command command_benchmark = {
    .name = "benchmark",
    .summary = "judge compensators and controllers by a benchmark problem of hybrid simulation",
    .usage = "rths|marths [CHAIN...] [--case N,...|all] [--plants N] [--noise] [--record FILE [--unit U]] [--scale X] "
             "[--end S] [--jobs N] [-o DIR] [--json] [--quiet]\n"
             "rths CHAIN --case N --write FILE\n"
             "rths|marths --list",
    .about = "Judges chains of compensator and controller. CHAIN is a name of --list, or a file with the section "
             "`transfer` of an experiment, for the actuator a1 (marths: a1 and a2); none: all of --list. File names in "
             "it, such as the library of a plugin, are relative to it.",
    .options = options,
    .notes = "See docs/benchmarks.md.",
    .examples = "yoke benchmark rths\n"
                "yoke benchmark rths sample feed-forward-rls --plants 20 --noise -o out/rths\n"
                "yoke benchmark marths rls joint-rls --plants 3 --noise",
};
