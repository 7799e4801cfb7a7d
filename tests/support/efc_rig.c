/* A split structure under equivalent force control. */
#include "support/efc_rig.h"
#include "support/check.h"
#include "support/method.h"
#include "support/trap.h"

#include <math.h>
#include <stdlib.h>

#include <yoke/substructure.h>

struct efc_model efc_family(double b, double omega, double zeta)
{
    struct efc_model s = {.n = 1};
    const double M = 100 * (1 + 1 / b);

    s.MN[0] = 100;
    s.ME[0] = 100 / b;
    s.KN[0] = omega * omega * M / (1 + b);
    s.KE[0] = b * s.KN[0];
    s.CE[0] = 2 * zeta * omega * M / (1 + b);
    s.CN[0] = b * s.CE[0];
    return s;
}

/* ---- actuator -------------------------------------------------------------------------------------------------- */

void efc_actuator_init(struct efc_actuator *p, double omega, double zeta, double h, double x0)
{
    const double w2 = omega * omega;
    const double G[9] = {0, -w2 * h, 0, h, -2 * zeta * omega * h, 0, 0, w2 * h, 0};
    double E[9];

    assert_ok(yk_expm(3, G, E, &err));
    *p = (struct efc_actuator){.omega = omega, .zeta = zeta, .A = {E[0], E[1], E[3], E[4]}, .B = {E[6], E[7]}, .x = x0};
}

void efc_actuator_step(struct efc_actuator *p, double u)
{
    const double x = p->A[0] * p->x + p->A[2] * p->v + p->B[0] * u;

    p->v = p->A[1] * p->x + p->A[3] * p->v + p->B[1] * u;
    p->x = x;
    p->a = p->omega * p->omega * (u - p->x) - 2 * p->zeta * p->omega * p->v;
}

/* ---- rig ------------------------------------------------------------------------------------------------------- */

struct efc_plan efc_plan(double alpha, enum yk_efc_law law, enum yk_efc_correction correction, double dt, double h)
{
    struct efc_plan plan = {.set = yk_efc_defaults(false), .gm = 1, .gk = 1};

    plan.set.alpha = alpha;
    plan.set.law = law;
    plan.set.correction = correction;
    plan.set.dt_s = dt;
    plan.set.sample_s = h;
    return plan;
}

static struct yk_matrix dense(size_t n, double *x)
{
    return (struct yk_matrix){.form = YK_DENSE, .rows = n, .cols = n, .x = x};
}

static void create(struct efc_rig *rig, struct yk_efc_settings set, double gm, double gk)
{
    const size_t n = rig->model.n, m = rig->m;
    double ke[EFC_DOFS * EFC_DOFS], me[EFC_DOFS * EFC_DOFS], ce[EFC_DOFS * EFC_DOFS];
    const struct yk_matrix MN = dense(n, rig->model.MN), CN = dense(n, rig->model.CN), KN = dense(n, rig->model.KN);
    const struct yk_matrix KE = dense(m, ke), ME = dense(m, me), CE = dense(m, ce);

    for (size_t c = 0; c < m; c++)
        for (size_t b = 0; b < m; b++) {
            ke[b + c * m] = gk * rig->model.KE[rig->dof[b] + rig->dof[c] * n];
            me[b + c * m] = gm * rig->model.ME[rig->dof[b] + rig->dof[c] * n];
            ce[b + c * m] = rig->model.CE[rig->dof[b] + rig->dof[c] * n];
        }
    set.MN = &MN;
    set.CN = &CN;
    set.KN = &KN;
    set.KE = &KE;
    set.ME = &ME;
    set.CE = &CE;
    set.interface_count = m;
    set.interface_dof = rig->dof;
    assert_ok(yk_efc_create(&rig->efc, &set, NULL, &err));
}

/* KT = KPD + (1+al)(KN + KE), factored, from the formulas and not from the module */
static void factor_loop(struct efc_rig *rig)
{
    const struct efc_model *s = &rig->model;
    const double al = rig->efc.alpha, be = (1 - al) * (1 - al) / 4, ga = 0.5 - al, dt = rig->efc.dt;

    yk_lu_layout(&rig->KT, s->n, &rig->mem);
    assert_ok(yk_arena_check(&rig->mem, &err));
    for (size_t i = 0; i < s->n * s->n; i++)
        rig->KT.a[i] = s->MN[i] / (be * dt * dt) + (1 + al) * (ga * s->CN[i] / (be * dt) + s->KN[i] + s->KE[i]);
    assert_int_equal(yk_lu_factor(&rig->KT), YK_OK);
}

void efc_rig_open(struct efc_rig *rig, const struct efc_model *model, const struct efc_plan *plan)
{
    const double rest[EFC_DOFS] = {0};

    *rig = (struct efc_rig){.model = *model, .m = plan->m ? plan->m : model->n};
    for (size_t b = 0; b < rig->m; b++)
        rig->dof[b] = plan->m ? plan->dof[b] : b;
    create(rig, plan->set, plan->gm, plan->gk);
    factor_loop(rig);
    efc_rig_start(rig, rest);
}

void efc_rig_close(struct efc_rig *rig)
{
    yk_efc_destroy(&rig->efc);
    yk_arena_free(&rig->mem);
}

/* y += A x, of the rig's n */
static void add(const struct efc_rig *rig, const double *A, double factor, const double *x, double *y)
{
    const size_t n = rig->model.n;

    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++)
            y[i] += factor * A[i + j * n] * x[j];
}

static void load_at(const struct efc_rig *rig, long step, double *f)
{
    memset(f, 0, EFC_DOFS * sizeof *f);
    if (rig->load)
        rig->load((double)step * rig->efc.dt, f);
}

/* The reaction of the specimen in the motion (d, v, a) of all degrees of freedom, and what the interface reads. */
static void measure(struct efc_rig *rig, const double *d, const double *v, const double *a)
{
    double R[EFC_DOFS] = {0};

    add(rig, rig->model.ME, 1, a, R);
    add(rig, rig->model.CE, 1, v, R);
    add(rig, rig->model.KE, 1, d, R);
    for (size_t b = 0; b < rig->m; b++) {
        rig->dE[b] = d[rig->dof[b]];
        rig->vE[b] = v[rig->dof[b]];
        rig->aE[b] = a[rig->dof[b]];
        rig->rE[b] = R[rig->dof[b]];
    }
}

void efc_rig_start(struct efc_rig *rig, const double *d0)
{
    const size_t n = rig->model.n;
    const double rest[EFC_DOFS] = {0};
    double a0[EFC_DOFS], M[EFC_DOFS * EFC_DOFS];
    int pivot[EFC_DOFS];
    struct yk_lu lu = {n, M, pivot};

    for (size_t i = 0; i < n * n; i++)
        M[i] = rig->model.MN[i] + rig->model.ME[i];
    assert_int_equal(yk_lu_factor(&lu), YK_OK);
    load_at(rig, 0, a0);
    add(rig, rig->model.KN, -1, d0, a0);
    add(rig, rig->model.KE, -1, d0, a0);
    yk_lu_solve(&lu, a0);
    measure(rig, d0, rest, a0);
    yk_efc_start(&rig->efc, d0, rest, a0, rig->rE);
    rig->step = 0;
}

void efc_rig_actuators(struct efc_rig *rig, double omega, double zeta)
{
    for (size_t b = 0; b < rig->m; b++)
        efc_actuator_init(&rig->actuator[b], omega, zeta, rig->efc.h, rig->dE[b]);
}

static void begin(struct efc_rig *rig)
{
    double f0[EFC_DOFS], f1[EFC_DOFS];

    load_at(rig, rig->step, f0);
    load_at(rig, ++rig->step, f1);
    yk_efc_begin_step(&rig->efc, f0, f1);
}

static enum yk_status end(struct efc_rig *rig)
{
    return yk_efc_end_step(&rig->efc, &(struct yk_efc_measured){rig->dE, rig->rE, rig->aE});
}

enum yk_status efc_step_ideal(struct efc_rig *rig)
{
    const struct yk_efc *s = &rig->efc;
    const double al1 = 1 + s->alpha;
    double a[EFC_DOFS] = {0}, v[EFC_DOFS] = {0}, d[EFC_DOFS] = {0};

    begin(rig);
    for (size_t i = 0; i < rig->model.n; i++)
        a[i] = 2 * s->c2[i];
    yk_lu_solve(&rig->KT, a);
    for (size_t i = 0; i < rig->model.n; i++)
        v[i] = 2 * s->c2[i] * s->dt + s->c1[i];
    add(rig, rig->model.CE, -al1, a, v);
    yk_lu_solve(&rig->KT, v);
    memcpy(d, s->F1, rig->model.n * sizeof *d);
    add(rig, rig->model.CE, -al1, v, d);
    add(rig, rig->model.ME, -al1, a, d);
    yk_lu_solve(&rig->KT, d);
    measure(rig, d, v, a);
    return end(rig);
}

static void read_actuators(struct efc_rig *rig)
{
    double d[EFC_DOFS] = {0}, v[EFC_DOFS] = {0}, a[EFC_DOFS] = {0};

    for (size_t b = 0; b < rig->m; b++) {
        d[rig->dof[b]] = rig->actuator[b].x;
        v[rig->dof[b]] = rig->actuator[b].v;
        a[rig->dof[b]] = rig->actuator[b].a;
    }
    measure(rig, d, v, a);
}

enum yk_status efc_step_actuated(struct efc_rig *rig)
{
    double dc[EFC_DOFS];
    enum yk_status st;

    begin(rig);
    for (long j = 0; j < rig->efc.samples; j++) {
        if ((st = yk_efc_sample(&rig->efc, &(struct yk_efc_measured){.d = rig->dE, .r = rig->rE}, dc)))
            return st;
        for (size_t b = 0; b < rig->m; b++)
            efc_actuator_step(&rig->actuator[b], dc[b]);
        read_actuators(rig);
    }
    return end(rig);
}

/* ---- amplification --------------------------------------------------------------------------------------------- */

size_t efc_amplification(struct efc_rig *rig, double *A)
{
    const struct yk_span state = rig->efc.state;
    const double rest[EFC_DOFS] = {0};

    efc_rig_start(rig, rest);
    assert_int_equal(efc_step_ideal(rig), YK_OK); /* the first step of interpolation 1 is another */
    for (size_t j = 0; j < state.n; j++) {
        memset(state.x, 0, state.n * sizeof *state.x);
        state.x[j] = 1;
        assert_int_equal(efc_step_ideal(rig), YK_OK);
        memcpy(A + j * state.n, state.x, state.n * sizeof *state.x);
    }
    return state.n;
}

double efc_radius(struct efc_rig *rig)
{
    double A[EFC_STATES * EFC_STATES], re[EFC_STATES], im[EFC_STATES];
    const size_t N = efc_amplification(rig, A);

    assert_ok(yk_eigen_general(N, A, re, im, &err));
    return hypot(re[0], im[0]);
}

/* ---- the whole structure --------------------------------------------------------------------------------------- */

struct whole_load {
    size_t n;
    void (*at)(double t, double *f);
};

static void whole_load(void *self, double t, double *f)
{
    const struct whole_load *load = self;

    memset(f, 0, load->n * sizeof *f);
    if (load->at)
        load->at(t, f);
}

void efc_whole_open(struct yk_domain *domain, const struct efc_model *model, double alpha,
                    void (*load)(double, double *), double dt, const double *d0)
{
    const size_t n = model->n;
    const struct method method = {"hht", {{"alpha", alpha}}};
    struct yk_structure_parts parts = {.u0 = calloc(n, sizeof(double)), .v0 = calloc(n, sizeof(double))};
    struct whole_load *self = malloc(sizeof *self);
    struct yk_system *system;

    assert_true(parts.u0 && parts.v0 && self);
    *self = (struct whole_load){n, load};
    assert_ok(yk_matrix_init(&parts.M, YK_DENSE, n, n, &err));
    assert_ok(yk_matrix_init(&parts.C, YK_DENSE, n, n, &err));
    assert_ok(yk_matrix_init(&parts.K, YK_DENSE, n, n, &err));
    for (size_t i = 0; i < n * n; i++) {
        parts.M.x[i] = model->MN[i] + model->ME[i];
        parts.C.x[i] = model->CN[i] + model->CE[i];
        parts.K.x[i] = model->KN[i] + model->KE[i];
    }
    memcpy(parts.u0, d0, n * sizeof *d0);
    assert_ok(yk_structure_create(&system, &parts, NULL, &err));
    method_open(domain, &method, system, (struct yk_loading){whole_load, self}, dt);
}

void efc_whole_close(struct yk_domain *domain)
{
    struct yk_system *system = domain->integrator.system;

    free(domain->loading.self);
    yk_domain_destroy(domain);
    yk_system_destroy(system);
}

static void forty_steps(void *arg)
{
    struct efc_rig *rig = arg;

    for (int k = 0; k < 40; k++)
        efc_step_actuated(rig);
}

void efc_rig_assert_clean(struct efc_rig *rig)
{
    forty_steps(rig);
    assert_clean(forty_steps, rig);
    efc_rig_close(rig);
}

void efc_compare(struct efc_rig *rig, enum yk_status (*step)(struct efc_rig *), const double *d0, double end,
                 struct efc_watched watch, struct efc_comparison *out)
{
    const long steps = lround(end / rig->efc.dt);
    double error2 = 0, whole2 = 0, most = 0;
    struct yk_domain whole;

    efc_whole_open(&whole, &rig->model, rig->efc.alpha, rig->load, rig->efc.dt, d0);
    *out = (struct efc_comparison){0};
    while (rig->step < steps && most < 1e6) {
        struct yk_kinematics reached;
        double x, y;

        assert_int_equal(step(rig), YK_OK);
        assert_int_equal(yk_domain_step(&whole), YK_OK);
        yk_domain_now(&whole, &reached);
        x = watch.velocity ? yk_efc_now(&rig->efc).v[watch.dof] : yk_efc_now(&rig->efc).d[watch.dof];
        y = watch.velocity ? reached.v[watch.dof] : reached.u[watch.dof];
        most = fmax(most, fabs(x - y));
        out->peak = fmax(out->peak, fabs(y));
        error2 += (x - y) * (x - y);
        whole2 += y * y;
        if ((double)rig->step * rig->efc.dt > end - watch.window) {
            out->last = fmax(out->last, fabs(x));
            out->last_whole = fmax(out->last_whole, fabs(y));
        }
    }
    out->max = most / out->peak;
    out->rms = sqrt(error2 / whole2);
    efc_whole_close(&whole);
}
