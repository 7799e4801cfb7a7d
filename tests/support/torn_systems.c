#include "support/torn_systems.h"
#include "support/check.h"

#include <stdlib.h>

enum { PARTS = 4, DOFS = 3, JOINS = 3 };

/* A structure under construction: part k has masses and a stiffness, dof by dof. */
struct plan {
    size_t parts, joins;
    bool fine[PARTS];
    size_t n[PARTS];
    double M[PARTS][DOFS * DOFS], C[PARTS][DOFS * DOFS], K[PARTS][DOFS * DOFS], u0[PARTS][DOFS], v0[PARTS][DOFS];
    struct torn_join join[JOINS];
};

/* A part of n masses in a line, springs k between neighbours, `left` and `right` to the walls. */
static void line(struct plan *p, bool fine, size_t n, const double *mass, double k, double left, double right)
{
    const size_t i = p->parts++;
    double *K = p->K[i];

    p->fine[i] = fine;
    p->n[i] = n;
    for (size_t j = 0; j < n; j++)
        p->M[i][j * n + j] = mass[j];
    for (size_t j = 0; j + 1 < n; j++) {
        K[j * n + j] += k;
        K[(j + 1) * n + j + 1] += k;
        K[j * n + j + 1] -= k;
        K[(j + 1) * n + j] -= k;
    }
    K[0] += left;
    K[n * n - 1] += right;
}

static void join(struct plan *p, size_t part_a, size_t dof_a, size_t part_b, size_t dof_b)
{
    p->join[p->joins++] = (struct torn_join){part_a, dof_a, part_b, dof_b};
}

static void three_dof(struct plan *p, double r)
{
    const double EI = 2e11 * 2e-5, m = 20e3, Rg2 = 4, lA = 5, lB = 3, a = EI / (lA * lA * lA), b = EI / (lB * lB * lB);
    const double KA[] = {12 * a, 6 * lA * a, 6 * lA * a, 7 * lA * lA * a};
    const double KB[] = {3 * b,      -3 * lB * b, -3 * b,     -3 * lB * b, 6 * lB * lB * b,
                         3 * lB * b, -3 * b,      3 * lB * b, 3 * b};

    line(p, false, 2, (double[]){m * r / (1 + r), Rg2 * m * r / (1 + r)}, 0, 0, 0);
    line(p, true, 3, (double[]){m / (1 + r), Rg2 * m / (1 + r), m}, 0, 0, 0);
    memcpy(p->K[0], KA, sizeof KA);
    memcpy(p->K[1], KB, sizeof KB);
    join(p, 0, 0, 1, 0);
    join(p, 0, 1, 1, 1);
}

/* Two uncoupled degrees of freedom on each side. */
static void base_2dof(struct plan *p)
{
    line(p, false, 2, (double[]){1658.2, 117.9}, 0, 306640, 12265);
    line(p, true, 2, (double[]){552.7, 39.3}, 0, 39670, 1711);
    p->C[0][0] = 555.66;
    p->C[0][3] = 22.226;
    join(p, 0, 0, 1, 0);
    join(p, 0, 1, 1, 1);
}

static void make_plan(struct plan *p, const struct torn_case *w)
{
    const double b = w->b, k = w->k > 0 ? w->k : 1, half[] = {0.5, 0.5};

    switch (w->kind) {
    case SPLIT_MASS:
    case SPLIT_FLOATING:
        line(p, false, 1, (double[]){b / (1 + b)}, 0, k / (1 + b), 0);
        line(p, true, 1, (double[]){1 / (1 + b)}, 0, w->kind == SPLIT_MASS ? k * b / (1 + b) : 0, 0);
        join(p, 0, 0, 1, 0);
        break;
    case TWO_DOF_1:
        line(p, false, 1, (double[]){b / (1 + b)}, 0, 1, 0);
        line(p, true, 2, (double[]){1 / (1 + b), 1}, 1, 0, 1);
        join(p, 0, 0, 1, 0);
        break;
    case TWO_DOF_2:
        line(p, false, 1, (double[]){b / (1 + b)}, 0, 1, 0);
        line(p, true, 2, (double[]){1 / (1 + b), 0.5}, 1, 0, 0);
        line(p, false, 1, half, 0, 1, 0);
        join(p, 0, 0, 1, 0);
        join(p, 1, 1, 2, 0);
        break;
    case THREE_DOF:
        three_dof(p, b);
        break;
    case FOUR_DOF_1:
        line(p, false, 2, (double[]){1, 0.5}, 1, 1, 0);
        line(p, true, 3, (double[]){0.5, 1, 1}, 1, 0, 1);
        join(p, 0, 1, 1, 0);
        break;
    case FOUR_DOF_2:
        line(p, false, 2, (double[]){1, 0.5}, 1, 1, 0);
        line(p, true, 2, half, 1, 0, 0);
        line(p, false, 2, (double[]){0.5, 1}, 1, 0, 1);
        join(p, 0, 1, 1, 0);
        join(p, 1, 1, 2, 0);
        break;
    case FOUR_DOF_3:
        line(p, false, 2, (double[]){1, 0.5}, 1, 1, 0);
        line(p, true, 2, half, 1, 0, 0);
        line(p, true, 2, half, 1, 0, 0);
        line(p, false, 1, half, 0, 1, 0);
        join(p, 0, 1, 1, 0);
        join(p, 1, 1, 2, 0);
        join(p, 2, 1, 3, 0);
        break;
    case BASE_2DOF:
        base_2dof(p);
        break;
    case CHAIN_4DOF:
        line(p, false, 3, (double[]){1, 1, 2.0 / 3}, 100, 100, 0);
        line(p, true, 2, (double[]){1, 1.0 / 3}, 100, 100, 0);
        join(p, 0, 2, 1, 1);
        break;
    }
}

void torn_case_make(struct torn *t, const struct torn_case *which, double dt, int substeps)
{
    struct plan p = {0};
    struct torn_part parts[PARTS];

    make_plan(&p, which);
    for (size_t i = 0; i < p.parts; i++) {
        for (size_t j = 0; j < p.n[i]; j++) {
            p.u0[i][j] = which->kind != CHAIN_4DOF || (i == 1 && j == 0) ? which->u0 : 0;
            p.v0[i][j] = which->v0;
        }
        parts[i] = (struct torn_part){p.fine[i], p.n[i], p.M[i], p.C[i], p.K[i], p.u0[i], p.v0[i]};
    }
    torn_make(t, parts, p.parts, p.join, p.joins, dt, substeps);
}

void bench_open(struct bench *b, const struct torn_case *which, const struct coupled_method *method, double dt,
                const struct yk_loading *loads)
{
    const char *names[] = {"gamma_A", "gamma_B", method->set[0].name, method->set[1].name};
    const double values[] = {method->gamma_A, method->gamma_B, method->set[0].value, method->set[1].value};
    const size_t settings = 2 + !!method->set[0].name + !!method->set[1].name;

    torn_case_make(&b->torn, which, dt, method->substeps);
    for (int side = 0; loads && side < YK_SIDES; side++)
        if (loads[side].at)
            torn_load(&b->torn, side, loads[side]);
    torn_open(&b->c, &b->torn, method->name, names, values, settings, 1);
}

void bench_close(struct bench *b)
{
    torn_close(&b->c);
    torn_free(&b->torn);
}

void bench_run(struct bench *b, long steps)
{
    for (long k = 0; k < steps; k++)
        assert_int_equal(torn_step(&b->c), YK_OK);
}

struct yk_kinematics bench_now(struct bench *b, int side)
{
    struct yk_kinematics k;

    b->c.ops->now(b->c.self, side, &k);
    return k;
}

double bench_gap(struct bench *b, size_t row)
{
    double gap[JOINS] = {0};

    for (int side = 0; side < YK_SIDES; side++)
        yk_side_gap(&b->torn.problem->side[side], 1, bench_now(b, side).u, gap);
    return gap[row];
}

const char *bench_label(const struct torn_case *which, const struct coupled_method *m, double dt)
{
    static char text[200];

    snprintf(text, sizeof text, "%s ss=%d gA=%g gB=%g %s=%g %s=%g, system %d b=%g, dt=%g", m->name, m->substeps,
             m->gamma_A, m->gamma_B, m->set[0].name ? m->set[0].name : "-", m->set[0].value,
             m->set[1].name ? m->set[1].name : "-", m->set[1].value, which->kind, which->b, dt);
    return text;
}
