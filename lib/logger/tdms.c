/* TDMS files of National Instruments: segments with a list of objects and blocks of raw data. Waveform channels say
 * their interval, others come with one of time. Raw data of DAQmx and channels with unapplied scales are refused. */
#include "binary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { META = 1 << 1, NEW_LIST = 1 << 2, RAW = 1 << 3, INTERLEAVED = 1 << 5, BIG_ENDIAN_ = 1 << 6, DAQMX = 1 << 7 };
enum { LEAD_IN = 28, NO_RAW_DATA = -1, AS_BEFORE = 0, STRING = 0x20, BOOLEAN = 0x21, STAMP = 0x44 };

struct object {
    char path[160];
    long channel;          /* of the sheet; -1: none */
    enum yk_log_kind kind; /* of its raw data; NO_NUMBER: bytes of other kinds */
    size_t size, count;    /* bytes and values in a chunk */
    bool raw;              /* has raw data in the current segment */
};

struct tdms {
    const char *name;
    struct yk_log_sheet sheet;
    struct object *object;
    size_t objects, *order, active; /* order: objects with raw data, as in the file */
};

static enum yk_status refuse(const struct tdms *t, const char *why, struct yk_err *err)
{
    return yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(t->name), "TDMS: %s", why);
}

static enum yk_log_kind kind_of(uint64_t type)
{
    static const enum yk_log_kind kinds[] = {YK_LOG_I8,  YK_LOG_I16, YK_LOG_I32, YK_LOG_I64, YK_LOG_U8,
                                             YK_LOG_U16, YK_LOG_U32, YK_LOG_U64, YK_LOG_F32, YK_LOG_F64};

    if (type >= 1 && type <= 10)
        return kinds[type - 1];
    return type == 0x19 ? YK_LOG_F32 : type == 0x1a ? YK_LOG_F64 : YK_LOG_NO_NUMBER; /* with a unit */
}

static bool take_text(struct yk_log_bytes *b, char *to, size_t size)
{
    uint64_t length;

    if (!yk_log_take(b, 4, &length) || length > (size_t)(b->end - b->p))
        return false;
    const size_t kept = length < size - 1 ? (size_t)length : size - 1;
    memcpy(to, b->p, kept);
    to[kept] = 0;
    b->p += length;
    return true;
}

/* A number as a double, a text into `text`; false: the file ends, or the type is unknown. */
static bool take_property(struct yk_log_bytes *b, double *number, char text[64])
{
    uint64_t type, ignored;

    *number = NAN;
    *text = 0;
    if (!yk_log_take(b, 4, &type))
        return false;
    if (type == STRING)
        return take_text(b, text, 64);
    if (type == STAMP && !yk_log_take(b, 8, &ignored)) /* fractions of a second; whole seconds follow */
        return false;
    if (type == STAMP)
        return yk_log_take(b, 8, &ignored);
    if (type == BOOLEAN)
        return yk_log_take(b, 1, &ignored);
    const enum yk_log_kind kind = kind_of(type);
    if (kind == YK_LOG_NO_NUMBER || (size_t)(b->end - b->p) < yk_log_kind_size(kind))
        return false;
    *number = yk_log_number_at(b->p, kind, b->big);
    b->p += yk_log_kind_size(kind);
    return true;
}

/* "/'Group'/'Channel'" -> "Group.Channel"; "" for the file and for groups. */
static void channel_name(const char *path, char name[160])
{
    const char *second = strstr(path, "'/'");
    size_t n = 0;

    *name = 0;
    if (!second)
        return;
    for (const char *p = path + 2; *p && n + 1 < 160; p++) {
        if (p == second) {
            name[n++] = '.';
            p += 2;
        } else if (!(*p == '\'' && p[1] == 0)) {
            name[n++] = (char)(*p == '.' ? '_' : *p);
        }
    }
    name[n] = 0;
}

static struct object *find_object(struct tdms *t, const char *path)
{
    char name[160];

    for (size_t i = 0; i < t->objects; i++)
        if (strcmp(t->object[i].path, path) == 0)
            return &t->object[i];
    struct object *more = t->objects < YK_LOG_CHANNELS ? realloc(t->object, (t->objects + 1) * sizeof *more) : NULL;
    size_t *order = more ? realloc(t->order, (t->objects + 1) * sizeof *order) : NULL;
    if (more)
        t->object = more;
    if (!order)
        return NULL;
    t->order = order;
    more = &t->object[t->objects];
    *more = (struct object){.channel = -1, .kind = YK_LOG_NO_NUMBER};
    strcpy(more->path, path);
    channel_name(path, name);
    if (*name) {
        if (!yk_log_sheet_add(&t->sheet, name))
            return NULL;
        more->channel = (long)t->sheet.count - 1;
    }
    t->objects++;
    return more;
}

static enum yk_status take_index(struct tdms *t, struct object *o, struct yk_log_bytes *b, struct yk_err *err)
{
    uint64_t length, type, dimension, count, bytes = 0;

    if (!yk_log_take(b, 4, &length))
        return refuse(t, "the list of objects ends early", err);
    if ((uint32_t)length == (uint32_t)NO_RAW_DATA) {
        o->raw = false;
        return YK_OK;
    }
    o->raw = true;
    if (length == AS_BEFORE)
        return YK_OK;
    if (length == 0x1269 || length == 0x1369 || length == 0x69120000 || length == 0x69130000)
        return refuse(t, "raw data of DAQmx; convert the file with scaled values", err);
    if (!yk_log_take(b, 4, &type) || !yk_log_take(b, 4, &dimension) || !yk_log_take(b, 8, &count) ||
        (type == STRING && !yk_log_take(b, 8, &bytes)))
        return refuse(t, "the list of objects ends early", err);
    o->kind = kind_of(type);
    if (o->kind == YK_LOG_NO_NUMBER && type != STRING && type != STAMP && type != BOOLEAN)
        return refuse(t, "a channel has an unknown type of data", err);
    o->size = o->kind != YK_LOG_NO_NUMBER ? yk_log_kind_size(o->kind) : type == STAMP ? 16 : type == BOOLEAN ? 1 : 0;
    if (type == STRING) { /* passed over as one value of all its bytes */
        o->size = bytes;
        count = 1;
    }
    if (count > (size_t)1 << 40 || o->size > (size_t)1 << 40)
        return refuse(t, "a channel claims more data than a file can have", err);
    o->count = count;
    return YK_OK;
}

static enum yk_status take_properties(struct tdms *t, const struct object *o, struct yk_log_bytes *b,
                                      struct yk_err *err)
{
    uint64_t count;
    char key[64], text[64];
    double number;

    if (!yk_log_take(b, 4, &count))
        return refuse(t, "the list of objects ends early", err);
    for (uint64_t i = 0; i < count; i++) {
        if (!take_text(b, key, sizeof key) || !take_property(b, &number, text))
            return refuse(t, "a property cannot be read", err);
        if (o->channel >= 0 && strcmp(key, "unit_string") == 0)
            snprintf(t->sheet.channel[o->channel].unit, YK_LOG_UNIT, "%.*s", YK_LOG_UNIT - 1, text);
        if (strcmp(key, "wf_increment") == 0 && number > 0 && isfinite(number))
            t->sheet.interval_s = number;
        if (strcmp(key, "NI_Scaling_Status") == 0 && strcmp(text, "unscaled") == 0)
            return refuse(t, "a channel has scales that were not applied; convert the file with scaled values", err);
    }
    return YK_OK;
}

static enum yk_status take_objects(struct tdms *t, struct yk_log_bytes *b, bool new_list, struct yk_err *err)
{
    uint64_t count;
    char path[160];
    enum yk_status st = YK_OK;

    if (!yk_log_take(b, 4, &count))
        return refuse(t, "the list of objects ends early", err);
    if (new_list)
        t->active = 0;
    for (uint64_t i = 0; i < count && !st; i++) {
        if (!take_text(b, path, sizeof path))
            return refuse(t, "the list of objects ends early", err);
        struct object *o = find_object(t, path);

        if (!o)
            return yk_fail(err, YK_E_MEMORY, "out of memory, or more than %d channels", YK_LOG_CHANNELS);
        if ((st = take_index(t, o, b, err)) || (st = take_properties(t, o, b, err)))
            return st;
        size_t at = 0;
        while (at < t->active && t->order[at] != (size_t)(o - t->object))
            at++;
        if (at == t->active && o->raw)
            t->order[t->active++] = (size_t)(o - t->object);
    }
    return st;
}

static bool keep(struct tdms *t, const struct object *o, const unsigned char *p, size_t stride, size_t count, bool big)
{
    struct yk_log_channel *c = o->channel >= 0 && o->kind != YK_LOG_NO_NUMBER ? &t->sheet.channel[o->channel] : NULL;

    if (!c)
        return true;
    if (!yk_log_channel_room(c, count))
        return false;
    for (size_t k = 0; k < count; k++)
        c->x[c->n++] = yk_log_number_at(p + k * stride, o->kind, big);
    return true;
}

/* As many chunks as there are; the last one may be cut off. */
static enum yk_status take_raw(struct tdms *t, const unsigned char *p, const unsigned char *end, bool interleaved,
                               bool big, struct yk_err *err)
{
    size_t chunk = 0, width = 0;
    bool good = true;

    for (size_t i = 0; i < t->active; i++) {
        const struct object *o = &t->object[t->order[i]];

        chunk += o->raw ? o->size * o->count : 0;
        width += o->raw ? o->size : 0;
    }
    for (; chunk && good && (size_t)(end - p) >= (interleaved ? width : chunk);) {
        const size_t rows = interleaved ? (size_t)(end - p) / width : 0;
        size_t at = 0;

        for (size_t i = 0; i < t->active && good; i++) {
            const struct object *o = &t->object[t->order[i]];

            if (!o->raw)
                continue;
            good = interleaved ? keep(t, o, p + at, width, rows, big) : keep(t, o, p + at, o->size, o->count, big);
            at += interleaved ? o->size : o->size * o->count;
        }
        p = interleaved ? end : p + chunk;
    }
    return good ? YK_OK : yk_fail(err, YK_E_MEMORY, "out of memory for a table");
}

static enum yk_status take_segments(struct tdms *t, const struct yk_text *text, struct yk_err *err)
{
    const unsigned char *p = (const unsigned char *)text->data, *end = p + text->size;
    enum yk_status st = YK_OK;

    while (!st && end - p >= LEAD_IN && memcmp(p, "TDSm", 4) == 0) {
        struct yk_log_bytes b = {p + 4, end, false};
        uint64_t toc, version, next, raw;

        yk_log_take(&b, 4, &toc);
        b.big = toc & BIG_ENDIAN_;
        yk_log_take(&b, 4, &version);
        yk_log_take(&b, 8, &next);
        yk_log_take(&b, 8, &raw);
        const size_t left = (size_t)(end - b.p);
        const unsigned char *const data = b.p + (raw < left ? raw : left), *const stop =
                                                                               b.p + (next < left ? next : left);

        if (toc & DAQMX)
            return refuse(t, "raw data of DAQmx; convert the file with scaled values", err);
        b.end = data;
        if (toc & META)
            st = take_objects(t, &b, toc & NEW_LIST, err);
        if (!st && toc & RAW && stop > data)
            st = take_raw(t, data, stop, toc & INTERLEAVED, b.big, err);
        p = stop;
    }
    if (!st && end - p > 0 && end - p >= 4 && memcmp(p, "TDSm", 4) != 0)
        return refuse(t, "a segment does not begin where it should", err);
    return st;
}

enum yk_status yk_log_tdms(struct yk_text *text, struct yk_err *err)
{
    struct tdms t = {.name = text->name};
    enum yk_status st = take_segments(&t, text, err);

    st = st ? st : yk_log_sheet_text(&t.sheet, text, err);
    yk_log_sheet_free(&t.sheet);
    free(t.object);
    free(t.order);
    return st;
}
