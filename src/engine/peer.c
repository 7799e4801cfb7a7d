/* Sessions with OpenSees and OpenFresco, which move the specimens. */
#include "engine/peer.h"

#include "base/clock.h"
#include "rig/fresco_socket.h"
#include "transfer/physical.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    OPENING_NS = 5000000,     /* unpaced: a look at requests of the operator */
    OPEN_MS = 5000,           /* a connection must open its session within this time */
    AMID_MS = 2000,           /* the rest of a message, or room for an answer, must come within this time */
    MOST_MESSAGES = 64,       /* between two ticks, or two looks at the clock */
    MOST_TURNED_AWAY = 16,    /* at a time: a flood of connections must not hold the loop */
    TURN_AWAY_NS = 100000000, /* how often others are told that the rig is in use */
    ROOM = 65536,             /* bytes taken at once */
    IDLE_STEPS = 8 /* paced: made to the same target where no trial comes, so that the command settles there */
};
#define SHARE 0.9    /* of the limits that the way to a trial may use */
#define STEEP 1.875  /* largest slope of the smooth path */
#define BENT  5.7735 /* largest second derivative of it */
#define AHEAD 2.0    /* what a change of speed adds to a command that is ahead by its lead, over the lead */

struct yk_peer {
    struct yk_peer_settings settings;
    struct yk_peer_counts counts;
    struct yk_driver driver;
    int port, listener;
    struct yk_stream_socket socket;
    int64_t opened_ns, amid_ns, stuck_ns, looked_ns, lost_ns; /* 0: not. amid: since when a message is incomplete */
    char refusal[256], problem[256];
    bool ended;
    unsigned char *bytes; /* received and not taken yet: from `taken` to `got` */
    size_t taken, got;
    struct yk_fresco_reader *reader;
    size_t count;                 /* degrees of freedom */
    double tag;                   /* of the site */
    double *u, *from, *to, *v;    /* of the step under way; of the way; velocities at its end */
    double *read[4];              /* displacement, velocity, acceleration, force */
    double *strokes, *speeds;     /* of the actuators: of a trial; of the last step */
    double *K, *M;                /* count x count, column by column */
    long step, steps, settle;     /* of the way; of holding at its end */
    long idle;                    /* steps that may still be made to the same target */
    int64_t stood_ns;             /* since when nothing moves; 0: something does */
    int64_t quiet_ns;             /* since when the last new trial is done; 0: it is under way */
    double peer_t;                /* of the last trial; NaN: it told none */
    double time;                  /* of the test */
    const struct yk_state *state; /* that the run moves */
    double reply[YK_FRESCO_MOST];
    unsigned char out[8 * YK_FRESCO_MOST];
    size_t out_size, out_sent;
};

struct yk_peer_settings yk_peer_defaults(void)
{
    return (struct yk_peer_settings){.host = "127.0.0.1", .silence_s = 60, .hold_s = 0.5};
}

/* ---- out ---- */

/* Sends what is left to be sent; does not wait. */
static void flush(struct yk_peer *p, int64_t now)
{
    if (p->out_sent == p->out_size)
        return;
    p->out_sent += yk_stream_send(&p->socket, p->out + p->out_sent, p->out_size - p->out_sent, 0);
    if (p->out_sent == p->out_size)
        p->stuck_ns = 0;
    else if (!p->stuck_ns)
        p->stuck_ns = now;
}

/* `count` doubles of the reply. */
static void answer(struct yk_peer *p, size_t count)
{
    yk_fresco_put_doubles(p->reply, count, p->out);
    p->out_size = 8 * count;
    p->out_sent = 0;
    atomic_fetch_add(&p->counts.replies, 1);
    flush(p, yk_clock_now_ns());
}

static void clear_reply(struct yk_peer *p, size_t count)
{
    memset(p->reply, 0, count * sizeof *p->reply);
}

/* ---- in ---- */

static void lose(struct yk_peer *p, const char *why)
{
    if (p->lost_ns)
        return;
    snprintf(p->problem, sizeof p->problem, "%s", why);
    p->lost_ns = yk_clock_now_ns();
}

/* The next message until until_ns. */
static enum yk_fresco_event take_message(struct yk_peer *p, int64_t until_ns)
{
    enum yk_fresco_event event = YK_FRESCO_NOTHING;

    while (event == YK_FRESCO_NOTHING) {
        if (p->taken == p->got) {
            p->taken = 0;
            p->got = yk_stream_receive(&p->socket, p->bytes, ROOM, until_ns);
            if (!p->got)
                return YK_FRESCO_NOTHING;
        }
        p->taken += yk_fresco_feed(p->reader, p->bytes + p->taken, p->got - p->taken, &event);
        if (!yk_fresco_is_amid(p->reader))
            p->amid_ns = 0;
        else if (!p->amid_ns)
            p->amid_ns = yk_clock_now_ns();
    }
    return event;
}

/* ---- opening ---- */

static bool fits(const struct yk_peer *p, char *why, size_t size)
{
    static const char *const blocks[] = {"displacements", "velocities", "accelerations", "forces", "times"};
    const struct yk_fresco_sizes *s = &p->reader->sizes;
    const int n = (int)p->count;

    for (int i = 0; i < YK_FRESCO_BLOCKS; i++) {
        const int most = i == YK_FRESCO_TIME ? 1 : n;

        if (i == YK_FRESCO_FORCE && s->ctrl[i]) {
            snprintf(why, size, "it wants to control %d forces; displacements only", s->ctrl[i]);
            return false;
        }
        if ((s->ctrl[i] && s->ctrl[i] != most) || (s->daq[i] && s->daq[i] != most) ||
            (i == YK_FRESCO_DISP && !s->ctrl[i])) {
            snprintf(why, size, "it sends %d and expects %d %s, but the specimens have %d degrees of freedom",
                     s->ctrl[i], s->daq[i], blocks[i], n);
            return false;
        }
    }
    return true;
}

/* Answers the greeting of a ShadowSite. False: unsupported version, on which it ends by itself. */
static bool open_site(struct yk_peer *p, char *why, size_t size)
{
    const double version = p->reader->values[2];
    const bool ours = version >= 2 && version < 3;

    clear_reply(p, YK_FRESCO_DATA);
    p->tag = p->reader->values[1];
    p->reply[1] = p->tag;
    p->reply[2] = ours ? version : YK_FRESCO_VERSION;
    answer(p, YK_FRESCO_DATA);
    if (!ours)
        snprintf(why, size, "it speaks version %g of OpenFresco; 2.x is needed", version);
    return ours;
}

/* One message of the opening; true: the session may begin. */
static bool open_by(struct yk_peer *p, enum yk_fresco_event event, char *why, size_t size)
{
    switch (event) {
    case YK_FRESCO_GREETING:
        yk_fresco_put_ints((const int[]){1}, 1, p->out);
        p->out_size = 4;
        p->out_sent = 0;
        flush(p, yk_clock_now_ns());
        return false;
    case YK_FRESCO_SIZES:
        return fits(p, why, size);
    case YK_FRESCO_VECTOR: /* of a ShadowSite */
        if (p->reader->action == YK_FRESCO_OPEN)
            open_site(p, why, size);
        else
            snprintf(why, size, "it ended before anything moved");
        return false;
    case YK_FRESCO_BAD:
        snprintf(why, size, "%s", p->reader->problem);
        return false;
    default:
        return false;
    }
}

static void hang_up(struct yk_peer *p)
{
    if (p->settings.udp && p->listener < 0)
        p->listener = yk_stream_release(&p->socket);
    yk_stream_close(&p->socket);
}

static void begin_opening(struct yk_peer *p)
{
    p->taken = p->got = p->out_size = p->out_sent = 0;
    p->amid_ns = p->stuck_ns = p->lost_ns = p->looked_ns = 0;
    p->opened_ns = yk_clock_now_ns();
    p->problem[0] = p->refusal[0] = 0;
    p->ended = false;
    yk_fresco_reader_init(p->reader, p->settings.dialect, !p->settings.udp);
}

bool yk_peer_await(struct yk_peer *p, int64_t until_ns)
{
    char why[200] = "";

    p->refusal[0] = 0;
    if (p->socket.fd < 0) {
        yk_stream_accept(&p->socket, &p->listener, p->settings.udp, until_ns);
        if (p->socket.fd < 0)
            return false;
        begin_opening(p);
    }
    enum yk_fresco_event event;

    for (int i = 0; i < MOST_MESSAGES && !*why && (event = take_message(p, until_ns)); i++)
        if (open_by(p, event, why, sizeof why)) {
            atomic_fetch_add(&p->counts.sessions, 1);
            return true;
        }
    if (!*why && p->socket.gone)
        snprintf(why, sizeof why, "it closed the connection before a session began");
    if (!*why && yk_clock_now_ns() - p->opened_ns > 1000000 * (int64_t)OPEN_MS)
        snprintf(why, sizeof why, "it did not open a session within %g s", 1e-3 * OPEN_MS);
    if (*why) {
        snprintf(p->refusal, sizeof p->refusal, "%s", why);
        atomic_fetch_add(&p->counts.refused, 1);
        hang_up(p);
    }
    return false;
}

const char *yk_peer_refusal(const struct yk_peer *p)
{
    return p->refusal;
}

void yk_peer_end(struct yk_peer *p)
{
    if (p->lost_ns || !p->ended)
        atomic_fetch_add(&p->counts.lost, 1);
    hang_up(p);
}

/* ---- the driver ---- */

/* For each specimen of the run: its system, its first degree of freedom, its first actuator. */
struct specimen {
    struct yk_system *system;
    size_t dof, actuator;
};

static bool next_specimen(const struct yk_peer *p, size_t *k, struct specimen *s)
{
    const struct yk_state *m = p->state;

    if (s->system)
        s->dof += s->system->n;
    for (; *k < m->model->substructure_count; ++*k)
        if (yk_is_physical(m->substructures[*k].system)) {
            s->system = m->substructures[(*k)++].system;
            yk_physical_actuators(s->system, &s->actuator);
            return true;
        }
    return false;
}
#define EACH_SPECIMEN(p, s)                                                                                            \
    struct specimen s = {0};                                                                                           \
    for (size_t s##_k = 0; next_specimen(p, &s##_k, &s);)

static void read_specimens(struct yk_peer *p)
{
    EACH_SPECIMEN(p, s)
    yk_physical_read(s.system, p->read[0] + s.dof, p->read[1] + s.dof, p->read[2] + s.dof, p->read[3] + s.dof);
}

static void begin(void *self, const struct yk_state *state)
{
    struct yk_peer *p = self;

    p->state = state;
    p->step = p->steps = p->settle = p->idle = 0;
    p->stood_ns = p->quiet_ns = 0;
    memset(p->speeds, 0, yk_station_count(state->station) * sizeof *p->speeds);
    p->peer_t = NAN;
    p->time = 0;
    EACH_SPECIMEN(p, s)
    {
        memcpy(p->u + s.dof, s.system->u0, s.system->n * sizeof *p->u);
        for (size_t j = 0; j < s.system->n; j++)
            for (size_t i = 0; i < s.system->n; i++) {
                const size_t at = s.dof + i + (s.dof + j) * p->count;

                p->K[at] = yk_matrix_get(&s.system->K, i, j);
                p->M[at] = yk_matrix_get(&s.system->M, i, j);
            }
    }
    memcpy(p->to, p->u, p->count * sizeof *p->to);
    read_specimens(p);
}

/* How many steps a stroke d takes. One, if the command keeps within the limits; a compensator commands ahead by its
 * lead, and so faster when the speed changes. Otherwise along the smooth path 10 x^3 - 15 x^4 + 6 x^5 of duration T,
 * whose largest speed is STEEP d/T and largest acceleration BENT d/T^2: STEEP d/T + AHEAD lead BENT d/T^2 = rate. */
static long steps_for(const struct yk_peer *p, const struct yk_supervisor *v, size_t at, double d)
{
    const double dt = p->state->model->time.step, scale = p->state->model->time.scale, /* limits are in wall time */
        rate = yk_supervisor_limit(v, YK_LIMIT_COMMAND_RATE, at), speed = yk_supervisor_limit(v, YK_LIMIT_VELOCITY, at),
                 bend = SHARE * scale * scale * yk_supervisor_limit(v, YK_LIMIT_ACCELERATION, at),
                 fastest = SHARE * scale * (speed > 0 ? fmin(rate, speed) : rate),
                 lead = fmax(yk_station_compensated(p->state->station, at).lead_s, 0),
                 change = fabs(d / dt - p->speeds[at]);

    if (fabs(d / dt) + AHEAD * lead / dt * change <= fastest && (!(bend > 0) || change / dt <= bend))
        return 1;
    const double b = STEEP * fabs(d),
                 T = (b + sqrt(b * b + 4 * fastest * AHEAD * lead * BENT * fabs(d))) / (2 * fastest),
                 longest = bend > 0 ? fmax(T, sqrt(BENT * fabs(d) / bend)) : T;
    return (long)fmin(fmax(ceil(longest / dt), 2), 1e15);
}

/* How many steps the trial takes; -1: it is out of range, and the supervisor acts. */
static long steps_of(const struct yk_peer *p, struct yk_supervisor *v)
{
    long steps = 1;

    EACH_SPECIMEN(p, s)
    {
        const size_t actuators = yk_physical_actuators(s.system, &s.actuator);

        yk_physical_strokes(s.system, p->to + s.dof, p->strokes);
        for (size_t i = 0; i < actuators; i++) {
            const size_t at = s.actuator + i;

            if (yk_station_kind(p->state->station, at) != YK_BY_DISPLACEMENT)
                break; /* prescribed loads come behind those that move degrees of freedom */
            if (!(fabs(p->strokes[i]) <= yk_supervisor_limit(v, YK_LIMIT_DISPLACEMENT, at)) &&
                yk_supervisor_raise(v, YK_LIMIT_DISPLACEMENT, at, p->strokes[i]))
                return -1;
            const long own = steps_for(p, v, at, p->strokes[i] - yk_station_state(p->state->station, at).target);
            steps = own > steps ? own : steps;
        }
    }
    return steps;
}

/* Begins the motion to a trial. False: refused (the supervisor acts), or the same trial again. */
static bool take_trial(struct yk_peer *p)
{
    const struct yk_fresco_sizes *z = &p->reader->sizes;
    const double *told = p->reader->values + 1, dt = p->state->model->time.step,
                 *t = z->ctrl[YK_FRESCO_TIME] ? p->reader->values + yk_fresco_place(z->ctrl, YK_FRESCO_TIME, 1) : NULL,
                 *speed = z->ctrl[YK_FRESCO_VEL] ? told + p->count : NULL;
    struct yk_supervisor *v = yk_station_supervisor(p->state->station);
    const bool in_step = t && speed && fabs(*t - p->peer_t - dt) < 1e-6 * dt;

    atomic_fetch_add(&p->counts.trials, 1);
    for (size_t i = 0; i < p->count; i++)
        if (!isfinite(told[i]) || (speed && !isfinite(speed[i]))) {
            yk_supervisor_raise(v, YK_LIMIT_BAD_COMMAND, SIZE_MAX, told[i]);
            return false;
        }
    /* OpenSees tells the same displacements again when it knows velocities and accelerations */
    if (t && *t == p->peer_t && memcmp(p->to, told, p->count * sizeof *told) == 0)
        return false;
    memcpy(p->from, p->u, p->count * sizeof *p->from);
    memcpy(p->to, told, p->count * sizeof *p->to);
    const long steps = steps_of(p, v);
    if (steps < 0)
        return false;
    p->step = 0;
    p->steps = steps;
    p->idle = IDLE_STEPS;
    p->quiet_ns = 0;
    p->settle = (long)ceil(p->settings.settle_s / dt - 1e-9);
    for (size_t i = 0; i < p->count; i++)
        p->v[i] = p->steps > 1 ? 0 : in_step ? speed[i] : (p->to[i] - p->from[i]) / dt;
    p->peer_t = t ? *t : NAN;
    return true;
}

/* The next step of the way: a straight one, or a smooth one of several steps. */
static enum yk_drive move(struct yk_peer *p, double t)
{
    const double dt = p->state->model->time.step;

    p->time = t;
    if (p->step < p->steps) {
        const double x = (double)++p->step / (double)p->steps, share = x * x * x * (10 + x * (6 * x - 15)),
                     slope = 30 * x * x * (1 - x) * (1 - x) / ((double)p->steps * dt);

        for (size_t i = 0; i < p->count; i++) {
            p->u[i] = p->step == p->steps ? p->to[i] : p->from[i] + share * (p->to[i] - p->from[i]);
            if (p->steps > 1)
                p->v[i] = slope * (p->to[i] - p->from[i]);
        }
    } else {
        p->settle--;
        memset(p->v, 0, p->count * sizeof *p->v);
    }
    EACH_SPECIMEN(p, s)
    {
        const size_t actuators = yk_physical_actuators(s.system, &s.actuator);

        yk_physical_strokes(s.system, p->u + s.dof, p->strokes);
        for (size_t i = 0; i < actuators; i++)
            p->speeds[s.actuator + i] =
                (p->strokes[i] - yk_station_state(p->state->station, s.actuator + i).target) / dt;
        s.system->ops->set_target(s.system->self, t, p->u + s.dof, p->v + s.dof);
    }
    atomic_fetch_add(&p->counts.steps, 1);
    p->stood_ns = 0;
    return YK_DRIVE_MOVE;
}

/* Blocks of the reply; SIZE_MAX: all of them. */
static void reply_readings(struct yk_peer *p, size_t only)
{
    const struct yk_fresco_sizes *z = &p->reader->sizes;
    const size_t behind = p->settings.dialect == YK_FRESCO_SIMULINK; /* the flag */

    read_specimens(p);
    clear_reply(p, (size_t)z->data);
    if (behind)
        p->reply[0] = 1; /* at the target */
    for (size_t b = 0; b < YK_FRESCO_BLOCKS; b++)
        if ((only == SIZE_MAX || only == b) && z->daq[b])
            memcpy(p->reply + yk_fresco_place(z->daq, (enum yk_fresco_block)b, behind),
                   b == YK_FRESCO_TIME ? &p->time : p->read[b], (size_t)z->daq[b] * sizeof *p->reply);
    answer(p, (size_t)z->data);
}

/* Damping is in the measured force already; of the mass, what the load cells do not feel. */
static void reply_matrix(struct yk_peer *p, const double *matrix)
{
    const size_t room = (size_t)p->reader->sizes.data, count = p->count * p->count;

    if (count > room) {
        lose(p, "it asks for a matrix that does not fit into its vectors");
        return;
    }
    clear_reply(p, room);
    if (matrix)
        memcpy(p->reply, matrix, count * sizeof *p->reply);
    answer(p, room);
}

static void reply_flag(struct yk_peer *p, double flag)
{
    clear_reply(p, (size_t)p->reader->sizes.data);
    p->reply[0] = flag;
    answer(p, (size_t)p->reader->sizes.data);
}

/* Carries out the action of a vector; true: a motion begins. */
static bool obey(struct yk_peer *p)
{
    const bool simulink = p->settings.dialect == YK_FRESCO_SIMULINK;

    switch (p->reader->action) {
    case YK_FRESCO_TRIAL:
        return !simulink && take_trial(p);
    case YK_FRESCO_SWITCH:
        return simulink && take_trial(p); /* the client sends its whole buffer with every action */
    case YK_FRESCO_READY:
        if (simulink)
            reply_flag(p, 1);
        return false;
    case YK_FRESCO_SWITCHED:
        if (simulink)
            reply_flag(p, 0);
        return false;
    case YK_FRESCO_COMMIT:
        atomic_fetch_add(&p->counts.commits, 1);
        return false;
    case YK_FRESCO_GET_DAQ:
        reply_readings(p, SIZE_MAX);
        return false;
    case YK_FRESCO_GET_DISP:
    case YK_FRESCO_GET_VEL:
    case YK_FRESCO_GET_ACCEL:
    case YK_FRESCO_GET_FORCE:
    case YK_FRESCO_GET_TIME:
        reply_readings(p, (size_t)(p->reader->action - YK_FRESCO_GET_DISP) / 10);
        return false;
    case YK_FRESCO_GET_INITIAL_STIFF:
    case YK_FRESCO_GET_TANGENT_STIFF:
        reply_matrix(p, p->K);
        return false;
    case YK_FRESCO_GET_DAMP:
        reply_matrix(p, NULL);
        return false;
    case YK_FRESCO_GET_MASS:
        reply_matrix(p, p->M);
        return false;
    case YK_FRESCO_DIE:
        p->ended = true;
        if (p->settings.dialect == YK_FRESCO_ACTOR) {
            clear_reply(p, (size_t)p->reader->sizes.data);
            p->reply[0] = 4; /* received */
            p->reply[1] = p->tag;
            answer(p, (size_t)p->reader->sizes.data);
        }
        return false;
    default: /* open, setup, execute, unknown ones: nothing to do, and no answer is expected */
        return false;
    }
}

/* Others are told at once that the rig is in use, instead of being left waiting. */
static void turn_others_away(struct yk_peer *p, int64_t now)
{
    int other;

    if (p->settings.udp || now - p->looked_ns < TURN_AWAY_NS || yk_stream_has_hung_up(&p->socket))
        return; /* where this one has gone, the next may be waiting already */
    p->looked_ns = now;
    for (int i = 0;
         i < MOST_TURNED_AWAY && (other = accept4(p->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0; i++) {
        close(other);
        atomic_fetch_add(&p->counts.refused, 1);
    }
}

/* Has the other side been silent for too long? Only a new trial is a sign of life: a program that hangs in a loop may
 * ask for readings, or repeat its last trial, for ever. */
static void mind_silence(struct yk_peer *p, int64_t now)
{
    const int64_t amid = 1000000 * (int64_t)AMID_MS;
    char why[128];

    if (p->socket.gone)
        lose(p, "the other program closed the connection without DIE");
    else if (p->stuck_ns && now - p->stuck_ns > amid)
        lose(p, "the other program does not read its answers");
    else if (p->amid_ns && now - p->amid_ns > amid)
        lose(p, "the other program stopped in the middle of a message");
    else if (now - p->quiet_ns > (int64_t)(1e9 * p->settings.silence_s)) {
        snprintf(why, sizeof why, "the other program sent no new trial for %g s", p->settings.silence_s);
        lose(p, why);
    }
}

/* No trial is there. A program that is late by a step or less finds the chains as it left them. Later the actuators
 * make some steps to the same target: a compensator has commanded beyond it. */
static enum yk_drive stand(struct yk_peer *p, double t, int64_t now)
{
    const double step_ns = 1e9 * p->state->model->time.step * p->state->model->time.scale;

    if (!p->settings.paced || !p->idle || (p->idle == IDLE_STEPS && (double)(now - p->stood_ns) < step_ns))
        return YK_DRIVE_HOLD;
    p->idle--;
    p->settle = 1;
    return move(p, t);
}

static enum yk_drive next(void *self, double t)
{
    struct yk_peer *p = self;
    int64_t now = yk_clock_now_ns();

    if (p->step < p->steps && p->steps > 1 && yk_stream_has_hung_up(&p->socket)) {
        p->step = p->steps; /* not a step further */
        p->settle = 0;
        lose(p, "the other program closed the connection during a motion");
    }
    if (p->step < p->steps || p->settle > 0) {
        p->quiet_ns = 0;
        return move(p, t);
    }
    if (!p->stood_ns)
        p->stood_ns = now;
    if (!p->quiet_ns)
        p->quiet_ns = now;
    if (p->lost_ns)
        return p->settings.paced && now - p->lost_ns < (int64_t)(1e9 * p->settings.hold_s) ? stand(p, t, now)
                                                                                           : YK_DRIVE_END;
    flush(p, now);
    for (int i = 0; i < MOST_MESSAGES && p->out_sent == p->out_size && !p->lost_ns; i++) {
        if (p->ended)
            return YK_DRIVE_END;
        const enum yk_fresco_event event = take_message(p, p->settings.paced ? 0 : now + OPENING_NS);

        if (event == YK_FRESCO_NOTHING)
            break;
        if (event == YK_FRESCO_BAD)
            lose(p, p->reader->problem);
        else if (event == YK_FRESCO_VECTOR && obey(p))
            return move(p, t);
        if (yk_station_supervisor(p->state->station)->trip.tripped)
            return YK_DRIVE_HOLD; /* a trial was refused: no answer belongs to it */
    }
    now = yk_clock_now_ns();
    mind_silence(p, now);
    turn_others_away(p, now);
    return stand(p, t, now);
}

static const char *reason(const void *self)
{
    const struct yk_peer *p = self;

    return p->lost_ns ? p->problem : "";
}

/* ---- preparation ---- */

static enum yk_status check_experiment(const struct yk_model *model, size_t *count, struct yk_err *err)
{
    *count = 0;
    for (size_t k = 0; k < model->substructure_count; k++)
        if (yk_is_physical(model->substructures[k].system)) {
            size_t first;

            *count += model->substructures[k].system->n;
            yk_physical_actuators(model->substructures[k].system, &first);
            if (yk_station_kind(model->station, first) != YK_BY_DISPLACEMENT)
                return yk_fail_at(err, YK_E_UNSUPPORTED, YK_IN_FILE(model->path),
                                  "actuator %s is not commanded by displacement; other programs move specimens by "
                                  "displacement only",
                                  yk_station_name(model->station, first));
        }
    if (!*count)
        return yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(model->path),
                          "no substructure is physical, so there is nothing to move");
    if (yk_fresco_place((const int[]){(int)*count, (int)*count, (int)*count, (int)*count, 1}, YK_FRESCO_BLOCKS, 1) >
        YK_FRESCO_MOST)
        return yk_fail_at(err, YK_E_RANGE, YK_IN_FILE(model->path),
                          "%zu degrees of freedom are more than a vector holds", *count);
    for (size_t i = 0; i < yk_station_count(model->station); i++)
        for (int k = 0; k < 2; k++) {
            const enum yk_limit_kind kind = k ? YK_LIMIT_COMMAND_RATE : YK_LIMIT_DISPLACEMENT;

            if (yk_station_kind(model->station, i) == YK_BY_DISPLACEMENT &&
                !(yk_supervisor_limit(yk_station_supervisor(model->station), kind, i) > 0))
                return yk_fail_at(err, YK_E_INPUT, YK_IN_FILE(model->path),
                                  "actuator %s has no limits.%s: another program may move it only within limits of "
                                  "displacement and command_rate",
                                  yk_station_name(model->station, i), yk_limit_key(kind));
        }
    return YK_OK;
}

enum yk_status yk_peer_create(struct yk_peer **peer, const struct yk_peer_settings *settings,
                              const struct yk_model *model, struct yk_err *err)
{
    size_t count;
    struct yk_peer *p;
    enum yk_status st = check_experiment(model, &count, err);

    *peer = NULL;
    if (st)
        return st;
    if (!(p = calloc(1, sizeof *p)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    p->settings = *settings;
    p->port = settings->port;
    p->count = count;
    p->listener = p->socket.fd = -1;
    p->driver = (struct yk_driver){.self = p, .begin = begin, .next = next, .reason = reason};
    p->reader = calloc(1, sizeof *p->reader);
    p->bytes = malloc(ROOM);
    p->u = calloc(8 * count + 2 * count * count + 2 * yk_station_count(model->station), sizeof *p->u);
    if (!p->reader || !p->bytes || !p->u)
        st = yk_fail(err, YK_E_MEMORY, "out of memory");
    if (st || (st = yk_stream_listen(&p->listener, settings->udp, settings->host, &p->port, err))) {
        yk_peer_destroy(p);
        return st;
    }
    p->from = p->u + count;
    p->to = p->from + count;
    p->v = p->to + count;
    for (size_t i = 0; i < 4; i++)
        p->read[i] = p->v + (i + 1) * count;
    p->K = p->read[3] + count;
    p->M = p->K + count * count;
    p->strokes = p->M + count * count;
    p->speeds = p->strokes + yk_station_count(model->station);
    *peer = p;
    return YK_OK;
}

void yk_peer_destroy(struct yk_peer *p)
{
    if (!p)
        return;
    yk_stream_close(&p->socket);
    if (p->listener >= 0)
        close(p->listener);
    free(p->reader);
    free(p->bytes);
    free(p->u);
    free(p);
}

int yk_peer_port(const struct yk_peer *p)
{
    return p->port;
}

const struct yk_peer_counts *yk_peer_counts(const struct yk_peer *p)
{
    return &p->counts;
}

const struct yk_driver *yk_peer_driver(const struct yk_peer *p)
{
    return &p->driver;
}
