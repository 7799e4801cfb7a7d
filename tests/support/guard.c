#include "support/guard.h"
#include "support/check.h"
#include "support/trap.h"

#include <stdatomic.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { HEAD = 64 }; /* bytes in front of a block, which hold its size */
static const size_t ROOM = (size_t)8 << 30, PAGE = 4096, STRIDE = (size_t)4 << 20;

static unsigned char *base; /* ROOM bytes of address space */
static size_t opened; /* of them, that may be used: a paced run locks its memory, and with it all that may be used */
static atomic_size_t used;
static size_t begun;
static _Thread_local bool guarding;

bool guard_works(void)
{
    return trap_sees_heap();
}

static void to_page(void)
{
    atomic_store(&used, (atomic_load(&used) + PAGE - 1) / PAGE * PAGE);
}

static void protect(size_t from, int protection)
{
    assert_int_equal(mprotect(base + from, atomic_load(&used) - from, protection), 0);
}

void guard_begin(void)
{
    if (!guard_works())
        return;
    if (!base)
        base = (unsigned char *)syscall(SYS_mmap, NULL, ROOM, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE,
                                        -1, 0);
    assert_true(base != MAP_FAILED);
    to_page();
    begun = atomic_load(&used);
    guarding = true;
}

size_t guard_end(void)
{
    guarding = false;
    if (!guard_works())
        return 0;
    to_page();
    protect(begun, PROT_READ);
    return atomic_load(&used) - begun;
}

void guard_switch(bool on)
{
    guarding = on;
}

bool guard_is_on(void)
{
    return guarding;
}

struct guard_part guard_seal(void)
{
    const size_t from = begun;

    guard_end();
    return (struct guard_part){from, atomic_load(&used)};
}

void guard_open(struct guard_part part)
{
    if (part.to > part.from)
        assert_int_equal(mprotect(base + part.from, part.to - part.from, PROT_READ | PROT_WRITE), 0);
}

void guard_release(void)
{
    if (base)
        protect(0, PROT_READ | PROT_WRITE);
}

bool guard_holds(const void *memory)
{
    return base && (uintptr_t)memory - (uintptr_t)base < ROOM;
}

/* Makes room for what ends at `end`. */
static bool open_to(size_t end)
{
    const size_t to = (end + STRIDE - 1) / STRIDE * STRIDE;

    if (to > opened && mprotect(base + opened, to - opened, PROT_READ | PROT_WRITE))
        return false;
    opened = to > opened ? to : opened;
    return true;
}

void *guard_take(size_t alignment, size_t size)
{
    const size_t to = alignment > HEAD ? alignment : HEAD, whole = (size + to - 1) / to * to + 2 * to;

    if (!guarding)
        return NULL;
    const size_t at = atomic_fetch_add(&used, whole);

    if (whole < size || at + whole > ROOM || !open_to(at + whole))
        return NULL;
    const uintptr_t free_ = (uintptr_t)base + at + HEAD, block = (free_ + to - 1) / to * to;

    memcpy((void *)(block - sizeof size), &size, sizeof size);
    return (void *)block; /* the pages are zero */
}

size_t guard_size(const void *memory)
{
    size_t size;

    memcpy(&size, (const unsigned char *)memory - sizeof size, sizeof size);
    return size;
}
