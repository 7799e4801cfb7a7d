/* A rig between a station and its virtual rig: sees every command as it is on the wire, in wall time, and lets
 * something happen to the readings at an exact exchange. Runs are paced on a virtual clock or not at all. */
#ifndef YOKE_TEST_BETWEEN_H
#define YOKE_TEST_BETWEEN_H

#include "support/recorded.h"

#include "base/clock.h"

enum { BETWEEN_MOST = 4 }; /* actuators */

struct between;
/* A happening at an exchange: it may change the readings of all actuators. */
typedef enum yk_rig_answer happening(struct between *b, struct yk_reading *r);

/* The commands sent to one actuator. */
struct between_wire {
    double sent, reach, rate; /* last command; largest of all, and fastest in wall time */
    double first;             /* command */
    double home;              /* where it was put to rest */
};

struct between {
    happening *happen;
    long from;        /* the first exchange that it acts on */
    size_t actuator;  /* of which readings it changes */
    bool approach;    /* the rig may be led to its start from anywhere */
    bool unpaced;     /* without --realtime: a simulated rig is then not paced, a real one is */
    bool real;        /* the rig does not say that it simulates */
    int threads;      /* 0: one */
    double stands_at; /* where the rig is found, with between_rest */
    struct yk_clock clock;
    struct yk_run_control control;
    uint64_t seed;
    uint32_t opens;     /* lines that the rig reports as low */
    const char *reason; /* why the rig refuses */

    /* what was seen */
    struct between_wire wire[BETWEEN_MOST];
    struct yk_reading last[BETWEEN_MOST]; /* good readings */
    long tick;                            /* exchanges so far */
    int64_t then_ns, from_ns;             /* wall time of the last exchange, and of `from` */
    double ramp_rate;                     /* fastest of the first second */
    int cuts;                             /* how often the drive was disabled */
    long cut_tick;                        /* and after which exchange */

    /* private */
    const struct yk_rig_ops *rig;
    void *self;
    size_t count;
    double tick_s;
};

enum yk_rig_answer between_exchange(void *self, const struct yk_rig_out *out, struct yk_rig_in *in);
enum yk_status between_rest(void *self, const double *x, struct yk_rig_in *in, struct yk_err *err);
void between_cut(void *self, uint32_t lines);
/* The rig stands where the run begins; it stands at `stands_at`. */
extern const struct yk_rig_ops between_ops, between_ops_elsewhere;

/* Runs e with `ops` between its station and the rig. */
void between_run(struct between *b, const struct yk_rig_ops *ops, struct yk_model *e, struct recorded *r);

#endif
