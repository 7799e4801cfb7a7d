/* Shapes by a short description become patches and layers, with the origin at the centroid; their properties follow
 * from the dimensions. docs/sections.md has the table of shapes. */
#include <yoke/cross_section.h>
#include <yoke/fields.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS = 8, LARGEST = 1000 };

/* A rectangle of steel: extent along y and z. */
struct part {
    double y0, y1, z0, z1;
};

struct shape {
    const struct yk_node *map;
    FILE *out;
    double depth, width, flange, web;
    char material[YK_CROSS_NAME];
    size_t cells, across;
    struct part part[PARTS];
    size_t parts;
    struct yk_cross_properties p;
};

/* ---- keys ---- */

static const char *const keys[] = {"shape",  "material", "depth",    "width", "flange", "web",  "wall",  "diameter",
                                   "fillet", "cover",    "cover_to", "bars",  "hoops",  "core", "shell", "steel",
                                   "cells",  "across",   "density",  "G",     "J",      "polar"};

static enum yk_status check_keys(const struct yk_node *map, struct yk_err *err)
{
    for (size_t i = 0; i < map->count; i++) {
        size_t k = 0;

        while (k < sizeof keys / sizeof keys[0] && strcmp(map->items[i]->key, keys[k]) != 0)
            k++;
        if (k == sizeof keys / sizeof keys[0])
            return yk_fail_at(err, YK_E_INPUT, map->items[i]->key_where, "unknown key '%s' of a shape",
                              map->items[i]->key);
    }
    return YK_OK;
}

static enum yk_status length(const struct yk_node *map, const char *key, double fallback, double *x, struct yk_err *err)
{
    const struct yk_node *node = yk_node_get(map, key);

    *x = fallback;
    if (node)
        return yk_field_real(node, YK_LENGTH, 1e-6, 1e3, x, err);
    if (!isnan(fallback))
        return YK_OK;
    return yk_fail_at(err, YK_E_INPUT, map->where, "%s is missing: a length", key);
}

static enum yk_status count(const struct yk_node *map, const char *key, double fallback, size_t *n, struct yk_err *err)
{
    const struct yk_node *node = yk_node_get(map, key);
    double x = fallback;
    enum yk_status st = node ? yk_field_real(node, YK_NUMBER, 1, LARGEST, &x, err) : YK_OK;

    if (!st && x != floor(x))
        st = yk_fail_at(err, YK_E_RANGE, node ? node->where : map->where, "%s = %g is not a whole number", key, x);
    *n = (size_t)x;
    return st;
}

static enum yk_status word(const struct yk_node *map, const char *key, const char *fallback, char *to,
                           struct yk_err *err)
{
    const struct yk_node *node = yk_node_get(map, key);

    if (node && (node->type != YK_SCALAR || strlen(node->text) >= YK_CROSS_NAME))
        return yk_fail_at(err, YK_E_INPUT, node->where, "%s should be a name", key);
    if (!node && !fallback)
        return yk_fail_at(err, YK_E_INPUT, map->where, "%s is missing: one of `materials`", key);
    if (to != fallback)
        snprintf(to, YK_CROSS_NAME, "%s", node ? node->text : fallback);
    return YK_OK;
}

/* ---- output ---- */

/* Cells in proportion to the depth; a thin part has two at least. */
static size_t rows_of(const struct shape *s, double height)
{
    const double n = round((double)s->cells * height / s->depth);

    return n < 2 ? 2 : (size_t)n;
}

static void rectangle(const struct shape *s, const char *material, double y0, double y1, double z0, double z1)
{
    const double share = round((double)s->across * (z1 - z0) / s->width);

    fprintf(s->out,
            "- { patch: rectangle, material: %s, from: [%.15g, %.15g], to: [%.15g, %.15g], divide: [%zu, %zu] }\n",
            material, y0, z0, y1, z1, rows_of(s, y1 - y0), share < 1 ? (size_t)1 : (size_t)share);
}

static void layer(const struct shape *s, const char *material, double y, double z, size_t bars, double diameter)
{
    if (bars)
        fprintf(s->out,
                "- { layer: straight, material: %s, from: [%.15g, %.15g], to: [%.15g, %.15g], bars: %zu, diameter: "
                "%.15g }\n",
                material, y, bars > 1 ? -z : 0, y, bars > 1 ? z : 0, bars, diameter);
}

/* ---- shapes of rectangles ---- */

static void add(struct shape *s, double y0, double y1, double z0, double z1)
{
    s->part[s->parts++] = (struct part){y0, y1, z0, z1};
}

/* Area below y, minus area above: where it is zero lies the plastic neutral axis. */
static double imbalance(const struct shape *s, double y)
{
    double sum = 0;

    for (size_t i = 0; i < s->parts; i++) {
        const struct part *p = &s->part[i];
        const double at = fmin(fmax(y, p->y0), p->y1);

        sum += (p->z1 - p->z0) * ((at - p->y0) - (p->y1 - at));
    }
    return sum;
}

static double plastic_modulus(const struct shape *s)
{
    double low = -2 * s->depth, high = 2 * s->depth, W = 0;

    for (int i = 0; i < 200; i++) {
        const double middle = (low + high) / 2;

        *(imbalance(s, middle) > 0 ? &high : &low) = middle;
    }
    for (size_t i = 0; i < s->parts; i++) {
        const struct part *p = &s->part[i];
        const double at = fmin(fmax(low, p->y0), p->y1), b = p->z1 - p->z0;

        W += b * (pow(p->y1 - low, 2) - pow(at - low, 2)) / 2 * (p->y1 > at) +
             b * (pow(low - p->y0, 2) - pow(low - at, 2)) / 2 * (at > p->y0);
    }
    return W;
}

/* Moves the parts to their centroid, sums their properties and prints them. */
static void finish_parts(struct shape *s)
{
    double y = 0, z = 0;
    struct yk_cross_properties *p = &s->p;

    for (size_t i = 0; i < s->parts; i++) {
        const struct part *q = &s->part[i];
        const double A = (q->y1 - q->y0) * (q->z1 - q->z0);

        p->A += A;
        y += A * (q->y0 + q->y1) / 2;
        z += A * (q->z0 + q->z1) / 2;
    }
    y /= p->A;
    z /= p->A;
    for (size_t i = 0; i < s->parts; i++) {
        struct part *q = &s->part[i];

        q->y0 -= y;
        q->y1 -= y;
        q->z0 -= z;
        q->z1 -= z;
        p->Iz += (q->z1 - q->z0) * (pow(q->y1, 3) - pow(q->y0, 3)) / 3;
        p->Iy += (q->y1 - q->y0) * (pow(q->z1, 3) - pow(q->z0, 3)) / 3;
        rectangle(s, s->material, q->y0, q->y1, q->z0, q->z1);
    }
    p->back = fabs(z) > 1e-12 * s->width ? z : fabs(y) > 1e-12 * s->depth ? y : 0;
    p->Wz = plastic_modulus(s);
}

static enum yk_status flanged(struct shape *s, bool walls, struct yk_err *err)
{
    double wall;
    enum yk_status st;

    if ((st = length(s->map, "depth", NAN, &s->depth, err)) || (st = length(s->map, "wall", -1, &wall, err)) ||
        (st = length(s->map, "width", walls ? s->depth : NAN, &s->width, err)) ||
        (st = length(s->map, "flange", wall > 0 ? wall : NAN, &s->flange, err)) ||
        (st = length(s->map, "web",
                     wall > 0 ? wall
                     : walls  ? s->flange
                              : NAN,
                     &s->web, err)))
        return st;
    if (!(2 * s->flange < s->depth) || !((walls ? 2 : 1) * s->web < s->width))
        return yk_fail_at(err, YK_E_RANGE, s->map->where,
                          "flanges of %g m and a web of %g m do not fit into a depth of %g m and a width of %g m",
                          s->flange, s->web, s->depth, s->width);
    return YK_OK;
}

static double cubes(double b, double t)
{
    return b * t * t * t / 3;
}

static enum yk_status shape_i(struct shape *s, struct yk_err *err)
{
    const enum yk_status st = flanged(s, false, err);
    const double h = s->depth / 2, b = s->width / 2, clear = s->depth - 2 * s->flange;

    if (st)
        return st;
    add(s, h - s->flange, h, -b, b);
    add(s, -h + s->flange, h - s->flange, -s->web / 2, s->web / 2);
    add(s, -h, -h + s->flange, -b, b);
    s->p.J = 2 * cubes(s->width, s->flange) + cubes(clear, s->web);
    finish_parts(s);
    return YK_OK;
}

static enum yk_status shape_box(struct shape *s, struct yk_err *err)
{
    const enum yk_status st = flanged(s, true, err);
    const double h = s->depth / 2, b = s->width / 2, ym = s->depth - s->flange, zm = s->width - s->web;

    if (st)
        return st;
    add(s, h - s->flange, h, -b, b);
    add(s, -h + s->flange, h - s->flange, -b, -b + s->web);
    add(s, -h + s->flange, h - s->flange, b - s->web, b);
    add(s, -h, -h + s->flange, -b, b);
    s->p.J = 4 * ym * ym * zm * zm / (2 * zm / s->flange + 2 * ym / s->web);
    finish_parts(s);
    return YK_OK;
}

static enum yk_status shape_channel(struct shape *s, struct yk_err *err)
{
    const enum yk_status st = flanged(s, false, err);
    const double h = s->depth / 2, clear = s->depth - 2 * s->flange;

    if (st)
        return st;
    add(s, h - s->flange, h, 0, s->width);
    add(s, -h + s->flange, h - s->flange, 0, s->web);
    add(s, -h, -h + s->flange, 0, s->width);
    s->p.J = 2 * cubes(s->width, s->flange) + cubes(clear, s->web);
    finish_parts(s);
    return YK_OK;
}

static enum yk_status shape_t(struct shape *s, struct yk_err *err)
{
    const enum yk_status st = flanged(s, false, err);

    if (st)
        return st;
    add(s, s->depth - s->flange, s->depth, -s->width / 2, s->width / 2);
    add(s, 0, s->depth - s->flange, -s->web / 2, s->web / 2);
    s->p.J = cubes(s->width, s->flange) + cubes(s->depth - s->flange, s->web);
    finish_parts(s);
    return YK_OK;
}

static enum yk_status shape_angle(struct shape *s, struct yk_err *err)
{
    const enum yk_status st = flanged(s, false, err);

    if (st)
        return st;
    add(s, 0, s->flange, 0, s->width);
    add(s, s->flange, s->depth, 0, s->web);
    s->p.J = cubes(s->width, s->flange) + cubes(s->depth - s->flange, s->web);
    finish_parts(s);
    return YK_OK;
}

/* Torsion of a rectangle by Saint-Venant's series. */
static double torsion(double a, double b)
{
    const double longer = fmax(a, b), t = fmin(a, b);
    double sum = 0;

    for (int k = 1; k < 60; k += 2)
        sum += tanh(k * M_PI * longer / (2 * t)) / pow(k, 5);
    return longer * t * t * t * (1 / 3.0 - 64 / pow(M_PI, 5) * t / longer * sum);
}

static enum yk_status shape_rectangle(struct shape *s, struct yk_err *err)
{
    enum yk_status st;

    if ((st = length(s->map, "depth", NAN, &s->depth, err)) || (st = length(s->map, "width", s->depth, &s->width, err)))
        return st;
    add(s, -s->depth / 2, s->depth / 2, -s->width / 2, s->width / 2);
    s->p.J = torsion(s->depth, s->width);
    finish_parts(s);
    return YK_OK;
}

/* ---- round shapes ---- */

static void ring(struct shape *s, const char *material, double inner, double outer)
{
    const double rows = round((double)s->cells * (outer - inner) / s->depth);

    fprintf(s->out, "- { patch: ring, material: %s, radii: [%.15g, %.15g], divide: [%zu, %zu] }\n", material, inner,
            outer, rows < 2 ? (size_t)2 : (size_t)rows, s->cells < 24 ? (size_t)24 : s->cells);
}

static void round_properties(struct shape *s, double inner, double outer)
{
    s->p.A = M_PI * (outer * outer - inner * inner);
    s->p.Iz = s->p.Iy = M_PI / 4 * (pow(outer, 4) - pow(inner, 4));
    s->p.Wz = 4.0 / 3 * (pow(outer, 3) - pow(inner, 3));
    s->p.J = 2 * s->p.Iz;
}

static enum yk_status shape_round(struct shape *s, bool hollow, struct yk_err *err)
{
    double wall = 0;
    enum yk_status st = length(s->map, yk_node_get(s->map, "depth") ? "depth" : "diameter", NAN, &s->depth, err);

    if (st || (hollow && (st = length(s->map, "wall", NAN, &wall, err))))
        return st;
    if (!(2 * wall < s->depth))
        return yk_fail_at(err, YK_E_RANGE, s->map->where, "a wall of %g m does not fit into a diameter of %g m", wall,
                          s->depth);
    s->width = s->depth;
    ring(s, s->material, hollow ? s->depth / 2 - wall : 0, s->depth / 2);
    round_properties(s, hollow ? s->depth / 2 - wall : 0, s->depth / 2);
    return YK_OK;
}

static enum yk_status shape_tube(struct shape *s, struct yk_err *err)
{
    return shape_round(s, true, err);
}

static enum yk_status shape_circle(struct shape *s, struct yk_err *err)
{
    return shape_round(s, false, err);
}

/* ---- reinforced concrete ---- */

struct reinforcement {
    char core[YK_CROSS_NAME], shell[YK_CROSS_NAME], steel[YK_CROSS_NAME];
    double cover, hoop; /* hoop: diameter, 0: none */
    int cover_to;
};

/* [3, 20 mm] */
static enum yk_status group(const struct yk_node *list, size_t *bars, double *diameter, struct yk_err *err)
{
    double n = 0;
    enum yk_status st;

    if (list->type != YK_LIST || list->count != 2)
        return yk_fail_at(err, YK_E_INPUT, list->where, "bars are a list of number and diameter: [3, 20 mm]");
    if ((st = yk_field_real(list->items[0], YK_NUMBER, 0, LARGEST, &n, err)) ||
        (st = yk_field_real(list->items[1], YK_LENGTH, 1e-4, 1, diameter, err)))
        return st;
    *bars = (size_t)n;
    return n == floor(n) ? YK_OK : yk_fail_at(err, YK_E_RANGE, list->where, "%g is not a whole number of bars", n);
}

static enum yk_status read_reinforcement(const struct shape *s, struct reinforcement *r, struct yk_err *err)
{
    static const char words[] = "hoop|bar|centre";
    const struct yk_node *hoops = yk_node_get(s->map, "hoops"), *to = yk_node_get(s->map, "cover_to");
    enum yk_status st;

    *r = (struct reinforcement){.cover_to = 0};
    if ((st = word(s->map, "core", s->material, r->core, err)) ||
        (st = word(s->map, "shell", s->material, r->shell, err)) || (st = word(s->map, "steel", NULL, r->steel, err)) ||
        (st = length(s->map, "cover", NAN, &r->cover, err)))
        return st;
    if (!*r->core || !*r->shell)
        return yk_fail_at(err, YK_E_INPUT, s->map->where,
                          "material is missing: the concrete; or give core and shell, if they differ");
    if (to && (r->cover_to = yk_choice_index(words, to->type == YK_SCALAR ? to->text : "")) < 0)
        return yk_fail_at(err, YK_E_INPUT, to->where, "cover_to should be hoop, bar or centre");
    if (hoops && hoops->type != YK_MAP)
        return yk_fail_at(err, YK_E_INPUT, hoops->where, "hoops should be a map such as { diameter: 10 mm }");
    return hoops ? length(hoops, "diameter", NAN, &r->hoop, err) : YK_OK;
}

/* Distance from the edge to the centre of a bar, and of a hoop around bars of this diameter. */
static double bar_depth(const struct reinforcement *r, double diameter)
{
    return r->cover_to == 2 ? r->cover : r->cover + diameter / 2 + (r->cover_to == 0 ? r->hoop : 0);
}

static double hoop_depth(const struct reinforcement *r, double diameter)
{
    return bar_depth(r, diameter) - diameter / 2 - r->hoop / 2;
}

static enum yk_status check_fit(const struct shape *s, double inside, double depth, struct yk_err *err)
{
    if (inside > 0 && 2 * depth < s->depth && 2 * depth < s->width)
        return YK_OK;
    return yk_fail_at(err, YK_E_RANGE, s->map->where,
                      "the cover puts bars %g m inside the edge, which a section of %g m by %g m has no room for",
                      depth, s->depth, s->width);
}

static enum yk_status shape_rc_rectangle(struct shape *s, struct yk_err *err)
{
    static const char *const names[] = {"top", "bottom", "side"};
    const struct yk_node *bars = yk_node_get(s->map, "bars");
    size_t n[3] = {0};
    double d[3] = {0}, largest = 0;
    struct reinforcement r;
    enum yk_status st;

    if ((st = length(s->map, "depth", NAN, &s->depth, err)) ||
        (st = length(s->map, "width", s->depth, &s->width, err)) || (st = read_reinforcement(s, &r, err)))
        return st;
    if (!bars || bars->type != YK_MAP)
        return yk_fail_at(err, YK_E_INPUT, s->map->where,
                          "bars should be a map such as { top: [3, 20 mm], bottom: [3, 20 mm], side: [1, 20 mm] }");
    for (size_t i = 0; i < bars->count && !st; i++) {
        size_t k = 0;

        while (k < 3 && strcmp(bars->items[i]->key, names[k]) != 0)
            k++;
        st = k < 3 ? group(bars->items[i], &n[k], &d[k], err)
                   : yk_fail_at(err, YK_E_INPUT, bars->items[i]->key_where, "bars are at the top, bottom or side");
    }
    if (st)
        return st;
    largest = fmax(d[0], fmax(d[1], d[2]));
    const double in = hoop_depth(&r, largest), h = s->depth / 2, b = s->width / 2;
    if ((st = check_fit(s, in, bar_depth(&r, largest), err)))
        return st;
    rectangle(s, r.core, -h + in, h - in, -b + in, b - in);
    rectangle(s, r.shell, h - in, h, -b, b);
    rectangle(s, r.shell, -h, -h + in, -b, b);
    rectangle(s, r.shell, -h + in, h - in, -b, -b + in);
    rectangle(s, r.shell, -h + in, h - in, b - in, b);
    layer(s, r.steel, h - bar_depth(&r, d[0]), b - bar_depth(&r, d[0]), n[0], d[0]);
    layer(s, r.steel, -h + bar_depth(&r, d[1]), b - bar_depth(&r, d[1]), n[1], d[1]);
    for (size_t i = 1; i <= n[2]; i++) { /* evenly between the layers */
        const double top = h - bar_depth(&r, d[0] > 0 ? d[0] : d[2]), low = -h + bar_depth(&r, d[1] > 0 ? d[1] : d[2]);

        layer(s, r.steel, low + (top - low) * (double)i / (double)(n[2] + 1), b - bar_depth(&r, d[2]), 2, d[2]);
    }
    add(s, -h, h, -b, b);
    s->p = (struct yk_cross_properties){.A = s->depth * s->width,
                                        .Iz = s->width * pow(s->depth, 3) / 12,
                                        .Iy = s->depth * pow(s->width, 3) / 12,
                                        .Wz = s->width * s->depth * s->depth / 4,
                                        .J = torsion(s->depth, s->width)};
    return YK_OK;
}

static enum yk_status shape_rc_circle(struct shape *s, struct yk_err *err)
{
    const struct yk_node *bars = yk_node_get(s->map, "bars");
    size_t n;
    double d;
    struct reinforcement r;
    enum yk_status st;

    if ((st = length(s->map, yk_node_get(s->map, "depth") ? "depth" : "diameter", NAN, &s->depth, err)) ||
        (st = read_reinforcement(s, &r, err)))
        return st;
    s->width = s->depth;
    if (!bars)
        return yk_fail_at(err, YK_E_INPUT, s->map->where, "bars are missing: [8, 20 mm]");
    if ((st = group(bars, &n, &d, err)) || (st = check_fit(s, hoop_depth(&r, d), bar_depth(&r, d), err)))
        return st;
    ring(s, r.core, 0, s->depth / 2 - hoop_depth(&r, d));
    ring(s, r.shell, s->depth / 2 - hoop_depth(&r, d), s->depth / 2);
    if (n)
        fprintf(s->out, "- { layer: circle, material: %s, radius: %.15g, bars: %zu, diameter: %.15g }\n", r.steel,
                s->depth / 2 - bar_depth(&r, d), n, d);
    round_properties(s, 0, s->depth / 2);
    return YK_OK;
}

/* ---- which shape ---- */

static const struct {
    const char *name;
    bool concrete;
    enum yk_status (*expand)(struct shape *s, struct yk_err *err);
} shapes[] = {
    {"i", false, shape_i},
    {"box", false, shape_box},
    {"tube", false, shape_tube},
    {"channel", false, shape_channel},
    {"t", false, shape_t},
    {"angle", false, shape_angle},
    {"rectangle", false, shape_rectangle},
    {"circle", false, shape_circle},
    {"rc-rectangle", true, shape_rc_rectangle},
    {"rc-circle", true, shape_rc_circle},
};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

/* Quarter rounds between web and flanges of I shapes: their area, and its moments. */
static enum yk_status add_fillets(struct shape *s, struct yk_err *err)
{
    double r;
    const enum yk_status st = length(s->map, "fillet", 0, &r, err);

    if (st || !(r > 0))
        return st;
    if (strcmp(s->p.shape, "i") != 0)
        return yk_fail_at(err, YK_E_UNSUPPORTED, yk_node_get(s->map, "fillet")->where, "fillet is for the shape i");
    /* a square minus a quarter of a circle; its centroid lies 0.2234 r from the corner */
    const double A = (1 - M_PI / 4) * r * r, c = (10 - 3 * M_PI) / (12 - 3 * M_PI) * r;
    for (int i = 0; i < 4; i++) {
        const double y = (i < 2 ? 1 : -1) * (s->depth / 2 - s->flange - c), z = (i % 2 ? 1 : -1) * (s->web / 2 + c);
        const double side = sqrt(A) / 2;

        fprintf(s->out,
                "- { patch: rectangle, material: %s, from: [%.15g, %.15g], to: [%.15g, %.15g], divide: [2, 1] }\n",
                s->material, y - side, z - side, y + side, z + side);
        s->p.A += A;
        s->p.Iz += A * y * y + pow(2 * side, 4) / 12;
        s->p.Iy += A * z * z + pow(2 * side, 4) / 12;
        s->p.Wz += A * fabs(y);
    }
    return YK_OK;
}

enum yk_status yk_cross_expand(const struct yk_node *map, char **text, struct yk_cross_properties *properties,
                               struct yk_err *err)
{
    const struct yk_node *name = yk_node_get(map, "shape");
    struct shape s = {.map = map};
    size_t k = 0, size = 0;
    enum yk_status st = check_keys(map, err);

    *text = NULL;
    while (k < SHAPES && !(name->type == YK_SCALAR && strcmp(name->text, shapes[k].name) == 0))
        k++;
    if (st)
        return st;
    if (k == SHAPES)
        return yk_fail_at(err, YK_E_INPUT, name->where,
                          "unknown shape%s%s; shapes are i, box, tube, channel, t, angle, rectangle, circle, "
                          "rc-rectangle and rc-circle",
                          name->type == YK_SCALAR ? " " : "", name->type == YK_SCALAR ? name->text : "");
    if ((st = word(map, "material", shapes[k].concrete ? "" : NULL, s.material, err)) ||
        (st = count(map, "cells", 40, &s.cells, err)) || (st = count(map, "across", 10, &s.across, err)))
        return st;
    if (!(s.out = open_memstream(text, &size)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    snprintf(s.p.shape, sizeof s.p.shape, "%s", shapes[k].name);
    if (!(st = shapes[k].expand(&s, err)))
        st = add_fillets(&s, err);
    snprintf(s.p.shape, sizeof s.p.shape, "%s", shapes[k].name);
    if (fclose(s.out) && !st)
        st = yk_fail(err, YK_E_MEMORY, "out of memory");
    if (st) {
        free(*text);
        *text = NULL;
    }
    *properties = s.p;
    return st;
}
