/* The inside of the importer of OpenSees frames: words of commands, and the parts of an experiment file made of them.
 */
#ifndef YOKE_MODEL_OPENSEES_FRAME_H
#define YOKE_MODEL_OPENSEES_FRAME_H

#include "commands.h"

#include <stdint.h>
#include <stdio.h>

struct opensees_node {
    int64_t tag;
    double at[3], mass[6];
    bool fixed[6];
    int line;
    int members, springs, ties;           /* how many name it */
    const struct opensees_node *tied;     /* the node that shares its translations */
    const struct opensees_command *hinge; /* it is the inner end of this spring, and no node of its own */
    struct opensees_node *outer;          /* the other end of the hinge */
};

struct opensees_frame {
    struct opensees_commands commands;
    double L, F;
    int ndm, ndf, given;         /* given: degrees of freedom of a node in the script; those beyond are held */
    struct opensees_node *nodes; /* sorted by tag */
    size_t node_count;
    double centre[2]; /* of the areas of the section that is written, in units of the script */
    FILE *out;
    enum yk_status st; /* of the first failure; what follows it is not written */
    struct yk_err *err;
};

/* ---- words ---- */

/* Fails with the line of the command: its name, what is wrong, and the word in quotes. */
void opensees_word_refuse(struct opensees_frame *f, const struct opensees_command *c, const char *what,
                          struct yk_piece word);
/* Are there that many words? Refuses fewer. */
bool opensees_word_expect(struct opensees_frame *f, const struct opensees_command *c, size_t count);
double opensees_word_number(struct opensees_frame *f, const struct opensees_command *c, size_t i);
double opensees_word_optional(struct opensees_frame *f, const struct opensees_command *c, size_t i, double fallback);
int64_t opensees_word_whole(struct opensees_frame *f, const struct opensees_command *c, size_t i);
/* Position of an option such as -mass among the words; 0: it is not there. */
size_t opensees_option(const struct opensees_command *c, const char *name);
/* Words up to the first option. */
size_t opensees_plain(const struct opensees_command *c);
/* Is it the command `name`, and unless that is NULL, of this kind? */
bool opensees_is(const struct opensees_command *c, const char *name, const char *kind);
/* The command that made something by its tag, at word `at`. */
const struct opensees_command *opensees_find(struct opensees_frame *f, const struct opensees_command *user,
                                             const char *name, size_t at, int64_t tag);

/* Refuses words and options that the importer does not read. */
void opensees_check_forms(struct opensees_frame *f);
/* Says where damping differs from that of OpenSees. */
void opensees_note_damping(struct opensees_frame *f);

/* ---- nodes ---- */

/* The node that word i names. */
struct opensees_node *opensees_node_of(struct opensees_frame *f, const struct opensees_command *c, size_t i);
/* Name of a degree of freedom of a node; is it a rotation? */
const char *opensees_direction(const struct opensees_frame *f, int i);
bool opensees_turns(const struct opensees_frame *f, int i);

/* ---- laws, sections ---- */

/* Units of force and deformation of a law, by its place; `turned`: its ends are exchanged. */
struct opensees_place {
    double force, deformation;
    bool turned;
};
void opensees_print_law(struct opensees_frame *f, const struct opensees_command *c, struct opensees_place p);
/* The materials that sections use; those of springs stand there. */
void opensees_print_materials(struct opensees_frame *f);
void opensees_print_sections(struct opensees_frame *f);
bool opensees_is_truss(const struct opensees_command *c);
bool opensees_is_elastic_section(const struct opensees_command *c);
/* An elastic beam that brings its section along: E, A, I at once. */
bool opensees_has_own_section(const struct opensees_frame *f, const struct opensees_command *c);
/* The first element that brings the same section along. */
const struct opensees_command *opensees_same_section(const struct opensees_frame *f, const struct opensees_command *c);

/* ---- members ---- */

/* Marks the nodes that are inner ends of hinges; before all that prints nodes or members. */
void opensees_find_hinges(struct opensees_frame *f);
/* Masses of members, given per length: half of them goes to either end, as OpenSees does. */
void opensees_lump_masses(struct opensees_frame *f);
void opensees_print_hinges(struct opensees_frame *f);
void opensees_print_members(struct opensees_frame *f);
void opensees_print_links(struct opensees_frame *f);
void opensees_print_elements(struct opensees_frame *f);

#endif
