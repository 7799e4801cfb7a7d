/* A peer: PETSc's generalized-alpha method for second-order systems (TSALPHA2, spectral radius 1), its own Cholesky
 * factor made once and kept. usage: petsc_step DIR */
#include "model.h"

#include <petscts.h>

struct parts {
    const struct model *model;
    struct clock clock;
    Mat M, C, K;
    Vec f;
};

static Mat whole(const struct triangle *t, int n)
{
    PetscInt *count = calloc((size_t)n, sizeof *count);
    Mat A;

    for (long k = 0; k < t->count; k++) {
        count[t->row[k]]++;
        if (t->row[k] != t->col[k])
            count[t->col[k]]++;
    }
    MatCreateSeqAIJ(PETSC_COMM_SELF, n, n, 0, count, &A);
    for (long k = 0; k < t->count; k++) {
        MatSetValue(A, t->row[k], t->col[k], t->value[k], INSERT_VALUES);
        MatSetValue(A, t->col[k], t->row[k], t->value[k], INSERT_VALUES);
    }
    MatAssemblyBegin(A, MAT_FINAL_ASSEMBLY);
    MatAssemblyEnd(A, MAT_FINAL_ASSEMBLY);
    MatSetOption(A, MAT_SYMMETRIC, PETSC_TRUE);
    free(count);
    return A;
}

/* F = M a + C v + K u - f */
static PetscErrorCode residual(TS ts, PetscReal t, Vec u, Vec v, Vec a, Vec F, void *self)
{
    struct parts *p = self;

    MatMult(p->M, a, F);
    MatMultAdd(p->C, v, F, F);
    MatMultAdd(p->K, u, F, F);
    VecAXPY(F, -1, p->f);
    return 0;
}

static PetscErrorCode jacobian(TS ts, PetscReal t, Vec u, Vec v, Vec a, PetscReal shift_v, PetscReal shift_a, Mat J,
                               Mat P, void *self)
{
    struct parts *p = self;

    MatZeroEntries(P);
    MatAXPY(P, 1, p->K, SUBSET_NONZERO_PATTERN);
    MatAXPY(P, shift_v, p->C, SUBSET_NONZERO_PATTERN);
    MatAXPY(P, shift_a, p->M, SUBSET_NONZERO_PATTERN);
    return 0;
}

/* The first step finds the accelerations at the start with other coefficients; the factor of the second one is kept. */
static void keep_factor(TS ts)
{
    SNES snes;

    TSGetSNES(ts, &snes);
    SNESSetLagJacobian(snes, -2);
    SNESSetLagPreconditioner(snes, -2);
}

static PetscErrorCode after_step(TS ts)
{
    struct parts *p;
    const double *u;
    Vec U, V;

    TSGetApplicationContext(ts, (void *)&p);
    TS2GetSolution(ts, &U, &V);
    VecGetArrayRead(U, &u);
    if (p->clock.made == 0)
        keep_factor(ts);
    count_step(&p->clock, p->model->n, u);
    VecRestoreArrayRead(U, &u);
    return 0;
}

int main(int argc, char **argv)
{
    struct model m;
    struct parts p = {.model = &m};
    char name[200];
    Vec u, v;
    Mat J;
    TS ts;
    SNES snes;
    SNESLineSearch search;
    KSP ksp;
    PC pc;

    if (argc != 2)
        give_up("usage: petsc_step DIR", "petsc_step");
    PetscInitializeNoArguments();
    m = read_model(argv[1]);
    p.M = whole(&m.M, m.n);
    p.C = whole(&m.C, m.n);
    p.K = whole(&m.K, m.n);
    MatDuplicate(p.K, MAT_COPY_VALUES, &J); /* with the pattern of all three */
    MatAXPY(J, 1, p.C, DIFFERENT_NONZERO_PATTERN);
    MatAXPY(J, 1, p.M, DIFFERENT_NONZERO_PATTERN);
    MatSetOption(J, MAT_SYMMETRIC, PETSC_TRUE);
    MatSetOption(J, MAT_STRUCTURALLY_SYMMETRIC, PETSC_TRUE);
    VecCreateSeq(PETSC_COMM_SELF, m.n, &u);
    VecDuplicate(u, &v);
    VecDuplicate(u, &p.f);
    VecSet(p.f, m.force);
    TSCreate(PETSC_COMM_SELF, &ts);
    TSSetType(ts, TSALPHA2);
    TSAlpha2SetRadius(ts, 1);
    TSSetI2Function(ts, NULL, residual, &p);
    TSSetI2Jacobian(ts, J, J, jacobian, &p);
    TSSetApplicationContext(ts, &p);
    TSSetPostStep(ts, after_step);
    TSSetTimeStep(ts, m.h);
    TSSetMaxSteps(ts, (PetscInt)m.steps);
    TSSetMaxTime(ts, 1e9);
    TSSetExactFinalTime(ts, TS_EXACTFINALTIME_STEPOVER);
    TSGetSNES(ts, &snes);
    /* one Newton iteration without tests, which solves a linear system; SNESKSPONLY gives another motion here */
    SNESSetConvergenceTest(snes, SNESConvergedSkip, NULL, NULL);
    SNESSetNormSchedule(snes, SNES_NORM_NONE);
    SNESSetTolerances(snes, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT, 1, PETSC_DEFAULT);
    SNESGetLineSearch(snes, &search);
    SNESLineSearchSetType(search, SNESLINESEARCHBASIC);
    SNESGetKSP(snes, &ksp);
    KSPSetType(ksp, KSPPREONLY);
    KSPGetPC(ksp, &pc);
    PCSetType(pc, PCCHOLESKY);
    PCFactorSetMatOrderingType(pc, MATORDERINGND);
    TS2SetSolution(ts, u, v);
    start_clock(&p.clock, m.steps);
    TSSolve(ts, u);
    snprintf(name, sizeof name, "PETSc %d.%d, TSALPHA2, Cholesky factor kept", PETSC_VERSION_MAJOR,
             PETSC_VERSION_MINOR);
    print_result(&p.clock, name);
    return PetscFinalize();
}
