/* A specimen on a test station, as a system: p = f - r, where r is what the load cells say. docs/theory/transfer.md. */
#include <yoke/physical.h>

#include <stdlib.h>
#include <string.h>

struct physical {
    struct yk_system system;
    struct yk_station *station;
    size_t first;
    double aimed;            /* time of the targets that the station has */
    double *x;               /* of all actuators, at rest */
    double *last_u, *last_r; /* energy account */
};

void yk_physical_parts_free(struct yk_physical_parts *parts)
{
    yk_matrix_fini(&parts->M);
    yk_matrix_fini(&parts->C);
    yk_matrix_fini(&parts->K);
    free(parts->u0);
    free(parts->v0);
    *parts = (struct yk_physical_parts){0};
}

/* The other specimens rest where they are. */
static void rest(void *self, const double *u)
{
    struct physical *p = self;

    for (size_t i = 0; i < yk_station_count(p->station); i++)
        p->x[i] = yk_station_start(p->station, i);
    memcpy(p->x + p->first, u, p->system.n * sizeof *u);
    yk_station_rest(p->station, p->x);
    p->aimed = 0;
}

YK_RT static void aim(void *self, double t, const double *u, const double *v)
{
    struct physical *p = self;

    for (size_t i = 0; i < p->system.n; i++)
        yk_station_aim(p->station, p->first + i, u[i], v[i]);
    p->aimed = t;
}

YK_RT static void force(void *self, double t, const double *f, const double *u, const double *v, double *out)
{
    struct physical *p = self;

    if (p->aimed != t)
        aim(p, t, u, v);
    yk_station_move(p->station, t);
    for (size_t i = 0; i < p->system.n; i++)
        out[i] = f[i] - yk_station_force(p->station, p->first + i);
}

YK_RT static void measured(void *self, double *u, double *a)
{
    struct physical *p = self;

    for (size_t i = 0; i < p->system.n; i++) {
        const struct yk_reading now = yk_station_reading(p->station, p->first + i);

        u[i] = now.displacement;
        a[i] = now.acceleration;
    }
}

YK_RT static void tangent(void *self, const double *u, const double *v, double *K, double *C)
{
    struct physical *p = self;

    yk_matrix_to_dense(&p->system.K, K);
    yk_matrix_to_dense(&p->system.C, C);
}

/* The work of the measured force; what a specimen stores and what it dissipates cannot be told apart from outside. */
YK_RT static void account(void *self, const double *f, const double *u, const double *v, struct yk_energy *energy)
{
    struct physical *p = self;

    if (!energy->started)
        energy->dissipated = energy->work = 0;
    energy->kinetic = energy->stored = 0;
    for (size_t i = 0; i < p->system.n; i++) {
        const double r = yk_station_force(p->station, p->first + i);

        if (energy->started)
            energy->dissipated += 0.5 * (p->last_r[i] + r) * (u[i] - p->last_u[i]);
        p->last_u[i] = u[i];
        p->last_r[i] = r;
    }
    energy->started = true;
}

static void destroy(void *self)
{
    struct physical *p = self;

    free(p->x);
}

static const struct yk_system_ops ops = {.force = force,
                                         .aim = aim,
                                         .measured = measured,
                                         .rest = rest,
                                         .tangent = tangent,
                                         .account = account,
                                         .destroy = destroy};

enum yk_status yk_physical_create(struct yk_system **system, struct yk_physical_parts *parts, struct yk_err *err)
{
    const size_t n = parts->M.rows, actuators = yk_station_count(parts->station);
    struct physical *p = calloc(1, sizeof *p);

    *system = NULL;
    if (!p || !(p->x = calloc(actuators + 2 * n, sizeof *p->x))) {
        free(p);
        yk_physical_parts_free(parts);
        return yk_fail(err, YK_E_MEMORY, "out of memory for a specimen");
    }
    p->last_u = p->x + actuators;
    p->last_r = p->last_u + n;
    p->system = (struct yk_system){
        .n = n, .M = parts->M, .C = parts->C, .K = parts->K, .u0 = parts->u0, .v0 = parts->v0, .ops = &ops, .self = p};
    p->station = parts->station;
    p->first = parts->first;
    *parts = (struct yk_physical_parts){0};
    *system = &p->system;
    return YK_OK;
}

bool yk_is_physical(const struct yk_system *system)
{
    return system->ops == &ops;
}

YK_RT void yk_physical_reached(struct yk_system *system, const double *u, const double *v, const double *a)
{
    struct physical *p = system->self;

    for (size_t i = 0; i < system->n; i++)
        yk_station_reached(p->station, p->first + i, u[i], v[i], a[i]);
}
