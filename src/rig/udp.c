/* A rig in another process or machine over UDP: small frames with sequence numbers, docs/backends.md. */
#include "rig/host.h"
#include "rig/remote.h"
#include "rig/sealed.h"

#include <stdlib.h>

struct udp_rig {
    struct yk_remote remote; /* first */
    char *host;
    int port;
    char *key;
    struct yk_seal seal;
};

static const struct yk_param params[] = {
    YK_TEXT(struct udp_rig, host, 0, "IPv4 address of the rig; default 127.0.0.1"),
    YK_COUNT(struct udp_rig, port, YK_REQUIRED, 1, 65535, "port on which the rig listens"),
    {.name = "key",
     .type = YK_PARAM_FILE,
     .offset = offsetof(struct udp_rig, key),
     .help = "file with the key of both sides: messages are encrypted, and others are not heard"},
    YK_REMOTE_PARAMS(struct udp_rig),
    YK_PARAM_END,
};

static enum yk_status read_key(const struct udp_rig *u, struct yk_seal *seal, struct yk_err *err)
{
    return u->key && yk_seal_open(seal, u->key, false, err) ? yk_fail_of(err, "key") : YK_OK;
}

static enum yk_status check(const void *self, const struct yk_rig_plan *plan, struct yk_err *err)
{
    const struct udp_rig *u = self;
    struct yk_seal unused;
    enum yk_status st = read_key(u, &unused, err);

    return st || (st = yk_host_check(u->host, err)) ? st : yk_wire_check(plan, err);
}

static enum yk_status open(void *self, const struct yk_rig_plan *plan, struct yk_err *err)
{
    struct udp_rig *u = self;
    enum yk_status st = read_key(u, &u->seal, err);

    if (st || (st = yk_link_udp_connect(&u->remote.link, yk_host_of(u->host), u->port, 0, err)))
        return st;
    if (u->key)
        yk_seal_use(&u->seal, &u->remote.link);
    return yk_remote_open(&u->remote, plan, "rig over UDP", err);
}

static void close(void *self)
{
    struct udp_rig *u = self;

    yk_remote_close(&u->remote);
    free(u->host);
    free(u->key);
    u->host = u->key = NULL;
}

const struct yk_rig_ops yk_rig_udp = {
    .name = "udp",
    .summary = "a rig in another process or machine, over UDP; `yoke serve --udp` simulates one",
    .reference = "docs/backends.md",
    .params = params,
    .size = sizeof(struct udp_rig),
    .open = open,
    .close = close,
    .check = check,
    YK_REMOTE_OPS,
};
