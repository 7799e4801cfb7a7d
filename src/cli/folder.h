/* Folders of recordings: where a run goes, and what a word of the command line means. */
#ifndef YOKE_CLI_FOLDER_H
#define YOKE_CLI_FOLDER_H

#include <stdbool.h>

/* A new folder for a run of the experiment file, "out/<its name>/2026-11-15T18-40-12", the time being local; "-2" and
 * so on behind it where there is one already. malloc'd, NULL after a message. */
char *folder_make_new(const char *file);
/* A folder that the user named is refused where it holds a recording, unless `force`. An exit code, 0 to go on. */
int folder_check(const char *folder, bool force);
/* Lets "latest" beside the new folder lead to it. */
void folder_mark_latest(const char *folder);

#endif
