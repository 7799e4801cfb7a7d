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

/* The nearest number of the type; values out of range are clipped. */
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

/* The target that keeps a drive at rest: its position, or zero speed or torque. */
YK_RT static uint64_t stay(const struct yk_ec_rig *r, const struct yk_ec_wired *c)
{
    if (c->told->role == YK_EC_ROLE_FORCE_COMMAND) /* as it was sent last */
        return yk_bits_get(r->master.outputs, c->at.bit, c->at.bits);
    const struct yk_ec_place *actual = c->drive >= 0 ? &r->drives[c->drive].actual : NULL;

    return actual && actual->bits ? yk_bits_get(r->master.inputs, actual->bit, actual->bits) : 0;
}

YK_RT bool yk_ec_rig_mode_is_right(const struct yk_ec_rig *r, const struct yk_ec_axis *d)
{
    return d->homes || !d->mode_shown.bits || (uint8_t)yk_ec_rig_word(r, &d->mode_shown) == d->mode_command ||
           (r->follows && yk_ec_rig_is_second(r, d)); /* the supervisor compares it with what was asked for */
}

YK_RT bool yk_ec_rig_is_second(const struct yk_ec_rig *r, const struct yk_ec_axis *d)
{
    return d->mode_second && (uint8_t)yk_ec_rig_word(r, &d->mode_shown) == d->mode_second;
}

YK_RT static bool follows_target(const struct yk_ec_rig *r, const struct yk_ec_axis *d, uint16_t status)
{
    const struct yk_ec_slave_setup *told = &r->setup.slaves[d->slave];

    return yk_ec_rig_mode_is_right(r, d) && (status & YK_DRIVE_FOLLOWS || told->follows == YK_EC_FOLLOWS_ENABLED) &&
           !(told->drive == YK_EC_CSP && status & YK_DRIVE_LAGS && !yk_ec_rig_is_second(r, d));
}

YK_RT bool yk_ec_rig_follows(const struct yk_ec_rig *r, const struct yk_ec_axis *d)
{
    const uint16_t status = yk_ec_rig_word(r, &d->status);

    return yk_drive_state(status) == YK_DRIVE_ENABLED && (d->homes || follows_target(r, d, status));
}

YK_RT static double output_of(const struct yk_ec_wired *c, const struct yk_rig_out *out)
{
    switch (c->told->role) {
    case YK_EC_ROLE_COMMAND:
        return out->command[c->item];
    case YK_EC_ROLE_FEED_VELOCITY:
        return out->ahead ? out->ahead[c->item].velocity : 0;
    case YK_EC_ROLE_FEED_FORCE:
        return out->ahead ? out->ahead[c->item].force : 0;
    case YK_EC_ROLE_FORCE_COMMAND:
        return out->others ? out->others[c->item] : 0;
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
            yk_ec_place_put(r->master.outputs, &c->at, lines >> c->item & 1);
    }
}

/* ---- homing ---- */

enum {
    METHOD = 0x6098,
    SPEEDS = 0x6099,
    AXIS = 0x0800,
    SETTLED = 5 /* ticks after which a drive has taken its order */
};

YK_RT static bool in_homing_mode(const struct yk_ec_rig *r, const struct yk_ec_axis *d)
{
    return (uint8_t)yk_ec_rig_word(r, &d->mode_shown) == YK_DRIVE_HOMING;
}

/* A value that the file writes into an object of a drive; NaN: none. */
YK_RT static double written(const struct yk_ec_slave_setup *s, unsigned index, unsigned sub)
{
    for (size_t k = 0; k < s->sdo_count; k++)
        if (s->sdos[k].index == index + AXIS * (unsigned)s->axis && s->sdos[k].subindex == sub)
            return s->sdos[k].value;
    return NAN;
}

/* Why the drive may not look for its zero; NULL: it may. */
YK_RT static const char *obstacle_of(const struct yk_ec_rig *r, const struct yk_ec_axis *d, double fastest)
{
    const struct yk_ec_slave_setup *s = &r->setup.slaves[d->slave];

    if (s->drive != YK_EC_CSP || !d->mode.bits || !d->mode_shown.bits)
        return "homing needs a drive with drive: csp, 0x6060:0:i8 among its outputs and 0x6061:0:i8 among its inputs";
    if (isnan(written(s, METHOD, 0)) || isnan(written(s, SPEEDS, 1)) || isnan(written(s, SPEEDS, 2)))
        return "homing needs its method and both speeds among the sdos of the drive: 0x6098:0:i8, 0x6099:1:u32, "
               "0x6099:2:u32";
    if (fastest > 0 && fmax(written(s, SPEEDS, 1), written(s, SPEEDS, 2)) > fastest)
        return "the speeds of homing, 0x6099, are above limits.console.speed";
    return NULL;
}

YK_RT enum yk_homing_answer yk_ec_rig_home(struct yk_ec_rig *r, const struct yk_homing *homing)
{
    struct yk_ec_axis *d = NULL;

    for (size_t i = 0; i < r->channel_count; i++)
        if (r->channels[i].drive >= 0 && r->channels[i].told->role == YK_EC_ROLE_COMMAND &&
            r->channels[i].item == homing->actuator)
            d = &r->drives[r->channels[i].drive];
    const char *obstacle = d ? obstacle_of(r, d, homing->fastest) : "homing needs a drive of CiA 402";
    const uint16_t status = d ? yk_ec_rig_word(r, &d->status) : 0;

    if (obstacle) {
        strncpy(r->words, obstacle, sizeof r->words - 1);
        return YK_HOMING_REFUSED;
    }
    d->homes += !d->homes;
    if (d->homes <= SETTLED)
        return YK_HOMING_MOVES;
    if (status & YK_DRIVE_HOMING_ERROR)
        return YK_HOMING_FAILED;
    return status & YK_DRIVE_ATTAINED && status & YK_DRIVE_REACHED ? YK_HOMING_DONE : YK_HOMING_MOVES;
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
        if (out && r->follows && d->mode_second)
            d->mode_sent = out->modes >> d->item & 1 ? d->mode_second : d->mode_command;
        if (d->homes) {
            d->mode_sent = YK_DRIVE_HOMING;
            d->homes += in_homing_mode(r, d);
            if (r->goal == YK_DRIVE_RUN && d->homes > 1)
                yk_bits_put(image, d->control.bit, d->control.bits, d->sent | YK_DRIVE_BEGINS);
        }
        if (d->mode.bits)
            yk_bits_put(image, d->mode.bit, d->mode.bits, d->mode_sent);
    }
    for (size_t i = 0; i < r->channel_count; i++) {
        const struct yk_ec_wired *c = &r->channels[i];

        if (!c->is_output || c->told->role == YK_EC_ROLE_LINE)
            continue;
        if (!out || !r->follows ||
            (c->drive >= 0 && (r->drives[c->drive].homes || !yk_ec_rig_follows(r, &r->drives[c->drive]))))
            yk_bits_put(image, c->at.bit, c->at.bits, stay(r, c));
        else
            yk_ec_place_put(image, &c->at, output_of(c, out));
    }
}

/* ---- what comes in ---- */

/* Position of a drive that is commanded by position, in the counts of its commands. */
YK_RT static double position_of(const struct yk_ec_rig *r, const struct yk_ec_wired *c)
{
    const struct yk_ec_axis *d = c->drive >= 0 ? &r->drives[c->drive] : NULL;

    if (!d || r->setup.slaves[d->slave].drive != YK_EC_CSP || !d->actual.bits)
        return NAN;
    return get(r->master.inputs, &d->actual);
}

YK_RT void yk_ec_rig_take(struct yk_ec_rig *r)
{
    enum { ERROR = 1 << 6, INVALID = 1 << 14 };

    r->modes = 0;
    for (size_t i = 0; i < r->drive_count; i++)
        r->modes |= (uint64_t)yk_ec_rig_is_second(r, &r->drives[i]) << r->drives[i].item;

    for (size_t i = 0; i < r->channel_count; i++) {
        const struct yk_ec_wired *c = &r->channels[i];
        double value;

        if (c->is_output && c->told->role == YK_EC_ROLE_COMMAND)
            r->positions[c->item] = position_of(r, c);
        if (c->is_output)
            continue;
        value = get(r->master.inputs, &c->at);
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
    in->modes = r->modes;
}
