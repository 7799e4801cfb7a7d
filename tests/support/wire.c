/* A rig in a process of its own. */
#include "support/wire.h"
#include "support/check.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

const struct yk_rig_plan wire_plan = {
    .count = WIRE_ACTUATORS, .names = (const char *const[]){"a1", "a2"}, .tick = 1e-3, .x0 = (const double[]){0, 0}};

double wire_stands_at;
enum wire_refusal wire_refuses;
bool wire_simulates;
enum yk_command_kind wire_moves_by;

static enum yk_status rest(void *self, const double *x, struct yk_rig_in *in, struct yk_err *err)
{
    struct wire_rig *r = self;

    if (wire_refuses == WIRE_NO_REST && r->ticks++ > 0) /* the first is that of the server itself */
        return yk_fail(err, YK_E_INPUT, WIRE_WORDS);
    for (int i = 0; i < WIRE_ACTUATORS; i++) {
        r->x[i] = wire_stands_at != 0 ? wire_stands_at : x[i];
        r->speed = 0;
        in->readings[i] = (struct yk_reading){r->x[i], 1000 * r->x[i], -r->x[i], 3 * r->x[i]};
    }
    return YK_OK;
}

static enum yk_rig_answer exchange(void *self, const struct yk_rig_out *out, struct yk_rig_in *in)
{
    struct wire_rig *r = self;

    const double before = r->x[0];

    for (int i = 0; i < WIRE_ACTUATORS; i++) {
        r->x[i] += 0.1 * (out->command[i] - r->x[i]);
        in->readings[i] = (struct yk_reading){r->x[i], 1000 * r->x[i], -r->x[i], 3 * r->x[i]};
    }
    if (yk_command_is_rate(wire_moves_by)) {
        r->speed = wire_moves_by == YK_BY_VELOCITY ? out->command[0] : r->speed + wire_plan.tick * out->command[0];
        r->x[0] = before + wire_plan.tick * r->speed;
        in->readings[0] = (struct yk_reading){r->x[0], 1000 * r->x[0], 0, 0};
    }
    if (r->log) {
        const long n = atomic_load(&r->log->count);

        if (n < WIRE_LOG) {
            r->log->command[n] = out->command[0];
            r->log->place[n] = before;
            r->log->second[n] = out->command[1];
            atomic_store(&r->log->count, n + 1);
        }
    }
    return wire_refuses == WIRE_NO_EXCHANGE && r->ticks++ >= 10 ? YK_RIG_REFUSED : YK_RIG_FRESH;
}

static enum yk_status enable(void *self, bool on, const struct yk_rig_out *out, struct yk_err *err)
{
    return wire_refuses == WIRE_NO_ENABLE && on ? yk_fail(err, YK_E_INPUT, WIRE_WORDS) : YK_OK;
}

static const char *reason(const void *self)
{
    return WIRE_WORDS;
}

static void cut(void *self, uint32_t lines)
{
    struct wire_rig *r = self;

    if (r->log)
        atomic_fetch_add(&r->log->cuts, 1);
}

static enum yk_rig_world world(const void *self)
{
    return wire_simulates ? YK_RIG_COMPUTED : YK_RIG_REAL;
}

const struct yk_rig_ops wire_rig = {.name = "lag-and-spring",
                                    .size = sizeof(struct wire_rig),
                                    .rest = rest,
                                    .enable = enable,
                                    .exchange = exchange,
                                    .reason = reason,
                                    .cut = cut,
                                    .world = world};

static atomic_bool stop;

static void on_signal(int signal)
{
    atomic_store(&stop, true);
}

/* In the child. */
static int play(const struct yk_server_settings *settings, const struct yk_rig_plan *plan, struct wire_log *log, int to)
{
    struct wire_rig rig = {.log = log};
    struct yk_server *server;
    struct yk_err err = {0};

    signal(SIGTERM, on_signal);
    signal(SIGPIPE, SIG_IGN);
    if (yk_server_create(&server, settings, &wire_rig, &rig, plan, &err)) {
        fprintf(stderr, "%s\n", yk_err_line(&err).text);
        return 1;
    }
    const int port = yk_server_port(server);
    if (write(to, &port, sizeof port) != sizeof port)
        return 1;
    yk_server_run(server, &stop);
    const struct yk_server_counts *c = yk_server_counts(server);
    if (atomic_load(&c->crashed))
        return 9; /* leaves everything behind */
    const struct peer_counts counts = {c->sessions,   c->lost_sessions,  c->ticks,  c->commands,  c->missing, c->stale,
                                       c->refused,    c->damaged,        c->cuts,   c->strangers, c->far,     c->broken,
                                       c->challenges, c->void_greetings, c->forged, c->replayed};
    const bool told = write(to, &counts, sizeof counts) == sizeof counts;
    yk_server_destroy(server);
    return told ? 0 : 1;
}

void peer_start(struct peer *p, const struct yk_server_settings *settings, const struct yk_rig_plan *plan)
{
    static int number;
    struct yk_server_settings own = *settings;
    int ends[2];

    *p = (struct peer){.raw = settings->raw, .key = settings->key};
    if (settings->shm) {
        snprintf(p->shm, sizeof p->shm, "test-%d-%d", (int)getpid(), number++);
        own.shm = p->shm;
    }
    p->log = mmap(NULL, sizeof *p->log, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(p->log != MAP_FAILED);
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    p->pid = fork();
    assert_true(p->pid >= 0);
    if (p->pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); /* never outlives the test */
        close(ends[0]);
        _exit(play(&own, plan, p->log, ends[1]));
    }
    close(ends[1]);
    p->from = ends[0];
    assert_int_equal(read(p->from, &p->port, sizeof p->port), sizeof p->port);
}

struct peer_counts peer_stop(struct peer *p)
{
    struct peer_counts counts = {0};
    int status;

    kill(p->pid, SIGTERM);
    if (read(p->from, &counts, sizeof counts) != sizeof counts)
        counts = (struct peer_counts){0};
    assert_int_equal(waitpid(p->pid, &status, 0), p->pid);
    if (p->shm[0]) { /* a rig that was killed leaves its memory behind */
        char path[64];

        snprintf(path, sizeof path, "/yoke-rig-%s", p->shm);
        shm_unlink(path);
    }
    close(p->from);
    munmap(p->log, sizeof *p->log);
    return counts;
}

struct wire wire_make(const struct peer *p, const struct setting_of *set)
{
    struct wire w = {.ops = yk_rig_find(p->shm[0] ? "shm" : p->raw ? "udp-raw" : "udp")};

    w.self = calloc(1, w.ops->size);
    assert_non_null(w.self);
    yk_param_defaults(w.ops->params, w.self);
    if (p->shm[0]) {
        for (const struct yk_param *k = w.ops->params; k->name; k++)
            if (strcmp(k->name, "name") == 0)
                *(char **)((char *)w.self + k->offset) = strdup(p->shm);
    } else {
        assert_ok(yk_param_set(w.ops->params, w.self, "port", p->port, &err));
    }
    for (const struct yk_param *k = w.ops->params; p->key && k->name; k++)
        if (strcmp(k->name, "key") == 0)
            *(char **)((char *)w.self + k->offset) = strdup(p->key);
    if (p->raw) {
        struct yk_udp_raw_rig *raw = w.self;
        struct yk_layout *layouts[] = {&raw->raw.commands, &raw->raw.readings};

        raw->raw = *p->raw;
        for (int k = 0; k < 2; k++) { /* it frees them */
            const size_t bytes = layouts[k]->count * sizeof *layouts[k]->fields;
            struct yk_field *own = malloc(bytes);

            assert_non_null(own);
            memcpy(own, layouts[k]->fields, bytes);
            layouts[k]->fields = own;
        }
    }
    for (; set && set->name; set++)
        assert_ok(yk_param_set(w.ops->params, w.self, set->name, set->value, &err));
    return w;
}

void wire_free(struct wire *w)
{
    w->ops->close(w->self);
    for (const struct yk_param *k = w->ops->params; k->name; k++)
        if (k->type == YK_PARAM_TEXT)
            free(*(char **)((char *)w->self + k->offset));
    free(w->self);
}

enum yk_rig_answer wire_exchange(const struct wire *w, const double *command, struct yk_reading *got)
{
    return w->ops->exchange(w->self, &(struct yk_rig_out){.command = command}, &(struct yk_rig_in){.readings = got});
}

enum yk_status wire_rest(const struct wire *w, const double *x, struct yk_reading *got, struct yk_err *e)
{
    return w->ops->rest(w->self, x, &(struct yk_rig_in){.readings = got}, e);
}

const char *const wires[WIRES] = {NULL, "shm"};
const struct setting_of patient[] = {{"patience", 30}, {"wait", 20}, {"silence", 20}, {NULL, 0}};
const struct setting_of hasty[] = {{"patience", 30}, {"wait", 5e-3}, {"silence", 0.2}, {NULL, 0}};
const double wire_start[WIRE_ACTUATORS] = {0.002, -0.003};

struct yk_server_settings serving(const char *shm)
{
    struct yk_server_settings s = yk_server_defaults();

    s.shm = shm;
    s.silence = 20;
    s.ramp = 0.02;
    return s;
}

double wish(int tick, int actuator)
{
    return 0.01 * sin(0.02 * tick + actuator) + 1e-3 * actuator;
}

void move_and_compare(struct wire *w, int ticks)
{
    struct yk_reading got[WIRE_ACTUATORS], want[WIRE_ACTUATORS];
    struct wire_rig beside = {.log = NULL};
    const struct wire alone = {&wire_rig, &beside};

    assert_ok(wire_rest(w, wire_start, got, &err));
    wire_rest(&alone, wire_start, want, NULL);
    assert_memory_equal(got, want, sizeof got);
    for (int k = 1; k <= ticks; k++) {
        const double command[WIRE_ACTUATORS] = {wish(k, 0), wish(k, 1)};

        assert_int_equal(wire_exchange(w, command, got), YK_RIG_FRESH);
        wire_exchange(&alone, command, want);
        assert_memory_equal(got, want, sizeof got);
    }
}

/* ---- packets of a declared layout ---- */

struct yk_field layout_value(enum yk_field_type type, size_t at, size_t index)
{
    struct yk_field f = {type, YK_FIELD_VALUE, at, yk_type_bytes(type), index, 0, {0}};

    memset(f.lines, YK_NO_LINE, sizeof f.lines);
    return f;
}

struct yk_field layout_field(enum yk_field_type type, enum yk_field_role role, size_t at, int64_t constant)
{
    struct yk_field f = layout_value(type, at, 0);

    f.role = role;
    f.constant = constant;
    return f;
}

static struct yk_field to_rig[5], from_rig[8];

struct yk_raw_settings wire_layouts(bool numbered)
{
    const enum yk_field_role number = numbered ? YK_FIELD_SEQUENCE : YK_FIELD_SKIP,
                             answers = numbered ? YK_FIELD_ANSWERS : YK_FIELD_SKIP;

    to_rig[0] = layout_field(YK_TYPE_U8, number, 0, 0);
    to_rig[1] = layout_field(YK_TYPE_U8, YK_FIELD_STATE, 1, 0);
    to_rig[2] = layout_value(YK_TYPE_F64, 2, 0);
    to_rig[3] = layout_value(YK_TYPE_F64, 10, 1);
    to_rig[4] = layout_field(YK_TYPE_CRC16, YK_FIELD_CHECK, 18, 0);
    from_rig[0] = layout_field(YK_TYPE_U8, number, 0, 0);
    from_rig[1] = layout_field(YK_TYPE_U8, answers, 1, 0);
    from_rig[2] = layout_field(YK_TYPE_U8, YK_FIELD_FAULT, 2, 0);
    for (size_t i = 0; i < 2; i++) {
        from_rig[3 + 2 * i] = layout_value(YK_TYPE_F64, 3 + 16 * i, YK_WIRE_PER_READING * i);
        from_rig[4 + 2 * i] = layout_value(YK_TYPE_F64, 11 + 16 * i, YK_WIRE_PER_READING * i + 1);
    }
    from_rig[7] = layout_field(YK_TYPE_CRC16, YK_FIELD_CHECK, 35, 0);
    return (struct yk_raw_settings){.commands = {to_rig, 5, 20, false}, .readings = {from_rig, 8, 37, false}};
}
