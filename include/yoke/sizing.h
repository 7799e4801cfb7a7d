/* Sizes of actuators: what a test asks of one, and which of a table can give it. docs/theory/sizing.md. A library of
 * its own, libyoke-sizing.a, beside libyoke and libyoke-figure.a. Units: N, m, s.
 *
 *     struct yk_motion_asked asked = {.n = n, .dt = dt, .x = x, .force = force};
 *
 *     if (!yk_asked_complete(&asked))             speeds and accelerations from the displacements
 *         return 1;
 *     for (size_t i = 0; i < table.count; i++)
 *         yk_actuator_use_of(&table.rows[i], &asked, &use); */
#ifndef YOKE_SIZING_H
#define YOKE_SIZING_H

#include <stdbool.h>
#include <stddef.h>
#include <yoke/status.h>

/* Motion and force that a test asks of an actuator, sampled every dt. */
struct yk_motion_asked {
    size_t n;
    double dt;
    const double *x, *force; /* the caller's; force: of the specimen */
    double *v, *a;           /* malloc'd by yk_asked_complete */
};
/* Speeds and accelerations by differences of fourth order. False: out of memory, or fewer than five samples. */
bool yk_asked_complete(struct yk_motion_asked *asked);
void yk_asked_free(struct yk_motion_asked *asked);

/* Largest values, and when [s]. */
struct yk_asked_peaks {
    double stroke, speed, acceleration, force, power;
    double stroke_at, speed_at, acceleration_at, force_at, power_at;
};
struct yk_asked_peaks yk_asked_peaks(const struct yk_motion_asked *asked);

/* A servo-hydraulic actuator of a table. */
struct yk_actuator_row {
    char name[48];
    double force;       /* at standstill */
    double stroke;      /* to either side */
    double flow, drop;  /* of the fully open valve, at the drop over both edges [m3/s, Pa] */
    double valve_Hz;    /* at which the valve lags by 90 degrees */
    double supply;      /* [Pa] */
    double piston_mass; /* [kg] */
};
double yk_actuator_area(const struct yk_actuator_row *row);
/* The largest speed without a load, and against a force; negative forces help. */
double yk_actuator_speed(const struct yk_actuator_row *row, double force);
/* Force at standstill times unloaded speed: what `smallest` goes by. */
double yk_actuator_power(const struct yk_actuator_row *row);

/* How much of an actuator a motion needs: 1 is all. Its piston moves as well. */
struct yk_actuator_needed {
    double stroke, force, curve; /* curve: of force and speed together, the factor by which the curve could shrink */
    double most, at_s;           /* the largest of them, and when */
    double flow;                 /* [m3/s], the largest */
};
void yk_actuator_use_of(const struct yk_actuator_row *row, const struct yk_motion_asked *asked,
                        struct yk_actuator_needed *needed);

/* A picture of force over speed: the test, and the capacity in all four quadrants. `speed`: the largest against 0,
 * force/(points - 1), ... force; points 0: no capacity is known. Writes it with its data (yoke/figure.h). */
struct yk_sizing_picture {
    const char *name; /* of the actuator */
    const struct yk_motion_asked *asked;
    size_t points;
    double force;
    const double *speed;
};
enum { YK_SIZING_PICTURES = 16 };
/* The factor by which that outline could shrink until a sample lies on it, the largest of all samples, and when [s]; 1:
 * all of force and speed is used. NAN: no capacity is known. */
struct yk_outline_used {
    double most, at_s;
};
struct yk_outline_used yk_sizing_used(const struct yk_sizing_picture *picture);
/* Its speed where the largest force helps: the first line of the curve goes on to there. */
double yk_sizing_helped(const struct yk_sizing_picture *picture);
enum yk_status yk_sizing_draw(const struct yk_sizing_picture *pictures, size_t count, const char *title,
                              const char *path, struct yk_err *err);

struct yk_actuator_table {
    size_t count;
    struct yk_actuator_row *rows; /* the smallest first; malloc'd */
};
/* Reads a CSV file with the columns of data/actuators/classes.csv, in any order. */
enum yk_status yk_actuator_table_read(struct yk_actuator_table *table, const char *path, struct yk_err *err);
void yk_actuator_table_free(struct yk_actuator_table *table);

#endif
