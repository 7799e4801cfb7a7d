/* Numbers of the backend `ethercat` in its process image: control words and commands out, readings in. */
#include "rig/ethercat_parts.h"

#include <math.h>
#include <string.h>

/* ---- numbers in the image ---- */

YK_RT static double get(const uint8_t *image, const struct yk_ec_place *p)
{
    const uint64_t raw = yk_bits_get(image, p->bit, p->bits);
    float f;
    double d;

    switch (p->type) {
    case YK_EC_F32:
        memcpy(&f, &(uint32_t){(uint32_t)raw}, sizeof f);
        return f;
    case YK_EC_F64:
        memcpy(&d, &raw, sizeof d);
        return d;
    case YK_EC_I8:
    case YK_EC_I16:
    case YK_EC_I32:
    case YK_EC_I64:
        return (double)((int64_t)(raw << (64 - p->bits)) >> (64 - p->bits));
    default:
        return (double)raw;
    }
}

/* The nearest number of the type; what is beyond its range becomes its end. */
YK_RT static uint64_t nearest(double value, enum yk_ec_type type, int bits)
{
    const bool is_signed = type == YK_EC_I8 || type == YK_EC_I16 || type == YK_EC_I32 || type == YK_EC_I64;
    const double most = ldexp(1, bits - is_signed), least = is_signed ? -most : 0;

    if (!(value > least)) /* no number, too */
        return is_signed && value <= least ? (uint64_t)1 << (bits - 1) : 0;
    value = nearbyint(value);
    if (value >= most)
        return (bits == 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1) >> is_signed;
    return value < 0 ? (uint64_t)(int64_t)value : (uint64_t)value;
}

YK_RT void yk_ec_place_put(uint8_t *image, const struct yk_ec_place *p, double value)
{
    uint64_t raw = 0;

    if (p->type == YK_EC_F32) {
        const float f = (float)value;

        memcpy(&raw, &f, sizeof f);
    } else if (p->type == YK_EC_F64) {
        memcpy(&raw, &value, sizeof value);
    } else {
        raw = nearest(value, p->type, p->bits);
    }
    yk_bits_put(image, p->bit, p->bits, raw);
}

YK_RT uint16_t yk_ec_rig_word(const struct yk_ec_rig *r, const struct yk_ec_place *p)
{
    return p->bits ? (uint16_t)yk_bits_get(r->master.inputs, p->bit, p->bits) : 0;
}

/* ---- what goes out ---- */

/* The target that leaves a drive where it is: its position, or no speed and no torque. */
YK_RT static uint64_t stay(const struct yk_ec_rig *r, const struct yk_ec_wired *c)
{
    const struct yk_ec_place *actual = c->drive >= 0 ? &r->drives[c->drive].actual : NULL;

    return actual && actual->bits ? yk_bits_get(r->master.inputs, actual->bit, actual->bits) : 0;
}

YK_RT bool yk_ec_rig_mode_is_right(const struct yk_ec_rig *r, const struct yk_ec_axis *d)
{
    return !d->mode_shown.bits || (uint8_t)yk_ec_rig_word(r, &d->mode_shown) == d->mode_command;
}

YK_RT bool yk_ec_rig_follows(const struct yk_ec_rig *r, const struct yk_ec_axis *d)
{
    const struct yk_ec_slave_setup *told = &r->setup.slaves[d->slave];
    const uint16_t status = yk_ec_rig_word(r, &d->status);

    return yk_drive_state(status) == YK_DRIVE_ENABLED && yk_ec_rig_mode_is_right(r, d) &&
           (status & YK_DRIVE_FOLLOWS || told->follows == YK_EC_FOLLOWS_ENABLED) &&
           !(told->drive == YK_EC_CSP && status & YK_DRIVE_LAGS);
}

YK_RT static double output_of(const struct yk_ec_wired *c, const struct yk_rig_out *out)
{
    switch (c->told->role) {
    case YK_EC_ROLE_COMMAND:
        return out->command[c->item];
    case YK_EC_ROLE_FEED_VELOCITY:
        return out->ahead ? out->ahead[c->item].velocity : c->told->offset;
    case YK_EC_ROLE_FEED_FORCE:
        return out->ahead ? out->ahead[c->item].force : c->told->offset;
    default: /* lines go by yk_ec_rig_put_lines */
        return 0;
    }
}

YK_RT void yk_ec_rig_put_lines(struct yk_ec_rig *r, uint32_t lines)
{
    r->sent_lines = lines;
    for (size_t i = 0; i < r->channel_count; i++) {
        const struct yk_ec_wired *c = &r->channels[i];

        if (c->is_output && c->told->role == YK_EC_ROLE_LINE)
            yk_ec_place_put(r->master.outputs, &c->at, ((lines >> c->item & 1) - c->told->offset) / c->told->scale);
    }
}

/* `out` NULL: lines stay as they are. */
YK_RT void yk_ec_rig_fill(struct yk_ec_rig *r, const struct yk_rig_out *out)
{
    uint8_t *image = r->master.outputs;

    if (out)
        yk_ec_rig_put_lines(r, out->lines);
    for (size_t i = 0; i < r->drive_count; i++) {
        struct yk_ec_axis *d = &r->drives[i];

        d->sent = yk_drive_control(yk_ec_rig_word(r, &d->status), r->goal, d->sent);
        yk_bits_put(image, d->control.bit, d->control.bits, d->sent);
        if (d->mode.bits)
            yk_bits_put(image, d->mode.bit, d->mode.bits, d->mode_command);
    }
    for (size_t i = 0; i < r->channel_count; i++) {
        const struct yk_ec_wired *c = &r->channels[i];

        if (!c->is_output || c->told->role == YK_EC_ROLE_LINE)
            continue;
        if (!out || !r->follows || (c->drive >= 0 && !yk_ec_rig_follows(r, &r->drives[c->drive])))
            yk_bits_put(image, c->at.bit, c->at.bits, stay(r, c));
        else
            yk_ec_place_put(image, &c->at, (output_of(c, out) - c->told->offset) / c->told->scale);
    }
}

/* ---- what comes in ---- */

/* Position of a drive that is commanded by position, as a command. */
YK_RT static double position_of(const struct yk_ec_rig *r, const struct yk_ec_wired *c)
{
    const struct yk_ec_axis *d = c->drive >= 0 ? &r->drives[c->drive] : NULL;

    if (!d || r->setup.slaves[d->slave].drive != YK_EC_CSP || !d->actual.bits)
        return NAN;
    return c->told->scale * get(r->master.inputs, &d->actual) + c->told->offset;
}

YK_RT void yk_ec_rig_take(struct yk_ec_rig *r)
{
    enum { ERROR = 1 << 6, INVALID = 1 << 14 };

    for (size_t i = 0; i < r->channel_count; i++) {
        const struct yk_ec_wired *c = &r->channels[i];
        double value;

        if (c->is_output && c->told->role == YK_EC_ROLE_COMMAND)
            r->positions[c->item] = position_of(r, c);
        if (c->is_output)
            continue;
        value = c->told->scale * get(r->master.inputs, &c->at) + c->told->offset;
        if (yk_ec_rig_word(r, &c->status) & (ERROR | INVALID))
            value = NAN;
        switch (c->told->role) {
        case YK_EC_ROLE_DISPLACEMENT:
            r->readings[c->item].displacement = value;
            break;
        case YK_EC_ROLE_VELOCITY:
            r->readings[c->item].velocity = value;
            break;
        case YK_EC_ROLE_ACCELERATION:
            r->readings[c->item].acceleration = value;
            break;
        case YK_EC_ROLE_FORCE:
            r->readings[c->item].force = value;
            break;
        case YK_EC_ROLE_SENSOR:
            r->sensors[c->item] = value;
            break;
        default:
            r->lines = (r->lines & ~(UINT32_C(1) << c->item)) | (uint32_t)(value != 0) << c->item;
            break;
        }
    }
}

YK_RT void yk_ec_rig_hand_over(const struct yk_ec_rig *r, struct yk_rig_in *in)
{
    memcpy(in->readings, r->readings, r->plan.count * sizeof *in->readings);
    if (r->plan.sensor_count)
        memcpy(in->sensors, r->sensors, r->plan.sensor_count * sizeof *in->sensors);
    in->lines = r->lines;
}
