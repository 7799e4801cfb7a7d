/* yoke export: a recording as CSV or MAT, an experiment as FMU. */
#include "cli/cli.h"
#include "cli/export_fmu.h"
#include "cli/export_others.h"
#include "cli/export_sites.h"

#include "record/record.h"

#include <stdlib.h>

static int run(int argc, char **argv)
{
    const char *csv = NULL, *mat = NULL, *hdf5 = NULL, *vtk = NULL, *designsafe = NULL, *results = NULL,
               *result_file = "results.out", *frames_text = NULL;
    long frames = 200;
    bool fine = false, ticks = false;
    struct text_list sites = {0};
    struct fmu_options fmu = {0};
    const struct option_spec specs[] = {{"--csv", OPTION_TEXT, &csv},
                                        {"--mat", OPTION_TEXT, &mat},
                                        {"--fine", OPTION_FLAG, &fine},
                                        {"--ticks", OPTION_FLAG, &ticks},
                                        {"--sites", OPTION_LIST, &sites},
                                        {"--hdf5", OPTION_TEXT, &hdf5},
                                        {"--vtk", OPTION_TEXT, &vtk},
                                        {"--frames", OPTION_TEXT, &frames_text},
                                        {"--designsafe", OPTION_TEXT, &designsafe},
                                        {"--results", OPTION_TEXT, &results},
                                        {"--results-file", OPTION_TEXT, &result_file},
                                        FMU_OPTIONS(fmu),
                                        {0}};
    struct yk_recording *recording = NULL;
    struct yk_err err = {0};
    struct words words;
    char *path;
    int stream, code = 0;

    if (!take_options(&command_export, argc, argv, specs, &words))
        return 2;
    if (fmu.out)
        return export_fmu(&words, &fmu);
    if (words.count != 1 || (!csv && !mat && !hdf5 && !vtk && !designsafe && !results))
        return usage_error(&command_export, words.count == 1
                                                ? "no output: give --csv FILE, --mat FILE, --hdf5 FILE, --vtk FILE, "
                                                  "--designsafe DIR or --results NAMES"
                                                : "which recording?");
    if (!parse_count(&command_export, "--frames", frames_text, 2, 100000, &frames))
        return 2;
    if (fine && ticks)
        return usage_error(&command_export, "--fine and --ticks exclude each other");
    if (sites.count && (!csv || mat || hdf5 || !ticks))
        return usage_error(&command_export, "--sites goes with --ticks --csv FILE");
    if (!(path = recording_path(words.rest[0])))
        return 1;
    if (yk_recording_open(&recording, path, &err)) {
        report_failure(&err);
        code = 2;
    } else if ((stream = find_stream(recording, path, fine, ticks)) < 0 || is_recording(csv, path) ||
               is_recording(mat, path) || is_recording(hdf5, path) || is_recording(vtk, path)) {
        code = 2;
    } else {
        if (!yk_recording_finished(recording))
            fprintf(stderr, "yoke: note: this run is incomplete; exporting the %lu recorded rows\n",
                    (unsigned long)yk_recording_rows(recording, stream));
        if (sites.count)
            code = export_sites(recording, &sites, csv);
        else if ((csv && yk_export_csv(recording, stream, csv, &err)) ||
                 (mat && yk_export_mat(recording, stream, mat, &err)) ||
                 (hdf5 && yk_export_hdf5(recording, stream, hdf5, &err)))
            code = report_failure(&err);
        if (!code && vtk)
            code = export_vtk(recording, vtk, frames);
        if (!code && designsafe)
            code = export_designsafe(recording, path, designsafe);
        if (!code && results)
            code = export_results(recording, path, results, result_file);
    }
    if (recording)
        yk_recording_close(recording);
    free(path);
    return code;
}

const struct command command_export = {
    .name = "export",
    .summary = "write a recording for other programs, or an experiment as FMU",
    .options = "--csv --mat --fine --ticks --sites --hdf5 --vtk --frames --designsafe --results --results-file --fmu "
               "--fmi --input --output --parameter --set",
    .help =
        "usage: yoke export DIR [--csv OUT.csv] [--mat OUT.mat] [--hdf5 OUT.h5] [--fine | --ticks]\n"
        "       yoke export DIR --vtk OUT.vtkhdf [--frames N] | --designsafe NEW_DIR | --results NAMES [--results-file "
        "FILE]\n"
        "       yoke export FILE.yaml --fmu OUT.fmu [--fmi 2|3] [--input NAME]... [--output PATTERN]... [--parameter "
        "KEY]...\n"
        "                   [--set KEY=VALUE]...\n\n"
        "Writes a recording as a CSV, MATLAB or HDF5 file, one row per system step, `time` first. DIR "
        "is the\n"
        "folder of a run, or a recording. `--csv -` writes to standard output. If the run was killed, all rows "
        "that were\n"
        "recorded are exported.\n\n"
        "  --fine    one row per fine step, if the run has any\n"
        "  --ticks   one row per control tick of a run with specimens, from the start ramp to the end ramp: "
        "commands sent\n"
        "            and readings\n"
        "  --sites DIR   with --ticks --csv, once for each site: also what it recorded (`yoke serve --site`), command\n"
        "            by command\n"
        "  --hdf5    a dataset for each channel, with units and long name as attributes\n\n"
        "  --vtk FILE        snapshots of the structure for ParaView 5.12 and later; --frames N of them (default 200)\n"
        "  --designsafe DIR  a new folder in the categories of a hybrid simulation of the DesignSafe data depot\n"
        "  --results NAMES   figures of summary.json on one line, for quoFEM: "
        "errors.displacement_nrms,peaks.frame.x.u, into\n"
        "                    results.out or the file that --results-file names\n\n"
        "With --fmu an experiment becomes a functional mock-up unit for co-simulation, for other simulation "
        "programs\n"
        "(docs/fmi.md).\n\n"
        "  --fmi 2|3        version of FMI: 2.0 (default) or 3.0\n"
        "  --input NAME     a force as input: force.SUBSTRUCTURE.DOF is added to the loads, load.NUMBER replaces "
        "a load\n"
        "  --output PATTERN channels that become outputs; default: all\n"
        "  --parameter KEY  a number of the file that becomes a parameter, such as "
        "substructures.frame.rayleigh.ratio\n\n"
        "examples:\n"
        "  yoke export frame.yaml --fmu frame.fmu --input force.frame.floor2.x\n"
        "  yoke export out/oscillator --csv samples.csv\n"
        "  yoke export out/oscillator --mat oscillator.mat\n",
    .run = run,
};
