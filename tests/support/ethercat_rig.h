/* The backend `ethercat` on a simulated segment in the same process: no interface, no waiting, the same every time. */
#ifndef YOKE_TEST_ETHERCAT_RIG_H
#define YOKE_TEST_ETHERCAT_RIG_H

#include "rig/ethercat.h"
#include "segment/sim.h"
#include <yoke/ethercat_setup.h>

struct ethercat_rig_test {
    struct yk_sim_segment *segment;
    struct yk_rig_plan plan;
    void *self; /* of the backend */
    uint64_t passed;
    struct yk_reading readings[8];
    double sensors[8];
    struct yk_rig_in in; /* in SI units, by the scales of the channels, where ethercat_rig_exchange read it */
    void (*after)(struct ethercat_rig_test *t); /* each frame; may be NULL */
};

/* A segment for n actuators (at most 8), and the backend with the settings for it; not open. */
void ethercat_rig_make(struct ethercat_rig_test *t, const struct yk_sim_settings *settings, size_t n, bool clock);
/* For a rig behind the segment, whose plan it is. */
void ethercat_rig_make_for(struct ethercat_rig_test *t, const struct yk_sim_settings *settings, bool clock,
                           const struct yk_rig_ops *rig, void *rig_self, const struct yk_rig_plan *plan);
struct yk_ec_setup *ethercat_rig_setup(struct ethercat_rig_test *t);
/* Opens, rests and enables; it must succeed. */
void ethercat_rig_start(struct ethercat_rig_test *t);
enum yk_rig_answer ethercat_rig_exchange(struct ethercat_rig_test *t, const double *command);
void ethercat_rig_end(struct ethercat_rig_test *t);
/* Slaves and channels of the segment that `yoke serve --ethercat` makes for the plan: counts, or exact numbers. */
void ethercat_rig_describe(struct yk_ec_setup *setup, const struct yk_sim_settings *settings,
                           const struct yk_rig_plan *plan);

#endif
