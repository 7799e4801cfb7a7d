/* yoke serve --ethercat: prints the slaves of the segment and answers frames. */
#include "options.h"
#include "serve.h"

#include <string.h>
#include <yoke/device.h>

enum { PRIORITY = 70 }; /* SCHED_FIFO: below that of a loop on the same machine */

struct bus {
    struct yk_sim_segment *segment;
    struct yk_ec_wire wire;
};

static void print_counts(FILE *out, const void *self)
{
    const struct yk_sim_counts *c = &((const struct bus *)self)->segment->counts;

    fprintf(out,
            "%lu frames (%lu not EtherCAT or damaged), %lu ticks, %lu returns to the start, %lu falls to SAFEOP, %lu "
            "faults injected",
            atomic_load(&c->frames), atomic_load(&c->foreign), atomic_load(&c->ticks), atomic_load(&c->sessions),
            atomic_load(&c->falls), atomic_load(&c->faults));
}

static void run(void *self, const atomic_bool *stop)
{
    struct bus *bus = self;

    yk_sim_serve(bus->segment, &bus->wire, stop);
}

static const char *signal_name(const struct yk_rig_plan *plan, const struct yk_sim_object *o, char text[64])
{
    static const char *const words[] = {
        [YK_SIM_DISPLACEMENT] = "displacement",
        [YK_SIM_FORCE] = "force",
        [YK_SIM_VELOCITY] = "velocity",
        [YK_SIM_ACCELERATION] = "acceleration",
        [YK_SIM_COMMAND] = "command",
        [YK_SIM_AHEAD_VELOCITY] = "velocity feed-forward",
        [YK_SIM_AHEAD_ACCELERATION] = "acceleration feed-forward",
        [YK_SIM_AHEAD_FORCE] = "force feed-forward",
        [YK_SIM_FORCE_COMMAND] = "force command",
    };

    if (o->signal == YK_SIM_SENSOR)
        snprintf(text, 64, "sensor %.40s", plan->sensors[o->channel].name);
    else if (o->signal == YK_SIM_LINE_IN || o->signal == YK_SIM_LINE_OUT)
        snprintf(text, 64, "line %.40s", plan->lines[o->channel].name);
    else if (o->signal != YK_SIM_NOTHING && o->signal != YK_SIM_CONDITION)
        snprintf(text, 64, "%s of %.30s", words[o->signal], plan->names[o->channel]);
    else
        *text = 0;
    return text;
}

/* The slaves and their process data, as an experiment file needs them. */
static void print_slaves(const struct yk_sim_segment *g)
{
    static const char *const directions[] = {"out", "in "};
    char text[64];

    for (size_t k = 0; k < g->count; k++) {
        const struct yk_sim_slave *s = g->slaves[k];

        printf("  %zu  %-7s 0x%08X  %s\n", k + 1, s->order, s->product, s->name);
        for (int d = 0; d < 2; d++)
            for (size_t i = 0; i < s->maps[d].count; i++) {
                const int at = s->maps[d].entries[i].object;
                const struct yk_sim_object *o = &s->objects[at < 0 ? 0 : at];

                if (at < 0 || !*signal_name(&g->plan, o, text))
                    continue;
                printf("       %s 0x%04X:%d  %d bit  %s", directions[d], o->index, o->sub, s->maps[d].entries[i].bits,
                       text);
                if (o->scale != 1)
                    printf(", %.10g per count, in %s", 1 / o->scale,
                           o->signal == YK_SIM_SENSOR ? g->plan.sensors[o->channel].unit : "SI units");
                putchar('\n');
            }
    }
    fflush(stdout);
}

/* First option given about the kind of slaves; not allowed if the file describes its bus. */
static const char *kind_given(const struct segment_options *o)
{
    return yk_first_given((const struct yk_given[]){{"--drives", o->drives},
                                                    {"--resolution", o->resolution},
                                                    {"--rated-force", o->force},
                                                    {"--sensor-range", o->range},
                                                    {0}});
}

static bool read_settings(const struct segment_words *w, struct yk_sim_settings *s)
{
    const struct yk_command *command = &command_segment;
    const struct segment_options *o = &w->segment;
    struct yk_err err = {0};

    if (o->drives && strcmp(o->drives, "counts") != 0 && strcmp(o->drives, "float") != 0) {
        yk_misuse(command, "--drives '%s' must be counts or float", o->drives);
        return false;
    }
    s->own_clock = w->own_clock;
    s->exact = o->drives && strcmp(o->drives, "float") == 0;
    for (size_t i = 0; i < o->faults.count; i++)
        if (yk_sim_faults_parse(o->faults.text[i], s->faults, &s->fault_count, &err)) {
            yk_misuse(command, "--fault: %s", yk_err_line(&err).text);
            return false;
        }
    return yk_option_quantity(command, "--resolution", o->resolution, YK_LENGTH, 1e-9, 1e-3, &s->resolution) &&
           yk_option_quantity(command, "--rated-force", o->force, YK_FORCE, 1e-3, 1e9, &s->force) &&
           yk_option_quantity(command, "--sensor-range", o->range, YK_NUMBER, 1e-12, 1e12, &s->range) &&
           yk_option_quantity(command, "--drift", o->drift, YK_NUMBER, -1000, 1000, &s->ppm);
}

/* The slaves: those of the description, or for the rig. */
static enum yk_status make_slaves(struct yk_sim_segment *g, const struct yk_ec_setup *setup,
                                  const struct segment_options *o, struct yk_err *err)
{
    if (!setup)
        return yk_sim_segment_populate(g, err);
    if (kind_given(o))
        return yk_fail(err, YK_E_INPUT, "%s: the file describes its EtherCAT bus, and the segment follows it",
                       kind_given(o));
    return yk_sim_segment_describe(g, setup, err);
}

static void print_start(const struct bus *bus, const struct yk_rig_plan *plan, const char *interface)
{
    const size_t n = plan->count;

    printf("simulating %zu actuator%s (", n, n == 1 ? "" : "s");
    for (size_t i = 0; i < n; i++)
        printf("%s%s", i ? ", " : "", plan->names[i]);
    printf(") at %g Hz, %s, on EtherCAT %s, %zu slaves\n", 1 / plan->tick,
           bus->segment->settings.own_clock ? "by its own clock" : "in lock-step", interface, bus->segment->count);
    print_slaves(bus->segment);
}

static int serve(struct yk_device *device, const struct segment_words *w, const struct yk_sim_settings *settings)
{
    const struct yk_rig_plan *plan = yk_device_plan(device);
    struct bus bus = {0};
    struct yk_err err = {0};
    const void *setup;
    void *self;
    const struct yk_rig_ops *rig = yk_device_rig(device, &self);
    int code = 0;

    if (yk_device_settings(device, "ethercat", &setup, &err) ||
        yk_sim_segment_create(&bus.segment, settings, rig, self, plan, &err) ||
        make_slaves(bus.segment, setup, &w->segment, &err) || /* the settings begin with the setup */
        yk_ec_wire_open(&bus.wire, w->segment.interface, &err)) {
        code = yk_command_fail(&err);
    } else {
        print_start(&bus, plan, w->segment.interface);
        yk_command_serve(&(struct yk_service){run, print_counts, &bus, PRIORITY});
        print_counts(stdout, &bus);
        putchar('\n');
    }
    yk_ec_wire_close(&bus.wire);
    yk_sim_segment_destroy(bus.segment);
    return code;
}

static int segment(int argc, char **argv)
{
    struct segment_words w = {0};
    struct yk_sim_settings settings = {0};
    struct yk_device *device;
    struct yk_words words;
    struct yk_err err = {0};
    int code;

    if (!yk_take_options(&command_segment, argc, argv, &w, &words))
        return 2;
    if (words.count != 1)
        return yk_misuse(&command_segment, words.count ? "one experiment file at a time" : "which experiment file?");
    if (!w.segment.interface)
        return yk_misuse(&command_segment, "which interface? --ethercat INTERFACE");
    if (!read_settings(&w, &settings))
        return 2;
    yk_command_serve_begin();
    if (yk_device_open(
            &device,
            &(struct yk_model_source){.path = words.rest[0], .overrides = w.set.text, .override_count = w.set.count},
            w.rig, &err))
        return yk_command_fail(&err);
    for (size_t k = 0; yk_device_note(device, k); k++)
        fprintf(stderr, "yoke: note: %s\n", yk_device_note(device, k));
    code = serve(device, &w, &settings);
    yk_device_close(device);
    return code;
}

int main(int argc, char **argv)
{
    return yk_command_main(&command_segment, segment, argc, argv);
}
