/* `yoke replay` and its options, for the program itself and for `yoke --help`, completion and manual page. */
#include "options.h"

static const struct yk_option options[] = {
    {"--csv", "FILE", "a recording of a command and the motion that followed, as for `yoke identify --csv`",
     YK_INTO(struct replay_options, csv)},
    {"--columns", "LIST", "columns by name or number, as for `yoke identify --csv`",
     YK_INTO(struct replay_options, columns)},
    {"--plant", "FILE.yaml",
     "the machine, as `yoke identify --csv -o` writes it; default: the first half of the recording is identified and "
     "the second "
     "replayed",
     YK_INTO(struct replay_options, plant)},
    {"--compensators", "LIST", "names with commas, or all; default none,lagrange,model-inverse",
     YK_INTO(struct replay_options, compensators)},
    {"--delay", "T", "a delay for lagrange, beside those of the machine; several times",
     YK_INTO(struct replay_options, delays)},
    {"--estimators", "LIST", "delay estimators: names with commas, or all; default all",
     YK_INTO(struct replay_options, estimators)},
    {"--cutoff", "F", "of the filter that makes a target of the command; default 30 Hz",
     YK_INTO(struct replay_options, cutoff_Hz), .quantity = YK_FREQUENCY, .least = 0.1, .most = 1e5},
    {"--experiment", "FILE", "also run this test with the machine in place of its actuator and every compensator",
     YK_INTO(struct replay_options, experiment)},
    {"--plot", "FIG", "draw target, what the machine did, replays and delays (.svg, .png, .pdf)",
     YK_INTO(struct replay_options, plot)},
    {"--json", NULL, "print the result as JSON", YK_INTO(struct replay_options, json)},
    {0},
};

const struct yk_command command_replay = {
    .name = "replay",
    .summary = "play a recorded test again with other compensators and estimators",
    .usage =
        "--csv FILE [--plant FILE.yaml] [--compensators all|LIST] [--delay T]... [--estimators all|LIST] [--experiment "
        "FILE] [--columns LIST] [--plot FIG] [--json]",
    .about =
        "The target is the recorded command, low-passed without phase. Every compensator tracks it on the identified "
        "machine, tick by tick: a target is known when its tick begins, its command is held for the tick, and the "
        "motion at the end of the tick is compared with the target there. Beside it stands what the real machine did. "
        "Every delay estimator sees the recorded command and motion as in a run; its estimates stand beside the phase "
        "delay of the machine at the momentary frequency (docs/measured.md).",
    .options = options,
    .json = "{file, sha256, rows, step_s, replayed_from_s, machine: {nrms, below_5_Hz_nrms, largest_command},\n"
            "model_nrms, below_5_Hz_until_s,\n"
            "tracking: [{compensator, delay_s, nrms, below_5_Hz_nrms, largest_command}],\n"
            "estimators: [{estimator, samples: [{time_s, frequency_Hz, estimate_s, phase_delay_s}]}],\n"
            "taylor: [{time_s, frequency_Hz, delay_s}], experiment: [{compensator, delay_s, displacement_nrms}]}",
    .examples = "yoke replay --csv chirp.csv.gz --plant actuator.yaml --delay \"17.1 ms\" --plot replay.svg",
};
