/* A card for the tests of the backend `comedi`, in the place of libcomedi: inputs of +-10 V or +-5 V, outputs of +-10 V
 * or 0 .. 10 V, both of 16 bits, and 8 digital lines that are directed in two ports of four. Each write of output 0
 * moves an actuator of examples/comedi/card.yaml by a tick of 2 ms: first-order lag of 2 ms, 10 mm for a volt; inputs 0
 * and 1 measure it and the force of a spring, 100 N for a volt. The variable FAKE_COMEDI names a fault. YOKE_WIRE_LOG
 * names a file for the wall time of every command, in lines "seconds volts good"; after YOKE_WIRE_AFTER of them the
 * force is beyond its range; if YOKE_WIRE_FAULT is deaf, the driver is instead busy for YOKE_WIRE_DEAF ms, once, before
 * it takes a command; if it is pause, nothing happens. */
#include <comedilib.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { AI, AO, DIO, SUBDEVICES, LAST_COUNT = 65535, HEALTHY = 1200 /* ticks before a fault in a run */ };

struct comedi_t_struct {
    double volts; /* of the measured displacement */
    int ticks;
    bool output[2], locked[SUBDEVICES];
    unsigned levels;
};
static struct comedi_t_struct card;
static comedi_range ranges[][2] = {{{-10, 10, UNIT_volt}, {-5, 5, UNIT_volt}},
                                   {{-10, 10, UNIT_volt}, {0, 10, UNIT_volt}}};
static int trouble;

static bool fault(const char *word)
{
    const char *set = getenv("FAKE_COMEDI");

    return set && strcmp(set, word) == 0;
}

static int set_error(int number)
{
    trouble = number;
    return -1;
}

comedi_t *comedi_open(const char *path)
{
    if (fault("missing") || strcmp(path, "/dev/comedi0") != 0) {
        set_error(ENOENT);
        return NULL;
    }
    card.levels |= 1; /* the door is closed */
    return &card;
}

int comedi_close(comedi_t *it)
{
    memset(it->locked, 0, sizeof it->locked);
    return 0;
}

int comedi_loglevel(int level)
{
    return level;
}

int comedi_errno(void)
{
    return trouble;
}

const char *comedi_strerror(int number)
{
    return strerror(number);
}

int comedi_get_n_subdevices(comedi_t *it)
{
    return SUBDEVICES;
}

int comedi_get_subdevice_type(comedi_t *it, unsigned s)
{
    static const int types[SUBDEVICES] = {COMEDI_SUBD_AI, COMEDI_SUBD_AO, COMEDI_SUBD_DIO};

    return s == AO && fault("no outputs") ? COMEDI_SUBD_UNUSED : s < SUBDEVICES ? types[s] : set_error(EINVAL);
}

int comedi_find_subdevice_by_type(comedi_t *it, int type, unsigned from)
{
    for (unsigned s = from; s < SUBDEVICES; s++)
        if (comedi_get_subdevice_type(it, s) == type)
            return (int)s;
    return -1;
}

int comedi_get_n_channels(comedi_t *it, unsigned s)
{
    return s == AI ? 16 : s == AO ? 2 : 8;
}

int comedi_lock(comedi_t *it, unsigned s)
{
    if (fault("busy") || it->locked[s])
        return set_error(EBUSY);
    it->locked[s] = true;
    return 0;
}

int comedi_get_n_ranges(comedi_t *it, unsigned s, unsigned channel)
{
    return 2;
}

comedi_range *comedi_get_range(comedi_t *it, unsigned s, unsigned channel, unsigned range)
{
    return &ranges[s][range];
}

lsampl_t comedi_get_maxdata(comedi_t *it, unsigned s, unsigned channel)
{
    return LAST_COUNT;
}

int comedi_dio_write(comedi_t *it, unsigned s, unsigned channel, unsigned level)
{
    it->levels = (it->levels & ~(1U << channel)) | level << channel;
    return 1;
}

int comedi_dio_config(comedi_t *it, unsigned s, unsigned channel, unsigned direction)
{
    it->output[channel / 4] = direction == COMEDI_OUTPUT;
    return 1;
}

int comedi_dio_get_config(comedi_t *it, unsigned s, unsigned channel, unsigned *direction)
{
    *direction = it->output[channel / 4] ? COMEDI_OUTPUT : COMEDI_INPUT;
    return 0;
}

static double to_volts(unsigned s, unsigned range, lsampl_t count)
{
    const comedi_range *r = &ranges[s][range];

    return r->min + (r->max - r->min) * count / LAST_COUNT;
}

static lsampl_t to_count(unsigned range, double volts)
{
    const comedi_range *r = &ranges[AI][range];

    return (lsampl_t)fmax(0, fmin(LAST_COUNT, round(LAST_COUNT * (volts - r->min) / (r->max - r->min))));
}

/* A driver that is busy. */
static void stand_still(void)
{
    const char *ms = getenv("YOKE_WIRE_DEAF");
    const long long ns = ms ? 1000000LL * atol(ms) : 0;

    nanosleep(&(struct timespec){ns / 1000000000, ns % 1000000000}, NULL);
}

/* Notes a command; false: as many as are healthy have come. */
static bool note(double volts, bool writes)
{
    static FILE *log;
    static long commands;
    const char *path = getenv("YOKE_WIRE_LOG"), *after = getenv("YOKE_WIRE_AFTER"),
               *wire_fault = getenv("YOKE_WIRE_FAULT");
    struct timespec now;

    if (!path || !after || (!log && !(log = fopen(path, "w"))))
        return true;
    commands += writes;
    if (writes && commands == atol(after) && wire_fault && strcmp(wire_fault, "deaf") == 0)
        stand_still();
    const bool trips = !wire_fault || (strcmp(wire_fault, "deaf") != 0 && strcmp(wire_fault, "pause") != 0),
               good = !trips || commands <= atol(after);

    clock_gettime(CLOCK_REALTIME, &now);
    if (writes) {
        fprintf(log, "%lld.%09ld %.17g %d\n", (long long)now.tv_sec, now.tv_nsec, volts, good);
        fflush(log);
    }
    return good;
}

static int carry_out(comedi_t *it, comedi_insn *i)
{
    const unsigned channel = CR_CHAN(i->chanspec), range = CR_RANGE(i->chanspec);
    const bool wrong = it->ticks > HEALTHY;

    if (i->insn == INSN_WRITE && i->subdev == AO && i->n == 1) {
        it->ticks++;
        note(to_volts(AO, range, i->data[0]), true);
        if (it->levels & 1U << 4) /* only while the drive is enabled */
            it->volts += (1 - exp(-1)) * (to_volts(AO, range, i->data[0]) - it->volts);
        return 0;
    }
    if (i->insn == INSN_READ && i->subdev == AI && i->n == 1) {
        const double volts = channel == 0 ? it->volts : 35530 * 0.01 / 100 * it->volts;

        if (wrong && fault("error"))
            return set_error(EIO);
        i->data[0] =
            channel == 1 && ((wrong && fault("overload")) || !note(0, false)) ? LAST_COUNT : to_count(range, volts);
        return 0;
    }
    if (i->insn == INSN_BITS && i->subdev == DIO && i->n == 2) {
        const unsigned mask = i->data[0] << channel;

        it->levels = (it->levels & ~mask) | (i->data[1] << channel & mask);
        i->data[1] = (wrong && fault("door") ? it->levels & ~1U : it->levels) >> channel;
        return 0;
    }
    return set_error(EINVAL);
}

int comedi_do_insnlist(comedi_t *it, comedi_insnlist *list)
{
    for (unsigned k = 0; k < list->n_insns; k++) {
        if (it->ticks > HEALTHY && k == 2 && fault("part"))
            return (int)k;
        if (carry_out(it, &list->insns[k]) < 0)
            return -1;
    }
    return (int)list->n_insns;
}
