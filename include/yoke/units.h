/* Quantities with units at the edge of the program. Inside, everything is SI: kg, m, s, N, rad. */
#ifndef YOKE_UNITS_H
#define YOKE_UNITS_H

#include <stdio.h>
#include <yoke/status.h>

/* Physical quantity of a field. A quantity of motion covers its translational and its rotational form, since a degree
 * of freedom may be either: YK_STIFFNESS takes N/m, or N m/rad with the radian, so that a forgotten or added m is
 * noticed. Quantities after YK_DENSITY are known to be one of the two, or are off the diagonal of a matrix. */
enum yk_quantity {
    YK_NUMBER,       /* pure number                          */
    YK_TIME,         /* s                                    */
    YK_FREQUENCY,    /* Hz; rad/s and rpm are converted      */
    YK_LENGTH,       /* m                                    */
    YK_ANGLE,        /* rad                                  */
    YK_DISPLACEMENT, /* m or rad                             */
    YK_VELOCITY,     /* m/s or rad/s                         */
    YK_ACCELERATION, /* m/s2 or rad/s2                       */
    YK_MASS,         /* kg or kg m2                          */
    YK_DAMPING,      /* N s/m or N m s/rad                   */
    YK_STIFFNESS,    /* N/m or N m/rad                       */
    YK_CUBIC,        /* N/m3 or N m/rad3                     */
    YK_FORCE,        /* N or N m                             */
    YK_ENERGY,       /* J                                    */
    YK_PER_TIME,     /* 1/s, e.g. a mass-proportional damping coefficient */
    YK_PER_LENGTH,   /* 1/m                                  */
    YK_PER_AREA,     /* 1/m2                                 */
    YK_AREA,         /* m2                                   */
    YK_AREA_MOMENT,  /* m4, second moment of an area         */
    YK_PRESSURE,     /* Pa, also a modulus of elasticity     */
    YK_DENSITY,      /* kg/m3                                */
    YK_SPEED,        /* m/s                                  */
    YK_TURN_RATE,    /* rad/s                                */
    YK_PLAIN_FORCE,  /* N                                    */
    YK_MOMENT,       /* N m                                  */
    YK_PLAIN_ACCELERATION,
    YK_TURN_ACCELERATION,
    YK_PLAIN_MASS,
    YK_MASS_ARM, /* kg m: between a translation and a rotation */
    YK_INERTIA,
    YK_PLAIN_DAMPING,
    YK_CROSS_DAMPING, /* N s */
    YK_TURN_DAMPING,
    YK_PLAIN_STIFFNESS,
    YK_CROSS_STIFFNESS, /* N */
    YK_TURN_STIFFNESS,
    YK_PLAIN_CUBIC,
    YK_TURN_CUBIC,
    YK_ANY_MASS, /* the last three: off the diagonal, between degrees of freedom that may be either */
    YK_ANY_DAMPING,
    YK_ANY_STIFFNESS,
    YK_STROKE_GAIN, /* m or rad for one unit of a device; mm/V */
    YK_FORCE_GAIN,  /* N or N m for one unit of a load cell; kN/V */
    YK_FORCE_RATE,  /* N/s or N m/s */
    YK_STRAIN,      /* and the next two: of a fibre */
    YK_STRESS,
    YK_MODULUS,
    YK_PER_SPEED, /* s/m */
    YK_JERK,      /* m/s3 or rad/s3 */
    YK_VOLUME,    /* m3 */
    YK_FLOW,      /* m3/s; 63 l/min */
    YK_QUANTITY_COUNT
};

/* How a degree of freedom moves, as far as it is known; or what a law is of: a fibre has strain and stress. */
enum yk_sense { YK_EITHER, YK_ALONG, YK_ABOUT, YK_FIBRE };
/* The form of a quantity of motion that belongs to a degree of freedom or a fibre; other quantities do not change. */
enum yk_quantity yk_quantity_of(enum yk_quantity quantity, enum yk_sense sense);
/* The form for an entry of a mass, damping or stiffness matrix. */
enum yk_quantity yk_quantity_between(enum yk_quantity quantity, enum yk_sense row, enum yk_sense column);

/* "16 ms", "14.8 kN/m", "0.4 g", "3000 rpm", "1e-3": number, then an optional unit. A bare number is SI.
 * Refuses text that is not a finite number, an unknown unit, and a unit of another dimension (YK_E_UNIT). */
enum yk_status yk_quantity_parse(const char *text, enum yk_quantity quantity, double *si, struct yk_err *err);

/* A regular expression (ECMA 262) for such texts, as far as one can tell: a number, then a unit of that quantity, or a
 * product of units. */
void yk_quantity_pattern(enum yk_quantity quantity, FILE *out);

const char *yk_quantity_name(enum yk_quantity quantity); /* "stiffness" */
const char *yk_quantity_unit(enum yk_quantity quantity); /* "N/m"       */

/* For people: "36 t", "14.8 kN/m", "0.349 mm", with so many significant digits (1 to 15) and a prefix that leaves 1 to
 * 1000 in front of the unit where there is one. Units without prefixes stay as they are: "0.35 Hz", "1500 m". Usable as
 * an argument: printf("%s", yk_quantity_format(m, YK_MASS, 4).text). */
struct yk_quantity_text {
    char text[40];
};
struct yk_quantity_text yk_quantity_format(double si, enum yk_quantity quantity, int digits);
/* A time of a loop: in us up to a millisecond, then in ms and s. */
struct yk_quantity_text yk_time_format(double seconds);

/* A unit of display: SI values times `factor` are values in `text`. */
struct yk_display_unit {
    double factor;
    char text[24];
};
/* In which unit an axis shows values of an SI unit ("m", "N m") whose largest is `largest` in size: "mm" for 0.035 m,
 * "kN" for 5000 N. Units without usual prefixes stay as they are, also unknown ones. */
struct yk_display_unit yk_unit_for_display(const char *unit, double largest);
/* The factor from one unit to another: 1000 from "m" to "mm". Refuses unknown units and another dimension. */
enum yk_status yk_unit_factor(const char *from, const char *to, double *factor, struct yk_err *err);

#endif
