/* The operator of a run: single keys, and one word a connection over a socket that only this user can open. */
#include "cli/operator.h"
#include "base/segment.h"
#include "door/control.h"
#include "transfer/station.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    LONGEST_NAME = 40,
    PATH = 400,
    MOST_HEARD = 8, /* connections at a time: others must not keep the terminal waiting */
    LOCK_TRIES = 1000,
    BETWEEN_US = 2000
};

#define NOTE  "note "
#define MODE  "mode "
#define LOCAL 'l' /* key: orders from elsewhere are refused, or taken again */

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

/* Does a run listen there, however long it takes to answer? A name that nobody listens to is a remnant. */
static bool is_live(const char *path)
{
    struct sockaddr_un address;
    const int fd = yk_control_socket(path, &address);
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

    yk_control_name(d->name, LONGEST_NAME + 1, base);
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

    if ((d->listener = yk_control_socket(d->path, &address)) >= 0 &&
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
    const int fd = yk_control_folder(folder, sizeof folder, err);
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
    const bool named = strncmp(word, YK_CONTROL_AS, sizeof YK_CONTROL_AS - 1) == 0 && end;

    if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &process, &size))
        process.pid = 0;
    if (named) {
        const char *role = word + sizeof YK_CONTROL_AS - 1;

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
    const char *line = s->word + sizeof YK_CONTROL_CONSOLE - 1;
    const bool whole = strlen(s->word) == length && strlen(line) <= YK_CONSOLE_LINE, stops = strcmp(line, "stop") == 0;
    const char *why = objection(d, s, stops ? YK_ROLE_OPERATOR : YK_ROLE_ENGINEER, !stops);

    if (*why)
        dprintf(fd, "%s\n" YK_CONSOLE_END "2\n", why);
    else
        d->console(d->console_self, fd, whole ? line : NULL, s->by);
    if (d->trail && *why)
        trail_add(d->trail, s->by, "refused", "%s: %s", line, why);
}

/* "a1 force": which actuator, and which enum yk_mode. */
static bool read_mode(const struct operator_desk *d, const char *words, size_t *actuator, int *mode)
{
    const char *space = strrchr(words, ' ');

    *mode = space ? yk_choice_index("displacement|force|auto", space + 1) : -1;
    for (*actuator = 0; *mode >= 0 && d->station && *actuator < yk_station_count(d->station); ++*actuator) {
        const char *name = yk_station_name(d->station, *actuator);

        if (strlen(name) == (size_t)(space - words) && strncmp(name, words, strlen(name)) == 0)
            return yk_station_switches(d->station, *actuator);
    }
    return false;
}

/* The control mode of an actuator. */
static void take_mode(struct operator_desk *d, const struct sender *s, char *answer, size_t size)
{
    const char *words = s->word + sizeof MODE - 1, *why = objection(d, s, YK_ROLE_OPERATOR, true);
    size_t actuator;
    int mode;

    if (!*why && !read_mode(d, words, &actuator, &mode))
        why =
            "refused: say mode \"ACTUATOR displacement\", \"ACTUATOR force\" or \"ACTUATOR auto\", of an actuator with "
            "two control modes";
    snprintf(answer, size, "%s%s%s\n", *why ? why : "mode ", *why ? "" : words, *why ? "" : " requested");
    if (!*why)
        yk_run_request_mode(d->control, actuator, mode, s->word, s->by);
    if (d->trail)
        trail_add(d->trail, s->by, *why ? "refused" : "request", "%s%s%s", s->word, *why ? ": " : "", why);
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
        snprintf(answer, size, "%s step %ld of %ld\n",
                 yk_rig_state_text((enum yk_rig_state)atomic_load(&d->control->state)), atomic_load(&d->control->step),
                 d->steps);
        return;
    }
    if (!notes && i == ORDERS) {
        snprintf(answer, size, "unknown request; use pause, resume, step, abort, note, mode or status%s\n",
                 strncmp(word, YK_CONTROL_CONSOLE, sizeof YK_CONTROL_CONSOLE - 1) == 0
                     ? "; this is not the console of a rig"
                     : "");
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
    char text[YK_CONTROL_REQUEST], answer[256];
    const size_t length = yk_control_read(fd, text, sizeof text);
    struct sender s = sender_of(fd, text);

    if (d->console && strncmp(s.word, YK_CONTROL_CONSOLE, sizeof YK_CONTROL_CONSOLE - 1) == 0) {
        serve_console(d, fd, &s, length - (size_t)(s.word - text));
        return;
    }
    if (strncmp(s.word, NOTE, sizeof NOTE - 1) != 0) /* a note may have several lines */
        s.word[strcspn(s.word, "\n")] = 0;
    if (strncmp(s.word, MODE, sizeof MODE - 1) == 0)
        take_mode(d, &s, answer, sizeof answer);
    else
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
