/* A drive by CiA 402 in cyclic synchronous position, velocity or torque. The plant behind it is the rig: the drive
 * hands on targets while it is enabled, and brings the command to a stop otherwise. */
#include "slave.h"

#include <math.h>

enum { CONTROL = 0x6040, STATUS = 0x6041, ERROR_CODE = 0x603F, MODE = 0x6060, MODE_SHOWN = 0x6061 };
enum { QUICK_STOP_OPTION = 0x605A, QUICK_STOP_DECELERATION = 0x6085, LIMITS = 0x607D, TARGET = 0x607A };
enum { HOME_OFFSET = 0x607C, POSITION = 0x6064, METHOD = 0x6098, HOMING_SPEEDS = 0x6099, HOMING_ACCELERATION = 0x609A };
enum { HOMING = 6, BEGIN = 1 << 4, REACHED = 1 << 10, ATTAINED = 1 << 12, HOMING_ERROR = 1 << 13 };
#define TURN 4e-3  /* way between two index pulses, in the unit of the plant: at whole multiples of it */
#define END  25e-3 /* places of the two limit switches, which are on from there on */
#define HOME 10e-3 /* of the home switch, which is on from there to the positive end */

/* A method of homing: the drive leaves a switch in this direction, to the edge at which the switch changes, and goes on
 * to the next index pulse if there is one to find. If it does not stand beyond that edge, it goes there first. */
static const struct way {
    int method, direction; /* 0: the zero is where it stands */
    bool has_switch, has_index;
    double edge;
} ways[] = {{1, 1, true, true, -END},   {2, -1, true, true, END},    {17, 1, true, false, -END},
            {18, -1, true, false, END}, {19, -1, true, false, HOME}, {20, 1, true, false, HOME},
            {33, -1, false, true, 0},   {34, 1, false, true, 0},     {35, 0, false, false, 0},
            {37, 0, false, false, 0}};
enum { CST = 10, CHANGE_TICKS = 3 };
enum { RESET = 0x80, FOLLOWS = 0x1000, LIMITED = 0x0800, BAD_TARGET = 0x6320, CSP = 8, PROFILE_POSITION = 1 };

static const uint16_t words[] = {
    [YK_SIM_SWITCH_ON_DISABLED] = 0x0250,
    [YK_SIM_READY] = 0x0231,
    [YK_SIM_SWITCHED_ON] = 0x0233,
    [YK_SIM_ENABLED] = 0x0237,
    [YK_SIM_QUICK_STOP] = 0x0217,
    [YK_SIM_FAULT_REACTION] = 0x021F,
    [YK_SIM_FAULT] = 0x0218,
};

static void set(struct yk_sim_slave *s, unsigned index, uint64_t value)
{
    struct yk_sim_object *o = yk_sim_object_find(s, index, 0);

    if (o)
        o->value = value;
}

static void show(struct yk_sim_slave *s)
{
    const struct yk_sim_drive *d = &s->drive_now;

    static const unsigned homes[] = {[YK_SIM_HOME_WAITS] = REACHED,
                                     [YK_SIM_HOME_DONE] = REACHED | ATTAINED,
                                     [YK_SIM_HOME_MOVES] = 0,
                                     [YK_SIM_HOME_ERROR] = HOMING_ERROR};
    const unsigned course = d->mode == HOMING ? homes[d->homing] : FOLLOWS,
                   status = words[d->state] | (d->state == YK_SIM_ENABLED ? course : 0u) | (d->limited ? LIMITED : 0u);

    set(s, STATUS, (status | s->bits_on) & (uint16_t)~s->bits_off);
    set(s, MODE_SHOWN, s->other_mode ? PROFILE_POSITION : d->mode);
}

void yk_sim_drive_reset(struct yk_sim_slave *s, double command)
{
    s->drive_now = (struct yk_sim_drive){.command = command, .mode = (unsigned)yk_sim_object_value(s, MODE, 0)};
    if (s->drive)
        show(s);
}

void yk_sim_drive_fail(struct yk_sim_slave *s, uint16_t code, int64_t now)
{
    struct yk_sim_drive *d = &s->drive_now;

    if (d->state == YK_SIM_FAULT || d->state == YK_SIM_FAULT_REACTION)
        return;
    d->state = d->state == YK_SIM_ENABLED || d->state == YK_SIM_QUICK_STOP ? YK_SIM_FAULT_REACTION : YK_SIM_FAULT;
    set(s, ERROR_CODE, code);
    yk_sim_emergency(s, code, now);
    show(s);
}

/* The target as a number in the units of the plant. */
static double target_of(struct yk_sim_slave *s)
{
    struct yk_sim_drive *d = &s->drive_now;
    const struct yk_sim_object *o = s->objects, *end = o + s->object_count;

    while (o < end && o->signal != YK_SIM_COMMAND)
        o++;
    d->limited = d->strange = false;
    if (o == end)
        return d->command;
    struct yk_sim_object target = *o;
    const int32_t least = (int32_t)yk_sim_object_value(s, LIMITS, 1), most = (int32_t)yk_sim_object_value(s, LIMITS, 2),
                  raw = (int32_t)target.value;
    if (least < most && target.index == TARGET) {
        d->limited = raw < least || raw > most;
        target.value = (uint32_t)(raw < least ? least : raw > most ? most : raw);
    }
    const double x = yk_sim_object_number(&target);
    d->strange = !isfinite(x);
    return d->strange ? d->command : x;
}

/* One step of the ladder for a control word. */
static enum yk_sim_drive_state next_state(struct yk_sim_slave *s, uint16_t control)
{
    const struct yk_sim_drive *d = &s->drive_now;
    const enum yk_sim_drive_state now = d->state;
    const unsigned mode = (unsigned)yk_sim_object_value(s, MODE, 0);

    if (now == YK_SIM_FAULT_REACTION)
        return d->speed == 0 ? YK_SIM_FAULT : now;
    if (now == YK_SIM_FAULT)
        return control & RESET && !(d->control & RESET) ? YK_SIM_SWITCH_ON_DISABLED : now;
    if (!(control & 2)) /* disable voltage */
        return YK_SIM_SWITCH_ON_DISABLED;
    if (!(control & 4)) /* quick stop */
        return now == YK_SIM_ENABLED || now == YK_SIM_QUICK_STOP ? YK_SIM_QUICK_STOP : YK_SIM_SWITCH_ON_DISABLED;
    if (now == YK_SIM_SWITCH_ON_DISABLED)
        return (control & 7) == 6 ? YK_SIM_READY : now;
    if (now == YK_SIM_QUICK_STOP)
        return (control & 15) == 15 ? YK_SIM_ENABLED : now;
    if (!(control & 1)) /* shutdown */
        return YK_SIM_READY;
    if (now == YK_SIM_READY || !(control & 8))
        return YK_SIM_SWITCHED_ON;
    return yk_sim_mode_is_there(s, mode) ? YK_SIM_ENABLED : YK_SIM_SWITCHED_ON;
}

/* Brings the command to a stop: velocities and forces end at once, positions with a deceleration. */
static void stop(struct yk_sim_slave *s, double tick)
{
    struct yk_sim_drive *d = &s->drive_now;
    const unsigned mode = (unsigned)yk_sim_object_value(s, MODE, 0);
    const struct yk_sim_object *position = yk_sim_object_find(s, TARGET, 0);
    const double scale = position && position->scale != 0 ? fabs(position->scale) : 1,
                 step = (double)yk_sim_object_value(s, QUICK_STOP_DECELERATION, 0) / scale * tick;

    if (mode != CSP && mode != HOMING) {
        d->command = mode == CSP + 1 ? 0 : d->command;
        d->speed = 0;
        return;
    }
    d->speed = fabs(d->speed) <= step || step <= 0 ? 0 : d->speed - copysign(step, d->speed);
    d->command += d->speed * tick;
}

/* The counts of the drive from here on: its home offset at x. */
static void count_anew(struct yk_sim_slave *s, double x)
{
    for (unsigned k = 0; k < 2; k++) {
        struct yk_sim_object *o = yk_sim_object_find(s, k ? POSITION : TARGET, 0);

        if (o && o->scale != 0)
            o->offset = x - (double)(int32_t)yk_sim_object_value(s, HOME_OFFSET, 0) / o->scale;
    }
}

/* The way to the zero by the method that is set; NULL: the drive does not have it. */
static const struct way *way_of(const struct yk_sim_slave *s)
{
    const int method = (int8_t)yk_sim_object_value(s, METHOD, 0);

    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++)
        if (ways[k].method == method)
            return &ways[k];
    return NULL;
}

/* Has the motion from `last` to `x` come to a place, in this direction? */
static bool comes_to(double place, double last, double x, int direction)
{
    return (place - last) * direction > 0 && (x - place) * direction >= 0;
}

/* After a motion from `last`: has it come to the edge, or to the zero, at which the drive stops at once? */
static void look_for_zero(struct yk_sim_slave *s, const struct way *w, double last)
{
    struct yk_sim_drive *d = &s->drive_now;
    const double pulse = TURN * (w->direction > 0 ? floor(d->command / TURN) : ceil(d->command / TURN));
    double zero = d->command;

    if (d->leg == YK_SIM_LEG_TO_SWITCH)
        return;
    if (d->leg == YK_SIM_LEG_TO_EDGE) {
        if (!comes_to(w->edge, last, d->command, w->direction))
            return;
        zero = w->edge;
        d->leg = YK_SIM_LEG_TO_INDEX;
        if (w->has_index)
            return;
    }
    if (w->has_index && !comes_to(pulse, last, d->command, w->direction))
        return;
    d->command = w->has_index ? pulse : zero;
    d->speed = 0;
    d->homing = YK_SIM_HOME_DONE;
    count_anew(s, d->command);
}

/* One tick in the mode of homing: to the switch with the first speed, to the zero with the second one. */
static void home(struct yk_sim_slave *s, bool begins, double tick)
{
    struct yk_sim_drive *d = &s->drive_now;
    const struct yk_sim_object *position = yk_sim_object_find(s, TARGET, 0);
    const double scale = position && position->scale != 0 ? fabs(position->scale) : 1,
                 step = (double)yk_sim_object_value(s, HOMING_ACCELERATION, 0) / scale * tick;
    const struct way *w = way_of(s);

    if (begins) {
        d->homing = w ? YK_SIM_HOME_MOVES : YK_SIM_HOME_ERROR;
        d->leg = w && w->has_switch ? YK_SIM_LEG_TO_SWITCH : YK_SIM_LEG_TO_INDEX;
    }
    d->limited = fabs(d->command) > END;
    if (d->homing != YK_SIM_HOME_MOVES || !w) {
        d->speed = 0;
        return;
    }
    if (d->leg == YK_SIM_LEG_TO_SWITCH && (w->edge - d->command) * w->direction > 0)
        d->leg = YK_SIM_LEG_TO_EDGE;
    const bool first = d->leg == YK_SIM_LEG_TO_SWITCH;
    const double wanted = (first ? -w->direction : w->direction) *
                          (double)yk_sim_object_value(s, HOMING_SPEEDS, first ? 1 : 2) / scale,
                 last = d->command;

    d->speed = fabs(wanted - d->speed) <= step ? wanted : d->speed + copysign(step, wanted - d->speed);
    d->command += d->speed * tick;
    look_for_zero(s, w, last);
}

/* An enabled drive takes some cycles to change its mode. */
static void change_mode(struct yk_sim_slave *s)
{
    struct yk_sim_drive *d = &s->drive_now;
    const unsigned mode = (unsigned)yk_sim_object_value(s, MODE, 0);

    d->changing = mode != d->mode && yk_sim_mode_is_there(s, mode) ? d->changing + 1 : 0;
    if (d->changing >= CHANGE_TICKS || d->state != YK_SIM_ENABLED) {
        d->mode = mode;
        d->changing = 0;
    }
    d->makes_force = d->state == YK_SIM_ENABLED && d->mode == CST && yk_sim_mode_is_there(s, CSP);
}

void yk_sim_drive_cycle(struct yk_sim_slave *s, double tick)
{
    struct yk_sim_drive *d = &s->drive_now;
    const bool operates = yk_sim_slave_state(s) == YK_EC_OP;
    const uint16_t control = operates ? (uint16_t)yk_sim_object_value(s, CONTROL, 0) : 0;

    const enum yk_sim_drive_state before = d->state;
    d->state = next_state(s, control);
    if (before != d->state && d->state == YK_SIM_SWITCH_ON_DISABLED)
        s->let_go = fmax(s->let_go, fabs(d->speed));
    const bool begins = control & BEGIN && !(d->control & BEGIN);
    d->control = control;
    if (d->state != YK_SIM_FAULT && d->state != YK_SIM_FAULT_REACTION)
        set(s, ERROR_CODE, 0);
    if (d->state == YK_SIM_ENABLED && d->mode == HOMING) {
        home(s, begins, tick);
    } else if (d->state == YK_SIM_ENABLED) {
        const double last = d->command;

        d->command = target_of(s);
        d->speed = (d->command - last) / tick;
        if (d->strange)
            yk_sim_drive_fail(s, BAD_TARGET, 0);
    } else {
        stop(s, tick);
        const uint64_t option = yk_sim_object_value(s, QUICK_STOP_OPTION, 0);
        if (d->state == YK_SIM_QUICK_STOP && d->speed == 0 && option <= 2)
            d->state = YK_SIM_SWITCH_ON_DISABLED;
    }
    change_mode(s);
    show(s);
}
