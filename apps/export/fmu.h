/* The part of `yoke export` that writes an experiment as an FMU. */
#ifndef YOKE_EXPORT_FMU_H
#define YOKE_EXPORT_FMU_H

#include "options.h"

/* Exit code. */
int export_fmu(const struct yk_words *words, const struct fmu_options *options);

#endif
