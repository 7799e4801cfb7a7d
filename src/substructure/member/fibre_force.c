/* Force-based element with fibres. docs/theory/nonlinear-frames.md, eq. (12) to (17); Spacone, Filippou, Taucer 1996.
 *
 * Axial force and moments along the element follow from those of its ends, s = b q. Sought are q and strains e at the
 * points so that the sections carry b q and the integral of b^T e is v. Each iteration solves the linearised equations
 * and finds the state of all sections once; there are `iterations` at most. It starts from the committed q and e, so
 * that the element is a function of v. What the sections lack at the end goes into q to first order, so that most
 * steps take one iteration. The change of strain in one iteration is limited. Units: N, m, rad.
 *
 * Memory: e and s of the sections; v, q and k of the element; flexibilities of the sections; the fibres. */
#include "substructure/member/fibre_basic.h"

#include <math.h>
#include <string.h>

enum { FULL_STEPS = 3 };           /* iterations after which a step that went too far is cut */
static const double DONE = 1e-11;  /* residual over the yield force that a further iteration would leave    */
static const double MISSED = 1e-3; /* residual at the last iteration, above which the element says so */

YK_RT static size_t components(const struct yk_fibre_basic *b)
{
    return b->plane ? 2 : 3;
}

/* Places in the memory. */
struct layout {
    size_t v, q, k, flexibility, fibres;
};

YK_RT static struct layout lay_out(const struct yk_fibre_basic *b)
{
    struct layout at;

    at.v = yk_fibre_basic_memory(b);
    at.q = at.v + b->forces;
    at.k = at.q + b->forces;
    at.flexibility = at.k + b->forces * b->forces;
    at.fibres = at.flexibility + (b->plane ? 3 : 6) * b->points;
    return at;
}

/* ---- small matrices -------------------------------------------------------------------------------------------- */

/* Flexibility of one section, in closed form; halves of symmetric matrices as 00, 01, 11, 02, 12, 22. False: singular,
 * nothing is written. */
YK_RT static bool invert_section(bool plane, double (*ks)[YK_POINTS], size_t p, double (*fs)[YK_POINTS])
{
    const double a = ks[0][p], b = ks[1][p], c = ks[2][p];

    if (plane) {
        const double d = 1 / (a * c - b * b);

        if (!isfinite(d))
            return false;
        fs[0][p] = c * d;
        fs[1][p] = -b * d;
        fs[2][p] = a * d;
    } else {
        const double e = ks[3][p], f = ks[4][p], g = ks[5][p];
        const double A = c * g - f * f, B = e * f - b * g, C = b * f - c * e;
        const double d = 1 / (a * A + b * B + e * C);

        if (!isfinite(d))
            return false;
        fs[0][p] = A * d;
        fs[1][p] = B * d;
        fs[2][p] = (a * g - e * e) * d;
        fs[3][p] = C * d;
        fs[4][p] = (b * e - a * f) * d;
        fs[5][p] = (a * c - b * b) * d;
    }
    return true;
}

/* A := A^-1 by pivots on the diagonal; false: a pivot is 0. A flexibility is symmetric, and definite unless a section
 * softens. */
__attribute__((always_inline)) YK_RT static inline bool invert(size_t n, double (*A)[YK_MOST_FORCES])
{
    for (size_t i = 0; i < n; i++) {
        const double pivot = 1 / A[i][i];

        if (!isfinite(pivot))
            return false;
        A[i][i] = 1;
        for (size_t j = 0; j < n; j++)
            A[i][j] *= pivot;
        for (size_t r = 0; r < n; r++) {
            const double factor = A[r][i];

            if (r == i)
                continue;
            A[r][i] = 0;
            for (size_t j = 0; j < n; j++)
                A[r][j] -= factor * A[i][j];
        }
    }
    return true;
}

/* y = fs x at point p */
YK_RT static void multiply(bool plane, double (*fs)[YK_POINTS], double (*x)[YK_POINTS], size_t p, double *y)
{
    y[0] = fs[0][p] * x[0][p] + fs[1][p] * x[1][p];
    y[1] = fs[1][p] * x[0][p] + fs[2][p] * x[1][p];
    y[2] = 0;
    if (plane)
        return;
    y[0] += fs[3][p] * x[2][p];
    y[1] += fs[4][p] * x[2][p];
    y[2] = fs[3][p] * x[0][p] + fs[4][p] * x[1][p] + fs[5][p] * x[2][p];
}

/* ---- the iteration --------------------------------------------------------------------------------------------- */

struct iterate {
    double q[YK_MOST_FORCES];
    double e[3][YK_POINTS], s[3][YK_POINTS];  /* strains and forces of the sections */
    double change[3][YK_POINTS];              /* of the strains in this iteration */
    double r[3][YK_POINTS];                   /* b q - s */
    double fs[6][YK_POINTS];                  /* flexibilities of the sections */
    double k[YK_MOST_FORCES][YK_MOST_FORCES]; /* stiffness of the element: inverse of its flexibility */
    bool solvable;
};

/* r = b q - s; returns the largest of its parts over the yield forces */
YK_RT static double imbalance(const struct yk_fibre_basic *b, struct iterate *x)
{
    double most = 0;

    yk_fibre_basic_spread(b, x->q, x->r);
    for (size_t j = 0; j < components(b); j++)
        for (size_t p = 0; p < b->points; p++) {
            x->r[j][p] -= x->s[j][p];
            most = fmax(most, fabs(x->r[j][p]) / b->scale[j]);
            if (isnan(x->r[j][p]))
                return NAN;
        }
    return most;
}

/* eq. (14): stiffness of the element; the last one is held if there is none */
YK_RT static void find_stiffness(const struct yk_fibre_basic *b, struct iterate *x)
{
    double F[YK_MOST_FORCES][YK_MOST_FORCES];

    yk_fibre_basic_matrix(b, x->fs, F);
    if (b->plane ? invert(3, F) : invert(5, F))
        memcpy(x->k, F, sizeof F);
    else
        x->solvable = false;
}

/* eq. (15): q, from the deformation that the element would have */
YK_RT static void correct_forces(const struct yk_fibre_basic *b, const double *v, struct iterate *x)
{
    double would[3][YK_POINTS], reached[YK_MOST_FORCES], y[3];

    for (size_t p = 0; p < b->points; p++) {
        multiply(b->plane, x->fs, x->r, p, y);
        for (size_t j = 0; j < components(b); j++)
            would[j][p] = x->e[j][p] + y[j];
    }
    yk_fibre_basic_gather(b, would, reached);
    for (size_t i = 0; i < b->forces; i++)
        for (size_t j = 0; j < b->forces; j++)
            x->q[i] += x->k[i][j] * (v[j] - reached[j]);
}

/* eq. (16): change of the strains; false: it was cut to the limit, so that the element does not fit v yet. All points
 * are cut by one factor: cut one by one they would no longer fit each other, and the iteration would go round in
 * circles. */
YK_RT static bool find_change(const struct yk_fibre_basic *b, struct iterate *x)
{
    double most = 0, part = 1, y[3];

    imbalance(b, x);
    for (size_t p = 0; p < b->points; p++) {
        multiply(b->plane, x->fs, x->r, p, y);
        for (size_t j = 0; j < components(b); j++)
            x->change[j][p] = y[j];
        most = fmax(most, fabs(y[0]) + b->reach[0] * fabs(y[1]) + b->reach[1] * fabs(y[2]));
    }
    if (most > b->strain_limit)
        part = b->strain_limit / most;
    for (size_t j = 0; j < components(b); j++)
        for (size_t p = 0; p < b->points; p++)
            x->change[j][p] *= part;
    return part == 1;
}

/* eq. (17): work of the imbalance in the change of strains; its sign tells whether the step went too far */
YK_RT static double work(const struct yk_fibre_basic *b, const struct iterate *x)
{
    double sum = 0;

    for (size_t j = 0; j < components(b); j++)
        for (size_t p = 0; p < b->points; p++)
            sum += b->length[p] * x->r[j][p] * x->change[j][p];
    return sum;
}

YK_RT static void move(const struct yk_fibre_basic *b, struct iterate *x, double part)
{
    for (size_t j = 0; j < components(b); j++)
        for (size_t p = 0; p < b->points; p++)
            x->e[j][p] += part * x->change[j][p];
}

/* The state of the sections at the present strains; the imbalance that is left. */
YK_RT static double evaluate(const struct yk_fibre_basic *b, const double *committed, double h, double *trial,
                             struct iterate *x, double *scratch)
{
    double ks[6][YK_POINTS];

    yk_fibre_section_state(b->section, b->points, committed, x->e, h, trial, x->s, ks, scratch);
    for (size_t p = 0; p < b->points; p++)
        x->solvable = invert_section(b->plane, ks, p, x->fs) && x->solvable;
    find_stiffness(b, x);
    return imbalance(b, x);
}

YK_RT static bool iterate(const struct yk_fibre_basic *b, const double *committed, const double *v, double h,
                          double *trial, struct iterate *x, double *scratch)
{
    double before = 0, after = 0, left = imbalance(b, x), next = NAN;
    bool full = false, fits = false;

    for (size_t i = 0; i < b->iterations && !(fits && next <= DONE); i++) {
        const double begin = left;

        if (i >= FULL_STEPS && full && before > 0 && after < -before) {
            move(b, x, before / (before - after) - 1); /* back to where the work vanishes, by the secant */
            full = fits = false;
        } else {
            correct_forces(b, v, x);
            fits = find_change(b, x);
            full = true;
            before = work(b, x);
            move(b, x, 1);
        }
        left = evaluate(b, committed, h, trial, x, scratch);
        after = work(b, x);
        next = left < begin ? left * (left / begin) : left; /* Newton converges quadratically */
    }
    if (fits && x->solvable)
        correct_forces(b, v, x);
    return fits && left <= MISSED && x->solvable;
}

/* ---- operations ------------------------------------------------------------------------------------------------ */

YK_RT static size_t memory(const void *self)
{
    const struct yk_fibre_basic *b = self;

    return lay_out(b).fibres + yk_fibre_section_memory(b->section, b->points);
}

/* All but the fibres. */
YK_RT static void load(const struct yk_fibre_basic *b, const struct layout *at, const double *memory, struct iterate *x)
{
    yk_fibre_basic_load(b, memory, x->e, x->s);
    memcpy(x->q, memory + at->q, b->forces * sizeof *x->q);
    for (size_t i = 0; i < b->forces; i++)
        memcpy(x->k[i], memory + at->k + i * b->forces, b->forces * sizeof **x->k);
    for (size_t j = 0; j < (b->plane ? 3 : 6); j++)
        memcpy(x->fs[j], memory + at->flexibility + j * b->points, b->points * sizeof **x->fs);
    x->solvable = true;
}

YK_RT static void store(const struct yk_fibre_basic *b, const struct layout *at, const double *v, struct iterate *x,
                        double *memory)
{
    yk_fibre_basic_store(b, memory, x->e, x->s);
    memcpy(memory + at->v, v, b->forces * sizeof *v);
    memcpy(memory + at->q, x->q, b->forces * sizeof *x->q);
    for (size_t i = 0; i < b->forces; i++)
        memcpy(memory + at->k + i * b->forces, x->k[i], b->forces * sizeof **x->k);
    for (size_t j = 0; j < (b->plane ? 3 : 6); j++)
        memcpy(memory + at->flexibility + j * b->points, x->fs[j], b->points * sizeof **x->fs);
}

static void rest(const void *self, double *memory)
{
    const struct yk_fibre_basic *b = self;
    const double *stiffness = yk_fibre_section_stiffness(b->section), *s = yk_fibre_section_forces(b->section);
    /* at rest with stress the forces are not known yet: no deformation is the committed one */
    const double v = s[0] == 0 && s[1] == 0 && s[2] == 0 ? 0 : NAN;
    const double deformations[YK_MOST_FORCES] = {v, v, v, v, v};
    const struct layout at = lay_out(b);
    struct iterate x = {.solvable = true};
    double ks[6][YK_POINTS];

    for (size_t p = 0; p < b->points; p++) {
        for (size_t j = 0; j < 6; j++)
            ks[j][p] = stiffness[j];
        for (size_t j = 0; j < 3; j++)
            x.s[j][p] = s[j];
        invert_section(b->plane, ks, p, x.fs);
    }
    find_stiffness(b, &x);
    store(b, &at, deformations, &x, memory);
    yk_fibre_section_rest(b->section, b->points, memory + at.fibres);
}

YK_RT static bool state(const void *self, const double *committed, const double *v, double h, double *trial, double *q,
                        double *k, double *scratch)
{
    const struct yk_fibre_basic *b = self;
    const struct layout at = lay_out(b);
    bool moved = false, found = true;
    struct iterate x;

    load(b, &at, committed, &x);
    for (size_t j = 0; j < b->forces; j++)
        moved |= v[j] != committed[at.v + j];
    if (moved)
        found = iterate(b, committed + at.fibres, v, h, trial + at.fibres, &x, scratch);
    else /* fibres that stay do not turn back by rounding */
        memcpy(trial + at.fibres, committed + at.fibres,
               yk_fibre_section_memory(b->section, b->points) * sizeof *trial);
    store(b, &at, v, &x, trial);
    memcpy(q, x.q, b->forces * sizeof *q);
    yk_fibre_basic_finish(b, x.k, v, q, k);
    return found;
}

const struct yk_basic_ops yk_fibre_force_ops = {
    .memory = memory,
    .scratch = yk_fibre_basic_scratch,
    .rest = rest,
    .state = state,
    .destroy = yk_fibre_basic_destroy,
    .section = yk_fibre_basic_section,
};
