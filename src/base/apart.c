/* Work in a separate process: see apart.h. */
#include "base/apart.h"

#include "base/clock.h"
#include "base/thread.h"
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

/* Report of the child to the parent, in memory of both. */
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

void yk_apart_spend(double cpu_s)
{
    const long long cpu_us = llround(1e6 * cpu_s);

    setitimer(ITIMER_PROF, &(struct itimerval){.it_value = {.tv_sec = cpu_us / 1000000, .tv_usec = cpu_us % 1000000}},
              NULL);
}

/* Faults end the child in the plain way, whatever the caller does with signals, and leave no core. */
static void prepare_child(size_t bytes)
{
    static const int plain[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGPROF, SIGINT, SIGTERM};
    const int nowhere = open("/dev/null", O_RDWR | O_CLOEXEC);
    sigset_t none;

    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        signal(plain[i], SIG_DFL);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    limit_memory(bytes);
    if (nowhere >= 0 && (dup2(nowhere, STDOUT_FILENO) < 0 || dup2(nowhere, STDERR_FILENO) < 0))
        _exit(1);
}

static void work_and_exit(const struct yk_apart *apart, FILE *out, struct report *report)
{
    prepare_child(apart->bytes);
    yk_apart_spend(apart->cpu_s);
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

/* How a child ended that has not answered, in words without a place. */
static enum yk_status explain(double cpu_s, int status, struct yk_err *err)
{
    if (WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF)
        return yk_fail(err, YK_E_INPUT, "its reader did not finish within %.3g s", cpu_s);
    if (WIFSIGNALED(status))
        return yk_fail(err, YK_E_INPUT, "its reader ended with signal %d (%s)", WTERMSIG(status),
                       strsignal(WTERMSIG(status)));
    return yk_fail(err, YK_E_INPUT, "its reader returned nothing");
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
        reap(child, YK_APART_WAIT_S + 2 * apart->cpu_s, &status);
        if (!atomic_load(&report->done)) {
            explain(apart->cpu_s, status, err);
            st = yk_fail_within(err, YK_IN_FILE(apart->name), "is damaged: ");
        } else if ((st = report->status) && err)
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

/* ---- a child that answers requests ---- */

bool yk_apart_send(int channel, const void *bytes, size_t size)
{
    const char *from = bytes;

    while (size > 0) {
        const ssize_t n = send(channel, from, size, MSG_NOSIGNAL);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        from += n;
        size -= (size_t)n;
    }
    return true;
}

/* Is there something to receive, or the end? */
static bool is_ready(int channel, double wait_s)
{
    const int64_t due = yk_clock_now_ns() + (int64_t)(1e9 * wait_s);
    struct pollfd ready = {.fd = channel, .events = POLLIN};
    int64_t left_ms;

    while ((left_ms = (due - yk_clock_now_ns()) / 1000000) >= 0) {
        const int n = poll(&ready, 1, left_ms > 10000 ? 10000 : (int)left_ms);

        if (n > 0 || (n < 0 && errno != EINTR))
            return n > 0;
    }
    return false;
}

bool yk_apart_receive(int channel, void *bytes, size_t size, double wait_s)
{
    char *to = bytes;

    while (size > 0) {
        if (!isinf(wait_s) && !is_ready(channel, wait_s))
            return false;
        const ssize_t n = recv(channel, to, size, 0);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        to += n;
        size -= (size_t)n;
    }
    return true;
}

struct start {
    void (*serve)(void *self, int channel);
    void *self;
    size_t bytes;
    int ends[2];
    pid_t child;
    int why;
};

static void *start_and_serve(void *self)
{
    struct start *s = self;

    if ((s->child = fork()) < 0)
        s->why = errno;
    if (s->child != 0)
        return NULL;
    const unsigned channel = (unsigned)s->ends[1];

    prepare_child(s->bytes);
    if (channel > 3)
        close_range(3, channel - 1, 0);
    close_range(channel + 1, ~0u, 0);
    s->serve(s->self, s->ends[1]);
    _exit(0);
}

enum yk_status yk_apart_start(struct yk_apart_server *server, void (*serve)(void *self, int channel), void *self,
                              size_t bytes, struct yk_err *err)
{
    struct start s = {.serve = serve, .self = self, .bytes = bytes, .child = -1};
    pthread_t thread; /* the child goes on with its stack */
    int why;

    *server = (struct yk_apart_server){.channel = -1};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, s.ends))
        return yk_fail(err, YK_E_IO, "no process could be started: %s", strerror(errno));
    if ((why = yk_thread_start(&thread, start_and_serve, &s)) == 0)
        pthread_join(thread, NULL);
    close(s.ends[1]);
    if (s.child < 0) {
        close(s.ends[0]);
        return yk_fail(err, YK_E_IO, "no process could be started: %s", strerror(why ? why : s.why));
    }
    *server = (struct yk_apart_server){s.ends[0], s.child};
    return YK_OK;
}

/* How the child ended; one that still runs is ended. */
static int end(struct yk_apart_server *server, double patience_s)
{
    int status = 0;

    close(server->channel);
    reap(server->child, patience_s, &status);
    *server = (struct yk_apart_server){.channel = -1};
    return status;
}

void yk_apart_stop(struct yk_apart_server *server)
{
    if (server->channel < 0)
        return;
    kill(server->child, SIGKILL); /* nothing of it is kept, and it may be busy */
    end(server, YK_APART_WAIT_S);
}

enum yk_status yk_apart_fail(struct yk_apart_server *server, double cpu_s, struct yk_err *err)
{
    return explain(cpu_s, end(server, 1), err);
}
