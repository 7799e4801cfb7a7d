/* Any text is either a record of finite values at increasing times or is refused with a message. */
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct yk_text text = fuzz_text(data, size);
    struct yk_series s = {.n = 0};
    struct yk_err err = {0};
    bool named;
    enum yk_status st = yk_read_at2(&text, &s, &named, NULL, &err);

    fuzz_check(st ? err.wording[0] != 0 && s.n == 0 : s.n > 0);
    for (size_t i = 0; i < s.n; i++)
        fuzz_check(isfinite(s.t[i]) && isfinite(s.y[i]) && (i == 0 || s.t[i] > s.t[i - 1]));
    yk_series_free(&s);
    yk_text_free(&text);
    return 0;
}
