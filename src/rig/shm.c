/* A rig in another process of the same machine, through shared memory: docs/backends.md. */
#include "rig/remote.h"

#include <stdlib.h>

struct shm_rig {
    struct yk_remote remote; /* first */
    char *name;
    double spin;
};

static const struct yk_param params[] = {
    YK_TEXT(struct shm_rig, name, YK_REQUIRED, "name of the shared memory: letters, digits, - _ ."),
    YK_REAL(struct shm_rig, spin, YK_TIME, 20e-6, 0, 1, "how long a wait polls the memory before it sleeps"),
    YK_REMOTE_PARAMS(struct shm_rig),
    YK_PARAM_END,
};

static enum yk_status check(const void *self, const struct yk_rig_plan *plan, struct yk_err *err)
{
    const struct shm_rig *s = self;

    return yk_link_shm_check(s->name, err) ? yk_fail_of(err, "name") : yk_wire_check(plan, err);
}

static enum yk_status open(void *self, const struct yk_rig_plan *plan, struct yk_err *err)
{
    struct shm_rig *s = self;
    enum yk_status st = yk_link_shm_connect(&s->remote.link, s->name, s->spin, s->remote.settings.patience, err);

    return st ? st : yk_remote_open(&s->remote, plan, "rig over shared memory", err);
}

static void close(void *self)
{
    struct shm_rig *s = self;

    yk_remote_close(&s->remote);
    free(s->name);
    s->name = NULL;
}

const struct yk_rig_ops yk_rig_shm = {
    .name = "shm",
    .summary = "a rig in another process of this machine, through shared memory; `yoke serve --shm` simulates one",
    .reference = "docs/backends.md",
    .params = params,
    .size = sizeof(struct shm_rig),
    .open = open,
    .close = close,
    .check = check,
    YK_REMOTE_OPS,
};
