/* Tells the static analyzer what it cannot see across files: a failure is never YK_OK. `make lint` includes this ahead
 * of every file but the one that defines these functions. */
#include <yoke/status.h>

void yk_lint_use(struct yk_err *err, const char *format, ...) YK_PRINTF(2, 3);
void yk_lint_use_about(struct yk_err *err, const char *subject, const char *format, ...) YK_PRINTF(3, 4);
void yk_lint_use_at(struct yk_err *err, struct yk_where where, const char *format, ...) YK_PRINTF(3, 4);

#define yk_fail(err, status, ...)       (yk_lint_use(err, __VA_ARGS__), (status))
#define yk_fail_at(err, status, ...)    (yk_lint_use_at(err, __VA_ARGS__), (status))
#define yk_fail_about(err, status, ...) (yk_lint_use_about(err, __VA_ARGS__), (status))
#define yk_fail_within(err, ...)        (yk_lint_use_at(err, __VA_ARGS__), YK_E_INPUT)
