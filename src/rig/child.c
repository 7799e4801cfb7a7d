/* Child processes. */
#include "rig/child.h"

#include "base/clock.h"
#include "rig/fresco_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Starts `words` (NULL at the end) in its own process group, so that Ctrl-C does not reach it; what it prints goes to
 * the file `log`, NULL: nowhere. */
static enum yk_status start_child(pid_t *pid, const char *const *words, const char *log, struct yk_err *err)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    sigset_t none;
    int failed;

    *pid = 0;
    sigemptyset(&none);
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&how);
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setpgroup(&how, 0);
    posix_spawnattr_setsigmask(&how, &none);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, log ? log : "/dev/null", O_WRONLY | O_CREAT | O_TRUNC,
                                     0666);
    posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
    failed = posix_spawnp(pid, words[0], &files, &how, (char *const *)words, environ);
    posix_spawnattr_destroy(&how);
    posix_spawn_file_actions_destroy(&files);
    if (!failed)
        return YK_OK;
    *pid = 0;
    return yk_fail(err, YK_E_INPUT, "cannot start '%s': %s", words[0], strerror(failed));
}

/* Has it ended by itself? Then *pid becomes 0. */
static bool has_ended(pid_t *pid)
{
    if (*pid && waitpid(*pid, NULL, WNOHANG) == *pid)
        *pid = 0;
    return !*pid;
}

/* Waits up to grace_s for its end, then asks for it, then forces it. 0 is no child. */
static void end_child(pid_t *pid, double grace_s)
{
    static const int steps[] = {0, SIGTERM, SIGKILL};

    for (size_t i = 0; *pid && i < sizeof steps / sizeof *steps; i++) {
        const int64_t until = yk_clock_now_ns() + (int64_t)(1e9 * grace_s);

        if (steps[i])
            kill(-*pid, steps[i]);
        while (!has_ended(pid) && yk_clock_now_ns() < until)
            yk_clock_sleep_until(yk_clock_now_ns() + 5000000);
    }
}

/* A TCP port that nobody uses now; 0: none. */
static int free_port(void)
{
    int port = 0, fd;
    struct yk_err err;

    if (yk_stream_listen(&fd, false, "127.0.0.1", &port, &err))
        return 0;
    close(fd);
    return port;
}

enum yk_status yk_interpreter_check(const struct yk_interpreter *i, int port, struct yk_err *err)
{
    if (i->script && access(i->script, R_OK))
        return yk_fail_about(err, YK_E_INPUT, "script", "the script '%s' cannot be read: %s", i->script,
                             strerror(errno));
    return i->script || port
               ? YK_OK
               : yk_fail(err, YK_E_INPUT, "opensees: 'script' starts a server, or 'port' joins one; give one of them");
}

enum yk_status yk_interpreter_start(struct yk_interpreter *i, int *port, struct yk_err *err)
{
    char text[16];
    const char *const words[] = {i->program ? i->program : "OpenSees", i->script, text, NULL};

    const enum yk_status st = yk_interpreter_check(i, *port, err);

    if (st || !i->script)
        return st;
    if (!*port && !(*port = free_port()))
        return yk_fail(err, YK_E_IO, "opensees: there is no free port");
    snprintf(text, sizeof text, "%d", *port);
    return start_child(&i->child, words, i->log, err);
}

void yk_interpreter_explain(struct yk_interpreter *i, struct yk_err *err)
{
    if (i->script && has_ended(&i->child))
        yk_fail_within(err, YK_NOWHERE, "the script '%s' ended%s%s; ", i->script, i->log ? ", see " : "",
                       i->log ? i->log : "");
}

void yk_interpreter_end(struct yk_interpreter *i)
{
    end_child(&i->child, 2);
    free(i->program);
    free(i->script);
    free(i->log);
    *i = (struct yk_interpreter){0};
}
