/* A straight beam or bar of constant section: stiffness and mass. docs/theory/frames.md, eq. (1)-(8).
 *
 * Bending in a plane, with s = x / L and the shear number phi = 12 E I / (G A_s L^2) (0: Euler-Bernoulli):
 *
 *     K = E I / (L^3 (1 + phi)) [12  6L             -12  6L           ]                                       eq. (2)
 *                               [    (4 + phi) L^2  -6L  (2 - phi) L^2]
 *                               [                    12  -6L          ]
 *                               [ sym.                   (4 + phi) L^2]
 *     M = rho A int N_w^T N_w dx + rho I int N_r^T N_r dx                                                     eq. (5)
 *
 * N_w, N_r: deflection and rotation of the statically loaded element, whose nodes are exact (Friedman, Kosmatka,
 * Computers and Structures 47, 1993). The second integral is left out of Euler-Bernoulli beams. Axial force and twist
 * are linear in s. Released degrees of freedom are condensed out of both matrices. Units: N, m, kg. */
#include <yoke/frame.h>

#include "substructure/vector.h"

#include <string.h>

enum { SIZE = 12, END = 6 };

const struct yk_param yk_section_params[] = {
    YK_REAL(struct yk_section, E, YK_PRESSURE, YK_REQUIRED, YK_TINY, 1e300, "modulus of elasticity"),
    YK_REAL(struct yk_section, nu, YK_NUMBER, 0.3, -0.999, 0.5, "Poisson's ratio, used where G is not given"),
    YK_REAL(struct yk_section, G, YK_PRESSURE, 0, 0, 1e300, "shear modulus; 0: E / (2 (1 + nu))"),
    YK_REAL(struct yk_section, A, YK_AREA, YK_REQUIRED, YK_TINY, 1e300, "area"),
    YK_REAL(struct yk_section, Iy, YK_AREA_MOMENT, 0, 0, 1e300, "second moment about y (beams in space)"),
    YK_REAL(struct yk_section, Iz, YK_AREA_MOMENT, 0, 0, 1e300, "second moment about z (all beams)"),
    YK_REAL(struct yk_section, J, YK_AREA_MOMENT, 0, 0, 1e300, "torsion constant (beams in space)"),
    YK_REAL(struct yk_section, shear_y, YK_AREA, 0, 0, 1e300, "shear area for forces along y (Timoshenko)"),
    YK_REAL(struct yk_section, shear_z, YK_AREA, 0, 0, 1e300, "shear area for forces along z (Timoshenko in space)"),
    YK_REAL(struct yk_section, polar, YK_AREA_MOMENT, 0, 0, 1e300,
            "second moment for the inertia of twisting; 0: Iy + Iz"),
    YK_REAL(struct yk_section, density, YK_DENSITY, 0, 0, 1e300, "mass density; 0: members without mass"),
    YK_PARAM_END,
};

/* One element, in the axes of the member: length and constants. */
struct element {
    double L, G;
    double axes[3][3]; /* rows: x, y, z of the member in the axes of the frame */
    double K[SIZE][SIZE], M[SIZE][SIZE];
};

/* ---- what is refused ------------------------------------------------------------------------------------------- */

static enum yk_status need(double value, const char *name, const char *what, struct yk_err *err)
{
    return value > 0 ? YK_OK : yk_fail(err, YK_E_INPUT, "its section has no %s, which %s needs", name, what);
}

static enum yk_status check_section(const struct yk_beam *b, struct yk_err *err)
{
    const struct yk_section *s = &b->section;
    const bool timoshenko = b->theory == YK_TIMOSHENKO;
    enum yk_status st;

    if ((st = need(s->E, "E", "a member", err)) || (st = need(s->A, "A", "a member", err)) || b->theory == YK_TRUSS)
        return st;
    if ((st = need(s->Iz, "Iz", "a beam", err)) ||
        (timoshenko && (st = need(s->shear_y, "shear_y", "a Timoshenko beam", err))) || b->plane)
        return st;
    if ((st = need(s->Iy, "Iy", "a beam in space", err)) || (st = need(s->J, "J", "a beam in space", err)))
        return st;
    return timoshenko ? need(s->shear_z, "shear_z", "a Timoshenko beam in space", err) : YK_OK;
}

/* ---- axes ------------------------------------------------------------------------------------------------------ */

/* x along the member, z towards `up`, y = z x x. */
enum yk_status yk_beam_axes(const struct yk_beam *b, double *L, double axes[3][3], struct yk_err *err)
{
    static const double z_axis[3] = {0, 0, 1}, y_axis[3] = {0, 1, 0};
    const double *up = b->up;
    double *x = axes[0], *y = axes[1], *z = axes[2], length, across;

    for (int i = 0; i < 3; i++)
        x[i] = b->ends[1][i] - b->ends[0][i];
    *L = sqrt(yk_inner(x, x));
    /* below this the direction is made of rounding errors of the coordinates */
    if (!(*L > 1e-12 * (sqrt(yk_inner(b->ends[0], b->ends[0])) + sqrt(yk_inner(b->ends[1], b->ends[1])))))
        return yk_fail(err, YK_E_INPUT, "its two ends are at the same place, it has no length");
    for (int i = 0; i < 3; i++)
        x[i] /= *L;
    if (b->plane)
        up = z_axis;
    else if (yk_inner(up, up) == 0)
        up = fabs(x[2]) < 1 - 1e-9 ? z_axis : y_axis;
    length = sqrt(yk_inner(up, up));
    across = yk_inner(up, x);
    for (int i = 0; i < 3; i++)
        z[i] = up[i] - across * x[i];
    across = sqrt(yk_inner(z, z));
    if (!(across > 1e-6 * length))
        return yk_fail(err, YK_E_INPUT, "its `up` points along the member, so the section has no direction");
    for (int i = 0; i < 3; i++)
        z[i] /= across;
    yk_cross(z, x, y);
    return YK_OK;
}

/* ---- stiffness and mass in the axes of the member -------------------------------------------------------------- */

/* eq. (6): a quantity that is linear along the member: EA/L, GJ/L [1 -1; -1 1] and m/6 [2 1; 1 2]. */
static void add_bar(struct element *e, int dof, double stiffness, double mass, enum yk_spread spread)
{
    for (int a = 0; a < 2; a++)
        for (int b = 0; b < 2; b++) {
            e->K[dof + a * END][dof + b * END] += a == b ? stiffness : -stiffness;
            if (spread == YK_CONSISTENT)
                e->M[dof + a * END][dof + b * END] += a == b ? mass / 3 : mass / 6;
            else if (a == b)
                e->M[dof + a * END][dof + b * END] += mass / 2;
        }
}

/* eq. (3), (4): deflection and rotation at s, for w1 r1 w2 r2 */
static void shapes(double s, double L, double phi, double *w, double *r)
{
    const double scale = 1 / (1 + phi);

    w[0] = scale * (1 + phi + s * (-phi + s * (-3 + 2 * s)));
    w[1] = scale * L * s * (1 + phi / 2 + s * (-2 - phi / 2 + s));
    w[2] = scale * s * (phi + s * (3 - 2 * s));
    w[3] = scale * L * s * (-phi / 2 + s * (-1 + phi / 2 + s));
    r[0] = scale * 6 / L * s * (s - 1);
    r[1] = scale * (1 + phi + s * (-4 - phi + 3 * s));
    r[2] = -r[0];
    r[3] = scale * s * (-2 + phi + 3 * s);
}

/* eq. (5); four Gauss points are exact for polynomials of degree seven */
static void bending_mass(double L, double phi, double mass, double rotary, double M[4][4])
{
    static const double at[2] = {0.339981043584856264803, 0.861136311594052575224};
    static const double weight[2] = {0.652145154862546142627, 0.347854845137453857373};

    memset(M, 0, 16 * sizeof(double));
    for (int p = 0; p < 4; p++) {
        double w[4], r[4];

        shapes(0.5 + (p % 2 ? 0.5 : -0.5) * at[p / 2], L, phi, w, r);
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++)
                M[i][j] += 0.5 * weight[p / 2] * (mass * w[i] * w[j] + rotary * r[i] * r[j]);
    }
}

/* eq. (7): half the mass at each end; the rotations get what scales the diagonal of the consistent matrix to the whole
 * mass (Hinton, Rock, Zienkiewicz 1976): m L^2 / 78 each. */
static void lumped_mass(double L, double mass, double rotary, double M[4][4])
{
    memset(M, 0, 16 * sizeof(double));
    M[0][0] = M[2][2] = mass / 2;
    M[1][1] = M[3][3] = mass * L * L / 78 + rotary / 2;
}

/* Bending with the deflection `w` and the rotation `r`; turn = -1 where a positive rotation lowers the deflection. */
static void add_bending(struct element *e, const struct yk_beam *b, int w, int r, double turn, double I, double shear)
{
    const double L = e->L, mass = b->section.density * b->section.A * L;
    const double phi = shear > 0 ? 12 * b->section.E * I / (e->G * shear * L * L) : 0;
    const double rotary = b->theory == YK_TIMOSHENKO ? b->section.density * I * L : 0;
    const double k = b->section.E * I / (L * L * L * (1 + phi));
    const double K[4][4] = {{12, 6 * L, -12, 6 * L},
                            {6 * L, (4 + phi) * L * L, -6 * L, (2 - phi) * L * L},
                            {-12, -6 * L, 12, -6 * L},
                            {6 * L, (2 - phi) * L * L, -6 * L, (4 + phi) * L * L}};
    const int dof[4] = {w, r, w + END, r + END};
    const double sign[4] = {1, turn, 1, turn};
    double M[4][4];

    if (b->spread == YK_CONSISTENT)
        bending_mass(L, phi, mass, rotary, M);
    else
        lumped_mass(L, mass, rotary, M);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            e->K[dof[i]][dof[j]] += sign[i] * sign[j] * k * K[i][j];
            e->M[dof[i]][dof[j]] += sign[i] * sign[j] * M[i][j];
        }
}

static void fill(struct element *e, const struct yk_beam *b)
{
    const struct yk_section *s = &b->section;
    const double mass = s->density * s->A * e->L, polar = s->polar > 0 ? s->polar : s->Iy + s->Iz;
    const bool shear = b->theory == YK_TIMOSHENKO;

    e->G = s->G > 0 ? s->G : s->E / (2 * (1 + s->nu));
    add_bar(e, 0, s->E * s->A / e->L, mass, b->spread);
    if (b->theory == YK_TRUSS) {
        add_bar(e, 1, 0, mass, b->spread);
        add_bar(e, 2, 0, mass, b->spread);
        return;
    }
    add_bending(e, b, 1, 5, 1, s->Iz, shear ? s->shear_y : 0);
    if (b->plane)
        return;
    add_bending(e, b, 2, 4, -1, s->Iy, shear ? s->shear_z : 0);
    add_bar(e, 3, e->G * s->J / e->L, s->density * polar * e->L, b->spread);
}

/* ---- releases -------------------------------------------------------------------------------------------------- */

/* eq. (8), u_r = -sum_k K_rk / K_rr u_k: takes the degree of freedom r out of both matrices. Lumped inertia of a
 * released rotation is dropped, so that a lumped mass stays diagonal. */
static enum yk_status condense(struct element *e, int r, double before, enum yk_spread spread, struct yk_err *err)
{
    double slope[SIZE], M_r[SIZE], M_rr;

    if (!(e->K[r][r] > 1e-9 * before)) /* the rest is rounding of the releases made so far */
        return yk_fail(err, YK_E_SINGULAR, "its releases make it a mechanism: %s is free at its %s end",
                       yk_frame_dof_names[r % END], r < END ? "first" : "second");
    for (int k = 0; k < SIZE; k++)
        slope[k] = k == r ? 0 : -e->K[r][k] / e->K[r][r];
    for (int i = 0; i < SIZE; i++)
        for (int j = 0; j < SIZE; j++)
            if (i != r && j != r)
                e->K[i][j] += e->K[i][r] * slope[j];
    if (spread == YK_LUMPED && r % END >= 3)
        e->M[r][r] = 0;
    memcpy(M_r, e->M[r], sizeof M_r);
    M_rr = M_r[r];
    for (int i = 0; i < SIZE; i++)
        for (int j = 0; j < SIZE; j++)
            if (i != r && j != r)
                e->M[i][j] += M_r[i] * slope[j] + slope[i] * M_r[j] + slope[i] * M_rr * slope[j];
    for (int k = 0; k < SIZE; k++)
        e->K[r][k] = e->K[k][r] = e->M[r][k] = e->M[k][r] = 0;
    return YK_OK;
}

static enum yk_status release(struct element *e, const struct yk_beam *b, struct yk_err *err)
{
    double before[SIZE];
    enum yk_status st = YK_OK;

    for (int r = 0; r < SIZE; r++)
        before[r] = e->K[r][r];
    if (b->theory == YK_TRUSS && (b->release[0] || b->release[1]))
        return yk_fail(err, YK_E_INPUT, "it is a truss, which transmits only axial force: there is nothing to release");
    for (int r = 0; r < SIZE && !st; r++)
        if (b->release[r / END] >> r % END & 1)
            st = condense(e, r, before[r], b->spread, err);
    return st;
}

/* ---- axes of the frame ----------------------------------------------------------------------------------------- */

/* out = T^T A T with T = diag(axes, axes, axes, axes), column-major */
static void turn(const struct element *e, double A[SIZE][SIZE], double *out)
{
    for (int a = 0; a < SIZE; a += 3)
        for (int b = 0; b < SIZE; b += 3)
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++) {
                    double sum = 0;

                    for (int k = 0; k < 3; k++)
                        for (int l = 0; l < 3; l++)
                            sum += e->axes[k][i] * A[a + k][b + l] * e->axes[l][j];
                    out[(a + i) + (b + j) * SIZE] = sum;
                }
}

enum yk_status yk_beam_matrices(const struct yk_beam *beam, double *K, double *M, struct yk_err *err)
{
    struct element e = {0};
    enum yk_status st;

    if ((st = check_section(beam, err)) || (st = yk_beam_axes(beam, &e.L, e.axes, err)))
        return st;
    fill(&e, beam);
    if ((st = release(&e, beam, err)))
        return st;
    if (K)
        turn(&e, e.K, K);
    if (M)
        turn(&e, e.M, M);
    return YK_OK;
}
