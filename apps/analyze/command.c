/* The words and options of `yoke analyze`. */
#include "options.h"

#include <string.h>

/* The lines of what the analyses print, below each other. */
static void print_results(FILE *out)
{
    static const char *const results[] = {
#define ANALYSIS(word, of, words, prints) prints,
#include "analyses.def"
#undef ANALYSIS
    };

    fputs("\n--json: ", out);
    for (size_t i = 0; i < sizeof results / sizeof *results; i++)
        for (const char *line = results[i]; line; line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
            fprintf(out, "%s%.*s\n", i == 0 && line == results[i] ? "" : "        ", (int)strcspn(line, "\n"), line);
}

static const struct yk_option options[] = {
#define ANALYSIS(word, of, words, prints) {.name = #word, .argument = of, .help = words},
#include "analyses.def"
#undef ANALYSIS
    {.help = "Options:"},
    {"--steps", "LIST", "spectrum: steps in s, 0.1,0.5,1 or from:to:count, from:to:countlog",
     YK_INTO(struct analyze_options, q.steps)},
    {"--scan", "KEY=LIST", "spectrum: repeat it for each value of a key of the file; with --plot, a map of the radius",
     YK_INTO(struct analyze_options, q.scan)},
    {"--methods", "NAMES",
     "spectrum and order: integrators and couplings to compare, such as newmark,hht,lsrt2; one with settings is "
     "written {integrator: hht, alpha: -0.1}",
     YK_INTO(struct analyze_options, q.methods)},
    {"--halvings", "N", "order: how often the step is halved; default 4", YK_INTO(struct analyze_options, q.halvings)},
    {"--samples", "N", "energy and drift: number of samples; default 21", YK_INTO(struct analyze_options, q.samples)},
    {"--budget", "T", "margin: CPU time for each of the two ways to find it; default 60 s",
     YK_INTO(struct analyze_options, q.budget)},
    {"--longest", "T",
     "delay: longest delay or lead to search for in measured data; default 0.2 s or a tenth of the record",
     YK_INTO(struct analyze_options, m.longest)},
    {"--csv", "FILE", "delay: the file of a logger (.csv, .txt, .tsv, .tdms, .mat, also .gz)",
     YK_INTO(struct analyze_options, m.csv)},
    {"--command", "COLUMN", "with --csv: name or number of the commands",
     YK_INTO(struct analyze_options, m.columns.command)},
    {"--measured", "COLUMN", "with --csv: name or number of the measured values",
     YK_INTO(struct analyze_options, m.columns.measured)},
    {"--columns", "LIST",
     "with --csv, instead: command=5:10 mm,displacement=3:10 mm, each with the value of one of its units, as for `yoke "
     "identify --csv`",
     YK_INTO(struct analyze_options, m.columns.list)},
    {"--time", "COLUMN", "with --csv: name or number of the times", YK_INTO(struct analyze_options, m.columns.time)},
    {"--actuator", "NAME", "frf: an actuator of `transfer`; default: the first",
     YK_INTO(struct analyze_options, q.actuator)},
    {"--frequencies", "LIST", "frf: as for --steps [Hz]", YK_INTO(struct analyze_options, q.frequencies)},
    {"--amplitude", "X", "frf: of the sine; default 10 mm", YK_INTO(struct analyze_options, q.amplitude)},
    {"--set", "KEY=VALUE", "replace a value of the file", YK_INTO(struct analyze_options, set)},
    {"--plot", "FIG", "write a figure (.svg, .png, .pdf), its data (.csv) and its gnuplot script (.gp) next to it",
     YK_INTO(struct analyze_options, q.plot)},
    {"--json", NULL, "print the result as JSON", YK_INTO(struct analyze_options, q.json)},
    {.print = print_results},
    {0},
};

const struct yk_command command_analyze = {
    .name = "analyze",
    .summary = "spectrum, order, energy, drift, margin, delay or frequency response of an experiment",
    .usage = "ANALYSIS FILE [option]...\n"
             "delay DIR [--longest T] [--json]\n"
             "delay --csv FILE --command COLUMN --measured COLUMN [--time COLUMN] [--longest T] [--json]\n"
             "delay --csv FILE --columns LIST [--longest T] [--json]",
    .about = "The analyses drive the same steps as a run. For the spectrum, nonlinear models are linearised.",
    .options = options,
    .examples =
        "yoke analyze spectrum examples/oscillator/oscillator.yaml --steps 0.1,0.5,1\n"
        "yoke analyze spectrum examples/split-mass/split-mass.yaml --steps 0.01:2:60log \\\n"
        "     --scan substructures.A.mass=0.1:10:40log --plot map.svg\n"
        "yoke analyze spectrum examples/oscillator/oscillator.yaml --methods newmark,hht,lsrt2 --plot methods.svg\n"
        "yoke analyze frf examples/spring-specimen/spring-specimen.yaml --frequencies 1,2,5,10 --plot frf.svg\n"
        "yoke analyze delay --csv t7.csv --command c --measured 3",
};
