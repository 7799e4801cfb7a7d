/* Status texts and failure messages. */
#include <yoke/status.h>

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *yk_status_text(enum yk_status status)
{
    static const char *const texts[] = {
#define X(code, text, exit_code) [code] = text,
        YK_STATUS_LIST(X)
#undef X
    };
    return texts[status];
}

int yk_status_exit_code(enum yk_status status)
{
    static const int codes[] = {
#define X(code, text, exit_code) [code] = exit_code,
        YK_STATUS_LIST(X)
#undef X
    };
    return codes[status];
}

/* Marks the end of a text that was cut, between two characters of UTF-8. */
static void mark_cut(char *text, size_t size)
{
    char *at = text + size - 4;

    while (at > text && ((unsigned char)*at & 0xc0) == 0x80)
        at--;
    memcpy(at, "...", 4);
}

static void copy(char *to, size_t size, const char *text)
{
    if (snprintf(to, size, "%s", text) >= (int)size)
        mark_cut(to, size);
}

static void append(struct yk_err *err, const char *format, va_list args)
{
    const size_t used = strlen(err->wording), room = sizeof err->wording - used;

    if (vsnprintf(err->wording + used, room, format, args) >= (int)room)
        mark_cut(err->wording, sizeof err->wording);
}

static void set_place(struct yk_err *err, struct yk_where where)
{
    copy(err->file, sizeof err->file, where.file ? where.file : "");
    err->line = where.file ? where.line : 0;
    err->column = where.file ? where.column : 0;
}

static void begin(struct yk_err *err, enum yk_status status, struct yk_where where, const char *subject)
{
    err->status = status;
    set_place(err, where);
    copy(err->subject, sizeof err->subject, subject);
    *err->wording = 0;
}

enum yk_status yk_fail(struct yk_err *err, enum yk_status status, const char *format, ...)
{
    va_list args;

    if (!err)
        return status;
    begin(err, status, YK_NOWHERE, "");
    va_start(args, format);
    append(err, format, args);
    va_end(args);
    return status;
}

enum yk_status yk_fail_at(struct yk_err *err, enum yk_status status, struct yk_where where, const char *format, ...)
{
    va_list args;

    if (!err)
        return status;
    begin(err, status, where, "");
    va_start(args, format);
    append(err, format, args);
    va_end(args);
    return status;
}

enum yk_status yk_fail_about(struct yk_err *err, enum yk_status status, const char *subject, const char *format, ...)
{
    va_list args;

    if (!err)
        return status;
    begin(err, status, YK_NOWHERE, subject);
    va_start(args, format);
    append(err, format, args);
    va_end(args);
    return status;
}

enum yk_status yk_fail_of(struct yk_err *err, const char *subject)
{
    copy(err->subject, sizeof err->subject, subject);
    return err->status;
}

enum yk_status yk_fail_within(struct yk_err *err, struct yk_where where, const char *format, ...)
{
    struct yk_err inner;
    va_list args;
    bool same;

    if (!err)
        return YK_E_INPUT;
    inner = *err;
    *err->wording = 0;
    va_start(args, format);
    append(err, format, args);
    va_end(args);
    if (where.file)
        set_place(err, where);
    same = !*inner.file || strcmp(inner.file, err->file) == 0;
    if (same && inner.line) /* closer to the cause */
        set_place(err, (struct yk_where){inner.file, inner.line, inner.column});
    return yk_fail_hint(err, "%s", same ? inner.wording : yk_err_line(&inner).text);
}

enum yk_status yk_fail_as(struct yk_err *err, enum yk_status status)
{
    if (err)
        err->status = status;
    return status;
}

enum yk_status yk_fail_hint(struct yk_err *err, const char *format, ...)
{
    va_list args;

    if (!err)
        return YK_E_INPUT;
    va_start(args, format);
    append(err, format, args);
    va_end(args);
    return err->status;
}

struct yk_err_line yk_err_line(const struct yk_err *err)
{
    struct yk_err_line line = {""};
    int used = 0;

    if (!err)
        return line;
    if (*err->file && err->line && err->column)
        used = snprintf(line.text, sizeof line.text, "%s:%d:%d: ", err->file, err->line, err->column);
    else if (*err->file && err->line)
        used = snprintf(line.text, sizeof line.text, "%s:%d: ", err->file, err->line);
    else if (*err->file)
        used = snprintf(line.text, sizeof line.text, "%s: ", err->file);
    copy(line.text + used, sizeof line.text - (size_t)used,
         *err->wording ? err->wording
         : err->status ? yk_status_text(err->status)
                       : "");
    return line;
}
