/* Status codes and the message that explains a failure.
 *
 * Functions for preparation return a status and, when they fail, leave in `err` what was wrong, where, the value and
 * the allowed range. The library never prints, exits or aborts: its caller decides what to do with the message. */
#ifndef YOKE_STATUS_H
#define YOKE_STATUS_H

#include <stdbool.h>
#include <stddef.h>

/* X(code, text, exit code of the program) */
#define YK_STATUS_LIST(X)                                                                                              \
    X(YK_OK, "done", 0)                                                                                                \
    X(YK_AGAIN, "the stage must be repeated", 1)                                                                       \
    X(YK_E_INPUT, "bad input", 2)                                                                                      \
    X(YK_E_RANGE, "value outside its range", 2)                                                                        \
    X(YK_E_UNIT, "wrong unit", 2)                                                                                      \
    X(YK_E_UNSUPPORTED, "not supported", 2)                                                                            \
    X(YK_E_SINGULAR, "singular matrix", 2)                                                                             \
    X(YK_E_DIVERGED, "the motion diverged", 3)                                                                         \
    X(YK_E_STOPPED, "stopped by request", 3)                                                                           \
    X(YK_E_CHECK, "a check did not hold", 4)                                                                           \
    X(YK_E_IO, "file or device error", 1)                                                                              \
    X(YK_E_MEMORY, "out of memory", 1)

enum yk_status {
#define X(code, text, exit_code) code,
    YK_STATUS_LIST(X)
#undef X
};

/* A place in the user's files; line and column count from 1, 0 where unknown. */
struct yk_where {
    const char *file; /* not owned; NULL where unknown */
    int line, column;
};

/* An error as data: programs distinguish errors by status and subject and find the place in file, line and
 * column. The wording is for people only, see yk_err_line. The file name is a copy, since the original may be freed by
 * then. */
struct yk_err {
    enum yk_status status;
    char file[512];     /* "" where unknown; a setting of the command line is "--set key=value" */
    int line, column;   /* as in struct yk_where                                                */
    char subject[24];   /* the key or matrix at fault ("mass"); "" where unknown               */
    char wording[1024]; /* what, value, allowed range, hint                                     */
};

/* Functions the real-time loop may call: bounded time, no heap, no locks, no system calls. */
#if defined(__clang__) && __clang_major__ >= 20
#define YK_RT __attribute__((nonblocking))
#else
#define YK_RT
#endif

#define YK_PRINTF(format_index, first) __attribute__((format(printf, format_index, first)))

/* Formats the message into err (which may be NULL) and returns `status`, so that a caller can `return yk_fail(...)`. */
enum yk_status yk_fail(struct yk_err *err, enum yk_status status, const char *format, ...) YK_PRINTF(3, 4);
enum yk_status yk_fail_at(struct yk_err *err, enum yk_status status, struct yk_where where, const char *format, ...)
    YK_PRINTF(4, 5);
/* The same, and names the key or matrix at fault. */
enum yk_status yk_fail_about(struct yk_err *err, enum yk_status status, const char *subject, const char *format, ...)
    YK_PRINTF(4, 5);

/* Puts the formatted words in front of those in err, and gives it a place if it has none yet. An error in another file
 * moves to the place that names that file, and keeps its own place in the words: "a.yaml:5:7: mass: M.csv:3:1: no
 * number". */
enum yk_status yk_fail_within(struct yk_err *err, struct yk_where where, const char *format, ...) YK_PRINTF(3, 4);
/* The same message as a failure of another status. */
enum yk_status yk_fail_as(struct yk_err *err, enum yk_status status);
/* Names the key or matrix at fault. */
enum yk_status yk_fail_of(struct yk_err *err, const char *subject);
/* Adds the formatted words at the end. */
enum yk_status yk_fail_hint(struct yk_err *err, const char *format, ...) YK_PRINTF(2, 3);
#define YK_NOWHERE       ((struct yk_where){NULL, 0, 0})
#define YK_IN_FILE(name) ((struct yk_where){(name), 0, 0})

/* The complete line for people, "file:line:column: words", as far as the place is known; the text of the status where
 * there are no words. Usable as an argument: printf("%s\n", yk_err_line(&err).text). */
struct yk_err_line {
    char text[1600];
};
struct yk_err_line yk_err_line(const struct yk_err *err);

const char *yk_status_text(enum yk_status status);
int yk_status_exit_code(enum yk_status status);

#endif
