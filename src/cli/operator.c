/* The operator of a run: single keys, and one word a connection over a socket that only this user can open. */
#include "cli/operator.h"
#include "base/clock.h"
#include "base/segment.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

enum {
    WORD = 64 + YK_CONSOLE_LINE,
    PATIENCE_MS = 200,
    LONGEST_NAME = 40,
    PATH = 400,
    MOST_HEARD = 8, /* connections at a time: others must not keep the terminal waiting */
    LOCK_TRIES = 1000,
    BETWEEN_US = 2000
};

#define NOTE    "note "
#define CONSOLE "console "
#define AS      "as " /* before a request of the dashboard: "as operator\npause" */
#define LOCAL   'l'   /* key: orders from elsewhere are refused, or taken again */

static const struct {
    const char *word;
    char key;
    enum yk_event event;
    bool moves; /* not from elsewhere while the desk is local */
} orders[] = {{"pause", 'p', YK_EVENT_PAUSE, false},
              {"resume", 'r', YK_EVENT_RESUME, true},
              {"step", 's', YK_EVENT_STEP, true},
              {"abort", 'q', YK_EVENT_ABORT, false}};
enum { ORDERS = sizeof orders / sizeof *orders };

void desk_name(char *to, size_t size, const char *name)
{
    snprintf(to, size, "%s", name);
    for (char *c = to; *c; c++)
        if (!isalnum((unsigned char)*c) && !strchr("-_.", *c))
            *c = '_';
}

/* Opens the folder: what is checked is what is used. -1 after a failure. */
static int open_folder(char *folder, size_t size, struct yk_err *err)
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

enum yk_status desk_folder(char *folder, size_t size, struct yk_err *err)
{
    const int fd = open_folder(folder, size, err);

    if (fd < 0)
        return err ? err->status : YK_E_IO;
    close(fd);
    return YK_OK;
}

static int socket_at(const char *path, struct sockaddr_un *address)
{
    *address = (struct sockaddr_un){.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof address->sun_path)
        return -1;
    memcpy(address->sun_path, path, strlen(path) + 1);
    return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
}

/* Reads until the other side has said all, for a while only, however slowly it speaks. */
static size_t read_all(int fd, char *text, size_t size)
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

int desk_call(const char *path, const char *word)
{
    /* connecting waits too, where a run does not hear those who wait already */
    const struct timeval patience = {.tv_sec = PATIENCE_MS / 1000, .tv_usec = PATIENCE_MS % 1000 * 1000};
    struct sockaddr_un address;
    const int fd = socket_at(path, &address);

    if (fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience) == 0 &&
        connect(fd, (struct sockaddr *)&address, sizeof address) == 0 &&
        send(fd, word, strlen(word), MSG_NOSIGNAL) == (ssize_t)strlen(word) && shutdown(fd, SHUT_WR) == 0)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

bool desk_ask(const char *path, const char *word, char *answer, size_t size)
{
    const int fd = desk_call(path, word);
    const bool good = fd >= 0 && read_all(fd, answer, size) > 0;

    if (fd >= 0)
        close(fd);
    return good;
}

/* Where a run of this user listens; false: nowhere. */
static bool path_of(const char *run, char *path, size_t size)
{
    char folder[64], name[256];

    if (desk_folder(folder, sizeof folder, NULL))
        return false;
    desk_name(name, sizeof name, run);
    snprintf(path, size, "%s/%s.sock", folder, name);
    return true;
}

bool desk_ask_run(const char *run, const char *word, enum yk_role role, char *answer, size_t size)
{
    char path[PATH], request[WORD];

    snprintf(request, sizeof request, AS "%s\n%s", yk_role_text(role), word);
    return path_of(run, path, sizeof path) && desk_ask(path, request, answer, size);
}

int desk_call_console(const char *run, const char *line, enum yk_role role)
{
    char path[PATH], word[WORD];

    if (strlen(line) > YK_CONSOLE_LINE || !path_of(run, path, sizeof path))
        return -1;
    snprintf(word, sizeof word, AS "%s\n" CONSOLE "%s", yk_role_text(role), line);
    return desk_call(path, word);
}

/* Does a run listen there, however long it takes to answer? A name that nobody listens to is a remnant. */
static bool is_live(const char *path)
{
    struct sockaddr_un address;
    const int fd = socket_at(path, &address);
    bool live = false;

    if (fd >= 0 && fcntl(fd, F_SETFL, O_NONBLOCK) == 0)
        live = connect(fd, (struct sockaddr *)&address, sizeof address) == 0 || errno == EAGAIN;
    if (fd >= 0)
        close(fd);
    return live;
}

/* Removes the sockets of runs that were killed. */
static void sweep(const char *folder)
{
    DIR *dir = opendir(folder);
    const struct dirent *entry;

    while (dir && (entry = readdir(dir))) {
        const char *dot = strrchr(entry->d_name, '.');
        char path[PATH];

        if (!dot || strcmp(dot, ".sock") != 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        if (!is_live(path))
            unlink(path);
    }
    if (dir)
        closedir(dir);
}

/* The name of the file without folder and ending; with the process behind it where another run has that name. */
static void choose_path(struct operator_desk *d, const char *folder, const char *file)
{
    const char *slash = strrchr(file, '/'), *base = slash ? slash + 1 : file, *dot = strrchr(base, '.');

    desk_name(d->name, LONGEST_NAME + 1, base);
    if (dot && dot != base && (size_t)(dot - base) < strlen(d->name))
        d->name[dot - base] = 0;
    snprintf(d->path, sizeof d->path, "%s/%s.sock", folder, d->name);
    if (is_live(d->path)) {
        const size_t used = strlen(d->name);

        snprintf(d->name + used, sizeof d->name - used, "-%ld", (long)getpid());
        snprintf(d->path, sizeof d->path, "%s/%s.sock", folder, d->name);
    }
}

/* One at a time chooses, removes and makes names. Who holds the lock does so for a moment, unless it was stopped. */
static bool lock(int folder)
{
    for (int i = 0; i < LOCK_TRIES; i++) {
        if (flock(folder, LOCK_EX | LOCK_NB) == 0)
            return true;
        usleep(BETWEEN_US);
    }
    return false;
}

static enum yk_status open_listener(struct operator_desk *d, struct yk_err *err)
{
    struct sockaddr_un address;
    struct stat s;

    if ((d->listener = socket_at(d->path, &address)) >= 0 &&
        bind(d->listener, (struct sockaddr *)&address, sizeof address) == 0 && listen(d->listener, 4) == 0 &&
        lstat(d->path, &s) == 0) {
        d->inode = s.st_ino;
        return YK_OK;
    }
    yk_fail(err, YK_E_IO, "cannot create the socket %s: %s", d->path, strerror(errno));
    if (d->listener >= 0)
        close(d->listener);
    d->listener = -1;
    d->path[0] = 0;
    return YK_E_IO;
}

bool desk_takes_text(int fd)
{
    struct pollfd p = {fd, POLLOUT, 0};

    return poll(&p, 1, 0) == 1;
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

enum yk_status desk_open(struct operator_desk *d, struct yk_run_control *control, const char *file, long steps,
                         struct yk_err *err)
{
    enum yk_status st = YK_E_IO;
    char folder[64];

    *d = (struct operator_desk){.control = control, .steps = steps, .listener = -1};
    take_keys(d);
    yk_segment_sweep();
    const int fd = open_folder(folder, sizeof folder, err);
    if (fd < 0)
        return st;
    if (lock(fd)) {
        sweep(folder);
        choose_path(d, folder, file);
        st = open_listener(d, err);
    } else {
        yk_fail(err, st, "another process keeps the folder %s locked", folder);
    }
    close(fd); /* and unlocks */
    return st;
}

void desk_leave_keys(struct operator_desk *d)
{
    if (d->keys)
        tcsetattr(STDIN_FILENO, TCSANOW, &d->before);
    d->keys = false;
}

void desk_close(struct operator_desk *d)
{
    struct stat s;

    desk_leave_keys(d);
    if (d->listener >= 0) {
        close(d->listener);
        if (lstat(d->path, &s) == 0 && s.st_ino == d->inode) /* otherwise the name is another's by now */
            unlink(d->path);
    }
    d->listener = -1;
}

/* Who sends a request, and what is left of it. The socket is only open to this user, who has every right; what comes
 * through the dashboard has the role of its token. */
struct sender {
    enum yk_role role;
    char by[YK_BY];
    char *word;
};

static struct sender sender_of(int fd, char *word)
{
    struct ucred process = {0};
    socklen_t size = sizeof process;
    struct sender s = {.role = YK_ROLE_ENGINEER, .word = word};
    char *end = strchr(word, '\n');
    const bool named = strncmp(word, AS, sizeof AS - 1) == 0 && end;

    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &process, &size))
        process.pid = 0;
    if (named) {
        const char *role = word + sizeof AS - 1;

        s.role = yk_role_find(role, (size_t)(end - role));
        s.word = end + 1;
    }
    snprintf(s.by, sizeof s.by, "%s, %s %ld", s.role == YK_ROLE_NONE ? "unknown" : yk_role_text(s.role),
             named ? "dashboard" : "process", (long)process.pid);
    return s;
}

/* Why a request is refused, in words; "" where it is not. `least` is the role that it needs. */
static const char *objection(const struct operator_desk *d, const struct sender *s, enum yk_role least, bool moves)
{
    if (s->role < least)
        return least == YK_ROLE_ENGINEER ? "refused: this needs the role engineer"
                                         : "refused: this needs the role operator";
    return moves && d->local ? "refused: switched to local; the terminal alone commands" : "";
}

static void serve_console(struct operator_desk *d, int fd, const struct sender *s, size_t length)
{
    const char *line = s->word + sizeof CONSOLE - 1;
    const bool whole = strlen(s->word) == length && strlen(line) <= YK_CONSOLE_LINE, stops = strcmp(line, "stop") == 0;
    const char *why = objection(d, s, stops ? YK_ROLE_OPERATOR : YK_ROLE_ENGINEER, !stops);

    if (*why)
        dprintf(fd, "%s\n" YK_CONSOLE_END "2\n", why);
    else
        d->console(d->console_self, fd, whole ? line : NULL, s->by);
    if (d->trail && *why)
        trail_add(d->trail, s->by, "refused", "%s: %s", line, why);
}

/* A request to the run; the answer is one line. */
static void take_order(struct operator_desk *d, const struct sender *s, char *answer, size_t size)
{
    const char *word = s->word, *why = "";
    const bool notes = strncmp(word, NOTE, sizeof NOTE - 1) == 0;
    int i = 0;

    while (i < ORDERS && strcmp(word, orders[i].word) != 0)
        i++;
    if (strcmp(word, "status") == 0) {
        snprintf(answer, size, "%s step %ld of %ld\n", yk_state_text((enum yk_state)atomic_load(&d->control->state)),
                 atomic_load(&d->control->step), d->steps);
        return;
    }
    if (!notes && i == ORDERS) {
        snprintf(answer, size, "unknown request; use pause, resume, step, abort, note or status%s\n",
                 strncmp(word, CONSOLE, sizeof CONSOLE - 1) == 0 ? "; this is not the console of a rig" : "");
        return;
    }
    if (*(why = objection(d, s, YK_ROLE_OPERATOR, !notes && orders[i].moves)))
        snprintf(answer, size, "%s\n", why);
    else if (notes)
        snprintf(answer, size, "%s\n",
                 yk_run_remark(d->control, word + sizeof NOTE - 1, s->by) ? "noted"
                                                                          : "not noted: there are too many notes");
    else
        snprintf(answer, size, "%s requested\n", word);
    if (!*why && !notes)
        yk_run_request_by(d->control, orders[i].event, s->by);
    if (d->trail)
        trail_add(d->trail, s->by,
                  *why    ? "refused"
                  : notes ? "note"
                          : "request",
                  "%s%s%s", notes ? word + sizeof NOTE - 1 : word, *why ? ": " : "", why);
}

/* One connection: a request, and the answer. */
static void serve(struct operator_desk *d, int fd)
{
    char text[WORD], answer[256];
    const size_t length = read_all(fd, text, sizeof text);
    struct sender s = sender_of(fd, text);

    if (d->console && strncmp(s.word, CONSOLE, sizeof CONSOLE - 1) == 0) {
        serve_console(d, fd, &s, length - (size_t)(s.word - text));
        return;
    }
    if (strncmp(s.word, NOTE, sizeof NOTE - 1) != 0) /* a note may have several lines */
        s.word[strcspn(s.word, "\n")] = 0;
    take_order(d, &s, answer, sizeof answer);
    if (write(fd, answer, strlen(answer)) < 0)
        return; /* the other side has left, which is not an error here */
}

void desk_switch(struct operator_desk *d, bool local)
{
    d->local = local;
    if (d->trail)
        trail_add(d->trail, "terminal", local ? "local" : "remote", "%s", "");
}

static void take_key(struct operator_desk *d, char key)
{
    for (int i = 0; i < ORDERS; i++)
        if (key == orders[i].key) {
            yk_run_request_by(d->control, orders[i].event, "terminal");
            if (d->trail)
                trail_add(d->trail, "terminal", "request", "%s", orders[i].word);
        }
    if (key != LOCAL)
        return;
    desk_switch(d, !d->local);
    if (desk_takes_text(STDERR_FILENO))
        fprintf(stderr, "\n%s\n",
                d->local ? "local: orders from elsewhere are refused, but for pause and abort"
                         : "remote: orders from elsewhere are taken");
}

void desk_hear(struct operator_desk *d)
{
    struct pollfd ready = {.fd = d->listener, .events = POLLIN};
    char key;

    while (d->keys && read(STDIN_FILENO, &key, 1) == 1)
        take_key(d, key);
    for (int i = 0; i < MOST_HEARD && d->listener >= 0 && poll(&ready, 1, 0) > 0; i++) {
        const int fd = accept(d->listener, NULL, NULL);

        if (fd < 0)
            return;
        serve(d, fd);
        close(fd);
    }
}
