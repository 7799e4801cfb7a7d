/* The inside of the results of frames. */
#ifndef YOKE_RESULTS_PARTS_H
#define YOKE_RESULTS_PARTS_H

#include <yoke/results.h>

enum { ENDS = 12, DOFS = YK_FRAME_DOFS };

/* One number of u for a displacement of an end, or for a reaction at a place. */
struct tie {
    size_t end;   /* 0..11 of the member */
    long row;     /* of u; below 0: it is held */
    size_t place; /* 6 node + degree of freedom */
    double factor;
};
struct member {
    const char *name;
    size_t part, number; /* of the frame */
    size_t basic;        /* which of the nonlinear members it is; of a linear one: SIZE_MAX */
    enum yk_geometry geometry;
    bool plane, truss;
    double L, axes[3][3];
    double at[2][3];          /* ends at rest */
    double *K;                /* of a linear one: in the axes of the frame */
    size_t storeys[2], upper; /* it crosses storeys from [0] to before [1]; its upper end */
    struct tie *ties;
    size_t tie_count;
};
struct support {
    size_t part, node;
    long reaction[DOFS]; /* number of the result; -1: it is not held */
};
/* A node that a level counts, with its weight in the mean. */
struct counted {
    size_t part, node;
    double weight;
    /* its displacement in each direction: numbers of u with their factors */
    size_t count[2];
    long row[2][YK_FRAME_TERMS];
    double factor[2][YK_FRAME_TERMS];
};
struct level {
    char name[48];
    double height;
    struct counted *nodes;
    size_t count;
    size_t columns; /* members from the level below to this one */
};
struct result {
    char *name;
    const char *unit;
};
struct yk_results {
    const struct yk_parts *parts;
    size_t part_count;
    size_t *nonlinear; /* members of each substructure */
    struct member *members;
    size_t member_count;
    struct support *supports;
    size_t support_count;
    struct level *levels;
    size_t level_count;
    size_t horizontal, vertical; /* number of horizontal directions; the vertical one: 1 in the plane, 2 in space */
    char why[220];
    struct result *results;
    size_t count;
    /* the first result of each kind */
    size_t floor, drift, shear, base, overturning, ends;
    size_t most; /* drift.max */
    /* work */
    double *reactions; /* by support, DOFS each */
    const double **motions;
};

/* Levels from the key `floors` of the file, or from coordinates. */
enum yk_status results_find_levels(struct yk_results *r, struct yk_err *err);
/* Forces on the 12 ends of a member in the axes of the frame, and its six results N1 V1 M1 N2 V2 M2. */
void results_member(const struct member *m, const struct yk_result_state *s, double *f, double *shown);
/* Hinges whose rotations were recorded: [{name, least_rad, most_rad, ductility, state, yield_rad, ...}]. */
struct json_t *results_hinges(const struct yk_parts *parts, const struct yk_kept_rows *rows);
enum { SHOWN_PLANE = 6, SHOWN_SPACE = 12 };
extern const char *const results_shown[2][SHOWN_SPACE];

#endif
