/* Limits, friction and backlash around a plant. docs/theory/control.md, eq. (17)-(20a). Units: m, s, N. The plant says
 * where the actuator would go; what lies in its way here decides how far it gets in the tick. */
#include "rig/virtual/plant/limits.h"
#include "transfer/dynamics.h"

enum yk_status yk_plant_limits_init(struct yk_plant_limits *l, double h, struct yk_err *err)
{
    l->h = h;
    yk_plant_limits_reset(l, 0);
    return yk_tick_check(h, "limits", err);
}

YK_RT void yk_plant_limits_reset(struct yk_plant_limits *l, double x0)
{
    l->command = x0;
    l->carriage = l->out = (struct yk_plant_output){.x = x0};
    l->acting = 0;
    l->ticks = 0;
}

/* x within +-limit, or anywhere where the limit is 0; notes what acted. */
YK_RT static double bounded(struct yk_plant_limits *l, double x, double limit, unsigned what)
{
    if (limit == 0 || fabs(x) <= limit)
        return x;
    l->acting |= what;
    return copysign(limit, x);
}

/* eq. (18): friction of the guides at the speed of the last tick. */
YK_RT static double guides(const struct yk_plant_limits *l)
{
    const double v = l->carriage.v;

    return (v > 0 ? l->friction : v < 0 ? -l->friction : 0) + l->viscous * v;
}

/* eq. (19): the speed towards which the force left over can push against specimen and friction; none when stalled. */
YK_RT static double pushed(struct yk_plant_limits *l, double v, double force)
{
    const double spare = l->force - l->friction - (v > 0 ? force : -force);

    if (l->force == 0 || v == 0)
        return v;
    if (spare <= 0) {
        l->acting |= YK_AT_FORCE;
        return 0;
    }
    return l->viscous > 0 ? bounded(l, v, spare / l->viscous, YK_AT_FORCE) : v;
}

/* Moves to x; keeps the plant's own rates where nothing held it up. */
YK_RT static void move(struct yk_plant_output *to, double x, const struct yk_plant_output *ideal, double h)
{
    if (x == ideal->x) {
        *to = *ideal;
        return;
    }
    const double v = (x - to->x) / h;
    *to = (struct yk_plant_output){x, v, (v - to->v) / h};
}

/* eq. (20): the specimen moves only when the carriage has crossed the play. */
YK_RT static void play(struct yk_plant_limits *l)
{
    const double half = 0.5 * l->backlash, gap = l->carriage.x - l->out.x;

    if (half == 0)
        l->out = l->carriage;
    else if (fabs(gap) > half) /* in contact: the carriage's rates */
        l->out = (struct yk_plant_output){l->carriage.x - copysign(half, gap), l->carriage.v, l->carriage.a};
    else
        l->out.v = l->out.a = 0;
}

/* eq. (20a). What holds the carriage is the brake, whatever the plant would need. */
YK_RT static bool is_braked(struct yk_plant_limits *l)
{
    const bool braked = l->brake > 0 && (double)l->ticks * l->h >= l->brake;

    l->ticks++;
    if (braked)
        l->acting = YK_AT_BRAKE;
    return braked;
}

/* eq. (17) */
YK_RT double yk_plant_limits_command(struct yk_plant_limits *l, double u, double *force)
{
    l->acting = 0;
    u = bounded(l, u, l->stroke, YK_AT_STROKE);
    l->command += bounded(l, u - l->command, l->rate * l->h, YK_AT_RATE);
    if (!(l->acting & YK_AT_RATE))
        l->command = u;
    *force += guides(l);
    return l->command;
}

YK_RT void yk_plant_limits_move(struct yk_plant_limits *l, const struct yk_plant_output *ideal, double force,
                                struct yk_plant_output *out)
{
    double v = bounded(l, (ideal->x - l->carriage.x) / l->h, l->speed, YK_AT_SPEED);

    v = pushed(l, v, force);
    const bool free = !(l->acting & (YK_AT_SPEED | YK_AT_FORCE));
    const double x = is_braked(l) ? l->carriage.x : free ? ideal->x : l->carriage.x + v * l->h;
    move(&l->carriage, bounded(l, x, l->stroke, YK_AT_STROKE), ideal, l->h);
    play(l);
    *out = l->out;
}

YK_RT void yk_plant_limits_step(struct yk_plant_limits *l, const struct yk_plant_ops *ops, void *plant, double u,
                                double force, struct yk_plant_output *out)
{
    struct yk_plant_output ideal;
    double against = force;
    const double command = yk_plant_limits_command(l, u, &against);

    ops->step(plant, command, against, &ideal);
    yk_plant_limits_move(l, &ideal, force, out);
}

YK_RT void yk_plant_limits_use(const struct yk_plant_limits *l, double force, struct yk_actuator_use *use)
{
    const struct {
        unsigned what;
        double used, limit;
    } of[YK_USES] = {[YK_USE_STROKE] = {YK_AT_STROKE, l->carriage.x, l->stroke},
                     [YK_USE_SPEED] = {YK_AT_SPEED, l->carriage.v, l->speed},
                     [YK_USE_FORCE] = {YK_AT_FORCE, force, l->force},
                     [YK_USE_VALVE] = {YK_AT_RATE, 0, l->rate}};

    for (int k = 0; k < YK_USES; k++) {
        use->capacity[k] = of[k].limit > 0 ? of[k].limit : (double)NAN;
        use->share[k] =
            of[k].limit > 0 ? (l->acting & of[k].what) ? 1 : fmin(fabs(of[k].used) / of[k].limit, 0.99) : (double)NAN;
    }
}

const struct yk_param yk_plant_limits_params[] = {
    YK_REAL(struct yk_plant_limits, stroke, YK_DISPLACEMENT, 0, 0, 1e6,
            "travel to either side of zero; 0: no end stops"),
    YK_REAL(struct yk_plant_limits, speed, YK_VELOCITY, 0, 0, 1e6, "largest speed of the motion; 0: any"),
    YK_REAL(struct yk_plant_limits, force, YK_FORCE, 0, 0, 1e15, "force beyond which the actuator stalls; 0: any"),
    YK_REAL(struct yk_plant_limits, rate, YK_VELOCITY, 0, 0, 1e6, "largest rate of the command; 0: any"),
    YK_REAL(struct yk_plant_limits, friction, YK_FORCE, 0, 0, 1e15, "Coulomb friction of the guides"),
    YK_REAL(struct yk_plant_limits, viscous, YK_DAMPING, 0, 0, 1e15, "viscous friction of the guides"),
    YK_REAL(struct yk_plant_limits, backlash, YK_DISPLACEMENT, 0, 0, 1e3,
            "play between actuator and specimen, full width"),
    YK_REAL(struct yk_plant_limits, brake, YK_TIME, 0, 0, 1e9,
            "a fault: time after which the brake of the actuator holds it; 0: never"),
    YK_PARAM_END,
};
