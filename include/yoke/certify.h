/* Certificates: is *every* plant within given limits stable? docs/theory/certificates.md. A library of its own,
 * libyoke-certify.a, beside libyoke and libyoke-figure.a.
 *
 * A discrete loop has ports, places where a number is scaled by an uncertain factor. With parameter i at its nominal
 * value plus delta_i times its half width,
 *
 *     state+ = A state + B w,   y = C state + D w,   w = delta_i y at the ports of parameter i
 *
 * A certificate of radius r proves that all loops with |delta_i| <= r are stable, on the whole unit circle and not on
 * a grid of frequencies. What cannot be proved is not certified.
 *
 *     struct yk_certify_problem problem = {.count = 2, .of = parameters, .family = give, .user = &mine};
 *     struct yk_certificate c;
 *
 *     if (!yk_certify(&problem, NULL, &c, &err))
 *         printf("stable up to %g times the intervals, unstable at %g\n", c.radius, c.found);
 *     yk_certificate_free(&c);
 *
 * Matrices are dense and column-major. */
#ifndef YOKE_CERTIFY_H
#define YOKE_CERTIFY_H

#include <stdbool.h>
#include <stddef.h>
#include <yoke/status.h>

enum { YK_CERTIFY_PARAMETERS = 40, YK_CERTIFY_CORNERS = 12 };

/* A linear loop with its ports. One parameter may have several ports: its factor then acts at each of them. */
struct yk_family {
    size_t states, ports;
    double *A, *B, *C, *D; /* states x states, states x ports, ports x states, ports x ports */
    size_t *parameter;     /* of each port */
};
enum yk_status yk_family_make(struct yk_family *family, size_t states, size_t ports, struct yk_err *err);
void yk_family_free(struct yk_family *family);
/* Gives each parameter the fewest ports that have the same effect: as many as the rank of its columns of B, D and of
 * its rows of C, D; what is smaller than `least` of the largest is rounding. */
enum yk_status yk_family_compress(struct yk_family *family, size_t parameters, double least, struct yk_err *err);
/* det(I - D Delta), and the eigenvalues of the loop with these deviations (`states` each). */
enum yk_status yk_family_close(const struct yk_family *family, const double *delta, double *determinant, double *re,
                               double *im, struct yk_err *err);

/* An uncertain parameter, in units of its half width. */
struct yk_uncertain {
    const char *name;
    double down, up;    /* reach to either side at r = 1; 0 for both: 1 */
    double least, most; /* what is possible at all: the intervals are cut there; equal: anything is */
    /* Acts in another way than through ports: the family differs with it. Its effect is interpolated, with the error of
     * that added to what must be proved. */
    bool varied;
    double kink,
        first_kink; /* of a varied one: it is smooth only between `first_kink` + k `kink`; kink 0: everywhere */
};

struct yk_certify_problem {
    size_t count;
    const struct yk_uncertain *of;
    /* The family at deviations `delta` (count), of which only the varied ones matter; the family stays the callee's,
     * and is as given until the next 64 calls. */
    enum yk_status (*family)(void *user, const double *delta, const struct yk_family **family, struct yk_err *err);
    void *user;
    double cycle_s; /* duration of a cycle, for frequencies; 0: 1 s */
};

struct yk_certify_settings {
    double most;     /* radius at which the search ends; 0: 64 */
    double budget_s; /* of CPU time; 0: no end */
    bool costs;      /* also which parameter costs most */
    size_t grid;     /* for comparisons: this many points of the circle and nothing between them, which is no proof */
};

/* Cost of a parameter: radii without it and of it alone. */
struct yk_certify_cost {
    double without, alone;
};
/* Distance of the hull from 0 along the upper unit circle, relative to its farthest corner; at one radius. */
struct yk_certify_point {
    double angle, distance;
};
struct yk_certificate {
    double radius;                       /* proved; 0: not even the nominal loop with any interval */
    double found;                        /* the smallest at which an unstable loop was found; INFINITY: none */
    double worst[YK_CERTIFY_PARAMETERS]; /* deviations of that loop */
    bool nominal_unstable;
    bool limited;                    /* `radius` is the end of the search */
    bool spent;                      /* the budget was spent before the end */
    bool cut[YK_CERTIFY_PARAMETERS]; /* its interval was cut at what is possible */
    const char *method;              /* "corners", "boxes" or "scalings" */
    size_t arcs, boxes;              /* of the proof */
    double critical_Hz;              /* where the hull is nearest to 0 */
    double undecided_Hz; /* where the next larger radius could not be proved; NAN: it is unstable, or there is none */
    struct yk_certify_cost *cost; /* of each parameter; malloc'd; NULL: not asked for */
    struct yk_certify_point *points;
    size_t count; /* of points */
    double spent_s;
};
enum yk_status yk_certify(const struct yk_certify_problem *problem, const struct yk_certify_settings *settings,
                          struct yk_certificate *out, struct yk_err *err);
void yk_certificate_free(struct yk_certificate *certificate);
/* Does 0 lie outside the hull of radius r on the whole circle? grid: as in the settings; 0: a proof. */
enum yk_status yk_certify_hull(const struct yk_certify_problem *problem, double r, size_t grid, bool *proved,
                               struct yk_err *err);
/* Spectral radius of the loop with these deviations. */
enum yk_status yk_certify_spectral(const struct yk_certify_problem *problem, const double *delta, double *radius,
                                   struct yk_err *err);
/* The radius up to which parameter k may change at any time in any way, all others nominal (circle criterion). */
enum yk_status yk_certify_changing(const struct yk_certify_problem *problem, size_t k, double *radius,
                                   struct yk_err *err);

/* Distance of the hull from 0 over frequency, both logarithmic, with its nearest point (yoke/figure.h). cycle_s: as in
 * the problem. */
enum yk_status yk_certificate_draw(const struct yk_certificate *certificate, double cycle_s, const char *title,
                                   const char *path, struct yk_err *err);

/* ---- scalings ---- */

/* The structured singular value of a complex matrix M (n x n, column-major, re and im): an upper bound from scalings;
 * real[i]: the factor at i is a real number, else complex. 1/bound is the radius at this frequency. */
enum yk_status yk_scalings_bound(size_t n, const double *re, const double *im, const bool *real, double *bound,
                                 struct yk_err *err);

/* ---- where to cut, how to command ---- */

/* A structure of springs, dampers and masses, damped, whose degrees of freedom are translations. Symmetric matrices, n
 * x n. */
struct yk_cuts {
    size_t n;
    const double *M, *C, *K;
    double least, most; /* of the common factor on springs and dampers of the specimen */
    double low, high;   /* frequencies that count [rad/s] */
};
/* A degree of freedom that joins two parts of the structure and nothing else. The specimen is what lies above it (the
 * degrees of freedom after it) or below, with ground; its mass belongs to the computed side under displacement
 * commands, to the specimen under force commands. */
struct yk_cut {
    size_t interface;
    bool above, force;
    double nominal_s;   /* delay at which the loop with the factor 1 becomes unstable; INFINITY: none */
    double found_s;     /* the smallest that was found for the factors */
    double certified_s; /* below it all of them are stable */
};
struct yk_cut_list {
    size_t count;
    struct yk_cut *cut; /* the best first; malloc'd */
};
enum yk_status yk_cuts_rank(const struct yk_cuts *cuts, struct yk_cut_list *out, struct yk_err *err);
void yk_cuts_free(struct yk_cut_list *list);

#endif
