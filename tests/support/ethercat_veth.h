/* The backend `ethercat` and a simulated segment at the two ends of a veth pair, in a network of this process; and a
 * bare echo at the end of another pair, for comparison. */
#ifndef YOKE_TEST_ETHERCAT_VETH_H
#define YOKE_TEST_ETHERCAT_VETH_H

#include "support/ethercat_rig.h"

#include <pthread.h>

enum { VETH_DRIVES = 8 };

struct ethercat_veth {
    struct ethercat_rig_test rig;
    struct yk_ec_wire segment_end, echo_near, echo_far;
    pthread_t segment, echo;
    atomic_bool stop;
    size_t frame_size; /* of the cyclic frame */
};

/* Eight drives in lock-step, enabled. False: this process may not have a network of its own; the test is skipped. */
bool ethercat_veth_start(struct ethercat_veth *v);
/* One exchange; false: it was not fresh. */
bool ethercat_veth_exchange(struct ethercat_veth *v, long tick);
/* A frame of the same size there and back, without a master or slaves. */
bool ethercat_veth_echo(struct ethercat_veth *v);
/* Medians of both, in turns [s]. */
void ethercat_veth_compare(struct ethercat_veth *v, size_t turns, double *exchange_s, double *echo_s);
void ethercat_veth_end(struct ethercat_veth *v);

#endif
