/* Any text, read as a file of a logger: finite, even and in order, or refused with a message. */
#include "fuzz.h"

#include <yoke/logger.h>

static void read_log(const struct yk_text *text, const char *columns)
{
    static const struct yk_log_role roles[] = {{"displacement", YK_DISPLACEMENT, false}, {"force", YK_FORCE, true}};
    const struct yk_log_ask ask = {.roles = roles, .count = 2, .columns = columns};
    struct yk_err err = {0};
    struct yk_log log;
    enum yk_status st = yk_log_parse(&log, "a", text->data, text->size, &ask, &err);

    fuzz_check(st ? err.wording[0] != 0 && !log.time : log.rows > 0 && log.step_s > 0 && log.segments > 0);
    for (size_t k = 0; k < log.rows; k++)
        fuzz_check(isfinite(log.time[k]) && isfinite(log.column[0].x[k]));
    if (!st) {
        struct yk_log_quality quality;

        fuzz_check(log.first[0] == 0 && log.first[log.segments] == log.rows);
        fuzz_check(!yk_log_judge(&log, 0, &quality, &err));
    }
    yk_log_free(&log);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct yk_text text = fuzz_text(data, size);

    read_log(&text, NULL);
    read_log(&text, "time=1,displacement=2:10 mm,force=3");
    yk_text_free(&text);
    return 0;
}
