/* The console of a rig, `yoke rig`: shared by its parts. */
#ifndef YOKE_CLI_RIG_H
#define YOKE_CLI_RIG_H

#include "cli/cli.h"
#include "engine/console.h"

/* The person or the script at the console. */
struct rig_desk;
struct rig_face {
    void (*say)(struct rig_desk *desk, const char *line);    /* one line, without its end */
    int (*ask)(struct rig_desk *desk, const char *question); /* 1 yes, 0 no, -1 nobody answers */
    void (*idle)(struct rig_desk *desk); /* a few milliseconds, while an order is carried out; hears a stop */
};

struct rig_desk {
    const struct yk_model *model;
    const struct rig_face *face;
    void *self; /* of the face */
    struct yk_console *console;
    struct yk_station *station;
    struct yk_supervisor own;           /* as that of the console, for its limits; renewed by rig_look */
    struct yk_supervised *supervised;   /* its actuators, for their limits and control modes */
    const struct yk_supervisor *limits; /* it, with the sensors and lines of the rig */
    double *enabled_at;                 /* commands from which limits.console.travel counts */
    size_t count, sensors;
    double tick_s;
    double speed;         /* largest of a move [m/s or rad/s]; 0: follows from the limits */
    double tare_s;        /* over which a tare takes the mean */
    double watchdog_s;    /* silence after which the rig must have noticed */
    bool yes;             /* every question is answered by yes */
    const char *protocol; /* name of the files of the check-list, without ending; NULL: after the experiment */

    struct yk_taken_zero *zeros; /* those of the file */
    size_t zero_count;
    char *zeros_path; /* NULL: there is no file to write to */
    uint32_t tested, tested_on;
    json_t *notes; /* [{date, text}] */

    struct yk_console_now now;
    double *seen; /* by rig_look */
    bool busy;    /* a command is being carried out */
    bool halted;  /* its motion was stopped: no other one begins */
    bool quit;
    struct rig_guest *guest; /* who gave the command; NULL: the terminal or the script */
    const char *by;          /* the same in words, for the audit log */
    struct trail *trail;
    struct operator_desk *desk; /* switched between local and remote */
    int code;                   /* of the program: of the first that failed */
};

/* Says one line. */
void rig_say(struct rig_desk *d, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Says a text of several lines. */
void rig_say_text(struct rig_desk *d, const char *text);
/* Does what a line says and answers it; returns an exit code: 0 done, 2 refused, 3 tripped or stopped, 4 a check of the
 * list did not hold. */
int rig_obey(struct rig_desk *d, const char *line);
/* The same for several lines, separated by semicolons, up to the first that fails. */
int rig_obey_list(struct rig_desk *d, const char *list);
/* Stops a motion and the rest of its command. */
void rig_stop(struct rig_desk *d);
/* Commands for people, one in a line. */
void rig_print_commands(FILE *out);

/* ---- for the commands and the check-list ---- */

/* The quantity that an actuator is commanded in, by its present control mode. */
static inline enum yk_command_kind rig_kind(const struct rig_desk *d, size_t i)
{
    return d->supervised[i].own.kind;
}
/* The newest state into d->now and d->seen. */
void rig_look(struct rig_desk *d);
/* Gives an order and waits until it is done. */
enum yk_status rig_carry_out(struct rig_desk *d, struct yk_console_order *order);
/* Why nothing may be moved now; "": it may. */
const char *rig_obstacle(struct rig_desk *d);
/* Why an actuator may not go there, with the limit named; false: it may. */
bool rig_beyond(const struct rig_desk *d, size_t i, double to, char *why, size_t size);
/* An order for one actuator, the others stay; `to` has room for all. speed 0: the largest that is allowed. */
struct yk_console_order rig_move(const struct rig_desk *d, size_t i, double x, double speed, double *to);
/* Limits of an actuator at the console: "at most 5 mm/s, 2 kN and 10 mm of travel". */
void rig_say_limits(struct rig_desk *d, size_t i);
/* In its unit: "5 mm". */
struct yk_quantity_text rig_text(const struct rig_desk *d, size_t i, bool force, double x);
/* A trip in words; valid until the next call. */
const char *rig_trip_words(const struct rig_desk *d, const struct yk_trip *trip);
/* Mean and standard deviation of a column of rows. */
void rig_statistics(const double *rows, size_t n, size_t width, size_t column, double *mean, double *deviation);

/* Signs, scales, noise, delay, limits, emergency stop and watchdog, one after the other; writes the protocol. */
int rig_check(struct rig_desk *d);

/* ---- faces ---- */

/* Both until the end; return the exit code. */
int rig_serve_terminal(struct rig_desk *d);
int rig_serve_input(struct rig_desk *d);
/* Serves requests of another terminal or of the dashboard; call it often. */
void rig_hear(struct rig_desk *d);
/* A line of another terminal or of the dashboard, for operator_desk.console; `self` is the rig_desk. */
void rig_serve_guest(void *self, int fd, const char *line, const char *by);
/* A line of the terminal while a guest's order is carried out. */
void rig_refuse_meanwhile(struct rig_desk *d, const char *line);
/* The commands and the output lines, for the page: {"commands": [{name, args, words}], "lines": [NAME]}. */
json_t *rig_describe(const struct yk_supervisor *limits);
/* Has a signal or another terminal asked for the end? */
bool rig_is_ending(void);

#endif
