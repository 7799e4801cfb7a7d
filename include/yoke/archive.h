/* Archives of files (zip), such as FMUs are. */
#ifndef YOKE_ARCHIVE_H
#define YOKE_ARCHIVE_H

#include <stddef.h>
#include <time.h>
#include <yoke/status.h>

/* A file to pack. */
struct yk_archive_entry {
    const char *name;
    const void *bytes;
    size_t size;
};
/* Writes the entries in the order of their names, all with the same date (UTC): the same entries give the same file.
 * Replaces `path` when it is complete. YK_E_UNSUPPORTED: the library was built without minizip. */
enum yk_status yk_archive_pack(const char *path, struct yk_archive_entry *entries, size_t count, time_t date,
                               struct yk_err *err);

#endif
