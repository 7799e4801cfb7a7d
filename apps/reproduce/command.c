/* The words of `yoke reproduce`. */
#include "options.h"

static const struct yk_option options[] = {
    {"--list", NULL,
     "list names, number of claims, place in the paper and title; with --json every claim, not computed",
     YK_INTO(struct reproduce_options, list)},
    {"--all", NULL, "run every case", YK_INTO(struct reproduce_options, all)},
    {"--quick", NULL, "run a few representative ones, in less than a minute", YK_INTO(struct reproduce_options, quick)},
    {"--output|-o", "DIR", "folder for the results", YK_INTO(struct reproduce_options, wish.folder)},
    {"--papers", "DIR", "folder of the cases; default: YOKE_PAPERS, the installed cases, or those of the source tree",
     YK_INTO(struct reproduce_options, papers)},
    {"--jobs|-j", "N", "cases to run at the same time; default: one per processor",
     YK_INTO(struct reproduce_options, jobs), .least = 1, .most = 64},
    {"--sensitivity", NULL, "also compute the wrong variant of every claim, which must fail",
     YK_INTO(struct reproduce_options, wish.sensitivity)},
    {"--no-pictures", NULL, "compute the claims only", YK_INTO(struct reproduce_options, no_pictures)},
    {"--markdown", "FILE",
     "write the table as a page of Markdown, with its figures in pictures/reproduction next to it",
     YK_INTO(struct reproduce_options, markdown)},
    {"--errata", "FILE", "write the errors found in the papers as a page of Markdown",
     YK_INTO(struct reproduce_options, errata)},
    {"--vocabulary", NULL, "list the quantities and curves that claims and figures are made of",
     YK_INTO(struct reproduce_options, vocabulary)},
    {"--json", NULL, "print the result as JSON", YK_INTO(struct reproduce_options, json)},
    {0},
};

const struct yk_command command_reproduce = {
    .name = "reproduce",
    .summary = "recompute published results and compare them with the papers",
    .usage = "--list [CASE...] [--json]\n"
             "CASE...|--all|--quick [-o DIR] [--jobs N] [--sensitivity] [--no-pictures] [--json]\n"
             "--vocabulary",
    .about = "Recomputes published results. A case is a figure, table or section of a paper: experiment files and a "
             "list of claims, each with the words of the paper, the quantity that measures it and its expected value. "
             "CASE is the full name of a case, its last part, or a paper for all of its cases. Each case gets a folder "
             "DIR/CASE (default out/reproduce) with index.html, claims.csv, claims.json and its figures (.svg, with "
             ".csv and .gp); DIR/index.html lists all claims.",
    .options = options,
    .notes = "The origin of a claim says where its expected value comes from: `printed` (a number in the paper), "
             "`stated` (words of the paper, expressed as a bound), `derived` (a closed form or an independent "
             "prototype; the paper prints no value), `surrogate` (the paper does not print all inputs; some were "
             "chosen here), `fitted` (inputs were fitted to the number), `input` (data of the paper, read back), "
             "`repeated` (another claim counts the number) or `measured` (from the recording of a real test, by an "
             "independent program or its authors). Only printed and stated ones count as reproduced, measured ones "
             "apart from them. The "
             "verdict is `met`, `not met` (with the reason), `paper in error` (with the proof) or `disagreement` (not "
             "settled). Exit code 4 if a value is not as expected, or if a wrong variant passes.",
    .json = "{\"cases\": [{\"id\", \"title\", \"source\", \"claims\": [{\"claim\", \"where\", \"origin\", "
            "\"published\", \"expected\", \"low\", \"high\", \"obtained\", \"verdict\", \"wrong\", \"caught\"}]}], "
            "\"total\": {\"cases\", \"claims\", \"fail\", \"printed\": {\"met\", \"not met\", ...}, \"stated\", "
            "\"derived\", \"surrogate\", \"fitted\", \"input\", \"repeated\", \"measured\"}}",
    .examples = "yoke reproduce --list\n"
                "yoke reproduce fig2-radii -o out\n"
                "yoke reproduce --all --sensitivity",
};
