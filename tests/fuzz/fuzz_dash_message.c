/* Any bytes that a page sends over its WebSocket are a message within its limits, or are refused with a reason. */
#include "fuzz.h"

#include "dash/message.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct yk_message m;
    struct yk_err err = {0};
    const enum yk_status st = yk_message_parse(&m, (const char *)data, size, &err);

    if (st) {
        fuzz_check(err.wording[0] != 0 && err.status == st);
    } else {
        fuzz_check(m.channel_count <= YK_MESSAGE_CHANNELS);
        if (m.kind == YK_MESSAGE_SUBSCRIBE || m.kind == YK_MESSAGE_HISTORY)
            fuzz_check(m.points >= 2 && m.points <= YK_MESSAGE_POINTS);
        if (m.kind == YK_MESSAGE_SUBSCRIBE)
            fuzz_check(m.window_s > 0 && m.window_s <= 1e9);
        if (m.kind == YK_MESSAGE_HISTORY)
            fuzz_check(isfinite(m.from_s) && isfinite(m.to_s) && m.from_s <= m.to_s);
        if (m.kind == YK_MESSAGE_SCOPE && m.scope.mode != YK_SCOPE_OFF)
            fuzz_check(m.channel_count > 0 && m.scope.length <= YK_MESSAGE_ROWS && m.scope.pre < m.scope.length &&
                       isfinite(m.scope.level));
        if (m.kind == YK_MESSAGE_NOTED)
            fuzz_check(m.text && *m.text);
    }
    yk_message_free(&m);
    return 0;
}
