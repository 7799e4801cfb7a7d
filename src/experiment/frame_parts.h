/* The kind `frame` of an experiment file, in parts: each file reads one of its sections into the frame. */
#ifndef YOKE_FRAME_PARTS_H
#define YOKE_FRAME_PARTS_H

#include "base/names.h"
#include "experiment/build.h"

#include "substructure/member/fibre_element.h"
#include "substructure/member/hinged.h"

extern const struct yk_param yk_keys_frame_node[], yk_keys_frame_member[], yk_keys_frame_release[],
    yk_keys_frame_link[], yk_keys_fibre_section[], yk_keys_rectangle[], yk_keys_quadrilateral[], yk_keys_ring[],
    yk_keys_straight[], yk_keys_circle[], yk_keys_fibre_file[], yk_keys_hinges[], yk_keys_hinge_axes[],
    yk_keys_rigid_hinge[];

struct yk_frame_section {
    struct yk_section elastic;       /* of a section with fibres: their area, and their stiffness at rest */
    struct yk_fibre_section *fibres; /* NULL: it has none */
};

/* The law of a fibre or a hinge. */
struct yk_frame_law {
    const struct yk_law_ops *ops;
    void *settings; /* malloc'd */
};

/* An entry of `members`. */
struct yk_frame_entry {
    char *section, *name;
    int theory, mass, divide;
    struct yk_reals up;
    int formulation, points, rule, iterations;
    int geometry;
    bool bowing;
};

/* Nonlinear features of the members of an entry. */
struct yk_frame_how {
    struct yk_fibre_section *fibres; /* NULL: elastic */
    struct yk_fibre_element element; /* of fibres; length and section are left */
    enum yk_geometry geometry;
    bool bowing;
    const struct yk_node *hinges[2][2]; /* by end and axis: entries of the map of hinges; NULL: none */
};

/* The frame while it is read, before it becomes matrices. */
struct yk_frame_reading {
    const struct yk_model *e;
    const struct yk_node *sections, *materials, *hinges; /* of the file; the last two may be NULL */
    struct yk_frame_section *section;                    /* read */
    struct yk_frame frame;
    struct yk_names *index; /* of the nodes */
    struct yk_frame_whole { /* members, however many elements they are divided into */
        char *name;
        size_t ends[2];
        double EA; /* 0: an axial force is not transmitted */
        bool nonlinear;
    } * wholes;
    size_t whole_count;
    struct yk_frame_piece { /* members of the frame that are nonlinear */
        size_t number;      /* of the member of the frame */
        char *name;
        struct yk_member member;
    } * pieces;
    size_t piece_count;
};

enum yk_status yk_frame_find_node(const struct yk_frame_reading *r, struct yk_where where, const char *name,
                                  size_t *node, struct yk_err *err);
/* An entry of a map (NULL: there is none) of things that messages call `what`. */
enum yk_status yk_frame_find_named(const struct yk_node *map, struct yk_where where, const char *what, const char *name,
                                   const struct yk_node **entry, struct yk_err *err);
enum yk_status yk_frame_find_section(const struct yk_frame_reading *r, struct yk_where where, const char *name,
                                     const struct yk_frame_section **section, struct yk_err *err);
/* The law of a fibre or a hinge (`what`), in units of that place; freed by the caller even after a failure. Refuses
 * laws whose force depends on the rate. */
enum yk_status yk_frame_read_law(const struct yk_frame_reading *r, const struct yk_node *map, const char *what,
                                 enum yk_sense sense, struct yk_frame_law *law, struct yk_err *err);
void yk_frame_free_law(struct yk_frame_law *law);
/* Every material and every hinge once, so that mistakes in those that nothing uses are found, too. */
enum yk_status yk_frame_check_laws(const struct yk_frame_reading *r, struct yk_err *err);
/* A list of degrees of freedom, or `all`, as bits. */
enum yk_status yk_frame_read_dofs(const struct yk_frame_reading *r, const struct yk_node *list, unsigned *bits,
                                  struct yk_err *err);
enum yk_status yk_frame_read_sections(struct yk_frame_reading *r, struct yk_err *err);
/* Called once it is known whether the frame is plane. */
enum yk_status yk_frame_finish_sections(struct yk_frame_reading *r, struct yk_err *err);
/* Collects the sections with fibres; fewer if memory runs out, since nothing depends on them. */
void yk_frame_name_sections(const struct yk_frame_reading *r, struct yk_named_sections *named);
void yk_frame_free_sections(struct yk_frame_reading *r);
enum yk_status yk_frame_read_fibres(const struct yk_frame_reading *r, const struct yk_node *map,
                                    struct yk_frame_section *section, struct yk_err *err);
enum yk_status yk_frame_finish_fibres(const struct yk_frame_reading *r, const struct yk_node *map,
                                      struct yk_frame_section *section, struct yk_err *err);
enum yk_status yk_frame_read_nodes(struct yk_frame_reading *r, const struct yk_node *nodes, struct yk_err *err);
enum yk_status yk_frame_read_member(struct yk_frame_reading *r, const struct yk_node *map, struct yk_err *err);
/* Reads the nonlinear features of the members of an entry; refuses combinations that are not supported. */
enum yk_status yk_frame_read_how(const struct yk_frame_reading *r, const struct yk_node *map,
                                 const struct yk_frame_entry *entry, const struct yk_beam *beam,
                                 struct yk_frame_how *how, struct yk_err *err);
/* Adds the members from number `first` on, the pieces of one member from its start to its end, as nonlinear ones.
 * Pieces that are linear after all stay in the matrices. */
enum yk_status yk_frame_add_pieces(struct yk_frame_reading *r, const struct yk_frame_how *how, size_t first,
                                   struct yk_err *err);
/* Moves the pieces to the parts of the structure. */
enum yk_status yk_frame_place(struct yk_frame_reading *r, const struct yk_frame_model *model,
                              struct yk_structure_parts *parts, struct yk_err *err);
void yk_frame_free_pieces(struct yk_frame_reading *r);
enum yk_status yk_frame_read_link(struct yk_frame_reading *r, const struct yk_node *map, struct yk_err *err);
/* Holds the degrees of freedom `fixed` at every node, also at those that divide members. */
enum yk_status yk_frame_hold_all(struct yk_frame_reading *r, const struct yk_node *fixed, struct yk_err *err);
/* Nodes that divide members must not be called like others. */
enum yk_status yk_frame_check_names(const struct yk_frame_reading *r, const struct yk_node *map, struct yk_err *err);
/* Names of the rows, and everything an element may end at. */
enum yk_status yk_frame_name_dofs(const struct yk_frame *f, const struct yk_frame_model *model, struct yk_dofs *d,
                                  struct yk_ends *ends, struct yk_err *err);
/* Elongation and axial force of every member. */
enum yk_status yk_frame_probe_members(const struct yk_frame_reading *r, const struct yk_frame_model *model,
                                      struct yk_probes *probes, struct yk_err *err);

#endif
