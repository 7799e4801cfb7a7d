/* The modal path gives the motion of the given coordinates: every integrator and every coupling, over 10,000 steps, to
 * 1e-10 of the peak; or it is refused, and the refusal says why. */
#include "support/check.h"
#include "support/lattice.h"

#include "state/balance.h"
#include "state/state.h"

#include <yoke/coupling.h>

#include <math.h>
#include <pthread.h>
#include <stdlib.h>

enum { FLOORS = 20, TOP = 12, STEPS = 10000, TEXT = 20000, MOST = 64 };

#define TOLERANCE 1e-10

/* A shear building: FLOORS floors on the ground and TOP lighter ones above them, in two substructures that are joined.
 * Rayleigh damping with the same factors in both, ground motion, a force, initial velocities. */
struct building {
    const char *method;
    double step;
    int substeps;
    const char *elements; /* further ones of the upper substructure; NULL: none */
    const char *below;    /* likewise of the lower one */
    const char *parts;    /* further substructures, and interfaces with these; NULL: none */
    const char *sections; /* further ones of the file; NULL: none */
    const char *time;     /* further settings of it */
};

static const char *text_or_none(const char *text)
{
    return text ? text : "";
}

static char *describe(const struct building *b)
{
    char *text = malloc(TEXT), *at = text;

    at += sprintf(at, "title: a building\ntime: { step: %g, end: %g, substeps: %d%s }\nmethod: { %s }\n", b->step,
                  STEPS * b->step, b->substeps, text_or_none(b->time), b->method);
    at += sprintf(at, "substructures:\n");
    for (int part = 0; part < 2; part++) {
        const int floors = part ? TOP : FLOORS;

        at += sprintf(at, "  %s:\n    kind: assembled\n    rate: %s\n    rayleigh: { mass: 0.2, stiffness: 1e-4 }\n",
                      part ? "upper" : "lower", part ? "fine" : "coarse");
        at += sprintf(at, "    bases: { shaker: { motion: [ { kind: sine, amplitude: 2 mm, frequency: 2 Hz } ] } }\n"
                          "    nodes: {");
        for (int i = 0; i < floors; i++)
            at += sprintf(at, "%s f%d: { mass: %d t }", i ? "," : "", i, part ? 4 : 20 - i / 2);
        at += sprintf(at, " }\n    initial: { velocity: { f%d.x: 0.05 } }\n    elements:\n", part ? 0 : floors - 1);
        for (int i = part; i < floors; i++) {
            char below[20] = "ground";

            if (i)
                snprintf(below, sizeof below, "f%d.x", i - 1);
            at += sprintf(at, "      - { kind: spring, between: [%s, f%d.x], stiffness: %d MN/m }\n", below, i, 60 - i);
        }
        at += sprintf(at, "%s", text_or_none(part ? b->elements : b->below));
    }
    if (b->parts)
        at += sprintf(at, "%s", b->parts);
    else
        at += sprintf(at, "interfaces: [ { join: [lower.f%d.x, upper.f0.x] } ]\n", FLOORS - 1);
    sprintf(at,
            "loads:\n"
            "  - { ground: [lower, upper], kind: earthquake, peak: 0.3 g, rise: 0.1, strong: 1, decay: 0.5 }\n"
            "  - { on: lower.f7.x, kind: sine, amplitude: 30 kN, frequency: 3 Hz }\n"
            "%s",
            text_or_none(b->sections));
    return text;
}

struct course {
    struct yk_model *e;
    struct yk_model *model;
    struct yk_state m;
    struct yk_snapshot now;
    struct yk_balance balance;
};

static enum yk_status open_course(struct course *c, const char *text, const char *path, struct yk_err *why)
{
    char set[40];
    const char *const sets[] = {set};
    enum yk_status st;

    *c = (struct course){0};
    snprintf(set, sizeof set, "method.path=%s", path);
    if (*text == '/')
        assert_ok(yk_model_load(&c->e, text, sets, 1, &err));
    else
        assert_ok(yk_model_parse(&c->e, "building.yaml", text, strlen(text), sets, 1, &err));
    if ((st = yk_model_create(&c->model, c->e, 0, why))) {
        yk_model_close(c->e);
        return st;
    }
    assert_ok(yk_model_state(c->model, &c->m, &err));
    assert_ok(yk_snapshot_open(&c->now, c->e, &err));
    assert_ok(yk_balance_open(&c->balance, c->e, &err));
    assert_int_equal(yk_state_start(&c->m), YK_OK);
    return YK_OK;
}

static void close_course(struct course *c)
{
    yk_balance_close(&c->balance);
    yk_snapshot_close(&c->now);
    yk_state_close(&c->m);
    yk_model_close(c->model);
    yk_model_close(c->e);
}

/* Substructures that are stepped in modes, as bits. */
static unsigned in_modes(const struct course *c)
{
    unsigned found = 0;

    for (size_t k = 0; k < c->e->substructure_count; k++)
        found |= (unsigned)yk_state_in_modes(&c->m, k) << k;
    return found;
}

/* Which of them can be: all, unless a coupling treats degrees of freedom one by one. */
static unsigned can_be_in_modes(const struct yk_model *e)
{
    unsigned found = 0;

    for (size_t k = 0; k < e->substructure_count; k++)
        found |= (unsigned)(!e->coupling ||
                            !(e->coupling->caps & (e->substructures[k].fine ? YK_COUPLING_DOFS_B : YK_COUPLING_DOFS_A)))
                 << k;
    return found;
}

static size_t dofs_of(const struct yk_model *e)
{
    size_t n = 0;

    for (size_t k = 0; k < e->substructure_count; k++)
        n += e->substructures[k].system->n;
    return n;
}

/* The largest differences of u, v, a and energy between two courses, of the peaks of the first. False: it is refused.
 */
static bool compare(const char *text, long steps, double *off)
{
    struct course c[2];
    struct yk_err why = {0};
    double peak[4] = {0};
    size_t n;

    if (open_course(&c[1], text, "modal", &why)) {
        if (strcmp(why.subject, "path") != 0)
            print_error("%s\n", yk_err_line(&why).text);
        assert_string_equal(why.subject, "path");
        assert_non_null(strstr(yk_err_line(&why).text, "path: modal cannot be taken here: "));
        return false;
    }
    assert_ok(open_course(&c[0], text, "sparse", &err));
    assert_int_equal(in_modes(&c[0]), 0);
    assert_int_equal(in_modes(&c[1]), can_be_in_modes(c[1].e));
    n = dofs_of(c[0].e);
    memset(off, 0, 4 * sizeof *off);
    for (long step = 0; step <= steps; step++) {
        for (int i = 0; i < 2; i++) {
            if (step)
                assert_int_equal(yk_state_step(&c[i].m), YK_OK);
            yk_snapshot_take(&c[i].now, &c[i].m);
            yk_balance_take(&c[i].balance, &c[i].m, &c[i].now);
        }
        const double *const x[2][3] = {{c[0].now.u, c[0].now.v, c[0].now.a}, {c[1].now.u, c[1].now.v, c[1].now.a}};
        const struct yk_energy *e = &c[0].balance.sum, *f = &c[1].balance.sum;

        for (int q = 0; q < 3; q++)
            for (size_t i = 0; i < n; i++) {
                peak[q] = fmax(peak[q], fabs(x[0][q][i]));
                off[q] = fmax(off[q], fabs(x[0][q][i] - x[1][q][i]));
            }
        peak[3] = fmax(peak[3], e->kinetic + e->stored + e->dissipated);
        off[3] = fmax(off[3], fabs(e->kinetic - f->kinetic) + fabs(e->stored - f->stored) + fabs(e->work - f->work) +
                                  fabs(e->dissipated - f->dissipated));
    }
    for (int q = 0; q < 4; q++)
        off[q] /= peak[q];
    for (int i = 0; i < 2; i++)
        close_course(&c[i]);
    return true;
}

static void check_alike(const char *label, const char *text, long steps)
{
    double off[4];

    assert_true(compare(text, steps, off));
    if (getenv("SHOW"))
        print_message("%s: %.1e %.1e %.1e %.1e\n", label, off[0], off[1], off[2], off[3]);
    for (int q = 0; q < 4; q++) {
        if (!(off[q] < TOLERANCE))
            print_error("%s: %c is off by %.2e of its peak\n", label, "uvaE"[q], off[q]);
        assert_true(off[q] < TOLERANCE);
    }
}

static void check_building(const char *label, const struct building *b)
{
    char *text = describe(b);

    check_alike(label, text, STEPS);
    free(text);
}

/* Is the method itself refused, whatever the path? */
static bool is_refused(const struct building *b)
{
    char *text = describe(b);
    struct yk_err why = {0};
    struct course c;
    const bool refused = open_course(&c, text, "sparse", &why);

    if (!refused)
        close_course(&c);
    free(text);
    return refused;
}

static void every_integrator_moves_alike_in_modes(void **state)
{
    for (size_t i = 0; yk_integrators[i]; i++) {
        char method[60];

        snprintf(method, sizeof method, "integrator: %s", yk_integrators[i]->name);
        check_building(yk_integrators[i]->name, &(struct building){.method = method, .step = 2e-3, .substeps = 1});
    }
}

/* With and without substeps; `b` without its method. */
static void check_coupling(const struct yk_coupling_ops *ops, struct building b, const char *what)
{
    int compared = 0;

    for (int substeps = 1; substeps <= (ops->caps & YK_COUPLING_NO_SUBSTEPS ? 1 : 6); substeps += 5) {
        char method[60], label[90];

        snprintf(method, sizeof method, "coupling: %s", ops->name);
        snprintf(label, sizeof label, "%s, %d substeps, %s", ops->name, substeps, what);
        b.method = method;
        b.substeps = substeps;
        if (!is_refused(&b)) { /* one that is made for substeps, or a number of them */
            check_building(label, &b);
            compared++;
        }
    }
    assert_true(compared > 0);
}

/* Linear, and with hysteresis on one side or on both. */
static void every_coupling_moves_alike_in_modes(void **state)
{
    static const char hysteresis[] = "      - { kind: bouc-wen, between: [f1.x, f2.x], kh: 1e6, k0: 2e7, beta: 2e3 }\n";
    static const struct {
        const char *coarse, *fine, *what;
    } cases[] = {{NULL, NULL, "linear"},
                 {hysteresis, NULL, "coarse side with hysteresis"},
                 {NULL, hysteresis, "fine side with hysteresis"},
                 {hysteresis, hysteresis, "both with hysteresis"}};

    for (size_t i = 0; yk_couplings[i]; i++)
        for (size_t k = 0; k < sizeof cases / sizeof *cases && !(yk_couplings[i]->caps & YK_COUPLING_SPECIMENS); k++)
            check_coupling(yk_couplings[i],
                           (struct building){.step = 1e-3, .below = cases[k].coarse, .elements = cases[k].fine},
                           cases[k].what);
}

static const char nonlinear[] =
    "      - { kind: bouc-wen, between: [f1.x, f2.x], kh: 1e6, k0: 2e7, beta: 2e3 }\n"
    "      - { kind: gap, between: [f5.x, f6.x], stiffness: 9 MN/m, gap: 0.1 mm }\n"
    "      - { kind: damper, between: [shaker, f9.x], damping: 2e4 }\n"
    "      - { kind: cubic-spring, between: [f10.x, f11.x], stiffness: 1e6, cubic: 1e12 }\n";

/* Hysteresis, a gap, and a damper to a point that moves as prescribed: seven of 31 degrees of freedom are touched. */
static void few_nonlinear_elements_move_alike_in_modes(void **state)
{
    for (size_t i = 0; yk_integrators[i]; i++) {
        char method[60];

        if (yk_integrators[i]->caps & YK_INTEG_LINEAR_ONLY)
            continue;
        snprintf(method, sizeof method, "integrator: %s%s", yk_integrators[i]->name,
                 strcmp(yk_integrators[i]->name, "newmark-newton") == 0 ? ", tolerance: 1e-12" : "");
        check_building(yk_integrators[i]->name,
                       &(struct building){.method = method, .step = 1e-3, .substeps = 1, .elements = nonlinear});
    }
}

/* Tangents of the state, or those of the start. */
static void every_jacobian_moves_alike_in_modes(void **state)
{
    static const char *const methods[] = {"integrator: chang, jacobian: current",
                                          "integrator: lsrt1, jacobian: initial",
                                          "integrator: lsrt2, jacobian: initial", "integrator: newmark, iterations: 1"};

    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        check_building(methods[i],
                       &(struct building){.method = methods[i], .step = 1e-3, .substeps = 1, .elements = nonlinear});
}

/* An actuator with a lag moves a specimen at the top. */
static void a_specimen_moves_alike_in_modes(void **state)
{
    check_building(
        "specimen",
        &(struct building){
            .method = "integrator: lsrt2",
            .step = 4e-3,
            .substeps = 1,
            .time = ", control_rate: 1000 Hz",
            .elements = nonlinear,
            .parts = "  tip: { role: physical, dofs: [x], actuators: { x: a1 }, estimate: { stiffness: [[40000]] } }\n"
                     "interfaces: [ { join: [lower.f19.x, upper.f0.x] }, { join: [upper.f11.x, tip.x] } ]\n",
            .sections =
                "transfer: { a1: { compensator: { kind: velocity, order: 2, delay: 21 ms } } }\n"
                "rig:\n"
                "  backend: virtual\n"
                "  actuators: { a1: { plant: { kind: tt1 }, sensors: { displacement_noise: 0, force_noise: 0 } } }\n"
                "  specimen: { kind: linear, dofs: [x], mass: [[0]], stiffness: [[40000]] }\n"
                "limits: { displacement: 1 m, force: 100 kN }\n"});
}

/* ---- states of one model ------------------------------------------------------------------------------------------
 */

static void last_state(const struct course *c, const struct yk_state *m, double *u)
{
    struct yk_snapshot now = c->now;

    yk_snapshot_take(&now, m);
    memcpy(u, now.u, 3 * dofs_of(c->e) * sizeof *u);
}

static void a_saved_state_continues_with_the_same_bits(void **state)
{
    static const char *const methods[] = {"integrator: generalized-alpha", "integrator: lsrt2", "coupling: pm",
                                          "coupling: iplsrt2"};

    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        char *text =
            describe(&(struct building){.method = methods[i], .step = 1e-3, .substeps = 1, .elements = nonlinear});
        double first[3 * MOST], second[3 * MOST];
        struct yk_err why = {0};
        struct course c;

        assert_int_equal(open_course(&c, text, "modal", &why), YK_OK);
        void *bytes = aligned_alloc(64, (yk_state_size(c.model) + 63) / 64 * 64);
        for (int k = 0; k < 300; k++)
            assert_int_equal(yk_state_step(&c.m), YK_OK);
        yk_state_save(&c.m, bytes);
        for (int run = 0; run < 2; run++) {
            if (run)
                yk_state_restore(&c.m, bytes);
            for (int k = 0; k < 300; k++)
                assert_int_equal(yk_state_step(&c.m), YK_OK);
            last_state(&c, &c.m, run ? second : first);
        }
        assert_memory_equal(first, second, 3 * dofs_of(c.e) * sizeof *first);
        free(bytes);
        close_course(&c);
        free(text);
    }
}

struct worker {
    struct yk_state m;
    pthread_t thread;
};

static void *work(void *arg)
{
    struct worker *w = arg;

    yk_state_start(&w->m);
    for (int k = 0; k < 2000; k++)
        yk_state_step(&w->m);
    return NULL;
}

static void threads_that_share_a_plan_get_the_same_bits(void **state)
{
    char *text =
        describe(&(struct building){.method = "integrator: lsrt2", .step = 1e-3, .substeps = 1, .elements = nonlinear});
    double u[2][3 * MOST];
    struct yk_err why = {0};
    struct worker w[2];
    struct course c;

    assert_int_equal(open_course(&c, text, "modal", &why), YK_OK);
    for (int i = 0; i < 2; i++)
        assert_ok(yk_model_state(c.model, &w[i].m, &err));
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&w[i].thread, NULL, work, &w[i]), 0);
    for (int i = 0; i < 2; i++) {
        pthread_join(w[i].thread, NULL);
        last_state(&c, &w[i].m, u[i]);
        yk_state_close(&w[i].m);
    }
    assert_memory_equal(u[0], u[1], 3 * dofs_of(c.e) * sizeof **u);
    close_course(&c);
    free(text);
}

/* ---- what is refused, and what is chosen ------------------------------------------------------------------------- */

static void refuses(const char *text, const char *words)
{
    struct yk_err why = {0};
    struct course c;

    assert_int_equal(open_course(&c, text, "modal", &why), YK_E_UNSUPPORTED);
    assert_string_equal(why.subject, "path");
    if (!strstr(yk_err_line(&why).text, words))
        print_error("got '%s', expected '%s'\n", yk_err_line(&why).text, words);
    assert_non_null(strstr(yk_err_line(&why).text, words));
}

static void refuses_building(const struct building *b, const char *words)
{
    char *text = describe(b);

    assert_false(is_refused(b)); /* on other paths */
    refuses(text, words);
    free(text);
}

static void refusals_say_why(void **state)
{
    static const char damper[] = "      - { kind: damper, between: [f1.x, f2.x], damping: 1 MN s/m }\n";
    char all[3000] = "", *end = all;

    refuses_building(
        &(struct building){.method = "integrator: newmark", .step = 1e-3, .substeps = 1, .elements = damper},
        "the damping is not classical; it joins modes ");
    refuses_building(
        &(struct building){.method = "coupling: gc", .step = 1e-3, .substeps = 1, .elements = damper, .below = damper},
        "the damping is not classical; it joins modes ");
    refuses_building(
        &(struct building){
            .method = "integrator: newmark",
            .step = 1e-3,
            .substeps = 1,
            .parts = "  pendulum: { kind: spring-pendulum, platform_mass: 9, platform_stiffness: 90, mass: 1,\n"
                     "              stiffness: 100, length: 1 }\n"
                     "interfaces: [ { join: [lower.f19.x, upper.f0.x] } ]\n"},
        "the mass depends on the configuration");
    for (int i = 1; i < TOP; i++)
        end += sprintf(end, "      - { kind: gap, between: [f%d.x, f%d.x], stiffness: 9 MN/m, gap: 1 mm }\n", i - 1, i);
    refuses_building(
        &(struct building){.method = "coupling: gc", .step = 1e-3, .substeps = 1, .elements = all, .below = damper},
        "what is not linear acts on 12 degrees of freedom, at most 11 are allowed");
    refuses(YOKE_SOURCE "/examples/efc-split-mass/efc-split-mass.yaml", "efc treats degrees of freedom one by one");
}

/* The side of a coupling that can be in modes is, whatever the other one is. */
static void a_side_that_cannot_be_in_modes_leaves_the_other(void **state)
{
    char *text = describe(
        &(struct building){.method = "coupling: gc",
                           .step = 1e-3,
                           .substeps = 1,
                           .elements = "      - { kind: damper, between: [f1.x, f2.x], damping: 1 MN s/m }\n"});
    struct yk_err why = {0};
    struct course c;

    assert_int_equal(open_course(&c, text, "modal", &why), YK_OK);
    assert_int_equal(in_modes(&c), 1);
    close_course(&c);
    free(text);
}

/* The whole structure is nonlinear: nothing is left to the modes. */
static void a_structure_without_linear_parts_is_refused(void **state)
{
    struct yk_substructure lattice = {.name = "lattice"};
    struct yk_assembly given, modal;

    lattice.system = lattice_create(&(struct lattice){.width = 4, .height = 3, .hysteretic = SIZE_MAX});
    assert_ok(yk_assembly_create(&given, &lattice, 1, NULL, 0, NULL, &err));
    assert_refused(yk_modal_create(&modal, &given, NULL, &err), YK_E_UNSUPPORTED,
                   "what is not linear acts on 12 degrees of freedom, at most 11 are allowed");
    yk_assembly_destroy(&given);
    yk_system_destroy(lattice.system);
}

/* A damper beside those of the Rayleigh damping, about 6 kN s/m each: what it adds between two modes is 1e-14 or 1e-8
 * of critical damping. */
static void damping_is_classical_to_rounding(void **state)
{
    static const char *const dampers[] = {"1e-9", "1e-3"};

    for (int i = 0; i < 2; i++) {
        char damper[100];
        double off[4];

        snprintf(damper, sizeof damper, "      - { kind: damper, between: [f1.x, f2.x], damping: %s }\n", dampers[i]);
        char *text = describe(
            &(struct building){.method = "integrator: newmark", .step = 1e-3, .substeps = 1, .elements = damper});
        assert_int_equal(compare(text, 1000, off), i == 0);
        free(text);
    }
}

/* Consistent mass, 88 degrees of freedom, the highest frequency 1,800 times the lowest. */
static void a_bridge_moves_alike_in_modes(void **state)
{
    check_alike("bridge", YOKE_SOURCE "/examples/bridge-88/bridge-88.yaml", STEPS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_integrator_moves_alike_in_modes),
        cmocka_unit_test(few_nonlinear_elements_move_alike_in_modes),
        cmocka_unit_test(every_jacobian_moves_alike_in_modes),
        cmocka_unit_test(a_specimen_moves_alike_in_modes),
        cmocka_unit_test(a_saved_state_continues_with_the_same_bits),
        cmocka_unit_test(threads_that_share_a_plan_get_the_same_bits),
        cmocka_unit_test(refusals_say_why),
        cmocka_unit_test(a_side_that_cannot_be_in_modes_leaves_the_other),
        cmocka_unit_test(a_structure_without_linear_parts_is_refused),
        cmocka_unit_test(damping_is_classical_to_rounding),
        cmocka_unit_test(a_bridge_moves_alike_in_modes),
        cmocka_unit_test(every_coupling_moves_alike_in_modes),
    };

    return cmocka_run_group_tests_name("modal path", tests, NULL, NULL);
}
