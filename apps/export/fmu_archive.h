/* The archive of an experiment as an FMU, for other simulation programs: an object with the numerics (object/), the
 * experiment with its files, and a description. docs/fmi.md */
#ifndef YOKE_EXPORT_FMU_ARCHIVE_H
#define YOKE_EXPORT_FMU_ARCHIVE_H

#include <yoke/yoke.h>

struct fmu_wish {
    int version;                                /* of FMI: 2 or 3 */
    const char *const *inputs, *const *outputs; /* "force.SUB.DOF", "load.NUMBER"; patterns of channels, none: all */
    const char *const *parameters;              /* keys of the file that become parameters */
    size_t input_count, output_count, parameter_count;
};
/* Exporting twice gives the same bytes. */
enum yk_status fmu_write(const struct yk_model *model, const struct fmu_wish *wish, const char *path,
                         struct yk_err *err);

#endif
