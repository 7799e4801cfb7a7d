/* Spring-pendulum. docs/theory/integrators.md, eq. (33).
 *
 * A platform (mass M, damper C, spring K, displacement y upwards) carries a mass m on a spring k of length L (static
 * stretch included); l is the extension beyond it and theta the angle from the vertical. The configuration-dependent
 * mass matrix is divided out: p is the acceleration and the system's M the identity. Generalised loads act on y, l and
 * theta. */
#include <yoke/substructure.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct settings {
    double platform_mass, platform_damping, platform_stiffness; /* kg, N s/m, N/m */
    double mass, stiffness, length, gravity;                    /* kg, N/m, m, m/s2 */
};

struct spring_pendulum {
    struct yk_system system;
    struct settings s;
    double f[3];                         /* load of the last force call */
    double last_f[3], last_u[3], last_v; /* energy account */
};

static const struct yk_param params[] = {
    YK_REAL(struct settings, platform_mass, YK_PLAIN_MASS, YK_REQUIRED, YK_TINY, 1e12, "mass of the platform"),
    YK_REAL(struct settings, platform_damping, YK_PLAIN_DAMPING, 0, 0, 1e15, "damper between platform and ground"),
    YK_REAL(struct settings, platform_stiffness, YK_PLAIN_STIFFNESS, YK_REQUIRED, 0, 1e18,
            "spring between platform and ground"),
    YK_REAL(struct settings, mass, YK_PLAIN_MASS, YK_REQUIRED, YK_TINY, 1e12, "mass of the bob"),
    YK_REAL(struct settings, stiffness, YK_PLAIN_STIFFNESS, YK_REQUIRED, YK_TINY, 1e18, "spring of the pendulum"),
    YK_REAL(struct settings, length, YK_LENGTH, YK_REQUIRED, YK_TINY, 1e9, "length at rest, static stretch included"),
    YK_REAL(struct settings, gravity, YK_PLAIN_ACCELERATION, 9.81, 0, 1e3, "acceleration of gravity"),
    YK_PARAM_END,
};

YK_RT static void force(void *self, double t, const double *f, const double *u, const double *v, double *p)
{
    struct spring_pendulum *self_ = self;
    const struct settings *s = &self_->s;
    const double sn = sin(u[2]), cs = cos(u[2]), R = s->length + u[1], N = s->stiffness * u[1] + s->mass * s->gravity;

    memcpy(self_->f, f, sizeof self_->f);
    p[0] = (f[0] + f[1] * cs - f[2] * sn / R - s->platform_damping * v[0] - s->platform_stiffness * u[0] - N * cs +
            s->mass * s->gravity) /
           s->platform_mass;
    p[1] = p[0] * cs + R * v[2] * v[2] - s->stiffness * u[1] / s->mass - s->gravity * (1 - cs) + f[1] / s->mass;
    p[2] = (-(s->gravity + p[0]) * sn - 2 * v[1] * v[2] + f[2] / (s->mass * R)) / R;
}

/* K = -dp/du, C = -dp/dv; rows of p are y, l, theta, columns the same */
YK_RT static void tangent(void *self, const double *u, const double *v, double *K, double *C)
{
    struct spring_pendulum *self_ = self;
    const struct settings *s = &self_->s;
    const double *f = self_->f;
    const double sn = sin(u[2]), cs = cos(u[2]), R = s->length + u[1], N = s->stiffness * u[1] + s->mass * s->gravity;
    double p[3], dA[3];

    force(self, 0, (double[]){f[0], f[1], f[2]}, u, v, p);
    dA[0] = -s->platform_stiffness / s->platform_mass;
    dA[1] = (f[2] * sn / (R * R) - s->stiffness * cs) / s->platform_mass;
    dA[2] = (-f[1] * sn - f[2] * cs / R + N * sn) / s->platform_mass;
    for (int j = 0; j < 3; j++) {
        K[3 * j] = -dA[j];
        K[3 * j + 1] = -cs * dA[j];
        K[3 * j + 2] = sn * dA[j] / R;
    }
    K[3 + 1] -= v[2] * v[2] - s->stiffness / s->mass;
    K[3 + 2] += f[2] / (s->mass * R * R * R) + p[2] / R;
    K[6 + 1] += (p[0] + s->gravity) * sn;
    K[6 + 2] += (s->gravity + p[0]) * cs / R;

    memset(C, 0, 9 * sizeof *C);
    C[0] = s->platform_damping / s->platform_mass;
    C[1] = cs * C[0];
    C[2] = -sn * C[0] / R;
    C[3 + 2] = 2 * v[2] / R;
    C[6 + 1] = -2 * R * v[2];
    C[6 + 2] = 2 * v[1] / R;
}

/* M(u)^-1 F: the response of (y, l, theta) to generalised forces */
YK_RT static void mobility(void *self, const double *u, size_t cols, const double *F, double *out)
{
    const struct settings *s = &((struct spring_pendulum *)self)->s;
    const double sn = sin(u[2]), cs = cos(u[2]), R = s->length + u[1];

    for (size_t j = 0; j < cols; j++, F += 3, out += 3) {
        const double y = (F[0] + F[1] * cs - F[2] * sn / R) / s->platform_mass;

        out[1] = y * cs + F[1] / s->mass;
        out[2] = (-y * sn + F[2] / (s->mass * R)) / R;
        out[0] = y;
    }
}

YK_RT static void account(void *self, const double *f, const double *u, const double *v, struct yk_energy *energy)
{
    struct spring_pendulum *self_ = self;
    const struct settings *s = &self_->s;
    const double sn = sin(u[2]), cs = cos(u[2]), R = s->length + u[1];

    energy->kinetic =
        0.5 * s->platform_mass * v[0] * v[0] +
        0.5 * s->mass * (v[0] * v[0] + 2 * v[0] * (R * v[2] * sn - v[1] * cs) + v[1] * v[1] + R * R * v[2] * v[2]);
    energy->stored = 0.5 * s->platform_stiffness * u[0] * u[0] + 0.5 * s->stiffness * u[1] * u[1] +
                     s->mass * s->gravity * R * (1 - cs);
    if (!energy->started)
        energy->work = energy->dissipated = 0;
    for (int i = 0; i < 3 && energy->started; i++)
        energy->work += 0.5 * (f[i] + self_->last_f[i]) * (u[i] - self_->last_u[i]);
    if (energy->started)
        energy->dissipated += 0.5 * s->platform_damping * (v[0] + self_->last_v) * (u[0] - self_->last_u[0]);
    memcpy(self_->last_f, f, sizeof self_->last_f);
    memcpy(self_->last_u, u, sizeof self_->last_u);
    self_->last_v = v[0];
    energy->started = true;
}

static void destroy(void *self)
{
}

static const struct yk_system_ops ops = {
    .force = force, .tangent = tangent, .mobility = mobility, .account = account, .destroy = destroy};

/* Tangents of the initial state as the system's K and C. */
static enum yk_status initial_tangent(struct yk_system *system, struct yk_err *err)
{
    enum yk_status st;

    if ((st = yk_matrix_init(&system->M, YK_DIAGONAL, 3, 3, err)) ||
        (st = yk_matrix_init(&system->C, YK_DENSE, 3, 3, err)) ||
        (st = yk_matrix_init(&system->K, YK_DENSE, 3, 3, err)))
        return st;
    for (int i = 0; i < 3; i++)
        system->M.x[i] = 1;
    tangent(system->self, system->u0, system->v0, system->K.x, system->C.x);
    return YK_OK;
}

static enum yk_status create(const void *settings, const double *u0, const double *v0, struct yk_arena *mem,
                             struct yk_system **system, struct yk_err *err)
{
    struct yk_arena own = {0};
    struct spring_pendulum *s = yk_arena_take(mem = mem ? mem : &own, sizeof *s);
    enum yk_status st;

    *system = NULL;
    if (!s)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    s->s = *(const struct settings *)settings;
    yk_arena_pointer(mem, &s->system.self);
    s->system = (struct yk_system){.n = 3, .mass_divided_out = true, .ops = &ops, .self = s, .own = own};
    s->system.u0 = calloc(3, sizeof(double));
    s->system.v0 = calloc(3, sizeof(double));
    if (s->system.u0 && s->system.v0) {
        memcpy(s->system.u0, u0, 3 * sizeof(double));
        memcpy(s->system.v0, v0, 3 * sizeof(double));
        st = initial_tangent(&s->system, err);
    } else {
        st = yk_fail(err, YK_E_MEMORY, "out of memory");
    }
    if (st)
        yk_system_destroy(&s->system);
    else
        *system = &s->system;
    return st;
}

const struct yk_kind_ops yk_kind_spring_pendulum = {
    .name = "spring-pendulum",
    .summary = "sprung platform that carries a pendulum on a spring",
    .reference = "docs/theory/integrators.md, eq. (33)",
    .params = params,
    .settings_size = sizeof(struct settings),
    .dofs = (const char *const[]){"y", "l", "theta", NULL},
    .create = create,
};
