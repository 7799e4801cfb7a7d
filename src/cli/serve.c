/* yoke serve: simulates the rig of an experiment for another process. */
#include "base/number.h"
#include "cli/openfresco.h"
#include "cli/serve_ethercat.h"
#include "cli/served.h"
#include "cli/site.h"

#include "rig/sealed.h"
#include "rig/serve.h"
#include "rig/udp_raw.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
static bool read_raw(const struct yk_experiment *e, const char *name, struct yk_server_settings *settings,
                     struct yk_udp_raw_rig **raw)
{
    struct yk_err err = {0};
    void *self;
    enum yk_status st = yk_experiment_backend(e, name, yk_rig_udp_raw.name, &self, &err);

    *raw = self;
    if (st) {
        report_failure(&err);
        return false;
    }
    settings->raw = &(*raw)->raw;
    settings->own_clock |= (*raw)->own_clock;
    return true;
}

static int play(const struct yk_experiment *e, const char *name, const struct yk_server_settings *settings,
                const char *folder)
{
    struct yk_server *server = NULL;
    struct site *site = NULL;
    struct served_rig rig;
    struct yk_err err = {0};
    int code = served_rig_open(&rig, e, name);

    if (code)
        goto end;
    if (folder && (code = site_open(&site, e, &rig.part)))
        goto end;
    if ((settings->raw && yk_raw_check(settings->raw, &rig.part.member.plan, &err)) ||
        yk_server_create(&server, settings, site ? &site_rig : &yk_rig_part, site ? (void *)site : &rig.part,
                         &rig.part.member.plan, &err)) {
        code = report_failure(&err);
        goto end;
    }
    if (folder && (code = site_record(site, e, folder)))
        goto end;
    served_rig_print(&rig, settings->own_clock);
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
    serve_until_signal(&(struct service){run_server, print_counts, server});
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
    served_rig_close(&rig);
    return code;
}

/* What the command line says. */
struct given {
    struct yk_server_settings settings;
    struct openfresco_options peer;
    struct serve_ethercat_options bus;
    struct text_list set;
    const char *rig, *site, *make_key;
    /* not yet understood */
    const char *udp, *udp_raw, *silence, *latency, *jitter, *loss, *duplicate, *reorder, *freeze_after, *crash_after,
        *seed;
};

static bool parse_port(const char *option, const char *text, int *port)
{
    double number = -1;

    if (yk_number_list(text, &number, 1) != 1 || number < 0 || number > 65535 || number != floor(number)) {
        usage_error(&command_serve, "%s '%s' must be a port of 0 .. 65535%s", option, text,
                    strchr(text, ':') ? "; give the address with --bind" : "");
        return false;
    }
    *port = (int)number;
    return true;
}

static bool parse_faults(const struct given *g, struct yk_wire_faults *f)
{
    long seed = 0;

    if (!parse_quantity(&command_serve, "--latency", g->latency, YK_TIME, 0, 10, &f->latency) ||
        !parse_quantity(&command_serve, "--jitter", g->jitter, YK_TIME, 0, 10, &f->jitter) ||
        !parse_quantity(&command_serve, "--loss", g->loss, YK_NUMBER, 0, 1, &f->loss) ||
        !parse_quantity(&command_serve, "--duplicate", g->duplicate, YK_NUMBER, 0, 1, &f->duplicate) ||
        !parse_quantity(&command_serve, "--reorder", g->reorder, YK_NUMBER, 0, 1, &f->reorder) ||
        !parse_count(&command_serve, "--freeze-after", g->freeze_after, 0, 1000000000, &f->freeze_after) ||
        !parse_count(&command_serve, "--crash-after", g->crash_after, 0, 1000000000, &f->crash_after) ||
        !parse_count(&command_serve, "--seed", g->seed, 0, 1000000000, &seed))
        return false;
    f->seed = (int)seed;
    return true;
}

static int write_key(const char *path, const struct words *words)
{
    struct yk_err err = {0};

    if (words->count)
        return usage_error(&command_serve, "--make-key FILE stands alone");
    if (yk_seal_make_key(path, &err))
        return report_failure(&err);
    printf("%s: a new key. Give a copy to the other side, and to nobody else.\n", path);
    return 0;
}

/* One connection, and the options that go with it. */
static bool goes_together(const struct given *g)
{
    const struct yk_server_settings *s = &g->settings;
    const int connections = (s->shm != NULL) + (g->udp != NULL) + (g->udp_raw != NULL) + (g->peer.port != NULL) +
                            (g->bus.interface != NULL);

    if (connections != 1)
        return usage_error(&command_serve, "give one connection: --shm NAME, --udp PORT, --udp-raw PORT, --ethercat "
                                           "INTERFACE or --openfresco PORT"),
               false;
    if (g->peer.port)
        return true; /* openfresco_serve looks at the others */
    if (openfresco_given(&g->peer))
        usage_error(&command_serve, "%s goes with --openfresco", openfresco_given(&g->peer));
    else if (serve_ethercat_given(&g->bus) && !g->bus.interface)
        usage_error(&command_serve, "%s goes with --ethercat", serve_ethercat_given(&g->bus));
    else if (g->site && !g->udp && !s->shm)
        usage_error(&command_serve, "--site goes with --udp or --shm");
    else if (s->key && !g->udp)
        usage_error(&command_serve, "--key goes with --udp");
    else if (s->host && !g->udp && !g->udp_raw)
        usage_error(&command_serve, "--bind goes with --udp or --udp-raw");
    else
        return true;
    return false;
}

static bool understand(struct given *g)
{
    struct yk_server_settings *s = &g->settings;

    s->priority = SERVE_PRIORITY;
    g->bus.own_clock = s->own_clock;
    return (!g->udp || parse_port("--udp", g->udp, &s->port)) &&
           (!g->udp_raw || parse_port("--udp-raw", g->udp_raw, &s->port)) && parse_faults(g, &s->faults) &&
           parse_quantity(&command_serve, "--silence", g->silence, YK_TIME, 1e-3, 3600, &s->silence);
}

/* The rig of the experiment, behind the connection that was asked for. */
static int serve(const struct yk_experiment *e, struct given *g)
{
    struct yk_udp_raw_rig *raw = NULL;
    int code;

    if (!e->station) {
        fprintf(stderr, "yoke: %s: no substructure is physical, so there is no rig to simulate\n", e->path);
        return 2;
    }
    if (g->bus.interface)
        return serve_ethercat(&command_serve, e, g->rig, &g->bus);
    code = g->udp_raw && !read_raw(e, g->rig, &g->settings, &raw) ? 2 : play(e, g->rig, &g->settings, g->site);
    if (raw)
        yk_rig_udp_raw.close(raw);
    free(raw);
    return code;
}

static int run(int argc, char **argv)
{
    struct given g = {.settings = yk_server_defaults()};
    bool hardware = false;
    const struct option_spec specs[] = {{"--shm", OPTION_TEXT, &g.settings.shm},
                                        {"--udp", OPTION_TEXT, &g.udp},
                                        {"--udp-raw", OPTION_TEXT, &g.udp_raw},
                                        {"--bind", OPTION_TEXT, &g.settings.host},
                                        {"--key", OPTION_TEXT, &g.settings.key},
                                        {"--site", OPTION_TEXT, &g.site},
                                        {"--make-key", OPTION_TEXT, &g.make_key},
                                        {"--clock", OPTION_FLAG, &g.settings.own_clock},
                                        {"--silence", OPTION_TEXT, &g.silence},
                                        {"--latency", OPTION_TEXT, &g.latency},
                                        {"--jitter", OPTION_TEXT, &g.jitter},
                                        {"--loss", OPTION_TEXT, &g.loss},
                                        {"--duplicate", OPTION_TEXT, &g.duplicate},
                                        {"--reorder", OPTION_TEXT, &g.reorder},
                                        {"--freeze-after", OPTION_TEXT, &g.freeze_after},
                                        {"--crash-after", OPTION_TEXT, &g.crash_after},
                                        {"--seed", OPTION_TEXT, &g.seed},
                                        {"--rig", OPTION_TEXT, &g.rig},
                                        {"--ethercat", OPTION_TEXT, &g.bus.interface},
                                        {"--drives", OPTION_TEXT, &g.bus.drives},
                                        {"--resolution", OPTION_TEXT, &g.bus.resolution},
                                        {"--rated-force", OPTION_TEXT, &g.bus.force},
                                        {"--sensor-range", OPTION_TEXT, &g.bus.range},
                                        {"--drift", OPTION_TEXT, &g.bus.drift},
                                        {"--fault", OPTION_LIST, &g.bus.faults},
                                        OPENFRESCO_OPTIONS(g.peer),
                                        {"--realtime", OPTION_FLAG, &g.peer.realtime},
                                        {"--hardware", OPTION_FLAG, &hardware},
                                        {"--set", OPTION_LIST, &g.set},
                                        {0}};
    struct yk_experiment *e;
    struct words words;
    int code;

    if (!take_options(&command_serve, argc, argv, specs, &words))
        return 2;
    if (hardware)
        return usage_error(&command_serve, "--hardware: `yoke serve` only simulates; `yoke host FILE --openfresco "
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
    if ((e = rehearse_experiment(&command_serve, &words, &g.set, &code)))
        code = serve(e, &g);
    yk_experiment_destroy(e);
    return code;
}

static void print_help(FILE *out)
{
    /* a compiler need not take a longer string */
    static const char *const parts[] = {
        "usage: yoke serve FILE --shm NAME | --udp PORT | --udp-raw PORT [--bind ADDRESS] [--clock] [--silence T]\n"
        "                  [--key FILE] [--site DIR] [--rig NAME] [--set KEY=VALUE]...\n"
        "                  [--latency T] [--jitter T] [--loss P] [--duplicate P] [--reorder P]\n"
        "                  [--freeze-after N] [--crash-after N] [--seed N]\n"
        "       yoke serve FILE --ethercat INTERFACE [--clock] [--drives counts|float] [--resolution X] [--rated-force "
        "F]\n"
        "                  [--sensor-range X] [--drift PPM] [--fault KIND@TIME[+DURATION][:SLAVE],...] [--rig NAME]\n"
        "                  [--set KEY=VALUE]...\n"
        "       yoke serve FILE --openfresco PORT [--dialect generic|actor|simulink] [--transport tcp|udp]\n"
        "                  [--bind ADDRESS] [--realtime] [--settle T] [--silence T] [--sessions N]\n"
        "                  [-o DIR | --no-recording] [--set KEY=VALUE]...\n"
        "       yoke serve --make-key FILE\n"
        "\n"
        "Simulates the rig of the file (plants, specimens and sensors, whatever its backend) for another process, "
        "until\n"
        "Ctrl-C. The other process runs the same file with `rig.backend: shm` or `udp` (docs/backends.md), or "
        "`udp-raw`\n"
        "with the packets that rig.settings declares (docs/backend-udp-raw.md). By default the rig\n"
        "moves one tick for each command, which gives the same numbers as a run in one process. PORT 0 takes a free "
        "port. The\n"
        "process runs with real-time priority if that is allowed.\n\n"
        "  --bind ADDRESS     IPv4 address to listen on (default 127.0.0.1: this machine only). Whoever reaches this "
        "address\n"
        "                     can move the rig: use a separate network, or a key\n"
        "  --key FILE         with --udp: messages are encrypted, and only who has the key is heard\n"
        "  --make-key FILE    write a new key, and do nothing else\n"
        "  --site DIR         keep the limits of the file here, too, whatever the run says, and record every tick in "
        "DIR "
        "(docs/sites.md)\n"
        "  --rig NAME         one of `rigs`, where the file has several\n"
        "  --clock            let the rig move by its own clock, as real hardware does\n"
        "  --silence T        ramp back to the start after T without a new command (default 10 s; with --clock 0.1 s, "
        "at "
        "least\n"
        "                     three ticks)\n\n",

        "With --ethercat, a simulated EtherCAT segment answers on a network interface, usually one end of a veth pair\n"
        "(docs/ethercat-segment.md): a coupler, a drive by CiA 402 for each actuator, and terminals for forces, "
        "sensors "
        "and\n"
        "digital lines. By default the rig moves one tick for each frame with new outputs. Needs CAP_NET_RAW.\n\n"
        "  --clock            let the rig move at SYNC0 of the drives, or by a timer without distributed clocks\n"
        "  --drives KIND      counts (default): 32-bit positions, 16-bit forces; float: 64-bit floating point, nothing "
        "is\n"
        "                     rounded\n"
        "  --resolution X     displacement of one count (default 0.1 um)\n"
        "  --rated-force F    force at 100 % of a drive and of an analogue input (default 10 kN)\n"
        "  --sensor-range X   value at 100 % of the analogue input of a sensor, in its unit (default 10)\n"
        "  --drift PPM        all clocks of the segment run fast by this much\n"
        "  --fault F          injects a fault TIME after the drives were first enabled, for DURATION or for good; "
        "SLAVE "
        "counts\n"
        "                     from 1. KIND:\n" SERVE_ETHERCAT_FAULTS "\n",

        "With --openfresco, OpenSees (element genericClient) or OpenFresco moves the specimens of the virtual rig "
        "(docs/opensees.md;\n"
        "`yoke host` lets it move the rig that the file names). Its trials are checked, and reached within the limits "
        "of the\n"
        "file; each session is recorded like a run.\n\n"
        "  --realtime         pace the motion: a step of the file takes time.step * time.scale on the "
        "wall\n" OPENFRESCO_HELP "  -o, --output DIR   record session k in DIR/session-00k instead of out/NAME/DATE\n"
        "  --no-recording     record nothing\n\n",

        "Faults of the connection, for tests:\n"
        "  --latency T        send readings T later; --jitter T: vary this by up to T either way\n"
        "  --loss P           lose a fraction P of the messages in each direction; --duplicate P: send them twice\n"
        "  --reorder P        send a fraction P of the readings after the next one\n"
        "  --freeze-after N   stop moving and answering after N commands; --crash-after N: end without a message\n"
        "  --seed N           seed of the random numbers\n\n"
        "examples:\n"
        "  yoke serve frame.yaml --shm frame\n"
        "  yoke run frame.yaml --set rig.backend=shm --set rig.settings.name=frame\n"
        "  yoke serve frame.yaml --udp 5000 --bind 192.168.7.2\n"
        "  yoke serve frame.yaml --udp 5000 --clock --latency 2ms --jitter 0.5ms --loss 0.01\n"
        "  yoke serve frame.yaml --openfresco 8090\n"
        "  yoke serve frame.yaml --ethercat veth1 --fault cut@2s:2\n",
    };

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        fputs(parts[i], out);
}

const struct command command_serve = {
    .name = "serve",
    .summary = "simulate the rig of an experiment for another process",
    .options =
        "--shm --udp --udp-raw --bind --key --make-key --site --clock --silence --latency --jitter --loss --duplicate "
        "--reorder --freeze-after "
        "--crash-after --seed --rig --ethercat --drives --resolution --rated-force --sensor-range --drift "
        "--fault --openfresco --dialect --transport --settle --sessions --output "
        "--no-recording --realtime --set",
    .print_help = print_help,
    .run = run,
};
