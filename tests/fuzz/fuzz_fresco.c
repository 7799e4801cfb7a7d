/* Any stream of bytes, cut anywhere, is refused or is a sequence of messages within the room of the reader. The first
 * byte chooses the dialect, the second how the stream is cut. */
#include "fuzz.h"

#include "rig/fresco.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct yk_fresco_reader r;
    const size_t piece = size > 1 ? data[1] + (size_t)1 : 1;
    bool bad = false;

    if (size < 2)
        return 0;
    yk_fresco_reader_init(&r, (enum yk_fresco_dialect)(data[0] % 3), data[0] & 4);
    for (size_t at = 2; at < size && !bad;) {
        const size_t now = size - at < piece ? size - at : piece;
        unsigned char *copy = malloc(now); /* one byte too far is noticed */
        enum yk_fresco_event event;

        fuzz_check(copy != NULL);
        memcpy(copy, data + at, now);
        const size_t taken = yk_fresco_feed(&r, copy, now, &event);
        bad = event == YK_FRESCO_BAD;
        fuzz_check(taken <= now && (taken > 0 || bad) && (!bad || r.problem));
        if (event == YK_FRESCO_VECTOR)
            fuzz_check(!r.sizes.data || yk_fresco_sizes_are_sane(&r.sizes));
        if (event == YK_FRESCO_TEXT)
            fuzz_check(strlen(r.text) < sizeof r.text);
        at += taken;
        free(copy);
    }
    return 0;
}
