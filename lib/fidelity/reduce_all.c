/* Several reductions at once: jobs on threads. What is not safe on two threads, ARPACK and MUMPS, holds a lock of its
 * own inside src/linalg; ordering, LDL factors, static shapes, dense eigenproblems and projections run side by side. */
#include <yoke/parallel.h>

#include <yoke/reduction.h>

static void run_job(void *self, size_t k)
{
    struct yk_reduce_job *j = (struct yk_reduce_job *)self + k;

    j->status = yk_reduce(&j->out, &j->model, j->dofs, j->count, j->method, &j->settings, &j->err);
}

enum yk_status yk_reduce_all(struct yk_reduce_job *jobs, size_t count, int threads, struct yk_err *err)
{
    yk_parallel(count, threads, run_job, jobs);
    for (size_t k = 0; k < count; k++)
        if (jobs[k].status) {
            if (err)
                *err = jobs[k].err;
            return jobs[k].status;
        }
    return YK_OK;
}
