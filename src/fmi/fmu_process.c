/* The process that an FMU runs in (host.c): start, wait for its answer, end. What it does there cannot harm a run. */
#include "fmi/fmu_parts.h"

#include "base/clock.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SLICE_NS = 5000000, LOADING_S = 30 };

/* Beside the program or library, above it (tests), and where an installation has it. */
bool yk_fmu_tool(const char *name, char *path, size_t size)
{
    static const char *const places[] = {"", "../", "../../", YOKE_FMU_HOST_FOLDER "/", YOKE_FMU_HOST_FROM_LIB "/"};
    char own[2][1024] = {"", ""};
    Dl_info info;
    const ssize_t length = readlink("/proc/self/exe", own[0], sizeof own[0] - 1);

    own[0][length > 0 ? length : 0] = 0;
    if (dladdr(places, &info) && info.dli_fname)
        snprintf(own[1], sizeof own[1], "%s", info.dli_fname);
    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; *own[i] && k < sizeof places / sizeof *places; k++) {
            char folder[1024];

            snprintf(folder, sizeof folder, "%.1000s", own[i]);
            snprintf(path, size, "%.1000s/%s%s", dirname(folder), places[k], name);
            if (access(path, R_OK) == 0)
                return true;
        }
    return false;
}

/* Variables that an FMU may see: a plain locale and path, and those that choose the variants of BLAS and of the C
 * library, since a result must not depend on the process in which it is computed (`--portable-bits`). */
struct environment {
    char locale[16], path[32], chosen[2][512];
    char *list[5];
};

static void environment_fill(struct environment *e)
{
    static const char *const names[] = {"OPENBLAS_CORETYPE", "GLIBC_TUNABLES"};
    size_t count = 2;

    *e = (struct environment){.locale = "LC_ALL=C", .path = "PATH=/usr/bin:/bin"};
    e->list[0] = e->locale;
    e->list[1] = e->path;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *value = getenv(names[i]);
        const int length = value ? snprintf(e->chosen[i], sizeof e->chosen[i], "%s=%s", names[i], value) : -1;

        if (length > 0 && (size_t)length < sizeof e->chosen[i])
            e->list[count++] = e->chosen[i];
    }
}

static enum yk_status spawn(struct yk_fmu *f, int memory, struct yk_err *err)
{
    struct environment environment;
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    char host[1200];
    int life[2], code;

    if (!yk_fmu_tool("yoke-fmu-host", host, sizeof host))
        return yk_fail(err, YK_E_IO, "the program yoke-fmu-host, in which FMUs run, is not installed beside yoke");
    if (pipe2(life, O_CLOEXEC) != 0)
        return yk_fail(err, YK_E_IO, "no pipe can be made: %s", strerror(errno));
    environment_fill(&environment);
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    /* over numbers that neither of them has */
    posix_spawn_file_actions_adddup2(&actions, memory, 1000);
    posix_spawn_file_actions_adddup2(&actions, life[0], 1001);
    posix_spawn_file_actions_adddup2(&actions, 1000, YK_FMU_MEMORY_FD);
    posix_spawn_file_actions_adddup2(&actions, 1001, YK_FMU_LIFE_FD);
    posix_spawn_file_actions_addclosefrom_np(&actions, YK_FMU_LIFE_FD + 1);
    posix_spawn_file_actions_addchdir_np(&actions, f->folder);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
    code = posix_spawn(&f->pid, host, &actions, &attributes, (char *[]){host, NULL}, environment.list);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    close(life[0]);
    f->life = life[1];
    if (!code)
        return YK_OK;
    f->pid = 0;
    return yk_fail(err, YK_E_IO, "%s cannot be started: %s", host, strerror(code));
}

bool yk_fmu_has_gone(struct yk_fmu *f)
{
    int how;

    if (!f->pid || waitpid(f->pid, &how, WNOHANG) != f->pid)
        return false;
    f->pid = 0;
    f->fault.outcome = WIFSIGNALED(how) ? YK_FMU_DIED : YK_FMU_EXITED;
    f->fault.code = WIFSIGNALED(how) ? WTERMSIG(how) : WEXITSTATUS(how);
    return true;
}

/* The FMU can write to the memory of both and may have left anything there: the loop ends at its deadline, whatever the
 * board says. */
YK_RT bool yk_fmu_await_answer(struct yk_fmu *f, int64_t longest_ns)
{
    const int64_t begin = yk_clock_now_ns(), end = begin + longest_ns;
    const size_t words = yk_fmu_answer_words(&f->job);
    size_t length;
    uint64_t number;

    for (int64_t now = begin; !f->dead && now < end; now = yk_clock_now_ns()) {
        const int64_t until = end < now + SLICE_NS ? end : now + SLICE_NS;

        if (yk_board_wait(f->answers, f->seen, now == begin ? YK_FMU_SPIN_NS : 0, until) &&
            (number = yk_board_read(f->answers, words, &f->answer[0].n, &length)) > f->seen && length == words) {
            f->seen = number;
            return true;
        }
        f->dead = yk_fmu_has_gone(f);
    }
    if (!f->dead) {
        if (f->pid > 0)
            kill(f->pid, SIGKILL); /* with the priority of a loop it could hold a processor */
        f->fault.outcome = YK_FMU_SILENT;
        f->fault.waited_s = 1e-9 * (double)longest_ns;
        f->dead = true;
    }
    memcpy(f->fault.where, f->shared->where, sizeof f->fault.where - 1);
    return false;
}

void yk_fmu_end_host(struct yk_fmu *f)
{
    if (f->life >= 0)
        close(f->life);
    f->life = -1;
    if (f->pid > 0) {
        kill(f->pid, SIGKILL);
        waitpid(f->pid, NULL, 0);
    }
    f->pid = 0;
    if (f->shared)
        munmap(f->shared, f->shared_size);
    f->shared = NULL;
    f->seen = 0;
}

enum yk_status yk_fmu_start_host(struct yk_fmu *f, struct yk_err *err)
{
    const int memory = memfd_create("yoke-fmu", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    enum yk_status st = YK_OK;
    char words[YK_FMU_TEXT + 200];

    yk_fmu_end_host(f);
    f->dead = false;
    f->fault = (struct yk_fmu_failure){0};
    f->shared_size = yk_fmu_shared_size(&f->job);
    if (memory < 0 || ftruncate(memory, (off_t)f->shared_size) != 0 ||
        fcntl(memory, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW) != 0 ||
        (f->shared = mmap(NULL, f->shared_size, PROT_READ | PROT_WRITE, MAP_SHARED, memory, 0)) == MAP_FAILED) {
        f->shared = NULL;
        st = yk_fail(err, YK_E_MEMORY, "no shared memory for the FMU: %s", strerror(errno));
    }
    if (!st) {
        f->shared->job = f->job;
        f->requests = (struct yk_board *)((char *)f->shared + yk_fmu_requests_at());
        f->answers = (struct yk_board *)((char *)f->shared + yk_fmu_answers_at(&f->job));
        st = spawn(f, memory, err);
    }
    if (memory >= 0)
        close(memory);
    if (!st && !yk_fmu_await_answer(f, (int64_t)LOADING_S * 1000000000)) {
        yk_fmu_fault(f, words, sizeof words);
        st = yk_fail(err, YK_E_INPUT, "%s", words);
    } else if (!st && f->answer[0].n) {
        st = yk_fail(err, YK_E_INPUT, "%.*s", YK_FMU_TEXT - 1, f->shared->text); /* it may not end */
    }
    return st;
}
