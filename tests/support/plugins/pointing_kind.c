/* A plugin whose state is full of pointers: two oscillators in one substructure, whose velocities at the last two
 * accepted instants take turns. The damping force belongs to the last but one, so a copy that used the memory of
 * another run would move differently. */
#include <yoke/plugin.h>

#include <stdlib.h>
#include <string.h>

enum { N = 2 };

struct settings {
    double stiffness, damping;
};

static const struct yk_param params[] = {
    YK_REAL(struct settings, stiffness, YK_STIFFNESS, YK_REQUIRED, YK_TINY, 1e15, "of each"),
    YK_REAL(struct settings, damping, YK_DAMPING, YK_REQUIRED, 0, 1e15, "of each, by the last velocity but one"),
    YK_PARAM_END,
};

struct pointing {
    struct yk_system system;
    struct settings s;
    double *last, *before; /* exchanged by every commit */
    struct pointing *myself;
};

static void force(void *self, double t, const double *f, const double *u, const double *v, double *p)
{
    const struct pointing *k = ((struct pointing *)self)->myself;

    for (size_t i = 0; i < N; i++)
        p[i] = f[i] - k->s.stiffness * u[i] - k->s.damping * k->before[i];
}

static void rest(void *self, const double *u)
{
    struct pointing *k = self;

    memset(k->last, 0, N * sizeof *k->last);
    memset(k->before, 0, N * sizeof *k->before);
}

static void commit(void *self, double t, const double *u, const double *v)
{
    struct pointing *k = self;
    double *spare = k->before;

    memcpy(spare, v, N * sizeof *spare);
    k->before = k->last;
    k->last = spare;
}

static void tangent(void *self, const double *u, const double *v, double *K, double *C)
{
    const struct pointing *k = self;

    memset(K, 0, N * N * sizeof *K);
    memset(C, 0, N * N * sizeof *C);
    for (size_t i = 0; i < N; i++)
        K[i + i * N] = k->s.stiffness;
}

static void account(void *self, const double *f, const double *u, const double *v, struct yk_energy *energy)
{
    energy->kinetic = 0.5 * (v[0] * v[0] + v[1] * v[1]);
}

static void destroy(void *self)
{
}

static const struct yk_system_ops ops = {
    .force = force, .rest = rest, .commit = commit, .tangent = tangent, .account = account, .destroy = destroy};

static enum yk_status create(const void *settings, const double *u0, const double *v0, struct yk_arena *mem,
                             struct yk_system **system, struct yk_err *err)
{
    struct pointing *k = yk_arena_take(mem, sizeof *k);
    enum yk_status st;

    if (!k || !yk_arena_array(mem, &k->last, N) || !yk_arena_array(mem, &k->before, N))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    k->myself = k;
    yk_arena_pointer(mem, &k->myself);
    k->s = *(const struct settings *)settings;
    k->system = (struct yk_system){.n = N, .ops = &ops, .self = k};
    k->system.u0 = calloc(N, sizeof(double));
    k->system.v0 = calloc(N, sizeof(double));
    st = k->system.u0 && k->system.v0 ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory");
    if (st || (st = yk_matrix_init(&k->system.M, YK_DIAGONAL, N, N, err)) ||
        (st = yk_matrix_init(&k->system.C, YK_DENSE, N, N, err)) ||
        (st = yk_matrix_init(&k->system.K, YK_DENSE, N, N, err))) {
        yk_system_destroy(&k->system);
        return st;
    }
    for (size_t i = 0; i < N; i++) {
        k->system.u0[i] = u0[i];
        k->system.v0[i] = v0[i];
        k->system.M.x[i] = 1;
    }
    tangent(k, u0, v0, k->system.K.x, k->system.C.x);
    *system = &k->system;
    return YK_OK;
}

static const struct yk_kind_ops kind = {
    .name = "pointing",
    .summary = "two oscillators that remember their velocities",
    .reference = "",
    .params = params,
    .settings_size = sizeof(struct settings),
    .dofs = (const char *const[]){"x", "y", NULL},
    .create = create,
};

extern const struct yk_plugin yk_plugin;
const struct yk_plugin yk_plugin = {.abi = YK_PLUGIN_ABI, .kind = &kind};
