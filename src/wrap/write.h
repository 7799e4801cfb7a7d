/* Writes an experiment as an FMU: the prebuilt object of wrap.c, the experiment with its files, and a description. */
#ifndef YOKE_WRAP_WRITE_H
#define YOKE_WRAP_WRITE_H

#include <yoke/yoke.h>

struct yk_wrap_wish {
    int version;                                /* of FMI: 2 or 3 */
    const char *const *inputs, *const *outputs; /* "force.SUB.DOF", "load.NUMBER"; patterns of channels, none: all */
    const char *const *parameters;              /* keys of the file that become parameters */
    size_t input_count, output_count, parameter_count;
};
/* Exporting twice gives the same bytes. */
enum yk_status yk_wrap_write(const struct yk_plan *plan, const struct yk_wrap_wish *wish, const char *path,
                             struct yk_err *err);

#endif
