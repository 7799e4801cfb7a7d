/* Geometry of a member: deformations v from the displacements u of its ends, forces f of the ends from q.
 *
 * docs/theory/nonlinear-frames.md, section 6. With r u the elongation and z u the displacement of the second end across
 * the member relative to the first (Delta), B = dv/du:
 *
 *   linear         v = B u                  f = B^T q                       K = B^T k B
 *   P-Delta        v = B u                  f = B^T q + (N Delta/L) z^T     K = B^T k B + (N/L) z^T z
 *   corotational   from the present chord   f = B^T q                       K = B^T k B + (N/l) z^T z
 *                                                                             + (M1 + M2)/l^2 (r^T z + z^T r)
 *
 * K of P-Delta is the symmetric part. In space P-Delta has two directions across; large rotations in space are in
 * corotational.c. Units: N, m, rad. */
#include "substructure/member/corotational.h"

#include <string.h>

enum { SIZE = YK_MEMBER_DOFS, PLANE_SIZE = 6, MOST = YK_BASIC_SPACE };

/* Degrees of freedom that count, in the order in which they are worked with. */
static const int plane_dofs[PLANE_SIZE] = {0, 1, 5, 6, 7, 11},
                 space_dofs[SIZE] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};

/* Pose of a member: its chord, and the deformations v relative to it. */
struct pose {
    double axes[3][3], length; /* of the chord to which v refers */
    double v[MOST];
    double across[2]; /* Delta over the length along y and z; corotational: 0 */
    double B[MOST][SIZE];
    struct yk_turned turned; /* in space */
};

YK_RT static size_t deformations(const struct yk_member *m)
{
    return m->plane ? YK_BASIC_PLANE : YK_BASIC_SPACE;
}

/* Doubles before the memory of the basic element: q, v, and how far the member has turned. */
YK_RT static size_t own_memory(const struct yk_member *m)
{
    const size_t turned = m->plane ? 1 : YK_TURNED_MEMORY;

    return 2 * deformations(m) + (m->geometry == YK_GEOMETRY_COROTATIONAL ? turned : 0);
}

enum yk_status yk_member_init(struct yk_member *m, const struct yk_beam *beam, enum yk_geometry geometry, bool bowing,
                              struct yk_err *err)
{
    *m = (struct yk_member){.geometry = geometry, .plane = beam->plane, .bowing = bowing};
    if (geometry == YK_GEOMETRY_COROTATIONAL && bowing)
        return yk_fail(err, YK_E_UNSUPPORTED,
                       "bowing is for small rotations and corotational geometry for large ones; divide the member "
                       "instead, or use p-delta");
    return yk_beam_axes(beam, &m->L, m->axes, err);
}

size_t yk_member_memory(const struct yk_member *m)
{
    return own_memory(m) + m->basic.ops->memory(m->basic.self);
}

YK_RT const double *yk_member_basic_memory(const struct yk_member *m, const double *memory)
{
    return memory + own_memory(m);
}

size_t yk_member_scratch(const struct yk_member *m)
{
    return m->basic.ops->scratch(m->basic.self);
}

void yk_member_rest(const struct yk_member *m, double *memory)
{
    const size_t own = own_memory(m);

    memset(memory, 0, own * sizeof *memory);
    if (m->geometry == YK_GEOMETRY_COROTATIONAL && !m->plane)
        yk_turned_rest(memory + 2 * deformations(m));
    m->basic.ops->rest(m->basic.self, memory + own);
}

void yk_member_fini(struct yk_member *m)
{
    if (m->basic.ops)
        m->basic.ops->destroy(m->basic.self);
    *m = (struct yk_member){0};
}

/* ---- deformations ---------------------------------------------------------------------------------------------- */

YK_RT static inline double dot(size_t n, const double *a, const double *b)
{
    double sum = 0;

    for (size_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* row += factor times the displacement of the second end less that of the first, along `way` */
YK_RT static inline void add_difference(size_t n, double *row, const double *way, double factor)
{
    const size_t directions = n == PLANE_SIZE ? 2 : 3;

    for (size_t i = 0; i < directions; i++) {
        row[i] -= factor * way[i];
        row[n / 2 + i] += factor * way[i];
    }
}

/* eq. (24): the rates of elongation, of the rotations of the ends less that of the chord, and of twist */
YK_RT static inline void fill_rows(size_t n, struct pose *p)
{
    const double *x = p->axes[0], *y = p->axes[1], *z = p->axes[2];

    memset(p->B, 0, sizeof p->B);
    add_difference(n, p->B[0], x, 1);
    for (size_t end = 0; end < 2; end++) {
        double *turn_z = p->B[1 + end], *turn_y = p->B[3 + end], *twist = p->B[5];

        add_difference(n, turn_z, y, -1 / p->length);
        if (n == PLANE_SIZE) {
            turn_z[n / 2 * end + 2] += 1;
            continue;
        }
        add_difference(n, turn_y, z, 1 / p->length);
        for (size_t i = 0; i < 3; i++) {
            turn_z[n / 2 * end + 3 + i] += z[i];
            turn_y[n / 2 * end + 3 + i] += y[i];
            twist[n / 2 * end + 3 + i] += end ? x[i] : -x[i];
        }
    }
}

/* eq. (24), (25): the chord of the member at rest */
YK_RT static inline void small(const struct yk_member *m, size_t n, const double *u, struct pose *p)
{
    double row[SIZE] = {0};

    memcpy(p->axes, m->axes, sizeof p->axes);
    p->length = m->L;
    fill_rows(n, p);
    for (size_t i = 0; i < n / 2; i++)
        p->v[i] = dot(n, p->B[i], u);
    p->across[0] = p->across[1] = 0;
    if (m->geometry == YK_GEOMETRY_P_DELTA)
        for (size_t j = 0; j < (n == PLANE_SIZE ? 1 : 2); j++) {
            memset(row, 0, sizeof row);
            add_difference(n, row, m->axes[1 + j], 1);
            p->across[j] = dot(n, row, u) / m->L;
        }
}

YK_RT static inline void large_in_space(const struct yk_member *m, const double *committed, const double *u,
                                        double *trial, struct pose *p)
{
    yk_turned_find(m, committed, u, trial, &p->turned);
    memcpy(p->v, p->turned.v, sizeof p->v);
    memcpy(p->B, p->turned.B, sizeof p->B);
}

/* eq. (26), (27): the present chord. Its angle is the one nearest to the committed angle, whatever the turns so far.
 */
YK_RT static inline void large(const struct yk_member *m, const double *committed, const double *u, double *trial,
                               struct pose *p)
{
    const double *x = m->axes[0], *y = m->axes[1];
    const double d[2] = {u[3] - u[0], u[4] - u[1]};
    const double along = m->L + dot(2, x, d), across = dot(2, y, d);
    const double angle = committed[0] + remainder(atan2(across, along) - committed[0], 2 * acos(-1));

    p->length = hypot(along, across);
    for (int i = 0; i < 3; i++) {
        p->axes[0][i] = (along * x[i] + across * y[i]) / p->length;
        p->axes[1][i] = (along * y[i] - across * x[i]) / p->length;
        p->axes[2][i] = m->axes[2][i];
    }
    fill_rows(PLANE_SIZE, p);
    p->v[0] = (2 * m->L * dot(2, x, d) + dot(2, d, d)) / (p->length + m->L); /* l - L without cancellation */
    p->v[1] = u[2] - angle;
    p->v[2] = u[5] - angle;
    p->across[0] = p->across[1] = 0;
    trial[0] = angle;
}

/* ---- forces and tangent ---------------------------------------------------------------------------------------- */

/* eq. (28): the axial force bends a member between its ends */
YK_RT static inline void bow(const struct yk_member *m, size_t n, const double *v, double *q, double *k)
{
    const double g = q[0] * m->L / 30;

    for (size_t i = 1; i < n / 2 - (n == SIZE); i += 2) {
        q[i] += g * (4 * v[i] - v[i + 1]);
        q[i + 1] += g * (4 * v[i + 1] - v[i]);
        if (!k)
            continue;
        k[i + i * n / 2] += 4 * g;
        k[(i + 1) + (i + 1) * n / 2] += 4 * g;
        k[i + (i + 1) * n / 2] -= g;
        k[(i + 1) + i * n / 2] -= g;
    }
}

/* K = B^T k B */
YK_RT static inline void congruence(size_t n, const double *k, double B[MOST][SIZE], double *K)
{
    const size_t m = n / 2;
    double kB[MOST][SIZE];

    for (size_t i = 0; i < m; i++)
        for (size_t c = 0; c < n; c++) {
            kB[i][c] = 0;
            for (size_t j = 0; j < m; j++)
                kB[i][c] += k[i + j * m] * B[j][c];
        }
    for (size_t c = 0; c < n; c++)
        for (size_t r = 0; r < n; r++) {
            double sum = 0;

            for (size_t i = 0; i < m; i++)
                sum += B[i][r] * kB[i][c];
            K[r + c * n] = sum;
        }
}

/* K += factor (a^T b + b^T a) / 2 */
YK_RT static inline void add_products(size_t n, double factor, const double *a, const double *b, double *K)
{
    for (size_t c = 0; c < n; c++)
        for (size_t r = 0; r < n; r++)
            K[r + c * n] += 0.5 * factor * (a[r] * b[c] + b[r] * a[c]);
}

/* Adds the geometric terms, due to forces in a turned member, to f and K: eq. (25), last terms of eq. (27). */
YK_RT static inline void add_geometric(const struct yk_member *m, size_t n, const struct pose *p, const double *q,
                                       double *f, double *K)
{
    if (m->geometry == YK_GEOMETRY_LINEAR)
        return;
    if (m->geometry == YK_GEOMETRY_COROTATIONAL && n == SIZE) {
        if (K)
            yk_turned_stiffness(&p->turned, q, K);
        return;
    }
    for (size_t j = 0; j < (n == PLANE_SIZE ? 1 : 2); j++) {
        double z[SIZE] = {0};

        add_difference(n, z, p->axes[1 + j], 1);
        for (size_t i = 0; i < n; i++)
            f[i] += q[0] * p->across[j] * z[i];
        if (!K)
            continue;
        add_products(n, q[0] / p->length, z, z, K);
        if (m->geometry == YK_GEOMETRY_COROTATIONAL)
            add_products(n, 2 * (q[1] + q[2]) / (p->length * p->length), p->B[0], z, K);
    }
}

/* n: 6 in the plane, 12 in space; known where this is compiled */
YK_RT static inline bool find_state(const struct yk_member *m, size_t n, const int *dofs, const double *committed,
                                    const double *displacements, double h, double *trial, double *forces,
                                    double *tangent, double *scratch)
{
    const size_t own = own_memory(m);
    double u[SIZE], f[SIZE], k[MOST * MOST], K[SIZE * SIZE], *q = trial;
    struct pose p;
    bool good;

    for (size_t i = 0; i < n; i++)
        u[i] = displacements[dofs[i]];
    if (m->geometry != YK_GEOMETRY_COROTATIONAL)
        small(m, n, u, &p);
    else if (n == PLANE_SIZE)
        large(m, committed + n, u, trial + n, &p);
    else
        large_in_space(m, committed + n, u, trial + n, &p);
    memcpy(trial + n / 2, p.v, n / 2 * sizeof *trial);
    good = m->basic.ops->state(m->basic.self, committed + own, p.v, h, trial + own, q, tangent ? k : NULL, scratch);
    if (m->bowing)
        bow(m, n, p.v, q, tangent ? k : NULL);
    for (size_t c = 0; c < n; c++) {
        f[c] = 0;
        for (size_t i = 0; i < n / 2; i++)
            f[c] += p.B[i][c] * q[i];
    }
    if (tangent)
        congruence(n, k, p.B, K);
    add_geometric(m, n, &p, q, f, tangent ? K : NULL);
    for (size_t c = 0; c < n; c++) {
        forces[dofs[c]] = f[c];
        for (size_t r = 0; tangent && r < n; r++)
            tangent[dofs[r] + dofs[c] * SIZE] = K[r + c * n];
    }
    return good;
}

YK_RT bool yk_member_state(const struct yk_member *m, const double *committed, const double *u, double h, double *trial,
                           double *f, double *K, double *scratch)
{
    if (!m->plane)
        return find_state(m, SIZE, space_dofs, committed, u, h, trial, f, K, scratch);
    memset(f, 0, SIZE * sizeof *f);
    if (K)
        memset(K, 0, (size_t)SIZE * SIZE * sizeof *K);
    return find_state(m, PLANE_SIZE, plane_dofs, committed, u, h, trial, f, K, scratch);
}
