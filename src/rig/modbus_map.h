/* Which registers, coils and inputs of a Modbus device carry the commands, readings and lines of a rig, and the
 * requests that move them. docs/backend-modbus.md. */
#ifndef YOKE_MODBUS_MAP_H
#define YOKE_MODBUS_MAP_H

#include "rig/layout.h"
#include "rig/message.h"

/* X(id, key, bits, most in a read, most in a write) */
#define YK_MODBUS_AREAS(X)                                                                                             \
    X(HOLDING, "holding", 16, 125, 121)                                                                                \
    X(INPUT, "input", 16, 125, 0)                                                                                      \
    X(COIL, "coil", 1, 2000, 1968)                                                                                     \
    X(DISCRETE, "discrete", 1, 2000, 0)
enum yk_modbus_area {
#define X(id, ...) YK_MODBUS_##id,
    YK_MODBUS_AREAS(X)
#undef X
        YK_MODBUS_AREA_COUNT
};

struct yk_modbus_point {
    enum yk_modbus_area area;
    int address;             /* as on the wire, from 0 */
    enum yk_field_type type; /* of a register value */
    bool low_first;          /* word order: the lower word has the lower address */
    bool writes;
    size_t index; /* of the value in a COMMAND or READING; of the line where the area has bits */

    /* private */
    size_t at; /* in the image of its direction */
};
static inline bool yk_modbus_has_bits(enum yk_modbus_area area)
{
    return area == YK_MODBUS_COIL || area == YK_MODBUS_DISCRETE;
}

/* Addresses that follow one another: one request. */
struct yk_modbus_run {
    enum yk_modbus_area area;
    int address, count;
    bool writes;
    size_t at; /* of its first in the image */
};

enum { YK_MODBUS_IMAGE = 1024 }; /* registers or bits in each direction, at most */
struct yk_modbus_map {
    struct yk_modbus_point *points; /* malloc'd, in any order; yk_modbus_plan sorts them */
    size_t count;
    struct yk_modbus_run *runs; /* malloc'd */
    size_t run_count;
    bool combined;      /* one request writes and reads: function 23 */
    size_t write, read; /* those runs */
};
void yk_modbus_map_free(struct yk_modbus_map *map);
/* Makes the requests; `combine`: by function 23 where all commands are one run of registers and some readings are one
 * of holding registers. Refuses points that overlap. */
enum yk_status yk_modbus_plan(struct yk_modbus_map *map, bool combine, struct yk_err *err);
/* Does the map carry all that the plan of the rig has? */
enum yk_status yk_modbus_check(const struct yk_modbus_map *map, const struct yk_rig_plan *plan, struct yk_err *err);

/* Image of the registers and bits of one direction. */
struct yk_modbus_image {
    uint16_t words[YK_MODBUS_IMAGE];
    uint8_t bits[YK_MODBUS_IMAGE];
};
/* Values and lines of a COMMAND into the image that is written; an image that was read into those of a READING. Lines
 * that are not in the map keep their levels. */
void yk_modbus_encode(const struct yk_modbus_map *map, const double *values, uint32_t lines,
                      struct yk_modbus_image *image) YK_RT;
void yk_modbus_decode(const struct yk_modbus_map *map, const struct yk_modbus_image *image, double *values,
                      uint32_t *lines) YK_RT;

#endif
