/* Any text is either a finite matrix or is refused with a message. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct yk_text text = fuzz_text(data, size);
    struct yk_matrix A = {.x = NULL};
    struct yk_err err = {0};
    enum yk_status st = yk_read_matrix_market(&text, &A, &err);

    fuzz_check(st ? err.wording[0] != 0 && !A.x : A.rows > 0 && A.cols > 0);
    if (!st)
        yk_matrix_fini(&A);
    yk_text_free(&text);
    return 0;
}
