/* The restoring force of a model in OpenSees, as a system: p = f - C v - r(u). docs/opensees.md */
#include "rig/fresco_system.h"

#include "base/clock.h"
#include "rig/host.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct elsewhere;

/* The connection to the model: one, shared by all motions. */
struct line {
    struct yk_fresco_system_settings settings;
    struct yk_fresco_client client;
    const struct elsewhere *owner; /* the motion whose path it follows; NULL: none */
    bool used;                     /* it has moved since its session began */
    bool silent, failed;           /* it did not answer in time; its answer was not a number */
};

struct elsewhere {
    struct yk_system system;
    struct line *line;
    double *tried, *r, *Cv;  /* last trial, its force; n */
    double *last_u, *last_p; /* energy account: state, and f, r + C v behind each other */
};

/* ---- the wire ---- */

static enum yk_status connect_line(struct line *l, struct yk_err *err)
{
    const struct yk_fresco_system_settings *s = &l->settings;

    l->client.server = YK_FRESCO_TO_ELEMENT;
    return yk_fresco_open(&l->client, yk_host_of(s->host), s->port, s->patience, err);
}

YK_RT static int64_t deadline(const struct line *l)
{
    return yk_clock_now_ns() + (int64_t)(1e9 * l->settings.wait);
}

/* ---- the system ---- */

/* Makes a trial; the forces are NaN if the model does not answer. */
YK_RT static void try(struct elsewhere *e, double t, const double *u, const double *v)
{
    struct line *l = e->line;
    const size_t n = e->system.n;
    const int64_t until = deadline(l);
    bool good = l->owner == e && yk_fresco_go_on(&l->client, until);

    memcpy(e->tried, u, n * sizeof *u);
    if (good) {
        yk_fresco_set_trial(&l->client, u, v, NULL, t);
        yk_fresco_ask(&l->client, false, true, YK_FRESCO_GET_FORCE);
        good = yk_fresco_go_on(&l->client, until);
        l->used = true;
    }
    const double *r = good ? yk_fresco_block_of(&l->client, YK_FRESCO_FORCE) : NULL;
    l->silent |= l->owner == e && !good;
    for (size_t i = 0; i < n; i++) {
        e->r[i] = r ? r[i] : (double)NAN;
        l->failed |= r && !isfinite(r[i]);
    }
}

YK_RT static void force(void *self, double t, const double *f, const double *u, const double *v, double *p)
{
    struct elsewhere *e = self;

    try(e, t, u, v);
    memcpy(p, f, e->system.n * sizeof *p);
    yk_matrix_add_product(&e->system.C, -1, v, p);
    for (size_t i = 0; i < e->system.n; i++)
        p[i] -= e->r[i];
}

YK_RT static void commit(void *self, double t, const double *u, const double *v)
{
    struct elsewhere *e = self;

    if (memcmp(e->tried, u, e->system.n * sizeof *u) != 0)
        try(e, t, u, v); /* another state than the last trial is accepted */
    if (e->line->owner == e)
        yk_fresco_commit(&e->line->client, deadline(e->line));
}

/* A new session begins at rest. Whoever followed the model before gets no more numbers. */
static void rest(void *self, const double *u)
{
    struct elsewhere *e = self;
    struct line *l = e->line;
    struct yk_err err;

    l->owner = e;
    if (l->used) {
        yk_stream_close(&l->client.socket);
        l->used = false;
        if (connect_line(l, &err))
            l->owner = NULL;
    }
    try(e, 0, u, NULL);
}

YK_RT static void tangent(void *self, const double *u, const double *v, double *K, double *C)
{
    struct elsewhere *e = self;

    yk_matrix_to_dense(&e->system.K, K);
    yk_matrix_to_dense(&e->system.C, C);
}

/* Energy stored in the model is unknown here: the work of its forces counts as dissipated. */
YK_RT static void account(void *self, const double *f, const double *u, const double *v, struct yk_energy *energy)
{
    struct elsewhere *e = self;
    const size_t n = e->system.n;

    if (!energy->started)
        energy->dissipated = energy->work = 0;
    memset(e->Cv, 0, n * sizeof *e->Cv);
    yk_matrix_add_product(&e->system.M, 0.5, v, e->Cv);
    energy->kinetic = 0;
    for (size_t i = 0; i < n; i++)
        energy->kinetic += v[i] * e->Cv[i];
    energy->stored = 0;
    memcpy(e->Cv, e->r, n * sizeof *e->Cv);
    yk_matrix_add_product(&e->system.C, 1, v, e->Cv);
    for (size_t i = 0; i < n; i++) {
        if (energy->started) {
            energy->work += 0.5 * (f[i] + e->last_p[i]) * (u[i] - e->last_u[i]);
            energy->dissipated += 0.5 * (e->Cv[i] + e->last_p[n + i]) * (u[i] - e->last_u[i]);
        }
        e->last_u[i] = u[i];
        e->last_p[i] = f[i];
        e->last_p[n + i] = e->Cv[i];
    }
    energy->started = true;
}

static void end_line(struct line *l)
{
    if (!l)
        return;
    yk_fresco_close(&l->client);
    yk_interpreter_end(&l->settings.interpreter);
    free(l->settings.host);
    free(l);
}

static void destroy(void *self)
{
    end_line(((struct elsewhere *)self)->line);
}

static bool fault(const void *self, char *text, size_t size)
{
    struct line *l = ((const struct elsewhere *)self)->line;

    if (l->silent || l->failed)
        yk_interpreter_fault(&l->settings.interpreter,
                             l->client.socket.gone ? "the model in OpenSees closed the connection"
                             : l->silent           ? "the model in OpenSees did not answer within `wait`"
                                                   : "the analysis in OpenSees failed: its force is not a number",
                             text, size);
    return l->silent || l->failed;
}

static const struct yk_system_ops ops = {.force = force,
                                         .commit = commit,
                                         .rest = rest,
                                         .tangent = tangent,
                                         .account = account,
                                         .fault = fault,
                                         .destroy = destroy};

/* ---- preparation ---- */

void yk_fresco_system_parts_free(struct yk_fresco_system_parts *parts)
{
    yk_matrix_fini(&parts->M);
    yk_matrix_fini(&parts->C);
    yk_matrix_fini(&parts->K);
    free(parts->u0);
    free(parts->v0);
    yk_interpreter_end(&parts->settings.interpreter);
    free(parts->settings.host);
    *parts = (struct yk_fresco_system_parts){0};
}

/* The initial stiffness, as the model has it. */
static enum yk_status ask_stiffness(struct line *l, size_t n, struct yk_matrix *K, struct yk_err *err)
{
    enum yk_status st;

    yk_fresco_ask(&l->client, false, false, YK_FRESCO_GET_INITIAL_STIFF);
    if (!yk_fresco_go_on(&l->client, yk_clock_now_ns() + (int64_t)(1e9 * l->settings.patience)))
        return yk_fail(err, YK_E_IO, "the server does not answer the question for its initial stiffness");
    if ((st = yk_matrix_init(K, YK_DENSE, n, n, err)))
        return st;
    memcpy(K->x, l->client.answer, n * n * sizeof *K->x);
    for (size_t i = 0; i < n * n; i++)
        if (!isfinite(K->x[i]))
            return yk_fail(err, YK_E_INPUT, "the initial stiffness of the model is not finite");
    return yk_matrix_compact(K, err);
}

enum yk_status yk_fresco_system_create(struct yk_system **system, struct yk_fresco_system_parts *parts,
                                       struct yk_arena *mem, struct yk_err *err)
{
    const size_t n = parts->M.rows;
    struct elsewhere *e = yk_arena_take(mem, sizeof *e);
    struct line *l = calloc(1, sizeof *l);
    enum yk_status st = YK_OK;

    *system = NULL;
    if (!e || !l || !yk_arena_array(mem, &e->tried, 6 * n))
        st = yk_fail(err, YK_E_MEMORY, "out of memory for a model elsewhere");
    if (l) {
        l->settings = parts->settings;
        parts->settings = (struct yk_fresco_system_settings){0};
        l->client.socket.fd = -1;
        l->client.count = n;
    }
    if (!st && !(st = yk_interpreter_start(&l->settings.interpreter, &l->settings.port, err)) &&
        ((st = connect_line(l, err)) || (!parts->K.rows && (st = ask_stiffness(l, n, &parts->K, err)))))
        yk_interpreter_explain(&l->settings.interpreter, err);
    if (st) {
        end_line(l);
        yk_fresco_system_parts_free(parts);
        return st;
    }
    e->line = l;
    e->r = e->tried + n;
    e->Cv = e->r + n;
    e->last_u = e->Cv + n;
    e->last_p = e->last_u + n;
    yk_arena_pointers(mem, &e->r, &e->Cv, &e->last_u, &e->last_p, &e->system.self);
    e->system = (struct yk_system){.n = n,
                                   .M = parts->M,
                                   .C = parts->C,
                                   .K = parts->K,
                                   .constant_tangents = true,
                                   .u0 = parts->u0,
                                   .v0 = parts->v0,
                                   .ops = &ops,
                                   .self = e};
    *parts = (struct yk_fresco_system_parts){0};
    *system = &e->system;
    return YK_OK;
}
