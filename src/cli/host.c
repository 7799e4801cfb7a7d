/* yoke host: another program moves the rig of an experiment. */
#include "cli/gate.h"
#include "cli/openfresco.h"

#include "engine/engine.h"

struct given {
    struct openfresco_options peer;
    struct yk_text_list set;
    long priority;
};

static int run(int argc, char **argv)
{
    struct given g = {.peer.hardware = true, .priority = yk_run_defaults().priority};
    struct yk_words words;

    if (!yk_take_options(&command_host, argc, argv, &g, &words))
        return 2;
    if (!g.peer.port)
        return yk_misuse(&command_host, "give the connection: --openfresco PORT");
    g.peer.priority = (int)g.priority;
    return openfresco_serve(&command_host, &words, &g.set, &g.peer);
}

static const struct yk_option options[] = {
    {.rows = openfresco_options, .at = offsetof(struct given, peer)},
    {"--bind", "ADDRESS",
     "IPv4 address to listen on (default 127.0.0.1: this machine only). Whoever reaches this address can move the rig: "
     "use a separate network",
     YK_INTO(struct given, peer.bind)},
    {"--approach", NULL, "let the start ramp begin anywhere", YK_INTO(struct given, peer.approach)},
    {.rows = uncommissioned_option, .at = offsetof(struct given, peer.uncommissioned)},
    {"--priority", "N", "SCHED_FIFO priority of the loop; 0: normal; default 80", YK_INTO(struct given, priority),
     .least = 0, .most = 98},
    {"--set", "KEY=VALUE", "replace a value of the file", YK_INTO(struct given, set)},
    {"--silence", "T", "hold, then ramp back after T without a new trial (default 60 s)",
     YK_INTO(struct given, peer.silence)},
    {0},
};

const struct yk_command command_host = {
    .name = "host",
    .summary = "let another program move the rig of an experiment",
    .usage = "FILE --openfresco PORT [--dialect generic|actor|simulink] [--transport tcp|udp] [--bind ADDRESS] "
             "[--approach] [--uncommissioned \"NAME: REASON\"] [--priority 80] [--settle T] [--silence T] [--sessions "
             "N] [-o DIR | --no-recording] [--set KEY=VALUE]...",
    .about = "MOVES THE RIG of the file for another program, until Ctrl-C: OpenSees (element genericClient) or "
             "OpenFresco computes the structure, and Yoke moves the actuators (docs/opensees.md). `yoke serve "
             "--openfresco` does the same with the virtual rig. The checks are those of `yoke run`: a rig outside this "
             "process needs limits for displacement, command rate, force and tracking error, and a passed check-list; "
             "an actuator that stands further from its start than limits.position_error is not moved; every trial is "
             "reached within the limits; the audit log and the socket of `yoke control` must be there. Every session "
             "is paced on the wall clock with real-time priority and recorded like a run. The method is that of the "
             "other program, so its stability is not judged.",
    .options = options,
    .examples = "yoke host frame.yaml --openfresco 8090\n"
                "yoke host frame.yaml --openfresco 8090 --bind 192.168.7.2 --sessions 1",
    .run = run,
};
