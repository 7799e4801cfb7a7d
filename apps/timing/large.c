/* Chains of Bouc-Wen springs, plane trusses and a hysteretic oscillator: steps against what they cannot do without. */
#include "large.h"

#include <yoke/substructure.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STEP 1e-3 /* s */

/* ---- steps of a domain ------------------------------------------------------------------------------------------- */

void yk_bench_restart(void *self)
{
    struct yk_domain *d = self;

    yk_domain_start(d, d->integrator.system->u0, d->integrator.system->v0);
}

void yk_bench_advance(void *self, long count)
{
    for (long k = 0; k < count; k++)
        yk_domain_step(self);
}

enum yk_status yk_bench_open(struct yk_domain *d, const struct yk_integrator_ops *ops, struct yk_system *system,
                             struct yk_loading loading, double dt, struct yk_err *err)
{
    void *settings;
    enum yk_status st;

    if (!ops)
        return yk_fail(err, YK_E_INPUT, "a benchmark names an integrator that does not exist");
    if ((st = yk_param_settings(ops->params, ops->size, &settings, err)))
        return st;
    st = yk_domain_create(d, ops, settings, system, loading, dt, NULL, err);
    free(settings);
    return st;
}

/* ---- structures -------------------------------------------------------------------------------------------------- */

static enum yk_status no_memory(struct yk_err *err)
{
    return yk_fail(err, YK_E_MEMORY, "out of memory for a benchmark");
}

static enum yk_status bouc_wen(struct yk_element *e, long from, long to, struct yk_err *err)
{
    static const char *const names[] = {"kh", "k0", "beta", "gamma"};
    static const double values[] = {1e6, 1e8, 500, 500};
    enum yk_status st;

    *e = (struct yk_element){.law = yk_law_find("bouc-wen"), .from = from, .to = to};
    st = yk_param_settings(e->law->params, e->law->settings_size, &e->settings, err);
    for (size_t i = 0; i < 4 && !st; i++)
        st = yk_param_set(e->law->params, e->settings, names[i], values[i], err);
    return st ? st : e->law->prepare(e->settings, err);
}

enum yk_status yk_bench_make_chain(struct yk_system **system, size_t n, struct yk_err *err)
{
    struct yk_structure_parts parts = {.elements = calloc(n, sizeof *parts.elements)};
    enum yk_status st;

    if (!parts.elements)
        return no_memory(err);
    if ((st = yk_matrix_init(&parts.M, YK_DIAGONAL, n, n, err)) ||
        (st = yk_matrix_init(&parts.C, YK_DIAGONAL, n, n, err)) ||
        (st = yk_matrix_init(&parts.K, YK_DIAGONAL, n, n, err)))
        goto fail;
    for (size_t i = 0; i < n; i++) {
        parts.M.x[i] = 1000;
        if ((st = bouc_wen(&parts.elements[parts.element_count++], (long)i - 1, (long)i, err)))
            goto fail;
    }
    return yk_structure_create(system, &parts, NULL, err);
fail:
    yk_structure_parts_free(&parts);
    return st;
}

void yk_bench_shake(void *self, double t, double *f)
{
    const size_t n = *(const size_t *)self;

    for (size_t i = 0; i < n; i++)
        f[i] = 2e4 * sin(60 * t);
}

/* Entries of a sum of elements. */
struct list {
    size_t count;
    int *row, *col;
    double *value;
};

/* A bar of 210 GPa and 10 cm2 between two nodes, its direction (dx, dy) in m; node -1: the ground. */
static void add_bar(struct list *l, struct yk_matrix *M, long a, long b, double dx, double dy)
{
    const double length = hypot(dx, dy), k = 210e9 * 1e-3 / length, mass = 7850 * 1e-3 * length / 2;
    const double e[2] = {dx / length, dy / length};
    const long node[2] = {a, b};

    for (int p = 0; p < 2; p++)
        for (int r = 0; r < 2 && node[p] >= 0; r++) {
            M->x[2 * node[p] + r] += mass;
            for (int q = 0; q < 2; q++)
                for (int s = 0; s < 2 && node[q] >= 0; s++) {
                    l->row[l->count] = (int)(2 * node[p] + r);
                    l->col[l->count] = (int)(2 * node[q] + s);
                    l->value[l->count++] = (p == q ? 1 : -1) * k * e[r] * e[s];
                }
        }
}

/* Squares of 1 m with both diagonals, above a row of supports. */
static enum yk_status fill_truss(struct yk_structure_parts *parts, size_t width, size_t height, struct yk_err *err)
{
    const size_t n = 2 * width * height, most = 16 * 4 * width * (height + 1);
    struct list l = {0, malloc(most * sizeof *l.row), malloc(most * sizeof *l.col), malloc(most * sizeof *l.value)};
    enum yk_status st = l.row && l.col && l.value ? YK_OK : no_memory(err);

    if (!st && !(st = yk_matrix_init(&parts->M, YK_DIAGONAL, n, n, err))) {
        for (long j = 0; j <= (long)height; j++)
            for (long i = 0; i < (long)width; i++) {
                const long w = (long)width, here = i + (j - 1) * w, low = j ? here : -1;

                if (i + 1 < w && j)
                    add_bar(&l, &parts->M, here, here + 1, 1, 0);
                if (j < (long)height)
                    add_bar(&l, &parts->M, low, here + w, 0, 1);
                if (i + 1 < w && j < (long)height) {
                    add_bar(&l, &parts->M, low, here + w + 1, 1, 1);
                    add_bar(&l, &parts->M, j ? here + 1 : -1, here + w, -1, 1);
                }
            }
        st = yk_matrix_from_triplets(&parts->K, n, n, l.count, l.row, l.col, l.value, err);
    }
    if (!st) /* stiffness-proportional damping, and a little of the mass */
        st = yk_matrix_combine(&parts->C, 2, (double[]){0.1, 1e-5}, (const struct yk_matrix *[]){&parts->M, &parts->K},
                               err);
    free(l.row);
    free(l.col);
    free(l.value);
    return st;
}

/* With Bouc-Wen springs from the ground to degrees of freedom spread over the truss. */
static enum yk_status make_truss(struct yk_system **system, size_t dofs, size_t springs, struct yk_err *err)
{
    static const size_t sizes[][2] = {{25, 20}, {49, 32}, {106, 48}, {160, 100}, {250, 200}}; /* nodes */
    struct yk_structure_parts parts = {.unchecked = true, .elements = calloc(springs + 1, sizeof *parts.elements)};
    enum yk_status st = parts.elements ? YK_E_RANGE : no_memory(err);

    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
        if (st == YK_E_RANGE && 2 * sizes[k][0] * sizes[k][1] == dofs)
            st = fill_truss(&parts, sizes[k][0], sizes[k][1], err);
    if (st == YK_E_RANGE)
        yk_fail(err, st, "there is no truss of %zu degrees of freedom", dofs);
    for (size_t i = 0; i < springs && !st; i++)
        st = bouc_wen(&parts.elements[parts.element_count++], -1, (long)(i * dofs / springs), err);
    if (st) {
        yk_structure_parts_free(&parts);
        return st;
    }
    return yk_structure_create(system, &parts, NULL, err);
}

enum yk_status yk_bench_make_truss(struct yk_system **system, size_t dofs, struct yk_err *err)
{
    return make_truss(system, dofs, 0, err);
}

/* ---- chains ------------------------------------------------------------------------------------------------------ */

/* The cost of a method that iterates depends on the motion: steps are timed in motion, not from rest. */
struct yk_task yk_bench_underway(struct yk_domain *domain)
{
    yk_bench_restart(domain);
    yk_bench_advance(domain, 100);
    return (struct yk_task){NULL, yk_bench_advance, domain};
}

/* Evaluations of the force a step ahead of a state in motion. */
struct evaluations {
    struct yk_system *system;
    int count;
    double *f, *u, *v, *p;
};

static void evaluate(void *self, long count)
{
    const struct evaluations *e = self;

    for (long k = 0; k < count * e->count; k++)
        yk_system_force(e->system, 0, e->f, e->u, e->v, e->p);
}

enum yk_status yk_bench_chain(const char *integrator, size_t springs, int evaluations, struct yk_bench_result *out,
                              struct yk_err *err)
{
    struct yk_system *system[2] = {0}; /* the second one is only evaluated */
    struct evaluations e = {.count = evaluations};
    struct yk_domain domain = {0};
    double *room = calloc(4 * springs, sizeof *room);
    enum yk_status st = room ? yk_bench_make_chain(&system[0], springs, err) : no_memory(err);

    if (!st && !(st = yk_bench_make_chain(&system[1], springs, err)) &&
        !(st = yk_bench_open(&domain, yk_integrator_find(integrator), system[0],
                             (struct yk_loading){yk_bench_shake, &system[0]->n}, STEP, err))) {
        e.system = system[1];
        e.f = room;
        e.u = room + springs;
        e.v = room + 2 * springs;
        e.p = room + 3 * springs;
        for (size_t i = 0; i < springs; i++) {
            e.u[i] = 1e-4 * sin((double)i);
            e.v[i] = e.u[i] / STEP;
        }
        const struct yk_task steps = yk_bench_underway(&domain);

        yk_measure(&steps, &(struct yk_task){NULL, evaluate, &e}, out);
        yk_domain_destroy(&domain);
    }
    yk_system_destroy(system[0]);
    yk_system_destroy(system[1]);
    free(room);
    return st;
}

/* A step of the first system against one of the second, both shaken. Destroys the systems. */
static enum yk_status compare(struct yk_system *system[2], const char *const integrator[2], struct yk_bench_result *out,
                              struct yk_err *err)
{
    struct yk_domain domain[2] = {0};
    enum yk_status st = YK_OK;

    for (int k = 0; k < 2 && !st; k++)
        st = yk_bench_open(&domain[k], yk_integrator_find(integrator[k]), system[k],
                           (struct yk_loading){yk_bench_shake, &system[k]->n}, STEP, err);
    if (!st) {
        const struct yk_task op = yk_bench_underway(&domain[0]), reference = yk_bench_underway(&domain[1]);

        yk_measure(&op, &reference, out);
    }
    for (int k = 0; k < 2; k++) {
        yk_domain_destroy(&domain[k]);
        yk_system_destroy(system[k]);
    }
    return st;
}

enum yk_status yk_bench_growth(const char *integrator, size_t springs, size_t of, struct yk_bench_result *out,
                               struct yk_err *err)
{
    struct yk_system *system[2] = {0};
    enum yk_status st = yk_bench_make_chain(&system[0], springs, err);

    if (!st && (st = yk_bench_make_chain(&system[1], of, err)))
        yk_system_destroy(system[0]);
    return st ? st : compare(system, (const char *const[]){integrator, integrator}, out, err);
}

/* ---- trusses ----------------------------------------------------------------------------------------------------- */

struct reading {
    size_t n;
    double *x, sum;
};

static void read_twice(void *self, long count)
{
    struct reading *r = self;

    for (long k = 0; k < 2 * count; k++)
        r->sum += yk_dot(r->n / 2, r->x, r->x + r->n / 2);
}

enum yk_status yk_bench_truss(size_t dofs, struct yk_bench_result *out, struct yk_err *err)
{
    struct yk_system *system;
    struct yk_domain domain;
    struct reading r = {0};
    enum yk_status st = yk_bench_make_truss(&system, dofs, err);

    if (st)
        return st;
    if (!(st = yk_bench_open(&domain, yk_integrator_find("newmark"), system, (struct yk_loading){0}, STEP, err))) {
        for (size_t i = 0; i < system->n; i++)
            domain.f[i] = 1;
        r.n = system->solving.numbers;
        if ((r.x = malloc(r.n * sizeof *r.x))) {
            for (size_t i = 0; i < r.n; i++)
                r.x[i] = 1e-3;
            yk_measure(&(struct yk_task){yk_bench_restart, yk_bench_advance, &domain},
                       &(struct yk_task){NULL, read_twice, &r}, out);
        } else {
            st = no_memory(err);
        }
        free(r.x);
        yk_domain_destroy(&domain);
    }
    yk_system_destroy(system);
    return st;
}

enum yk_status yk_bench_hysteretic_truss(size_t dofs, size_t springs, struct yk_bench_result *out, struct yk_err *err)
{
    struct yk_system *system[2] = {0};
    enum yk_status st = make_truss(&system[0], dofs, springs, err);

    if (!st && (st = yk_bench_make_truss(&system[1], dofs, err)))
        yk_system_destroy(system[0]);
    return st ? st : compare(system, (const char *const[]){"newmark-newton", "newmark"}, out, err);
}

/* ---- one mass ---------------------------------------------------------------------------------------------------- */

/* m u'' = f - kh u - z, z' = u' (k0 - |z|^n (beta sgn(z u') + gamma)), as for the spring above, whatever n is. */
struct plain {
    double u, v, z;
};
static volatile const double any_n = 1;

static const double plain_step = 5e-3, plain_force = 5e4;

static struct plain rate(struct plain y, double n)
{
    const double q = 500 + (y.z * y.v < 0 ? -500.0 : 500.0);

    return (struct plain){y.v, (plain_force - 1e6 * y.u - y.z) / 1000, y.v * (1e8 - pow(fabs(y.z), n) * q)};
}

static struct plain along(struct plain y, double h, struct plain k)
{
    return (struct plain){y.u + h * k.u, y.v + h * k.v, y.z + h * k.z};
}

static void plain_reset(void *self)
{
    *(struct plain *)self = (struct plain){0};
}

static void plain_run(void *self, long count)
{
    struct plain y = *(struct plain *)self;
    const double h = plain_step, n = any_n;

    for (long k = 0; k < count; k++) {
        const struct plain a = rate(y, n), b = rate(along(y, h / 2, a), n), c = rate(along(y, h / 2, b), n);
        const struct plain d = rate(along(y, h, c), n);

        y.u += h / 6 * (a.u + 2 * b.u + 2 * c.u + d.u);
        y.v += h / 6 * (a.v + 2 * b.v + 2 * c.v + d.v);
        y.z += h / 6 * (a.z + 2 * b.z + 2 * c.z + d.z);
    }
    *(struct plain *)self = y;
}

enum yk_status yk_bench_bouc_wen(const struct yk_integrator_ops *ops, struct yk_bench_result *out, struct yk_err *err)
{
    struct yk_system *system;
    struct yk_domain domain;
    struct plain plain;
    enum yk_status st = yk_bench_make_chain(&system, 1, err);

    if (st)
        return st;
    if (!(st = yk_bench_open(&domain, ops, system, (struct yk_loading){0}, plain_step, err))) {
        domain.f[0] = plain_force;
        yk_measure(&(struct yk_task){yk_bench_restart, yk_bench_advance, &domain},
                   &(struct yk_task){plain_reset, plain_run, &plain}, out);
        yk_domain_destroy(&domain);
    }
    yk_system_destroy(system);
    return st;
}
