/* Is a shared object complete? The dynamic loader maps the segments of the headers without checking the size of the
 * file, and access beyond its end kills the process with SIGBUS. */
#ifndef YOKE_EXPERIMENT_SHARED_OBJECT_H
#define YOKE_EXPERIMENT_SHARED_OBJECT_H

#include <yoke/status.h>

/* Refuses truncated files and files that are not regular. The loader itself refuses files that are not ELF. */
enum yk_status yk_shared_object_check(const char *path, struct yk_err *err);

#endif
