/* A structure in its undamped modes q. docs/theory/modal.md, eq. (1)-(5).
 *
 *     u = X q,   X^T M X = I,   X^T K X = diag(w^2),   X^T C X = diag(c)   where the damping is classical
 *
 * M is the mass of the assembled structure, C and K are its linear matrices. The same integrator or coupling then steps
 * scalars instead of matrices; loads come in and displacements go out through the maps of the assembly, X^T T_k^T.
 * Parts that are not linear are evaluated in their own degrees of freedom; their initial tangents are of low rank.
 * Units: q in kg^1/2 m. */
#include "linalg/modes.h"
#include "substructure/assembled.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* |c_ij| / (w_i + w_j) of two modes, like a damping ratio: what is neglected of it moves the response by less than
 * 1e-10 of its peak. */
#define CLASSICAL 1e-10

/* ---- as a system ------------------------------------------------------------------------------------------------- */

/* Adds the force of a part beyond its linear matrices, in modes. */
YK_RT static void add_part(const struct yk_part *part, double t, const double *u, const double *v, double *p)
{
    const struct yk_thin *thin = part->thin;

    yk_assembled_gather(part, v, part->v);
    yk_assembled_gather(part, u, part->u);
    if (part->system->ops->beyond) {
        for (size_t i = 0; i < thin->count; i++)
            part->p[thin->dof[i]] = 0;
        part->system->ops->beyond(part->system->self, t, part->u, part->v, part->p);
    } else {
        yk_system_force(part->system, t, part->f, part->u, part->v, part->p);
    }
    for (size_t i = 0; i < thin->count; i++)
        part->few[i] = part->p[thin->dof[i]];
    yk_matrix_add_product(part->map, 1, part->few, p);
}

YK_RT static void force(void *self, double t, const double *f, const double *u, const double *v, double *p)
{
    const struct yk_assembled *a = self;

    yk_diagonal_net(a->system.n, f, a->system.K.x, u, a->system.C.x, v, p);
    for (size_t k = 0; k < a->count; k++)
        add_part(&a->parts[k], t, u, v, p);
}

YK_RT static void change(void *self, const double *u, const double *v, double *dK, double *dC)
{
    struct yk_assembled *a = self;

    for (size_t k = 0; k < a->count; k++) {
        const struct yk_thin *t = a->parts[k].thin;

        if (t->changes)
            yk_assembled_tangent_of(a, &a->parts[k], u, v);
        for (size_t i = 0; i < t->changes; i++) {
            dK[t->place[i]] = a->Ksub[t->entry[i]] - t->K[i];
            dC[t->place[i]] = a->Csub[t->entry[i]] - t->C[i];
        }
    }
}

/* Tangents at the start; `change` gives the changes since. */
YK_RT static void tangent(void *self, const double *u, const double *v, double *K, double *C)
{
    const struct yk_assembled *a = self;

    yk_matrix_to_dense(&a->system.K, K);
    yk_matrix_to_dense(&a->system.C, C);
}

/* x^T A y of a part */
YK_RT static double energy_in(const struct yk_part *part, const struct yk_matrix *A, const double *x, const double *y)
{
    memset(part->p, 0, part->system->n * sizeof *part->p);
    yk_matrix_add_product(A, 1, y, part->p);
    return yk_dot(part->system->n, x, part->p);
}

/* Energy of the diagonals from the last account to (u, v), without the matrices of the parts, which account for these
 * themselves: in the degrees of freedom that they know, the same on either side. */
YK_RT static void account(void *self, const double *f, const double *u, const double *v, struct yk_energy *energy)
{
    struct yk_assembled *a = self;
    const size_t n = a->system.n;
    const double *c = a->system.C.x, *k = a->system.K.x;
    struct yk_energy sum = {0};

    for (size_t i = 0; i < n; i++) {
        sum.kinetic += 0.5 * v[i] * v[i];
        sum.stored += 0.5 * k[i] * u[i] * u[i];
    }
    for (size_t i = 0; i < n && energy->started; i++) { /* the rate of damping, averaged over the step */
        a->v[i] = 0.5 * (a->v[i] + v[i]);
        a->work[i] = u[i] - a->u[i];
        sum.dissipated += c[i] * a->v[i] * a->work[i];
    }
    for (size_t j = 0; j < a->count; j++) {
        const struct yk_part *part = &a->parts[j];

        const bool divided = part->system->ops->beyond;

        yk_assembled_gather(part, v, part->v);
        sum.kinetic -= 0.5 * energy_in(part, &part->system->M, part->v, part->v);
        yk_assembled_gather(part, u, part->u);
        if (divided)
            sum.stored -= 0.5 * energy_in(part, part->system->linear_K, part->u, part->u);
        if (!divided || !energy->started)
            continue;
        yk_assembled_gather(part, a->v, part->v);
        yk_assembled_gather(part, a->work, part->u);
        sum.dissipated -= energy_in(part, part->system->linear_C, part->v, part->u);
    }
    memcpy(a->v, v, n * sizeof *v);
    yk_assembled_account(self, f, u, v, energy);
    energy->kinetic += sum.kinetic;
    energy->stored += sum.stored;
    energy->dissipated += sum.dissipated;
}

static void destroy(void *self)
{
    struct yk_assembled *a = self;

    for (size_t k = 0; a->thin && k < a->count; k++) {
        free(a->thin[k].dof);
        free(a->thin[k].entry);
        free(a->thin[k].place);
        free(a->thin[k].K);
        free(a->thin[k].C);
    }
    free(a->thin);
    free(a->entry);
    free(a->reach);
    free(a->modes);
}

static const struct yk_system_ops ops = {.force = force,
                                         .set_target = yk_assembled_set_target,
                                         .rest = yk_assembled_rest,
                                         .commit = yk_assembled_commit,
                                         .mark = yk_assembled_mark,
                                         .rewind = yk_assembled_rewind,
                                         .follow = yk_assembled_follow,
                                         .tangent = tangent,
                                         .change = change,
                                         .account = account,
                                         .destroy = destroy};

/* ---- preparation ------------------------------------------------------------------------------------------------- */

static enum yk_status no_memory(struct yk_err *err)
{
    return yk_fail(err, YK_E_MEMORY, "out of memory for the modes of the structure");
}

static enum yk_status refuse(struct yk_err *err, const char *reason)
{
    return yk_fail_about(err, YK_E_UNSUPPORTED, "path", "path: modal cannot be taken here: %s", reason);
}

/* Diagonal of X^T C X; refused if the rest is not negligible. */
static enum yk_status take_damping(const struct yk_matrix *C, const double *X, const double *w2, double *c,
                                   struct yk_err *err)
{
    const size_t n = C->rows;
    double *S = malloc((n * n + 1) * sizeof *S), most = 0, worst = 0;
    size_t at[2] = {0, 0};
    enum yk_status st = S ? yk_congruence(C, X, S, err) : no_memory(err);

    for (size_t j = 0; j < n && !st; j++) {
        c[j] = S[j + j * n];
        most = fmax(most, fabs(c[j]));
    }
    for (size_t j = 0; j < n && !st; j++)
        for (size_t i = 0; i < n; i++) {
            const double w = sqrt(fabs(w2[i])) + sqrt(fabs(w2[j]));
            const double beyond = fabs(S[i + j * n]) - 4 * DBL_EPSILON * (double)n * most; /* rounding of the sums */

            if (i == j || beyond <= worst * w)
                continue;
            worst = w > 0 ? beyond / w : INFINITY;
            at[0] = j;
            at[1] = i;
        }
    free(S);
    if (!st && worst > CLASSICAL)
        st = yk_fail_about(err, YK_E_UNSUPPORTED, "path",
                           "path: modal cannot be taken here: the damping is not classical; it joins modes %zu (%.4g "
                           "Hz) and %zu (%.4g Hz) by %.2g of critical damping, at most %g is rounding",
                           at[0] + 1, sqrt(fabs(w2[at[0]])) / 6.283185307179586, at[1] + 1,
                           sqrt(fabs(w2[at[1]])) / 6.283185307179586, worst, CLASSICAL);
    return st;
}

/* ---- what is linear ---------------------------------------------------------------------------------------------- */

static const struct yk_matrix *linear_stiffness(const struct yk_system *s)
{
    return s->linear ? &s->K : s->ops->beyond ? s->linear_K : NULL;
}

static const struct yk_matrix *linear_damping(const struct yk_system *s)
{
    return s->linear ? &s->C : s->ops->beyond ? s->linear_C : NULL;
}

enum yk_status yk_modal_linear(const struct yk_assembly *of, struct yk_linear *l, struct yk_err *err)
{
    const struct yk_system *s = of->system;
    enum yk_status st;

    *l = (struct yk_linear){.own = !s->linear && !of->borrowed};
    if (!l->own) {
        const struct yk_matrix *K = linear_stiffness(s), *C = linear_damping(s);

        if (!K || !C)
            return refuse(err, "nothing is linear");
        l->K = *K;
        l->C = *C;
        return YK_OK;
    }
    st = yk_assembled_sum(&l->K, s->self, linear_stiffness, err);
    return st ? st : yk_assembled_sum(&l->C, s->self, linear_damping, err);
}

void yk_modal_linear_free(struct yk_linear *l)
{
    if (l->own) {
        yk_matrix_fini(&l->K);
        yk_matrix_fini(&l->C);
    }
}

/* M = 1, and the diagonals of K and C */
static enum yk_status take_matrices(struct yk_assembled *a, const struct yk_linear *l, struct yk_err *err)
{
    struct yk_system *s = &a->system;
    const size_t n = s->n;
    struct yk_matrix *const all[] = {&s->M, &s->C, &s->K};
    enum yk_status st = YK_OK;

    for (int i = 0; i < 3 && !st; i++)
        st = yk_matrix_init(all[i], YK_DIAGONAL, n, n, err);
    if (st || (st = yk_modes(&l->K, &a->whole->M, s->K.x, a->modes, err)) ||
        (st = take_damping(&l->C, a->modes, s->K.x, s->C.x, err)))
        return st;
    for (size_t i = 0; i < n; i++)
        s->M.x[i] = 1;
    return YK_OK;
}

/* ---- what is not linear ------------------------------------------------------------------------------------------ */

static struct yk_system *part_of(const struct yk_assembly *of, size_t k)
{
    return of->borrowed ? of->system : ((const struct yk_assembled *)of->system->self)->parts[k].system;
}

static bool changes(const struct yk_system *s)
{
    return !s->linear && !s->constant_tangents;
}

/* The degrees of freedom that a part acts on beyond its linear matrices; number (may be NULL): from 1 on, 0 others. */
static size_t number_touched(const struct yk_system *s, size_t *number)
{
    const struct yk_pattern *p = &s->pattern;
    size_t count = 0;

    for (size_t j = 0; j < s->n; j++) {
        bool touched = !s->ops->beyond || !p->col;

        for (int k = touched ? 0 : p->col[j]; !touched && k < p->col[j + 1]; k++)
            touched = p->varies[k];
        count += touched;
        if (number)
            number[j] = touched ? count : 0;
    }
    return count;
}

/* Columns that the parts take together. */
size_t yk_modal_columns(const struct yk_assembly *of)
{
    size_t columns = 0;

    for (size_t k = 0; k < of->count; k++)
        columns += part_of(of, k)->linear ? 0 : number_touched(part_of(of, k), NULL);
    return columns;
}

const char *yk_modal_obstacle(const struct yk_assembly *of)
{
    const struct yk_system *s = of->system;
    const size_t columns = yk_modal_columns(of);

    return s->mass_divided_out                         ? "the mass depends on the configuration"
           : s->n > YK_MODES_MOST                      ? "there are too many degrees of freedom"
           : columns > YK_THIN_MOST || columns >= s->n ? "what is not linear acts on too many degrees of freedom"
                                                       : NULL;
}

static enum yk_status check(const struct yk_assembly *of, struct yk_err *err)
{
    const struct yk_system *s = of->system;

    if (!yk_modal_obstacle(of))
        return YK_OK;
    if (s->mass_divided_out)
        return refuse(err, yk_modal_obstacle(of));
    if (s->n > YK_MODES_MOST)
        return yk_fail_about(err, YK_E_RANGE, "path",
                             "path: modal cannot be taken here: %zu degrees of freedom are more than %d; reduce the "
                             "model first (yoke reduce)",
                             s->n, YK_MODES_MOST);
    return yk_fail_about(err, YK_E_UNSUPPORTED, "path",
                         "path: modal cannot be taken here: what is not linear acts on %zu degrees of freedom, at most "
                         "%zu are allowed",
                         yk_modal_columns(of), s->n > YK_THIN_MOST ? (size_t)YK_THIN_MOST : s->n - 1);
}

/* Lists the tangent entries that change and their places in dK and dC, which have `stride` rows, from `first` on. */
static enum yk_status list_changes(struct yk_thin *t, const struct yk_system *s, const size_t *number, size_t first,
                                   size_t stride, struct yk_err *err)
{
    const struct yk_pattern *p = &s->pattern;
    const size_t most = p->col ? p->entries : s->n * s->n;

    t->entry = malloc((most + 1) * sizeof *t->entry);
    t->place = malloc((most + 1) * sizeof *t->place);
    t->K = malloc((most + 1) * sizeof *t->K);
    t->C = malloc((most + 1) * sizeof *t->C);
    if (!t->entry || !t->place || !t->K || !t->C)
        return no_memory(err);
    for (size_t j = 0, k = 0; j < s->n; j++)
        for (size_t end = p->col ? (size_t)p->col[j + 1] : (j + 1) * s->n; k < end; k++) {
            const size_t i = p->col ? (size_t)p->row[k] : k - j * s->n;

            if (!number[i] || !number[j] || (p->col && !p->varies[k]))
                continue;
            t->entry[t->changes] = k;
            t->place[t->changes] = first + number[i] - 1 + (first + number[j] - 1) * stride;
            t->K[t->changes] = yk_matrix_get(&s->K, i, j);
            t->C[t->changes++] = yk_matrix_get(&s->C, i, j);
        }
    return YK_OK;
}

/* The initial tangents of a part beyond its linear matrices: its block of S. */
static void take_initial(const struct yk_thin *t, const struct yk_system *s, struct yk_matrix *K, struct yk_matrix *C)
{
    const bool divided = s->ops->beyond;

    for (size_t j = 0; j < t->count; j++)
        for (size_t i = 0; i < t->count; i++) {
            const size_t r = t->dof[i], c = t->dof[j], at = K->rows + t->first + i + (t->first + j) * K->columns;

            K->x[at] = yk_matrix_get(&s->K, r, c) - (divided ? yk_matrix_get(s->linear_K, r, c) : 0);
            C->x[at] = yk_matrix_get(&s->C, r, c) - (divided ? yk_matrix_get(s->linear_C, r, c) : 0);
        }
}

/* K and C, diagonal so far, with room for that. */
static enum yk_status widen(struct yk_assembled *a, size_t columns, struct yk_err *err)
{
    struct yk_matrix *const both[] = {&a->system.K, &a->system.C};
    enum yk_status st = YK_OK;

    for (int i = 0; i < 2 && !st; i++) {
        struct yk_matrix wide;

        if ((st = yk_matrix_init_thin(&wide, a->system.n, columns, a->reach, err)))
            break;
        memcpy(wide.x, both[i]->x, a->system.n * sizeof *wide.x);
        yk_matrix_fini(both[i]);
        *both[i] = wide;
    }
    return st;
}

/* One part: its degrees of freedom, and how the modes move these; `first` column of `reach`. */
static enum yk_status take_part(struct yk_assembled *a, struct yk_part *part, struct yk_thin *t,
                                const struct yk_matrix *map, const size_t *number, size_t first, struct yk_arena *mem,
                                struct yk_err *err)
{
    struct yk_system *own = part->system;
    const size_t n = a->system.n;
    enum yk_status st;

    t->first = first;
    if (!(t->dof = malloc((t->count + 1) * sizeof *t->dof)))
        return no_memory(err);
    t->map = (struct yk_matrix){.form = YK_DENSE, .rows = n, .cols = t->count, .x = a->reach + first * n};
    for (size_t i = 0; i < own->n; i++)
        if (number[i]) {
            t->dof[number[i] - 1] = i;
            memcpy(t->map.x + (number[i] - 1) * n, map->x + i * n, n * sizeof(double));
        }
    part->thin = t;
    part->map = &t->map;
    yk_arena_each(mem, own->n, 4, (double **const[]){&part->f, &part->u, &part->v, &part->p});
    yk_arena_array(mem, &part->few, t->count);
    if ((st = yk_arena_check(mem, err)))
        return st;
    take_initial(t, own, &a->system.K, &a->system.C);
    return changes(own) ? list_changes(t, own, number, first, a->system.changing.cols, err) : YK_OK;
}

/* Collects the nonlinear parts, those with changing tangents first. */
static enum yk_status count_parts(struct yk_assembled *a, const struct yk_assembly *of, size_t *number, size_t *which,
                                  size_t *entries, struct yk_arena *mem, struct yk_err *err)
{
    size_t total = 0;

    for (int constant = 0; constant < 2; constant++) {
        for (size_t k = 0; k < of->count; k++) {
            struct yk_system *own = part_of(of, k);

            if (own->linear || changes(own) == constant)
                continue;
            a->parts[a->count].system = own;
            yk_arena_pointer(mem, &a->parts[a->count].system);
            which[a->count] = k;
            total += a->thin[a->count++].count = number_touched(own, number);
            const size_t own_entries = own->pattern.col ? own->pattern.entries : own->n * own->n;

            *entries = !constant && own_entries > *entries ? own_entries : *entries;
        }
        if (!constant)
            a->system.changing = (struct yk_matrix){.form = YK_DENSE, .rows = a->system.n, .cols = total};
    }
    if (!(a->reach = malloc((total * a->system.n + 1) * sizeof *a->reach)))
        return no_memory(err);
    a->system.changing.x = a->reach;
    return total ? widen(a, total, err) : YK_OK;
}

/* All entries that change, of all parts: each has columns of its own. */
static enum yk_status list_entries(struct yk_assembled *a, struct yk_err *err)
{
    size_t count = 0;

    for (size_t k = 0; k < a->count; k++)
        count += a->thin[k].changes;
    if (!(a->entry = malloc((count + 1) * sizeof *a->entry)))
        return no_memory(err);
    a->system.changing_entry = a->entry;
    for (size_t k = 0; k < a->count; k++)
        for (size_t i = 0; i < a->thin[k].changes; i++)
            a->entry[a->system.changing_entries++] = a->thin[k].place[i];
    return YK_OK;
}

static enum yk_status take_parts(struct yk_assembled *a, const struct yk_assembly *modal, const struct yk_assembly *of,
                                 struct yk_arena *mem, struct yk_err *err)
{
    size_t most = 0, first = 0, entries = 0, *number, *which = calloc(of->count + 1, sizeof *which);
    enum yk_status st;

    for (size_t k = 0; k < of->count; k++)
        most = modal->map[k].cols > most ? modal->map[k].cols : most;
    number = calloc(most + 1, sizeof *number);
    yk_arena_array(mem, &a->parts, of->count + 1);
    a->thin = calloc(of->count + 1, sizeof *a->thin);
    st =
        number && which && a->parts && a->thin ? count_parts(a, of, number, which, &entries, mem, err) : no_memory(err);
    for (size_t k = 0; k < a->count && !st; k++) {
        number_touched(a->parts[k].system, number);
        st = take_part(a, &a->parts[k], &a->thin[k], &modal->map[which[k]], number, first, mem, err);
        first += a->thin[k].count;
    }
    if (!st) {
        yk_arena_array(mem, &a->Ksub, entries);
        yk_arena_array(mem, &a->Csub, entries);
        if (!(st = yk_arena_check(mem, err)))
            st = list_entries(a, err);
    }
    free(number);
    free(which);
    return st;
}

static enum yk_status make(struct yk_assembled *a, struct yk_assembly *modal, const struct yk_assembly *of,
                           const struct yk_linear *l, struct yk_arena *mem, struct yk_err *err)
{
    struct yk_system *s = &a->system;
    const size_t n = s->n;
    enum yk_status st;

    a->modes = malloc((n * n + 1) * sizeof *a->modes);
    s->u0 = calloc(n + 1, sizeof(double));
    s->v0 = calloc(n + 1, sizeof(double));
    yk_arena_each(mem, n, 4, (double **const[]){&a->f, &a->u, &a->v, &a->work});
    if (!a->modes || !s->u0 || !s->v0 || !modal->map)
        return no_memory(err);
    if ((st = yk_arena_check(mem, err)) || (st = take_matrices(a, l, err)))
        return st;
    for (size_t k = 0; k < of->count && !st; k++)
        st = yk_project(a->modes, &of->map[k], &modal->map[k], err);
    if (st || (st = take_parts(a, modal, of, mem, err)))
        return st;
    yk_modal_from(modal, a->whole->u0, s->u0);
    yk_modal_from(modal, a->whole->v0, s->v0);
    return YK_OK;
}

static enum yk_status create(struct yk_assembly *modal, const struct yk_assembly *of, const struct yk_linear *l,
                             struct yk_arena *mem, struct yk_err *err)
{
    struct yk_arena own = {0};
    struct yk_assembled *a = yk_arena_take(mem = mem ? mem : &own, sizeof *a);
    enum yk_status st;

    if (!a)
        return no_memory(err);
    a->whole = of->system;
    a->system = (struct yk_system){.n = of->system->n,
                                   .linear = of->system->linear,
                                   .constant_tangents = of->system->constant_tangents,
                                   .path = YK_SOLVE_MODAL,
                                   .ops = &ops,
                                   .self = a};
    yk_arena_pointers(mem, &a->whole, &a->system.self, &modal->system);
    *modal = (struct yk_assembly){
        .system = &a->system, .count = of->count, .map = calloc(of->count + 1, sizeof *modal->map), .own = own};
    if ((st = make(a, modal, of, l, mem, err)))
        yk_assembly_destroy(modal);
    return st;
}

enum yk_status yk_modal_create(struct yk_assembly *modal, const struct yk_assembly *of, struct yk_arena *mem,
                               struct yk_err *err)
{
    struct yk_linear l = {0};
    enum yk_status st;

    *modal = (struct yk_assembly){0};
    if (!(st = check(of, err)) && !(st = yk_modal_linear(of, &l, err)))
        st = create(modal, of, &l, mem, err);
    yk_modal_linear_free(&l);
    return st;
}

/* X^T M x */
void yk_modal_from(const struct yk_assembly *modal, const double *x, double *q)
{
    const struct yk_assembled *a = modal->system->self;
    const size_t n = a->system.n;
    const struct yk_matrix X = {.form = YK_DENSE, .rows = n, .cols = n, .x = a->modes};

    memset(a->work, 0, n * sizeof *a->work);
    memset(q, 0, n * sizeof *q);
    yk_matrix_add_product(&a->whole->M, 1, x, a->work);
    yk_matrix_add_transposed_product(&X, 1, a->work, q);
}

void yk_modal_start(const struct yk_assembly *modal, const double **u, const double **v)
{
    const struct yk_assembled *a = modal->system->self;

    yk_modal_from(modal, *u, a->u); /* what the energy account begins with */
    yk_modal_from(modal, *v, a->v);
    *u = a->u;
    *v = a->v;
}

/* M X p */
void yk_modal_force(const struct yk_assembly *modal, const double *p, double *f)
{
    const struct yk_assembled *a = modal->system->self;
    const size_t n = a->system.n;
    const struct yk_matrix X = {.form = YK_DENSE, .rows = n, .cols = n, .x = a->modes};

    memset(a->work, 0, n * sizeof *a->work);
    memset(f, 0, n * sizeof *f);
    yk_matrix_add_product(&X, 1, p, a->work);
    yk_matrix_add_product(&a->whole->M, 1, a->work, f);
}

enum yk_status yk_modal_project(const struct yk_assembly *modal, struct yk_matrix *A, struct yk_err *err)
{
    const struct yk_assembled *a = modal->system->self;
    struct yk_matrix B = {0};
    enum yk_status st = yk_project(a->modes, A, &B, err);

    if (!st) {
        yk_matrix_fini(A);
        *A = B;
    }
    return st;
}
