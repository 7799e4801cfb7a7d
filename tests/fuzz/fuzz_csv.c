/* Any text, read as a matrix and as a series with and without a step, is finite or is refused with a message. */
#include "fuzz.h"

static void read_matrix(const struct yk_text *text)
{
    struct yk_matrix A = {.x = NULL};
    struct yk_err err = {0};
    enum yk_status st = yk_read_csv_matrix(text, &A, &err);

    fuzz_check(st ? err.wording[0] != 0 && !A.x : A.form == YK_DENSE && A.rows > 0 && A.cols > 0);
    for (size_t i = 0; i < A.rows * A.cols; i++)
        fuzz_check(isfinite(A.x[i]));
    if (!st)
        yk_matrix_fini(&A);
}

static void read_series(const struct yk_text *text, double dt_s)
{
    struct yk_series s = {.n = 0};
    struct yk_err err = {0};
    enum yk_status st = yk_read_series_csv(text, dt_s, YK_FORCE, &s, NULL, &err);

    fuzz_check(st ? err.wording[0] != 0 && s.n == 0 : s.n > 0);
    for (size_t i = 0; i < s.n; i++)
        fuzz_check(isfinite(s.t[i]) && isfinite(s.y[i]) && (i == 0 || s.t[i] > s.t[i - 1]));
    yk_series_free(&s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct yk_text text = fuzz_text(data, size);

    read_matrix(&text);
    read_series(&text, 0);
    read_series(&text, 0.01);
    yk_text_free(&text);
    return 0;
}
