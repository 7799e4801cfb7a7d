/* Messages of a session (message.h) as packets of a declared layout. The other side is any device: it knows no session,
 * so what a packet cannot say is added here.
 *
 *     on the run                                   on the wire                on the rig (`yoke serve --udp-raw`)
 *     HELLO, answered here by WELCOME              -
 *     REST, ENABLE                                 idle                       HELLO and REST; ENABLE after a motion
 *     COMMAND                                      move                       COMMAND
 *     CUT, BYE                                     cut, end                   CUT, BYE
 *     READING; REFUSE where `fault` is not 0       reading                    READING, REFUSE */
#ifndef YOKE_RAW_CODEC_H
#define YOKE_RAW_CODEC_H

#include "rig/layout.h"
#include "rig/link.h"

/* A number that has fewer bits in a packet. */
struct yk_counter {
    int bits; /* 0: packets have no number, they are counted as they come */
    bool begun;
    uint64_t raw, number; /* of the last one */
};

struct yk_raw_settings {
    struct yk_layout commands, readings;
    bool own_clock;
};

struct yk_raw_codec {
    const struct yk_raw_settings *settings;
    const struct yk_link *link; /* that it serves */
    struct yk_wire_shape shape;
    double hello[YK_HELLO_VALUES];
    uint32_t outputs_off; /* levels of the outputs when all are off */
    uint32_t enable;      /* lines with this role, and their inverted ones */
    uint32_t inverted;

    /* private */
    bool serves; /* the side of the rig */
    uint32_t session;
    bool waiting; /* `next` is to be received */
    struct yk_message next;
    struct yk_counter heard; /* of packets that came */
    uint64_t sent;           /* number of the last message */
    bool moved;              /* of the rig: it was commanded in this session */
    double command[YK_WIRE_VALUES];
    uint32_t lines;
};
/* The commanding side, or the side of the rig. */
void yk_raw_codec_init(struct yk_raw_codec *c, const struct yk_raw_settings *settings, const struct yk_rig_plan *plan,
                       bool serves);
/* The link packs and unpacks by it from now on. */
void yk_raw_codec_use(struct yk_raw_codec *c, struct yk_link *link);
/* Does the layout carry all that the plan has? */
enum yk_status yk_raw_check(const struct yk_raw_settings *settings, const struct yk_rig_plan *plan, struct yk_err *err);

#endif
