/* Any text gives places or is refused with a message. */
#include "fuzz.h"

#include "model/import.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *dofs[] = {"1.x", "12_2.y", "a.z", "q"};
    struct yk_imported model = {.n = 4, .dofs = dofs};
    struct yk_text text = fuzz_text(data, size);
    struct yk_err err = {0};
    const enum yk_status st = yk_imported_place(&model, &text, &err);

    fuzz_check(!st || err.wording[0] != 0);
    free(model.place);
    yk_text_free(&text);
    return 0;
}
