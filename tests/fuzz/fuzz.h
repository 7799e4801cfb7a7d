/* Helpers of all fuzz targets. */
#ifndef YOKE_FUZZ_H
#define YOKE_FUZZ_H

#include "model/read.h"

#include <fcntl.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* libfyaml 0.7 loses a buffer when a long quoted text does not end; the parse is refused all the same. */
const char *__lsan_default_suppressions(void); /* NOLINT(bugprone-reserved-identifier) */
const char *__lsan_default_suppressions(void)  /* NOLINT(bugprone-reserved-identifier) */
{
    return "leak:libfyaml.so\n";
}

/* Aborts, so that the fuzzer reports the input, if a condition does not hold. */
static inline void fuzz_check(bool holds)
{
    if (!holds)
        abort();
}

/* The input as the reader of every text hands it on, through a pipe, whose size nobody knows beforehand; then in a
 * block of its own size so that one byte too far is noticed. */
static inline struct yk_text fuzz_text(const uint8_t *data, size_t size)
{
    const struct yk_text_limits limits = {.bytes = (size_t)1 << 20, .writer_s = 0, .silence_s = 0};
    struct yk_text text;
    char path[64];
    int ends[2];

    fuzz_check(pipe2(ends, O_CLOEXEC) == 0);
    if (size > 60000)
        fuzz_check(fcntl(ends[1], F_SETPIPE_SZ, 1 << 20) >= (int)size);
    fuzz_check(write(ends[1], data, size) == (ssize_t)size);
    close(ends[1]);
    snprintf(path, sizeof path, "/proc/self/fd/%d", ends[0]);
    const enum yk_status st = yk_text_load_limited(&text, path, &limits, NULL);
    close(ends[0]);
    fuzz_check(size ? !st && text.size == size && memcmp(text.data, data, size) == 0 : st);
    text.name = "fuzz";
    text.data = realloc(text.data, size + 1);
    fuzz_check(text.data);
    text.data[size] = 0;
    return text;
}

#endif
