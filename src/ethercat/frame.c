/* Encodes and decodes frames of EtherCAT. */
#include <yoke/ethercat.h>

#include <string.h>

enum { MORE = 0x8000, LENGTH_MASK = 0x07FF, DATAGRAMS_TYPE = 1 };

YK_RT void yk_ec_frame_begin(struct yk_ec_frame *f, const uint8_t *source)
{
    memset(f->bytes, 0xFF, 6);
    memcpy(f->bytes + 6, source, 6);
    f->bytes[12] = YK_EC_ETHERTYPE >> 8;
    f->bytes[13] = YK_EC_ETHERTYPE & 0xFF;
    f->used = YK_EC_HEAD;
    f->size = f->count = f->last = 0;
}

YK_RT uint8_t *yk_ec_frame_add(struct yk_ec_frame *f, enum yk_ec_command command, uint8_t index, uint32_t address,
                               size_t length)
{
    uint8_t *at = f->bytes + f->used;

    if (f->count == YK_EC_DATAGRAMS || f->used + YK_EC_OVERHEAD + length > sizeof f->bytes)
        return NULL;
    if (f->count)
        yk_le_put(f->bytes + f->last + 6, yk_le16(f->bytes + f->last + 6) | MORE, 2);
    at[0] = (uint8_t)command;
    at[1] = index;
    yk_le_put(at + 2, address, 4);
    yk_le_put(at + 6, length, 2);
    memset(at + 8, 0, length + 4); /* event, data, working counter */
    f->last = f->used;
    f->used += YK_EC_OVERHEAD + length;
    f->count++;
    return at + YK_EC_DATAGRAM_HEAD;
}

YK_RT void yk_ec_frame_end(struct yk_ec_frame *f)
{
    yk_le_put(f->bytes + 14, (f->used - YK_EC_HEAD) | DATAGRAMS_TYPE << 12, 2);
    f->size = f->used;
    if (f->size < YK_EC_FRAME_LEAST) {
        memset(f->bytes + f->size, 0, YK_EC_FRAME_LEAST - f->size);
        f->size = YK_EC_FRAME_LEAST;
    }
}

YK_RT enum yk_ec_verdict yk_ec_frame_read(uint8_t *bytes, size_t size, struct yk_ec_datagram *found, size_t *count)
{
    *count = 0;
    if (size < YK_EC_HEAD || bytes[12] != YK_EC_ETHERTYPE >> 8 || bytes[13] != (YK_EC_ETHERTYPE & 0xFF))
        return YK_EC_FOREIGN;
    const unsigned head = yk_le16(bytes + 14);
    size_t at = YK_EC_HEAD;
    const size_t end = at + (head & LENGTH_MASK);

    if (head >> 12 != DATAGRAMS_TYPE)
        return YK_EC_FOREIGN;
    if (end > size)
        return YK_EC_DAMAGED;
    for (bool more = true; more;) {
        if (*count == YK_EC_DATAGRAMS || at + YK_EC_OVERHEAD > end || bytes[at] >= YK_EC_COMMAND_COUNT)
            return YK_EC_DAMAGED;
        const unsigned lengths = yk_le16(bytes + at + 6);

        found[*count] = (struct yk_ec_datagram){bytes + at, lengths & LENGTH_MASK};
        at += YK_EC_OVERHEAD + found[*count].length;
        ++*count;
        more = lengths & MORE;
    }
    return at == end ? YK_EC_GOOD : YK_EC_DAMAGED;
}

YK_RT bool yk_ec_frame_answers(const struct yk_ec_frame *sent, const uint8_t *bytes, const struct yk_ec_datagram *found,
                               size_t count)
{
    const uint8_t *at = sent->bytes + YK_EC_HEAD;

    if (count != sent->count || !(bytes[6] & YK_EC_MAC_MARK))
        return false;
    for (size_t i = 0; i < count; i++) {
        const size_t length = yk_le16(at + 6) & LENGTH_MASK;

        /* slaves change the position in bytes 2 and 3 and the flag of circulation, nothing else of the head */
        if (found[i].length != length || memcmp(found[i].at, at, 2) != 0 || memcmp(found[i].at + 4, at + 4, 2) != 0)
            return false;
        at += YK_EC_OVERHEAD + length;
    }
    return true;
}
