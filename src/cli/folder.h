/* Folders of recordings: where a run goes, and what a word of the command line means. */
#ifndef YOKE_CLI_FOLDER_H
#define YOKE_CLI_FOLDER_H

#include <stdbool.h>

/* A new folder for a run of the experiment file, "out/<its name>/2026-11-15T18-40-12", in local time; with "-2" and so
 * on appended if it exists already. malloc'd, NULL after a message. */
char *folder_make_new(const char *file);
/* Refuses a folder given by the user that holds a recording, unless `force`. `choices` continues "choose another
 * folder", for commands that offer more. An exit code, 0 to continue. */
int folder_check(const char *folder, bool force, const char *choices);
/* The folder, and those above it; a message if that fails. An exit code. */
int folder_make(const char *folder);
/* Points the link "latest" next to the new folder to it. */
void folder_mark_latest(const char *folder);

#endif
