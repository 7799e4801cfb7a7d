/* yoke export: a recording as CSV or MAT, an experiment as FMU. */
#include "fmu.h"
#include "options.h"
#include "others.h"
#include "sites.h"
#include <yoke/export.h>

#include <stdlib.h>

static int run(int argc, char **argv)
{
    struct export_options g = {.result_file = "results.out", .frames = 200};
    struct yk_recording *recording = NULL;
    struct yk_err err = {0};
    struct yk_words words;
    char *path;
    int stream, code = 0;

    if (!yk_take_options(&command_export, argc, argv, &g, &words))
        return 2;
    if (g.fmu.out)
        return export_fmu(&words, &g.fmu);
    if (words.count != 1 || (!g.csv && !g.mat && !g.hdf5 && !g.vtk && !g.designsafe && !g.results))
        return yk_misuse(&command_export, words.count == 1
                                              ? "no output: give --csv FILE, --mat FILE, --hdf5 FILE, --vtk FILE, "
                                                "--designsafe DIR or --results NAMES"
                                              : "which recording?");
    if (g.fine && g.ticks)
        return yk_misuse(&command_export, "--fine and --ticks exclude each other");
    if (g.sites.count && (!g.csv || g.mat || g.hdf5 || !g.ticks))
        return yk_misuse(&command_export, "--sites goes with --ticks --csv FILE");
    if (!(path = yk_command_recording(words.rest[0])))
        return 1;
    if (yk_recording_open(&recording, path, &err)) {
        yk_command_fail(&err);
        code = 2;
    } else if ((stream = yk_command_stream(recording, path, g.fine, g.ticks)) < 0 || yk_command_replaces(g.csv, path) ||
               yk_command_replaces(g.mat, path) || yk_command_replaces(g.hdf5, path) ||
               yk_command_replaces(g.vtk, path)) {
        code = 2;
    } else {
        if (!yk_recording_finished(recording))
            fprintf(stderr, "yoke: note: this run is incomplete; exporting the %lu recorded rows\n",
                    (unsigned long)yk_recording_rows(recording, stream));
        if (g.sites.count)
            code = export_sites(recording, &g.sites, g.csv);
        else if ((g.csv && yk_export_csv(recording, stream, g.csv, &err)) ||
                 (g.mat && yk_export_mat(recording, stream, g.mat, &err)) ||
                 (g.hdf5 && yk_export_hdf5(recording, stream, g.hdf5, &err)))
            code = yk_command_fail(&err);
        if (!code && g.vtk)
            code = export_vtk(recording, g.vtk, g.frames);
        if (!code && g.designsafe)
            code = export_designsafe(recording, path, g.designsafe);
        if (!code && g.results)
            code = export_results(recording, path, g.results, g.result_file);
    }
    if (recording)
        yk_recording_close(recording);
    free(path);
    return code;
}

int main(int argc, char **argv)
{
    return yk_command_main(&command_export, run, argc, argv);
}
