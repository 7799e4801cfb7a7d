/* Files by name, when the name may belong to something else: a pipe that blocks its reader, or a link. */
#ifndef YOKE_FILE_H
#define YOKE_FILE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <yoke/status.h>

/* Refuses missing files and files that are not regular. For libraries that take a path: opening a pipe would block
 * them. */
enum yk_status yk_file_check(const char *path, struct yk_err *err);

/* A new, empty file under a name that the program chose itself, such as "run.h5.part". An existing file is removed
 * first; a link is removed, never followed. -1, and errno, on failure. */
int yk_file_create(const char *path);
FILE *yk_file_create_stream(const char *path); /* the same, for printing; NULL on failure */

/* Writes a file as a whole or not at all: what stood there stays where the disk is full or the process dies. `write`
 * returns false where it failed. A device or a pipe is written in place. False, and errno, on failure. */
bool yk_file_replace(const char *path, bool (*write)(FILE *out, const void *self), const void *self);

/* For libraries that take a path and write it piece by piece. */
/* "<path>.part", where a new file grows before it takes its name; to be freed. Refuses a path that names something
 * other than a regular file. */
enum yk_status yk_part_name(char **part, const char *path, struct yk_err *err);
/* The same, and an empty file of ours with this name, for libraries that take a path: they find it and follow no link.
 */
enum yk_status yk_part_create(char **part, const char *path, struct yk_err *err);
/* Gives the part its name, replacing an older file. */
enum yk_status yk_part_keep(const char *part, const char *path, struct yk_err *err);

/* CRC-64/XZ (polynomial of ECMA-182); `crc` is 0, or the result for the bytes before. */
uint64_t yk_crc64(uint64_t crc, const void *bytes, size_t size);

#endif
