/* Private structs of the test station, and what its files share: preparation (station_open.c), cycle (station.c), the
 * rig (station_rig.c), second control mode (station_switch.c), rest, start and end (station_start.c), console
 * (station_console.c). */
#ifndef YOKE_TRANSFER_STATION_PARTS_H
#define YOKE_TRANSFER_STATION_PARTS_H

#include "transfer/station.h"

#include "transfer/dynamics.h"
#include "transfer/feedback.h"
#include "transfer/late.h"
#include "transfer/path.h"
#include "transfer/place.h"
#include "transfer/pose.h"
#include <yoke/deviation.h>

/* State of the chain of an actuator. */
struct yk_actuator_chain {
    struct yk_actuator a;
    void *compensator, *estimator, *controller; /* working copies of the components */
    struct yk_feedback feedback;
    struct yk_passivity passivity;
    bool corrects; /* the force that goes back: by a model, or by passivity control */
    double target, speed, last_target, last_speed;
    double final_target, final_speed; /* the target to come */
    double next, next_speed;          /* on the way there */
    struct yk_place place;            /* of an actuator that is commanded by a rate */
    double command, delay, gain, fed, matched;
    struct yk_reading read; /* last, with the method in the loop */
    struct yk_path path;
    double output;                          /* of the controller */
    double carried;                         /* from the measured displacement to the position of the device [m] */
    double tick_command;                    /* of this tick, at the controller */
    double fed_forward, fed_speed;          /* command that was sent last, and its rate */
    bool jointly_commanded, jointly_driven; /* a joint compensator, a joint controller serves it */
    bool idle;                              /* the compensator has nothing to compensate */
    double *past;                           /* commands of the last ticks, for an added delay; NULL: none */
    struct yk_delay_line seen;              /* readings, for the lead beside the delay of the actuator; u NULL: none */
    double felt;                            /* from it: what was measured when the force was as it comes now */
    bool learns_delay;                      /* the compensator */
    struct yk_deviation tracking;           /* of the measured displacement from the target */
    struct yk_deviation feeling;            /* of `felt` from the target */
    double moment, power;                   /* sums: of error times speed, of speed squared */
    bool by_request;                        /* an operator has chosen the control mode */
    bool was_second;                        /* in the last tick with the method, the second mode was in force */
    double led;                             /* target of that tick */
    double bump; /* what is left of the rate of the force at the change, above that of the loop */
};

/* Methods that serve several chains. */
struct yk_joint_chain {
    struct yk_joint j;
    void *compensator, *controller; /* working copies of the components */
    struct yk_target *targets;      /* of the members, as are the others */
    double *in, *measured, *out;
};

struct yk_station {
    struct yk_arena *mem; /* preparation takes memory from it */
    bool lent;            /* a copy: the heap memory of its chains belongs to another station */
    struct yk_actuator_chain *chains;
    size_t count;
    struct yk_joint_chain *joints;
    size_t joint_count;
    struct yk_rig_plan plan; /* its arrays are malloc'd */
    struct yk_sensor_limit *sensors;
    struct yk_ahead *ahead; /* NULL: nothing is fed forward */
    const struct yk_rig_ops *rig;
    void *rig_self;
    struct yk_arena *rig_mem; /* malloc'd, of a rig outside this process, which is no part of a state; NULL: `mem` */
    struct yk_between between;
    bool was_cut; /* the rig was commanded to disable its drive */
    bool lost;
    int64_t lost_wait_ns; /* that exchanges have waited since then */
    const char *noticed;  /* the last remark of the rig; NULL: none, or it was taken */
    const char **names;
    double *x0, *sent, *present; /* at rest; commands; targets at this tick */
    struct yk_rig_out out;
    struct yk_rig_in in;
    struct yk_homing homing; /* of a device that looks for its zero */
    bool homes;
    struct yk_corrections corrections; /* of NULL: none */
    struct yk_late late;
    size_t *late_ticks;       /* malloc'd */
    struct yk_rig_in raw;     /* before them */
    double *shifted;          /* commands as sent, with the zero of the tare */
    double *rates;            /* of the plan */
    double *firsts, *seconds; /* commands of both modes, where actuators have two; NULL: none has */
    double tick, dt;
    int stages, ticks;               /* ticks between two targets */
    long targets;                    /* reached since the start */
    long left;                       /* targets still ahead in this motion; 0: arrived */
    int made;                        /* ticks made towards the present one */
    bool follows;                    /* this tick follows the method */
    bool begun;                      /* between yk_station_begin and yk_station_end */
    struct yk_pose *poses[YK_POSES]; /* platforms with limits of their own */
    size_t pose_count;
    struct yk_supervisor supervisor;
    struct yk_supervised *supervised;
    double **estimates; /* malloc'd, by the first actuator of a specimen: rows of stiffness, damping, mass */
    char trip_text[256];
    int past_count;               /* commands that are kept */
    double past_share;            /* weight of the oldest but one; the rest is the oldest */
    struct yk_delay_probe *probe; /* NULL: none */
};

/* Reading of the quantity that an actuator is commanded in. */
YK_RT static inline double yk_chain_quantity(const struct yk_actuator_chain *c, const struct yk_reading *r)
{
    return yk_reading_of(r, c->a.limits.kind);
}

/* ---- the rig ---- */

#define YK_STANDS 1e-9 /* m, rad: an actuator this close has arrived */

/* One exchange, and how long it took. */
enum yk_rig_answer yk_station_ask_rig(struct yk_station *s) YK_RT;
/* Tells the rig, once, to disable the drives after the supervisor has cut. */
void yk_station_tell_cut(struct yk_station *s) YK_RT;
enum yk_status yk_station_rest_rig(struct yk_station *s, const double *x, struct yk_err *err);
/* Takes the difference between the position of a device and the measured displacement as a command. Every command
 * carries this offset from then on. Refuses more than limits.position_error. */
enum yk_status yk_station_carry(struct yk_station *s, struct yk_err *err);
/* The asked commands in s->sent become those that go out: within the limits of actuators and platforms. False: none. */
bool yk_station_send(struct yk_station *s) YK_RT;
/* After fresh readings: is every device where its command is? */
void yk_station_watch_devices(struct yk_station *s) YK_RT;
/* The rig may refuse, with a reason. */
enum yk_status yk_station_enable_drives(struct yk_station *s, bool on, struct yk_err *err);

/* ---- second control modes: station_switch.c ---- */

/* The chains at rest. */
void yk_station_rest_modes(struct yk_station *s) YK_RT;
/* After the controllers: forces instead of displacements, where force control is in force. */
void yk_station_lead_forces(struct yk_station *s) YK_RT;
/* After fresh readings: takes the modes that the devices confirm, and requests the mode for the measured force. */
void yk_station_watch_modes(struct yk_station *s) YK_RT;
/* The commands of both modes, as they go out. */
void yk_station_put_modes(struct yk_station *s) YK_RT;
/* Before the drives are enabled or disabled: actuators in force control return to displacement control. */
void yk_station_leave_modes(struct yk_station *s) YK_RT;
/* Memory and settings. */
enum yk_status yk_station_make_modes(struct yk_station *s, struct yk_err *err);

/* ---- before a motion ---- */

/* The rig at rest at the start of the run, without motion; the start ramp applies a load. */
enum yk_status yk_station_rest_at_start(struct yk_station *s, struct yk_err *err);
/* Takes the positions of the actuators as the first commands. */
enum yk_status yk_station_take_positions(struct yk_station *s, bool anywhere, struct yk_err *err);
/* Refuses to move an actuator that is not at its expected position, unless `approach` allows it. */
enum yk_status yk_station_check_position(const struct yk_station *s, size_t i, bool approach, struct yk_err *err);

#endif
