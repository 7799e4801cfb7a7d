/* Lines, tokens and growing lists for the readers. */
#include "scan.h"

#include <yoke/number.h>

#include <stdlib.h>
#include <string.h>
#include <strings.h>

bool yk_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}

struct yk_piece yk_piece_trim(struct yk_piece span)
{
    while (span.begin < span.end && yk_is_blank(*span.begin))
        span.begin++;
    while (span.begin < span.end && yk_is_blank(span.end[-1]))
        span.end--;
    return span;
}

bool yk_piece_is(struct yk_piece span, const char *word)
{
    return (size_t)(span.end - span.begin) == strlen(word) && yk_piece_starts(span, word);
}

bool yk_piece_starts(struct yk_piece span, const char *word)
{
    size_t length = strlen(word);

    return (size_t)(span.end - span.begin) >= length && strncasecmp(span.begin, word, length) == 0;
}

void yk_lines_begin(struct yk_lines *lines, const struct yk_text *text)
{
    *lines = (struct yk_lines){.name = text->name, .p = text->data, .end = text->data + text->size};
    if (text->size >= 3 && memcmp(text->data, "\xEF\xBB\xBF", 3) == 0)
        lines->p += 3;
}

bool yk_lines_next(struct yk_lines *lines, struct yk_piece *line)
{
    const char *p = lines->p, *end = lines->end;

    if (p >= end)
        return false;
    line->begin = p;
    while (p < end && *p != '\n' && *p != '\r')
        p++;
    line->end = p;
    if (end - p >= 3 && memcmp(p, "\r\r\n", 3) == 0)
        p += 3;
    else if (end - p >= 2 && memcmp(p, "\r\n", 2) == 0)
        p += 2;
    else if (p < end)
        p++;
    lines->p = p;
    lines->line++;
    *line = yk_piece_trim(*line);
    return true;
}

struct yk_where yk_lines_where(const struct yk_lines *lines)
{
    return (struct yk_where){lines->name, lines->line, 0};
}

bool yk_token_next(struct yk_piece *rest, struct yk_piece *token)
{
    const char *p = rest->begin;

    while (p < rest->end && yk_is_blank(*p))
        p++;
    token->begin = p;
    while (p < rest->end && !yk_is_blank(*p))
        p++;
    token->end = rest->begin = p;
    return token->end > token->begin;
}

struct yk_quote yk_quote(struct yk_piece span)
{
    struct yk_quote quote = {""};
    size_t room = sizeof quote.text - 4, n = 0;

    for (const char *p = span.begin; p < span.end && n < room; p++)
        quote.text[n++] = (char)((unsigned char)*p < ' ' || *p == 0x7f ? '?' : *p);
    if ((size_t)(span.end - span.begin) > room)
        memcpy(quote.text + n, "...", 4);
    return quote;
}

enum yk_status yk_token_real(const struct yk_lines *lines, struct yk_piece token, double *value, struct yk_err *err)
{
    const char *end = yk_number_scan(token.begin, token.end, value);
    bool read = end == token.end;

    if (read && isfinite(*value))
        return YK_OK;
    return yk_fail_at(err, YK_E_INPUT, yk_lines_where(lines), "'%s' is not a %snumber", yk_quote(token).text,
                      read || yk_number_is_not_finite(token.begin, token.end) ? "finite " : "");
}

enum yk_status yk_growing_push(struct yk_growing *list, double value, struct yk_err *err)
{
    if (list->n == list->room) {
        size_t room = list->room ? 2 * list->room : 16;
        double *x = realloc(list->x, room * sizeof *x);

        if (!x)
            return yk_fail(err, YK_E_MEMORY, "no memory for %zu numbers", room);
        list->x = x;
        list->room = room;
    }
    list->x[list->n++] = value;
    return YK_OK;
}

void yk_growing_free(struct yk_growing *list)
{
    free(list->x);
    *list = (struct yk_growing){0};
}

bool yk_name_ends_in(const char *path, const char *ending)
{
    size_t length = strlen(path), tail = strlen(ending);

    return length >= tail && strcasecmp(path + length - tail, ending) == 0;
}
