/* The messages of UT-SIM (UTNP version 2): a header of 16 bytes, with or without numbers behind it. docs/opensees.md
 *
 * Byte 0 version, 1 command, 2 kind of test, 3 kind of substructure, 4 precision (1: float, 2: double), 5 which data
 * follow (bit 0 displacement, 1 velocity, 2 acceleration, 3 force, 4 stiffness, 5 mass), 6 number of degrees of
 * freedom, 8 step, 10 reserved (16 bit each), 12 time stamp (32 bit); numbers of more than a byte are big-endian in the
 * header and little-endian in the data. */
#ifndef YOKE_UTNP_H
#define YOKE_UTNP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <yoke/status.h>

enum { YK_UTNP_HEAD = 16, YK_UTNP_VERSION = 2, YK_UTNP_DOUBLES = 2 };
enum yk_utnp_command { YK_UTNP_TRIAL = 3, YK_UTNP_GET_FORCE = 10, YK_UTNP_DIE = 99 };
enum { YK_UTNP_DISPLACEMENT = 1, YK_UTNP_FORCE = 8 }; /* bits of `data` */

struct yk_utnp_head {
    unsigned version, command, test, substructure, precision, data, dofs, step;
};
void yk_utnp_put(const struct yk_utnp_head *head, unsigned char bytes[YK_UTNP_HEAD]) YK_RT;
struct yk_utnp_head yk_utnp_get(const unsigned char bytes[YK_UTNP_HEAD]) YK_RT;
/* Is it an answer with the forces of `dofs` degrees of freedom as doubles? */
bool yk_utnp_has_forces(const struct yk_utnp_head *head, size_t dofs) YK_RT;

#endif
