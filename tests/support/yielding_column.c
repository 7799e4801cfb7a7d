/* A column of members that yield. */
#include "support/yielding_column.h"
#include "support/check.h"
#include "support/lattice.h"

#include <math.h>
#include <stdlib.h>

struct yielding_count yielding_count;

struct basic {
    double L, yield, hardening, bound;
};

static size_t memory(const void *self)
{
    return 1; /* slip */
}

static size_t scratch(const void *self)
{
    return 4;
}

static void rest(const void *self, double *x)
{
    x[0] = 0;
}

/* q = k v with k = EI/L [4 2; 2 4]: of the sum of the rotations 3 EI/L, of their difference EI/L */
static bool state(const void *self, const double *committed, const double *v, double h, double *trial, double *q,
                  double *k, double *work)
{
    const struct basic *b = self;
    const double sum = v[1] + v[2], difference = v[1] - v[2], slip = sum - committed[0];
    const double elastic = fmin(fmax(slip, -b->yield), b->yield);
    const double kb = COLUMN_EI / b->L, slope = b->hardening + (1 - b->hardening) * (elastic == slip);
    const double bend = 3 * kb * (b->hardening * sum + (1 - b->hardening) * elastic);

    for (int i = 0; i < 4; i++)
        work[i] = NAN; /* it carries nothing */
    trial[0] = sum - elastic;
    q[0] = COLUMN_EA / b->L * v[0];
    q[1] = bend + kb * difference;
    q[2] = bend - kb * difference;
    yielding_count.states++;
    if (k) {
        yielding_count.tangents++;
        memset(k, 0, 9 * sizeof *k);
        k[0] = COLUMN_EA / b->L;
        k[4] = k[8] = kb * (3 * slope + 1);
        k[5] = k[7] = kb * (3 * slope - 1);
    }
    return b->bound == 0 || fabs(sum) <= b->bound;
}

static const struct yk_basic_ops ops = {
    .memory = memory, .scratch = scratch, .rest = rest, .state = state, .destroy = free};

/* Member i, between nodes i - 1 and i; the foot has no degrees of freedom. */
static void make_member(const struct yielding_column *c, size_t i, struct yk_structure_member *m)
{
    static const size_t row[2][3] = {{0, 1, 5}, {6, 7, 11}};
    const double L = COLUMN_HEIGHT / (double)c->members;
    const struct yk_beam beam = {.ends = {{0, (double)i * L, 0}, {0, (double)(i + 1) * L, 0}}, .plane = true};
    struct basic *b = malloc(sizeof *b);
    const size_t first = i == 0;

    assert_non_null(b);
    assert_ok(yk_member_init(&m->member, &beam, c->geometry, false, &err));
    *b = (struct basic){L, c->yield, c->hardening, c->bound};
    m->member.basic = (struct yk_basic){&ops, b};
    m->name = malloc(16);
    m->n = first ? 3 : 6;
    m->dof = calloc(m->n, sizeof *m->dof);
    m->T = calloc(12 * m->n, sizeof *m->T);
    assert_true(m->name && m->dof && m->T);
    snprintf(m->name, 16, "m%zu", i + 1);
    for (size_t end = first; end < 2; end++)
        for (size_t j = 0; j < 3; j++) {
            const size_t at = 3 * (end - first) + j;

            m->dof[at] = 3 * (i + end - 1) + j;
            m->T[row[end][j] + 12 * at] = 1;
        }
}

void yielding_column_parts(const struct yielding_column *c, struct yk_structure_parts *parts)
{
    const size_t n = 3 * c->members;

    *parts = (struct yk_structure_parts){.member_count = c->members,
                                         .members = calloc(c->members, sizeof *parts->members),
                                         .elements = calloc(2, sizeof *parts->elements),
                                         .element_count = c->mixed ? 2 : 0,
                                         .committed_damping = c->committed_damping};
    assert_true(parts->members && parts->elements);
    masses_alone(parts, n, COLUMN_MASS);
    for (size_t i = 0; i < n; i++) {
        parts->M.x[i] *= (i % 3 == 2 ? 0.1 : 1) * (i / 3 + 1 == c->members ? 10 : 1);
        parts->C.x[i] = c->mass_damping * parts->M.x[i];
    }
    for (size_t i = 0; i < c->members; i++)
        make_member(c, i, &parts->members[i]);
    if (!c->mixed)
        return;
    const struct yk_law_ops *spring = yk_law_find("spring"), *bilinear = yk_law_find("bilinear");
    const long top = (long)n - 3;

    parts->elements[0] =
        (struct yk_element){.law = spring,
                            .from = -1,
                            .to = top,
                            .settings = settings_of(spring, (const char *[]){"stiffness"}, (double[]){1e4}, 1)};
    parts->elements[1] = (struct yk_element){
        .law = bilinear,
        .from = -1,
        .to = top,
        .settings = settings_of(bilinear, (const char *[]){"stiffness", "yield_slip"}, (double[]){5e5, 4e-3}, 2)};
}

struct yk_system *yielding_column_create(const struct yielding_column *c, struct yk_arena *mem)
{
    struct yk_structure_parts parts;
    struct yk_system *system;

    yielding_column_parts(c, &parts);
    assert_ok(yk_structure_create(&system, &parts, mem, &err));
    return system;
}
