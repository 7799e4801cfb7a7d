/* The words of `yoke fmu`. */
#include "options.h"

static const struct yk_option options[] = {
    {.name = "info", .help = "interfaces, abilities, variables with causality, unit and start value"},
    {.name = "check",
     .help = "loads it in a process of its own and tries what its description promises; exit code 4 if something does "
             "not hold"},
    {.name = "run",
     .help = "steps it alone, with its inputs at their start values or from a file, and records its outputs; default: "
             "the time that the FMU recommends. An FMU that ends itself ends the run"},
    {"--end", "T", "run: until this time; default: what the FMU recommends", YK_INTO(struct fmu_options, end)},
    {"--step", "H", "run and check: size of the steps", YK_INTO(struct fmu_options, step)},
    {"--set", "NAME=VALUE", "run: start value of a variable or of an input", YK_INTO(struct fmu_options, set)},
    {"--interface", "KIND", "run: co-simulation or model-exchange; default: co-simulation where the FMU has it",
     YK_INTO(struct fmu_options, interface)},
    {"--input", "FILE", "run: inputs over time, comma-separated: a line `time,NAME,...`, then rows",
     YK_INTO(struct fmu_options, input)},
    {"--output|-o", "DIR", "run: folder for the recording", YK_INTO(struct fmu_options, folder)},
    {"--json", NULL, "info and check: print the result as JSON", YK_INTO(struct fmu_options, json)},
    {0},
};

const struct yk_command command_fmu = {
    .name = "fmu",
    .summary = "describe, check or run a model of another program (FMI)",
    .usage = "info FILE.fmu [--json]\n"
             "check FILE.fmu [--step H] [--json]\n"
             "run FILE.fmu [--end T] [--step H] [--set NAME=VALUE]... [--input FILE]\n"
             "    [--interface KIND] [-o DIR]",
    .about = "A functional mock-up unit (FMU) is a model of another simulation program. An experiment uses it as "
             "substructure, specimen, controller, actuator or load (`kind: fmu`, docs/fmi.md).",
    .options = options,
    .examples = "yoke fmu info absorber.fmu\n"
                "yoke fmu run absorber.fmu --end 20 s --step 10 ms --set k=2000 -o out/absorber",
};
