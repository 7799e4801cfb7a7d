/* Files by their names, where what stands under a name may not be what is expected: a pipe that blocks who opens it, a
 * link that leads elsewhere. */
#ifndef YOKE_FILE_H
#define YOKE_FILE_H

#include <stdio.h>
#include <yoke/status.h>

/* Refuses what is not there or is no regular file. For libraries that take a path: opening a pipe would block them. */
enum yk_status yk_file_check(const char *path, struct yk_err *err);

/* A new, empty file under a name that the program chose itself, such as "run.h5.part". What stood there is removed
 * first; a link is removed and never followed. -1, and errno, on failure. */
int yk_file_create(const char *path);
FILE *yk_file_create_stream(const char *path); /* the same, for printing; NULL on failure */

#endif
