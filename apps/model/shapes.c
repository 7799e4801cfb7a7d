/* Mode shapes as a picture: in space where the nodes have coordinates, seen along the axis in which the model is flat
 * or from a corner. Members of a frame, or nodes that the stiffness couples, are joined by lines, also with supports; a
 * mesh of elements becomes a surface, whose colour tells how far it moves and to which side. Otherwise over the degrees
 * of freedom. */
#include "shapes.h"
#include <yoke/export.h>
#include <yoke/figure.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_PANELS = 6,
    MOST_LINES = 20000,
    LINES_PER_NODE = 20,
    MOST_TRIANGLES = 20000,
    MESH_NODES = 12,
    MOST_SEARCH = 50000000
};
#define MESH_LINES                                                                                                     \
    2.7 /* for each node: a frame or a truss has fewer, a mesh of triangles three, one of quadrangles four */
#define DISPLAYED 0.1  /* largest displacement, as a share of the size of the model */
#define MARGIN    0.15 /* around the model at rest, likewise                        */

struct node {
    const char *name;
    size_t length;       /* of the part before the dot */
    size_t dof[YK_AXES]; /* x, y, z; SIZE_MAX where it has none */
    const double *place;
};

struct space {
    struct node *nodes;
    size_t count;
    size_t *of_dof; /* node of each degree of freedom, SIZE_MAX where it has no place */
    size_t free;    /* nodes with degrees of freedom; those behind them are supports */
    size_t (*line)[2];
    size_t lines;
    bool members; /* the lines are members of a frame, whose triangles are empty */
    size_t (*triangle)[3];
    size_t triangles;
    double axes[2][3]; /* of the view: right, up */
    const char *labels[2];
    double size;
};

static void space_free(struct space *v)
{
    free(v->nodes);
    free(v->of_dof);
    free(v->line);
    free(v->triangle);
}

/* ---- nodes ---- */

static size_t node_length(const char *dof)
{
    const char *dot = strrchr(dof, '.');

    return dot ? (size_t)(dot - dof) : strlen(dof);
}

struct dof {
    const char *name;
    size_t index;
};

static int by_node(const void *a, const void *b)
{
    const struct dof *one = a, *two = b;
    const size_t m = node_length(one->name), n = node_length(two->name);
    const int order = strncmp(one->name, two->name, m < n ? m : n);

    return order ? order : m < n ? -1 : m > n;
}

/* Gathers the degrees of freedom of each node that has a place. */
static bool find_nodes(const struct yk_substructure *s, const double *place, size_t supports, struct space *v)
{
    const size_t n = s->system->n;
    struct dof *list = malloc((n + 1) * sizeof *list);
    size_t used = 0;

    v->nodes = calloc(n + supports + 1, sizeof *v->nodes);
    v->of_dof = malloc((n + 1) * sizeof *v->of_dof);
    for (size_t i = 0; list && v->of_dof && i < n; i++) {
        v->of_dof[i] = SIZE_MAX;
        if (isfinite(place[3 * i]))
            list[used++] = (struct dof){s->dofs[i], i};
    }
    const bool good = list && v->nodes && v->of_dof;
    if (good && used)
        qsort(list, used, sizeof *list, by_node);
    for (size_t k = 0; good && k < used; k++) {
        const size_t length = node_length(list[k].name);
        const char *direction = list[k].name + length + (list[k].name[length] == '.');
        struct node *node;

        if (k == 0 || by_node(&list[k - 1], &list[k]) != 0)
            v->nodes[v->count++] =
                (struct node){list[k].name, length, {SIZE_MAX, SIZE_MAX, SIZE_MAX}, place + 3 * list[k].index};
        node = &v->nodes[v->count - 1];
        v->of_dof[list[k].index] = v->count - 1;
        for (int a = 0; a < YK_AXES; a++)
            if (direction[0] == "xyz"[a] && !direction[1])
                node->dof[a] = list[k].index;
    }
    free(list);
    v->free = v->count;
    return good;
}

/* The node at a place, or a new support there. */
static size_t node_at(struct space *v, const double *place)
{
    for (size_t i = 0; i < v->count; i++)
        if (memcmp(v->nodes[i].place, place, 3 * sizeof *place) == 0)
            return i;
    v->nodes[v->count] = (struct node){"", 0, {SIZE_MAX, SIZE_MAX, SIZE_MAX}, place};
    return v->count++;
}

/* ---- lines ---- */

static int by_ends(const void *a, const void *b)
{
    const size_t *one = a, *two = b;

    if (one[0] != two[0])
        return one[0] < two[0] ? -1 : 1;
    return one[1] < two[1] ? -1 : one[1] > two[1];
}

/* Members of a frame are its lines. */
static size_t find_members(const struct yk_parts *parts, size_t part, struct space *v)
{
    const size_t elements = yk_part_elements(parts, part);
    size_t count = 0;

    for (size_t i = 0; i < elements && elements * v->count < MOST_SEARCH; i++) {
        const double *ends = yk_part_member(parts, part, i);

        if (ends) {
            v->line[count][0] = node_at(v, ends);
            v->line[count++][1] = node_at(v, ends + 3);
        }
    }
    return count;
}

/* Pairs of nodes that the stiffness couples; none where there would be too many to see anything. */
static void find_lines(const struct yk_parts *parts, size_t part, struct space *v)
{
    const struct yk_matrix *K = &yk_part(parts, part)->system->K;
    const size_t anchors = yk_part_anchors(parts, part);
    const size_t room = v->count <= MOST_LINES && K->form != YK_DIAGONAL
                            ? yk_matrix_nonzeros(K) + anchors + yk_part_elements(parts, part) + 1
                            : 0;
    size_t count;

    if (!room || !(v->line = malloc(room * sizeof *v->line)))
        return;
    if ((count = find_members(parts, part, v))) {
        v->lines = count;
        v->members = true;
        return;
    }
    for (size_t i = 0; i < anchors && anchors * v->count < MOST_SEARCH; i++) {
        const double *ends = yk_part_anchor(parts, part, i);

        v->line[count][0] = node_at(v, ends);
        v->line[count++][1] = node_at(v, ends + 3);
    }
    for (size_t j = 0; j < K->cols; j++) {
        const size_t first = K->form == YK_SPARSE ? (size_t)K->col[j] : j * K->rows;
        const size_t end = K->form == YK_SPARSE ? (size_t)K->col[j + 1] : first + K->rows;

        for (size_t k = first; k < end; k++) {
            const size_t a = v->of_dof[K->form == YK_SPARSE ? (size_t)K->row[k] : k - first], b = v->of_dof[j];

            if (a < b && b != SIZE_MAX && K->x[k] != 0) {
                v->line[count][0] = a;
                v->line[count++][1] = b;
            }
        }
    }
    qsort(v->line, count, sizeof *v->line, by_ends); /* nodes come before supports */
    for (size_t k = 0; k < count; k++)
        if (v->lines == 0 || by_ends(v->line[v->lines - 1], v->line[k]) != 0)
            memmove(v->line[v->lines++], v->line[k], sizeof *v->line);
}

/* ---- surfaces ---- */

/* Is there a line between two nodes? The lines are sorted by their first end. */
static bool is_joined(const struct space *v, size_t a, size_t b)
{
    const size_t key[2] = {a < b ? a : b, a < b ? b : a};

    return bsearch(key, v->line, v->lines, sizeof *v->line, by_ends) != NULL;
}

/* Triangles of nodes that are joined to each other: two halves of every quadrangle, both ways. */
static void find_triangles(struct space *v)
{
    if (v->members || v->count < MESH_NODES || (double)v->lines < MESH_LINES * (double)v->count ||
        !(v->triangle = malloc(MOST_TRIANGLES * sizeof *v->triangle)))
        return;
    for (size_t i = 0; i < v->lines; i++) /* the lines of a node stand together */
        for (size_t k = i + 1; k < v->lines && v->line[k][0] == v->line[i][0]; k++) {
            if (!is_joined(v, v->line[i][1], v->line[k][1]))
                continue;
            if (v->triangles == MOST_TRIANGLES) {
                v->triangles = 0;
                return;
            }
            v->triangle[v->triangles][0] = v->line[i][0];
            v->triangle[v->triangles][1] = v->line[i][1];
            v->triangle[v->triangles++][2] = v->line[k][1];
        }
}

/* ---- view ---- */

static void choose_view(struct space *v)
{
    static const char *const labels[] = {"x [m]", "y [m]", "z [m]"};
    double extent[3] = {0};
    int flat = -1;

    for (int a = 0; a < 3; a++) {
        double low = INFINITY, high = -INFINITY;

        for (size_t i = 0; i < v->count; i++) {
            low = fmin(low, v->nodes[i].place[a]);
            high = fmax(high, v->nodes[i].place[a]);
        }
        extent[a] = high - low;
        v->size = fmax(v->size, extent[a]);
    }
    for (int a = 0; a < 3; a++)
        if (extent[a] <= 1e-9 * v->size && (flat < 0 || a != 0))
            flat = a; /* of several, the last: a line along x is seen in x and y */
    if (flat >= 0) {
        const int right = flat == 0 ? 1 : 0, up = flat == 2 ? 1 : 2;

        v->axes[0][right] = v->axes[1][up] = 1;
        v->labels[0] = labels[right];
        v->labels[1] = labels[up];
        return;
    }
    memcpy(v->axes, (double[2][3]){{0.88, -0.48, 0}, {0.17, 0.31, 0.93}}, sizeof v->axes); /* from a corner */
    v->labels[0] = "seen from a corner [m]";
    v->labels[1] = "[m]";
}

/* Position of a node in the picture; shape NULL: at rest. */
static void project(const struct space *v, const struct node *node, const double *shape, double scale, double *out)
{
    out[0] = out[1] = 0;
    for (int a = 0; a < YK_AXES; a++) {
        const double u = shape && node->dof[a] != SIZE_MAX ? scale * shape[node->dof[a]] : 0;

        out[0] += v->axes[0][a] * (node->place[a] + u);
        out[1] += v->axes[1][a] * (node->place[a] + u);
    }
}

static double largest_motion(const struct space *v, const double *shape)
{
    double largest = 0;

    for (size_t i = 0; i < v->count; i++)
        for (int a = 0; a < YK_AXES; a++)
            if (v->nodes[i].dof[a] != SIZE_MAX)
                largest = fmax(largest, fabs(shape[v->nodes[i].dof[a]]));
    return largest > 0 ? largest : 1;
}

/* How far a node is drawn from its place for a motion of one. */
static double scale_of(const struct space *v, const double *shape)
{
    return shape ? DISPLAYED * (v->size > 0 ? v->size : 1) / largest_motion(v, shape) : 0;
}

static void put_point(double *x, double *y, size_t *n, const double *at)
{
    x[*n] = at ? at[0] : NAN;
    y[(*n)++] = at ? at[1] : NAN;
}

/* Ends of the lines with a gap after each; or the nodes. */
static size_t outline(const struct space *v, const double *shape, double *x, double *y)
{
    const double scale = scale_of(v, shape);
    double at[2];
    size_t n = 0;

    for (size_t k = 0; k < v->lines; k++) {
        for (int end = 0; end < 2; end++) {
            project(v, &v->nodes[v->line[k][end]], shape, scale, at);
            put_point(x, y, &n, at);
        }
        put_point(x, y, &n, NULL);
    }
    for (size_t i = 0; !v->lines && i < v->count; i++) {
        project(v, &v->nodes[i], shape, scale, at);
        put_point(x, y, &n, at);
    }
    return n;
}

/* The direction in which the nodes move most. */
static int main_direction(const struct space *v, const double *shape)
{
    double sum[YK_AXES] = {0};
    int most = 0;

    for (size_t i = 0; i < v->free; i++)
        for (int a = 0; a < YK_AXES; a++)
            if (v->nodes[i].dof[a] != SIZE_MAX)
                sum[a] += shape[v->nodes[i].dof[a]] * shape[v->nodes[i].dof[a]];
    for (int a = 1; a < YK_AXES; a++)
        most = sum[a] > sum[most] ? a : most;
    return most;
}

struct facet {
    double depth, x[3], y[3], shade;
};

static int by_depth(const void *a, const void *b)
{
    const double x = ((const struct facet *)a)->depth, y = ((const struct facet *)b)->depth;

    return (x > y) - (x < y);
}

/* The triangles of the deformed surface with a gap after each, the nearest last; their colour is the motion along the
 * main direction, relative to the largest. Returns the number of points; 0 when out of memory. */
static size_t surface(const struct space *v, const double *shape, double *x, double *y, double *shade)
{
    const double scale = scale_of(v, shape), largest = largest_motion(v, shape);
    const int along = main_direction(v, shape);
    const double *right = v->axes[0], *up = v->axes[1];
    const double towards[3] = {right[1] * up[2] - right[2] * up[1], right[2] * up[0] - right[0] * up[2],
                               right[0] * up[1] - right[1] * up[0]};
    struct facet *facets = calloc(v->triangles, sizeof *facets);
    size_t n = 0;

    for (size_t k = 0; facets && k < v->triangles; k++)
        for (int c = 0; c < 3; c++) {
            const struct node *node = &v->nodes[v->triangle[k][c]];
            double at[2];

            project(v, node, shape, scale, at);
            facets[k].x[c] = at[0];
            facets[k].y[c] = at[1];
            facets[k].shade += node->dof[along] != SIZE_MAX ? shape[node->dof[along]] / largest / 3 : 0;
            for (int a = 0; a < 3; a++)
                facets[k].depth += towards[a] * node->place[a];
        }
    if (facets)
        qsort(facets, v->triangles, sizeof *facets, by_depth);
    for (size_t k = 0; facets && k < v->triangles; k++)
        for (int c = 0; c < 4; c++) {
            shade[n] = facets[k].shade;
            put_point(x, y, &n, c < 3 ? (double[]){facets[k].x[c], facets[k].y[c]} : NULL);
        }
    free(facets);
    return n;
}

/* ---- the figure ---- */

enum { REST, SHAPE, SUPPORTS, SERIES };
struct drawing {
    char titles[MOST_PANELS][80];
    struct yk_plot_series series[MOST_PANELS][SERIES];
    struct yk_plot_panel panels[MOST_PANELS];
    double *x, *y, *shade; /* of all curves, one after the other */
    size_t columns;
};

/* The same range in every panel: the model at rest with room for its motion. */
static struct yk_plot_axis axis_of(const struct space *v, int axis, const double *rest, size_t n)
{
    struct yk_plot_axis a = {.label = v->labels[axis], .bounded = true, .min = INFINITY, .max = -INFINITY};

    for (size_t i = 0; i < n; i++)
        if (isfinite(rest[i])) {
            a.min = fmin(a.min, rest[i]);
            a.max = fmax(a.max, rest[i]);
        }
    a.min -= MARGIN * (v->size > 0 ? v->size : 1);
    a.max += MARGIN * (v->size > 0 ? v->size : 1);
    return a;
}

/* Points of one curve. */
static size_t points_of(const struct space *v)
{
    const size_t lines = v->lines ? 3 * v->lines : v->count;

    return v->triangles && 4 * v->triangles > lines ? 4 * v->triangles : lines;
}

static void draw_in_space(const struct space *v, const struct yk_inspection *x, size_t panels, struct drawing *d)
{
    const size_t most = points_of(v), n = outline(v, NULL, d->x, d->y);
    double *at_x = d->x + (panels + 1) * most, *at_y = d->y + (panels + 1) * most;
    size_t supports = 0;

    for (size_t i = v->free; i < v->count; i++) {
        double at[2];

        project(v, &v->nodes[i], NULL, 0, at);
        put_point(at_x, at_y, &supports, at);
    }
    for (size_t k = 0; k < panels; k++) {
        double *px = d->x + (k + 1) * most, *py = d->y + (k + 1) * most, *shade = d->shade + (k + 1) * most;
        const double *shape = x->shape + k * x->n;
        struct yk_plot_series *s = d->series[k];

        s[REST] = (struct yk_plot_series){
            .name = "at rest", .style = v->lines ? YK_PLOT_REFERENCE : YK_PLOT_POINTS, .n = n, .x = d->x, .y = d->y};
        if (v->triangles)
            s[SHAPE] = (struct yk_plot_series){.name = "mode shape",
                                               .style = YK_PLOT_SURFACE,
                                               .n = surface(v, shape, px, py, shade),
                                               .x = px,
                                               .y = py,
                                               .shade = shade};
        else
            s[SHAPE] = (struct yk_plot_series){.name = "mode shape",
                                               .style = v->lines ? YK_PLOT_LINE : YK_PLOT_POINTS,
                                               .n = outline(v, shape, px, py),
                                               .x = px,
                                               .y = py};
        s[SUPPORTS] =
            (struct yk_plot_series){.name = "support", .style = YK_PLOT_POINTS, .n = supports, .x = at_x, .y = at_y};
        d->panels[k] = (struct yk_plot_panel){.title = d->titles[k],
                                              .x = axis_of(v, 0, d->x, n),
                                              .y = axis_of(v, 1, d->y, n),
                                              .series = v->triangles ? s + SHAPE : s,
                                              .count = (v->triangles ? 1 : 2) + (supports > 0),
                                              .equal_aspect = true};
    }
    const struct yk_plot_axis *wide = &d->panels[0].x, *high = &d->panels[0].y;
    d->columns = wide->max - wide->min < 1.3 * (high->max - high->min) ? 3 : 2;
}

static void draw_in_order(const struct yk_inspection *x, size_t panels, struct drawing *d)
{
    for (size_t i = 0; i < x->n; i++)
        d->x[i] = (double)i + 1;
    for (size_t k = 0; k < panels; k++) {
        const double *shape = x->shape + k * x->n, largest = fabs(shape[x->largest[k]]);

        for (size_t i = 0; i < x->n; i++)
            d->y[k * x->n + i] = shape[i] / (largest > 0 ? largest : 1);
        d->series[k][0] = (struct yk_plot_series){
            .name = "mode shape", .style = YK_PLOT_BARS, .n = x->n, .x = d->x, .y = d->y + k * x->n};
        d->panels[k] =
            (struct yk_plot_panel){.title = d->titles[k],
                                   .x = {.label = "degree of freedom"},
                                   .y = {.label = "relative to the largest", .bounded = true, .min = -1.1, .max = 1.1},
                                   .series = d->series[k],
                                   .count = 1};
    }
    d->columns = 2;
}

static void name_modes(const struct yk_inspection *x, size_t panels, struct drawing *d)
{
    for (size_t k = 0; k < panels; k++)
        if (isfinite(x->frequency_Hz[k]))
            snprintf(d->titles[k], sizeof d->titles[k], "mode %zu: %.4g Hz%s", k + 1, x->frequency_Hz[k],
                     k < x->rigid ? ", rigid body" : "");
        else
            snprintf(d->titles[k], sizeof d->titles[k], "mode %zu: unstable (negative stiffness)", k + 1);
}

/* Nodes and lines of substructure k; false: they have no coordinates. */
static bool find_shape(const struct yk_parts *parts, size_t k, struct space *v)
{
    const double *places = yk_part_places(parts, k);
    const size_t lines = yk_part_anchors(parts, k) + yk_part_elements(parts, k);

    if (!places || !find_nodes(yk_part(parts, k), places, 2 * lines, v) || v->count < 2)
        return false;
    find_lines(parts, k, v);
    return true;
}

enum yk_status draw_modes(const struct yk_parts *parts, size_t k, const struct yk_inspection *x, const char *path,
                          struct yk_err *err)
{
    const struct yk_substructure *s = yk_part(parts, k);
    const size_t panels = x->modes < MOST_PANELS ? x->modes : MOST_PANELS;
    struct drawing *d = calloc(1, sizeof *d);
    struct space v = {0};
    size_t room = x->n;
    char title[160];
    enum yk_status st = YK_OK;

    if (d && find_shape(parts, k, &v)) {
        choose_view(&v);
        find_triangles(&v);
        if (!v.triangles && (v.lines > MOST_LINES || v.lines > LINES_PER_NODE * v.count))
            v.lines = 0;
        room = points_of(&v);
    }
    if (d) {
        const size_t all = (panels + 1) * room + v.count;

        d->x = malloc(3 * all * sizeof *d->x);
        d->y = d->x + all;
        d->shade = d->y + all;
    }
    if (!d || !d->x) {
        st = yk_fail(err, YK_E_MEMORY, "out of memory");
    } else {
        name_modes(x, panels, d);
        if (v.count > 1)
            draw_in_space(&v, x, panels, d);
        else
            draw_in_order(x, panels, d);
        snprintf(title, sizeof title, "Modes of %s", s->name);
        st = yk_figure_write(
            &(struct yk_figure){.title = title, .panels = d->panels, .count = panels, .columns = d->columns}, path,
            err);
    }
    space_free(&v);
    if (d)
        free(d->x);
    free(d);
    return st;
}

/* ---- for ParaView ---- */

static void take_shape(const struct space *v, const double *shape, double *values)
{
    for (size_t i = 0; i < v->count; i++)
        for (int a = 0; a < YK_AXES; a++)
            values[3 * i + (size_t)a] = v->nodes[i].dof[a] == SIZE_MAX ? 0 : shape[v->nodes[i].dof[a]];
}

enum yk_status export_modes(const struct yk_parts *parts, size_t k, const struct yk_inspection *x, const char *path,
                            struct yk_err *err)
{
    struct space v = {0};
    enum yk_status st = YK_OK;

    if (!find_shape(parts, k, &v)) {
        space_free(&v);
        return yk_fail(err, YK_E_INPUT, "the nodes of %s have no coordinates", yk_part(parts, k)->name);
    }
    double *place = malloc(3 * v.count * sizeof *place),
           *values = malloc((3 * x->modes * v.count + 1) * sizeof *values);
    size_t(*cells)[3] = malloc((v.lines + 1) * sizeof *cells);
    struct yk_vtk_field *fields = calloc(x->modes + 1, sizeof *fields);
    char(*names)[48] = calloc(x->modes + 1, sizeof *names);

    if (place && values && cells && fields && names) {
        for (size_t i = 0; i < v.count; i++)
            memcpy(place + 3 * i, v.nodes[i].place, 3 * sizeof *place);
        for (size_t i = 0; i < v.lines; i++) {
            cells[i][0] = v.line[i][0];
            cells[i][1] = v.line[i][1];
            cells[i][2] = SIZE_MAX;
        }
        for (size_t m = 0; m < x->modes; m++) {
            snprintf(names[m], sizeof names[m], "mode %02zu, %.4g Hz", m + 1, x->frequency_Hz[m]);
            fields[m] = (struct yk_vtk_field){names[m], values + 3 * m * v.count};
            take_shape(&v, x->shape + m * x->n, values + 3 * m * v.count);
        }
        const struct yk_vtk_grid grid = {v.count, v.lines, place, (const size_t(*)[3])cells};
        st = yk_vtk_write(path, &grid, fields, x->modes, NULL, 1, err);
    } else
        st = yk_fail(err, YK_E_MEMORY, "out of memory");
    free(place);
    free(values);
    free(cells);
    free(fields);
    free(names);
    space_free(&v);
    return st;
}
