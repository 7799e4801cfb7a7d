/* Any bytes as messages of a slave in its mailbox, one after the other: a transfer takes no more than its object may
 * have, and ends or goes on. The first byte chooses upload or download and the size of the mailbox. */
#include "fuzz.h"

#include <yoke/ethercat_coe.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint8_t value[100] = {1, 2, 3};
    const size_t room = YK_EC_MAIL_LEAST + (size ? data[0] % 64 : 0);
    struct yk_ec_emergency emergency = {0};
    uint8_t *mail = malloc(room), *request = malloc(room);
    struct yk_ec_sdo *s = calloc(1, sizeof *s);

    fuzz_check(mail && request && s);
    if (size && data[0] & 0x80)
        yk_ec_sdo_upload(s, 0x1008, 0);
    else
        yk_ec_sdo_download(s, 0x1008, 0, value, size && data[0] & 0x40 ? 4 : sizeof value);
    for (size_t at = 1; at < size && s->state == YK_EC_SDO_BUSY; at += room) {
        const size_t n = size - at < room ? size - at : room;

        yk_ec_sdo_request(s, 1, request, room);
        fuzz_check(s->done <= s->size && s->size <= YK_EC_SDO_MOST);
        memset(mail, 0, room);
        memcpy(mail, data + at, n);
        (void)yk_ec_sdo_answer(s, mail, room, &emergency);
        fuzz_check(s->done <= s->size && s->size <= YK_EC_SDO_MOST);
        fuzz_check(s->state != YK_EC_SDO_ABORTED || *yk_ec_abort_words(s->code));
        fuzz_check(s->state != YK_EC_SDO_DONE || s->done == s->size);
    }
    free(mail);
    free(request);
    free(s);
    return 0;
}
