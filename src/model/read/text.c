/* A whole file in memory. */
#include <yoke/read.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const size_t largest = (size_t)1 << 30;

/* Reads until the end; the size a file claims is only a first guess at the room. */
static enum yk_status read_all(struct yk_text *text, int fd, size_t room, struct yk_err *err)
{
    for (;;) {
        char *data = text->size + 1 < room && text->data ? text->data : realloc(text->data, room);
        ssize_t got;

        if (!data)
            return yk_fail(err, YK_E_MEMORY, "%s: no memory for %zu bytes", text->name, room);
        text->data = data;
        do
            got = read(fd, data + text->size, room - text->size - 1);
        while (got < 0 && errno == EINTR);
        if (got < 0)
            return yk_fail(err, YK_E_IO, "%s: cannot be read: %s", text->name, strerror(errno));
        text->size += (size_t)got;
        data[text->size] = 0;
        if (got == 0)
            return YK_OK;
        if (text->size > largest)
            return yk_fail(err, YK_E_INPUT, "%s: larger than 1 GiB", text->name);
        if (text->size + 1 == room)
            room *= 2;
    }
}

enum yk_status yk_text_load(struct yk_text *text, const char *path, struct yk_err *err)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat about;
    enum yk_status st;

    *text = (struct yk_text){.name = path};
    if (fd < 0)
        return yk_fail(err, YK_E_IO, "%s: cannot be opened: %s", path, strerror(errno));
    if (fstat(fd, &about) != 0)
        st = yk_fail(err, YK_E_IO, "%s: %s", path, strerror(errno));
    else if (S_ISDIR(about.st_mode))
        st = yk_fail(err, YK_E_IO, "%s: is a folder, a file is wanted", path);
    else if (about.st_size > (off_t)largest)
        st = yk_fail(err, YK_E_INPUT, "%s: larger than 1 GiB", path);
    else
        st = read_all(text, fd, (size_t)about.st_size + 4096, err);
    close(fd);
    if (st)
        yk_text_free(text);
    return st;
}

void yk_text_free(struct yk_text *text)
{
    free(text->data);
    text->data = NULL;
    text->size = 0;
}
