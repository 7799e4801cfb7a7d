/* Ground motion of reduced models. With every mode kept, T is square and the reduced model is the full one in other
 * coordinates: both must move alike, whatever the direction, the damping and the place of the supports. With fewer
 * modes the interface is exact in statics for every method, since T holds the static shapes and f_r = T^T f. */
#include "support/check.h"
#include "support/scratch.h"

#include "state/state.h"
#include <yoke/reduction.h>

#include <math.h>
#include <stdlib.h>

/* A portal in space that leans in all directions, with masses along its members; the feet are held inside, or free. */
#define PORTAL(held, rest)                                                                                             \
    "  wall:\n    kind: frame\n"                                                                                       \
    "    sections: { s: { E: 30 GPa, A: 0.02 m2, Iy: 4e-5 m4, Iz: 3e-5 m4, J: 5e-5 m4, density: 2500 kg/m3 } }\n"      \
    "    nodes:\n      a: { at: [0, 0, 0]" held " }\n      b: { at: [4, 0.5, 0]" held " }\n"                           \
    "      c: [0.3, 0, 2]\n      d: [3.8, 0.2, 2]\n      e: { at: [2, 0.4, 2.2], mass: 400 kg }\n"                     \
    "    members:\n      - { between: [a, c], section: s, up: [1, 0, 0] }\n"                                           \
    "      - { between: [b, d], section: s, up: [1, 0, 0] }\n"                                                         \
    "      - { between: [c, e], section: s, up: [0, 0, 1] }\n"                                                         \
    "      - { between: [e, d], section: s, up: [0, 0, 1] }\n" rest

#define HELD ", fixed: all"
static const char *const dampings[] = {"", "    rayleigh: { ratio: 0.03, frequencies: [4 Hz, 40 Hz] }\n",
                                       "    modal_damping: [0.02, 0.05]\n"};
static const char *const methods[] = {"craig-bampton", "rubin", "guyan"};

static struct yk_model *load(const char *name, const char *text)
{
    struct yk_model *e = NULL;

    assert_ok(yk_model_load(&e, scratch_write(name, text), NULL, 0, &err));
    return e;
}

static size_t find(const struct yk_substructure *s, const char *name, size_t length)
{
    for (size_t i = 0; i < s->system->n; i++)
        if (strncmp(s->dofs[i], name, length) == 0 && !s->dofs[i][length])
            return i;
    fail_msg("no degree of freedom %.*s", (int)length, name);
    return 0;
}

/* Reduces the first substructure, with all of its mass, to a list of degrees of freedom; modes = 0: all of them. */
static void reduce(const struct yk_model *e, const char *method, const char *interface, size_t modes,
                   struct yk_reduced *r)
{
    const struct yk_substructure *s = &e->substructures[0];
    struct yk_reduce_settings settings = yk_reduce_defaults();
    struct yk_ground ground;
    size_t dofs[16], count = 0;

    for (const char *at = interface; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        dofs[count++] = find(s, at, strcspn(at, ","));
    settings.modes = modes ? modes : s->system->n - count;
    assert_ok(yk_model_ground(e, 0, dofs, count, &ground, &err));
    const struct yk_linear_model model = {.M = &s->system->M,
                                          .C = &s->system->C,
                                          .K = &s->system->K,
                                          .names = (const char *const *)s->dofs,
                                          .ground = &ground};
    assert_ok(yk_reduce(r, &model, dofs, count, yk_reduction_find(method), &settings, &err));
    yk_ground_free(&ground);
}

static void reduce_to_file(struct yk_model *e, const char *method, const char *interface, size_t modes)
{
    struct yk_reduced r;

    reduce(e, method, interface, modes, &r);
    assert_ok(yk_reduced_save(&r, scratch_path("wall.h5"), &err));
    yk_reduced_free(&r);
}

/* Largest difference of a displacement of the first substructure between two runs, over the largest one. */
static double compare(const struct yk_model *one, const struct yk_model *two, const char *dof)
{
    const struct yk_model *e[2] = {one, two};
    struct yk_state motion[2];
    double *state[2], most = 0, difference = 0;
    size_t at[2];

    for (int k = 0; k < 2; k++) {
        const struct yk_substructure *s = &e[k]->substructures[0];

        at[k] = find(s, dof, strlen(dof));
        state[k] = calloc(3 * s->system->n, sizeof(double));
        assert_ok(yk_state_open(&motion[k], e[k], 0, &err));
        assert_int_equal(yk_state_start(&motion[k]), YK_OK);
    }
    for (long i = 0; i < one->steps; i++) {
        double u[2];

        for (int k = 0; k < 2; k++) {
            const size_t n = e[k]->substructures[0].system->n;

            assert_int_equal(yk_state_step(&motion[k]), YK_OK);
            yk_state_now(&motion[k], 0, state[k], state[k] + n, state[k] + 2 * n);
            u[k] = state[k][at[k]];
        }
        most = fmax(most, fabs(u[0]));
        difference = fmax(difference, fabs(u[1] - u[0]));
    }
    for (int k = 0; k < 2; k++) {
        yk_state_close(&motion[k]);
        free(state[k]);
    }
    assert_true(most > 0);
    return difference / most;
}

/* The whole file: a portal or its reduced model, and what follows. */
static const char *file(const char *head, const char *wall, const char *tail)
{
    static char text[8192];

    snprintf(text, sizeof text, "%ssubstructures:\n%s%s", head, wall, tail);
    return text;
}

#define REDUCED      "  wall: { kind: reduced, file: wall.h5 }\n"
#define REDUCED_FINE "  wall: { kind: reduced, file: wall.h5, rate: fine }\n"
#define ONE          "time: { step: 2 ms, end: 1 s }\nmethod: { integrator: newmark }\n"
#define QUAKE(x)     "kind: earthquake, peak: 0.3 g, rise: 0.1 s, strong: 0.5 s, decay: 0.2 s, " x

static double error_of(const char *head, const char *wall, const char *tail, const char *method, const char *interface,
                       size_t modes, const char *dof)
{
    struct yk_model *full = load("full.yaml", file(head, wall, tail)), *few;
    double error;

    yk_model_return_mass(full);
    reduce_to_file(full, method, interface, modes);
    yk_model_close(full);
    full = load("full.yaml", file(head, wall, tail));
    few = load("few.yaml", file(head, strstr(wall, "rate: fine") ? REDUCED_FINE : REDUCED, tail));
    error = compare(full, few, dof);
    yk_model_close(full);
    yk_model_close(few);
    return error;
}

static void supports_inside_move_with_the_ground(void **state)
{
    static const char *const axes[] = {"x", "y", "z"};

    for (size_t m = 0; m < 2; m++)
        for (size_t c = 0; c < 3; c++)
            for (size_t a = 0; a < 3; a++) {
                char wall[2048], tail[256], dof[] = "e.x";
                double error;

                dof[2] = *axes[a];
                snprintf(wall, sizeof wall, "%s%s", PORTAL(HELD, ""), dampings[c]);
                snprintf(tail, sizeof tail, "loads: [ { ground: wall, influence: { %s: 1 }, " QUAKE("seed: 3") " } ]\n",
                         axes[a]);
                if ((error = error_of(ONE, wall, tail, methods[m], "e.x,e.y,e.z", 0, dof)) >
                    (m ? 1e-7 : 1e-8)) /* rubin: flexibility is what its three stiffest modes leave, digits are lost */
                    fail_msg("%s, %s, damping %zu: error %g", methods[m], axes[a], c, error);
            }
}

/* Obliquely, and with one displacement that stays behind. */
static void influence_means_the_same_as_in_the_full_model(void **state)
{
    const char *tail =
        "loads: [ { ground: wall, influence: { x: 0.8, y: -0.6, e.x: 0.25, rz: 0.1 }, " QUAKE("seed: 4") " } ]\n";

    assert_true(error_of(ONE, PORTAL(HELD, ""), tail, "craig-bampton", "e.x,e.y,e.z", 0, "e.y") < 1e-8);
    assert_true(error_of(ONE, PORTAL(HELD, ""), tail, "rubin", "e.y,e.x", 0, "e.y") < 1e-8);
}

/* A few modes are enough where the earthquake has little above their frequencies. */
static void few_modes_come_near(void **state)
{
    const char *tail = "loads: [ { ground: wall, influence: { x: 1 }, " QUAKE("frequency: 3 Hz, seed: 3") " } ]\n";
    char wall[2048];

    snprintf(wall, sizeof wall, "%s%s", PORTAL(HELD, ""), dampings[1]);
    assert_true(error_of(ONE, wall, tail, "craig-bampton", "e.x,e.y,e.z", 6, "e.x") < 0.01);
    assert_true(error_of(ONE, wall, tail, "rubin", "e.x,e.y,e.z", 6, "e.x") < 0.01);
    assert_true(error_of(ONE, wall, tail, "guyan", "e.x,e.y,e.z,c.x,d.x", 0, "e.x") < 0.1);
}

/* K u = M b + M_fs b_s, at the interface. */
static void interface_is_exact_in_statics(void **state)
{
    struct yk_model *e = load("full.yaml", file(ONE, PORTAL(HELD, ""), ""));
    const struct yk_system *s = e->substructures[0].system;
    struct yk_factor *K;

    assert_ok(yk_factor_create(&K, &s->K, NULL, &err));
    for (size_t m = 0; m < 3; m++) {
        struct yk_reduced r;
        struct yk_ground full;
        struct yk_factor *few;

        reduce(e, methods[m], "e.x,e.y,e.z", 3, &r);
        assert_ok(yk_factor_create(&few, &r.K, NULL, &err));
        assert_ok(yk_model_ground(e, 0, r.interface_dofs, 3, &full, &err));
        assert_int_equal(full.count, 9); /* x y z rx ry rz, and the interface */
        for (size_t g = 0; g < full.count; g++) {
            double *u = full.force + g * full.n, *x = r.ground.force + g * r.n;

            yk_factor_solve(K, u);
            yk_factor_solve(few, x);
            for (size_t b = 0; b < 3; b++)
                assert_near(x[r.modes + b], u[r.interface_dofs[b]], 1e-8 * fabs(u[r.interface_dofs[0]]) + 1e-20);
        }
        yk_factor_destroy(few);
        yk_ground_free(&full);
        yk_reduced_free(&r);
    }
    yk_factor_destroy(K);
    yk_model_close(e);
}

/* The feet are the interface and stand on springs of another substructure, coarse or fine. */
#define FEET(rate)                                                                                                     \
    "  soil:\n    kind: assembled\n    rate: " rate "\n    nodes:\n"                                                   \
    "      a: { dofs: [x, y, z, rx, ry, rz], mass: 300 }\n      b: { dofs: [x, y, z, rx, ry, rz], mass: 300 }\n"       \
    "    elements:\n" SPRINGS("a") SPRINGS("b") "interfaces: [ " JOIN("a") ", " JOIN("b") " ]\n"
#define SPRINGS(n) SPRING(n ".x") SPRING(n ".y") SPRING(n ".z") SPRING(n ".rx") SPRING(n ".ry") SPRING(n ".rz")
#define SPRING(d)  "      - { kind: spring, between: [ground, " d "], stiffness: 4e6 }\n"
#define JOIN(n)    TIE(n ".x") ", " TIE(n ".y") ", " TIE(n ".z") ", " TIE(n ".rx") ", " TIE(n ".ry") ", " TIE(n ".rz")
#define TIE(d)     "{ join: [wall." d ", soil." d "] }"
#define EVERYWHERE "loads: [ { ground: all, influence: { x: 0.6, y: 0.8 }, " QUAKE("seed: 5") " } ]\n"
#define BOTH_FEET  "a.x,a.y,a.z,a.rx,a.ry,a.rz,b.x,b.y,b.z,b.rx,b.ry,b.rz"

static void supports_at_the_interface_move_with_the_ground(void **state)
{
    static const char *const heads[] = {ONE, "time: { step: 0.5 ms, end: 0.25 s }\nmethod: { coupling: gc }\n",
                                        "time: { step: 0.5 ms, substeps: 2, end: 0.25 s }\nmethod: { coupling: gc }\n"};
    static const char *const tails[] = {FEET("coarse") EVERYWHERE, FEET("fine") EVERYWHERE, FEET("fine") EVERYWHERE};

    for (size_t i = 0; i < 3; i++)
        assert_true(error_of(heads[i], PORTAL("", ""), tails[i], "craig-bampton", BOTH_FEET, 0, "a.x") < 1e-8);
}

/* Supports inside; an interface row moves mass to the reduced part or away from it, which stands on either side. */
#define TOP(side, joined)                                                                                              \
    "  top: { rate: " side ", dofs: [x], mass: [[50 kg]], stiffness: [[0]] }\n"                                        \
    "interfaces: [ { " joined " } ]\n"                                                                                 \
    "loads: [ { ground: wall, influence: { x: 1 }, " QUAKE("seed: 6") " }, { ground: top, " QUAKE("seed: 6") " } ]\n"

static void reduced_parts_couple_and_share_mass_under_an_earthquake(void **state)
{
    static const char *const heads[] = {ONE, "time: { step: 0.5 ms, end: 0.25 s }\nmethod: { coupling: gc }\n"};

    for (size_t m = 0; m < 2; m++) {
        for (size_t i = 0; i < 2; i++)
            assert_true(error_of(heads[i], PORTAL(HELD, ""), TOP("fine", "join: [top.x, wall.e.x], mass_fraction: 0.2"),
                                 methods[m], "e.x,e.y,e.z", 0, "e.x") < 1e-7);
        assert_true(error_of(heads[1], PORTAL(HELD, "    rate: fine\n"), TOP("coarse", "join: [top.x, wall.e.x]"),
                             methods[m], "e.x,e.y,e.z", 0, "e.x") < 1e-7);
        /* away from it: a fraction of another diagonal entry than in the full model, so both are whole */
        assert_true(error_of(ONE, PORTAL(HELD, ""), TOP("fine", "join: [wall.e.x, top.x], mass_fraction: 0.01"),
                             methods[m], "e.x,e.y,e.z", 0, "e.x") < 1e-7);
    }
}

/* A model of another program in mm and t, whose feet are held here: with and without modal damping. */
static void imported_models_move_with_the_ground(void **state)
{
    static const char *const extra[] = {"", ", modal_damping: [0.03]"};

    for (size_t k = 0; k < 2; k++) {
        char wall[1024];

        snprintf(wall, sizeof wall,
                 "  wall: { model: %s/examples/imported-frame/frame_STIF1.mtx, units: { length: 1 mm, force: 1 N }, "
                 "fixed: [1, 5]%s }\n",
                 YOKE_SOURCE, extra[k]);
        assert_true(error_of(ONE, wall, "loads: [ { ground: wall, influence: { x: 1 }, " QUAKE("seed: 7") " } ]\n",
                             "craig-bampton", "23.x,23.y,23.rz", 0, "23.x") < 1e-8);
        assert_true(error_of(ONE, wall, "loads: [ { ground: wall, influence: { y: 1 }, " QUAKE("seed: 7") " } ]\n",
                             "craig-bampton", "23.x,23.y,23.rz", 10, "23.y") < 0.05);
    }
}

/* Degrees of freedom that all point the same way need no `influence`, reduced or not. */
static void one_direction_needs_no_influence(void **state)
{
    const char *wall = "  wall:\n    dofs: [p, q, r, s]\n    mass: [2 t, 2 t, 2 t, 1 t]\n"
                       "    stiffness: [[4e6, -2e6, 0, 0], [-2e6, 4e6, -2e6, 0], [0, -2e6, 4e6, -2e6], "
                       "[0, 0, -2e6, 2e6]]\n    rayleigh: { mass: 0.5 1/s }\n";

    assert_true(error_of(ONE, wall, "loads: [ { ground: wall, " QUAKE("seed: 8") " } ]\n", "craig-bampton", "s", 0,
                         "s") < 1e-8);
    assert_true(error_of(ONE, wall, "loads: [ { ground: wall, " QUAKE("seed: 8") " } ]\n", "rubin", "s,q", 2, "s") <
                0.02);
}

/* Three equal masses in a row, by Guyan to the last: T = (1/3, 2/3, 1), so (T^T M 1)^2/(T^T M T) = 4/(14/9) of 3
 * masses. With both modes of the held interface nothing is lost. */
static void the_effective_mass_that_is_kept_is_told(void **state)
{
    static const char *const wall = "  wall:\n    kind: assembled\n"
                                    "    nodes: { a: { mass: 5 }, b: { mass: 5 }, c: { mass: 5 } }\n"
                                    "    elements:\n"
                                    "      - { kind: spring, between: [ground, a.x], stiffness: 1000 }\n"
                                    "      - { kind: spring, between: [a.x, b.x], stiffness: 1000 }\n"
                                    "      - { kind: spring, between: [b.x, c.x], stiffness: 1000 }\n";
    struct yk_model *e = load("row.yaml", file(ONE, wall, ""));

    for (int all = 0; all < 2; all++) {
        struct yk_reduced r;
        double share;

        reduce(e, all ? "craig-bampton" : "guyan", "c.x", all ? 2 : 0, &r);
        assert_ok(yk_reduced_mass_share(&r, 0, &share, &err));
        assert_near(share, all ? 1 : 6.0 / 7, 1e-12);
        yk_reduced_free(&r);
    }
    yk_model_close(e);
}

/* A reduced model that is reduced once more knows the ground, too. */
static void a_second_reduction_keeps_the_ground(void **state)
{
    const char *tail = "loads: [ { ground: wall, influence: { y: 1 }, " QUAKE("seed: 9") " } ]\n";
    struct yk_model *full = load("full.yaml", file(ONE, PORTAL(HELD, ""), tail)), *few, *fewer;

    reduce_to_file(full, "craig-bampton", "e.x,e.y,e.z,c.x", 0);
    few = load("few.yaml", file(ONE, REDUCED, tail));
    reduce_to_file(few, "craig-bampton", "e.y,e.x", 0);
    yk_model_close(few);
    fewer = load("fewer.yaml", file(ONE, REDUCED, tail));
    assert_true(compare(full, fewer, "e.y") < 1e-8);
    yk_model_close(full);
    yk_model_close(fewer);
}

static enum yk_status refused(const char *tail, struct yk_err *err)
{
    struct yk_model *e = NULL;

    return yk_model_load(&e, scratch_write("refused.yaml", file(ONE, REDUCED, tail)), NULL, 0, err);
}

static void what_the_file_does_not_know_is_refused(void **state)
{
    struct yk_model *full = load("full.yaml", file(ONE, PORTAL(HELD, ""), ""));
    struct yk_reduced r;

    reduce_to_file(full, "craig-bampton", "e.x,e.y,e.z", 4);
    assert_refused(
        refused("loads: [ { ground: wall, " QUAKE("seed: 1") " } ]\n", &err), YK_E_INPUT,
        "in several directions or rotations: say which move with the ground, for example influence: { x: 1 }");
    assert_refused(refused("loads: [ { ground: wall, influence: { c.x: 1 }, " QUAKE("seed: 1") " } ]\n", &err),
                   YK_E_INPUT, "no direction and no interface displacement 'c.x'");
    reduce(full, "craig-bampton", "e.x,e.y,e.z", 4, &r);
    yk_ground_free(&r.ground); /* as a file of the first format has it */
    assert_ok(yk_reduced_save(&r, scratch_path("wall.h5"), &err));
    yk_reduced_free(&r);
    assert_refused(refused("loads: [ { ground: wall, influence: { x: 1 }, " QUAKE("seed: 1") " } ]\n", &err),
                   YK_E_UNSUPPORTED, "reduce the full model again with `yoke reduce`");
    yk_model_close(full);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(supports_inside_move_with_the_ground),
        cmocka_unit_test(influence_means_the_same_as_in_the_full_model),
        cmocka_unit_test(few_modes_come_near),
        cmocka_unit_test(interface_is_exact_in_statics),
        cmocka_unit_test(supports_at_the_interface_move_with_the_ground),
        cmocka_unit_test(reduced_parts_couple_and_share_mass_under_an_earthquake),
        cmocka_unit_test(imported_models_move_with_the_ground),
        cmocka_unit_test(one_direction_needs_no_influence),
        cmocka_unit_test(the_effective_mass_that_is_kept_is_told),
        cmocka_unit_test(a_second_reduction_keeps_the_ground),
        cmocka_unit_test(what_the_file_does_not_know_is_refused),
    };

    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
