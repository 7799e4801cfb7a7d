/* Faults of a bus in every phase of a run: each kind of the simulated EtherCAT segment, for a moment and for good, at
 * rest, in motion, in the ramp of an abort and in a pause, on a real rig with and without --realtime and on a simulated
 * one. The backend, its master and the frames are those of a bus; the wire is a function, and all clocks are one
 * virtual clock.
 *
 * Expected: every command keeps displacement and rate in wall time, as they go to the master and as the drive takes
 * them; a run that stops says why; the recording has every row. docs/safety-case.md has the table:
 * `build/tests/test_bus_faults phases` writes it. The test has every kind in every phase for every duration, in one of
 * the three modes in turn; with YOKE_WALL_CLOCK=all it has all of them. */
#include "support/between.h"
#include "support/check.h"
#include "support/ethercat_rig.h"
#include "support/scratch.h"
#include "support/segment.h"
#include "support/spring_specimen.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST    0.1     /* m */
#define FASTEST 2.0     /* m/s of wall time */
#define SILENCE 0.02    /* s: after this a bus is lost */
#define SPRING  35530.0 /* N/m: the specimen */

enum { REST_TICK = 1, MOTION_TICK = 305, ASKED = 70 /* ticks from the request of an operator to the fault */ };

static const char experiment[] = "title: a drive on a bus\n"
                                 "time: {step: 10 ms, end: 2 s, control_rate: 1000 Hz}\n" SPRING_SPECIMEN
                                 "limits: {displacement: 100 mm, command_rate: 2 m/s, force: 8 kN, start_ramp: 0.1, "
                                 "trip_ramp: 0.2, end_ramp: 0.2, tracking_error: 50 mm, position_error: 20 mm, "
                                 "relative_error: 0, stall: 0, missed_deadlines: 0, missed_total: 0}\n";

static const struct mode {
    const char *name;
    bool real, unpaced;
} modes[] = {{"a real rig, --realtime", true, false},
             {"a real rig, without --realtime", true, true},
             {"a simulated rig, not paced", false, true}};
enum { MODES = sizeof modes / sizeof *modes };

static const struct phase {
    const char *name;
    long from;
    bool asks;
    enum yk_event event;
} phases[] = {{"at rest", REST_TICK, false, YK_EVENT_ARM},
              {"in motion", MOTION_TICK, false, YK_EVENT_ARM},
              {"in a ramp", MOTION_TICK, true, YK_EVENT_ABORT},
              {"in a pause", MOTION_TICK, true, YK_EVENT_PAUSE}};
enum { PHASES = sizeof phases / sizeof *phases };

static const char *const words[] = {
#define X(id, word, help) word,
    YK_SIM_FAULT_LIST(X)
#undef X
};

static const double lasting_s[] = {0.005, 0.1, 0}; /* less than the silence, more, for good */
enum { LASTINGS = sizeof lasting_s / sizeof *lasting_s };

/* These are there from the start and refused before anything moves. */
static bool comes_later(int kind)
{
    return kind != YK_SIM_FAULT_IDENTITY && kind != YK_SIM_FAULT_BIT_12;
}

/* ---- the rig: a master, a segment, and a drive that follows exactly ---- */

static struct bus {
    struct between b; /* of the run: first */
    struct ethercat_rig_test t;
    const struct phase *phase;
    struct yk_sim_fault fault;
    double taken, fastest, farthest; /* by the drive */
    int64_t taken_ns;
} bus;

/* Target of the drive in the frame that has just passed. */
static void see_drive(struct ethercat_rig_test *t)
{
    const double target = t->segment->command[0];
    const int64_t now = bus.b.clock.virtual_ns;

    bus.farthest = fmax(bus.farthest, fabs(target));
    if (target == bus.taken)
        return;
    if (bus.taken_ns && now > bus.taken_ns)
        bus.fastest = fmax(bus.fastest, fabs(target - bus.taken) / (1e-9 * (double)(now - bus.taken_ns)));
    bus.taken = target;
    bus.taken_ns = now;
}

static struct yk_ec_wire *wire_of(void)
{
    return (struct yk_ec_wire *)&yk_rig_ethercat_master(bus.t.self)->wire;
}

/* The wire has taken its time. */
static enum yk_status in_time(enum yk_status st)
{
    bus.b.clock.virtual_ns = wire_of()->ops->now(wire_of());
    return st;
}

static enum yk_status rest(void *self, const double *x, struct yk_rig_in *in, struct yk_err *err)
{
    bus.b.wire[0].sent = bus.b.wire[0].home = x[0];
    return in_time(yk_rig_ethercat.rest(bus.t.self, x, in, err));
}

static enum yk_status enable(void *self, bool on, const struct yk_rig_out *out, struct yk_err *err)
{
    return in_time(yk_rig_ethercat.enable(bus.t.self, on, out, err));
}

/* The segment counts its ticks, which stand still where no frame arrives: it is told when a fault is over. */
static void relieve(void)
{
    struct yk_sim_fault *f = &bus.t.segment->settings.faults[0];

    f->at -= 1;
    f->lasts = 1e-3;
}

static void inject(void)
{
    struct yk_sim_settings *s = &bus.t.segment->settings;
    const double now = (double)bus.t.segment->motion * 1e-9 * (double)bus.t.segment->tick_ns;

    s->faults[0] = bus.fault;
    s->faults[0].at = now;
    s->faults[0].lasts = 0;
    s->fault_count = 1;
}

static enum yk_rig_answer exchange(void *self, const struct yk_rig_out *out, struct yk_rig_in *in)
{
    struct between *b = &bus.b;
    struct yk_ec_wire *wire = wire_of();
    const bool wall = b->real;
    const int64_t tick_ns = 1000000;

    b->tick++;
    if (b->tick == bus.phase->from && bus.phase->asks)
        yk_run_request(&b->control, bus.phase->event);
    const long since = b->tick - bus.phase->from - (bus.phase->asks ? ASKED : 0);
    if (since == 0)
        inject();
    if (bus.fault.lasts > 0 && since == lround(1e3 * bus.fault.lasts))
        relieve();
    if (b->tick == bus.phase->from + 5 * ASKED && bus.phase->event == YK_EVENT_PAUSE)
        yk_run_request(&b->control, YK_EVENT_RESUME);
    if (!wall)
        b->clock.virtual_ns += tick_ns;
    wire->ops->pause(wire, b->clock.virtual_ns);
    const double passed_s = 1e-9 * (double)(b->clock.virtual_ns - b->then_ns), step = out->command[0] - b->wire[0].sent;

    if (b->then_ns)
        b->wire[0].rate = fmax(b->wire[0].rate, fabs(step) / passed_s);
    b->wire[0].reach = fmax(b->wire[0].reach, fabs(out->command[0]));
    b->wire[0].sent = out->command[0];
    b->then_ns = b->clock.virtual_ns;
    const enum yk_rig_answer answer = yk_rig_ethercat.exchange(bus.t.self, out, in);

    in->readings[0].force = SPRING * in->readings[0].displacement;
    if (wall)
        b->clock.virtual_ns = wire->ops->now(wire) > b->clock.virtual_ns ? wire->ops->now(wire) : b->clock.virtual_ns;
    return answer;
}

static const char *reason(const void *self)
{
    return yk_rig_ethercat.reason(bus.t.self);
}

static void cut(void *self, uint32_t lines)
{
    yk_rig_ethercat.cut(bus.t.self, lines);
}

static double position(const void *self, size_t i)
{
    return yk_rig_ethercat.position(bus.t.self, i);
}

static enum yk_rig_world world(const void *self)
{
    return bus.b.real ? YK_RIG_REAL : YK_RIG_COMPUTED;
}

static const struct yk_rig_ops ops = {.name = "a bus",
                                      .world = world,
                                      .rest = rest,
                                      .enable = enable,
                                      .exchange = exchange,
                                      .reason = reason,
                                      .position = position,
                                      .cut = cut};

static void open_bus(const struct mode *m, const struct phase *p, const struct yk_sim_fault *f)
{
    struct yk_err err = {0};

    bus = (struct bus){.phase = p, .fault = *f, .b = {.real = m->real, .unpaced = m->unpaced}};
    bus.b.clock = yk_clock_virtual(1);
    bus.b.clock.virtual_ns = 2000000000; /* the clock of the wire, which begins at 1 s, is led to it */
    ethercat_rig_make(&bus.t, &(struct yk_sim_settings){.exact = true}, 1, false);
    ethercat_rig_setup(&bus.t)->silence = SILENCE;
    ethercat_rig_setup(&bus.t)->wait = 0.4e-3;
    bus.t.after = see_drive;
    if (yk_rig_ethercat.open(bus.t.self, &bus.t.plan, &err))
        fail_msg("%s", yk_err_line(&err).text);
}

/* A run with one fault. Does every command keep the limits, as sent and as taken, and is there a reason for a stop? */
static bool keeps_limits(const struct mode *m, const struct phase *p, const struct yk_sim_fault *f, int *stops)
{
    static const char *const set[] = {"transfer={a1: {}}"};
    struct yk_model *e = recorded_parse(experiment, set, 1);
    struct yk_run_settings settings = yk_run_defaults();
    struct recorded r;

    open_bus(m, p, f);
    settings.realtime = !m->unpaced;
    settings.threads = 1;
    settings.clock = &bus.b.clock;
    yk_station_interpose(e->station, (struct yk_between){&ops, &bus});
    recorded_run(&r, e, &settings, &bus.b.control);
    const int code = r.status ? -1 : yk_status_exit_code(r.result.status);
    const bool came = bus.t.segment->settings.fault_count == 1 && bus.t.segment->counts.faults == 1;
    const bool good = came && bus.b.wire[0].reach <= MOST * (1 + 1e-12) && bus.b.wire[0].rate <= FASTEST * (1 + 1e-9) &&
                      bus.farthest <= MOST * (1 + 1e-12) && bus.fastest <= FASTEST * (1 + 1e-9) &&
                      (code == 0 || (code == 3 && *r.result.reason)) && r.count[0] == (size_t)r.result.steps + 1;

    if (!good)
        print_error(
            "%s for %g s, %s (%s): came %d, reach %g and %g m, rate %g and %g m/s, exit code %d, '%s%s' after %ld "
            "steps\n",
            words[f->kind], f->lasts, p->name, m->name, came, bus.b.wire[0].reach, bus.farthest, bus.b.wire[0].rate,
            bus.fastest, code, r.status ? yk_err_line(&r.err).text : "", r.result.reason, r.result.steps);
    *stops += code == 3;
    recorded_free(&r);
    yk_model_close(e);
    ethercat_rig_end(&bus.t);
    return good;
}

static int count_kinds(void)
{
    int count = 0;

    for (int k = 0; k < YK_SIM_FAULT_KINDS; k++)
        count += comes_later(k);
    return count;
}

/* Runs that were made and runs that stopped, by kind, phase and duration. */
static struct {
    int made, stopped;
} seen[YK_SIM_FAULT_KINDS][PHASES][LASTINGS];

/* Each kind, phase and duration in every mode, or in one: neighbours have different ones. */
static int live_through(bool all)
{
    int wrong = 0;

    memset(seen, 0, sizeof seen);
    for (int m = 0; m < MODES; m++)
        for (int p = 0; p < PHASES; p++)
            for (int k = 0; k < YK_SIM_FAULT_KINDS; k++)
                for (int l = 0; l < LASTINGS && comes_later(k); l++) {
                    const struct yk_sim_fault f = {
                        .kind = (enum yk_sim_fault_kind)k, .slave = -1, .lasts = lasting_s[l]};

                    if (!all && (k + p + l) % MODES != m)
                        continue;
                    seen[k][p][l].made++;
                    wrong += !keeps_limits(&modes[m], &phases[p], &f, &seen[k][p][l].stopped);
                }
    return wrong;
}

static void write_phases(FILE *out)
{
    const int runs = MODES * PHASES * LASTINGS * count_kinds();

    fprintf(
        out,
        "\n## Every fault of a bus in every phase\n\n"
        "Faults of the simulated EtherCAT segment, for 5 ms, 0.1 s and for good, in the same phases and modes "
        "(`rt/test_bus_faults`); a bus is lost after %g ms.\nCommands keep their limits as they are sent and as the "
        "drive takes them: in all %d runs none was beyond, each that stopped had a reason, and\neach recording has "
        "every row. The cells count the runs that "
        "stopped, of three modes each: for 5 ms, for 0.1 s, for good (the ramp is that of an\nabort, which stops "
        "every run). `mode` and `drift` need an object and clocks that this bus does not have: "
        "`unit/ethercat/test_ec_drives` and\n`test_ec_rig` show them.\n\n"
        "| fault | at rest | in motion | in a ramp | in a pause |\n|---|---|---|---|---|\n",
        1e3 * SILENCE, runs);
    for (int k = 0; k < YK_SIM_FAULT_KINDS; k++) {
        if (!comes_later(k))
            continue;
        fprintf(out, "| `%s` |", words[k]);
        for (int p = 0; p < PHASES; p++)
            fprintf(out, " %d, %d, %d |", seen[k][p][0].stopped, seen[k][p][1].stopped, seen[k][p][2].stopped);
        fputc('\n', out);
    }
}

static char *read_page(void)
{
    enum { MOST_BYTES = 1 << 20 };
    FILE *in = fopen(YOKE_SOURCE "/docs/safety-case.md", "r");
    char *page = calloc(1, MOST_BYTES);

    assert_true(in && page);
    assert_in_range(fread(page, 1, MOST_BYTES - 1, in), 1, MOST_BYTES - 2);
    fclose(in);
    return page;
}

static void assert_page_has_table(const char *page)
{
    char *table = NULL;
    size_t size;
    FILE *out = open_memstream(&table, &size);

    assert_non_null(out);
    write_phases(out);
    fclose(out);
    if (!strstr(page, table))
        print_error("docs/safety-case.md is stale: make safety-case\n%s", table);
    assert_non_null(strstr(page, table));
    free(table);
}

/* The counts of the page are of all modes: as many stopped as were seen to, as many went on as were seen to. */
static void assert_page_agrees(const char *page)
{
    int wrong = 0;

    for (int k = 0; k < YK_SIM_FAULT_KINDS; k++) {
        char begin[80];
        int n[PHASES][LASTINGS];

        if (!comes_later(k))
            continue;
        snprintf(begin, sizeof begin, "\n| `%s` | ", words[k]);
        const char *row = strstr(page, begin);
        if (!row || sscanf(row + strlen(begin), "%d, %d, %d | %d, %d, %d | %d, %d, %d | %d, %d, %d |", &n[0][0],
                           &n[0][1], &n[0][2], &n[1][0], &n[1][1], &n[1][2], &n[2][0], &n[2][1], &n[2][2], &n[3][0],
                           &n[3][1], &n[3][2]) != PHASES * LASTINGS)
            fail_msg("docs/safety-case.md has no row of %s: make safety-case", words[k]);
        for (int p = 0; p < PHASES; p++)
            for (int l = 0; l < LASTINGS; l++) {
                const int went_on = seen[k][p][l].made - seen[k][p][l].stopped;

                if ((n[p][l] < seen[k][p][l].stopped || n[p][l] > MODES - went_on) && ++wrong)
                    print_error("docs/safety-case.md is stale: %s %s for %g s stopped %d of %d runs: make "
                                "safety-case\n",
                                words[k], phases[p].name, lasting_s[l], seen[k][p][l].stopped, seen[k][p][l].made);
            }
    }
    assert_int_equal(wrong, 0);
}

static void every_fault_of_a_bus_in_every_phase_keeps_the_limits(void **state)
{
    const char *how_many = getenv("YOKE_WALL_CLOCK");
    const bool all = how_many && strcmp(how_many, "all") == 0;
    const int runs = (all ? MODES : 1) * PHASES * LASTINGS * count_kinds();
    int stops = 0, made = 0;

    assert_int_equal(live_through(all), 0);
    for (int k = 0; k < YK_SIM_FAULT_KINDS; k++)
        for (int p = 0; p < PHASES; p++)
            for (int l = 0; l < LASTINGS; l++) {
                stops += seen[k][p][l].stopped;
                made += seen[k][p][l].made;
            }
    assert_int_equal(made, runs);
    assert_true(runs > (all ? 600 : 200) && stops > runs / 4 && stops < runs);
    char *page = read_page();
    if (all)
        assert_page_has_table(page);
    assert_page_agrees(page);
    free(page);
}

/* The same bus without a fault: the run ends, and comes near neither limit. */
static void a_bus_without_a_fault_is_quiet(void **state)
{
    const struct yk_sim_fault none = {.kind = YK_SIM_FAULT_DUPLICATE, .slave = -1, .lasts = 1e-3};
    int stops = 0;

    assert_true(keeps_limits(&modes[0], &phases[1], &none, &stops));
    assert_int_equal(stops, 0);
    assert_true(bus.farthest > 1e-3 && bus.farthest < 0.6 * MOST && bus.fastest < 0.5 * FASTEST);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bus_without_a_fault_is_quiet),
        cmocka_unit_test(every_fault_of_a_bus_in_every_phase_keeps_the_limits),
    };

    if (argc == 2 && strcmp(argv[1], "phases") == 0) {
        scratch_create(NULL);
        const int wrong = live_through(true);
        scratch_remove(NULL);
        write_phases(stdout);
        return wrong > 0;
    }
    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
