/* A rig, or a model in OpenSees that stands in for a specimen, behind the OpenFresco protocol: what the backends
 * `openfresco` and `opensees` share. */
#ifndef YOKE_FRESCO_RIG_H
#define YOKE_FRESCO_RIG_H

#include "rig/fresco_client.h"
#include <yoke/rig.h>

struct yk_fresco_rig {
    /* settings */
    char *host;
    int port;      /* of the server */
    int server;    /* enum yk_fresco_server */
    int transport; /* 0 TCP, 1 UDP */
    double patience, wait, silence;
    /* private */
    const char *what; /* the backend, for messages */
    struct yk_fresco_client client;
    size_t count; /* actuators */
    double tick;  /* s */
    struct yk_reading *last;
    double *speeds, *commands; /* of each actuator */
    double t;
    int64_t unanswered_ns; /* since when; 0: the last one was */
    bool lost, heard;      /* heard: an answer of this session is in `last` */
};
#define YK_FRESCO_RIG_PARAMS(owner, patience_, wait_)                                                                  \
    {.name = "host",                                                                                                   \
     .type = YK_PARAM_TEXT,                                                                                            \
     .offset = offsetof(owner, rig.host),                                                                              \
     .fallback = 0,                                                                                                    \
     .help = "IPv4 address of the server; default 127.0.0.1"},                                                         \
        {.name = "transport",                                                                                          \
         .type = YK_PARAM_CHOICE,                                                                                      \
         .offset = offsetof(owner, rig.transport),                                                                     \
         .fallback = 0,                                                                                                \
         .choices = "tcp|udp",                                                                                         \
         .help = "connection"},                                                                                        \
        {.name = "patience",                                                                                           \
         .type = YK_PARAM_REAL,                                                                                        \
         .offset = offsetof(owner, rig.patience),                                                                      \
         .quantity = YK_TIME,                                                                                          \
         .fallback = patience_,                                                                                        \
         .min = 0,                                                                                                     \
         .max = 600,                                                                                                   \
         .help = "how long to wait for the server before the run"},                                                    \
        {.name = "wait",                                                                                               \
         .type = YK_PARAM_REAL,                                                                                        \
         .offset = offsetof(owner, rig.wait),                                                                          \
         .quantity = YK_TIME,                                                                                          \
         .fallback = wait_,                                                                                            \
         .min = 1e-6,                                                                                                  \
         .max = 600,                                                                                                   \
         .help = "longest wait for readings in a tick"},                                                               \
    {                                                                                                                  \
        .name = "silence", .type = YK_PARAM_REAL, .offset = offsetof(owner, rig.silence), .quantity = YK_TIME,         \
        .fallback = wait_, .min = 1e-6, .max = 600, .help = "time without an answer after which the server is lost"    \
    }

/* The settings are filled. */
enum yk_status yk_fresco_rig_open(struct yk_fresco_rig *r, const struct yk_rig_plan *plan, const char *what,
                                  struct yk_err *err);
void yk_fresco_rig_close(struct yk_fresco_rig *r);
/* self begins with a struct yk_fresco_rig */
enum yk_status yk_fresco_rig_check(const void *self, const struct yk_rig_plan *plan, struct yk_err *err);
double yk_fresco_rig_worst_wait_s(const void *self);
enum yk_status yk_fresco_rig_rest(void *self, const double *x, struct yk_rig_in *in, struct yk_err *err);
enum yk_rig_answer yk_fresco_rig_exchange(void *self, const struct yk_rig_out *out, struct yk_rig_in *in) YK_RT;
const char *yk_fresco_rig_reason(const void *self) YK_RT;
#define YK_FRESCO_RIG_OPS                                                                                              \
    .can = 0, .worst_wait_s = yk_fresco_rig_worst_wait_s, .rest = yk_fresco_rig_rest,                                  \
    .exchange = yk_fresco_rig_exchange, .reason = yk_fresco_rig_reason

#endif
