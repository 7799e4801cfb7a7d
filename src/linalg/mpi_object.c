/* libyoke-mpi.so: MPI and the parallel MUMPS behind one table of functions.
 *
 * The program links the sequential MUMPS, whose stand-in for MPI defines the same names as MPI itself. So this object
 * is loaded with a scope of its own, in which MPI and the parallel MUMPS come first (RTLD_DEEPBIND, src/mpi/mpi.c). */
#include "linalg/mpi_object.h"

#include <limits.h>
#include <mpi.h>
#include <stdlib.h>
#include <time.h>

enum { MESSAGE = 1, ORDER = 2 }; /* tags: of the caller, of rank 0 to those that serve */

static int own_rank, ranks = 1;

static int open_mpi(int *rank, int *size)
{
    int level, code;

    setenv("OMPI_MCA_mpi_yield_when_idle", "1", 0); /* Open MPI: those that wait leave their core to those that work */
    code = MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &level);
    if (code)
        return code;
    MPI_Comm_rank(MPI_COMM_WORLD, &own_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    *rank = own_rank;
    *size = ranks;
    return 0;
}

static void close_mpi(void)
{
    MPI_Finalize();
}

/* MPI waits by spinning, which takes a core from those that work: sleep instead. */
static int await(int from, int tag, MPI_Status *status)
{
    int there = 0, code = MPI_Iprobe(from, tag, MPI_COMM_WORLD, &there, status);

    for (long ns = 1000; !code && !there; ns = ns < 200000 ? 2 * ns : ns) {
        nanosleep(&(struct timespec){0, ns}, NULL);
        code = MPI_Iprobe(from, tag, MPI_COMM_WORLD, &there, status);
    }
    return code;
}

static int send_bytes(int to, const void *data, size_t bytes)
{
    if (bytes > INT_MAX)
        return -1;
    return MPI_Send(data, (int)bytes, MPI_BYTE, to, MESSAGE, MPI_COMM_WORLD);
}

static int receive_bytes(int *from, void *data, size_t *bytes)
{
    MPI_Status status;
    int length = 0, code = await(*from < 0 ? MPI_ANY_SOURCE : *from, MESSAGE, &status);

    if (code)
        return code;
    MPI_Get_count(&status, MPI_BYTE, &length);
    if ((size_t)length > *bytes)
        return -1;
    *from = status.MPI_SOURCE;
    *bytes = (size_t)length;
    return MPI_Recv(data, length, MPI_BYTE, *from, MESSAGE, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* ---- MUMPS on all ranks ------------------------------------------------------------------------------------------ */

/* Order of rank 0 to the others: call MUMPS with this job for the factor of this place. */
struct order {
    int job, place;
};
enum { JOB_DISMISS = 1000, PLACES = 256 };

static void give_order(struct order order)
{
    for (int rank = 1; rank < ranks; rank++)
        MPI_Send(&order, 2, MPI_INT, rank, ORDER, MPI_COMM_WORLD);
}

static void dismiss(void)
{
    give_order((struct order){JOB_DISMISS, 0});
}

#ifdef YOKE_MPI_MUMPS

#include <dmumps_c.h>

enum { JOB_INIT = -1, JOB_END = -2 };

static DMUMPS_STRUC_C *factors[PLACES]; /* of this rank */

static int place_of(const void *id)
{
    for (int k = 0; k < PLACES; k++)
        if (factors[k] == id)
            return k;
    return -1;
}

static void call(DMUMPS_STRUC_C *id)
{
    dmumps_c(id);
    if (id->job == JOB_INIT)
        for (int k = 0; k < 4; k++)
            id->icntl[k] = k < 3 ? -1 : 0; /* silence */
}

static void mumps(void *self)
{
    DMUMPS_STRUC_C *id = self;
    const int place = id->job == JOB_INIT ? place_of(NULL) : place_of(id);

    if (place < 0) {
        id->infog[0] = -13; /* as when memory runs out */
        return;
    }
    factors[place] = id;
    give_order((struct order){id->job, place});
    call(id);
    if (id->job == JOB_END)
        factors[place] = NULL;
}

static void obey(struct order order)
{
    DMUMPS_STRUC_C *id = order.job == JOB_INIT ? calloc(1, sizeof *id) : factors[order.place];

    if (!id) {
        MPI_Abort(MPI_COMM_WORLD, 1); /* the others would wait for ever */
        return;
    }
    if (order.job == JOB_INIT) {
        id->comm_fortran = -987654; /* for MUMPS: all processes */
        id->par = 1;
        id->sym = 2;
        factors[order.place] = id;
    }
    id->job = order.job;
    call(id);
    if (order.job == JOB_END) {
        free(id);
        factors[order.place] = NULL;
    }
}
#define MUMPS mumps

#else

static void obey(struct order order)
{
}
#define MUMPS NULL

#endif

static void serve(void)
{
    struct order order = {0, 0};
    MPI_Status status;

    while (!await(0, ORDER, &status) && !MPI_Recv(&order, 2, MPI_INT, 0, ORDER, MPI_COMM_WORLD, MPI_STATUS_IGNORE) &&
           order.job != JOB_DISMISS)
        obey(order);
}

extern const struct yk_mpi_ops YK_MPI_TABLE;
const struct yk_mpi_ops YK_MPI_TABLE = {open_mpi, close_mpi, send_bytes, receive_bytes, serve, dismiss, MUMPS};
