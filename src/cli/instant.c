#include "cli/instant.h"

#include <errno.h>
#include <string.h>

bool instant_parse(const struct yk_command *command, const char *option, const char *text, struct timespec *instant)
{
    struct timespec now;
    struct tm parts = {.tm_isdst = -1};
    double from_now = 0;

    clock_gettime(CLOCK_REALTIME, &now);
    *instant = now;
    if (*text == '+') {
        if (!yk_option_quantity(command, option, text + 1, YK_TIME, 0, 1e6, &from_now))
            return false;
        const int64_t ns = now.tv_nsec + (int64_t)(1e9 * from_now);

        *instant = (struct timespec){now.tv_sec + ns / 1000000000, ns % 1000000000};
        return true;
    }
    const char *end = strptime(text, "%Y-%m-%dT%H:%M:%S", &parts);
    if (!end || (*end && strcmp(end, "Z") != 0)) {
        yk_misuse(command, "%s '%s' must be an instant such as 2026-11-16T10:00:00Z, or +10s", option, text);
        return false;
    }
    *instant = (struct timespec){.tv_sec = *end ? timegm(&parts) : mktime(&parts)};
    if (instant->tv_sec > now.tv_sec)
        return true;
    yk_misuse(command, "%s '%s' is past", option, text);
    return false;
}

void instant_await(const struct timespec *instant)
{
    while (clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, instant, NULL) == EINTR)
        ;
}
