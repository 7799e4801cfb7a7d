/* Shared by the subcommands of `yoke` itself: one file each, which exports one table. Those with a program of their own
 * are in apps/. */
#ifndef YOKE_CLI_H
#define YOKE_CLI_H

#include "experiment/experiment.h"
#include "transfer/physical.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>
#include <yoke/command.h>

#define COMMAND(name) extern const struct yk_command command_##name;
#include "cli/commands.def"
#undef COMMAND
extern const struct yk_command *const commands[]; /* NULL at the end */

/* Tells that rows are missing in a recording; 0: says nothing. */
void warn_of_missing_rows(uint64_t rows);
/* Loads the experiment of words->rest[0], the only word allowed. NULL after a message; *exit_code is then set. */
struct yk_model *load_experiment(const struct yk_command *command, const struct yk_words *words,
                                 const struct yk_text_list *set, int *exit_code);
/* The same with the virtual rig instead of the backend, for commands that must not move a real one. */
struct yk_model *rehearse_experiment(const struct yk_command *command, const struct yk_words *words,
                                     const struct yk_text_list *set, int *exit_code);
/* Prepares the method of a model that was loaded; closes it after a message. Returns an exit code, 0 to continue. */
int prepare_model(struct yk_model *model, bool for_runs);
/* Checks the step against the method's limit: refuses or warns as set in the file. Returns an exit code, 0 to
 * continue. */
int check_stability(const struct yk_model *model);
/* An actuator of the station of an experiment, by name; NULL: the first. False after a message. */
bool find_actuator(const struct yk_model *model, const char *name, size_t *index);

#endif
