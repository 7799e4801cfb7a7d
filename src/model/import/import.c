/* An import: which files make a model, and what is read from each. Their entries and names are collected (collect.c);
 * matrices are built from them at the end (build.c). */
#include "model/import/collect.h"

#include <stdlib.h>

enum yk_status yk_import_text(struct yk_imported *model, const struct yk_import_format *format,
                              enum yk_matrix_part part, const struct yk_text *text, const struct yk_text *map,
                              struct yk_err *err)
{
    struct yk_import im = {0};
    enum yk_status st = map && format->read_map ? format->read_map(&im, map, err) : YK_OK;

    *model = (struct yk_imported){0};
    if (!st && !(st = format->read(&im, text, part, err)))
        st = yk_import_build(&im, text->name, model, err);
    yk_import_release(&im);
    return st;
}

static enum yk_status read_file(struct yk_import *im, const struct yk_import_format *format, const char *path,
                                enum yk_matrix_part part, struct yk_err *err)
{
    struct yk_text text;
    enum yk_status st = yk_text_load(&text, path, err);

    if (st)
        return st;
    st = format->read(im, &text, part, err);
    yk_text_free(&text);
    return st;
}

static enum yk_status read_map(struct yk_import *im, const struct yk_import_format *format, const char *path,
                               struct yk_err *err)
{
    struct yk_text text;
    enum yk_status st;

    if (!format->read_map)
        return yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(path), "the format %s has no map beside its matrices",
                          format->name);
    if ((st = yk_text_load(&text, path, err)))
        return st;
    st = format->read_map(im, &text, err);
    yk_text_free(&text);
    return st;
}

enum yk_status yk_imported_place(struct yk_imported *model, const struct yk_text *text, struct yk_err *err)
{
    struct yk_import im = {0};
    enum yk_status st = yk_import_coordinates(&im, text, err);

    if (!st)
        st = yk_import_place_dofs(&im, model, err);
    yk_import_release(&im);
    return st;
}

static enum yk_status add_coordinates(struct yk_imported *model, const char *path, struct yk_err *err)
{
    struct yk_text text;
    enum yk_status st = yk_text_load(&text, path, err);

    if (st)
        return st;
    st = yk_imported_place(model, &text, err);
    yk_text_free(&text);
    return st;
}

/* The matrices beside the first one: those that are there. */
static enum yk_status read_companions(struct yk_import *im, const struct yk_import_format *format, const char *path,
                                      struct yk_err *err)
{
    enum yk_status st;

    for (int p = 1; p < YK_PART_COUNT; p++)
        if (yk_import_is_part(path, format->part[p]) && !yk_import_is_part(path, format->part[0]))
            return yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(path), "is the %s; name the file of the stiffness (%s)",
                              yk_part_words[p], format->part[0]);
    st = read_file(im, format, path, YK_PART_ALL, err);
    for (int p = 0; p < YK_PART_COUNT && !st; p++) {
        char *other = im->part[p].given ? NULL : yk_import_companion(path, format->part[0], format->part[p]);

        if (other)
            st = read_file(im, format, other, (enum yk_matrix_part)p, err);
        free(other);
    }
    return st;
}

/* The file that names the degrees of freedom: the one that is given, or else the one beside a matrix. */
static enum yk_status find_map(struct yk_import *im, const struct yk_import_files *files, struct yk_err *err)
{
    const struct yk_import_format *format = files->format;
    char *beside = NULL;
    enum yk_status st = YK_OK;

    for (int p = 0; p < YK_PART_COUNT && !beside && !files->map; p++)
        beside = yk_import_companion(files->model ? files->model : files->part[p], format->part[p], format->map);
    if (files->map || beside)
        st = read_map(im, format, files->map ? files->map : beside, err);
    free(beside);
    return st;
}

static const char *first_file(const struct yk_import_files *files)
{
    const char *first = files->model;

    for (int p = 0; p < YK_PART_COUNT && !first; p++)
        first = files->part[p];
    return first;
}

enum yk_status yk_import_model(struct yk_imported *model, const struct yk_import_files *files, struct yk_err *err)
{
    struct yk_import_files f = *files;
    const char *first = first_file(files);
    struct yk_import im = {0};
    enum yk_status st;

    *model = (struct yk_imported){0};
    if (!first)
        return yk_fail(err, YK_E_INPUT, "no file of a model was named");
    if (!f.format && !(f.format = yk_import_recognise(first)))
        return yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(first), "not a file of a known format; see `yoke list formats`");
    st = find_map(&im, &f, err);
    if (!st && f.model)
        st = read_companions(&im, f.format, f.model, err);
    for (int p = 0; p < YK_PART_COUNT && !st; p++)
        if (f.part[p] && !(st = read_file(&im, f.format, f.part[p], (enum yk_matrix_part)p, err)) && !im.part[p].given)
            st = yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(f.part[p]), "holds no %s matrix", yk_part_words[p]);
    if (!st)
        st = yk_import_build(&im, first, model, err);
    yk_import_release(&im);
    if (!st && f.coordinates && (st = add_coordinates(model, f.coordinates, err)))
        yk_imported_free(model);
    return st;
}
