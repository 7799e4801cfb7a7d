/* Cyclic loading protocols by name: amplitudes and how often each is reached on both sides. */
#ifndef YOKE_PROTOCOL_H
#define YOKE_PROTOCOL_H

#include <yoke/fields.h>

struct yk_protocol {
    struct yk_amplitude {
        double size;
        int cycles;
    } * items;
    size_t count;
};
/* From the key `protocol` of a stage. sense: of the control displacement. Free it even after a failure. */
enum yk_status yk_protocol_read(const struct yk_node *map, enum yk_sense sense, struct yk_protocol *p,
                                struct yk_err *err);
void yk_protocol_free(struct yk_protocol *p);
int yk_protocol_cycles(const struct yk_protocol *p);
double yk_protocol_length(const struct yk_protocol *p); /* of the path: from 0 and back to 0 */
/* The turning points: +a, -a, ..., 0; malloc'd. NULL: out of memory. */
double *yk_protocol_turns(const struct yk_protocol *p, size_t *count);

#endif
