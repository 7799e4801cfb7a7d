/* yoke serve --openfresco: OpenSees or OpenFresco moves the rig of an experiment. */
#ifndef YOKE_CLI_OPENFRESCO_H
#define YOKE_CLI_OPENFRESCO_H

#include "cli/cli.h"

/* What the options hold before they are understood; NULL where they were not given. */
struct openfresco_options {
    const char *port, *dialect, *transport, *bind, *silence, *settle, *output, *sessions;
    bool hardware, realtime, no_recording;
};
/* Was one of those that go with --openfresco alone given? Its name, or NULL. */
const char *openfresco_given(const struct openfresco_options *o);
/* Serves until a signal, or until the number of sessions is reached; returns an exit code. */
int openfresco_serve(const struct command *command, const struct words *words, const struct text_list *set,
                     const struct openfresco_options *o);

#endif
