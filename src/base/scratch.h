/* Folders for temporary files. */
#ifndef YOKE_BASE_SCRATCH_H
#define YOKE_BASE_SCRATCH_H

#include <yoke/status.h>

/* A fresh folder, mode 0700, in TMPDIR or /tmp; `path` has room for YK_SCRATCH_PATH bytes. Removes those of programs
 * that were killed. */
enum { YK_SCRATCH_PATH = 512 };
enum yk_status yk_scratch_make(char *path, struct yk_err *err);
void yk_scratch_remove(const char *folder); /* with all that it holds */

#endif
