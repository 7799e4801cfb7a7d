/* Requests to runs: one a connection, over sockets that only this user can open. */
#include "door/control.h"
#include "base/clock.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

enum { PATIENCE_MS = 200, PATH = 400 };

void yk_control_name(char *to, size_t size, const char *name)
{
    snprintf(to, size, "%s", name);
    for (char *c = to; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("-_.", *c))
            *c = '_';
}

int yk_control_folder(char *folder, size_t size, struct yk_err *err)
{
    struct stat s;
    int fd;

    snprintf(folder, size, "/tmp/yoke-%u", (unsigned)getuid());
    if (mkdir(folder, 0700) && errno != EEXIST) {
        yk_fail(err, YK_E_IO, "cannot create the folder %s: %s", folder, strerror(errno));
        return -1;
    }
    fd = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &s))
        yk_fail(err, YK_E_IO, "cannot open %s: %s; it must be a folder of this user, not a link", folder,
                strerror(errno));
    else if (s.st_uid != getuid())
        yk_fail(err, YK_E_IO, "%s belongs to another user (number %u); ask its owner or an administrator to remove it",
                folder, (unsigned)s.st_uid);
    else if (s.st_mode & 077)
        yk_fail(err, YK_E_IO, "%s can be opened by other users (mode %03o); chmod 700 %s", folder,
                (unsigned)(s.st_mode & 0777), folder);
    else
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

int yk_control_socket(const char *path, struct sockaddr_un *address)
{
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address->sun_path)
        return -1;
    memcpy(address->sun_path, path, strlen(path) + 1);
    return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
}

size_t yk_control_read(int fd, char *text, size_t size)
{
    const int64_t until_ns = yk_clock_now_ns() + INT64_C(1000000) * PATIENCE_MS;
    struct pollfd ready = {.fd = fd, .events = POLLIN};
    size_t used = 0;
    ssize_t got;
    int64_t left_ns;

    while (used + 1 < size && (left_ns = until_ns - yk_clock_now_ns()) > 0 &&
           poll(&ready, 1, (int)(left_ns / 1000000) + 1) > 0 && (got = read(fd, text + used, size - 1 - used)) > 0)
        used += (size_t)got;
    text[used] = 0;
    return used;
}

int yk_control_call(const char *path, const char *word)
{
    /* connecting waits too, where a run does not hear those who wait already */
    const struct timeval patience = {.tv_sec = PATIENCE_MS / 1000, .tv_usec = PATIENCE_MS % 1000 * 1000};
    struct sockaddr_un address;
    const int fd = yk_control_socket(path, &address);

    if (fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience) == 0 &&
        connect(fd, (struct sockaddr *)&address, sizeof address) == 0 &&
        send(fd, word, strlen(word), MSG_NOSIGNAL) == (ssize_t)strlen(word) && shutdown(fd, SHUT_WR) == 0)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

bool yk_control_ask_at(const char *path, const char *word, char *answer, size_t size)
{
    const int fd = yk_control_call(path, word);
    const bool good = fd >= 0 && yk_control_read(fd, answer, size) > 0;

    if (fd >= 0)
        close(fd);
    return good;
}

/* The socket of a run of this user; false: there is no folder for it. */
static bool path_of(const char *run, char *path, size_t size)
{
    char folder[64], name[256];
    const int fd = yk_control_folder(folder, sizeof folder, NULL);

    if (fd < 0)
        return false;
    close(fd);
    yk_control_name(name, sizeof name, run);
    snprintf(path, size, "%s/%s.sock", folder, name);
    return true;
}

bool yk_control_ask(const char *run, const char *word, enum yk_role role, char *answer, size_t size)
{
    char path[PATH], request[YK_CONTROL_REQUEST];

    snprintf(request, sizeof request, YK_CONTROL_AS "%s\n%s", yk_role_text(role), word);
    return path_of(run, path, sizeof path) && yk_control_ask_at(path, request, answer, size);
}

int yk_control_console(const char *run, const char *line, enum yk_role role)
{
    char path[PATH], word[YK_CONTROL_REQUEST];

    if (strlen(line) > YK_CONSOLE_LINE || !path_of(run, path, sizeof path))
        return -1;
    snprintf(word, sizeof word, YK_CONTROL_AS "%s\n" YK_CONTROL_CONSOLE "%s", yk_role_text(role), line);
    return yk_control_call(path, word);
}
