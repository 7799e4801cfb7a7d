/* Records of ground motions: recognises the format by content, and checks what all formats have in common: the number
 * of values against the one declared, the step, the largest value against the header's. docs/ground-motions.md. */
#include "parts.h"

#include <yoke/number.h>
#include <yoke/series.h>

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- lines and fields ---- */

static enum yk_status split(struct lines *lines, const struct yk_text *text, struct yk_err *err)
{
    const char *p = text->data, *end = p + text->size;
    size_t room = 0;

    for (const char *q = p; q < end; q++)
        room += *q == '\n';
    *lines = (struct lines){.name = text->name, .line = malloc((room + 1) * sizeof *lines->line)};
    if (!lines->line)
        return yk_fail(err, YK_E_MEMORY, "out of memory for the lines of %s", text->name);
    while (p < end) {
        const char *stop = memchr(p, '\n', (size_t)(end - p)), *next = stop ? stop + 1 : end;

        stop = stop ? stop : end;
        while (stop > p && stop[-1] == '\r')
            stop--;
        lines->line[lines->count++] = (struct yk_piece){p, stop};
        p = next;
    }
    return YK_OK;
}

struct yk_piece motion_line(const struct lines *lines, size_t i)
{
    return i < lines->count ? lines->line[i] : (struct yk_piece){"", ""};
}

struct yk_where motion_place(const struct lines *lines, size_t i)
{
    return (struct yk_where){lines->name, (int)i + 1, 0};
}

const char *motion_behind(struct yk_piece line, const char *word)
{
    const size_t length = strlen(word);

    for (const char *p = line.begin; (size_t)(line.end - p) >= length; p++)
        if (yk_piece_starts((struct yk_piece){p, line.end}, word))
            return p + length;
    return NULL;
}

const char *motion_number(const char *p, const char *end, double *value)
{
    for (; p < end; p++) {
        const char *stop = yk_number_scan(p, end, value);

        if (stop)
            return stop;
    }
    return NULL;
}

bool motion_field(struct yk_piece line, size_t k, size_t width, double *value)
{
    const size_t length = (size_t)(line.end - line.begin);

    if (k * width >= length)
        return false;
    const size_t stop = (k + 1) * width;
    const struct yk_piece field =
        yk_piece_trim((struct yk_piece){line.begin + k * width, stop < length ? line.begin + stop : line.end});
    return field.end > field.begin && yk_number_scan(field.begin, field.end, value) == field.end && isfinite(*value);
}

enum yk_status motion_need(const struct lines *lines, size_t count, const char *what, struct yk_err *err)
{
    if (lines->count >= count)
        return YK_OK;
    return yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(lines->name),
                      "%s needs %zu lines, the file has %zu: it is cut; get the whole record", what, count,
                      lines->count);
}

enum yk_status motion_header(const struct lines *lines, size_t from, size_t per_line, size_t width, double *value,
                             size_t count, const char *what, struct yk_err *err)
{
    enum yk_status st = motion_need(lines, from + (count + per_line - 1) / per_line, what, err);

    for (size_t i = 0; i < count && !st; i++)
        if (!motion_field(lines->line[from + i / per_line], i % per_line, width, &value[i]))
            st = yk_fail_at(
                err, YK_E_INPUT,
                (struct yk_where){lines->name, (int)(from + i / per_line) + 1, (int)(i % per_line * width) + 1},
                "%s: no number in columns %zu to %zu", what, i % per_line * width + 1, (i % per_line + 1) * width);
    return st;
}

enum yk_status motion_add(struct found *found, double value, struct yk_err *err)
{
    struct yk_motion *m = found->motion;

    if (m->n == found->room) {
        const size_t room = found->room ? 2 * found->room : 4096;
        double *a = realloc(m->a, room * sizeof *a);

        if (!a)
            return yk_fail(err, YK_E_MEMORY, "out of memory for %zu values", room);
        m->a = a;
        found->room = room;
    }
    m->a[m->n++] = value;
    return YK_OK;
}

static enum yk_status refuse_field(const struct found *found, size_t i, size_t k, size_t width, struct yk_err *err)
{
    const struct yk_piece line = found->lines->line[i];
    const char *begin = line.begin + k * width, *end = begin + width < line.end ? begin + width : line.end;

    return yk_fail_at(err, YK_E_INPUT, (struct yk_where){found->lines->name, (int)i + 1, (int)(k * width) + 1},
                      "'%s' is no number of the record", yk_quote(yk_piece_trim((struct yk_piece){begin, end})).text);
}

enum yk_status motion_fixed(struct found *found, size_t from, size_t per_line, size_t width,
                            bool (*stops)(struct yk_piece line), size_t *next, struct yk_err *err)
{
    const struct lines *lines = found->lines;
    size_t i = from;
    enum yk_status st = YK_OK;

    for (; i < lines->count && !st; i++) {
        const struct yk_piece line = lines->line[i];
        const size_t length = (size_t)(line.end - line.begin);

        if (stops(line))
            break;
        for (size_t k = 0; k < per_line && k * width < length && !st; k++) {
            const size_t stop = (k + 1) * width;
            const struct yk_piece field =
                yk_piece_trim((struct yk_piece){line.begin + k * width, stop < length ? line.begin + stop : line.end});
            double value;

            if (field.end == field.begin)
                continue;
            st = motion_field(line, k, width, &value) ? motion_add(found, value, err)
                                                      : refuse_field(found, i, k, width, err);
        }
    }
    *next = i;
    return st;
}

/* ---- units, notes, refusals ---- */

static const struct {
    const char *text;
    double factor;
} units[] = {
    {"cm/sec2", 0.01}, {"cm/sec/sec", 0.01}, {"cm/sec^2", 0.01}, {"cm/sec**2", 0.01}, {"cm/s2", 0.01},
    {"cm/s/s", 0.01},  {"cm/s^2", 0.01},     {"cm/s**2", 0.01},  {"gals", 0.01},      {"gal", 0.01},
    {"m/s2", 1},       {"m/s^2", 1},         {"m/s**2", 1},      {"m/s/s", 1},        {"m/sec2", 1},
    {"m/sec/sec", 1},  {"mg", 0.00980665},   {"g/10", 0.980665}, {"g", 9.80665},
};

bool motion_unit(const char *begin, const char *end, double *factor)
{
    struct yk_piece word = yk_piece_trim((struct yk_piece){begin, end});

    while (word.end > word.begin && (word.end[-1] == '.' || word.end[-1] == ','))
        word.end--;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (yk_piece_is(word, units[i].text)) {
            *factor = units[i].factor;
            return true;
        }
    return false;
}

void motion_note(struct yk_motion *motion, const char *format, ...)
{
    const size_t old = motion->notes ? strlen(motion->notes) : 0;
    va_list list;
    char *line;

    va_start(list, format);
    const int length = vasprintf(&line, format, list);
    va_end(list);
    if (length < 0)
        return;
    char *notes = realloc(motion->notes, old + (size_t)length + 2);
    if (notes) {
        motion->notes = notes;
        snprintf(notes + old, (size_t)length + 2, "%s\n", line);
    }
    free(line);
}

enum yk_status motion_refuse(const struct found *found, size_t line, const char *kind, struct yk_err *err)
{
    return yk_fail_at(err, YK_E_UNSUPPORTED, motion_place(found->lines, line),
                      "the file has a %s; a record of acceleration is needed", kind);
}

/* ---- checks of every format ---- */

static enum yk_status check_count(struct found *found, struct yk_err *err)
{
    struct yk_motion *m = found->motion;

    if (!(found->declared >= 1 && found->declared <= 1e9 && found->declared == floor(found->declared)))
        return yk_fail_at(err, YK_E_RANGE, motion_place(found->lines, found->declared_at),
                          "%g is not a number of values (1 to 1e9)", found->declared);
    if ((double)m->n < found->declared)
        return yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(found->lines->name),
                          "line %zu says %.0f values, the file has %zu: it is cut; get the whole record",
                          found->declared_at + 1, found->declared, m->n);
    if ((double)m->n > found->declared) {
        motion_note(m, "line %zu says %.0f values, the file has %zu: the rest is ignored", found->declared_at + 1,
                    found->declared, m->n);
        m->n = (size_t)found->declared;
    }
    return YK_OK;
}

static double largest(const struct yk_motion *m)
{
    double peak = 0;

    for (size_t i = 0; i < m->n; i++)
        peak = fmax(peak, fabs(m->a[i]));
    return peak;
}

static enum yk_status finish(struct found *found, struct yk_err *err)
{
    struct yk_motion *m = found->motion;
    double mean = 0;

    if (!(m->step_s > 0 && m->step_s <= 1e6))
        return yk_fail_at(err, YK_E_RANGE, YK_IN_FILE(found->lines->name),
                          "the time step of the record, %g s, is not between 0 and 1e6 s", m->step_s);
    for (size_t i = 0; i < m->n; i++) {
        m->a[i] *= found->unit;
        if (!isfinite(m->a[i]))
            return yk_fail_at(err, YK_E_RANGE, YK_IN_FILE(found->lines->name), "value %zu is too large", i + 1);
        mean += (m->a[i] - mean) / (double)(i + 1);
    }
    for (size_t i = 0; found->remove_mean && i < m->n; i++)
        m->a[i] -= mean;
    if (found->remove_mean) {
        m->offset = mean;
        motion_note(m, "the mean of %.6g m/s2 is removed", mean);
    }
    m->peak = found->unit * fabs(found->peak);
    const double peak = largest(m);
    if (isfinite(m->peak) && m->peak > 0 && !(fabs(peak - m->peak) <= 0.02 * m->peak))
        motion_note(m, "the largest value is %.5g m/s2, the header says %.5g m/s2: check the unit", peak, m->peak);
    if (m->n && m->a[0] != 0 && fabs(m->a[0]) > 1e-3 * peak)
        motion_note(m, "the first value is %.4g m/s2, not 0: the motion begins with a jump", m->a[0]);
    return YK_OK;
}

/* ---- tables and AT2, which the library reads ---- */

static enum yk_status own_unit(struct found *found, double *unit, struct yk_err *err)
{
    const char *text = found->ask->unit;

    if (!text || motion_unit(text, text + strlen(text), unit))
        return YK_OK;
    return yk_fail(err, YK_E_UNIT, "unit %s is unknown; known are g, m/s2, cm/s2, gal, mg", text);
}

static enum yk_status even_steps(struct found *found, const struct yk_series *s, struct yk_err *err)
{
    struct yk_motion *m = found->motion;

    if (s->n < 2)
        return yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(found->lines->name), "a record needs two values or more");
    m->step_s = (s->t[s->n - 1] - s->t[0]) / (double)(s->n - 1);
    for (size_t i = 1; i < s->n; i++)
        if (!(fabs(s->t[i] - s->t[i - 1] - m->step_s) <= 1e-3 * m->step_s))
            return yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(found->lines->name),
                              "the times are not equally spaced: value %zu comes after %g s, the mean step is %g s",
                              i + 1, s->t[i] - s->t[i - 1], m->step_s);
    if (fabs(s->t[0]) > 1e-3 * m->step_s)
        motion_note(m, "the first time is %g s; the record begins there", s->t[0]);
    return YK_OK;
}

/* Takes over the values of a series, which has them in the unit of the file unless that was named. */
static enum yk_status take_series(struct found *found, struct yk_series *s, bool named, double custom,
                                  struct yk_err *err)
{
    struct yk_motion *m = found->motion;
    enum yk_status st = even_steps(found, s, err);

    found->unit = named ? 1 : custom;
    if (!st && !named)
        st = own_unit(found, &found->unit, err);
    if (!st && named && found->ask->unit)
        motion_note(m, "the file contains the unit of its values; unit %s is not used", found->ask->unit);
    m->a = s->y;
    m->n = found->room = s->n;
    s->y = NULL;
    yk_series_free(s);
    return st ? st : finish(found, err);
}

static enum yk_status read_at2(struct found *found, const struct yk_text *text, struct yk_err *err)
{
    struct yk_series s = {0};
    size_t beyond = 0;
    bool named = false;

    if (yk_read_at2(text, &s, &named, &beyond, err))
        return err ? err->status : YK_E_INPUT;
    if (beyond)
        motion_note(found->motion, "NPTS declares %zu values, the file has %zu: the rest is ignored", s.n,
                    s.n + beyond);
    if (!named && !found->ask->unit)
        motion_note(found->motion, "the file names no unit; g is assumed, as in AT2 files of PEER");
    return take_series(found, &s, named, STANDARD_GRAVITY, err);
}

/* A header such as "time_s,accel_m_s2" says the unit without brackets. */
static bool says_si(const struct lines *lines)
{
    for (size_t i = 0; i < lines->count && i < 20; i++)
        if (motion_behind(lines->line[i], "m/s2") || motion_behind(lines->line[i], "m_s2"))
            return true;
    return false;
}

static enum yk_status read_table(struct found *found, const struct yk_text *text, struct yk_err *err)
{
    struct yk_series s = {0};
    bool named = false;
    enum yk_status st = yk_read_series_csv(text, found->ask->step_s, YK_ACCELERATION, &s, &named, err);

    if (st)
        return st;
    if (!named && !found->ask->unit && !says_si(found->lines))
        motion_note(found->motion, "the file names no unit; m/s2 is assumed");
    return take_series(found, &s, named, 1, err);
}

/* ---- which format ---- */

struct format {
    const char *name;
    bool (*is)(const struct lines *lines);
    read_format read;
};

static bool is_cosmos(const struct lines *lines)
{
    return motion_behind(motion_line(lines, 0), "(Format v") != NULL;
}

static bool is_csmip(const struct lines *lines)
{
    return yk_piece_starts(yk_piece_trim(motion_line(lines, 0)), "Uncorrected Accelerogram") ||
           yk_piece_starts(yk_piece_trim(motion_line(lines, 0)), "Corrected Accelerogram");
}

static bool is_smc(const struct lines *lines)
{
    const struct yk_piece line = yk_piece_trim(motion_line(lines, 0));

    return line.end - line.begin > 3 && isdigit((unsigned char)line.begin[0]) && line.begin[1] == ' ' &&
           (motion_behind(line, "ACCELEROGRAM") || motion_behind(line, "VELOCITY") ||
            motion_behind(line, "DISPLACEMENT") || motion_behind(line, "SPECTRA"));
}

static bool is_knet(const struct lines *lines)
{
    return yk_piece_starts(motion_line(lines, 0), "Origin Time");
}

static bool is_esm(const struct lines *lines)
{
    return yk_piece_starts(motion_line(lines, 0), "EVENT_NAME:");
}

static const struct format formats[] = {
    {"COSMOS", is_cosmos, motion_cosmos}, {"CSMIP", is_csmip, motion_csmip}, {"SMC", is_smc, motion_smc},
    {"K-NET", is_knet, motion_knet},      {"ESM", is_esm, motion_esm},
};

static enum yk_status parse(struct found *found, const struct yk_text *text, struct yk_err *err)
{
    enum yk_status st;

    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++)
        if (formats[i].is(found->lines)) {
            snprintf(found->motion->format, sizeof found->motion->format, "%s", formats[i].name);
            if (!(st = formats[i].read(found, err)) && !(st = check_count(found, err)))
                st = finish(found, err);
            return st;
        }
    const bool at2 = yk_looks_like_at2(text);
    snprintf(found->motion->format, sizeof found->motion->format, "%s", at2 ? "AT2" : "table");
    return at2 ? read_at2(found, text, err) : read_table(found, text, err);
}

static void take_title(struct yk_motion *motion, const struct lines *lines)
{
    const struct yk_piece line = yk_piece_trim(motion_line(lines, 0));
    size_t n = 0;

    for (const char *p = line.begin; p < line.end && n + 1 < sizeof motion->title; p++)
        if ((unsigned char)*p >= ' ' && (unsigned char)*p < 0x7f)
            motion->title[n++] = *p;
    motion->title[n] = '\0';
}

static enum yk_status parse_text(struct yk_motion *motion, const struct yk_text *text, const struct yk_motion_ask *ask,
                                 struct yk_err *err)
{
    static const struct yk_motion_ask nothing;
    struct lines lines;
    struct yk_err own = {0};

    *motion = (struct yk_motion){.peak = NAN, .channels = 1, .notes = calloc(1, 1)};
    if (!motion->notes)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    enum yk_status st = split(&lines, text, err);
    struct found found = {.lines = &lines, .motion = motion, .ask = ask ? ask : &nothing, .unit = 1, .peak = NAN};
    if (!st) {
        st = parse(&found, text, err ? err : &own);
        if (!st && strcmp(motion->format, "table") != 0)
            take_title(motion, &lines);
        if (!st && found.ask->channel > (int)motion->channels)
            st = yk_fail_at(err, YK_E_RANGE, YK_IN_FILE(text->name), "channel %d is asked for, the file has %zu",
                            found.ask->channel, motion->channels);
    }
    free(lines.line);
    if (st)
        yk_motion_free(motion);
    return st;
}

enum yk_status yk_motion_parse(struct yk_motion *motion, const char *name, const char *text, size_t size,
                               const struct yk_motion_ask *ask, struct yk_err *err)
{
    char *copy = malloc(size + 1);

    *motion = (struct yk_motion){0};
    if (!copy)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    memcpy(copy, text, size);
    copy[size] = '\0';
    const struct yk_text whole = {.name = name, .data = copy, .size = size};
    const enum yk_status st = parse_text(motion, &whole, ask, err);
    free(copy);
    return st;
}

static bool is_mat(const char *path)
{
    const size_t length = strlen(path);

    return length > 4 && strcmp(path + length - 4, ".mat") == 0;
}

/* MATLAB files: two columns, or one with a step. */
static enum yk_status read_mat(struct yk_motion *motion, const char *path, const struct yk_motion_ask *ask,
                               struct yk_err *err)
{
    static const struct yk_motion_ask nothing;
    struct lines lines = {.name = path};
    struct found found = {.lines = &lines, .motion = motion, .ask = ask ? ask : &nothing, .peak = NAN};
    struct yk_series s = {0};

    *motion = (struct yk_motion){.format = "MATLAB", .peak = NAN, .channels = 1, .notes = calloc(1, 1)};
    if (!motion->notes)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    enum yk_status st = yk_read_series_mat(path, found.ask->step_s, &s, err);
    if (!st) {
        if (!found.ask->unit)
            motion_note(motion, "the file names no unit; m/s2 is assumed");
        st = take_series(&found, &s, false, 1, err);
    }
    if (st)
        yk_motion_free(motion);
    return st;
}

enum yk_status yk_motion_read(struct yk_motion *motion, const char *path, const struct yk_motion_ask *ask,
                              struct yk_err *err)
{
    struct yk_text text;
    enum yk_status st;

    *motion = (struct yk_motion){0};
    if (is_mat(path))
        return read_mat(motion, path, ask, err);
    if ((st = yk_text_load(&text, path, err)))
        return st;
    st = parse_text(motion, &text, ask, err);
    yk_text_free(&text);
    return st;
}

void yk_motion_free(struct yk_motion *motion)
{
    free(motion->a);
    free(motion->notes);
    *motion = (struct yk_motion){0};
}
