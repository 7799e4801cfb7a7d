/* The parts of a fibre section, for the files that make it and find its state. */
#ifndef YOKE_FIBRE_PARTS_H
#define YOKE_FIBRE_PARTS_H

#include <yoke/fibre_section.h>

#include <stdatomic.h>

struct yk_fibre_material {
    const struct yk_law_ops *law;
    void *settings;      /* owned */
    double E, rest;      /* stiffness and stress at rest */
    double yield;        /* strain, infinite if the law does not yield */
    size_t first, count; /* its fibres among the computed ones */
};

/* A fibre as it was given. */
struct yk_given_fibre {
    struct yk_fibre fibre;
    double own_z, own_y; /* second moments of its cell about its own centroid: of y^2, of z^2 */
    size_t computed;     /* the fibre it was merged into */
    bool bar, displaces; /* one of a layer; a bar that takes the place of another material */
};

/* A computed fibre fills a cache line: its place, and its area times the products of (1, -y, z) with themselves, in the
 * order of the tangents. */
struct yk_computed_fibre {
    double y, z, weight[6];
};

/* Shape and place of a patch: a quadrilateral, or a sector of a ring. */
struct yk_patch {
    size_t material;
    bool ring;
    double corners[4][2];
    double centre[2], radii[2], angles[2];
};

struct yk_fibre_section {
    atomic_size_t shares;
    struct yk_fibre_material *materials;
    struct yk_given_fibre *given;
    struct yk_patch *patches;
    size_t patch_count, given_room, patch_room, material_room;
    struct yk_computed_fibre *fibres;
    double stiffness[6]; /* tangents at rest */
    double forces[3];    /* at rest: not 0 where a law starts with stress */
    double reach[2];     /* largest |y| and |z| of a fibre */
    struct yk_fibre_summary summary;
};

/* Adds to the fibres a bar's hole in the patch around it, for all bars that displace. */
enum yk_status yk_fibre_displace(struct yk_fibre_section *section, struct yk_err *err);
enum yk_status yk_fibre_add(struct yk_fibre_section *section, const struct yk_given_fibre *given, struct yk_err *err);
enum yk_status yk_patch_add(struct yk_fibre_section *section, const struct yk_patch *patch, struct yk_err *err);

#endif
