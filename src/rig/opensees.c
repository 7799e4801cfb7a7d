/* A model in OpenSees in place of a specimen: starts the interpreter with a script, or joins one that runs already.
 * docs/opensees.md */
#include "rig/child.h"
#include "rig/fresco_rig.h"

#include <stdio.h>
#include <stdlib.h>

struct opensees {
    struct yk_fresco_rig rig; /* first */
    char *program, *script, *log;
    pid_t child; /* 0: none */
};

static const struct yk_param params[] = {
    {.name = "script",
     .type = YK_PARAM_FILE,
     .offset = offsetof(struct opensees, script),
     .fallback = 0,
     .help =
         "script that is started as `PROGRAM SCRIPT PORT`, and serves on that port; without it, the server must run "
         "already"},
    YK_TEXT(struct opensees, program, 0, "interpreter of the script; default OpenSees"),
    {.name = "log",
     .type = YK_PARAM_TEXT,
     .offset = offsetof(struct opensees, log),
     .fallback = 0,
     .help = "file for what the interpreter prints; default: nowhere"},
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

static enum yk_status start(struct opensees *o, struct yk_err *err)
{
    char port[16];
    const char *const words[] = {o->program ? o->program : "OpenSees", o->script, port, NULL};

    if (!o->script)
        return o->rig.port ? YK_OK
                           : yk_fail(err, YK_E_INPUT,
                                     "opensees: 'script' starts a server, or 'port' joins one; give one "
                                     "of them");
    if (!o->rig.port && !(o->rig.port = yk_free_port()))
        return yk_fail(err, YK_E_IO, "opensees: there is no free port");
    snprintf(port, sizeof port, "%d", o->rig.port);
    return yk_child_start(&o->child, words, o->log, err);
}

static void close(void *self)
{
    struct opensees *o = self;

    yk_fresco_rig_close(&o->rig);
    yk_child_end(&o->child, 2);
    free(o->program);
    free(o->script);
    free(o->log);
    o->program = o->script = o->log = NULL;
}

static enum yk_status open(void *self, const struct yk_rig_plan *plan, struct yk_err *err)
{
    struct opensees *o = self;
    enum yk_status st = start(o, err);

    if (st || !(st = yk_fresco_rig_open(&o->rig, plan, "opensees", err)))
        return st;
    if (o->script && yk_child_has_ended(&o->child))
        yk_fail_within(err, YK_NOWHERE, "the script '%s' ended%s%s; ", o->script, o->log ? ", see " : "",
                       o->log ? o->log : "");
    return st;
}

const struct yk_rig_ops yk_rig_opensees = {
    .name = "opensees",
    .summary = "a model in OpenSees in place of a specimen; starts the interpreter, or joins it",
    .reference = "docs/opensees.md",
    .params = params,
    .size = sizeof(struct opensees),
    .open = open,
    .close = close,
    YK_FRESCO_RIG_OPS,
};
