/* The words and options of `yoke identify --csv`. */
#include "options.h"

static const struct yk_option options[] = {
    {.rows = measured_rows, .at = offsetof(struct measured_words, of)},
    {"--joint", "FILE...", "recordings of the same actuator that are fitted together with the first, with equal weight",
     YK_INTO(struct measured_words, joint)},
    {"--actuator", "NAME", "of the section `transfer` that is written; default jack",
     YK_INTO(struct measured_words, actuator)},
    {"--output|-o", "OUT.yaml", "write sections plant, sensors and transfer", YK_INTO(struct measured_words, out)},
    {"--plot", "FIG", "draw gain, phase, delay and residual (.svg, .png, .pdf)", YK_INTO(struct measured_words, plot)},
    {"--json", NULL, "print the result as JSON", YK_INTO(struct measured_words, json)},
    {0},
};

const struct yk_command command_measured = {
    .name = "identify",
    .summary = "identify an actuator from a recording",
    .usage = "--csv FILE [FILE.yaml] [--columns LIST] [--band 0.1..20Hz] [--orders 1..4] [--joint FILE...] [--hold-out "
             "FILE...] "
             "[-o OUT.yaml] [--frf OUT.csv] [--residual OUT.csv] [--plot FIG] [--json]",
    .about =
        "The program of `yoke identify --csv` (docs/measured.md): the frequency response of an actuator with its "
        "coherence, models of several orders with a dead time, the lowest order that is as good as the best one on "
        "what was not fitted, and for a lag the difference between extending and retracting. FILE.yaml is an "
        "experiment: the delay at the frequencies of its structure is added.",
    .options = options,
    .json = "{file, sha256, rows, step_s, band_Hz, held_out: {files, nrms, floor, share}, training: the same (share: "
            "motion of\n"
            "what is judged over that of the record),\n"
            "model: {poles, zeros, gain, dead_time_s, time_constant_s, lead, denominator, numerator}, spread,\n"
            "candidates: [{poles, zeros, nrms, held_nrms, struck}], files: [{file, nrms, vaf, floor, offset_m, "
            "bands}],\n"
            "points: [{frequency_Hz, gain, phase_rad, delay_s, group_delay_s, coherence, deviation, model_delay_s}],\n"
            "slow_delay_s, structure: [{frequency_Hz, delay_s}], sensors, notes}",
    .examples = "yoke identify --csv chirp.csv.gz --hold-out other-day.csv.gz -o actuator.yaml --plot bode.svg",
};
