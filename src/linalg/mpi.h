/* MUMPS on all processes that mpirun started together, which know each other by yoke/mpi.h. */
#ifndef YOKE_MPI_H
#define YOKE_MPI_H

#include <yoke/mpi.h>

/* Rank 0: may MUMPS run on all ranks? */
bool yk_mpi_has_mumps(void);
/* Rank 0: dmumps_c(id) on all ranks. `id` is a DMUMPS_STRUC_C, whose field `job` says what is to be done. */
void yk_mpi_mumps(void *id);

#endif
