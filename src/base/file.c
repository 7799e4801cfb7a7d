/* Files by their names: see file.h. */
#include <yoke/file.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
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

bool yk_file_replace(const char *path, bool (*write)(FILE *out, const void *self), const void *self)
{
    struct stat there;
    const bool in_place = stat(path, &there) == 0 && !S_ISREG(there.st_mode) && !S_ISDIR(there.st_mode);
    char *part = NULL;
    FILE *out;

    if (in_place)
        out = fopen(path, "we");
    else
        out = asprintf(&part, "%s.part", path) < 0 ? NULL : yk_file_create_stream(part);
    bool good = out && write(out, self) && fflush(out) == 0 && (in_place || fsync(fileno(out)) == 0);
    int why = good ? 0 : errno;

    if (out && fclose(out) != 0 && good)
        good = (why = errno, false);
    if (good && !in_place && rename(part, path) != 0)
        good = (why = errno, false);
    if (out && !good && !in_place)
        unlink(part);
    free(part);
    errno = why;
    return good;
}
