/* Traps for heap calls, page faults and system calls. */
#include "support/trap.h"
#include "support/check.h"
#include "support/guard.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif
#if defined(__GLIBC__) && !SANITIZED
#define HEAP_IS_OURS 1
#else
#define HEAP_IS_OURS 0
#endif

/* ---- heap ------------------------------------------------------------------------------------------------------ */

/* In the program itself thread-local data needs no call, so the functions below may use it at any time. */
static _Thread_local bool armed;
static _Thread_local long heap_calls;
static _Thread_local long faults_before;

bool trap_sees_heap(void)
{
    return HEAP_IS_OURS;
}

#if HEAP_IS_OURS

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *block);

static void note(void)
{
    heap_calls += armed;
}

static void *take(size_t alignment, size_t size)
{
    void *guarded = guard_take(alignment, size);

    note();
    return guarded ? guarded : alignment ? __libc_memalign(alignment, size) : __libc_malloc(size);
}

void *malloc(size_t size)
{
    return take(0, size);
}

void *calloc(size_t count, size_t size)
{
    void *guarded = size && count > SIZE_MAX / size ? NULL : guard_take(0, count * size);

    note();
    return guarded ? guarded : __libc_calloc(count, size);
}

void *realloc(void *block, size_t size)
{
    if (!guard_holds(block) && !(block == NULL && guard_take(0, 0))) {
        note();
        return __libc_realloc(block, size);
    }
    void *other = take(0, size);

    if (other && block)
        memcpy(other, block, guard_size(block) < size ? guard_size(block) : size);
    return other;
}

void free(void *block)
{
    note();
    if (!guard_holds(block))
        __libc_free(block);
}

void *memalign(size_t alignment, size_t size);
void *memalign(size_t alignment, size_t size)
{
    return take(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return take(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size)
{
    void *made;

    if (alignment % sizeof(void *) || alignment & (alignment - 1) || !alignment)
        return EINVAL;
    if (!(made = take(alignment, size)))
        return ENOMEM;
    *block = made;
    return 0;
}

void *mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset)
{
    note();
    return (void *)syscall(SYS_mmap, address, size, protection, flags, fd, offset);
}

int munmap(void *address, size_t size)
{
    note();
    return (int)syscall(SYS_munmap, address, size);
}

#endif

/* ---- page faults ----------------------------------------------------------------------------------------------- */

bool trap_sees_faults(void)
{
    return !SANITIZED;
}

static long page_faults(void)
{
    struct rusage usage;

    if (!trap_sees_faults())
        return 0;
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_minflt + usage.ru_majflt;
}

void trap_begin(void)
{
    heap_calls = 0;
    faults_before = page_faults();
    armed = true;
}

void trap_end(struct trap_counts *counts)
{
    armed = false;
    *counts = (struct trap_counts){.page_faults = page_faults() - faults_before, .heap_calls = heap_calls};
}

/* ---- system calls ---------------------------------------------------------------------------------------------- */

/* Numbers that no kernel gives out: they do nothing but mark the section. */
enum { MARK_BEGIN = 0x59001, MARK_END = 0x59002 };
enum { EXIT_UNTRACED = 97 };

static void run_traced(void (*body)(void *), void *arg)
{
    if (ptrace(PTRACE_TRACEME, 0, NULL, NULL))
        _exit(EXIT_UNTRACED);
    raise(SIGSTOP); /* the parent sets its options meanwhile */
    syscall(MARK_BEGIN);
    body(arg);
    syscall(MARK_END);
    _exit(0);
}

/* Number of the system call that `child` enters, -1 at its return, -2 where the kernel cannot say. */
static long entered(pid_t child)
{
    struct __ptrace_syscall_info info;

    if (ptrace(PTRACE_GET_SYSCALL_INFO, child, sizeof info, &info) <= 0)
        return -2;
    return info.op == PTRACE_SYSCALL_INFO_ENTRY ? (long)info.entry.nr : -1;
}

struct tally {
    bool begun, ended;
    long count, first;
};

/* Takes one stop at a system call; false where the kernel cannot say which. */
static bool tally_stop(struct tally *t, pid_t child)
{
    const long number = entered(child);

    if (number == MARK_BEGIN) {
        t->begun = true;
    } else if (number == MARK_END) {
        t->ended = true;
    } else if (number >= 0 && t->begun && !t->ended) {
        if (t->count++ == 0)
            t->first = number;
    }
    return number != -2;
}

/* Lets the child run from stop to stop until it ends; returns its wait status. */
static int follow(struct tally *t, pid_t child)
{
    const int at_syscall = SIGTRAP | 0x80;
    int status, pass_on;
    bool known = true;

    while (waitpid(child, &status, 0) == child && WIFSTOPPED(status)) {
        pass_on = 0;
        if (WSTOPSIG(status) == at_syscall)
            known = known && tally_stop(t, child);
        else if (WSTOPSIG(status) == SIGSTOP)
            ptrace(PTRACE_SETOPTIONS, child, NULL, PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL);
        else
            pass_on = WSTOPSIG(status);
        ptrace(PTRACE_SYSCALL, child, NULL, (void *)(intptr_t)pass_on);
    }
    if (!known)
        t->count = TRAP_UNAVAILABLE;
    return status;
}

long count_syscalls(void (*body)(void *), void *arg, long *first)
{
    struct tally t = {.first = -1};
    const pid_t child = fork();
    int status;

    if (child < 0)
        return TRAP_UNAVAILABLE;
    if (child == 0)
        run_traced(body, arg);
    status = follow(&t, child);
    if (first)
        *first = t.first;
    if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_UNTRACED)
        return TRAP_UNAVAILABLE;
    if (t.count >= 0 && !t.ended)
        return TRAP_BODY_DIED;
    return t.count;
}

void assert_clean(void (*body)(void *), void *arg)
{
    struct trap_counts counts;
    long calls;

    trap_begin();
    body(arg);
    trap_end(&counts);
    assert_int_equal(counts.heap_calls, 0);
    calls = count_syscalls(body, arg, NULL);
    assert_true(calls == 0 || calls == TRAP_UNAVAILABLE);
}
