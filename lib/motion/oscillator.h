/* The step of an oscillator under an excitation that is a straight line in time: exact, for any stiffness, also zero
 * and negative. */
#ifndef YOKE_MOTION_OSCILLATOR_H
#define YOKE_MOTION_OSCILLATOR_H

/* u1 = A11 u + A12 v + B11 p0 + B12 p1, v1 likewise, for u'' + c u' + k u = p, p from p0 to p1 in the time h. */
struct oscillator_step {
    double A11, A12, A21, A22, B11, B12, B21, B22;
};
struct oscillator_step motion_step_of(double k, double c, double h);
/* Largest |y| inside a step of the cubic through y0, y1 with the slopes s0, s1: where the slope is zero. 0: it is at an
 * end. *at: part of the step. */
double motion_extreme(double h, double y0, double s0, double y1, double s1, double *at);

#endif
