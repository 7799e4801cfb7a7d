/* The settings of a method, an element law or a signal, described by a table.
 *
 * The same table drives the experiment-file reader (names, units, ranges, defaults), the messages, `yoke list` and the
 * generated reference, so none of them can disagree. Values are written into the owner's settings struct at `offset`.
 */
#ifndef YOKE_PARAM_H
#define YOKE_PARAM_H

#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <yoke/units.h>

enum yk_param_type {
    YK_PARAM_REAL,   /* double                                                    */
    YK_PARAM_COUNT,  /* int                                                       */
    YK_PARAM_FLAG,   /* bool                                                      */
    YK_PARAM_CHOICE, /* int: index into `choices`                                 */
    YK_PARAM_REALS,  /* struct yk_reals                                           */
    YK_PARAM_FILE,   /* char *: absolute or relative to the experiment file       */
    YK_PARAM_SERIES, /* struct yk_series: the file named by the key, already read */
    YK_PARAM_TEXT,   /* char *                                                    */
    YK_PARAM_NODE,   /* a list or map with its own reader; `choices` names its contents */
    YK_PARAM_WHOLE,  /* double: a whole number among settings that are not */
    YK_PARAM_POINTS  /* struct yk_reals: pairs of force and displacement, one after the other; `choices` names a word
                        that stands for none, or is "" */
};

struct yk_reals {
    double *x;
    size_t n;
};

/* A sampled function of time; between samples it is a straight line, outside it is zero. */
struct yk_series {
    double *t, *y; /* t increases strictly */
    size_t n;
};

struct yk_param {
    const char *name;
    enum yk_param_type type;
    size_t offset;
    enum yk_quantity quantity;
    double fallback;     /* default; YK_REQUIRED where the user must give it */
    double min, max;     /* allowed range, ends included                        */
    const char *choices; /* "first|second|third" for YK_PARAM_CHOICE            */
    const char *help;    /* one line, ends without a full stop                  */
    const char *when;    /* see YK_WHEN; NULL: always                           */
    const char *hint;    /* see YK_HINT; NULL: none                             */
};

#define YK_REQUIRED NAN
#define YK_TINY     1e-300 /* smallest allowed value of something that must be positive */

/* Replaces the help of a setting that applies only with certain values of others: "model=loops",
 * "kind=optimal,over=steps", or "filter" for one that is not zero, not the first of its choices, or a file;
 * "!gamma_A!gamma_B" unless all of these are given. In all other cases the setting would be ignored, so the reader
 * refuses it. */
#define YK_WHEN(condition, help_) help_, .when = (condition)

/* Replaces the help of a setting whose range is easily missed: `hint` ends the message for a value outside it. */
#define YK_HINT(hint_, help_) help_, .hint = (hint_)

#define YK_REAL(owner, field, quantity_, fallback_, min_, max_, help_)                                                 \
    {                                                                                                                  \
        .name = #field, .type = YK_PARAM_REAL, .offset = offsetof(owner, field), .quantity = quantity_,                \
        .fallback = fallback_, .min = min_, .max = max_, .help = help_                                                 \
    }
#define YK_COUNT(owner, field, fallback_, min_, max_, help_)                                                           \
    {                                                                                                                  \
        .name = #field, .type = YK_PARAM_COUNT, .offset = offsetof(owner, field), .quantity = YK_NUMBER,               \
        .fallback = fallback_, .min = min_, .max = max_, .help = help_                                                 \
    }
#define YK_FLAG(owner, field, fallback_, help_)                                                                        \
    {                                                                                                                  \
        .name = #field, .type = YK_PARAM_FLAG, .offset = offsetof(owner, field), .quantity = YK_NUMBER,                \
        .fallback = fallback_, .min = 0, .max = 1, .help = help_                                                       \
    }
#define YK_CHOICE(owner, field, choices_, fallback_, help_)                                                            \
    {                                                                                                                  \
        .name = #field, .type = YK_PARAM_CHOICE, .offset = offsetof(owner, field), .quantity = YK_NUMBER,              \
        .fallback = fallback_, .choices = choices_, .help = help_                                                      \
    }
#define YK_REALS(owner, field, quantity_, fallback_, min_, max_, help_)                                                \
    {                                                                                                                  \
        .name = #field, .type = YK_PARAM_REALS, .offset = offsetof(owner, field), .quantity = quantity_,               \
        .fallback = fallback_, .min = min_, .max = max_, .help = help_                                                 \
    }
#define YK_POINTS(owner, field, word_, fallback_, help_)                                                               \
    {                                                                                                                  \
        .name = #field, .type = YK_PARAM_POINTS, .offset = offsetof(owner, field), .quantity = YK_FORCE,               \
        .fallback = fallback_, .min = 0, .max = 1e15, .choices = word_, .help = help_                                  \
    }
#define YK_SERIES(owner, field, quantity_, help_)                                                                      \
    {                                                                                                                  \
        .name = #field, .type = YK_PARAM_SERIES, .offset = offsetof(owner, field), .quantity = quantity_,              \
        .fallback = YK_REQUIRED, .help = help_                                                                         \
    }
#define YK_TEXT(owner, field, fallback_, help_)                                                                        \
    {                                                                                                                  \
        .name = #field, .type = YK_PARAM_TEXT, .offset = offsetof(owner, field), .fallback = fallback_, .help = help_  \
    }
#define YK_NODE(name_, what_, fallback_, help_)                                                                        \
    {                                                                                                                  \
        .name = name_, .type = YK_PARAM_NODE, .fallback = fallback_, .choices = what_, .help = help_                   \
    }
#define YK_PARAM_END                                                                                                   \
    {                                                                                                                  \
        .name = NULL                                                                                                   \
    }

/* Fills `settings` with the defaults of the table; required values become NaN. */
void yk_param_defaults(const struct yk_param *params, void *settings);
/* A malloc'd block of `size` bytes, zero but for `user`, its first member unless that is NULL (plugin.h). NULL: there
 * is no memory. */
void *yk_param_block(size_t size, void *user);
/* A malloc'd block of `size` bytes, zero but for the defaults of the table. */
enum yk_status yk_param_settings(const struct yk_param *params, size_t size, void **settings, struct yk_err *err);
/* Sets one scalar value (real, count, flag or choice index) by name; checks the range. For programs and tests; the
 * experiment reader goes through the same function. */
enum yk_status yk_param_set(const struct yk_param *params, void *settings, const char *name, double value,
                            struct yk_err *err);
/* Does the setting apply, given the others? If not, `word` (size bytes) gives the reason: "with model: measured; it is
 * for model: loops", "without filter", "with lead: none", or "beside gamma_A and gamma_B". */
bool yk_param_counts(const struct yk_param *params, const struct yk_param *p, const void *settings, char *word,
                     size_t size);
/* Reports the first required value that is still missing. */
enum yk_status yk_param_check(const struct yk_param *params, const void *settings, struct yk_err *err);
/* Does it need a file of the user, so that it cannot be tried with its defaults? */
bool yk_param_needs_file(const struct yk_param *params);
/* Frees lists, texts and series of the settings. */
void yk_param_free(const struct yk_param *params, void *settings);
/* Choices written as "a|b|c": index of `text`, or -1; the choice of an index, which ends at a bar or with the text; the
 * choice after one, NULL after the last. */
int yk_choice_index(const char *choices, const char *text);
const char *yk_choice_at(const char *choices, int index);
const char *yk_choice_next(const char *choice);

#endif
