/* The kind `linear`: matrices from the experiment file, from files of matrices, or from a model of another program. */
#include "experiment/build.h"

#include "model/import.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct linear {
    int massless; /* 0: refuse, 1: condense */
};

struct units {
    double length, force;
};

static const char *const part_keys[YK_PART_COUNT] = {"stiffness", "mass", "damping"};
static const enum yk_quantity part_quantities[YK_PART_COUNT] = {YK_STIFFNESS, YK_MASS, YK_DAMPING};

static const struct yk_param keys[] = {
    YK_NODE(
        "dofs", "list of names, or map", 0,
        "names of the degrees of freedom; without it those that a file gives, otherwise d1, d2, ... in the order of "
        "the matrices in files"),
    YK_NODE(
        "names", "file", 0,
        "table that names the rows of matrices without names: `node, direction[, x, y, z]` for each row, or `node, x, "
        "y, z, directions` for each node"),
    YK_NODE("model", "file", 0, "a model of another program; its other files are found in the same folder"),
    YK_NODE("mass", "matrix [kg]", 0, "rows, a diagonal, or a file; positive definite"),
    YK_NODE("damping", "matrix [N s/m]", 0, "rows, a diagonal, or a file"),
    YK_NODE("stiffness", "matrix [N/m]", 0, "rows, a diagonal, or a file; symmetric"),
    YK_NODE("format", "name of a format", 0,
            "format of the files, if it does not follow from ending and content; see `yoke list formats`"),
    YK_NODE("map", "file", 0,
            "file that names the degrees of freedom (.dof, .TXE); default: the one in the folder of the matrices"),
    YK_NODE("coordinates", "file", 0, "rows `node x y z` or an Abaqus or CalculiX input file; for pictures"),
    YK_NODE("units", "map", 0, "units of the files, which must be consistent; default m and N"),
    YK_NODE("fixed", "list of names", 0,
            "degrees of freedom held at zero; a node stands for all of its degrees of freedom"),
    YK_CHOICE(struct linear, massless, "refuse|condense", 0,
              "what to do with degrees of freedom without mass; condense: they follow from the others by equilibrium"),
    YK_NODE("rayleigh", "map", 0, "damping proportional to mass and stiffness, added to `damping`"),
    YK_NODE("modal_damping", "list of ratios", 0, "damping ratio of each mode, the last for all higher ones"),
    YK_PARAM_END,
};

static const struct yk_param units_keys[] = {
    YK_REAL(struct units, length, YK_LENGTH, 1, YK_TINY, 1e12, "such as 1 mm"),
    YK_REAL(struct units, force, YK_PLAIN_FORCE, 1, YK_TINY, 1e12, "such as 1 kN; the unit of time is the second"),
    YK_PARAM_END,
};

/* The model while it is read, and the map that describes it. */
struct reading {
    const struct yk_model *e;
    const struct yk_node *map;
    struct yk_field_context context;
    struct yk_imported model;
};

static const struct yk_node *part_node(const struct reading *r, int part)
{
    return yk_node_get(r->map, part_keys[part]);
}

/* ---- files of other programs ---- */

static const char *next_format(void *self)
{
    const struct yk_import_format *const **at = self;

    return **at ? (*(*at)++)->name : NULL;
}

static enum yk_status read_format(const struct reading *r, const struct yk_import_format **format, struct yk_err *err)
{
    const struct yk_node *node = yk_node_get(r->map, "format");
    const struct yk_import_format *const *cursor = yk_import_formats;
    enum yk_status st;
    char hint[96];

    *format = NULL;
    if (!node || (st = yk_field_type(node, YK_SCALAR, "the name of a format", err)))
        return node ? st : YK_OK;
    if ((*format = yk_import_format_find(node->text)))
        return YK_OK;
    return yk_fail_at(err, YK_E_INPUT, node->where, "there is no format '%s'%s", node->text,
                      yk_suggest(node->text, next_format, &cursor, "; see `yoke list formats`", hint, sizeof hint));
}

/* A file of another program rather than a plain matrix? One format for all of a substructure. */
static enum yk_status take_file(const struct reading *r, const struct yk_node *node, bool named, char **path,
                                const struct yk_import_format **format, struct yk_err *err)
{
    const struct yk_import_format *own;

    if (!(*path = yk_field_path(r->e->directory, node->text)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    if (named)
        return YK_OK;
    own = yk_import_recognise(*path);
    if (!own) {
        free(*path);
        *path = NULL;
    }
    if (own && *format && own != *format)
        return yk_fail_at(err, YK_E_INPUT, node->where, "%s: %s is a file of %s, but another is one of %s", node->key,
                          node->text, own->name, (*format)->name);
    *format = own ? own : *format;
    return YK_OK;
}

/* The place of the key whose file the message is about. */
static enum yk_status refuse_file(const struct reading *r, const struct yk_node *const *nodes, char *const *paths,
                                  size_t count, struct yk_err *err)
{
    const struct yk_node *about = NULL;

    for (size_t i = 0; i < count; i++)
        if (nodes[i] && (!about || (paths[i] && strcmp(err->file, paths[i]) == 0)))
            about = nodes[i];
    yk_fail_within(err, about ? about->where : r->map->where, "%s: ", about ? about->key : r->map->key);
    return yk_fail_as(err, err->status == YK_E_IO ? YK_E_INPUT : err->status);
}

static enum yk_status import_files(struct reading *r, struct yk_err *err)
{
    enum { MODEL = YK_PART_COUNT, MAP, COORDINATES, FILES };
    static const char *const names[FILES] = {"stiffness", "mass", "damping", "model", "map", "coordinates"};
    const struct yk_node *nodes[FILES] = {NULL};
    const struct yk_import_format *format;
    char *paths[FILES] = {NULL};
    bool any = false;
    enum yk_status st = read_format(r, &format, err);
    const bool named = format != NULL;

    for (size_t i = 0; i < FILES && !st; i++) {
        nodes[i] = yk_node_get(r->map, names[i]);
        if (nodes[i] && i >= MODEL)
            st = yk_field_type(nodes[i], YK_SCALAR, "the name of a file", err);
        if (!st && nodes[i] && (i >= MODEL || yk_field_names_file(nodes[i])))
            st = take_file(r, nodes[i], named || i >= MAP, &paths[i], &format, err);
        any |= i < MAP && paths[i];
    }
    if (!st && nodes[MODEL] && !paths[MODEL])
        st = yk_fail_at(err, YK_E_INPUT, nodes[MODEL]->where,
                        "model: %s cannot be opened, or is of no known format; see `yoke list formats`",
                        nodes[MODEL]->text);
    else if (!st && !any && nodes[MAP])
        st = yk_fail_at(err, YK_E_INPUT, nodes[MAP]->where, "map: no file here needs one");
    if (!st && any) {
        const struct yk_import_files files = {.format = format,
                                              .model = paths[MODEL],
                                              .part = {paths[0], paths[1], paths[2]},
                                              .map = paths[MAP],
                                              .coordinates = paths[COORDINATES]};

        if (yk_import_model(&r->model, &files, err))
            st = refuse_file(r, nodes, paths, FILES, err);
    }
    for (size_t i = 0; i < FILES; i++)
        free(paths[i]);
    return st;
}

/* ---- names and plain matrices ---- */

static enum yk_status name_rows(struct reading *r, const struct yk_node *table, struct yk_err *err)
{
    struct yk_text text = {0};
    char *path = NULL;
    enum yk_status st = yk_field_type(table, YK_SCALAR, "the name of a file", err);

    if (st)
        return st;
    if (!(path = yk_field_path(r->e->directory, table->text)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    if ((st = yk_text_load(&text, path, err)) || (st = yk_imported_name(&r->model, &text, err))) {
        yk_fail_within(err, table->where, "names: ");
        st = yk_fail_as(err, st == YK_E_IO ? YK_E_INPUT : st);
    }
    yk_text_free(&text);
    free(path);
    return st;
}

static enum yk_status read_names(struct reading *r, struct yk_err *err)
{
    const struct yk_node *list = yk_node_get(r->map, "dofs");
    struct yk_dofs own = {0};
    enum yk_status st;

    const struct yk_node *table = yk_node_get(r->map, "names");

    if (table && (list || r->model.dofs))
        return yk_fail_at(err, YK_E_INPUT, table->key_where, "names: the degrees of freedom have names from %s already",
                          list ? "`dofs`" : "their files");
    if (table)
        return name_rows(r, table, err);
    if (!list && r->model.dofs)
        return YK_OK;
    if (!list && !r->model.n)
        return yk_fail_at(err, YK_E_INPUT, r->map->where,
                          "missing 'dofs' (names of the degrees of freedom, or { count: N, prefix: d })");
    st = list ? yk_dofs_read(list, &own, err) : yk_dofs_number("d", r->model.n, &own, err);
    if (!st && list && r->model.n && own.n != r->model.n)
        st = yk_fail_at(err, YK_E_INPUT, list->where, "%zu names for %zu degrees of freedom of the model", own.n,
                        r->model.n);
    if (st) {
        yk_dofs_free(&own);
        return st;
    }
    for (size_t i = 0; r->model.dofs && i < r->model.n; i++)
        free(r->model.dofs[i]);
    free(r->model.dofs);
    r->model.dofs = own.names;
    r->model.n = own.n;
    yk_dofs_forget(&own);
    return YK_OK;
}

/* Reads matrices that no other program wrote: from files, or from the experiment file. */
static enum yk_status read_plain(struct reading *r, bool files, struct yk_err *err)
{
    enum yk_sense *senses = yk_dofs_senses(r->model.dofs, r->model.dofs ? r->model.n : 0);
    enum yk_status st = senses ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory");

    for (int p = 0; p < YK_PART_COUNT && !st; p++) {
        const struct yk_node *node = part_node(r, p);

        if (!node || r->model.part[p].rows || yk_field_names_file(node) != files)
            continue;
        st = yk_field_matrix(node, part_quantities[p], r->model.n, senses, &r->context, &r->model.part[p], err);
        if (!st && r->model.part[p].rows != r->model.part[p].cols)
            st = yk_fail_at(err, YK_E_INPUT, node->where, "%s is %zu x %zu, but a square matrix is expected", node->key,
                            r->model.part[p].rows, r->model.part[p].cols);
        else if (!st && r->model.n == 0) /* nothing has named them yet */
            r->model.n = r->model.part[p].rows;
    }
    free(senses);
    return st;
}

static enum yk_status convert_units(struct reading *r, struct yk_err *err)
{
    const struct yk_node *node = yk_node_get(r->map, "units");
    struct units units;
    enum yk_status st;

    if (!node)
        return YK_OK;
    if ((st = yk_field_type(node, YK_MAP, "a map", err)) || (st = yk_field_known(node, units_keys, NULL, err)) ||
        (st = yk_field_settings(node, units_keys, &units, &r->context, err)))
        return st;
    yk_imported_scale(&r->model, units.length, units.force);
    return YK_OK;
}

static enum yk_status check_complete(const struct reading *r, struct yk_err *err)
{
    for (int p = YK_PART_STIFFNESS; p <= YK_PART_MASS; p++)
        if (r->model.part[p].rows == 0)
            return yk_fail_at(err, YK_E_INPUT, r->map->where, "missing '%s' (rows, a diagonal, or a file)",
                              part_keys[p]);
    return YK_OK;
}

/* ---- supports ---- */

/* The name of a degree of freedom, or of a node: all of its degrees of freedom. */
static bool is_held(const char *dof, const char *name)
{
    const size_t length = strlen(name);

    return strcmp(dof, name) == 0 ||
           (strncmp(dof, name, length) == 0 && dof[length] == '.' && !strchr(dof + length + 1, '.'));
}

static enum yk_status hold(struct reading *r, struct yk_err *err)
{
    const struct yk_node *list = yk_node_get(r->map, "fixed");
    enum yk_status st = list ? yk_field_type(list, YK_LIST, "a list of names", err) : YK_OK;
    bool *held = list && !st ? calloc(r->model.n, sizeof *held) : NULL;

    if (!list || st)
        return st;
    if (!held)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t k = 0; k < list->count && !st; k++) {
        const struct yk_node *name = list->items[k];
        bool found = false;

        if ((st = yk_field_type(name, YK_SCALAR, "a name", err)))
            break;
        for (size_t i = 0; i < r->model.n; i++)
            if (is_held(r->model.dofs[i], name->text))
                found = held[i] = true;
        if (!found)
            st = yk_dofs_missing(name->where, name->text, &(struct yk_dofs){.names = r->model.dofs, .n = r->model.n},
                                 err);
    }
    if (!st && (st = yk_imported_hold(&r->model, held, err)))
        yk_fail_within(err, list->where, "fixed: ");
    free(held);
    return st;
}

/* ---- the whole ---- */

static enum yk_status read_model(struct reading *r, bool condense, struct yk_err *err)
{
    enum yk_status st;

    if ((st = import_files(r, err)) || (!yk_node_get(r->map, "dofs") && (st = read_plain(r, true, err))) ||
        (st = read_names(r, err)) || (st = read_plain(r, true, err)) || (st = convert_units(r, err)) ||
        (st = read_plain(r, false, err)) || (st = check_complete(r, err)))
        return st;
    if (yk_node_get(r->map, "names") && (st = yk_imported_check_names(&r->model, err)))
        return yk_fail_within(err, yk_node_get(r->map, "names")->where, "names: "), st;
    if ((st = hold(r, err)))
        return st;
    if (condense && (st = yk_imported_condense(&r->model, err)))
        yk_fail_within(err, yk_node_get(r->map, "massless")->where, "massless: ");
    return st;
}

/* Names and places go to d, matrices to the parts, what supports drag along (by columns) and their places to `extra`.
 */
static enum yk_status move_model(struct yk_imported *model, struct yk_dofs *d, struct yk_structure_parts *parts,
                                 struct yk_part *extra, struct yk_err *err)
{
    if (model->drag && !(extra->support = calloc(3 * model->n, sizeof *extra->support)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t i = 0; model->drag && i < 3 * model->n; i++)
        extra->support[i / 3 + i % 3 * model->n] = model->drag[i];
    free(model->drag);
    *d = (struct yk_dofs){.names = model->dofs, .n = model->n, .place = model->place};
    parts->K = model->part[YK_PART_STIFFNESS];
    parts->M = model->part[YK_PART_MASS];
    parts->C = model->part[YK_PART_DAMPING];
    extra->anchors = model->anchors;
    *model = (struct yk_imported){0};
    return parts->C.rows ? YK_OK : yk_matrix_init(&parts->C, YK_DIAGONAL, d->n, d->n, err);
}

/* Hint for a singular mass matrix: condense the degrees of freedom without mass. */
static void hint_at_condensation(struct yk_err *err)
{
    if (err->status == YK_E_SINGULAR && strcmp(err->subject, "mass") == 0)
        yk_fail_hint(err, ", or `massless: condense`");
}

static enum yk_status build(const struct yk_model *e, const struct yk_node *map, bool massless, struct yk_dofs *d,
                            struct yk_system **system, struct yk_part *extra, struct yk_err *err)
{
    struct reading r = {.e = e, .map = map, .context = yk_build_context(e)};
    struct yk_structure_parts parts = {.massless = massless};
    struct linear settings;
    enum yk_status st;

    if ((st = yk_field_known(map, keys, yk_keys_substructure, err)) ||
        (st = yk_field_settings(map, keys, &settings, &r.context, err)) ||
        (st = read_model(&r, settings.massless == 1, err)) || (st = move_model(&r.model, d, &parts, extra, err)) ||
        (st = yk_build_rest_state(&parts, d->n, err)) || (st = yk_dofs_initial(map, d, parts.u0, parts.v0, err)) ||
        (st = yk_build_damping(e, map, &parts, err))) {
        yk_imported_free(&r.model);
        yk_structure_parts_free(&parts);
        return st;
    }
    parts.names = (const char *const *)d->names;
    if ((st = yk_structure_create(system, &parts, e->mem, err))) {
        hint_at_condensation(err);
        yk_build_blame(map, err);
    }
    return st;
}

static const struct yk_keys_section sections[] = {
    {"Kind `linear`",
     "M a + C v + K u = f. A matrix is given as rows `[[a, b], [b, c]]`, as a diagonal `[a, b]`,\n"
     "or as the name of a Matrix Market, MATLAB (`model.mat`, or `model.mat:K` for one variable) or CSV file,\n"
     "or of a file of another program, which also names the degrees of freedom `node.direction`:\n"
     "see docs/importing.md.",
     keys},
    {"`dofs` as a map", "`dofs: { count: 1000, prefix: d }`, instead of a list of names.", yk_keys_dofs},
    {"`units`", "", units_keys},
    {0},
};

const struct yk_builder_ops yk_builder_linear = {
    .name = "linear",
    .sections = sections,
    .build = build,
};
