/* The words and options of `yoke identify`. */
#include "options.h"

const struct yk_option measured_rows[] = {
    {"--csv", "FILE", "a recording of a command and the motion that followed (.csv, .txt, .tsv, also .gz)",
     YK_INTO(struct measured_options, csv)},
    {"--columns", "LIST",
     "columns by name or number, each with the value of one unit where it is not SI: "
     "command=5:10 mm,displacement=3:10 mm,force=4:9806.65 N; default: the titles",
     YK_INTO(struct measured_options, columns)},
    {"--command", "NAME", "the column of the command", YK_INTO(struct measured_options, command)},
    {"--measured", "NAME", "the column of the motion", YK_INTO(struct measured_options, measured)},
    {"--band", "F1..F2", "frequencies that are fitted; default: those in which the motion follows the command",
     YK_INTO(struct measured_options, band)},
    {"--orders", "N1..N2", "poles of the models that are compared, 1 to 5; default 1..4",
     YK_INTO(struct measured_options, orders)},
    {"--hold-out", "FILE...",
     "recordings that are not fitted: they choose the model; default: the last third of each record",
     YK_INTO(struct measured_options, hold_out)},
    {"--frf", "OUT.csv", "write the frequency response: frequency, real, imaginary, weight, coherence",
     YK_INTO(struct measured_options, frf)},
    {"--residual", "OUT.csv", "write measured minus model over time, without the offset",
     YK_INTO(struct measured_options, residual)},
    {"--date", "dmy|mdy", "order of day and month in dates", YK_INTO(struct measured_options, date)},
    {"--decimal", "comma|point", "where numbers can be read both ways", YK_INTO(struct measured_options, decimal)},
    {"--equal", "first|last|mean", "which of rows with the same time counts; default first",
     YK_INTO(struct measured_options, equal)},
    {0},
};

static const struct yk_option options[] = {
    {"--actuator", "NAME", "an actuator of `transfer`; default: the first", YK_INTO(struct identify_options, actuator)},
    {"--joint", NULL, "all actuators together, 2 to 6", YK_INTO(struct identify_options, joint)},
    {"--actuators", "A1,A2", "these together", YK_INTO(struct identify_options, actuators)},
    {"--from", "F", "lowest frequency of the sweep [Hz]; default 0.1", YK_INTO(struct identify_options, from)},
    {"--to", "F", "highest frequency [Hz]; default 20", YK_INTO(struct identify_options, to)},
    {"--amplitude", "X", "of the sweep [m]; default 10 mm", YK_INTO(struct identify_options, amplitude)},
    {"--duration", "T", "of the sweep [s]; default 60", YK_INTO(struct identify_options, duration)},
    {"--order", "N",
     "1: one lag; 2: two lags; servo: second order with complex poles, frequency and damping; default: two lags, or a "
     "servo where they come out nearly equal and it fits better; with --joint: poles for each command, 1 to 8; "
     "default: chosen by the fit",
     YK_INTO(struct identify_options, order)},
    {"--mounted", NULL, "sweep with the specimen mounted; default: without", YK_INTO(struct identify_options, mounted)},
    {"--output|-o", "OUT.yaml",
     "write a section `transfer`, which an experiment file includes with `transfer: OUT.yaml` (with --joint, the plant "
     "is in it as a comment)",
     YK_INTO(struct identify_options, out)},
    {"--plot", "FIG", "draw the Bode diagram of measurement and model, with --joint of every pair (.svg, .png, .pdf)",
     YK_INTO(struct identify_options, plot)},
    {"--set", "KEY=VALUE", "replace a value of the file", YK_INTO(struct identify_options, set)},
    {"--json", NULL, "print the result as JSON", YK_INTO(struct identify_options, json)},
    {.help = "With --csv, the actuator is identified from a recording of a real test (docs/measured.md): frequency "
             "response with coherence, models with a dead time, held-out choice of the order. --joint FILE... then "
             "names further recordings that are fitted together, -o writes sections plant, sensors and transfer, and "
             "--actuator names the one in `transfer`."},
    {.rows = measured_rows, .at = offsetof(struct identify_options, recorded)},
    {0},
};

const struct yk_command command_identify = {
    .name = "identify",
    .summary = "sweep an actuator of the rig, fit a model, propose controllers",
    .usage =
        "FILE [--actuator NAME] [--from 0.1] [--to 20] [--amplitude \"10 mm\"] [--duration 60] [--order "
        "1|2|servo] [--mounted] [-o OUT.yaml] [--plot FIG] [--set KEY=VALUE]... [--json]\n"
        "FILE --joint [--actuators A1,A2,...] [--order N] [...]\n"
        "--csv RECORDING [FILE] [--joint RECORDING...] [--hold-out RECORDING...] [--columns LIST] [-o OUT.yaml] [...]",
    .about =
        "Sweeps an actuator of the virtual rig with a sine of rising frequency, without compensator and controller, "
        "and fits gain e^(-dead_time s)/((T1 s + 1)(T2 s + 1)) to the measured displacement by least squares of the "
        "output error. Proposes the filter of an imc controller and the delay that remains for a compensator, gains of "
        "pi and pid without overshoot (Chien, Hrones and Reswick), and faster gains of p, pi and pid (Ziegler and "
        "Nichols).\n"
        "\n"
        "--joint: for actuators that act on each other. Sweeps one after the other while the displacements of all are "
        "recorded, and fits a matrix of transfer functions: a denominator for each command, a numerator for each pair, "
        "and a dead time of all commands. Proposes a compensator for all of them together, joint-inverse or "
        "joint-feed-forward, and prints the plant of the virtual rig (kind state-space) for the section `rig`.",
    .options = options,
    .json =
        "{actuator, order, model: {gain, T1_s, T2_s, dead_time_s, damping}, deviation: the same (standard "
        "deviations),\n"
        "offset_m, fit_percent, residual_m, proposal: {pi: {K, Ti_s, Td_s}, pid, imc: {filter_s, delay_s},\n"
        "ziegler_nichols: {p, pi, pid}},\n"
        "bode: [{frequency_Hz, magnitude: [measured, model], phase_rad: [measured, model]}]}\n"
        "--joint --json: {actuators, dead_time_s, commands: [{actuator, denominator, poles: [{frequency_Hz, "
        "damping}]}],\n"
        "pairs: [{command, displacement, fit_percent, numerator, zeros, bode}], zeros_of_determinant, invertible,\n"
        "compensator, errors: [{frequency_Hz, joint_inverse, joint_feed_forward}]}; polynomials by falling powers of s",
    .examples = "yoke identify examples/spring-specimen/spring-specimen.yaml --plot bode.svg\n"
                "yoke identify rig.yaml --actuator a2 --to 40 --amplitude 2mm -o transfer.yaml --json\n"
                "yoke identify rig.yaml --joint -o transfer.yaml --plot pairs.svg",
};
