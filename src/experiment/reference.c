/* The reference of the experiment file, in Markdown, from the tables the reader uses. */
#include "experiment/quality.h"
#include "experiment/setup.h"

#include "rig/virtual/plant/limits.h"
#include "transfer/setup.h"
#include <yoke/frame.h>
#include <yoke/plugin.h>
#include <yoke/transfer.h>

#include <string.h>

static void print_type(FILE *out, const struct yk_param *p)
{
    static const char *const words[] = {[YK_PARAM_REAL] = "number",        [YK_PARAM_COUNT] = "whole number",
                                        [YK_PARAM_FLAG] = "true or false", [YK_PARAM_REALS] = "list of numbers",
                                        [YK_PARAM_FILE] = "file",          [YK_PARAM_SERIES] = "file",
                                        [YK_PARAM_TEXT] = "text",          [YK_PARAM_WHOLE] = "whole number"};
    const char *unit = yk_quantity_unit(p->quantity);

    if (p->type == YK_PARAM_NODE) {
        fputs(p->choices, out);
        return;
    }
    if (p->type == YK_PARAM_POINTS) {
        fprintf(out, "list of points [force, deformation]%s%s%s", *p->choices ? ", or `" : "", p->choices,
                *p->choices ? "`" : "");
        return;
    }
    if (p->type == YK_PARAM_CHOICE) {
        for (const char *c = p->choices; c; c = yk_choice_next(c))
            fprintf(out, "%s`%.*s`", c == p->choices ? "" : ", ", (int)strcspn(c, "|"), c);
        return;
    }
    fputs(words[p->type], out);
    if (*unit)
        fprintf(out, " [%s]", unit);
}

static void print_default(FILE *out, const struct yk_param *p)
{
    if (isnan(p->fallback))
        fputs("required", out);
    else if (p->type == YK_PARAM_CHOICE && p->fallback < 0)
        fputs("automatic", out);
    else if (p->type == YK_PARAM_CHOICE) {
        const char *choice = yk_choice_at(p->choices, (int)p->fallback);

        fprintf(out, "`%.*s`", (int)strcspn(choice, "|"), choice);
    } else if (p->type == YK_PARAM_FLAG)
        fputs(p->fallback > 0 ? "true" : "false", out);
    else if (p->type == YK_PARAM_POINTS)
        fprintf(out, "`%s`", p->choices);
    else if (p->type != YK_PARAM_REAL && p->type != YK_PARAM_COUNT && p->type != YK_PARAM_WHOLE)
        return;
    else if (p->fallback < p->min)
        fputs("automatic", out); /* no value of its range: it follows from others */
    else
        fprintf(out, "%.6g", p->fallback);
}

static void print_range(FILE *out, const struct yk_param *p)
{
    if (p->type != YK_PARAM_REAL && p->type != YK_PARAM_COUNT && p->type != YK_PARAM_WHOLE && p->type != YK_PARAM_REALS)
        return;
    if (p->min == YK_TINY && p->max >= 1e6)
        fputs("positive", out);
    else if (p->min > -1e6 && p->max >= 1e6)
        fprintf(out, "from %.4g", p->min);
    else if (p->min == YK_TINY)
        fprintf(out, "above 0, to %.6g", p->max);
    else if (p->min > -1e6)
        fprintf(out, "%.6g .. %.6g", p->min, p->max);
}

static void print_table(FILE *out, const struct yk_param *params)
{
    if (!params || !params->name) {
        fputs("No settings.\n\n", out);
        return;
    }
    fputs("| key | value | default | range | meaning |\n|---|---|---|---|---|\n", out);
    for (const struct yk_param *p = params; p->name; p++) {
        fprintf(out, "| `%s` | ", p->name);
        print_type(out, p);
        fputs(" | ", out);
        print_default(out, p);
        fputs(" | ", out);
        print_range(out, p);
        fprintf(out, " | %s |\n", p->help);
    }
    fputc('\n', out);
}

/* "The integrator X": heading, summary and settings of one registered thing. */
static void entry(FILE *out, const char *name, const char *summary, const char *reference,
                  const struct yk_param *params)
{
    fprintf(out, "### `%s`\n\n%s%s%s%s.\n\n", name, summary, *reference ? " (" : "", reference, *reference ? ")" : "");
    print_table(out, params);
}

/* Every member of a family; the tables of all families have these fields. */
#define ENTRIES(out, family)                                                                                           \
    for (size_t i = 0; (family)[i]; i++)                                                                               \
    entry(out, (family)[i]->name, (family)[i]->summary, (family)[i]->reference, (family)[i]->params)

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

static void print_sections(FILE *out, const struct yk_keys_section *s)
{
    for (; s->title; s++) {
        fprintf(out, "## %s\n\n%s%s", s->title, s->text, *s->text ? "\n\n" : "");
        print_table(out, s->keys);
    }
}

static void print_keys(FILE *out)
{
    print_sections(out, yk_sections_before);
    for (const struct yk_builder_ops *const *m = yk_builders; *m; m++)
        print_sections(out, (*m)->sections);
    print_sections(out, yk_sections_after);
}

static void print_families(FILE *out)
{
    fputs("## Integrators\n\n", out);
    ENTRIES(out, yk_integrators);
    fputs("## Couplings\n\n", out);
    ENTRIES(out, yk_couplings);
    fputs("## Element laws\n\n", out);
    ENTRIES(out, yk_laws);
    fputs("## Signals\n\nUnits are those of forces; if the signal is a ground motion, they are those of "
          "accelerations.\n\n",
          out);
    ENTRIES(out, yk_signals);
    fputs("## Compensators\n\n", out);
    ENTRIES(out, yk_compensators);
    fputs("## Delay estimators\n\n", out);
    ENTRIES(out, yk_estimators);
    fputs("## Controllers\n\n", out);
    ENTRIES(out, yk_controllers);
    fputs("## Plants\n\n", out);
    ENTRIES(out, yk_plants);
    fputs("## Setups\n\n", out);
    ENTRIES(out, yk_setups);
    fputs("## Backends\n\nWhat connects Yoke to a rig. Their settings are written in `rig.settings`. See "
          "docs/backends.md.\n\n",
          out);
    ENTRIES(out, yk_rigs);
    fputs("## Substructures with their own equations\n\n", out);
    ENTRIES(out, yk_kinds);
}

void yk_plugin_reference(const struct yk_plugin *plugin, FILE *out)
{
    const struct yk_plugin_offer o = yk_plugin_offer(plugin);

    entry(out, o.name, o.summary, o.reference, o.params);
}

void yk_experiment_reference(FILE *out)
{
    fputs("# The experiment file\n\n"
          "Generated by `yoke reference` from the tables that the reader uses; do not edit. Whole files to start from "
          "are in\n"
          "docs/tutorial.md (section 10: a hybrid test) and examples/.\n\n"
          "An experiment file is YAML. Bare numbers are SI (kg, m, s, N, rad); a value may carry a unit instead, such "
          "as\n"
          "`16 ms`, `14.8 kN/m`, `0.4 g` or `3000 rpm`; its dimension is checked. Unknown keys are errors, and so\n"
          "are settings that have no effect next to the others. Names "
          "of data\n"
          "files are relative to the experiment file. `yoke run FILE --set KEY=VALUE` replaces a value, such as "
          "time.step or loads.0.peak (lists\n"
          "count from 0); another `method.integrator` or `method.coupling` keeps settings that mean the same to both "
          "methods and starts\nfrom its own defaults otherwise. A degree of freedom whose name "
          "starts with theta, phi, psi, rot, rx, ry or rz is a rotation: "
          "its\n"
          "channels are in rad.\n\n",
          out);
    print_keys(out);
    print_families(out);
}
