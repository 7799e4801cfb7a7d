/* The notice board. */
#include "base/board.h"

#include "base/clock.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { LINE = 64, NS_PER_S = 1000000000, TRIES = 16 };

static size_t place_size(size_t words)
{
    return (sizeof(struct yk_board_place) + words * sizeof(uint64_t) + LINE - 1) / LINE * LINE;
}

size_t yk_board_size(size_t words)
{
    return sizeof(struct yk_board) + 2 * place_size(words);
}

YK_RT static struct yk_board_place *place_of(const struct yk_board *b, size_t words, uint64_t number)
{
    return (struct yk_board_place *)((char *)b + sizeof *b + (number & 1) * place_size(words));
}

YK_RT void yk_board_post(struct yk_board *b, size_t words, const uint64_t *message, size_t length)
{
    const uint64_t number = atomic_load_explicit(&b->posted, memory_order_relaxed) + 1;
    struct yk_board_place *p = place_of(b, words, number);

    atomic_store_explicit(&p->mark, 2 * number - 1, memory_order_relaxed);
    atomic_store_explicit(&p->length, length, memory_order_release);
    for (size_t i = 0; i < length; i++)
        atomic_store_explicit(&p->words[i], message[i], memory_order_release);
    atomic_store_explicit(&p->mark, 2 * number, memory_order_release);
    atomic_store_explicit(&b->posted, number, memory_order_release);
    atomic_store_explicit(&b->bell, (uint32_t)number, memory_order_release);
}

YK_RT uint64_t yk_board_read(const struct yk_board *b, size_t words, uint64_t *message, size_t *length)
{
    for (int tries = 0; tries < TRIES; tries++) {
        const uint64_t number = atomic_load_explicit(&b->posted, memory_order_acquire);
        struct yk_board_place *p = place_of(b, words, number);

        if (!number)
            return 0;
        if (atomic_load_explicit(&p->mark, memory_order_acquire) != 2 * number)
            continue;
        *length = atomic_load_explicit(&p->length, memory_order_acquire);
        if (*length > words)
            continue; /* of a message that is being written, or of a writer that misbehaves */
        for (size_t i = 0; i < *length; i++)
            message[i] = atomic_load_explicit(&p->words[i], memory_order_acquire);
        if (atomic_load_explicit(&p->mark, memory_order_relaxed) == 2 * number)
            return number;
    }
    return 0;
}

void yk_board_ring(struct yk_board *b)
{
    syscall(SYS_futex, &b->bell, FUTEX_WAKE, 1, NULL, NULL, 0);
}

bool yk_board_wait(struct yk_board *b, uint64_t seen, int64_t spin_ns, int64_t until_ns)
{
    const struct timespec until = {.tv_sec = until_ns / NS_PER_S, .tv_nsec = until_ns % NS_PER_S};
    const int64_t begin = yk_clock_now_ns();
    int64_t now = begin;

    for (;;) {
        const uint32_t bell = atomic_load_explicit(&b->bell, memory_order_acquire);

        if (atomic_load_explicit(&b->posted, memory_order_acquire) != seen)
            return true;
        if (now >= until_ns)
            return false;
        if (now - begin >= spin_ns) /* the time limit is absolute, so that a signal does not lengthen it */
            syscall(SYS_futex, &b->bell, FUTEX_WAIT_BITSET, bell, &until, NULL, FUTEX_BITSET_MATCH_ANY);
        now = yk_clock_now_ns();
    }
}
