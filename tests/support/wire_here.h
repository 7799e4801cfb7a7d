/* A wire of EtherCAT that stays in this process. */
#ifndef YOKE_SUPPORT_WIRE_HERE_H
#define YOKE_SUPPORT_WIRE_HERE_H

#include <yoke/ethercat.h>

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
