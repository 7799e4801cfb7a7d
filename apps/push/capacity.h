/* Capacity curve: base shear over roof displacement, its bilinear idealisations, and performance points. Values of the
 * equivalent oscillator: d* = d/Gamma, F* = V/Gamma. docs/statics.md */
#ifndef YOKE_PUSH_CAPACITY_H
#define YOKE_PUSH_CAPACITY_H

#include <yoke/motion.h>

struct curve {
    size_t count;
    const double *d, *F; /* d increases; begins at the first state */
};
/* The force at d, on straight lines; area up to dm; largest force up to dm. */
double curve_at(const struct curve *c, double d);
double curve_area(const struct curve *c, double dm);
double curve_most(const struct curve *c, double dm);

struct bilinear {
    double Fy, dy, alpha; /* alpha: stiffness after yield over the first; 0: none */
    bool capped;          /* Fy is the largest force */
};
struct bilinear bilinear_n2(const struct curve *c, double dm);
struct bilinear bilinear_asce(const struct curve *c, double dm);
/* du: NaN where the force does not fall to 0.8 of its peak. */
struct bilinear bilinear_park(const struct curve *c, double *du);
/* Displacement at which the force has fallen to 0.8 of its peak; the end where it has not. */
double curve_end(const struct curve *c, bool *falls);

/* The spectrum of --target: EN 1998-1 only, since the capacity spectrum method needs it for any damping. */
enum yk_status target_read(const char *text, struct yk_code_spectrum *spectrum, struct yk_err *err);

struct performance {
    bool found;
    int side; /* of the capacity spectrum method without a point: -1: demand below the yield, 1: beyond capacity */
    double d, F, T, damping, qu;
    double Fy, dy;
    int passes;
    double first_d, first_T, first_qu; /* of the first pass of N2 */
};
/* m: mass of the equivalent oscillator; dm: first guess. */
struct performance performance_n2(const struct curve *c, double m, const struct yk_code_spectrum *s);
struct performance performance_spectrum(const struct curve *c, double m, const struct yk_code_spectrum *s,
                                        double kappa);

#endif
