/* Corrected readings. docs/backends.md, "Readings". */
#include "transfer/readings.h"

YK_RT static double *quantity(struct yk_reading *r, size_t kind)
{
    return kind == YK_BY_FORCE          ? &r->force
           : kind == YK_BY_VELOCITY     ? &r->velocity
           : kind == YK_BY_ACCELERATION ? &r->acceleration
                                        : &r->displacement;
}

/* Before the filter: from the rig, or from sensors that are corrected already. */
YK_RT static double converted(const struct yk_correction *c, double raw, const double *sensors)
{
    double value = c->from_count ? c->from_start : yk_scale_si(&c->scale, raw);

    for (size_t k = 0; k < c->from_count; k++)
        value += c->from[k].factor * sensors[c->from[k].sensor];
    return value - c->zero;
}

YK_RT static void check_range(const struct yk_correction *c, double value, struct yk_supervisor *supervisor)
{
    struct yk_sensor_limit passed = c->label;

    if (c->low == c->high || (value >= c->low && value <= c->high))
        return;
    passed.limit = value > c->high ? c->high : c->low;
    yk_supervisor_raise_named(supervisor, YK_LIMIT_READING_RANGE, &passed, value);
}

/* One channel; supervisor NULL: a reset. */
YK_RT static double correct(struct yk_correction *c, double raw, const double *sensors,
                            struct yk_supervisor *supervisor)
{
    if (!c->used)
        return raw;
    const double value = converted(c, raw, sensors);

    if (!supervisor) {
        yk_filter_reset(&c->filter, value);
        return value;
    }
    check_range(c, value, supervisor);
    return isfinite(value) ? yk_filter_step(&c->filter, value) : value; /* the filter would keep it for good */
}

YK_RT static void correct_all(struct yk_corrections *c, const struct yk_rig_in *raw, struct yk_rig_in *in,
                              struct yk_supervisor *supervisor)
{
    for (size_t k = 0; k < c->sensors; k++)
        in->sensors[k] = correct(&c->of[YK_COMMAND_KINDS * c->actuators + k], raw->sensors[k], in->sensors, supervisor);
    for (size_t i = 0; i < c->actuators; i++)
        for (size_t k = 0; k < YK_COMMAND_KINDS; k++)
            *quantity(&in->readings[i], k) =
                correct(&c->of[YK_COMMAND_KINDS * i + k], *quantity(&raw->readings[i], k), in->sensors, supervisor);
}

void yk_corrections_reset(struct yk_corrections *c, const struct yk_rig_in *raw, struct yk_rig_in *in)
{
    correct_all(c, raw, in, NULL);
}

YK_RT void yk_corrections_step(struct yk_corrections *c, const struct yk_rig_in *raw, struct yk_rig_in *in,
                               struct yk_supervisor *supervisor)
{
    correct_all(c, raw, in, supervisor);
}
