/* A = L D L^T by MUMPS, on one process or on all that mpirun started: for factors that fill in so much that a
 * multifrontal method with dense kernels pays. P. R. Amestoy, I. S. Duff, J.-Y. L'Excellent, J. Koster, SIAM J. Matrix
 * Anal. Appl. 23 (2001) 15-41.
 *
 * MUMPS keeps state in Fortran modules, so one thread at a time is inside it; factors themselves are independent. */
#include "linalg/mumps.h"

#include "linalg/blas.h"
#include "linalg/mpi.h"

#ifdef YOKE_MUMPS

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>

#include <dmumps_c.h>

enum {
    JOB_INIT = -1,
    JOB_END = -2,
    JOB_SOLVE = 3,
    JOB_ANALYSE_AND_FACTOR = 4,
    COMM_WORLD = -987654, /* what MUMPS calls all processes, or the only one */
    MORE_SPACE = 50,      /* per cent of work space beyond the estimate, for pivots that are delayed */
    SOLVE_BLOCK = 32,     /* columns that are solved for at once */
    PORD = 4              /* ordering: as little fill as SCOTCH in bars and cubes of bricks, and the same each time */
};

struct yk_mumps {
    DMUMPS_STRUC_C id;
    int *row, *col;
    double *value;
    bool shared; /* by all processes */
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

#ifdef YOKE_MUMPS_LATE
/* dmumps_c of programs that bring in MUMPS and its libraries with the first matrix that needs it, since most runs need
 * none (CMakeLists.txt: it has that name there). YOKE_MUMPS_LATE: files to load, MUMPS the last of them. */
void yk_mumps_late(DMUMPS_STRUC_C *id);

static void (*late)(DMUMPS_STRUC_C *id);

static void load_late(void)
{
    static const char *const files[] = {YOKE_MUMPS_LATE};
    void *object = NULL;

    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        object = dlopen(files[i], RTLD_NOW | RTLD_LOCAL);
    *(void **)&late = object ? dlsym(object, "dmumps_c") : NULL;
}

void yk_mumps_late(DMUMPS_STRUC_C *id)
{
    late(id);
}

bool yk_mumps_built_in(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    if (dmumps_c != yk_mumps_late)
        return true;
    pthread_once(&once, load_late);
    return late;
}
#else
bool yk_mumps_built_in(void)
{
    return true;
}
#endif

static void call(struct yk_mumps *m, int job)
{
    m->id.job = job;
    pthread_mutex_lock(&lock);
    m->shared ? yk_mpi_mumps(&m->id) : dmumps_c(&m->id);
    pthread_mutex_unlock(&lock);
}

/* The lower triangle as triplets, counted from 1. */
static bool copy_triangle(struct yk_mumps *m, const struct yk_matrix *A)
{
    const size_t entries = (size_t)A->col[A->cols];
    MUMPS_INT8 count = 0;

    m->row = yk_ints(entries);
    m->col = yk_ints(entries);
    m->value = yk_doubles(entries);
    if (!m->row || !m->col || !m->value)
        return false;
    for (size_t j = 0; j < A->cols; j++)
        for (int k = A->col[j]; k < A->col[j + 1]; k++)
            if ((size_t)A->row[k] >= j) {
                m->row[count] = A->row[k] + 1;
                m->col[count] = (int)j + 1;
                m->value[count++] = A->x[k];
            }
    m->id.n = (int)A->rows;
    m->id.nnz = count;
    m->id.irn = m->row;
    m->id.jcn = m->col;
    m->id.a = m->value;
    return true;
}

enum yk_status yk_mumps_create(struct yk_mumps **created, const struct yk_matrix *A, size_t *negative,
                               struct yk_err *err)
{
    struct yk_mumps *m = calloc(1, sizeof *m);

    *created = NULL;
    if (!m)
        return yk_fail(err, YK_E_MEMORY, "out of memory for the factors of order %zu", A->rows);
    m->id.comm_fortran = COMM_WORLD;
    m->id.par = 1;
    m->id.sym = 2; /* symmetric, perhaps indefinite */
    m->shared = yk_mpi_has_mumps();
    call(m, JOB_INIT);
    for (int k = 0; k < 4; k++)
        m->id.icntl[k] = k < 3 ? -1 : 0; /* silence */
    m->id.icntl[13] = MORE_SPACE;
    m->id.icntl[6] = PORD;
    m->id.icntl[26] = SOLVE_BLOCK;
    if (!copy_triangle(m, A)) {
        yk_mumps_destroy(m);
        return yk_fail(err, YK_E_MEMORY, "out of memory for the factors of order %zu", A->rows);
    }
    call(m, JOB_ANALYSE_AND_FACTOR);
    if (m->id.infog[0] < 0) {
        const int code = m->id.infog[0], detail = m->id.infog[1];

        yk_mumps_destroy(m);
        if (code == -10)
            return yk_fail(err, YK_E_SINGULAR, "singular matrix of order %zu", A->rows);
        return yk_fail(err, code == -13 ? YK_E_MEMORY : YK_E_SINGULAR,
                       "%sMUMPS cannot factor the matrix of order %zu (code %d, %d)",
                       code == -13 ? "out of memory: " : "", A->rows, code, detail);
    }
    *negative = (size_t)m->id.infog[11];
    *created = m;
    return YK_OK;
}

void yk_mumps_destroy(struct yk_mumps *m)
{
    if (!m)
        return;
    call(m, JOB_END);
    free(m->row);
    free(m->col);
    free(m->value);
    free(m);
}

enum yk_status yk_mumps_solve(struct yk_mumps *m, size_t cols, double *x)
{
    m->id.nrhs = (int)cols;
    m->id.lrhs = m->id.n;
    m->id.rhs = x;
    call(m, JOB_SOLVE);
    return m->id.infog[0] < 0 ? YK_E_SINGULAR : YK_OK;
}

#else

bool yk_mumps_built_in(void)
{
    return false;
}

enum yk_status yk_mumps_create(struct yk_mumps **created, const struct yk_matrix *A, size_t *negative,
                               struct yk_err *err)
{
    *created = NULL;
    *negative = 0;
    return yk_fail(err, YK_E_UNSUPPORTED, "this build has no MUMPS");
}

void yk_mumps_destroy(struct yk_mumps *m)
{
}

enum yk_status yk_mumps_solve(struct yk_mumps *m, size_t cols, double *x)
{
    return YK_E_UNSUPPORTED;
}

#endif
