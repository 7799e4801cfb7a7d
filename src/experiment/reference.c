/* The sections of the experiment file with their keys, in the order of its reference (yoke/keys.h). */
#include "experiment/quality.h"
#include "experiment/setup.h"

#include "rig/virtual/plant/limits.h"
#include "transfer/setup.h"
#include <yoke/frame.h>
#include <yoke/keys.h>
#include <yoke/transfer.h>

const struct yk_keys_section
    yk_sections_before[] =
        {
            {"Top level", "", yk_keys_root},
            {"`time`", "", yk_keys_time},
            {"`method`", "The settings of the integrator or coupling are written next to these keys.", yk_keys_method},
            {"`substructures`", "A map of names to substructures. Every kind has these keys:", yk_keys_substructure},
            {"`initial`", "Initial values of a substructure.", yk_keys_initial},
            {0},
},
    yk_sections_after[] = {
        {"`rayleigh`", "", yk_keys_rayleigh},
        {"A plugin", "Your own component instead of a built-in one: see docs/plugins.md.", yk_keys_plugin},
        {"Role `physical`",
         "A specimen moved by actuators. The method may evaluate each force only once. The sections `transfer` and "
         "`rig` and\n"
         "the key `time.control_rate` are required.",
         yk_keys_physical},
        {"`setup`", "The settings of the kind are written next to these keys.", yk_keys_setup},
        {"`prescribed`", "For each actuator. The settings of the signal are written next to these keys.",
         yk_keys_prescribed},
        {"`estimate`", "", yk_keys_estimate},
        {"`transfer`",
         "A map of actuators to chains, or the name of a file with such a section, as `yoke identify -o` writes it, "
         "or a list of such\n"
         "files.",
         yk_keys_chain},
        {"`switch`", "Force control as a second mode of an actuator: see docs/control-modes.md.", yk_keys_switch},
        {"`joint` of `transfer`",
         "A list of methods that serve several actuators together, beside the chains of the actuators.", yk_keys_joint},
        {"A compensator",
         "The settings of the compensator are written next to these keys. `kind: none` ignores them, so one word "
         "switches it off.",
         yk_keys_compensated},
        {"A controller, estimator or plant", "The settings are written next to `kind`.", yk_keys_component},
        {"`feedback`", "", yk_feedback_params},
        {"`passivity`", "Takes out the energy that an actuator puts into the loop: see docs/theory/energy.md.",
         yk_passivity_params},
        {"`calibrate` of a setup", "For each actuator.", yk_keys_calibrate},
        {"`rig`", "", yk_keys_rig},
        {"A sensor of the rig", "Numbers are in its unit.", yk_keys_sensor},
        {"`readings` of the rig, for an actuator", "", yk_keys_readings},
        {"A reading",
         "Of an actuator in SI units, of a sensor in its unit: corrected = filter(gain x reading + offset - tare). "
         "Deprecated: see `channels`.",
         yk_keys_reading},
        {"A field of a packet", "Of the backend `udp-raw`: see docs/backend-udp-raw.md.", yk_keys_field},
        {"A register of the map", "Of the backend `modbus`: see docs/backend-modbus.md.", yk_keys_register},
        {"A channel of a card", "Of the backend `comedi`: see docs/backend-comedi.md.", yk_keys_card_channel},
        {"A line of the rig", "At most 32 in all.", yk_keys_line},
        {"A slave of an EtherCAT bus", "In the order of the bus.", yk_keys_ec_slave},
        {"A channel of an EtherCAT bus", "Its scale is in the section `channels`.", yk_keys_ec_channel},
        {"`joint` of the rig", "", yk_keys_joint_plant},
        {"An actuator of the rig", "", yk_keys_actuator},
        {"`capacity`", "What a simulated actuator can do. What stops the test is in the section `limits`.",
         yk_plant_limits_params},
        {"`sensors`", "", yk_keys_sensors},
        {"`limits`",
         "Safety limits: what stops the test. A limit is a value, or a map with its own action; see docs/safety.md.",
         yk_limits_params},
        {"`dofs` of `limits`", "For each degree of freedom; 0: none. A trip acts as `on_trip` says.", yk_keys_pose},
        {"`console` of `limits`", "Limits of `yoke rig`, which never exceed those of the test.", yk_keys_console},
        {"A limit as a map", "`force: {limit: 8 kN, action: cut}`", yk_keys_limit},
        {"`channels`",
         "A map of channels to how raw numbers become SI units, or the name of a file with such a section. Channels: "
         "`a1.displacement`, `a1.force`, `a1.velocity`, `a1.acceleration`, `a1.command`, `a1.feed_velocity`,\n"
         "`a1.feed_acceleration`, `a1.feed_force`, `a1.force_command` and `sensor.NAME`. reading = filter(scale x raw "
         "+ offset - zero), "
         "sent "
         "= (command - offset)/scale; the zero is that of `calibration`. See docs/calibration.md.",
         yk_keys_channel},
        {"`calibration`",
         "A map of channels (`a1.displacement`, `a1.force`, `sensor.NAME`) to zeros, or the name of a file with such a "
         "section. `yoke\n"
         "rig` takes zeros and writes the file. `none`: without.",
         yk_keys_zero},
        {"`certificates`",
         "A map of channels (`a1.displacement`, `a1.force`, `sensor.NAME`) to calibrations, or the name of a file with "
         "such a section. It\n"
         "changes no reading.",
         yk_keys_certificate},
        {"`interfaces`", "A list; each entry is one row.", yk_keys_interface},
        {"`loads`",
         "A list; each entry is a signal on a degree of freedom (`on`) or a ground motion (`ground`).\n"
         "The settings of the signal are written next to these keys.",
         yk_keys_load},
        {"`record`",
         "Patterns work as for file names in a shell: `*` matches any text, including dots, `?` one character, `[xy]` "
         "one "
         "of\n"
         "these. Quote a pattern that begins with `*` or `!`. Telemetry and peaks have the same channels. `yoke check "
         "FILE\n"
         "--channels` lists all channels. See docs/recording.md.",
         yk_keys_record},
        {"`fine` and `ticks` of `record`", "", yk_keys_record_stream},
        {"`derived` of `record`", "A derived channel is a sum, written as text or as a map:", yk_keys_derived},
        {"`quality`", "Bounds for the verdict about a test; see docs/theory/verdict.md.", yk_keys_quality},
        {"`doubtful` of `quality`", "Numbers, not per cent. 0: this is not judged.", yk_doubtful_params},
        {"`unusable` of `quality`", "Numbers, not per cent. 0: never unusable for this reason.", yk_unusable_params},
        {0},
};
