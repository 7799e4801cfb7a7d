/* Exchanges of single datagrams: discovery, SII, states, objects. */
#include <yoke/ethercat_master.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    TRIES = 3,
    SENDS = 250,        /* of a frame that does not come back: others may use the processors of a simulated bus */
    FRAME_NS = 2000000, /* wait for a frame */
    MS = 1000000,
    POLL_NS = 200000,
    SII_NS = 1000 * MS,
    MAIL_WRITE_NS = 1000 * MS,
    MAIL_READ_NS = 2000 * MS,
    ACKNOWLEDGE_NS = 1000 * MS
};

static int64_t now(const struct yk_ec_master *m)
{
    return m->wire.ops->now(&m->wire);
}

static void pause_for(struct yk_ec_master *m, int64_t ns)
{
    m->wire.ops->pause(&m->wire, now(m) + ns);
}

/* ---- single exchanges ---- */

YK_RT bool yk_ec_await(struct yk_ec_master *m, int64_t until_ns)
{
    enum { MOST = 64 }; /* so that a flood cannot hold it */

    for (int i = 0; i < MOST; i++) {
        const size_t size = m->wire.ops->receive(&m->wire, m->in, until_ns);

        if (!size)
            return false;
        if (yk_ec_frame_read(m->in, size, m->found, &m->found_count) == YK_EC_GOOD &&
            yk_ec_frame_answers(&m->out, m->in, m->found, m->found_count))
            return true;
        m->counts.stray++;
    }
    return false;
}

bool yk_ec_send_and_await(struct yk_ec_master *m)
{
    yk_ec_frame_end(&m->out);
    m->wire.ops->send(&m->wire, m->out.bytes, m->out.size);
    m->counts.frames++;
    if (yk_ec_await(m, now(m) + FRAME_NS))
        return true;
    m->counts.missing++;
    return false;
}

int yk_ec_exchange(struct yk_ec_master *m, enum yk_ec_command command, uint32_t address, void *data, size_t size)
{
    for (int i = 0; i < SENDS; i++) {
        yk_ec_frame_begin(&m->out, m->wire.mac);
        uint8_t *to = yk_ec_frame_add(&m->out, command, ++m->index, address, size);
        if (!to)
            return -1;
        memcpy(to, data, size);
        if (yk_ec_send_and_await(m)) {
            memcpy(data, yk_ec_data_of(&m->found[0]), size);
            return yk_ec_wkc_of(&m->found[0]);
        }
    }
    return -1;
}

static int write_all(struct yk_ec_master *m, unsigned ado, uint64_t value, size_t size)
{
    uint8_t data[64] = {0};

    yk_le_put(data, value, size < 8 ? (int)size : 8);
    return yk_ec_exchange(m, YK_EC_BWR, yk_ec_address(0, ado), data, size);
}

static int read_of(struct yk_ec_master *m, size_t k, unsigned ado, void *data, size_t size)
{
    memset(data, 0, size);
    return yk_ec_exchange(m, YK_EC_FPRD, yk_ec_address(m->slaves[k].station, ado), data, size);
}

static int write_of(struct yk_ec_master *m, size_t k, unsigned ado, uint64_t value, int size)
{
    uint8_t data[8];

    yk_le_put(data, value, size);
    return yk_ec_exchange(m, YK_EC_FPWR, yk_ec_address(m->slaves[k].station, ado), data, (size_t)size);
}

static enum yk_status silent(const struct yk_ec_master *m, size_t k, const char *what, struct yk_err *err)
{
    return yk_fail(err, YK_E_IO, "EtherCAT: %s does not answer (%s)", m->slaves[k].name, what);
}

/* ---- discovery ---- */

/* How many there are: the same number twice. */
static enum yk_status count_slaves(struct yk_ec_master *m, struct yk_err *err)
{
    int last = -1;

    for (int i = 0; i < 10; i++) {
        uint8_t data[2] = {0};
        const int wkc = yk_ec_exchange(m, YK_EC_BRD, yk_ec_address(0, YK_EC_TYPE), data, 2);

        if (wkc < 0)
            return yk_fail(err, YK_E_IO, "EtherCAT: no frame comes back%s: is the bus connected and powered?",
                           m->wire.down ? ", the interface is down" : "");
        if (wkc == last) {
            m->count = (size_t)wkc;
            return wkc == 0 ? yk_fail(err, YK_E_IO, "EtherCAT: frames come back, but no slave has touched them")
                   : wkc > YK_EC_SLAVES_MOST
                       ? yk_fail(err, YK_E_UNSUPPORTED, "EtherCAT: %d slaves; at most %d are supported", wkc,
                                 YK_EC_SLAVES_MOST)
                       : YK_OK;
        }
        last = wkc;
    }
    return yk_fail(err, YK_E_IO, "EtherCAT: the number of slaves keeps changing; check the cables");
}

/* All to INIT with default settings. */
static enum yk_status reset_slaves(struct yk_ec_master *m, double patience_s, struct yk_err *err)
{
    static const struct {
        unsigned ado;
        uint64_t value;
        size_t size;
    } defaults[] = {
        {YK_EC_DL_LOOPS, 0, 1},
        {YK_EC_PORT_ERRORS, 0, 8},
        {YK_EC_FMMU, 0, 48},
        {YK_EC_SM, 0, 32},
        {YK_EC_SYNC_ACTIVATE, 0, 1},
        {YK_EC_SPEED_START, 0x1000, 2},
        {YK_EC_FILTER_DEPTH, 0x0C00, 2},
        {YK_EC_SII_OWNER, 2, 1},
        {YK_EC_SII_OWNER, 0, 1},
    };
    const int64_t until = now(m) + (int64_t)(1e9 * patience_s);
    uint8_t data[2];

    write_all(m, YK_EC_DL_ALIAS, 0, 1);
    write_all(m, YK_EC_AL_CONTROL, YK_EC_INIT | YK_EC_STATE_ERROR, 2);
    do {
        memset(data, 0, 2);
        if (yk_ec_exchange(m, YK_EC_BRD, yk_ec_address(0, YK_EC_AL_STATUS), data, 2) == (int)m->count &&
            yk_ec_al_state(data) == YK_EC_INIT) {
            for (size_t i = 0; i < sizeof defaults / sizeof *defaults; i++) /* some registers may be missing */
                write_all(m, defaults[i].ado, defaults[i].value, defaults[i].size);
            return YK_OK;
        }
        pause_for(m, MS);
    } while (now(m) < until);
    return yk_fail(err, YK_E_IO, "EtherCAT: not all %zu slaves go to INIT within %g s (AL status 0x%02x)", m->count,
                   patience_s, yk_le16(data));
}

/* Words at `at`: 2, or 4 where the chip reads as many. */
static bool read_words(struct yk_ec_master *m, size_t k, size_t at, uint8_t *to, size_t *words)
{
    const int64_t until = now(m) + SII_NS;
    uint8_t command[6] = {0}, status[2];
    int refused = 0;

    do { /* until it is not busy with something else */
        if (read_of(m, k, YK_EC_SII_CONTROL, status, 2) != 1)
            return false;
    } while (yk_le16(status) & YK_EC_SII_BUSY && now(m) < until);
    if (yk_le16(status) & YK_EC_SII_ERRORS)
        write_of(m, k, YK_EC_SII_CONTROL, 0, 2);
    do {
        yk_le_put(command, YK_EC_SII_READ, 2);
        yk_le_put(command + 2, at, 4);
        if (yk_ec_exchange(m, YK_EC_FPWR, yk_ec_address(m->slaves[k].station, YK_EC_SII_CONTROL), command, 6) != 1)
            return false;
        do {
            if (read_of(m, k, YK_EC_SII_CONTROL, status, 2) != 1)
                return false;
            if (yk_le16(status) & YK_EC_SII_BUSY)
                pause_for(m, POLL_NS / 4);
        } while (yk_le16(status) & YK_EC_SII_BUSY && now(m) < until);
        if (yk_le16(status) & YK_EC_SII_NO_ACK)
            write_of(m, k, YK_EC_SII_CONTROL, 0, 2);
    } while (yk_le16(status) & YK_EC_SII_NO_ACK && ++refused < TRIES);
    if (yk_le16(status) & (YK_EC_SII_BUSY | YK_EC_SII_NO_ACK))
        return false;
    *words = yk_le16(status) & YK_EC_SII_8_BYTES ? 4 : 2;
    return read_of(m, k, YK_EC_SII_DATA, to, 2 * *words) == 1;
}

static enum yk_status read_sii(struct yk_ec_master *m, size_t k, struct yk_err *err)
{
    uint8_t *image = calloc(2 * YK_EC_SII_WORDS + 8, 1);
    size_t have = 0, need, words;
    enum yk_status st = YK_OK;

    if (!image)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    while (!st && have < YK_EC_SII_WORDS && (need = yk_ec_sii_needed(image, have)) > have)
        while (!st && have < need) {
            if (read_words(m, k, have, image + 2 * have, &words))
                have += words;
            else
                st = yk_fail(err, YK_E_IO, "EtherCAT: %s: its SII cannot be read at word 0x%zx", m->slaves[k].name,
                             have);
        }
    if (!st && !yk_ec_sii_decode(image, have, &m->slaves[k].sii))
        st = yk_fail(err, YK_E_IO, "EtherCAT: %s: its SII makes no sense", m->slaves[k].name);
    free(image);
    return st;
}

static enum yk_status meet_slave(struct yk_ec_master *m, size_t k, struct yk_err *err)
{
    struct yk_ec_slave *s = &m->slaves[k];
    uint8_t data[12] = {0};

    snprintf(s->name, sizeof s->name, "slave %zu", k + 1);
    s->station = (uint16_t)(YK_EC_FIRST_STATION + k);
    yk_le_put(data, s->station, 2);
    if (yk_ec_exchange(m, YK_EC_APWR, yk_ec_at_position((unsigned)k, YK_EC_STATION), data, 2) != 1)
        return silent(m, k, "station address", err);
    if (read_of(m, k, YK_EC_TYPE, data, 10) != 1)
        return silent(m, k, "type", err);
    s->fmmus = data[4];
    s->sms = data[5];
    s->features = yk_le16(data + 8);
    s->has_clock = s->features & YK_EC_HAS_DC;
    if (read_of(m, k, YK_EC_DL_STATUS, data, 2) != 1)
        return silent(m, k, "ports", err);
    s->dl_status = yk_le16(data);
    for (int port = 0; port < 4; port++)
        s->ports += s->dl_status >> (9 + 2 * port) & 1;
    yk_ec_read_state(m, k);
    return read_sii(m, k, err);
}

enum yk_status yk_ec_discover(struct yk_ec_master *m, double patience_s, struct yk_err *err)
{
    enum yk_status st;

    yk_ec_forget(m);
    if ((st = count_slaves(m, err)))
        return st;
    if (!(m->slaves = calloc(m->count, sizeof *m->slaves)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t k = 0; k < m->count; k++) {
        uint8_t data[2] = {0};

        yk_ec_exchange(m, YK_EC_APRD, yk_ec_at_position((unsigned)k, YK_EC_AL_STATUS), data, 2);
        m->slaves[k].found_in = yk_ec_al_state(data);
    }
    if ((st = reset_slaves(m, patience_s, err)))
        return st;
    for (size_t k = 0; k < m->count && !st; k++)
        st = meet_slave(m, k, err);
    for (size_t k = m->count; k-- > 0;)
        if (m->slaves[k].has_clock) {
            m->reference = k;
            m->has_clock = true;
        }
    return st;
}

void yk_ec_forget(struct yk_ec_master *m)
{
    free(m->slaves);
    m->slaves = NULL;
    m->count = 0;
    m->has_clock = m->clock_runs = false;
}

/* ---- states ---- */

bool yk_ec_read_state(struct yk_ec_master *m, size_t k)
{
    uint8_t data[6];

    if (read_of(m, k, YK_EC_AL_STATUS, data, 6) != 1)
        return false;
    m->slaves[k].al_status = yk_ec_al_state(data);
    m->slaves[k].al_code = yk_le16(data + 4);
    return true;
}

/* Until it is in the state, or refuses. */
static bool await_state(struct yk_ec_master *m, size_t k, unsigned state, int64_t ns)
{
    const int64_t until = now(m) + ns;

    do {
        if (yk_ec_read_state(m, k) && m->slaves[k].al_status == state)
            return true;
        if (state != 0 && m->slaves[k].al_status & YK_EC_STATE_ERROR)
            return false;
        pause_for(m, MS);
    } while (now(m) < until);
    return false;
}

/* Without it a slave that refused something hears no other request. */
static void acknowledge(struct yk_ec_master *m, size_t k)
{
    const int64_t until = now(m) + ACKNOWLEDGE_NS;
    struct yk_ec_slave *s = &m->slaves[k];

    write_of(m, k, YK_EC_AL_CONTROL, (s->al_status & YK_EC_STATE_MASK) | YK_EC_STATE_ERROR, 2);
    while (yk_ec_read_state(m, k) && s->al_status & YK_EC_STATE_ERROR && now(m) < until)
        pause_for(m, MS);
}

enum yk_status yk_ec_change_state(struct yk_ec_master *m, size_t k, enum yk_ec_state state, double patience_s,
                                  struct yk_err *err)
{
    const struct yk_ec_slave *s = &m->slaves[k];
    unsigned refused = 0;

    for (int i = 0; i < 2; i++) {
        if (write_of(m, k, YK_EC_AL_CONTROL, state, 2) != 1)
            return silent(m, k, "AL control", err);
        if (await_state(m, k, state, (int64_t)(1e9 * patience_s)))
            return YK_OK;
        if (!(s->al_status & YK_EC_STATE_ERROR))
            return yk_fail(err, YK_E_IO, "EtherCAT: %s does not reach %s within %g s; it is in %s", s->name,
                           yk_ec_state_name(state), patience_s, yk_ec_state_name(s->al_status));
        refused = s->al_code;
        acknowledge(m, k);
    }
    return yk_fail(err, YK_E_IO, "EtherCAT: %s refuses %s: 0x%04X, %s; it is in %s", s->name, yk_ec_state_name(state),
                   refused, yk_ec_al_words(refused), yk_ec_state_name(s->al_status));
}

/* ---- objects ---- */

enum yk_status yk_ec_open_mailbox(struct yk_ec_master *m, size_t k, struct yk_err *err)
{
    struct yk_ec_slave *s = &m->slaves[k];
    const struct yk_ec_sii *sii = &s->sii;
    uint8_t data[2 * YK_EC_SM_SIZE] = {0};

    s->mail_sent = s->mail_got = 0;
    if (!sii->mail_out_size)
        return YK_OK;
    if (sii->mail_out_size < YK_EC_MAIL_LEAST || sii->mail_out_size > YK_EC_MAIL_MOST ||
        sii->mail_in_size < YK_EC_MAIL_LEAST || sii->mail_in_size > YK_EC_MAIL_MOST)
        return yk_fail(err, YK_E_UNSUPPORTED, "EtherCAT: %s has mailboxes of %d and %d bytes; %d .. %d are supported",
                       s->name, sii->mail_out_size, sii->mail_in_size, YK_EC_MAIL_LEAST, YK_EC_MAIL_MOST);
    yk_le_put(data, sii->mail_out, 2);
    yk_le_put(data + 2, sii->mail_out_size, 2);
    data[YK_EC_SM_CONTROL] = YK_EC_SM_MAILBOX_OUT;
    data[YK_EC_SM_ACTIVATE] = 1;
    yk_le_put(data + YK_EC_SM_SIZE, sii->mail_in, 2);
    yk_le_put(data + YK_EC_SM_SIZE + 2, sii->mail_in_size, 2);
    data[YK_EC_SM_SIZE + YK_EC_SM_CONTROL] = YK_EC_SM_MAILBOX_IN;
    data[YK_EC_SM_SIZE + YK_EC_SM_ACTIVATE] = 1;
    if (yk_ec_exchange(m, YK_EC_FPWR, yk_ec_address(s->station, YK_EC_SM), data, sizeof data) != 1)
        return silent(m, k, "SyncManagers of the mailboxes", err);
    return YK_OK;
}

/* The whole area goes in one datagram; the last byte makes the mailbox full. */
static bool write_mail(struct yk_ec_master *m, size_t k, uint8_t *mail)
{
    const struct yk_ec_slave *s = &m->slaves[k];
    const int64_t until = now(m) + MAIL_WRITE_NS;

    do {
        if (yk_ec_exchange(m, YK_EC_FPWR, yk_ec_address(s->station, s->sii.mail_out), mail, s->sii.mail_out_size) == 1)
            return true;
        pause_for(m, POLL_NS);
    } while (now(m) < until);
    return false;
}

/* The slave put a message there, but the frame with it was lost: it is asked to put it there again. */
static void ask_again(struct yk_ec_master *m, size_t k)
{
    const unsigned sm1 = YK_EC_SM + YK_EC_SM_SIZE;
    const int64_t until = now(m) + MAIL_WRITE_NS;
    uint8_t data[2];

    if (read_of(m, k, sm1 + YK_EC_SM_ACTIVATE, data, 2) != 1)
        return;
    const uint8_t wanted = data[0] ^ YK_EC_SM_REPEAT;
    write_of(m, k, sm1 + YK_EC_SM_ACTIVATE, wanted, 1);
    while (read_of(m, k, sm1 + YK_EC_SM_PDI, data, 1) == 1 && (data[0] ^ wanted) & YK_EC_SM_REPEAT && now(m) < until)
        pause_for(m, POLL_NS);
}

/* The next message; false: none until then. The status of its SyncManager comes with it. */
static bool read_mail(struct yk_ec_master *m, size_t k, uint8_t *mail, int64_t until)
{
    struct yk_ec_slave *s = &m->slaves[k];
    const size_t size = s->sii.mail_in_size;

    do {
        yk_ec_frame_begin(&m->out, m->wire.mac);
        yk_ec_frame_add(&m->out, YK_EC_FPRD, ++m->index,
                        yk_ec_address(s->station, YK_EC_SM + YK_EC_SM_SIZE + YK_EC_SM_STATUS), 1);
        yk_ec_frame_add(&m->out, YK_EC_FPRD, ++m->index, yk_ec_address(s->station, s->sii.mail_in), size);
        if (!yk_ec_send_and_await(m)) {
            ask_again(m, k); /* it may have carried a message */
        } else if (yk_ec_wkc_of(&m->found[1]) == 1) {
            memcpy(mail, yk_ec_data_of(&m->found[1]), size);
            const uint8_t counter = yk_ec_mail_counter(mail);

            if (!counter || counter != s->mail_got) { /* otherwise a repetition */
                s->mail_got = counter;
                return true;
            }
        } else {
            pause_for(m, POLL_NS);
        }
    } while (now(m) < until);
    return false;
}

enum yk_status yk_ec_transfer(struct yk_ec_master *m, size_t k, struct yk_err *err)
{
    struct yk_ec_slave *s = &m->slaves[k];
    struct yk_ec_sdo *sdo = &m->sdo;
    const char *verb = sdo->upload ? "read" : "write";
    uint8_t mail[YK_EC_MAIL_MOST];

    if (!s->sii.mail_out_size || !(s->sii.protocols & YK_EC_PROTOCOL_COE))
        return yk_fail(err, YK_E_UNSUPPORTED, "EtherCAT: %s has no objects (CoE), so 0x%04X:%d cannot be %s", s->name,
                       sdo->index, sdo->subindex, sdo->upload ? "read" : "written");
    while (sdo->state == YK_EC_SDO_BUSY) {
        const int64_t until = now(m) + MAIL_READ_NS;
        bool answered = false;

        s->mail_sent = (uint8_t)(s->mail_sent % 7 + 1);
        yk_ec_sdo_request(sdo, s->mail_sent, mail, s->sii.mail_out_size);
        if (!write_mail(m, k, mail))
            return yk_fail(err, YK_E_IO, "EtherCAT: %s does not take messages: its mailbox stays full", s->name);
        while (!answered && read_mail(m, k, mail, until))
            answered = yk_ec_sdo_answer(sdo, mail, s->sii.mail_in_size, &s->emergency);
        if (!answered)
            return yk_fail(err, YK_E_IO, "EtherCAT: %s does not answer within %d s (to %s 0x%04X:%d)", s->name,
                           MAIL_READ_NS / MS / 1000, verb, sdo->index, sdo->subindex);
    }
    if (sdo->state == YK_EC_SDO_ABORTED)
        return yk_fail(err, YK_E_UNSUPPORTED, "EtherCAT: %s refuses to %s 0x%04X:%d: 0x%08X, %s", s->name, verb,
                       sdo->index, sdo->subindex, sdo->code, yk_ec_abort_words(sdo->code));
    if (sdo->state == YK_EC_SDO_WRONG)
        return yk_fail(err, YK_E_IO, "EtherCAT: %s: wrong answer to %s 0x%04X:%d: %s", s->name, verb, sdo->index,
                       sdo->subindex, sdo->words);
    return YK_OK;
}

enum yk_status yk_ec_upload(struct yk_ec_master *m, size_t k, uint16_t index, uint8_t subindex, struct yk_err *err)
{
    yk_ec_sdo_upload(&m->sdo, index, subindex);
    return yk_ec_transfer(m, k, err);
}

enum yk_status yk_ec_download(struct yk_ec_master *m, size_t k, uint16_t index, uint8_t subindex, uint64_t value,
                              size_t bytes, struct yk_err *err)
{
    uint8_t data[8];

    yk_le_put(data, value, (int)bytes);
    yk_ec_sdo_download(&m->sdo, index, subindex, data, bytes);
    return yk_ec_transfer(m, k, err);
}
