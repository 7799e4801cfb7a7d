/* Shapes for ParaView: points, lines between them and vectors on them, as a VTKHDF file (an unstructured grid; with
 * several instants version 2, which ParaView reads from 5.12 on). */
#ifndef YOKE_RECORD_VTK_H
#define YOKE_RECORD_VTK_H

#include <yoke/status.h>

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
