/* The section `limits`: settings, and what limits, actions and trips are called. */
#include "transfer/supervisor_parts.h"

#include <yoke/units.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#define X(id, key, words, unit, type_, quantity_, fallback_, most, action_, help_)                                     \
    {.name = (key),                                                                                                    \
     .type = YK_PARAM_##type_,                                                                                         \
     .offset = offsetof(struct yk_limits, limit[YK_LIMIT_##id]),                                                       \
     .quantity = (quantity_),                                                                                          \
     .fallback = (fallback_),                                                                                          \
     .max = (most),                                                                                                    \
     .help = (help_)},
const struct yk_param yk_limits_params[] = {
    YK_LIMIT_LIST(X)
    /* and what happens then */
    YK_CHOICE(
        struct yk_limits, on_trip, YK_ACTION_CHOICES, -1,
        "what the actuators do after a trip, for limits without their own `action`; the run ends; default `hold`, "
        "and `ramp` on a simulated rig"),
    YK_REAL(struct yk_limits, start_ramp, YK_TIME, 2, 0, 1e5,
            "duration of the ramp from the measured position to the initial displacement; 0: 0.2 s; no ramp if the "
            "actuators are already there. All ramps are in wall time, and longer if `command_rate`, `velocity` or "
            "`acceleration` require it"),
    YK_REAL(struct yk_limits, end_ramp, YK_TIME, 1, 0, 1e5,
            "duration of the ramp back to the first position after a run; 0: no ramp"),
    YK_REAL(struct yk_limits, trip_ramp, YK_TIME, 1, 0, 1e5,
            "duration of the ramp of the action `ramp`; 0: the actuators stay where they are"),
    YK_REAL(
        struct yk_limits, following_time, YK_TIME, 0, 0, 10,
        "by how much the window of `following` grows with the speed of the command: the time by which an actuator may "
        "be late"),
    YK_COUNT(struct yk_limits, window, 8, 1, YK_WINDOW, "ticks over which velocity and acceleration are averaged"),
    YK_NODE("actuators", "map of actuator to limits", 0,
            "limits of single actuators (displacement to implausible_force), which override the common ones; in rad "
            "and N m for rotary actuators, in N for actuators commanded by force"),
    YK_NODE(
        "dofs", "map of SUBSTRUCTURE.DOF to limits", 0,
        "limits of a platform that a `setup` moves: displacement, command_rate and force of its degrees of freedom; "
        "in rad and N m for rotations"),
    YK_NODE(
        "console", "map", 0,
        "limits of `yoke rig`, below those of the test: speed, force, travel; default, except on a simulated rig: a "
        "tenth of `command_rate`, a fifth of `force`, a fifth of `displacement`"),
    YK_NODE("sensors", "map of sensor to limit", 0,
            "limits of sensors of the rig, of the absolute reading and in the unit of the sensor, or { limit: ..., "
            "action: ... }"),
    YK_PARAM_END,
};
#undef X

struct yk_limits yk_limits_defaults(void)
{
    static const int own[YK_LIMITS] = {
#define X(id, key, words, unit, type, quantity, fallback, most, action, help) [YK_LIMIT_##id] = (action),
        YK_LIMIT_LIST(X)
#undef X
#define X(id, key, words, action) [YK_LIMIT_##id] = (action),
            YK_FAULT_LIST(X)
#undef X
    };
    struct yk_limits limits = {0};

    yk_param_defaults(yk_limits_params, &limits);
    memcpy(limits.action, own, sizeof limits.action);
    return limits;
}

static const struct {
    const char *key, *words, *unit;
} kinds[YK_LIMITS] = {
#define X(id, key, words, unit, type, quantity, fallback, most, action, help) [YK_LIMIT_##id] = {key, words, unit},
    YK_LIMIT_LIST(X)
#undef X
#define X(id, key, words, action) [YK_LIMIT_##id] = {key, words, ""},
        YK_FAULT_LIST(X)
#undef X
};

const char *yk_command_word(enum yk_command_kind kind)
{
    static const char *const words[YK_COMMAND_KINDS] = {[YK_BY_DISPLACEMENT] = "displacement",
                                                        [YK_BY_VELOCITY] = "velocity",
                                                        [YK_BY_ACCELERATION] = "acceleration",
                                                        [YK_BY_FORCE] = "force"};

    return words[kind];
}

const char *yk_limit_key(enum yk_limit_kind kind)
{
    return kinds[kind].key;
}

const char *yk_limit_words(enum yk_limit_kind kind)
{
    return kinds[kind].words;
}

const char *yk_action_text(enum yk_action action)
{
    static const char *const actions[YK_ACTIONS] = {"hold", "ramp", "cut", "warn"};

    return actions[action];
}

/* The units of a rotary actuator instead of m and N. */
static const char *turned(const char *unit)
{
    static const char *const units[][2] = {{"m", "rad"}, {"m/s", "rad/s"}, {"m/s2", "rad/s2"},
                                           {"N", "N m"}, {"N/s", "N m/s"}, {"m/s3", "rad/s3"}};

    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(unit, units[i][0]) == 0)
            return units[i][1];
    return unit;
}

/* Unit of a limit; the rate and the errors of the command follow its quantity. */
const char *yk_limit_unit(enum yk_limit_kind kind, enum yk_command_kind command, bool turns)
{
    static const char *const units[YK_COMMAND_KINDS][2] = {[YK_BY_DISPLACEMENT] = {"m", "m/s"},
                                                           [YK_BY_VELOCITY] = {"m/s", "m/s2"},
                                                           [YK_BY_ACCELERATION] = {"m/s2", "m/s3"},
                                                           [YK_BY_FORCE] = {"N", "N/s"}};

    const char *unit = kinds[kind].unit;

    if (kind == YK_LIMIT_COMMAND_RATE)
        unit = units[command][1];
    if (kind == YK_LIMIT_POSITION_ERROR || kind == YK_LIMIT_TRACKING_ERROR)
        unit = units[command][0];
    return turns ? turned(unit) : unit;
}

void yk_force_finding_text(const struct yk_force_finding *f, const char *actuator, bool turns, char *text, size_t size)
{
    const char *unit = turns ? "N m" : "N";

    snprintf(text, size, "%s", "");
    if (f->verdict == YK_FORCE_REVERSED)
        snprintf(text, size,
                 "force of %s has the wrong sign: it acts in the direction of motion (%.3g times what the estimate "
                 "expects); check the polarity of the load cell, or the inertia that it measures",
                 actuator, f->seen);
    if (f->verdict == YK_FORCE_CONSTANT)
        snprintf(text, size,
                 "force of %s does not change: it stays within %.3g %s while the estimate expects %.3g %s; check the "
                 "load cell and its cable",
                 actuator, f->seen, unit, f->expected, unit);
    if (f->verdict == YK_FORCE_CLIPPED)
        snprintf(text, size,
                 "force of %s stays at %.6g %s while the motion continues and reverses; check the range of the load "
                 "cell and its amplifier",
                 actuator, f->seen, unit);
}

/* A value and its limit in a unit that needs no power of ten: 1.2 MN instead of 1.2e+06 N. */
static struct yk_display_unit readable_unit(const struct yk_trip *trip, const char *unit)
{
    const double size = fmax(fabs(trip->value), fabs(trip->limit));
    char text[32];
    struct yk_display_unit shown = {.factor = 1};

    snprintf(text, sizeof text, "%g %g", trip->value, trip->limit);
    snprintf(shown.text, sizeof shown.text, "%s", unit);
    return strchr(text, 'e') && isfinite(size) ? yk_unit_for_display(unit, size) : shown;
}

/* An actuator that does not follow, and what that suggests. */
static void put_relative(const struct yk_trip *trip, const char *name, char *text, size_t size)
{
    const char *check = trip->gain < 0 ? "; it moves against its target: check the signs of command and displacement"
                        : trip->gain < 0.7 || trip->gain > 1.4
                            ? "; check the scales of command and displacement"
                            : "; check the delay compensation and the bandwidth of the actuator";

    snprintf(
        text, size,
        "tracking error of %s is %.0f %% of its motion so far, more than %.0f %%: it moves %.2g times as far as its "
        "target%s",
        name, 100 * trip->value, 100 * trip->limit, trip->gain, check);
}

/* Passivity control that can do no more. */
static void put_bound(const struct yk_trip *trip, const char *name, char *text, size_t size)
{
    const char *unit = trip->turns ? "N m s/rad" : "N s/m";
    int used = snprintf(text, size, "passivity of %s is at its bound of %g %s: the loop generates more than it can pay",
                        name, trip->limit, unit);

    if (trip->gain > 0 && used > 0 && (size_t)used < size)
        snprintf(text + used, size - (size_t)used, ", as a delay of %.3g ms would", 1e3 * trip->gain);
}

void yk_trip_text(const struct yk_trip *trip, const char *const *names, char *text, size_t size)
{
    *text = '\0';
    if (!trip->tripped)
        return;
    const char *words = trip->kind == YK_LIMIT_DISPLACEMENT && trip->command != YK_BY_DISPLACEMENT
                            ? "displacement" /* which is not commanded */
                            : kinds[trip->kind].words,
               *space = *kinds[trip->kind].unit ? " " : "",
               *unit = yk_limit_unit(trip->kind, trip->command, trip->turns);
    const bool of_one = trip->actuator != NO_ACTUATOR;
    const struct yk_display_unit shown = readable_unit(trip, unit);

    if (trip->kind == YK_LIMIT_RELATIVE_ERROR)
        put_relative(trip, names[trip->actuator], text, size);
    else if (trip->kind == YK_LIMIT_IMPLAUSIBLE_FORCE)
        yk_force_finding_text(&trip->finding, names[trip->actuator], trip->turns, text, size);
    else if (trip->kind == YK_LIMIT_PASSIVE_BOUND)
        put_bound(trip, names[trip->actuator], text, size);
    else if (trip->kind == YK_LIMIT_SENSOR || trip->kind == YK_LIMIT_POSE)
        snprintf(text, size, "%s, %g%s%s, passed its limit of %g%s%s", trip->words, trip->value, *trip->unit ? " " : "",
                 trip->unit, trip->limit, *trip->unit ? " " : "", trip->unit);
    else if (trip->kind == YK_LIMIT_DEVICE_POSITION)
        snprintf(text, size, "the device of %s is %g %s from its command by its own counting; %g %s are allowed",
                 names[trip->actuator], trip->value, trip->turns ? "rad" : "m", trip->limit, trip->turns ? "rad" : "m");
    else if (trip->kind == YK_LIMIT_MODE && trip->value > 0)
        snprintf(text, size, "%s has not confirmed its new control mode within %g s", names[trip->actuator],
                 trip->limit);
    else if (trip->kind == YK_LIMIT_MODE)
        snprintf(text, size, "%s has changed its control mode without a request", names[trip->actuator]);
    else if (trip->kind == YK_LIMIT_READING_RANGE)
        snprintf(text, size, "reading %s, %g%s%s, is outside its range, which ends at %g%s%s", trip->words, trip->value,
                 *trip->unit ? " " : "", trip->unit, trip->limit, *trip->unit ? " " : "", trip->unit);
    else if (*trip->words)
        snprintf(text, size, "%s: %s", words, trip->words);
    else if (trip->kind >= YK_LIMIT_BAD_READING)
        snprintf(text, size, "%s%s%s", words, of_one ? " of " : "", of_one ? names[trip->actuator] : "");
    else
        snprintf(text, size, "%s%s%s, %g%s%s, passed its limit of %g%s%s", words, of_one ? " of " : "",
                 of_one ? names[trip->actuator] : "", trip->value * shown.factor, space, shown.text,
                 trip->limit * shown.factor, space, shown.text);
    const size_t used = strlen(text);

    if (trip->unread > 0)
        snprintf(text + used, size - used, "; just before, the rig gave no new reading in %ld tick%s in a row",
                 trip->unread, trip->unread == 1 ? "" : "s");
}
