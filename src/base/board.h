/* A notice board in memory, shared or not: one writer posts messages of 64-bit words, anybody reads the newest. Neither
 * side ever waits for the other. Messages alternate between two places, so a reader must start again with the newest
 * only if two more are posted while it copies.
 *
 * Each place has a mark: 2k - 1 while message k is written into it, 2k when it is there. Every word is stored with
 * release and loaded with acquire order: a reader that has copied a word of a later message also sees the mark of that
 * message. Plain loads and stores on x86, and without fences, which thread sanitizers do not know. */
#ifndef YOKE_BOARD_H
#define YOKE_BOARD_H

#include <stdatomic.h>
#include <stdint.h>
#include <yoke/status.h>

struct yk_board_place {
    _Atomic uint64_t mark, length;
    _Atomic uint64_t words[];
};

struct yk_board {
    _Alignas(64) _Atomic uint64_t posted; /* number of the newest message; 0: none yet */
    _Atomic uint32_t bell;                /* its lower half: what a futex can wait for */
};

/* Bytes of a board for messages of up to `words` words. Both sides must know `words`; nothing in the memory is trusted
 * for it. The memory must be zero at first and aligned to 64 bytes. */
size_t yk_board_size(size_t words);
void yk_board_post(struct yk_board *b, size_t words, const uint64_t *message, size_t length) YK_RT;
/* Copies the newest message, returns its number and its length; 0 if there is none, or if the writer was faster TRIES
 * times. */
uint64_t yk_board_read(const struct yk_board *b, size_t words, uint64_t *message, size_t *length) YK_RT;

/* Wakes threads that sleep in yk_board_wait. */
void yk_board_ring(struct yk_board *b);
/* Waits for a message after number `seen`, or until `until_ns`: polls for spin_ns, then sleeps. */
bool yk_board_wait(struct yk_board *b, uint64_t seen, int64_t spin_ns, int64_t until_ns);

#endif
