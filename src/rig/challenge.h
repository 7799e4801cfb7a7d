/* The number that a rig asks a run to repeat before a session begins.
 *
 * The rig keeps no state for those who greet it: everybody gets the same number, and whoever repeats it within its
 * life may begin a session, which uses it up. A recorded HELLO holds an old number, so it begins nothing. A number is
 * offered for LIFE and accepted for two; a HELLO that was held up for longer is asked again. */
#ifndef YOKE_CHALLENGE_H
#define YOKE_CHALLENGE_H

#include <stdbool.h>
#include <stdint.h>

#define YK_CHALLENGE_LIFE_NS INT64_C(1000000000)

struct yk_challenge {
    uint64_t number, before;     /* offered now; offered before that. 0: none */
    int64_t since_ns, before_ns; /* when they were made */
};

/* The number to offer at this time. */
uint64_t yk_challenge_number(struct yk_challenge *c, int64_t now_ns);
/* Is this a number that was offered, and still counts? */
bool yk_challenge_is_met(struct yk_challenge *c, uint64_t number, int64_t now_ns);
/* A session began: no number that was offered so far begins another. */
void yk_challenge_use_up(struct yk_challenge *c);

#endif
