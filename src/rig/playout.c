#include "rig/playout.h"

#include <stdlib.h>
#include <string.h>

enum yk_status yk_playout_make(struct yk_playout *p, size_t ticks, struct yk_err *err)
{
    p->slots = 2 * ticks + 2;
    p->of = calloc(p->slots, sizeof *p->of);
    p->number = calloc(p->slots, sizeof *p->number);
    if (p->of && p->number)
        return YK_OK;
    yk_playout_free(p);
    return yk_fail(err, YK_E_MEMORY, "out of memory for a play-out of %zu ticks", ticks);
}

void yk_playout_free(struct yk_playout *p)
{
    free(p->of);
    free(p->number);
    *p = (struct yk_playout){0};
}

void yk_playout_clear(struct yk_playout *p)
{
    if (p->slots)
        memset(p->number, 0, p->slots * sizeof *p->number);
}

YK_RT bool yk_playout_put(struct yk_playout *p, uint64_t number, const struct yk_message *m)
{
    const size_t at = number % p->slots;

    if (p->number[at] == number)
        return false;
    p->of[at] = *m;
    p->number[at] = number;
    return true;
}

YK_RT const struct yk_message *yk_playout_get(const struct yk_playout *p, uint64_t number)
{
    const size_t at = number % p->slots;

    return p->number[at] == number && number ? &p->of[at] : NULL;
}
