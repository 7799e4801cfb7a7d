/* An elastic beam between hinges, condensed: the rotations a of its ends are found inside the element.
 *
 * docs/theory/nonlinear-frames.md, eq. (19)-(23). In each plane of bending, with the joints turned by theta and the
 * moments m of the hinges, T = dm/d(theta - a):
 *
 *   r(a) = m(theta - a) - k a = 0,   a += (k + T)^-1 r,   kc = k (k + T)^-1 T
 *
 * The start is where the hinges would be with their initial stiffness. A step that goes too far is cut. All loops are
 * bounded. An end without a hinge has a = theta. Units: N, m, rad. */
#include "substructure/member/hinged.h"

#include "linalg/step_cut.h"
#include "substructure/member/elastic.h"

#include <stdlib.h>
#include <string.h>

enum { ITERATIONS = 8, ENDS = 2, AXES = 2 };

static const double stiffer = 10; /* a rigid hinge is that many times stiffer than the beam: Ibarra, Krawinkler 2005 */

struct hinge {
    const struct yk_law_ops *law; /* NULL: the end is rigidly joined */
    void *settings;
    double T0;
    size_t memory; /* where that of the law begins, behind a and theta */
};

/* One plane of bending. Its memory: a of both ends, theta of both ends, then the laws. */
struct bending {
    struct hinge hinge[ENDS];
    double k[ENDS][ENDS];
    double start[ENDS][ENDS]; /* da/dtheta with the initial stiffness */
    size_t memory;
};

struct hinged {
    size_t m;
    double axial, torsion;
    struct bending bending[AXES];
};

YK_RT static size_t axes_of(const struct hinged *s)
{
    return s->m == YK_BASIC_PLANE ? 1 : AXES;
}

/* ---- 2 x 2 ------------------------------------------------------------------------------------------------------ */

/* The matrix of the iteration; an end without a hinge keeps its rotation. False: the state is not unique. */
YK_RT static bool iteration_matrix(const struct bending *b, const double T[ENDS], double S[ENDS][ENDS])
{
    for (size_t e = 0; e < ENDS; e++)
        for (size_t j = 0; j < ENDS; j++)
            if (b->hinge[e].law)
                S[e][j] = b->k[e][j] + (e == j ? T[e] : 0);
            else
                S[e][j] = e == j ? 1 : 0;
    return S[0][0] > 0 && S[1][1] > 0 && S[0][0] * S[1][1] - S[0][1] * S[1][0] > 0;
}

YK_RT static void solve(double S[ENDS][ENDS], const double r[ENDS], double x[ENDS])
{
    const double determinant = S[0][0] * S[1][1] - S[0][1] * S[1][0];

    x[0] = (S[1][1] * r[0] - S[0][1] * r[1]) / determinant;
    x[1] = (S[0][0] * r[1] - S[1][0] * r[0]) / determinant;
}

/* da/dtheta of eq. (21) and (22) */
YK_RT static void follow(const struct bending *b, const double T[ENDS], double S[ENDS][ENDS], double by[ENDS][ENDS])
{
    for (size_t j = 0; j < ENDS; j++) {
        double right[ENDS] = {0}, column[ENDS];

        right[j] = b->hinge[j].law ? T[j] : 1;
        solve(S, right, column);
        by[0][j] = column[0];
        by[1][j] = column[1];
    }
}

/* ---- state ------------------------------------------------------------------------------------------------------ */

YK_RT static double moment(const struct bending *b, size_t end, const double a[ENDS])
{
    return b->k[end][0] * a[0] + b->k[end][1] * a[1];
}

/* One point of the iteration. */
struct point {
    double a[ENDS], r[ENDS], T[ENDS];
    double norm;   /* of r */
    bool balanced; /* r is rounding */
};

/* eq. (19). Laws take differences of angles, before and after the step; the stiffness of the hinge magnifies the
 * rounding. */
YK_RT static void evaluate(const struct bending *b, const double *committed, const double theta[ENDS], double h,
                           double *trial, struct point *p)
{
    p->balanced = true;
    for (size_t e = 0; e < ENDS; e++) {
        const struct hinge *hinge = &b->hinge[e];
        double m, c, size;

        p->r[e] = p->T[e] = 0;
        if (!hinge->law)
            continue;
        m = hinge->law->force(hinge->settings, committed + hinge->memory, theta[e] - p->a[e], 0, h,
                              trial + hinge->memory);
        hinge->law->tangent(hinge->settings, committed + hinge->memory, theta[e] - p->a[e], 0, h, &p->T[e], &c);
        p->r[e] = m - moment(b, e, p->a);
        size = fabs(m) + fabs(b->k[e][0] * p->a[0]) + fabs(b->k[e][1] * p->a[1]) +
               fmax(fabs(p->T[e]), fabs(hinge->T0)) *
                   (fabs(theta[e]) + fabs(p->a[e]) + fabs(committed[e]) + fabs(committed[ENDS + e]));
        p->balanced &= fabs(p->r[e]) <= 1e-13 * size;
    }
    p->norm = hypot(p->r[0], p->r[1]);
}

YK_RT static double work(const double r[ENDS], const double step[ENDS])
{
    return r[0] * step[0] + r[1] * step[1];
}

/* eq. (20). A step that goes too far is cut. False: there is no step, the state is not unique. */
YK_RT static bool improve(const struct bending *b, const double *committed, const double theta[ENDS], double h,
                          double *trial, struct point *p)
{
    const struct point from = *p;
    double S[ENDS][ENDS], step[ENDS];
    struct yk_step_cut cut;

    if (!iteration_matrix(b, from.T, S))
        return false;
    solve(S, from.r, step);
    yk_step_cut_begin(&cut, work(from.r, step));
    do {
        for (size_t e = 0; e < ENDS; e++)
            p->a[e] = from.a[e] + cut.part * step[e];
        evaluate(b, committed, theta, h, trial, p);
    } while (!p->balanced && yk_step_cut_again(&cut, work(p->r, step)));
    return true;
}

YK_RT static bool bend(const struct bending *b, const double *committed, const double theta[ENDS], double h,
                       double *trial, double *q, struct point *p)
{
    const double turn[ENDS] = {theta[0] - committed[2], theta[1] - committed[3]};
    struct point best;

    for (size_t e = 0; e < ENDS; e++)
        p->a[e] = b->hinge[e].law ? committed[e] + b->start[e][0] * turn[0] + b->start[e][1] * turn[1] : theta[e];
    evaluate(b, committed, theta, h, trial, p);
    best = *p;
    for (int i = 0; i < ITERATIONS && !p->balanced; i++) {
        if (!improve(b, committed, theta, h, trial, p))
            break;
        if (p->norm < best.norm)
            best = *p;
    }
    if (!p->balanced) {
        *p = best;
        evaluate(b, committed, theta, h, trial, p);
    }
    for (size_t e = 0; e < ENDS; e++) {
        trial[e] = p->a[e];
        trial[ENDS + e] = theta[e];
        q[e] = moment(b, e, p->a);
    }
    return p->balanced;
}

/* eq. (22): kc; where the state is not unique that of the initial stiffness, and false */
YK_RT static bool condense(const struct bending *b, const struct point *p, double kc[ENDS][ENDS])
{
    double S[ENDS][ENDS], by[ENDS][ENDS];
    const bool unique = iteration_matrix(b, p->T, S);

    if (unique)
        follow(b, p->T, S, by);
    else
        memcpy(by, b->start, sizeof by);
    for (size_t i = 0; i < ENDS; i++)
        for (size_t j = 0; j < ENDS; j++)
            kc[i][j] = b->k[i][0] * by[0][j] + b->k[i][1] * by[1][j];
    kc[0][1] = kc[1][0] = 0.5 * (kc[0][1] + kc[1][0]); /* rounding */
    return unique;
}

YK_RT static bool state(const void *self, const double *committed, const double *v, double h, double *trial, double *q,
                        double *k, double *scratch)
{
    const struct hinged *s = self;
    bool good = true;

    if (k)
        memset(k, 0, s->m * s->m * sizeof *k);
    for (size_t axis = 0, first = 1; axis < axes_of(s); axis++, first += ENDS) {
        const struct bending *b = &s->bending[axis];
        struct point p;
        double kc[ENDS][ENDS];

        good &= bend(b, committed, v + first, h, trial, q + first, &p);
        good &= condense(b, &p, kc);
        for (size_t i = 0; k && i < ENDS; i++)
            for (size_t j = 0; j < ENDS; j++)
                k[first + i + (first + j) * s->m] = kc[i][j];
        committed += b->memory;
        trial += b->memory;
    }
    q[0] = s->axial * v[0];
    if (s->m == YK_BASIC_SPACE)
        q[5] = s->torsion * v[5];
    if (k)
        k[0] = s->axial;
    if (k && s->m == YK_BASIC_SPACE)
        k[5 + 5 * s->m] = s->torsion;
    return good;
}

/* ---- memory ----------------------------------------------------------------------------------------------------- */

YK_RT static size_t memory(const void *self)
{
    const struct hinged *s = self;

    return s->bending[0].memory + s->bending[1].memory;
}

static size_t scratch(const void *self)
{
    return 0;
}

static void rest(const void *self, double *memory)
{
    const struct hinged *s = self;

    for (size_t axis = 0; axis < axes_of(s); axis++) {
        const struct bending *b = &s->bending[axis];

        memset(memory, 0, b->memory * sizeof *memory);
        for (size_t e = 0; e < ENDS; e++)
            if (b->hinge[e].law && b->hinge[e].law->rest)
                b->hinge[e].law->rest(b->hinge[e].settings, 0, memory + b->hinge[e].memory);
        memory += b->memory;
    }
}

static void destroy(void *self)
{
    struct hinged *s = self;

    for (size_t axis = 0; axis < AXES; axis++)
        for (size_t e = 0; e < ENDS; e++)
            free(s->bending[axis].hinge[e].settings);
    free(s);
}

static bool has_hinge(const void *self, size_t end, size_t axis)
{
    const struct hinged *s = self;

    return s->bending[axis].hinge[end].law;
}

static const struct yk_basic_ops ops = {
    .memory = memory,
    .scratch = scratch,
    .rest = rest,
    .state = state,
    .destroy = destroy,
    .hinge = has_hinge,
};

/* ---- preparation ------------------------------------------------------------------------------------------------ */

static const char *const axis_names[AXES] = {"rz", "ry"}, *const end_names[ENDS] = {"first", "second"};

static enum yk_status copy_law(struct hinge *hinge, const struct yk_hinge *given, struct yk_err *err)
{
    if (given->law->rate)
        return yk_fail(err, YK_E_INPUT, "'%s' cannot be a hinge: its force depends on the rate", given->law->name);
    if (!(hinge->settings = malloc(given->law->settings_size)))
        return yk_fail(err, YK_E_MEMORY, "out of memory for a hinge");
    memcpy(hinge->settings, given->settings, given->law->settings_size);
    hinge->law = given->law;
    return YK_OK;
}

/* A law by its name and the values of some settings. */
static enum yk_status make_law(struct hinge *hinge, const char *name, size_t count, const char *const *key,
                               const double *value, struct yk_err *err)
{
    enum yk_status st;

    hinge->law = yk_law_find(name);
    st = yk_param_settings(hinge->law->params, hinge->law->settings_size, &hinge->settings, err);
    for (size_t i = 0; i < count && !st; i++)
        st = yk_param_set(hinge->law->params, hinge->settings, key[i], value[i], err);
    return st || !hinge->law->prepare ? st : hinge->law->prepare(hinge->settings, err);
}

/* eq. (23): the beam in double curvature keeps its stiffness between hinges `stiffer` times as stiff. An end without a
 * hinge gets an elastic one, without which the beam would bend more easily on that side. */
static enum yk_status make_rigid(struct bending *b, const struct yk_hinge given[ENDS], struct yk_err *err)
{
    static const char *const keys[] = {"stiffness", "hardening", "yield_slip"};
    const double whole = b->k[0][0] + b->k[0][1]; /* 6 E I / L */
    const double stiffness = (stiffer + 1) * whole;
    enum yk_status st = YK_OK;

    if (!(whole > 0) || b->k[0][0] != b->k[1][1])
        return yk_fail(err, YK_E_INPUT, "a hinge that is rigid before it yields needs a beam without releases");
    for (size_t e = 0; e < ENDS && !st; e++) {
        const double softer = given[e].hardening / (1 + stiffer * (1 - given[e].hardening));
        const double values[] = {stiffness, softer, given[e].yield / stiffness};

        if (given[e].law)
            st = yk_fail(err, YK_E_INPUT,
                         "a hinge that is rigid before it yields and the law '%s' cannot be at the ends of one member",
                         given[e].law->name);
        else if (given[e].yield > 0 && !(given[e].hardening >= 0 && given[e].hardening < 1))
            st = yk_fail(err, YK_E_RANGE, "hardening = %g of a hinge is not between 0 and 1", given[e].hardening);
        else
            st = given[e].yield > 0 ? make_law(&b->hinge[e], "bilinear", 3, keys, values, err)
                                    : make_law(&b->hinge[e], "spring", 1, keys, values, err);
    }
    for (size_t i = 0; i < ENDS; i++)
        for (size_t j = 0; j < ENDS; j++)
            b->k[i][j] *= (stiffer + 1) / stiffer;
    return st;
}

/* Stiffness at rest, room for the memories, and the start of the iteration. */
static enum yk_status finish(struct bending *b, size_t axis, struct yk_err *err)
{
    double S[ENDS][ENDS], T[ENDS] = {0}, c;

    b->memory = (size_t)2 * ENDS;
    for (size_t e = 0; e < ENDS; e++) {
        struct hinge *hinge = &b->hinge[e];
        double *at_rest;

        hinge->memory = b->memory;
        if (!hinge->law)
            continue;
        b->memory += hinge->law->count;
        if (!(at_rest = calloc(hinge->law->count + 1, sizeof *at_rest)))
            return yk_fail(err, YK_E_MEMORY, "out of memory for a hinge");
        if (hinge->law->rest)
            hinge->law->rest(hinge->settings, 0, at_rest);
        hinge->law->tangent(hinge->settings, at_rest, 0, 0, 0, &hinge->T0, &c);
        free(at_rest);
        T[e] = hinge->T0;
    }
    if (!iteration_matrix(b, T, S)) {
        const size_t e = b->hinge[0].law && !(S[0][0] > 0) ? 0 : 1;

        return yk_fail(err, YK_E_SINGULAR,
                       "its hinges about %s leave no unique state: a stiffness of %g N m/rad at the %s end is too low "
                       "beside the %g N m/rad of the beam; do its releases take the rest?",
                       axis_names[axis], T[e], end_names[e], b->k[e][e]);
    }
    follow(b, T, S, b->start);
    return YK_OK;
}

static enum yk_status prepare(struct bending *b, size_t axis, const struct yk_hinge given[ENDS], struct yk_err *err)
{
    enum yk_status st = YK_OK;

    if ((given[0].yield > 0 && !given[0].law) || (given[1].yield > 0 && !given[1].law))
        st = make_rigid(b, given, err);
    else
        for (size_t e = 0; e < ENDS && !st; e++)
            if (given[e].law)
                st = copy_law(&b->hinge[e], &given[e], err);
    return st ? st : finish(b, axis, err);
}

enum yk_status yk_hinged_basic(struct yk_basic *basic, const struct yk_beam *beam, struct yk_hinge hinges[2][2],
                               struct yk_err *err)
{
    struct hinged *s = calloc(1, sizeof *s);
    double k[YK_BASIC_SPACE * YK_BASIC_SPACE];
    enum yk_status st;

    if (!s)
        return yk_fail(err, YK_E_MEMORY, "out of memory for a member");
    s->m = beam->plane ? YK_BASIC_PLANE : YK_BASIC_SPACE;
    st = yk_elastic_stiffness(beam, k, err);
    if (!st && beam->theory == YK_TRUSS)
        st = yk_fail(err, YK_E_INPUT, "it is a truss, which has no moments: it cannot have hinges");
    for (size_t axis = 0; axis < axes_of(s) && !st; axis++) {
        const struct yk_hinge given[ENDS] = {hinges[0][axis], hinges[1][axis]};
        struct bending *b = &s->bending[axis];

        for (size_t i = 0; i < ENDS; i++)
            for (size_t j = 0; j < ENDS; j++)
                b->k[i][j] = k[1 + ENDS * axis + i + (1 + ENDS * axis + j) * s->m];
        st = prepare(b, axis, given, err);
    }
    if (st) {
        destroy(s);
        return st;
    }
    s->axial = k[0];
    s->torsion = s->m == YK_BASIC_SPACE ? k[5 + 5 * s->m] : 0;
    *basic = (struct yk_basic){&ops, s};
    return YK_OK;
}

/* ---- looks ------------------------------------------------------------------------------------------------------ */

bool yk_hinged_basic_has(const struct yk_basic *basic, size_t end, enum yk_hinge_axis axis)
{
    return basic->ops->hinge && basic->ops->hinge(basic->self, end, axis);
}

YK_RT void yk_hinged_basic_look(const struct yk_basic *basic, const double *memory, size_t end, enum yk_hinge_axis axis,
                                double *rotation, double *m)
{
    const struct hinged *s = basic->self;
    const double *own = axis == YK_HINGE_RZ ? memory : memory + s->bending[0].memory;

    *rotation = own[ENDS + end] - own[end];
    *m = moment(&s->bending[axis], end, own);
}
