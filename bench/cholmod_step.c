/* A yardstick: the Newmark step of a plane truss in plain C with CHOLMOD's supernodal Cholesky, beside Yoke's.
 *
 * CHOLMOD's Supernodal module is under the GPL, so this program is not part of Yoke, is not installed, and is built
 * only with -DYOKE_YARDSTICKS=ON (`make yardsticks`). Both steps start from rest under the same load; the program ends
 * with 4 where their displacements after 50 steps differ, or where Yoke's takes longer than it may. Medians of turns,
 * in one run. It prints one JSON object for each truss. */
#include "timing/large.h"
#include "timing/models.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cholmod.h>

#define STEP  YK_BENCH_STEP
#define FORCE YK_BENCH_FORCE

struct plain {
    const struct yk_system *system;
    cholmod_common common;
    cholmod_factor *factor;
    cholmod_dense rhs, *x, *y, *e;
    double *u, *v, *a, *p;
};

static void plain_reset(void *self)
{
    struct plain *s = self;
    const size_t n = s->system->n;

    for (size_t i = 0; i < n; i++) {
        s->u[i] = s->v[i] = 0;
        s->a[i] = FORCE / s->system->M.x[i];
    }
}

/* beta = 1/4, gamma = 1/2: predict, solve (M + h/2 C + h^2/4 K) a = f - C v - K u, correct */
static void plain_run(void *self, long count)
{
    struct plain *s = self;
    const size_t n = s->system->n;
    const double h = STEP;

    for (long k = 0; k < count; k++) {
        for (size_t i = 0; i < n; i++) {
            s->u[i] += h * s->v[i] + 0.25 * h * h * s->a[i];
            s->v[i] += 0.5 * h * s->a[i];
            s->p[i] = FORCE;
        }
        yk_matrix_add_product(&s->system->K, -1, s->u, s->p);
        yk_matrix_add_product(&s->system->C, -1, s->v, s->p);
        cholmod_solve2(CHOLMOD_A, s->factor, &s->rhs, NULL, &s->x, NULL, &s->y, &s->e, &s->common);
        memcpy(s->a, s->x->x, n * sizeof *s->a);
        for (size_t i = 0; i < n; i++) {
            s->u[i] += 0.25 * h * h * s->a[i];
            s->v[i] += 0.5 * h * s->a[i];
        }
    }
}

static int plain_open(struct plain *s, const struct yk_system *system, struct yk_err *err)
{
    const size_t n = system->n;
    struct yk_matrix D = {0};

    *s = (struct plain){.system = system};
    s->u = calloc(4 * n, sizeof *s->u);
    if (!s->u || yk_matrix_combine(&D, 3, (double[]){1, STEP / 2, STEP * STEP / 4},
                                   (const struct yk_matrix *[]){&system->M, &system->C, &system->K}, err))
        return 1;
    s->v = s->u + n;
    s->a = s->v + n;
    s->p = s->a + n;
    cholmod_start(&s->common);
    s->common.supernodal = CHOLMOD_SUPERNODAL;
    cholmod_sparse A = {.nrow = n, .ncol = n, .nzmax = (size_t)D.col[n], .p = D.col, .i = D.row, .x = D.x, .stype = -1};

    A.itype = CHOLMOD_INT;
    A.xtype = CHOLMOD_REAL;
    A.dtype = CHOLMOD_DOUBLE;
    A.sorted = A.packed = 1;
    s->factor = cholmod_analyze(&A, &s->common);
    cholmod_factorize(&A, s->factor, &s->common);
    s->rhs = (cholmod_dense){
        .nrow = n, .ncol = 1, .nzmax = n, .d = n, .x = s->p, .xtype = CHOLMOD_REAL, .dtype = CHOLMOD_DOUBLE};
    yk_matrix_fini(&D);
    return s->common.status < CHOLMOD_OK;
}

static void plain_close(struct plain *s)
{
    cholmod_free_dense(&s->x, &s->common);
    cholmod_free_dense(&s->y, &s->common);
    cholmod_free_dense(&s->e, &s->common);
    cholmod_free_factor(&s->factor, &s->common);
    cholmod_finish(&s->common);
    free(s->u);
}

/* Largest difference of the displacements after 50 steps, of the largest displacement. */
static double difference(struct plain *s, struct yk_domain *d)
{
    struct yk_kinematics k;
    double most = 0, off = 0;

    plain_reset(s);
    plain_run(s, 50);
    yk_bench_restart(d);
    yk_bench_advance(d, 50);
    yk_domain_now(d, &k);
    for (size_t i = 0; i < s->system->n; i++) {
        most = fmax(most, fabs(s->u[i]));
        off = fmax(off, fabs(s->u[i] - k.u[i]));
    }
    return off / most;
}

static int compare(const char *model, double limit)
{
    struct yk_bench_result r;
    struct yk_system *system;
    struct yk_domain domain;
    struct yk_err err = {0};
    struct plain plain;
    double off;

    if (yk_bench_model_find(model)->make(&system, &err) || plain_open(&plain, system, &err) ||
        yk_bench_open(&domain, yk_integrator_find("newmark"), system, (struct yk_loading){0}, STEP, &err)) {
        fprintf(stderr, "cholmod_step: %s\n", yk_err_line(&err).text);
        return 1;
    }
    for (size_t i = 0; i < system->n; i++)
        domain.f[i] = FORCE;
    off = difference(&plain, &domain);
    yk_measure(&(struct yk_task){yk_bench_restart, yk_bench_advance, &domain},
               &(struct yk_task){plain_reset, plain_run, &plain}, &r);
    printf("{\"model\": \"%s\", \"seconds_per_step\": %.6g, \"cholmod_seconds_per_step\": %.6g, \"ratio\": %.4g, "
           "\"ratio_limit\": %g, \"difference\": %.1e}\n",
           model, r.seconds_per_op, r.reference_seconds, r.ratio, limit, off);
    fflush(stdout);
    yk_domain_destroy(&domain);
    plain_close(&plain);
    yk_system_destroy(system);
    return r.ratio <= limit && off < 1e-9 ? 0 : 4;
}

int main(void)
{
    const int small = compare("truss-1000", 1.5), medium = compare("truss-10176", 1.5);
    const int large = compare("truss-100000", 1.3);

    return small ? small : medium ? medium : large;
}
