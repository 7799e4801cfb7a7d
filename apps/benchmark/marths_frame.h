/* The frame of the two-actuator benchmark. */
#ifndef YOKE_BENCHMARK_MARTHS_FRAME_H
#define YOKE_BENCHMARK_MARTHS_FRAME_H

#include <stddef.h>

enum { YK_MARTHS_DOFS = 29 };
/* Diagonal of the mass, and the stiffness. */
void yk_marths_frame(double M[YK_MARTHS_DOFS], double K[YK_MARTHS_DOFS][YK_MARTHS_DOFS]);

#endif
