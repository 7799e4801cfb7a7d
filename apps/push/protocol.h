/* Cyclic loading protocols by name: amplitudes and how often each is reached on both sides. */
#ifndef YOKE_PUSH_PROTOCOL_H
#define YOKE_PUSH_PROTOCOL_H

#include <yoke/fields.h>

struct protocol {
    struct amplitude {
        double size;
        int cycles;
    } * items;
    size_t count;
};
/* From the key `protocol` of a stage. sense: of the control displacement. Free it even after a failure. */
enum yk_status protocol_read(const struct yk_node *map, enum yk_sense sense, struct protocol *p, struct yk_err *err);
void protocol_free(struct protocol *p);
int protocol_cycles(const struct protocol *p);
double protocol_length(const struct protocol *p); /* of the path: from 0 and back to 0 */
/* The turning points: +a, -a, ..., 0; malloc'd. NULL: out of memory. */
double *protocol_turns(const struct protocol *p, size_t *count);

#endif
