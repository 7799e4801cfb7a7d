/* Any bytes as a frame of EtherCAT: datagrams that are found lie within them, and the answer of a frame is another one
 * only if its bytes say so. */
#include "fuzz.h"

#include <yoke/ethercat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size + 1); /* one byte too far is noticed */
    struct yk_ec_datagram found[YK_EC_DATAGRAMS];
    struct yk_ec_frame sent;
    size_t count, sum = YK_EC_HEAD;

    fuzz_check(copy != NULL);
    memcpy(copy, data, size);
    if (yk_ec_frame_read(copy, size, found, &count) == YK_EC_GOOD) {
        fuzz_check(count >= 1 && count <= YK_EC_DATAGRAMS);
        yk_ec_frame_begin(&sent, copy + 6);
        for (size_t i = 0; i < count; i++) {
            fuzz_check(found[i].at == copy + sum);
            sum += YK_EC_OVERHEAD + found[i].length;
            fuzz_check(sum <= size);
            (void)yk_ec_wkc_of(&found[i]);
            if (yk_ec_frame_add(&sent, (enum yk_ec_command)yk_ec_command_of(&found[i]), yk_ec_index_of(&found[i]),
                                yk_ec_logical_of(&found[i]), found[i].length))
                continue;
            fuzz_check(sum > YK_EC_FRAME_MOST); /* only what is longer than any frame does not fit */
            free(copy);
            return 0;
        }
        yk_ec_frame_end(&sent);
        /* what was encoded again is answered by what it was decoded from, if a slave has touched it */
        fuzz_check(yk_ec_frame_answers(&sent, copy, found, count) == !!(copy[6] & YK_EC_MAC_MARK));
    }
    free(copy);
    return 0;
}
