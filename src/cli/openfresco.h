/* yoke serve --openfresco and yoke host --openfresco: OpenSees or OpenFresco moves the rig of an experiment. */
#ifndef YOKE_CLI_OPENFRESCO_H
#define YOKE_CLI_OPENFRESCO_H

#include "cli/cli.h"

/* What the options hold before they are understood; NULL where they were not given. */
struct openfresco_options {
    const char *port, *dialect, *transport, *bind, *silence, *settle, *output, *sessions;
    bool hardware; /* the rig of the file, always paced; false: its virtual rig */
    bool realtime, no_recording, approach;
    int priority;               /* of hardware */
    const char *uncommissioned; /* likewise */
};
/* The options of both commands. */
#define OPENFRESCO_OPTIONS(o)                                                                                          \
    {"--openfresco", OPTION_TEXT, &(o).port}, {"--dialect", OPTION_TEXT, &(o).dialect},                                \
        {"--transport", OPTION_TEXT, &(o).transport}, {"--settle", OPTION_TEXT, &(o).settle},                          \
        {"--sessions", OPTION_TEXT, &(o).sessions}, {"--output|-o", OPTION_TEXT, &(o).output},                         \
    {                                                                                                                  \
        "--no-recording", OPTION_FLAG, &(o).no_recording                                                               \
    }
/* Their help. */
#define OPENFRESCO_HELP                                                                                                \
    "  --dialect D        generic: genericClient, GenericTCP (default); actor: ShadowSite; simulink: SimSimulink\n"    \
    "  --transport T      tcp (default) or udp\n"                                                                      \
    "  --settle T         hold each trial for T of test time before its force is read (default 0)\n"                   \
    "  --silence T        hold, then ramp back after T without a message (default 60 s)\n"                             \
    "  --sessions N       end after N sessions\n"

/* Was one of those that go with --openfresco alone given? Its name, or NULL. */
const char *openfresco_given(const struct openfresco_options *o);
/* Serves until a signal, or until the number of sessions is reached; returns an exit code. */
int openfresco_serve(const struct command *command, const struct words *words, const struct text_list *set,
                     const struct openfresco_options *o);

#endif
