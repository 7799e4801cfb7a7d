/* Sections made of fibres: patches, layers of bars and tables of single fibres, each with a material of the frame. */
#include "experiment/frame_parts.h"
#include "model/read.h"

#include <stdlib.h>
#include <string.h>

const struct yk_param yk_keys_fibre_section[] = {
    YK_NODE("fibres", "list of patches and layers", YK_REQUIRED, "what the section is made of"),
    YK_REAL(struct yk_section, density, YK_DENSITY, 0, 0, 1e300,
            "mass density of the area of all fibres; 0: members without mass"),
    YK_REAL(struct yk_section, G, YK_PRESSURE, 0, 0, 1e300, "shear modulus (torsion of beams in space, elastic)"),
    YK_REAL(struct yk_section, J, YK_AREA_MOMENT, 0, 0, 1e300, "torsion constant (beams in space)"),
    YK_REAL(struct yk_section, polar, YK_AREA_MOMENT, 0, 0, 1e300,
            "second moment for the inertia of twisting; 0: that of the fibres"),
    YK_PARAM_END,
};

/* An entry of `fibres`; which fields are used depends on its shape. */
struct entry {
    int patch, layer, bars;
    char *material, *file;
    struct yk_reals from, to, divide, corners, centre, radii, angles;
    double radius, diameter, area;
    bool displace;
};

#define MATERIAL                     YK_TEXT(struct entry, material, YK_REQUIRED, "one of `materials`")
#define SHAPE(k, w)                  YK_CHOICE(struct entry, k, w, YK_REQUIRED, "this shape")
#define POINT(field, fallback, help) YK_REALS(struct entry, field, YK_LENGTH, fallback, -1e6, 1e6, help)
#define DIVIDE(help)                 YK_REALS(struct entry, divide, YK_NUMBER, YK_REQUIRED, 1, 1000, help)
#define ANGLES                                                                                                         \
    YK_REALS(struct entry, angles, YK_ANGLE, 0, -100, 100, "first and last, from y towards z; default: all around")
#define BARS                                                                                                           \
    YK_COUNT(struct entry, bars, YK_REQUIRED, 1, 1000, "number of bars, both ends included"),                          \
        YK_REAL(struct entry, diameter, YK_LENGTH, 0, 0, 1e6, "of a bar"),                                             \
        YK_REAL(struct entry, area, YK_AREA, 0, 0, 1e12, "of a bar, instead of `diameter`"),                           \
        YK_FLAG(struct entry, displace, 0, "take the material of the patch away where a bar stands")

const struct yk_param yk_keys_rectangle[] = {
    SHAPE(patch, "rectangle"),
    MATERIAL,
    POINT(from, YK_REQUIRED, "one corner [y, z]"),
    POINT(to, YK_REQUIRED, "the opposite corner [y, z]"),
    DIVIDE("cells along y and z, each one fibre; in the plane one along z is enough"),
    YK_PARAM_END,
};
const struct yk_param yk_keys_quadrilateral[] = {
    SHAPE(patch, "quadrilateral"),
    MATERIAL,
    POINT(corners, YK_REQUIRED, "four corners in turn, [[y, z], ...]"),
    DIVIDE("cells from the first corner to the second, and from the second to the third"),
    YK_PARAM_END,
};
const struct yk_param yk_keys_ring[] = {
    SHAPE(patch, "ring"),
    MATERIAL,
    POINT(centre, 0, "its centre [y, z]; default [0, 0]"),
    YK_REALS(struct entry, radii, YK_LENGTH, YK_REQUIRED, 0, 1e6,
             "inner and outer radius; an inner one of 0 makes a disc"),
    ANGLES,
    DIVIDE("cells along the radius and around"),
    YK_PARAM_END,
};
const struct yk_param yk_keys_straight[] = {
    SHAPE(layer, "straight"),
    MATERIAL,
    POINT(from, YK_REQUIRED, "place of the first bar [y, z]"),
    POINT(to, YK_REQUIRED, "place of the last bar [y, z]"),
    BARS,
    YK_PARAM_END,
};
const struct yk_param yk_keys_circle[] = {
    SHAPE(layer, "circle"),
    MATERIAL,
    POINT(centre, 0, "its centre [y, z]; default [0, 0]"),
    YK_REAL(struct entry, radius, YK_LENGTH, YK_REQUIRED, YK_TINY, 1e6, "of the circle on which the bars stand"),
    ANGLES,
    BARS,
    YK_PARAM_END,
};
const struct yk_param yk_keys_fibre_file[] = {
    {.name = "file",
     .type = YK_PARAM_FILE,
     .offset = offsetof(struct entry, file),
     .fallback = YK_REQUIRED,
     .help =
         "table with the columns y, z [m], area [m2] and material, one fibre in a line; the first line may name them"},
    YK_PARAM_END,
};

/* ---- patches and layers ---------------------------------------------------------------------------------------- */

struct reading {
    const struct yk_frame_reading *frame;
    struct yk_fibre_section *section;
    size_t *numbers; /* of the materials of the frame in the section, from 1; 0: not used yet */
};

/* The number of a material in the section, which gets it with its first use. */
static enum yk_status find_material(struct reading *r, struct yk_where where, const char *name, size_t *number,
                                    struct yk_err *err)
{
    const struct yk_node *map = NULL;
    struct yk_frame_law law = {0};
    enum yk_status st = yk_frame_find_named(r->frame->materials, where, "material", name, &map, err);
    size_t at = 0;

    if (st)
        return st;
    while (r->frame->materials->items[at] != map)
        at++;
    if (r->numbers[at] == 0) {
        if ((st = yk_frame_read_law(r->frame, map, "a material", YK_FIBRE, &law, err))) {
            yk_frame_free_law(&law);
            return st;
        }
        if ((st = yk_fibre_section_material(r->section, law.ops, law.settings, number, err)))
            return yk_fail_within(err, map->where, "material %s: ", name);
        r->numbers[at] = *number + 1;
    }
    *number = r->numbers[at] - 1;
    return YK_OK;
}

/* A list of so many numbers; where the key is missing, out keeps its defaults. */
static enum yk_status fill(const struct yk_node *map, const char *key, const struct yk_reals *given, size_t n,
                           const char *what, double *out, struct yk_err *err)
{
    const struct yk_node *node = yk_node_get(map, key);

    if (node && given->n != n)
        return yk_fail_at(err, YK_E_INPUT, node->where, "%s has %zu numbers, but %zu are expected: %s", key, given->n,
                          n, what);
    if (node)
        memcpy(out, given->x, n * sizeof *out);
    return YK_OK;
}

static enum yk_status read_divide(const struct yk_node *map, const struct entry *x, size_t *divide, struct yk_err *err)
{
    double cells[2] = {1, 1};
    enum yk_status st = fill(map, "divide", &x->divide, 2, "the cells in two directions", cells, err);

    for (int i = 0; i < 2 && !st; i++) {
        divide[i] = (size_t)cells[i];
        if (cells[i] != floor(cells[i]))
            st = yk_fail_at(err, YK_E_RANGE, yk_node_get(map, "divide")->items[i]->where,
                            "divide = %g is not a whole number", cells[i]);
    }
    return st;
}

static enum yk_status read_bars(const struct yk_node *map, const struct entry *x, struct yk_bars *bars,
                                struct yk_err *err)
{
    *bars = (struct yk_bars){.count = (size_t)x->bars, .displace = x->displace};
    bars->area = x->area > 0 ? x->area : M_PI / 4 * x->diameter * x->diameter;
    if ((x->area > 0) == (x->diameter > 0))
        return yk_fail_at(err, YK_E_INPUT, map->where, "give either `diameter` or `area` of the bars, above 0");
    return YK_OK;
}

static enum yk_status add_rectangle(struct reading *r, const struct yk_node *map, const struct entry *x,
                                    size_t material, struct yk_err *err)
{
    double from[2], to[2];
    size_t divide[2];
    enum yk_status st;

    if ((st = fill(map, "from", &x->from, 2, "y and z", from, err)) ||
        (st = fill(map, "to", &x->to, 2, "y and z", to, err)) || (st = read_divide(map, x, divide, err)))
        return st;
    return yk_fibre_section_rectangle(r->section, material, from, to, divide, err);
}

static enum yk_status add_quadrilateral(struct reading *r, const struct yk_node *map, const struct entry *x,
                                        size_t material, struct yk_err *err)
{
    double corners[4][2];
    size_t divide[2];
    enum yk_status st;

    if ((st = fill(map, "corners", &x->corners, 8, "y and z of four corners", corners[0], err)) ||
        (st = read_divide(map, x, divide, err)))
        return st;
    return yk_fibre_section_quadrilateral(r->section, material, corners, divide, err);
}

static enum yk_status read_around(const struct yk_node *map, const struct entry *x, double *centre, double *angles,
                                  struct yk_err *err)
{
    enum yk_status st;

    centre[0] = centre[1] = angles[0] = 0;
    angles[1] = 2 * M_PI;
    if ((st = fill(map, "centre", &x->centre, 2, "y and z", centre, err)))
        return st;
    return fill(map, "angles", &x->angles, 2, "the first and the last", angles, err);
}

static enum yk_status add_ring(struct reading *r, const struct yk_node *map, const struct entry *x, size_t material,
                               struct yk_err *err)
{
    double centre[2], radii[2], angles[2];
    size_t divide[2];
    enum yk_status st;

    if ((st = read_around(map, x, centre, angles, err)) ||
        (st = fill(map, "radii", &x->radii, 2, "the inner and the outer one", radii, err)) ||
        (st = read_divide(map, x, divide, err)))
        return st;
    return yk_fibre_section_ring(r->section, material, centre, radii, angles, divide, err);
}

static enum yk_status add_straight(struct reading *r, const struct yk_node *map, const struct entry *x, size_t material,
                                   struct yk_err *err)
{
    struct yk_bars bars;
    double from[2], to[2];
    enum yk_status st;

    if ((st = fill(map, "from", &x->from, 2, "y and z", from, err)) ||
        (st = fill(map, "to", &x->to, 2, "y and z", to, err)) || (st = read_bars(map, x, &bars, err)))
        return st;
    if (bars.count == 1 && (from[0] != to[0] || from[1] != to[1]))
        return yk_fail_at(err, YK_E_INPUT, yk_node_get(map, "bars")->where,
                          "bars = 1, but from and to are two places; give the place of a single bar in both, in the "
                          "middle [%g, %g] for example",
                          (from[0] + to[0]) / 2, (from[1] + to[1]) / 2);
    bars.material = material;
    return yk_fibre_section_layer(r->section, &bars, from, to, err);
}

static enum yk_status add_circle(struct reading *r, const struct yk_node *map, const struct entry *x, size_t material,
                                 struct yk_err *err)
{
    struct yk_bars bars;
    double centre[2], angles[2];
    enum yk_status st;

    if ((st = read_around(map, x, centre, angles, err)) || (st = read_bars(map, x, &bars, err)))
        return st;
    bars.material = material;
    return yk_fibre_section_arc(r->section, &bars, centre, x->radius, angles, err);
}

/* ---- tables of fibres ------------------------------------------------------------------------------------------ */

static enum yk_status add_row(struct reading *r, const struct yk_fibre_row *row, struct yk_err *err)
{
    struct yk_fibre fibre = {.y = row->y, .z = row->z, .area = row->area};
    enum yk_status st = find_material(r, row->where, row->material, &fibre.material, err);

    if (!st && (st = yk_fibre_section_fibre(r->section, &fibre, err)))
        yk_fail_within(err, row->where, "%s", "");
    return st;
}

static enum yk_status add_file(struct reading *r, const struct yk_node *map, const struct entry *x, size_t material,
                               struct yk_err *err)
{
    struct yk_fibre_row *rows = NULL;
    struct yk_text text = {0};
    size_t count = 0;
    enum yk_status st;

    if (!(st = yk_text_load(&text, x->file, err)) && !(st = yk_read_fibres(&text, &rows, &count, err)))
        for (size_t i = 0; i < count && !st; i++)
            st = add_row(r, &rows[i], err);
    if (st)
        yk_fail_within(err, yk_node_get(map, "file")->where, "file: ");
    free(rows);
    yk_text_free(&text);
    return st == YK_E_IO ? yk_fail_as(err, YK_E_INPUT) : st;
}

/* ---- a section ------------------------------------------------------------------------------------------------- */

static const struct shape {
    const char *key, *word; /* word NULL: any */
    const struct yk_param *keys;
    enum yk_status (*add)(struct reading *r, const struct yk_node *map, const struct entry *x, size_t material,
                          struct yk_err *err);
} shapes[] = {
    {"patch", "rectangle", yk_keys_rectangle, add_rectangle},
    {"patch", "quadrilateral", yk_keys_quadrilateral, add_quadrilateral},
    {"patch", "ring", yk_keys_ring, add_ring},
    {"layer", "straight", yk_keys_straight, add_straight},
    {"layer", "circle", yk_keys_circle, add_circle},
    {"file", NULL, yk_keys_fibre_file, add_file},
};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static enum yk_status find_shape(const struct yk_node *map, const struct shape **shape, struct yk_err *err)
{
    const struct yk_node *patch = yk_node_get(map, "patch"), *layer = yk_node_get(map, "layer");
    const struct yk_node *word = patch ? patch : layer ? layer : yk_node_get(map, "file");
    enum yk_status st;

    if (!word || (patch && layer))
        return yk_fail_at(err, YK_E_INPUT, map->where,
                          "fibres are a patch (rectangle, quadrilateral, ring), a layer (straight, circle) or a file: "
                          "give one of these keys");
    if ((st = yk_field_type(word, YK_SCALAR, "a shape", err)))
        return st;
    for (*shape = shapes; *shape < shapes + SHAPES; ++*shape)
        if (strcmp(word->key, (*shape)->key) == 0 && (!(*shape)->word || strcmp(word->text, (*shape)->word) == 0))
            return YK_OK;
    return yk_fail_at(err, YK_E_INPUT, word->where, "there is no %s '%s'; %s", word->key, word->text,
                      patch ? "patches are rectangle, quadrilateral and ring" : "layers are straight and circle");
}

static enum yk_status add_entry(struct reading *r, const struct yk_node *map, struct yk_err *err)
{
    const struct yk_field_context context = yk_build_context(r->frame->e);
    const struct shape *shape;
    struct entry x = {0};
    size_t material = 0;
    enum yk_status st;

    if ((st = yk_field_type(map, YK_MAP, "a patch or layer as a map", err)) || (st = find_shape(map, &shape, err)) ||
        (st = yk_field_known(map, shape->keys, NULL, err)) ||
        (st = yk_field_settings(map, shape->keys, &x, &context, err)))
        return st;
    if (x.material)
        st = find_material(r, yk_node_get(map, "material")->where, x.material, &material, err);
    if (!st && (st = shape->add(r, map, &x, material, err)))
        yk_fail_within(err, map->where, "%s", "");
    yk_param_free(shape->keys, &x);
    return st;
}

/* Refuses keys of an elastic section in a section with fibres. */
static enum yk_status refuse_elastic(const struct yk_node *map, struct yk_err *err)
{
    for (size_t i = 0; i < map->count; i++) {
        const char *key = map->items[i]->key;
        bool elastic = false;

        for (const struct yk_param *p = yk_section_params; p->name; p++)
            elastic |= strcmp(p->name, key) == 0;
        for (const struct yk_param *p = yk_keys_fibre_section; p->name; p++)
            elastic &= strcmp(p->name, key) != 0;
        if (elastic)
            return yk_fail_at(err, YK_E_INPUT, map->items[i]->key_where,
                              "section '%s' has fibres and takes no %s: its fibres and their materials give it",
                              map->key, key);
    }
    return yk_field_known(map, yk_keys_fibre_section, NULL, err);
}

enum yk_status yk_frame_read_fibres(const struct yk_frame_reading *r, const struct yk_node *map,
                                    struct yk_frame_section *section, struct yk_err *err)
{
    const struct yk_field_context context = yk_build_context(r->e);
    const struct yk_node *list = yk_node_get(map, "fibres");
    struct reading reading = {.frame = r};
    enum yk_status st;

    if ((st = refuse_elastic(map, err)) ||
        (st = yk_field_settings(map, yk_keys_fibre_section, &section->elastic, &context, err)) ||
        (st = yk_field_type(list, YK_LIST, "a list of patches and layers", err)) ||
        (st = yk_fibre_section_create(&section->fibres, err)))
        return st;
    reading.section = section->fibres;
    if (!(reading.numbers = calloc(r->materials ? r->materials->count + 1 : 1, sizeof *reading.numbers)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t i = 0; i < list->count && !st; i++)
        st = add_entry(&reading, list->items[i], err);
    free(reading.numbers);
    return st;
}

enum yk_status yk_frame_finish_fibres(const struct yk_frame_reading *r, const struct yk_node *map,
                                      struct yk_frame_section *section, struct yk_err *err)
{
    struct yk_section *s = &section->elastic;
    enum yk_status st;

    if ((st = yk_fibre_section_finish(section->fibres, r->frame.plane, err)))
        return yk_fail_within(err, yk_node_get(map, "fibres")->where, "section %s: ", map->key);
    const struct yk_fibre_summary *sum = yk_fibre_section_summary(section->fibres);
    if (!r->frame.plane && s->J > 0 && s->G == 0)
        return yk_fail_at(err, YK_E_INPUT, yk_node_get(map, "J")->key_where,
                          "section '%s' has a torsion constant J, but no shear modulus G", map->key);
    /* the matrices of a frame need the mass of a member, and the ends that it holds */
    s->E = sum->EA / sum->area;
    s->A = sum->area;
    s->Iz = sum->EIz / s->E;
    s->Iy = sum->EIy / s->E;
    s->polar = s->polar > 0 ? s->polar : sum->Iz + sum->Iy;
    return YK_OK;
}
