/* The private struct of the backend `udp-raw`: the reader of the file fills the layouts. */
#ifndef YOKE_UDP_RAW_H
#define YOKE_UDP_RAW_H

#include "rig/raw_codec.h"
#include "rig/remote.h"
#include <yoke/claim.h>

struct yk_udp_raw_rig {
    struct yk_remote remote; /* first */
    char *host;
    int port, own_port, byte_order;
    bool own_clock;
    struct yk_raw_settings raw;
    struct yk_raw_codec codec;
    struct yk_claim claim; /* the packets do not tell one commander from another */
};
extern const struct yk_rig_ops yk_rig_udp_raw;

#endif
