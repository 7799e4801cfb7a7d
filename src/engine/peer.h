/* A program elsewhere moves the specimens of an experiment: OpenSees or OpenFresco, over TCP or UDP. docs/opensees.md
 *
 * A session is a run with a driver: limits, ramps, chains of the actuators and recording are those of any run. Each
 * trial of the other program is checked, then reached in as many steps (time.step) as the rate limits ask for. If the
 * program is lost or sends nonsense, the actuators hold, then ramp back, and another session may begin. */
#ifndef YOKE_PEER_H
#define YOKE_PEER_H

#include "engine/engine.h"
#include "rig/fresco.h"

struct yk_peer_settings {
    const char *host; /* address to listen on */
    int port;         /* 0: any that is free */
    bool udp, paced;
    enum yk_fresco_dialect dialect;
    double silence_s; /* a session ends after this time without a new trial */
    double settle_s;  /* how long a trial is held before its force is read; time of the test */
    double hold_s;    /* how long the actuators stay where they are after a loss, in paced runs */
};
struct yk_peer_settings yk_peer_defaults(void);

/* May be read by another thread. */
struct yk_peer_counts {
    atomic_ulong sessions, trials, steps, replies, commits;
    atomic_ulong refused; /* connections that were closed before anything moved */
    atomic_ulong lost;    /* sessions that ended without DIE */
};

struct yk_peer; /* opaque */
/* Listens. Refuses an experiment without specimens, with actuators commanded by force that move degrees of freedom, or
 * without limits of displacement and rate of every actuator. */
enum yk_status yk_peer_create(struct yk_peer **peer, const struct yk_peer_settings *settings,
                              const struct yk_model *model, struct yk_err *err);
void yk_peer_destroy(struct yk_peer *peer);
int yk_peer_port(const struct yk_peer *peer);
const struct yk_peer_counts *yk_peer_counts(const struct yk_peer *peer);
/* Waits until until_ns for a program that opens a session; true: it has, and a run with the driver may begin. */
bool yk_peer_await(struct yk_peer *peer, int64_t until_ns);
/* Why the last connection was closed before anything moved; "" where none was. */
const char *yk_peer_refusal(const struct yk_peer *peer);
const struct yk_driver *yk_peer_driver(const struct yk_peer *peer);
/* After the run: the connection is closed, and the next one may come. */
void yk_peer_end(struct yk_peer *peer);

#endif
