/* Simulated sensors: from the motion and force of a specimen to readings. docs/theory/control.md, eq. (33). */
#ifndef YOKE_SENSOR_H
#define YOKE_SENSOR_H

#include <yoke/transfer.h>

/* sampled early -> gain x + bias + noise -> filter -> saturation -> quantisation -> drop-outs. Two sensors with the
 * same settings and seed give the same readings. */
struct yk_sensor {
    double bias, noise; /* in the unit of the reading; noise: root mean square, white, Gaussian */
    double gain;
    double quantum;    /* step of the converter; 0: none */
    double saturation; /* largest reading to either side; 0: none */
    double dropout;    /* probability that a reading is missing: the last one is repeated */
    double skew;       /* 0 .. 1: part of a tick by which it is sampled before the end of the tick */
    int seed;
    struct yk_filter filter; /* set by its own functions; zero: none */

    /* private */
    uint64_t random;
    double last, before; /* reading, and input at the end of the tick before */
};
enum yk_status yk_sensor_init(struct yk_sensor *s, struct yk_err *err);
/* Puts the sensor at rest at x0 and restarts its random numbers. */
void yk_sensor_reset(struct yk_sensor *s, double x0) YK_RT;
double yk_sensor_step(struct yk_sensor *s, double x) YK_RT;

#endif
