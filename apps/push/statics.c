/* Search for equilibrium: Newton with the bordered matrix of eq. (1). Units: N, m, rad. */
#include "statics.h"

#include <yoke/suggest.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 30 }; /* iterations */

#define RESIDUAL   1e-6  /* of the largest load: a state that is accepted */
#define FINE       1e-10 /* the same, where the iteration gets there */
#define CORRECTION 1e-8  /* the last one, of the largest displacement */

/* ---- the structure --------------------------------------------------------------------------------------------- */

static enum yk_status no_memory(struct yk_err *err)
{
    return yk_fail(err, YK_E_MEMORY, "out of memory");
}

void statics_share(const struct statics *q, size_t k, const double *u, double *own)
{
    memset(own, 0, yk_part(q->parts, k)->system->n * sizeof *own);
    yk_matrix_add_transposed_product(&q->assembly->map[k], 1, u, own);
}

/* Is the name of a degree of freedom that of a rotation: rx, ry, rz? */
static bool is_rotation(const char *dof)
{
    const char *dot = strrchr(dof, '.'), *last = dot ? dot + 1 : dof;

    return last[0] == 'r' && last[1] >= 'x' && last[1] <= 'z' && !last[2];
}

static enum yk_status mark_rotations(struct statics *q, struct yk_err *err)
{
    for (size_t k = 0; k < yk_parts_count(q->parts); k++) {
        const struct yk_substructure *part = yk_part(q->parts, k);
        double *local = calloc(part->system->n + 1, sizeof *local);

        if (!local)
            return no_memory(err);
        for (size_t i = 0; i < part->system->n; i++) {
            if (!is_rotation(part->dofs[i]))
                continue;
            memset(q->product, 0, q->n * sizeof *q->product);
            local[i] = 1;
            yk_matrix_add_product(&q->assembly->map[k], 1, local, q->product);
            local[i] = 0;
            for (size_t j = 0; j < q->n; j++)
                q->turns[j] |= q->product[j] != 0;
        }
        free(local);
    }
    return YK_OK;
}

enum yk_status statics_open(struct statics *q, struct yk_parts *parts, struct yk_err *err)
{
    enum { VECTORS = 12 };
    const struct yk_assembly *a = yk_parts_assembly(parts);
    double *x;

    *q = (struct statics){.parts = parts, .assembly = a, .s = a->system};
    if (!q->s || q->s->mass_divided_out)
        return yk_fail(err, YK_E_UNSUPPORTED, "statics need models of matrices, elements and members");
    q->n = q->s->n;
    x = calloc(VECTORS * q->n + 1, sizeof *x);
    q->turns = calloc(2 * q->n + 1, sizeof *q->turns);
    if (!x || !q->turns) {
        free(x);
        free(q->turns);
        *q = (struct statics){0};
        return no_memory(err);
    }
    double **const vectors[VECTORS] = {&q->u, &q->P, &q->p, &q->c, &q->lambda0, &q->trial,
                                       &q->r, &q->a, &q->b, &q->z, &q->zero,    &q->product};
    for (int i = 0; i < VECTORS; i++)
        *vectors[i] = x + (size_t)i * q->n;
    q->held = q->turns + q->n;
    memcpy(q->u, q->s->u0, q->n * sizeof *q->u);
    if (q->s->ops->rest)
        q->s->ops->rest(q->s->self, q->u);
    return mark_rotations(q, err);
}

void statics_close(struct statics *q)
{
    yk_matrix_fini(&q->K);
    yk_matrix_fini(&q->C);
    free(q->u); /* and the vectors behind it */
    free(q->turns);
    *q = (struct statics){0};
}

/* ---- names ----------------------------------------------------------------------------------------------------- */

struct names {
    const struct yk_parts *parts;
    size_t part, dof;
    char text[160];
};

static const char *next_name(void *self)
{
    struct names *c = self;

    while (c->part < yk_parts_count(c->parts) && c->dof >= yk_part(c->parts, c->part)->system->n) {
        c->part++;
        c->dof = 0;
    }
    if (c->part == yk_parts_count(c->parts))
        return NULL;
    const struct yk_substructure *s = yk_part(c->parts, c->part);

    snprintf(c->text, sizeof c->text, "%s.%s", s->name, s->dofs[c->dof++]);
    return c->text;
}

enum yk_status statics_find_dof(const struct yk_parts *parts, struct yk_where where, const char *name, size_t *part,
                                size_t *dof, struct yk_err *err)
{
    struct names c = {parts, 0, 0, ""};
    char hint[200];

    for (const char *one; (one = next_name(&c));)
        if (strcmp(one, name) == 0) {
            *part = c.part;
            *dof = c.dof - 1;
            return YK_OK;
        }
    return yk_fail_at(err, YK_E_INPUT, where, "there is no degree of freedom '%s'%s", name,
                      yk_suggest(name, next_name, &(struct names){parts, 0, 0, ""}, "", hint, sizeof hint));
}

enum yk_status statics_find(const struct statics *q, struct yk_where where, const char *name, double *column,
                            struct yk_err *err)
{
    size_t k, i;
    enum yk_status st = statics_find_dof(q->parts, where, name, &k, &i, err);
    double *local = st ? NULL : calloc(yk_part(q->parts, k)->system->n, sizeof *local);

    if (st || !local)
        return st ? st : no_memory(err);
    local[i] = 1;
    memset(column, 0, q->n * sizeof *column);
    yk_matrix_add_product(&q->assembly->map[k], 1, local, column);
    free(local);
    return YK_OK;
}

/* ---- forces and tangents --------------------------------------------------------------------------------------- */

/* r := P + lambda p - R(u); what is held takes any force. */
static void residual(struct statics *q, double lambda, const double *u)
{
    const double t = q->time + q->tick;

    for (size_t i = 0; i < q->n; i++)
        q->product[i] = q->P[i] + lambda * q->p[i];
    if (q->s->ops->set_target)
        q->s->ops->set_target(q->s->self, t, u, q->zero);
    yk_system_force(q->s, t, q->product, u, q->zero, q->r);
    for (size_t i = 0; i < q->n; i++)
        if (q->held[i]) {
            q->lambda0[i] = -q->r[i];
            q->r[i] = 0;
        }
}

/* A matrix in the pattern of the system, or dense. */
static enum yk_status make_room(const struct yk_system *s, struct yk_matrix *A, struct yk_err *err)
{
    const struct yk_pattern *p = &s->pattern;
    const size_t entries = p->col ? p->entries : 0;
    double *zeros;
    enum yk_status st;

    if (!p->col)
        return yk_matrix_init(A, YK_DENSE, s->n, s->n, err);
    if (!(zeros = calloc(entries + 1, sizeof *zeros)))
        return no_memory(err);
    st = yk_matrix_copy(
        A, &(struct yk_matrix){.form = YK_SPARSE, .rows = s->n, .cols = s->n, .x = zeros, .col = p->col, .row = p->row},
        err);
    free(zeros);
    return st;
}

/* Rows and columns of what is held become those of the unit matrix. */
static void hold(const struct statics *q, struct yk_matrix *K)
{
    for (size_t j = 0; j < q->n; j++) {
        const size_t first = K->form == YK_DENSE ? j * q->n : (size_t)K->col[j];
        const size_t end = K->form == YK_DENSE ? first + q->n : (size_t)K->col[j + 1];

        for (size_t k = first; k < end; k++) {
            const size_t i = K->form == YK_DENSE ? k - first : (size_t)K->row[k];

            if (q->held[i] || q->held[j])
                K->x[k] = i == j ? 1 : 0;
        }
    }
}

enum yk_status statics_tangent(struct statics *q, const double *u, const double *way, struct yk_err *err)
{
    struct yk_system *s = q->s;
    enum yk_status st = YK_OK;

    if (s->linear) { /* its matrix may have any form */
        yk_matrix_fini(&q->K);
        if ((st = yk_matrix_init(&q->K, YK_DENSE, q->n, q->n, err)))
            return st;
        yk_matrix_to_dense(&s->K, q->K.x);
        hold(q, &q->K);
        return YK_OK;
    }
    if (!q->K.x && ((st = make_room(s, &q->K, err)) || (st = make_room(s, &q->C, err))))
        return st;
    yk_system_force(s, q->time + q->tick, q->zero, u, way ? way : q->zero, q->product);
    if (s->pattern.col)
        s->ops->sparse_tangent(s->self, u, way ? way : q->zero, q->K.x, q->C.x);
    else
        s->ops->tangent(s->self, u, way ? way : q->zero, q->K.x, q->C.x);
    hold(q, &q->K);
    return YK_OK;
}

/* ---- solution of the bordered system --------------------------------------------------------------------------- */

/* A spring in the direction of the control displacement keeps the matrix regular at limit points and in mechanisms.
 * With y = c^T dU it leaves the solution unchanged:
 *
 *     (K + s c c^T) dU = r + dlambda p + s c y                                                                    (2)
 *
 * so dU = a + dlambda b + y z, where a, b and z belong to r, p and s c; dlambda and y follow from c^T dU = y and the
 * condition. */
static struct yk_factor *factor(struct statics *q)
{
    size_t count = 0;
    struct yk_factor *held = NULL;
    struct yk_matrix border = {0};
    int *row, *col;
    double *x;

    for (size_t i = 0; i < q->n; i++)
        count += q->c[i] != 0 && q->spring > 0;
    row = malloc((2 * count * count + 1) * sizeof *row);
    x = malloc((count * count + 1) * sizeof *x);
    if (row && x) {
        size_t at = 0;

        col = row + count * count;
        for (size_t i = 0; i < q->n && count; i++)
            for (size_t j = 0; j < q->n; j++)
                if (q->c[i] != 0 && q->c[j] != 0) {
                    row[at] = (int)i;
                    col[at] = (int)j;
                    x[at++] = q->c[i] * q->c[j];
                }
        if (!yk_matrix_from_triplets(&border, q->n, q->n, at, row, col, x, NULL))
            (void)yk_factor_sum(&held, 2, (double[]){1, q->spring}, (const struct yk_matrix *[]){&q->K, &border}, NULL,
                                NULL);
    }
    yk_matrix_fini(&border);
    free(row);
    free(x);
    return held;
}

/* dU into q->a and *dlambda for the residual q->r; `d`, e, g as in eq. (1). False: the matrix is singular. */
static bool solve(struct statics *q, const double *d, double e, double g, double *dlambda)
{
    struct yk_factor *A = factor(q);

    *dlambda = 0;
    if (!A)
        return false;
    memcpy(q->a, q->r, q->n * sizeof *q->a);
    memcpy(q->b, q->p, q->n * sizeof *q->b);
    for (size_t i = 0; i < q->n; i++) {
        q->b[i] = q->held[i] ? 0 : q->b[i];
        q->z[i] = q->held[i] ? 0 : q->spring * q->c[i];
    }
    yk_factor_solve(A, q->a);
    yk_factor_solve(A, q->b);
    yk_factor_solve(A, q->z);
    yk_factor_destroy(A);

    const double ca = yk_dot(q->n, q->c, q->a), cb = yk_dot(q->n, q->c, q->b), cz = yk_dot(q->n, q->c, q->z);
    double y = 0;

    if (!d && e == 0) { /* the loads stay: the spring alone is taken out again */
        y = q->spring > 0 ? ca / (1 - cz) : 0;
    } else {
        const double da = d ? yk_dot(q->n, d, q->a) : 0, db = (d ? yk_dot(q->n, d, q->b) : 0) + e,
                     dz = d ? yk_dot(q->n, d, q->z) : 0;
        const double det = (1 - cz) * db + cb * dz; /* (1 - cz) y - cb x = ca,  dz y + db x = g - da */

        y = (ca * db + cb * (g - da)) / det;
        *dlambda = ((1 - cz) * (g - da) - dz * ca) / det;
    }
    for (size_t i = 0; i < q->n; i++)
        q->a[i] += *dlambda * q->b[i] + y * q->z[i];
    return isfinite(*dlambda) && isfinite(y) && yk_all_finite(q->n, q->a);
}

/* ---- search ---------------------------------------------------------------------------------------------------- */

/* The largest residual over what is allowed at `accuracy` 1. */
static double excess(struct statics *q)
{
    double most = 0;

    for (size_t i = 0; i < q->n; i++) {
        const double x = fabs(q->r[i]) / (q->turns[i] ? q->moment : q->force);

        if (!(x <= most)) {
            most = x;
            q->largest = i;
            q->left = q->r[i];
        }
    }
    return most;
}

static double largest(size_t n, const double *x, const bool *turns, bool turn)
{
    double most = 0;

    for (size_t i = 0; i < n; i++)
        if (turns[i] == turn)
            most = fmax(most, fabs(x[i]));
    return most;
}

/* Loads are a scale of forces, also of moments, as if over a metre. */
static void scale(struct statics *q, double lambda)
{
    const double P = largest(q->n, q->P, q->turns, false), p = largest(q->n, q->p, q->turns, false);
    const double Pm = largest(q->n, q->P, q->turns, true), pm = largest(q->n, q->p, q->turns, true);

    q->force = fmax(q->force, fmax(P, fabs(lambda) * p));
    q->moment = fmax(fmax(q->moment, q->force), fmax(Pm, fabs(lambda) * pm));
    q->force = q->force > 0 ? q->force : q->moment;
    if (!(q->force > 0)) /* nothing acts so far */
        q->force = q->moment = 1;
}

/* Remainder of the condition after dU and dlambda. An arc is linearised there: d and e are the gradient. */
static double gap(const struct statics *q, const struct condition *to, double dlambda, double *d, double *e)
{
    double sum = 0;

    if (!to->arc) {
        for (size_t i = 0; to->d && i < q->n; i++)
            sum += to->d[i] * (q->trial[i] - q->u[i]);
        *e = to->e;
        return to->g - sum - to->e * dlambda;
    }
    for (size_t i = 0; i < q->n; i++) {
        d[i] = 2 * (q->trial[i] - q->u[i]);
        sum += 0.25 * d[i] * d[i];
    }
    *e = 2 * to->e * to->e * dlambda;
    return to->g * to->g - sum - to->e * to->e * dlambda * dlambda;
}

/* The tolerance of a condition: of the largest step along it. */
static bool is_met(const struct condition *to, double g)
{
    return fabs(g) <= 1e-12 * (to->arc ? to->g * to->g : fabs(to->g)) + 1e-300;
}

bool statics_search(struct statics *q, const struct condition *to, double *lambda)
{
    const bool free_loads = to->d || to->e != 0;
    double *gradient = to->arc ? malloc(q->n * sizeof *gradient) : NULL;
    double dlambda = to->arc ? to->dlambda : 0, correction = INFINITY;
    bool found = false;

    for (size_t i = 0; i < q->n; i++)
        q->trial[i] = q->u[i] + (to->arc ? to->way[i] : 0);
    for (q->iterations = 0; q->iterations <= MOST && (gradient || !to->arc); q->iterations++) {
        double e, x, g = gap(q, to, dlambda, gradient, &e);

        residual(q, q->lambda + dlambda, q->trial);
        scale(q, q->lambda + dlambda);
        const double over = excess(q);
        const bool fine = q->iterations == MOST ? over <= RESIDUAL : over <= FINE;

        if (!isfinite(over))
            break;
        if (fine && correction <= CORRECTION && (is_met(to, g) || !free_loads)) {
            found = true;
            break;
        }
        if (q->iterations == MOST || statics_tangent(q, q->trial, NULL, NULL))
            break;
        if (!solve(q, to->arc ? gradient : to->d, e, g, &x))
            break;
        for (size_t i = 0; i < q->n; i++)
            q->trial[i] += q->a[i];
        dlambda += x;
        const double size = fmax(largest(q->n, q->trial, q->turns, false), 1e-12),
                     angle = fmax(largest(q->n, q->trial, q->turns, true), size); /* 1 rad as 1 m: some do not turn */

        correction = fmax(largest(q->n, q->a, q->turns, false) / size, largest(q->n, q->a, q->turns, true) / angle);
        if (!yk_all_finite(q->n, q->trial))
            break;
    }
    free(gradient);
    *lambda = q->lambda + dlambda;
    return found;
}

bool statics_direction(struct statics *q, const double *d, double e, double *dU, double *dlambda)
{
    if (statics_tangent(q, q->u, NULL, NULL))
        return false;
    memset(q->r, 0, q->n * sizeof *q->r);
    if (!solve(q, d, e, 1, dlambda))
        return false;
    memcpy(dU, q->a, q->n * sizeof *dU);
    return true;
}

void statics_commit(struct statics *q, double lambda)
{
    memcpy(q->u, q->trial, q->n * sizeof *q->u);
    q->lambda = lambda;
    q->time += q->tick;
    if (q->s->ops->commit)
        q->s->ops->commit(q->s->self, q->time, q->u, q->zero);
}
