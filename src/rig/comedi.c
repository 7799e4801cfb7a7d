/* A data-acquisition card with a driver of Comedi. docs/backend-comedi.md.
 *
 * A tick is one list of instructions, carried out by the driver in one system call (ioctl): analogue outputs, digital
 * outputs, then digital and analogue inputs. Counts and values are proportional: the range of a channel is asked for
 * once, before the run. */
#include "rig/comedi.h"

#include <stdlib.h>

static const struct yk_param params[] = {
    YK_TEXT(struct yk_comedi_rig, device, 0, "device file of the card; default /dev/comedi0"),
    YK_NODE("map", "map of name to channel of a card", YK_REQUIRED,
            "where the card has a1.command, a1.force, sensors and lines"),
    YK_PARAM_END,
};

static void free_settings(struct yk_comedi_rig *u)
{
    free(u->points);
    free(u->device);
    u->points = NULL;
    u->device = NULL;
}

static const struct yk_comedi_point *find(const struct yk_comedi_rig *u, bool line, bool writes, size_t index)
{
    for (size_t k = 0; k < u->count; k++)
        if ((u->points[k].place == YK_COMEDI_DIGITAL) == line && u->points[k].writes == writes &&
            u->points[k].index == index)
            return &u->points[k];
    return NULL;
}

static bool carries(const void *map, bool line, bool writes, size_t index)
{
    return find(map, line, writes, index);
}

static enum yk_status check(const void *self, const struct yk_rig_plan *plan, struct yk_err *err)
{
    enum yk_status st = yk_wire_check(plan, err);
    bool stops = false;

    st = st ? st : yk_wire_carried(plan, "comedi", carries, self, err);
    for (size_t k = 0; k < plan->line_count; k++)
        stops |= plan->lines[k].role == YK_LINE_ENABLE || plan->lines[k].role == YK_LINE_WATCHDOG;
    if (!st && !stops)
        return yk_fail(err, YK_E_INPUT,
                       "comedi: no line has the role watchdog or enable: the card keeps its last voltages when the "
                       "program ends or dies. Let a relay take the power from the actuators when a digital output "
                       "stands still: lines: { alive: { role: watchdog } }, and map: { alive: { digital: 0 } }");
    return st;
}

#ifdef YOKE_COMEDI
#include <comedilib.h>
#include <math.h>
#include <string.h>

enum { SUBDEVICES = 64 };

struct yk_comedi_card {
    comedi_t *file;
    comedi_insn *instructions; /* one for each point, in its order */
    lsampl_t (*data)[2];
    size_t analogue, writes; /* the first are analogue outputs, then digital ones; readings follow */
    size_t actuators, sensors;
    double values[YK_WIRE_VALUES]; /* newest */
    uint32_t lines;
    const char *words; /* why it was lost or refuses */
    bool lost;
    bool locked[SUBDEVICES];
};

/* ---- in the loop ---- */

/* Carries out `count` instructions from `first` on. */
YK_RT static bool carry_out(struct yk_comedi_card *c, size_t first, size_t count)
{
    comedi_insnlist list = {(unsigned)count, c->instructions + first};
    const int done = count ? comedi_do_insnlist(c->file, &list) : 0;

    if (done != (int)count) {
        const char *known = done < 0 ? strerrordesc_np(comedi_errno()) : "the card carried out a part of the tick only";

        c->words = known ? known : "the driver of the card reports an unknown error";
    }
    return done == (int)count;
}

/* Commands and lines to counts; false: a command is beyond the range of its output. */
YK_RT static bool encode(struct yk_comedi_rig *u, const double *command, uint32_t lines)
{
    struct yk_comedi_card *c = u->card;

    for (size_t k = 0; k < c->writes; k++) {
        const struct yk_comedi_point *p = &u->points[k];

        if (p->place == YK_COMEDI_DIGITAL) {
            c->data[k][0] = 1; /* mask, counted from the channel on */
            c->data[k][1] = lines >> p->index & 1;
            continue;
        }
        const double count = round((command[p->index] - p->lowest) / p->step);
        if (!(count >= 0 && count <= p->last)) {
            c->words = p->beyond;
            return false;
        }
        c->data[k][0] = (lsampl_t)count;
    }
    return true;
}

/* Counts to readings; false: one is at the end of its range and keeps its last value. */
YK_RT static bool decode(struct yk_comedi_rig *u, struct yk_rig_in *in)
{
    struct yk_comedi_card *c = u->card;
    bool good = true;

    for (size_t k = c->writes; k < u->count; k++) {
        const struct yk_comedi_point *p = &u->points[k];
        const double count = c->data[k][0];

        if (p->place == YK_COMEDI_DIGITAL) {
            c->lines = (c->lines & ~(UINT32_C(1) << p->index)) | (uint32_t)(c->data[k][1] & 1) << p->index;
        } else if (count >= p->last || (count <= 0 && p->ends_at_zero)) {
            c->words = p->beyond;
            good = false;
        } else {
            c->values[p->index] = p->step * count + p->lowest;
        }
    }
    yk_wire_hand_over(c->values, c->actuators, c->sensors, in);
    in->lines = c->lines;
    return good;
}

/* The masks of what is only read; drivers return theirs in the same place. */
YK_RT static void clear_inputs(struct yk_comedi_rig *u)
{
    for (size_t k = u->card->writes; k < u->count; k++)
        memset(u->card->data[k], 0, sizeof u->card->data[k]);
}

YK_RT static enum yk_rig_answer exchange(void *self, const struct yk_rig_out *out, struct yk_rig_in *in)
{
    struct yk_comedi_rig *u = self;
    struct yk_comedi_card *c = u->card;
    const bool sends = !c->lost && encode(u, out->command, out->lines);
    const size_t first = sends ? 0 : c->writes; /* what cannot be sent leaves the outputs as they are */

    clear_inputs(u);
    c->lost = c->lost || !carry_out(c, first, u->count - first);
    if (c->lost) { /* for good, as with every backend */
        yk_wire_hand_over(c->values, c->actuators, c->sensors, in);
        in->lines = c->lines;
        return YK_RIG_LOST;
    }
    return decode(u, in) && sends ? YK_RIG_FRESH : YK_RIG_REFUSED;
}

YK_RT static const char *reason(const void *self)
{
    return ((const struct yk_comedi_rig *)self)->card->words;
}

/* Lines only: the outputs keep their voltages. */
YK_RT static void cut(void *self, uint32_t lines)
{
    struct yk_comedi_rig *u = self;
    struct yk_comedi_card *c = u->card;

    for (size_t k = c->analogue; k < c->writes; k++) {
        c->data[k][0] = 1;
        c->data[k][1] = lines >> u->points[k].index & 1;
    }
    carry_out(c, c->analogue, c->writes - c->analogue);
    c->lost = true;
}

/* ---- preparation ---- */

/* Sorts points: outputs before inputs, each in the order of a tick. */
static int order(const void *a, const void *b)
{
    const struct yk_comedi_point *p = a, *q = b;

    return p->writes != q->writes ? q->writes - p->writes : (int)p->place - (int)q->place;
}

static enum yk_status failed(const struct yk_comedi_point *p, const char *what, struct yk_err *err)
{
    return yk_fail_at(err, YK_E_IO, p->where, "comedi: '%s': subdevice %d, channel %d: %s: %s", p->name, p->subdevice,
                      p->channel, what, comedi_strerror(comedi_errno()));
}

/* Finds the subdevice, unless the file names it, and locks it: another program must not write there. */
static enum yk_status take_subdevice(struct yk_comedi_card *c, struct yk_comedi_point *p, int *type, struct yk_err *err)
{
    static const char *const words[] = {"analogue outputs", "analogue inputs", "digital lines"};
    const int kinds[][2] = {{COMEDI_SUBD_AO, COMEDI_SUBD_AO},
                            {COMEDI_SUBD_AI, COMEDI_SUBD_AI},
                            {COMEDI_SUBD_DIO, p->writes ? COMEDI_SUBD_DO : COMEDI_SUBD_DI}};
    const int *kind = kinds[p->place];

    for (int k = 0; k < 2 && p->subdevice < 0; k++)
        p->subdevice = comedi_find_subdevice_by_type(c->file, kind[k], 0);
    *type = p->subdevice < 0 || p->subdevice >= comedi_get_n_subdevices(c->file) || p->subdevice >= SUBDEVICES
                ? -1
                : comedi_get_subdevice_type(c->file, (unsigned)p->subdevice);
    if (*type < 0 || (*type != kind[0] && *type != kind[1]))
        return p->subdevice < 0
                   ? yk_fail_at(err, YK_E_INPUT, p->where, "comedi: '%s': the card has no %s", p->name, words[p->place])
                   : yk_fail_at(err, YK_E_INPUT, p->where, "comedi: '%s': subdevice %d has no %s", p->name,
                                p->subdevice, words[p->place]);
    const int channels = comedi_get_n_channels(c->file, (unsigned)p->subdevice);
    if (p->channel >= channels)
        return yk_fail_at(err, YK_E_RANGE, p->where, "comedi: '%s': channel %d; subdevice %d has channels 0 .. %d",
                          p->name, p->channel, p->subdevice, channels - 1);
    if (!c->locked[p->subdevice] && comedi_lock(c->file, (unsigned)p->subdevice) < 0)
        return failed(p, "cannot be locked", err);
    c->locked[p->subdevice] = true;
    return YK_OK;
}

/* The voltage of a count; a command that may be sent must be within the range. */
static enum yk_status fit_range(struct yk_comedi_card *c, struct yk_comedi_point *p, struct yk_err *err)
{
    const unsigned s = (unsigned)p->subdevice, channel = (unsigned)p->channel;
    const int ranges = comedi_get_n_ranges(c->file, s, channel);

    if (p->range >= ranges)
        return yk_fail_at(err, YK_E_RANGE, p->where, "comedi: '%s': range %d; this channel has ranges 0 .. %d", p->name,
                          p->range, ranges - 1);
    const comedi_range *r = comedi_get_range(c->file, s, channel, (unsigned)p->range);
    p->last = comedi_get_maxdata(c->file, s, channel);
    if (!r || !(p->last > 0) || r->unit != UNIT_volt)
        return yk_fail_at(err, YK_E_INPUT, p->where, "comedi: '%s': range %d is not one of volts", p->name, p->range);
    p->step = (r->max - r->min) / p->last;
    p->lowest = r->min;
    p->ends_at_zero = r->min < 0;
    snprintf(p->beyond, sizeof p->beyond,
             p->writes ? "%.64s is beyond the range of its output"
                       : "%.64s is at the end of the range of its input: overload, or a loose wire",
             p->name);
    if (p->writes && (p->most > r->max || p->least < r->min))
        return yk_fail_at(err, YK_E_RANGE, p->where,
                          "comedi: '%s': up to the limit of its actuator it needs %g .. %g V; its range is %g .. %g V. "
                          "Take a smaller limit, another range or another scale",
                          p->name, p->least, p->most, r->min, r->max);
    return YK_OK;
}

/* Outputs are off before and after they become outputs: drivers differ in what they keep. */
static enum yk_status direct(struct yk_comedi_card *c, const struct yk_comedi_point *p, bool off, struct yk_err *err)
{
    const unsigned s = (unsigned)p->subdevice, channel = (unsigned)p->channel;

    if ((p->writes && comedi_dio_write(c->file, s, channel, off) < 0) ||
        comedi_dio_config(c->file, s, channel, p->writes ? COMEDI_OUTPUT : COMEDI_INPUT) < 0 ||
        (p->writes && comedi_dio_write(c->file, s, channel, off) < 0))
        return failed(p, p->writes ? "cannot be an output" : "cannot be an input", err);
    return YK_OK;
}

static enum yk_status prepare(struct yk_comedi_rig *u, const struct yk_rig_plan *plan, struct yk_err *err)
{
    struct yk_comedi_card *c = u->card;
    enum yk_status st = YK_OK;
    int type;

    for (size_t k = 0; k < u->count && !st; k++) {
        struct yk_comedi_point *p = &u->points[k];
        const bool digital = p->place == YK_COMEDI_DIGITAL;

        if (!(st = take_subdevice(c, p, &type, err)) && digital && type == COMEDI_SUBD_DIO)
            st = direct(c, p, plan->lines[p->index].inverted, err);
        else if (!st && !digital)
            st = fit_range(c, p, err);
        c->analogue += p->writes && !digital;
        c->writes += p->writes;
        c->instructions[k] =
            (comedi_insn){.insn = digital     ? INSN_BITS
                                  : p->writes ? INSN_WRITE
                                              : INSN_READ,
                          .n = digital ? 2 : 1,
                          .data = c->data[k],
                          .subdev = (unsigned)p->subdevice,
                          .chanspec = CR_PACK((unsigned)p->channel, (unsigned)p->range, (unsigned)p->reference)};
    }
    for (size_t k = 0; k < u->count && !st; k++) { /* some cards direct lines by the port */
        const struct yk_comedi_point *p = &u->points[k];
        unsigned now = p->writes ? COMEDI_OUTPUT : COMEDI_INPUT;

        if (p->place == YK_COMEDI_DIGITAL &&
            comedi_get_subdevice_type(c->file, (unsigned)p->subdevice) == COMEDI_SUBD_DIO &&
            (comedi_dio_get_config(c->file, (unsigned)p->subdevice, (unsigned)p->channel, &now) < 0 ||
             (now == COMEDI_OUTPUT) != p->writes))
            st = yk_fail_at(err, YK_E_INPUT, p->where, "comedi: '%s': the card cannot have channel %d as an %s%s",
                            p->name, p->channel, p->writes ? "output" : "input",
                            " beside the other lines; it may direct several of them together");
    }
    return st;
}

static void close_rig(void *self)
{
    struct yk_comedi_rig *u = self;
    struct yk_comedi_card *c = u->card;

    if (c && c->file)
        comedi_close(c->file); /* the driver forgets our locks */
    if (c) {
        free(c->instructions);
        free(c->data);
    }
    free(c);
    u->card = NULL;
    free_settings(u);
}

static enum yk_status open_rig(void *self, const struct yk_rig_plan *plan, struct yk_err *err)
{
    struct yk_comedi_rig *u = self;
    const char *device = u->device ? u->device : "/dev/comedi0";
    struct yk_comedi_card *c;
    enum yk_status st;

    if ((st = check(u, plan, err)))
        return st;
    if (!(c = u->card = calloc(1, sizeof *c)) || !(c->instructions = calloc(u->count + 1, sizeof *c->instructions)) ||
        !(c->data = calloc(u->count + 1, sizeof *c->data)))
        return yk_fail(err, YK_E_MEMORY, "out of memory for the rig");
    c->words = "";
    c->actuators = plan->count;
    c->sensors = plan->sensor_count;
    qsort(u->points, u->count, sizeof *u->points, order);
    comedi_loglevel(0); /* it would print its errors */
    if (!(c->file = comedi_open(device)))
        return yk_fail(err, YK_E_IO, "comedi: %s: %s", device, comedi_strerror(comedi_errno()));
    return prepare(u, plan, err);
}

/* Reads only: nothing moves. */
static enum yk_status rest(void *self, const double *x, struct yk_rig_in *in, struct yk_err *err)
{
    struct yk_comedi_rig *u = self;
    struct yk_comedi_card *c = u->card;

    clear_inputs(u);
    c->lost = !carry_out(c, c->writes, u->count - c->writes);
    return !c->lost && decode(u, in) ? YK_OK : yk_fail(err, YK_E_IO, "comedi: no readings: %s", c->words);
}

/* The first commands and the lines that go with them, before the first motion and after the last. */
static enum yk_status enable(void *self, bool on, const struct yk_rig_out *out, struct yk_err *err)
{
    struct yk_comedi_rig *u = self;
    struct yk_comedi_card *c = u->card;

    if ((encode(u, out->command, out->lines) && carry_out(c, 0, c->writes)) || !on)
        return YK_OK;
    return yk_fail(err, YK_E_IO, "comedi: the card does not take commands: %s", c->words);
}
#else
static enum yk_status open_rig(void *self, const struct yk_rig_plan *plan, struct yk_err *err)
{
    return yk_fail(err, YK_E_UNSUPPORTED,
                   "this program was built without libcomedi (Debian: libcomedi-dev): no backend comedi");
}

static void close_rig(void *self)
{
    free_settings(self);
}
#endif

const struct yk_rig_ops yk_rig_comedi = {
    .name = "comedi",
    .summary = "analogue and digital channels of a data-acquisition card with a driver of Comedi",
    .reference = "docs/backend-comedi.md",
    .params = params,
    .size = sizeof(struct yk_comedi_rig),
    .can = YK_RIG_COMMANDS | YK_RIG_SENSORS | YK_RIG_LINES,
    .open = open_rig,
    .close = close_rig,
    .check = check,
#ifdef YOKE_COMEDI /* otherwise nothing is ever opened */
    .rest = rest,
    .enable = enable,
    .exchange = exchange,
    .reason = reason,
    .cut = cut,
#endif
};
