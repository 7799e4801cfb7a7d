/* The operator of a run: single keys, and one word a connection over a socket that only this user can open. */
#include "cli/operator.h"

#include <ctype.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

enum { WORD = 32, PATIENCE_MS = 200, LONGEST_NAME = 40 };

static const struct {
    const char *word;
    char key;
    enum yk_event event;
} orders[] = {{"pause", 'p', YK_EVENT_PAUSE},
              {"resume", 'r', YK_EVENT_RESUME},
              {"step", 's', YK_EVENT_STEP},
              {"abort", 'q', YK_EVENT_ABORT}};
enum { ORDERS = sizeof orders / sizeof *orders };

void desk_name(char *to, size_t size, const char *name)
{
    snprintf(to, size, "%s", name);
    for (char *c = to; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("-_.", *c))
            *c = '_';
}

bool desk_folder(char *folder, size_t size)
{
    struct stat s;

    snprintf(folder, size, "/tmp/yoke-%u", (unsigned)getuid());
    if (mkdir(folder, 0700) && errno != EEXIST)
        return false;
    return lstat(folder, &s) == 0 && S_ISDIR(s.st_mode) && s.st_uid == getuid() && (s.st_mode & 077) == 0;
}

static int socket_at(const char *path, struct sockaddr_un *address)
{
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address->sun_path)
        return -1;
    memcpy(address->sun_path, path, strlen(path) + 1);
    return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
}

/* Reads until the other side has said all, for a while only. */
static size_t read_all(int fd, char *text, size_t size)
{
    struct pollfd ready = {.fd = fd, .events = POLLIN};
    size_t used = 0;
    ssize_t got;

    while (used + 1 < size && poll(&ready, 1, PATIENCE_MS) > 0 && (got = read(fd, text + used, size - 1 - used)) > 0)
        used += (size_t)got;
    text[used] = 0;
    return used;
}

bool desk_ask(const char *path, const char *word, char *answer, size_t size)
{
    /* connecting waits too, where a run does not hear those who wait already */
    const struct timeval patience = {.tv_sec = PATIENCE_MS / 1000, .tv_usec = PATIENCE_MS % 1000 * 1000};
    struct sockaddr_un address;
    const int fd = socket_at(path, &address);
    bool good = false;

    if (fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience) == 0 &&
        connect(fd, (struct sockaddr *)&address, sizeof address) == 0 &&
        write(fd, word, strlen(word)) == (ssize_t)strlen(word) && shutdown(fd, SHUT_WR) == 0)
        good = read_all(fd, answer, size) > 0;
    if (fd >= 0)
        close(fd);
    return good;
}

/* The name of the file without folder and ending; with the process behind it where another run has that name. */
static bool choose_path(struct operator_desk *d, const char *file)
{
    const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file, *dot = strrchr(base, '.');
    char folder[64], answer[256];

    desk_name(d->name, LONGEST_NAME + 1, base);
    if (dot && dot != base && (size_t)(dot - base) < strlen(d->name))
        d->name[dot - base] = 0;
    if (!desk_folder(folder, sizeof folder))
        return false;
    snprintf(d->path, sizeof d->path, "%s/%s.sock", folder, d->name);
    if (desk_ask(d->path, "status", answer, sizeof answer)) {
        const size_t used = strlen(d->name);

        snprintf(d->name + used, sizeof d->name - used, "-%ld", (long)getpid());
        snprintf(d->path, sizeof d->path, "%s/%s.sock", folder, d->name);
    }
    return true;
}

static void take_keys(struct operator_desk *d)
{
    struct termios raw;

    if (!isatty(STDIN_FILENO) || tcgetpgrp(STDIN_FILENO) != getpgrp() || tcgetattr(STDIN_FILENO, &d->before))
        return;
    raw = d->before;
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    raw.c_cc[VMIN] = 0;
    raw.c_cc[VTIME] = 0;
    d->keys = tcsetattr(STDIN_FILENO, TCSANOW, &raw) == 0;
}

void desk_open(struct operator_desk *d, struct yk_run_control *control, const char *file, long steps)
{
    struct sockaddr_un address;

    *d = (struct operator_desk){.control = control, .steps = steps, .listener = -1};
    take_keys(d);
    if (choose_path(d, file) && (d->listener = socket_at(d->path, &address)) >= 0) {
        unlink(d->path); /* of a run that was killed */
        if (bind(d->listener, (struct sockaddr *)&address, sizeof address) == 0 && listen(d->listener, 4) == 0)
            return;
        close(d->listener);
    }
    d->listener = -1;
    d->path[0] = 0;
}

void desk_close(struct operator_desk *d)
{
    if (d->keys)
        tcsetattr(STDIN_FILENO, TCSANOW, &d->before);
    if (d->listener >= 0) {
        close(d->listener);
        unlink(d->path);
    }
    d->listener = -1;
    d->keys = false;
}

/* One connection: a word, and the answer. */
static void serve(struct operator_desk *d, int fd)
{
    char word[WORD], answer[256];

    read_all(fd, word, sizeof word);
    word[strcspn(word, "\n")] = 0;
    snprintf(answer, sizeof answer, "unknown word; there are pause, resume, step, abort and status\n");
    for (int i = 0; i < ORDERS; i++)
        if (strcmp(word, orders[i].word) == 0) {
            yk_run_request(d->control, orders[i].event);
            snprintf(answer, sizeof answer, "%s asked for\n", orders[i].word);
        }
    if (strcmp(word, "status") == 0)
        snprintf(answer, sizeof answer, "%s step %ld of %ld\n",
                 yk_state_text((enum yk_state)atomic_load(&d->control->state)), atomic_load(&d->control->step),
                 d->steps);
    if (write(fd, answer, strlen(answer)) < 0)
        return; /* the other side has left: its business */
}

void desk_hear(struct operator_desk *d)
{
    struct pollfd ready = {.fd = d->listener, .events = POLLIN};
    char key;

    while (d->keys && read(STDIN_FILENO, &key, 1) == 1)
        for (int i = 0; i < ORDERS; i++)
            if (key == orders[i].key)
                yk_run_request(d->control, orders[i].event);
    while (d->listener >= 0 && poll(&ready, 1, 0) > 0) {
        const int fd = accept(d->listener, NULL, NULL);

        if (fd < 0)
            return;
        serve(d, fd);
        close(fd);
    }
}
