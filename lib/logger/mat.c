/* MATLAB files of version 5 to 7: vectors of numbers, also in structs and, of matrices, each column. A scalar called
 * dt, Ts, fs or the like says the rate. Objects, cells of objects, sparse and complex arrays are passed over. */
#include "binary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <zlib.h>

enum { HEADER = 128, MATRIX = 14, COMPRESSED = 15, DEEPEST = 16, COLUMNS_MOST = 64, COMPLEX = 0x0800 };
enum { CELL = 1, STRUCT = 2, DOUBLE = 6, UINT64 = 15 };
#define UNPACKED_MOST ((size_t)1 << 31)

struct mat {
    const char *name;
    struct yk_log_sheet sheet;
};

static enum yk_status refuse(const struct mat *m, const char *why, struct yk_err *err)
{
    return yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(m->name), "MATLAB file: %s", why);
}

/* Type and bytes of the next element; small ones carry their bytes in the tag. */
static bool take_element(struct yk_log_bytes *b, unsigned *type, struct yk_log_bytes *body)
{
    uint64_t tag, size;

    if (!yk_log_take(b, 4, &tag))
        return false;
    *body = *b;
    if (tag >> 16) {
        *type = (unsigned)(tag & 0xffff);
        if (tag >> 16 > 4 || b->end - b->p < 4)
            return false;
        body->end = b->p + (tag >> 16);
        b->p += 4;
        return true;
    }
    *type = (unsigned)tag;
    if (!yk_log_take(b, 4, &size) || size > (size_t)(b->end - b->p))
        return false;
    body->p = b->p;
    body->end = b->p + size;
    const size_t padded = *type == COMPRESSED ? (size_t)size : ((size_t)size + 7) / 8 * 8;
    b->p += padded < (size_t)(b->end - b->p) ? padded : (size_t)(b->end - b->p);
    return true;
}

static enum yk_log_kind kind_of(unsigned type)
{
    static const enum yk_log_kind kinds[] = {
        [0] = YK_LOG_NO_NUMBER,  [1] = YK_LOG_I8,         [2] = YK_LOG_U8,   [3] = YK_LOG_I16,       [4] = YK_LOG_U16,
        [5] = YK_LOG_I32,        [6] = YK_LOG_U32,        [7] = YK_LOG_F32,  [8] = YK_LOG_NO_NUMBER, [9] = YK_LOG_F64,
        [10] = YK_LOG_NO_NUMBER, [11] = YK_LOG_NO_NUMBER, [12] = YK_LOG_I64, [13] = YK_LOG_U64};

    return type < sizeof kinds / sizeof *kinds ? kinds[type] : YK_LOG_NO_NUMBER;
}

/* A rate or an interval: "dt", "Ts", "fs". */
static void take_scalar(struct mat *m, const char *path, double value)
{
    static const char *const steps[] = {"dt", "Ts", "step", "interval", "sampling_interval"}, *const rates[] = {
                                                                                                  "fs", "rate",
                                                                                                  "sampling_rate",
                                                                                                  "sample_rate",
                                                                                                  "sampling_frequency"};
    const char *dot = strrchr(path, '.'), *name = dot ? dot + 1 : path;

    if (!(value > 0) || !isfinite(value))
        return;
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        if (strcasecmp(name, steps[i]) == 0)
            m->sheet.interval_s = value;
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        if (strcasecmp(name, rates[i]) == 0)
            m->sheet.interval_s = 1 / value;
}

static enum yk_status take_numbers(struct mat *m, const char *path, size_t rows, size_t columns, struct yk_log_bytes *b,
                                   struct yk_err *err)
{
    struct yk_log_bytes body;
    unsigned type;

    if (!take_element(b, &type, &body))
        return refuse(m, "an array ends early", err);
    const enum yk_log_kind kind = kind_of(type);
    const size_t size = kind == YK_LOG_NO_NUMBER ? 0 : yk_log_kind_size(kind);
    if (rows == 1)
        rows = columns, columns = 1;
    if (!size || columns > COLUMNS_MOST || rows == 0 || (size_t)(body.end - body.p) / size / columns < rows)
        return YK_OK;
    if (rows == 1 && columns == 1) {
        take_scalar(m, path, yk_log_number_at(body.p, kind, b->big));
        return YK_OK;
    }
    for (size_t c = 0; c < columns; c++) {
        char name[160];

        if (columns > 1)
            snprintf(name, sizeof name, "%.140s_%zu", path, c + 1);
        struct yk_log_channel *to = yk_log_sheet_add(&m->sheet, columns > 1 ? name : path);
        if (!to || !yk_log_channel_room(to, rows))
            return yk_fail(err, YK_E_MEMORY, "out of memory for an array");
        for (; to->n < rows; to->n++)
            to->x[to->n] = yk_log_number_at(body.p + (c * rows + to->n) * size, kind, b->big);
    }
    return YK_OK;
}

static enum yk_status take_matrix(struct mat *m, const char *above, struct yk_log_bytes b, int depth,
                                  struct yk_err *err);

/* Fields of a struct; of an array of structs, each element. */
static enum yk_status take_struct(struct mat *m, const char *path, size_t elements, struct yk_log_bytes *b, int depth,
                                  struct yk_err *err)
{
    struct yk_log_bytes body, names;
    unsigned type;
    uint64_t length;
    enum yk_status st = YK_OK;

    if (!take_element(b, &type, &body) || !yk_log_take(&body, 4, &length) || length == 0 || length > 256 ||
        !take_element(b, &type, &names))
        return refuse(m, "a struct has no names", err);
    const size_t fields = (size_t)(names.end - names.p) / length;
    for (size_t e = 0; e < elements && !st; e++)
        for (size_t f = 0; f < fields && !st; f++) {
            char name[160];
            const int shown = (int)strnlen((const char *)names.p + f * length, length);

            if (elements > 1)
                snprintf(name, sizeof name, "%.100s(%zu).%.*s", path, e + 1, shown, (const char *)names.p + f * length);
            else
                snprintf(name, sizeof name, "%.100s.%.*s", path, shown, (const char *)names.p + f * length);
            if (!take_element(b, &type, &body))
                return refuse(m, "a struct ends early", err);
            st = type == MATRIX ? take_matrix(m, name, body, depth + 1, err) : YK_OK;
        }
    return st;
}

/* above: the name of a field; NULL: the array has one of its own. */
static enum yk_status take_matrix(struct mat *m, const char *above, struct yk_log_bytes b, int depth,
                                  struct yk_err *err)
{
    struct yk_log_bytes flags, dims, name;
    unsigned type;
    uint64_t word, rows, columns, more;
    char path[160];

    if (b.p == b.end)
        return YK_OK; /* an empty field */
    if (depth > DEEPEST)
        return refuse(m, "structs are nested too deeply", err);
    if (!take_element(&b, &type, &flags) || !yk_log_take(&flags, 4, &word))
        return refuse(m, "an array has no flags", err);
    const unsigned class = (unsigned)(word & 0xff);
    if (class != CELL && class != STRUCT && !(class >= DOUBLE && class <= UINT64))
        return YK_OK; /* text, objects, functions */
    if (!take_element(&b, &type, &dims) || !yk_log_take(&dims, 4, &rows) || !yk_log_take(&dims, 4, &columns) ||
        !take_element(&b, &type, &name))
        return refuse(m, "an array has no size", err);
    while (yk_log_take(&dims, 4, &more))
        columns = columns <= UINT32_MAX ? columns * more : columns;
    snprintf(path, sizeof path, "%.*s", above ? 159 : (int)(name.end - name.p < 159 ? name.end - name.p : 159),
             above ? above : (const char *)name.p);
    if (word & COMPLEX || class == CELL || rows > UINT32_MAX || columns > UINT32_MAX)
        return YK_OK;
    return class == STRUCT ? take_struct(m, path, rows * columns, &b, depth, err)
                           : take_numbers(m, path, rows, columns, &b, err);
}

static enum yk_status inflated(struct mat *m, struct yk_log_bytes packed, unsigned char **data, size_t *size,
                               struct yk_err *err)
{
    z_stream z = {.next_in = (unsigned char *)packed.p, .avail_in = (unsigned)(packed.end - packed.p)};
    size_t room = 8 * (size_t)(packed.end - packed.p) + 1024;
    int code;

    *data = NULL;
    *size = 0;
    if (inflateInit(&z) != Z_OK)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    do {
        unsigned char *larger = room <= UNPACKED_MOST ? realloc(*data, room) : NULL;

        if (!larger) {
            inflateEnd(&z);
            return yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(m->name), "MATLAB file: an array is larger than 2 GB");
        }
        *data = larger;
        z.next_out = larger + *size;
        z.avail_out = (unsigned)(room - *size);
        code = inflate(&z, Z_NO_FLUSH);
        *size = room - z.avail_out;
        room *= 2;
    } while (code == Z_OK && z.avail_out == 0);
    inflateEnd(&z);
    return code == Z_STREAM_END ? YK_OK : refuse(m, "a compressed array is damaged", err);
}

static enum yk_status take_all(struct mat *m, struct yk_log_bytes b, bool packed, struct yk_err *err)
{
    enum yk_status st = YK_OK;

    while (!st && b.end - b.p >= 8) {
        struct yk_log_bytes body;
        unsigned char *data = NULL;
        unsigned type;
        size_t size;

        if (!take_element(&b, &type, &body))
            return refuse(m, "an array ends early", err);
        if (type == MATRIX) {
            st = take_matrix(m, NULL, body, 0, err);
        } else if (type == COMPRESSED && !packed) {
            if (!(st = inflated(m, body, &data, &size, err)))
                st = take_all(m, (struct yk_log_bytes){data, data + size, b.big}, true, err);
            free(data);
        }
    }
    return st;
}

enum yk_status yk_log_mat(struct yk_text *text, struct yk_err *err)
{
    const unsigned char *p = (const unsigned char *)text->data;
    struct mat m = {.name = text->name};
    const struct yk_log_bytes b = {p + HEADER, p + text->size, p[126] == 'M'};
    enum yk_status st = take_all(&m, b, false, err);

    st = st ? st : yk_log_sheet_text(&m.sheet, text, err);
    yk_log_sheet_free(&m.sheet);
    return st;
}
