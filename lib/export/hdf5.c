/* One stream as an HDF5 file that other programs understand without explanation: a dataset for each channel, with the
 * attributes `units`, `long_name`, `kind` and `owner`. */
#include <yoke/export.h>
#include <yoke/file.h>
#include <yoke/hdf5.h>

#include <hdf5.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK_BYTES = 1 << 20 };

static void add_text(hid_t object, const char *name, const char *text)
{
    const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);

    if (*text) {
        H5Tset_size(type, strlen(text));
        H5Tset_cset(type, H5T_CSET_UTF8);
        const hid_t attribute = H5Acreate2(object, name, type, space, H5P_DEFAULT, H5P_DEFAULT);

        H5Awrite(attribute, type, text);
        H5Aclose(attribute);
    }
    H5Sclose(space);
    H5Tclose(type);
}

/* A dataset of doubles, named and explained. HDF5 takes a dot alone as the present group; names with dots are fine. */
static hid_t make_dataset(hid_t file, const struct yk_channel *channel, hsize_t rows)
{
    const hid_t space = H5Screate_simple(1, &rows, NULL),
                set = H5Dcreate2(file, channel->name, H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);

    H5Sclose(space);
    add_text(set, "units", *channel->unit ? channel->unit : "1");
    add_text(set, "long_name", *channel->long_name ? channel->long_name : channel->name);
    add_text(set, "kind", channel->kind);
    add_text(set, "owner", channel->owner);
    return set;
}

static void write_column(hid_t set, const double *block, size_t columns, size_t column, hsize_t first, hsize_t count,
                         double *room)
{
    const hid_t space = H5Dget_space(set), memory = H5Screate_simple(1, &count, NULL);

    for (hsize_t i = 0; i < count; i++)
        room[i] = block[i * columns + column];
    H5Sselect_hyperslab(space, H5S_SELECT_SET, &first, NULL, &count, NULL);
    H5Dwrite(set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, room);
    H5Sclose(memory);
    H5Sclose(space);
}

struct columns {
    hid_t file, *sets;
    size_t count;
    hsize_t rows;
};

static void create(struct columns *c, struct yk_recording *recording, int stream, const char *part)
{
    static const char *const texts[] = {"title", "method", "build", "date", "host", "note"};

    c->file = H5Fcreate(part, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        add_text(c->file, texts[i],
                 yk_recording_text(recording, texts[i]) ? yk_recording_text(recording, texts[i]) : "");
    for (size_t k = 0; k < c->count; k++)
        c->sets[k] = make_dataset(c->file, yk_recording_channel(recording, stream, k), c->rows);
    for (size_t k = 1; k < c->count; k++)
        add_text(c->sets[k], "coordinates", yk_recording_channel(recording, stream, 0)->name);
}

static void close_all(const struct columns *c)
{
    for (size_t k = 0; k < c->count; k++)
        H5Dclose(c->sets[k]);
    H5Fclose(c->file);
}

enum yk_status yk_export_hdf5(struct yk_recording *recording, int stream, const char *path, struct yk_err *err)
{
    struct columns c = {.count = yk_recording_channels(recording, stream),
                        .rows = yk_recording_rows(recording, stream)};
    const hsize_t fitting = BLOCK_BYTES / sizeof(double) / c.count, block = fitting ? fitting : 1;
    double *rows = malloc(block * (c.count + 1) * sizeof *rows);
    char reason[256] = "", *part = NULL;
    enum yk_status st = (c.sets = calloc(c.count, sizeof *c.sets)) && rows
                            ? yk_part_create(&part, path, err)
                            : yk_fail_at(err, YK_E_MEMORY, YK_IN_FILE(path), "out of memory");

    if (st)
        goto end;
    yk_h5_enter();
    create(&c, recording, stream, part);
    yk_h5_leave();
    for (hsize_t first = 0, n; first < c.rows && !st; first += n) {
        n = c.rows - first < block ? c.rows - first : block;
        if (!(st = yk_recording_read(recording, stream, first, n, rows, err))) { /* which enters HDF5 itself */
            yk_h5_enter();
            for (size_t k = 0; k < c.count; k++)
                write_column(c.sets[k], rows, c.count, k, first, n, rows + block * c.count);
            snprintf(reason, sizeof reason, "%s", yk_h5_reason());
            yk_h5_leave();
            if (*reason)
                st = yk_fail_at(err, YK_E_IO, YK_IN_FILE(path), "cannot be written: %s", reason);
        }
    }
    yk_h5_enter();
    close_all(&c);
    snprintf(reason, sizeof reason, "%s", yk_h5_reason());
    yk_h5_leave();
    if (!st && *reason)
        st = yk_fail_at(err, YK_E_IO, YK_IN_FILE(path), "cannot be written: %s", reason);
    if (st || (st = yk_part_keep(part, path, err)))
        unlink(part);
end:
    free(part);
    free(c.sets);
    free(rows);
    return st;
}
