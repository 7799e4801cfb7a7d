/* Any bytes are either a finite matrix or are refused with a message. matio wants a file: one in memory. */
#include "fuzz.h"
#include "model/read/scan.h"

#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const int file = memfd_create("fuzz.mat", MFD_CLOEXEC);
    struct yk_matrix A = {.x = NULL};
    struct yk_err err = {0};
    char path[64];

    if (file < 0 || write(file, data, size) != (ssize_t)size)
        abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    const enum yk_status st = yk_read_mat_here(path, &A, &err);
    fuzz_check(st ? err.text[0] != 0 && !A.x : A.rows > 0 && A.cols > 0 && yk_matrix_is_finite(&A));
    if (!st)
        yk_matrix_fini(&A);
    close(file);
    return 0;
}
