/* The rig of a laboratory that serves OpenFresco, docs/opensees.md. */
#include "rig/fresco_rig.h"

struct openfresco {
    struct yk_fresco_rig rig; /* first */
};

static const struct yk_param params[] = {
    {.name = "server",
     .type = YK_PARAM_CHOICE,
     .offset = offsetof(struct openfresco, rig.server),
     .fallback = YK_FRESCO_TO_CONTROLLER,
     .choices = YK_FRESCO_SERVER_CHOICES,
     .help = "controller: a laboratory that expects `expControl GenericTCP`; element: one that expects `element "
             "genericClient`; actor: an ActorSite of OpenFresco 2.8; adapter: `element adapter` of OpenSees; ut-sim: a "
             "substructure module of UT-SIM"},
    {.name = "port",
     .type = YK_PARAM_COUNT,
     .offset = offsetof(struct openfresco, rig.port),
     .fallback = YK_REQUIRED,
     .min = 1,
     .max = 65535,
     .help = "port on which the server listens"},
    YK_FRESCO_RIG_PARAMS(struct openfresco, 3, 1),
    YK_PARAM_END,
};

static enum yk_status open(void *self, const struct yk_rig_plan *plan, struct yk_err *err)
{
    return yk_fresco_rig_open(self, plan, "rig over OpenFresco", err);
}

static void close(void *self)
{
    yk_fresco_rig_close(self);
}

/* The protocol does not tell what moves behind a server; only the adapter is an element of a model. */
static enum yk_rig_world world(const void *self)
{
    return ((const struct openfresco *)self)->rig.server == YK_FRESCO_TO_ADAPTER ? YK_RIG_COMPUTED : YK_RIG_REAL;
}

const struct yk_rig_ops yk_rig_openfresco = {
    .name = "openfresco",
    .summary = "a rig behind an OpenFresco server: a laboratory's controller, an ActorSite, an OpenSees element",
    .reference = "docs/opensees.md",
    .params = params,
    .size = sizeof(struct openfresco),
    .open = open,
    .close = close,
    .check = yk_fresco_rig_check,
    .world = world,
    YK_FRESCO_RIG_OPS,
};
