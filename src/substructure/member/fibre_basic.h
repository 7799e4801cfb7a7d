/* Common part of basic elements with fibres: sections at points along the length, and integrals over them. */
#ifndef YOKE_FIBRE_BASIC_H
#define YOKE_FIBRE_BASIC_H

#include "substructure/member/fibre_element.h"

enum { YK_MOST_FORCES = 5 }; /* axial force and moments; the torque is apart */

struct yk_fibre_basic {
    struct yk_fibre_section *section; /* a share */
    bool plane;
    size_t points, iterations;
    size_t forces;                /* 3, in space 5 */
    double twist;                 /* GJ / L */
    double length[YK_POINTS];     /* weights times L */
    double at[YK_POINTS];         /* places of the points in parts of the length */
    double shape[3][YK_POINTS];   /* of elongation, rotation at the first end, rotation at the second */
    double product[6][YK_POINTS]; /* weights times L times products of two shapes, those of 0 and 0, 0 and 1, 1 and 1,
                                     ... */
    double weight[3][YK_POINTS];  /* weights times L times shapes */
    double strain_limit;          /* force-based: of the change of strain of a fibre in an iteration */
    double reach[2];              /* largest |y| and |z| of a fibre */
    double scale[3];              /* force-based: yield forces of the section, for tolerances */
};

/* Entry `section` of both tables. */
const struct yk_fibre_section *yk_fibre_basic_section(const void *self, size_t *points);
extern const struct yk_basic_ops yk_fibre_displacement_ops, yk_fibre_force_ops;

/* Memory of either formulation begins with the strains e and forces s of the sections. */
size_t yk_fibre_basic_memory(const struct yk_fibre_basic *basic) YK_RT;
void yk_fibre_basic_rest(const struct yk_fibre_basic *basic, double *memory);
void yk_fibre_basic_load(const struct yk_fibre_basic *basic, const double *memory, double (*e)[YK_POINTS],
                         double (*s)[YK_POINTS]) YK_RT;
void yk_fibre_basic_store(const struct yk_fibre_basic *basic, double *memory, double (*e)[YK_POINTS],
                          double (*s)[YK_POINTS]) YK_RT;
/* eq. (6): components at the points from numbers x of the ends (deformations or forces), by the shapes */
void yk_fibre_basic_spread(const struct yk_fibre_basic *basic, const double *x, double (*e)[YK_POINTS]) YK_RT;
/* eq. (7): the transposed, integrated over the length */
void yk_fibre_basic_gather(const struct yk_fibre_basic *basic, double (*s)[YK_POINTS], double *x) YK_RT;
/* eq. (8): matrix of the ends (YK_MOST_FORCES wide) from those of the sections */
void yk_fibre_basic_matrix(const struct yk_fibre_basic *basic, double (*ks)[YK_POINTS],
                           double (*K)[YK_MOST_FORCES]) YK_RT;
/* The tangent as the caller wants it, with the torque; and the torque. */
void yk_fibre_basic_finish(const struct yk_fibre_basic *basic, double (*K)[YK_MOST_FORCES], const double *v, double *q,
                           double *k) YK_RT;
/* Operations that are the same for both. */
size_t yk_fibre_basic_scratch(const void *self);
void yk_fibre_basic_destroy(void *self);

#endif
