/* Any 16 bytes are a header; what an answer with forces may be packs to the same bytes but for the time stamp. */
#include "fuzz.h"

#include "rig/utnp.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned char bytes[YK_UTNP_HEAD], *copy = malloc(YK_UTNP_HEAD);

    fuzz_check(copy != NULL);
    if (size >= YK_UTNP_HEAD) {
        memcpy(copy, data, YK_UTNP_HEAD);
        const struct yk_utnp_head head = yk_utnp_get(copy);

        yk_utnp_put(&head, bytes);
        fuzz_check(memcmp(bytes, copy, 10) == 0);
        if (yk_utnp_has_forces(&head, head.dofs))
            fuzz_check(head.version == 2 && head.precision == 2 && head.dofs <= 65535);
    }
    free(copy);
    return 0;
}
