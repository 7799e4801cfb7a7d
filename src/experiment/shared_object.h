/* Is a shared object whole? The dynamic loader maps what the headers name without looking at the size of the file, and
 * touching what is not there ends the process with SIGBUS. */
#ifndef YOKE_EXPERIMENT_SHARED_OBJECT_H
#define YOKE_EXPERIMENT_SHARED_OBJECT_H

#include <yoke/status.h>

/* Refuses a file that is cut off, and what is no regular file. Of one that is no ELF file the loader will say so. */
enum yk_status yk_shared_object_check(const char *path, struct yk_err *err);

#endif
