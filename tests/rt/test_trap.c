/* The traps catch what they are set for: without this, zero counts elsewhere would prove nothing. */
#include "support/check.h"
#include "support/trap.h"

#include <stdlib.h>

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static void nothing(void *arg)
{
}

static void two_calls(void *arg)
{
    syscall(SYS_getppid);
    syscall(SYS_getpid);
}

static void large_block(void *arg)
{
    void *volatile block = malloc(64 << 20);

    free(block);
}

static void leave(void *arg)
{
    _exit(0);
}

static long checked_count(void (*body)(void *), long *first)
{
    const long count = count_syscalls(body, NULL, first);

    if (count == TRAP_UNAVAILABLE) {
        print_message("skipped: ptrace is not allowed here\n");
        skip();
    }
    return count;
}

static void heap_calls_are_counted(void **state)
{
    struct trap_counts counts;
    void *volatile block;

    if (!trap_sees_heap()) {
        print_message("skipped: the heap belongs to a sanitizer or to another C library\n");
        skip();
    }
    trap_begin();
    block = malloc(10);
    free(block);
    block = calloc(3, 10);
    block = realloc(block, 100);
    free(block);
    block = aligned_alloc(64, 128);
    free(block);
    if (posix_memalign((void **)&block, 64, 10) == 0)
        free(block);
    trap_end(&counts);
    assert_int_equal(counts.heap_calls, 9);
}

static void heap_calls_of_shared_libraries_are_counted(void **state)
{
    struct trap_counts counts;
    char *volatile copy;

    if (!trap_sees_heap())
        skip();
    trap_begin();
    copy = strdup("the C library allocates this");
    trap_end(&counts);
    free(copy);
    assert_int_equal(counts.heap_calls, 1);
}

static void heap_is_quiet_outside_the_section(void **state)
{
    struct trap_counts counts;
    void *volatile block = malloc(10);

    free(block);
    trap_begin();
    trap_end(&counts);
    assert_int_equal(counts.heap_calls, 0);
}

static void fresh_pages_are_counted(void **state)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), pages = 16;
    volatile char *block;
    struct trap_counts first, again;

    if (!trap_sees_faults()) {
        print_message("skipped: a sanitizer's shadow memory faults as well\n");
        skip();
    }
    block = mmap(NULL, pages * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(block != MAP_FAILED);
    madvise((void *)block, pages * page, MADV_NOHUGEPAGE);
    for (int pass = 0; pass < 2; pass++) {
        trap_begin();
        for (size_t i = 0; i < pages; i++)
            block[i * page] = 1;
        trap_end(pass ? &again : &first);
    }
    munmap((void *)block, pages * page);
    assert_true(first.page_faults >= (long)pages);
    assert_int_equal(again.page_faults, 0);
}

static void system_calls_are_counted(void **state)
{
    long first;

    assert_int_equal(checked_count(two_calls, &first), 2);
    assert_int_equal(first, SYS_getppid);
}

static void arithmetic_makes_no_system_call(void **state)
{
    long first;

    assert_int_equal(checked_count(nothing, &first), 0);
    assert_int_equal(first, -1);
}

static void memory_taken_from_the_kernel_shows_as_system_calls(void **state)
{
    assert_true(checked_count(large_block, NULL) >= 2);
}

static void body_that_ends_the_process_is_reported(void **state)
{
    assert_int_equal(checked_count(leave, NULL), TRAP_BODY_DIED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(heap_calls_are_counted),
        cmocka_unit_test(heap_calls_of_shared_libraries_are_counted),
        cmocka_unit_test(heap_is_quiet_outside_the_section),
        cmocka_unit_test(fresh_pages_are_counted),
        cmocka_unit_test(system_calls_are_counted),
        cmocka_unit_test(arithmetic_makes_no_system_call),
        cmocka_unit_test(memory_taken_from_the_kernel_shows_as_system_calls),
        cmocka_unit_test(body_that_ends_the_process_is_reported),
    };
    return cmocka_run_group_tests_name("trap", tests, NULL, NULL);
}
