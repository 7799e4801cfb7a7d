/* The processes that `mpirun -n N yoke ...` starts together: who they are, and messages between them.
 *
 * MPI itself is in a shared object of its own, libyoke-mpi.so, which is loaded only under mpirun: a program needs no
 * MPI, and starts no slower for it. A process that was started alone is rank 0 of 1. */
#ifndef YOKE_PUBLIC_MPI_H
#define YOKE_PUBLIC_MPI_H

#include <yoke/status.h>

/* Joins the processes that were started with this one. Does nothing if it was started alone or has joined already. */
enum yk_status yk_mpi_join(struct yk_err *err);
/* The last call of a process that joined. */
void yk_mpi_leave(void);
/* Ranks 1 and above of a program whose rank 0 works alone: take part in the factors of its matrices (MUMPS), until rank
 * 0 dismisses them. */
void yk_mpi_serve(void);
void yk_mpi_dismiss(void);
int yk_mpi_rank(void); /* 0 .. size - 1 */
int yk_mpi_size(void); /* 1: alone, or not joined */

/* Messages of bytes between two ranks. A receiver sleeps while it waits. */
enum yk_status yk_mpi_send(int to, const void *data, size_t bytes);
/* The next message from *from (-1: from any rank, which is then set); *bytes: room, then length. A longer message is
 * YK_E_RANGE. */
enum yk_status yk_mpi_receive(int *from, void *data, size_t *bytes);

#endif
