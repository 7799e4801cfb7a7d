/* Quantities with units at the edge of the program. Inside, everything is SI: kg, m, s, N, rad. */
#ifndef YOKE_UNITS_H
#define YOKE_UNITS_H

#include <yoke/status.h>

/* What a field measures. A quantity of motion stands for its translational and its rotational form, since a degree of
 * freedom may be either: YK_STIFFNESS takes N/m, N m/rad and the mixed N/rad. The last four are for those that are
 * known to be one of the two. */
enum yk_quantity {
    YK_NUMBER,       /* pure number                          */
    YK_TIME,         /* s                                    */
    YK_FREQUENCY,    /* Hz; rad/s and rpm are converted      */
    YK_LENGTH,       /* m                                    */
    YK_ANGLE,        /* rad                                  */
    YK_DISPLACEMENT, /* m or rad                             */
    YK_VELOCITY,     /* m/s or rad/s                         */
    YK_ACCELERATION, /* m/s2 or rad/s2                       */
    YK_MASS,         /* kg, kg m or kg m2                    */
    YK_DAMPING,      /* N s/m, N s or N m s                  */
    YK_STIFFNESS,    /* N/m, N or N m                        */
    YK_CUBIC,        /* N/m3 or N m                          */
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
    YK_QUANTITY_COUNT
};

/* "16 ms", "14.8 kN/m", "0.4 g", "3000 rpm", "1e-3": number, then an optional unit. A bare number is SI.
 * Refuses text that is not a finite number, an unknown unit, and a unit of another dimension (YK_E_UNIT). */
enum yk_status yk_quantity_parse(const char *text, enum yk_quantity quantity, double *si, struct yk_err *err);

const char *yk_quantity_name(enum yk_quantity quantity); /* "stiffness" */
const char *yk_quantity_unit(enum yk_quantity quantity); /* "N/m"       */

/* For people: "36 t", "14.8 kN/m", "0.349 mm", with so many significant digits (1 to 15) and a prefix that leaves 1 to
 * 1000 in front of the unit where there is one. What has no prefix stays in its unit: "0.35 Hz", "1500 m". Usable as an
 * argument: printf("%s", yk_quantity_format(m, YK_MASS, 4).text). */
struct yk_quantity_text {
    char text[40];
};
struct yk_quantity_text yk_quantity_format(double si, enum yk_quantity quantity, int digits);

#endif
