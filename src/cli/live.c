/* The dashboard beside a run: another process, so that nothing it does can reach the loop. */
#include "cli/live.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { NICE = 10 };

/* In the new process: nothing but what POSIX allows there. */
static void become(char **argv)
{
    setsid(); /* Ctrl-C is for the run, whose end ends this */
    if (nice(NICE) == -1)
        errno = 0;          /* it is as it is */
    dup2(2, 1);             /* its one line is not part of what the run prints */
    close_range(3, ~0u, 0); /* the files of the run are not for it */
    execv("/proc/self/exe", argv);
    _exit(127);
}

void live_start(const char *name)
{
    char *argv[] = {"yoke", "dash", "--run", (char *)name, NULL};
    const pid_t process = fork();

    if (process == 0)
        become(argv);
    if (process < 0)
        fprintf(stderr, "yoke: the dashboard does not start: %s\n", strerror(errno));
}
