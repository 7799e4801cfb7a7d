/* The ticks of a run beside those that its sites recorded. */
#ifndef YOKE_CLI_EXPORT_SITES_H
#define YOKE_CLI_EXPORT_SITES_H

#include "cli/cli.h"

#include "record/record.h"

/* A CSV file: the columns of the run, then those of each site (`yoke serve --site`) with its name in front, by the
 * number of the command. Exit code. */
int export_sites(struct yk_recording *run, const struct text_list *sites, const char *csv);

#endif
