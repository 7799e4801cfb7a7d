/* Tables as HDF5 files: a dataset for each column. The same table gives the same bytes. In
 * libyoke-export.a. */
#ifndef YOKE_COLUMNS_H
#define YOKE_COLUMNS_H

#include <stdint.h>
#include <yoke/status.h>

/* A column; one of the arrays, with a value for each row. */
struct yk_column {
    const char *group; /* "results"; NULL: none */
    const char *name;
    const double *numbers;
    const uint64_t *counts;
    const char *const *texts; /* UTF-8 */
};
/* Writes the file as a whole or not at all. `about`: a text that describes the table, kept as the attribute of this
 * name. */
enum yk_status yk_columns_write(const char *path, const struct yk_column *columns, size_t count, size_t rows,
                                const char *name, const char *about, struct yk_err *err);

#endif
