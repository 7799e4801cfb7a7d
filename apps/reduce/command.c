/* The words and options of `yoke reduce`. */
#include "options.h"

static const struct yk_option options[] = {
    {"--substructure", "NAME", "default: the only one that can be reduced (linear, with more than its interface)",
     YK_INTO(struct reduce_options, substructures)},
    {"--interface", "DOFS",
     "degrees of freedom that stay physical, separated by commas; default: those that `interfaces` joins",
     YK_INTO(struct reduce_options, interfaces)},
    {"--method", "NAME",
     "craig-bampton (default): fixed-interface modes and static shapes; rubin: free modes and residual flexibility; "
     "guyan: static shapes only",
     YK_INTO(struct reduce_options, method)},
    {"--modes", "N", "number of modes to keep; default 30", YK_INTO(struct reduce_options, modes)},
    {"--band", "F", "keep all modes below a frequency", YK_INTO(struct reduce_options, band)},
    {"--response", "T", "duration of the compared responses [s]; 0: compare none",
     YK_INTO(struct reduce_options, response)},
    {"--no-report", NULL, "write only the model file and compare nothing", YK_INTO(struct reduce_options, no_report)},
    {"--threads", "N", "reduce several substructures at once", YK_INTO(struct reduce_options, threads)},
    {"--output|-o", "DIR", "folder for the model files and reports", YK_INTO(struct reduce_options, out)},
    {"--set", "KEY=VALUE", "replace a value of the file", YK_INTO(struct reduce_options, set)},
    {"--json", NULL, "print the result as JSON", YK_INTO(struct reduce_options, json)},
    {0},
};

const struct yk_command command_reduce = {
    .name = "reduce",
    .summary = "reduce a large linear substructure to a few coordinates",
    .usage = "FILE [--substructure NAME [--interface DOF,DOF...]]... [--method craig-bampton|rubin|guyan] [--modes 30 "
             "| --band HZ] [--response 1s] [--no-report] [--threads N] [--set KEY=VALUE]... [--json] -o DIR",
    .about = "Reduces linear substructures to modal coordinates q1, q2, ... and the displacements of their interface. "
             "Writes the model file DIR/NAME.h5, which an experiment reads with `kind: reduced, file: NAME.h5`, and a "
             "report DIR/NAME.md (the same numbers are in DIR/NAME.json): frequency errors, MAC matrix, response to "
             "noise on the interface, and effective mass under ground motion. If the experiment joins this "
             "substructure to exactly one other, the report also compares the motion of the whole structure.",
    .options = options,
    .notes = "`mpirun -n N yoke reduce ...` shares the factors of large matrices among N processes (MUMPS over MPI).",
    .json = "[{substructure, method, full, modes, interface, kept_Hz, check: {residual, shift_Hz, counted, found},\n"
            " fidelity: {rigid_modes, left_out, limit_Hz, full_Hz, reduced_Hz, worst_error, frequency_nmse, "
            "exact_below_Hz,\n"
            " mac: {least_diagonal, least_in_cluster, largest_off_diagonal, matrix}, response: {dt_s, steps, rms_m, "
            "mse_m2, nmse, ...}},\n"
            " ground: [{direction, mass_kg, share}], whole: the same as response, with times; seconds: {reduce, "
            "compare}, memory_MB, processes}]",
    .examples = "yoke reduce examples/vehicle-frame/vehicle-frame.yaml --interface L1.z,R1.z,L3.z,R3.z -o out/frame\n"
                "yoke reduce bridge.yaml --substructure deck --band 50Hz -o out/deck --json",
};
