/* The words and options of `yoke export`. */
#include "options.h"

static const struct yk_option fmu_options[] = {
    {"--fmu", "OUT.fmu", "the FMU to write", YK_INTO(struct fmu_options, out)},
    {"--fmi", "2|3", "version of FMI: 2.0 (default) or 3.0", YK_INTO(struct fmu_options, version)},
    {"--input", "NAME", "a force as input: force.SUBSTRUCTURE.DOF is added to the loads, load.NUMBER replaces a load",
     YK_INTO(struct fmu_options, inputs)},
    {"--output", "PATTERN", "channels that become outputs; default: all", YK_INTO(struct fmu_options, outputs)},
    {"--parameter", "KEY", "a number of the file that becomes a parameter, such as substructures.frame.rayleigh.ratio",
     YK_INTO(struct fmu_options, parameters)},
    {"--set", "KEY=VALUE", "replace a value of the file", YK_INTO(struct fmu_options, set)},
    {0},
};

static const struct yk_option options[] = {
    {"--fine", NULL, "one row per fine step, if the run has any", YK_INTO(struct export_options, fine)},
    {"--ticks", NULL,
     "one row per control tick of a run with specimens, from the start ramp to the end ramp: commands sent and "
     "readings",
     YK_INTO(struct export_options, ticks)},
    {"--sites", "DIR",
     "with --ticks --csv, once for each site: also what it recorded (`yoke serve --site`), command by command",
     YK_INTO(struct export_options, sites)},
    {"--csv", "FILE", "a table; - for standard output", YK_INTO(struct export_options, csv)},
    {"--mat", "FILE", "a file for MATLAB", YK_INTO(struct export_options, mat)},
    {"--hdf5", "FILE", "a dataset for each channel, with units and long name as attributes",
     YK_INTO(struct export_options, hdf5)},
    {"--vtk", "FILE", "snapshots of the structure for ParaView 5.12 and later", YK_INTO(struct export_options, vtk)},
    {"--frames", "N", "number of these snapshots; default 200", YK_INTO(struct export_options, frames), .least = 2,
     .most = 100000},
    {"--designsafe", "DIR", "a new folder in the categories of a hybrid simulation of the DesignSafe data depot",
     YK_INTO(struct export_options, designsafe)},
    {"--results", "NAMES", "figures of summary.json on one line, for quoFEM: errors.displacement_nrms,peaks.frame.x.u",
     YK_INTO(struct export_options, results)},
    {"--results-file", "FILE", "the file of --results; default results.out",
     YK_INTO(struct export_options, result_file)},
    {.help = "With --fmu an experiment becomes a functional mock-up unit for co-simulation, for other simulation "
             "programs (docs/fmi.md)."},
    {.rows = fmu_options, .at = offsetof(struct export_options, fmu)},
    {0},
};

const struct yk_command command_export = {
    .name = "export",
    .summary = "write a recording for other programs, or an experiment as FMU",
    .usage = "DIR [--csv OUT.csv] [--mat OUT.mat] [--hdf5 OUT.h5] [--fine | --ticks]\n"
             "DIR --vtk OUT.vtkhdf [--frames N] | --designsafe NEW_DIR | --results NAMES [--results-file FILE]\n"
             "FILE.yaml --fmu OUT.fmu [--fmi 2|3] [--input NAME]... [--output PATTERN]... [--parameter KEY]... [--set "
             "KEY=VALUE]...",
    .about = "Writes a recording as a CSV, MATLAB or HDF5 file, one row per system step, `time` first. DIR is the "
             "folder of a run, or a recording. `--csv -` writes to standard output. If the run was killed, all rows "
             "that were recorded are exported.",
    .options = options,
    .examples = "yoke export frame.yaml --fmu frame.fmu --input force.frame.floor2.x\n"
                "yoke export out/oscillator --csv samples.csv\n"
                "yoke export out/oscillator --mat oscillator.mat",
};
