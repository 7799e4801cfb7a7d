/* yoke serve --ethercat: a simulated segment with the rig of an experiment behind its drives. */
#ifndef YOKE_CLI_SERVE_ETHERCAT_H
#define YOKE_CLI_SERVE_ETHERCAT_H

#include "cli/cli.h"
#include "ethercat/sim.h"

/* What the options hold before they are understood; NULL where they were not given. */
struct serve_ethercat_options {
    const char *interface, *drives, *resolution, *force, *range, *drift;
    struct text_list faults;
    bool own_clock;
};
/* One of the options that go with --ethercat alone was given: its name, or NULL. */
const char *serve_ethercat_given(const struct serve_ethercat_options *o);
/* Serves until a signal; returns an exit code. */
int serve_ethercat(const struct command *command, const struct yk_experiment *e, const char *rig,
                   const struct serve_ethercat_options *o);

/* The kinds of fault for a help text, a line each. */
#define SERVE_ETHERCAT_FAULT(id, word, help) "                       " word ": " help "\n"
#define SERVE_ETHERCAT_FAULTS                YK_SIM_FAULT_LIST(SERVE_ETHERCAT_FAULT)

#endif
