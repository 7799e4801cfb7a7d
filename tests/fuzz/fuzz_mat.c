/* Any bytes are either a finite matrix or are refused with a message, whether the only matrix is asked for, one by its
 * name, or a field of a struct. matio itself crashes on some of them, which must remain a message here. */
#include "fuzz.h"

#include <sys/mman.h>

static void read_as(const char *path)
{
    struct yk_matrix A = {.x = NULL};
    struct yk_err err = {0};
    const enum yk_status st = yk_read_mat(path, &A, &err);

    fuzz_check(st ? err.wording[0] != 0 && !A.x : A.rows > 0 && A.cols > 0 && yk_matrix_is_finite(&A));
    if (!st)
        yk_matrix_fini(&A);
}

/* A crash of matio, in a process of its own, is no finding: libFuzzer must not write the input down as one. */
#ifdef __has_feature
#if __has_feature(address_sanitizer)
#include <pthread.h>
#include <sanitizer/common_interface_defs.h>

static void forget_the_fuzzer(void)
{
    __sanitizer_set_death_callback(NULL);
}

int LLVMFuzzerInitialize(int *count, char ***words);
int LLVMFuzzerInitialize(int *count, char ***words)
{
    return pthread_atfork(NULL, NULL, forget_the_fuzzer);
}
#endif
#endif

/* matio wants a file: one in memory, under a name that ends in .mat. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"", ":K", ":fe.M"};
    char name[40];

    snprintf(name, sizeof name, "/yoke-fuzz-%ld.mat", (long)getpid());
    const int file = shm_open(name, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    fuzz_check(file >= 0 && write(file, data, size) == (ssize_t)size);
    close(file);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[64];

        snprintf(path, sizeof path, "/dev/shm%s%s", name, names[i]);
        read_as(path);
    }
    shm_unlink(name);
    return 0;
}
