/* The inside of the importer of OpenSees frames: words of commands, and the parts of an experiment file made of them.
 */
#ifndef YOKE_MODEL_IMPORT_OPENSEES_FRAME_H
#define YOKE_MODEL_IMPORT_OPENSEES_FRAME_H

#include "model/import/opensees_commands.h"

#include <stdint.h>
#include <stdio.h>

struct yk_opensees_node {
    int64_t tag;
    double at[3], mass[6];
    bool fixed[6];
    int line;
    int members, springs, ties;          /* how many name it */
    const struct yk_opensees_node *tied; /* the node that shares its translations */
    const struct yk_command *hinge;      /* it is the inner end of this spring, and no node of its own */
    struct yk_opensees_node *outer;      /* the other end of the hinge */
};

struct yk_opensees_frame {
    struct yk_commands commands;
    double L, F;
    int ndm, ndf;
    struct yk_opensees_node *nodes; /* sorted by tag */
    size_t node_count;
    FILE *out;
    enum yk_status st; /* of the first failure; what follows it is not written */
    struct yk_err *err;
};

/* ---- words ---- */

/* Fails with the line of the command: its name, what is wrong, and the word in quotes. */
void yk_word_refuse(struct yk_opensees_frame *f, const struct yk_command *c, const char *what, struct yk_span word);
/* Are there that many words? Refuses fewer. */
bool yk_word_expect(struct yk_opensees_frame *f, const struct yk_command *c, size_t count);
double yk_word_number(struct yk_opensees_frame *f, const struct yk_command *c, size_t i);
double yk_word_optional(struct yk_opensees_frame *f, const struct yk_command *c, size_t i, double fallback);
int64_t yk_word_whole(struct yk_opensees_frame *f, const struct yk_command *c, size_t i);
/* Position of an option such as -mass among the words; 0: it is not there. */
size_t yk_command_option(const struct yk_command *c, const char *name);
/* Words up to the first option. */
size_t yk_command_plain(const struct yk_command *c);
/* Is it the command `name`, and unless that is NULL, of this kind? */
bool yk_command_is(const struct yk_command *c, const char *name, const char *kind);
/* The command that made something by its tag, at word `at`. */
const struct yk_command *yk_command_find(struct yk_opensees_frame *f, const struct yk_command *user, const char *name,
                                         size_t at, int64_t tag);

/* ---- nodes ---- */

/* The node that word i names. */
struct yk_opensees_node *yk_opensees_node_of(struct yk_opensees_frame *f, const struct yk_command *c, size_t i);
/* Name of a degree of freedom of a node; is it a rotation? */
const char *yk_opensees_direction(const struct yk_opensees_frame *f, int i);
bool yk_opensees_turns(const struct yk_opensees_frame *f, int i);

/* ---- laws, sections ---- */

/* Units of force and deformation of a law, by its place; `turned`: its ends are exchanged. */
struct yk_opensees_place {
    double force, deformation;
    bool turned;
};
void yk_opensees_print_law(struct yk_opensees_frame *f, const struct yk_command *c, struct yk_opensees_place p);
/* The materials that sections use; those of springs stand there. */
void yk_opensees_print_materials(struct yk_opensees_frame *f);
void yk_opensees_print_sections(struct yk_opensees_frame *f);
bool yk_opensees_is_truss(const struct yk_command *c);
bool yk_opensees_is_elastic_section(const struct yk_command *c);
/* An elastic beam that brings its section along: E, A, I at once. */
bool yk_opensees_has_own_section(const struct yk_opensees_frame *f, const struct yk_command *c);
/* The first element that brings the same section along. */
const struct yk_command *yk_opensees_same_section(const struct yk_opensees_frame *f, const struct yk_command *c);

/* ---- members ---- */

/* Marks the nodes that are inner ends of hinges; before all that prints nodes or members. */
void yk_opensees_find_hinges(struct yk_opensees_frame *f);
/* Masses of members, given per length: half of them goes to either end, as OpenSees does. */
void yk_opensees_lump_masses(struct yk_opensees_frame *f);
void yk_opensees_print_hinges(struct yk_opensees_frame *f);
void yk_opensees_print_members(struct yk_opensees_frame *f);
void yk_opensees_print_links(struct yk_opensees_frame *f);
void yk_opensees_print_elements(struct yk_opensees_frame *f);

#endif
