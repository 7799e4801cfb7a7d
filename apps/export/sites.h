/* The ticks of a run beside those that its sites recorded. */
#ifndef YOKE_EXPORT_SITES_H
#define YOKE_EXPORT_SITES_H

#include <yoke/command.h>
#include <yoke/recording.h>

/* A CSV file: the columns of the run, then those of each site (`yoke serve --site`) with its name in front, by the
 * number of the command. Exit code. */
int export_sites(struct yk_recording *run, const struct yk_text_list *sites, const char *csv);

#endif
