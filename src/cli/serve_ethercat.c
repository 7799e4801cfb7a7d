/* yoke serve --ethercat: prints the slaves of the segment and answers frames. */
#include "cli/serve_ethercat.h"

#include "cli/served.h"
#include "ethercat/sim_serve.h"
#include "rig/ethercat.h"
#include "yaml/tree.h"

#include <stdlib.h>
#include <string.h>

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

    yk_sim_serve(bus->segment, &bus->wire, SERVE_PRIORITY, stop);
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

/* What the slaves are like; a file that describes its bus says it. */
static const char *kind_given(const struct serve_ethercat_options *o)
{
    return first_given((const struct given_option[]){{"--drives", o->drives},
                                                     {"--resolution", o->resolution},
                                                     {"--rated-force", o->force},
                                                     {"--sensor-range", o->range},
                                                     {0}});
}

const char *serve_ethercat_given(const struct serve_ethercat_options *o)
{
    const char *kind = kind_given(o);

    return kind ? kind : o->drift ? "--drift" : o->faults.count ? "--fault" : NULL;
}

static bool read_settings(const struct command *command, const struct serve_ethercat_options *o,
                          struct yk_sim_settings *s)
{
    struct yk_err err = {0};

    if (o->drives && strcmp(o->drives, "counts") != 0 && strcmp(o->drives, "float") != 0) {
        usage_error(command, "--drives '%s' must be counts or float", o->drives);
        return false;
    }
    s->own_clock = o->own_clock;
    s->exact = o->drives && strcmp(o->drives, "float") == 0;
    for (size_t i = 0; i < o->faults.count; i++)
        if (yk_sim_faults_parse(o->faults.text[i], s->faults, &s->fault_count, &err)) {
            usage_error(command, "--fault: %s", yk_err_line(&err).text);
            return false;
        }
    return parse_quantity(command, "--resolution", o->resolution, YK_LENGTH, 1e-9, 1e-3, &s->resolution) &&
           parse_quantity(command, "--rated-force", o->force, YK_FORCE, 1e-3, 1e9, &s->force) &&
           parse_quantity(command, "--sensor-range", o->range, YK_NUMBER, 1e-12, 1e12, &s->range) &&
           parse_quantity(command, "--drift", o->drift, YK_NUMBER, -1000, 1000, &s->ppm);
}

/* The bus that the file describes for its backend `ethercat`; NULL without err set: it describes none. */
static struct yk_ec_setup *read_description(const struct yk_experiment *e, const char *name, struct yk_err *err)
{
    const struct yk_node *rigs = yk_node_get(e->tree, "rigs"),
                         *section = rigs ? (name ? yk_node_get(rigs, name) : NULL) : yk_node_get(e->tree, "rig"),
                         *backend = section ? yk_node_get(section, "backend") : NULL;
    void *self = NULL;

    if (backend && backend->text && strcmp(backend->text, yk_rig_ethercat.name) == 0)
        yk_experiment_backend(e, name, yk_rig_ethercat.name, &self, err);
    return self; /* its first member */
}

/* The slaves: those of the description, or for the rig. */
static enum yk_status make_slaves(struct yk_sim_segment *g, struct yk_ec_setup *setup,
                                  const struct serve_ethercat_options *o, struct yk_err *err)
{
    if (!setup)
        return yk_sim_segment_populate(g, err);
    if (kind_given(o))
        return yk_fail(err, YK_E_INPUT, "%s: the file describes its EtherCAT bus, and the segment follows it",
                       kind_given(o));
    return yk_sim_segment_describe(g, setup, err);
}

int serve_ethercat(const struct command *command, const struct yk_experiment *e, const char *name,
                   const struct serve_ethercat_options *o)
{
    struct yk_sim_settings settings = {0};
    struct served_rig rig;
    struct bus bus = {0};
    struct yk_err err = {0};
    struct yk_ec_setup *setup;
    int code;

    if (!read_settings(command, o, &settings))
        return 2;
    if (!(setup = read_description(e, name, &err)) && err.status)
        return report_failure(&err);
    code = served_rig_open(&rig, e, name);
    if (!code &&
        (yk_sim_segment_create(&bus.segment, &settings, &yk_rig_part, &rig.part, &rig.part.member.plan, &err) ||
         make_slaves(bus.segment, setup, o, &err) || yk_ec_wire_open(&bus.wire, o->interface, &err)))
        code = report_failure(&err);
    if (!code) {
        served_rig_print(&rig, settings.own_clock);
        printf("on EtherCAT %s, %zu slaves\n", o->interface, bus.segment->count);
        print_slaves(bus.segment);
        serve_until_signal(&(struct service){run, print_counts, &bus});
        print_counts(stdout, &bus);
        putchar('\n');
    }
    yk_ec_wire_close(&bus.wire);
    yk_sim_segment_destroy(bus.segment);
    served_rig_close(&rig);
    if (setup)
        yk_rig_ethercat.close(setup);
    free(setup);
    return code;
}
