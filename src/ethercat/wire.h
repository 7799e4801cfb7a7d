/* A wire that carries EtherCAT frames: an Ethernet interface, or a function of this process at the other end. */
#ifndef YOKE_ETHERCAT_WIRE_H
#define YOKE_ETHERCAT_WIRE_H

#include "base/claim.h"
#include "ethercat/frame.h"

struct yk_ec_wire;

struct yk_ec_wire_ops {
    /* False: it could not be sent; a frame that is not sent is a lost one. */
    bool (*send)(struct yk_ec_wire *wire, const uint8_t *frame, size_t size) YK_RT;
    /* The next frame, of at most YK_EC_FRAME_MOST bytes, until the time `until_ns` of `now`; returns its size, 0: none
     * came. */
    size_t (*receive)(struct yk_ec_wire *wire, uint8_t *frame, int64_t until_ns) YK_RT;
    /* The clock of the waits [ns]. */
    int64_t (*now)(const struct yk_ec_wire *wire) YK_RT;
    /* Waits until then; outside the loop, and before its first tick. */
    void (*pause)(struct yk_ec_wire *wire, int64_t until_ns) YK_RT;
    void (*close)(struct yk_ec_wire *wire);
};

struct yk_ec_wire {
    const struct yk_ec_wire_ops *ops;
    void *self;
    uint8_t mac[6];   /* of this side */
    bool down;        /* the interface is down or gone: seen by a call */
    bool timed;       /* time goes on between calls */
    int64_t epoch_ns; /* `now` plus this is the time since 2000-01-01 */
};

/* A raw socket on an interface; needs CAP_NET_RAW. A master claims the interface first: a bus has one. */
enum yk_status yk_ec_claim(struct yk_claim *claim, const char *interface, struct yk_err *err);
enum yk_status yk_ec_wire_open(struct yk_ec_wire *wire, const char *interface, struct yk_err *err);
static inline void yk_ec_wire_close(struct yk_ec_wire *wire)
{
    if (wire->ops)
        wire->ops->close(wire);
    wire->ops = NULL;
}

/* The other end in this process: `pass` gets each frame that is sent, and returns frames through
 * yk_ec_wire_return: none, this one, or others, now or when a later one passes. Time does not run by itself: a send
 * takes YK_EC_WIRE_SEND_NS, and a wait for a frame that does not come takes as long as it is allowed to. Deterministic;
 * one thread. */
enum { YK_EC_WIRE_SEND_NS = 10000, YK_EC_WIRE_RETURNED = 8 /* frames that wait; more are dropped */ };
enum yk_status yk_ec_wire_connect(struct yk_ec_wire *wire,
                                  void (*pass)(void *self, const uint8_t *frame, size_t size, struct yk_ec_wire *back),
                                  void *self, struct yk_err *err);
void yk_ec_wire_return(struct yk_ec_wire *wire, const uint8_t *frame, size_t size);

#endif
