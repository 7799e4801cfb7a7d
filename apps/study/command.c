/* `yoke study` and its options, for the program itself and for `yoke --help`, completion and manual page. */
#include "options.h"

static const struct yk_option options[] = {
    {"--vary", "KEY=VALUES",
     "one of a,b,c: a list; texts such as names of methods, or numbers with units\nfrom:to:count[log] [unit]: evenly "
     "spaced, or evenly in the logarithm\nlow..high[log] [unit]: bounds, for --sample",
     YK_INTO(struct study_options, vary)},
    {"--sample", "HOW",
     "lhs:N (Latin hypercube), sobol:N (Sobol sequence), saltelli:N (Sobol indices; N times the number of settings + 2 "
     "runs); default: all combinations of the lists",
     YK_INTO(struct study_options, sample)},
    {"--result", "NAMES",
     "figures of summary.json by path, such as errors.displacement_nrms,tracking.a1.nrms; margin is the delay margin "
     "of the loop in s. The best run has the smallest first result, or the largest margin",
     YK_INTO(struct study_options, results)},
    {"--tune", "RESULT", "search for the settings with the smallest RESULT within the bounds (needs NLopt)",
     YK_INTO(struct study_options, tune)},
    {"--runs", "N", "of the search, at most; default 100", YK_INTO(struct study_options, runs), .least = 10,
     .most = 1000000},
    {"--require", "BOUND", "what the search must keep, such as margin>=0.01 or tracking.a1.nrms<=0.02",
     YK_INTO(struct study_options, require)},
    {"--ida", "LOAD",
     "incremental dynamic analysis: the load (loads.0) of the kind `record` takes each of the records, scaled until "
     "the structure collapses; capacities, fragility curve, DIR/ida.csv",
     YK_INTO(struct study_options, ida)},
    {"--records", "FILES", "ground motions for --ida, also a pattern such as \"suite/*.AT2\"",
     YK_INTO(struct study_options, records)},
    {"--im", "MEASURE",
     "intensity for --ida: PGA (default), \"Sa(0.6 s, 5 %)\" or \"Sa(T1, 5 %)\" with the first period of the structure",
     YK_INTO(struct study_options, im)},
    {"--collapse", "CRITERION",
     "for --ida: an expression of channels, such as \"frame.roof.x.u > 0.3 m\", of their largest sizes "
     "(docs/expressions.md); a run that diverges is a collapse, too. --result is then the demand, an expression "
     "likewise",
     YK_INTO(struct study_options, collapse)},
    {"--flat", "PART", "for --ida: where the secant of the curve falls below this part of the first; default 20 %",
     YK_INTO(struct study_options, flat), .quantity = YK_NUMBER, .least = 0, .most = 1},
    {"--set", "KEY=VALUE", "replace a value of the file in all runs", YK_INTO(struct study_options, set)},
    {"--jobs|-j", "N", "threads; default: the number of cores; under mpirun one in each process",
     YK_INTO(struct study_options, jobs), .least = 1, .most = 64},
    {"--shard", "I/N", "only every Nth run, beginning with the Ith; `yoke study merge` joins the N folders",
     YK_INTO(struct study_options, shard)},
    {"--seed", "N", "of the Latin hypercube; default 1", YK_INTO(struct study_options, seed), .least = 0,
     .most = 1000000000},
    {"--output|-o", "DIR", "folder for the files", YK_INTO(struct study_options, folder)},
    {"--force", NULL, "replace the study in DIR", YK_INTO(struct study_options, force)},
    {"--quiet|-q", NULL, "show no progress", YK_INTO(struct study_options, quiet)},
    {0},
};

const struct yk_command command_study = {
    .name = "study",
    .summary = "run an experiment with many settings: table, best run, Sobol indices, picture",
    .usage = "FILE --vary KEY=VALUES... [--sample HOW] [--result NAMES] [--set KEY=VALUE]... [-o DIR] [--jobs N] "
             "[--shard I/N] [--seed N] [--force] [--quiet]\n"
             "FILE --tune RESULT --vary KEY=low..high... [--runs N] [--require RESULT>=NUMBER]... [-o DIR]\n"
             "FILE --ida LOAD --records FILES --collapse CRITERION [--im MEASURE] [--result DEMAND] [-o DIR]\n"
             "merge DIR... -o DIR",
    .about = "Runs the experiment once for each combination of settings, on the virtual rig, and writes\n"
             "  DIR/table.csv      a row for each run: settings, results, status, reason, check\n"
             "  DIR/table.h5       the same (HDF5)\n"
             "  DIR/findings.json  numbers of runs, the best run, Sobol indices\n"
             "  DIR/study.svg      curve, map or parallel coordinates, depending on the number of settings\n"
             "  DIR/study.json     file, settings and results of the study\n"
             "By default DIR is out/NAME/study. A run that is refused, stopped by a limit, or diverges is a row with "
             "its reason. A study that was interrupted continues if the same command is given again; another study in "
             "DIR is refused. The table does not depend on the number of threads, to the last bit. `mpirun -n N yoke "
             "study ...` shares the runs among N processes, on one machine or several.",
    .options = options,
    .examples =
        "yoke study test.yaml --vary transfer.a1.compensator.delay=\"15:25:11 ms\" --result errors.displacement_nrms\n"
        "yoke study test.yaml --vary method.integrator=alpha-os,lsrt2 --vary time.step=\"5 ms,10 ms\"\n"
        "yoke study test.yaml --vary loads.0.frequency=\"0.5..3 Hz\" --vary loads.0.amplitude=100..500 --sample "
        "sobol:64",
};
