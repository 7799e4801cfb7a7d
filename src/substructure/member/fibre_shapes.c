/* Patches and layers of a fibre section: where the fibres are, and how large. docs/theory/nonlinear-frames.md, eq. (4)
 * and (5).
 *
 * Areas and centroids of cells are exact: those of a quadrilateral, whose cells on the bilinear map have straight
 * edges, by the formula for polygons; those of a ring in closed form. Units: m, rad. */
#include "substructure/member/fibre_parts.h"

#include <math.h>

enum { MOST = 1000 };

static const double TURN = 6.283185307179586;

static enum yk_status known(const struct yk_fibre_section *section, size_t material, struct yk_err *err)
{
    if (material < section->summary.materials)
        return YK_OK;
    return yk_fail(err, YK_E_INPUT, "there is no material %zu in a section of %zu", material,
                   section->summary.materials);
}

static enum yk_status counted(size_t count, const char *what, struct yk_err *err)
{
    if (count >= 1 && count <= MOST)
        return YK_OK;
    return yk_fail(err, YK_E_RANGE, "%s = %zu is outside 1 to %d", what, count, MOST);
}

static enum yk_status finite_points(const double *x, size_t n, struct yk_err *err)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return yk_fail(err, YK_E_RANGE, "a coordinate is %g", x[i]);
    return YK_OK;
}

static enum yk_status patch_start(const struct yk_fibre_section *section, size_t material, const size_t divide[2],
                                  struct yk_err *err)
{
    enum yk_status st;

    if ((st = known(section, material, err)) || (st = counted(divide[0], "divide, first number", err)))
        return st;
    return counted(divide[1], "divide, second number", err);
}

enum yk_status yk_fibre_section_fibre(struct yk_fibre_section *section, const struct yk_fibre *fibre,
                                      struct yk_err *err)
{
    const struct yk_given_fibre given = {.fibre = *fibre};
    enum yk_status st = known(section, fibre->material, err);

    if (st || (st = finite_points(&fibre->y, 1, err)) || (st = finite_points(&fibre->z, 1, err)))
        return st;
    if (!(fibre->area != 0 && isfinite(fibre->area)))
        return yk_fail(err, YK_E_RANGE, "area = %g m2 of a fibre is not a number other than 0", fibre->area);
    return yk_fibre_add(section, &given, err);
}

/* ---- quadrilaterals -------------------------------------------------------------------------------------------- */

static double turn(const double *a, const double *b, const double *c)
{
    return (b[0] - a[0]) * (c[1] - b[1]) - (b[1] - a[1]) * (c[0] - b[0]);
}

/* The point (a, b) of the unit square on the bilinear map. */
static void map(double corners[4][2], double a, double b, double *at)
{
    for (int i = 0; i < 2; i++)
        at[i] = (1 - a) * (1 - b) * corners[0][i] + a * (1 - b) * corners[1][i] + a * b * corners[2][i] +
                (1 - a) * b * corners[3][i];
}

/* eq. (4): area, centroid and own second moments of a polygon of four corners, measured from its first one so that
 * little is lost by cancellation. */
static void cell(double corners[4][2], struct yk_given_fibre *given)
{
    double area = 0, y = 0, z = 0, yy = 0, zz = 0;

    for (int i = 0; i < 4; i++) {
        const double *c = corners[i], *d = corners[(i + 1) % 4];
        const double a[2] = {c[0] - corners[0][0], c[1] - corners[0][1]};
        const double b[2] = {d[0] - corners[0][0], d[1] - corners[0][1]};
        const double cross = a[0] * b[1] - a[1] * b[0];

        area += cross / 2;
        y += cross * (a[0] + b[0]) / 6;
        z += cross * (a[1] + b[1]) / 6;
        yy += cross * (a[0] * a[0] + a[0] * b[0] + b[0] * b[0]) / 12;
        zz += cross * (a[1] * a[1] + a[1] * b[1] + b[1] * b[1]) / 12;
    }
    y /= area;
    z /= area;
    given->fibre.area = fabs(area);
    given->fibre.y = corners[0][0] + y;
    given->fibre.z = corners[0][1] + z;
    given->own_z = fabs(yy - area * y * y);
    given->own_y = fabs(zz - area * z * z);
}

static enum yk_status quadrilateral(struct yk_fibre_section *section, size_t material, double corners[4][2],
                                    const size_t divide[2], struct yk_err *err)
{
    const double na = (double)divide[0], nb = (double)divide[1];
    struct yk_given_fibre given = {.fibre.material = material};
    struct yk_patch patch = {.material = material};
    enum yk_status st;

    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 2; j++)
            patch.corners[i][j] = corners[i][j];
    if ((st = yk_patch_add(section, &patch, err)))
        return st;
    for (size_t i = 0; i < divide[0]; i++)
        for (size_t j = 0; j < divide[1]; j++) {
            const double a[2] = {(double)i / na, (double)(i + 1) / na}, b[2] = {(double)j / nb, (double)(j + 1) / nb};
            double at[4][2];

            map(corners, a[0], b[0], at[0]);
            map(corners, a[1], b[0], at[1]);
            map(corners, a[1], b[1], at[2]);
            map(corners, a[0], b[1], at[3]);
            cell(at, &given);
            if ((st = yk_fibre_add(section, &given, err)))
                return st;
        }
    return YK_OK;
}

enum yk_status yk_fibre_section_quadrilateral(struct yk_fibre_section *section, size_t material, double corners[4][2],
                                              const size_t divide[2], struct yk_err *err)
{
    const double first = turn(corners[3], corners[0], corners[1]);
    enum yk_status st = patch_start(section, material, divide, err);

    if (st || (st = finite_points(corners[0], 8, err)))
        return st;
    for (size_t i = 0; i < 4; i++) {
        const double here = turn(corners[i], corners[(i + 1) % 4], corners[(i + 2) % 4]);

        if (!(here * first > 0))
            return yk_fail(err, YK_E_INPUT,
                           "the quadrilateral is not convex or has no area at its corner (%g, %g) m; give its corners "
                           "in turn",
                           corners[(i + 1) % 4][0], corners[(i + 1) % 4][1]);
    }
    return quadrilateral(section, material, corners, divide, err);
}

enum yk_status yk_fibre_section_rectangle(struct yk_fibre_section *section, size_t material, const double from[2],
                                          const double to[2], const size_t divide[2], struct yk_err *err)
{
    double corners[4][2] = {{from[0], from[1]}, {to[0], from[1]}, {to[0], to[1]}, {from[0], to[1]}};
    enum yk_status st = patch_start(section, material, divide, err);

    if (st || (st = finite_points(corners[0], 8, err)))
        return st;
    if (!(from[0] != to[0] && from[1] != to[1]))
        return yk_fail(err, YK_E_INPUT, "the rectangle from (%g, %g) to (%g, %g) m has no area", from[0], from[1],
                       to[0], to[1]);
    return quadrilateral(section, material, corners, divide, err);
}

/* ---- rings ----------------------------------------------------------------------------------------------------- */

/* eq. (5), about the centre */
static void ring_cell(const double r[2], const double a[2], const double centre[2], struct yk_given_fibre *given)
{
    const double half = (a[1] - a[0]) / 2, middle = (a[0] + a[1]) / 2;
    const double area = half * (r[1] * r[1] - r[0] * r[0]);
    const double moment = 2 * sin(half) * (r[1] * r[1] * r[1] - r[0] * r[0] * r[0]) / 3;
    const double fourth = (r[1] * r[1] * r[1] * r[1] - r[0] * r[0] * r[0] * r[0]) / 4;
    const double wave = (sin(2 * a[1]) - sin(2 * a[0])) / 4;
    const double y = moment / area * cos(middle), z = moment / area * sin(middle);

    given->fibre.area = area;
    given->fibre.y = centre[0] + y;
    given->fibre.z = centre[1] + z;
    given->own_z = fourth * (half + wave) - area * y * y;
    given->own_y = fourth * (half - wave) - area * z * z;
}

static enum yk_status check_angles(const double angles[2], struct yk_err *err)
{
    if (angles[1] > angles[0] && angles[1] - angles[0] <= TURN * (1 + 1e-9))
        return YK_OK;
    return yk_fail(err, YK_E_RANGE,
                   "angles from %g to %g rad: the second must be above the first, by one full turn at most", angles[0],
                   angles[1]);
}

enum yk_status yk_fibre_section_ring(struct yk_fibre_section *section, size_t material, const double centre[2],
                                     const double radii[2], const double angles[2], const size_t divide[2],
                                     struct yk_err *err)
{
    struct yk_given_fibre given = {.fibre.material = material};
    const struct yk_patch patch = {.material = material,
                                   .ring = true,
                                   .centre = {centre[0], centre[1]},
                                   .radii = {radii[0], radii[1]},
                                   .angles = {angles[0], angles[1]}};
    enum yk_status st = patch_start(section, material, divide, err);

    if (st || (st = finite_points(centre, 2, err)) || (st = finite_points(angles, 2, err)) ||
        (st = check_angles(angles, err)))
        return st;
    if (!(radii[0] >= 0 && radii[1] > radii[0] && isfinite(radii[1])))
        return yk_fail(err, YK_E_RANGE, "radii %g and %g m: the first must be at least 0 and below the second",
                       radii[0], radii[1]);
    if ((st = yk_patch_add(section, &patch, err)))
        return st;
    for (size_t i = 0; i < divide[0]; i++)
        for (size_t j = 0; j < divide[1]; j++) {
            const double dr = (radii[1] - radii[0]) / (double)divide[0],
                         da = (angles[1] - angles[0]) / (double)divide[1];
            const double r[2] = {radii[0] + (double)i * dr, radii[0] + (double)(i + 1) * dr};
            const double a[2] = {angles[0] + (double)j * da, angles[0] + (double)(j + 1) * da};

            ring_cell(r, a, centre, &given);
            if ((st = yk_fibre_add(section, &given, err)))
                return st;
        }
    return YK_OK;
}

/* ---- bars ------------------------------------------------------------------------------------------------------ */

static enum yk_status bars_start(const struct yk_fibre_section *section, const struct yk_bars *bars, struct yk_err *err)
{
    enum yk_status st = known(section, bars->material, err);

    if (st || (st = counted(bars->count, "number of bars", err)))
        return st;
    if (!(bars->area > 0 && isfinite(bars->area)))
        return yk_fail(err, YK_E_RANGE, "area = %g m2 of a bar is not above 0", bars->area);
    return YK_OK;
}

static enum yk_status add_bar(struct yk_fibre_section *section, const struct yk_bars *bars, double y, double z,
                              struct yk_err *err)
{
    const struct yk_given_fibre given = {
        .fibre = {y, z, bars->area, bars->material}, .bar = true, .displaces = bars->displace};

    return yk_fibre_add(section, &given, err);
}

/* Bar i of n on the unit interval. */
static double station(size_t i, size_t n)
{
    return n == 1 ? 0.5 : (double)i / (double)(n - 1);
}

enum yk_status yk_fibre_section_layer(struct yk_fibre_section *section, const struct yk_bars *bars,
                                      const double from[2], const double to[2], struct yk_err *err)
{
    enum yk_status st = bars_start(section, bars, err);

    if (st || (st = finite_points(from, 2, err)) || (st = finite_points(to, 2, err)))
        return st;
    if (bars->count > 1 && from[0] == to[0] && from[1] == to[1])
        return yk_fail(err, YK_E_INPUT, "%zu bars stand in one point (%g, %g) m; give another end of their layer",
                       bars->count, from[0], from[1]);
    for (size_t i = 0; i < bars->count; i++) {
        const double t = station(i, bars->count);

        if ((st = add_bar(section, bars, (1 - t) * from[0] + t * to[0], (1 - t) * from[1] + t * to[1], err)))
            return st;
    }
    return YK_OK;
}

enum yk_status yk_fibre_section_arc(struct yk_fibre_section *section, const struct yk_bars *bars,
                                    const double centre[2], double radius, const double angles[2], struct yk_err *err)
{
    enum yk_status st = bars_start(section, bars, err);

    if (st || (st = finite_points(centre, 2, err)) || (st = finite_points(angles, 2, err)) ||
        (st = check_angles(angles, err)))
        return st;
    if (!(radius > 0 && isfinite(radius)))
        return yk_fail(err, YK_E_RANGE, "radius = %g m of a layer is not above 0", radius);
    for (size_t i = 0; i < bars->count; i++) {
        const bool full = angles[1] - angles[0] > TURN * (1 - 1e-9);
        const double t = full ? (double)i / (double)bars->count : station(i, bars->count);
        const double a = angles[0] + t * (angles[1] - angles[0]);

        if ((st = add_bar(section, bars, centre[0] + radius * cos(a), centre[1] + radius * sin(a), err)))
            return st;
    }
    return YK_OK;
}

/* ---- what bars displace ---------------------------------------------------------------------------------------- */

/* Is the point inside the patch or on its edge? */
static bool inside(const struct yk_patch *patch, const double at[2])
{
    const double tolerance = 1e-9;
    int above = 0, below = 0;

    if (patch->ring) {
        const double y = at[0] - patch->centre[0], z = at[1] - patch->centre[1], r = hypot(y, z);
        const double slack = tolerance * patch->radii[1];
        const double a = atan2(z, y) - patch->angles[0] + tolerance;

        return r >= patch->radii[0] - slack && r <= patch->radii[1] + slack &&
               a - TURN * floor(a / TURN) <= patch->angles[1] - patch->angles[0] + 2 * tolerance;
    }
    for (size_t i = 0; i < 4; i++) {
        const double *a = patch->corners[i], *b = patch->corners[(i + 1) % 4], *c = patch->corners[(i + 2) % 4];
        const double here = turn(a, b, at), slack = tolerance * fabs(turn(a, b, c));

        above += here >= -slack;
        below += here <= slack;
    }
    return above == 4 || below == 4;
}

enum yk_status yk_fibre_displace(struct yk_fibre_section *section, struct yk_err *err)
{
    const size_t given = section->summary.given;
    enum yk_status st = YK_OK;

    for (size_t i = 0; !st && i < given; i++) {
        const struct yk_fibre *bar = &section->given[i].fibre;
        const double at[2] = {bar->y, bar->z};
        size_t j = 0;

        if (!section->given[i].displaces)
            continue;
        while (j < section->patch_count && !inside(&section->patches[j], at))
            j++;
        if (j == section->patch_count)
            return yk_fail(err, YK_E_INPUT,
                           "the bar at (%g, %g) m displaces nothing: it stands in no patch; leave out 'displace'",
                           bar->y, bar->z);
        st = yk_fibre_add(
            section,
            &(const struct yk_given_fibre){.fibre = {bar->y, bar->z, -bar->area, section->patches[j].material}}, err);
    }
    return st;
}
