/* Device units, and metres and newtons. docs/theory/test-rigs.md, eq. (6):
 *
 *     s = sign gain y + offset,   s'' = sign gain y'',   f = sign force_gain z + force_offset */
#include "transfer/setup.h"

const struct yk_param yk_calibration_params[] = {
    YK_REAL(struct yk_calibration, gain, YK_STROKE_GAIN, 1, YK_TINY, 1e9,
            "stroke for one unit of the device, such as 12.5 mm/V"),
    YK_REAL(struct yk_calibration, offset, YK_DISPLACEMENT, 0, -1e3, 1e3, "stroke at which the device reads zero"),
    YK_REAL(struct yk_calibration, force_gain, YK_FORCE_GAIN, 1, YK_TINY, 1e9,
            "force for one unit of the load cell, such as 5 kN/V"),
    YK_REAL(struct yk_calibration, force_offset, YK_FORCE, 0, -1e9, 1e9, "force at which the load cell reads zero"),
    YK_FLAG(struct yk_calibration, reversed, 0, "the positive direction of the device shortens the actuator"),
    YK_PARAM_END,
};

YK_RT static double signed_by(const struct yk_calibration *c, double gain)
{
    return c->reversed ? -gain : gain;
}

YK_RT double yk_calibration_device(const struct yk_calibration *c, double stroke)
{
    return (stroke - c->offset) / signed_by(c, c->gain);
}

YK_RT double yk_calibration_stroke(const struct yk_calibration *c, double device)
{
    return signed_by(c, c->gain) * device + c->offset;
}

YK_RT double yk_calibration_command(const struct yk_calibration *c, enum yk_command_kind kind, double command)
{
    return kind == YK_BY_DISPLACEMENT ? yk_calibration_device(c, command)
           : kind == YK_BY_FORCE      ? (command - c->force_offset) / signed_by(c, c->force_gain)
                                      : command / signed_by(c, c->gain);
}

YK_RT struct yk_reading yk_calibration_raw(const struct yk_calibration *c, struct yk_reading si)
{
    return (struct yk_reading){.displacement = yk_calibration_device(c, si.displacement),
                               .force = (si.force - c->force_offset) / signed_by(c, c->force_gain),
                               .acceleration = si.acceleration / signed_by(c, c->gain),
                               .velocity = si.velocity / signed_by(c, c->gain)};
}

YK_RT struct yk_reading yk_calibration_si(const struct yk_calibration *c, struct yk_reading raw)
{
    return (struct yk_reading){.displacement = yk_calibration_stroke(c, raw.displacement),
                               .force = signed_by(c, c->force_gain) * raw.force + c->force_offset,
                               .acceleration = signed_by(c, c->gain) * raw.acceleration,
                               .velocity = signed_by(c, c->gain) * raw.velocity};
}

bool yk_calibration_is_none(const struct yk_calibration *c)
{
    return c->gain == 1 && c->offset == 0 && c->force_gain == 1 && c->force_offset == 0 && !c->reversed;
}
