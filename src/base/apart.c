/* Work in a separate process: see apart.h. */
#include "base/apart.h"

#include "base/clock.h"
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LONGEST_S = 60 }; /* wall time, for a child that sleeps; more where it may use more of the processor */

/* What the child tells the parent, in memory of both. */
struct report {
    atomic_bool done;
    enum yk_status status;
    struct yk_err err;
};

/* ---- the child ---- */

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
/* Private memory that can be written, as RLIMIT_DATA counts it. */
static size_t data_in_use(void)
{
    FILE *in = fopen("/proc/self/statm", "r");
    unsigned long pages = 0;

    if (!in)
        return 0;
    if (fscanf(in, "%*u %*u %*u %*u %*u %lu", &pages) != 1)
        pages = 0;
    fclose(in);
    return pages * (size_t)sysconf(_SC_PAGESIZE);
}

static void limit_memory(size_t bytes)
{
    struct rlimit most;

    if (getrlimit(RLIMIT_DATA, &most) != 0 || most.rlim_cur <= data_in_use() + bytes)
        return;
    most.rlim_cur = data_in_use() + bytes;
    setrlimit(RLIMIT_DATA, &most);
}
#else
static void limit_memory(size_t bytes) /* sanitizers take terabytes of addresses */
{
}
#endif

/* Faults end the child in the plain way, whatever the caller does with signals, and leave no core. */
static void prepare_child(const struct yk_apart *apart)
{
    static const int plain[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGPROF, SIGINT, SIGTERM};
    const long long cpu_us = llround(1e6 * apart->cpu_s);
    const struct itimerval most = {.it_value = {.tv_sec = cpu_us / 1000000, .tv_usec = cpu_us % 1000000}};
    const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    sigset_t none;

    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        signal(plain[i], SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    limit_memory(apart->bytes);
    setitimer(ITIMER_PROF, &most, NULL);
    if (nowhere >= 0 && (dup2(nowhere, STDOUT_FILENO) < 0 || dup2(nowhere, STDERR_FILENO) < 0))
        _exit(1);
}

static void work_and_exit(const struct yk_apart *apart, FILE *out, struct report *report)
{
    prepare_child(apart);
    report->status = apart->work(apart->self, out, &report->err);
    if (!report->status && fflush(out))
        report->status = yk_fail(&report->err, YK_E_MEMORY, "out of memory for the file contents");
    atomic_store(&report->done, true);
    _exit(0);
}

/* ---- the parent ---- */

/* Until the child has ended; after too long it is ended. */
static void reap(pid_t child, double longest_s, int *status)
{
    const int64_t due = yk_clock_now_ns() + (int64_t)(1e9 * longest_s);

    for (useconds_t pause = 50;; pause = pause < 5000 ? 2 * pause : 5000) {
        const pid_t ended = waitpid(child, status, WNOHANG);

        if (ended == child || (ended < 0 && errno != EINTR))
            return;
        if (yk_clock_now_ns() > due)
            kill(child, SIGKILL);
        usleep(pause);
    }
}

static enum yk_status explain(const struct yk_apart *a, int status, struct yk_err *err)
{
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF)
        return yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(a->name), "is damaged: its reader did not finish within %.3g s",
                          a->cpu_s);
    if (WIFSIGNALED(status))
        return yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(a->name), "is damaged: its reader ended with signal %d (%s)",
                          WTERMSIG(status), strsignal(WTERMSIG(status)));
    return yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(a->name), "is damaged: its reader returned nothing");
}

enum yk_status yk_apart(const struct yk_apart *apart, FILE **out, struct yk_err *err)
{
    struct report *report = mmap(NULL, sizeof *report, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    const int fd = memfd_create("yoke-apart", MFD_CLOEXEC);
    enum yk_status st = YK_OK;
    int status = 0;
    pid_t child;

    *out = fd >= 0 ? fdopen(fd, "w+") : NULL;
    if (report == MAP_FAILED || !*out) {
        st = yk_fail(err, YK_E_MEMORY, "out of memory");
    } else if ((child = fork()) < 0) {
        st = yk_fail(err, YK_E_IO, "no process could be started: %s", strerror(errno));
    } else if (child == 0) {
        work_and_exit(apart, *out, report);
    } else {
        reap(child, LONGEST_S + 2 * apart->cpu_s, &status);
        if (!atomic_load(&report->done))
            st = explain(apart, status, err);
        else if ((st = report->status) && err)
            *err = report->err;
    }
    if (!st)
        rewind(*out);
    else if (*out)
        fclose(*out);
    else if (fd >= 0)
        close(fd);
    if (st)
        *out = NULL;
    if (report != MAP_FAILED)
        munmap(report, sizeof *report);
    return st;
}
