/* A plugin that remembers and cannot be told to go back: a mass on a spring behind a slider, r = k (u - s), |r| <= k y.
 * The slip s is committed; there is one of it, and neither `mark` and `rewind` nor `follow`. */
#include <yoke/plugin.h>

#include <math.h>
#include <stdlib.h>

struct settings {
    double mass, stiffness, yield;
};

static const struct yk_param params[] = {
    YK_REAL(struct settings, mass, YK_MASS, YK_REQUIRED, YK_TINY, 1e15, "that moves"),
    YK_REAL(struct settings, stiffness, YK_STIFFNESS, YK_REQUIRED, YK_TINY, 1e15, "before it slips"),
    YK_REAL(struct settings, yield, YK_LENGTH, YK_REQUIRED, YK_TINY, 1e6, "where it slips"),
    YK_PARAM_END,
};

struct slipping {
    struct yk_system system;
    struct settings s;
    double slip;
};

static double slip_at(const struct slipping *k, double u)
{
    return fmin(fmax(k->slip, u - k->s.yield), u + k->s.yield);
}

static void force(void *self, double t, const double *f, const double *u, const double *v, double *p)
{
    const struct slipping *k = self;

    p[0] = f[0] - k->s.stiffness * (u[0] - slip_at(k, u[0]));
}

static void rest(void *self, const double *u)
{
    ((struct slipping *)self)->slip = 0;
}

static void commit(void *self, double t, const double *u, const double *v)
{
    ((struct slipping *)self)->slip = slip_at(self, u[0]);
}

static void tangent(void *self, const double *u, const double *v, double *K, double *C)
{
    const struct slipping *k = self;

    K[0] = slip_at(k, u[0]) == k->slip ? k->s.stiffness : 0;
    C[0] = 0;
}

static void account(void *self, const double *f, const double *u, const double *v, struct yk_energy *energy)
{
    energy->kinetic = 0.5 * ((struct slipping *)self)->s.mass * v[0] * v[0];
}

static void destroy(void *self)
{
}

static const struct yk_system_ops ops = {
    .force = force, .rest = rest, .commit = commit, .tangent = tangent, .account = account, .destroy = destroy};

static enum yk_status create(const void *settings, const double *u0, const double *v0, struct yk_arena *mem,
                             struct yk_system **system, struct yk_err *err)
{
    struct slipping *k = yk_arena_take(mem, sizeof *k);
    enum yk_status st;

    if (!k)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    k->s = *(const struct settings *)settings;
    k->system = (struct yk_system){.n = 1, .ops = &ops, .self = k};
    k->system.u0 = malloc(sizeof(double));
    k->system.v0 = malloc(sizeof(double));
    st = k->system.u0 && k->system.v0 ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory");
    if (st || (st = yk_matrix_init(&k->system.M, YK_DIAGONAL, 1, 1, err)) ||
        (st = yk_matrix_init(&k->system.C, YK_DENSE, 1, 1, err)) ||
        (st = yk_matrix_init(&k->system.K, YK_DENSE, 1, 1, err))) {
        yk_system_destroy(&k->system);
        return st;
    }
    k->system.u0[0] = u0[0];
    k->system.v0[0] = v0[0];
    k->system.M.x[0] = k->s.mass;
    k->system.K.x[0] = k->s.stiffness;
    *system = &k->system;
    return YK_OK;
}

static const struct yk_kind_ops kind = {
    .name = "slipping",
    .summary = "mass on a spring behind a slider",
    .reference = "",
    .params = params,
    .settings_size = sizeof(struct settings),
    .dofs = (const char *const[]){"x", NULL},
    .create = create,
};

extern const struct yk_plugin yk_plugin;
const struct yk_plugin yk_plugin = {.abi = YK_PLUGIN_ABI, .kind = &kind};
