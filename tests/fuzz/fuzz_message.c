/* Any datagram is refused, or is a message that packs to the same bytes again. */
#include "fuzz.h"

#include "rig/message.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned char bytes[YK_WIRE_LARGEST], *copy = malloc(size + 1); /* one byte too far is noticed */
    struct yk_message m;

    fuzz_check(copy != NULL);
    memcpy(copy, data, size);
    if (size >= YK_WIRE_HEAD + 4) { /* a check sum that holds, so that what lies behind it is reached */
        const uint32_t crc = yk_crc32(0, copy, size - 4);

        for (int i = 0; i < 4; i++)
            copy[size - 4 + (size_t)i] = (unsigned char)(crc >> 8 * i);
    }
    if (yk_message_unpack(copy, size, &m) == YK_FRAME_GOOD) {
        fuzz_check(m.kind >= YK_HELLO && m.kind < YK_MESSAGE_KINDS && m.count <= YK_WIRE_VALUES);
        fuzz_check(yk_message_pack(&m, bytes) == size && memcmp(bytes, copy, size) == 0);
    }
    free(copy);
    return 0;
}
