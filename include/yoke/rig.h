/* A rig backend: what moves the actuators. Once a control tick commands go out and readings come back.
 *
 * A command stands for the end of the tick and is sent at its beginning; the readings are those at its end (a rig in
 * another process gives the newest it has). A backend is one file and one line in backends.def; a user's own may come
 * from a shared object (plugin.h: `.rig`). */
#ifndef YOKE_RIG_H
#define YOKE_RIG_H

#include <yoke/arena.h>
#include <yoke/param.h>

/* What is measured at one actuator. */
struct yk_reading {
    double displacement, force; /* m, N: the force that the specimen sets against the actuator */
    double acceleration;        /* m/s2; 0 where the rig has no accelerometer */
};

/* What an exchange brought. */
enum yk_rig_answer {
    YK_RIG_FRESH, /* readings of this tick                                                     */
    YK_RIG_HELD,  /* nothing new came in time: the readings are the last ones                  */
    YK_RIG_LOST,  /* the other side is gone or refuses; the readings are the last ones         */
};

/* What a backend has to move. Names and x0 live as long as the rig is open. */
struct yk_rig_plan {
    size_t count; /* actuators */
    const char *const *names;
    double tick;          /* control period [s] */
    const double *x0;     /* where they stand at the start [m] */
    struct yk_arena *mem; /* what changes while time runs is taken from it, or is in the private struct */
};

struct yk_rig_ops {
    const char *name; /* "virtual" */
    const char *summary, *reference;
    const struct yk_param *params; /* settings in the section `rig` */
    size_t size;                   /* of the private struct, which holds the settings */

    /* set-up; open may wait for a peer, but not forever */
    enum yk_status (*open)(void *self, const struct yk_rig_plan *plan, struct yk_err *err);
    void (*close)(void *self);
    /* The longest that `exchange` blocks [s]. May be NULL: it does not. */
    double (*worst_wait_s)(const void *self);
    /* At rest at x, with the readings there; before a run. A real rig is moved there by ramps, not by this. */
    enum yk_status (*rest)(void *self, const double *x, struct yk_reading *readings, struct yk_err *err);

    /* cycle: no heap, no lock, no unbounded wait */
    enum yk_rig_answer (*exchange)(void *self, const double *command, struct yk_reading *readings) YK_RT;
    /* The drive is to be disabled: the action `cut` of a limit. Once; no exchange follows. May be NULL: then the
     * commands just stop, which a rig must take for a reason to make itself safe. */
    void (*cut)(void *self) YK_RT;
};
extern const struct yk_rig_ops *const yk_rigs[]; /* NULL at the end */
const struct yk_rig_ops *yk_rig_find(const char *name);

#endif
