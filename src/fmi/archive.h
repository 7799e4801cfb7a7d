/* The archive of an FMU: a zip file, unpacked into a folder of its own, or written. Archives come from others, so
 * nothing in them is trusted: names that lead outside the folder, links, encryption, entries that are larger than they
 * say and archives that swell beyond reason are refused. */
#ifndef YOKE_FMI_ARCHIVE_H
#define YOKE_FMI_ARCHIVE_H

#include <stdbool.h>
#include <time.h>
#include <yoke/status.h>

/* Why FMUs cannot be read or written by this build; NULL: they can. */
const char *yk_fmu_missing(void);

/* A fresh folder, mode 0700, in TMPDIR or /tmp; `path` has room for YK_ARCHIVE_PATH bytes. Removes those of programs
 * that were killed. */
enum { YK_ARCHIVE_PATH = 512 };
enum yk_status yk_archive_folder(char *path, struct yk_err *err);
void yk_archive_remove(const char *folder); /* with all that it holds */

/* Unpacks what an importer needs: the description, `binaries` and `resources`. */
enum yk_status yk_archive_unpack(const char *path, const char *folder, struct yk_err *err);

/* A file to pack. */
struct yk_archive_entry {
    const char *name;
    const void *bytes;
    size_t size;
};
/* Writes the entries in the order of their names, all with the same date (UTC): the same entries give the same file.
 * Replaces `path` when it is complete. */
enum yk_status yk_archive_pack(const char *path, struct yk_archive_entry *entries, size_t count, time_t date,
                               struct yk_err *err);

#endif
