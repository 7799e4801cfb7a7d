/* `yoke motion` and its options, for the program itself and for `yoke --help`, completion and manual page. */
#include "options.h"

static const struct yk_option options[] = {
    {.name = "info", .help = "peaks, Arias intensity, durations and velocity of each record"},
    {.name = "spectrum", .help = "elastic response spectra, or those of constant ductility"},
    {.name = "scale", .help = "factors that bring records to Sa(T) or to a target spectrum"},
    {.name = "convert", .help = "the record, corrected and scaled, as a table or an AT2 file"},
    {.name = "fragility", .help = "a fragility curve from counts of collapses or from capacities"},
    {.help = "Options for records:"},
    {"--channel", "N|NAME",
     "which channel of a file with several; of a recording of Yoke: the name of an acceleration, such as "
     "floor.roof.x.a for a floor spectrum",
     YK_INTO(struct motion_options, channel)},
    {"--unit", "UNIT", "unit of the values, where the file does not say: g, m/s2, cm/s2, gal, mg",
     YK_INTO(struct motion_options, unit)},
    {"--step", "T", "time step of a table with one column", YK_INTO(struct motion_options, step), .quantity = YK_TIME,
     .least = 1e-9, .most = 1e6},
    {"--baseline", "N", "subtract the derivative of a polynomial of degree N (1 to 5) that is fitted to the velocity",
     YK_INTO(struct motion_options, baseline), .least = 1, .most = 5},
    {"--band", "F1,F2",
     "Butterworth band pass from F1 to F2, forward and backward, after the baseline; zeros are added at both ends",
     YK_INTO(struct motion_options, band)},
    {"--order", "N", "order of the band pass; default 4", YK_INTO(struct motion_options, order), .least = 1, .most = 8},
    {"--factor", "S", "factor on the accelerations", YK_INTO(struct motion_options, factor), .quantity = YK_NUMBER,
     .least = -1e6, .most = 1e6},
    {.help = "Options for spectra:"},
    {"--damping", "LIST", "damping ratios, such as \"2,5,10 %\"; default 5 %", YK_INTO(struct motion_options, damping)},
    {"--periods", "LIST", "in s: 0.1,0.5,1 or from:to:count, from:to:countlog; default 0.02 to 10 s, 100 per decade",
     YK_INTO(struct motion_options, periods)},
    {"--ductility", "LIST",
     "strengths (yield force over mass) with these ductilities; the largest is given where several have it",
     YK_INTO(struct motion_options, ductility)},
    {"--hardening", "R", "slope after yield over the elastic one; default 0", YK_INTO(struct motion_options, hardening),
     .quantity = YK_NUMBER, .least = -10, .most = 0.999},
    {"--target", "SPECTRUM", "show this spectrum as well: \"ec8: { type: 1, ground: C, ag: 0.25 g }\"",
     YK_INTO(struct motion_options, target)},
    {.help = "Options for scaling:"},
    {"--to", "GOAL",
     "\"Sa: 0.6 g, T: 1 s, damping: 5 %\" or \"spectrum: { ec8: { type: 1, ground: B, ag: 0.35 g } }, from: 0.2 s, to: "
     "2 s, fit: log, floor: 0.9\"",
     YK_INTO(struct motion_options, to)},
    {"--t1", "T", "first period of the structure, for goals with T1 (\"from: 0.2 T1\")",
     YK_INTO(struct motion_options, first), .quantity = YK_TIME, .least = 1e-4, .most = 1e4},
    {.help = "Options for fragility curves:"},
    {"--levels", "LIST", "intensities, such as 0.2,0.4,0.6", YK_INTO(struct motion_options, levels)},
    {"--collapsed", "LIST", "how many runs collapsed at each level", YK_INTO(struct motion_options, collapsed)},
    {"--runs", "LIST", "how many runs there were at each level, or one number for all",
     YK_INTO(struct motion_options, runs)},
    {"--capacities", "LIST", "intensities at which the structure collapsed, one for each record",
     YK_INTO(struct motion_options, capacities)},
    {.help = "Output:"},
    {"--output|-o", "FILE",
     "spectrum: picture (.svg, .png, .pdf) or table (.csv); convert: table, or AT2 file by its ending; fragility: "
     "picture",
     YK_INTO(struct motion_options, out)},
    {"--json", NULL, "print the result as JSON", YK_INTO(struct motion_options, json)},
    {0},
};

const struct yk_command command_motion = {
    .name = "motion",
    .summary = "ground motions: measures, response spectra, correction, scaling, fragility",
    .usage = "info RECORD... [option]...\n"
             "spectrum RECORD... [--damping LIST] [--periods LIST] [--ductility LIST] [-o FILE] [option]...\n"
             "scale RECORD... --to GOAL [option]...\n"
             "convert RECORD [-o FILE] [option]...\n"
             "fragility --levels LIST --collapsed LIST --runs LIST | --capacities LIST",
    .about =
        "A RECORD is a file of a network (PEER AT2, COSMOS, CSMIP V1 and V2, SMC, K-NET and KiK-net, ESM and ITACA), "
        "recognised by its content, a table with columns time and acceleration, or a recording of Yoke. A file that "
        "is cut is refused. Results are exact for straight lines between the samples (docs/ground-motions.md). Scaling "
        "does not change files: it prints the factor for the key `scale` of a load.",
    .options = options,
    .json =
        "info: {records: [{file, format, title, step_s, samples, pga, pgv, pgd, pga_s, pgv_s, pgd_s, arias,\n"
        "start_s, significant_s, middle_s, cav, rms, end_v, end_d, offset, notes}]}\n"
        "spectrum: {records: [{file, spectra: [{damping, periods, sd, psv, psa, sv, sa}]}], target: {periods, sa}},\n"
        "with --ductility: spectra: [{damping, ductility, periods, strength, peak}]\n"
        "scale: {records: [{file, factor, misfit, pga}], common, least, least_s}\n"
        "fragility: {theta, beta, log_likelihood, theta_error, beta_error}",
    .examples = "yoke motion info record.AT2\n"
                "yoke motion spectrum record.V2 --damping \"2,5 %\" -o spectra.svg\n"
                "yoke motion scale suite/*.AT2 --to \"spectrum: { ec8: { type: 1, ground: B, ag: 0.35 g } }, from: 0.2 "
                "s, to: 2 s\"\n"
                "yoke motion fragility --levels 0.2,0.4,0.6,0.8 --collapsed 0,4,12,23 --runs 40",
};
