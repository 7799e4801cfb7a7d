/* End forces of members: of linear ones from their stiffness, of others from their basic forces. Units: N, m. */
#include "results_parts.h"

#include <math.h>
#include <string.h>

const char *const results_shown[2][SHOWN_SPACE] = {
    {"N1", "V1", "M1", "N2", "V2", "M2"},
    {"N1", "Vy1", "Vz1", "T1", "My1", "Mz1", "N2", "Vy2", "Vz2", "T2", "My2", "Mz2"}};

static void gather(const struct member *m, const double *u, double *ends)
{
    memset(ends, 0, ENDS * sizeof *ends);
    for (size_t i = 0; i < m->tie_count; i++)
        if (m->ties[i].row >= 0)
            ends[m->ties[i].end] += m->ties[i].factor * u[m->ties[i].row];
}

static double dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* Axes and length of the member as it is displaced: the chord in the plane; NaN in space, where the axes turn with the
 * ends. */
static void chord(const struct member *m, const double *ends, double axes[3][3], double *L)
{
    double x[3] = {0};

    memcpy(axes, m->axes, 9 * sizeof(double));
    *L = m->L;
    if (m->geometry != YK_GEOMETRY_COROTATIONAL)
        return;
    for (size_t i = 0; i < 3; i++)
        x[i] = m->at[1][i] + ends[6 + i] - m->at[0][i] - ends[i];
    *L = sqrt(dot(x, x));
    for (size_t i = 0; i < 3; i++)
        axes[0][i] = x[i] / *L;
    axes[1][0] = m->plane ? -axes[0][1] : NAN;
    axes[1][1] = m->plane ? axes[0][0] : NAN;
    for (size_t i = 0; !m->plane && i < 9; i++)
        axes[i / 3][i % 3] = NAN;
}

/* local := forces on the ends in the axes of the member, from the basic forces q: equilibrium, with the axial force
 * where the geometry is P-Delta. */
static void from_basic(const struct member *m, const double *q, const double *ends, double L, double *local)
{
    const double N = q[0], Vy = (q[1] + q[2]) / L, Vz = m->plane ? 0 : -(q[3] + q[4]) / L;
    double across[2] = {0, 0};

    for (size_t j = 0; m->geometry == YK_GEOMETRY_P_DELTA && j < 2; j++)
        across[j] = N / L * (dot(m->axes[1 + j], ends + 6) - dot(m->axes[1 + j], ends));
    const double first[6] = {-N, Vy - across[0], Vz - across[1], m->plane ? 0 : -q[5], m->plane ? 0 : q[3], q[1]};
    const double second[6] = {N, across[0] - Vy, across[1] - Vz, m->plane ? 0 : q[5], m->plane ? 0 : q[4], q[2]};

    memcpy(local, first, sizeof first);
    memcpy(local + 6, second, sizeof second);
}

/* In the plane the third axis stays: forces along it and moments about the others are 0. */
static void turn_plane(const double axes[3][3], const double *from, double *to, bool transposed)
{
    const double c = axes[0][0], s = transposed ? -axes[0][1] : axes[0][1];

    for (size_t end = 0; end < ENDS; end += 6) {
        to[end] = c * from[end] + s * from[end + 1];
        to[end + 1] = c * from[end + 1] - s * from[end];
        to[end + 2] = to[end + 3] = to[end + 4] = 0;
        to[end + 5] = from[end + 5];
    }
}

/* Between axes of the frame and of the member; transposed: back. */
static void turn(const double axes[3][3], const double *from, double *to, bool transposed)
{
    for (size_t part = 0; part < ENDS; part += 3)
        for (size_t i = 0; i < 3; i++) {
            to[part + i] = 0;
            for (size_t j = 0; j < 3; j++)
                to[part + i] += (transposed ? axes[j][i] : axes[i][j]) * from[part + j];
        }
}

void results_member(const struct member *m, const struct yk_result_state *s, double *f, double *shown)
{
    double ends[ENDS], local[ENDS], axes[3][3], L;

    gather(m, s->u, ends);
    chord(m, ends, axes, &L);
    if (m->K) {
        for (size_t i = 0; i < ENDS; i++) {
            f[i] = 0;
            for (size_t j = 0; j < ENDS; j++)
                f[i] += m->K[i + j * ENDS] * ends[j];
        }
        (m->plane ? turn_plane : turn)((const double(*)[3])axes, f, local, false);
    } else {
        from_basic(m, s->basic + m->basic * YK_RESULT_BASIC, ends, L, local);
        (m->plane ? turn_plane : turn)((const double(*)[3])axes, local, f, true);
    }
    local[0] = -local[0]; /* the axial force is positive in tension at either end */
    if (!m->plane) {
        memcpy(shown, local, sizeof local);
        return;
    }
    for (size_t end = 0; end < 2; end++) {
        shown[3 * end] = local[6 * end];
        shown[3 * end + 1] = local[6 * end + 1];
        shown[3 * end + 2] = local[6 * end + 5];
    }
}
