/* A specimen on a test station, as a system: p = f - r, where r is the reading of the load cells, or, at degrees of
 * freedom whose actuators are commanded by force, what follows from the measured displacement (compliance.c).
 * docs/theory/transfer.md. */
#include "transfer/physical.h"

#include <stdlib.h>
#include <string.h>

struct physical {
    struct yk_system system;
    struct yk_station *station;
    struct yk_setup *setup; /* NULL: actuator i moves degree of freedom i */
    size_t first, count;    /* actuators */
    struct yk_compliance compliance;
    struct yk_prescribed *prescribed;
    size_t prescribed_count;
    bool holds;              /* prescribed loads do not vary */
    bool imagined;           /* answers as estimated */
    double *x;               /* of all actuators, at rest */
    double *y, *y_v, *y_a;   /* of its actuators; read, they are displacement, force and acceleration */
    double *u, *zero, *r;    /* where it was measured, and its force; n */
    double *last_u, *last_r; /* energy account */
    double *last_v;          /* room for a velocity that nobody asks for */
    double *connected;       /* forces in the connections of the compliance form */
};

static void free_prescribed(struct yk_prescribed *p, size_t count)
{
    for (size_t i = 0; p && i < count; i++)
        yk_signal_free(p[i].signal, p[i].settings);
    free(p);
}

void yk_physical_parts_free(struct yk_physical_parts *parts)
{
    free_prescribed(parts->prescribed, parts->prescribed_count);
    yk_compliance_free(&parts->compliance);
    yk_matrix_fini(&parts->M);
    yk_matrix_fini(&parts->C);
    yk_matrix_fini(&parts->K);
    free(parts->u0);
    free(parts->v0);
    yk_setup_destroy(parts->setup);
    *parts = (struct yk_physical_parts){0};
}

/* Motion of the actuators for a motion of the degrees of freedom, into y, y_v, y_a. */
YK_RT static void to_actuators(struct physical *p, const double *u, const double *v, const double *a)
{
    const size_t bytes = p->count * sizeof(double);

    if (p->setup) {
        yk_setup_targets(p->setup, u, v, a, p->y, p->y_v, p->y_a);
        return;
    }
    memcpy(p->y, u, bytes);
    memcpy(p->y_v, v, bytes);
    memcpy(p->y_a, a, bytes);
}

/* The readings as displacement and force of the degrees of freedom, into u and r. */
YK_RT static void from_actuators(struct physical *p)
{
    for (size_t i = 0; i < p->count; i++) {
        p->y[i] = yk_station_measured(p->station, p->first + i).displacement;
        p->y_v[i] = yk_station_force(p->station, p->first + i);
    }
    if (p->setup) {
        yk_setup_motion(p->setup, p->y, NULL, NULL, p->u, NULL, NULL);
        yk_setup_forces(p->setup, p->u, p->y_v, p->r);
        return;
    }
    memcpy(p->u, p->y, p->count * sizeof *p->u);
    memcpy(p->r, p->y_v, p->count * sizeof *p->r);
}

/* The forces in the connections at the target u, from where the specimen was measured: eq. (17). */
YK_RT static void connect(struct physical *p, const double *u)
{
    const struct yk_compliance *c = &p->compliance;

    for (size_t i = 0; i < c->count; i++) {
        p->connected[i] = 0;
        for (size_t j = 0; j < c->count; j++)
            p->connected[i] +=
                c->share[i + j * c->count] * yk_station_measured(p->station, p->first + c->dofs[j]).force;
        for (size_t j = 0; j < p->system.n; j++)
            p->connected[i] += c->rows[i + j * c->count] * (u[j] - p->u[j]);
    }
}

/* The other specimens rest where they are. */
static void rest(void *self, const double *u)
{
    struct physical *p = self;

    if (p->imagined)
        return;
    for (size_t i = 0; i < yk_station_count(p->station); i++)
        p->x[i] = yk_station_start(p->station, i);
    to_actuators(p, u, p->zero, p->zero);
    memcpy(p->x + p->first, p->y, p->count * sizeof *p->x);
    for (size_t i = 0; i < p->compliance.count; i++) { /* as estimated */
        double *F = &p->x[p->first + p->compliance.dofs[i]];

        *F = 0;
        for (size_t j = 0; j < p->system.n; j++)
            *F += p->compliance.rows[i + j * p->compliance.count] * u[j];
    }
    for (size_t i = 0; i < p->prescribed_count; i++)
        p->x[p->prescribed[i].actuator] = p->prescribed[i].signal->value(p->prescribed[i].settings, 0);
    (void)yk_station_rest(p->station, p->x, NULL); /* a run asks again when it begins, and is told */
    memcpy(p->u, u, p->system.n * sizeof *u);
    from_actuators(p);
}

YK_RT static double rate_of(const struct yk_prescribed *s, double t)
{
    const double h = 1e-6; /* s */

    if (s->signal->rate)
        return s->signal->rate(s->settings, t);
    return (s->signal->value(s->settings, t + h) - s->signal->value(s->settings, t - h)) / (2 * h);
}

YK_RT static void set_target(void *self, double t, const double *u, const double *v)
{
    struct physical *p = self;

    if (p->imagined)
        return;
    connect(p, u);
    to_actuators(p, u, v, p->zero);
    for (size_t i = 0; i < p->compliance.count; i++) {
        const size_t k = p->compliance.dofs[i];

        p->y[k] = p->connected[i];
        p->y_v[k] = 0;
        for (size_t j = 0; j < p->system.n; j++)
            p->y_v[k] += p->compliance.rows[i + j * p->compliance.count] * v[j];
    }
    for (size_t i = 0; i < p->count; i++)
        yk_station_set_target(p->station, p->first + i, p->y[i], p->y_v[i]);
    for (size_t i = 0; i < p->prescribed_count; i++) {
        const struct yk_prescribed *s = &p->prescribed[i];

        yk_station_set_target(p->station, s->actuator, s->signal->value(s->settings, p->holds ? 0 : t),
                              p->holds ? 0 : rate_of(s, t));
    }
}

YK_RT static void force(void *self, double t, const double *f, const double *u, const double *v, double *out)
{
    struct physical *p = self;

    if (p->imagined) {
        memset(p->r, 0, p->system.n * sizeof *p->r);
        yk_matrix_add_product(&p->system.K, 1, u, p->r);
        yk_matrix_add_product(&p->system.C, 1, v, p->r);
    } else {
        from_actuators(p);
        connect(p, u);
        for (size_t i = 0; i < p->compliance.count; i++)
            p->r[p->compliance.dofs[i]] = p->connected[i];
    }
    for (size_t i = 0; i < p->system.n; i++)
        out[i] = f[i] - p->r[i];
}

YK_RT static void measured(void *self, double *u, double *a)
{
    struct physical *p = self;

    for (size_t i = 0; i < p->count; i++) {
        const struct yk_reading now = yk_station_measured(p->station, p->first + i);

        p->y[i] = now.displacement;
        p->y_a[i] = now.acceleration;
        p->y_v[i] = 0;
    }
    memcpy(u, p->u, p->system.n * sizeof *u);
    if (p->setup)
        yk_setup_motion(p->setup, p->y, p->y_v, p->y_a, u, p->last_v, a);
    else
        memcpy(a, p->y_a, p->system.n * sizeof *a);
}

YK_RT static void tangent(void *self, const double *u, const double *v, double *K, double *C)
{
    struct physical *p = self;

    yk_matrix_to_dense(&p->system.K, K);
    yk_matrix_to_dense(&p->system.C, C);
}

/* The work of the measured force; its stored and dissipated parts cannot be separated from outside. */
YK_RT static void account(void *self, const double *f, const double *u, const double *v, struct yk_energy *energy)
{
    struct physical *p = self;

    if (!energy->started)
        energy->dissipated = energy->work = 0;
    energy->kinetic = energy->stored = 0;
    for (size_t i = 0; i < p->system.n; i++) {
        if (energy->started)
            energy->dissipated += 0.5 * (p->last_r[i] + p->r[i]) * (u[i] - p->last_u[i]);
        p->last_u[i] = u[i];
        p->last_r[i] = p->r[i];
    }
    energy->started = true;
}

static void destroy(void *self)
{
    struct physical *p = self;

    yk_setup_destroy(p->setup);
    free_prescribed(p->prescribed, p->prescribed_count);
    yk_compliance_free(&p->compliance);
}

static const struct yk_system_ops ops = {.physical = true,
                                         .force = force,
                                         .set_target = set_target,
                                         .measured = measured,
                                         .rest = rest,
                                         .tangent = tangent,
                                         .account = account,
                                         .destroy = destroy};

enum yk_status yk_physical_create(struct yk_system **system, struct yk_physical_parts *parts, struct yk_arena *mem,
                                  struct yk_err *err)
{
    const size_t n = parts->M.rows, actuators = yk_station_count(parts->station);
    const size_t count = parts->setup ? yk_setup_actuators(parts->setup) : n;
    struct yk_arena own = {0};
    struct physical *p = yk_arena_take(mem = mem ? mem : &own, sizeof *p);

    *system = NULL;
    if (!p || !yk_arena_array(mem, &p->x, actuators + 3 * count + 7 * n)) {
        yk_arena_free(&own);
        yk_physical_parts_free(parts);
        return yk_fail(err, YK_E_MEMORY, "out of memory for a specimen");
    }
    p->y = p->x + actuators;
    p->y_v = p->y + count;
    p->y_a = p->y_v + count;
    p->u = p->y_a + count;
    p->zero = p->u + n;
    p->r = p->zero + n;
    p->last_u = p->r + n;
    p->last_r = p->last_u + n;
    p->last_v = p->last_r + n;
    p->connected = p->last_v + n;
    yk_arena_pointers(mem, &p->y, &p->y_v, &p->y_a, &p->u, &p->zero, &p->r, &p->last_u, &p->last_r, &p->last_v,
                      &p->connected, &p->system.self, &p->station, &p->setup);
    p->system = (struct yk_system){.n = n,
                                   .M = parts->M,
                                   .C = parts->C,
                                   .K = parts->K,
                                   .constant_tangents = true,
                                   .u0 = parts->u0,
                                   .v0 = parts->v0,
                                   .ops = &ops,
                                   .self = p};
    p->station = parts->station;
    p->first = parts->first;
    p->count = count;
    p->setup = parts->setup;
    p->compliance = parts->compliance;
    p->prescribed = parts->prescribed;
    p->prescribed_count = parts->prescribed_count;
    p->system.own = own;
    *parts = (struct yk_physical_parts){0};
    *system = &p->system;
    return YK_OK;
}

void yk_physical_hold_loads(struct yk_system *system)
{
    ((struct physical *)system->self)->holds = true;
}

void yk_physical_imagine(struct yk_system *system)
{
    ((struct physical *)system->self)->imagined = true;
}

bool yk_is_physical(const struct yk_system *system)
{
    return system->ops->physical;
}

size_t yk_physical_actuators(const struct yk_system *system, size_t *first)
{
    const struct physical *p = system->self;

    *first = p->first;
    return p->count + p->prescribed_count;
}

YK_RT void yk_physical_reached(struct yk_system *system, const double *u, const double *v, const double *a)
{
    struct physical *p = system->self;

    if (p->imagined)
        return;
    to_actuators(p, u, v, a);
    for (size_t i = 0; i < p->count; i++)
        yk_station_reached(p->station, p->first + i, p->y[i], p->y_v[i], p->y_a[i]);
}

YK_RT void yk_physical_strokes(struct yk_system *system, const double *u, double *strokes)
{
    struct physical *p = system->self;

    to_actuators(p, u, p->zero, p->zero);
    memcpy(strokes, p->y, p->count * sizeof *strokes);
}

YK_RT void yk_physical_read(struct yk_system *system, double *u, double *v, double *a, double *r)
{
    struct physical *p = system->self;
    const size_t bytes = system->n * sizeof *u;

    from_actuators(p);
    memcpy(r, p->r, bytes);
    memcpy(u, p->u, bytes);
    for (size_t i = 0; i < p->count; i++) {
        const struct yk_reading now = yk_station_measured(p->station, p->first + i);

        p->y[i] = now.displacement;
        p->y_v[i] = now.velocity;
        p->y_a[i] = now.acceleration;
    }
    if (p->setup) {
        yk_setup_motion(p->setup, p->y, p->y_v, p->y_a, u, v, a);
        return;
    }
    memcpy(v, p->y_v, bytes);
    memcpy(a, p->y_a, bytes);
}
