/* The same motion whatever way the equations are solved: dense, banded, sparse, or by a correction of low rank, for
 * every integrator that follows the tangent. The dense way is LU with pivots, tested by itself. */
#include "support/check.h"
#include "support/lattice.h"
#include "support/method.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

enum { STEPS = 60, MOST = 144 };

static const char *const names[] = {"auto", "dense", "banded", "sparse", "low-rank"};

static const struct method methods[] = {
    {"newmark-newton", {{NULL, 0}}}, {"lsrt1", {{NULL, 0}}}, {"lsrt2", {{NULL, 0}}},
    {"lsrt2", {{"jacobian", 1}}},    {"lsrt3", {{NULL, 0}}}, {"chang", {{"jacobian", 1}}},
    {"newmark", {{NULL, 0}}},
};
enum { METHODS = sizeof methods / sizeof *methods };

static void load(void *self, double t, double *f)
{
    const size_t n = *(const size_t *)self;

    for (size_t i = 0; i < n; i++)
        f[i] = 2e5 * sin(40 * t + 0.3 * (double)i);
}

/* u after STEPS steps of 2 ms; false: the path was refused. */
static bool run(const struct method *m, const struct lattice *lattice, enum yk_solve_path path, double *u)
{
    struct yk_system *system = lattice_create(lattice);
    const struct yk_integrator_ops *ops = method_ops(m);
    void *settings = method_settings(ops, m->set);
    struct yk_kinematics k;
    struct yk_domain d;
    struct yk_err refusal = {0};
    enum yk_status st;

    system->path = path;
    st = yk_domain_create(&d, ops, settings, system, (struct yk_loading){load, &system->n}, 2e-3, NULL, &refusal);
    if (st == YK_E_UNSUPPORTED) {
        assert_string_equal(refusal.subject, "path");
    } else {
        assert_int_equal(st, YK_OK);
        if (path != YK_SOLVE_AUTO && system->solving.current)
            assert_int_equal(system->solving.path, path);
        assert_int_equal(yk_domain_start(&d, system->u0, system->v0), YK_OK);
        for (int s = 0; s < STEPS; s++)
            assert_int_equal(yk_domain_step(&d), YK_OK);
        yk_domain_now(&d, &k);
        memcpy(u, k.u, system->n * sizeof *u);
        yk_domain_destroy(&d);
    }
    free(settings);
    yk_system_destroy(system);
    return st == YK_OK;
}

static void compare(const struct lattice *l, bool banded)
{
    const size_t n = l->width * l->height;
    double dense[MOST], u[MOST];

    for (size_t m = 0; m < METHODS; m++) {
        double most = 0;

        assert_true(run(&methods[m], l, YK_SOLVE_DENSE, dense));
        for (size_t i = 0; i < n; i++)
            most = fmax(most, fabs(dense[i]));
        assert_true(most > 2e-3); /* the springs yield at 1 mm */
        for (int p = YK_SOLVE_AUTO; p <= YK_SOLVE_LOW_RANK; p++) {
            double off = 0;

            if (!run(&methods[m], l, (enum yk_solve_path)p, u)) {
                assert_true(p == YK_SOLVE_BANDED && !banded);
                continue;
            }
            for (size_t i = 0; i < n; i++)
                off = fmax(off, fabs(u[i] - dense[i]));
            if (!(off < 1e-11 * most))
                print_error("%s, %s: %.2e of the motion off\n", method_label(&methods[m]), names[p], off / most);
            assert_true(off < 1e-11 * most);
        }
    }
}

static void a_chain_moves_alike_on_every_path(void **state)
{
    compare(&(struct lattice){.width = 50, .height = 1, .hysteretic = SIZE_MAX}, true);
}

static void a_lattice_moves_alike_on_every_path(void **state)
{
    compare(&(struct lattice){.width = 12, .height = 12, .hysteretic = SIZE_MAX}, true);
}

static void few_nonlinear_springs_move_alike_on_every_path(void **state)
{
    compare(&(struct lattice){.width = 12, .height = 11, .hysteretic = 3}, true);
}

/* A damper on a lever that turns: its tangents are not symmetric, and a band is refused. */
static void tangents_that_are_not_symmetric_go_to_klu(void **state)
{
    compare(&(struct lattice){.width = 11, .height = 12, .hysteretic = 5, .lever = true}, false);
}

/* ---- what is chosen ---------------------------------------------------------------------------------------------- */

static enum yk_solve_path chosen(const struct lattice *l, struct yk_solving *solving)
{
    struct yk_system *system = lattice_create(l);
    const struct method m = {"lsrt2", {{NULL, 0}}};
    struct yk_domain d;

    method_open(&d, &m, system, no_load, 1e-3);
    *solving = system->solving;
    yk_domain_destroy(&d);
    yk_system_destroy(system);
    return solving->path;
}

static void the_cheapest_path_is_chosen(void **state)
{
    struct yk_solving s;

    assert_int_equal(chosen(&(struct lattice){.width = 20, .height = 1, .hysteretic = SIZE_MAX}, &s), YK_SOLVE_DENSE);
    assert_int_equal(chosen(&(struct lattice){.width = 300, .height = 1, .hysteretic = SIZE_MAX}, &s), YK_SOLVE_BANDED);
    assert_int_equal(s.half_band, 1);
    assert_int_equal(chosen(&(struct lattice){.width = 40, .height = 40, .hysteretic = SIZE_MAX}, &s), YK_SOLVE_SPARSE);
    assert_true(s.symmetric);
    assert_int_equal(chosen(&(struct lattice){.width = 40, .height = 40, .hysteretic = 2}, &s), YK_SOLVE_LOW_RANK);
    assert_int_equal(s.rank, 2); /* the first from the ground, the second between the first two */
    assert_int_equal(chosen(&(struct lattice){.width = 40, .height = 40, .hysteretic = SIZE_MAX, .lever = true}, &s),
                     YK_SOLVE_SPARSE);
    assert_false(s.symmetric);
    for (int p = 1; p <= YK_SOLVE_LOW_RANK; p++) /* what was chosen costs least */
        assert_true(s.cost_s[p] >= s.cost_s[s.path]);
}

/* ---- the tangent in its pattern ---------------------------------------------------------------------------------- */

static void tangents_in_the_pattern_are_those_of_the_force(void **state)
{
    struct yk_system *s = lattice_create(&(struct lattice){.width = 6, .height = 6, .hysteretic = 40, .lever = true});
    const size_t n = s->n;
    double f[36] = {0}, u[36], v[36], p[2][36], *K = calloc(2 * n * n, sizeof *K), *C = K + n * n;

    assert_non_null(K);
    for (size_t i = 0; i < n; i++) {
        u[i] = 3e-4 * sin((double)(3 * i + 1));
        v[i] = 0.1 * cos((double)i);
    }
    s->ops->tangent(s->self, u, v, K, C);
    for (size_t j = 0; j < n; j++) /* K = -dp/du by central differences */
        for (size_t i = 0; i < n; i++) {
            const double h = 1e-8, kept = u[j];

            u[j] = kept + h;
            yk_system_force(s, 0, f, u, v, p[0]);
            u[j] = kept - h;
            yk_system_force(s, 0, f, u, v, p[1]);
            u[j] = kept;
            assert_near(K[i + j * n], (p[1][i] - p[0][i]) / (2 * h), 3e2); /* of 1e8 */
        }
    free(K);
    yk_system_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_chain_moves_alike_on_every_path),
        cmocka_unit_test(a_lattice_moves_alike_on_every_path),
        cmocka_unit_test(few_nonlinear_springs_move_alike_on_every_path),
        cmocka_unit_test(tangents_that_are_not_symmetric_go_to_klu),
        cmocka_unit_test(the_cheapest_path_is_chosen),
        cmocka_unit_test(tangents_in_the_pattern_are_those_of_the_force),
    };
    return cmocka_run_group_tests_name("solve paths", tests, NULL, NULL);
}
