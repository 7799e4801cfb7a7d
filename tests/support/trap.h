/* Traps for code that must run in a real-time loop: heap calls, page faults, system calls.
 *
 * Heap calls and page faults are counted for the calling thread between trap_begin and trap_end. The heap functions of
 * the test program stand in front of those of the C library, for its shared libraries too; calls that the C library
 * makes to itself (printf's buffers, say) go through the same names. Anonymous mappings that others make are counted as
 * heap calls; those of malloc itself, and its brk, show as the malloc and as system calls.
 *
 * System calls are counted by ptrace in a forked copy of the process. They are really carried out, so the code behaves
 * as it does elsewhere; a seccomp filter would have to refuse or to kill. What the vDSO answers in user space (the
 * clock) is no system call. */
#ifndef YOKE_TEST_TRAP_H
#define YOKE_TEST_TRAP_H

#include <stdbool.h>

struct trap_counts {
    long heap_calls;
    long page_faults; /* minor and major */
};

/* False in builds whose heap belongs to a sanitizer or whose C library is not glibc: heap_calls then stays 0. */
bool trap_sees_heap(void);
/* False in builds with a sanitizer, whose shadow memory faults as well: page_faults then stays 0. */
bool trap_sees_faults(void);

void trap_begin(void);
void trap_end(struct trap_counts *counts);

enum {
    TRAP_UNAVAILABLE = -1, /* this machine forbids ptrace: skip      */
    TRAP_BODY_DIED = -2    /* the body ended by a signal or by exit  */
};

/* Runs body(arg) in a forked copy and returns how many system calls it made, or one of the codes above; *first (may be
 * NULL) is the number of the first, -1 where none. What the body changes is lost with the copy. */
long count_syscalls(void (*body)(void *), void *arg, long *first);

/* Fails unless body(arg), which ran before, makes no heap call and, where that can be seen, no system call. */
void assert_clean(void (*body)(void *), void *arg);

#endif
