/* Cross-sections: read from the `sections` and `materials` of a file, shapes by a short description, bending at a given
 * axial force, N-M curves, confined concrete. Fibres and laws are those of frames (yoke/fibre_section.h).
 *
 *     yk_cross_read(&section, "frame.yaml", "column", NULL, 0, &err);
 *     yk_cross_bend(&section, &settings, &curve, &err);
 *
 * Axes: y in the plane of a frame, z across. Positive curvature compresses the side of positive y, and so does a
 * positive moment; tension is positive. SI. docs/sections.md has the definitions. In a library of its own,
 * libyoke-section.a. */
#ifndef YOKE_CROSS_SECTION_H
#define YOKE_CROSS_SECTION_H

#include <yoke/fibre_section.h>
#include <yoke/tree.h>

enum { YK_CROSS_MATERIALS = 16, YK_CROSS_NAME = 48 };

/* ---- confined concrete ---- */

/* Mander, Priestley, Park 1988. Lengths are between centres of hoops. */
struct yk_confine {
    double fco, eco;      /* strength [Pa] and its strain, unconfined; magnitudes */
    double fyh, esu;      /* of the hoops: yield stress [Pa], strain at the largest stress */
    double hoop, spacing; /* diameter; distance along the member [m] */
    double rho_cc;        /* area of the longitudinal bars over that of the core */
    bool circular, spiral;
    double ds;             /* circular: diameter of the core [m] */
    double by, bz;         /* rectangular: sides of the core along y and z [m] */
    double legs_y, legs_z; /* legs that run along y, along z */
    double clear2;         /* sum of the squared clear distances between tied bars [m2] */
};
struct yk_confined {
    double ke, rho_s; /* effectiveness; volume of hoops over that of the core */
    double fly, flz;  /* effective pressures [Pa] */
    double fcc, ecc;  /* strength and its strain */
    double ecu, fu;   /* ultimate strain, and the stress there */
    double Ec, E0;    /* initial modulus of the curve; 2 fcc/ecc, that of the laws `concrete` [Pa] */
};
enum yk_status yk_confine(const struct yk_confine *confine, struct yk_confined *confined, struct yk_err *err);
/* Strength under two lateral pressures: closed form where they are equal, otherwise the surface behind it. */
double yk_confined_strength(double fco, double fl1, double fl2);
double yk_confined_surface(double fco, double fl1, double fl2);               /* always the surface */
double yk_confined_stress(const struct yk_confined *confined, double strain); /* of the curve; magnitudes */

/* ---- a section ---- */

struct yk_cross_material {
    char name[YK_CROSS_NAME], law[YK_CROSS_NAME];
    bool concrete;
    double E, fy;              /* steel: modulus, yield stress; NaN: unknown */
    double fc, ec, fu, eu, ft; /* concrete; ft 0: none */
    bool is_confined;
    struct yk_confined confined;
};
enum yk_cross_kind { YK_CROSS_POLYGON, YK_CROSS_RING };
struct yk_cross_patch {
    enum yk_cross_kind kind;
    size_t material;
    bool rectangle;       /* with sides along the axes */
    double corners[4][2]; /* (y, z) */
    double centre[2], radii[2], angles[2];
};
struct yk_cross_bar {
    double y, z, area;
    size_t material;
};
/* Properties of a shape, from its dimensions, without fillets. */
struct yk_cross_properties {
    char shape[YK_CROSS_NAME]; /* "": none */
    double A, Iz, Iy, Wz, J;   /* Wz: plastic modulus about z; J: NaN where unknown */
    double back;               /* channel, t, angle: from the back or the lower edge to the centroid [m]; else 0 */
};
struct yk_cross_section {
    char name[YK_CROSS_NAME];
    struct yk_fibre_section *fibres; /* finished, in space */
    struct yk_cross_material material[YK_CROSS_MATERIALS];
    size_t materials, patches, bars;
    struct yk_cross_patch *patch;
    struct yk_cross_bar *bar;
    double low[2], high[2]; /* extent of the outline along y and z [m] */
    char *expanded;         /* its patches and layers as text for a file */
    struct yk_cross_properties shape;
};
/* `name`: "column", or "frame.column" where several substructures have one. overrides as `--set`. */
enum yk_status yk_cross_read(struct yk_cross_section *section, const char *path, const char *name,
                             const char *const *overrides, size_t override_count, struct yk_err *err);
void yk_cross_free(struct yk_cross_section *section);
/* Patches and layers of a map with `shape`, as text; malloc'd. */
enum yk_status yk_cross_expand(const struct yk_node *map, char **text, struct yk_cross_properties *properties,
                               struct yk_err *err);

/* ---- bending ---- */

struct yk_cross_bending {
    double N, curvature, step; /* axial force [N]; last curvature and its steps [1/m] */
    double angle;              /* of the axis of bending, from z towards -y [rad] */
    bool fixed_axis;           /* no curvature about the other axis; otherwise no moment about it */
    double drop;               /* ends when the moment has fallen by this part; 0: does not */
    double rupture, eu;        /* ends at this strain of a bar, at this compressive strain of the edge; 0: do not */
    double nominal;            /* strain of the edge for the nominal moment */
};
struct yk_cross_bending yk_cross_bending_defaults(void); /* step 1e-4, drop 0.2, nominal 0.0035 */

struct yk_cross_point {
    double curvature, strain, M; /* strain on the axis of the member */
    double other;                /* curvature about the other axis */
    double M_other;
};
enum { YK_CROSS_EVENTS = 16 };
struct yk_cross_event {
    char what[64];
    struct yk_cross_point at;
};
struct yk_cross_curve {
    struct yk_cross_point *point;
    size_t count;
    struct yk_cross_event event[YK_CROSS_EVENTS];
    size_t events;
    struct yk_cross_point peak;
    char end[96];                    /* why it ended */
    double EI, Mn, yield, ductility; /* effective EI; nominal moment; idealised yield curvature; NaN: not reached */
};
enum yk_status yk_cross_bend(const struct yk_cross_section *section, const struct yk_cross_bending *settings,
                             struct yk_cross_curve *curve, struct yk_err *err);
void yk_cross_curve_free(struct yk_cross_curve *curve);

/* ---- interaction of axial force and moment ---- */

enum { YK_CROSS_PAIRS = 41 };
struct yk_cross_limits {
    double ec, es; /* compressive strain of the edge, tensile strain of the outermost bar (of the edge without bars) */
    double angle;
};
struct yk_cross_pair {
    double N, M, M_other, strain, curvature;
};
struct yk_cross_interaction {
    struct yk_cross_pair pair[YK_CROSS_PAIRS]; /* from compression to tension */
    double balanced_N, balanced_M;
};
/* NaN limits: 0.0035 and 0.02 with concrete, 0.02 both without. */
enum yk_status yk_cross_interact(const struct yk_cross_section *section, struct yk_cross_limits limits,
                                 struct yk_cross_interaction *found, struct yk_err *err);
/* The moment at an axial force, by bisection between the planes. */
enum yk_status yk_cross_moment(const struct yk_cross_section *section, struct yk_cross_limits limits, double N,
                               struct yk_cross_pair *pair, struct yk_err *err);
/* Fully plastic moment about z, every fibre at its yield stress, without hardening. Refuses sections with concrete. */
enum yk_status yk_cross_plastic(const struct yk_cross_section *section, double N, double *M, struct yk_err *err);

#endif
