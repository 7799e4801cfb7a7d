/* Our side of a conversation with OpenSees, or with an OpenFresco server of a laboratory: trial, question, answer. */
#ifndef YOKE_FRESCO_CLIENT_H
#define YOKE_FRESCO_CLIENT_H

#include "rig/fresco.h"
#include "rig/fresco_socket.h"

/* Whom we speak to. */
enum yk_fresco_server {
    YK_FRESCO_TO_CONTROLLER, /* a laboratory that expects `expControl GenericTCP` */
    YK_FRESCO_TO_ELEMENT,    /* a server for `element genericClient` */
    YK_FRESCO_TO_ACTOR,      /* an ActorSite of OpenFresco 2.8 */
    YK_FRESCO_TO_ADAPTER,    /* `element adapter` of OpenSees, which answers for its last step */
    YK_FRESCO_TO_UT_SIM,     /* a substructure module of UT-SIM (UTNP version 2) */
    YK_FRESCO_SERVERS
};
#define YK_FRESCO_SERVER_CHOICES "controller|element|actor|adapter|ut-sim"

struct yk_fresco_client {
    /* filled by the caller */
    enum yk_fresco_server server;
    struct yk_stream_socket socket; /* its `udp` */
    size_t count;                   /* degrees of freedom */

    struct yk_fresco_sizes sizes; /* as told to the server */
    /* private */
    double *buffer, *answer; /* sizes.data each: what is sent with every action; what came last */
    unsigned char *out, *in; /* bytes of both */
    size_t out_size, out_sent, in_length, in_got;
    bool moved;    /* since the last commit */
    unsigned step; /* UT-SIM: of the trials */
};

/* Connects and opens the session, within patience_s. */
enum yk_status yk_fresco_open(struct yk_fresco_client *c, const char *host, int port, double patience_s,
                              struct yk_err *err);
/* Says goodbye (DIE), closes and frees. */
void yk_fresco_close(struct yk_fresco_client *c);

/* The trial that goes with the next actions: displacements, velocities and accelerations (NULL: zero), time. */
void yk_fresco_set_trial(struct yk_fresco_client *c, const double *u, const double *v, const double *a, double t) YK_RT;
/* Begins: a commit of the last trial where `commits`, the trial where `moves`, a question. None may be under way. */
void yk_fresco_ask(struct yk_fresco_client *c, bool commits, bool moves, enum yk_fresco_action question) YK_RT;
/* Commits only: no answer comes. */
void yk_fresco_commit(struct yk_fresco_client *c, int64_t until_ns) YK_RT;
/* Goes on sending and receiving until until_ns; true: the answer is complete, or nothing is under way. */
bool yk_fresco_go_on(struct yk_fresco_client *c, int64_t until_ns) YK_RT;
bool yk_fresco_is_asking(const struct yk_fresco_client *c) YK_RT;
/* The question for the readings; the block of the last answer to it, NULL where the server does not send it. */
enum yk_fresco_action yk_fresco_question(const struct yk_fresco_client *c) YK_RT;
const double *yk_fresco_block_of(const struct yk_fresco_client *c, enum yk_fresco_block block) YK_RT;

#endif
