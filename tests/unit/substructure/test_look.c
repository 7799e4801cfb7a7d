/* Looks at members: their values obey equilibrium and plane sections, in the committed state and away from it. */
#include "support/check.h"
#include "support/lattice.h"

#include <stdlib.h>

#include "substructure/member/fibre_element.h"
#include "substructure/member/hinged.h"
#include "substructure/member/placed.h"
#include "substructure/probe.h"
#include <yoke/fibre_section.h>
#include <yoke/look.h>

enum { ROWS = 8, N = 3 };
#define LENGTH 2.0
#define DEPTH  0.2
#define WIDTH  0.1

static const double still[N];
static const struct yk_beam beam = {
    .ends = {{0, 0, 0}, {LENGTH, 0, 0}}, .plane = true, .section = {.E = 2e11, .A = DEPTH * WIDTH, .Iz = 6e-5}};

static void *bilinear(double stiffness, double yield)
{
    return settings_of(yk_law_find("bilinear"), (const char *[]){"stiffness", "yield_slip", "hardening"},
                       (double[]){stiffness, yield, 0.02}, 3);
}

static void make_fibres(struct yk_basic *basic)
{
    struct yk_fibre_element e = yk_fibre_element_defaults(YK_FIBRE_FORCE);
    size_t steel;

    assert_ok(yk_fibre_section_create(&e.section, &err));
    assert_ok(yk_fibre_section_material(e.section, yk_law_find("bilinear"), bilinear(2e11, 1.5e-3), &steel, &err));
    assert_ok(yk_fibre_section_rectangle(e.section, steel, (double[]){-DEPTH / 2, -WIDTH / 2},
                                         (double[]){DEPTH / 2, WIDTH / 2}, (size_t[]){ROWS, 1}, &err));
    assert_ok(yk_fibre_section_finish(e.section, true, &err));
    e.L = LENGTH;
    e.iterations = 20;
    assert_ok(yk_fibre_basic(basic, &e, &err));
    yk_fibre_section_release(e.section);
}

static void make_hinged(struct yk_basic *basic)
{
    void *settings = bilinear(1e8, 1e-3);
    struct yk_hinge hinges[2][2] = {{{.law = yk_law_find("bilinear"), .settings = settings}}};

    assert_ok(yk_hinged_basic(basic, &beam, hinges, &err));
    free(settings);
}

/* A cantilever along x; x, y, rz of its tip. */
static struct yk_system *cantilever(void (*make)(struct yk_basic *))
{
    static const size_t rows[N] = {6, 7, 11};
    struct yk_structure_parts parts = {.members = calloc(1, sizeof *parts.members), .member_count = 1};
    struct yk_structure_member *m = parts.members;
    struct yk_system *system;

    assert_non_null(m);
    *m = (struct yk_structure_member){
        .name = strdup("arm"), .n = N, .dof = calloc(N, sizeof *m->dof), .T = calloc(12 * (size_t)N, sizeof *m->T)};
    assert_true(m->name && m->dof && m->T);
    assert_ok(yk_member_init(&m->member, &beam, YK_GEOMETRY_LINEAR, false, &err));
    make(&m->member.basic);
    for (size_t i = 0; i < N; i++) {
        m->dof[i] = i;
        m->T[rows[i] + 12 * i] = 1;
    }
    masses_alone(&parts, N, 1);
    assert_ok(yk_structure_create(&system, &parts, NULL, &err));
    return system;
}

/* The look of that name, in u. */
static double value(const struct yk_system *s, const char *name, const double *u)
{
    const size_t count = yk_looks_of(s, true, NULL);
    struct yk_look *looks = calloc(count, sizeof *looks);
    double found = 0;
    size_t times = 0;

    assert_non_null(looks);
    assert_int_equal(yk_looks_of(s, true, looks), count);
    for (size_t i = 0; i < count; i++) {
        struct yk_look_words words;

        yk_look_describe(s, &looks[i], &words);
        assert_string_equal(yk_look_member(s, &looks[i]), "arm");
        if (strcmp(words.name, name) == 0) {
            found = yk_look_now(s, &looks[i], u);
            times++;
        }
    }
    free(looks);
    if (times != 1)
        fail_msg("%zu looks are called %s", times, name);
    return found;
}

static void check_ends(const struct yk_system *s, const double *u)
{
    double r[N];

    yk_structure_restoring(s, u, still, r);
    assert_near_relative(value(s, "N", u), r[0], 1e-9);
    assert_near_relative(value(s, "M2", u), r[2], 1e-9);
    assert_near_relative(value(s, "M1", u), -r[1] * LENGTH - r[2], 1e-9);
}

static void check_sections(const struct yk_system *s, const double *u)
{
    for (int p = 1; p <= 5; p++) {
        double force = 0, moment = 0;
        char name[64];

        for (int i = 1; i <= ROWS; i++) {
            const double y = DEPTH * ((i - 0.5) / ROWS - 0.5);
            double strain, stress;

            snprintf(name, sizeof name, "p%d.fibre%d.strain", p, i);
            strain = value(s, name, u);
            snprintf(name, sizeof name, "p%d.fibre%d.stress", p, i);
            stress = value(s, name, u);
            force += stress * DEPTH * WIDTH / ROWS;
            moment -= y * stress * DEPTH * WIDTH / ROWS;
            snprintf(name, sizeof name, "p%d.strain", p);
            strain -= value(s, name, u);
            snprintf(name, sizeof name, "p%d.curvature", p);
            assert_near(strain, -y * value(s, name, u), 1e-12);
        }
        snprintf(name, sizeof name, "p%d.N", p);
        assert_near_relative(value(s, name, u), force, 1e-9);
        snprintf(name, sizeof name, "p%d.M", p);
        assert_near(value(s, name, u), moment, 1e-3);
    }
    assert_near(value(s, "p1.M", u), -value(s, "M1", u), 2);
    assert_near(value(s, "p5.M", u), value(s, "M2", u), 2);
}

static void looks_at_fibres_are_in_equilibrium(void **state)
{
    struct yk_system *s = cantilever(make_fibres);
    const double there[N] = {1e-3, 0.02, 0.01}, beside[N] = {1.1e-3, 0.022, 0.012};
    double before[N], after[N];

    s->ops->commit(s->self, 0.01, there, still);
    assert_true(value(s, "p1.fibre1.strain", there) > 1.5e-3); /* it has yielded */
    yk_structure_restoring(s, beside, still, before);
    check_ends(s, there);
    check_sections(s, there);
    check_ends(s, beside);
    check_sections(s, beside);
    yk_structure_restoring(s, beside, still, after);
    assert_memory_equal(before, after, sizeof before); /* looks leave no trace */
    yk_system_destroy(s);
}

/* The moment of the hinge is that of the end; fibres are listed only where wanted, and a beam has none. */
static void looks_at_hinges_are_in_equilibrium(void **state)
{
    struct yk_system *s = cantilever(make_hinged);
    const double there[N] = {1e-4, 0.02, 0.005};

    s->ops->commit(s->self, 0.01, there, still);
    check_ends(s, there);
    assert_near_relative(value(s, "hinge1.moment", there), value(s, "M1", there), 1e-9);
    assert_true(value(s, "hinge1.rotation", there) < -1e-3);
    assert_int_equal(yk_looks_of(s, true, NULL), 3 + 2);
    assert_int_equal(yk_looks_of(s, false, NULL), 3 + 2);
    yk_system_destroy(s);
    s = cantilever(make_fibres);
    assert_int_equal(yk_looks_of(s, false, NULL), 3 + 5 * 4);
    assert_int_equal(yk_looks_of(s, true, NULL), 3 + 5 * (4 + 2 * ROWS));
    yk_system_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(looks_at_fibres_are_in_equilibrium),
        cmocka_unit_test(looks_at_hinges_are_in_equilibrium),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
