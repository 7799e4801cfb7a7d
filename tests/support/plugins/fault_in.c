/* Not a plugin: preloaded (LD_PRELOAD), makes a program fault in the n-th call of a function, FAULT_IN=poll:100. */
#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static volatile int *volatile nowhere; /* NULL, which a compiler is not to know */

static void count(const char *function, atomic_long *calls)
{
    const char *where = getenv("FAULT_IN");
    const size_t length = strlen(function);

    if (where && strncmp(where, function, length) == 0 && atomic_fetch_add(calls, 1) == atol(where + length + 1))
        *nowhere = 0;
}

int poll(struct pollfd *list, nfds_t length, int ms)
{
    static atomic_long calls;

    count("poll", &calls);
    return (int)syscall(SYS_poll, list, length, ms);
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *wanted, struct timespec *left)
{
    static atomic_long calls;

    count("clock_nanosleep", &calls);
    return syscall(SYS_clock_nanosleep, clock, flags, wanted, left) ? errno : 0;
}
