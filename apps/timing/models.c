/* Models for comparison with other programs: their matrices in files, and their motion here. */
#include "models.h"

#include "large.h"
#include "modal.h"
#include <yoke/file.h>
#include <yoke/stepping.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static enum yk_status truss_1000(struct yk_system **system, struct yk_err *err)
{
    return yk_bench_make_truss(system, 1000, err);
}

static enum yk_status truss_10176(struct yk_system **system, struct yk_err *err)
{
    return yk_bench_make_truss(system, 10176, err);
}

static enum yk_status truss_100000(struct yk_system **system, struct yk_err *err)
{
    return yk_bench_make_truss(system, 100000, err);
}

/* Mass and stiffness of the only substructure of an experiment, with Rayleigh damping: that of the modes of the bridge
 * is a full matrix, which a program that steps without modes would not choose. */
static enum yk_status structure_of(char *(*text_of)(const char *path), struct yk_system **system, struct yk_err *err)
{
    struct yk_structure_parts parts = {.unchecked = true};
    char *text = text_of("auto");
    struct yk_model *model = NULL;
    struct yk_stepping *stepping = NULL;
    enum yk_status st =
        text ? yk_model_read(&model,
                             &(struct yk_model_source){
                                 .path = "bench.yaml", .text = text, .size = strlen(text), .rehearse = true},
                             err)
             : yk_fail(err, YK_E_MEMORY, "out of memory for a benchmark");

    if (!st && !(st = yk_stepping_open(&stepping, model, err))) {
        const struct yk_system *s = yk_stepping_system(stepping, 0);

        if ((st = yk_matrix_to_sparse(&parts.M, &s->M, err)) || (st = yk_matrix_to_sparse(&parts.K, &s->K, err)) ||
            (st = yk_matrix_combine(&parts.C, 2, (double[]){0.3, 1.6e-3},
                                    (const struct yk_matrix *[]){&parts.M, &parts.K}, err)))
            yk_structure_parts_free(&parts);
    }
    yk_stepping_close(stepping);
    yk_model_close(model);
    free(text);
    return st ? st : yk_structure_create(system, &parts, NULL, err);
}

static enum yk_status bridge_88(struct yk_system **system, struct yk_err *err)
{
    return structure_of(yk_bench_bridge, system, err);
}

static enum yk_status frame_999(struct yk_system **system, struct yk_err *err)
{
    return structure_of(yk_bench_frame, system, err);
}

static enum yk_status chain_1000(struct yk_system **system, struct yk_err *err)
{
    return yk_bench_make_chain(system, 1000, err);
}

const struct yk_bench_model yk_bench_models[] = {
    {"bridge-88", bridge_88, 2000, "newmark", yk_bench_bridge},
    {"frame-999", frame_999, 1000, "newmark", yk_bench_frame},
    {"truss-1000", truss_1000, 200, "newmark", NULL},
    {"truss-10176", truss_10176, 200, "newmark", NULL},
    {"truss-100000", truss_100000, 50, "newmark", NULL},
    {"chain-1000", chain_1000, 500, "newmark-newton", NULL},
    {NULL, NULL, 0, NULL, NULL},
};

const struct yk_bench_model *yk_bench_model_find(const char *name)
{
    for (const struct yk_bench_model *m = yk_bench_models; m->name; m++)
        if (strcmp(m->name, name) == 0)
            return m;
    return NULL;
}

/* ---- the motion here --------------------------------------------------------------------------------------------- */

static double largest(const struct yk_domain *d, size_t n)
{
    struct yk_kinematics now;
    double most = 0;

    yk_domain_now(d, &now);
    for (size_t i = 0; i < n; i++)
        most = fmax(most, fabs(now.u[i]));
    return most;
}

static enum yk_status move(const struct yk_bench_model *model, struct yk_system *system, struct yk_bench_motion *out,
                           struct yk_err *err)
{
    const struct yk_loading loads[2] = {{yk_bench_shake, &system->n}, {NULL, NULL}};
    struct yk_bench_result r;
    struct yk_domain d;
    struct yk_task task;
    enum yk_status st =
        yk_bench_open(&d, yk_integrator_find(model->integrator), system, loads[system->linear], YK_BENCH_STEP, err);

    if (st)
        return st;
    for (size_t i = 0; i < system->n && system->linear; i++)
        d.f[i] = YK_BENCH_FORCE;
    if (system->linear)
        task = (struct yk_task){yk_bench_restart, yk_bench_advance, &d};
    else
        task = yk_bench_underway(&d);
    yk_measure(&task, &task, &r);
    *out = (struct yk_bench_motion){.dofs = system->n, .seconds_per_step = r.seconds_per_op};
    yk_bench_restart(&d);
    for (long k = 0; k < model->steps; k++) {
        yk_bench_advance(&d, 1);
        out->peak = fmax(out->peak, largest(&d, system->n));
    }
    yk_domain_destroy(&d);
    return YK_OK;
}

enum yk_status yk_bench_move(const struct yk_bench_model *model, struct yk_bench_motion *out, struct yk_err *err)
{
    struct yk_bench_result r;
    struct yk_system *system;
    enum yk_status st = model->make(&system, err);

    if (st)
        return st;
    st = move(model, system, out, err);
    yk_system_destroy(system);
    if (!st && model->text && !(st = yk_bench_modal(model->text, &r, err)))
        out->seconds_per_step = r.seconds_per_op;
    return st;
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

static FILE *open_in(const char *folder, const char *name, struct yk_err *err)
{
    char path[4096];
    FILE *out;

    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (!(out = yk_file_create_stream(path)))
        yk_fail_at(err, YK_E_IO, YK_IN_FILE(path), "cannot be written: %s", strerror(errno));
    return out;
}

/* The lower triangle in the format of Matrix Market. */
static enum yk_status write_matrix(const char *folder, const char *name, const struct yk_matrix *any,
                                   struct yk_err *err)
{
    struct yk_matrix A;
    size_t count = 0;
    FILE *out = NULL;
    enum yk_status st = yk_matrix_to_sparse(&A, any, err);

    if (!st && !(out = open_in(folder, name, err)))
        st = YK_E_IO;
    for (int pass = 0; pass < 2 && !st; pass++) {
        if (pass)
            fprintf(out, "%%%%MatrixMarket matrix coordinate real symmetric\n%zu %zu %zu\n", A.rows, A.cols, count);
        for (size_t j = 0; j < A.cols; j++)
            for (int k = A.col[j]; k < A.col[j + 1]; k++) {
                if ((size_t)A.row[k] < j)
                    continue;
                count++;
                if (pass)
                    fprintf(out, "%d %zu %.17g\n", A.row[k] + 1, j + 1, A.x[k]);
            }
    }
    if (out && fclose(out) != 0)
        st = yk_fail_at(err, YK_E_IO, YK_IN_FILE(name), "cannot be written: %s", strerror(errno));
    yk_matrix_fini(&A);
    return st;
}

enum yk_status yk_bench_write(const struct yk_bench_model *model, const char *folder, struct yk_err *err)
{
    struct yk_system *system;
    FILE *out;
    enum yk_status st = model->make(&system, err);

    if (st)
        return st;
    if (!system->linear)
        st = yk_fail(err, YK_E_UNSUPPORTED, "%s is nonlinear: it cannot be written as matrices", model->name);
    if (!st && !(st = write_matrix(folder, "mass.mtx", &system->M, err)) &&
        !(st = write_matrix(folder, "damping.mtx", &system->C, err)) &&
        !(st = write_matrix(folder, "stiffness.mtx", &system->K, err))) {
        if ((out = open_in(folder, "model.txt", err))) {
            fprintf(out, "dofs %zu\nstep %.17g\nsteps %ld\nforce %.17g\n", system->n, YK_BENCH_STEP, model->steps,
                    YK_BENCH_FORCE);
            if (fclose(out) != 0)
                st = yk_fail_at(err, YK_E_IO, YK_IN_FILE(folder), "cannot be written: %s", strerror(errno));
        } else {
            st = YK_E_IO;
        }
    }
    yk_system_destroy(system);
    return st;
}
