/* Names of what a rig takes and gives, for backends whose file maps them to fields or registers: "a1.command",
 * "a1.force", a sensor, lines. */
#ifndef YOKE_EXPERIMENT_SIGNALS_H
#define YOKE_EXPERIMENT_SIGNALS_H

#include "experiment/build.h"

#include <yoke/rig.h>

/* Actuators, sensors and lines of the rig of a section, in the order of its plan. */
struct yk_rig_names {
    size_t count; /* actuators */
    const char **names;
    enum yk_command_kind *kinds, *others; /* others: of the second mode; NULL: no actuator has one */
    bool *turns;
    bool feeds_forward;                    /* one of the actuators does */
    double *most;                          /* the limit of the commanded quantity; 0: none, or not known here */
    const struct yk_node *sensors, *lines; /* maps; NULL: none */
    struct yk_rig_scales *scales;          /* of what its backend takes and gives (channels.h); the caller's */
};
struct yk_limits;
struct yk_own_limits;
struct yk_rig_scales;
/* The limit of the quantity that an actuator is commanded in; 0: none. */
double yk_limit_of_command(const struct yk_limits *all, const struct yk_own_limits *own);
/* parts: the station is being built from them; NULL: it exists already. */
enum yk_status yk_rig_names_of(const struct yk_model *e, const struct yk_node *section,
                               const struct yk_station_parts *parts, struct yk_rig_names *names, struct yk_err *err);
void yk_rig_names_free(struct yk_rig_names *names);

/* The index of a name among the values of a COMMAND or READING (rig/message.h), and what the value measures. -1 and a
 * message: there is no such. */
long yk_rig_signal(const struct yk_rig_names *names, const struct yk_node *node, const char *name, bool command,
                   enum yk_quantity *quantity, struct yk_err *err);
/* The index of a line; outputs belong to commands. -1 and a message: there is no such. */
long yk_rig_line(const struct yk_rig_names *names, const struct yk_node *node, const char *name, bool command,
                 struct yk_err *err);
/* `scale` and `offset` of a map in the settings of a backend, deprecated; into names->scales, for the value of that
 * index. Refused where the section `channels` has the value, too. */
enum yk_status yk_rig_scale(const struct yk_rig_names *names, const struct yk_node *map, const char *name, bool command,
                            size_t index, enum yk_quantity quantity, struct yk_err *err);

/* ---- maps of names to registers or channels ---- */

/* The map, which must be there. `what`: "the registers of the device". */
enum yk_status yk_rig_map(const struct yk_node *settings, const char *what, const struct yk_node **map,
                          struct yk_err *err);
/* Which one of `keys` (NULL at the end) an entry has, and the whole number there, 0 .. `most`. */
enum yk_status yk_rig_place(const struct yk_node *entry, const char *const *keys, double most, int *which, int *number,
                            struct yk_err *err);
/* Meaning of the name of an entry: a line, a value that is written or one that is read. `bits`: the entry is at a place
 * for lines; `needs`: the places that a line and a value need, for messages: "a coil or a discrete input". */
struct yk_rig_entry {
    bool line, writes;
    size_t index; /* as yk_rig_signal and yk_rig_line */
    enum yk_quantity quantity;
};
enum yk_status yk_rig_entry(const struct yk_rig_names *names, const struct yk_node *entry, bool bits,
                            const char *const needs[2], struct yk_rig_entry *means, struct yk_err *err);

/* ---- backends that have more settings than a table holds ---- */

/* Reads them into `self`, whose table is read already. */
typedef enum yk_status yk_build_backend(const struct yk_model *e, const struct yk_node *settings,
                                        const struct yk_rig_names *names, void *self, struct yk_err *err);
yk_build_backend yk_build_udp_raw, yk_build_modbus, yk_build_comedi;
yk_build_backend yk_build_ethercat; /* a struct yk_ec_setup: for the backend and for a simulated segment */

#endif
