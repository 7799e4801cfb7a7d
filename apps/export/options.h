/* Options of `yoke export`. */
#ifndef YOKE_EXPORT_OPTIONS_H
#define YOKE_EXPORT_OPTIONS_H

#include <yoke/command.h>

extern const struct yk_command command_export;

/* Options of `yoke export FILE --fmu OUT`. */
struct fmu_options {
    const char *out, *version;
    struct yk_text_list inputs, outputs, parameters, set;
};

struct export_options {
    const char *csv, *mat, *hdf5, *vtk, *designsafe, *results, *result_file;
    long frames;
    bool fine, ticks;
    struct yk_text_list sites;
    struct fmu_options fmu;
};

#endif
