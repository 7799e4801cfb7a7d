/* A rig behind Modbus TCP: PLCs, pumps, interlocks, slow actuators. docs/backend-modbus.md.
 *
 * libmodbus waits for every answer, so a thread of its own makes the requests, one cycle after the other: it writes the
 * newest commands and reads everything. The loop leaves its commands on a board and takes the newest readings from
 * another; it waits at most `wait` for those of the cycle that began after its command. System calls of an exchange:
 * futex.
 *
 * A device that answers late takes the command of before, and a moment later the newest one. The thread knows when the
 * device had a command at the latest: at the answer, less twice the usual duration of a cycle. It writes no more than
 * the limits of the rate allow in the time since then, and repeats a command that was not answered. */
#include "rig/modbus.h"

#include "base/board.h"
#include "base/clock.h"
#include "base/thread.h"
#include "rig/host.h"
#include <yoke/claim.h>

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct yk_param params[] = {
    YK_TEXT(struct yk_modbus_rig, host, 0, "IPv4 address of the device; default 127.0.0.1"),
    YK_COUNT(struct yk_modbus_rig, port, 502, 1, 65535, "TCP port"),
    YK_COUNT(struct yk_modbus_rig, unit, 1, 0, 255, "unit of the device behind a gateway"),
    YK_CHOICE(struct yk_modbus_rig, word_order, "big|little", 0,
              "of values of 32 and 64 bits: big has the higher word at the lower address; an entry may have its own"),
    {.name = "combine",
     .type = YK_PARAM_FLAG,
     .offset = offsetof(struct yk_modbus_rig, combine),
     .fallback = 1,
     .max = 1,
     .help = "write and read in one request (function 23) where the map allows it"},
    YK_NODE("map", "map of name to register", YK_REQUIRED,
            "where the device keeps a1.command, a1.force, sensors and lines"),
    YK_REAL(struct yk_modbus_rig, patience, YK_TIME, 3, 0, 600, "how long to wait for the device before the run"),
    YK_REAL(struct yk_modbus_rig, wait, YK_TIME, 0, 0, 60, "longest wait for new readings in a tick; 0: half a tick"),
    YK_REAL(struct yk_modbus_rig, silence, YK_TIME, 0.5, 1e-3, 60,
            "time without a complete cycle after which the rig counts as lost"),
    YK_PARAM_END,
};

static enum yk_status check(const void *self, const struct yk_rig_plan *plan, struct yk_err *err)
{
    const struct yk_modbus_rig *u = self;
    enum yk_status st = yk_wire_check(plan, err);

    return st || (st = yk_modbus_check(&u->map, plan, err)) ? st : yk_host_check(u->host, err);
}

#ifdef YOKE_MODBUS
#include <modbus/modbus.h>

#define AGAIN_NS 20000000 /* after a failure */
#define MEAN     0.1      /* share of the newest cycle in the usual one */
#define LATE     2        /* usual durations: what a cycle may take without being late */

enum {
    NUMBER, /* words of both messages: number of the command, or of the one that the readings answer */
    KIND,   /* of commands */
    LINES,
    VALUES,
    WORDS = VALUES + YK_WIRE_VALUES
};
enum kind { KIND_READ, KIND_PLACE, KIND_MOVE, KIND_CUT }; /* PLACE: where the actuators stand, however far that is */

struct yk_modbus_device {
    const struct yk_modbus_rig *settings;
    modbus_t *bus;
    pthread_t thread;
    bool started, connected;
    struct yk_claim claim; /* a device takes commands from any number of connections */
    atomic_bool stop;
    struct yk_board *to, *from;  /* boards: of the loop, of the thread */
    _Atomic(const char *) words; /* why the last cycle failed; "" where it did not */

    /* of the loop */
    size_t count, sensors, values; /* actuators; values of a reading without lines */
    uint64_t number, seen;         /* of the last command; of the newest reading on its board */
    bool lost;
    int64_t wait_ns, silence_ns, fresh_ns;
    double last[YK_WIRE_VALUES];
    uint32_t lines;
    uint64_t message[WORDS]; /* to send */

    /* of the thread */
    struct yk_modbus_image out, in;
    uint64_t taken[WORDS], reading[WORDS];
    double command[YK_WIRE_VALUES], read[YK_WIRE_VALUES];
    uint32_t inputs;
    double rates[YK_WIRE_VALUES];  /* limits of the commands, per second; 0: none */
    double device[YK_WIRE_VALUES]; /* commands that the device has */
    int64_t since_ns;              /* at the latest */
    double usual_ns;               /* duration of a cycle */
    bool placed, unanswered;       /* the device has a command; it may have the last one */
};

/* ---- requests, on the thread ---- */

static bool write_run(struct yk_modbus_device *d, const struct yk_modbus_run *r)
{
    const int done = r->area == YK_MODBUS_COIL
                         ? modbus_write_bits(d->bus, r->address, r->count, d->out.bits + r->at)
                         : modbus_write_registers(d->bus, r->address, r->count, d->out.words + r->at);

    return done == r->count;
}

static bool read_run(struct yk_modbus_device *d, const struct yk_modbus_run *r)
{
    uint16_t *words = d->in.words + r->at;
    uint8_t *bits = d->in.bits + r->at;

    switch (r->area) {
    case YK_MODBUS_HOLDING:
        return modbus_read_registers(d->bus, r->address, r->count, words) == r->count;
    case YK_MODBUS_INPUT:
        return modbus_read_input_registers(d->bus, r->address, r->count, words) == r->count;
    case YK_MODBUS_COIL:
        return modbus_read_bits(d->bus, r->address, r->count, bits) == r->count;
    default:
        return modbus_read_input_bits(d->bus, r->address, r->count, bits) == r->count;
    }
}

/* Writes, where it is to write, before it reads. */
static bool cycle(struct yk_modbus_device *d, bool writes)
{
    const struct yk_modbus_map *m = &d->settings->map;
    const bool combined = m->combined && writes;
    bool good = true;

    for (size_t k = 0; k < m->run_count && good; k++)
        if (m->runs[k].writes && writes && !(combined && k == m->write))
            good = write_run(d, &m->runs[k]);
    if (combined && good) {
        const struct yk_modbus_run *w = &m->runs[m->write], *r = &m->runs[m->read];

        good = modbus_write_and_read_registers(d->bus, w->address, w->count, d->out.words + w->at, r->address, r->count,
                                               d->in.words + r->at) == r->count;
    }
    for (size_t k = 0; k < m->run_count && good; k++)
        if (!m->runs[k].writes && !(combined && k == m->read))
            good = read_run(d, &m->runs[k]);
    atomic_store(&d->words, good ? "" : modbus_strerror(errno));
    return good;
}

/* An exception is an answer; anything else leaves the connection in an unknown state. */
static void mend(struct yk_modbus_device *d)
{
    if (errno > MODBUS_ENOBASE && errno < MODBUS_ENOBASE + MODBUS_EXCEPTION_MAX)
        return;
    modbus_close(d->bus);
    d->connected = modbus_connect(d->bus) == 0;
}

/* From the commands that the device has towards the newest, as far as their rates allow by now. */
static void approach(struct yk_modbus_device *d, const double *newest, int64_t now_ns)
{
    const double passed_s = 1e-9 * (double)(now_ns - d->since_ns);

    const bool moves = d->placed && d->taken[KIND] == KIND_MOVE;

    for (size_t i = 0; i < d->count && !(moves && d->unanswered); i++) {
        const double way = newest[i] - d->device[i], most = d->rates[i] * passed_s;
        const bool bounded = moves && d->rates[i] > 0 && fabs(way) > most;

        d->command[i] = bounded ? d->device[i] + copysign(most, way) : newest[i];
    }
}

/* After a cycle that wrote and took from begin_ns to end_ns. */
static void note_written(struct yk_modbus_device *d, bool good, int64_t begin_ns, int64_t end_ns)
{
    const double took_ns = (double)(end_ns - begin_ns), late_ns = LATE * d->usual_ns;

    if (good && (!d->placed || memcmp(d->command, d->device, d->count * sizeof *d->command) != 0)) {
        memcpy(d->device, d->command, d->count * sizeof *d->device);
        d->since_ns = d->unanswered || took_ns > late_ns ? end_ns - (int64_t)late_ns : begin_ns;
    }
    d->usual_ns += good ? MEAN * (fmin(took_ns, 2 * late_ns) - d->usual_ns) : 0;
    d->placed |= good;
    d->unanswered = !good;
}

/* Puts the newest command of the loop into the image. True: it is to be written. */
static bool take_command(struct yk_modbus_device *d, int64_t now_ns)
{
    double newest[YK_WIRE_VALUES];
    size_t length;

    if (!yk_board_read(d->to, WORDS, d->taken, &length) || length < VALUES)
        return false;
    memcpy(newest, d->taken + VALUES, (length - VALUES) * sizeof *newest);
    if (length > VALUES)
        approach(d, newest, now_ns);
    yk_modbus_encode(&d->settings->map, d->command, (uint32_t)d->taken[LINES], &d->out);
    return d->taken[KIND] != KIND_READ;
}

static void post_reading(struct yk_modbus_device *d)
{
    yk_modbus_decode(&d->settings->map, &d->in, d->read, &d->inputs);
    d->reading[NUMBER] = d->taken[NUMBER];
    d->reading[LINES] = d->inputs;
    memcpy(d->reading + VALUES, d->read, d->values * sizeof *d->read);
    yk_board_post(d->from, WORDS, d->reading, VALUES + d->values);
    yk_board_ring(d->from);
}

static void *work(void *self)
{
    struct yk_modbus_device *d = self;

    for (bool last = false; !last;) {
        last = atomic_load(&d->stop); /* what was posted before is still written */
        const int64_t begin_ns = yk_clock_now_ns();
        const bool writes = take_command(d, begin_ns), good = d->connected && cycle(d, writes);

        if (writes)
            note_written(d, good, begin_ns, yk_clock_now_ns());
        if (good) {
            post_reading(d);
            continue;
        }
        if (last)
            break;
        mend(d);
        yk_clock_sleep_until(yk_clock_now_ns() + AGAIN_NS);
    }
    return NULL;
}

/* ---- in the loop ---- */

YK_RT static void post_command(struct yk_modbus_device *d, enum kind kind, const double *values, size_t count,
                               uint32_t lines)
{
    d->message[NUMBER] = ++d->number;
    d->message[KIND] = kind;
    d->message[LINES] = lines;
    memcpy(d->message + VALUES, values, count * sizeof *values);
    yk_board_post(d->to, WORDS, d->message, VALUES + count);
}

/* The newest readings; true: newer than the last, and *answers the command that they belong to. */
YK_RT static bool take_reading(struct yk_modbus_device *d, uint64_t *answers)
{
    uint64_t got[WORDS];
    size_t length;
    const uint64_t number = yk_board_read(d->from, WORDS, got, &length);

    if (number <= d->seen || length != VALUES + d->values)
        return false;
    d->seen = number;
    *answers = got[NUMBER];
    memcpy(d->last, got + VALUES, d->values * sizeof *d->last);
    d->lines = (uint32_t)got[LINES];
    return true;
}

YK_RT static bool await_reading(struct yk_modbus_device *d, int64_t until_ns)
{
    uint64_t answers = 0;
    bool fresh = false;

    do
        fresh |= take_reading(d, &answers);
    while (answers < d->number && yk_board_wait(d->from, d->seen, 0, until_ns) && yk_clock_now_ns() < until_ns);
    return fresh;
}

YK_RT static void hand_over(const struct yk_modbus_device *d, struct yk_rig_in *in)
{
    yk_wire_hand_over(d->last, d->count, d->sensors, in);
    in->lines = d->lines;
}

YK_RT static enum yk_rig_answer exchange(void *self, const struct yk_rig_out *out, struct yk_rig_in *in)
{
    struct yk_modbus_device *d = ((struct yk_modbus_rig *)self)->device;
    const int64_t now = yk_clock_now_ns();

    post_command(d, KIND_MOVE, out->command, d->count, out->lines);
    const bool fresh = await_reading(d, d->lost ? 0 : now + d->wait_ns);
    hand_over(d, in);
    if (fresh && !d->lost) {
        d->fresh_ns = now;
        return YK_RIG_FRESH;
    }
    d->lost |= yk_clock_now_ns() - d->fresh_ns >= d->silence_ns; /* for good, as with every backend */
    return d->lost ? YK_RIG_LOST : YK_RIG_HELD;
}

YK_RT static const char *reason(const void *self)
{
    const char *words = atomic_load(&((const struct yk_modbus_rig *)self)->device->words);

    return *words ? words : "the device did not answer in time";
}

YK_RT static void cut(void *self, uint32_t lines)
{
    struct yk_modbus_device *d = ((struct yk_modbus_rig *)self)->device;

    post_command(d, KIND_CUT, d->command, 0, lines);
    d->lost = true;
}

/* ---- preparation ---- */

static double worst_wait_s(const void *self)
{
    return 1e-9 * (double)((const struct yk_modbus_rig *)self)->device->wait_ns;
}

static enum yk_status failed(const struct yk_modbus_rig *u, const char *what, struct yk_err *err)
{
    return yk_fail(err, YK_E_IO, "modbus: %s, port %d: %s: %s", yk_host_of(u->host), u->port, what,
                   modbus_strerror(errno));
}

static enum yk_status connect_device(struct yk_modbus_rig *u, struct yk_err *err)
{
    struct yk_modbus_device *d = u->device;
    const int64_t until = yk_clock_now_ns() + (int64_t)(1e9 * u->patience);
    const double answer_s = fmin(u->silence, 0.5);
    char device[64];
    enum yk_status st;

    snprintf(device, sizeof device, "modbus %.40s:%d unit %d", yk_host_of(u->host), u->port, u->unit);
    if ((st = yk_claim_take(&d->claim, device, err)))
        return st;
    if (!(d->bus = modbus_new_tcp(yk_host_of(u->host), u->port)) || modbus_set_slave(d->bus, u->unit))
        return failed(u, "no such device", err);
    modbus_set_response_timeout(d->bus, 0, (uint32_t)(1e6 * answer_s));
    modbus_set_byte_timeout(d->bus, 0, 0); /* the whole answer within that time: a device may send it drop by drop */
    while (!(d->connected = modbus_connect(d->bus) == 0) && yk_clock_now_ns() < until)
        yk_clock_sleep_until(yk_clock_now_ns() + AGAIN_NS);
    if (!d->connected)
        return failed(u, "no connection", err);
    const int64_t begin_ns = yk_clock_now_ns();
    const bool good = cycle(d, false);
    d->usual_ns = (double)(yk_clock_now_ns() - begin_ns);
    return good ? YK_OK : failed(u, "reading the registers of the map", err);
}

static struct yk_board *new_board(void)
{
    const size_t size = (yk_board_size(WORDS) + 63) / 64 * 64;
    void *board = aligned_alloc(64, size);

    return board ? memset(board, 0, size) : NULL;
}

static void close_rig(void *self)
{
    struct yk_modbus_rig *u = self;
    struct yk_modbus_device *d = u->device;

    if (d && d->started) {
        atomic_store(&d->stop, true);
        pthread_join(d->thread, NULL);
    }
    if (d && d->bus) {
        modbus_close(d->bus);
        modbus_free(d->bus);
    }
    if (d) {
        yk_claim_drop(&d->claim);
        free(d->to);
        free(d->from);
    }
    free(d);
    u->device = NULL;
    yk_modbus_map_free(&u->map);
    free(u->host);
    u->host = NULL;
}

static enum yk_status open_rig(void *self, const struct yk_rig_plan *plan, struct yk_err *err)
{
    struct yk_modbus_rig *u = self;
    struct yk_modbus_device *d;
    enum yk_status st;

    if ((st = check(u, plan, err)))
        return st;
    if (!(d = u->device = calloc(1, sizeof *d)) || !(d->to = new_board()) || !(d->from = new_board()))
        return yk_fail(err, YK_E_MEMORY, "out of memory for the rig");
    d->settings = u;
    d->count = plan->count;
    d->sensors = plan->sensor_count;
    d->values = YK_WIRE_PER_READING * plan->count + plan->sensor_count;
    d->wait_ns = (int64_t)(1e9 * fmin(u->wait > 0 ? u->wait : 0.5 * plan->tick, u->silence));
    d->silence_ns = (int64_t)(1e9 * u->silence);
    for (size_t i = 0; plan->rates && i < d->count; i++)
        d->rates[i] = plan->rates[i];
    atomic_store(&d->words, "");
    if ((st = connect_device(u, err)))
        return st;
    if (yk_thread_start(&d->thread, work, d))
        return yk_fail(err, YK_E_IO, "modbus: cannot start a thread");
    d->started = true;
    return YK_OK;
}

/* Reads only: nothing moves. */
static enum yk_status rest(void *self, const double *x, struct yk_rig_in *in, struct yk_err *err)
{
    struct yk_modbus_rig *u = self;
    struct yk_modbus_device *d = u->device;
    const int64_t now = yk_clock_now_ns();

    d->lost = false;
    post_command(d, KIND_READ, x, d->count, 0);
    const bool fresh = await_reading(d, now + (int64_t)(1e9 * u->patience));
    hand_over(d, in);
    d->fresh_ns = yk_clock_now_ns();
    if (fresh)
        return YK_OK;
    d->lost = true;
    return yk_fail(err, YK_E_IO, "modbus: no readings within %g s: %s", u->patience, atomic_load(&d->words));
}

/* The lines that go with it, before the first command and after the last. */
static enum yk_status enable(void *self, bool on, const struct yk_rig_out *out, struct yk_err *err)
{
    struct yk_modbus_rig *u = self;
    struct yk_modbus_device *d = u->device;

    post_command(d, on ? KIND_PLACE : KIND_MOVE, out->command, d->count, out->lines);
    if (await_reading(d, yk_clock_now_ns() + (int64_t)(1e9 * u->silence)) || !on)
        return YK_OK;
    return yk_fail(err, YK_E_IO, "modbus: the device does not take commands: %s", atomic_load(&d->words));
}
#else
static enum yk_status open_rig(void *self, const struct yk_rig_plan *plan, struct yk_err *err)
{
    return yk_fail(err, YK_E_UNSUPPORTED,
                   "this program was built without libmodbus (Debian: libmodbus-dev): no backend modbus");
}

static void close_rig(void *self)
{
    struct yk_modbus_rig *u = self;

    yk_modbus_map_free(&u->map);
    free(u->host);
    u->host = NULL;
}
#endif

const struct yk_rig_ops yk_rig_modbus = {
    .name = "modbus",
    .summary = "registers, coils and inputs of a device over Modbus TCP: PLCs, pumps, interlocks, slow rigs",
    .reference = "docs/backend-modbus.md",
    .params = params,
    .size = sizeof(struct yk_modbus_rig),
    .can = YK_RIG_COMMANDS | YK_RIG_SENSORS | YK_RIG_LINES,
    .open = open_rig,
    .close = close_rig,
    .check = check,
#ifdef YOKE_MODBUS /* otherwise nothing is ever opened */
    .worst_wait_s = worst_wait_s,
    .rest = rest,
    .enable = enable,
    .exchange = exchange,
    .reason = reason,
    .cut = cut,
#endif
};
