/* `yoke new` and its options, for the program itself and for `yoke --help`, completion and manual page. */
#include "options.h"

static const struct yk_option options[] = {
    {.help = "Structure:"},
    {"--storeys", "N", "floors of a shear building, 1 to 40; 1 is a single mass; default 3",
     YK_INTO(struct new_options, storeys)},
    {"--mass", "M", "of every floor, or of each from the lowest, `24 t, 24 t, 18 t`; default 20 t",
     YK_INTO(struct new_options, mass)},
    {"--stiffness", "K", "of every storey, or of each from the lowest; default: from the period",
     YK_INTO(struct new_options, stiffness)},
    {"--period", "T", "of the first mode, instead of the stiffness; default 0.15 s a storey, at least 0.5 s",
     YK_INTO(struct new_options, period)},
    {"--damping", "P", "damping ratio of the first mode, 0 to 30 %; default 3 %", YK_INTO(struct new_options, damping)},
    {"--mass-matrix", "FILE",
     "the structure as matrices instead, in any format that `kind: linear` reads (`yoke list formats`)",
     YK_INTO(struct new_options, mass_matrix)},
    {"--stiffness-matrix", "FILE", "of the same degrees of freedom", YK_INTO(struct new_options, stiffness_matrix)},
    {"--at", "DOF", "of the matrices, where the specimen acts: a number from 1, or a name; default 1",
     YK_INTO(struct new_options, at)},
    {.help = "Specimen, between the ground and the first floor (or --at):"},
    {"--specimen", "KIND", "spring, brace, damper, fluid-damper or isolator; default spring",
     YK_INTO(struct new_options, specimen)},
    {"--share", "P", "part of the stiffness of the storey, or of the bearings, that is tested, 1 to 90 %; default 30 %",
     YK_INTO(struct new_options, share)},
    {"--specimen-stiffness", "K", "instead of the part; of an isolator after it has yielded",
     YK_INTO(struct new_options, specimen_stiffness)},
    {"--specimen-damping", "C",
     "of a damper; of a fluid damper at 0.1 m/s; default: so much that the first mode has 5 % more",
     YK_INTO(struct new_options, specimen_damping)},
    {"--yield-force", "F", "of a brace or an isolator; default: from the weight",
     YK_INTO(struct new_options, yield_force)},
    {.help = "Ground motion:"},
    {"--record", "FILE",
     "a record in a format that `yoke motion` reads, `hills` or `valley` (shipped, invented), or `synthetic`, the "
     "default",
     YK_INTO(struct new_options, record)},
    {"--unit", "UNIT", "of a record that does not say it: g", YK_INTO(struct new_options, unit)},
    {"--record-step", "T", "of a record with one column", YK_INTO(struct new_options, record_step)},
    {"--peak", "A", "largest acceleration; default: that of the record, of a synthetic one 0.2 g",
     YK_INTO(struct new_options, peak)},
    {.help = "Laboratory:"},
    {"--rate", "F", "control rate, 100 Hz to 20 kHz; default 1 kHz", YK_INTO(struct new_options, rate)},
    {"--table", "FILE", "your actuators (CSV, columns as in data/actuators/classes.csv) instead of the usual classes",
     YK_INTO(struct new_options, table)},
    {.help = "Questions:"},
    {"--defaults", NULL, "ask nothing; on a terminal, what was not given is asked",
     YK_INTO(struct new_options, defaults)},
    {"--ask", NULL, "ask although the input is no terminal", YK_INTO(struct new_options, ask)},
    {.help = "Instead:"},
    {"--from", "EXAMPLE", "copy an example with its data files", YK_INTO(struct new_options, from)},
    {"--list", NULL, "the examples with a line and a picture each", YK_INTO(struct new_options, list)},
    {.help = "Output:"},
    {"--json", NULL, "print the result as JSON", YK_INTO(struct new_options, json)},
    {0},
};

const struct yk_command command_new = {
    .name = "new",
    .summary = "begin a test of your own: questions, a folder",
    .usage = "FOLDER [OPTIONS]\nFOLDER --from EXAMPLE\n--list [--json]",
    .about =
        "Makes a folder with a commented experiment file, its data files and a README. The answers come from the "
        "options and, on a terminal, from questions; the rest has defaults. The actuator is the smallest of a table of "
        "data sheets that carries the test; the test is rehearsed with it, and the delay of the compensator is that "
        "of the rehearsal.\n\n"
        "Nothing that exists is changed: the folder must be new. Exit code 4, and no folder, if no actuator of the "
        "table gives a usable test.",
    .options = options,
    .json = "{folder, file, files, actuator, step_s, delay_s, verdict, reasons}; with --list {examples: [{name, shows, "
            "folder, files, picture}]}",
    .examples = "yoke new frame\n"
                "yoke new brace --defaults --storeys 4 --mass 24t --period 0.6s --specimen brace\n"
                "yoke new mine --from spring-specimen",
};
