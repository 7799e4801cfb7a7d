/* Table `yoke_mpi`, all that libyoke-mpi.so offers. It needs nothing of the program. */
#ifndef YOKE_MPI_OBJECT_H
#define YOKE_MPI_OBJECT_H

#include <stddef.h>

struct yk_mpi_ops {
    int (*open)(int *rank, int *size); /* 0, or a code of MPI */
    void (*close)(void);
    int (*send)(int to, const void *data, size_t bytes);  /* 0, or a code of MPI */
    int (*receive)(int *from, void *data, size_t *bytes); /* 0; -1: the message is longer; or a code of MPI */
    void (*serve)(void);
    void (*dismiss)(void);
    void (*mumps)(void *id); /* NULL: built without MUMPS */
};

#define YK_MPI_TABLE yoke_mpi /* its name in the object */

#endif
