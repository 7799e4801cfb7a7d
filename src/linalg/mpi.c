/* Loads libyoke-mpi.so under mpirun. It lies beside the program, or where `make install` puts it. */
#include "linalg/mpi.h"

#include "linalg/mpi_object.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OBJECT "libyoke-mpi.so"
#ifndef YOKE_MPI_FOLDER
#define YOKE_MPI_FOLDER   "../lib/yoke"    /* from the folder of the program */
#define YOKE_MPI_FROM_APP "../../lib/yoke" /* from that of the programs that it starts */
#endif

/* A process has one set of fellows. */
static const struct yk_mpi_ops *ops;
static int own_rank, ranks = 1;

/* How many processes the launcher says it started: Open MPI, and those that speak PMI (MPICH, SLURM). */
static long started_together(void)
{
    static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MPI_LOCALNRANKS"};
    const char *text;
    long count = 1;

    for (size_t k = 0; k < sizeof names / sizeof *names && count == 1; k++)
        if ((text = getenv(names[k])))
            count = strtol(text, NULL, 10);
    return count;
}

static void *load(char *why, size_t size)
{
    static const char *const folders[] = {".", YOKE_MPI_FOLDER, YOKE_MPI_FROM_APP};
    char program[4096], path[sizeof program + 64];
    const ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    void *object = NULL;

    snprintf(why, size, "%s is not there", OBJECT);
    program[length > 0 ? length : 0] = 0;
    if (!strrchr(program, '/'))
        return NULL;
    *strrchr(program, '/') = 0;
    for (size_t k = 0; k < sizeof folders / sizeof *folders && !object; k++) {
        snprintf(path, sizeof path, "%s/%s/%s", program, folders[k], OBJECT);
        if (access(path, R_OK) == 0 && !(object = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND)))
            snprintf(why, size, "%s", dlerror());
    }
    return object;
}

enum yk_status yk_mpi_join(struct yk_err *err)
{
    const long together = started_together();
    char why[400];
    void *object;
    int code;

    if (ops || together < 2)
        return YK_OK;
    if (!(object = load(why, sizeof why)) || !(ops = dlsym(object, "yoke_mpi")))
        return yk_fail(err, YK_E_UNSUPPORTED,
                       "%ld processes were started together, but this build has no MPI: %s; install libopenmpi-dev and "
                       "libmumps-dev and build again, or run one process",
                       together, why);
    if ((code = ops->open(&own_rank, &ranks))) {
        ops = NULL;
        return yk_fail(err, YK_E_IO, "MPI could not be started (code %d)", code);
    }
    return YK_OK;
}

void yk_mpi_leave(void)
{
    if (!ops)
        return;
    ops->close();
    ops = NULL;
    ranks = 1;
}

int yk_mpi_rank(void)
{
    return own_rank;
}

int yk_mpi_size(void)
{
    return ranks;
}

enum yk_status yk_mpi_send(int to, const void *data, size_t bytes)
{
    return ops && ops->send(to, data, bytes) == 0 ? YK_OK : YK_E_IO;
}

enum yk_status yk_mpi_receive(int *from, void *data, size_t *bytes)
{
    const int code = ops ? ops->receive(from, data, bytes) : 1;

    return code == 0 ? YK_OK : code == -1 ? YK_E_RANGE : YK_E_IO;
}

void yk_mpi_serve(void)
{
    if (ops)
        ops->serve();
}

void yk_mpi_dismiss(void)
{
    if (ops)
        ops->dismiss();
}

bool yk_mpi_has_mumps(void)
{
    return ops && ops->mumps && ranks > 1 && own_rank == 0;
}

void yk_mpi_mumps(void *id)
{
    ops->mumps(id);
}
