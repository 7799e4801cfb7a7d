/* A model in OpenSees in place of a specimen: starts the interpreter with a script, or joins one that runs already.
 * docs/opensees.md */
#include "rig/child.h"
#include "rig/fresco_rig.h"

struct opensees {
    struct yk_fresco_rig rig; /* first */
    struct yk_interpreter interpreter;
};

static const struct yk_param params[] = {
    YK_INTERPRETER_PARAMS(struct opensees, interpreter),
    {.name = "server",
     .type = YK_PARAM_CHOICE,
     .offset = offsetof(struct opensees, rig.server),
     .fallback = YK_FRESCO_TO_ELEMENT,
     .choices = YK_FRESCO_SERVER_CHOICES,
     .help = "element: a script with a socket loop, as in examples/opensees; adapter: `element adapter` of OpenSees; "
             "see openfresco"},
    {.name = "port",
     .type = YK_PARAM_COUNT,
     .offset = offsetof(struct opensees, rig.port),
     .fallback = 0,
     .min = 0,
     .max = 65535,
     .help = "port of the server; 0: a free one, which the script is told"},
    YK_FRESCO_RIG_PARAMS(struct opensees, 10, 10),
    YK_PARAM_END,
};

static void close(void *self)
{
    struct opensees *o = self;

    yk_fresco_rig_close(&o->rig);
    yk_interpreter_end(&o->interpreter);
}

static enum yk_status check(const void *self, const struct yk_rig_plan *plan, struct yk_err *err)
{
    const struct opensees *o = self;
    const enum yk_status st = yk_interpreter_check(&o->interpreter, o->rig.port, err);

    return st ? st : yk_fresco_rig_check(&o->rig, plan, err);
}

static enum yk_status open(void *self, const struct yk_rig_plan *plan, struct yk_err *err)
{
    struct opensees *o = self;
    enum yk_status st = yk_interpreter_start(&o->interpreter, &o->rig.port, err);

    if (!st && (st = yk_fresco_rig_open(&o->rig, plan, "opensees", err)))
        yk_interpreter_explain(&o->interpreter, err);
    return st;
}

static bool fault(const void *self, char *text, size_t size)
{
    struct opensees *o = (struct opensees *)self; /* the end of the interpreter is noticed here */

    if (o->rig.lost)
        yk_interpreter_fault(&o->interpreter, yk_fresco_rig_reason(&o->rig), text, size);
    return o->rig.lost;
}

/* An interpreter computes. */
static enum yk_rig_world world(const void *self)
{
    return YK_RIG_COMPUTED;
}

const struct yk_rig_ops yk_rig_opensees = {
    .name = "opensees",
    .summary = "a model in OpenSees in place of a specimen; starts the interpreter, or joins it",
    .reference = "docs/opensees.md",
    .params = params,
    .size = sizeof(struct opensees),
    .open = open,
    .close = close,
    .check = check,
    .world = world,
    .fault = fault,
    YK_FRESCO_RIG_OPS,
};
