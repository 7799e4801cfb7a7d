/* Shapes for ParaView as VTKHDF files. */
#include <yoke/export.h>
#include <yoke/file.h>
#include <yoke/hdf5.h>

#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { VTK_LINE = 3, VTK_TRIANGLE = 5 };

static void put(hid_t group, const char *name, hid_t kept, hid_t memory, const void *values, hsize_t rows,
                hsize_t columns)
{
    const hsize_t size[2] = {rows, columns};
    const hid_t space = H5Screate_simple(columns ? 2 : 1, size, NULL),
                set = H5Dcreate2(group, name, kept, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);

    H5Dwrite(set, memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    H5Dclose(set);
    H5Sclose(space);
}

static void put_numbers(hid_t group, const char *name, const long long *values, hsize_t count, hsize_t columns)
{
    put(group, name, H5T_STD_I64LE, H5T_NATIVE_LLONG, values, count, columns);
}

static void put_attribute(hid_t group, const char *name, hid_t type, hid_t memory, const void *value, hsize_t count)
{
    const hid_t space = count ? H5Screate_simple(1, &count, NULL) : H5Screate(H5S_SCALAR),
                attribute = H5Acreate2(group, name, type, space, H5P_DEFAULT, H5P_DEFAULT);

    H5Awrite(attribute, memory, value);
    H5Aclose(attribute);
    H5Sclose(space);
}

/* The kind of grid is a text of fixed length: readers take no other. */
static void put_kind(hid_t group, bool moves)
{
    static const char kind[] = "UnstructuredGrid";
    const hid_t type = H5Tcopy(H5T_C_S1);

    H5Tset_size(type, sizeof kind - 1);
    put_attribute(group, "Type", type, type, kind, 0);
    H5Tclose(type);
    put_attribute(group, "Version", H5T_STD_I64LE, H5T_NATIVE_LLONG, (const long long[]){moves ? 2 : 1, 0}, 2);
}

/* Which of the instants needs which part: the shape stays, the fields follow each other. */
static bool put_steps(hid_t group, const struct yk_vtk_grid *g, const struct yk_vtk_field *fields, size_t count,
                      const double *times, size_t instants)
{
    long long *zeros = calloc(instants, sizeof *zeros), *ones = calloc(instants, sizeof *ones),
              *offsets = calloc(instants, sizeof *offsets), all = (long long)instants;

    if (zeros && ones && offsets) {
        const hid_t steps = H5Gcreate2(group, "Steps", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                    data = H5Gcreate2(steps, "PointDataOffsets", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);

        for (size_t i = 0; i < instants; i++) {
            ones[i] = 1;
            offsets[i] = (long long)i * (long long)g->points;
        }
        put_attribute(steps, "NSteps", H5T_STD_I64LE, H5T_NATIVE_LLONG, &all, 0);
        put(steps, "Values", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, times, instants, 0);
        put_numbers(steps, "PartOffsets", zeros, instants, 0);
        put_numbers(steps, "NumberOfParts", ones, instants, 0);
        put_numbers(steps, "PointOffsets", zeros, instants, 0);
        put_numbers(steps, "CellOffsets", zeros, instants, 1);
        put_numbers(steps, "ConnectivityIdOffsets", zeros, instants, 1);
        for (size_t k = 0; k < count; k++)
            put_numbers(data, fields[k].name, offsets, instants, 0);
        H5Gclose(data);
        H5Gclose(steps);
    }
    const bool good = zeros && ones && offsets;
    free(zeros);
    free(ones);
    free(offsets);
    return good;
}

static bool put_cells(hid_t group, const struct yk_vtk_grid *g)
{
    long long *points = malloc((3 * g->cells + 1) * sizeof *points), *ends = malloc((g->cells + 1) * sizeof *ends),
              used = 0, number = (long long)g->points, cells = (long long)g->cells;
    unsigned char *kinds = malloc(g->cells + 1);
    const bool good = points && ends && kinds;

    for (size_t i = 0; good && i < g->cells; i++) {
        const bool line = g->cell[i][2] == SIZE_MAX;

        ends[i] = used;
        kinds[i] = line ? VTK_LINE : VTK_TRIANGLE;
        for (int k = 0; k < (line ? 2 : 3); k++)
            points[used++] = (long long)g->cell[i][k];
    }
    if (good) {
        ends[g->cells] = used;
        put_numbers(group, "NumberOfPoints", &number, 1, 0);
        put_numbers(group, "NumberOfCells", &cells, 1, 0);
        put_numbers(group, "NumberOfConnectivityIds", &used, 1, 0);
        put(group, "Points", H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, g->place, g->points, 3);
        put_numbers(group, "Connectivity", points, (hsize_t)used, 0);
        put_numbers(group, "Offsets", ends, g->cells + 1, 0);
        put(group, "Types", H5T_STD_U8LE, H5T_NATIVE_UCHAR, kinds, g->cells, 0);
    }
    free(points);
    free(ends);
    free(kinds);
    return good;
}

enum yk_status yk_vtk_write(const char *path, const struct yk_vtk_grid *g, const struct yk_vtk_field *fields,
                            size_t count, const double *times, size_t instants, struct yk_err *err)
{
    char reason[256], *part;
    enum yk_status st = yk_part_create(&part, path, err);

    if (st)
        return st;
    yk_h5_enter();
    const hid_t file = H5Fcreate(part, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT),
                group = H5Gcreate2(file, "VTKHDF", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT),
                data = H5Gcreate2(group, "PointData", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    put_kind(group, times);
    bool room = put_cells(group, g) && (!times || put_steps(group, g, fields, count, times, instants));
    for (size_t k = 0; k < count; k++)
        put(data, fields[k].name, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, fields[k].values, instants * g->points, 3);
    H5Gclose(data);
    H5Gclose(group);
    H5Fclose(file);
    snprintf(reason, sizeof reason, "%s", yk_h5_reason());
    yk_h5_leave();
    if (!room)
        st = yk_fail_at(err, YK_E_MEMORY, YK_IN_FILE(path), "out of memory");
    else if (*reason)
        st = yk_fail_at(err, YK_E_IO, YK_IN_FILE(path), "cannot be written: %s", reason);
    if (st || (st = yk_part_keep(part, path, err)))
        unlink(part);
    free(part);
    return st;
}
