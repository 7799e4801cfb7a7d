/* Decodes the SII of a slave. */
#include <yoke/ethercat_sii.h>

#include <yoke/ethercat.h>

#include <string.h>

uint8_t yk_ec_sii_checksum(const uint8_t *bytes, size_t size)
{
    unsigned crc = 0xFF;

    for (size_t i = 0; i < size; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++)
            crc = (crc << 1 ^ (crc & 0x80 ? 0x07 : 0)) & 0xFF;
    }
    return (uint8_t)crc;
}

size_t yk_ec_sii_needed(const uint8_t *image, size_t words)
{
    size_t at = YK_EC_SII_CATEGORIES;

    while (at + 2 <= words) {
        if (yk_le16(image + 2 * at) == YK_EC_CATEGORY_END)
            return words;
        at += 2 + (size_t)yk_le16(image + 2 * at + 2);
    }
    if (at + 1 == words && yk_le16(image + 2 * at) == YK_EC_CATEGORY_END)
        return words;                               /* the memory may end with this word */
    const size_t next = at + (at >= words ? 1 : 2); /* the type, then the length */
    return next > YK_EC_SII_WORDS ? words : next;
}

/* The text of a number, cut to `room`. */
static void copy_text(const uint8_t *strings, size_t size, unsigned number, char *to, size_t room)
{
    size_t at = 1, used = 0;

    *to = 0;
    if (!strings || !number || size == 0 || number > strings[0])
        return;
    for (unsigned k = 1; at < size; k++) {
        const size_t length = strings[at++];

        if (at + length > size)
            return;
        if (k == number) {
            for (; used < length && used + 1 < room; used++)
                to[used] = '?';
            to[used] = 0;
            for (size_t i = 0; i < used; i++)
                if (strings[at + i] >= ' ' && strings[at + i] < 127)
                    memcpy(&to[i], &strings[at + i], 1);
            return;
        }
        at += length;
    }
}

static void read_sms(const uint8_t *at, size_t size, struct yk_ec_sii *s)
{
    for (; size >= 8 && s->sm_count < YK_EC_SM_MOST; at += 8, size -= 8)
        s->sms[s->sm_count++] = (struct yk_ec_sii_sm){
            .start = yk_le16(at), .length = yk_le16(at + 2), .control = at[4], .enable = at[6], .use = at[7]};
}

static void read_pdos(const uint8_t *at, size_t size, bool to_slave, struct yk_ec_sii *s)
{
    while (size >= 8 && s->pdo_count < YK_EC_SII_PDOS) {
        struct yk_ec_sii_pdo pdo = {.index = yk_le16(at), .sm = at[3], .to_slave = to_slave, .first = s->entry_count};
        const size_t count = at[2];

        at += 8;
        size -= 8;
        if (8 * count > size || s->entry_count + count > YK_EC_SII_ENTRIES)
            return;
        for (; pdo.count < count; pdo.count++, at += 8, size -= 8)
            s->entries[s->entry_count++] =
                (struct yk_ec_entry){.index = yk_le16(at),
                                     .subindex = at[2],
                                     .bits = at[5],
                                     .type = yk_le16(at) ? yk_ec_type_of(at[4], at[5]) : YK_EC_GAP};
        s->pdos[s->pdo_count++] = pdo;
    }
}

static void read_head(const uint8_t *image, struct yk_ec_sii *s)
{
    s->checked = yk_ec_sii_checksum(image, 14) == image[2 * YK_EC_SII_CHECKSUM];
    s->alias = yk_le16(image + 2 * YK_EC_SII_ALIAS);
    s->vendor = yk_le32(image + 2 * YK_EC_SII_VENDOR);
    s->product = yk_le32(image + 2 * YK_EC_SII_PRODUCT);
    s->revision = yk_le32(image + 2 * YK_EC_SII_NUMBER);
    s->serial = yk_le32(image + 2 * YK_EC_SII_SERIAL);
    s->protocols = yk_le16(image + 2 * YK_EC_SII_PROTOCOLS);
    if (!s->protocols)
        return;
    s->mail_out = yk_le16(image + 2 * YK_EC_SII_MAILBOX);
    s->mail_out_size = yk_le16(image + 2 * YK_EC_SII_MAILBOX + 2);
    s->mail_in = yk_le16(image + 2 * YK_EC_SII_MAILBOX + 4);
    s->mail_in_size = yk_le16(image + 2 * YK_EC_SII_MAILBOX + 6);
}

bool yk_ec_sii_decode(const uint8_t *image, size_t words, struct yk_ec_sii *s)
{
    const uint8_t *strings = NULL, *general = NULL;
    size_t strings_size = 0, general_size = 0;

    *s = (struct yk_ec_sii){0};
    if (words < YK_EC_SII_CATEGORIES)
        return false;
    read_head(image, s);
    for (size_t at = YK_EC_SII_CATEGORIES;;) {
        if (at >= words)
            return false;
        const unsigned type = yk_le16(image + 2 * at);
        if (type == YK_EC_CATEGORY_END)
            break;
        if (at + 2 > words || at + 2 + yk_le16(image + 2 * at + 2) > words)
            return false;
        const uint8_t *data = image + 2 * at + 4;
        const size_t size = 2 * (size_t)yk_le16(image + 2 * at + 2);

        if (type == YK_EC_CATEGORY_STRINGS) {
            strings = data;
            strings_size = size;
        } else if (type == YK_EC_CATEGORY_GENERAL) {
            general = data;
            general_size = size;
        } else if (type == YK_EC_CATEGORY_SM) {
            read_sms(data, size, s);
        } else if (type == YK_EC_CATEGORY_TXPDO || type == YK_EC_CATEGORY_RXPDO) {
            read_pdos(data, size, type == YK_EC_CATEGORY_RXPDO, s);
        } else if (type == YK_EC_CATEGORY_DC && size >= 24 && !s->has_dc) {
            s->has_dc = true;
            s->assign_activate = yk_le16(data + 14);
        }
        at += 2 + size / 2;
    }
    if (general_size >= 12) {
        copy_text(strings, strings_size, general[2], s->order, sizeof s->order);
        copy_text(strings, strings_size, general[3], s->name, sizeof s->name);
        s->coe = general[5];
        s->no_lrw = general[11] & 2;
    }
    return true;
}
