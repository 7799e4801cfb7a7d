/* The parts of an experiment as its file describes them: substructures with their matrices, how they are joined and
 * loaded, where their nodes are. For programs that check, draw or reduce models. No method is prepared, so that large
 * models open quickly; for runs there is yoke/yoke.h.
 *
 *     yk_parts_open(&parts, &(struct yk_model_source){.path = "frame.yaml", .rehearse = true}, &err);
 *     for (size_t k = 0; k < yk_parts_count(parts); k++)
 *         printf("%s: %zu\n", yk_part(parts, k)->name, yk_part(parts, k)->system->n); */
#ifndef YOKE_PARTS_H
#define YOKE_PARTS_H

#include <stdio.h>
#include <yoke/command.h>
#include <yoke/frame.h>
#include <yoke/identify.h>
#include <yoke/look.h>
#include <yoke/reduction.h>
#include <yoke/substructure.h>
#include <yoke/tree.h>
#include <yoke/yoke.h>

struct yk_parts;
enum yk_status yk_parts_open(struct yk_parts **parts, const struct yk_model_source *source, struct yk_err *err);
void yk_parts_close(struct yk_parts *parts); /* NULL: does nothing */
/* For commands: the experiment file that is the only word. Shows what takes long, and prints the notes of the reader.
 * NULL after a message; *code is then the exit code. `rehearse`: see struct yk_model_source. */
struct yk_parts *yk_command_parts(const struct yk_command *command, const struct yk_words *words,
                                  const struct yk_text_list *set, bool rehearse, int *code);

/* Prepares the method of these parts, which must outlive the model. For analyses; runs: yoke/yoke.h. */
enum yk_status yk_parts_model(struct yk_model **model, const struct yk_parts *parts, struct yk_err *err);

/* The file with its settings applied. */
const struct yk_node *yk_parts_tree(const struct yk_parts *parts);
const char *yk_parts_title(const struct yk_parts *parts);
const char *yk_parts_method(const struct yk_parts *parts); /* name of the integrator or coupling */
const char *yk_parts_path(const struct yk_parts *parts);
const char *yk_parts_overrides(const struct yk_parts *parts);      /* settings, one per line */
const char *yk_parts_note(const struct yk_parts *parts, size_t k); /* as yk_model_note */
double yk_parts_step(const struct yk_parts *parts);                /* of the system [s] */
double yk_parts_end(const struct yk_parts *parts);                 /* [s] */
long yk_parts_steps(const struct yk_parts *parts);

/* ---- substructures ---- */

size_t yk_parts_count(const struct yk_parts *parts);
long yk_parts_find(const struct yk_parts *parts, const char *name); /* -1: there is none */
/* Substructure k: its name, the names of its degrees of freedom, its system with the matrices M, C and K; if it is
 * nonlinear, they are the matrices at the start. */
const struct yk_substructure *yk_part(const struct yk_parts *parts, size_t k);
/* Is it a specimen? Its matrices are then what the file estimates. */
bool yk_part_is_specimen(const struct yk_parts *parts, size_t k);

/* Coordinates [m] of the node of each degree of freedom, 3 n; NaN where unknown. NULL: no node has any. */
const double *yk_part_places(const struct yk_parts *parts, size_t k);
/* Lines to draw, by number: x, y, z of one end, then of the other [m]. Elements of a structure; NULL: element i is not
 * the member of a frame. Anchors lead from nodes of an imported model to supports, which are no degrees of freedom. */
size_t yk_part_elements(const struct yk_parts *parts, size_t k);
const double *yk_part_member(const struct yk_parts *parts, size_t k, size_t i);
size_t yk_part_anchors(const struct yk_parts *parts, size_t k);
const double *yk_part_anchor(const struct yk_parts *parts, size_t k, size_t i);

/* Nodes and members of a frame; NULL: it is no frame. *index (may be NULL): for each node six rows of the system, or
 * values of enum yk_frame_absent. */
const struct yk_frame *yk_part_frame(const struct yk_parts *parts, size_t k, const long **index);

/* Its sections with fibres: a JSON array, as `yoke model info --json` prints it; and in words, in lines that begin with
 * `indent`. */
struct json_t *yk_part_sections(const struct yk_parts *parts, size_t k);
void yk_part_print_sections(const struct yk_parts *parts, size_t k, const char *indent, FILE *out);

/* ---- how they are joined and loaded ---- */

/* The untorn structure. A program may load and move it; no model is to be made of these parts then. */
const struct yk_assembly *yk_parts_assembly(const struct yk_parts *parts);
size_t yk_parts_rows(const struct yk_parts *parts); /* of the interfaces */
const struct yk_row *yk_parts_row(const struct yk_parts *parts, size_t i);
/* Returns the mass that `mass_fraction` moved across interfaces: each substructure is then as its own keys describe it,
 * and the loads are no longer those of its mass. False: none was moved. */
bool yk_parts_return_mass(struct yk_parts *parts);

size_t yk_parts_loads(const struct yk_parts *parts);
const struct yk_load *yk_parts_load(const struct yk_parts *parts, size_t i);
void yk_parts_load_at(const struct yk_parts *parts, size_t k, double t, double *f); /* all of them on substructure k */

/* Effect of ground motions on substructure k, so that a reduction to the degrees of freedom `dofs` keeps it:
 * motions in every direction, motions of `dofs` alone, and the common motion where all point the same way. */
enum yk_status yk_part_ground(const struct yk_parts *parts, size_t k, const size_t *dofs, size_t count,
                              struct yk_ground *ground, struct yk_err *err);

/* ---- its actuators ---- */

size_t yk_parts_actuators(const struct yk_parts *parts);
const char *yk_parts_actuator(const struct yk_parts *parts, size_t i);
const char *yk_parts_commanded(const struct yk_parts *parts, size_t i); /* "displacement", "velocity", "force", ... */
/* False: its rig is outside this process. */
bool yk_parts_simulate(const struct yk_parts *parts);
struct yk_pace yk_parts_pace(const struct yk_parts *parts); /* of its station */
/* Its rig for yk_sweep_run (yoke/identify.h), with the specimens taken off unless they are mounted; the caller fills in
 * the actuators. */
struct yk_swept yk_parts_swept(struct yk_parts *parts, bool mounted);
/* For commands: the actuator of that name; NULL: the first. False after a message. */
bool yk_command_actuator(const struct yk_parts *parts, const char *name, size_t *index);

#endif
