/* The matrices of a structure, before it moves: their checks, the linear elements in them, the initial tangents and the
 * pattern of those that change. Units: N, m, s. */
#include "substructure/structure.h"

#include "linalg/definite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum yk_status check_matrix(const struct yk_matrix *A, const char *name, size_t n, bool symmetric,
                                   struct yk_err *err)
{
    size_t i, j;

    if (A->rows != n || A->cols != n)
        return yk_fail_about(err, YK_E_INPUT, name,
                             "%s is %zu x %zu, but %zu x %zu is expected (one row and column per degree of freedom)",
                             name, A->rows, A->cols, n, n);
    if (!yk_matrix_is_finite(A))
        return yk_fail_about(err, YK_E_INPUT, name, "%s holds a value that is not a finite number", name);
    if (symmetric && yk_matrix_asymmetry(A, &i, &j) > 1e-9)
        return yk_fail_about(err, YK_E_INPUT, name,
                             "%s is not symmetric: entry (%zu, %zu) = %.9g but (%zu, %zu) = %.9g", name, i + 1, j + 1,
                             yk_matrix_get(A, i, j), j + 1, i + 1, yk_matrix_get(A, j, i));
    return YK_OK;
}

enum yk_status yk_structure_check(const struct yk_structure_parts *parts, struct yk_err *err)
{
    const size_t n = parts->M.rows;
    enum yk_status st;
    size_t bad;

    if (n == 0)
        return yk_fail(err, YK_E_INPUT, "no degree of freedom is left to move");
    if ((st = check_matrix(&parts->M, "mass", n, true, err)) ||
        (st = check_matrix(&parts->K, "stiffness", n, true, err)) ||
        (st = check_matrix(&parts->C, "damping", n, false, err)))
        return st;
    for (size_t i = 0; parts->massless && i < n; i++)
        if (yk_matrix_get(&parts->M, i, i) < 0)
            return yk_fail_about(err, YK_E_RANGE, "mass", "mass of %s is negative: %g kg",
                                 parts->names ? parts->names[i] : "specimen", yk_matrix_get(&parts->M, i, i));
    if (!parts->massless && !yk_matrix_is_definite(&parts->M, &bad)) {
        char number[24];

        snprintf(number, sizeof number, "%zu", bad + 1);
        return yk_fail_about(err, YK_E_SINGULAR, "mass",
                             "mass is not positive definite: degree of freedom %s has no inertia (pivot <= 0); "
                             "every degree of freedom needs mass",
                             parts->names ? parts->names[bad] : number);
    }
    return YK_OK;
}

/* ---- what elements and members add ----------------------------------------------------------------------------- */

/* Entries of a matrix; several at one place add up. */
struct list {
    size_t count;
    int *row, *col;
    double *value;
};

static enum yk_status open_list(struct list *l, size_t most, struct yk_err *err)
{
    *l = (struct list){.row = malloc((most + 1) * sizeof *l->row),
                       .col = malloc((most + 1) * sizeof *l->col),
                       .value = malloc((most + 1) * sizeof *l->value)};
    return l->row && l->col && l->value ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory for %zu numbers", most);
}

static void close_list(struct list *l)
{
    free(l->row);
    free(l->col);
    free(l->value);
}

static void list_entry(struct list *l, size_t i, size_t j, double x)
{
    if (x == 0)
        return;
    l->row[l->count] = (int)i;
    l->col[l->count] = (int)j;
    l->value[l->count++] = x;
}

/* k of a member, by rows */
static void list_member(struct list *l, const struct yk_structure_member *m, double factor, const double *k)
{
    for (size_t a = 0; a < m->n * m->n; a++)
        list_entry(l, m->dof[a / m->n], m->dof[a % m->n], factor * k[a]);
}

/* A plus these entries */
static enum yk_status sum_list(struct yk_matrix *sum, const struct yk_matrix *A, const struct list *l,
                               struct yk_err *err)
{
    struct yk_matrix B = {0};
    enum yk_status st = yk_matrix_from_triplets(&B, A->rows, A->cols, l->count, l->row, l->col, l->value, err);

    if (!st)
        st = yk_matrix_combine(sum, 2, (double[]){1, 1}, (const struct yk_matrix *[]){A, &B}, err);
    yk_matrix_fini(&B);
    return st;
}

static size_t entries_of_members(const struct yk_structure_member *members, size_t count)
{
    size_t entries = 0;

    for (size_t i = 0; i < count; i++)
        entries += members[i].n * members[i].n;
    return entries;
}

enum which { STIFFNESS, DAMPING };

/* Lists entries of K or C in the state (u, v): of every element, or only of the linear ones. */
static void list_elements(struct list *l, const struct yk_structure *s, enum which which, bool only_linear,
                          const double *u, const double *v)
{
    const double *committed = s->memory[0].x; /* NULL while the linear ones are folded: they have no memory */
    double *trial = s->memory[s->trial].x;

    for (size_t e = 0; e < s->count; e++) {
        struct yk_element_patch p = {0};

        if (!only_linear || yk_element_is_linear(&s->elements[e]))
            yk_element_patch_take(&s->elements[e], committed, trial, u, v, 0, &p);
        for (size_t k = 0; k < p.n * p.n; k++) {
            const size_t i = k / p.n, j = k % p.n;

            list_entry(l, p.dof[i], p.dof[j], which == STIFFNESS ? p.K[i][j] : p.C[i][j]);
        }
        if (committed) {
            committed += s->elements[e].law->count;
            trial += s->elements[e].law->count;
        }
    }
}

/* A plus the stiffness or damping of every element and member, or only of the linear ones, in the state (u, v), which
 * is that of the members at rest. */
static enum yk_status add_parts(const struct yk_structure *s, struct yk_matrix *A, enum which which, bool only_linear,
                                const double *u, const double *v, struct yk_err *err)
{
    const struct yk_members *m = &s->members;
    struct yk_matrix sum = {0};
    struct list l;
    enum yk_status st = open_list(&l, YK_TOUCHED * YK_TOUCHED * s->count + entries_of_members(m->items, m->count), err);

    if (!st) {
        list_elements(&l, s, which, only_linear, u, v);
        for (size_t i = 0; i < m->count && !only_linear; i++)
            list_member(&l, &m->items[i], which == STIFFNESS ? 1 : m->damping, s->memory[0].x + m->place[i].k);
        st = sum_list(&sum, A, &l, err);
    }
    if (!st) {
        yk_matrix_fini(A);
        *A = sum;
    }
    close_list(&l);
    return st;
}

enum yk_status yk_structure_stiffness(const struct yk_structure_parts *parts, struct yk_matrix *K, struct yk_err *err)
{
    size_t widest = 0;
    struct list l;
    enum yk_status st = open_list(&l, entries_of_members(parts->members, parts->member_count), err);
    double *k;

    for (size_t i = 0; i < parts->member_count; i++)
        widest = parts->members[i].n > widest ? parts->members[i].n : widest;
    if (!(k = malloc((widest * widest + 1) * sizeof *k)) && !st)
        st = yk_fail(err, YK_E_MEMORY, "out of memory for the stiffness of %zu members", parts->member_count);
    for (size_t i = 0; i < parts->member_count && !st; i++)
        if (!(st = yk_member_stiffness(&parts->members[i], k, err)))
            list_member(&l, &parts->members[i], 1, k);
    if (!st)
        st = sum_list(K, &parts->K, &l, err);
    free(k);
    close_list(&l);
    return st;
}

enum yk_status yk_structure_fold(struct yk_structure *s, const double *zero, struct yk_arena *mem, struct yk_err *err)
{
    struct yk_element *given = s->elements;
    size_t kept = 0;
    enum yk_status st;

    if ((st = add_parts(s, &s->K, STIFFNESS, true, zero, zero, err)) ||
        (st = add_parts(s, &s->C, DAMPING, true, zero, zero, err)))
        return st;
    for (size_t i = 0; i < s->count; i++) {
        if (yk_element_is_linear(&given[i]))
            free(given[i].settings);
        else
            given[kept++] = given[i];
    }
    s->count = kept;
    if (!yk_arena_array(mem, &s->elements, kept)) {
        s->elements = given;
        return yk_fail(err, YK_E_MEMORY, "out of memory for %zu elements", kept);
    }
    if (kept)
        memcpy(s->elements, given, kept * sizeof *given);
    free(given);
    s->folded = true;
    return YK_OK;
}

/* ---- the tangents ---------------------------------------------------------------------------------------------- */

static size_t list_square(size_t n, const size_t *dof, int *row, int *col, size_t count)
{
    for (size_t k = 0; row && k < n * n; k++) {
        row[count + k] = (int)dof[k / n];
        col[count + k] = (int)dof[k % n];
    }
    return count + n * n;
}

/* Lists the entries that the tangents of elements and members touch: rows and columns, or NULL to count them. */
static size_t list_touched(const struct yk_structure *s, int *row, int *col)
{
    size_t count = 0, dof[YK_TOUCHED];

    for (size_t e = 0; e < s->count; e++) {
        const size_t n = yk_element_touched(&s->elements[e], dof);

        count = list_square(n, dof, row, col, count);
    }
    for (size_t i = 0; i < s->members.count; i++)
        count = list_square(s->members.items[i].n, s->members.items[i].dof, row, col, count);
    return count;
}

/* Tangents that are not symmetric come from matrices that were given so, and from what turns exactly. */
static bool stays_symmetric(const struct yk_structure *s)
{
    bool symmetric = yk_matrix_asymmetry(&s->system.M, NULL, NULL) <= YK_SYMMETRIC &&
                     yk_matrix_asymmetry(&s->C, NULL, NULL) <= YK_SYMMETRIC &&
                     yk_matrix_asymmetry(&s->K, NULL, NULL) <= YK_SYMMETRIC;

    for (size_t e = 0; e < s->count; e++)
        for (size_t i = 0; i < s->elements[e].lever_count; i++)
            symmetric &= !s->elements[e].levers[i].exact;
    return symmetric;
}

static enum yk_status make_pattern(struct yk_structure *s, struct yk_err *err)
{
    struct yk_system *sys = &s->system;
    struct yk_pattern *p = &sys->pattern;
    const size_t count = list_touched(s, NULL, NULL);
    int *row = malloc((count + 1) * sizeof *row), *col = malloc((count + 1) * sizeof *col);
    enum yk_status st = YK_E_MEMORY;

    if (row && col) {
        list_touched(s, row, col);
        st = yk_pattern_init(p, sys->n, 3, (const struct yk_matrix *[]){&sys->M, &s->C, &s->K}, count, row, col, err);
    }
    if (!st) {
        s->Kx = malloc((p->entries + 1) * sizeof *s->Kx);
        s->Cx = malloc((p->entries + 1) * sizeof *s->Cx);
        s->place = malloc((count + 1) * sizeof *s->place);
        st = s->Kx && s->Cx && s->place ? YK_OK : YK_E_MEMORY;
    }
    if (st == YK_E_MEMORY)
        yk_fail(err, st, "out of memory for the tangents of %zu elements", s->count);
    if (!st) {
        yk_pattern_values(p, &s->K, s->Kx);
        yk_pattern_values(p, &s->C, s->Cx);
        for (size_t k = 0; k < count; k++) {
            s->place[k] = yk_pattern_find(p, (size_t)row[k], (size_t)col[k]);
            p->varies[s->place[k]] = 1;
        }
        p->symmetric = stays_symmetric(s);
    }
    free(row);
    free(col);
    return st;
}

/* Tangents in the initial state: what the integrators form their matrices from. */
enum yk_status yk_structure_tangents(struct yk_structure *s, struct yk_err *err)
{
    struct yk_system *sys = &s->system;
    enum yk_status st;

    if ((st = yk_matrix_copy(&sys->K, &s->K, err)) || (st = yk_matrix_copy(&sys->C, &s->C, err)))
        return st;
    if (sys->linear)
        return YK_OK;
    if (!(st = add_parts(s, &sys->K, STIFFNESS, false, sys->u0, sys->v0, err)) &&
        !(st = add_parts(s, &sys->C, DAMPING, false, sys->u0, sys->v0, err)))
        st = make_pattern(s, err);
    return st;
}
