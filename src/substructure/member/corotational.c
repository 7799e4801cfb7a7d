/* Corotational geometry in space. docs/theory/nonlinear-frames.md, eq. (29)-(37).
 *
 * Each end has a unit quaternion: exp(what was added to its rotations since the commit) times the committed one. The
 * axes E of the member: the first along the chord, the others those of the mean of both ends, brought onto the chord
 * by the shortest turn (Crisfield 1990, without his approximations). The deformations are the elongation and the
 * rotation vectors of the ends in these axes, log(E^T T). With the spin of the axes G du and n_i the moments of the
 * ends,
 *
 *   f = (-N e1, n1, N e1, n2) - G^T (n1 + n2)
 *
 * is exact. Of the tangent the symmetric part is kept, without the change of the turning about the chord, which counts
 * only where a member is bent in both planes. Units: N, m, rad. */
#include "substructure/member/corotational.h"

#include "substructure/vector.h"

#include <math.h>
#include <string.h>

enum { END = 6, SIZE = YK_MEMBER_DOFS, TURN = 3, QUATERNION = 4 };

/* ---- rotations -------------------------------------------------------------------------------------------------- */

/* c = a b */
YK_RT static void multiply(const double *a, const double *b, double *c)
{
    double across[3];

    yk_cross(a + 1, b + 1, across);
    c[0] = a[0] * b[0] - yk_inner(a + 1, b + 1);
    for (int i = 1; i < QUATERNION; i++)
        c[i] = a[0] * b[i] + b[0] * a[i] + across[i - 1];
}

YK_RT static void normalise(double *q)
{
    const double size = sqrt(q[0] * q[0] + yk_inner(q + 1, q + 1));

    for (int i = 0; i < QUATERNION; i++)
        q[i] /= size;
}

/* The rotation vector w as a quaternion. */
YK_RT static void exponential(const double *w, double *q)
{
    const double angle = sqrt(yk_inner(w, w));
    const double factor = angle > 1e-4 ? sin(angle / 2) / angle : 0.5 - angle * angle / 48;

    q[0] = cos(angle / 2);
    for (int i = 0; i < 3; i++)
        q[1 + i] = factor * w[i];
}

/* b = R(q) a = a + 2 s (v x a) + 2 v x (v x a) */
YK_RT static void rotate(const double *q, const double *a, double *b)
{
    double once[3], twice[3];

    yk_cross(q + 1, a, once);
    yk_cross(q + 1, once, twice);
    for (int i = 0; i < 3; i++)
        b[i] = a[i] + 2 * (q[0] * once[i] + twice[i]);
}

/* The rotation vector of a matrix whose columns are `to` in the axes `from` (rows each). */
YK_RT static void logarithm(double from[3][3], double to[3][3], double *w)
{
    double R[3][3], s, v[3], size;

    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            R[i][j] = yk_inner(from[i], to[j]);
    s = 0.5 * sqrt(fmax(1 + R[0][0] + R[1][1] + R[2][2], 1e-30));
    v[0] = (R[2][1] - R[1][2]) / (4 * s);
    v[1] = (R[0][2] - R[2][0]) / (4 * s);
    v[2] = (R[1][0] - R[0][1]) / (4 * s);
    size = sqrt(yk_inner(v, v));
    for (int i = 0; i < 3; i++)
        w[i] = size > 1e-8 ? 2 * atan2(size, s) / size * v[i] : 2 * v[i];
}

YK_RT static void skew(const double *a, double A[3][3])
{
    memset(A, 0, 9 * sizeof(double));
    A[0][1] = -a[2];
    A[0][2] = a[1];
    A[1][0] = a[2];
    A[1][2] = -a[0];
    A[2][0] = -a[1];
    A[2][1] = a[0];
}

/* eq. (34): eta and its derivative over the angle, eta' / angle */
YK_RT static void series(double angle, double *eta, double *slope)
{
    const double a2 = angle * angle;

    if (angle < 0.1) { /* the closed forms cancel */
        *eta = 1.0 / 12 + a2 * (1.0 / 720 + a2 * (1.0 / 30240 + a2 / 1209600));
        *slope = 1.0 / 360 + a2 * (1.0 / 7560 + a2 * (1.0 / 201600 + a2 / 5987520));
        return;
    }
    const double half = angle / 2, s = sin(half);
    *eta = (1 - half * cos(half) / s) / a2;
    *slope = (a2 + 4 * cos(angle) + angle * sin(angle) - 4) / (4 * a2 * a2 * s * s);
}

/* eq. (34): the rate of a rotation vector by that of turning, H = 1 - w^/2 + eta w^2 */
YK_RT static void rate_of_vector(const double *w, double H[3][3])
{
    double eta, slope, W[3][3];

    series(sqrt(yk_inner(w, w)), &eta, &slope);
    skew(w, W);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            H[i][j] = (i == j ? 1 - eta * yk_inner(w, w) : 0) - 0.5 * W[i][j] + eta * w[i] * w[j];
}

/* ---- deformations ----------------------------------------------------------------------------------------------- */

void yk_turned_rest(double *memory)
{
    memset(memory, 0, YK_TURNED_MEMORY * sizeof *memory);
    memory[0] = memory[QUATERNION] = 1;
}

/* eq. (29): where an end has turned to */
YK_RT static void turn_end(const double *committed, const double *before, const double *rotation, double *quaternion)
{
    const double added[3] = {rotation[0] - before[0], rotation[1] - before[1], rotation[2] - before[2]};
    double more[QUATERNION];

    if (added[0] == 0 && added[1] == 0 && added[2] == 0) {
        memcpy(quaternion, committed, QUATERNION * sizeof *quaternion);
        return;
    }
    exponential(added, more);
    multiply(more, committed, quaternion);
    normalise(quaternion);
}

/* The mean of both ends, and tau = tan(angle between them / 4) times its axis. */
YK_RT static void find_mean(const double *first, const double *second, double *mean, double *tau)
{
    const double back[QUATERNION] = {first[0], -first[1], -first[2], -first[3]};
    double between[QUATERNION];

    multiply(second, back, between);
    const double sign = between[0] < 0 ? -1 : 1;
    for (int i = 0; i < QUATERNION; i++)
        mean[i] = first[i] + sign * second[i];
    normalise(mean);
    for (int i = 0; i < 3; i++)
        tau[i] = sign * between[1 + i] / (1 + sign * between[0]);
}

/* eq. (30), (31): axes and their spin */
YK_RT static void find_axes(const struct yk_member *m, const double *u, const double *quaternions, struct yk_turned *t)
{
    const double *x = m->axes[0];
    double *e = t->axes[0], mean[QUATERNION], tau[3], r[3][3], way[3], across[3], b[3], side[3], d[3], c;

    for (int i = 0; i < 3; i++) {
        d[i] = u[END + i] - u[i];
        way[i] = m->L * x[i] + d[i];
    }
    t->length = sqrt(yk_inner(way, way));
    t->v[0] = (2 * m->L * yk_inner(x, d) + yk_inner(d, d)) / (t->length + m->L); /* l - L without cancellation */
    for (int i = 0; i < 3; i++)
        e[i] = way[i] / t->length;
    find_mean(quaternions, quaternions + QUATERNION, mean, tau);
    for (int j = 0; j < 3; j++)
        rotate(mean, m->axes[j], r[j]);
    c = 1 + yk_inner(r[0], e);
    for (int j = 1; j < 3; j++)
        for (int i = 0; i < 3; i++)
            t->axes[j][i] = r[j][i] - yk_inner(r[j], e) / c * (r[0][i] + e[i]);

    for (int i = 0; i < 3; i++)
        b[i] = (r[0][i] + e[i]) / c;
    yk_cross(b, tau, side);
    yk_cross(r[0], e, across);
    for (int i = 0; i < 3; i++) {
        t->axial[i] = across[i] / (t->length * c);
        t->axial[END + i] = -t->axial[i];
        t->axial[TURN + i] = 0.5 * (b[i] + side[i]);
        t->axial[END + TURN + i] = 0.5 * (b[i] - side[i]);
    }
    double E[3][3];
    skew(e, E);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < SIZE; j++) {
            const double chord = j % END < 3 ? (j < END ? -1 : 1) * E[i][j % END] / t->length : 0;

            t->spin[i][j] = chord + e[i] * t->axial[j];
        }
}

/* eq. (32), (33): rotations of an end in these axes, and their rates */
YK_RT static void find_local(const struct yk_member *m, const double *quaternion, int end, struct yk_turned *t)
{
    double triad[3][3], rate[3][SIZE];

    for (int j = 0; j < 3; j++)
        rotate(quaternion, m->axes[j], triad[j]);
    logarithm(t->axes, triad, t->local[end]);
    rate_of_vector(t->local[end], t->H[end]);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < SIZE; j++) {
            rate[i][j] = j / END == end && j % END >= TURN ? t->axes[i][j % END - TURN] : 0;
            for (int k = 0; k < 3; k++)
                rate[i][j] -= t->axes[i][k] * t->spin[k][j];
        }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < SIZE; j++)
            t->turns[end][i][j] =
                t->H[end][i][0] * rate[0][j] + t->H[end][i][1] * rate[1][j] + t->H[end][i][2] * rate[2][j];
}

YK_RT void yk_turned_find(const struct yk_member *m, const double *committed, const double *u, double *trial,
                          struct yk_turned *t)
{
    const double *before = committed + (size_t)2 * QUATERNION;

    for (int end = 0; end < 2; end++) {
        const double *rotation = u + (size_t)END * end + TURN;

        turn_end(committed + (size_t)QUATERNION * end, before + (size_t)3 * end, rotation,
                 trial + (size_t)QUATERNION * end);
        memcpy(trial + (size_t)2 * QUATERNION + (size_t)3 * end, rotation, 3 * sizeof *rotation);
    }
    find_axes(m, u, trial, t);
    for (int end = 0; end < 2; end++)
        find_local(m, trial + (size_t)QUATERNION * end, end, t);
    t->v[5] = t->local[1][0] - t->local[0][0];
    for (int end = 0; end < 2; end++) {
        t->v[1 + end] = t->local[end][2];
        t->v[3 + end] = t->local[end][1];
    }
    for (int j = 0; j < SIZE; j++) {
        t->B[0][j] = j % END < 3 ? (j < END ? -1 : 1) * t->axes[0][j % END] : 0;
        t->B[5][j] = t->turns[1][0][j] - t->turns[0][0][j];
        for (int end = 0; end < 2; end++) {
            t->B[1 + end][j] = t->turns[end][2][j];
            t->B[3 + end][j] = t->turns[end][1][j];
        }
    }
}

/* ---- tangent ---------------------------------------------------------------------------------------------------- */

/* eq. (36): the moment n of an end in the axes of the frame, and its change by u where q is constant */
YK_RT static void turn_moment(const struct yk_turned *t, int end, const double *q, double *n, double change[3][SIZE])
{
    const double *w = t->local[end];
    const double m[3] = {end ? q[5] : -q[5], q[3 + end], q[1 + end]};
    const double along = yk_inner(w, m), angle = sqrt(yk_inner(w, w));
    double local[3], A[3][3], M[3][3], twice[3], eta, slope;

    series(angle, &eta, &slope);
    skew(m, M);
    for (int i = 0; i < 3; i++) {
        local[i] = t->H[end][0][i] * m[0] + t->H[end][1][i] * m[1] + t->H[end][2][i] * m[2];
        twice[i] = w[i] * along - m[i] * angle * angle;
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            A[i][j] =
                eta * ((i == j ? along : 0) + w[i] * m[j] - 2 * m[i] * w[j]) + slope * twice[i] * w[j] - 0.5 * M[i][j];
    for (int i = 0; i < 3; i++)
        n[i] = t->axes[0][i] * local[0] + t->axes[1][i] * local[1] + t->axes[2][i] * local[2];
    for (int j = 0; j < SIZE; j++) {
        const double spin[3] = {t->spin[0][j], t->spin[1][j], t->spin[2][j]};
        double bent[3], turned[3];

        for (int i = 0; i < 3; i++)
            bent[i] = A[i][0] * t->turns[end][0][j] + A[i][1] * t->turns[end][1][j] + A[i][2] * t->turns[end][2][j];
        yk_cross(spin, n, turned);
        for (int i = 0; i < 3; i++)
            change[i][j] = turned[i] + t->axes[0][i] * bent[0] + t->axes[1][i] * bent[1] + t->axes[2][i] * bent[2];
    }
}

/* eq. (37): change of the force on the second end, which is that on the first reversed, by the difference d of
 * displacements; and of the share of turning about the chord */
YK_RT static void turn_chord(const struct yk_turned *t, double N, const double *n, double force[3][3], double share[3])
{
    const double *e = t->axes[0], l = t->length;
    double M[3][3], side[3];

    skew(n, M);
    yk_cross(n, e, side);
    for (int i = 0; i < 3; i++) {
        const double Me = M[i][0] * e[0] + M[i][1] * e[1] + M[i][2] * e[2];

        share[i] = (n[i] - yk_inner(n, e) * e[i]) / l;
        for (int j = 0; j < 3; j++)
            force[i][j] =
                N / l * ((i == j ? 1 : 0) - e[i] * e[j]) + side[i] * e[j] / (l * l) - (M[i][j] - Me * e[j]) / (l * l);
    }
}

YK_RT void yk_turned_stiffness(const struct yk_turned *t, const double *q, double *K)
{
    double n[2][3], change[2][3][SIZE], force[3][3], share[3], A[SIZE][SIZE];

    for (int end = 0; end < 2; end++)
        turn_moment(t, end, q, n[end], change[end]);
    const double sum[3] = {n[0][0] + n[1][0], n[0][1] + n[1][1], n[0][2] + n[1][2]};
    turn_chord(t, q[0], sum, force, share);
    for (int i = 0; i < SIZE; i++)
        for (int j = 0; j < SIZE; j++) {
            const double sign = (i < END) == (j < END) ? 1 : -1;
            const double way = j % END < 3 ? (j < END ? -1 : 1) * share[j % END] : 0;

            A[i][j] = i % END >= TURN ? change[i / END][i % END - TURN][j] : 0;
            if (i % END < TURN && j % END < TURN)
                A[i][j] += sign * force[i % END][j % END];
            for (int k = 0; k < 3; k++)
                A[i][j] -= t->spin[k][i] * (change[0][k][j] + change[1][k][j]);
            A[i][j] -= t->axial[i] * way;
        }
    for (int i = 0; i < SIZE; i++)
        for (int j = 0; j < SIZE; j++)
            K[i + j * SIZE] += 0.5 * (A[i][j] + A[j][i]);
}
