/* An FMU as a system. docs/fmi.md.
 *
 * Motion in, force out: p = f - F, where F follows from the motion from the committed state (u_c, v_c) at t_c to (u, v)
 * at t. A co-simulation FMU starts each trial from its saved state; a model-exchange FMU has its hidden states z here.
 * D = dF/d(u, v) at constant internal state is found once. Units: N, m, rad, s. */
#include "substructure/fmu_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A committed state of the FMU. */
struct memory {
    uint64_t number; /* of its saved state */
    double t;
    bool fresh; /* it is the state after initialization with these inputs */
    double *in, *out, *z;
};

/* Constant after preparation. */
struct constants {
    struct yk_fmu *fmu;
    size_t n, inputs, outputs, states;
    bool exchange, forward, action, events; /* forward: no trials, each force is a step */
    enum yk_fmu_course course;
    int substeps;
    double piece; /* every step must have this length [s]; 0: any */
    double *D;    /* outputs x inputs */
};

struct fmu_system {
    struct yk_system system;
    const struct constants *k;
    struct memory chain[YK_CHAINS], marked, first, trial;
    uint64_t trial_from;
    int now;
    bool tried; /* trial holds the last force */
    double *in; /* of the evaluation */
    struct yk_fmu_balance balance;
};

/* ---- memories ---- */

static void layout(const struct constants *k, struct memory *m, struct yk_arena *mem)
{
    yk_arena_array(mem, &m->in, k->inputs + 1);
    yk_arena_array(mem, &m->out, k->outputs + 1);
    yk_arena_array(mem, &m->z, k->states + 1);
}

YK_RT static void copy(const struct constants *k, struct memory *to, const struct memory *from)
{
    to->number = from->number;
    to->t = from->t;
    to->fresh = from->fresh;
    memcpy(to->in, from->in, k->inputs * sizeof *to->in);
    memcpy(to->out, from->out, k->outputs * sizeof *to->out);
    memcpy(to->z, from->z, k->states * sizeof *to->z);
}

/* Initializes the FMU again with the inputs of m, since it cannot go back. */
static bool begin_again(struct fmu_system *s, struct memory *m)
{
    return yk_fmu_again(s->k->fmu, m->in, &m->number, m->out, m->z) == YK_FMU_FINE;
}

/* ---- forces ---- */

/* out += D (in - from) times the factor */
YK_RT static void add_feedthrough(const struct constants *k, double factor, const double *in, const double *from,
                                  double *out)
{
    for (size_t j = 0; j < k->inputs; j++) {
        const double d = factor * (in[j] - from[j]);

        for (size_t i = 0; d != 0 && i < k->outputs; i++)
            out[i] += k->D[i + j * k->outputs] * d;
    }
}

/* Steps from the committed state to the inputs `in` at t; the result is in `trial`. */
YK_RT static bool try_step(struct fmu_system *s, double t, bool keep)
{
    const struct constants *k = s->k;
    struct memory *c = &s->chain[s->now], *to = &s->trial;
    const double h = t - c->t, same = 1e-12 * fmax(1, fabs(t));
    struct yk_fmu_ask ask = {.what = YK_FMU_STEP,
                             .course = k->course,
                             .substeps = k->substeps,
                             .keep = keep,
                             .t = c->t,
                             .h = h,
                             .begin = c->in,
                             .end = s->in,
                             .z = c->z};
    enum yk_fmu_outcome outcome;

    memcpy(to->in, s->in, k->inputs * sizeof *to->in);
    to->t = t;
    to->fresh = false;
    if (k->piece > 0)
        ask.substeps = (int)fmax(1, fmin(60000, round(h / k->piece)));
    if (!k->exchange && h <= same) {
        memcpy(to->out, c->out, k->outputs * sizeof *to->out);
        add_feedthrough(k, 1, s->in, c->in, to->out);
        to->number = c->number;
        return true;
    }
    if (h <= same) {
        ask.h = 0;
        ask.course = YK_FMU_HELD;
    }
    ask.from = c->number;
    ask.as = yk_fmu_number(k->fmu);
    to->number = k->exchange ? c->number : ask.as; /* a trial of model exchange leaves the FMU as it is */
    outcome = yk_fmu_ask(k->fmu, &ask, to->out, to->z);
    if (outcome == YK_FMU_STATE_GONE && c->fresh && begin_again(s, c)) {
        ask.from = c->number;
        to->number = k->exchange ? c->number : ask.as;
        outcome = yk_fmu_ask(k->fmu, &ask, to->out, to->z);
    }
    if (outcome == YK_FMU_FINE && k->course == YK_FMU_MEAN && h > same)
        add_feedthrough(k, 0.5, s->in, c->in, to->out);
    return outcome == YK_FMU_FINE;
}

YK_RT static void force(void *self, double t, const double *f, const double *u, const double *v, double *p)
{
    struct fmu_system *s = self;
    const struct constants *k = s->k;
    const double sign = k->action ? -1 : 1;

    memcpy(s->in, u, k->n * sizeof *u);
    memcpy(s->in + k->n, v, k->n * sizeof *v);
    s->tried = try_step(s, t, k->forward);
    s->trial_from = s->chain[s->now].number;
    for (size_t i = 0; i < k->n; i++) {
        s->balance.r[i] = s->tried ? sign * s->trial.out[i] : (double)NAN;
        p[i] = f[i] - s->balance.r[i];
    }
    if (k->forward && s->tried)
        copy(k, &s->chain[s->now], &s->trial);
}

/* Accepts the last trial, or makes it again where it differs. */
YK_RT static void commit(void *self, double t, const double *u, const double *v)
{
    struct fmu_system *s = self;
    const struct constants *k = s->k;
    struct memory *c = &s->chain[s->now];
    const size_t bytes = k->n * sizeof *u;
    bool good = s->tried;

    if (k->forward || !s->tried)
        return;
    const bool differs = s->trial.t != t || memcmp(s->trial.in, u, bytes) != 0 ||
                         memcmp(s->trial.in + k->n, v, bytes) != 0 || s->trial_from != c->number;

    memcpy(s->in, u, bytes);
    memcpy(s->in + k->n, v, bytes);
    if (k->events) {
        const struct yk_fmu_ask ask = {.what = YK_FMU_COMMIT,
                                       .course = k->course,
                                       .substeps = k->substeps,
                                       .from = c->number,
                                       .as = s->trial.number = yk_fmu_number(k->fmu),
                                       .t = c->t,
                                       .h = t - c->t,
                                       .begin = c->in,
                                       .end = s->in,
                                       .z = c->z};

        memcpy(s->trial.in, s->in, k->inputs * sizeof *s->in);
        s->trial.t = t;
        good = yk_fmu_ask(k->fmu, &ask, s->trial.out, s->trial.z) == YK_FMU_FINE;
    } else if (differs) {
        good = try_step(s, t, true);
    } else if (!k->exchange && s->trial.number != c->number) {
        const struct yk_fmu_ask keep = {.what = YK_FMU_KEEP, .as = s->trial.number};

        good = yk_fmu_ask(k->fmu, &keep, NULL, NULL) == YK_FMU_FINE || try_step(s, t, true);
    }
    if (good)
        copy(k, c, &s->trial);
    else
        c->number = 0; /* the next force fails, and the run with it */
    s->trial_from = c->number;
}

static void rest(void *self, const double *u)
{
    struct fmu_system *s = self;
    const struct constants *k = s->k;
    struct memory *c = &s->chain[0];

    s->now = 0;
    s->tried = false;
    copy(k, c, &s->first);
    if (memcmp(c->in, u, k->n * sizeof *u) != 0) {
        memcpy(c->in, u, k->n * sizeof *u);
        memset(c->in + k->n, 0, k->n * sizeof *u);
        (void)begin_again(s, c);
    } else if (yk_fmu_has_failed(k->fmu) && begin_again(s, c)) {
        copy(k, &s->first, c);
    }
    for (int i = 1; i < YK_CHAINS; i++)
        copy(k, &s->chain[i], c);
    copy(k, &s->marked, c);
}

YK_RT static void mark(void *self)
{
    struct fmu_system *s = self;

    copy(s->k, &s->marked, &s->chain[s->now]);
}

YK_RT static void rewind_to_mark(void *self)
{
    struct fmu_system *s = self;

    copy(s->k, &s->chain[s->now], &s->marked);
}

YK_RT static void follow(void *self, int chain)
{
    struct fmu_system *s = self;

    s->now = chain;
}

YK_RT static void tangent(void *self, const double *u, const double *v, double *K, double *C)
{
    const struct fmu_system *s = self;
    const size_t n = s->k->n;
    const double sign = s->k->action ? -1 : 1;

    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++) {
            K[i + j * n] = sign * s->k->D[i + j * s->k->outputs];
            C[i + j * n] = sign * s->k->D[i + (n + j) * s->k->outputs];
        }
}

void yk_fmu_balance_layout(struct yk_fmu_balance *b, size_t n, struct yk_arena *mem)
{
    yk_arena_each(mem, n, 5, (double **const[]){&b->r, &b->last_f, &b->last_u, &b->last_r, &b->work});
}

YK_RT void yk_fmu_account(const struct yk_system *system, struct yk_fmu_balance *b, const double *f, const double *u,
                          const double *v, struct yk_energy *energy)
{
    const size_t n = system->n;

    if (!energy->started)
        energy->work = energy->dissipated = 0;
    memset(b->work, 0, n * sizeof *b->work);
    yk_matrix_add_product(&system->M, 0.5, v, b->work);
    energy->kinetic = yk_dot(n, v, b->work);
    energy->stored = 0;
    for (size_t i = 0; i < n && energy->started; i++) {
        energy->work += 0.5 * (f[i] + b->last_f[i]) * (u[i] - b->last_u[i]);
        energy->dissipated += 0.5 * (b->r[i] + b->last_r[i]) * (u[i] - b->last_u[i]);
    }
    memcpy(b->last_f, f, n * sizeof *f);
    memcpy(b->last_u, u, n * sizeof *u);
    memcpy(b->last_r, b->r, n * sizeof *u);
    energy->started = true;
}

YK_RT static void account(void *self, const double *f, const double *u, const double *v, struct yk_energy *energy)
{
    struct fmu_system *s = self;

    yk_fmu_account(&s->system, &s->balance, f, u, v, energy);
}

static bool fault(const void *self, char *text, size_t size)
{
    return yk_fmu_fault(((const struct fmu_system *)self)->k->fmu, text, size);
}

static void free_constants(struct constants *k)
{
    yk_fmu_close(k->fmu);
    free(k->D);
    free(k);
}

static void destroy(void *self)
{
    free_constants((struct constants *)((struct fmu_system *)self)->k);
}

/* How the FMU is used: "FMU: co-simulation, inputs on a line (second order), trials from saved states". */
static void describe(const void *self, char *text, size_t size)
{
    static const char *const courses[] = {[YK_FMU_HELD] = "inputs held at the end (first order)",
                                          [YK_FMU_LINEAR] = "inputs on a line (second order)",
                                          [YK_FMU_MEAN] = "inputs held at their mean (second order)"};
    const struct constants *k = ((const struct fmu_system *)self)->k;

    if (k->exchange)
        snprintf(text, size, "FMU: model exchange, %zu hidden states%s", k->states, k->events ? ", with events" : "");
    else
        snprintf(text, size, "FMU: co-simulation, %s, %s", courses[k->course],
                 k->forward ? "asked once for each instant" : "trials from saved states");
}

static const struct yk_system_ops ops = {.force = force,
                                         .rest = rest,
                                         .commit = commit,
                                         .mark = mark,
                                         .rewind = rewind_to_mark,
                                         .follow = follow,
                                         .tangent = tangent,
                                         .account = account,
                                         .fault = fault,
                                         .describe = describe,
                                         .destroy = destroy};
static const struct yk_system_ops forward_ops = {.force = force,
                                                 .rest = rest,
                                                 .commit = commit,
                                                 .tangent = tangent,
                                                 .account = account,
                                                 .fault = fault,
                                                 .describe = describe,
                                                 .destroy = destroy};

/* ---- preparation ---- */

void yk_fmu_parts_free(struct yk_fmu_parts *parts)
{
    yk_fmu_close(parts->fmu);
    yk_matrix_fini(&parts->M);
    free(parts->u0);
    free(parts->v0);
    free(parts->displacement);
    free(parts->velocity);
    free(parts->stiffness);
    free(parts->damping);
    *parts = (struct yk_fmu_parts){0};
}

/* Can the method have the trials that it makes? */
static enum yk_status check_trials(const struct yk_fmu_parts *p, bool *forward, struct yk_err *err)
{
    const struct yk_fmu_interface *flags = yk_fmu_flags(p->fmu);
    const bool exchange = yk_fmu_chosen(p->fmu) == YK_FMU_EXCHANGE,
               able = exchange ? !yk_fmu_has_events(p->fmu) || flags->saves : flags->saves;

    if (p->trials == YK_FMU_TRIALS_SAVED && !able)
        return yk_fail(err, YK_E_UNSUPPORTED, "trials: save, but the FMU cannot save its state (canGetAndSetFMU%s)",
                       yk_fmu_description(p->fmu)->version == 2 ? "state" : "State");
    *forward = !exchange && (p->trials == YK_FMU_TRIALS_NONE || !able);
    if (*forward && !p->asks_once)
        return yk_fail(err, YK_E_UNSUPPORTED,
                       "%s tries several motions from one instant, and the FMU cannot go back (%s); use a method that "
                       "is also for specimens, such as lsrt2, or an FMU with canGetAndSetFMU%s",
                       p->method, p->trials == YK_FMU_TRIALS_NONE ? "trials: none" : "it saves no state",
                       yk_fmu_description(p->fmu)->version == 2 ? "state" : "State");
    return YK_OK;
}

/* Steps that the FMU can make. */
static enum yk_status check_steps(const struct yk_fmu_parts *p, struct constants *k, struct yk_err *err)
{
    const struct yk_fmu_interface *flags = yk_fmu_flags(p->fmu);
    const double d = flags->internal_step, ratio = d > 0 ? p->step / d : 1;

    k->piece = k->exchange || flags->variable_step ? 0 : p->step;
    if (k->exchange || (ratio > 0.5 && fabs(ratio - round(ratio)) <= 1e-9 * ratio))
        return YK_OK;
    return yk_fail(
        err, YK_E_RANGE,
        "the FMU has a fixed internal step of %g s, and %g s between two forces is not a multiple of it; the "
        "nearest are %g s and %g s",
        d, p->step, d * fmax(1, floor(ratio)), d * ceil(ratio));
}

void yk_fmu_symmetrize(size_t n, size_t rows, double *A)
{
    double most = 0, worst = 0;

    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++) {
            most = fmax(most, fabs(A[i + j * rows]));
            worst = fmax(worst, fabs(A[i + j * rows] - A[j + i * rows]));
        }
    for (size_t j = 0; j < n && worst <= 1e-6 * most; j++)
        for (size_t i = 0; i < j; i++)
            A[i + j * rows] = A[j + i * rows] = 0.5 * (A[i + j * rows] + A[j + i * rows]);
}

/* D from the file or from the FMU. */
static enum yk_status find_feedthrough(const struct yk_fmu_parts *p, struct constants *k, const struct memory *first,
                                       bool *known, struct yk_err *err)
{
    const size_t n = k->n;
    double *by = calloc(k->inputs + 1, sizeof *by);
    enum yk_status st;

    *known = true;
    if (!by)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t j = 0; j < k->inputs; j++)
        by[j] = j < n ? 1e-6 : 1e-5; /* m, m/s, or rad: small beside any motion of interest */
    for (size_t j = 0; (p->stiffness || p->damping) && j < n; j++)
        for (size_t i = 0; i < n; i++) {
            k->D[i + j * k->outputs] = (k->action ? -1 : 1) * (p->stiffness ? p->stiffness[i + j * n] : 0);
            k->D[i + (n + j) * k->outputs] = (k->action ? -1 : 1) * (p->damping ? p->damping[i + j * n] : 0);
        }
    if (!p->stiffness && !p->damping &&
        (st = yk_fmu_feedthrough(k->fmu, first->number, first->in, first->z, by, 1e-6 * p->step, k->D, err))) {
        *known = false;
        memset(k->D, 0, k->outputs * k->inputs * sizeof *k->D);
        if (st != YK_E_UNSUPPORTED) {
            free(by);
            return st;
        }
    }
    yk_fmu_symmetrize(n, k->outputs, k->D);
    yk_fmu_symmetrize(n, k->outputs, k->D + n * k->outputs);
    free(by);
    return YK_OK;
}

static enum yk_status choose_course(const struct yk_fmu_parts *p, struct constants *k, bool known, struct yk_err *err)
{
    static const enum yk_fmu_course courses[] = {
        [YK_FMU_INPUTS_LINEAR] = YK_FMU_LINEAR, [YK_FMU_INPUTS_MEAN] = YK_FMU_MEAN, [YK_FMU_INPUTS_END] = YK_FMU_HELD};
    const enum yk_fmu_course best = yk_fmu_best_course(k->fmu, known);

    k->course = p->inputs == YK_FMU_INPUTS_AUTO ? best : courses[p->inputs];
    if (k->exchange || (k->course == YK_FMU_LINEAR && best != YK_FMU_LINEAR)) {
        if (k->course == YK_FMU_LINEAR && !k->exchange)
            return yk_fail(err, YK_E_UNSUPPORTED,
                           "inputs: linear, but the FMU holds its inputs during a step (%s); use mean or end",
                           yk_fmu_description(p->fmu)->version == 2 ? "canInterpolateInputs is false"
                                                                    : "it has no intermediate update of these inputs");
        return YK_OK;
    }
    if (k->course == YK_FMU_MEAN && !known)
        return yk_fail(err, YK_E_UNSUPPORTED,
                       "inputs: mean needs to know how the force depends on the motion at once; give feedthrough: { "
                       "stiffness: ..., damping: ... }, or use inputs: end");
    return YK_OK;
}

/* Flags lie: a step, back, and the same step must give the same bits. */
static enum yk_status check_saving(struct constants *k, const struct memory *first, double step, struct yk_err *err)
{
    double *out = calloc(2 * k->outputs + k->inputs + 1, sizeof *out), *in = out + 2 * k->outputs;
    enum yk_fmu_outcome outcome = YK_FMU_FINE;
    bool same;

    if (!out)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t j = 0; j < k->inputs; j++)
        in[j] = first->in[j] + 1e-6;
    for (int i = 0; i < 2 && outcome == YK_FMU_FINE; i++) {
        const struct yk_fmu_ask ask = {.what = YK_FMU_STEP,
                                       .course = k->course,
                                       .substeps = 1,
                                       .from = first->number,
                                       .as = yk_fmu_number(k->fmu),
                                       .h = step,
                                       .begin = first->in,
                                       .end = in};

        outcome = yk_fmu_ask(k->fmu, &ask, out + (size_t)i * k->outputs, NULL);
    }
    same = outcome != YK_FMU_FINE || memcmp(out, out + k->outputs, k->outputs * sizeof *out) == 0;
    free(out);
    return same ? YK_OK
                : yk_fail(err, YK_E_INPUT,
                          "the FMU says that it can save its state, but after a return to it the same step gives "
                          "another force; use trials: none");
}

static enum yk_status prepare(struct fmu_system *s, const struct yk_fmu_parts *p, struct constants *k,
                              struct yk_err *err)
{
    const struct yk_fmu_start start = {
        .in_process = p->in_process, .timeout_s = p->timeout_s, .end_s = p->end_s + p->step, .no_saving = k->forward};
    bool known;
    enum yk_status st;

    memcpy(s->first.in, p->u0, k->n * sizeof *p->u0);
    memcpy(s->first.in + k->n, p->v0, k->n * sizeof *p->v0);
    s->first.fresh = true;
    if ((st = yk_fmu_start(k->fmu, &start, s->first.in, &s->first.number, s->first.out, s->first.z, err)) ||
        (st = find_feedthrough(p, k, &s->first, &known, err)) || (st = choose_course(p, k, known, err)))
        return st;
    if (!k->exchange && !k->forward && (st = check_saving(k, &s->first, p->step, err)))
        return st;
    for (int i = 0; i < YK_CHAINS; i++)
        copy(k, &s->chain[i], &s->first);
    copy(k, &s->marked, &s->first);
    return YK_OK;
}

static enum yk_status make_matrices(struct fmu_system *s, struct yk_fmu_parts *p, struct yk_err *err)
{
    struct yk_system *y = &s->system;
    enum yk_status st;

    y->M = p->M;
    p->M = (struct yk_matrix){0};
    if ((st = yk_matrix_init(&y->K, YK_DENSE, y->n, y->n, err)) ||
        (st = yk_matrix_init(&y->C, YK_DENSE, y->n, y->n, err)))
        return st;
    tangent(s, y->u0, y->v0, y->K.x, y->C.x);
    return YK_OK;
}

enum yk_status yk_fmu_system(struct yk_system **system, struct yk_fmu_parts *p, struct yk_arena *mem,
                             struct yk_err *err)
{
    struct yk_arena own = {0};
    struct constants *k = calloc(1, sizeof *k);
    struct fmu_system *s = yk_arena_take(mem ? mem : &own, sizeof *s);
    enum yk_status st = YK_OK;

    *system = NULL;
    mem = mem ? mem : &own;
    if (!k || !s) {
        free(k);
        yk_fmu_parts_free(p);
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    }
    *k = (struct constants){.fmu = p->fmu,
                            .n = p->n,
                            .inputs = 2 * p->n,
                            .outputs = p->n,
                            .states = yk_fmu_states(p->fmu),
                            .exchange = yk_fmu_chosen(p->fmu) == YK_FMU_EXCHANGE,
                            .events = yk_fmu_has_events(p->fmu),
                            .action = p->action,
                            .substeps = p->substeps};
    if (!k->exchange)
        k->substeps = 1;
    k->D = calloc(k->inputs * k->outputs + 1, sizeof *k->D);
    s->k = k;
    for (int i = 0; i < YK_CHAINS; i++)
        layout(k, &s->chain[i], mem);
    layout(k, &s->marked, mem);
    layout(k, &s->first, mem);
    layout(k, &s->trial, mem);
    yk_arena_array(mem, &s->in, k->inputs);
    yk_arena_pointer(mem, &s->system.self);
    yk_fmu_balance_layout(&s->balance, k->n, mem);
    if ((st = yk_arena_check(mem, err)) || (st = check_trials(p, &k->forward, err)) || (st = check_steps(p, k, err))) {
        p->fmu = NULL;
        free_constants(k);
        yk_fmu_parts_free(p);
        yk_arena_free(&own);
        return st;
    }
    s->system = (struct yk_system){.n = p->n,
                                   .constant_tangents = true,
                                   .ops = k->forward ? &forward_ops : &ops,
                                   .self = s,
                                   .u0 = p->u0,
                                   .v0 = p->v0,
                                   .own = own};
    if (!(st = prepare(s, p, k, err)))
        st = make_matrices(s, p, err);
    p->fmu = NULL;
    p->u0 = p->v0 = NULL;
    yk_fmu_parts_free(p);
    if (st)
        yk_system_destroy(&s->system);
    else
        *system = &s->system;
    return st;
}
