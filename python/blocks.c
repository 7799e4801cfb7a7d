/* Python objects as components: tables of functions (yoke/plugin.h) that call back into Python.
 *
 * Every object has a block of its own with its table, whose `user` is the block: the private struct of every component
 * that is made from the table begins with it. Addresses go to Python as numbers, which are cheap there. */
#include <yoke/arrays.h>
#include <yoke/expression.h>
#include <yoke/motion.h>
#include <yoke/plugin.h>
#include <yoke/yoke.h>

#include <stdlib.h>
#include <string.h>

enum { LAW, SUBSTRUCTURE, SIGNAL, CONTROLLER, COMPENSATOR, RIG };
enum {
    HAS_TANGENT = 1,
    HAS_STORED = 2,
    HAS_REST = 4,
    HAS_COMMIT = 8,
    HAS_MEMORY = 16,
    HAS_CLIPPED = 32,
    HAS_LEARN = 64
};

struct py_block {
    struct yk_plugin plugin;
    char name[40];
    void *handle; /* of the Python object */
    unsigned has;
    size_t n;     /* degrees of freedom */
    char **dofs;  /* NULL at the end */
    double *mass; /* n x n */
    struct yk_law_ops law;
    struct yk_kind_ops kind;
    struct yk_signal_ops signal;
    struct yk_controller_ops controller;
    struct yk_compensator_ops compensator;
    struct yk_rig_ops rig;
};

static const struct yk_param no_settings[] = {YK_PARAM_END};

static const struct py_block *block_of(const void *self)
{
    return *(const struct py_block *const *)self;
}

/* ---- laws ---- */

static double law_force(const void *self, const double *old, double d, double w, double h, double *new_)
{
    return py_law_force(block_of(self)->handle, d, w, h, (intptr_t)old, (intptr_t)new_);
}

static void law_tangent(const void *self, const double *old, double d, double w, double h, double *k, double *c)
{
    const struct py_block *b = block_of(self);
    const double e = 1e-6 * fmax(fabs(d), 1e-3), g = 1e-6 * fmax(fabs(w), 1e-3);
    double pair[2] = {NAN, NAN}, *scratch;

    if (b->has & HAS_TANGENT) {
        py_law_tangent(b->handle, d, w, h, (intptr_t)old, pair);
    } else { /* by differences */
        scratch = calloc(b->law.count + 1, sizeof *scratch);
        pair[0] = (law_force(self, old, d + e, w, h, scratch) - law_force(self, old, d - e, w, h, scratch)) / (2 * e);
        pair[1] = (law_force(self, old, d, w + g, h, scratch) - law_force(self, old, d, w - g, h, scratch)) / (2 * g);
        py_forget(b->handle, (intptr_t)scratch);
        free(scratch);
    }
    *k = pair[0];
    *c = pair[1];
}

static double law_stored(const void *self, double d)
{
    return py_law_stored(block_of(self)->handle, d);
}

static void law_rest(const void *self, double d, double *state)
{
    const struct py_block *b = block_of(self);

    memset(state, 0, b->law.count * sizeof *state);
    state[0] = d;
    if (b->has & HAS_REST)
        py_law_rest(b->handle, d, (intptr_t)state);
}

/* ---- substructures: M a = f - r(t, u, v) ---- */

struct py_system {
    struct yk_system system; /* first: what the engine sees */
    const struct py_block *b;
    double t;                                    /* of the last force */
    double *r, *last_u, *last_r, *last_f, *work; /* n each; those of the last account */
};

/* NaN where Python failed. */
static void evaluate(struct py_system *s, const double *u, const double *v, double *r)
{
    for (size_t i = 0; i < s->b->n; i++)
        r[i] = NAN;
    py_system_force(s->b->handle, (intptr_t)s, s->t, (intptr_t)u, (intptr_t)v, (intptr_t)r);
}

static void system_force(void *self, double t, const double *f, const double *u, const double *v, double *p)
{
    struct py_system *s = self;

    s->t = t;
    evaluate(s, u, v, s->r);
    for (size_t i = 0; i < s->b->n; i++)
        p[i] = f[i] - s->r[i];
}

/* Column by column, by central differences of the force where the object has no tangent. */
static void system_tangent(void *self, const double *u, const double *v, double *K, double *C)
{
    struct py_system *s = self;
    const size_t n = s->b->n;

    if (s->b->has & HAS_TANGENT) {
        for (size_t i = 0; i < n * n; i++)
            K[i] = C[i] = NAN;
        py_system_tangent(s->b->handle, (intptr_t)s, s->t, (intptr_t)u, (intptr_t)v, (intptr_t)K, (intptr_t)C);
        return;
    }
    double *at[2] = {s->work, s->work + n}, *to[2] = {K, C};
    for (int which = 0; which < 2; which++)
        for (size_t j = 0; j < n; j++) {
            double *column = to[which] + j * n;
            double h;

            memcpy(at[0], u, n * sizeof *u);
            memcpy(at[1], v, n * sizeof *v);
            h = 1e-6 * fmax(fabs(at[which][j]), 1e-3);
            at[which][j] += h;
            evaluate(s, at[0], at[1], column);
            at[which][j] -= 2 * h;
            evaluate(s, at[0], at[1], s->r);
            for (size_t i = 0; i < n; i++)
                column[i] = (column[i] - s->r[i]) / (2 * h);
        }
}

static void system_rest(void *self, const double *u)
{
    struct py_system *s = self;

    py_system_rest(s->b->handle, (intptr_t)s, (intptr_t)u);
}

static void system_commit(void *self, double t, const double *u, const double *v)
{
    struct py_system *s = self;

    s->t = t;
    py_system_commit(s->b->handle, (intptr_t)s, t, (intptr_t)u, (intptr_t)v);
}

static void system_mark(void *self)
{
    py_system_keep(((struct py_system *)self)->b->handle, (intptr_t)self, -1);
}

static void system_rewind(void *self)
{
    py_system_keep(((struct py_system *)self)->b->handle, (intptr_t)self, -2);
}

static void system_follow(void *self, int k)
{
    py_system_keep(((struct py_system *)self)->b->handle, (intptr_t)self, k);
}

/* Energy taken up by the force counts as dissipated: the recoverable share is not known. Trapezoidal in the
 * displacement. */
static void system_account(void *self, const double *f, const double *u, const double *v, struct yk_energy *energy)
{
    struct py_system *s = self;
    const size_t n = s->b->n;

    evaluate(s, u, v, s->r);
    energy->kinetic = 0;
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++)
            energy->kinetic += 0.5 * v[i] * s->b->mass[i + j * n] * v[j];
        if (energy->started) {
            energy->dissipated += 0.5 * (s->r[i] + s->last_r[i]) * (u[i] - s->last_u[i]);
            energy->work += 0.5 * (f[i] + s->last_f[i]) * (u[i] - s->last_u[i]);
        }
        s->last_u[i] = u[i];
        s->last_r[i] = s->r[i];
        s->last_f[i] = f[i];
    }
    energy->started = true;
}

static void nothing(void *self)
{
}

static const struct yk_system_ops systems[3] = {{.force = system_force,
                                                 .tangent = system_tangent,
                                                 .account = system_account,
                                                 .rest = system_rest,
                                                 .destroy = nothing},
                                                {.force = system_force,
                                                 .tangent = system_tangent,
                                                 .account = system_account,
                                                 .rest = system_rest,
                                                 .destroy = nothing,
                                                 .commit = system_commit},
                                                {.force = system_force,
                                                 .tangent = system_tangent,
                                                 .account = system_account,
                                                 .rest = system_rest,
                                                 .destroy = nothing,
                                                 .commit = system_commit,
                                                 .mark = system_mark,
                                                 .rewind = system_rewind,
                                                 .follow = system_follow}};

static enum yk_status system_create(const void *settings, const double *u0, const double *v0, struct yk_arena *mem,
                                    struct yk_system **system, struct yk_err *err)
{
    const struct py_block *b = block_of(settings);
    const size_t n = b->n;
    struct py_system *s = yk_arena_take(mem, sizeof *s);
    enum yk_status st;

    *system = NULL;
    if (!s)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    s->b = b;
    yk_arena_array(mem, &s->r, n);
    yk_arena_array(mem, &s->last_u, n);
    yk_arena_array(mem, &s->last_r, n);
    yk_arena_array(mem, &s->last_f, n);
    yk_arena_array(mem, &s->work, 2 * n);
    s->system = (struct yk_system){.n = n,
                                   .ops = &systems[b->has & HAS_MEMORY   ? 2
                                                   : b->has & HAS_COMMIT ? 1
                                                                         : 0],
                                   .self = s};
    s->system.u0 = calloc(n + 1, sizeof(double));
    s->system.v0 = calloc(n + 1, sizeof(double));
    if (!(st = yk_arena_check(mem, err)) && (!s->system.u0 || !s->system.v0))
        st = yk_fail(err, YK_E_MEMORY, "out of memory");
    if (!st && !(st = yk_matrix_init(&s->system.M, YK_DENSE, n, n, err)) &&
        !(st = yk_matrix_init(&s->system.C, YK_DENSE, n, n, err)) &&
        !(st = yk_matrix_init(&s->system.K, YK_DENSE, n, n, err))) {
        memcpy(s->system.u0, u0, n * sizeof *u0);
        memcpy(s->system.v0, v0, n * sizeof *v0);
        memcpy(s->system.M.x, b->mass, n * n * sizeof *b->mass);
        system_tangent(s, u0, v0, s->system.K.x, s->system.C.x);
        for (size_t i = 0; i < n * n && !st; i++)
            if (!isfinite(s->system.K.x[i]) || !isfinite(s->system.C.x[i]))
                st = yk_fail(err, YK_E_DIVERGED, "its force or tangent is not finite at the start");
    }
    if (st)
        yk_system_destroy(&s->system);
    else
        *system = &s->system;
    return st;
}

/* ---- signals ---- */

static double signal_value(const void *self, double t)
{
    return py_signal_value(block_of(self)->handle, t);
}

/* ---- the transfer system ---- */

struct py_part {
    const struct py_block *b;
    double step; /* s, between two calls */
    double calls;
    int stages;
};

static enum yk_status controller_init(void *self, double h, struct yk_arena *mem, struct yk_err *err)
{
    struct py_part *p = self;

    p->step = h;
    return YK_OK;
}

static void controller_reset(void *self, double x0)
{
    struct py_part *p = self;

    p->calls = 0;
    py_controller_reset(block_of(self)->handle, (intptr_t)self, x0, p->step);
}

static double controller_step(void *self, double command, double measured)
{
    struct py_part *p = self;

    return py_controller_command(block_of(self)->handle, (intptr_t)self, ++p->calls * p->step, command, measured);
}

static void controller_clipped(void *self, double sent)
{
    py_controller_clipped(block_of(self)->handle, (intptr_t)self, sent);
}

static enum yk_status compensator_init(void *self, double dt, int stages, struct yk_arena *mem, struct yk_err *err)
{
    struct py_part *p = self;

    p->step = dt;
    p->stages = stages;
    return YK_OK;
}

static void compensator_reset(void *self, double x0)
{
    struct py_part *p = self;

    p->calls = 0;
    py_compensator_reset(block_of(self)->handle, (intptr_t)self, x0, p->step, p->stages);
}

static double compensator_predict(void *self, const struct yk_target *target, double delay)
{
    struct py_part *p = self;

    return py_compensator_command(block_of(self)->handle, (intptr_t)self, ++p->calls * p->step / p->stages, target->x,
                                  target->v, target->a, delay);
}

static void compensator_learn(void *self, double measured)
{
    py_compensator_learn(block_of(self)->handle, (intptr_t)self, measured);
}

/* ---- rigs ---- */

struct py_rig {
    const struct py_block *b;
    size_t n;
    double *out; /* displacement, force, acceleration of each actuator */
};

static enum yk_status rig_open(void *self, const struct yk_rig_plan *plan, struct yk_err *err)
{
    struct py_rig *r = self;

    r->n = plan->count;
    yk_arena_array(plan->mem, &r->out, 3 * r->n);
    return r->out ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory");
}

static void rig_close(void *self)
{
    struct py_rig *r = self;

    if (r->n)
        py_rig_close(block_of(self)->handle, (intptr_t)self);
}

static void give_readings(const struct py_rig *r, struct yk_rig_in *in)
{
    for (size_t i = 0; i < r->n; i++)
        in->readings[i] = (struct yk_reading){
            .displacement = r->out[3 * i], .force = r->out[3 * i + 1], .acceleration = r->out[3 * i + 2]};
}

static enum yk_status rig_rest(void *self, const double *x, struct yk_rig_in *in, struct yk_err *err)
{
    struct py_rig *r = self;

    if (py_rig_exchange(block_of(self)->handle, (intptr_t)self, 1, (intptr_t)x, r->n, r->out) != 0)
        return yk_fail(err, YK_E_IO, "the rig of the program failed to go to rest");
    give_readings(r, in);
    return YK_OK;
}

static enum yk_rig_answer rig_exchange(void *self, const struct yk_rig_out *out, struct yk_rig_in *in)
{
    struct py_rig *r = self;
    const int answer = py_rig_exchange(block_of(self)->handle, (intptr_t)self, 0, (intptr_t)out->command, r->n, r->out);

    if (answer == 0)
        give_readings(r, in);
    return answer == 0 ? YK_RIG_FRESH : answer == 1 ? YK_RIG_HELD : YK_RIG_REFUSED;
}

static const char *rig_reason(const void *self)
{
    return "its Python code failed";
}

static void rig_cut(void *self, uint32_t lines)
{
    py_rig_cut(block_of(self)->handle, (intptr_t)self);
}

/* ---- blocks ---- */

static void name_table(struct py_block *b, const char **name, const char **summary, const char **reference)
{
    *name = b->name;
    *summary = "an object of a Python program";
    *reference = "";
}

void py_block_free(struct py_block *b)
{
    if (!b)
        return;
    for (size_t i = 0; b->dofs && i < b->n; i++)
        free(b->dofs[i]);
    free(b->dofs);
    free(b->mass);
    free(b);
}

/* names: of the degrees of freedom, one in a line; mass: n x n; memory: doubles that a law remembers */
struct py_block *py_block_new(int family, const char *name, void *handle, unsigned has, size_t memory, size_t n,
                              const char *names, const double *mass)
{
    struct py_block *b = calloc(1, sizeof *b);

    if (!b)
        return NULL;
    b->plugin.abi = YK_PLUGIN_ABI;
    b->handle = handle;
    b->has = has;
    b->n = n;
    strncpy(b->name, name, sizeof b->name - 1);
    if (family == LAW) {
        name_table(b, &b->law.name, &b->law.summary, &b->law.reference);
        b->law.params = no_settings;
        b->law.user = b;
        b->law.settings_size = sizeof(void *);
        b->law.count = memory;
        b->law.force = law_force;
        b->law.tangent = law_tangent;
        b->law.stored = has & HAS_STORED ? law_stored : NULL;
        b->law.rest = memory ? law_rest : NULL;
        b->plugin.law = &b->law;
    } else if (family == SUBSTRUCTURE) {
        b->mass = malloc(n * n * sizeof *b->mass);
        b->dofs = calloc(n + 1, sizeof *b->dofs);
        if (!b->mass || !b->dofs) {
            py_block_free(b);
            return NULL;
        }
        memcpy(b->mass, mass, n * n * sizeof *mass);
        for (size_t i = 0; i < n; i++) {
            const size_t length = strcspn(names, "\n");

            if (!(b->dofs[i] = strndup(names, length))) {
                py_block_free(b);
                return NULL;
            }
            names += length + (names[length] != 0);
        }
        name_table(b, &b->kind.name, &b->kind.summary, &b->kind.reference);
        b->kind.params = no_settings;
        b->kind.user = b;
        b->kind.settings_size = sizeof(void *);
        b->kind.dofs = (const char *const *)b->dofs;
        b->kind.create = system_create;
        b->plugin.kind = &b->kind;
    } else if (family == SIGNAL) {
        name_table(b, &b->signal.name, &b->signal.summary, &b->signal.reference);
        b->signal.params = no_settings;
        b->signal.user = b;
        b->signal.settings_size = sizeof(void *);
        b->signal.value = signal_value;
        b->plugin.signal = &b->signal;
    } else if (family == CONTROLLER) {
        name_table(b, &b->controller.name, &b->controller.summary, &b->controller.reference);
        b->controller.params = no_settings;
        b->controller.user = b;
        b->controller.size = sizeof(struct py_part);
        b->controller.init = controller_init;
        b->controller.reset = controller_reset;
        b->controller.step = controller_step;
        b->controller.clipped = has & HAS_CLIPPED ? controller_clipped : NULL;
        b->plugin.controller = &b->controller;
    } else if (family == COMPENSATOR) {
        name_table(b, &b->compensator.name, &b->compensator.summary, &b->compensator.reference);
        b->compensator.params = no_settings;
        b->compensator.user = b;
        b->compensator.size = sizeof(struct py_part);
        b->compensator.init = compensator_init;
        b->compensator.reset = compensator_reset;
        b->compensator.predict = compensator_predict;
        b->compensator.learn = has & HAS_LEARN ? compensator_learn : NULL;
        b->plugin.compensator = &b->compensator;
    } else {
        name_table(b, &b->rig.name, &b->rig.summary, &b->rig.reference);
        b->rig.params = no_settings;
        b->rig.user = b;
        b->rig.size = sizeof(struct py_rig);
        b->rig.can = YK_RIG_SIMULATES;
        b->rig.open = rig_open;
        b->rig.close = rig_close;
        b->rig.rest = rig_rest;
        b->rig.exchange = rig_exchange;
        b->rig.reason = rig_reason;
        b->rig.cut = rig_cut;
        b->plugin.rig = &b->rig;
    }
    return b;
}

/* The list of them for yk_model_read; malloc'd. */
struct yk_component *py_components(size_t count, struct py_block *const *blocks)
{
    struct yk_component *components = calloc(count + 1, sizeof *components);

    for (size_t i = 0; components && i < count; i++)
        components[i] = (struct yk_component){blocks[i]->name, &blocks[i]->plugin};
    return components;
}
