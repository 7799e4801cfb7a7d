/* Frames of straight beams and bars in the plane or in space: M and K of nodes, members and rigid links, sparse.
 *
 * Each node has up to six degrees of freedom, numbered x y z rx ry rz = 0..5; in the plane x, y and rz are used. Those
 * that are fixed, tied by a link or on which nothing acts are left out. docs/theory/frames.md. Units: N, m, kg, rad. */
#ifndef YOKE_FRAME_H
#define YOKE_FRAME_H

#include <yoke/linalg.h>
#include <yoke/param.h>

enum { YK_FRAME_DOFS = 6 };
extern const char *const yk_frame_dof_names[YK_FRAME_DOFS]; /* "x" .. "rz" */

/* A cross-section and its material. y and z are the axes of the section, x runs along the member. */
struct yk_section {
    double E, G, nu;         /* moduli; G = 0: E / (2 (1 + nu))                                           */
    double A, Iy, Iz, J;     /* area, moments about y and z, torsion constant (plane: Iz only)            */
    double shear_y, shear_z; /* shear areas for forces along y and z; only Timoshenko beams use them      */
    double polar;            /* moment of inertia of twisting over the density; 0: Iy + Iz                */
    double density;          /* 0: massless                                                               */
};
extern const struct yk_param yk_section_params[];

enum yk_theory { YK_EULER_BERNOULLI, YK_TIMOSHENKO, YK_TRUSS };
enum yk_spread { YK_CONSISTENT, YK_LUMPED }; /* how the mass of a member is shared among its degrees of freedom */

/* One straight element. K, M: 12 x 12, column-major, in the axes of the frame, order of the degrees of freedom as
 * above, first end first. Either may be NULL. Refused: no length, an `up` along the member, section values that are
 * missing, releases that leave the element a mechanism. */
struct yk_beam {
    struct yk_section section;
    double ends[2][3];
    double up[3]; /* in the plane of x and z of the section, on the side of z; zero: global z, or y for a member
                   * along z; in the plane z is normal to it */
    bool plane;
    enum yk_theory theory;
    enum yk_spread spread;
    unsigned release[2]; /* by end: bits of the member's own degrees of freedom that transmit nothing */
    bool outside;        /* its stiffness is given elsewhere: a frame takes its mass, and the ends that it holds */
};
enum yk_status yk_beam_matrices(const struct yk_beam *beam, double *K, double *M, struct yk_err *err);
/* Length and axes (rows: x, y, z of the member, in the axes of the frame). */
enum yk_status yk_beam_axes(const struct yk_beam *beam, double *L, double axes[3][3], struct yk_err *err);

struct yk_frame_node {
    char *name; /* owned */
    double at[3];
    unsigned fixed;             /* bits of the degrees of freedom held at zero */
    double mass[YK_FRAME_DOFS]; /* lumped: kg, kg m2 */
    size_t link[YK_FRAME_DOFS]; /* number, from 1, of the link that ties each; set by yk_frame_add_link */
};

/* Motion of `slave` in `dofs` (bits) is that of a rigid body with `master`. */
struct yk_frame_link {
    size_t master, slave;
    unsigned dofs;
};

enum yk_geometry { YK_GEOMETRY_LINEAR, YK_GEOMETRY_P_DELTA, YK_GEOMETRY_COROTATIONAL };

struct yk_frame_member {
    char *name;     /* owned; a piece of a divided member is name.1, name.2, ... */
    size_t ends[2]; /* nodes */
    struct yk_beam beam;
    enum yk_geometry geometry; /* of one whose stiffness is given elsewhere */
};

struct yk_frame {
    bool plane;
    size_t node_count, member_count, link_count;
    struct yk_frame_node *nodes;
    struct yk_frame_member *members;
    struct yk_frame_link *links;
};
/* Adding copies what is given. Invalid nodes or members are refused and not added. */
enum yk_status yk_frame_add_node(struct yk_frame *frame, const struct yk_frame_node *node, struct yk_err *err);
/* `divide` elements of equal length between two nodes; the nodes between are called name-1, name-2, ... Releases of
 * `beam` act at its ends, its `ends` and `plane` are set here. */
enum yk_status yk_frame_add_member(struct yk_frame *frame, size_t from, size_t to, const struct yk_beam *beam,
                                   int divide, const char *name, struct yk_err *err);
enum yk_status yk_frame_add_link(struct yk_frame *frame, const struct yk_frame_link *link, struct yk_err *err);
void yk_frame_fini(struct yk_frame *frame);

/* A degree of freedom as a sum of others, u = sum factor u(place), place = 6 node + degree of freedom: itself, or where
 * a link ties it the same direction of the master first and then rotations. */
enum { YK_FRAME_CHAIN = 16, YK_FRAME_TERMS = 2 * YK_FRAME_CHAIN + 1 }; /* each link of a chain adds two rotations */
struct yk_frame_terms {
    size_t count;
    int place[YK_FRAME_TERMS];
    double factor[YK_FRAME_TERMS];
};
enum yk_status yk_frame_expand(const struct yk_frame *frame, size_t node, int dof, struct yk_frame_terms *terms,
                               struct yk_err *err);

/* The matrices of a frame. */
struct yk_frame_model {
    size_t n;
    struct yk_matrix M, K;
    long *index;     /* 6 per node: its row, or a value of enum yk_frame_absent */
    double *support; /* n x 3: inertia force per unit acceleration of the supports along x, y, z (M_fs b_s): a ground
                      * motion a in a direction with influence b acts as -(M b + support) a */
};
enum yk_frame_absent { YK_DOF_FIXED = -1, YK_DOF_TIED = -2, YK_DOF_UNUSED = -3 };
enum yk_status yk_frame_assemble(const struct yk_frame *frame, struct yk_frame_model *model, struct yk_err *err);
void yk_frame_model_fini(struct yk_frame_model *model);

#endif
