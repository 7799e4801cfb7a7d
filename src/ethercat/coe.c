/* Messages of CoE: head of the mailbox (6 bytes), head of CoE (2), SDO. */
#include <yoke/ethercat_coe.h>

#include <yoke/ethercat.h>

#include <string.h>

enum {
    SDO = YK_EC_MAIL_HEAD + 2, /* where the SDO begins */
    MAIL_ERROR = 0,
    /* byte 0 of an SDO: upper three bits */
    /* 0x00: download segment */
    DOWNLOAD = 0x20,
    UPLOAD = 0x40,
    UPLOAD_SEGMENT = 0x60,
    ABORT = 0x80,
    ANSWER_UPLOAD_SEGMENT = 0x00,
    ANSWER_DOWNLOAD_SEGMENT = 0x20,
    ANSWER_UPLOAD = 0x40,
    ANSWER_DOWNLOAD = 0x60,
    TOGGLE = 0x10,
    LAST = 0x01,
    EXPEDITED = 0x02,
    SIZED = 0x01,
    LEAST_SEGMENT = 7
};

struct words {
    uint32_t code;
    const char *text;
};

static const struct words aborts[] = {
    {0x05030000, "toggle bit did not change"},
    {0x05040000, "time-out of the protocol"},
    {0x05040001, "unknown command"},
    {0x05040005, "out of memory"},
    {0x06010000, "access is not supported"},
    {0x06010001, "the object can only be written"},
    {0x06010002, "the object can only be read"},
    {0x06010003, "subindex 0 must be 0 first"},
    {0x06020000, "there is no such object"},
    {0x06040041, "the object cannot be mapped"},
    {0x06040042, "the PDO would become too long"},
    {0x06040043, "parameters do not fit together"},
    {0x06060000, "hardware error"},
    {0x06070010, "wrong length of the data"},
    {0x06070012, "too many data"},
    {0x06070013, "too few data"},
    {0x06090011, "there is no such subindex"},
    {0x06090030, "value outside its range"},
    {0x06090031, "value too high"},
    {0x06090032, "value too low"},
    {0x08000000, "general error"},
    {0x08000020, "data cannot be transferred"},
    {0x08000021, "data cannot be transferred: local control"},
    {0x08000022, "not possible in this state of the slave"},
    {0, "unknown reason"},
};

static const struct words al_codes[] = {
    {0x0001, "unspecified error"},
    {0x0002, "out of memory"},
    {0x0011, "change of state not allowed"},
    {0x0012, "unknown state"},
    {0x0016, "settings of the mailbox wrong"},
    {0x0017, "settings of a SyncManager wrong"},
    {0x0018, "no valid inputs"},
    {0x0019, "no valid outputs"},
    {0x001A, "synchronisation error"},
    {0x001B, "SyncManager watchdog: no frames with outputs"},
    {0x001C, "SyncManager types wrong"},
    {0x001D, "settings of the outputs wrong"},
    {0x001E, "settings of the inputs wrong"},
    {0x001F, "settings of the watchdog wrong"},
    {0x0021, "needs INIT first"},
    {0x0022, "needs PREOP first"},
    {0x0023, "needs SAFEOP first"},
    {0x0024, "mapping of the inputs wrong"},
    {0x0025, "mapping of the outputs wrong"},
    {0x0026, "settings do not fit together"},
    {0x0027, "free run not supported"},
    {0x0028, "synchronisation not supported"},
    {0x0029, "free run needs three buffers"},
    {0x002C, "synchronisation lost for good"},
    {0x002D, "no SYNC signal"},
    {0x002E, "cycle time too small"},
    {0x0030, "settings of the distributed clock wrong"},
    {0x0032, "loop of the distributed clock did not lock"},
    {0x0033, "distributed clock: input or output error"},
    {0x0034, "distributed clock: time-out"},
    {0x0035, "cycle time of the distributed clock wrong"},
    {0x0036, "SYNC0 cycle time wrong"},
    {0x0037, "SYNC1 cycle time wrong"},
    {0x0043, "error of the CoE mailbox"},
    {0x0050, "EEPROM not accessible"},
    {0x0051, "EEPROM error"},
    {0x0060, "restarted locally"},
    {0x0061, "identity changed"},
    {0, "unknown reason"},
};

/* Emergencies: by the code, then by its upper half, as CiA 301 and CiA 402 divide them. */
static const struct words emergencies[] = {
    {0x2310, "continuous over current"},
    {0x2320, "short circuit"},
    {0x3110, "mains over voltage"},
    {0x3210, "over voltage"},
    {0x3220, "under voltage"},
    {0x4210, "device too hot"},
    {0x4310, "drive too hot"},
    {0x7121, "motor blocked"},
    {0x7305, "incremental encoder"},
    {0x7500, "communication"},
    {0x8400, "velocity control"},
    {0x8500, "position control"},
    {0x8611, "following error"},
    {0x8612, "reference limit"},
    {0x8700, "synchronisation"},
    {0x1000, "general error"},
    {0x2000, "current"},
    {0x3000, "voltage"},
    {0x4000, "temperature"},
    {0x5000, "hardware"},
    {0x6000, "software"},
    {0x7000, "additional modules"},
    {0x8000, "monitoring"},
    {0x9000, "external error"},
    {0xF000, "additional functions"},
    {0xFF00, "of the manufacturer"},
    {0, "no known class"},
};

YK_RT static const char *look_up(const struct words *table, uint32_t code)
{
    while (table->code && table->code != code)
        table++;
    return table->text;
}

const char *yk_ec_abort_words(uint32_t code)
{
    return look_up(aborts, code);
}

const char *yk_ec_al_words(unsigned code)
{
    return look_up(al_codes, code);
}

const char *yk_ec_state_name(unsigned state)
{
    static const char *const names[] = {[YK_EC_INIT] = "INIT",
                                        [YK_EC_PREOP] = "PREOP",
                                        [YK_EC_BOOT] = "BOOT",
                                        [YK_EC_SAFEOP] = "SAFEOP",
                                        [YK_EC_OP] = "OP"};

    state &= YK_EC_STATE_MASK;
    return state < sizeof names / sizeof *names && names[state] ? names[state] : "no known state";
}

YK_RT uint8_t yk_ec_mail_counter(const uint8_t *mail)
{
    return mail[5] >> 4 & 7;
}

void yk_ec_sdo_upload(struct yk_ec_sdo *s, uint16_t index, uint8_t subindex)
{
    s->state = YK_EC_SDO_BUSY;
    s->upload = true;
    s->started = s->toggle = false;
    s->index = index;
    s->subindex = subindex;
    s->code = 0;
    s->words = "";
    s->size = s->done = 0;
}

void yk_ec_sdo_download(struct yk_ec_sdo *s, uint16_t index, uint8_t subindex, const void *data, size_t size)
{
    yk_ec_sdo_upload(s, index, subindex);
    s->upload = false;
    s->size = size < YK_EC_SDO_MOST ? size : YK_EC_SDO_MOST;
    memcpy(s->data, data, s->size);
}

/* The rest of the data, as much as fits behind byte `at` of the SDO; returns the number of bytes. */
static size_t put_data(struct yk_ec_sdo *s, uint8_t *sdo, size_t at, size_t room)
{
    const size_t left = s->size - s->done, fits = room - SDO - at, n = left < fits ? left : fits;

    memcpy(sdo + at, s->data + s->done, n);
    s->done += n;
    return n;
}

void yk_ec_sdo_request(struct yk_ec_sdo *s, uint8_t counter, uint8_t *mail, size_t room)
{
    uint8_t *sdo = mail + SDO;
    size_t size = 8; /* of the SDO */

    memset(mail, 0, room);
    if (s->started && s->upload) {
        sdo[0] = (uint8_t)(UPLOAD_SEGMENT | (s->toggle ? TOGGLE : 0));
    } else if (s->started) {
        const size_t n = put_data(s, sdo, 1, room);

        sdo[0] = (uint8_t)((s->toggle ? TOGGLE : 0) | (s->done == s->size ? LAST : 0));
        if (n < LEAST_SEGMENT)
            sdo[0] |= (uint8_t)((LEAST_SEGMENT - n) << 1);
        size = 1 + (n < LEAST_SEGMENT ? LEAST_SEGMENT : n);
    } else {
        yk_le_put(sdo + 1, s->index, 2);
        sdo[3] = s->subindex;
        if (s->upload) {
            sdo[0] = UPLOAD;
        } else if (s->size >= 1 && s->size <= 4) {
            sdo[0] = (uint8_t)(DOWNLOAD | (4 - s->size) << 2 | EXPEDITED | SIZED);
            put_data(s, sdo, 4, room);
        } else {
            sdo[0] = DOWNLOAD | SIZED;
            yk_le_put(sdo + 4, s->size, 4);
            size = 8 + put_data(s, sdo, 8, room);
        }
    }
    yk_le_put(mail, 2 + size, 2);
    mail[5] = (uint8_t)(YK_EC_MAIL_COE | counter << 4);
    yk_le_put(mail + YK_EC_MAIL_HEAD, YK_EC_COE_REQUEST << 12, 2);
}

static void refuse(struct yk_ec_sdo *s, const char *words)
{
    s->state = YK_EC_SDO_WRONG;
    s->words = words;
}

/* Data of the slave; the sum must be the size that it told. */
static void take_data(struct yk_ec_sdo *s, const uint8_t *from, size_t n, bool last)
{
    if (n > s->size - s->done) {
        refuse(s, "more data than announced");
        return;
    }
    memcpy(s->data + s->done, from, n);
    s->done += n;
    if (last && s->done != s->size)
        refuse(s, "fewer data than announced");
    else if (last)
        s->state = YK_EC_SDO_DONE;
}

/* The first answer to an upload. */
static void begin_upload(struct yk_ec_sdo *s, const uint8_t *sdo, size_t size)
{
    if (sdo[0] & EXPEDITED) {
        s->size = sdo[0] & SIZED ? (size_t)(4 - (sdo[0] >> 2 & 3)) : 4;
        take_data(s, sdo + 4, s->size, true);
        return;
    }
    const uint32_t total = yk_le32(sdo + 4);

    if (total > YK_EC_SDO_MOST) {
        refuse(s, "longer than an object may be");
        return;
    }
    s->size = total;
    s->started = true;
    take_data(s, sdo + 8, size - 8 < total ? size - 8 : total, size - 8 >= total);
}

/* `size`: of the SDO, at least 8. */
static void take_answer(struct yk_ec_sdo *s, const uint8_t *sdo, size_t size)
{
    const unsigned kind = sdo[0] & 0xE0, toggle = sdo[0] & TOGGLE;

    if (!s->started && s->upload) {
        if (kind == ANSWER_UPLOAD)
            begin_upload(s, sdo, size);
        else
            refuse(s, "an answer to something else");
    } else if (!s->started) {
        if (kind != ANSWER_DOWNLOAD)
            refuse(s, "an answer to something else");
        else if (s->done == s->size)
            s->state = YK_EC_SDO_DONE;
        s->started = true;
    } else if (kind != (s->upload ? ANSWER_UPLOAD_SEGMENT : ANSWER_DOWNLOAD_SEGMENT) ||
               toggle != (s->toggle ? TOGGLE : 0u)) {
        refuse(s, "a segment out of turn");
    } else {
        s->toggle = !s->toggle;
        if (s->upload) {
            const size_t n = size - 1;

            take_data(s, sdo + 1, n == LEAST_SEGMENT ? n - (sdo[0] >> 1 & 7) : n, sdo[0] & LAST);
        } else if (s->done == s->size) {
            s->state = YK_EC_SDO_DONE;
        }
    }
}

YK_RT const char *yk_ec_emergency_words(unsigned code)
{
    const char *exact = look_up(emergencies, code), *unknown = look_up(emergencies, 1);

    if (exact == unknown)
        exact = look_up(emergencies, code & 0xFF00);
    return exact == unknown ? look_up(emergencies, code & 0xF000) : exact;
}

YK_RT bool yk_ec_emergency_take(struct yk_ec_emergency *e, const uint8_t *mail, size_t size)
{
    const size_t length = size >= SDO ? yk_le16(mail) : 0;

    if (length < 2 + 3 || YK_EC_MAIL_HEAD + length > size || (mail[5] & 0x0F) != YK_EC_MAIL_COE ||
        yk_le16(mail + YK_EC_MAIL_HEAD) >> 12 != YK_EC_COE_EMERGENCY)
        return false;
    e->code = yk_le16(mail + SDO);
    e->reg = mail[SDO + 2];
    e->count++;
    for (size_t i = 0; i < sizeof e->data; i++)
        e->data[i] = 5 + i < length ? mail[SDO + 3 + i] : 0;
    return true;
}

bool yk_ec_sdo_answer(struct yk_ec_sdo *s, const uint8_t *mail, size_t size, struct yk_ec_emergency *emergency)
{
    const size_t length = size >= SDO ? yk_le16(mail) : 0;
    const uint8_t *sdo = mail + SDO;

    if (length < 2 || YK_EC_MAIL_HEAD + length > size)
        return false;
    const unsigned type = mail[5] & 0x0F, service = yk_le16(mail + YK_EC_MAIL_HEAD) >> 12;

    if (type == MAIL_ERROR) {
        refuse(s, "the mailbox refused the message");
        return true;
    }
    if (type != YK_EC_MAIL_COE)
        return false;
    if (yk_ec_emergency_take(emergency, mail, size))
        return false;
    if (length < 2 + 8)
        return false;
    const bool aborted = (sdo[0] & 0xE0) == ABORT, ours = yk_le16(sdo + 1) == s->index && sdo[3] == s->subindex;

    if (aborted && ours && (service == YK_EC_COE_REQUEST || service == YK_EC_COE_RESPONSE)) {
        s->state = YK_EC_SDO_ABORTED;
        s->code = yk_le32(sdo + 4);
        return true;
    }
    if (service != YK_EC_COE_RESPONSE || aborted || (!s->started && !ours)) /* stale */
        return false;
    take_answer(s, sdo, length - 2);
    return true;
}
