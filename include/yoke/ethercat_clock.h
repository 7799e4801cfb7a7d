/* Distributed clocks: delays of a line of slaves, start of SYNC0, and the loop that locks the master to them. */
#ifndef YOKE_ETHERCAT_CLOCK_H
#define YOKE_ETHERCAT_CLOCK_H

#include <stddef.h>
#include <stdint.h>
#include <yoke/status.h>

/* When a frame reached the ports 0 and 1 of a slave, in its own clock [ns]; the same where the line ends. */
struct yk_ec_passage {
    uint32_t there, back;
};

/* Delays [ns] of the slaves of a line to the first, from the passage of one frame. `more`: processing minus forwarding
 * delay of the chips [ns]. */
void yk_ec_line_delays(const struct yk_ec_passage *at, size_t count, int32_t more, int32_t *delays);

/* The first SYNC0 that is surely in the future: a multiple of the cycle plus shift, `lead` after now [ns]. */
uint64_t yk_ec_sync_start(uint64_t now, uint64_t lead, uint32_t cycle, uint32_t shift);

/* Phase of the frames against the reference clock: a proportional-integral loop.
 *     e = (t - phase) mod T, in -T/2 .. T/2;  u = -(Kp e + Ki s), |u| <= T/50;  s += e, frozen while u is limited
 * The next frame goes T + u after the last; e(k+1) = e(k) + drift + u(k). Kp = 0.1 and Ki = Kp^2/4 give the double root
 * 1 - Kp/2. */
struct yk_ec_phase {
    double period_ns;
    double error_ns, sum_ns, correction_ns;
    long locked; /* ticks with |e| < 5 % of T; any other takes 10 of them back */
};
enum { YK_EC_LOCKED = 500 }; /* so many of them count as locked */
void yk_ec_phase_init(struct yk_ec_phase *p, double period_ns);
/* A frame passed the reference clock when that showed `time`. */
void yk_ec_phase_update(struct yk_ec_phase *p, uint64_t time) YK_RT;

#endif
