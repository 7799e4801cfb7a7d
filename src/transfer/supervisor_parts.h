/* Declarations shared by the files of the supervisor. */
#ifndef YOKE_SUPERVISOR_PARTS_H
#define YOKE_SUPERVISOR_PARTS_H

#include "transfer/supervisor.h"

#include <math.h>
#include <stdint.h>

#define NO_ACTUATOR SIZE_MAX

/* The measured quantity of the command: displacement or force. */
double yk_supervised_measured(const struct yk_supervised *g) YK_RT;
/* Raises a trip if the limit is set and x is beyond it. NaN is beyond every limit. */
YK_RT static inline void yk_supervisor_check(struct yk_supervisor *s, enum yk_limit_kind kind, size_t actuator,
                                             double x)
{
    const double limit = yk_supervisor_limit(s, kind, actuator);

    if (limit > 0 && !(fabs(x) <= limit))
        yk_supervisor_raise(s, kind, actuator, x);
}
/* Trips with a limit that is not that of the table; returns whether it tripped. */
bool yk_supervisor_raise_beyond(struct yk_supervisor *s, enum yk_limit_kind kind, size_t actuator, double value,
                                double limit) YK_RT;
/* A fresh reading: does the actuator follow its target, and its command? supervisor_follow.c */
void yk_supervisor_watch_following(struct yk_supervisor *s, size_t i, double target, const struct yk_reading *r) YK_RT;
/* Takes a trip, or only warns if that is its action; the drive is cut even after another trip. Returns whether it is
 * more than a warning. */
bool yk_supervisor_take_trip(struct yk_supervisor *s, const struct yk_trip *trip) YK_RT;
void yk_supervisor_warn(struct yk_supervisor *s, const struct yk_trip *trip) YK_RT;
/* Copies words, cut off if they do not fit. */
void yk_keep_words(char *to, size_t size, const char *words) YK_RT;
/* Takes the time when a command is about to be sent, and when readings have come. */
void yk_supervisor_count_command(struct yk_supervisor *s) YK_RT;
void yk_supervisor_count_reading(struct yk_supervisor *s, enum yk_rig_answer answer) YK_RT;
/* The ticks by which a motion of the supervisor goes on in this one: 1, or as much time as has passed. After a longer
 * break, as much as may be made up for. */
double yk_supervisor_made_up(const struct yk_supervisor *s) YK_RT;
YK_RT static inline double yk_supervisor_advance(const struct yk_supervisor *s)
{
    return s->time.passed <= 2 ? s->time.passed : yk_supervisor_made_up(s);
}
/* Seconds of a span of readings that should take `nominal` ticks. */
double yk_supervisor_span_s(const struct yk_supervisor *s, double ticks, double nominal) YK_RT;
/* Sets the duration of the tick in the present state. Tick counts keep their time in seconds; rates start anew. */
void yk_supervisor_keep_time(struct yk_supervisor *s) YK_RT;
/* Deceleration of a stop [m/s2 or rad/s2]; 0: it stops within a tick. supervisor_stop.c */
double yk_supervisor_deceleration(const struct yk_supervisor *s, size_t i) YK_RT;
YK_RT static inline bool yk_supervisor_is_silence(enum yk_limit_kind kind)
{
    return kind == YK_LIMIT_PEER_SILENCE || kind == YK_LIMIT_RIG_LOST;
}
/* Has the rig been silent for longer than usual? For so long that its motion is given up? supervisor_meet.c */
bool yk_supervisor_is_unheard(const struct yk_supervisor *s) YK_RT;
bool yk_supervisor_gives_up(const struct yk_supervisor *s) YK_RT;
/* The rig has answered: the last command has arrived. */
void yk_supervisor_hear(struct yk_supervisor *s) YK_RT;
/* Measured time: the command x (after `from`), kept within reach of the last command that is known to have arrived. */
double yk_supervisor_within_reach(const struct yk_supervisor *s, size_t i, double x, double from) YK_RT;
/* yk_supervisor_part for one actuator. */
void yk_supervisor_part_one(struct yk_supervisor *s, size_t i) YK_RT;
/* The next command of an actuator that is led back to the asked one; speed: of that one, h: seconds since the last. */
double yk_supervisor_meet(struct yk_supervisor *s, size_t i, double speed, double h) YK_RT;
/* Begins to stop the moving actuators; false if none has to be braked. supervisor_stop.c */
bool yk_supervisor_brake(struct yk_supervisor *s) YK_RT;
/* The next command of an actuator that is being stopped, `h` seconds after the last one. */
double yk_supervisor_braked(struct yk_supervisor *s, size_t i, double h) YK_RT;
/* Is any actuator still being stopped? */
bool yk_supervisor_is_braking(const struct yk_supervisor *s) YK_RT;
/* Command at which an actuator comes to rest from the command x and its rate v. */
double yk_supervisor_rests_at(const struct yk_supervisor *s, size_t i, double x, double v) YK_RT;
/* A breach after the trip: does it stop the ramp home? Breaches that follow the first one at once do not. */
bool yk_supervisor_stops_ramp(struct yk_supervisor *s, const struct yk_trip *trip) YK_RT;
/* Second modes: at rest; the commands that are not in force, after those that are; requests are withdrawn.
 * supervisor_switch.c */
void yk_supervisor_rest_modes(struct yk_supervisor *s) YK_RT;
void yk_supervisor_follow_modes(struct yk_supervisor *s) YK_RT;
void yk_supervisor_withdraw_modes(struct yk_supervisor *s) YK_RT;
/* A console in force control: has the actuator left the travel of the console? supervisor_hand.c */
void yk_supervisor_watch_travel(struct yk_supervisor *s, size_t actuator, double x) YK_RT;
/* Makes the transition of the event; returns whether the state changes. */
bool yk_supervisor_dispatch(struct yk_supervisor *s, enum yk_event event) YK_RT;

/* The PLC in a tick: heartbeats, watchdog, pressure, a start that waits for it. Before the commands. */
void yk_supervisor_step_plc(struct yk_supervisor *s) YK_RT;
/* May the drives move the actuators? */
bool yk_supervisor_is_enabled(const struct yk_supervisor *s) YK_RT;
/* Its inputs, when they are fresh. */
void yk_supervisor_hear_plc(struct yk_supervisor *s, const double *sensors, uint32_t lines) YK_RT;

/* In every tick: are the actuators moved, by the method or by a ramp, so that a velocity, an acceleration and a force
 * may go with the commands? */
void yk_supervisor_share_ahead(struct yk_supervisor *s, bool moves) YK_RT;

#endif
