/* Lists a bus, and writes an experiment file for it. */
#include "scan.h"

#include <math.h>
#include <string.h>

enum { CONTROL = 0x6040, POSITION = 0x6064, AXIS = 0x0800, AXES = 8 };
enum { ENCODER = 0x608F, GEAR = 0x6091, FEED = 0x6092, SI_UNIT = 0x60A8, METRE = 0x01 };

/* ---- what a slave is ---- */

/* Entries of a drive: what the master drives by itself has no channel. */
static bool is_housekeeping(const struct yk_ec_entry *e)
{
    const unsigned index = e->index >= 0x6000 && e->index < 0xA000 ? e->index % AXIS + 0x6000 : e->index;

    return index == CONTROL || index == CONTROL + 1 || index == 0x6060 || index == 0x6061 || index == 0x603F;
}

/* The first entry of a drive that carries its target or its position: by its number, otherwise the first there is. */
static const struct yk_ec_placed *signal_of(const struct yk_ec_slave *s, bool to_slave, size_t number)
{
    static const uint16_t known[2][3] = {{POSITION, 0x606C, 0x6077}, {0x607A, 0x60FF, 0x6071}};

    for (int i = 0; i < 3 && number == 0; i++)
        for (size_t k = 0; k < s->placed_count; k++)
            if (s->placed[k].to_slave == to_slave && s->placed[k].entry.index == known[to_slave][i])
                return &s->placed[k];
    for (size_t k = 0; k < s->placed_count; k++)
        if (s->placed[k].to_slave == to_slave && s->placed[k].entry.type != YK_EC_GAP &&
            !is_housekeeping(&s->placed[k].entry) && number-- == 0)
            return &s->placed[k];
    return NULL;
}

static bool is_drive(const struct yk_ec_slave *s)
{
    for (size_t i = 0; i < s->placed_count; i++)
        if (s->placed[i].to_slave && s->placed[i].entry.index == CONTROL)
            return signal_of(s, true, 0) && signal_of(s, false, 0);
    return false;
}

static const char *mode_of(const struct yk_ec_slave *s)
{
    const unsigned target = signal_of(s, true, 0)->entry.index;

    return target == 0x60FF ? "csv" : target == 0x6071 ? "cst" : "csp";
}

/* ---- the bus ---- */

/* A device tells its name in an object, mostly longer than that of the SII. */
static void read_name(struct yk_ec_master *m, size_t k)
{
    struct yk_ec_sii *sii = &m->slaves[k].sii;
    size_t n = 0;

    if (yk_ec_upload(m, k, 0x1008, 0, NULL))
        return;
    for (; n < m->sdo.size && n + 1 < sizeof sii->name && m->sdo.data[n] >= ' ' && m->sdo.data[n] < 127; n++)
        sii->name[n] = (char)m->sdo.data[n];
    sii->name[n] = 0;
}

/* Subindex 1 over subindex 2 of an object; 0: the slave does not have it. */
static double read_ratio(struct yk_ec_master *m, size_t k, uint16_t index)
{
    double parts[2];

    for (int i = 0; i < 2; i++) {
        if (yk_ec_upload(m, k, index, (uint8_t)(i + 1), NULL))
            return 0;
        parts[i] = (double)yk_le_get(m->sdo.data, m->sdo.size < 4 ? (int)m->sdo.size : 4);
    }
    return parts[1] > 0 ? parts[0] / parts[1] : 0;
}

/* CiA 402: a turn of the shaft is `feed` units of position; a drive without a feed counts increments of its encoder. */
static void read_scale(struct yk_ec_master *m, size_t k)
{
    struct yk_ec_slave *s = &m->slaves[k];
    const double encoder = read_ratio(m, k, ENCODER), gear = read_ratio(m, k, GEAR), feed = read_ratio(m, k, FEED);

    s->counts_per_turn = feed > 1 ? feed : encoder * (gear > 0 ? gear : 1);
    if (!yk_ec_upload(m, k, SI_UNIT, 0, NULL) && m->sdo.size == 4 && m->sdo.data[2] == METRE && !m->sdo.data[1])
        s->metres_per_count = pow(10, (int8_t)m->sdo.data[3]);
}

enum yk_status yk_ec_scan(struct yk_ec_master *m, double patience_s, struct yk_err *err)
{
    enum yk_status st = yk_ec_discover(m, patience_s, err);

    for (size_t k = 0; k < m->count && !st; k++)
        if (!(st = yk_ec_open_mailbox(m, k, err)) && !(st = yk_ec_change_state(m, k, YK_EC_PREOP, patience_s, err)) &&
            !(st = yk_ec_map(m, k, NULL, err))) {
            read_name(m, k);
            if (is_drive(&m->slaves[k]))
                read_scale(m, k);
        }
    return st;
}

/* The entries of one direction by PDO: "0x1600: [0x6040:0:u16, 0x607A:0:i32]", separated. */
static void print_pdos(FILE *out, const struct yk_ec_slave *s, bool to_slave)
{
    unsigned pdo = 0;

    for (size_t i = 0; i < s->placed_count; i++) {
        const struct yk_ec_placed *p = &s->placed[i];

        if (p->to_slave != to_slave)
            continue;
        if (p->pdo != pdo)
            fprintf(out, "%s0x%04X: [", pdo ? "], " : "", p->pdo);
        fprintf(out, "%s%s", p->pdo != pdo ? "" : ", ", yk_ec_entry_format(&p->entry).text);
        pdo = p->pdo;
    }
    if (pdo)
        fputc(']', out);
}

void yk_ec_print(FILE *out, const struct yk_ec_master *m)
{
    fprintf(out, "%-7s%-42s%-12s%-12s%-12s%-8s%s\n", "slave", "name", "vendor", "product", "revision", "state",
            "clock");
    for (size_t k = 0; k < m->count; k++) {
        const struct yk_ec_slave *s = &m->slaves[k];

        fprintf(out, "%-7zu%-42.41s0x%08X  0x%08X  0x%08X  %-8s%s\n", k + 1, *s->sii.name ? s->sii.name : s->sii.order,
                s->sii.vendor, s->sii.product, s->sii.revision, yk_ec_state_name(s->found_in),
                !s->has_clock                       ? "-"
                : m->has_clock && k == m->reference ? "reference"
                                                    : "yes");
        for (int to_slave = 1; to_slave >= 0; to_slave--)
            if (to_slave ? s->out_bits : s->in_bits) {
                fprintf(out, "       %s ", to_slave ? "outputs" : "inputs ");
                print_pdos(out, s, to_slave);
                fputc('\n', out);
            }
    }
}

/* ---- a file to start from ---- */

static void write_slaves(FILE *out, const struct yk_ec_master *m)
{
    fputs("    slaves:\n", out);
    for (size_t k = 0; k < m->count; k++) {
        const struct yk_ec_slave *s = &m->slaves[k];

        fprintf(out, "      # %s\n      %s%zu:\n        vendor: 0x%X\n        product: 0x%X\n        revision: 0x%X\n",
                *s->sii.name ? s->sii.name : s->sii.order, is_drive(s) ? "drive" : "slave", k + 1, s->sii.vendor,
                s->sii.product, s->sii.revision);
        if (is_drive(s))
            fprintf(out, "        drive: %s\n", mode_of(s));
        for (int to_slave = 1; to_slave >= 0; to_slave--)
            if (to_slave ? s->out_bits : s->in_bits) {
                fprintf(out, "        %s: { ", to_slave ? "outputs" : "inputs");
                print_pdos(out, s, to_slave);
                fputs(" }\n", out);
            }
    }
}

/* Channels that an entry of a terminal may be wired to. */
enum purpose { SENSOR, LINE_IN, LINE_OUT, NO_PURPOSE };

static enum purpose purpose_of(const struct yk_ec_placed *p)
{
    if (p->entry.type == YK_EC_BOOL)
        return p->to_slave ? LINE_OUT : LINE_IN;
    return !p->to_slave && p->entry.type != YK_EC_GAP && p->entry.type != YK_EC_U16 ? SENSOR : NO_PURPOSE;
}

/* A line of the file about an entry: its number among those of its purpose, and its slave. */
typedef void tell(FILE *out, const struct yk_ec_master *m, size_t number, size_t k, const struct yk_ec_placed *p);

/* For each entry of a terminal with this purpose; inputs and outputs are numbered together. */
static void each_entry(FILE *out, const struct yk_ec_master *m, enum purpose purpose, tell *tell_one)
{
    size_t number = 0;

    for (size_t k = 0; k < m->count; k++)
        for (size_t i = 0; i < m->slaves[k].placed_count && !is_drive(&m->slaves[k]); i++) {
            const struct yk_ec_placed *p = &m->slaves[k].placed[i];
            const enum purpose is = purpose_of(p);

            number += is != NO_PURPOSE && (is == SENSOR) == (purpose == SENSOR);
            if (is == purpose)
                tell_one(out, m, number, k, p);
        }
}

/* The status word of an analogue input: subindex 1 of its object, 16 bits. */
static const struct yk_ec_placed *status_of(const struct yk_ec_slave *s, const struct yk_ec_placed *value)
{
    for (size_t i = 0; i < s->placed_count; i++)
        if (!s->placed[i].to_slave && s->placed[i].entry.index == value->entry.index &&
            s->placed[i].entry.subindex == 1 && s->placed[i].entry.type == YK_EC_U16)
            return &s->placed[i];
    return NULL;
}

static void tell_sensor_channel(FILE *out, const struct yk_ec_master *m, size_t number, size_t k,
                                const struct yk_ec_placed *p)
{
    const struct yk_ec_placed *status = status_of(&m->slaves[k], p);

    fprintf(out, "      s%zu: { slave: slave%zu, entry: 0x%04X:%d", number, k + 1, p->entry.index, p->entry.subindex);
    if (status)
        fprintf(out, ", status: 0x%04X:%d", status->entry.index, status->entry.subindex);
    fputs(" }\n", out);
}

static void tell_line_channel(FILE *out, const struct yk_ec_master *m, size_t number, size_t k,
                              const struct yk_ec_placed *p)
{
    fprintf(out, "      %sl%zu: { slave: slave%zu, entry: 0x%04X:%d }\n", p->to_slave ? "# " : "", number, k + 1,
            p->entry.index, p->entry.subindex);
}

static void tell_sensor(FILE *out, const struct yk_ec_master *m, size_t number, size_t k, const struct yk_ec_placed *p)
{
    fprintf(out, "%s    s%zu: { unit: counts, measures: a1.force }\n", number == 1 ? "  sensors:\n" : "", number);
}

/* The purpose of a line is not known: an input has no role until somebody fills it in, an output stays a comment. */
static void tell_line(FILE *out, const struct yk_ec_master *m, size_t number, size_t k, const struct yk_ec_placed *p)
{
    fprintf(out, "    %sl%zu: { role: fill_in }   # %s\n", p->to_slave ? "# " : "", number,
            p->to_slave ? "enable, run_lamp, warning_lamp or trip_lamp" : "interlock, emergency_stop or input");
}

/* The scale of a position: told by the drive, or to be filled in. */
static void write_scale(FILE *out, const struct yk_ec_slave *s)
{
    if (s->metres_per_count > 0)
        fprintf(out, "scale: %g }   # as 0x60A8 of the drive says\n", s->metres_per_count);
    else if (s->counts_per_turn > 0)
        fprintf(
            out,
            "scale: fill_in }   # travel of one turn / %.10g counts, as 0x608F, 0x6091 and 0x6092 of the drive say\n",
            s->counts_per_turn);
    else
        fputs("scale: fill_in }   # of one count, such as 0.1 um\n", out);
}

static void write_drive_channels(FILE *out, const struct yk_ec_slave *s, size_t actuator, size_t k)
{
    const struct yk_ec_placed *force = signal_of(s, false, 1);

    for (int to_slave = 1; to_slave >= 0; to_slave--) {
        const struct yk_ec_entry *e = &signal_of(s, to_slave, 0)->entry;

        fprintf(out, "      a%zu.%s: { slave: drive%zu, entry: 0x%04X:%d }\n", actuator,
                to_slave ? "command" : "displacement", k + 1, e->index, e->subindex);
    }
    if (force && force->entry.type == YK_EC_F64)
        fprintf(out, "      a%zu.force: { slave: drive%zu, entry: 0x%04X:%d }   # to be confirmed\n", actuator, k + 1,
                force->entry.index, force->entry.subindex);
    else
        fprintf(out,
                "      # a%zu.force: { slave: ?, entry: ?, status: ? }   # its load cell; the file is "
                "refused without it\n",
                actuator);
}

static void write_channels(FILE *out, const struct yk_ec_master *m)
{
    size_t actuator = 0;

    fputs("    channels:\n", out);
    for (size_t k = 0; k < m->count; k++)
        if (is_drive(&m->slaves[k]))
            write_drive_channels(out, &m->slaves[k], ++actuator, k);
    each_entry(out, m, SENSOR, tell_sensor_channel);
    each_entry(out, m, LINE_IN, tell_line_channel);
    each_entry(out, m, LINE_OUT, tell_line_channel);
}

/* The section `channels`: what the numbers mean. */
static void write_scales(FILE *out, const struct yk_ec_master *m)
{
    size_t actuator = 0;

    fputs("channels:   # value = scale * count + offset\n", out);
    for (size_t k = 0; k < m->count; k++) {
        const struct yk_ec_slave *s = &m->slaves[k];
        const struct yk_ec_placed *force = is_drive(s) ? signal_of(s, false, 1) : NULL;

        if (!is_drive(s))
            continue;
        actuator++;
        for (int to_slave = 1; to_slave >= 0; to_slave--) {
            fprintf(out, "  a%zu.%s: { raw: count, ", actuator, to_slave ? "command" : "displacement");
            write_scale(out, s);
        }
        if (!force || force->entry.type != YK_EC_F64)
            fprintf(out, "  # a%zu.force: { raw: count, scale: ? }   # newtons for one count of its load cell\n",
                    actuator);
    }
}

static void write_lines(FILE *out, const struct yk_ec_master *m)
{
    bool inputs = false, outputs = false;

    for (size_t k = 0; k < m->count; k++)
        for (size_t i = 0; i < m->slaves[k].placed_count && !is_drive(&m->slaves[k]); i++) {
            inputs |= purpose_of(&m->slaves[k].placed[i]) == LINE_IN;
            outputs |= purpose_of(&m->slaves[k].placed[i]) == LINE_OUT;
        }
    if (inputs || outputs)
        fprintf(out, "  %slines:\n", inputs ? "" : "# ");
    each_entry(out, m, LINE_IN, tell_line);
    each_entry(out, m, LINE_OUT, tell_line);
}

/* `text` for each of n, separated; # stands for its number. */
static void repeat(FILE *out, size_t n, const char *text, const char *between)
{
    for (size_t i = 1; i <= n; i++) {
        fputs(i > 1 ? between : "", out);
        for (const char *c = text; *c; c++)
            if (*c == '#')
                fprintf(out, "%zu", i);
            else
                fputc(*c, out);
    }
}

void yk_ec_write_file(FILE *out, const struct yk_ec_master *m, const char *interface)
{
    size_t n = 0;

    for (size_t k = 0; k < m->count; k++)
        n += is_drive(&m->slaves[k]);
    fputs(
        "# Written by `yoke ethercat scan`. Fill in names, scales, forces, roles, the model and the limits: the file\n"
        "# is refused as long as it says fill_in. Digital outputs are comments: nothing is switched that nobody has\n"
        "# named. Then `yoke check`, a run on the virtual rig (--set rig.backend=virtual --set 'rig.settings={}'), "
        "and\n"
        "# only then the real one.\n"
        "# EtherCAT(R) is a registered trademark and patented technology, licensed by Beckhoff Automation GmbH, "
        "Germany.\n"
        "title: A rig on an EtherCAT bus\n"
        "time: { step: 10 ms, end: 10 s, control_rate: 1 kHz }\n"
        "method: { integrator: lsrt2 }\n"
        "substructures:\n"
        "  frame: { kind: linear, dofs: [",
        out);
    repeat(out, n, "x#", ", ");
    fputs("], mass: [", out);
    repeat(out, n, "1 t", ", ");
    fputs("], damping: [", out);
    repeat(out, n, "500", ", ");
    fputs("], stiffness: [", out);
    repeat(out, n, "40 kN/m", ", ");
    fputs("] }\n", out);
    repeat(out, n,
           "  specimen#: { role: physical, dofs: [x], actuators: { x: a# }, estimate: { stiffness: [20 kN/m] } }\n",
           "");
    fputs("interfaces:\n", out);
    repeat(out, n, "  - { join: [frame.x#, specimen#.x] }\n", "");
    fputs("loads:\n", out);
    repeat(out, n, "  - { on: frame.x#, kind: sine, amplitude: 10 N, frequency: 1 Hz }\n", "");
    fputs("transfer:\n", out);
    repeat(out, n, "  a#: {}\n", "");
    fprintf(out, "rig:\n  backend: ethercat\n  settings:\n    interface: %s\n    clock: %s\n", interface,
            m->has_clock ? "true" : "false");
    write_slaves(out, m);
    write_channels(out, m);
    fputs("  actuators:   # for `yoke check` and rehearsals on the virtual rig\n", out);
    repeat(out, n, "    a#: { plant: { kind: first-order, time_constant: 2 ms } }\n", "");
    fputs("  specimens:\n", out);
    repeat(out, n, "    specimen#: { kind: linear, dofs: [x], mass: [0], stiffness: [20 kN/m] }\n", "");
    each_entry(out, m, SENSOR, tell_sensor);
    write_lines(out, m);
    fputs("limits: { displacement: 10 mm, command_rate: 50 mm/s, force: 1 kN, tracking_error: 2 mm }\n", out);
    write_scales(out, m);
}
