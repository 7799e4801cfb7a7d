/* HDF5 files that are nearly recordings or reduced models, written with the library of HDF5: bytes choose where a file
 * deviates, in the type, form, storage or link of one of its objects. A byte of 0 chooses what is right, and so does
 * every byte after the last. */
#ifndef YOKE_CRAFTED_H
#define YOKE_CRAFTED_H

#include <hdf5.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct craft {
    const uint8_t *next, *end;
    const char *elsewhere; /* another file, whose bytes must not get into this one */
    hid_t file;
};

static inline unsigned craft_choose(struct craft *c, unsigned count)
{
    return c->next < c->end ? *c->next++ % count : 0;
}

/* ---- types ---- */

enum { CRAFT_TYPES = 14, CRAFT_SPACES = 11, CRAFT_STORAGES = 8, CRAFT_LINKS = 5 };

static inline hid_t craft_text(size_t size)
{
    hid_t type = H5Tcopy(H5T_C_S1);

    H5Tset_size(type, size);
    return type;
}

static inline hid_t craft_type(struct craft *c, hid_t right)
{
    const hsize_t wide = 64;
    hid_t type;

    switch (craft_choose(c, CRAFT_TYPES)) {
    case 1:
        return H5Tcopy(H5T_STD_I8BE);
    case 2:
        return H5Tcopy(H5T_NATIVE_DOUBLE);
    case 3:
        return H5Tcopy(H5T_NATIVE_LDOUBLE);
    case 4:
        return craft_text(1);
    case 5:
        return craft_text(5000);
    case 6:
        return craft_text(H5T_VARIABLE);
    case 7:
        return H5Tarray_create2(H5T_NATIVE_INT, 1, &wide);
    case 8:
        type = H5Tcreate(H5T_COMPOUND, 256);
        H5Tinsert(type, "a", 0, H5T_NATIVE_INT);
        H5Tinsert(type, "b", 128, H5T_NATIVE_DOUBLE);
        return type;
    case 9:
        type = H5Tcreate(H5T_OPAQUE, 300);
        H5Tset_tag(type, "anything");
        return type;
    case 10:
        return H5Tvlen_create(H5T_NATIVE_INT);
    case 11:
        return H5Tcopy(H5T_STD_REF_OBJ);
    case 12:
        type = H5Tenum_create(H5T_NATIVE_INT);
        H5Tenum_insert(type, "ONE", &(int){1});
        return type;
    case 13: /* a number with an odd place of its bits */
        type = H5Tcopy(H5T_NATIVE_INT64);
        H5Tset_precision(type, 1 + craft_choose(c, 60));
        H5Tset_offset(type, craft_choose(c, 3));
        return type;
    default:
        return H5Tcopy(right);
    }
}

/* ---- forms ---- */

static inline hid_t craft_space(struct craft *c, int rank, const hsize_t *extent)
{
    static const hsize_t forms[][3] = {{1}, {64}, {5000}, {0, 4}, {4, 3}, {2, 2, 2}, {(hsize_t)1 << 62, 1 << 20}};
    const unsigned chosen = craft_choose(c, CRAFT_SPACES);
    hsize_t many[H5S_MAX_RANK];

    if (chosen == 0)
        return rank ? H5Screate_simple(rank, extent, NULL) : H5Screate(H5S_SCALAR);
    if (chosen == 1)
        return H5Screate(H5S_NULL);
    if (chosen == 2)
        return H5Screate(H5S_SCALAR);
    if (chosen == 3) {
        for (int k = 0; k < H5S_MAX_RANK; k++)
            many[k] = 1 + (k < 3);
        return H5Screate_simple(H5S_MAX_RANK, many, NULL);
    }
    const hsize_t *form = forms[chosen - 4];

    return H5Screate_simple(form[2] ? 3 : form[1] ? 2 : 1, form, NULL);
}

/* ---- storage ---- */

/* Creation list of a data set: how its data are stored. */
static inline hid_t craft_storage(struct craft *c, hid_t space)
{
    hid_t create = H5Pcreate(H5P_DATASET_CREATE);
    hsize_t chunk[H5S_MAX_RANK], extent[H5S_MAX_RANK] = {0};
    const int rank = H5Sget_simple_extent_dims(space, extent, NULL);
    const unsigned chosen = craft_choose(c, CRAFT_STORAGES);

    for (int k = 0; k < rank; k++)
        chunk[k] = extent[k] > 0 && extent[k] < 16 ? extent[k] : 16;
    H5Pset_fill_time(create, H5D_FILL_TIME_NEVER);
    if (chosen == 1 && rank > 0) {
        H5Pset_chunk(create, rank, chunk);
    } else if (chosen == 2 && rank > 0) {
        H5Pset_chunk(create, rank, chunk);
        H5Pset_deflate(create, 6);
    } else if (chosen == 3) {
        H5Pset_external(create, c->elsewhere, 0, H5F_UNLIMITED);
    } else if (chosen == 4) {
        H5Pset_layout(create, H5D_COMPACT);
    } else if (chosen == 5 && rank > 0) {
        H5Pset_virtual(create, space, c->elsewhere, "/samples", space);
    } else if (chosen == 6 && rank > 0) { /* a filter that is not there */
        H5Pset_chunk(create, rank, chunk);
        H5Pset_filter(create, 32015, H5Z_FLAG_OPTIONAL, 0, NULL);
    } else if (chosen == 7 && rank > 0) {
        for (int k = 0; k < rank; k++)
            chunk[k] = extent[k] > 0 ? extent[k] : 1;
        H5Pset_chunk(create, rank, chunk);
        H5Pset_shuffle(create);
        H5Pset_fletcher32(create);
    }
    return create;
}

/* Small data are written as they are; large ones stay unwritten. */
static inline void craft_write(hid_t set, hid_t space, hid_t type, const void *data, size_t bytes, bool attribute)
{
    static char zeros[1 << 16];
    const hssize_t points = H5Sget_simple_extent_npoints(space);
    const size_t needed = points > 0 && points < 10000 ? (size_t)points * H5Tget_size(type) : sizeof zeros + 1;
    const bool plain =
        H5Tget_class(type) != H5T_VLEN && H5Tis_variable_str(type) <= 0 && H5Tget_class(type) != H5T_REFERENCE;
    const void *from = needed == bytes ? data : zeros;

    if (!plain || needed > sizeof zeros)
        return;
    if (attribute)
        H5Awrite(set, type, from);
    else
        H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, from);
}

/* ---- objects ---- */

/* How a name leads to a set: directly, or by a link; sometimes not at all. */
static inline void craft_set(struct craft *c, const char *name, hid_t right, int rank, const hsize_t *extent,
                             const void *data, size_t bytes)
{
    const unsigned link = craft_choose(c, CRAFT_LINKS);
    hid_t type = craft_type(c, right), space = craft_space(c, rank, extent), create = craft_storage(c, space), set;
    char aside[200];

    snprintf(aside, sizeof aside, "%s-aside", name);
    set = H5Dcreate2(c->file, link == 1 ? aside : name, type, space, H5P_DEFAULT, create, H5P_DEFAULT);
    if (link == 1)
        H5Lcreate_soft(aside, c->file, name, H5P_DEFAULT, H5P_DEFAULT);
    if (set >= 0 && H5Pget_external_count(create) <= 0 && H5Pget_layout(create) != H5D_VIRTUAL) /* not elsewhere */
        craft_write(set, space, type, data, bytes, false);
    H5Dclose(set);
    if (link >= 2)
        H5Ldelete(c->file, name, H5P_DEFAULT);
    if (link == 2)
        H5Lcreate_external(c->elsewhere, name, c->file, name, H5P_DEFAULT, H5P_DEFAULT);
    if (link == 3)
        H5Lcreate_hard(c->file, "/", c->file, name, H5P_DEFAULT, H5P_DEFAULT); /* a circle */
    H5Pclose(create);
    H5Sclose(space);
    H5Tclose(type);
}

static inline void craft_attribute(struct craft *c, const char *name, hid_t right, const void *data, size_t bytes)
{
    hid_t type = craft_type(c, right), space = craft_space(c, 0, NULL);
    hid_t at = H5Acreate2(c->file, name, type, space, H5P_DEFAULT, H5P_DEFAULT);

    if (at >= 0)
        craft_write(at, space, type, data, bytes, true);
    H5Aclose(at);
    H5Sclose(space);
    H5Tclose(type);
}

/* A text, which is an attribute or a set. */
static inline void craft_words(struct craft *c, const char *name, const char *words, bool as_set)
{
    hid_t type = craft_text(strlen(words) + 1);

    if (craft_choose(c, 8) == 1)
        as_set = !as_set;
    if (as_set)
        craft_set(c, name, type, 0, NULL, words, strlen(words) + 1);
    else
        craft_attribute(c, name, type, words, strlen(words) + 1);
    H5Tclose(type);
}

/* ---- files ---- */

static inline void craft_names(struct craft *c, const char *name, size_t size, hsize_t count)
{
    static const char given[8][128] = {"time", "x", "y", "z", "p", "q", "r", "s"};
    char packed[8 * 128] = "";
    hid_t type = craft_text(size);

    for (hsize_t i = 0; i < count; i++)
        memcpy(packed + i * size, given[i], size);
    H5Tset_strpad(type, H5T_STR_NULLPAD);
    craft_set(c, name, type, 1, &count, packed, count * size);
    H5Tclose(type);
}

static inline void craft_stream(struct craft *c, const char *group)
{
    static const double rows[20 * 4];
    const hsize_t extent[] = {20, 4};
    char name[100];

    H5Gclose(H5Gcreate2(c->file, group, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
    snprintf(name, sizeof name, "%s/samples", group);
    craft_set(c, name, H5T_IEEE_F64LE, 2, extent, rows, sizeof rows);
    snprintf(name, sizeof name, "%s/channels", group);
    craft_names(c, name, 64, 4);
    snprintf(name, sizeof name, "%s/units", group);
    craft_names(c, name, 16, 4);
}

/* Writes a file at `path`; `elsewhere` names one that it may point to. */
static inline void craft_file(const char *path, const char *elsewhere, const uint8_t *bytes, size_t size, bool model)
{
    struct craft c = {.next = bytes, .end = bytes + size, .elsewhere = elsewhere};
    static const double square[3 * 3] = {2, -1, 0, -1, 2, -1, 0, -1, 2}, wide[3 * 8];
    const hsize_t n2[] = {3, 3}, full[] = {3, 8}, one = 1, two = 2;
    hid_t create = H5Pcreate(H5P_FILE_CREATE), access = H5Pcreate(H5P_FILE_ACCESS);

    H5Eset_auto2(H5E_DEFAULT, NULL, NULL); /* what the library refuses to write is left out */
    H5Pset_libver_bounds(access, craft_choose(&c, 4) == 1 ? H5F_LIBVER_EARLIEST : H5F_LIBVER_V110, H5F_LIBVER_LATEST);
    if (model)
        H5Pset_userblock(create, 512);
    c.file = H5Fcreate(path, H5F_ACC_TRUNC, create, access);
    if (model) {
        craft_words(&c, "format", "yoke reduced model 2", false);
        craft_words(&c, "method", "craig-bampton", false);
        craft_set(&c, "recovery", H5T_NATIVE_DOUBLE, 2, full, wide, sizeof wide);
        craft_set(&c, "interface", H5T_NATIVE_ULLONG, 1, &one, &(unsigned long long){2}, sizeof(unsigned long long));
        craft_set(&c, "w2", H5T_NATIVE_DOUBLE, 1, &two, square, 2 * sizeof(double));
        craft_set(&c, "mass", H5T_NATIVE_DOUBLE, 2, n2, square, sizeof square);
        craft_set(&c, "damping", H5T_NATIVE_DOUBLE, 2, n2, square, sizeof square);
        craft_set(&c, "stiffness", H5T_NATIVE_DOUBLE, 2, n2, square, sizeof square);
        craft_names(&c, "names", 128, 3);
        craft_names(&c, "full_names", 128, 8);
        craft_words(&c, "source", "model.yaml", false);
        craft_words(&c, "source_checksum", "0123456789abcdef", false);
        craft_words(&c, "source_substructure", "frame", false);
        craft_words(&c, "source_settings", "", false);
    } else {
        craft_words(&c, "format", "yoke-recording", false);
        craft_attribute(&c, "format_version", H5T_STD_I32LE, &(int){1}, sizeof(int));
        craft_attribute(&c, "finished", H5T_STD_I32LE, &(int){1}, sizeof(int));
        craft_words(&c, "title", "A frame", false);
        craft_words(&c, "experiment", "title: A frame\n", true);
        craft_words(&c, "summary", "{\"state\": \"finished\"}", true);
        craft_words(&c, "description", "{\"a\": [1]}", true);
        craft_stream(&c, "system");
        craft_stream(&c, "ticks");
    }
    H5Fclose(c.file);
    H5Pclose(create);
    H5Pclose(access);
}

#endif
