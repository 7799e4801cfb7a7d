/* gnuplot as a child process: found on the PATH, started without a shell, stopped when it takes too long. */
#include "gnuplot.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <yoke/clock.h>

/* Starts gnuplot in the folder; what it says goes to `out`. Returns an errno value, 0 when it runs. */
static int start(const char *folder, const char *script, int out, pid_t *child)
{
    char *const argv[] = {"gnuplot", "-d", (char *)script, NULL}; /* -d: no settings of the user's own */
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none;
    int error;

    sigemptyset(&none);
    posix_spawn_file_actions_init(&actions);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setpgroup(&attributes, 0); /* a group of its own, so that its helpers end with it */
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out, STDERR_FILENO);
    posix_spawn_file_actions_addchdir_np(&actions, folder);
    error = posix_spawnp(child, "gnuplot", &actions, &attributes, argv, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

/* Reads until the end or the deadline; keeps what fits. False when time is up. */
static bool listen_until(int in, int64_t deadline, char *text, size_t size)
{
    size_t used = 0;
    char spill[256] = "";

    for (;;) {
        const int64_t left_ms = (deadline - yk_clock_now_ns()) / 1000000;
        struct pollfd wait = {.fd = in, .events = POLLIN};
        const bool room = used + 1 < size;

        if (left_ms <= 0)
            return false;
        if (poll(&wait, 1, left_ms > 1000 ? 1000 : (int)left_ms) <= 0)
            continue;
        const ssize_t got = read(in, room ? text + used : spill, room ? size - 1 - used : sizeof spill);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return true;
        used += room ? (size_t)got : 0;
        text[used] = 0;
    }
}

/* Waits for the end of the child until the deadline, then ends it. False when it had to be ended. */
static bool reap(pid_t child, int64_t deadline, int *status)
{
    for (;;) {
        const pid_t done = waitpid(child, status, WNOHANG);

        if (done == child || (done < 0 && errno != EINTR))
            return true;
        if (yk_clock_now_ns() >= deadline)
            break;
        usleep(1000);
    }
    kill(-child, SIGKILL);
    while (waitpid(child, status, 0) < 0 && errno == EINTR)
        ;
    return false;
}

/* gnuplot's last line that is not empty: it prints the offending line and a caret before it. */
static const char *last_line(char *text)
{
    size_t length = strlen(text);

    while (length > 0 && (unsigned char)text[length - 1] <= ' ')
        text[--length] = 0;
    const char *newline = strrchr(text, '\n');
    return newline ? newline + 1 : text;
}

enum yk_status yk_gnuplot_run(const char *folder, const char *script, double timeout_s, struct yk_err *err)
{
    const int64_t deadline = yk_clock_now_ns() + (int64_t)(timeout_s * 1e9);
    char said[2048] = "";
    int ends[2], status = 0, error;
    pid_t child;

    if (pipe2(ends, O_CLOEXEC))
        return yk_fail(err, YK_E_IO, "cannot start gnuplot: %s", strerror(errno));
    error = start(folder, script, ends[1], &child);
    close(ends[1]);
    if (error) {
        close(ends[0]);
        if (error == ENOENT)
            return yk_fail(err, YK_E_IO, "gnuplot was not found; install it (Debian, Ubuntu: apt install gnuplot-nox)");
        return yk_fail(err, YK_E_IO, "cannot start gnuplot: %s", strerror(error));
    }
    listen_until(ends[0], deadline, said, sizeof said);
    const bool ended = reap(child, deadline, &status);
    close(ends[0]);
    if (!ended)
        return yk_fail(err, YK_E_IO, "gnuplot was stopped: it did not finish within %g s", timeout_s);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        return yk_fail(err, YK_E_IO, "gnuplot failed: %s", *said ? last_line(said) : "it gave no reason");
    return YK_OK;
}
