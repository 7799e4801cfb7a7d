/* Sections made of fibres: each has a place (y, z), an area and a law between strain and stress.
 *
 * Plane sections stay plane: a fibre has the strain eps - y kz + z ky, where e = (eps, kz, ky) are the strain on the
 * axis of the member and the curvatures. The axis runs through the origin of y and z, wherever the centroid lies. The
 * forces are s = (N, Mz, My) = sum of stress times area times (1, -y, z). docs/theory/nonlinear-frames.md, section 2.
 *
 * A section is made in steps: create, add materials, add patches, layers and fibres in any order, finish. Then it is
 * constant and may be shared by any number of members: each holds a share, and the last release frees it. Units: N, m,
 * rad; lengths of sections in m, areas in m2. */
#ifndef YOKE_FIBRE_SECTION_H
#define YOKE_FIBRE_SECTION_H

#include <yoke/law.h>

struct yk_fibre_section;

enum yk_status yk_fibre_section_create(struct yk_fibre_section **section, struct yk_err *err);
struct yk_fibre_section *yk_fibre_section_share(struct yk_fibre_section *section);
void yk_fibre_section_release(struct yk_fibre_section *section); /* NULL is allowed */

/* ---- what it is made of ---- */

/* Adds a material and tells its number. The settings have been read for YK_FIBRE and prepared; they are taken over, and
 * freed by `free` with the section, or at once on failure. Refuses laws whose force depends on the rate of strain. */
enum yk_status yk_fibre_section_material(struct yk_fibre_section *section, const struct yk_law_ops *law, void *settings,
                                         size_t *number, struct yk_err *err);

struct yk_fibre {
    double y, z, area;
    size_t material;
};
enum yk_status yk_fibre_section_fibre(struct yk_fibre_section *section, const struct yk_fibre *fibre,
                                      struct yk_err *err);

/* Patches: cut into cells, each one fibre at its centroid. `divide`: numbers of cells, 1 to 1000 each. Points are (y,
 * z). */
enum yk_status yk_fibre_section_rectangle(struct yk_fibre_section *section, size_t material, const double from[2],
                                          const double to[2], const size_t divide[2], struct yk_err *err);
/* Convex; corners in turn, either way round. divide[0] cells from the first corner to the second, divide[1] from the
 * second to the third. */
enum yk_status yk_fibre_section_quadrilateral(struct yk_fibre_section *section, size_t material, double corners[4][2],
                                              const size_t divide[2], struct yk_err *err);
/* Sector of a ring, or of a disc if the first radius is 0. Angles count from y towards z; a full ring ends 2 pi after
 * its begin. divide: along the radius, around. */
enum yk_status yk_fibre_section_ring(struct yk_fibre_section *section, size_t material, const double centre[2],
                                     const double radii[2], const double angles[2], const size_t divide[2],
                                     struct yk_err *err);

/* Layers of equal bars, both ends included; a single bar stands in the middle. */
struct yk_bars {
    size_t material;
    size_t count;  /* 1 to 1000 */
    double area;   /* of one bar */
    bool displace; /* the material of the patch in which a bar stands is taken away there */
};
enum yk_status yk_fibre_section_layer(struct yk_fibre_section *section, const struct yk_bars *bars,
                                      const double from[2], const double to[2], struct yk_err *err);
/* On an arc; a full circle does not repeat its first bar. */
enum yk_status yk_fibre_section_arc(struct yk_fibre_section *section, const struct yk_bars *bars,
                                    const double centre[2], double radius, const double angles[2], struct yk_err *err);

/* Merges fibres of one material in one place (in the plane: of equal y), and sorts them by material. Refuses sections
 * without fibres, bars that displace nothing, and areas below zero that leave no EA. Whether there is EI is asked by
 * members that bend. */
enum yk_status yk_fibre_section_finish(struct yk_fibre_section *section, bool plane, struct yk_err *err);

/* ---- what is known of a finished one ---- */

struct yk_fibre_summary {
    bool plane;
    size_t materials;
    size_t given;            /* fibres that were asked for, before merging */
    size_t fibres;           /* those that are computed                    */
    double area, Iz, Iy;     /* of the fibres; second moments about the centroid of their area */
    double y, z;             /* elastic centroid: the middle of E dA; z is 0 in the plane      */
    double EA, EIz, EIy;     /* about the elastic centroid, with the stiffness of the laws at rest */
    double depth, width;     /* extent of patches and fibres along y and z */
    double short_z, short_y; /* parts of EIz and EIy that cells seen as points leave out: 1 / ny^2 for a rectangle */
    double yield_strain;     /* of the outermost fibres; infinite where their law does not yield */
    double yield_N, yield_Mz, yield_My; /* magnitudes, for tolerances */
};
const struct yk_fibre_summary *yk_fibre_section_summary(const struct yk_fibre_section *section);
/* Fibre `number`, in the order they were given (patches row by row), and where it went: with others of its material and
 * place. */
struct yk_fibre yk_fibre_section_given(const struct yk_fibre_section *section, size_t number, size_t *fibre);

/* ---- state: all points of an element at once ---- */

/* Arrays over points have room for YK_POINTS each, of which the first `points` count; the others hold anything finite.
 * Components: eps, kz, ky; N, Mz, My. Tangents: dN/deps, dN/dkz, dMz/dkz, dN/dky, dMz/dky, dMy/dky. In the plane those
 * of y are neither read nor written. */
enum { YK_POINTS = 12, YK_MOST_POINTS = 10 };
size_t yk_fibre_section_memory(const struct yk_fibre_section *section, size_t points) YK_RT; /* doubles */
size_t yk_fibre_section_scratch(const struct yk_fibre_section *section, size_t points);      /* doubles */
void yk_fibre_section_rest(const struct yk_fibre_section *section, size_t points, double *memory);
/* Forces s and, unless ks is NULL, tangents at strains e, reached from `committed` within the time h. */
void yk_fibre_section_state(const struct yk_fibre_section *section, size_t points, const double *committed,
                            double (*e)[YK_POINTS], double h, double *trial, double (*s)[YK_POINTS],
                            double (*ks)[YK_POINTS], double *scratch) YK_RT;
/* At rest, the same at all points: tangents (6), and forces (3), which are not 0 where a law starts with stress. */
const double *yk_fibre_section_stiffness(const struct yk_fibre_section *section);
const double *yk_fibre_section_forces(const struct yk_fibre_section *section);
/* Largest |y| and |z| of a fibre. */
void yk_fibre_section_reach(const struct yk_fibre_section *section, double *y, double *z);
/* Strain and stress of one of the computed fibres at a point with strains e. */
void yk_fibre_section_look(const struct yk_fibre_section *section, size_t points, const double *memory, size_t point,
                           const double e[3], size_t fibre, double *strain, double *stress) YK_RT;

#endif
