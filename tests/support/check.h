/* Includes and assertions of every cmocka test. */
#ifndef YOKE_TEST_CHECK_H
#define YOKE_TEST_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <yoke/status.h>

/* |x - y| <= tolerance, written so that NaN fails; prints both numbers. */
#define assert_near(x, y, tolerance) check_near((x), (y), (tolerance), #x, __FILE__, __LINE__)
void check_near(double x, double y, double tolerance, const char *what, const char *file, int line);

/* Relative to |y|. */
#define assert_near_relative(x, y, tolerance)                                                                          \
    check_near((x), (y), (tolerance) * ((y) < 0 ? -(y) : (y)), #x, __FILE__, __LINE__)

/* The call succeeds; otherwise its message is printed. `call` must use `&err`. */
#define assert_ok(call)                                                                                                \
    do {                                                                                                               \
        struct yk_err err = {0};                                                                                       \
        enum yk_status st_ = (call);                                                                                   \
        if (st_ != YK_OK) {                                                                                            \
            print_error("%s:%d: %s: %s (%s)\n", __FILE__, __LINE__, #call, yk_err_line(&err).text,                     \
                        yk_status_text(st_));                                                                          \
            fail();                                                                                                    \
        }                                                                                                              \
    } while (0)

/* The call is refused with `status` and a message that contains `words`. */
#define assert_refused(call, status, words)                                                                            \
    do {                                                                                                               \
        struct yk_err err = {0};                                                                                       \
        enum yk_status st_ = (call);                                                                                   \
        if (st_ != (status) || !strstr(yk_err_line(&err).text, (words))) {                                             \
            print_error("%s:%d: %s: got '%s' (%s), wanted '%s'\n", __FILE__, __LINE__, #call, yk_err_line(&err).text,  \
                        yk_status_text(st_), (words));                                                                 \
            fail();                                                                                                    \
        }                                                                                                              \
    } while (0)

/* A method that stays has a line in the table of its family's test; one on trial (tools/try-extension) need not. */
#define assert_sampled(sampled, method)                                                                                \
    do {                                                                                                               \
        if (!(sampled) && strcmp((method), "trial") != 0)                                                              \
            fail_msg("%s has no line in the table of this test: add one", (method));                                   \
    } while (0)

#endif
