/* The experiment reader: every section, kind, law and signal, against closed forms. */
#include "support/check.h"
#include "support/scratch.h"

#include "state/state.h"
#include <yoke/law.h>
#include <yoke/signal.h>

#include <math.h>
#include <stdlib.h>

#define HEAD "time: {step: 0.1, end: 1}\nmethod: {integrator: lsrt2}\n"
#define ONE  HEAD "substructures: {a: {dofs: [x], mass: [2], stiffness: [8]}}\n"
#define TWO_DOFS(more)                                                                                                 \
    HEAD "substructures:\n  a: {dofs: [x, y], mass: [2, 2], stiffness: [[30, -10], [-10, 10]], " more "}\n"

static struct yk_model *read_with(const char *text, const char *const *settings, size_t count)
{
    struct yk_model *e = NULL;

    assert_ok(yk_model_parse(&e, scratch_path("good.yaml"), text, strlen(text), settings, count, &err));
    return e;
}

static struct yk_model *read_text(const char *text)
{
    return read_with(text, NULL, 0);
}

/* All entries of a matrix, given by rows. */
static void check_matrix(const struct yk_matrix *A, size_t n, const double *rows, double tolerance)
{
    assert_int_equal(A->rows, n);
    assert_int_equal(A->cols, n);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            assert_near(yk_matrix_get(A, i, j), rows[i * n + j], tolerance);
}

/* Force on the first free degree of freedom at time t. */
static double first_force(const struct yk_model *e, double t)
{
    double f[8];

    assert_true(e->assembly->system->n <= 8);
    yk_load_set_at(e->load_set, t, f);
    return f[0];
}

/* ---- top level, time, method ---- */

static void the_oscillator_example_is_read(void **state)
{
    struct yk_model *e;

    assert_ok(yk_model_load(&e, YOKE_SOURCE "/examples/oscillator/oscillator.yaml", NULL, 0, &err));
    assert_string_equal(e->title, "Damped oscillator, released under a slow sine force");
    assert_near(e->time.step, 0.05, 0);
    assert_near(e->time.end, 4, 0);
    assert_int_equal(e->steps, 80);
    assert_string_equal(e->integrator->name, "lsrt2");
    assert_int_equal(e->substructure_count, 1);
    assert_string_equal(e->substructures[0].name, "oscillator");
    assert_string_equal(e->substructures[0].dofs[0], "x");
    check_matrix(&e->assembly->system->M, 1, (double[]){1}, 0);
    check_matrix(&e->assembly->system->C, 1, (double[]){0.02}, 0);
    check_matrix(&e->assembly->system->K, 1, (double[]){4}, 0);
    assert_near(e->assembly->system->u0[0], 1, 0);
    assert_near(e->assembly->system->v0[0], 0.5, 0);
    assert_near(first_force(e, 0.3), 0.3 * sin(2 * M_PI * 0.5 * 0.3), 1e-15);
    assert_int_equal(e->load_count, 1);
    assert_int_equal(e->stability, YK_REFUSE_UNSTABLE);
    assert_int_equal(e->reference, 0);
    yk_model_close(e);
}

static void a_title_is_optional_and_the_path_stands_in(void **state)
{
    struct yk_model *e = read_text(ONE);

    assert_non_null(strstr(e->title, "good.yaml"));
    yk_model_close(e);
    e = read_text("title: 'a: \"quoted\" title'\n" ONE);
    assert_string_equal(e->title, "a: \"quoted\" title");
    yk_model_close(e);
}

static void choices_and_times_with_units_are_read(void **state)
{
    struct yk_model *e = read_text("time: {step: 16 ms, end: 0.5 min}\n"
                                   "method: {integrator: lsrt2, stability: warn}\nreference: monolithic\n"
                                   "substructures: {a: {dofs: [x], mass: 2 t, stiffness: 8 kN/m}}\n");

    assert_near(e->time.step, 0.016, 0);
    assert_near(e->time.end, 30, 0);
    assert_int_equal(e->steps, 1875);
    assert_int_equal(e->stability, YK_WARN_UNSTABLE);
    assert_int_equal(e->reference, 1);
    check_matrix(&e->assembly->system->M, 1, (double[]){2000}, 0);
    check_matrix(&e->assembly->system->K, 1, (double[]){8000}, 0);
    yk_model_close(e);
}

static void steps_that_do_not_divide_in_binary_are_counted_right(void **state)
{
    static const struct {
        const char *text;
        long steps;
    } cases[] = {{"time: {step: 0.1, end: 0.3}\n", 3},
                 {"time: {step: 0.001, end: 1000}\n", 1000000},
                 {"time: {step: 1e-6, end: 1e6}\n", 1000000000000},
                 {"time: {step: 0.7, end: 4.9}\n", 7},
                 {"time: {step: 3, end: 3}\n", 1}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[300];

        snprintf(text, sizeof text,
                 "%smethod: {integrator: lsrt2}\nsubstructures: {a: {dofs: [x], mass: 1, stiffness: 1}}",
                 cases[i].text);
        struct yk_model *e = read_text(text);
        assert_int_equal(e->steps, cases[i].steps);
        yk_model_close(e);
    }
}

static void every_integrator_can_be_named_with_its_defaults(void **state)
{
    for (const struct yk_integrator_ops *const *ops = yk_integrators; *ops; ops++) {
        char text[300];

        snprintf(text, sizeof text,
                 "time: {step: 0.1, end: 1}\nmethod: {integrator: %s}\n"
                 "substructures: {a: {dofs: [x], mass: 1, stiffness: 4}}\n",
                 (*ops)->name);
        struct yk_model *e = read_text(text);
        struct yk_state motion;

        assert_ptr_equal(e->integrator, *ops);
        assert_ok(yk_state_open(&motion, e, 0, &err));
        assert_near(motion.domain->integrator.dt, 0.1, 0);
        yk_state_close(&motion);
        yk_model_close(e);
    }
}

/* ---- linear ---- */

static void matrices_may_be_rows_diagonals_numbers_or_files(void **state)
{
    static const struct {
        const char *mass, *stiffness;
    } forms[] = {{"[[2, 0], [0, 3]]", "[[30, -10], [-10, 10]]"},
                 {"[2, 3]", "K.mtx"},
                 {"[2 kg, 0.003 t]", "K.csv"},
                 {"M.csv", "K-general.mtx"}};

    scratch_write("K.mtx", "%%MatrixMarket matrix coordinate real symmetric\n2 2 3\n1 1 30\n2 1 -10\n2 2 10\n");
    scratch_write("K-general.mtx", "%%MatrixMarket matrix array real general\n2 2\n30\n-10\n-10\n10\n");
    scratch_write("K.csv", "# rows\n30, -10\n-10, 10\n");
    scratch_write("M.csv", "2;0\n0;3\n");
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        char text[400];

        snprintf(text, sizeof text, HEAD "substructures: {a: {dofs: [x, y], mass: %s, stiffness: %s}}\n", forms[i].mass,
                 forms[i].stiffness);
        struct yk_model *e = read_text(text);

        check_matrix(&e->assembly->system->M, 2, (double[]){2, 0, 0, 3}, 0);
        check_matrix(&e->assembly->system->K, 2, (double[]){30, -10, -10, 10}, 0);
        check_matrix(&e->assembly->system->C, 2, (double[]){0, 0, 0, 0}, 0);
        assert_true(e->assembly->system->linear);
        yk_model_close(e);
    }
}

static void rayleigh_factors_add_to_the_damping_given(void **state)
{
    struct yk_model *e =
        read_text(TWO_DOFS("damping: [[1, 0.5], [-0.5, 2]], rayleigh: {mass: 0.3 1/s, stiffness: 20 ms}"));

    check_matrix(&e->assembly->system->C, 2, (double[]){1 + 0.6 + 0.6, 0.5 - 0.2, -0.5 - 0.2, 2 + 0.6 + 0.2}, 1e-15);
    yk_model_close(e);
}

/* zeta = a/(2 w) + b w/2 at both frequencies: a = 2 zeta w1 w2/(w1 + w2), b = 2 zeta/(w1 + w2). */
static void rayleigh_ratio_holds_at_both_frequencies(void **state)
{
    struct yk_model *e = read_text(TWO_DOFS("rayleigh: {ratio: 2 %, frequencies: [1.5 Hz, 40 rad/s]}"));
    const double w1 = 2 * M_PI * 1.5, w2 = 40, a = 2 * 0.02 * w1 * w2 / (w1 + w2), b = 2 * 0.02 / (w1 + w2);

    check_matrix(&e->assembly->system->C, 2, (double[]){2 * a + 30 * b, -10 * b, -10 * b, 2 * a + 10 * b}, 1e-14);
    assert_near(a / (2 * w1) + b * w1 / 2, 0.02, 1e-15);
    assert_near(a / (2 * w2) + b * w2 / 2, 0.02, 1e-15);
    yk_model_close(e);
}

/* With M = m 1 and one ratio for all modes C = 2 zeta sqrt(m K), hence C C = 4 zeta^2 m K. */
static void modal_damping_is_the_square_root_of_the_stiffness(void **state)
{
    struct yk_model *e = read_text(TWO_DOFS("modal_damping: [5 %]"));
    const struct yk_matrix *C = &e->assembly->system->C;
    const double K[4] = {30, -10, -10, 10};

    for (size_t i = 0; i < 2; i++)
        for (size_t j = 0; j < 2; j++) {
            double square = 0;

            for (size_t k = 0; k < 2; k++)
                square += yk_matrix_get(C, i, k) * yk_matrix_get(C, k, j);
            assert_near(square, 4 * 0.05 * 0.05 * 2 * K[2 * i + j], 1e-12);
        }
    yk_model_close(e);
}

static void start_values_go_to_the_names_and_the_rest_is_zero(void **state)
{
    struct yk_model *e = read_text(TWO_DOFS("initial: {displacement: {y: 3 mm}, velocity: {x: -2 cm/s, y: 10 mm/s}}"));
    const struct yk_system *s = e->assembly->system;

    assert_near(s->u0[0], 0, 0);
    assert_near(s->u0[1], 0.003, 0);
    assert_near(s->v0[0], -0.02, 1e-18);
    assert_near(s->v0[1], 0.01, 1e-18);
    yk_model_close(e);
}

/* ---- assembled ---- */

/* Stiffness and damping at rest of laws, by their formulas. */
static const struct {
    const char *name, *settings;
    double k, c;
    bool linear;
} laws[] = {
    {"spring", "stiffness: 14.8 kN/m", 14800, 0, true},
    {"damper", "damping: 3", 0, 3, true},
    {"cubic-spring", "stiffness: 7, cubic: 4", 7, 0, false},
    {"gap", "stiffness: 7, gap: 1 mm", 0, 0, false},
    {"friction", "force: 6 N, slip_velocity: 2 mm/s, viscous: 1", 0, 6 / 0.002 + 1, false},
    {"saturating-damper", "linear: 1, limit: 6, knee: 0.5", 0, 1 + 6 / 0.5, false},
    {"bouc-wen", "kh: 2, k0: 5, beta: 1, gamma: 1", 7, 0, false},
    {"softening-bouc-wen", "k: 5, rho: 0.5, beta: 1", 2.5, 0, false},
    {"bilinear", "stiffness: 5, hardening: 0.1, yield_slip: 1", 5, 0, false},
    {"tanh-damper", "force: 6 N, slip_velocity: 2 mm/s, skew: 0.5, smooth: 1 mm, viscous: 1, stiffness: 7",
     7 + 6 * 0.5 / 0.001, 6 / 0.002 + 1, false},
    {"power-damper", "damping: 3, exponent: 0.5, smooth: 10 mm/s", 0, 30, false},
    {"maxwell", "stiffness: 7, damping: 4, exponent: 0.5", 7, 0, false},
    {"modified-bouc-wen", "yield_force: 6, yield_slip: 2, viscous: 1, series_viscous: 3, stiffness: 7",
     7 + 6.0 / 2 * (3.0 / 4) * (3.0 / 4), 3.0 / 4, false},
    {"pendulum", "weight: 5 kN, radius: 2 m, friction: 0.06", 0.06 * 5000 / 1e-3, 0, false},
};
enum { LAWS = sizeof laws / sizeof *laws };

static void laws_make_elements(void **state)
{
    for (size_t i = 0; i < LAWS; i++) {
        char text[400];
        const double k = laws[i].k, c = laws[i].c;

        snprintf(text, sizeof text,
                 HEAD "substructures:\n  s: {kind: assembled, nodes: {p: {mass: 2}, q: {mass: 3}},\n"
                      "    elements: [{kind: %s, between: [p.x, q.x], %s}]}\n",
                 laws[i].name, laws[i].settings);
        struct yk_model *e = read_text(text);

        check_matrix(&e->assembly->system->M, 2, (double[]){2, 0, 0, 3}, 0);
        check_matrix(&e->assembly->system->K, 2, (double[]){k, -k, -k, k}, 1e-12 * k);
        check_matrix(&e->assembly->system->C, 2, (double[]){c, -c, -c, c}, 1e-12 * c);
        assert_int_equal(e->assembly->system->linear, laws[i].linear);
        yk_model_close(e);
    }
}

static void nodes_have_their_own_names_masses_and_supports(void **state)
{
    struct yk_model *e = read_text(HEAD "substructures:\n"
                                        "  frame:\n"
                                        "    kind: assembled\n"
                                        "    nodes:\n"
                                        "      base: {dofs: [x, theta], mass: 1, fixed: [theta, x]}\n"
                                        "      n1: {dofs: [x, theta], mass: {x: 2, theta: 3 kg m2}}\n"
                                        "      n2: {mass: 5, dofs: [x, y], fixed: [y]}\n"
                                        "    elements:\n"
                                        "    - {kind: spring, between: [base.x, n1.x], stiffness: 10}\n"
                                        "    - {kind: spring, between: [n1.x, n2.x], stiffness: 20}\n"
                                        "    - {kind: spring, between: [ground, n1.theta], stiffness: 7 N m/rad}\n"
                                        "    - {kind: damper, between: [n2.y, n2.x], damping: 4}\n"
                                        "    rayleigh: {stiffness: 0.1}\n"
                                        "    initial: {displacement: {n2.x: 0.5}}\n");
    const struct yk_substructure *s = &e->substructures[0];

    assert_int_equal(s->system->n, 3);
    assert_string_equal(s->dofs[0], "n1.x");
    assert_string_equal(s->dofs[1], "n1.theta");
    assert_string_equal(s->dofs[2], "n2.x");
    check_matrix(&s->system->M, 3, (double[]){2, 0, 0, 0, 3, 0, 0, 0, 5}, 0);
    check_matrix(&s->system->K, 3, (double[]){30, 0, -20, 0, 7, 0, -20, 0, 20}, 0);
    check_matrix(&s->system->C, 3, (double[]){3, 0, -2, 0, 0.7, 0, -2, 0, 6}, 1e-15);
    assert_near(s->system->u0[2], 0.5, 0);
    yk_model_close(e);
}

static void a_spring_pendulum_has_three_degrees_of_freedom(void **state)
{
    struct yk_model *e = read_text(HEAD "substructures:\n"
                                        "  p: {kind: spring-pendulum, platform_mass: 2, platform_stiffness: 100,\n"
                                        "      mass: 1, stiffness: 50, length: 1 m, gravity: 1 g,\n"
                                        "      initial: {displacement: {theta: 90 deg}}}\n");
    const struct yk_substructure *s = &e->substructures[0];

    assert_int_equal(s->system->n, 3);
    assert_string_equal(s->dofs[0], "y");
    assert_string_equal(s->dofs[1], "l");
    assert_string_equal(s->dofs[2], "theta");
    assert_near(s->system->u0[2], M_PI / 2, 1e-15);
    assert_false(s->system->linear);
    yk_model_close(e);
}

/* ---- plugins ---- */

#define PLUGIN(name) YOKE_BINARY "/tests/plugins/" name ".so"
#define WITH_PLUGIN(library)                                                                                           \
    HEAD "substructures:\n  s: {kind: assembled, nodes: {p: {mass: 2}},\n"                                             \
         "    elements: [{kind: plugin, library: " library ", between: [ground, p.x], stiffness: 4}]}\n"

static enum yk_status parse(const char *text, struct yk_model **e, struct yk_err *err)
{
    return yk_model_parse(e, scratch_path("good.yaml"), text, strlen(text), NULL, 0, err);
}

static void a_law_from_a_plugin_is_used(void **state)
{
    struct yk_model *e = read_text(WITH_PLUGIN(PLUGIN("good_law")));

    check_matrix(&e->assembly->system->K, 1, (double[]){8}, 0);
    yk_model_close(e);
}

static void plugins_that_do_not_fit_are_refused(void **state)
{
    struct yk_model *e;

    assert_refused(parse(WITH_PLUGIN(PLUGIN("no_plugin")), &e, &err), YK_E_INPUT, "has no symbol 'yk_plugin'");
    assert_refused(parse(WITH_PLUGIN(PLUGIN("old_law")), &e, &err), YK_E_UNSUPPORTED, "was built for plugin interface");
    assert_refused(parse(WITH_PLUGIN(PLUGIN("empty_plugin")), &e, &err), YK_E_INPUT, "must offer one of");
    assert_refused(parse(HEAD "substructures: {s: {kind: plugin, library: " PLUGIN("good_law") "}}\n", &e, &err),
                   YK_E_INPUT, "good.yaml:3:27: this plugin offers an element law, not a substructure");
    assert_refused(parse(HEAD
                         "substructures:\n  s: {kind: assembled, nodes: {p: {mass: 2}}, elements:\n"
                         "   [{kind: plugin, library: " PLUGIN("good_law") ", between: [ground, p.x], stifness: 4}]}\n",
                         &e, &err),
                   YK_E_INPUT, "unknown key 'stifness' in doubled; did you mean 'stiffness'?");
}

/* A kind that remembers one past, on the given side of a coupling. */
static enum yk_status parse_slipping(const char *coupling, const char *side, struct yk_model **e, struct yk_err *err)
{
    char text[1024];

    snprintf(text, sizeof text,
             "time: {step: 10 ms, end: 1 s}\nmethod: {coupling: %s}\nsubstructures:\n"
             "  s: {kind: plugin, library: " PLUGIN(
                 "slipping_kind") ", mass: 1, stiffness: 100, yield: 1 cm, rate: %s}\n"
                                  "  other: {dofs: [x], mass: [2], stiffness: [10], rate: %s}\n"
                                  "interfaces: [{join: [s.x, other.x]}]\n",
             coupling, side, strcmp(side, "fine") == 0 ? "coarse" : "fine");
    return parse(text, e, err);
}

/* Tables of `yoke check` and of reports: the kind that a plugin offers, not the word plugin. */
static void a_kind_of_a_plugin_has_its_own_name(void **state)
{
    struct yk_model *e;

    assert_int_equal(parse_slipping("gc", "fine", &e, NULL), YK_OK);
    assert_string_equal(yk_model_kind(e, 0), "slipping");
    assert_string_equal(yk_model_kind(e, 1), "linear");
    yk_model_close(e);
}

static void a_kind_with_one_memory_is_refused_where_several_are_needed(void **state)
{
    static const char *const chained[] = {"pm", "plsrt2", "iplsrt2", "apsr1"};
    static const char *const retraced[] = {"ph", "mph", "state-space"};
    struct yk_model *e;

    for (size_t i = 0; i < sizeof chained / sizeof *chained; i++) {
        assert_refused(parse_slipping(chained[i], "coarse", &e, &err), YK_E_UNSUPPORTED,
                       "good.yaml:4:3: s has one memory");
        assert_refused(parse_slipping(chained[i], "coarse", &e, &err), YK_E_UNSUPPORTED, chained[i]);
        assert_refused(parse_slipping(chained[i], "coarse", &e, &err), YK_E_UNSUPPORTED, "'follow'");
        assert_int_equal(parse_slipping(chained[i], "fine", &e, NULL), YK_OK);
        yk_model_close(e);
    }
    for (size_t i = 0; i < sizeof retraced / sizeof *retraced; i++) {
        assert_refused(parse_slipping(retraced[i], "fine", &e, &err), YK_E_UNSUPPORTED,
                       "good.yaml:4:3: s cannot go back");
        assert_refused(parse_slipping(retraced[i], "fine", &e, &err), YK_E_UNSUPPORTED, "'mark' and 'rewind'");
        assert_int_equal(parse_slipping(retraced[i], "coarse", &e, NULL), YK_OK);
        yk_model_close(e);
    }
    assert_int_equal(parse_slipping("gc", "coarse", &e, NULL), YK_OK);
    yk_model_close(e);
}

/* ---- interfaces ---- */

#define THREE                                                                                                          \
    HEAD "substructures:\n  a: {dofs: [x], mass: [1], stiffness: [10]}\n"                                              \
         "  b: {dofs: [x, y], mass: [2, 3], stiffness: [20, 30]}\n"

static void a_join_ties_two_degrees_of_freedom(void **state)
{
    struct yk_model *e = read_text(THREE "interfaces: [{join: [a.x, b.y]}]\n");

    assert_int_equal(e->row_count, 1);
    assert_int_equal(e->rows[0].count, 2);
    assert_near(e->rows[0].coefficient[0], 1, 0);
    assert_near(e->rows[0].coefficient[1], -1, 0);
    check_matrix(&e->assembly->system->M, 2, (double[]){4, 0, 0, 2}, 0);
    check_matrix(&e->assembly->system->K, 2, (double[]){40, 0, 0, 20}, 0);
    yk_model_close(e);
}

/* a.x = (b.x + b.y)/2: M = diag(2, 3) + 1/4 [[1, 1], [1, 1]]; the same for any multiple of the row. */
static void a_general_row_averages(void **state)
{
    static const char *const rows[] = {"{a.x: 1, b.x: -0.5, b.y: -0.5}", "{a.x: -2e-13, b.x: 1e-13, b.y: 1e-13}",
                                       "{b.x: 5e11, b.y: 5e11, a.x: -1e12}"};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[400];

        snprintf(text, sizeof text, THREE "interfaces:\n- row: %s\n", rows[i]);
        struct yk_model *e = read_text(text);

        check_matrix(&e->assembly->system->M, 2, (double[]){2.25, 0.25, 0.25, 3.25}, 1e-14);
        check_matrix(&e->assembly->system->K, 2, (double[]){22.5, 2.5, 2.5, 32.5}, 1e-13);
        yk_model_close(e);
    }
}

static void redundant_rows_are_accepted(void **state)
{
    struct yk_model *e = read_text(THREE "interfaces: [{join: [a.x, b.x]}, {row: {b.x: -3, a.x: 3}}]\n");

    assert_int_equal(e->assembly->system->n, 2);
    yk_model_close(e);
}

/* ---- couplings ---- */

#define TWO                                                                                                            \
    "time: {step: 0.01, substeps: 4, end: 1}\nmethod: {coupling: pm}\nsubstructures:\n"                                \
    "  A: {rate: coarse, dofs: [x], mass: 2, stiffness: 4}\n  B: {rate: fine, dofs: [x], mass: 1, stiffness: 1}\n"

static void a_coupling_has_sides_substeps_and_named_multipliers(void **state)
{
    struct yk_model *e = read_text(TWO "interfaces: [{join: [A.x, B.x], name: deck}]\n");

    assert_string_equal(yk_model_method(e), "pm");
    assert_null(e->integrator);
    assert_int_equal(e->time.substeps, 4);
    assert_false(e->substructures[0].fine);
    assert_true(e->substructures[1].fine);
    assert_string_equal(e->row_names[0], "deck");
    yk_model_close(e);
}

/* Half of A's mass goes to B, and the ground motion follows it. */
static void a_mass_fraction_moves_mass_and_its_loads(void **state)
{
    struct yk_model *e = read_text(TWO "interfaces: [{join: [A.x, B.x], mass_fraction: 0.5}]\n"
                                       "loads: [{ground: all, kind: constant, amplitude: 1}]\n");

    assert_near(e->substructures[0].system->M.x[0], 1, 1e-15);
    assert_near(e->substructures[1].system->M.x[0], 2, 1e-15);
    assert_near(e->loads[0].direction[0], -1, 1e-15);
    assert_near(e->loads[1].direction[0], -2, 1e-15);
    assert_near(e->assembly->system->M.x[0], 3, 1e-15);
    yk_model_close(e);
}

/* ---- loads ---- */

/* A value of every signal, by its formula. NAN: only that it is finite and the same each time. */
static const struct {
    const char *text;
    double t, value;
} signals[] = {
    {"kind: constant, amplitude: 2 kN", 0.7, 2000},
    {"kind: step, amplitude: 3, at: 500 ms", 0.49, 0},
    {"kind: step, amplitude: 3, at: 500 ms", 0.5, 3},
    {"kind: ramp, amplitude: 4, from: 0.2, to: 0.6", 0.3, 1},
    {"kind: half-sine, amplitude: 4, duration: 0.6, at: 0.1", 0.2, 2},
    {"kind: sine, amplitude: 2, frequency: 1 Hz, phase: 30 deg", 0, 1},
    {"kind: sine, amplitude: 2, frequency: 60 rpm, phase: 30 deg", 1, 1},
    {"kind: multi-sine, amplitudes: [1, 2 N], frequencies: [1, 2], phases: [90 deg, 0]", 1, 1},
    {"kind: sweep, amplitude: 2, from: 1, to: 3, duration: 1", 0.5, -2}, /* cycles 0.5 + 0.25 */
    {"kind: noise, rms: 2, low: 1, high: 10, seed: 7, lines: 30", 0.3, NAN},
    {"kind: file, file: two.csv, scale: 2", 0.5, 3},
    {"kind: file, file: one.csv, step: 0.5", 0.75, 2.5},
    {"kind: file, file: units.csv", 0.5, 1500},
    {"kind: record, file: r.at2", 0.01, -2 * 9.80665},
    {"kind: earthquake, peak: 3, step: 0.01, seed: 5", 0.4, NAN},
};
enum { SIGNALS = sizeof signals / sizeof *signals };

static void write_records(void)
{
    scratch_write("two.csv", "time, force\n0, 1\n1, 2\n");
    scratch_write("one.csv", "1\n2\n3\n");
    scratch_write("units.csv", "time [ms], force [kN]\n0, 1\n1000, 2\n");
    scratch_write("r.at2", "PEER\nSTATION\nACCELERATION IN UNITS OF G\nNPTS= 3, DT= .01 SEC\n 1 -2 3\n");
}

static void signals_drive_a_force(void **state)
{
    write_records();
    for (size_t i = 0; i < SIGNALS; i++) {
        char text[400];

        snprintf(text, sizeof text, ONE "loads: [{on: a.x, %s}]\n", signals[i].text);
        struct yk_model *e = read_text(text), *again = read_text(text);
        const double f = first_force(e, signals[i].t);

        assert_near(f, first_force(again, signals[i].t), 0);
        if (isnan(signals[i].value))
            assert_true(isfinite(f) && f != 0);
        else
            assert_near(f, signals[i].value, 1e-12 * (1 + fabs(signals[i].value)));
        yk_model_close(again);
        yk_model_close(e);
    }
}

/* f = -M b a(t) with a full mass matrix. */
static void ground_motion_pushes_by_mass_times_influence(void **state)
{
    static const struct {
        const char *influence;
        double b[3];
    } cases[] = {{"", {1, 1, 1}}, {"influence: {x1: 1, x3: -2}, ", {1, 0, -2}}};
    const double M[9] = {4, 1, 0, 1, 5, 2, 0, 2, 6};

    for (size_t k = 0; k < 2; k++) {
        char text[600];
        double f[3];

        snprintf(text, sizeof text,
                 HEAD "substructures: {a: {dofs: [x1, x2, x3], mass: [[4, 1, 0], [1, 5, 2], [0, 2, 6]],"
                      " stiffness: [1, 1, 1]}}\nloads: [{ground: a, %skind: constant, amplitude: 0.4 g}]\n",
                 cases[k].influence);
        struct yk_model *e = read_text(text);

        yk_load_set_at(e->load_set, 0, f);
        for (size_t i = 0; i < 3; i++) {
            double wanted = 0;

            for (size_t j = 0; j < 3; j++)
                wanted -= M[3 * i + j] * cases[k].b[j] * 0.4 * 9.80665;
            assert_near(f[i], wanted, 1e-12);
        }
        yk_model_close(e);
    }
}

static void influence_by_direction_reaches_every_node(void **state)
{
    struct yk_model *e =
        read_text(HEAD "substructures:\n"
                       "  s: {kind: assembled, elements: [], nodes: {p: {dofs: [x, z], mass: 2},\n"
                       "      q: {dofs: [x, z], mass: 3}}}\n"
                       "loads: [{ground: all, influence: {x: 1, q.z: 0.5}, kind: constant, amplitude: 1}]\n");
    const double wanted[4] = {-2, 0, -3, -1.5};

    for (size_t i = 0; i < 4; i++)
        assert_near(e->loads[0].direction[i], wanted[i], 0);
    yk_model_close(e);
}

static void ground_motion_of_all_or_some_substructures(void **state)
{
    struct yk_model *e = read_text(THREE "loads: [{ground: [a], kind: constant, amplitude: 1},\n"
                                         "        {ground: all, influence: {x: 1}, kind: step, amplitude: 1}]\n");

    assert_int_equal(e->load_count, 3);
    assert_int_equal(e->loads[0].substructure, 0);
    assert_near(e->loads[0].direction[0], -1, 0);
    assert_near(e->loads[2].direction[0], -2, 0);
    assert_near(e->loads[2].direction[1], 0, 0);
    yk_model_close(e);
}

/* ---- YAML ---- */

static void yaml_in_other_clothes_reads_the_same(void **state)
{
    static const char *const same[] = {
        /* block style, quotes, comments, Windows line ends, byte order mark, document marks */
        "time:\n  step: \"0.1\"   # s\n  end: '1'\nmethod:\n  integrator: lsrt2\nsubstructures:\n  a:\n    dofs:\n"
        "    - x\n    mass:\n    - 2\n    stiffness:\n    - - 8\n",
        "time: {step: 0.1, end: 1}\r\nmethod: {integrator: lsrt2}\r\n"
        "substructures: {a: {dofs: [x], mass: [2], stiffness: [8]}}\r\n",
        "\xef\xbb\xbf" ONE,
        "---\n" ONE "...\n",
        "time: &t {end: 1, step: 1e-1}\nmethod: {integrator: &m lsrt2}\n"
        "substructures: {a: {dofs: [x], mass: &two [2], stiffness: [&e 8]}}\n",
        "{time: {step: +0.1, end: 1.}, method: {integrator: lsrt2},"
        " substructures: {a: {kind: linear, role: numerical, dofs: [x], mass: 2, stiffness: 8}}}",
    };

    for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
        struct yk_model *e = read_text(same[i]);

        assert_near(e->time.step, 0.1, 0);
        assert_int_equal(e->steps, 10);
        check_matrix(&e->assembly->system->M, 1, (double[]){2}, 0);
        check_matrix(&e->assembly->system->K, 1, (double[]){8}, 0);
        yk_model_close(e);
    }
}

static void anchors_are_reused_by_aliases(void **state)
{
    struct yk_model *e = read_text(HEAD "substructures:\n"
                                        "  a: &part {dofs: [x], mass: [2], stiffness: [&k 8]}\n"
                                        "  b: *part\n"
                                        "  c: {dofs: [x], mass: 1, stiffness: *k}\n");

    assert_int_equal(e->substructure_count, 3);
    for (size_t i = 0; i < 3; i++)
        check_matrix(&e->substructures[i].system->K, 1, (double[]){8}, 0);
    yk_model_close(e);
}

static void names_may_be_beyond_ascii_in_the_title_only(void **state)
{
    struct yk_model *e = read_text("title: Prüfstand 2 µm · 猫\n" ONE);

    assert_string_equal(e->title, "Prüfstand 2 µm · 猫");
    yk_model_close(e);
}

/* ---- settings ---- */

static void settings_replace_values_and_make_new_ones(void **state)
{
    static const char *const settings[] = {
        "time.step=50 ms",
        "substructures.a.mass.0=5",
        "substructures.a.stiffness=[[7]]",
        "substructures.a.initial.displacement.x=3 mm",
        "method={integrator: newmark, beta: 0.3}",
        "loads.0.amplitude=9",
        "title=other",
        "title=last one wins",
    };
    struct yk_model *e = read_with(ONE "loads: [{on: a.x, kind: constant, amplitude: 1}]\n", settings,
                                   sizeof settings / sizeof *settings);

    assert_near(e->time.step, 0.05, 0);
    check_matrix(&e->assembly->system->M, 1, (double[]){5}, 0);
    check_matrix(&e->assembly->system->K, 1, (double[]){7}, 0);
    assert_near(e->assembly->system->u0[0], 0.003, 0);
    assert_string_equal(e->integrator->name, "newmark");
    assert_near(first_force(e, 0), 9, 0);
    assert_string_equal(e->title, "last one wins");
    assert_non_null(strstr(e->overrides, "time.step=50 ms\nsubstructures.a.mass.0=5\n"));
    assert_string_equal(e->text, ONE "loads: [{on: a.x, kind: constant, amplitude: 1}]\n");
    yk_model_close(e);
}

static void settings_reach_keys_with_dots(void **state)
{
    static const char *const settings[] = {"interfaces.0.row.b.y=-2"};
    struct yk_model *e = read_with(THREE "interfaces: [{row: {a.x: 1, b.y: -1}}]\n", settings, 1);

    assert_near(e->rows[0].coefficient[1], -2, 0);
    yk_model_close(e);
}

/* Places in an experiment must not point into the caller's settings. */
static void settings_may_go_away_after_reading(void **state)
{
    char setting[] = "time.step=0.5";
    const char *const settings[] = {setting};
    struct yk_model *e = read_with(ONE, settings, 1);

    memset(setting, 'x', sizeof setting - 1);
    assert_string_equal(e->step_where.file, "--set time.step=0.5");
    yk_model_close(e);
}

static void the_motion_has_the_step_asked_for(void **state)
{
    struct yk_model *e = read_text(ONE);
    struct yk_state motion;

    assert_ok(yk_state_open(&motion, e, 0.025, &err));
    assert_near(motion.domain->integrator.dt, 0.025, 0);
    yk_state_close(&motion);
    yk_model_close(e);
}

/* ---- another method by --set ---- */

static struct yk_model *with_method(const char *method, const char *set)
{
    struct yk_model *e = NULL;
    char text[512];

    snprintf(text, sizeof text,
             "time: {step: 10 ms, end: 1}\nmethod: %s\nsubstructures:\n  a: {dofs: [x], mass: [1], stiffness: [4]}\n",
             method);
    assert_ok(yk_model_parse(&e, "m.yaml", text, strlen(text), &set, 1, &err));
    return e;
}

static double setting(const struct yk_model *e, const char *name)
{
    for (const struct yk_param *p = e->integrator->params; p->name; p++)
        if (strcmp(p->name, name) == 0)
            return *(const double *)((const char *)e->settings + p->offset);
    return NAN;
}

/* rho_inf is the same figure of both; gamma of a Rosenbrock method would make Newmark unstable. */
static void another_method_keeps_the_settings_that_mean_the_same_and_names_the_others(void **state)
{
    struct yk_model *e =
        with_method("{integrator: generalized-alpha, rho_inf: 0.5, stability: warn}", "method.integrator=kr-alpha");

    assert_near(setting(e, "rho_inf"), 0.5, 0);
    assert_int_equal(e->stability, YK_WARN_UNSTABLE);
    assert_int_equal(e->notes->count, 0);
    yk_model_close(e);
    e = with_method("{integrator: lsrt2, gamma: 0.292893}", "method.integrator=newmark");
    assert_near(setting(e, "gamma"), 0.5, 0);
    assert_int_equal(e->notes->count, 1);
    assert_string_equal(e->notes->items[0],
                        "gamma in `method` of the file belongs to lsrt2 and is not used with newmark");
    yk_model_close(e);
    e = with_method("{integrator: lsrt2, gamma: 0.292893}", "method.gamma=0.4");
    assert_near(setting(e, "gamma"), 0.4, 0);
    assert_int_equal(e->notes->count, 0);
    yk_model_close(e);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_oscillator_example_is_read),
        cmocka_unit_test(a_title_is_optional_and_the_path_stands_in),
        cmocka_unit_test(choices_and_times_with_units_are_read),
        cmocka_unit_test(steps_that_do_not_divide_in_binary_are_counted_right),
        cmocka_unit_test(every_integrator_can_be_named_with_its_defaults),
        cmocka_unit_test(matrices_may_be_rows_diagonals_numbers_or_files),
        cmocka_unit_test(rayleigh_factors_add_to_the_damping_given),
        cmocka_unit_test(rayleigh_ratio_holds_at_both_frequencies),
        cmocka_unit_test(modal_damping_is_the_square_root_of_the_stiffness),
        cmocka_unit_test(start_values_go_to_the_names_and_the_rest_is_zero),
        cmocka_unit_test(laws_make_elements),
        cmocka_unit_test(nodes_have_their_own_names_masses_and_supports),
        cmocka_unit_test(a_spring_pendulum_has_three_degrees_of_freedom),
        cmocka_unit_test(a_law_from_a_plugin_is_used),
        cmocka_unit_test(plugins_that_do_not_fit_are_refused),
        cmocka_unit_test(a_kind_of_a_plugin_has_its_own_name),
        cmocka_unit_test(a_kind_with_one_memory_is_refused_where_several_are_needed),
        cmocka_unit_test(a_join_ties_two_degrees_of_freedom),
        cmocka_unit_test(a_general_row_averages),
        cmocka_unit_test(redundant_rows_are_accepted),
        cmocka_unit_test(signals_drive_a_force),
        cmocka_unit_test(ground_motion_pushes_by_mass_times_influence),
        cmocka_unit_test(influence_by_direction_reaches_every_node),
        cmocka_unit_test(ground_motion_of_all_or_some_substructures),
        cmocka_unit_test(yaml_in_other_clothes_reads_the_same),
        cmocka_unit_test(anchors_are_reused_by_aliases),
        cmocka_unit_test(names_may_be_beyond_ascii_in_the_title_only),
        cmocka_unit_test(settings_replace_values_and_make_new_ones),
        cmocka_unit_test(settings_reach_keys_with_dots),
        cmocka_unit_test(settings_may_go_away_after_reading),
        cmocka_unit_test(the_motion_has_the_step_asked_for),
        cmocka_unit_test(a_coupling_has_sides_substeps_and_named_multipliers),
        cmocka_unit_test(a_mass_fraction_moves_mass_and_its_loads),
        cmocka_unit_test(another_method_keeps_the_settings_that_mean_the_same_and_names_the_others),
    };

    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
