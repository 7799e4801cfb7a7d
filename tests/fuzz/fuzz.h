/* What every fuzz target needs. */
#ifndef YOKE_FUZZ_H
#define YOKE_FUZZ_H

#include <yoke/read.h>

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* libfyaml 0.7 loses a buffer when a long quoted text does not end; the parse is refused all the same. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libfyaml.so\n";
}

/* The input as the text of a file, in a block of its own so that one byte too far is noticed. */
static inline struct yk_text fuzz_text(const uint8_t *data, size_t size)
{
    struct yk_text text = {.name = "fuzz", .data = malloc(size + 1), .size = size};

    if (!text.data)
        abort();
    if (size)
        memcpy(text.data, data, size);
    text.data[size] = 0;
    return text;
}

/* What must hold and does not. */
static inline void fuzz_check(bool holds)
{
    if (!holds)
        abort();
}

#endif
