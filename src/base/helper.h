/* A second thread that takes half of a piece of work off the loop, such as half of a large triangular solve.
 *
 * The loop offers one half, does the other, and takes the offered half back if the helper has not begun with it. So a
 * helper that sleeps or is late costs nothing; only one that loses its core in the middle of its half keeps the loop
 * waiting: it needs a core of its own. Both halves are the same work whoever does them: results do not depend on the
 * helper, bit by bit. */
#ifndef YOKE_HELPER_H
#define YOKE_HELPER_H

#include <yoke/status.h>

#include <pthread.h>

struct yk_helper; /* opaque: owns a thread, which watches for work and, after a millisecond without any, dozes */
enum yk_status yk_helper_hire(struct yk_helper **helper, struct yk_err *err);
void yk_helper_dismiss(struct yk_helper *helper);
const pthread_t *yk_helper_thread(const struct yk_helper *helper); /* NULL: there is none */

/* From now on it helps the calling thread; NULL: nobody does. */
void yk_helper_assign(struct yk_helper *helper);

/* half(self, 0) and half(self, 1), in this order or at the same time. They must not write what the other one reads. */
void yk_in_halves(void (*half)(void *self, int which), void *self) YK_RT;

#endif
