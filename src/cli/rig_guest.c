/* Guests of a console: lines of `yoke control console` and of the dashboard. They go through the same commands as those
 * of the terminal, which sees them and their answers after "@". One order at a time, whoever gave it: anything else is
 * answered by "busy", but a stop acts at once. A guest that leaves changes nothing. */
#include "cli/operator.h"
#include "cli/rig.h"

#include <string.h>
#include <sys/socket.h>

enum { ANSWER = 32 << 10, REASON = 200 }; /* bytes of an answer, most */

struct rig_guest {
    int fd;
    size_t said;
    const struct rig_face *host; /* the face of the terminal */
};

/* ---- the face ---- */

/* A guest that does not read loses what it does not read. */
static void write_line(struct rig_guest *g, const char *line)
{
    char text[1100];
    const int length = snprintf(text, sizeof text, "%.1090s\n", line);

    if (length > 0)
        (void)!send(g->fd, text, (size_t)length, MSG_DONTWAIT | MSG_NOSIGNAL);
}

static void say(struct rig_desk *d, const char *line)
{
    struct rig_guest *g = d->guest;
    const size_t before = g->said;
    char seen[1100];

    g->said += strlen(line) + 1;
    if (g->said <= ANSWER)
        write_line(g, line);
    else if (before <= ANSWER)
        write_line(g, "... the rest of the answer is only shown in the terminal of the console");
    snprintf(seen, sizeof seen, "@ %.1090s", line);
    if (desk_takes_text(1)) /* where nobody reads, a stop must still be heard */
        g->host->say(d, seen);
}

static int ask(struct rig_desk *d, const char *question)
{
    rig_say(d, "? %s", question);
    return -1;
}

static void idle(struct rig_desk *d)
{
    const struct rig_face *mine = d->face;

    d->face = d->guest->host; /* what the terminal hears meanwhile is answered there */
    d->face->idle(d);
    d->face = mine;
}

/* ---- one line ---- */

/* Why a line is not read, or NULL. Control characters would reach the terminal. */
static const char *fault_of(const char *line)
{
    static char reason[REASON];

    if (!line || !*line) {
        snprintf(reason, sizeof reason, "refused: a line must be a text of 1 .. %d bytes", YK_CONSOLE_LINE);
        return reason;
    }
    for (const unsigned char *c = (const unsigned char *)line; *c; c++)
        if (*c < ' ' || *c == 127 || (*c == 0xc2 && c[1] >= 0x80 && c[1] < 0xa0))
            return "refused: a line must not contain control characters";
    return NULL;
}

static int obey(struct rig_desk *d, struct rig_guest *g, const char *line, const char *by)
{
    static const struct rig_face face = {say, ask, idle};
    const char *host = d->by;
    const bool yes = d->yes;

    d->guest = g;
    d->by = by;
    d->face = &face;
    d->yes = false; /* was said for the terminal */
    const int code = rig_obey_list(d, line);

    d->yes = yes;
    d->by = host;
    d->face = g->host;
    d->guest = NULL;
    return code;
}

void rig_serve_guest(void *self, int fd, const char *line, const char *by)
{
    struct rig_desk *d = self;
    struct rig_guest g = {.fd = fd, .host = d->face};
    const char *fault = fault_of(line);
    char end[32];
    int code = 2;

    if (fault) {
        write_line(&g, fault);
    } else if (strcmp(line, "stop") == 0) {
        write_line(&g, d->busy ? "ok: the order is being stopped; the actuators are held" : "ok: nothing is moving");
        rig_stop(d);
        trail_add(d->trail, by, "command", "stop");
        code = 0;
    } else if (d->busy) {
        write_line(&g, d->guest ? "busy: an order of another page or of `yoke control` is being carried out; only "
                                  "`stop` is taken now"
                                : "busy: an order of the terminal is being carried out; only `stop` is taken now");
    } else {
        code = obey(d, &g, line, by);
    }
    snprintf(end, sizeof end, YK_CONSOLE_END "%d", code);
    write_line(&g, end);
}
