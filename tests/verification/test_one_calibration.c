/* One calibration for every backend: raw numbers through the table of the file are the values by hand, and old keys
 * make the same table. That backends deliver raw numbers is shown by test_layout, test_comedi_card and test_ec_rig;
 * that the station converts them once, by the runs over every backend (e2e), which have the samples of the virtual rig.
 */
#include "support/check.h"
#include "support/recorded.h"
#include "support/scratch.h"

#include "experiment/build.h"
#include "transfer/station.h"

static const char file[] =
    "time: { step: 10 ms, end: 0.1 s, control_rate: 200 Hz }\nmethod: { integrator: lsrt2 }\nsubstructures:\n"
    "  mass: { dofs: [x], mass: [1000 kg], damping: [2 kN s/m], stiffness: [0] }\n"
    "  spring: { role: physical, dofs: [x], actuators: { x: a1 }, estimate: { stiffness: [100 kN/m] } }\n"
    "interfaces: [ { join: [mass.x, spring.x] } ]\n"
    "transfer: { a1: {} }\n"
    "limits: { displacement: 50 mm, command_rate: 1 m/s, force: 8 kN, tracking_error: 50 mm }\n"
    "rig:\n  actuators: { a1: { plant: { kind: ideal } } }\n"
    "  specimen: { dofs: [x], mass: [0], stiffness: [100 kN/m] }\n"
    "  sensors: { oil: { measures: a1.force } }\n  backend: shm\n  settings: { name: none }\n";

#define TABLE                                                                                                          \
    "channels={a1.command: {scale: 2 mm, offset: 10 mm}, a1.displacement: {raw: count, scale: 2 mm, offset: 10 mm}, "  \
    "a1.force: {raw: V, scale: 3 N/V, offset: 5 N, sign: -1}, sensor.oil: {scale: 0.5, offset: -1}}"
#define ENABLE "rig.lines={on: {role: enable}}"

/* The settings of each backend, without scales and with the old ones. */
static const struct {
    const char *backend, *now, *before;
} backends[] = {
    {"rig.backend=udp-raw",
     "rig.settings={port: 1, commands: [{type: u8, name: state}, {type: i32, name: a1.command}], readings: [{type: "
     "i32, "
     "name: a1.displacement}, {type: i32, name: a1.force}, {type: i32, name: oil}]}",
     "rig.settings={port: 1, commands: [{type: u8, name: state}, {type: i32, name: a1.command, scale: 2 mm, offset: 10 "
     "mm}], readings: [{type: i32, name: a1.displacement, scale: 2 mm, offset: 10 mm}, {type: i32, name: a1.force, "
     "scale: -3 N, offset: 5 N}, {type: i32, name: oil, scale: 0.5, offset: -1}]}"},
    {"rig.backend=modbus",
     "rig.settings={host: 127.0.0.1, map: {a1.command: {holding: 0}, a1.displacement: {holding: 1}, a1.force: "
     "{holding: "
     "2}, oil: {holding: 3}}}",
     "rig.settings={host: 127.0.0.1, map: {a1.command: {holding: 0, scale: 2 mm, offset: 10 mm}, a1.displacement: "
     "{holding: 1, scale: 2 mm, offset: 10 mm}, a1.force: {holding: 2, scale: -3 N, offset: 5 N}, oil: {holding: 3, "
     "scale: 0.5, offset: -1}}}"},
    {"rig.backend=comedi",
     "rig.settings={map: {a1.command: {output: 0}, a1.displacement: {input: 0}, a1.force: {input: 1}, oil: {input: 2}, "
     "on: {digital: 0}}}",
     "rig.settings={map: {a1.command: {output: 0, scale: 2 mm, offset: 10 mm}, a1.displacement: {input: 0, scale: 2 "
     "mm, "
     "offset: 10 mm}, a1.force: {input: 1, scale: -3 N, offset: 5 N}, oil: {input: 2, scale: 0.5, offset: -1}, on: "
     "{digital: 0}}}"},
    {"rig.backend=ethercat",
     "rig.settings={interface: none, clock: false, slaves: {d: {vendor: 1, product: 2}}, channels: {a1.command: "
     "{slave: "
     "d, entry: '0x6000:1'}, a1.displacement: {slave: d, entry: '0x6000:2'}, a1.force: {slave: d, entry: '0x6000:3'}, "
     "oil: {slave: d, entry: '0x6000:4'}}}",
     "rig.settings={interface: none, clock: false, slaves: {d: {vendor: 1, product: 2}}, channels: {a1.command: "
     "{slave: "
     "d, entry: '0x6000:1', scale: 2 mm, offset: 10 mm}, a1.displacement: {slave: d, entry: '0x6000:2', scale: 2 mm, "
     "offset: 10 mm}, a1.force: {slave: d, entry: '0x6000:3', scale: -3 N, offset: 5 N}, oil: {slave: d, entry: "
     "'0x6000:4', scale: 0.5, offset: -1}}}"},
};

/* Played by the virtual rig: nothing is opened. */
static struct yk_model *rehearse(const char *const *set, size_t count)
{
    struct yk_model *e = NULL;

    assert_ok(yk_model_rehearse(&e, scratch_write("one.yaml", file), set, count, &err));
    return e;
}

static void read_scales(const char *const *set, size_t count, const char *backend, struct yk_rig_scales *scales)
{
    struct yk_model *e = rehearse(set, count);
    const struct yk_rig_ops *ops = yk_rig_find(backend);
    void *self;

    assert_ok(yk_model_backend(e, NULL, backend, &self, scales, &err));
    ops->close(self);
    free(self);
    yk_model_close(e);
}

static void raw_numbers_of_every_backend_are_converted_once(void **state)
{
    for (size_t k = 0; k < sizeof backends / sizeof *backends; k++) {
        const char *const now[] = {backends[k].backend, ENABLE, backends[k].now, TABLE}, *const before[] = {
                                                                                             backends[k].backend,
                                                                                             ENABLE,
                                                                                             backends[k].before};
        const char *name = strchr(backends[k].backend, '=') + 1;
        struct yk_rig_scales table, old;

        read_scales(now, 4, name, &table);
        read_scales(before, 3, name, &old);
        const struct yk_reading raw = {.displacement = -7, .force = 100},
                                si = yk_calibration_si(&table.actuators[0], raw);
        assert_near(si.displacement, 0.002 * -7 + 0.01, 1e-18);
        assert_near(si.force, -3 * 100 + 5, 0);
        assert_near(yk_scale_si(&table.sensors[0], 8), 3, 0);
        assert_near(yk_scale_raw(&table.actuators[0].sent.command, 0.05), 20, 1e-14);
        assert_memory_equal(table.actuators, old.actuators, sizeof *old.actuators); /* to the last bit */
        assert_memory_equal(table.sensors, old.sensors, sizeof *old.sensors);
        assert_true(!table.old.file && old.old.file);
        yk_rig_scales_free(&table);
        yk_rig_scales_free(&old);
    }
}

static void two_scales_for_one_channel_are_refused(void **state)
{
    for (size_t k = 0; k < sizeof backends / sizeof *backends; k++) {
        const char *const both[] = {backends[k].backend, ENABLE, backends[k].before, TABLE};
        struct yk_model *e = rehearse(both, 4);
        struct yk_rig_scales scales;
        void *self;

        assert_refused(yk_model_backend(e, NULL, strchr(backends[k].backend, '=') + 1, &self, &scales, &err),
                       YK_E_INPUT, "is given here and in the section `channels`; leave it out here");
        yk_rig_scales_free(&scales);
        yk_model_close(e);
    }
}

/* A sensor of the virtual rig gives raw numbers, which the station converts. */
static void a_sensor_is_converted_by_the_station(void **state)
{
    const char *const set[] = {"rig.backend=virtual", "rig.settings={}",
                               "channels={sensor.oil: {scale: 0.5, offset: -1}}"};
    struct yk_model *e = recorded_parse(file, set, 3);
    struct yk_corrections c = *yk_station_corrections(e->station);
    struct yk_reading raw = {0}, got = {0};
    double sensors[] = {8}, corrected[] = {0};

    assert_non_null(c.of);
    yk_corrections_step(&c, &(struct yk_rig_in){.readings = &raw, .sensors = sensors},
                        &(struct yk_rig_in){.readings = &got, .sensors = corrected}, yk_station_supervisor(e->station));
    assert_near(corrected[0], 3, 0);
    yk_model_close(e);
}

/* The virtual rig plays devices that count by the table: what comes back is what there was. */
static void a_virtual_device_counts_by_the_table(void **state)
{
    const char *const set[] = {"rig.backend=virtual", "rig.settings={}", "rig.sensors={}",
                               "channels={a1.command: {scale: 2 mm, offset: 10 mm}, a1.displacement: {scale: 3 mm, "
                               "offset: -4 mm}, a1.force: {scale: 3 N, offset: 5 N, sign: -1}}"};
    struct yk_model *e = recorded_parse(file, set, 4), *plain = recorded_parse(file, set, 3);
    const double x[] = {0.02};

    assert_ok(yk_station_rest(e->station, x, &err));
    assert_ok(yk_station_rest(plain->station, x, &err));
    assert_null(yk_station_corrections(e->station)->of); /* inside the virtual rig */
    assert_near(yk_station_state(e->station, 0).displacement, yk_station_state(plain->station, 0).displacement, 1e-16);
    assert_near(yk_station_state(e->station, 0).displacement, 0.02, 1e-16);
    yk_model_close(e);
    yk_model_close(plain);
}

static void unknown_channels_and_senseless_keys_are_refused(void **state)
{
    static const struct {
        const char *set, *words;
    } cases[] = {
        {"channels={a9.force: {scale: 1 N}}", "'a9.force' is no channel of this rig"},
        {"channels={a1.torque: {scale: 1 N}}", "'a1.torque' is no channel of this rig"},
        {"channels={sensor.water: {scale: 1}}", "'sensor.water' is no channel of this rig"},
        {"channels={a1.force: {scale: 1 mm}}", "mm"},
        {"channels={a1.force: {scale: 1 mm/V}}", "mm/V"},
        {"channels={a1.force: {scale: 0 N}}", "scale = 0 N must not be 0"},
        {"channels={a1.force: {sign: 2}}", "sign = 2 must be 1 or -1"},
        {"channels={a1.force: {gain: 2}}", "unknown key 'gain'"},
        {"channels={a1.force: {range: [1 kN, -1 kN]}}", "the lower one first"},
        {"channels={a1.command: {filter: 5 Hz}}", "filter has no effect on 'a1.command', which is sent"},
        {"channels={a1.displacement: {from: {oil: 1}, scale: 1 mm}}", "which is a sum of sensors"},
        {"channels=5", "channels"},
    };

    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const char *const set[] = {"rig.backend=virtual", "rig.settings={}", cases[k].set};
        struct yk_model *e = NULL;
        struct yk_err why = {0};

        assert_int_not_equal(yk_model_parse(&e, "bad.yaml", file, strlen(file), set, 3, &why), YK_OK);
        if (!strstr(yk_err_line(&why).text, cases[k].words))
            fail_msg("%s: %s", cases[k].set, yk_err_line(&why).text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(raw_numbers_of_every_backend_are_converted_once),
        cmocka_unit_test(two_scales_for_one_channel_are_refused),
        cmocka_unit_test(a_sensor_is_converted_by_the_station),
        cmocka_unit_test(a_virtual_device_counts_by_the_table),
        cmocka_unit_test(unknown_channels_and_senseless_keys_are_refused),
    };

    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
