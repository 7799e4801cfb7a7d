/* Results whose bits do not depend on the model of the CPU.
 *
 * Our own code is compiled without fused multiply-add and gives the same bits on every x86-64. Two libraries choose
 * among variants when they are loaded: OpenBLAS its kernels, the C library its sin, exp, pow with or without FMA. Both
 * listen to the environment, so the program is started again with the variants that every x86-64 has. */
#include "cli/portable.h"

#include "record/record.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#define KERNEL   "Prescott"
#define VARIANTS "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4,-AVX512F,-AVX2_Usable,-FMA_Usable,-FMA4_Usable"
#define STARTED  "YOKE_PORTABLE_BITS"

static int refuse(const char *why, const char *what)
{
    fprintf(stderr, "yoke run: --portable-bits cannot be had: %s%s\n", why, what);
    return 2;
}

int portable_begin(char **argv)
{
    struct yk_provenance here;

#ifndef __x86_64__
    return refuse("it is made for x86-64", "");
#endif
    if (getauxval(AT_SECURE)) /* file capabilities: the loader ignores the environment */
        return refuse("the program file has capabilities or another owner's rights; run a copy without them", "");
    yk_provenance_take(&here);
    if (getenv(STARTED))
        return strstr(here.blas, "kernel " KERNEL) ? 0 : refuse("the BLAS has no kernel for every CPU: ", here.blas);
    if (setenv("OPENBLAS_CORETYPE", KERNEL, 1) == 0 && setenv("GLIBC_TUNABLES", VARIANTS, 1) == 0 &&
        setenv(STARTED, "1", 1) == 0)
        execv("/proc/self/exe", argv);
    return refuse("the program cannot be started again: ", strerror(errno));
}
