/* Models of other programs: their matrices and the names of the degrees of freedom, "<node>.<direction>".
 *
 * A format reads the text of a file into an import, which collects entries and names; an imported model comes out of it
 * when all files are read. Directions are x, y, z, rx, ry, rz, q for a generalised coordinate, d7 and up for what has
 * no name. A name that occurs again (CalculiX expands beams) becomes 2_2.x, 2_3.x ... docs/importing.md. */
#ifndef YOKE_IMPORT_H
#define YOKE_IMPORT_H

#include "model/read.h"

enum yk_matrix_part { YK_PART_STIFFNESS, YK_PART_MASS, YK_PART_DAMPING, YK_PART_COUNT, YK_PART_ALL = YK_PART_COUNT };

struct yk_import; /* opaque: a model while its files are read */

struct yk_import_format {
    const char *name;                /* key in experiment files: "calculix"                                       */
    const char *summary;             /* one line                                                                  */
    const char *endings;             /* of its files, ".sti|.mas"                                                 */
    const char *part[YK_PART_COUNT]; /* what distinguishes the files of one model, ".sti" and ".mas"; NULL: one file */
    const char *map;                 /* the same of the file that names the degrees of freedom; NULL: none        */
    bool (*recognise)(const struct yk_text *text); /* by content, if the ending is ambiguous; may be NULL     */
    /* One matrix of the file, or all that it holds (YK_PART_ALL). */
    enum yk_status (*read)(struct yk_import *import, const struct yk_text *text, enum yk_matrix_part part,
                           struct yk_err *err);
    enum yk_status (*read_map)(struct yk_import *import, const struct yk_text *text, struct yk_err *err);
};
extern const struct yk_import_format *const yk_import_formats[]; /* NULL at the end */
const struct yk_import_format *yk_import_format_find(const char *name);
/* Format of a file; NULL: it is a plain matrix (Matrix Market, CSV, MAT) or cannot be opened. */
const struct yk_import_format *yk_import_recognise(const char *path);
/* The name ends as a file of a format does. */
bool yk_import_has_ending(const char *name);

struct yk_import_files {
    const struct yk_import_format *format; /* NULL: by name and content of the first file                         */
    const char *model;                     /* one file; those that belong to it are found beside it. Or apart:    */
    const char *part[YK_PART_COUNT];
    const char *map, *coordinates; /* may be NULL */
};

/* Lines from nodes of a model to its supports, which have no degrees of freedom of their own: coordinates of both ends
 * [m].
 */
struct yk_anchors {
    double (*at)[2][3]; /* malloc'd */
    size_t count;
};
/* Matrices of order n, or with 0 rows where there is none, and what is known of the degrees of freedom. */
struct yk_imported {
    size_t n;
    struct yk_matrix part[YK_PART_COUNT];
    char **dofs;               /* n names; NULL where no file names them                                 */
    double *place;             /* 3 n: coordinates of the node of each [m], NaN where unknown; may be NULL */
    double *drag;              /* 3 n: M_fs b_s of each for held nodes that move along x, y, z; may be NULL */
    struct yk_anchors anchors; /* from nodes that are left to nodes that are held */
    size_t held;               /* degrees of freedom left out, since a huge stiffness holds them         */
};
enum yk_status yk_import_model(struct yk_imported *model, const struct yk_import_files *files, struct yk_err *err);
/* The same from texts in memory; `map` may be NULL. */
enum yk_status yk_import_text(struct yk_imported *model, const struct yk_import_format *format,
                              enum yk_matrix_part part, const struct yk_text *text, const struct yk_text *map,
                              struct yk_err *err);
void yk_imported_free(struct yk_imported *model);

/* Coordinates from a table "node x y z" or the *NODE blocks of an Abaqus or CalculiX input file; needs dofs. */
enum yk_status yk_imported_place(struct yk_imported *model, const struct yk_text *text, struct yk_err *err);
/* Names and places of the rows of matrices, from a table of nodes: see import/names.c. */
enum yk_status yk_imported_name(struct yk_imported *model, const struct yk_text *text, struct yk_err *err);
/* Refuses names that cannot be in the order of a stiffness that leaves the structure free. */
enum yk_status yk_imported_check_names(const struct yk_imported *model, struct yk_err *err);
/* Leaves out the degrees of freedom that are held (n flags); the mass that ties them to others goes to `drag`. */
enum yk_status yk_imported_hold(struct yk_imported *model, const bool *held, struct yk_err *err);
/* To SI, from consistent units of length [m] and force [N] and seconds. Rotations are recognised by their names. */
void yk_imported_scale(struct yk_imported *model, double length_m, double force_N);
/* Eliminates the degrees of freedom whose row of the mass matrix is zero, by their static equilibrium. */
enum yk_status yk_imported_condense(struct yk_imported *model, struct yk_err *err);

#endif
