/* yoke host: another program moves the rig of an experiment. */
#include "cli/gate.h"
#include "cli/openfresco.h"

#include "engine/engine.h"

static int run(int argc, char **argv)
{
    struct openfresco_options o = {.hardware = true};
    struct text_list set = {0};
    const char *priority = NULL;
    long level = yk_run_defaults().priority;
    const struct option_spec specs[] = {OPENFRESCO_OPTIONS(o),
                                        {"--bind", OPTION_TEXT, &o.bind},
                                        {"--silence", OPTION_TEXT, &o.silence},
                                        {"--approach", OPTION_FLAG, &o.approach},
                                        {"--uncommissioned", OPTION_TEXT, &o.uncommissioned},
                                        {"--priority", OPTION_TEXT, &priority},
                                        {"--set", OPTION_LIST, &set},
                                        {0}};
    struct words words;

    if (!take_options(&command_host, argc, argv, specs, &words) ||
        !parse_count(&command_host, "--priority", priority, 0, 98, &level))
        return 2;
    if (!o.port)
        return usage_error(&command_host, "give the connection: --openfresco PORT");
    o.priority = (int)level;
    return openfresco_serve(&command_host, &words, &set, &o);
}

const struct command command_host = {
    .name = "host",
    .summary = "let another program move the rig of an experiment",
    .options = "--openfresco --dialect --transport --bind --approach --uncommissioned --priority --settle --silence "
               "--sessions --output "
               "--no-recording --set",
    .help =
        "usage: yoke host FILE --openfresco PORT [--dialect generic|actor|simulink] [--transport tcp|udp]\n"
        "                 [--bind ADDRESS] [--approach] [--uncommissioned \"NAME: REASON\"] [--priority 80] [--settle "
        "T] [--silence T] [--sessions N]\n"
        "                 [-o DIR | --no-recording] [--set KEY=VALUE]...\n\n"
        "MOVES THE RIG of the file for another program, until Ctrl-C: OpenSees (element genericClient) or OpenFresco\n"
        "computes the structure, and Yoke moves the actuators (docs/opensees.md). `yoke serve --openfresco` does the "
        "same\n"
        "with the virtual rig.\n"
        "The checks are those of `yoke run`: a rig outside this process needs limits for displacement, command rate, "
        "force and\n"
        "tracking error, and a passed check-list; an actuator that stands further from its start than "
        "limits.position_error is not moved; every "
        "trial\n"
        "is reached within the limits; the audit log and the socket of `yoke control` must be there. Every session is "
        "paced on\n"
        "the wall clock with real-time priority and recorded like a run. The method is that of the other program, so "
        "its\n"
        "stability is not judged.\n\n"
        "  --bind ADDRESS     IPv4 address to listen on (default 127.0.0.1: this machine only). Whoever reaches this "
        "address\n"
        "                     can move the rig: use a separate network\n"
        "  --approach         let the start ramp begin anywhere\n" UNCOMMISSIONED_HELP
        "  --priority N       SCHED_FIFO priority of the loop; 0: normal; default 80\n" OPENFRESCO_HELP
        "  -o, --output DIR   folder for the sessions, DIR/session-001 and so on; default: out/NAME/DATE\n"
        "  --no-recording     do not record\n"
        "  --set KEY=VALUE    replace a value of the file\n\n"
        "examples:\n"
        "  yoke host frame.yaml --openfresco 8090\n"
        "  yoke host frame.yaml --openfresco 8090 --bind 192.168.7.2 --sessions 1\n",
    .run = run,
};
