/* The commands of `yoke rig`: the words of a line, answers, and the commands that have a file of their own. */
#ifndef YOKE_CLI_RIG_COMMANDS_H
#define YOKE_CLI_RIG_COMMANDS_H

#include "cli/rig.h"

enum { RIG_WORDS = 32, RIG_TEXT = 512 };

/* ---- words of a line ---- */

struct rig_words {
    char copy[RIG_TEXT], *word[RIG_WORDS];
    int count, at;
};

/* False: the line is too long. */
bool rig_split(struct rig_words *w, const char *line);
bool rig_is_number(const char *word);
/* NULL: there is none. */
const char *rig_next_word(struct rig_words *w);
/* A number and its unit, which may be a word of its own. False after an answer, as in the next two. */
bool rig_next_quantity(struct rig_desk *d, struct rig_words *w, const char *what, enum yk_quantity quantity,
                       double *si);
bool rig_next_actuator(struct rig_desk *d, struct rig_words *w, size_t *i);
bool rig_no_more(struct rig_desk *d, const struct rig_words *w);

/* ---- answers ---- */

/* Says why not; returns 2. */
int rig_refuse(struct rig_desk *d, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same because of the state of the rig; returns 3 after a trip. */
int rig_refuse_now(struct rig_desk *d, const char *why);
/* Gives an order, waits until it is done and says why it failed. Returns the exit code. */
int rig_execute(struct rig_desk *d, struct yk_console_order *order);
enum yk_quantity rig_quantity(const struct rig_desk *d, size_t i, bool force);

/* ---- commands ---- */

int rig_do_jog(struct rig_desk *d, struct rig_words *w);
int rig_do_move(struct rig_desk *d, struct rig_words *w);
int rig_do_home(struct rig_desk *d, struct rig_words *w);
int rig_do_homing(struct rig_desk *d, struct rig_words *w);
int rig_do_tare(struct rig_desk *d, struct rig_words *w);
int rig_do_tare_surely(struct rig_desk *d, struct rig_words *w);
int rig_do_identify(struct rig_desk *d, struct rig_words *w);

#endif
