/* Reduction of a linear model: tears it into interior and interface, lets the method choose T, and projects.
 *
 *   M_r = T^T M T,  C_r = T^T C T,  K_r = T^T K T,  f_r = T^T f        docs/theory/reduction.md, eq. (1) */
#include "linalg/blas.h"
#include "model/reduce/task.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_MODES = 30 };

struct yk_reduce_settings yk_reduce_defaults(void)
{
    return (struct yk_reduce_settings){.modes = DEFAULT_MODES};
}

void yk_progress_tell(const struct yk_progress *progress, const char *what, double share)
{
    if (progress->at)
        progress->at(progress->self, what, share);
}

void yk_reduced_free(struct yk_reduced *r)
{
    for (size_t i = 0; r->names && i < r->n; i++)
        free(r->names[i]);
    for (size_t i = 0; r->full_names && i < r->full; i++)
        free(r->full_names[i]);
    free(r->names);
    free(r->full_names);
    free(r->T);
    free(r->w2);
    free(r->interface_dofs);
    yk_ground_free(&r->ground);
    free(r->source.file);
    free(r->source.substructure);
    free(r->source.overrides);
    yk_matrix_fini(&r->M);
    yk_matrix_fini(&r->C);
    yk_matrix_fini(&r->K);
    *r = (struct yk_reduced){0};
}

void yk_reduced_recover(const struct yk_reduced *r, const double *x, double *u)
{
    memset(u, 0, r->full * sizeof *u);
    yk_add_columns(r->full, r->n, r->full, 1, r->T, x, u);
}

/* ---- interior and interface ----------------------------------------------------------------------------------------
 */

static enum yk_status no_memory(struct yk_err *err)
{
    return yk_fail(err, YK_E_MEMORY, "out of memory: the reduction could not be set up");
}

enum yk_status yk_task_interior(const struct yk_reduce_task *t, const struct yk_matrix *A, struct yk_matrix *Aii,
                                struct yk_err *err)
{
    size_t count = 0;
    enum yk_status st = yk_matrix_init(Aii, YK_SPARSE, t->interior, t->interior, err);

    if (st)
        return st;
    free(Aii->row);
    free(Aii->x);
    Aii->row = yk_ints((size_t)A->col[t->full]);
    Aii->x = yk_doubles((size_t)A->col[t->full]);
    if (!Aii->row || !Aii->x)
        return no_memory(err);
    for (size_t j = 0; j < t->interior; j++) {
        const size_t full = t->inside[j];

        for (int k = A->col[full]; k < A->col[full + 1]; k++)
            if (t->place[A->row[k]] >= 0) {
                Aii->row[count] = (int)t->place[A->row[k]];
                Aii->x[count++] = A->x[k];
            }
        Aii->col[j + 1] = (int)count;
    }
    return YK_OK;
}

enum yk_status yk_task_constraint_modes(const struct yk_reduce_task *t, const struct yk_matrix *Kii, double *Psi,
                                        struct yk_err *err)
{
    struct yk_ldlt *f;
    enum yk_status st;

    if (t->interior == 0)
        return YK_OK;
    for (size_t c = 0; c < t->interface_count; c++) {
        const size_t full = t->interface_dofs[c];

        for (int k = t->K.col[full]; k < t->K.col[full + 1]; k++)
            if (t->place[t->K.row[k]] >= 0)
                Psi[(size_t)t->place[t->K.row[k]] + c * t->interior] = -t->K.x[k];
    }
    if ((st = yk_ldlt_create(&f, Kii, err)))
        return yk_fail_within(err, YK_NOWHERE, "stiffness of the interior: ");
    if ((st = yk_ldlt_solve(f, t->interface_count, Psi)))
        yk_fail(err, st, "stiffness of the interior: the static shapes could not be solved for");
    yk_ldlt_destroy(f);
    return st;
}

static void task_free(struct yk_reduce_task *t)
{
    yk_matrix_fini(&t->M);
    yk_matrix_fini(&t->C);
    yk_matrix_fini(&t->K);
    free(t->inside);
    free(t->interface_dofs);
    free(t->place);
}

static enum yk_status tear(struct yk_reduce_task *t, const struct yk_linear_model *model, const size_t *dofs,
                           size_t count, struct yk_err *err)
{
    const size_t n = model->K->rows;

    *t = (struct yk_reduce_task){.full = n, .interface_count = count, .interior = n - count, .names = model->names};
    t->inside = calloc(n + 1, sizeof *t->inside);
    t->interface_dofs = calloc(count + 1, sizeof *t->interface_dofs);
    t->place = calloc(n + 1, sizeof *t->place);
    if (!t->inside || !t->interface_dofs || !t->place)
        return no_memory(err);
    for (size_t k = 0; k < count; k++) {
        if (dofs[k] >= n)
            return yk_fail(err, YK_E_RANGE, "interface degree of freedom %zu is not among 1 .. %zu", dofs[k] + 1, n);
        if (t->place[dofs[k]])
            return yk_fail(err, YK_E_INPUT, "degree of freedom %zu is named twice in the interface", dofs[k] + 1);
        t->interface_dofs[k] = dofs[k];
        t->place[dofs[k]] = -1 - (long)k;
    }
    for (size_t i = 0, inner = 0; i < n; i++)
        if (!t->place[i]) {
            t->place[i] = (long)inner;
            t->inside[inner++] = i;
        }
    return YK_OK;
}

static enum yk_status check_model(const struct yk_linear_model *m, size_t count, struct yk_err *err)
{
    const size_t n = m->K->rows;

    if (m->K->cols != n || m->M->rows != n || m->M->cols != n || (m->C && (m->C->rows != n || m->C->cols != n)))
        return yk_fail(err, YK_E_INPUT, "the matrices of the model differ in size");
    if (count == 0)
        return yk_fail(err, YK_E_INPUT, "an interface needs at least one degree of freedom");
    if (count > n)
        return yk_fail(err, YK_E_INPUT, "%zu interface degrees of freedom in a model of %zu", count, n);
    return YK_OK;
}

/* ---- projection ----------------------------------------------------------------------------------------------------
 */

/* out = T^T A T, symmetric where A is. */
static enum yk_status project(struct yk_matrix *out, const struct yk_matrix *A, const double *T, size_t rows, size_t n,
                              struct yk_err *err)
{
    const int full = (int)rows, order = (int)n;
    const double one = 1, zero = 0;
    double *AT = yk_doubles(rows * n);
    enum yk_status st = AT ? yk_matrix_init(out, YK_DENSE, n, n, err) : no_memory(err);

    for (size_t c = 0; !st && c < n; c++)
        yk_matrix_add_product(A, 1, T + c * rows, AT + c * rows);
    if (!st)
        dgemm_("T", "N", &order, &order, &full, &one, T, &full, AT, &full, &zero, out->x, &order);
    free(AT);
    return st;
}

static void symmetrise(struct yk_matrix *A)
{
    const size_t n = A->rows;

    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < j; i++)
            A->x[i + j * n] = A->x[j + i * n] = 0.5 * (A->x[i + j * n] + A->x[j + i * n]);
}

static enum yk_status project_all(struct yk_reduced *out, const struct yk_reduce_task *t, bool damped,
                                  struct yk_err *err)
{
    enum yk_status st;

    if ((st = project(&out->M, &t->M, out->T, out->full, out->n, err)) ||
        (st = project(&out->K, &t->K, out->T, out->full, out->n, err)) ||
        (st = damped ? project(&out->C, &t->C, out->T, out->full, out->n, err)
                     : yk_matrix_init(&out->C, YK_DENSE, out->n, out->n, err)))
        return st;
    symmetrise(&out->M);
    symmetrise(&out->K);
    return YK_OK;
}

/* ---- names ---------------------------------------------------------------------------------------------------------
 */

static enum yk_status name_coordinates(struct yk_reduced *out, const struct yk_linear_model *model, struct yk_err *err)
{
    out->names = calloc(out->n + 1, sizeof *out->names);
    out->full_names = model->names ? calloc(out->full + 1, sizeof *out->full_names) : NULL;
    if (!out->names || (model->names && !out->full_names))
        return no_memory(err);
    for (size_t i = 0; i < out->n; i++) {
        const size_t b = i < out->modes ? 0 : out->interface_dofs[i - out->modes];
        const char *own = i < out->modes || !model->names ? NULL : model->names[b];

        if ((own ? asprintf(&out->names[i], "%s", own)
                 : asprintf(&out->names[i], i < out->modes ? "q%zu" : "u%zu", i < out->modes ? i + 1 : b + 1)) < 0) {
            out->names[i] = NULL;
            return no_memory(err);
        }
        for (size_t k = 0; k < i; k++)
            if (strcmp(out->names[k], out->names[i]) == 0)
                return yk_fail(err, YK_E_INPUT, "interface degree of freedom '%s' has the name of a modal coordinate",
                               out->names[i]);
    }
    for (size_t i = 0; model->names && i < out->full; i++)
        if (!(out->full_names[i] = strdup(model->names[i])))
            return no_memory(err);
    return YK_OK;
}

/* ---- the whole -----------------------------------------------------------------------------------------------------
 */

enum yk_status yk_reduce(struct yk_reduced *out, const struct yk_linear_model *model, const size_t *dofs, size_t count,
                         const struct yk_reduction_ops *method, const struct yk_reduce_settings *settings,
                         struct yk_err *err)
{
    struct yk_reduce_task t = {0};
    const size_t n = model->K->rows;
    enum yk_status st;

    *out = (struct yk_reduced){0};
    if ((st = check_model(model, count, err)))
        return st;
    *out = (struct yk_reduced){.full = n, .interface_count = count, .method = method->name};
    yk_progress_tell(&settings->progress, "reading the matrices", 0);
    if ((st = tear(&t, model, dofs, count, err)) || (st = yk_matrix_to_sparse(&t.M, model->M, err)) ||
        (st = yk_matrix_to_sparse(&t.K, model->K, err)) ||
        (model->C && (st = yk_matrix_to_sparse(&t.C, model->C, err))))
        goto end;
    t.settings = settings;
    if ((st = method->basis(&t, out, err)))
        goto end;
    out->n = out->modes + count;
    if (out->modes)
        out->limit_w2 = out->w2[out->modes - 1];
    out->interface_dofs = t.interface_dofs;
    t.interface_dofs = NULL;
    yk_progress_tell(&settings->progress, "projecting", 0.95);
    if (!(st = project_all(out, &t, model->C != NULL, err)) && !(st = name_coordinates(out, model, err)) &&
        model->ground)
        st = yk_ground_project(&out->ground, model->ground, out, err);
    yk_progress_tell(&settings->progress, "reduced", 1);
end:
    task_free(&t);
    if (st)
        yk_reduced_free(out);
    return st;
}
