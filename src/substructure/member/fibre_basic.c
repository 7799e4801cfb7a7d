/* Basic elements with fibres: what both formulations share. docs/theory/nonlinear-frames.md, eq. (6) to (8).
 *
 * Numbers of the ends are: axial, about z at either end, about y at either end. The axial one goes with component 0 of
 * the section and shape 0, those of bending with component 1 (z) or 2 (y) and shapes 1 and 2. Units: N, m, rad. */
#include "substructure/member/fibre_basic.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Component and shape of each number of the ends. */
static const size_t COMPONENT[YK_MOST_FORCES] = {0, 1, 1, 2, 2}, SHAPE[YK_MOST_FORCES] = {0, 1, 2, 1, 2};

/* Entry (a, b) of a symmetric matrix of three, stored by its upper half: 00, 01, 11, 02, 12, 22. */
YK_RT static inline size_t half(size_t a, size_t b)
{
    return a > b ? a * (a + 1) / 2 + b : b * (b + 1) / 2 + a;
}

YK_RT static size_t components(const struct yk_fibre_basic *basic)
{
    return basic->plane ? 2 : 3;
}

YK_RT size_t yk_fibre_basic_memory(const struct yk_fibre_basic *basic)
{
    return 2 * components(basic) * basic->points;
}

YK_RT void yk_fibre_basic_load(const struct yk_fibre_basic *basic, const double *memory, double (*e)[YK_POINTS],
                               double (*s)[YK_POINTS])
{
    const size_t count = components(basic), points = basic->points;

    for (size_t j = 0; j < count; j++)
        for (size_t p = 0; p < YK_POINTS; p++) {
            e[j][p] = p < points ? memory[j * points + p] : 0;
            s[j][p] = p < points ? memory[(count + j) * points + p] : 0;
        }
}

YK_RT void yk_fibre_basic_store(const struct yk_fibre_basic *basic, double *memory, double (*e)[YK_POINTS],
                                double (*s)[YK_POINTS])
{
    const size_t count = components(basic), points = basic->points;

    for (size_t j = 0; j < count; j++) {
        memcpy(memory + j * points, e[j], points * sizeof **e);
        memcpy(memory + (count + j) * points, s[j], points * sizeof **s);
    }
}

void yk_fibre_basic_rest(const struct yk_fibre_basic *basic, double *memory)
{
    const double *forces = yk_fibre_section_forces(basic->section);
    double e[3][YK_POINTS] = {{0}}, s[3][YK_POINTS];

    for (size_t j = 0; j < 3; j++)
        for (size_t p = 0; p < YK_POINTS; p++)
            s[j][p] = forces[j];
    yk_fibre_basic_store(basic, memory, e, s);
}

YK_RT void yk_fibre_basic_spread(const struct yk_fibre_basic *basic, const double *x, double (*e)[YK_POINTS])
{
    const double(*shape)[YK_POINTS] = basic->shape;

    for (size_t p = 0; p < YK_POINTS; p++) {
        e[0][p] = shape[0][p] * x[0];
        e[1][p] = shape[1][p] * x[1] + shape[2][p] * x[2];
    }
    for (size_t p = 0; !basic->plane && p < YK_POINTS; p++)
        e[2][p] = shape[1][p] * x[3] + shape[2][p] * x[4];
}

YK_RT void yk_fibre_basic_gather(const struct yk_fibre_basic *basic, double (*s)[YK_POINTS], double *x)
{
    for (size_t j = 0; j < basic->forces; j++) {
        const double *weight = basic->weight[SHAPE[j]], *from = s[COMPONENT[j]];

        x[j] = 0;
        for (size_t p = 0; p < basic->points; p++)
            x[j] += weight[p] * from[p];
    }
}

YK_RT void yk_fibre_basic_matrix(const struct yk_fibre_basic *basic, double (*ks)[YK_POINTS],
                                 double (*K)[YK_MOST_FORCES])
{
    for (size_t i = 0; i < basic->forces; i++)
        for (size_t j = 0; j <= i; j++) {
            const double *product = basic->product[half(SHAPE[i], SHAPE[j])];
            const double *from = ks[half(COMPONENT[i], COMPONENT[j])];
            double sum = 0;

            for (size_t p = 0; p < basic->points; p++)
                sum += product[p] * from[p];
            K[i][j] = K[j][i] = sum;
        }
}

YK_RT void yk_fibre_basic_finish(const struct yk_fibre_basic *basic, double (*K)[YK_MOST_FORCES], const double *v,
                                 double *q, double *k)
{
    const size_t m = basic->plane ? YK_BASIC_PLANE : YK_BASIC_SPACE;

    if (!basic->plane)
        q[m - 1] = basic->twist * v[m - 1];
    if (!k)
        return;
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < m; j++)
            k[i * m + j] = i < basic->forces && j < basic->forces ? K[i][j] : 0;
    if (!basic->plane)
        k[m * m - 1] = basic->twist;
}

size_t yk_fibre_basic_scratch(const void *self)
{
    const struct yk_fibre_basic *basic = self;

    return yk_fibre_section_scratch(basic->section, basic->points);
}

void yk_fibre_basic_destroy(void *self)
{
    struct yk_fibre_basic *basic = self;

    yk_fibre_section_release(basic->section);
    free(basic);
}

/* ---- preparation ----------------------------------------------------------------------------------------------- */

struct yk_fibre_element yk_fibre_element_defaults(enum yk_fibre_formulation formulation)
{
    return (struct yk_fibre_element){
        .formulation = formulation,
        .rule = formulation == YK_FIBRE_FORCE ? YK_GAUSS_LOBATTO : YK_GAUSS_LEGENDRE,
        .points = 5,
        .iterations = 5,
    };
}

static enum yk_status check(const struct yk_fibre_element *e, struct yk_err *err)
{
    const struct yk_fibre_summary *s = yk_fibre_section_summary(e->section);
    const size_t least = e->rule == YK_GAUSS_LOBATTO ? 3 : 2;
    const double flat_z = 1e-12 * s->EA * (s->depth * s->depth + s->y * s->y); /* rounding */
    const double flat_y = 1e-12 * s->EA * (s->width * s->width + s->z * s->z);

    if (!(e->L > 0 && isfinite(e->L)))
        return yk_fail(err, YK_E_RANGE, "length = %g m of a member is not above 0", e->L);
    if (!(e->GJ >= 0 && isfinite(e->GJ)))
        return yk_fail(err, YK_E_RANGE, "GJ = %g N m2 of a member is below 0", e->GJ);
    if (e->formulation == YK_FIBRE_TRUSS)
        return YK_OK;
    if (e->points < least || e->points > YK_MOST_POINTS)
        return yk_fail(err, YK_E_RANGE, "points = %zu is outside %zu to %d", e->points, least, YK_MOST_POINTS);
    if (e->formulation == YK_FIBRE_FORCE && (e->iterations < 3 || e->iterations > 20))
        return yk_fail(err, YK_E_RANGE, "iterations = %zu is outside 3 to 20", e->iterations);
    if (!(s->EIz > flat_z) || (!s->plane && !(s->EIy > flat_y)))
        return yk_fail(err, YK_E_INPUT,
                       "the section cannot bend a beam: EIz = %g N m2, EIy = %g N m2 at rest; negative areas must be "
                       "smaller than what they stand in, and fibres must lie apart",
                       s->EIz, s->EIy);
    return YK_OK;
}

/* eq. (9): shapes of strain by displacements; eq. (13): of forces by equilibrium */
static void shape(struct yk_fibre_basic *basic, enum yk_fibre_formulation formulation, double L)
{
    for (size_t p = 0; p < basic->points; p++) {
        const double x = basic->at[p];

        if (formulation == YK_FIBRE_FORCE) {
            basic->shape[0][p] = 1;
            basic->shape[1][p] = x - 1;
            basic->shape[2][p] = x;
        } else {
            basic->shape[0][p] = 1 / L;
            basic->shape[1][p] = formulation == YK_FIBRE_TRUSS ? 0 : (6 * x - 4) / L;
            basic->shape[2][p] = formulation == YK_FIBRE_TRUSS ? 0 : (6 * x - 2) / L;
        }
    }
}

enum yk_status yk_fibre_basic(struct yk_basic *basic, const struct yk_fibre_element *settings, struct yk_err *err)
{
    const struct yk_fibre_summary *summary = yk_fibre_section_summary(settings->section);
    double weight[YK_POINTS];
    struct yk_fibre_basic *b;
    enum yk_status st;

    if ((st = check(settings, err)))
        return st;
    if (!(b = calloc(1, sizeof *b)))
        return yk_fail(err, YK_E_MEMORY, "no memory for a member");
    b->section = yk_fibre_section_share(settings->section);
    b->plane = summary->plane;
    b->forces = b->plane ? 3 : 5;
    b->points = settings->formulation == YK_FIBRE_TRUSS ? 1 : settings->points;
    b->iterations = settings->iterations;
    b->twist = settings->GJ / settings->L;
    b->strain_limit = 5 * summary->yield_strain;
    yk_fibre_section_reach(b->section, &b->reach[0], &b->reach[1]);
    b->scale[0] = summary->yield_N;
    b->scale[1] = summary->yield_Mz;
    b->scale[2] = summary->yield_My;
    yk_quadrature(settings->formulation == YK_FIBRE_TRUSS ? YK_GAUSS_LEGENDRE : settings->rule, b->points, b->at,
                  weight);
    shape(b, settings->formulation, settings->L);
    for (size_t p = 0; p < b->points; p++)
        for (size_t i = 0; i < 3; i++) {
            b->length[p] = weight[p] * settings->L;
            b->weight[i][p] = b->length[p] * b->shape[i][p];
            for (size_t j = 0; j <= i; j++)
                b->product[half(i, j)][p] = b->weight[i][p] * b->shape[j][p];
        }
    basic->self = b;
    basic->ops = settings->formulation == YK_FIBRE_FORCE ? &yk_fibre_force_ops : &yk_fibre_displacement_ops;
    return YK_OK;
}

/* ---- looks ----------------------------------------------------------------------------------------------------- */

const struct yk_fibre_section *yk_fibre_basic_section(const void *self, size_t *points)
{
    const struct yk_fibre_basic *b = self;

    *points = b->points;
    return b->section;
}

YK_RT void yk_fibre_basic_point(const struct yk_basic *basic, const double *memory, size_t point, double e[3],
                                double s[3])
{
    const struct yk_fibre_basic *b = basic->self;
    const size_t count = components(b);

    for (size_t j = 0; j < 3; j++) {
        e[j] = j < count ? memory[j * b->points + point] : 0;
        s[j] = j < count ? memory[(count + j) * b->points + point] : 0;
    }
}

YK_RT void yk_fibre_basic_look(const struct yk_basic *basic, const double *memory, size_t point, size_t fibre,
                               double *strain, double *stress)
{
    const struct yk_fibre_basic *b = basic->self;
    const size_t own = basic->ops->memory(b) - yk_fibre_section_memory(b->section, b->points);
    double e[3], s[3];

    yk_fibre_basic_point(basic, memory, point, e, s);
    yk_fibre_section_look(b->section, b->points, memory + own, point, e, fibre, strain, stress);
}
