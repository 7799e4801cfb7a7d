/* Child processes. */
#include "rig/child.h"

#include "base/clock.h"
#include "base/scratch.h"
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

/* Starts `words` (NULL at the end) in its own process group, so that Ctrl-C does not reach it, with two variables more
 * in its environment; what it prints goes to the file `log`. */
static enum yk_status start_child(pid_t *pid, const char *const *words, const char *log, char *const *more,
                                  struct yk_err *err)
{
    size_t count = 0;
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    sigset_t none;
    int failed;

    *pid = 0;
    while (environ[count])
        count++;
    char **variables = calloc(count + 3, sizeof *variables);
    if (!variables)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    memcpy(variables, more, 2 * sizeof *variables);
    memcpy(variables + 2, environ, count * sizeof *variables);
    sigemptyset(&none);
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&how);
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setpgroup(&how, 0);
    posix_spawnattr_setsigmask(&how, &none);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, log, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
    failed = posix_spawnp(pid, words[0], &files, &how, (char *const *)words, variables);
    free(variables);
    posix_spawnattr_destroy(&how);
    posix_spawn_file_actions_destroy(&files);
    if (!failed)
        return YK_OK;
    *pid = 0;
    return yk_fail(err, YK_E_INPUT, "cannot start '%s': %s", words[0], strerror(failed));
}

/* Has it ended within wait_s? Then `child` becomes 0, and `how` tells the way. */
static bool has_ended(struct yk_interpreter *i, double wait_s)
{
    const int64_t until = yk_clock_now_ns() + (int64_t)(1e9 * wait_s);

    do {
        if (i->child && waitpid(i->child, &i->how, WNOHANG) == i->child)
            i->child = 0;
        if (i->child && wait_s > 0)
            yk_clock_sleep_until(yk_clock_now_ns() + 5000000);
    } while (i->child && yk_clock_now_ns() < until);
    return !i->child;
}

/* Waits for its end, then asks for it, then forces it. */
static void end_child(struct yk_interpreter *i)
{
    static const int steps[] = {0, SIGTERM, SIGKILL};

    for (size_t k = 0; i->child && k < sizeof steps / sizeof *steps; k++) {
        if (steps[k])
            kill(-i->child, steps[k]);
        has_ended(i, 2);
    }
}

/* The last line of the log that is not empty. */
static void last_line(const char *log, char *line, size_t size)
{
    char next[200];
    FILE *in = fopen(log, "r");

    *line = 0;
    while (in && fgets(next, sizeof next, in)) {
        next[strcspn(next, "\r\n")] = 0;
        for (char *c = next; *c; c++)
            *c = (char)(*c < ' ' || *c > '~' ? ' ' : *c);
        if (next[strspn(next, " ")])
            snprintf(line, size, "%s", next + strspn(next, " "));
    }
    if (in)
        fclose(in);
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
    char text[16], pid[32], folder[YK_SCRATCH_PATH + 16];
    const char *const words[] = {i->program ? i->program : "OpenSees", i->script, text, NULL};

    enum yk_status st = yk_interpreter_check(i, *port, err);

    if (st || !i->script)
        return st;
    if (!*port && !(*port = free_port()))
        return yk_fail(err, YK_E_IO, "opensees: there is no free port");
    if (!i->folder && !(i->folder = calloc(1, YK_SCRATCH_PATH)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    if (!*i->folder && (st = yk_scratch_make(i->folder, err)))
        return st;
    snprintf(text, sizeof text, "%d", *port);
    snprintf(pid, sizeof pid, "YOKE_PID=%ld", (long)getpid());
    snprintf(folder, sizeof folder, "YOKE_FOLDER=%s", i->folder);
    if (!i->log && asprintf(&i->log, "%s/log", i->folder) < 0)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    return start_child(&i->child, words, i->log, (char *const[]){pid, folder}, err);
}

void yk_interpreter_fault(struct yk_interpreter *i, const char *why, char *text, size_t size)
{
    char last[200] = "", how[300];
    const bool own = i->folder && strncmp(i->log, i->folder, strlen(i->folder)) == 0;

    if (i->folder && has_ended(i, 1)) {
        const int code = WIFSIGNALED(i->how) ? WTERMSIG(i->how) : WEXITSTATUS(i->how);

        snprintf(how, sizeof how,
                 WIFSIGNALED(i->how) ? "the script '%s' died by signal %d (%s)"
                                     : "the script '%s' ended with exit code %d",
                 i->script, code, strsignal(code));
        why = how;
    }
    if (own)
        last_line(i->log, last, sizeof last);
    snprintf(text, size, "%s%s%s", why,
             *last            ? "; its last line: "
             : i->log && !own ? "; see "
                              : "",
             *last || !i->log || own ? last : i->log);
}

void yk_interpreter_explain(struct yk_interpreter *i, struct yk_err *err)
{
    char text[600];

    if (!i->script || !has_ended(i, 0))
        return;
    yk_interpreter_fault(i, "", text, sizeof text);
    yk_fail_within(err, YK_NOWHERE, "%s; ", text);
}

void yk_interpreter_end(struct yk_interpreter *i)
{
    end_child(i);
    if (i->folder && *i->folder)
        yk_scratch_remove(i->folder);
    free(i->folder);
    free(i->program);
    free(i->script);
    free(i->log);
    *i = (struct yk_interpreter){0};
}
