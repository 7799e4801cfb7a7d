/* The archive of an FMU: a zip file, unpacked into a folder of its own. Archives come from others, so
 * nothing in them is trusted: names that lead outside the folder, links, encryption, entries that are larger than they
 * say and archives that swell beyond reason are refused. */
#ifndef YOKE_FMI_ARCHIVE_H
#define YOKE_FMI_ARCHIVE_H

#include <stdbool.h>
#include <yoke/archive.h>

/* Why FMUs cannot be read or written by this build; NULL: they can. */
const char *yk_fmu_missing(void);

/* Unpacks what an importer needs: the description, `binaries` and `resources`. */
enum yk_status yk_archive_unpack(const char *path, const char *folder, struct yk_err *err);

#endif
