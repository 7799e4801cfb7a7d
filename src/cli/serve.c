/* yoke serve: simulates the rig of an experiment for another process. */
#include "cli/apps.h"
#include "cli/openfresco.h"
#include "cli/site.h"
#include "segment/options.h"
#include <yoke/number.h>

#include "base/segment.h"
#include "door/device.h"
#include "rig/sealed.h"
#include "rig/serve.h"
#include "rig/udp_raw.h"
#include "transfer/calibration.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PRIORITY = 70 }; /* SCHED_FIFO: below that of a loop on the same machine */

static void print_counts(FILE *out, const void *server)
{
    const struct yk_server_counts *c = yk_server_counts(server);

    fprintf(
        out,
        "%s: %lu ticks, %lu commands in %lu sessions (%lu lost, %lu cut); %lu commands missing, %lu stale, %lu "
        "messages refused, %lu damaged, %lu from strangers, %lu with a number too far ahead, %lu forged, %lu replayed, "
        "%lu greetings challenged, %lu void",
        yk_server_state_name((enum yk_server_state)atomic_load(&c->state)), atomic_load(&c->ticks),
        atomic_load(&c->commands), atomic_load(&c->sessions), atomic_load(&c->lost_sessions), atomic_load(&c->cuts),
        atomic_load(&c->missing), atomic_load(&c->stale), atomic_load(&c->refused), atomic_load(&c->damaged),
        atomic_load(&c->strangers), atomic_load(&c->far), atomic_load(&c->forged), atomic_load(&c->replayed),
        atomic_load(&c->challenges), atomic_load(&c->void_greetings));
}

static void run_server(void *server, const atomic_bool *stop)
{
    yk_server_run(server, stop);
}

/* The packets that `rig.settings` of the file declares. */
static bool read_raw(const struct yk_model *model, const char *name, struct yk_server_settings *settings,
                     struct yk_udp_raw_rig **raw, struct yk_rig_scales *scales)
{
    struct yk_err err = {0};
    void *self = NULL;
    enum yk_status st = yk_model_backend(model, name, yk_rig_udp_raw.name, &self, scales, &err);

    *raw = self;
    if (st) {
        yk_command_fail(&err);
        return false;
    }
    settings->raw = &(*raw)->raw;
    settings->own_clock |= (*raw)->own_clock;
    return true;
}

/* "simulating 2 actuators (a, b) at 1000 Hz, in lock-step, " */
static void print_rig(const struct yk_rig_plan *plan, bool own_clock)
{
    const size_t n = plan->count;

    printf("simulating %zu actuator%s (", n, n == 1 ? "" : "s");
    for (size_t i = 0; i < n; i++)
        printf("%s%s", i ? ", " : "", plan->names[i]);
    printf(") at %g Hz, %s, ", 1 / plan->tick, own_clock ? "by its own clock" : "in lock-step");
}

static int play(const struct yk_model *model, const char *name, const struct yk_server_settings *settings,
                const struct yk_rig_scales *scales, const char *folder)
{
    struct yk_server *server = NULL;
    struct site *site = NULL;
    struct yk_device_part rig;
    struct yk_err err = {0};
    int code = 0;

    yk_command_serve_begin();
    yk_segment_sweep();
    if (yk_device_part_open(&rig, model, name, scales, &err)) {
        code = yk_command_fail(&err);
        goto end;
    }
    if (folder && (code = site_open(&site, model, &rig.part)))
        goto end;
    if ((settings->raw && yk_raw_check(settings->raw, &rig.part.member.plan, &err)) ||
        yk_server_create(&server, settings, site ? &site_rig : &yk_rig_part, site ? (void *)site : &rig.part,
                         &rig.part.member.plan, &err)) {
        code = yk_command_fail(&err);
        goto end;
    }
    if (folder && (code = site_record(site, model, folder)))
        goto end;
    print_rig(&rig.part.member.plan, settings->own_clock);
    if (settings->shm)
        printf("in shared memory %s\n", settings->shm);
    else
        printf("on UDP %s:%d%s\n", settings->host ? settings->host : "127.0.0.1", yk_server_port(server),
               settings->raw   ? " by the layout of the file"
               : settings->key ? ", with a key"
                               : "");
    if (settings->host && strncmp(settings->host, "127.", 4) != 0 && !settings->key)
        fputs("yoke: note: whoever reaches this port can move the rig; --key FILE lets in only who has the key\n",
              stderr);
    fflush(stdout);
    yk_command_serve(&(struct yk_service){run_server, print_counts, server, 0});
    const struct yk_server_counts *counts = yk_server_counts(server);
    if (atomic_load(&counts->crashed))
        _exit(1); /* as a crash would: nothing is closed, nobody is told */
    print_counts(stdout, server);
    putchar('\n');
    if (atomic_load(&counts->broken)) {
        fputs("yoke: another process truncated the shared memory; the rig returned to its start\n", stderr);
        code = 1;
    }
end:
    yk_server_destroy(server);
    const int closed = site_close(site);
    code = code ? code : closed;
    yk_device_part_close(&rig);
    return code;
}

/* Options of the command line. */
struct given {
    struct yk_server_settings settings;
    struct openfresco_options peer;
    struct segment_options segment;
    struct yk_text_list set;
    const char *rig, *site, *make_key;
    bool hardware; /* an old word, refused */
    /* not yet understood */
    const char *udp, *udp_raw, *silence, *latency, *jitter, *loss, *duplicate, *reorder, *freeze_after, *crash_after,
        *seed;
};

static bool parse_port(const char *option, const char *text, int *port)
{
    double number = -1;

    if (yk_number_list(text, &number, 1) != 1 || number < 0 || number > 65535 || number != floor(number)) {
        yk_misuse(&command_serve, "%s '%s' must be a port of 0 .. 65535%s", option, text,
                  strchr(text, ':') ? "; give the address with --bind" : "");
        return false;
    }
    *port = (int)number;
    return true;
}

static bool parse_faults(const struct given *g, struct yk_wire_faults *f)
{
    long seed = 0;

    if (!yk_option_quantity(&command_serve, "--latency", g->latency, YK_TIME, 0, 10, &f->latency) ||
        !yk_option_quantity(&command_serve, "--jitter", g->jitter, YK_TIME, 0, 10, &f->jitter) ||
        !yk_option_quantity(&command_serve, "--loss", g->loss, YK_NUMBER, 0, 1, &f->loss) ||
        !yk_option_quantity(&command_serve, "--duplicate", g->duplicate, YK_NUMBER, 0, 1, &f->duplicate) ||
        !yk_option_quantity(&command_serve, "--reorder", g->reorder, YK_NUMBER, 0, 1, &f->reorder) ||
        !yk_option_count(&command_serve, "--freeze-after", g->freeze_after, 0, 1000000000, &f->freeze_after) ||
        !yk_option_count(&command_serve, "--crash-after", g->crash_after, 0, 1000000000, &f->crash_after) ||
        !yk_option_count(&command_serve, "--seed", g->seed, 0, 1000000000, &seed))
        return false;
    f->seed = (int)seed;
    return true;
}

static int write_key(const char *path, const struct yk_words *words)
{
    struct yk_err err = {0};

    if (words->count)
        return yk_misuse(&command_serve, "--make-key FILE stands alone");
    if (yk_seal_make_key(path, &err))
        return yk_command_fail(&err);
    printf("%s: a new key. Give a copy to the other side, and to nobody else.\n", path);
    return 0;
}

/* The first option that only the segment takes. */
static const char *segment_option(const struct given *g)
{
    const struct segment_options *s = &g->segment;

    return yk_first_given((const struct yk_given[]){{"--drives", s->drives},
                                                    {"--resolution", s->resolution},
                                                    {"--rated-force", s->force},
                                                    {"--sensor-range", s->range},
                                                    {"--drift", s->drift},
                                                    {"--fault", s->faults.count},
                                                    {0}});
}

/* The first option that the segment does not take. */
static const char *wire_option(const struct given *g)
{
    return yk_first_given((const struct yk_given[]){{"--silence", g->silence},
                                                    {"--latency", g->latency},
                                                    {"--jitter", g->jitter},
                                                    {"--loss", g->loss},
                                                    {"--duplicate", g->duplicate},
                                                    {"--reorder", g->reorder},
                                                    {"--freeze-after", g->freeze_after},
                                                    {"--crash-after", g->crash_after},
                                                    {"--seed", g->seed},
                                                    {0}});
}

/* One connection, and the options that go with it. */
static bool goes_together(const struct given *g)
{
    const struct yk_server_settings *s = &g->settings;
    const int connections = (s->shm != NULL) + (g->udp != NULL) + (g->udp_raw != NULL) + (g->peer.port != NULL) +
                            (g->segment.interface != NULL);

    if (connections != 1)
        return yk_misuse(&command_serve, "give one connection: --shm NAME, --udp PORT, --udp-raw PORT, --ethercat "
                                         "INTERFACE or --openfresco PORT"),
               false;
    if (g->peer.port)
        return true; /* openfresco_serve looks at the others */
    if (openfresco_given(&g->peer))
        yk_misuse(&command_serve, "%s goes with --openfresco", openfresco_given(&g->peer));
    else if (!g->segment.interface && segment_option(g))
        yk_misuse(&command_serve, "%s goes with --ethercat", segment_option(g));
    else if (g->segment.interface && wire_option(g))
        yk_misuse(&command_serve, "%s does not go with --ethercat", wire_option(g));
    else if (g->site && !g->udp && !s->shm)
        yk_misuse(&command_serve, "--site goes with --udp or --shm");
    else if (s->key && !g->udp)
        yk_misuse(&command_serve, "--key goes with --udp");
    else if (s->host && !g->udp && !g->udp_raw)
        yk_misuse(&command_serve, "--bind goes with --udp or --udp-raw");
    else
        return true;
    return false;
}

static bool understand(struct given *g)
{
    struct yk_server_settings *s = &g->settings;

    s->priority = PRIORITY;
    return (!g->udp || parse_port("--udp", g->udp, &s->port)) &&
           (!g->udp_raw || parse_port("--udp-raw", g->udp_raw, &s->port)) && parse_faults(g, &s->faults) &&
           yk_option_quantity(&command_serve, "--silence", g->silence, YK_TIME, 1e-3, 3600, &s->silence);
}

/* The rig of the experiment, behind the connection that was asked for. */
static int serve(const struct yk_model *model, struct given *g)
{
    struct yk_udp_raw_rig *raw = NULL;
    struct yk_rig_scales scales = {0};
    struct yk_err err = {0};
    int code;

    if (g->udp_raw)
        code = read_raw(model, g->rig, &g->settings, &raw, &scales) ? 0 : 2;
    else
        code = model->station && yk_model_backend(model, g->rig, NULL, NULL, &scales, &err) ? yk_command_fail(&err) : 0;
    if (!code && g->site && scales.given.file) { /* limits and the recording of a site are in SI units */
        yk_fail_at(&err, YK_E_INPUT, scales.given,
                   "--site judges and records in SI units, but with these scales the numbers on the wire are raw ones "
                   "of a device. Leave them out of the file of the site and of the run");
        code = yk_command_fail(&err);
    }
    if (!code)
        code = play(model, g->rig, &g->settings, &scales, g->site);
    if (raw)
        yk_rig_udp_raw.close(raw);
    free(raw);
    yk_rig_scales_free(&scales);
    return code;
}

static int run(int argc, char **argv)
{
    struct given g = {.settings = yk_server_defaults()};
    struct yk_model *model;
    struct yk_words words;
    int code;

    if (!yk_take_options(&command_serve, argc, argv, &g, &words))
        return 2;
    if (g.hardware)
        return yk_misuse(&command_serve, "--hardware: `yoke serve` only simulates; `yoke host FILE --openfresco "
                                         "PORT` moves the rig of the file");
    if (g.make_key)
        return write_key(g.make_key, &words);
    if (!goes_together(&g))
        return 2;
    if (g.peer.port) {
        g.peer.bind = g.settings.host;
        g.peer.silence = g.silence;
        return openfresco_serve(&command_serve, &words, &g.set, &g.peer);
    }
    if (!understand(&g))
        return 2;
    if (g.segment.interface)
        return yk_command_words() ? start_app("segment", yk_command_words()) : 1;
    if ((model = rehearse_experiment(&command_serve, &words, &g.set, &code)))
        code = serve(model, &g);
    yk_model_close(model);
    return code;
}

static const struct yk_option options[] = {
    {"--shm", "NAME", "in shared memory of this machine", YK_INTO(struct given, settings.shm)},
    {"--udp", "PORT", "over UDP; 0: a free port", YK_INTO(struct given, udp)},
    {"--udp-raw", "PORT", "over UDP, with the packets that rig.settings declares", YK_INTO(struct given, udp_raw)},
    {"--set", "KEY=VALUE", "replace a value of the file", YK_INTO(struct given, set)},
    {"--rig", "NAME", "one of `rigs`, where the file has several", YK_INTO(struct given, rig)},
    {"--clock", NULL,
     "let the rig move by its own clock, as real hardware does; with --ethercat at SYNC0 of the drives, or by a timer "
     "without distributed clocks",
     YK_INTO(struct given, settings.own_clock)},
    {"--bind", "ADDRESS",
     "IPv4 address to listen on (default 127.0.0.1: this machine only). Whoever reaches this address can move the rig: "
     "use a separate network, or a key",
     YK_INTO(struct given, settings.host)},
    {"--key", "FILE", "with --udp: messages are encrypted, and only who has the key is heard",
     YK_INTO(struct given, settings.key)},
    {"--make-key", "FILE", "write a new key, and do nothing else", YK_INTO(struct given, make_key)},
    {"--site", "DIR",
     "keep the limits of the file here, too, whatever the run says, and record every tick in DIR (docs/sites.md)",
     YK_INTO(struct given, site)},
    {"--silence", "T",
     "ramp back to the start after T without a new command (default 10 s; with --clock 0.1 s, at least three ticks)",
     YK_INTO(struct given, silence)},
    {.help = "With --ethercat, a simulated EtherCAT segment answers on a network interface, usually one end of a veth "
             "pair (docs/ethercat-segment.md): a coupler, a drive by CiA 402 for each actuator, and terminals for "
             "forces, sensors and digital lines. By default the rig moves one tick for each frame with new outputs. "
             "Needs CAP_NET_RAW."},
    {.rows = segment_rows, .at = offsetof(struct given, segment)},
    {.help = "With --openfresco, OpenSees (element genericClient) or OpenFresco moves the specimens of the virtual rig "
             "(docs/opensees.md; `yoke host` lets it move the rig that the file names). Its trials are checked, and "
             "reached within the limits of the file; each session is recorded like a run."},
    {.rows = openfresco_options, .at = offsetof(struct given, peer)},
    {"--realtime", NULL, "pace the motion: a step of the file takes time.step * time.scale on the wall",
     YK_INTO(struct given, peer.realtime)},
    {.help = "Faults of the connection, for tests:"},
    {"--latency", "T", "send readings T later", YK_INTO(struct given, latency)},
    {"--jitter", "T", "vary this by up to T either way", YK_INTO(struct given, jitter)},
    {"--loss", "P", "lose a fraction P of the messages in each direction", YK_INTO(struct given, loss)},
    {"--duplicate", "P", "send a fraction P of them twice", YK_INTO(struct given, duplicate)},
    {"--reorder", "P", "send a fraction P of the readings after the next one", YK_INTO(struct given, reorder)},
    {"--freeze-after", "N", "stop moving and answering after N commands", YK_INTO(struct given, freeze_after)},
    {"--crash-after", "N", "end without a message after N commands", YK_INTO(struct given, crash_after)},
    {"--seed", "N", "seed of the random numbers", YK_INTO(struct given, seed)},
    {"--hardware", NULL, NULL, YK_INTO(struct given, hardware)},
    {0},
};

const struct yk_command command_serve = {
    .name = "serve",
    .summary = "simulate the rig of an experiment for another process",
    .usage = "FILE --shm NAME | --udp PORT | --udp-raw PORT [--bind ADDRESS] [--clock] [--silence T] [--key FILE] "
             "[--site DIR] [--rig NAME] [--set KEY=VALUE]... [--latency T] [--jitter T] [--loss P] [--duplicate P] "
             "[--reorder P] [--freeze-after N] [--crash-after N] [--seed N]\n"
             "FILE --ethercat INTERFACE [--clock] [--drives counts|float] [--resolution X] [--rated-force F] "
             "[--sensor-range X] [--drift PPM] [--fault KIND@TIME[+DURATION][:SLAVE],...] [--rig NAME] [--set "
             "KEY=VALUE]...\n"
             "FILE --openfresco PORT [--dialect generic|actor|simulink] [--transport tcp|udp] [--bind ADDRESS] "
             "[--realtime] [--settle T] [--silence T] [--sessions N] [-o DIR | --no-recording] [--set KEY=VALUE]...\n"
             "--make-key FILE",
    .about = "Simulates the rig of the file (plants, specimens and sensors, whatever its backend) for another process, "
             "until Ctrl-C. The other process runs the same file with `rig.backend: shm` or `udp` (docs/backends.md), "
             "or `udp-raw` with the packets that rig.settings declares (docs/backend-udp-raw.md). By default the rig "
             "moves one tick for each command, which gives the same numbers as a run in one process. PORT 0 takes a "
             "free port. The process runs with real-time priority if that is allowed.",
    .options = options,
    .examples = "yoke serve frame.yaml --shm frame\n"
                "yoke run frame.yaml --set rig.backend=shm --set rig.settings.name=frame\n"
                "yoke serve frame.yaml --udp 5000 --bind 192.168.7.2\n"
                "yoke serve frame.yaml --udp 5000 --clock --latency 2ms --jitter 0.5ms --loss 0.01\n"
                "yoke serve frame.yaml --openfresco 8090\n"
                "yoke serve frame.yaml --ethercat veth1 --fault cut@2s:2",
    .run = run,
};
