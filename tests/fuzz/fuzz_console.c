/* Any lines for the console of a rig (`yoke rig -c`) are refused with an answer, or are orders within the limits. The
 * loop behind the console is played here: it checks every order. */
#include "fuzz.h"

#include "cli/operator.h"
#include "cli/rig.h"
#include <yoke/identification.h>

static const char base[] =
    "title: base\n"
    "time: {step: 10 ms, end: 1 s, control_rate: 1000 Hz}\n"
    "method: {integrator: lsrt2}\n"
    "substructures:\n"
    "  a: {dofs: [x], mass: [1], stiffness: [[4]]}\n"
    "  s: {role: physical, dofs: [x], actuators: {x: a1}, prescribed: {axial: {dof: y, kind: constant, amplitude: 5 "
    "kN}}}\n"
    "interfaces: [{join: [a.x, s.x]}]\n"
    "transfer: {a1: {}, axial: {command: force}}\n"
    "rig:\n"
    "  backend: virtual\n"
    "  actuators:\n"
    "    a1: {plant: {kind: first-order, time_constant: 10 ms}}\n"
    "    axial: {plant: {kind: first-order, time_constant: 5 ms}}\n"
    "  specimen: {dofs: [x, y], mass: [0, 200], damping: [0, 40000], stiffness: [[35530, 0], [0, 2e7]]}\n"
    "  sensors: {strain: {unit: um/m, measures: axial.force, gain: 0.01}}\n"
    "  lines: {door: {role: interlock}, drive: {role: enable}, red: {role: trip_lamp}}\n"
    "limits: {displacement: 150 mm, command_rate: 2 m/s, force: 60 kN, sensors: {strain: 600},\n"
    "         actuators: {axial: {displacement: 10 mm, command_rate: 100 kN/s}}}\n";

#define TICK_S 1e-3
enum { ACTUATORS = 2, SENSORS = 1, WIDTH = YK_SEEN * ACTUATORS + SENSORS, ROWS = 2000 };

static const double reach[ACTUATORS] = {0.15, 60e3}, rate[ACTUATORS] = {2, 100e3};
static struct yk_model *e;
static struct yk_console_now now;
static double seen[WIDTH];
static long said;

/* ---- the loop ---- */

void yk_console_read(const struct yk_console *console, struct yk_console_now *to, double *row)
{
    *to = now;
    memcpy(row, seen, sizeof seen);
}

bool yk_console_is_done(const struct yk_console *console)
{
    return true;
}

void yk_console_stop(struct yk_console *console, bool end)
{
}

size_t yk_console_width(const struct yk_console *console)
{
    return WIDTH;
}

static void check_move(const struct yk_console_order *o)
{
    for (size_t i = 0; i < ACTUATORS; i++) {
        double *at = seen + YK_SEEN * i;

        fuzz_check(!now.off && fabs(o->to[i]) <= reach[i]);
        fuzz_check(YK_RAMP_SLOPE * fabs(o->to[i] - at[YK_SEEN_SENT]) <= rate[i] * o->duration_s && o->duration_s < 1e9);
        at[YK_SEEN_SENT] = at[i == 0 ? YK_SEEN_DISPLACEMENT : YK_SEEN_FORCE] = o->to[i];
    }
}

/* Long ones are stopped by a person. */
static void make_rows(struct yk_console_order *o)
{
    fuzz_check(!o->rows || o->room > 0);
    for (o->made = 0; o->rows && o->made < o->room && o->made < ROWS; o->made++)
        memcpy(o->rows + WIDTH * o->made, seen, sizeof seen);
    if (o->made < o->room)
        o->status = yk_fail(&o->err, YK_E_STOPPED, "stopped");
}

void yk_console_give(struct yk_console *console, struct yk_console_order *o)
{
    switch (o->kind) {
    case YK_ORDER_ENABLE:
    case YK_ORDER_DISABLE:
    case YK_ORDER_RESET:
        now.off = o->kind != YK_ORDER_ENABLE;
        break;
    case YK_ORDER_WAIT:
        fuzz_check(o->ticks >= 0 && (double)o->ticks * TICK_S <= 3600);
        make_rows(o);
        break;
    case YK_ORDER_MOVE:
        check_move(o);
        break;
    case YK_ORDER_SWEEP:
        fuzz_check(!now.off && o->actuator == 0 && o->sweep.amplitude_m > 0 && o->sweep.from_Hz >= 0 &&
                   o->sweep.to_Hz > o->sweep.from_Hz && o->sweep.duration_s > 0);
        fuzz_check(fabs(seen[YK_SEEN_SENT]) + o->sweep.amplitude_m <= reach[0] &&
                   o->sweep.amplitude_m * 2 * M_PI * o->sweep.to_Hz <= rate[0]);
        make_rows(o);
        break;
    case YK_ORDER_ZERO:
        fuzz_check(o->channel < YK_COMMAND_KINDS * ACTUATORS + SENSORS && isfinite(o->zero) && isfinite(o->command));
        break;
    case YK_ORDER_LINES:
        fuzz_check(now.off && (o->lines & ~4u) == 0 && (o->levels & ~o->lines) == 0); /* the lamp is the third */
        break;
    case YK_ORDER_HOMING:
        fuzz_check(!now.off && o->actuator == 0 && o->ticks > 0); /* the second one is commanded by force */
        now.off = true;
        break;
    case YK_ORDER_FULL:
        break;
    case YK_ORDER_PRESSURE:
        abort(); /* this rig has no pressure */
    case YK_ORDER_MODE:
        abort(); /* nor a second control mode */
    case YK_ORDER_SILENCE:
        abort(); /* of the check-list only */
    }
}

bool rig_is_ending(void)
{
    return false;
}

void desk_switch(struct operator_desk *desk, bool local)
{
}

void trail_add(struct trail *trail, const char *by, const char *what, const char *format, ...)
{
}

int rig_check(struct rig_desk *d)
{
    return 0;
}

enum yk_status yk_identification_make(struct yk_identification *identification, const struct yk_sweep_record *record,
                                      int order, struct yk_err *err)
{
    fuzz_check(record->n <= ROWS && order >= 0 && order <= 3);
    return YK_OK;
}

void yk_identification_print(const struct yk_identification *identification, FILE *out)
{
}

/* ---- the person ---- */

static void say(struct rig_desk *d, const char *line)
{
    said += *line != 0;
}

static int ask(struct rig_desk *d, const char *question)
{
    return -1;
}

static void idle(struct rig_desk *d)
{
}

static void open_rig(void)
{
    struct yk_err err = {0};

    fuzz_check(!yk_model_parse(&e, "/no/such/folder/fuzz.yaml", base, strlen(base), NULL, 0, &err));
    fuzz_check(yk_station_count(e->station) == ACTUATORS && strcmp(yk_station_name(e->station, 0), "a1") == 0);
    fuzz_check(!yk_station_tare(e->station, 0, 0, 0, &err)); /* room for zeros, as the console has */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct rig_face face = {say, ask, idle};
    double row[WIDTH];
    struct yk_taken_zero zeros[2 * ACTUATORS + SENSORS];
    char path[64], *text = malloc(size + 1), *rest = text;

    if (!e)
        open_rig();
    fuzz_check(text != NULL);
    for (size_t i = 0; i < size; i++)
        text[i] = (char)(data[i] ? data[i] : '\n');
    text[size] = 0;
    snprintf(path, sizeof path, "/dev/shm/fuzz-console-%d.yaml", (int)getpid());
    now = (struct yk_console_now){.off = true};
    memset(seen, 0, sizeof seen);
    double from[ACTUATORS] = {0};
    struct yk_supervised supervised[ACTUATORS];

    memcpy(supervised, yk_station_supervisor(e->station)->supervised, sizeof supervised);
    struct rig_desk d = {.model = e,
                         .face = &face,
                         .station = e->station,
                         .limits = yk_station_supervisor(e->station),
                         .supervised = supervised,
                         .count = ACTUATORS,
                         .sensors = SENSORS,
                         .tick_s = TICK_S,
                         .tare_s = 0.1,
                         .zeros = zeros,
                         .zeros_path = path,
                         .notes = json_array(),
                         .seen = row,
                         .enabled_at = from};

    for (const char *line; !d.quit && (line = strsep(&rest, ";\n"));) {
        const long before = said;
        const int code = rig_obey(&d, line);

        fuzz_check(code >= 0 && code <= 4 && (!code || said > before) && d.zero_count <= 2 * ACTUATORS + SENSORS);
    }
    json_decref(d.notes);
    unlink(path);
    free(text);
    return 0;
}
