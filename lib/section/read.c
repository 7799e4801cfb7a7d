/* Sections of a file: materials with their laws, patches and layers, shapes. Files are experiments, or hold `materials`
 * and `sections` alone. */
#include <yoke/cross_section.h>
#include <yoke/fields.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reading {
    struct yk_cross_section *section;
    const struct yk_node *materials, *map;
    const char *directory;
};

/* ---- materials ---- */

static double setting(const struct yk_law_ops *ops, const void *settings, const char *name)
{
    for (const struct yk_param *p = ops->params; p->name; p++)
        if (strcmp(p->name, name) == 0 && p->type == YK_PARAM_REAL)
            return *(const double *)((const char *)settings + p->offset);
    return NAN;
}

static void know(struct yk_cross_material *m, const struct yk_law_ops *ops, const void *settings)
{
    snprintf(m->law, sizeof m->law, "%s", ops->name);
    m->concrete = strncmp(ops->name, "concrete", 8) == 0;
    m->E = setting(ops, settings, "E");
    m->fy = setting(ops, settings, "fy");
    if (isnan(m->E))
        m->E = setting(ops, settings, "stiffness");
    if (isnan(m->fy)) {
        const double slip = setting(ops, settings, "yield_slip"), positive = setting(ops, settings, "yield_positive");

        m->fy = m->E * (isnan(slip) ? positive : slip);
    }
    m->fc = setting(ops, settings, "fc");
    m->ec = setting(ops, settings, "ec");
    m->fu = setting(ops, settings, "fu");
    m->eu = setting(ops, settings, "eu");
    m->ft = setting(ops, settings, "ft");
    m->ft = isnan(m->ft) ? 0 : m->ft;
}

static enum yk_status real(const struct yk_node *map, const char *key, enum yk_quantity quantity, double least,
                           double most, double fallback, double *x, struct yk_err *err)
{
    const struct yk_node *node = yk_node_get(map, key);

    *x = fallback;
    if (node)
        return yk_field_real(node, quantity, least, most, x, err);
    return isnan(fallback) ? yk_fail_at(err, YK_E_INPUT, map->where, "confine: %s is missing", key) : YK_OK;
}

/* "clear": one length for each gap between tied bars, or [number, length] pairs. */
static enum yk_status read_clear(const struct yk_node *node, double *sum, struct yk_err *err)
{
    enum yk_status st = YK_OK;

    *sum = 0;
    if (!node)
        return YK_OK;
    if ((st = yk_field_type(node, YK_LIST, "clear distances between tied bars, [[4, 140 mm], [4, 190 mm]]", err)))
        return st;
    for (size_t i = 0; i < node->count && !st; i++) {
        const struct yk_node *x = node->items[i];
        double n = 1, w = 0;

        if (x->type == YK_LIST && x->count == 2) {
            if (!(st = yk_field_real(x->items[0], YK_NUMBER, 0, 1000, &n, err)))
                st = yk_field_real(x->items[1], YK_LENGTH, 0, 100, &w, err);
        } else {
            st = yk_field_real(x, YK_LENGTH, 0, 100, &w, err);
        }
        *sum += n * w * w;
    }
    return st;
}

static enum yk_status read_bars(const struct yk_node *map, const struct yk_confine *c, double *rho, struct yk_err *err)
{
    const struct yk_node *bars = yk_node_get(map, "bars");
    double n = 0, d = 0;
    enum yk_status st;

    if ((st = real(map, "rho_cc", YK_NUMBER, 0, 0.5, 0, rho, err)) || !bars)
        return st;
    if (bars->type != YK_LIST || bars->count != 2)
        return yk_fail_at(err, YK_E_INPUT, bars->where, "confine: bars are number and diameter, [8, 20 mm]");
    if ((st = yk_field_real(bars->items[0], YK_NUMBER, 0, 1000, &n, err)) ||
        (st = yk_field_real(bars->items[1], YK_LENGTH, 1e-4, 1, &d, err)))
        return st;
    *rho = n * M_PI / 4 * d * d / (c->circular ? M_PI / 4 * c->ds * c->ds : c->by * c->bz);
    return YK_OK;
}

static enum yk_status read_confine(const struct yk_node *map, double fc, double ec, struct yk_confine *c,
                                   struct yk_err *err)
{
    static const char *const known[] = {"depth",  "width", "diameter", "hoop", "spacing", "legs",  "legs_y",
                                        "legs_z", "fyh",   "esu",      "bars", "rho_cc",  "clear", "spiral"};
    const struct yk_node *spiral = yk_node_get(map, "spiral");
    double legs;
    enum yk_status st;

    for (size_t i = 0; i < map->count; i++) {
        size_t k = 0;

        while (k < sizeof known / sizeof known[0] && strcmp(map->items[i]->key, known[k]) != 0)
            k++;
        if (k == sizeof known / sizeof known[0])
            return yk_fail_at(err, YK_E_INPUT, map->items[i]->key_where, "unknown key '%s' of confine",
                              map->items[i]->key);
    }
    *c = (struct yk_confine){.fco = fc, .eco = ec, .circular = yk_node_get(map, "diameter") != NULL};
    c->spiral = spiral && spiral->type == YK_SCALAR && strcmp(spiral->text, "true") == 0;
    if ((st = real(map, "hoop", YK_LENGTH, 1e-4, 1, NAN, &c->hoop, err)) ||
        (st = real(map, "spacing", YK_LENGTH, 1e-4, 100, NAN, &c->spacing, err)) ||
        (st = real(map, "fyh", YK_PRESSURE, 1, 1e12, NAN, &c->fyh, err)) ||
        (st = real(map, "esu", YK_NUMBER, 1e-6, 1, 0.1, &c->esu, err)))
        return st;
    if (c->circular)
        st = real(map, "diameter", YK_LENGTH, 1e-3, 100, NAN, &c->ds, err);
    else if (!(st = real(map, "depth", YK_LENGTH, 1e-3, 100, NAN, &c->by, err)) &&
             !(st = real(map, "width", YK_LENGTH, 1e-3, 100, c->by, &c->bz, err)) &&
             !(st = real(map, "legs", YK_NUMBER, 1, 100, 2, &legs, err)) &&
             !(st = real(map, "legs_y", YK_NUMBER, 1, 100, legs, &c->legs_y, err)) &&
             !(st = real(map, "legs_z", YK_NUMBER, 1, 100, legs, &c->legs_z, err)))
        st = read_clear(yk_node_get(map, "clear"), &c->clear2, err);
    return st ? st : read_bars(map, c, &c->rho_cc, err);
}

/* The law's settings; those of a confined concrete are the results of `confine`. */
static enum yk_status read_settings(const struct reading *r, const struct yk_node *map, const struct yk_law_ops *ops,
                                    void *settings, struct yk_cross_material *m, struct yk_err *err)
{
    static const struct yk_param own[] = {YK_NODE("kind", "name of a law", YK_REQUIRED, ""),
                                          YK_NODE("confine", "hoops around the concrete", 0, ""), YK_PARAM_END};
    const struct yk_field_context context = {.directory = r->directory, .force_means = YK_FORCE, .sense = YK_FIBRE};
    const struct yk_node *confine = yk_node_get(map, "confine");
    struct yk_node *copy = yk_tree_copy(map);
    struct yk_confine c;
    double fc, ec;
    enum yk_status st = copy ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory");

    if (!st && confine) {
        char words[4][80];

        if (!(st = yk_field_type(confine, YK_MAP, "confine as a map", err)) &&
            !(st = real(map, "fc", YK_PRESSURE, 1, 1e12, NAN, &fc, err)) &&
            !(st = real(map, "ec", YK_NUMBER, 1e-6, 1, 0.002, &ec, err)) &&
            !(st = read_confine(confine, fc, ec, &c, err)) && (st = yk_confine(&c, &m->confined, err)))
            yk_fail_within(err, confine->where, "%s", "");
        m->is_confined = true;
        snprintf(words[0], 80, "fc=%.17g", m->confined.fcc);
        snprintf(words[1], 80, "ec=%.17g", m->confined.ecc);
        snprintf(words[2], 80, "fu=%.17g", fmin(m->confined.fu, m->confined.fcc));
        snprintf(words[3], 80, "eu=%.17g", m->confined.ecu);
        for (int i = 0; i < 4 && !st; i++)
            st = yk_tree_set(copy, words[i], "confine", err);
    }
    if (!st && !(st = yk_field_known(copy, own, ops->params, err)))
        st = yk_field_settings(copy, ops->params, settings, &context, err);
    if (!st && ops->prepare && (st = ops->prepare(settings, err)))
        yk_fail_within(err, map->where, "%s", "");
    yk_param_free(ops->params, settings);
    yk_tree_free(copy);
    return st;
}

static enum yk_status find_material(struct reading *r, struct yk_where where, const char *name, size_t *number,
                                    struct yk_err *err)
{
    struct yk_cross_section *s = r->section;
    const struct yk_node *map = r->materials ? yk_node_get(r->materials, name) : NULL, *kind;
    struct yk_cross_material *m = &s->material[s->materials];
    const struct yk_law_ops *ops;
    void *settings;
    enum yk_status st;

    for (*number = 0; *number < s->materials; ++*number)
        if (strcmp(s->material[*number].name, name) == 0)
            return YK_OK;
    if (!map || map->type != YK_MAP)
        return yk_fail_at(err, YK_E_INPUT, where, "there is no material '%s'", name);
    if (s->materials == YK_CROSS_MATERIALS || strlen(name) >= YK_CROSS_NAME)
        return yk_fail_at(err, YK_E_RANGE, where, "more than %d materials, or a name of more than %d letters",
                          YK_CROSS_MATERIALS, YK_CROSS_NAME - 1);
    if (!(kind = yk_node_get(map, "kind")) || kind->type != YK_SCALAR || !(ops = yk_law_find(kind->text)))
        return yk_fail_at(err, YK_E_INPUT, kind ? kind->where : map->where,
                          "a material has a `kind`, the name of a law: `yoke list laws`");
    if (ops->rate)
        return yk_fail_at(err, YK_E_INPUT, kind->where,
                          "'%s' cannot be the law of a material: its force depends on "
                          "the rate of deformation",
                          ops->name);
    *m = (struct yk_cross_material){.E = NAN, .fy = NAN};
    snprintf(m->name, sizeof m->name, "%s", name);
    if (!(settings = calloc(1, ops->settings_size)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    if ((st = read_settings(r, map, ops, settings, m, err))) {
        free(settings);
        return st;
    }
    know(m, ops, settings);
    s->materials++;
    return yk_fibre_section_material(s->fibres, ops, settings, number, err);
}

/* ---- patches and layers ---- */

static enum yk_status numbers(const struct yk_node *map, const char *key, enum yk_quantity quantity, size_t n,
                              const double *fallback, double *x, struct yk_err *err)
{
    const struct yk_node *list = yk_node_get(map, key);
    enum yk_status st = YK_OK;

    if (!list && fallback) {
        memcpy(x, fallback, n * sizeof *x);
        return YK_OK;
    }
    if (!list || list->type != YK_LIST || list->count != n)
        return yk_fail_at(err, YK_E_INPUT, list ? list->where : map->where, "%s should be a list of %zu", key, n);
    for (size_t i = 0; i < n && !st; i++)
        st = yk_field_real(list->items[i], quantity, -1e6, 1e6, &x[i], err);
    return st;
}

static enum yk_status keep_patch(struct yk_cross_section *s, const struct yk_cross_patch *patch, struct yk_err *err)
{
    struct yk_cross_patch *more = realloc(s->patch, (s->patches + 1) * sizeof *more);

    if (!more)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    s->patch = more;
    s->patch[s->patches++] = *patch;
    return YK_OK;
}

static enum yk_status keep_bar(struct yk_cross_section *s, struct yk_cross_bar bar, struct yk_err *err)
{
    struct yk_cross_bar *more = realloc(s->bar, (s->bars + 1) * sizeof *more);

    if (!more)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    s->bar = more;
    s->bar[s->bars++] = bar;
    return YK_OK;
}

static enum yk_status read_patch(struct reading *r, const struct yk_node *map, const char *kind, size_t material,
                                 struct yk_err *err)
{
    static const double nothing[2], around[2] = {0, 2 * M_PI};
    struct yk_cross_patch p = {.material = material};
    double from[2], to[2], divide[2];
    enum yk_status st = numbers(map, "divide", YK_NUMBER, 2, NULL, divide, err);
    const size_t cells[2] = {divide[0] >= 1 ? (size_t)divide[0] : 0, divide[1] >= 1 ? (size_t)divide[1] : 0};

    if (st)
        return st;
    if (strcmp(kind, "rectangle") == 0) {
        if ((st = numbers(map, "from", YK_LENGTH, 2, NULL, from, err)) ||
            (st = numbers(map, "to", YK_LENGTH, 2, NULL, to, err)))
            return st;
        p.rectangle = true;
        for (int i = 0; i < 4; i++) {
            p.corners[i][0] = i == 0 || i == 3 ? from[0] : to[0];
            p.corners[i][1] = i < 2 ? from[1] : to[1];
        }
        st = yk_fibre_section_rectangle(r->section->fibres, material, from, to, cells, err);
    } else if (strcmp(kind, "quadrilateral") == 0) {
        const struct yk_node *list = yk_node_get(map, "corners");

        if (!list || list->type != YK_LIST || list->count != 4)
            return yk_fail_at(err, YK_E_INPUT, map->where, "corners should be four places, [[y, z], ...]");
        for (size_t i = 0; i < 4; i++)
            for (size_t k = 0; k < 2; k++)
                if (list->items[i]->type != YK_LIST || list->items[i]->count != 2 ||
                    yk_field_real(list->items[i]->items[k], YK_LENGTH, -1e6, 1e6, &p.corners[i][k], err))
                    return yk_fail_at(err, YK_E_INPUT, list->items[i]->where, "a corner should be [y, z]");
        st = yk_fibre_section_quadrilateral(r->section->fibres, material, p.corners, cells, err);
    } else if (strcmp(kind, "ring") == 0) {
        p.kind = YK_CROSS_RING;
        if ((st = numbers(map, "radii", YK_LENGTH, 2, NULL, p.radii, err)) ||
            (st = numbers(map, "centre", YK_LENGTH, 2, nothing, p.centre, err)) ||
            (st = numbers(map, "angles", YK_ANGLE, 2, around, p.angles, err)))
            return st;
        st = yk_fibre_section_ring(r->section->fibres, material, p.centre, p.radii, p.angles, cells, err);
    } else {
        return yk_fail_at(err, YK_E_INPUT, map->where, "there is no patch '%s'; rectangle, quadrilateral, ring", kind);
    }
    return st ? yk_fail_within(err, map->where, "%s", "") : keep_patch(r->section, &p, err);
}

static enum yk_status read_layer(struct reading *r, const struct yk_node *map, const char *kind, size_t material,
                                 struct yk_err *err)
{
    static const double nothing[2], turn[2] = {0, 2 * M_PI};
    struct yk_bars bars = {.material = material};
    double n, diameter = 0, area = 0, from[2], to[2], radius = 0, angles[2];
    const struct yk_node *count = yk_node_get(map, "bars"), *d = yk_node_get(map, "diameter"),
                         *a = yk_node_get(map, "area"), *displace = yk_node_get(map, "displace");
    const bool circle = strcmp(kind, "circle") == 0;
    enum yk_status st;

    if (!circle && strcmp(kind, "straight") != 0)
        return yk_fail_at(err, YK_E_INPUT, map->where, "there is no layer '%s'; straight, circle", kind);
    if (!count || (!d && !a) || (d && a))
        return yk_fail_at(err, YK_E_INPUT, map->where, "a layer has `bars`, and either `diameter` or `area`");
    if ((st = yk_field_real(count, YK_NUMBER, 1, 1000, &n, err)) ||
        (d && (st = yk_field_real(d, YK_LENGTH, 1e-6, 100, &diameter, err))) ||
        (a && (st = yk_field_real(a, YK_AREA, 1e-12, 1e4, &area, err))))
        return st;
    bars.count = (size_t)n;
    bars.area = a ? area : M_PI / 4 * diameter * diameter;
    bars.displace = displace && displace->type == YK_SCALAR && strcmp(displace->text, "true") == 0;
    if (circle) {
        const struct yk_node *node = yk_node_get(map, "radius");

        if (!node)
            return yk_fail_at(err, YK_E_INPUT, map->where, "a layer on a circle has a `radius`");
        if ((st = yk_field_real(node, YK_LENGTH, 1e-6, 1e6, &radius, err)) ||
            (st = numbers(map, "centre", YK_LENGTH, 2, nothing, from, err)) ||
            (st = numbers(map, "angles", YK_ANGLE, 2, turn, angles, err)))
            return st;
        st = yk_fibre_section_arc(r->section->fibres, &bars, from, radius, angles, err);
    } else {
        if ((st = numbers(map, "from", YK_LENGTH, 2, NULL, from, err)) ||
            (st = numbers(map, "to", YK_LENGTH, 2, NULL, to, err)))
            return st;
        st = yk_fibre_section_layer(r->section->fibres, &bars, from, to, err);
    }
    if (st)
        return yk_fail_within(err, map->where, "%s", "");
    const bool full = circle && fabs(fabs(angles[1] - angles[0]) - 2 * M_PI) < 1e-9;
    for (size_t i = 0; i < bars.count && !st; i++) {
        const double parts = full ? n : n > 1 ? n - 1 : 1, x = n > 1 ? (double)i / parts : 0.5;
        struct yk_cross_bar bar = {.area = bars.area, .material = material};

        bar.y =
            circle ? from[0] + radius * cos(angles[0] + x * (angles[1] - angles[0])) : from[0] + x * (to[0] - from[0]);
        bar.z =
            circle ? from[1] + radius * sin(angles[0] + x * (angles[1] - angles[0])) : from[1] + x * (to[1] - from[1]);
        st = keep_bar(r->section, bar, err);
    }
    return st;
}

static enum yk_status read_entry(struct reading *r, const struct yk_node *map, struct yk_err *err)
{
    const struct yk_node *patch = map->type == YK_MAP ? yk_node_get(map, "patch") : NULL,
                         *layer = map->type == YK_MAP ? yk_node_get(map, "layer") : NULL,
                         *material = map->type == YK_MAP ? yk_node_get(map, "material") : NULL,
                         *shape = patch ? patch : layer;
    size_t number;
    enum yk_status st;

    if (!shape || shape->type != YK_SCALAR || (patch && layer))
        return yk_fail_at(err, YK_E_INPUT, map->where,
                          "fibres are a patch (rectangle, quadrilateral, ring) or a layer "
                          "(straight, circle); tables of fibres have no outline");
    if (!material || material->type != YK_SCALAR)
        return yk_fail_at(err, YK_E_INPUT, map->where, "material is missing: one of `materials`");
    if ((st = find_material(r, material->where, material->text, &number, err)))
        return st;
    return patch ? read_patch(r, map, shape->text, number, err) : read_layer(r, map, shape->text, number, err);
}

/* ---- a section ---- */

static void extend(struct yk_cross_section *s, double y, double z)
{
    s->low[0] = fmin(s->low[0], y);
    s->high[0] = fmax(s->high[0], y);
    s->low[1] = fmin(s->low[1], z);
    s->high[1] = fmax(s->high[1], z);
}

static void outline(struct yk_cross_section *s)
{
    s->low[0] = s->low[1] = INFINITY;
    s->high[0] = s->high[1] = -INFINITY;
    for (size_t i = 0; i < s->patches; i++) {
        const struct yk_cross_patch *p = &s->patch[i];

        for (int k = 0; k < 4 && p->kind == YK_CROSS_POLYGON; k++)
            extend(s, p->corners[k][0], p->corners[k][1]);
        for (int k = 0; k <= 360 && p->kind == YK_CROSS_RING; k++) {
            const double a = p->angles[0] + (p->angles[1] - p->angles[0]) * k / 360;

            extend(s, p->centre[0] + p->radii[1] * cos(a), p->centre[1] + p->radii[1] * sin(a));
        }
    }
    for (size_t i = 0; i < s->bars; i++)
        extend(s, s->bar[i].y, s->bar[i].z);
}

static enum yk_status read_list(struct reading *r, const struct yk_node *list, struct yk_err *err)
{
    enum yk_status st = yk_field_type(list, YK_LIST, "a list of patches and layers", err);

    for (size_t i = 0; i < list->count && !st; i++)
        st = read_entry(r, list->items[i], err);
    return st;
}

/* The text of the patches of a shape is read as if the user had written it. */
static enum yk_status read_shape(struct reading *r, struct yk_err *err)
{
    struct yk_cross_section *s = r->section;
    struct yk_node *root = NULL;
    char *whole = NULL, *place = NULL;
    enum yk_status st = yk_cross_expand(r->map, &s->expanded, &s->shape, err);

    if (st)
        return st;
    if (asprintf(&whole, "fibres:\n%s", s->expanded) < 0 || asprintf(&place, "shape of %s", s->name) < 0)
        st = yk_fail(err, YK_E_MEMORY, "out of memory");
    else if (!(st = yk_tree_parse(&root, whole, strlen(whole), place, err)))
        st = read_list(r, yk_node_get(root, "fibres"), err);
    if (st)
        yk_fail_within(err, r->map->where, "%s", "");
    yk_tree_free(root);
    free(whole);
    free(place);
    return st;
}

/* "frame.column" or "column": the map, and the materials beside it. */
static enum yk_status find_section(struct reading *r, const struct yk_node *root, const char *path, const char *name,
                                   struct yk_err *err)
{
    const struct yk_node *subs = yk_node_get(root, "substructures");
    size_t places = 0;

    for (size_t i = 0; i <= (subs && subs->type == YK_MAP ? subs->count : 0); i++) {
        const struct yk_node *at = i == 0 ? root : subs->items[i - 1];
        const struct yk_node *sections = at->type == YK_MAP ? yk_node_get(at, "sections") : NULL, *map;
        const size_t n = i ? strlen(at->key) : 0;
        const char *wanted = i && strncmp(name, at->key, n) == 0 && name[n] == '.' ? name + n + 1 : name;

        if (!sections || sections->type != YK_MAP || !(map = yk_node_get(sections, wanted)))
            continue;
        r->map = map;
        r->materials = yk_node_get(at, "materials");
        places++;
    }
    if (places == 1 && r->map->type == YK_MAP)
        return YK_OK;
    return yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(path),
                      places > 1 ? "several substructures have a section '%s'; write SUBSTRUCTURE.SECTION"
                                 : "there is no section '%s' under `sections`, of the file or of a substructure",
                      name);
}

static enum yk_status read_map(struct reading *r, struct yk_err *err)
{
    struct yk_cross_section *s = r->section;
    const struct yk_node *list = yk_node_get(r->map, "fibres");
    enum yk_status st;

    if ((st = yk_fibre_section_create(&s->fibres, err)))
        return st;
    if (yk_node_get(r->map, "shape"))
        st = read_shape(r, err);
    else if (list)
        st = read_list(r, list, err);
    else
        st = yk_fail_at(err, YK_E_INPUT, r->map->where,
                        "section '%s' has neither `fibres` nor a `shape`: it stays elastic", s->name);
    if (!st && (st = yk_fibre_section_finish(s->fibres, false, err)))
        yk_fail_within(err, r->map->where, "section %s: ", s->name);
    outline(s);
    return st;
}

enum yk_status yk_cross_read(struct yk_cross_section *s, const char *path, const char *name,
                             const char *const *overrides, size_t override_count, struct yk_err *err)
{
    struct reading r = {.section = s};
    struct yk_node *root;
    const char *slash = strrchr(path, '/');
    char *directory = NULL;
    enum yk_status st;

    *s = (struct yk_cross_section){.shape = {.J = NAN}};
    if (strlen(name) >= YK_CROSS_NAME)
        return yk_fail(err, YK_E_INPUT, "there is no section '%s'", name);
    snprintf(s->name, sizeof s->name, "%s", name);
    if ((st = yk_tree_load(&root, path, err)))
        return st;
    for (size_t i = 0; i < override_count && !st; i++)
        st = yk_tree_set(root, overrides[i], "--set", err);
    directory = slash ? strndup(path, (size_t)(slash - path)) : strdup(".");
    r.directory = directory ? directory : ".";
    if (!st && !(st = find_section(&r, root, path, name, err)))
        st = read_map(&r, err);
    free(directory);
    yk_tree_free(root);
    if (st)
        yk_cross_free(s);
    return st;
}

void yk_cross_free(struct yk_cross_section *s)
{
    yk_fibre_section_release(s->fibres);
    free(s->patch);
    free(s->bar);
    free(s->expanded);
    *s = (struct yk_cross_section){0};
}
