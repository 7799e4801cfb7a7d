/* Mode shapes as a picture: in space where the nodes have coordinates, seen along the axis in which the model is flat
 * or from a corner; nodes that the stiffness couples are joined by lines. Otherwise over the degrees of freedom. */
#include "cli/model.h"

#include "report/figure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PANELS = 6, MOST_LINES = 20000, LINES_PER_NODE = 20 };
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
    size_t (*line)[2];
    size_t lines;
    double axes[2][3]; /* of the view: right, up */
    const char *labels[2];
    double size;
};

static void space_free(struct space *v)
{
    free(v->nodes);
    free(v->of_dof);
    free(v->line);
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
static bool find_nodes(const struct yk_substructure *s, const double *place, struct space *v)
{
    const size_t n = s->system->n;
    struct dof *list = malloc((n + 1) * sizeof *list);
    size_t used = 0;

    v->nodes = calloc(n + 1, sizeof *v->nodes);
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
    return good;
}

/* ---- lines ---- */

static int by_ends(const void *a, const void *b)
{
    const size_t *one = a, *two = b;

    if (one[0] != two[0])
        return one[0] < two[0] ? -1 : 1;
    return one[1] < two[1] ? -1 : one[1] > two[1];
}

/* Pairs of nodes that the stiffness couples; none where there would be too many to see anything. */
static void find_lines(const struct yk_matrix *K, struct space *v)
{
    const size_t room = v->count <= MOST_LINES && K->form != YK_DIAGONAL ? yk_matrix_nonzeros(K) + 1 : 0;
    size_t count = 0;

    if (!room || !(v->line = malloc(room * sizeof *v->line)))
        return;
    for (size_t j = 0; j < K->cols; j++) {
        const size_t first = K->form == YK_SPARSE ? (size_t)K->col[j] : j * K->rows;
        const size_t end = K->form == YK_SPARSE ? (size_t)K->col[j + 1] : first + K->rows;

        for (size_t k = first; k < end; k++) {
            const size_t a = v->of_dof[K->form == YK_SPARSE ? (size_t)K->row[k] : k - first], b = v->of_dof[j];

            if (a < b && b != SIZE_MAX && K->x[k] != 0 && count < room) {
                v->line[count][0] = a;
                v->line[count++][1] = b;
            }
        }
    }
    qsort(v->line, count, sizeof *v->line, by_ends);
    for (size_t k = 0; k < count; k++)
        if (v->lines == 0 || by_ends(v->line[v->lines - 1], v->line[k]) != 0)
            memmove(v->line[v->lines++], v->line[k], sizeof *v->line);
    if (v->lines > MOST_LINES || v->lines > LINES_PER_NODE * v->count)
        v->lines = 0;
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

/* Where a node is drawn; shape NULL: at rest. */
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

/* Ends of the lines with a gap after each; or the nodes. */
static size_t outline(const struct space *v, const double *shape, double *x, double *y)
{
    const double scale = shape ? DISPLAYED * (v->size > 0 ? v->size : 1) / largest_motion(v, shape) : 0;
    double at[2];
    size_t n = 0;

    for (size_t k = 0; k < v->lines; k++) {
        for (int end = 0; end < 2; end++) {
            project(v, &v->nodes[v->line[k][end]], shape, scale, at);
            x[n] = at[0];
            y[n++] = at[1];
        }
        x[n] = y[n] = NAN;
        n++;
    }
    for (size_t i = 0; !v->lines && i < v->count; i++) {
        project(v, &v->nodes[i], shape, scale, at);
        x[n] = at[0];
        y[n++] = at[1];
    }
    return n;
}

/* ---- the figure ---- */

struct drawing {
    char titles[MOST_PANELS][80];
    struct yk_plot_series series[MOST_PANELS][2];
    struct yk_plot_panel panels[MOST_PANELS];
    double *x, *y; /* of all curves, one after the other */
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

static void draw_in_space(const struct space *v, const struct yk_inspection *x, size_t panels, struct drawing *d)
{
    const size_t most = v->lines ? 3 * v->lines : v->count;
    const enum yk_plot_style rest = v->lines ? YK_PLOT_GUIDE : YK_PLOT_POINTS;
    const size_t n = outline(v, NULL, d->x, d->y);

    for (size_t k = 0; k < panels; k++) {
        double *px = d->x + (k + 1) * most, *py = d->y + (k + 1) * most;

        outline(v, x->shape + k * x->n, px, py);
        d->series[k][0] = (struct yk_plot_series){.name = "at rest", .style = rest, .n = n, .x = d->x, .y = d->y};
        d->series[k][1] = (struct yk_plot_series){
            .name = "mode shape", .style = v->lines ? YK_PLOT_LINE : YK_PLOT_POINTS, .n = n, .x = px, .y = py};
        d->panels[k] = (struct yk_plot_panel){.title = d->titles[k],
                                              .x = axis_of(v, 0, d->x, n),
                                              .y = axis_of(v, 1, d->y, n),
                                              .series = d->series[k],
                                              .count = 2};
    }
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
            .name = "mode shape", .style = YK_PLOT_LINE_POINTS, .n = x->n, .x = d->x, .y = d->y + k * x->n};
        d->panels[k] = (struct yk_plot_panel){.title = d->titles[k],
                                              .x = {.label = "degree of freedom"},
                                              .y = {.label = "relative to the largest"},
                                              .series = d->series[k],
                                              .count = 1};
    }
}

enum yk_status draw_modes(const struct yk_substructure *s, const double *place, const struct yk_inspection *x,
                          const char *path, struct yk_err *err)
{
    const size_t panels = x->modes < MOST_PANELS ? x->modes : MOST_PANELS;
    struct drawing *d = calloc(1, sizeof *d);
    struct space v = {0};
    size_t room = x->n;
    char title[160];
    enum yk_status st = YK_OK;

    if (d && place && find_nodes(s, place, &v) && v.count > 1) {
        choose_view(&v);
        find_lines(&s->system->K, &v);
        room = v.lines ? 3 * v.lines : v.count;
    }
    if (d) {
        d->x = malloc((panels + 1) * room * sizeof *d->x);
        d->y = malloc((panels + 1) * room * sizeof *d->y);
    }
    if (!d || !d->x || !d->y) {
        st = yk_fail(err, YK_E_MEMORY, "out of memory");
    } else {
        for (size_t k = 0; k < panels; k++)
            if (isfinite(x->frequency_Hz[k]))
                snprintf(d->titles[k], sizeof d->titles[k], "mode %zu: %.5g Hz%s", k + 1, x->frequency_Hz[k],
                         k < x->rigid ? ", rigid body" : "");
            else
                snprintf(d->titles[k], sizeof d->titles[k], "mode %zu: unstable (negative stiffness)", k + 1);
        if (v.count > 1)
            draw_in_space(&v, x, panels, d);
        else
            draw_in_order(x, panels, d);
        snprintf(title, sizeof title, "Modes of %s", s->name);
        st = yk_figure_write(&(struct yk_figure){.title = title, .panels = d->panels, .count = panels}, path, err);
    }
    space_free(&v);
    if (d) {
        free(d->x);
        free(d->y);
    }
    free(d);
    return st;
}
