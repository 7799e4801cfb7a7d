/* Shared by users of HDF5: one lock, no output of HDF5, and the reason of a failure; and files that appear under their
 * name only when complete. */
#ifndef YOKE_H5_H
#define YOKE_H5_H

#include <hdf5.h>
#include <yoke/status.h>

/* HDF5 may be built without thread safety, so only one thread is ever between enter and leave. In between HDF5 prints
 * nothing; the caller's own error handler is back in place after leave. Not recursive. */
void yk_h5_enter(void);
void yk_h5_leave(void);
/* Between enter and leave: why the first failing HDF5 call since enter (or forget) failed; "" where none did. Calls on
 * identifiers that could not be allocated fail too but come later, so that a chain of calls needs one check at its end.
 */
const char *yk_h5_reason(void);
void yk_h5_forget(void);
/* In a child process that was started between enter and leave: the same, with nobody to wait for. */
void yk_h5_listen(void);
/* File access properties of every recording, read or written. */
hid_t yk_h5_access(void);

/* "<path>.part", where a new file grows before it takes its name; to be freed. Refuses a path that names something
 * other than a regular file. */
enum yk_status yk_part_name(char **part, const char *path, struct yk_err *err);
/* The same, and an empty file of ours with this name, for libraries that take a path: they find it and follow no link.
 */
enum yk_status yk_part_create(char **part, const char *path, struct yk_err *err);
/* Gives the part its name, replacing an older file. */
enum yk_status yk_part_keep(const char *part, const char *path, struct yk_err *err);

#endif
