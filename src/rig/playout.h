/* Messages by number: what is on its way to a distant site, and what came from it out of turn. docs/sites.md.
 *
 * With a play-out of D ticks the run takes, in tick n, the reading that answers its command n - D. The site plays the
 * commands in their order, whatever order they came in. So neither latency nor jitter below D ticks changes a sample.
 */
#ifndef YOKE_RIG_PLAYOUT_H
#define YOKE_RIG_PLAYOUT_H

#include "rig/message.h"

struct yk_playout {
    size_t slots; /* 0: there is none */
    struct yk_message *of;
    uint64_t *number; /* of each; 0: empty */
};
/* Room for the messages of a play-out of so many ticks, both on their way and behind; free it. */
enum yk_status yk_playout_make(struct yk_playout *p, size_t ticks, struct yk_err *err);
void yk_playout_free(struct yk_playout *p);
void yk_playout_clear(struct yk_playout *p);
/* False: it is there already. */
bool yk_playout_put(struct yk_playout *p, uint64_t number, const struct yk_message *m) YK_RT;
/* NULL: it is not there. */
const struct yk_message *yk_playout_get(const struct yk_playout *p, uint64_t number) YK_RT;

#endif
