/* The sections of an experiment file, each read by its own file into the experiment. */
#ifndef YOKE_BUILD_H
#define YOKE_BUILD_H

#include <yoke/fields.h>
#include <yoke/keys.h>

#include "experiment/experiment.h"

/* Keys of the sections, for the reader and for `yoke reference`. */
/* Keys shared by the kinds with elements. */
#define YK_KEYS_BASES_AND_DAMPING                                                                                      \
    YK_NODE("bases", "map of name to base", 0, "points with a prescribed motion, to which elements can be attached"),  \
        YK_NODE("rayleigh", "map", 0,                                                                                  \
                "damping proportional to mass and stiffness, without that of nonlinear elements"),                     \
        YK_NODE("modal_damping", "list of ratios", 0,                                                                  \
                "damping ratio of each mode of the linear part, the last for all higher ones")

extern const struct yk_param yk_keys_root[], yk_keys_time[], yk_keys_method[], yk_keys_substructure[],
    yk_keys_element[], yk_keys_base[], yk_keys_initial[], yk_keys_rayleigh[], yk_keys_interface[], yk_keys_load[],
    yk_keys_plugin[], yk_keys_physical[], yk_keys_estimate[], yk_keys_chain[], yk_keys_switch[], yk_keys_component[],
    yk_keys_compensated[], yk_keys_record[], yk_keys_quality[], yk_keys_record_stream[], yk_keys_derived[],
    yk_keys_rig[], yk_keys_actuator[], yk_keys_sensors[], yk_keys_limit[], yk_keys_pose[], yk_keys_console[],
    yk_keys_dofs[], yk_keys_prescribed[], yk_keys_joint[], yk_keys_joint_plant[], yk_keys_sensor[], yk_keys_line[],
    yk_keys_ec_slave[], yk_keys_ec_channel[], yk_keys_readings[], yk_keys_reading[], yk_keys_field[],
    yk_keys_register[], yk_keys_card_channel[], yk_keys_zero[], yk_keys_certificate[], yk_keys_channel[];

/* Degrees of freedom of a substructure by name. */
struct yk_dofs {
    char **names;
    size_t n;
    double *place;          /* 3 n coordinates of their nodes, NaN where unknown; NULL: none is known */
    struct yk_names *index; /* made by yk_dofs_find */
};
void yk_dofs_free(struct yk_dofs *d);
/* Frees all but the names, which now belong to another object. */
void yk_dofs_forget(struct yk_dofs *d);
long yk_dofs_find(const struct yk_dofs *d, const char *name); /* -1 where there is none */
/* How a degree of freedom moves, if its name shows it; and the form of a quantity that belongs to it. */
enum yk_sense yk_dofs_sense(const char *dof);
enum yk_quantity yk_dofs_quantity(const char *dof, enum yk_quantity quantity);
/* The senses of all, malloc'd; NULL if memory runs out. */
enum yk_sense *yk_dofs_senses(char *const *names, size_t n);
enum yk_status yk_dofs_missing(struct yk_where where, const char *name, const struct yk_dofs *d, struct yk_err *err);
/* A list of names, or { count: N, prefix: d }. */
enum yk_status yk_dofs_read(const struct yk_node *list, struct yk_dofs *d, struct yk_err *err);
/* d1, d2, ...: prefix and number. */
enum yk_status yk_dofs_number(const char *prefix, size_t count, struct yk_dofs *d, struct yk_err *err);
/* `initial` of the substructure; other degrees of freedom keep their values. */
enum yk_status yk_dofs_initial(const struct yk_node *map, const struct yk_dofs *d, double *u0, double *v0,
                               struct yk_err *err);
enum yk_status yk_check_name(const struct yk_node *node, const char *name, struct yk_err *err);

/* `time` and `method`. */
enum yk_status yk_build_time(struct yk_model *e, struct yk_err *err);
enum yk_status yk_build_method(struct yk_model *e, struct yk_err *err);
/* The method that the tree names, as far as there is one. */
struct yk_method_choice {
    const char *family, *name;
    const struct yk_param *params;
    bool plugin;
};
struct yk_method_choice yk_build_choice(const struct yk_model *e);
/* If a setting (--set) names another method than `old`, drops what the file says of the old one, except for settings
 * that mean the same to both. A note names the dropped ones. */
void yk_build_forget(struct yk_model *e, const struct yk_method_choice *old);

/* Linear parts in e->condensed_modes modes and the degrees of freedom of interfaces. */
enum yk_status yk_build_condensed(struct yk_model *e, struct yk_err *err);

/* Parts of a structure: zero start values, damping by `rayleigh` and `modal_damping`. */
enum yk_status yk_build_rest_state(struct yk_structure_parts *parts, size_t n, struct yk_err *err);
enum yk_status yk_build_damping(const struct yk_model *e, const struct yk_node *map, struct yk_structure_parts *parts,
                                struct yk_err *err);
void yk_part_free(struct yk_part *part);
/* A kind of model: one file and one line in models.def. */
struct yk_builder_ops {
    const char *name;
    const struct yk_keys_section *sections; /* of the reference, its own first; a title of NULL ends them */
    /* massless: its mass may be zero, since actuators hold it */
    enum yk_status (*build)(const struct yk_model *e, const struct yk_node *map, bool massless, struct yk_dofs *d,
                            struct yk_system **system, struct yk_part *extra, struct yk_err *err);
};
extern const struct yk_builder_ops *const yk_builders[]; /* NULL at the end */
const struct yk_builder_ops *yk_builder_find(const char *name);
/* Possible ends of elements. A degree of freedom on a rigid link moves with another one, plus rotations. */
struct yk_tie {
    long dof; /* row; below 0: held, like the ground */
    size_t count;
    struct yk_lever levers[3];
};
struct yk_ends {
    struct yk_dofs dofs;
    struct yk_tie *ties;
};
/* `bases` of the substructure: points with a prescribed motion, to which elements can be attached. */
enum yk_status yk_build_bases(const struct yk_model *e, const struct yk_node *map, struct yk_structure_parts *parts,
                              struct yk_err *err);
/* A signal and its settings, which the caller owns even after a failure; `keys`: other keys allowed in the map;
 * `means`: the quantity of its forces. */
enum yk_status yk_build_signal(const struct yk_model *e, const struct yk_node *node, const struct yk_param *keys,
                               enum yk_quantity means, const struct yk_signal_ops **signal, void **settings,
                               struct yk_err *err);
/* The law that `kind` of the map names; other keys than those of the law and of the table are refused. */
enum yk_status yk_build_find_law(const struct yk_model *e, const struct yk_node *map, const struct yk_param *keys,
                                 const struct yk_law_ops **law, struct yk_err *err);
/* Its settings, malloc'd, in units of the place where it is used; the caller owns them even after a failure. */
enum yk_status yk_build_law_settings(const struct yk_model *e, const struct yk_node *map, const struct yk_law_ops *law,
                                     enum yk_sense sense, void **settings, struct yk_err *err);
/* Adds the listed elements; the linear ones go into K and C, so that Rayleigh and modal damping see them. */
enum yk_status yk_build_elements(const struct yk_model *e, const struct yk_ends *ends, const struct yk_node *list,
                                 struct yk_structure_parts *parts, struct yk_probes *probes, struct yk_err *err);
/* Refuses nodes of `assembled` and `frame` that nothing is attached to, where there are several. */
enum yk_status yk_build_refuse_loose(const struct yk_model *e, const struct yk_node *map, struct yk_err *err);
/* Adds the place of the faulty matrix to the message of a structure. */
enum yk_status yk_build_blame(const struct yk_node *map, struct yk_err *err);
struct yk_field_context yk_build_context(const struct yk_model *e);
/* `mass`, `damping` and `stiffness` of a map (NULL: none), n x n; those that it lacks are zero. */
enum yk_status yk_build_matrices(const struct yk_model *e, const struct yk_node *map, const struct yk_dofs *d,
                                 struct yk_matrix *M, struct yk_matrix *C, struct yk_matrix *K, struct yk_err *err);
/* role: physical. The input for the sections of a station: every specimen, and every actuator in order. */
struct yk_specimen_plan {
    const struct yk_node *map; /* of the physical substructure */
    struct yk_dofs dofs;
    size_t first, count;  /* actuators that move it */
    size_t loaded;        /* actuators after those, which load it by prescribed forces */
    struct yk_dofs loads; /* degrees of freedom of its model that they load */
};
struct yk_station_plan {
    struct yk_specimen_plan *specimens;
    size_t specimen_count;
    const struct yk_node **actuators; /* nodes that name them */
    const char **names;
    size_t actuator_count;
};
/* Plan of the station: its actuators in the order of the specimens; free it even on failure. */
enum yk_status yk_build_station_plan(const struct yk_model *e, struct yk_station_plan *plan, struct yk_err *err);
void yk_build_station_plan_free(struct yk_station_plan *plan);
bool yk_has_models_only(const struct yk_model *e);
struct yk_actuator;
struct yk_limits;
struct yk_own_limits;
struct yk_station_parts;
enum yk_status yk_build_station(struct yk_model *e, struct yk_err *err);
/* Opens the rig; called last, so that a mistake in the file is found before a rig is touched. */
enum yk_status yk_build_connect(struct yk_model *e, struct yk_err *err);
enum yk_status yk_build_chain(const struct yk_model *e, const struct yk_node *node, const char *name,
                              struct yk_actuator *a, struct yk_err *err);
/* Common limits and those of each actuator; needs to know which actuators are rotary. */
enum yk_status yk_build_limits(const struct yk_model *e, struct yk_station_parts *parts, struct yk_err *err);
enum yk_status yk_build_limits_of_models(struct yk_model *e, struct yk_err *err);
/* Thresholds of motion of actuators that are not commanded by displacement; the limits are in the parts. */
enum yk_status yk_build_thresholds(const struct yk_model *e, const struct yk_station_parts *parts, struct yk_err *err);
/* Limits that every actuator of a rig outside this process must have; refuses the file without them. */
enum { YK_NEEDED_LIMITS = 4 };
extern const enum yk_limit_kind yk_needed_limits[YK_NEEDED_LIMITS];
bool yk_has_limit(const struct yk_limits *all, const struct yk_own_limits *own, enum yk_limit_kind kind);
/* `limits.dofs` of a specimen whose actuators, from `first` on, move it by a setup (NULL: it has none). */
struct yk_setup;
enum yk_status yk_build_pose_limits(const struct yk_model *e, const struct yk_node *specimen,
                                    const struct yk_dofs *dofs, struct yk_setup *setup, size_t first,
                                    struct yk_err *err);
enum yk_status yk_build_needed_limits(const struct yk_model *e, const struct yk_station_parts *parts,
                                      const struct yk_node *backend, struct yk_err *err);
enum yk_status yk_build_rig(const struct yk_model *e, const struct yk_station_plan *plan,
                            struct yk_station_parts *parts, struct yk_err *err);
/* Files named by `plant` and `sensors` of simulated actuators, taken into the tree. */
enum yk_status yk_build_include_actuators(struct yk_model *e, struct yk_err *err);
/* Section `calibration`: its file taken into the tree; its zeros told to the station. */
enum yk_status yk_build_include_zeros(struct yk_model *e, struct yk_err *err);
enum yk_status yk_build_zeros(struct yk_model *e, struct yk_err *err);
bool yk_build_is_channel(const struct yk_model *e, const char *key); /* a1.displacement, a1.force, sensor.NAME */
/* Section `certificates`, likewise. */
enum yk_status yk_build_include_certificates(struct yk_model *e, struct yk_err *err);
enum yk_status yk_build_certificates(struct yk_model *e, struct yk_err *err);
void yk_build_free_certificates(struct yk_model *e);
/* Methods that serve several actuators together: `transfer.joint`. The actuators are in the parts. */
enum yk_status yk_build_joints(const struct yk_model *e, struct yk_station_parts *parts, struct yk_err *err);
/* The sections of the rigs: `rig`, or those of `rigs`; the one that moves an actuator, NULL where none does. */
size_t yk_build_rig_count(const struct yk_model *e);
const struct yk_node *yk_build_rig_at(const struct yk_model *e, size_t k);
const struct yk_node *yk_build_rig_of(const struct yk_model *e, const char *actuator);
/* Sensors and lines of all rigs, in the order of the file. */
enum yk_status yk_build_sensors(const struct yk_model *e, struct yk_station_parts *parts, struct yk_err *err);
/* The section `channels`, and `readings` of each rig. The actuators and sensors are in the parts. */
enum yk_status yk_build_readings(const struct yk_model *e, struct yk_station_parts *parts, struct yk_err *err);
/* Called once the rig is built: drops the corrections if nothing is corrected. */
enum yk_status yk_build_end_readings(const struct yk_model *e, struct yk_station_parts *parts, struct yk_err *err);
/* Adds sensors and lines to the virtual rig of a section (NULL: of all), whose actuators and specimens are built. */
struct yk_virtual_rig;
enum yk_status yk_build_virtual_sensors(const struct yk_model *e, const struct yk_node *section,
                                        const char *const *names, struct yk_virtual_rig *rig, struct yk_err *err);
/* The entry of an actuator in the map (NULL: it is missing) that messages call `section`; `node`: where the file names
 * the actuator. */
enum yk_status yk_build_find_actuator(const struct yk_node *map, const char *section, const struct yk_node *node,
                                      const char *name, const struct yk_node **entry, struct yk_err *err);
/* The model of the rig for a physical substructure. */
enum yk_status yk_build_find_specimen(const struct yk_model *e, const struct yk_node *physical,
                                      const struct yk_node **specimen, struct yk_err *err);
/* Which degrees of freedom of that model the substructure has, by name; the others are free. moved: dofs->n. */
enum yk_status yk_build_find_moved(const struct yk_node *physical, const struct yk_node *model,
                                   const struct yk_dofs *dofs, const struct yk_dofs *own, size_t *moved,
                                   struct yk_err *err);
/* Refuses passivity control whose bound alone makes the loop unstable. The structure is assembled. */
enum yk_status yk_build_check_passivity(const struct yk_model *e, struct yk_err *err);
enum yk_status yk_build_physical(const struct yk_model *e, const struct yk_node *map, struct yk_dofs *d,
                                 struct yk_system **system, struct yk_err *err);
/* M (of the degrees of freedom d) += estimate.mass of the specimen, which its load cells do not feel. */
enum yk_status yk_build_unfelt_mass(const struct yk_model *e, const struct yk_node *map, const struct yk_dofs *d,
                                    struct yk_matrix *M, struct yk_err *err);
/* The model of rig.specimen; its mass may be zero. */
enum yk_status yk_build_specimen_model(const struct yk_model *e, const struct yk_node *node, struct yk_dofs *d,
                                       struct yk_system **system, struct yk_err *err);
/* `kind: plugin` */
bool yk_is_plugin(const struct yk_node *kind);
/* The plugin that `library` in the map names; it must offer a block of the family (as in `yoke list`: "compensators")
 * that is expected at `kind`. */
struct yk_plugin;
enum yk_status yk_build_plugin(const struct yk_model *e, const struct yk_node *kind, const struct yk_node *map,
                               const char *family, const struct yk_plugin **plugin, struct yk_err *err);
/* yk_field_known, which also accepts `library` for a plugin; `name`: the name of the map in messages. */
enum yk_status yk_build_known(const struct yk_node *map, const char *name, bool plugin, const struct yk_param *first,
                              const struct yk_param *second, struct yk_err *err);

enum yk_status yk_build_substructures(struct yk_model *e, struct yk_err *err);
enum yk_status yk_build_interfaces(struct yk_model *e, struct yk_err *err);
enum yk_status yk_build_loads(struct yk_model *e, struct yk_err *err);
enum yk_status yk_build_record(struct yk_model *e, struct yk_err *err);
enum yk_status yk_build_quality(struct yk_model *e, struct yk_err *err);
void yk_selection_free(struct yk_selection *selection);
/* An experiment file with its models only, in an arena of the caller; settings one in a line. */
enum yk_status yk_build_load_models(struct yk_model **model, const char *path, const char *overrides,
                                    struct yk_arena *mem, struct yk_err *err);
/* Does the ground translate or rotate, judging by `influence` and the names of what it moves? */
enum yk_sense yk_build_ground_sense(const struct yk_node *load, const struct yk_substructure *s);
/* The force of a ground motion on a substructure, per unit of its acceleration. */
enum yk_status yk_build_ground_direction(const struct yk_model *e, const struct yk_node *load, size_t substructure,
                                         double *direction, struct yk_err *err);
/* A point mass was added to a degree of freedom: updates the effect of ground motion on a reduced model. */
void yk_build_ground_mass(struct yk_model *e, size_t substructure, size_t dof, double mass);
/* Models beside specimens into equilibrium with the loads that are `permanent`, before they are assembled: the
 * specimens are held, and the forces that hold them become constant loads. */
enum yk_status yk_build_held_equilibrium(struct yk_model *e, struct yk_err *err);
/* The path of a run with `analysis: static`, and its duration. */
enum yk_status yk_build_static_path(struct yk_model *e, struct yk_err *err);
void yk_static_path_free(struct yk_static_path *path);
/* Start values in equilibrium with the loads that are `permanent`, where there is no specimen. */
enum yk_status yk_build_equilibrium(struct yk_model *e, struct yk_err *err);

/* "frame.n1.x" to substructure and degree of freedom; explains what does not exist. */
enum yk_status yk_build_find_dof(const struct yk_model *e, struct yk_where where, const char *name,
                                 size_t *substructure, size_t *dof, struct yk_err *err);
/* Index of a substructure by name, with a suggestion where there is none. */
enum yk_status yk_build_find_substructure(const struct yk_model *e, struct yk_where where, const char *name,
                                          size_t *substructure, struct yk_err *err);

#endif
