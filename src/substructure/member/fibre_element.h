/* Basic elements with fibre sections at points along their length. docs/theory/nonlinear-frames.md, sections 3 and 4.
 *
 * Displacement-based: elongation and curvature follow from the ends by shape functions; no iteration. Force-based:
 * axial force and moments follow from the ends by equilibrium, and strains by a bounded iteration. Truss: axial force
 * alone. */
#ifndef YOKE_FIBRE_ELEMENT_H
#define YOKE_FIBRE_ELEMENT_H

#include "substructure/member/member.h"
#include "substructure/member/quadrature.h"
#include <yoke/fibre_section.h>

enum yk_fibre_formulation { YK_FIBRE_DISPLACEMENT, YK_FIBRE_FORCE, YK_FIBRE_TRUSS };

struct yk_fibre_element {
    enum yk_fibre_formulation formulation;
    enum yk_quadrature rule; /* a truss has one point and ignores this and `points` */
    size_t points;           /* Legendre 2 to 10, Lobatto 3 to 10 */
    size_t iterations;       /* of the force-based element at most: 3 to 20 */
    double L;                /* length [m]                              */
    double GJ;               /* torsional stiffness in space [N m2], at least 0; elastic and apart from the fibres */
    struct yk_fibre_section *section; /* finished; the element holds a share of its own. It says whether it is plane. */
};

/* Legendre and 5 points for displacement, Lobatto and 5 points for force; 5 iterations. Length and section are left. */
struct yk_fibre_element yk_fibre_element_defaults(enum yk_fibre_formulation formulation);
enum yk_status yk_fibre_basic(struct yk_basic *basic, const struct yk_fibre_element *settings, struct yk_err *err);

/* ---- looks, for recordings ---- */

/* Strains e and forces s of the section at a point, as the memory has them. */
void yk_fibre_basic_point(const struct yk_basic *basic, const double *memory, size_t point, double e[3],
                          double s[3]) YK_RT;
/* Strain and stress of a fibre there: numbers of the finished section. */
void yk_fibre_basic_look(const struct yk_basic *basic, const double *memory, size_t point, size_t fibre, double *strain,
                         double *stress) YK_RT;

#endif
