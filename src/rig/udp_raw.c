/* A rig that sends and takes UDP packets of its own layout, which the file declares. docs/backend-udp-raw.md. The
 * session is that of the backend `udp`. */
#include "rig/udp_raw.h"

#include "rig/host.h"

#include <stdio.h>
#include <stdlib.h>

static const struct yk_param params[] = {
    YK_TEXT(struct yk_udp_raw_rig, host, 0, "IPv4 address of the rig; default 127.0.0.1"),
    YK_COUNT(struct yk_udp_raw_rig, port, YK_REQUIRED, 1, 65535, "port to which commands are sent"),
    YK_COUNT(struct yk_udp_raw_rig, own_port, 0, 0, 65535,
             "port of this machine to which the rig sends readings; 0: any, for a rig that answers the sender"),
    YK_FLAG(struct yk_udp_raw_rig, own_clock, false,
            "the rig sends readings by its own clock; otherwise one for each command (lock-step)"),
    YK_CHOICE(struct yk_udp_raw_rig, byte_order, "little|big", 0, "of all fields; network order is big"),
    YK_NODE("commands", "list of fields", YK_REQUIRED, "packet to the rig"),
    YK_NODE("readings", "list of fields", YK_REQUIRED, "packet from the rig"),
    YK_REMOTE_PARAMS(struct yk_udp_raw_rig),
    YK_PARAM_END,
};

static enum yk_status check(const void *self, const struct yk_rig_plan *plan, struct yk_err *err)
{
    const struct yk_udp_raw_rig *u = self;
    enum yk_status st = yk_raw_check(&u->raw, plan, err);

    return st || (st = yk_host_check(u->host, err)) ? st : yk_wire_check(plan, err);
}

static enum yk_status open(void *self, const struct yk_rig_plan *plan, struct yk_err *err)
{
    struct yk_udp_raw_rig *u = self;
    enum yk_status st = check(u, plan, err);
    char device[64];

    snprintf(device, sizeof device, "udp-raw %.40s:%d", yk_host_of(u->host), u->port);
    if (st || (st = yk_claim_take(&u->claim, device, err)) ||
        (st = yk_link_udp_connect(&u->remote.link, yk_host_of(u->host), u->port, u->own_port, err)))
        return st;
    u->raw.own_clock |= u->own_clock;
    yk_raw_codec_init(&u->codec, &u->raw, plan, false);
    yk_raw_codec_use(&u->codec, &u->remote.link);
    return yk_remote_open(&u->remote, plan, "rig over UDP (udp-raw)", err);
}

static void close(void *self)
{
    struct yk_udp_raw_rig *u = self;

    yk_remote_close(&u->remote);
    yk_claim_drop(&u->claim);
    yk_layout_free(&u->raw.commands);
    yk_layout_free(&u->raw.readings);
    free(u->host);
    u->host = NULL;
}

const struct yk_rig_ops yk_rig_udp_raw = {
    .name = "udp-raw",
    .summary = "a rig that takes and sends UDP packets of a declared layout; `yoke serve --udp-raw` simulates one",
    .reference = "docs/backend-udp-raw.md",
    .params = params,
    .size = sizeof(struct yk_udp_raw_rig),
    .open = open,
    .close = close,
    .check = check,
    YK_REMOTE_OPS,
};
