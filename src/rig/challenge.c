/* Fresh numbers of a rig. */
#include "rig/challenge.h"

#include <sys/random.h>

/* Numbers are never 0: a HELLO that answers nothing has 0. Without random numbers nobody is let in. */
static uint64_t fresh(void)
{
    uint64_t number = 0;

    return getrandom(&number, sizeof number, GRND_NONBLOCK) == sizeof number ? number : 0;
}

/* Replaces a number at the end of its life. */
static void renew(struct yk_challenge *c, int64_t now_ns)
{
    if (c->number && now_ns - c->since_ns < YK_CHALLENGE_LIFE_NS)
        return;
    *c = (struct yk_challenge){.number = fresh(), .before = c->number, .since_ns = now_ns, .before_ns = c->since_ns};
}

uint64_t yk_challenge_number(struct yk_challenge *c, int64_t now_ns)
{
    renew(c, now_ns);
    return c->number;
}

bool yk_challenge_is_met(struct yk_challenge *c, uint64_t number, int64_t now_ns)
{
    renew(c, now_ns);
    return number && (number == c->number || (number == c->before && now_ns - c->before_ns < 2 * YK_CHALLENGE_LIFE_NS));
}

void yk_challenge_use_up(struct yk_challenge *c)
{
    *c = (struct yk_challenge){0};
}
