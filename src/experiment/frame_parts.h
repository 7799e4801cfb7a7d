/* The kind `frame` of an experiment file, in parts: each file reads one of its sections into the frame. */
#ifndef YOKE_FRAME_PARTS_H
#define YOKE_FRAME_PARTS_H

#include "base/names.h"
#include "experiment/build.h"

#include "substructure/frame.h"

extern const struct yk_param yk_keys_frame_node[], yk_keys_frame_member[], yk_keys_frame_release[],
    yk_keys_frame_link[];

/* What is read, before it becomes matrices. */
struct yk_frame_reading {
    const struct yk_experiment *e;
    const struct yk_node *sections; /* of the file */
    struct yk_section *section;     /* the same, read */
    struct yk_frame frame;
    struct yk_names *index; /* of the nodes */
    struct yk_frame_whole { /* members, however many elements they are divided into */
        char *name;
        size_t ends[2];
        double EA; /* 0: an axial force is not transmitted */
    } * wholes;
    size_t whole_count;
};

enum yk_status yk_frame_find_node(const struct yk_frame_reading *r, struct yk_where where, const char *name,
                                  size_t *node, struct yk_err *err);
enum yk_status yk_frame_find_section(const struct yk_frame_reading *r, struct yk_where where, const char *name,
                                     const struct yk_section **section, struct yk_err *err);
/* A list of degrees of freedom, or `all`, as bits. */
enum yk_status yk_frame_read_dofs(const struct yk_frame_reading *r, const struct yk_node *list, unsigned *bits,
                                  struct yk_err *err);
enum yk_status yk_frame_read_sections(struct yk_frame_reading *r, struct yk_err *err);
enum yk_status yk_frame_read_nodes(struct yk_frame_reading *r, const struct yk_node *nodes, struct yk_err *err);
enum yk_status yk_frame_read_member(struct yk_frame_reading *r, const struct yk_node *map, struct yk_err *err);
enum yk_status yk_frame_read_link(struct yk_frame_reading *r, const struct yk_node *map, struct yk_err *err);
/* What is held at every node, also at those that divide members. */
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
