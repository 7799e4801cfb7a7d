/* `yoke NAME ...` becomes the program yoke-NAME: the one beside this program, then the one where an installation has
 * it, then those above (tests). */
#include "cli/apps.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

bool find_app(const char *name, char path[APP_PATH])
{
    static const char *const places[] = {"", YOKE_APPS_FOLDER "/", "../", "../../"};
    char own[512];
    const ssize_t length = readlink("/proc/self/exe", own, sizeof own - 1);

    own[length > 0 ? length : 0] = 0;
    const char *folder = dirname(own);

    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        snprintf(path, APP_PATH, "%s/%syoke-%s", folder, places[i], name);
        if (access(path, X_OK) == 0)
            return true;
    }
    snprintf(path, APP_PATH, "the program yoke-%s is not installed: it belongs into %s or %s/%s", name, folder, folder,
             YOKE_APPS_FOLDER);
    return false;
}

int start_app(const char *name, char **argv)
{
    char path[APP_PATH];

    if (!find_app(name, path)) {
        fprintf(stderr, "yoke: %s\n", path);
        return 1;
    }
    execv(path, argv);
    fprintf(stderr, "yoke: cannot start %s: %s\n", path, strerror(errno));
    return 1;
}

/* All that is written there until the other side closes; the last line, without "yoke: ", is kept. */
static void take_last_line(int fd, char *said, size_t size)
{
    static const char prefix[] = "yoke: ";
    char line[1024];
    FILE *in = fdopen(fd, "r");

    while (in && fgets(line, sizeof line, in)) {
        line[strcspn(line, "\n")] = 0;
        snprintf(said, size, "%s", line + (strncmp(line, prefix, sizeof prefix - 1) == 0 ? sizeof prefix - 1 : 0));
    }
    if (in)
        fclose(in);
    else
        close(fd);
}

/* Without the files and signals of this process: the error of posix_spawn. */
static int spawn(pid_t *process, const char *path, char **argv, int messages)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t how;
    sigset_t none, all;
    int error;

    sigemptyset(&none);
    sigfillset(&all);
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&files, messages, STDERR_FILENO);
    posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
    posix_spawnattr_init(&how);
    posix_spawnattr_setsigmask(&how, &none);
    posix_spawnattr_setsigdefault(&how, &all);
    posix_spawnattr_setpgroup(&how, 0);
    posix_spawnattr_setflags(&how, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    error = posix_spawn(process, path, &files, &how, argv, environ);
    posix_spawn_file_actions_destroy(&files);
    posix_spawnattr_destroy(&how);
    return error;
}

bool run_app(const char *name, char **argv, char *said, size_t size)
{
    char path[APP_PATH];
    int messages[2], status = 0, error;
    pid_t process;

    *said = 0;
    if (!find_app(name, path)) {
        snprintf(said, size, "%s", path);
        return false;
    }
    if (pipe(messages)) {
        snprintf(said, size, "cannot start %s: %s", path, strerror(errno));
        return false;
    }
    error = spawn(&process, path, argv, messages[1]);
    close(messages[1]);
    if (error) {
        close(messages[0]);
        snprintf(said, size, "cannot start %s: %s", path, strerror(error));
        return false;
    }
    take_last_line(messages[0], said, size);
    if (waitpid(process, &status, 0) != process)
        return true; /* who started this program wants to know of no child's end */
    if (WIFSIGNALED(status))
        snprintf(said, size, "yoke-%s was ended by signal %d (%s)", name, WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}
