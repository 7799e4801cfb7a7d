/* Texts, numbers and JSON in the forms that may stand in a page. */
#include <yoke/page.h>

#include <jansson.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void yk_page_html(FILE *out, const char *text)
{
    for (const char *c = text ? text : ""; *c; c++) {
        const char *at = strchr("&<>\"'", *c);

        if (at)
            fprintf(out, "&#%d;", *c);
        else if ((unsigned char)*c >= ' ' || *c == '\n' || *c == '\t')
            fputc(*c, out);
    }
}

/* Bytes of the character that begins here; 0: it is broken (RFC 3629). */
static size_t character(const unsigned char *c)
{
    static const struct {
        unsigned char mask, mark;
        size_t bytes;
        uint32_t least;
    } forms[] = {{0x80, 0, 1, 0}, {0xe0, 0xc0, 2, 0x80}, {0xf0, 0xe0, 3, 0x800}, {0xf8, 0xf0, 4, 0x10000}};

    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++) {
        uint32_t code = c[0] & (unsigned char)~forms[f].mask;

        if ((c[0] & forms[f].mask) != forms[f].mark)
            continue;
        for (size_t i = 1; i < forms[f].bytes; i++) {
            if ((c[i] & 0xc0) != 0x80)
                return 0;
            code = code << 6 | (c[i] & 0x3f);
        }
        return code < forms[f].least || code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? 0 : forms[f].bytes;
    }
    return 0;
}

void yk_page_string(FILE *out, const char *text)
{
    if (!text) {
        fputs("null", out);
        return;
    }
    fputc('"', out);
    for (const unsigned char *c = (const unsigned char *)text; *c;) {
        const size_t bytes = character(c);

        if (bytes == 0)
            fputs("\\ufffd", out);
        else if (bytes == 1 && (*c < ' ' || *c == 127 || strchr("<>&\"\\", *c)))
            fprintf(out, "\\u%04x", *c);
        else
            fwrite(c, 1, bytes, out);
        c += bytes ? bytes : 1;
    }
    fputc('"', out);
}

void yk_page_member(FILE *out, const char *name, const char *text, bool first)
{
    fprintf(out, "%s\"%s\":", first ? "" : ",", name);
    yk_page_string(out, text);
}

void yk_page_json(FILE *out, const json_t *json)
{
    char *text = json ? json_dumps(json, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(9)) : NULL;

    /* outside strings, JSON has none of these characters */
    for (const char *c = text ? text : "null"; *c; c++) {
        if (strchr("<>&", *c))
            fprintf(out, "\\u%04x", *c);
        else
            fputc(*c, out);
    }
    free(text);
}

void yk_page_number(FILE *out, double x)
{
    if (isfinite(x))
        fprintf(out, "%.9g", x);
    else
        fputs("null", out);
}

void yk_page_base64(FILE *out, const void *bytes, size_t size)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=";
    enum { PADDING = 64 }; /* its place among the letters */
    const unsigned char *b = bytes;
    char line[4096];
    size_t used = 0;

    for (size_t i = 0; i < size; i += 3) {
        const size_t n = size - i < 3 ? size - i : 3;
        uint32_t word = 0;

        for (size_t k = 0; k < 3; k++) {
            word <<= 8;
            if (k < n)
                word |= b[i + k];
        }
        line[used++] = letters[word >> 18 & 63];
        line[used++] = letters[word >> 12 & 63];
        line[used++] = letters[n > 1 ? word >> 6 & 63 : PADDING];
        line[used++] = letters[n > 2 ? word & 63 : PADDING];
        if (used == sizeof line || i + 3 >= size) {
            fwrite(line, 1, used, out);
            used = 0;
        }
    }
}

/* As they lie in memory: every machine that Yoke runs on is little-endian, which the assertion makes sure of. */
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "numbers of pages are little-endian");

void yk_page_floats(FILE *out, const float *x, size_t n)
{
    fputc('"', out);
    yk_page_base64(out, x, n * sizeof *x);
    fputc('"', out);
}

void yk_page_doubles(FILE *out, const double *x, size_t n)
{
    fputc('"', out);
    yk_page_base64(out, x, n * sizeof *x);
    fputc('"', out);
}
