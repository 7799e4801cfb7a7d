/* A simulated EtherCAT segment: slaves in a line, through which frames pass, with the plants of a rig behind its
 * drives.
 *
 * In lock-step the frames advance the simulated time: a frame with process data to the next multiple of the tick, any
 * other by a little; the rig moves one tick when the drives have new outputs. With its own clock the rig
 * moves at SYNC0 of the first drive that uses it, or by a timer, and frames may come at any time. */
#ifndef YOKE_SEGMENT_SIM_H
#define YOKE_SEGMENT_SIM_H

#include "slave.h"

#include <yoke/ethercat.h>
#include <yoke/ethercat_setup.h>

#include <stdatomic.h>
#include <yoke/rig.h>

enum { YK_SIM_SLAVES = 64, YK_SIM_FAULTS = 16 };

/* ---- faults ---- */

/* X(id, word, help) */
#define YK_SIM_FAULT_LIST(X)                                                                                           \
    X(LOST, "lost", "frames do not come back")                                                                         \
    X(DAMAGED, "damaged", "frames are damaged before they reach SLAVE, and do not come back")                          \
    X(LATE, "late", "a frame comes back only when the next one is sent")                                               \
    X(DUPLICATE, "duplicate", "every frame comes back twice")                                                          \
    X(WKC_LOW, "wkc", "the working counter of process data is 1 too low")                                              \
    X(WKC_HIGH, "wkc-high", "the working counter of process data is 1 too high")                                       \
    X(SAFEOP, "safeop", "SLAVE falls back to SAFEOP with an error")                                                    \
    X(CUT, "cut", "the cable behind SLAVE is cut; slaves beyond it hear nothing")                                      \
    X(OFF, "off", "SLAVE has no power; it and those behind it do not answer, and it starts anew afterwards")           \
    X(DRIFT, "drift", "the clock of SLAVE runs 100 ppm fast and no longer follows the reference")                      \
    X(DRIVE, "drive", "the drive SLAVE has a fault")                                                                   \
    X(FOLLOWING, "following-error", "the drive SLAVE reports a following error, bit 13 of its status word")            \
    X(LIMIT, "internal-limit", "the drive SLAVE reports an internal limit, bit 11 of its status word")                 \
    X(WARNING, "warning", "the drive SLAVE warns, bit 7 of its status word")                                           \
    X(MODE, "mode", "the drive SLAVE shows another mode than the one that it has")                                     \
    X(EMERGENCY, "emergency", "SLAVE sends an emergency message, and goes on")                                         \
    X(MAILBOX, "mailbox", "SLAVE does not answer its mailbox")                                                         \
    X(BIT_12, "no-bit-12", "the drive SLAVE never says that it follows its target, from the start")                    \
    X(IDENTITY, "identity", "SLAVE has another product code, from the start")
enum yk_sim_fault_kind {
#define X(id, word, help) YK_SIM_FAULT_##id,
    YK_SIM_FAULT_LIST(X)
#undef X
        YK_SIM_FAULT_KINDS
};
struct yk_sim_fault {
    enum yk_sim_fault_kind kind;
    double at, lasts; /* s since the drives were first enabled; 0: for good */
    int slave;        /* position from 0; -1: the first drive, for a cut the slave in the middle */

    /* private */
    bool on, over;
};
/* "KIND@TIME[+DURATION][:SLAVE]"; several, separated by commas. SLAVE counts from 1, as in messages of the master. */
enum yk_status yk_sim_faults_parse(const char *text, struct yk_sim_fault *faults, size_t *count, struct yk_err *err);

/* ---- segment ---- */

/* Properties and faults of the simulated slaves. */
struct yk_sim_settings {
    bool exact; /* drives and inputs exchange 64-bit floating-point numbers: nothing is rounded */
    bool own_clock;
    double resolution; /* of a count of position [m]; 0: 1e-7 */
    double force;      /* that 100 % of rated torque and of an analogue input mean [N]; 0: 10 kN */
    double range;      /* that 100 % of an analogue input of a sensor means, in its unit; 0: 10 */
    double ppm;        /* by which all clocks of the segment run fast */
    size_t fault_count;
    struct yk_sim_fault faults[YK_SIM_FAULTS];
};

/* May be read by another thread. */
struct yk_sim_counts {
    atomic_ulong frames, foreign; /* that came; that are not EtherCAT or damaged */
    atomic_ulong ticks, sessions; /* of the rig; how often it went back to rest for a new master */
    atomic_ulong falls;           /* of slaves from OP by themselves */
    atomic_ulong faults;          /* that were injected */
};

struct yk_sim_segment {
    struct yk_sim_slave *slaves[YK_SIM_SLAVES];
    size_t count, reach; /* slaves; those that frames reach */
    int64_t cable_ns[YK_SIM_SLAVES];
    int64_t now, due; /* time; of the next tick by the timer */
    int64_t tick_ns;
    struct yk_sim_settings settings;
    struct yk_sim_counts counts;

    /* the rig; NULL: drives follow exactly */
    const struct yk_rig_ops *rig;
    void *rig_self;
    struct yk_rig_plan plan;
    bool moving, failed;      /* a drive was enabled since the last rest; the rig gave up */
    long motion;              /* ticks since the drives were first enabled */
    double *command, *others; /* others: of second control modes */
    uint64_t modes;           /* which actuators are in theirs */
    struct yk_ahead *ahead;
    uint32_t lines;
    struct yk_rig_in in;

    /* the frame that comes late */
    size_t late_size;
    uint8_t late[YK_EC_FRAME_MOST];
};

/* Without slaves. The rig is open and stays the caller's; it may be NULL. */
enum yk_status yk_sim_segment_create(struct yk_sim_segment **segment, const struct yk_sim_settings *settings,
                                     const struct yk_rig_ops *rig, void *rig_self, const struct yk_rig_plan *plan,
                                     struct yk_err *err);
void yk_sim_segment_destroy(struct yk_sim_segment *g);
/* Appends slaves for the rig and starts them: a coupler, a drive for each actuator, terminals for forces, sensors and
 * lines. */
enum yk_status yk_sim_segment_populate(struct yk_sim_segment *g, struct yk_err *err);
/* The slaves of a description instead: their numbers, drives, process data and channels are those that the master
 * expects. */
enum yk_status yk_sim_segment_describe(struct yk_sim_segment *g, const struct yk_ec_setup *setup, struct yk_err *err);
/* Appends a slave, which is taken over; false: the segment is full. Call yk_sim_segment_start after the last. */
bool yk_sim_segment_append(struct yk_sim_segment *g, struct yk_sim_slave *s);
void yk_sim_segment_start(struct yk_sim_segment *g);
/* The same after a check of the faults. */
enum yk_status yk_sim_segment_begin(struct yk_sim_segment *g, struct yk_err *err);
/* Changes a frame in place as the ring does; false: it is none, or is damaged, and does not come back. */
bool yk_sim_segment_frame(struct yk_sim_segment *g, uint8_t *bytes, size_t size);
/* Moves time on: with its own clock the rig moves when it is due. */
void yk_sim_segment_advance(struct yk_sim_segment *g, int64_t now);
int64_t yk_sim_segment_due(const struct yk_sim_segment *g); /* when the rig moves next by its own clock */
/* A frame comes; what goes back is given to `send`: nothing, one frame, or more. */
typedef void (*yk_sim_send)(void *to, const uint8_t *bytes, size_t size);
void yk_sim_segment_take(struct yk_sim_segment *g, uint8_t *bytes, size_t size, yk_sim_send send, void *to);
/* Frames reach so many slaves: the cable behind them is cut, or mended. */
void yk_sim_segment_reach(struct yk_sim_segment *g, size_t count);

/* devices.c: the kinds of slave; one by its product code, NULL if there is no such kind or no memory. */
struct yk_sim_slave *yk_sim_kind(uint32_t product);
struct yk_sim_slave *yk_sim_coupler(void);
struct yk_sim_slave *yk_sim_drive(const struct yk_sim_settings *settings, const struct yk_rig_plan *plan, size_t i);
/* Analogue inputs: `count` channels, from number `first` on: forces of the actuators, then sensors. */
struct yk_sim_slave *yk_sim_analogue(const struct yk_sim_settings *settings, const struct yk_rig_plan *plan,
                                     size_t first, size_t count);
/* Digital inputs or outputs: those lines of the plan. */
struct yk_sim_slave *yk_sim_digital(const struct yk_rig_plan *plan, bool outputs);
/* A slave without objects; what every slave with a mailbox has; the objects of CiA 402 that any drive has, for a mode;
 * targets, readings and scales of actuator i: positions in counts, forces in 0.1 % of the rated one. */
struct yk_sim_slave *yk_sim_blank(const char *order, uint32_t product);
void yk_sim_give_mailbox(struct yk_sim_slave *s, uint32_t type);
void yk_sim_give_profile(struct yk_sim_slave *s, unsigned mode);
void yk_sim_give_axis(struct yk_sim_slave *s, const struct yk_sim_settings *settings, unsigned mode, size_t i);
/* Objects that tell the scale: a shaft turns once per metre, and a metre has so many counts. */
void yk_sim_set_counts(struct yk_sim_slave *s, double counts);

/* faults.c: begins and ends faults as time goes on; is one of this kind on? */
void yk_sim_faults_act(struct yk_sim_segment *g);
const struct yk_sim_fault *yk_sim_fault_on(const struct yk_sim_segment *g, enum yk_sim_fault_kind kind);

#endif
