/* Fibre sections as constant objects: materials, merging, and what is known of them. docs/theory/nonlinear-frames.md,
 * section 2. Units: N, m. */
#include "substructure/member/fibre_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FIBRES = 20000 };

enum yk_status yk_fibre_section_create(struct yk_fibre_section **section, struct yk_err *err)
{
    if (!(*section = calloc(1, sizeof **section)))
        return yk_fail(err, YK_E_MEMORY, "no memory for a section");
    atomic_init(&(*section)->shares, 1);
    return YK_OK;
}

struct yk_fibre_section *yk_fibre_section_share(struct yk_fibre_section *section)
{
    atomic_fetch_add(&section->shares, 1);
    return section;
}

void yk_fibre_section_release(struct yk_fibre_section *section)
{
    if (!section || atomic_fetch_sub(&section->shares, 1) > 1)
        return;
    for (size_t i = 0; i < section->summary.materials; i++)
        free(section->materials[i].settings);
    free(section->materials);
    free(section->given);
    free(section->patches);
    free(section->fibres);
    free(section);
}

/* ---- growing arrays -------------------------------------------------------------------------------------------- */

/* Appends an item of `size` bytes to an array that is allowed to move. */
static enum yk_status append(void **items, size_t *count, size_t *room, const void *item, size_t size,
                             struct yk_err *err)
{
    if (*count == *room) {
        const size_t wanted = *room ? 2 * *room : 16;
        void *moved = realloc(*items, wanted * size);

        if (!moved)
            return yk_fail(err, YK_E_MEMORY, "no memory for the fibres of a section");
        *items = moved;
        *room = wanted;
    }
    memcpy((char *)*items + *count * size, item, size);
    ++*count;
    return YK_OK;
}

enum yk_status yk_fibre_add(struct yk_fibre_section *section, const struct yk_given_fibre *given, struct yk_err *err)
{
    void *items = section->given;
    enum yk_status st;

    if (section->summary.given == MOST_FIBRES)
        return yk_fail(err, YK_E_RANGE, "the section has more than %d fibres", MOST_FIBRES);
    st = append(&items, &section->summary.given, &section->given_room, given, sizeof *given, err);
    section->given = items;
    return st;
}

enum yk_status yk_patch_add(struct yk_fibre_section *section, const struct yk_patch *patch, struct yk_err *err)
{
    void *items = section->patches;
    const enum yk_status st = append(&items, &section->patch_count, &section->patch_room, patch, sizeof *patch, err);

    section->patches = items;
    return st;
}

/* ---- materials ------------------------------------------------------------------------------------------------- */

static double stress(const struct yk_fibre_material *m, const double *rest, double strain)
{
    double trial[YK_LAW_VARIABLES];

    return m->law->force(m->settings, rest, strain, 0, 1, trial);
}

/* Nominal yield strain: stress over initial stiffness at the point where the secant from rest has fallen to half of
 * that stiffness. Steel: its yield strain; concrete: half of the strain at its strength. 0: no stiffness there. */
static double yield_towards(const struct yk_fibre_material *m, const double *rest, double way)
{
    double low = 1e-9, high;

    if (fabs(stress(m, rest, way * low)) < 0.5 * m->E * low)
        return 0;
    for (high = 2 * low; fabs(stress(m, rest, way * high)) >= 0.5 * m->E * high; high *= 2) {
        if (high > 1)
            return INFINITY;
        low = high;
    }
    for (int i = 0; i < 50; i++) {
        const double middle = 0.5 * (low + high);

        if (fabs(stress(m, rest, way * middle)) < 0.5 * m->E * middle)
            high = middle;
        else
            low = middle;
    }
    return fabs(stress(m, rest, way * low)) / m->E;
}

static enum yk_status add_material(struct yk_fibre_section *section, struct yk_fibre_material *m, struct yk_err *err)
{
    double rest[YK_LAW_VARIABLES] = {0}, c;
    void *items = section->materials;
    enum yk_status st;

    if (m->law->rate)
        return yk_fail(err, YK_E_UNSUPPORTED, "law '%s' cannot be a fibre: its force depends on the rate",
                       m->law->name);
    if (m->law->count > YK_LAW_VARIABLES)
        return yk_fail(err, YK_E_UNSUPPORTED, "law '%s' cannot be a fibre: it remembers %zu numbers, %d at most",
                       m->law->name, m->law->count, YK_LAW_VARIABLES);
    if (m->law->rest)
        m->law->rest(m->settings, 0, rest);
    m->law->tangent(m->settings, rest, 0, 0, 1, &m->E, &c);
    m->rest = stress(m, rest, 0);
    m->yield = INFINITY;
    if (m->E > 0)
        m->yield = fmax(yield_towards(m, rest, 1), yield_towards(m, rest, -1));
    st = append(&items, &section->summary.materials, &section->material_room, m, sizeof *m, err);
    section->materials = items;
    return st;
}

enum yk_status yk_fibre_section_material(struct yk_fibre_section *section, const struct yk_law_ops *law, void *settings,
                                         size_t *number, struct yk_err *err)
{
    struct yk_fibre_material m = {.law = law, .settings = settings};
    const enum yk_status st = add_material(section, &m, err);

    if (st)
        free(settings);
    else
        *number = section->summary.materials - 1;
    return st;
}

/* ---- finish ---------------------------------------------------------------------------------------------------- */

/* Extent of patches and fibres. */
static void extend(double low[2], double high[2], double y, double z)
{
    low[0] = fmin(low[0], y);
    high[0] = fmax(high[0], y);
    low[1] = fmin(low[1], z);
    high[1] = fmax(high[1], z);
}

static void measure(struct yk_fibre_section *section)
{
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};

    for (size_t i = 0; i < section->summary.given; i++)
        extend(low, high, section->given[i].fibre.y, section->given[i].fibre.z);
    for (size_t i = 0; i < section->patch_count; i++) {
        const struct yk_patch *p = &section->patches[i];

        for (int j = 0; !p->ring && j < 4; j++)
            extend(low, high, p->corners[j][0], p->corners[j][1]);
        for (int j = 0; p->ring && j <= 64; j++) { /* to 0.1 % of the radius, for messages */
            const double a = p->angles[0] + j / 64.0 * (p->angles[1] - p->angles[0]);

            extend(low, high, p->centre[0] + p->radii[1] * cos(a), p->centre[1] + p->radii[1] * sin(a));
        }
    }
    section->summary.depth = high[0] - low[0];
    section->summary.width = high[1] - low[1];
}

/* Is there a computed fibre of this material in this place? In the plane z is no matter. */
static size_t find(const struct yk_fibre_section *section, const struct yk_fibre *wanted, size_t first, size_t end)
{
    const double near = 1e-12 * (section->summary.depth + section->summary.width);

    while (first < end && !(fabs(section->fibres[first].y - wanted->y) <= near &&
                            (section->summary.plane || fabs(section->fibres[first].z - wanted->z) <= near)))
        first++;
    return first;
}

/* Computed fibres, material by material; fibres keep the order in which they were given. */
static void merge(struct yk_fibre_section *section)
{
    size_t n = 0;

    for (size_t m = 0; m < section->summary.materials; m++) {
        const size_t first = section->materials[m].first = n;

        for (size_t i = 0; i < section->summary.given; i++) {
            struct yk_given_fibre *g = &section->given[i];

            if (g->fibre.material != m)
                continue;
            g->computed = find(section, &g->fibre, first, n);
            if (g->computed == n)
                section->fibres[n++] =
                    (struct yk_computed_fibre){.y = g->fibre.y, .z = section->summary.plane ? 0 : g->fibre.z};
            section->fibres[g->computed].weight[0] += g->fibre.area;
        }
        section->materials[m].count = n - first;
    }
    section->summary.fibres = n;
}

static void weigh(struct yk_fibre_section *section)
{
    for (size_t m = 0; m < section->summary.materials; m++)
        for (size_t i = 0; i < section->materials[m].count; i++) {
            struct yk_computed_fibre *f = &section->fibres[section->materials[m].first + i];
            double *w = f->weight;

            w[1] = -f->y * w[0];
            w[2] = f->y * f->y * w[0];
            w[3] = f->z * w[0];
            w[4] = -f->y * f->z * w[0];
            w[5] = f->z * f->z * w[0];
            for (int j = 0; j < 6; j++)
                section->stiffness[j] += section->materials[m].E * w[j];
            section->forces[0] += section->materials[m].rest * w[0];
            section->forces[1] += section->materials[m].rest * w[1];
            section->forces[2] += section->materials[m].rest * w[3];
            section->reach[0] = fmax(section->reach[0], fabs(f->y));
            section->reach[1] = fmax(section->reach[1], fabs(f->z));
        }
}

/* Centroids and second moments, from the fibres as they were given: z counts in the plane, too. */
static void summarise(struct yk_fibre_section *section)
{
    struct yk_fibre_summary *s = &section->summary;
    double area[6] = {0}, elastic[6] = {0}, own_z = 0, own_y = 0;

    for (size_t i = 0; i < s->given; i++) {
        const struct yk_given_fibre *g = &section->given[i];
        const double E = section->materials[g->fibre.material].E, y = g->fibre.y, z = g->fibre.z;
        const double term[6] = {1, y, z, y * y, z * z, 0};

        for (int j = 0; j < 5; j++) {
            area[j] += g->fibre.area * term[j];
            elastic[j] += E * g->fibre.area * term[j];
        }
        own_z += E * g->own_z;
        own_y += E * g->own_y;
    }
    s->area = area[0];
    s->Iz = area[3] - area[1] * area[1] / area[0];
    s->Iy = area[4] - area[2] * area[2] / area[0];
    s->EA = elastic[0];
    s->y = elastic[1] / elastic[0];
    s->z = s->plane ? 0 : elastic[2] / elastic[0];
    s->EIz = fmax(0, elastic[3] - elastic[1] * elastic[1] / elastic[0]);
    s->EIy = fmax(0, elastic[4] - elastic[2] * elastic[2] / elastic[0]);
    s->short_z = own_z / (s->EIz + own_z);
    s->short_y = own_y / (s->EIy + own_y);
}

/* Forces and moments at which the section yields, roughly: what its fibres carry at their yield strains; materials that
 * do not yield count with 0.001. The yield strain of the section is that of the weakest outermost fibre. */
static void find_yield(struct yk_fibre_section *section)
{
    struct yk_fibre_summary *s = &section->summary;

    s->yield_strain = INFINITY;
    for (size_t m = 0; m < s->materials; m++) {
        const struct yk_fibre_material *material = &section->materials[m];
        const double yields = material->E * (isfinite(material->yield) ? material->yield : 0.001);

        for (size_t i = 0; i < material->count; i++) {
            const struct yk_computed_fibre *f = &section->fibres[material->first + i];

            s->yield_N += yields * fabs(f->weight[0]);
            s->yield_Mz += yields * fabs(f->weight[1]);
            s->yield_My += yields * fabs(f->weight[3]);
            if (fabs(f->y) >= section->reach[0] * (1 - 1e-9) ||
                (!s->plane && fabs(f->z) >= section->reach[1] * (1 - 1e-9)))
                s->yield_strain = fmin(s->yield_strain, material->yield);
        }
    }
}

/* A bar larger than what it stands in is a mistake of units. Sections of bars alone may have any. */
static enum yk_status check_bars(const struct yk_fibre_section *section, struct yk_err *err)
{
    double patches = 0;

    for (size_t i = 0; i < section->summary.given; i++)
        patches += section->given[i].bar ? 0 : section->given[i].fibre.area;
    for (size_t i = 0; i < section->summary.given && patches > 0; i++) {
        const struct yk_fibre *f = &section->given[i].fibre;

        if (section->given[i].bar && f->area > patches)
            return yk_fail(
                err, YK_E_INPUT,
                "the bar at (%g, %g) m has an area of %g m2, more than the %g m2 of all patches; is its size "
                "in mm?",
                f->y, f->z, f->area, patches);
    }
    return YK_OK;
}

enum yk_status yk_fibre_section_finish(struct yk_fibre_section *section, bool plane, struct yk_err *err)
{
    enum yk_status st;

    section->summary.plane = plane;
    if (!section->summary.given)
        return yk_fail(err, YK_E_INPUT, "the section has no fibres");
    if ((st = check_bars(section, err)) || (st = yk_fibre_displace(section, err)))
        return st;
    if (!(section->fibres = aligned_alloc(64, section->summary.given * sizeof *section->fibres)))
        return yk_fail(err, YK_E_MEMORY, "no memory for %zu fibres", section->summary.given);
    measure(section);
    merge(section);
    weigh(section);
    summarise(section);
    find_yield(section);
    if (!(section->summary.EA > 0))
        return yk_fail(err, YK_E_INPUT,
                       "EA = %g N of the section at rest is not above 0: negative areas must be smaller than what they "
                       "stand in",
                       section->summary.EA);
    return YK_OK;
}

const struct yk_fibre_summary *yk_fibre_section_summary(const struct yk_fibre_section *section)
{
    return &section->summary;
}

struct yk_fibre yk_fibre_section_given(const struct yk_fibre_section *section, size_t number, size_t *fibre)
{
    *fibre = section->given[number].computed;
    return section->given[number].fibre;
}

const double *yk_fibre_section_stiffness(const struct yk_fibre_section *section)
{
    return section->stiffness;
}

const double *yk_fibre_section_forces(const struct yk_fibre_section *section)
{
    return section->forces;
}

void yk_fibre_section_reach(const struct yk_fibre_section *section, double *y, double *z)
{
    *y = section->reach[0];
    *z = section->reach[1];
}
