/* The one conversion between raw numbers and SI units. docs/theory/test-rigs.md, eq. (6). */
#include "transfer/calibration.h"

#include <stdlib.h>

YK_RT double yk_scale_si(const struct yk_scale *s, double raw)
{
    return s->scale * raw + s->offset;
}

YK_RT double yk_scale_raw(const struct yk_scale *s, double si)
{
    return (si - s->offset) / s->scale;
}

bool yk_scale_is_none(const struct yk_scale *s)
{
    return s->scale == 1 && s->offset == 0;
}

struct yk_scale yk_scale_chain(struct yk_scale first, struct yk_scale then)
{
    if (yk_scale_is_none(&first)) /* exactly the other one, without rounding */
        return then;
    if (yk_scale_is_none(&then))
        return first;
    return (struct yk_scale){then.scale * first.scale, yk_scale_si(&then, first.offset)};
}

struct yk_calibration yk_calibration_none(void)
{
    struct yk_calibration c = {.sent.command = YK_RAW_IS_SI};

    for (size_t k = 0; k < YK_COMMAND_KINDS; k++)
        c.read[k] = c.sent.ahead[k] = YK_RAW_IS_SI;
    return c;
}

bool yk_calibration_is_none(const struct yk_calibration *c)
{
    bool none = yk_scale_is_none(&c->sent.command);

    for (size_t k = 0; k < YK_COMMAND_KINDS; k++)
        none = none && yk_scale_is_none(&c->read[k]) && yk_scale_is_none(&c->sent.ahead[k]);
    return none;
}

struct yk_calibration yk_calibration_chain(const struct yk_calibration *first, const struct yk_calibration *then)
{
    struct yk_calibration c = {.sent.command = yk_scale_chain(first->sent.command, then->sent.command)};

    for (size_t k = 0; k < YK_COMMAND_KINDS; k++) {
        c.read[k] = yk_scale_chain(first->read[k], then->read[k]);
        c.sent.ahead[k] = yk_scale_chain(first->sent.ahead[k], then->sent.ahead[k]);
    }
    return c;
}

YK_RT struct yk_reading yk_calibration_si(const struct yk_calibration *c, struct yk_reading raw)
{
    return (struct yk_reading){.displacement = yk_scale_si(&c->read[YK_BY_DISPLACEMENT], raw.displacement),
                               .force = yk_scale_si(&c->read[YK_BY_FORCE], raw.force),
                               .acceleration = yk_scale_si(&c->read[YK_BY_ACCELERATION], raw.acceleration),
                               .velocity = yk_scale_si(&c->read[YK_BY_VELOCITY], raw.velocity)};
}

YK_RT struct yk_reading yk_calibration_raw(const struct yk_calibration *c, struct yk_reading si)
{
    return (struct yk_reading){.displacement = yk_scale_raw(&c->read[YK_BY_DISPLACEMENT], si.displacement),
                               .force = yk_scale_raw(&c->read[YK_BY_FORCE], si.force),
                               .acceleration = yk_scale_raw(&c->read[YK_BY_ACCELERATION], si.acceleration),
                               .velocity = yk_scale_raw(&c->read[YK_BY_VELOCITY], si.velocity)};
}

void yk_rig_scales_free(struct yk_rig_scales *s)
{
    free(s->actuators);
    free(s->sensors);
    *s = (struct yk_rig_scales){0};
}
