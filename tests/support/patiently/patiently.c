/* Runs a command with a time limit that is longer on a slow or busy machine: see support/patience.h. The command and
 * what it started (its process group) end with the limit.
 *
 * usage: patiently SECONDS COMMAND...   exit code of the command; 124 if the limit ended it
 *        patiently --sleep SECONDS      a pause between two looks at a condition
 *        patiently --factor             prints by how much a limit is longer now */
#include "support/patience.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { USAGE = 2, LIMIT = 124, CANNOT_START = 127 };

static double now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Waits until the command ends (returns SIGCHLD), one of the other signals asks for an end (returns it), or the
 * patience is at its end (returns 0). */
static int await(const sigset_t *signals, double seconds)
{
    double used = 0, last = now_s();

    while (used < seconds) {
        const int came = sigtimedwait(signals, NULL, &(struct timespec){.tv_nsec = 500000000});

        if (came > 0)
            return came;
        const double now = now_s();
        used += (now - last) / patience();
        last = now;
    }
    return 0;
}

static pid_t start(char *const *words, const sigset_t *before)
{
    const pid_t pid = fork();

    if (pid)
        return pid;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setpgid(0, 0);
    sigprocmask(SIG_SETMASK, before, NULL);
    execvp(words[0], words);
    perror(words[0]);
    _exit(CANNOT_START);
}

static int run(double seconds, char *const *words)
{
    sigset_t signals, before;
    int status = 0;

    sigemptyset(&signals);
    sigaddset(&signals, SIGCHLD);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGHUP);
    sigprocmask(SIG_BLOCK, &signals, &before);
    const double begin = now_s();
    const pid_t pid = start(words, &before);
    if (pid < 0) {
        perror("fork");
        return CANNOT_START;
    }
    setpgid(pid, pid); /* whoever comes first */
    const int came = await(&signals, seconds);
    if (came != SIGCHLD) {
        kill(-pid, came ? came : SIGTERM);
        await(&signals, 5); /* to clean up */
        kill(-pid, SIGKILL);
    }
    waitpid(pid, &status, 0);
    if (came == 0)
        fprintf(stderr, "patiently: %s did not end within %g s (%.0f s on this machine)\n", words[0], seconds,
                now_s() - begin);
    if (came != SIGCHLD)
        return LIMIT;
    if (WIFEXITED(status))
        return WEXITSTATUS(status);
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
    sigprocmask(SIG_UNBLOCK, &signals, NULL);
    signal(WTERMSIG(status), SIG_DFL);
    raise(WTERMSIG(status)); /* ends as the command did */
    return 128 + WTERMSIG(status);
}

int main(int argc, char **argv)
{
    const bool only_sleeps = argc > 2 && strcmp(argv[1], "--sleep") == 0;
    const double seconds = argc > 2 ? atof(argv[only_sleeps ? 2 : 1]) : 0;

    if (argc == 2 && strcmp(argv[1], "--factor") == 0)
        return printf("%.2f\n", patience()) < 0;
    if (argc < 3 || !(seconds > 0)) {
        fputs("usage: patiently SECONDS COMMAND... | --sleep SECONDS | --factor\n", stderr);
        return USAGE;
    }
    if (!only_sleeps)
        return run(seconds, argv + 2);
    patience_sleep(seconds);
    return 0;
}
