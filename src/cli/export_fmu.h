/* The part of `yoke export` that writes an experiment as an FMU. */
#ifndef YOKE_CLI_EXPORT_FMU_H
#define YOKE_CLI_EXPORT_FMU_H

#include "cli/cli.h"

/* Options of `yoke export FILE --fmu OUT`. */
struct fmu_options {
    const char *out, *version;
    struct text_list inputs, outputs, parameters, set;
};
#define FMU_OPTIONS(o)                                                                                                 \
    {"--fmu", OPTION_TEXT, &(o).out}, {"--fmi", OPTION_TEXT, &(o).version}, {"--input", OPTION_LIST, &(o).inputs},     \
        {"--output", OPTION_LIST, &(o).outputs}, {"--parameter", OPTION_LIST, &(o).parameters},                        \
    {                                                                                                                  \
        "--set", OPTION_LIST, &(o).set                                                                                 \
    }
int export_fmu(const struct words *words, const struct fmu_options *options);

#endif
