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

/* Writes `prefix` and the formatted rest into err->text; a message that is too long ends in "...". */
static void compose(struct yk_err *err, const char *prefix, const char *format, va_list args)
{
    size_t used = 0;

    if (*prefix) {
        snprintf(err->text, sizeof err->text, "%s", prefix);
        used = strlen(err->text);
    }
    if (vsnprintf(err->text + used, sizeof err->text - used, format, args) >= (int)(sizeof err->text - used))
        memcpy(err->text + sizeof err->text - 4, "...", 4);
}

/* "file:line:column: ", as far as known */
static void place(struct yk_where where, char *prefix, size_t size)
{
    *prefix = 0;
    if (where.file && where.line && where.column)
        snprintf(prefix, size, "%s:%d:%d: ", where.file, where.line, where.column);
    else if (where.file && where.line)
        snprintf(prefix, size, "%s:%d: ", where.file, where.line);
    else if (where.file)
        snprintf(prefix, size, "%s: ", where.file);
}

enum yk_status yk_fail(struct yk_err *err, enum yk_status status, const char *format, ...)
{
    va_list args;

    if (!err)
        return status;
    err->status = status;
    va_start(args, format);
    compose(err, "", format, args);
    va_end(args);
    return status;
}

enum yk_status yk_fail_at(struct yk_err *err, enum yk_status status, struct yk_where where, const char *format, ...)
{
    char prefix[sizeof err->text / 2];
    va_list args;

    if (!err)
        return status;
    place(where, prefix, sizeof prefix);
    err->status = status;
    va_start(args, format);
    compose(err, prefix, format, args);
    va_end(args);
    return status;
}

enum yk_status yk_fail_within(struct yk_err *err, struct yk_where where, const char *format, ...)
{
    char old[sizeof err->text], prefix[sizeof err->text / 2];
    va_list args;
    size_t used;

    if (!err)
        return YK_E_INPUT;
    memcpy(old, err->text, sizeof old);
    place(where, prefix, sizeof prefix);
    va_start(args, format);
    compose(err, prefix, format, args);
    va_end(args);
    used = strlen(err->text);
    snprintf(err->text + used, sizeof err->text - used, "%s", old);
    return err->status;
}
