/* Compressed text: gzip (RFC 1952), told by its first two bytes. */
#include "scan.h"

#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

bool yk_text_is_packed(const struct yk_text *text)
{
    return text->size >= 2 && (unsigned char)text->data[0] == 0x1f && (unsigned char)text->data[1] == 0x8b;
}

static enum yk_status inflate_all(z_stream *z, struct yk_text *out, size_t most, struct yk_err *err)
{
    size_t room = 0;
    int said = Z_OK;

    for (;;) {
        if (out->size + 1 >= room) {
            const size_t larger = room ? 2 * room : 1 << 16;
            char *data = realloc(out->data, larger);

            if (!data)
                return yk_fail_at(err, YK_E_MEMORY, YK_IN_FILE(out->name), "out of memory: %zu bytes", larger);
            out->data = data;
            room = larger;
        }
        const size_t left = room - out->size - 1;

        z->next_out = (Bytef *)out->data + out->size;
        z->avail_out = left < UINT_MAX ? (uInt)left : UINT_MAX;
        const uInt offered = z->avail_out;

        said = inflate(z, Z_NO_FLUSH);
        out->data[out->size += offered - z->avail_out] = 0;
        if (said == Z_STREAM_END && z->avail_in > 0) /* files that were put one after the other */
            said = inflateReset(z);
        else if (said == Z_STREAM_END)
            return YK_OK;
        if (out->size > most)
            return yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(out->name),
                              "larger than %zu GiB unpacked, the most that is read", most >> 30);
        if (said == Z_BUF_ERROR || (said == Z_OK && z->avail_in == 0 && z->avail_out > 0))
            return yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(out->name),
                              "the gzip file ends early, after %zu bytes of text: was it copied completely?",
                              out->size);
        if (said != Z_OK)
            return yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(out->name), "damaged gzip file: %s",
                              z->msg ? z->msg : "no such data");
    }
}

enum yk_status yk_text_unpack(struct yk_text *text, struct yk_err *err)
{
    struct yk_text out = {.name = text->name};
    z_stream z = {.next_in = (Bytef *)text->data};
    enum yk_status st;

    if (!yk_text_is_packed(text))
        return YK_OK;
    if (text->size > UINT_MAX)
        return yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(text->name), "too large for a gzip file");
    z.avail_in = (uInt)text->size;
    if (inflateInit2(&z, 15 + 16) != Z_OK)
        return yk_fail_at(err, YK_E_MEMORY, YK_IN_FILE(text->name), "out of memory");
    st = inflate_all(&z, &out, yk_text_limits().bytes, err);
    inflateEnd(&z);
    if (st) {
        yk_text_free(&out);
        return st;
    }
    yk_text_free(text);
    *text = out;
    return YK_OK;
}
