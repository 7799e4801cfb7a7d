/* Motion of the ground of a reduced model. docs/theory/reduction.md, eq. (18)
 *
 *   f_r = -T^T (M b + M_fs b_s) a_g
 *
 * b: displacement of every degree of freedom of the full model when the ground moves by one. T does not contain b where
 * supports lie inside, so T^T M b cannot be had from M_r and is kept beside it. And the checksum that tells whether a
 * full model is still the one that was reduced. */
#include "model/reduce/task.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

long yk_ground_find(const struct yk_ground *g, const char *name)
{
    for (size_t k = 0; k < g->count; k++)
        if (strcmp(g->names[k], name) == 0)
            return (long)k;
    return -1;
}

void yk_ground_free(struct yk_ground *g)
{
    for (size_t k = 0; g->names && k < g->count; k++)
        free(g->names[k]);
    free(g->names);
    free(g->force);
    free(g->mass);
    *g = (struct yk_ground){0};
}

enum yk_status yk_ground_project(struct yk_ground *out, const struct yk_ground *full, const struct yk_reduced *r,
                                 struct yk_err *err)
{
    bool good;

    *out = (struct yk_ground){.n = r->n, .count = full->count};
    out->names = calloc(out->count + 1, sizeof *out->names);
    out->force = calloc(out->n * out->count + 1, sizeof *out->force);
    out->mass = calloc(out->count + 1, sizeof *out->mass);
    good = out->names && out->force && out->mass;
    for (size_t k = 0; good && k < out->count; k++) {
        good = (out->names[k] = strdup(full->names[k])) != NULL;
        out->mass[k] = full->mass[k];
        for (size_t c = 0; c < r->n; c++)
            out->force[c + k * out->n] = yk_dot(r->full, r->T + c * r->full, full->force + k * r->full);
    }
    return good ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory: the reduction could not be set up");
}

/* g_r^T M_r^-1 g_r over g^T M^-1 g, eq. (20) */
enum yk_status yk_reduced_mass_share(const struct yk_reduced *r, size_t k, double *share, struct yk_err *err)
{
    const double *g = r->ground.force + k * r->n;
    double *w = malloc((r->n + 1) * sizeof *w);
    struct yk_factor *factor = NULL;
    enum yk_status st = w ? yk_factor_create(&factor, &r->M, NULL, err) : yk_fail(err, YK_E_MEMORY, "out of memory");

    if (!st) {
        memcpy(w, g, r->n * sizeof *w);
        yk_factor_solve(factor, w);
        *share = r->ground.mass[k] > 0 ? yk_dot(r->n, g, w) / r->ground.mass[k] : 1;
    }
    yk_factor_destroy(factor);
    free(w);
    return st;
}

/* ---- checksum: FNV-1a over names and the entries that are not zero ---- */

static uint64_t add_bytes(uint64_t sum, const void *data, size_t size)
{
    const unsigned char *at = data;

    for (size_t i = 0; i < size; i++)
        sum = (sum ^ at[i]) * 0x100000001b3U;
    return sum;
}

static uint64_t add_entry(uint64_t sum, size_t i, size_t j, double x)
{
    const float rounded = (float)x; /* the last digits may depend on the machine */

    if (rounded == 0)
        return sum;
    sum = add_bytes(sum, &(uint64_t){i}, sizeof(uint64_t));
    sum = add_bytes(sum, &(uint64_t){j}, sizeof(uint64_t));
    return add_bytes(sum, &rounded, sizeof rounded);
}

static uint64_t add_matrix(uint64_t sum, const struct yk_matrix *A)
{
    for (size_t j = 0; A && j < A->cols; j++)
        switch (A->form) {
        case YK_DENSE:
            for (size_t i = 0; i < A->rows; i++)
                sum = add_entry(sum, i, j, A->x[i + j * A->rows]);
            break;
        case YK_DIAGONAL:
            sum = add_entry(sum, j, j, A->x[j]);
            break;
        case YK_SPARSE:
            for (int k = A->col[j]; k < A->col[j + 1]; k++)
                sum = add_entry(sum, (size_t)A->row[k], j, A->x[k]);
            break;
        case YK_THIN: /* only in modes */
            break;
        }
    return add_bytes(sum, "", 1);
}

void yk_linear_model_checksum(const struct yk_linear_model *m, char text[17])
{
    uint64_t sum = 0xcbf29ce484222325U;

    for (size_t i = 0; m->names && i < m->K->rows; i++)
        sum = add_bytes(sum, m->names[i], strlen(m->names[i]) + 1);
    sum = add_matrix(add_matrix(add_matrix(sum, m->M), m->C), m->K);
    snprintf(text, 17, "%016" PRIx64, sum);
}
