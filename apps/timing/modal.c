/* Steps of a linear structure on the modal path, against the modal floor.
 *
 * The floor is the least that a modal recurrence can do: the value s of the load, and by the constant average
 * acceleration method, mode by mode,
 *
 *     up = u + h v + h^2/4 a,   vp = v + h/2 a,   a = s g - c vp - k up,   u = up + h^2/4 a,   v = vp + h/2 a
 *
 * with g, c and k over 1 + h/2 c + h^2/4 k: 15 operations on six numbers that are read and three that are written. */
#include "modal.h"

#include "measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <yoke/stepping.h>

enum { SPANS = 5, COLUMNS = 9, STOREYS = 37, TEXT = 60000 };

static const char head[] = "title: %s\n"
                           "time: { step: %s, end: 10 s }\n"
                           "method: { integrator: %s, path: %s }\n"
                           "record: { channels: [] }\n"
                           "substructures:\n"
                           "  s:\n"
                           "    kind: frame\n";

static const char tail[] = "loads: [ { ground: s, kind: earthquake, peak: 0.3 g, influence: { %s: 1 } } ]\n";

/* Five spans of 40 m on four piers, seen from above: deck and piers as beams with consistent mass. A pier is drawn
 * beside the deck, lying down; its head moves with the deck and is hinged there. */
char *yk_bench_bridge(const char *path)
{
    static const int height[SPANS + 1] = {0, 14, 21, 18, 11, 0};
    char *text = malloc(TEXT), *at = text;

    if (!text)
        return NULL;
    at += sprintf(at, head, "bridge", "1 ms", "newmark", path);
    at += sprintf(at, "    sections:\n"
                      "      deck: { E: 34 GPa, A: 7.2 m2, Iz: 40 m4, density: 2500 kg/m3 }\n"
                      "      pier: { E: 34 GPa, A: 4.8 m2, Iz: 1.6 m4, density: 2500 kg/m3 }\n"
                      "    fixed: [x]\n"
                      "    modal_damping: [0.03]\n"
                      "    nodes:\n");
    for (int i = 0; i <= SPANS; i++) {
        at += sprintf(at, "      d%d: { at: [%d, 0]%s }\n", i, 40 * i, i % SPANS ? "" : ", fixed: [y]");
        if (height[i])
            at += sprintf(at, "      foot%d: { at: [%d, -50], fixed: all }\n      head%d: [%d, -50]\n", i, 40 * i, i,
                          40 * i + height[i]);
    }
    at += sprintf(at, "    members:\n      - { between: [d0, d1, d2, d3, d4, d5], section: deck, divide: 8 }\n");
    for (int i = 1; i < SPANS; i++)
        at += sprintf(at, "      - { between: [foot%d, head%d], section: pier, divide: 2, release: { end: [rz] } }\n",
                      i, i);
    at += sprintf(at, "    links:\n");
    for (int i = 1; i < SPANS; i++)
        at += sprintf(at, "      - { master: d%d, slaves: [head%d], dofs: [y] }\n", i, i);
    sprintf(at, tail, "y");
    return text;
}

/* Members through the nodes from (i, j) on, `right` more to the right or `up` more above. */
static int write_line(char *at, const char *section, int i, int j, int right, int up)
{
    int length = sprintf(at, "      - { section: %s, between: [n%d-%d", section, i, j);

    for (int k = 1; k <= right + up; k++)
        length += sprintf(at + length, ", n%d-%d", right ? i + k : i, right ? j : j + k);
    return length + sprintf(at + length, "] }\n");
}

char *yk_bench_storeys(const char *integrator, const char *path, const char *step, const char *sections, int columns,
                       int storeys)
{
    char *text = malloc(TEXT), *at = text;

    if (!text)
        return NULL;
    at += sprintf(at, head, "frame", step, integrator, path);
    at += sprintf(at, "%s    nodes:\n", sections);
    for (int j = 0; j <= storeys; j++)
        for (int i = 0; i < columns; i++)
            at += sprintf(at, "      n%d-%d: { at: [%d, %d]%s }\n", i, j, 6 * i, 3 * j, j ? "" : ", fixed: all");
    at += sprintf(at, "    members:\n");
    for (int i = 0; i < columns; i++)
        at += write_line(at, "column", i, 0, 0, storeys);
    for (int j = 1; j <= storeys; j++)
        at += write_line(at, "beam", 0, j, columns - 1, 0);
    sprintf(at, tail, "x");
    return text;
}

/* A plane frame of 37 storeys with nine columns: 333 nodes. */
char *yk_bench_frame(const char *path)
{
    return yk_bench_storeys("newmark", path, "1 ms",
                            "    sections:\n"
                            "      column: { E: 30 GPa, A: 0.36 m2, Iz: 0.0108 m4, density: 2500 kg/m3 }\n"
                            "      beam: { E: 30 GPa, A: 0.18 m2, Iz: 0.0054 m4, density: 10000 kg/m3 }\n"
                            "    rayleigh: { ratio: 0.03, frequencies: [0.3 Hz, 3 Hz] }\n",
                            COLUMNS, STOREYS);
}

/* ---- the two tasks ----------------------------------------------------------------------------------------------- */

static void restart(void *self)
{
    (void)yk_stepping_start(self, NULL); /* a linear structure at rest always does */
}

static void advance(void *self, long count)
{
    for (long k = 0; k < count; k++)
        yk_stepping_step(self);
}

struct floor {
    const struct yk_load *load;
    size_t n;
    double h;
    double *u, *v, *a;
    double *c, *k, *g; /* over 1 + h/2 c + h^2/4 k */
};

/* As the loops over modes of the library: in versions for several processors, of which the loader picks one. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) &&               \
    !defined(__SANITIZE_THREAD__)
__attribute__((target_clones("avx2", "default")))
#endif
static void
floor_step(size_t n, double h, double s, const double *restrict c, const double *restrict k, const double *restrict g,
           double *restrict u, double *restrict v, double *restrict a)
{
    const double half = h / 2, quarter = h * h / 4;

    for (size_t i = 0; i < n; i++) {
        const double up = u[i] + h * v[i] + quarter * a[i], vp = v[i] + half * a[i];
        const double now = s * g[i] - c[i] * vp - k[i] * up;

        u[i] = up + quarter * now;
        v[i] = vp + half * now;
        a[i] = now;
    }
}

static void floor_restart(void *self)
{
    struct floor *f = self;

    memset(f->u, 0, 3 * f->n * sizeof *f->u);
}

static void floor_advance(void *self, long count)
{
    struct floor *f = self;

    for (long k = 0; k < count; k++) {
        const double s = f->load->signal->value(f->load->settings, (double)(k + 1) * f->h);

        floor_step(f->n, f->h, s, f->c, f->k, f->g, f->u, f->v, f->a);
    }
}

static enum yk_status open_floor(void *self, const struct yk_stepping *steps, double h, struct yk_err *err)
{
    struct floor *f = self;
    const struct yk_system *s = yk_stepping_modes(steps);
    double *room = aligned_alloc(64, (6 * s->n * sizeof *room + 63) / 64 * 64);

    if (!room)
        return yk_fail(err, YK_E_MEMORY, "out of memory for a benchmark");
    *f = (struct floor){.load = yk_stepping_load(steps, 0), .n = s->n, .h = h};
    f->u = room;
    f->v = room + s->n;
    f->a = room + 2 * s->n;
    f->c = room + 3 * s->n;
    f->k = room + 4 * s->n;
    f->g = room + 5 * s->n;
    for (size_t i = 0; i < s->n; i++) {
        const double d = 1 + f->h / 2 * s->C.x[i] + f->h * f->h / 4 * s->K.x[i];

        f->c[i] = s->C.x[i] / d;
        f->k[i] = s->K.x[i] / d;
        f->g[i] = 1 / d;
    }
    return YK_OK;
}

/* Opens the experiment and measures its steps. `prepare` makes the other task once they are there, and every turn
 * begins at rest; without it the turns follow each other along the motion, since what iterates costs more there. */
static enum yk_status measure(const char *text, const struct yk_task *other,
                              enum yk_status (*prepare)(void *self, const struct yk_stepping *steps, double h,
                                                        struct yk_err *err),
                              struct yk_bench_result *out, struct yk_err *err)
{
    const struct yk_model_source source = {.path = "bench.yaml", .text = text, .size = strlen(text), .rehearse = true};
    struct yk_model *model;
    struct yk_stepping *stepping = NULL;
    enum yk_status st;

    if ((st = yk_model_read(&model, &source, err)))
        return st;
    if (!(st = yk_stepping_open(&stepping, model, err))) {
        const struct yk_task steps = {prepare ? restart : NULL, advance, stepping};

        if (!prepare)
            advance(stepping, 100);
        if (!prepare || !(st = prepare(other->self, stepping, yk_model_step(model), err)))
            yk_measure(&steps, other, out);
        if (!st && (st = yk_stepping_status(stepping)))
            yk_fail(err, st, "the motion of a benchmark diverged");
    }
    yk_stepping_close(stepping);
    yk_model_close(model);
    return st;
}

enum yk_status yk_bench_motion(const char *text, const struct yk_task *other, struct yk_bench_result *out,
                               struct yk_err *err)
{
    return measure(text, other, NULL, out, err);
}

enum yk_status yk_bench_modal(char *(*model)(const char *path), struct yk_bench_result *out, struct yk_err *err)
{
    char *text = model("modal");
    struct floor floor = {0};
    struct yk_task task = {floor_restart, floor_advance, &floor};
    enum yk_status st =
        text ? measure(text, &task, open_floor, out, err) : yk_fail(err, YK_E_MEMORY, "out of memory for a benchmark");

    free(floor.u);
    free(text);
    return st;
}
