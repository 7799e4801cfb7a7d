/* Recordings and shapes as files of other programs: CSV, MATLAB, HDF5, VTKHDF. A library of its own beside the other,
 * libyoke-export.a, which needs HDF5 and matio. */
#ifndef YOKE_EXPORT_H
#define YOKE_EXPORT_H

#include <yoke/recording.h>

/* ---- recordings ---- */

/* Exports one stream. CSV: header line, %.17g numbers, streams in bounded memory. MAT: version 5 up to 2 GB per
 * variable, one variable per channel (names with dots become underscores) plus `channels` and `units`. */
enum yk_status yk_export_csv(struct yk_recording *recording, int stream, const char *path, struct yk_err *err);
enum yk_status yk_export_mat(struct yk_recording *recording, int stream, const char *path, struct yk_err *err);
/* HDF5: a dataset for each channel, with units and long name as attributes. */
enum yk_status yk_export_hdf5(struct yk_recording *recording, int stream, const char *path, struct yk_err *err);
/* The same as yk_export_mat with the size of a variable [bytes] from which on version 7.3 is written. */
enum yk_status yk_export_mat_from(struct yk_recording *recording, int stream, const char *path, uint64_t v73_bytes,
                                  struct yk_err *err);

/* ---- shapes ---- */

/* Shapes for ParaView: points, lines between them and vectors on them, as a VTKHDF file (an unstructured grid; with
 * several instants version 2, which ParaView reads from 5.12 on). */
struct yk_vtk_grid {
    size_t points, cells;
    const double *place;     /* 3 of each point */
    const size_t (*cell)[3]; /* points; the third SIZE_MAX: a line, otherwise a triangle */
};
struct yk_vtk_field {
    const char *name;
    const double *values; /* 3 of each point, instant by instant */
};

/* times NULL: one instant, without a time. */
enum yk_status yk_vtk_write(const char *path, const struct yk_vtk_grid *grid, const struct yk_vtk_field *fields,
                            size_t count, const double *times, size_t instants, struct yk_err *err);

#endif
