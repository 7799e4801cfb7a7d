/* Shared by the files of libyoke-certify. */
#ifndef CERTIFY_PARTS_H
#define CERTIFY_PARTS_H

#include <complex.h>
#include <yoke/certify.h>

#define CERTIFY_MOST_NODES 8192 /* of a box */

/* An interval of deviations for each parameter. */
struct certify_box {
    double lo[YK_CERTIFY_PARAMETERS], hi[YK_CERTIFY_PARAMETERS];
};

/* Result for a box. */
enum certify_answer { CERTIFY_PROVED, CERTIFY_UNDECIDED, CERTIFY_UNSTABLE };
struct certify_proof {
    enum certify_answer answer;
    double angle;                    /* where it failed, or where the hull was nearest to 0 */
    double distance;                 /* there */
    struct yk_certify_point *points; /* NULL: not asked for; malloc'd */
    size_t count, room;
    double worst[YK_CERTIFY_PARAMETERS]; /* unstable: such a loop */
};

/* A search under way. */
struct certify {
    const struct yk_certify_problem *problem;
    const struct yk_certify_settings *settings;
    size_t count; /* parameters that take part: of[used[i]] */
    size_t used[YK_CERTIFY_PARAMETERS];
    bool is_used[YK_CERTIFY_PARAMETERS]; /* the others stay at 0 */
    size_t ports[YK_CERTIFY_PARAMETERS]; /* of each parameter */
    double began;                        /* CPU time */
    size_t arcs, boxes;                  /* of the present radius */
    bool spent;
    struct certify_proof nearest; /* of the boxes proved so far, that whose hull comes nearest to 0 */
    double possible;              /* radius up to which loops can be made; 0: as far as was looked */
};

/* p at one point of the box, as its roots. */
struct certify_plant {
    double *re, *im;
    size_t roots, padding; /* padding: roots at 0 that it has less than others */
    double factor;
};
/* p/scale at z on the unit circle, its derivative, and by how much it can differ from the tangent within s, eq. (5). */
double complex certify_value(const struct certify_plant *p, double complex z, double s, double scale,
                             double complex *slope, double *rest);

double certify_cpu(void);
bool certify_is_over(struct certify *c); /* the budget is spent */
/* The box of radius r, cut at what is possible; cut: may be NULL. False: it did not grow any more. */
bool certify_box_of(const struct certify *c, double r, struct certify_box *box, bool *cut);
/* One box by its corners. */
enum yk_status certify_corners(struct certify *c, const struct certify_box *box, struct certify_proof *proof,
                               struct yk_err *err);
/* Is a box of so many nodes possible? Otherwise scalings. */
bool certify_by_corners(const struct certify *c);
/* The box of radius r by scalings. */
enum yk_status certify_scaled(struct certify *c, double r, struct certify_proof *proof, struct yk_err *err);
/* Rows and columns of A of equal size, by other units of the states. */
void certify_balance_states(struct yk_family *family);
/* Largest r up to which a factor with these ports, and no others, may change at any time. */
enum yk_status certify_changing_ports(struct yk_family *one, double *radius, struct yk_err *err);
/* Spectral radius; deviations of parameters that are not used count as 0. */
enum yk_status certify_spectral(const struct certify *c, const double *delta, double *radius, struct yk_err *err);

#endif
