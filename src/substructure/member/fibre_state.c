/* Forces and tangents of a fibre section at all points of an element at once. docs/theory/nonlinear-frames.md, eq. (1)
 * to (3).
 *
 * Fibre i of a material at point p is copy i * points + p of its law, so that a law sees one array. Strains go into it,
 * and stresses come out of it, four points at a time in the lanes of the vector units: lanes beyond the last point hold
 * values of the next fibre, which are overwritten or not used. Each sum runs over the fibres in their order: its bits
 * depend neither on the number of points nor on the processor. No heap. Units: N, m. */
#include "base/processor.h"
#include "substructure/member/fibre_parts.h"

#include <string.h>

enum { LANES = 4 };
typedef double lanes __attribute__((vector_size(LANES * sizeof(double)), aligned(sizeof(double)), may_alias));

#define AT(x)     (*(const lanes *)(x))
#define AT_PUT(x) (*(lanes *)(x))

/* eq. (3): what is added to tangents, as a part of those at rest */
static const double FLOOR = 1e-9;

YK_RT size_t yk_fibre_section_memory(const struct yk_fibre_section *section, size_t points)
{
    size_t doubles = 0;

    for (size_t m = 0; m < section->summary.materials; m++)
        doubles += section->materials[m].count * section->materials[m].law->count * points;
    return doubles;
}

/* Copies of the law with most fibres, and the lanes beyond its last point. */
YK_RT static size_t room(const struct yk_fibre_section *section, size_t points)
{
    size_t most = 0;

    for (size_t m = 0; m < section->summary.materials; m++)
        if (section->materials[m].count > most)
            most = section->materials[m].count;
    return most * points + YK_POINTS;
}

size_t yk_fibre_section_scratch(const struct yk_fibre_section *section, size_t points)
{
    return 3 * room(section, points); /* strain, stress, stiffness */
}

void yk_fibre_section_rest(const struct yk_fibre_section *section, size_t points, double *memory)
{
    double rest[YK_LAW_VARIABLES] = {0};

    for (size_t m = 0; m < section->summary.materials; m++) {
        const struct yk_fibre_material *material = &section->materials[m];
        const size_t n = material->count * points;

        if (material->law->rest)
            material->law->rest(material->settings, 0, rest);
        for (size_t j = 0; j < material->law->count; j++)
            for (size_t i = 0; i < n; i++)
                *memory++ = rest[j];
    }
}

/* eq. (1) */
__attribute__((always_inline)) YK_RT static inline void stretch(const struct yk_computed_fibre *fibres, size_t count,
                                                                size_t points, double (*e)[YK_POINTS], bool plane,
                                                                double *strain)
{
    for (size_t i = 0; i < count; i++)
        for (size_t p = 0; p < points; p += LANES) {
            lanes x = AT(&e[0][p]) - AT(&e[1][p]) * fibres[i].y;

            if (!plane)
                x += AT(&e[2][p]) * fibres[i].z;
            AT_PUT(strain + i * points + p) = x;
        }
}

/* eq. (2): adds the forces of the fibres of one material */
__attribute__((always_inline)) YK_RT static inline void add_forces(const struct yk_computed_fibre *fibres, size_t count,
                                                                   size_t points, const double *stress, bool plane,
                                                                   double (*s)[YK_POINTS])
{
    for (size_t p = 0; p < points; p += LANES) {
        lanes N = AT(&s[0][p]), Mz = AT(&s[1][p]), My = {0};

        if (!plane)
            My = AT(&s[2][p]);
        for (size_t i = 0; i < count; i++) {
            const lanes f = AT(stress + i * points + p);

            N += f * fibres[i].weight[0];
            Mz += f * fibres[i].weight[1];
            if (!plane)
                My += f * fibres[i].weight[3];
        }
        AT_PUT(&s[0][p]) = N;
        AT_PUT(&s[1][p]) = Mz;
        if (!plane)
            AT_PUT(&s[2][p]) = My;
    }
}

/* eq. (2), second part */
__attribute__((always_inline)) YK_RT static inline void add_tangents(const struct yk_computed_fibre *fibres,
                                                                     size_t count, size_t points, const double *k,
                                                                     bool plane, double (*ks)[YK_POINTS])
{
    const size_t terms = plane ? 3 : 6;

    for (size_t p = 0; p < points; p += LANES) {
        lanes sum[6];

        for (size_t j = 0; j < terms; j++)
            sum[j] = AT(&ks[j][p]);
        for (size_t i = 0; i < count; i++) {
            const lanes f = AT(k + i * points + p);

            for (size_t j = 0; j < terms; j++)
                sum[j] += f * fibres[i].weight[j];
        }
        for (size_t j = 0; j < terms; j++)
            AT_PUT(&ks[j][p]) = sum[j];
    }
}

YK_EVERY_PROCESSOR YK_RT static void find_strains(const struct yk_computed_fibre *fibres, size_t count, size_t points,
                                                  double (*e)[YK_POINTS], bool plane, double *strain)
{
    if (plane)
        stretch(fibres, count, points, e, true, strain);
    else
        stretch(fibres, count, points, e, false, strain);
}

YK_EVERY_PROCESSOR YK_RT static void sum_fibres(const struct yk_computed_fibre *fibres, size_t count, size_t points,
                                                const double *stress, const double *k, bool plane,
                                                double (*s)[YK_POINTS], double (*ks)[YK_POINTS])
{
    if (plane) {
        add_forces(fibres, count, points, stress, true, s);
        if (ks)
            add_tangents(fibres, count, points, k, true, ks);
    } else {
        add_forces(fibres, count, points, stress, false, s);
        if (ks)
            add_tangents(fibres, count, points, k, false, ks);
    }
}

YK_RT void yk_fibre_section_state(const struct yk_fibre_section *section, size_t points, const double *committed,
                                  double (*e)[YK_POINTS], double h, double *trial, double (*s)[YK_POINTS],
                                  double (*ks)[YK_POINTS], double *scratch)
{
    const bool plane = section->summary.plane;
    const size_t size = room(section, points);
    double *strain = scratch, *stress = strain + size, *k = ks ? stress + size : NULL;

    memset(s, 0, (plane ? 2 : 3) * sizeof *s);
    for (size_t j = 0; ks && j < (plane ? 3 : 6); j++)
        for (size_t p = 0; p < YK_POINTS; p++)
            ks[j][p] = FLOOR * section->stiffness[j];
    for (size_t m = 0; m < section->summary.materials; m++) {
        const struct yk_fibre_material *material = &section->materials[m];
        const struct yk_computed_fibre *fibres = section->fibres + material->first;
        const size_t n = material->count * points;

        find_strains(fibres, material->count, points, e, plane, strain);
        yk_law_forces(material->law, material->settings, n, committed, strain, h, trial, stress, k);
        memset(stress + n, 0, LANES * sizeof *stress); /* the lanes beyond the last point */
        if (k)
            memset(k + n, 0, LANES * sizeof *k);
        sum_fibres(fibres, material->count, points, stress, k, plane, s, ks);
        committed += material->law->count * n;
        trial += material->law->count * n;
    }
}

YK_RT void yk_fibre_section_look(const struct yk_fibre_section *section, size_t points, const double *memory,
                                 size_t point, const double e[3], size_t fibre, double *strain, double *stress)
{
    const struct yk_computed_fibre *f = &section->fibres[fibre];
    const struct yk_fibre_material *m = section->materials;
    double from[YK_LAW_VARIABLES], to[YK_LAW_VARIABLES];

    for (; fibre >= m->first + m->count; m++)
        memory += m->count * points * m->law->count;
    for (size_t j = 0; j < m->law->count; j++)
        from[j] = memory[(j * m->count + (fibre - m->first)) * points + point];
    *strain = e[0] - e[1] * f->y + e[2] * f->z;
    *stress = m->law->force(m->settings, from, *strain, 0, 0, to);
}
