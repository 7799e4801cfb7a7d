/* The mailbox of a simulated slave with CANopen over EtherCAT: SDOs, expedited, normal and in segments, and
 * emergencies.
 *
 * One request is answered at a time. Answers wait until the master has emptied the mailbox. */
#include "slave.h"

#include <string.h>

enum { MAIL_HEAD = 6, COE_HEAD = 2, SDO = MAIL_HEAD + COE_HEAD, SDO_BYTES = 8 };
enum { MAILBOX_ERROR = 0, COE = 3 };
enum { EMERGENCY = 1, REQUEST = 2, RESPONSE = 3, INFORMATION = 8 };
enum { BAD_PROTOCOL = 2, BAD_SERVICE = 4, TOO_SHORT = 6 };
enum {
    TOGGLE_WRONG = 0x05030000,
    COMMAND_UNKNOWN = 0x05040001,
    TOO_LONG = 0x06070012,
    LENGTH_WRONG = 0x06070010,
    COMPLETE_ACCESS = 0x06010000
};

static uint8_t *sm_of(struct yk_sim_slave *s, int i)
{
    return s->memory + YK_EC_SM + YK_EC_SM_SIZE * i;
}

void yk_sim_mailbox_reset(struct yk_sim_slave *s)
{
    s->mail_heard = s->mail_said = 0;
    s->mail_count = 0;
    s->mail_last.size = 0;
    s->segmented.up = s->segmented.down = false;
    for (int i = 0; i < 2 && s->mailbox; i++)
        sm_of(s, i)[YK_EC_SM_STATUS] = 0;
}

/* ---- out ---- */

uint8_t *yk_sim_mail_say(struct yk_sim_slave *s, uint8_t type, size_t size, int64_t now)
{
    if (s->mail_count == YK_SIM_MAILS)
        s->mail_count--; /* nobody fetches them: the newest counts */
    struct yk_sim_mail *m = &s->mails[s->mail_count++];

    memset(m->bytes, 0, sizeof m->bytes);
    m->size = MAIL_HEAD + size;
    m->due = now + s->mailbox_ns;
    s->mail_said = (uint8_t)(s->mail_said % 7 + 1);
    yk_le_put(m->bytes, size, 2);
    m->bytes[5] = (uint8_t)(type | s->mail_said << 4);
    return m->bytes + MAIL_HEAD;
}

/* An SDO of `size` bytes, at least 8. */
static uint8_t *say_sdo(struct yk_sim_slave *s, size_t size, int64_t now)
{
    uint8_t *coe = yk_sim_mail_say(s, COE, COE_HEAD + (size < SDO_BYTES ? SDO_BYTES : size), now);

    yk_le_put(coe, RESPONSE << 12, 2);
    return coe + COE_HEAD;
}

static void say_abort(struct yk_sim_slave *s, unsigned index, unsigned sub, uint32_t code, int64_t now)
{
    uint8_t *sdo = say_sdo(s, SDO_BYTES, now);

    yk_le_put(sdo - COE_HEAD, REQUEST << 12, 2); /* ETG.1000.6, table "Abort SDO transfer": an SDO request */
    sdo[0] = 0x80;
    yk_le_put(sdo + 1, index, 2);
    sdo[3] = (uint8_t)sub;
    yk_le_put(sdo + 4, code, 4);
    s->segmented.up = s->segmented.down = false;
}

static void say_error(struct yk_sim_slave *s, unsigned detail, int64_t now)
{
    uint8_t *error = yk_sim_mail_say(s, MAILBOX_ERROR, 4, now);

    yk_le_put(error, 1, 2);
    yk_le_put(error + 2, detail, 2);
}

void yk_sim_emergency(struct yk_sim_slave *s, uint16_t code, int64_t now)
{
    if (!s->mailbox || yk_sim_slave_state(s) < YK_EC_PREOP)
        return;
    uint8_t *coe = yk_sim_mail_say(s, COE, COE_HEAD + 8, now);

    yk_le_put(coe, EMERGENCY << 12, 2);
    yk_le_put(coe + COE_HEAD, code, 2);
    coe[COE_HEAD + 2] = code ? 1 : 0;
}

static void fill(struct yk_sim_slave *s, const struct yk_sim_mail *m)
{
    uint8_t *sm = sm_of(s, 1), *to = s->memory + 0x1000 + s->mailbox;

    memset(to, 0, s->mailbox);
    memcpy(to, m->bytes, m->size < s->mailbox ? m->size : s->mailbox);
    sm[YK_EC_SM_STATUS] = YK_EC_SM_FULL;
}

void yk_sim_mailbox_deliver(struct yk_sim_slave *s, int64_t now)
{
    const uint8_t *sm = sm_of(s, 1);

    if (!s->mail_count || now < s->mails[0].due || !(sm[YK_EC_SM_ACTIVATE] & 1) ||
        sm[YK_EC_SM_STATUS] & YK_EC_SM_FULL || yk_sim_slave_state(s) < YK_EC_PREOP)
        return;
    s->mail_last = s->mails[0];
    fill(s, &s->mails[0]);
    memmove(s->mails, s->mails + 1, --s->mail_count * sizeof *s->mails);
}

void yk_sim_mailbox_repeat(struct yk_sim_slave *s)
{
    uint8_t *sm = sm_of(s, 1);

    if (s->mail_last.size)
        fill(s, &s->mail_last);
    sm[YK_EC_SM_PDI] = (uint8_t)((sm[YK_EC_SM_PDI] & ~YK_EC_SM_REPEAT_ACK) | (sm[YK_EC_SM_ACTIVATE] & YK_EC_SM_REPEAT));
}

/* ---- SDO ---- */

/* The next segment of an upload; bits 1 to 3 tell unused bytes where fewer than 7 are sent. */
static void upload_segment(struct yk_sim_slave *s, uint8_t command, int64_t now)
{
    const size_t most = s->mailbox - SDO - 1u, left = s->segmented.size - s->segmented.done,
                 n = left < most ? left : most, unused = n < 7 ? 7 - n : 0;

    if (!s->segmented.up || (command >> 4 & 1) != s->segmented.toggle) {
        say_abort(s, s->segmented.index, s->segmented.sub, s->segmented.up ? TOGGLE_WRONG : COMMAND_UNKNOWN, now);
        return;
    }
    uint8_t *sdo = say_sdo(s, 1 + n, now);
    sdo[0] = (uint8_t)(16u * s->segmented.toggle + 2 * unused + (n == left));
    memcpy(sdo + 1, s->segmented.data + s->segmented.done, n);
    s->segmented.done += n;
    s->segmented.toggle = !s->segmented.toggle;
    s->segmented.up = n < left;
}

static void upload(struct yk_sim_slave *s, unsigned index, unsigned sub, int64_t now)
{
    uint8_t *data = s->segmented.data, *sdo;
    size_t size = 0;
    const uint32_t abort = yk_sim_sdo_upload(s, index, sub, data, &size);
    const size_t first = s->mailbox - SDO - SDO_BYTES + 0u, n = size < first ? size : first;

    if (abort) {
        say_abort(s, index, sub, abort, now);
        return;
    }
    if (size >= 1 && size <= 4) {
        sdo = say_sdo(s, SDO_BYTES, now);
        sdo[0] = (uint8_t)(0x43 | (4 - size) << 2);
        memcpy(sdo + 4, data, size);
    } else {
        sdo = say_sdo(s, SDO_BYTES + n, now);
        sdo[0] = 0x41;
        yk_le_put(sdo + 4, size, 4);
        memcpy(sdo + 8, data, n);
        s->segmented.up = n < size;
        s->segmented.down = s->segmented.toggle = false;
        s->segmented.index = (uint16_t)index;
        s->segmented.sub = (uint8_t)sub;
        s->segmented.size = size;
        s->segmented.done = n;
    }
    yk_le_put(sdo + 1, index, 2);
    sdo[3] = (uint8_t)sub;
}

static void finish_download(struct yk_sim_slave *s, unsigned index, unsigned sub, const uint8_t *data, size_t size,
                            bool segment, int64_t now)
{
    const uint32_t abort = yk_sim_sdo_download(s, index, sub, data, size);

    if (abort) {
        say_abort(s, index, sub, abort, now);
        return;
    }
    uint8_t *sdo = say_sdo(s, SDO_BYTES, now);
    sdo[0] = segment ? (uint8_t)(0x20 | s->segmented.toggle << 4) : 0x60;
    if (!segment) {
        yk_le_put(sdo + 1, index, 2);
        sdo[3] = (uint8_t)sub;
    }
}

/* `sdo` has `size` bytes, at least 8. */
static void download(struct yk_sim_slave *s, const uint8_t *sdo, size_t size, int64_t now)
{
    const unsigned index = yk_le16(sdo + 1), sub = sdo[3];
    const bool expedited = sdo[0] & 2, sized = sdo[0] & 1;
    const size_t total = yk_le32(sdo + 4), here = size - SDO_BYTES < total ? size - SDO_BYTES : total;

    s->segmented.up = s->segmented.down = false;
    if (expedited) {
        finish_download(s, index, sub, sdo + 4, sized ? 4u - (sdo[0] >> 2 & 3u) : 4, false, now);
    } else if (total > sizeof s->segmented.data) {
        say_abort(s, index, sub, TOO_LONG, now);
    } else if (here == total) {
        finish_download(s, index, sub, sdo + 8, total, false, now);
    } else {
        uint8_t *answer = say_sdo(s, SDO_BYTES, now);

        memcpy(s->segmented.data, sdo + 8, here);
        s->segmented.down = true;
        s->segmented.toggle = false;
        s->segmented.index = (uint16_t)index;
        s->segmented.sub = (uint8_t)sub;
        s->segmented.size = total;
        s->segmented.done = here;
        answer[0] = 0x60;
        memcpy(answer + 1, sdo + 1, 3);
    }
}

static void download_segment(struct yk_sim_slave *s, const uint8_t *sdo, size_t size, int64_t now)
{
    const bool last = sdo[0] & 1;
    size_t n = size - 1;

    if (n == 7)
        n -= sdo[0] >> 1 & 7;
    if (!s->segmented.down || (sdo[0] >> 4 & 1) != s->segmented.toggle) {
        say_abort(s, s->segmented.index, s->segmented.sub, s->segmented.down ? TOGGLE_WRONG : COMMAND_UNKNOWN, now);
        return;
    }
    if (s->segmented.done + n > s->segmented.size || (last && s->segmented.done + n != s->segmented.size)) {
        say_abort(s, s->segmented.index, s->segmented.sub, LENGTH_WRONG, now);
        return;
    }
    memcpy(s->segmented.data + s->segmented.done, sdo + 1, n);
    s->segmented.done += n;
    if (last) {
        s->segmented.down = false;
        finish_download(s, s->segmented.index, s->segmented.sub, s->segmented.data, s->segmented.size, true, now);
    } else {
        say_sdo(s, SDO_BYTES, now)[0] = (uint8_t)(0x20 | s->segmented.toggle << 4);
    }
    s->segmented.toggle = !s->segmented.toggle;
}

static void answer_sdo(struct yk_sim_slave *s, const uint8_t *sdo, size_t size, int64_t now)
{
    const unsigned specifier = sdo[0] >> 5;

    if ((specifier == 1 || specifier == 2) && sdo[0] & 0x10)
        say_abort(s, yk_le16(sdo + 1), sdo[3], COMPLETE_ACCESS, now);
    else if (specifier == 0)
        download_segment(s, sdo, size, now);
    else if (specifier == 1)
        download(s, sdo, size, now);
    else if (specifier == 2)
        upload(s, yk_le16(sdo + 1), sdo[3], now);
    else if (specifier == 3)
        upload_segment(s, sdo[0], now);
    else if (specifier == 4) /* the master gives up */
        s->segmented.up = s->segmented.down = false;
    else
        say_abort(s, yk_le16(sdo + 1), sdo[3], COMMAND_UNKNOWN, now);
}

void yk_sim_mailbox_take(struct yk_sim_slave *s, int64_t now)
{
    const uint8_t *m = s->memory + 0x1000;
    const size_t size = yk_le16(m);
    const uint8_t counter = m[5] >> 4 & 7;

    if (s->mailbox_stuck || yk_sim_slave_state(s) < YK_EC_PREOP)
        return; /* stays full */
    sm_of(s, 0)[YK_EC_SM_STATUS] = 0;
    if (counter && counter == s->mail_heard)
        return; /* a repetition */
    s->mail_heard = counter;
    const unsigned service = yk_le16(m + MAIL_HEAD) >> 12;
    if (size + MAIL_HEAD > s->mailbox || size < COE_HEAD + (service == INFORMATION ? 4u : (unsigned)SDO_BYTES))
        say_error(s, TOO_SHORT, now);
    else if ((m[5] & 15) != COE)
        say_error(s, BAD_PROTOCOL, now);
    else if (service == INFORMATION)
        yk_sim_info_answer(s, m + SDO, size - COE_HEAD, now);
    else if (service != REQUEST)
        say_error(s, BAD_SERVICE, now);
    else
        answer_sdo(s, m + SDO, size - COE_HEAD, now);
    yk_sim_mailbox_deliver(s, now);
}
