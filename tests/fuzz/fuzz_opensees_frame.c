/* A list of OpenSees commands: any text becomes the text of an experiment file, or is refused with a message. */
#include "fuzz.h"

#include "model/opensees/opensees.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct yk_text text = fuzz_text(data, size);
    struct yk_err err = {0};
    char *yaml = NULL;
    const enum yk_status st = opensees_import(&text, 1e-3, 1e3, &yaml, &err);

    fuzz_check(st ? err.wording[0] != 0 && !yaml : yaml != NULL);
    free(yaml);
    yk_text_free(&text);
    return 0;
}
