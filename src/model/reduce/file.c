/* The model file of a reduction, HDF5. docs/theory/reduction.md, section 6.
 *
 * mass, damping, stiffness: n x n; names: n; recovery: n x full, row k the shape of coordinate k in the full model;
 * full_names: full; interface: places of the interface in the full model; w2: modes; ground: motions x n, ground_names
 * and ground_mass: motions. Attributes: format, method, and source, source_substructure, source_settings,
 * source_checksum. Files of format 1 have no ground and no source.
 *
 * A checksum of the whole file stands in front of it (seal.h); files of format 1 have none. */
#include "hdf5/h5.h"
#include "hdf5/reader.h"
#include "hdf5/seal.h"
#include <yoke/file.h>

#include <yoke/reduction.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FORMAT       "yoke reduced model 2"
#define FIRST_FORMAT "yoke reduced model 1"
enum { NAME_MOST = 128, FULL_MOST = 10000000, ORDER_MOST = 30000, MOTIONS_MOST = 31000, TEXT_MOST = 60000 };

/* ---- writing ----------------------------------------------------------------------------------------------------- */

static void put(hid_t file, const char *name, hid_t type, int rank, const hsize_t *size, const void *data)
{
    hid_t space = H5Screate_simple(rank, size, NULL);
    hid_t set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);

    H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data);
    H5Dclose(set);
    H5Sclose(space);
}

static void put_numbers(hid_t file, const char *name, size_t rows, size_t cols, const double *x)
{
    const hsize_t size[2] = {rows, cols};

    if (rows)
        put(file, name, H5T_NATIVE_DOUBLE, cols ? 2 : 1, size, x);
}

static hid_t name_type(void)
{
    hid_t type = H5Tcopy(H5T_C_S1);

    H5Tset_size(type, NAME_MOST);
    return type;
}

static bool put_names(hid_t file, const char *name, size_t count, char *const *names)
{
    const hsize_t size[1] = {count};
    char *block = calloc(count, NAME_MOST);
    hid_t type = name_type();

    for (size_t i = 0; block && i < count; i++)
        strncpy(block + i * NAME_MOST, names[i], NAME_MOST - 1);
    if (block)
        put(file, name, type, 1, size, block);
    H5Tclose(type);
    free(block);
    return block != NULL;
}

static void put_text(hid_t file, const char *name, const char *text)
{
    hid_t type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR), at;

    H5Tset_size(type, strlen(text) + 1);
    at = H5Acreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(at, type, text);
    H5Aclose(at);
    H5Sclose(space);
    H5Tclose(type);
}

static bool put_ground(hid_t file, const struct yk_ground *g)
{
    if (g->count == 0)
        return true;
    put_numbers(file, "ground", g->count, g->n, g->force);
    put_numbers(file, "ground_mass", g->count, 0, g->mass);
    return put_names(file, "ground_names", g->count, g->names);
}

/* An attribute holds 64 KB: a source that does not fit is not remembered. */
static void put_source(hid_t file, const struct yk_reduced_source *s)
{
    if (!s->file || strlen(s->file) > TEXT_MOST || strlen(s->overrides) > TEXT_MOST)
        return;
    put_text(file, "source", s->file);
    put_text(file, "source_substructure", s->substructure);
    put_text(file, "source_settings", s->overrides);
    put_text(file, "source_checksum", s->checksum);
}

static bool write_all(hid_t file, const struct yk_reduced *r)
{
    const hsize_t count[1] = {r->interface_count};
    unsigned long long *places = calloc(r->interface_count, sizeof *places);

    for (size_t k = 0; places && k < r->interface_count; k++)
        places[k] = r->interface_dofs[k];
    put_text(file, "format", FORMAT);
    put_text(file, "method", r->method);
    put_numbers(file, "mass", r->n, r->n, r->M.x);
    put_numbers(file, "damping", r->n, r->n, r->C.x);
    put_numbers(file, "stiffness", r->n, r->n, r->K.x);
    put_numbers(file, "recovery", r->n, r->full, r->T);
    put_numbers(file, "w2", r->modes, 0, r->w2);
    if (places)
        put(file, "interface", H5T_NATIVE_ULLONG, 1, count, places);
    free(places);
    put_source(file, &r->source);
    return places && put_names(file, "names", r->n, r->names) && put_ground(file, &r->ground) &&
           (!r->full_names || put_names(file, "full_names", r->full, r->full_names));
}

static enum yk_status write_part(const struct yk_reduced *r, const char *part, const char *path, struct yk_err *err)
{
    enum yk_status st = YK_OK;
    hid_t file, create;

    yk_h5_enter();
    create = H5Pcreate(H5P_FILE_CREATE);
    H5Pset_userblock(create, YK_SEAL_BYTES);
    file = H5Fcreate(part, H5F_ACC_TRUNC, create, H5P_DEFAULT);
    H5Pclose(create);
    if (file >= 0 && !write_all(file, r))
        st = yk_fail_at(err, YK_E_MEMORY, YK_IN_FILE(path), "out of memory");
    if (file >= 0)
        H5Fclose(file);
    if (!st && *yk_h5_reason())
        st = yk_fail_at(err, YK_E_IO, YK_IN_FILE(path), "the model cannot be written: %s", yk_h5_reason());
    yk_h5_leave();
    return st ? st : yk_seal_put(part, err);
}

enum yk_status yk_reduced_save(const struct yk_reduced *r, const char *path, struct yk_err *err)
{
    char *part = NULL;
    enum yk_status st = yk_part_create(&part, path, err);

    if (st)
        return st;
    if ((st = write_part(r, part, path, err)) || (st = yk_part_keep(part, path, err)))
        unlink(part);
    free(part);
    return st;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* Size of a set with `rank` dimensions; false where there is none. */
static bool size_of(struct yk_h5_file *file, const char *name, int rank, uint64_t *size)
{
    struct yk_h5_object is;

    if (yk_h5_find(file, name, &is, NULL) || is.kind == YK_H5_ABSENT || is.rank != rank)
        return false;
    memcpy(size, is.extent, (size_t)rank * sizeof *size);
    return true;
}

static bool exists(struct yk_h5_file *file, const char *name)
{
    struct yk_h5_object is;

    return yk_h5_find(file, name, &is, NULL) || is.kind != YK_H5_ABSENT; /* one that is refused is there */
}

/* rows x columns values; `columns` is 1 for a list */
static bool get(struct yk_h5_file *file, const char *name, enum yk_h5_type type, size_t rows, size_t columns,
                void *data)
{
    return yk_h5_read(file, name,
                      &(struct yk_h5_part){.type = type, .size = NAME_MOST, .count = rows, .columns = columns}, data,
                      NULL) == YK_OK;
}

static bool get_matrix(struct yk_h5_file *file, const char *name, size_t n, struct yk_matrix *A)
{
    uint64_t size[2] = {0};

    return size_of(file, name, 2, size) && size[0] == n && size[1] == n &&
           yk_matrix_init(A, YK_DENSE, n, n, NULL) == YK_OK && get(file, name, YK_H5_DOUBLE, n, n, A->x) &&
           yk_matrix_is_finite(A);
}

static bool get_names(struct yk_h5_file *file, const char *name, size_t count, char ***names)
{
    uint64_t size[1] = {0};
    char *block = calloc(count + 1, NAME_MOST);
    bool good = block && size_of(file, name, 1, size) && size[0] == count &&
                get(file, name, YK_H5_TEXT, count, 1, block) && (*names = calloc(count + 1, sizeof **names));

    for (size_t i = 0; i < count && good; i++)
        good = ((*names)[i] = strndup(block + i * NAME_MOST, NAME_MOST - 1)) != NULL;
    free(block);
    return good;
}

static bool get_places(struct yk_h5_file *file, struct yk_reduced *r)
{
    uint64_t *places = calloc(r->interface_count + 1, sizeof *places);
    bool good = places && get(file, "interface", YK_H5_UINT64, r->interface_count, 1, places) &&
                (r->interface_dofs = calloc(r->interface_count + 1, sizeof *r->interface_dofs));

    for (size_t k = 0; k < r->interface_count && good; k++) {
        r->interface_dofs[k] = (size_t)places[k];
        good = places[k] < r->full;
    }
    free(places);
    return good;
}

/* A single text, to be freed; NULL where there is none. */
static char *get_text(struct yk_h5_file *file, const char *name)
{
    struct yk_h5_object is;
    char *text;

    if (yk_h5_find(file, name, &is, NULL) || is.kind != YK_H5_TEXTS || is.rank != 0 || is.size > TEXT_MOST + 1 ||
        !(text = calloc(is.size + 1, 1)))
        return NULL;
    if (yk_h5_read(file, name, &(struct yk_h5_part){.type = YK_H5_TEXT, .size = is.size, .count = 1, .columns = 1},
                   text, NULL) == YK_OK)
        return text;
    free(text);
    return NULL;
}

static bool get_ground(struct yk_h5_file *file, size_t n, struct yk_ground *g)
{
    uint64_t size[2] = {0}, mass[1] = {0};
    bool good = true;

    if (!exists(file, "ground"))
        return true;
    if (!size_of(file, "ground", 2, size) || size[0] > MOTIONS_MOST || size[1] != n ||
        !size_of(file, "ground_mass", 1, mass) || mass[0] != size[0])
        return false;
    *g = (struct yk_ground){.n = n, .count = size[0]};
    g->force = calloc(g->n * g->count + 1, sizeof *g->force);
    g->mass = calloc(g->count + 1, sizeof *g->mass);
    good = g->force && g->mass && get(file, "ground", YK_H5_DOUBLE, g->count, n, g->force) &&
           get(file, "ground_mass", YK_H5_DOUBLE, g->count, 1, g->mass) &&
           get_names(file, "ground_names", g->count, &g->names);
    for (size_t i = 0; good && i < g->n * g->count; i++)
        good = isfinite(g->force[i]);
    return good;
}

/* An unknown or incomplete source is none. */
static void get_source(struct yk_h5_file *file, struct yk_reduced_source *s)
{
    char *path = get_text(file, "source"), *checksum = get_text(file, "source_checksum");

    s->substructure = get_text(file, "source_substructure");
    s->overrides = get_text(file, "source_settings");
    if (path && s->substructure && s->overrides && checksum && strlen(checksum) < sizeof s->checksum) {
        strcpy(s->checksum, checksum);
        s->file = path;
        path = NULL;
    }
    free(path);
    free(checksum);
}

static bool read_head(struct yk_h5_file *file, const char *wanted_format, struct yk_reduced *r)
{
    char *format = get_text(file, "format"), *name = get_text(file, "method");
    const struct yk_reduction_ops *method = name ? yk_reduction_find(name) : NULL;
    const bool known = format && strcmp(format, wanted_format) == 0 && method;

    if (known)
        r->method = method->name;
    free(format);
    free(name);
    return known;
}

static bool read_all(struct yk_h5_file *file, const char *wanted_format, struct yk_reduced *r)
{
    uint64_t recovery[2] = {0}, count[1] = {0}, modes[1] = {0};

    if (!read_head(file, wanted_format, r) || !size_of(file, "recovery", 2, recovery) ||
        !size_of(file, "interface", 1, count) || recovery[0] > ORDER_MOST || recovery[1] > FULL_MOST ||
        count[0] > recovery[0])
        return false;
    r->n = recovery[0];
    r->full = recovery[1];
    r->interface_count = count[0];
    r->modes = r->n - r->interface_count;
    r->T = calloc(r->n * r->full + 1, sizeof *r->T);
    r->w2 = calloc(r->modes + 1, sizeof *r->w2);
    get_source(file, &r->source);
    if (r->modes && (!size_of(file, "w2", 1, modes) || modes[0] != r->modes || !r->w2 ||
                     !get(file, "w2", YK_H5_DOUBLE, r->modes, 1, r->w2)))
        return false;
    return r->T && get(file, "recovery", YK_H5_DOUBLE, r->n, r->full, r->T) && get_matrix(file, "mass", r->n, &r->M) &&
           get_matrix(file, "damping", r->n, &r->C) && get_matrix(file, "stiffness", r->n, &r->K) &&
           get_names(file, "names", r->n, &r->names) && get_places(file, r) && get_ground(file, r->n, &r->ground) &&
           (!exists(file, "full_names") || get_names(file, "full_names", r->full, &r->full_names));
}

enum yk_status yk_reduced_load(struct yk_reduced *r, const char *path, struct yk_err *err)
{
    enum yk_seal seal = YK_SEAL_BROKEN;
    struct yk_h5_file *file;
    enum yk_status st;

    *r = (struct yk_reduced){0};
    if ((st = yk_file_check(path, err)) || (st = yk_seal_look(path, &seal, err)))
        return yk_fail_as(err, YK_E_INPUT);
    if (seal == YK_SEAL_BROKEN)
        return yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(path),
                          "cannot be opened as a reduced model: it is damaged (its checksum is wrong), or was not "
                          "written by `yoke reduce`");
    if (yk_h5_open(&file, path, false, err)) {
        yk_fail_within(err, YK_IN_FILE(path), "cannot be opened as a reduced model: ");
        return yk_fail_as(err, YK_E_INPUT);
    }
    if (!read_all(file, seal == YK_SEAL_WHOLE ? FORMAT : FIRST_FORMAT, r))
        st = yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(path), "is not a whole model file of `yoke reduce`");
    yk_h5_close(file);
    if (st)
        yk_reduced_free(r);
    return st;
}
