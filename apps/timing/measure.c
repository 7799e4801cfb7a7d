/* Two tasks measured in turns, and random models. */
#include "measure.h"

#include <yoke/random.h>

#include <yoke/substructure.h>

#include <stdlib.h>
#include <time.h>

enum { TURNS = 101, LEAST_TURNS = 11, MOST_PER_TURN = 1 << 20 };
#define MOST_SECONDS 0.3   /* beyond, few turns have to do */
#define TURN_SECONDS 50e-6 /* long against reading the clock, short against what disturbs it */

/* CPU time of this thread: on a busy machine long turns are interrupted more often than short ones. */
static double seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Seconds of one run, averaged over `count`. */
static double turn(const struct yk_task *task, long count)
{
    double start;

    if (task->reset)
        task->reset(task->self);
    start = seconds();
    task->run(task->self, count);
    return (seconds() - start) / (double)count;
}

/* How many runs fill a turn. */
static long runs_per_turn(const struct yk_task *task)
{
    long count = 1;

    while (count < MOST_PER_TURN && turn(task, count) * (double)count < TURN_SECONDS)
        count *= 2;
    return count;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

double yk_median(double *x, size_t n)
{
    qsort(x, n, sizeof *x, ascending);
    return x[n / 2];
}

void yk_measure(const struct yk_task *op, const struct yk_task *reference, struct yk_bench_result *out)
{
    const long op_count = runs_per_turn(op), reference_count = runs_per_turn(reference);
    double ratio[TURNS], of_op[TURNS], of_reference[TURNS];
    const double begin = seconds();
    size_t turns = 0;

    for (size_t k = 0; k < TURNS && (k < LEAST_TURNS || seconds() - begin < MOST_SECONDS); k++, turns++) {
        of_reference[k] = turn(reference, reference_count);
        of_op[k] = turn(op, op_count);
        ratio[k] = of_op[k] / of_reference[k];
    }
    out->ratio = yk_median(ratio, turns);
    out->seconds_per_op = yk_median(of_op, turns);
    out->reference_seconds = yk_median(of_reference, turns);
}

enum yk_status yk_random_matrix(struct yk_matrix *A, size_t n, size_t band, double scale, uint64_t seed,
                                struct yk_err *err)
{
    enum yk_status st = yk_matrix_init(A, YK_DENSE, n, n, err);

    for (size_t j = 0; !st && j < n; j++) {
        A->x[j + j * n] = scale;
        for (size_t i = j > band ? j - band : 0; i < j; i++)
            A->x[i + j * n] = A->x[j + i * n] = 0.25 * scale / (double)(band < n ? band : n / 2) * yk_draw(&seed);
    }
    return st;
}

static enum yk_status equal_masses(struct yk_matrix *M, size_t n, double mass, struct yk_err *err)
{
    enum yk_status st = yk_matrix_init(M, YK_DIAGONAL, n, n, err);

    for (size_t i = 0; !st && i < n; i++)
        M->x[i] = mass;
    return st;
}

enum yk_status yk_random_structure(struct yk_system **system, size_t n, size_t band, double mass, struct yk_err *err)
{
    struct yk_structure_parts parts = {0};
    enum yk_status st;

    if ((st = equal_masses(&parts.M, n, mass, err)) || (st = yk_random_matrix(&parts.C, n, band, 0.02, 2, err)) ||
        (st = yk_random_matrix(&parts.K, n, band, 1, 1, err))) {
        yk_structure_parts_free(&parts);
        return st;
    }
    return yk_structure_create(system, &parts, NULL, err);
}
