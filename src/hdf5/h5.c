/* Access to HDF5: lock, silence, reasons; and part files. */
#include "hdf5/h5.h"

#include <yoke/file.h>

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* One set for the process, as HDF5's own state is; guarded by the lock. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char reason[256];
static H5E_auto2_t caller_handler;
static void *caller_data;

/* Keeps the innermost message of an error stack; of a failed system call only what the system said. */
static herr_t keep_reason(unsigned depth, const H5E_error2_t *error, void *data)
{
    static const char mark[] = "error message = '";
    const char *text = error->desc ? error->desc : "", *said = strstr(text, mark);

    if (depth > 0)
        return 0;
    if (said) {
        said += sizeof mark - 1;
        snprintf(reason, sizeof reason, "%.*s", (int)strcspn(said, "'"), said);
    } else {
        snprintf(reason, sizeof reason, "%s", *text ? text : "HDF5 does not say why");
    }
    return 0;
}

/* Called by HDF5 in place of printing. */
static herr_t note_failure(hid_t stack, void *data)
{
    return *reason ? 0 : H5Ewalk2(stack, H5E_WALK_UPWARD, keep_reason, NULL);
}

void yk_h5_end_silently(void)
{
    H5dont_atexit();
}

void yk_h5_listen(void)
{
    reason[0] = 0;
    H5Eset_auto2(H5E_DEFAULT, note_failure, NULL);
}

void yk_h5_enter(void)
{
    pthread_mutex_lock(&lock);
    H5Eget_auto2(H5E_DEFAULT, &caller_handler, &caller_data);
    yk_h5_listen();
}

void yk_h5_leave(void)
{
    H5Eset_auto2(H5E_DEFAULT, caller_handler, caller_data);
    pthread_mutex_unlock(&lock);
}

const char *yk_h5_reason(void)
{
    return reason;
}

void yk_h5_forget(void)
{
    reason[0] = 0;
}

/* Superblock 3 and checksummed metadata, which single-writer/multiple-reader access needs. HDF5's own file locks are
 * off: they fail on file systems without flock and are given up anyway once that access has started. The recorder holds
 * a lock of its own (see recorder.c). */
hid_t yk_h5_access(void)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);

    H5Pset_libver_bounds(access, H5F_LIBVER_V110, H5F_LIBVER_V110);
    H5Pset_file_locking(access, false, true);
    return access;
}

enum yk_status yk_part_name(char **part, const char *path, struct yk_err *err)
{
    static const char suffix[] = ".part";
    struct stat old;

    *part = NULL;
    if (stat(path, &old) == 0 && !S_ISREG(old.st_mode))
        return yk_fail_at(err, YK_E_IO, YK_IN_FILE(path), "exists and is not a regular file");
    if (!(*part = malloc(strlen(path) + sizeof suffix)))
        return yk_fail_at(err, YK_E_MEMORY, YK_IN_FILE(path), "out of memory");
    strcpy(*part, path);
    strcat(*part, suffix);
    return YK_OK;
}

enum yk_status yk_part_create(char **part, const char *path, struct yk_err *err)
{
    const enum yk_status st = yk_part_name(part, path, err);
    const int fd = st ? -1 : yk_file_create(*part);

    if (fd >= 0)
        close(fd);
    if (st || fd >= 0)
        return st;
    yk_fail_at(err, YK_E_IO, YK_IN_FILE(path), "cannot be written: %s", strerror(errno));
    free(*part);
    *part = NULL;
    return YK_E_IO;
}

enum yk_status yk_part_keep(const char *part, const char *path, struct yk_err *err)
{
    if (rename(part, path))
        return yk_fail_at(err, YK_E_IO, YK_IN_FILE(path), "cannot be replaced: %s", strerror(errno));
    return YK_OK;
}
