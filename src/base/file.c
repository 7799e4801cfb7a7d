/* Files by their names: see file.h. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum yk_status yk_file_check(const char *path, struct yk_err *err)
{
    struct stat about;

    if (stat(path, &about) != 0)
        return yk_fail_at(err, YK_E_IO, YK_IN_FILE(path), "cannot be opened: %s", strerror(errno));
    if (S_ISDIR(about.st_mode))
        return yk_fail_at(err, YK_E_IO, YK_IN_FILE(path), "is a folder, a file is expected");
    if (!S_ISREG(about.st_mode))
        return yk_fail_at(err, YK_E_IO, YK_IN_FILE(path), "is not a regular file");
    return YK_OK;
}

int yk_file_create(const char *path)
{
    const int flags = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
    int fd = open(path, flags, 0666);

    if (fd < 0 && errno == EEXIST && unlink(path) == 0)
        fd = open(path, flags, 0666);
    return fd;
}

FILE *yk_file_create_stream(const char *path)
{
    const int fd = yk_file_create(path);
    FILE *stream = fd >= 0 ? fdopen(fd, "w") : NULL;

    if (fd >= 0 && !stream)
        close(fd);
    return stream;
}
