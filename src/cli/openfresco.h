/* yoke serve --openfresco and yoke host --openfresco: OpenSees or OpenFresco moves the rig of an experiment. */
#ifndef YOKE_CLI_OPENFRESCO_H
#define YOKE_CLI_OPENFRESCO_H

#include "cli/cli.h"

/* Options as given, before they are parsed; NULL: not given. */
struct openfresco_options {
    const char *port, *dialect, *transport, *bind, *silence, *settle, *output, *sessions;
    bool hardware; /* the rig of the file, always paced; false: its virtual rig */
    bool realtime, no_recording, approach;
    int priority;               /* of hardware */
    const char *uncommissioned; /* likewise */
};
/* The options of both commands, of a struct openfresco_options. */
extern const struct yk_option openfresco_options[];

/* Was one of those that go with --openfresco alone given? Its name, or NULL. */
const char *openfresco_given(const struct openfresco_options *o);
/* Serves until a signal, or until the number of sessions is reached; returns an exit code. */
int openfresco_serve(const struct yk_command *command, const struct yk_words *words, const struct yk_text_list *set,
                     const struct openfresco_options *o);

#endif
