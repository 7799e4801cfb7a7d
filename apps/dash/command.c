/* `yoke dash` in `yoke --help`, the completion and the help of its program. */
#include "options.h"

static const struct yk_option options[] = {
    {"--port", "N", "port (default: 8347, or one of the next if that is taken; 0: any)",
     YK_INTO(struct dash_options, port), .least = 0, .most = 65535},
    {"--listen", "ADDRESS",
     "listen on another address than 127.0.0.1; 0.0.0.0 is every network of this machine. The connection is not "
     "encrypted",
     YK_INTO(struct dash_options, address)},
    {"--host", "NAME", "with --listen: a name by which browsers may call this machine; IP addresses are allowed",
     YK_INTO(struct dash_options, hosts)},
    {"--read-only", NULL, "no controls, notes or examples", YK_INTO(struct dash_options, read_only)},
    {"--run", "NAME", "show one run, and end when it has ended and nobody looks any more",
     YK_INTO(struct dash_options, only)},
    {"--no-learn", NULL, "do not offer examples to run on the virtual rig", YK_INTO(struct dash_options, no_learn)},
    {0},
};

const struct yk_command command_dash = {
    .name = "dash",
    .summary = "show runs in a browser: live traces, scope, limits, controls",
    .usage = "[FOLDER...] [--port N] [--listen ADDRESS] [--host NAME]... [--read-only] [--run NAME] [--no-learn]",
    .about = "Serves the dashboard and prints its address. Open the address in a browser on this machine: it contains "
             "a token, and without the token nothing can be read or sent. Shows all paced runs of this user, and the "
             "recordings in the FOLDERs (default: out). It only reads the telemetry of runs and cannot delay them. "
             "Ends with Ctrl-C. Three addresses are printed, each with a token of its own: an engineer may command the "
             "console of a rig, an operator may pause, resume, step and abort, a viewer may look.",
    .options = options,
    .examples = "yoke dash\n"
                "yoke dash out /data/tests --read-only\n"
                "ssh -L 8347:127.0.0.1:8347 rig yoke dash",
};
