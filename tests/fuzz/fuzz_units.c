/* Any text is either a finite quantity or is refused with a message. */
#include "fuzz.h"

#include <yoke/units.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct yk_text text = fuzz_text(data, size);

    for (int q = 0; q < YK_QUANTITY_COUNT; q++) {
        struct yk_err err = {0};
        double si = NAN;
        enum yk_status st = yk_quantity_parse(text.data, q, &si, &err);

        fuzz_check(st ? err.wording[0] != 0 && err.status == st && isnan(si) : isfinite(si));
    }
    yk_text_free(&text);
    return 0;
}
