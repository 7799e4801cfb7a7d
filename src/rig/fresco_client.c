/* The client side of the OpenFresco dialects. Two messages that belong together leave in one send. */
#include "rig/fresco_client.h"

#include "base/clock.h"
#include "rig/utnp.h"

#include <stdlib.h>
#include <string.h>

enum { MESSAGES = 3 /* at once: commit, trial, question */, GOODBYE_NS = 200000000, TAG = 1 /* of our site */ };

/* X: what each server gets and sends: blocks of control and of readings, in DoFs (the time: 1); the question; does it
 * take commits; how often it is told to end */
static const struct {
    bool ctrl[YK_FRESCO_BLOCKS], daq[YK_FRESCO_BLOCKS];
    enum yk_fresco_action question;
    bool commits, squared; /* vectors have room for matrices */
    int goodbyes;
} servers[YK_FRESCO_SERVERS] = {
    [YK_FRESCO_TO_CONTROLLER] = {{1}, {1, 0, 0, 1}, YK_FRESCO_GET_DAQ, false, false, 1},
    [YK_FRESCO_TO_ELEMENT] = {{1, 1, 1, 0, 1}, {0, 0, 0, 1}, YK_FRESCO_GET_FORCE, true, true, 1},
    [YK_FRESCO_TO_ACTOR] = {{1}, {1, 0, 0, 1}, YK_FRESCO_GET_DAQ, true, false, 1},
    [YK_FRESCO_TO_ADAPTER] = {{1}, {1, 0, 0, 1}, YK_FRESCO_GET_FORCE, false, false, 2},
    [YK_FRESCO_TO_UT_SIM] = {{1}, {0, 0, 0, 1}, YK_FRESCO_GET_FORCE, false, false, 1},
};

static void choose_sizes(struct yk_fresco_client *c)
{
    const int n = (int)c->count;

    for (int i = 0; i < YK_FRESCO_BLOCKS; i++) {
        const int size = i == YK_FRESCO_TIME ? 1 : n;

        c->sizes.ctrl[i] = servers[c->server].ctrl[i] ? size : 0;
        c->sizes.daq[i] = servers[c->server].daq[i] ? size : 0;
    }
    const int least[] = {YK_FRESCO_DATA, (int)yk_fresco_place(c->sizes.ctrl, YK_FRESCO_BLOCKS, 1),
                         (int)yk_fresco_place(c->sizes.daq, YK_FRESCO_BLOCKS, 0),
                         servers[c->server].squared ? n * n : 0};
    c->sizes.data = 0;
    for (size_t i = 0; i < sizeof least / sizeof *least; i++)
        c->sizes.data = least[i] > c->sizes.data ? least[i] : c->sizes.data;
}

/* ---- in the loop ---- */

YK_RT bool yk_fresco_is_asking(const struct yk_fresco_client *c)
{
    return c->out_sent < c->out_size || c->in_got < c->in_length;
}

/* The buffer with an action, behind what leaves already. */
YK_RT static void add(struct yk_fresco_client *c, enum yk_fresco_action action)
{
    c->buffer[0] = yk_fresco_code(action);
    yk_fresco_put_doubles(c->buffer, (size_t)c->sizes.data, c->out + c->out_size);
    c->out_size += 8 * (size_t)c->sizes.data;
}

YK_RT static void set_block(struct yk_fresco_client *c, enum yk_fresco_block block, const double *values)
{
    double *to = c->buffer + yk_fresco_place(c->sizes.ctrl, block, 1);

    for (int i = 0; i < c->sizes.ctrl[block]; i++)
        to[i] = values ? values[i] : 0;
}

YK_RT void yk_fresco_set_trial(struct yk_fresco_client *c, const double *u, const double *v, const double *a, double t)
{
    set_block(c, YK_FRESCO_DISP, u);
    set_block(c, YK_FRESCO_VEL, v);
    set_block(c, YK_FRESCO_ACCEL, a);
    set_block(c, YK_FRESCO_TIME, &t);
}

/* UT-SIM: a header with a command, and `count` numbers of the trial behind it. */
YK_RT static void add_utnp(struct yk_fresco_client *c, enum yk_utnp_command command, unsigned data, size_t count)
{
    enum { RAMP_AND_HOLD = 1, SPECIMEN = 7 };

    yk_utnp_put(&(struct yk_utnp_head){YK_UTNP_VERSION, command, RAMP_AND_HOLD, SPECIMEN, YK_UTNP_DOUBLES, data,
                                       (unsigned)c->count, c->step},
                c->out + c->out_size);
    yk_fresco_put_doubles(c->buffer + 1, count, c->out + c->out_size + YK_UTNP_HEAD);
    c->out_size += YK_UTNP_HEAD + 8 * count;
}

/* UT-SIM: every data and every answer is announced by a header alone. */
YK_RT static void ask_utnp(struct yk_fresco_client *c, bool moves)
{
    c->out_size = c->out_sent = c->in_got = 0;
    if (moves) {
        c->step++;
        add_utnp(c, YK_UTNP_TRIAL, YK_UTNP_DISPLACEMENT, 0);
        add_utnp(c, YK_UTNP_TRIAL, YK_UTNP_DISPLACEMENT, c->count);
    }
    add_utnp(c, YK_UTNP_GET_FORCE, YK_UTNP_FORCE, 0);
    c->in_length = YK_UTNP_HEAD + 8 * c->count;
}

/* The answer as numbers; one that cannot be right ends the session, since nothing tells where the next one begins. */
YK_RT static void take_answer(struct yk_fresco_client *c)
{
    const bool utnp = c->server == YK_FRESCO_TO_UT_SIM;
    const size_t head = utnp ? YK_UTNP_HEAD : 0;
    const struct yk_utnp_head told = utnp ? yk_utnp_get(c->in) : (struct yk_utnp_head){0};

    if (utnp && !yk_utnp_has_forces(&told, c->count)) {
        c->socket.gone = true;
        return;
    }
    yk_fresco_get_doubles(c->in + head, (c->in_length - head) / 8, c->answer);
}

YK_RT void yk_fresco_ask(struct yk_fresco_client *c, bool commits, bool moves, enum yk_fresco_action question)
{
    if (c->server == YK_FRESCO_TO_UT_SIM) {
        ask_utnp(c, moves);
        return;
    }
    c->out_size = c->out_sent = c->in_got = 0;
    if (commits && c->moved && servers[c->server].commits)
        add(c, YK_FRESCO_COMMIT);
    if (commits)
        c->moved = false;
    if (moves) {
        add(c, YK_FRESCO_TRIAL);
        c->moved = true;
    }
    add(c, question);
    c->in_length = 8 * (size_t)c->sizes.data;
}

YK_RT void yk_fresco_commit(struct yk_fresco_client *c, int64_t until_ns)
{
    if (!c->moved || !servers[c->server].commits)
        return;
    c->moved = false;
    c->out_size = c->out_sent = c->in_got = c->in_length = 0;
    add(c, YK_FRESCO_COMMIT);
    yk_fresco_go_on(c, until_ns);
}

YK_RT bool yk_fresco_go_on(struct yk_fresco_client *c, int64_t until_ns)
{
    c->out_sent += yk_stream_send(&c->socket, c->out + c->out_sent, c->out_size - c->out_sent, until_ns);
    while (c->out_sent == c->out_size && c->in_got < c->in_length) {
        const size_t got = yk_stream_receive(&c->socket, c->in + c->in_got, c->in_length - c->in_got, until_ns);

        if (!got)
            return false;
        c->in_got += got;
        if (c->in_got == c->in_length)
            take_answer(c);
    }
    return !c->socket.gone && !yk_fresco_is_asking(c);
}

YK_RT enum yk_fresco_action yk_fresco_question(const struct yk_fresco_client *c)
{
    return servers[c->server].question;
}

YK_RT const double *yk_fresco_block_of(const struct yk_fresco_client *c, enum yk_fresco_block block)
{
    return c->sizes.daq[block] ? c->answer + yk_fresco_place(c->sizes.daq, block, 0) : NULL;
}

/* ---- preparation ---- */

static bool say(struct yk_fresco_client *c, const unsigned char *bytes, size_t size, int64_t until)
{
    return yk_stream_send(&c->socket, bytes, size, until) == size;
}

static bool hear(struct yk_fresco_client *c, unsigned char *bytes, size_t size, int64_t until)
{
    for (size_t got = 0, more; got < size; got += more)
        if (!(more = yk_stream_receive(&c->socket, bytes + got, size - got, until)))
            return false;
    return true;
}

/* A ShadowSite: byte order, version, setup. */
static enum yk_status greet_actor(struct yk_fresco_client *c, int64_t until, struct yk_err *err)
{
    unsigned char bytes[8 * YK_FRESCO_DATA];
    double opening[YK_FRESCO_DATA] = {yk_fresco_code(YK_FRESCO_OPEN), TAG, YK_FRESCO_VERSION};
    double setup[YK_FRESCO_DATA] = {yk_fresco_code(YK_FRESCO_SETUP), c->sizes.data};

    yk_fresco_put_ints((const int[]){1}, 1, bytes);
    if (!c->socket.udp && (!say(c, bytes, 4, until) || !hear(c, bytes, 4, until)))
        return yk_fail(err, YK_E_IO, "the actor does not answer the opening");
    if (!c->socket.udp && (bytes[0] != 1 || bytes[1] || bytes[2] || bytes[3]))
        return yk_fail(err, YK_E_UNSUPPORTED, "the actor has another byte order");
    yk_fresco_put_doubles(opening, YK_FRESCO_DATA, bytes);
    if (!say(c, bytes, sizeof bytes, until) || !hear(c, bytes, sizeof bytes, until))
        return yk_fail(err, YK_E_IO, "the actor does not answer the opening");
    yk_fresco_get_doubles(bytes, YK_FRESCO_DATA, opening);
    if (opening[0] != 0 || opening[1] != TAG || opening[2] != YK_FRESCO_VERSION)
        return yk_fail(err, YK_E_UNSUPPORTED,
                       "the actor answers with status %g, site %g and version %g; 0, %d and %g are expected",
                       opening[0], opening[1], opening[2], TAG, YK_FRESCO_VERSION);
    yk_fresco_put_doubles(setup, YK_FRESCO_DATA, bytes);
    if (!say(c, bytes, sizeof bytes, until))
        return yk_fail(err, YK_E_IO, "the actor does not take the setup");
    yk_fresco_put_ints(c->sizes.ctrl, YK_FRESCO_BLOCKS, bytes);
    if (!say(c, bytes, 20, until))
        return yk_fail(err, YK_E_IO, "the actor does not take the setup");
    yk_fresco_put_ints(c->sizes.daq, YK_FRESCO_BLOCKS, bytes);
    return say(c, bytes, 20, until) ? YK_OK : yk_fail(err, YK_E_IO, "the actor does not take the setup");
}

enum yk_status yk_fresco_open(struct yk_fresco_client *c, const char *host, int port, double patience_s,
                              struct yk_err *err)
{
    const int64_t until = yk_clock_now_ns() + (int64_t)(1e9 * patience_s);
    unsigned char sizes[YK_FRESCO_SIZES_BYTES];
    enum yk_status st;

    choose_sizes(c);
    if (c->sizes.data > YK_FRESCO_MOST)
        return yk_fail(err, YK_E_RANGE, "%zu degrees of freedom need vectors of %d numbers; at most %d", c->count,
                       c->sizes.data, YK_FRESCO_MOST);
    const size_t data = (size_t)c->sizes.data;
    if (!c->buffer) {
        c->buffer = calloc(2 * data, sizeof *c->buffer);
        c->out = calloc((MESSAGES + 1) * data, 8);
        if (!c->buffer || !c->out)
            return yk_fail(err, YK_E_MEMORY, "out of memory");
        c->answer = c->buffer + data;
        c->in = c->out + MESSAGES * 8 * data;
    }
    memset(c->buffer, 0, 2 * data * sizeof *c->buffer);
    c->out_size = c->out_sent = c->in_got = c->in_length = 0;
    c->moved = false;
    /* OpenFresco shakes hands over UDP between sites only */
    c->socket.handshakes =
        c->server == YK_FRESCO_TO_ACTOR || c->server == YK_FRESCO_TO_ELEMENT || c->server == YK_FRESCO_TO_UT_SIM;
    c->step = 0;
    if ((st = yk_stream_connect(&c->socket, host, port, patience_s, err)))
        return st;
    if (c->server == YK_FRESCO_TO_ACTOR) {
        st = greet_actor(c, until, err);
    } else if (c->server == YK_FRESCO_TO_UT_SIM) {
        add_utnp(c, YK_UTNP_TRIAL, YK_UTNP_DISPLACEMENT, 0); /* tells precision and number of degrees of freedom */
        if (!say(c, c->out, c->out_size, until))
            st = yk_fail(err, YK_E_IO, "the module of UT-SIM does not take the opening");
        c->out_size = 0;
    } else {
        yk_fresco_put_sizes(&c->sizes, sizes);
        if (!say(c, sizes, sizeof sizes, until))
            st = yk_fail(err, YK_E_IO, "the server does not take the opening");
    }
    if (st)
        yk_stream_close(&c->socket);
    return st;
}

void yk_fresco_close(struct yk_fresco_client *c)
{
    const int64_t until = yk_clock_now_ns() + GOODBYE_NS;

    if (c->buffer && c->socket.fd >= 0 && !c->socket.gone && c->out_sent == c->out_size) {
        c->out_size = c->out_sent = 0;
        if (c->server == YK_FRESCO_TO_UT_SIM)
            add_utnp(c, YK_UTNP_DIE, 0, 0);
        for (int i = 0; i < servers[c->server].goodbyes && c->server != YK_FRESCO_TO_UT_SIM; i++)
            add(c, YK_FRESCO_DIE);
        if (c->server == YK_FRESCO_TO_ACTOR) /* the tag stands where the trial was */
            yk_fresco_put_doubles((const double[]){TAG}, 1, c->out + 8);
        say(c, c->out, c->out_size, until);
        if (c->server == YK_FRESCO_TO_ACTOR)
            hear(c, c->in, 8 * (size_t)c->sizes.data, until);
    }
    if (c->buffer)
        yk_stream_close(&c->socket);
    free(c->buffer);
    free(c->out);
    c->buffer = NULL;
    c->out = NULL;
}
