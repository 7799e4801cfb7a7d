/* A peer: SUNDIALS' ARKODE with a singly diagonally implicit Runge-Kutta method of order 2, fixed steps, KLU.
 * y = (u, v), M' y' = (v, f - C v - K u) with M' = (I, M). The system is linear and constant, so the factor is kept.
 * usage: sundials_step DIR */
#include "model.h"

#include <arkode/arkode_arkstep.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_version.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_sparse.h>

struct columns { /* a symmetric matrix, complete, by columns */
    sunindextype *begin, *row;
    double *value;
};

struct parts {
    const struct model *model;
    struct columns M, C, K;
};

static struct columns whole(const struct triangle *t, int n)
{
    struct columns A = {calloc((size_t)n + 2, sizeof *A.begin), malloc((size_t)(2 * t->count) * sizeof *A.row),
                        malloc((size_t)(2 * t->count) * sizeof *A.value)};

    for (long k = 0; k < t->count; k++) {
        A.begin[t->col[k] + 2]++;
        if (t->row[k] != t->col[k])
            A.begin[t->row[k] + 2]++;
    }
    for (int j = 0; j < n; j++)
        A.begin[j + 2] += A.begin[j + 1];
    for (long k = 0; k < t->count; k++) {
        A.row[A.begin[t->col[k] + 1]] = t->row[k];
        A.value[A.begin[t->col[k] + 1]++] = t->value[k];
        if (t->row[k] != t->col[k]) {
            A.row[A.begin[t->row[k] + 1]] = t->col[k];
            A.value[A.begin[t->row[k] + 1]++] = t->value[k];
        }
    }
    return A;
}

static void add_product(const struct columns *A, int n, double factor, const double *x, double *y)
{
    for (int j = 0; j < n; j++)
        for (sunindextype k = A->begin[j]; k < A->begin[j + 1]; k++)
            y[A->row[k]] += factor * A->value[k] * x[j];
}

static int right_side(realtype t, N_Vector y, N_Vector rate, void *self)
{
    const struct parts *p = self;
    const int n = p->model->n;
    const double *u = N_VGetArrayPointer(y), *v = u + n;
    double *du = N_VGetArrayPointer(rate), *dv = du + n;

    for (int i = 0; i < n; i++) {
        du[i] = v[i];
        dv[i] = p->model->force;
    }
    add_product(&p->C, n, -1, v, dv);
    add_product(&p->K, n, -1, u, dv);
    return 0;
}

static void put(SUNMatrix J, sunindextype *at, sunindextype row, double value)
{
    SM_INDEXVALS_S(J)[*at] = row;
    SM_DATA_S(J)[(*at)++] = value;
}

/* [0 I; -K -C] */
static int jacobian(realtype t, N_Vector y, N_Vector rate, SUNMatrix J, void *self, N_Vector a, N_Vector b, N_Vector c)
{
    const struct parts *p = self;
    const int n = p->model->n;
    sunindextype at = 0;

    for (int j = 0; j < n; j++) {
        SM_INDEXPTRS_S(J)[j] = at;
        for (sunindextype k = p->K.begin[j]; k < p->K.begin[j + 1]; k++)
            put(J, &at, n + p->K.row[k], -p->K.value[k]);
    }
    for (int j = 0; j < n; j++) {
        SM_INDEXPTRS_S(J)[n + j] = at;
        put(J, &at, j, 1);
        for (sunindextype k = p->C.begin[j]; k < p->C.begin[j + 1]; k++)
            put(J, &at, n + p->C.row[k], -p->C.value[k]);
    }
    SM_INDEXPTRS_S(J)[2 * n] = at;
    return 0;
}

/* (I, M) */
static int mass(realtype t, SUNMatrix A, void *self, N_Vector a, N_Vector b, N_Vector c)
{
    const struct parts *p = self;
    const int n = p->model->n;
    sunindextype at = 0;

    for (int j = 0; j < n; j++) {
        SM_INDEXPTRS_S(A)[j] = at;
        put(A, &at, j, 1);
    }
    for (int j = 0; j < n; j++) {
        SM_INDEXPTRS_S(A)[n + j] = at;
        for (sunindextype k = p->M.begin[j]; k < p->M.begin[j + 1]; k++)
            put(A, &at, n + p->M.row[k], p->M.value[k]);
    }
    SM_INDEXPTRS_S(A)[2 * n] = at;
    return 0;
}

int main(int argc, char **argv)
{
    struct parts p = {0};
    struct model m;
    struct clock clock;
    SUNContext context;
    double t = 0;
    char version[25], name[200];

    if (argc != 2)
        give_up("usage: sundials_step DIR", "sundials_step");
    m = read_model(argv[1]);
    p = (struct parts){.model = &m, .C = whole(&m.C, m.n), .K = whole(&m.K, m.n), .M = whole(&m.M, m.n)};
    SUNContext_Create(NULL, &context);
    N_Vector y = N_VNew_Serial(2 * (sunindextype)m.n, context);
    N_VConst(0, y);
    const sunindextype entries = p.K.begin[m.n] + p.C.begin[m.n] + m.n;
    SUNMatrix J = SUNSparseMatrix(2 * m.n, 2 * m.n, entries, CSC_MAT, context);
    SUNMatrix A = SUNSparseMatrix(2 * m.n, 2 * m.n, m.n + p.M.begin[m.n], CSC_MAT, context);
    SUNLinearSolver solver = SUNLinSol_KLU(y, J, context), mass_solver = SUNLinSol_KLU(y, A, context);
    void *ark = ARKStepCreate(NULL, right_side, 0, y, context);

    ARKStepSetUserData(ark, &p);
    ARKStepSStolerances(ark, 1e-6, 1e-12);
    ARKStepSetLinearSolver(ark, solver, J);
    ARKStepSetJacFn(ark, jacobian);
    ARKStepSetMassLinearSolver(ark, mass_solver, A, SUNFALSE);
    ARKStepSetMassFn(ark, mass);
    ARKStepSetLinear(ark, 0);
    ARKStepSetTableNum(ark, ARKODE_SDIRK_2_1_2, ARKODE_ERK_NONE);
    ARKStepSetFixedStep(ark, m.h);
    ARKStepSetMaxNumSteps(ark, 10);
    ARKStepSetLSetupFrequency(ark, 1000000);
    start_clock(&clock, m.steps);
    for (long k = 1; k <= m.steps; k++) {
        if (ARKStepEvolve(ark, (double)k * m.h, y, &t, ARK_ONE_STEP) < 0)
            give_up("ARKODE failed", argv[1]);
        count_step(&clock, m.n, N_VGetArrayPointer(y));
    }
    SUNDIALSGetVersion(version, sizeof version);
    snprintf(name, sizeof name, "SUNDIALS %s, ARKODE SDIRK-2-1-2, KLU factor kept", version);
    print_result(&clock, name);
    return 0;
}
