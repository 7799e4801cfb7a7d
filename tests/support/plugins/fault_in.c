/* Not a plugin: preloaded (LD_PRELOAD), makes a program fault in the n-th call of a function, FAULT_IN=usleep:100. */
#include <errno.h>
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

int usleep(useconds_t us)
{
    static atomic_long calls;

    count("usleep", &calls);
    return nanosleep(&(struct timespec){us / 1000000, 1000 * (long)(us % 1000000)}, NULL);
}

int clock_nanosleep(clockid_t clock, int flags, const struct timespec *wanted, struct timespec *left)
{
    static atomic_long calls;

    count("clock_nanosleep", &calls);
    return syscall(SYS_clock_nanosleep, clock, flags, wanted, left) ? errno : 0;
}
