/* Tables as HDF5 files, a dataset for each column (yoke/columns.h). */
#include <yoke/columns.h>
#include <yoke/file.h>
#include <yoke/hdf5.h>

#include <hdf5.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Times in the file would make two files of the same table differ. */
static hid_t without_times(hid_t class)
{
    const hid_t properties = H5Pcreate(class);

    H5Pset_obj_track_times(properties, 0);
    return properties;
}

static void put(hid_t at, const char *name, hid_t type, size_t rows, const void *data)
{
    const hsize_t size = rows;
    const hid_t space = H5Screate_simple(1, &size, NULL), properties = without_times(H5P_DATASET_CREATE),
                set = H5Dcreate2(at, name, type, space, H5P_DEFAULT, properties, H5P_DEFAULT);

    H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
    H5Dclose(set);
    H5Pclose(properties);
    H5Sclose(space);
}

/* Texts, each in as many bytes as the longest needs. */
static bool put_texts(hid_t at, const char *name, size_t rows, const char *const *texts)
{
    size_t longest = 1;

    for (size_t i = 0; i < rows; i++)
        longest = strlen(texts[i]) > longest ? strlen(texts[i]) : longest;
    char *block = calloc(rows + 1, longest);
    const hid_t type = H5Tcopy(H5T_C_S1);

    if (block) {
        for (size_t i = 0; i < rows; i++)
            memcpy(block + i * longest, texts[i], strlen(texts[i]));
        H5Tset_size(type, longest);
        H5Tset_strpad(type, H5T_STR_NULLPAD);
        H5Tset_cset(type, H5T_CSET_UTF8);
        put(at, name, type, rows, block);
    }
    const bool good = block;

    H5Tclose(type);
    free(block);
    return good;
}

static bool put_column(hid_t at, const struct yk_column *c, size_t rows)
{
    if (c->texts)
        return put_texts(at, c->name, rows, c->texts);
    put(at, c->name, c->counts ? H5T_NATIVE_UINT64 : H5T_NATIVE_DOUBLE, rows,
        c->counts ? (const void *)c->counts : (const void *)c->numbers);
    return true;
}

/* The first column of the same group; i: this one. */
static size_t first_of(const struct yk_column *columns, size_t i)
{
    size_t k = 0;

    while (k < i && !(columns[k].group && strcmp(columns[k].group, columns[i].group) == 0))
        k++;
    return k;
}

static bool put_columns(hid_t file, const struct yk_column *columns, size_t count, size_t rows)
{
    const hid_t properties = without_times(H5P_GROUP_CREATE);
    hid_t *group = calloc(count + 1, sizeof *group);
    bool good = group;

    for (size_t i = 0; i < count && good; i++)
        if (columns[i].group && first_of(columns, i) == i)
            group[i] = H5Gcreate2(file, columns[i].group, H5P_DEFAULT, properties, H5P_DEFAULT);
    for (size_t i = 0; i < count && good; i++)
        good = put_column(columns[i].group ? group[first_of(columns, i)] : file, &columns[i], rows);
    for (size_t i = 0; i < count && group; i++)
        if (columns[i].group && first_of(columns, i) == i)
            H5Gclose(group[i]);
    H5Pclose(properties);
    free(group);
    return good;
}

static void put_about(hid_t file, const char *name, const char *text)
{
    const hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);

    H5Tset_size(type, strlen(text) + 1);
    H5Tset_cset(type, H5T_CSET_UTF8);
    const hid_t attribute = H5Acreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT);

    H5Awrite(attribute, type, text);
    H5Aclose(attribute);
    H5Sclose(space);
    H5Tclose(type);
}

enum yk_status yk_columns_write(const char *path, const struct yk_column *columns, size_t count, size_t rows,
                                const char *name, const char *about, struct yk_err *err)
{
    char *part = NULL;
    enum yk_status st = yk_part_create(&part, path, err);

    if (!st) {
        yk_h5_enter();
        const hid_t properties = without_times(H5P_FILE_CREATE),
                    file = H5Fcreate(part, H5F_ACC_TRUNC, properties, H5P_DEFAULT);
        const bool good = put_columns(file, columns, count, rows);

        put_about(file, name, about);
        H5Pclose(properties);
        H5Fclose(file);
        if (!good)
            st = yk_fail(err, YK_E_MEMORY, "out of memory");
        else if (*yk_h5_reason())
            st = yk_fail_at(err, YK_E_IO, YK_IN_FILE(part), "cannot write the table: %s", yk_h5_reason());
        yk_h5_leave();
        st = st ? st : yk_part_keep(part, path, err);
    }
    if (st && part)
        unlink(part);
    free(part);
    return st;
}
