/* A rig behind the OpenFresco protocol: each tick is a trial, which is also accepted, since a specimen cannot go back.
 *
 * The protocol has no numbers: an answer belongs to the last question. So a new trial leaves only after the last answer
 * has come; until then the readings are held, and after `silence` the rig is lost. */
#include "rig/fresco_rig.h"

#include "base/clock.h"
#include "rig/host.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Readings of the answer. A server that sends no displacements is taken to have followed. */
YK_RT static void keep(struct yk_fresco_rig *r)
{
    const double *u = yk_fresco_block_of(&r->client, YK_FRESCO_DISP),
                 *f = yk_fresco_block_of(&r->client, YK_FRESCO_FORCE);

    for (size_t i = 0; i < r->count; i++) {
        r->last[i].displacement = u ? u[i] : r->commands[i];
        r->last[i].force = f[i];
    }
    r->heard = true;
}

YK_RT static void hand_over(const struct yk_fresco_rig *r, struct yk_rig_in *in)
{
    memcpy(in->readings, r->last, r->count * sizeof *in->readings);
    in->lines = 0;
}

/* The commands of this tick, as a trial with its question. */
YK_RT static void set_out(struct yk_fresco_rig *r, const double *command)
{
    r->t += r->tick;
    for (size_t i = 0; i < r->count; i++) {
        r->speeds[i] = (command[i] - r->commands[i]) / r->tick;
        r->commands[i] = command[i];
    }
    yk_fresco_set_trial(&r->client, r->commands, r->speeds, NULL, r->t);
    yk_fresco_ask(&r->client, true, true, yk_fresco_question(&r->client));
}

YK_RT enum yk_rig_answer yk_fresco_rig_exchange(void *self, const struct yk_rig_out *out, struct yk_rig_in *in)
{
    struct yk_fresco_rig *r = self;
    const int64_t now = yk_clock_now_ns(), until = now + (int64_t)(1e9 * r->wait);
    bool fresh = false;

    if (!r->lost && yk_fresco_is_asking(&r->client) && (fresh = yk_fresco_go_on(&r->client, until)))
        keep(r); /* late: of an earlier tick, but newer than what there was */
    if (!r->lost && !yk_fresco_is_asking(&r->client)) {
        set_out(r, out->command);
        if (yk_fresco_go_on(&r->client, until)) {
            keep(r);
            fresh = true;
        }
    }
    hand_over(r, in);
    if (fresh && !r->lost) {
        r->unanswered_ns = 0;
        return YK_RIG_FRESH;
    }
    if (!r->unanswered_ns)
        r->unanswered_ns = now;
    r->lost |= r->client.socket.gone || yk_clock_now_ns() - r->unanswered_ns >= (int64_t)(1e9 * r->silence);
    return r->lost ? YK_RIG_LOST : YK_RIG_HELD;
}

/* ---- preparation ---- */

double yk_fresco_rig_worst_wait_s(const void *self)
{
    return ((const struct yk_fresco_rig *)self)->wait;
}

YK_RT const char *yk_fresco_rig_reason(const void *self)
{
    const struct yk_fresco_rig *r = self;

    return r->client.socket.gone ? "the server closed the connection" : "the server does not answer";
}

static enum yk_status begin_session(struct yk_fresco_rig *r, struct yk_err *err)
{
    enum yk_status st;

    r->client.server = (enum yk_fresco_server)r->server;
    r->client.socket.udp = r->transport == 1;
    r->client.count = r->count;
    r->lost = true;
    r->heard = false;
    r->t = 0;
    if ((st = yk_fresco_open(&r->client, yk_host_of(r->host), r->port, r->patience, err)))
        return yk_fail_within(err, YK_NOWHERE, "%s: ", r->what);
    r->lost = false;
    r->unanswered_ns = 0;
    memset(r->commands, 0, r->count * sizeof *r->commands);
    return YK_OK;
}

/* Asks where the rig stands, and moves nothing: ramps do that. A lost rig gets a new session. */
enum yk_status yk_fresco_rig_rest(void *self, const double *x, struct yk_rig_in *in, struct yk_err *err)
{
    struct yk_fresco_rig *r = self;
    const int64_t until = yk_clock_now_ns() + (int64_t)(1e9 * r->patience);
    enum yk_status st;

    (void)x;
    if (r->lost) {
        yk_stream_close(&r->client.socket);
        if ((st = begin_session(r, err)))
            return st;
    }
    if (yk_fresco_is_asking(&r->client) && !yk_fresco_go_on(&r->client, until))
        r->lost = true;
    /* an adapter takes one question between two trials, and has answered it with the last one */
    if (!r->lost && !(r->heard && r->server == YK_FRESCO_TO_ADAPTER)) {
        yk_fresco_ask(&r->client, false, false, yk_fresco_question(&r->client));
        r->lost = !yk_fresco_go_on(&r->client, until);
    }
    r->unanswered_ns = 0;
    if (!r->lost && !yk_fresco_is_asking(&r->client))
        keep(r);
    if (r->lost)
        return yk_fail(err, YK_E_IO, "%s: %s within %g s (patience)", r->what, yk_fresco_rig_reason(r), r->patience);
    hand_over(r, in);
    return YK_OK;
}

enum yk_status yk_fresco_rig_check(const void *self, const struct yk_rig_plan *plan, struct yk_err *err)
{
    (void)plan;
    return yk_host_check(((const struct yk_fresco_rig *)self)->host, err);
}

enum yk_status yk_fresco_rig_open(struct yk_fresco_rig *r, const struct yk_rig_plan *plan, const char *what,
                                  struct yk_err *err)
{
    r->what = what;
    r->count = plan->count;
    r->tick = plan->tick;
    r->client.socket.fd = -1;
    r->last = calloc(plan->count, sizeof *r->last);
    r->speeds = calloc(2 * plan->count, sizeof *r->speeds);
    if (!r->last || !r->speeds)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    r->commands = r->speeds + plan->count;
    return begin_session(r, err);
}

void yk_fresco_rig_close(struct yk_fresco_rig *r)
{
    if (r->count) /* otherwise it was not opened */
        yk_fresco_close(&r->client);
    free(r->last);
    free(r->speeds);
    free(r->host);
    r->last = NULL;
    r->speeds = NULL;
    r->host = NULL;
}
