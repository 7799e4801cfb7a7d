#include "support/program.h"
#include "support/check.h"
#include "support/scratch.h"

#include "base/clock.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void redirect(const char *path, int to)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);

    if (fd < 0 || dup2(fd, to) < 0)
        _exit(126);
}

bool program_is_commissioned_by_tests = true;

/* The words, and behind those of `run` what lets tests do it again and again: a folder may be used twice (-o), and the
 * rig, a device of the tests, needs no check-list. */
static void execute(const char *const *words)
{
    enum { MOST = 128 };
    const char *more[MOST] = {0};
    bool output = false;
    size_t n = 0;

    for (; words[n] && n < MOST - 4; n++) {
        output |= words[n + 1] && (strcmp(words[n], "-o") == 0 || strcmp(words[n], "--output") == 0);
        more[n] = words[n];
    }
    const bool moves = n > 1 && (strcmp(words[1], "run") == 0 || strcmp(words[1], "host") == 0);

    if (moves && output && strcmp(words[1], "run") == 0)
        more[n++] = "--force";
    if (moves && program_is_commissioned_by_tests) {
        more[n++] = "--uncommissioned";
        more[n++] = "tests: the rig is one of theirs";
    }
    execv(words[0], (char *const *)more);
}

void program_start(struct program *p, const char *const *words, size_t file_limit)
{
    static int count;

    *p = (struct program){.begin_s = 1e-9 * (double)yk_clock_now_ns()};
    snprintf(p->out_path, sizeof p->out_path, "%s-%d", scratch_path("stdout"), count);
    snprintf(p->err_path, sizeof p->err_path, "%s-%d", scratch_path("stderr"), count++);
    p->pid = fork();
    assert_true(p->pid >= 0);
    if (p->pid)
        return;
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* never outlives the test */
    redirect(p->out_path, STDOUT_FILENO);
    redirect(p->err_path, STDERR_FILENO);
    if (file_limit)
        setrlimit(RLIMIT_FSIZE, &(struct rlimit){file_limit, file_limit});
    execute(words);
    _exit(127);
}

void program_start_piped(struct program *p, const char *const *words, int *to)
{
    const int before = dup(STDIN_FILENO);
    int ends[2];

    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    dup2(ends[0], STDIN_FILENO);
    program_start(p, words, 0);
    dup2(before, STDIN_FILENO);
    close(before);
    close(ends[0]);
    *to = ends[1];
}

static char *collect(const char *path)
{
    FILE *in = fopen(path, "r");
    char *text = NULL;
    size_t size = 0, room = 0;

    assert_non_null(in);
    do {
        text = realloc(text, room += 1 << 16);
        assert_non_null(text);
        size += fread(text + size, 1, room - size - 1, in);
    } while (!feof(in));
    text[size] = 0;
    fclose(in);
    remove(path);
    return text;
}

void program_wait(struct program *p)
{
    struct rusage usage;
    int status;

    assert_int_equal(wait4(p->pid, &status, 0, &usage), p->pid);
    p->code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
    p->resident_kB = usage.ru_maxrss;
    p->wall_s = 1e-9 * (double)yk_clock_now_ns() - p->begin_s;
    p->out = collect(p->out_path);
    p->err = collect(p->err_path);
}

void program_free(struct program *p)
{
    free(p->out);
    free(p->err);
    p->out = p->err = NULL;
}

void program_sleep(double seconds)
{
    nanosleep(&(struct timespec){(time_t)seconds, (long)(1e9 * (seconds - (double)(time_t)seconds))}, NULL);
}

static char said[1 << 18];

int program_code(const char *const *words)
{
    struct program p;

    program_start(&p, words, 0);
    program_wait(&p);
    snprintf(said, sizeof said, "%s%s", p.out, p.err);
    program_free(&p);
    return p.code;
}

const char *program_said(void)
{
    return said;
}

void assert_said(const char *words)
{
    if (!strstr(said, words))
        fail_msg("'%s' is not in: %s", words, said);
}

void assert_runs(const char *const *words)
{
    const int code = program_code(words);

    if (code)
        fail_msg("exit code %d: %s", code, said);
}
