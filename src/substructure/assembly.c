/* The untorn structure: substructures joined by rows sum_j c_j u_j = 0, in the degrees of freedom the rows leave free.
 *
 * With u_k = T_k u for each substructure (T_k from the rows: echelon.c): M = sum T_k^T M_k T_k, likewise C and K, and
 * p = f - sum T_k^T r_k(T_k u, T_k v). Maps are kept transposed, so that a column holds how one local degree of freedom
 * depends on the free ones. */
#include "substructure/assembled.h"
#include "substructure/echelon.h"

#include <yoke/substructure.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- the structure as a system ---- */

static bool is_constant(const struct yk_system *s)
{
    return s->linear || s->constant_tangents;
}

YK_RT void yk_assembled_gather(const struct yk_part *part, const double *u, double *local)
{
    const struct yk_thin *thin = part->thin;
    double *to = thin ? part->few : local;

    memset(to, 0, (thin ? thin->count : part->system->n) * sizeof *to);
    yk_matrix_add_transposed_product(part->map, 1, u, to);
    for (size_t i = 0; thin && i < thin->count; i++)
        local[thin->dof[i]] = to[i];
}

YK_RT void yk_assembled_set_target(void *self, double t, const double *u, const double *v)
{
    struct yk_assembled *a = self;

    for (size_t k = 0; k < a->count; k++) {
        struct yk_part *part = &a->parts[k];

        if (!part->system->ops->set_target)
            continue;
        yk_assembled_gather(part, u, part->u);
        yk_assembled_gather(part, v, part->v);
        part->system->ops->set_target(part->system->self, t, part->u, part->v);
    }
}

YK_RT static void force(void *self, double t, const double *f, const double *u, const double *v, double *p)
{
    struct yk_assembled *a = self;

    memcpy(p, f, a->system.n * sizeof *p);
    for (size_t k = 0; k < a->count; k++) {
        struct yk_part *part = &a->parts[k];

        yk_assembled_gather(part, u, part->u);
        yk_assembled_gather(part, v, part->v);
        if (part->system->mass_divided_out) /* its acceleration needs the load; it shares no degree of freedom */
            yk_assembled_gather(part, f, part->f);
        yk_system_force(part->system, t, part->f, part->u, part->v, part->p);
        for (size_t i = 0; i < part->system->n; i++)
            part->p[i] -= part->f[i];
        yk_matrix_add_product(part->map, 1, part->p, p);
    }
}

void yk_assembled_rest(void *self, const double *u)
{
    struct yk_assembled *a = self;

    for (size_t k = 0; k < a->count; k++) {
        struct yk_part *part = &a->parts[k];

        yk_assembled_gather(part, u, part->u);
        if (part->system->ops->rest)
            part->system->ops->rest(part->system->self, part->u);
    }
}

static const char *carry(void *self, const double *u)
{
    struct yk_assembled *a = self;
    const char *cannot = NULL;

    for (size_t k = 0; k < a->count; k++) {
        struct yk_part *part = &a->parts[k];

        yk_assembled_gather(part, u, part->u);
        if (part->system->ops->carry && !cannot)
            cannot = part->system->ops->carry(part->system->self, part->u);
    }
    return cannot;
}

YK_RT void yk_assembled_commit(void *self, double t, const double *u, const double *v)
{
    struct yk_assembled *a = self;

    for (size_t k = 0; k < a->count; k++) {
        struct yk_part *part = &a->parts[k];

        if (!part->system->ops->commit)
            continue;
        yk_assembled_gather(part, u, part->u);
        yk_assembled_gather(part, v, part->v);
        part->system->ops->commit(part->system->self, t, part->u, part->v);
    }
}

YK_RT void yk_assembled_mark(void *self)
{
    struct yk_assembled *a = self;

    for (size_t k = 0; k < a->count; k++)
        if (a->parts[k].system->ops->mark)
            a->parts[k].system->ops->mark(a->parts[k].system->self);
}

YK_RT void yk_assembled_rewind(void *self)
{
    struct yk_assembled *a = self;

    for (size_t k = 0; k < a->count; k++)
        if (a->parts[k].system->ops->rewind)
            a->parts[k].system->ops->rewind(a->parts[k].system->self);
}

YK_RT void yk_assembled_follow(void *self, int k)
{
    struct yk_assembled *a = self;

    for (size_t i = 0; i < a->count; i++)
        if (a->parts[i].system->ops->follow)
            a->parts[i].system->ops->follow(a->parts[i].system->self, k);
}

YK_RT static void add_spread(const struct yk_spread *s, const double *sub, double *A)
{
    for (size_t e = 0; e < s->entries; e++)
        for (size_t k = s->start[e]; k < s->start[e + 1]; k++)
            A[s->target[k]] += s->factor[k] * sub[e];
}

/* Into Ksub and Csub: in its pattern, or dense. */
YK_RT void yk_assembled_tangent_of(struct yk_assembled *a, const struct yk_part *part, const double *u, const double *v)
{
    const struct yk_system *own = part->system;

    yk_assembled_gather(part, u, part->u);
    yk_assembled_gather(part, v, part->v);
    (own->pattern.col ? own->ops->sparse_tangent : own->ops->tangent)(own->self, part->u, part->v, a->Ksub, a->Csub);
}

YK_RT static void sparse_tangent(void *self, const double *u, const double *v, double *K, double *C)
{
    struct yk_assembled *a = self;

    memset(K, 0, a->system.pattern.entries * sizeof *K);
    memset(C, 0, a->system.pattern.entries * sizeof *C);
    for (size_t k = 0; k < a->count; k++) {
        const struct yk_part *part = &a->parts[k];

        if (!part->spread->K)
            yk_assembled_tangent_of(a, part, u, v);
        add_spread(part->spread, part->spread->K ? part->spread->K : a->Ksub, K);
        add_spread(part->spread, part->spread->C ? part->spread->C : a->Csub, C);
    }
}

YK_RT static void tangent(void *self, const double *u, const double *v, double *K, double *C)
{
    struct yk_assembled *a = self;

    if (!a->system.pattern.col) {
        yk_matrix_to_dense(&a->system.K, K);
        yk_matrix_to_dense(&a->system.C, C);
        return;
    }
    sparse_tangent(self, u, v, K, C);
    yk_pattern_spread(&a->system.pattern, K);
    yk_pattern_spread(&a->system.pattern, C);
}

/* Identity, but for parts whose mass is divided out; those share no degree of freedom with others. */
YK_RT static void mobility(void *self, const double *u, size_t cols, const double *F, double *out)
{
    struct yk_assembled *a = self;
    const size_t n = a->system.n;

    memcpy(out, F, n * cols * sizeof *out);
    for (size_t k = 0; k < a->count; k++) {
        struct yk_part *part = &a->parts[k];

        yk_assembled_gather(part, u, part->u);
        for (size_t j = 0; part->system->ops->mobility && j < cols; j++) {
            yk_assembled_gather(part, F + j * n, part->v);
            part->system->ops->mobility(part->system->self, part->u, 1, part->v, part->p);
            for (size_t i = 0; i < part->system->n; i++)
                out[(size_t)part->map->row[part->map->col[i]] + j * n] = part->p[i];
        }
    }
}

/* A free degree of freedom is where the specimen that has it was measured; otherwise where it was asked for. */
YK_RT static void measured(void *self, double *u, double *acceleration)
{
    struct yk_assembled *a = self;

    for (int specimens = 0; specimens < 2; specimens++)
        for (size_t k = 0; k < a->count; k++) {
            struct yk_part *part = &a->parts[k];
            const struct yk_matrix *map = part->map;

            if ((part->system->ops->measured != NULL) != specimens)
                continue;
            if (specimens)
                part->system->ops->measured(part->system->self, part->u, part->v);
            for (size_t j = 0; j < part->system->n; j++)
                if (map->col[j + 1] - map->col[j] == 1 && map->x[map->col[j]] == 1) {
                    u[map->row[map->col[j]]] = part->u[j];
                    acceleration[map->row[map->col[j]]] = specimens ? part->v[j] : 0;
                }
        }
}

YK_RT void yk_assembled_account(void *self, const double *f, const double *u, const double *v, struct yk_energy *energy)
{
    struct yk_assembled *a = self;
    struct yk_energy sum = {.work = energy->started ? energy->work : 0,
                            .dissipated = energy->started ? energy->dissipated : 0};

    for (size_t k = 0; k < a->count; k++) {
        struct yk_part *part = &a->parts[k];
        struct yk_energy own = {.started = energy->started};

        yk_assembled_gather(part, u, part->u);
        yk_assembled_gather(part, v, part->v);
        memset(part->p, 0, part->system->n * sizeof *part->p); /* loads are accounted for below, once */
        part->system->ops->account(part->system->self, part->p, part->u, part->v, &own);
        sum.kinetic += own.kinetic;
        sum.stored += own.stored;
        sum.dissipated += own.dissipated;
        sum.work += own.work; /* of points that move as prescribed */
    }
    for (size_t i = 0; i < a->system.n && energy->started; i++)
        sum.work += 0.5 * (f[i] + a->f[i]) * (u[i] - a->u[i]);
    memcpy(a->f, f, a->system.n * sizeof *f);
    memcpy(a->u, u, a->system.n * sizeof *u);
    sum.started = true;
    *energy = sum;
}

static void free_spread(struct yk_spread *s)
{
    if (!s)
        return;
    free(s->K);
    free(s->C);
    free(s->start);
    free(s->target);
    free(s->factor);
    free(s);
}

static void destroy(void *self)
{
    struct yk_assembled *a = self;

    for (size_t k = 0; a->parts && k < a->count; k++)
        free_spread(a->parts[k].spread);
}

static const struct yk_system_ops ops = {.force = force,
                                         .set_target = yk_assembled_set_target,
                                         .measured = measured,
                                         .rest = yk_assembled_rest,
                                         .carry = carry,
                                         .commit = yk_assembled_commit,
                                         .mark = yk_assembled_mark,
                                         .rewind = yk_assembled_rewind,
                                         .follow = yk_assembled_follow,
                                         .tangent = tangent,
                                         .sparse_tangent = sparse_tangent,
                                         .mobility = mobility,
                                         .account = yk_assembled_account,
                                         .destroy = destroy};

/* ---- its matrices ---- */

/* The entries of a sum of matrices. */
struct entries {
    size_t count;
    int *row, *col;
    double *value;
};

static bool make_room(struct entries *e, size_t more)
{
    const size_t room = e->count + more + 1;
    int *row = realloc(e->row, room * sizeof *row), *col;
    double *value;

    e->row = row ? row : e->row;
    col = row ? realloc(e->col, room * sizeof *col) : NULL;
    e->col = col ? col : e->col;
    value = col ? realloc(e->value, room * sizeof *value) : NULL;
    e->value = value ? value : e->value;
    return value != NULL;
}

/* Lists the entries of T^T A T, A sparse; T is given by its columns, most of them with one entry. */
static bool list_congruent(struct entries *e, const struct yk_matrix *A, const struct yk_matrix *T)
{
    size_t more = 0;

    for (int pass = 0; pass < 2; pass++) {
        if (pass && !make_room(e, more))
            return false;
        for (size_t j = 0; j < A->cols; j++)
            for (int k = A->col[j]; k < A->col[j + 1]; k++) {
                const int i = A->row[k], rows = T->col[i + 1] - T->col[i], cols = T->col[j + 1] - T->col[j];

                more += pass ? 0 : (size_t)rows * (size_t)cols;
                for (int c = T->col[j]; pass && c < T->col[j + 1]; c++)
                    for (int r = T->col[i]; r < T->col[i + 1]; r++) {
                        e->row[e->count] = T->row[r];
                        e->col[e->count] = T->row[c];
                        e->value[e->count++] = T->x[r] * T->x[c] * A->x[k];
                    }
            }
    }
    return true;
}

/* out = sum_k T_k^T A_k T_k as a sparse matrix */
enum yk_status yk_assembled_sum(struct yk_matrix *out, const struct yk_assembled *a,
                                const struct yk_matrix *(*which)(const struct yk_system *s), struct yk_err *err)
{
    struct entries e = {0};
    enum yk_status st = YK_OK;

    for (size_t k = 0; k < a->count && !st; k++) {
        const struct yk_matrix *own = which(a->parts[k].system);
        struct yk_matrix sparse = {0};

        if (!own)
            continue;
        st = yk_matrix_to_sparse(&sparse, own, err);
        if (!st && !list_congruent(&e, &sparse, a->parts[k].map))
            st = yk_fail(err, YK_E_MEMORY, "out of memory for the assembled matrices");
        yk_matrix_fini(&sparse);
    }
    if (!st && !(st = yk_matrix_from_triplets(out, a->system.n, a->system.n, e.count, e.row, e.col, e.value, err)))
        st = yk_matrix_compact(out, err);
    free(e.row);
    free(e.col);
    free(e.value);
    return st;
}

/* ---- its tangents ---- */

static bool is_symmetric(const struct yk_system *s)
{
    if (!is_constant(s))
        return s->pattern.col && s->pattern.symmetric;
    return yk_matrix_asymmetry(&s->M, NULL, NULL) <= YK_SYMMETRIC &&
           yk_matrix_asymmetry(&s->C, NULL, NULL) <= YK_SYMMETRIC &&
           yk_matrix_asymmetry(&s->K, NULL, NULL) <= YK_SYMMETRIC;
}

/* The entries of the tangents of a part, column by column: those of its pattern; of its matrices where these are its
 * tangents, then as a pattern of their own; all of them where it has no pattern. */
struct part_entries {
    struct yk_pattern own;
    const struct yk_pattern *pattern; /* NULL: all */
    size_t n, count;
};

static enum yk_status open_entries(struct part_entries *e, const struct yk_system *s, struct yk_err *err)
{
    enum yk_status st = YK_OK;

    *e = (struct part_entries){.n = s->n, .count = s->n * s->n};
    if (is_constant(s)) {
        st = yk_pattern_init(&e->own, s->n, 2, (const struct yk_matrix *[]){&s->C, &s->K}, 0, NULL, NULL, err);
        e->pattern = &e->own;
    } else if (s->pattern.col) {
        e->pattern = &s->pattern;
    }
    if (e->pattern)
        e->count = e->pattern->entries;
    return st;
}

/* Entry k: its row and column, and does it vary? The column is the last one or a later one. */
static bool entry(const struct part_entries *e, const struct yk_system *s, size_t k, size_t *i, size_t *j)
{
    if (!e->pattern) {
        *i = k % e->n;
        *j = k / e->n;
        return true;
    }
    while ((size_t)e->pattern->col[*j + 1] <= k)
        ++*j;
    *i = (size_t)e->pattern->row[k];
    return !is_constant(s) && e->pattern->varies[k];
}

/* Rows and columns of the whole that the tangents of a part touch; row NULL: how many. */
static size_t list_spread(const struct part_entries *e, const struct yk_part *part, int *row, int *col)
{
    const struct yk_matrix *T = part->map;
    size_t count = 0, i = 0, j = 0;

    for (size_t k = 0; k < e->count; k++) {
        entry(e, part->system, k, &i, &j);
        for (int b = T->col[j]; b < T->col[j + 1]; b++)
            for (int r = T->col[i]; r < T->col[i + 1]; r++, count++)
                if (row) {
                    row[count] = T->row[r];
                    col[count] = T->row[b];
                }
    }
    return count;
}

/* Maps the tangents of a part into the pattern of the whole. */
static enum yk_status make_spread(struct yk_assembled *a, struct yk_part *part, struct yk_err *err)
{
    const struct yk_system *own = part->system;
    const struct yk_matrix *T = part->map;
    struct yk_spread *s = part->spread = calloc(1, sizeof *s);
    struct part_entries e;
    enum yk_status st = open_entries(&e, own, err);
    const size_t count = st ? 0 : list_spread(&e, part, NULL, NULL);
    size_t at = 0, i = 0, j = 0;

    if (!st && s) {
        s->entries = e.count;
        s->start = malloc((e.count + 1) * sizeof *s->start);
        s->target = malloc((count + 1) * sizeof *s->target);
        s->factor = malloc((count + 1) * sizeof *s->factor);
        s->K = is_constant(own) ? malloc((e.count + 1) * sizeof *s->K) : NULL;
        s->C = is_constant(own) ? malloc((e.count + 1) * sizeof *s->C) : NULL;
    }
    if (!st && (!s || !s->start || !s->target || !s->factor || (is_constant(own) && (!s->K || !s->C))))
        st = yk_fail(err, YK_E_MEMORY, "out of memory for the tangents");
    for (size_t k = 0; !st && k < e.count; k++) {
        const bool varies = entry(&e, own, k, &i, &j);

        s->start[k] = at;
        for (int b = T->col[j]; b < T->col[j + 1]; b++)
            for (int r = T->col[i]; r < T->col[i + 1]; r++, at++) {
                s->target[at] = yk_pattern_find(&a->system.pattern, (size_t)T->row[r], (size_t)T->row[b]);
                s->factor[at] = T->x[r] * T->x[b];
                a->system.pattern.varies[s->target[at]] |= varies;
            }
    }
    if (!st) {
        s->start[e.count] = at;
        if (is_constant(own)) {
            yk_pattern_values(&e.own, &own->K, s->K);
            yk_pattern_values(&e.own, &own->C, s->C);
        }
    }
    yk_pattern_fini(&e.own);
    return st;
}

/* Pattern of a system whose tangents vary, with the maps of its parts. */
static enum yk_status make_pattern(struct yk_assembled *a, struct yk_arena *mem, struct yk_err *err)
{
    size_t count = 0, at = 0, most = 0;
    int *row = NULL, *col = NULL;
    bool symmetric = true;
    enum yk_status st = YK_OK;

    for (int pass = 0; pass < 2 && !st; pass++) {
        for (size_t k = 0; k < a->count && !st; k++) {
            const struct yk_system *own = a->parts[k].system;
            struct part_entries e;

            if (!(st = open_entries(&e, own, err)) && pass == 0) {
                count += list_spread(&e, &a->parts[k], NULL, NULL);
                most = !is_constant(own) && e.count > most ? e.count : most;
                symmetric = symmetric && is_symmetric(own);
            } else if (!st) {
                at += list_spread(&e, &a->parts[k], row + at, col + at);
            }
            yk_pattern_fini(&e.own);
        }
        if (!st && pass == 0 &&
            (!(row = malloc((count + 1) * sizeof *row)) || !(col = malloc((count + 1) * sizeof *col))))
            st = yk_fail(err, YK_E_MEMORY, "out of memory for the tangents");
    }
    if (!st)
        st = yk_pattern_init(&a->system.pattern, a->system.n, 1, (const struct yk_matrix *[]){&a->system.M}, count, row,
                             col, err);
    a->system.pattern.symmetric = symmetric;
    free(row);
    free(col);
    for (size_t k = 0; k < a->count && !st; k++)
        st = make_spread(a, &a->parts[k], err);
    if (st)
        return st;
    yk_arena_array(mem, &a->Ksub, most);
    yk_arena_array(mem, &a->Csub, most);
    return a->Ksub && a->Csub ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory for the tangents");
}

/* ---- preparation ---- */

/* Initial state of the free degrees of freedom; then every substructure's own must agree with it. */
static enum yk_status initial_state(struct yk_assembled *a, const struct yk_substructure *subs, struct yk_err *err)
{
    for (size_t k = 0; k < a->count; k++)
        for (size_t i = 0; i < subs[k].system->n; i++) {
            const struct yk_matrix *T = a->parts[k].map;

            if (T->col[i + 1] - T->col[i] == 1 && T->x[T->col[i]] == 1) {
                /* the last writer is checked against the others below */
                a->system.u0[T->row[T->col[i]]] = subs[k].system->u0[i];
                a->system.v0[T->row[T->col[i]]] = subs[k].system->v0[i];
            }
        }
    for (int which = 0; which < 2; which++)
        for (size_t k = 0; k < a->count; k++) {
            const double *own = which ? subs[k].system->v0 : subs[k].system->u0;
            double *local = a->parts[k].u;

            yk_assembled_gather(&a->parts[k], which ? a->system.v0 : a->system.u0, local);
            for (size_t i = 0; i < subs[k].system->n; i++)
                if (!(fabs(local[i] - own[i]) <= 1e-9 * (fabs(local[i]) + fabs(own[i])) + 1e-14))
                    return yk_fail(
                        err, YK_E_INPUT,
                        "initial %s of %s.%s is %g, but the interfaces make it %g: joined degrees of freedom must "
                        "start together; give both sides the same value",
                        which ? "velocity" : "displacement", subs[k].name, subs[k].dofs[i], own[i], local[i]);
        }
    return YK_OK;
}

static enum yk_status allocate(struct yk_assembled *a, struct yk_assembly *assembly, const struct yk_substructure *subs,
                               struct yk_arena *mem, struct yk_err *err)
{
    const size_t n = a->system.n;

    yk_arena_array(mem, &a->parts, a->count);
    yk_arena_array(mem, &a->f, 2 * n);
    a->system.u0 = calloc(n, sizeof(double));
    a->system.v0 = calloc(n, sizeof(double));
    if (!a->parts || !a->f || !a->system.u0 || !a->system.v0)
        return yk_fail(err, YK_E_MEMORY, "out of memory for the assembled structure");
    a->u = a->f + n;
    yk_arena_pointer(mem, &a->u);
    for (size_t k = 0; k < a->count; k++) {
        struct yk_part *part = &a->parts[k];
        const size_t local = subs[k].system->n;

        part->system = subs[k].system;
        yk_arena_pointers(mem, &part->system, &part->u, &part->v, &part->p);
        part->map = &assembly->map[k];
        if (!yk_arena_array(mem, &part->f, 4 * local))
            return yk_fail(err, YK_E_MEMORY, "out of memory for the assembled structure");
        part->u = part->f + local;
        part->v = part->f + 2 * local;
        part->p = part->f + 3 * local;
        a->system.linear = a->system.linear && subs[k].system->linear;
        a->system.constant_tangents =
            a->system.constant_tangents && (subs[k].system->linear || subs[k].system->constant_tangents);
        a->system.mass_divided_out = a->system.mass_divided_out || subs[k].system->mass_divided_out;
        a->system.rate = a->system.rate || subs[k].system->rate;
    }
    return YK_OK;
}

/* Rows may not touch a substructure whose mass was divided out, and may not pin a degree of freedom. */
static enum yk_status check_rows(const struct yk_echelon *e, const struct yk_substructure *subs,
                                 const struct yk_row *rows, size_t row_count, struct yk_err *err)
{
    for (size_t r = 0; r < row_count; r++)
        for (size_t i = 0; i < rows[r].count; i++) {
            const struct yk_substructure *s = &subs[rows[r].substructure[i]];

            if (s->system->mass_divided_out)
                return yk_fail_at(
                    err, YK_E_UNSUPPORTED, rows[r].where,
                    "%s.%s cannot be joined in a one-domain run: the mass of '%s' depends on its configuration",
                    s->name, s->dofs[rows[r].dof[i]], s->name);
        }
    for (size_t k = 0, j = 0; j < e->cols; k++)
        for (size_t i = 0; i < subs[k].system->n; i++, j++) {
            size_t others = 0;

            for (size_t c = 0; e->pivot_of[j] >= 0 && c < e->cols; c++)
                others += c != j && e->x[(size_t)e->pivot_of[j] * e->cols + c] != 0;
            if (e->pivot_of[j] >= 0 && others == 0)
                return yk_fail(err, YK_E_INPUT,
                               "the interfaces together fix %s.%s at zero; remove it from the model if it cannot move",
                               subs[k].name, subs[k].dofs[i]);
        }
    return YK_OK;
}

static const struct yk_matrix *mass(const struct yk_system *s)
{
    return &s->M;
}

static const struct yk_matrix *damping(const struct yk_system *s)
{
    return &s->C;
}

static const struct yk_matrix *stiffness(const struct yk_system *s)
{
    return &s->K;
}

static enum yk_status assemble(struct yk_assembly *assembly, struct yk_assembled *a, const struct yk_substructure *subs,
                               struct yk_echelon *e, const size_t *offset, struct yk_arena *mem, struct yk_err *err)
{
    long *free_index = malloc((e->cols + 1) * sizeof *free_index);
    enum yk_status st = YK_OK;

    if (!free_index)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t j = 0; j < e->cols; j++)
        free_index[j] = e->pivot_of[j] < 0 ? (long)a->system.n++ : -1;
    for (size_t k = 0; k < a->count && !st; k++)
        st = yk_echelon_map(&assembly->map[k], e, free_index, a->system.n, offset[k], subs[k].system->n, err);
    free(free_index);
    if (!st && a->count == 1 && a->system.n == subs[0].system->n)
        return YK_OK; /* one substructure by itself: the map is all that is needed */
    if (st || (st = allocate(a, assembly, subs, mem, err)) || (st = yk_assembled_sum(&a->system.M, a, mass, err)) ||
        (st = yk_assembled_sum(&a->system.C, a, damping, err)) ||
        (st = yk_assembled_sum(&a->system.K, a, stiffness, err)) ||
        (!is_constant(&a->system) && (st = make_pattern(a, mem, err))))
        return st;
    return initial_state(a, subs, err);
}

enum yk_status yk_assembly_create(struct yk_assembly *assembly, const struct yk_substructure *subs, size_t count,
                                  const struct yk_row *rows, size_t row_count, struct yk_arena *mem, struct yk_err *err)
{
    struct yk_arena own = {0};
    struct yk_assembled *a = yk_arena_take(mem = mem ? mem : &own, sizeof *a);
    size_t *offset = calloc(count + 1, sizeof *offset);
    struct yk_echelon e = {0};
    enum yk_status st = YK_E_MEMORY;

    *assembly = (struct yk_assembly){.count = count, .map = calloc(count, sizeof *assembly->map)};
    if (!a || !offset || !assembly->map) {
        yk_fail(err, st, "out of memory for the assembled structure");
        goto end;
    }
    a->system.ops = &ops;
    a->system.self = a;
    yk_arena_pointer(mem, &a->system.self);
    a->system.linear = a->system.constant_tangents = true;
    a->system.path = count ? subs[0].system->path : YK_SOLVE_AUTO; /* the same for all of them */
    a->count = count;
    for (size_t k = 0; k < count; k++)
        offset[k + 1] = offset[k] + subs[k].system->n;
    if (!(st = yk_echelon_init(&e, rows, row_count, offset, offset[count], err)) &&
        !(st = check_rows(&e, subs, rows, row_count, err)))
        st = assemble(assembly, a, subs, &e, offset, mem, err);
    if (st || !a->parts) {
        yk_system_destroy(&a->system);
        assembly->system = st ? NULL : subs[0].system; /* by itself: no need to go through maps */
        assembly->borrowed = true;
    } else {
        assembly->system = &a->system;
    }
    yk_arena_pointer(mem, &assembly->system);
end:
    assembly->own = own;
    free(offset);
    yk_echelon_fini(&e);
    if (st)
        yk_assembly_destroy(assembly);
    return st;
}

void yk_assembly_destroy(struct yk_assembly *assembly)
{
    if (!assembly->borrowed)
        yk_system_destroy(assembly->system);
    for (size_t k = 0; assembly->map && k < assembly->count; k++)
        yk_matrix_fini(&assembly->map[k]);
    free(assembly->map);
    yk_arena_free(&assembly->own);
    *assembly = (struct yk_assembly){0};
}
