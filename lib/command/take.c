/* The words of a command line, read by the table of the command. */
#include "rows.h"
#include <yoke/number.h>
#include <yoke/suggest.h>

#include <math.h>
#include <string.h>

static bool quiet; /* of this command: --quiet was given */

bool yk_command_is_quiet(void)
{
    return quiet;
}

bool yk_option_quantity(const struct yk_command *command, const char *option, const char *text,
                        enum yk_quantity quantity, double min, double max, double *value)
{
    struct yk_err err = {0};
    double x;

    if (!text)
        return true;
    if (yk_quantity_parse(text, quantity, &x, &err))
        yk_misuse(command, "%s: %s", option, yk_err_line(&err).text);
    else if (!(x >= min && x <= max))
        yk_misuse(command, "%s '%s' is outside %g .. %g %s", option, text, min, max, yk_quantity_unit(quantity));
    else
        return *value = x, true;
    return false;
}

bool yk_option_count(const struct yk_command *command, const char *option, const char *text, long least, long most,
                     long *value)
{
    double x;

    if (!text)
        return true;
    if (yk_number_list(text, &x, 1) != 1 || !(x >= (double)least && x <= (double)most) || x != floor(x)) {
        yk_misuse(command, "%s '%s' must be a whole number from %ld to %ld", option, text, least, most);
        return false;
    }
    *value = (long)x;
    return true;
}

/* ---- options ---- */

const struct yk_option *yk_option_next(struct yk_option_walk *walk)
{
    while (walk->depth >= 0) {
        const struct yk_option *row = walk->row[walk->depth]++;

        if (row->rows && walk->depth + 1 < YK_OPTION_DEPTH) {
            walk->base[walk->depth + 1] = walk->base[walk->depth] + row->at;
            walk->row[++walk->depth] = row->rows;
        } else if (!row->rows && !row->name && !row->help && !row->print) {
            walk->depth--;
        } else if (!row->rows) {
            walk->at = walk->base[walk->depth] + row->at;
            return row;
        }
    }
    return NULL;
}

const struct yk_option *yk_command_row(const struct yk_command *command, const char *word)
{
    struct yk_option_walk walk = yk_option_walk(command);
    const struct yk_option *row;

    while ((row = yk_option_next(&walk)))
        if (row->name && *row->name != '-' && strcmp(row->name, word) == 0)
            return row;
    return NULL;
}

/* "--output" of "--output|-o" */
static size_t long_name(const struct yk_option *row)
{
    return strcspn(row->name, "|");
}

/* Is it meant by the word? *value is set to the text after "=", if there is one. */
static bool is_meant(const struct yk_option *row, const char *word, const char **value)
{
    const size_t length = long_name(row);
    const char *shorter = row->name[length] ? row->name + length + 1 : NULL;

    *value = NULL;
    if (shorter && strcmp(word, shorter) == 0)
        return true;
    if (strncmp(word, row->name, length) != 0 || (word[length] && word[length] != '='))
        return false;
    *value = word[length] ? word + length + 1 : NULL;
    return true;
}

enum { MOST_NAMES = 64, NAME = 32 };
/* The long names of a command, to suggest one. */
struct names {
    char text[MOST_NAMES][NAME];
    size_t count, next;
};

static const char *next_name(void *self)
{
    struct names *names = self;

    return names->next < names->count ? names->text[names->next++] : NULL;
}

static bool no_option(const struct yk_command *command, const char *word)
{
    struct yk_option_walk walk = yk_option_walk(command);
    const struct yk_option *row;
    struct names names = {0};
    char bare[NAME], hint[96];

    while ((row = yk_option_next(&walk)) && names.count < MOST_NAMES)
        if (row->name && row->help && *row->name == '-')
            snprintf(names.text[names.count++], NAME, "%.*s", (int)long_name(row), row->name);
    snprintf(bare, sizeof bare, "%.*s", (int)strcspn(word, "="), word);
    yk_misuse(command, "unknown option '%s'%s", word, yk_suggest(bare, next_name, &names, "", hint, sizeof hint));
    return false;
}

/* Reads the text of an option into its field. */
static bool put(const struct yk_command *command, const struct yk_option *row, const char *word, const char *text,
                void *field)
{
    char name[64];
    struct yk_text_list *texts = field;

    snprintf(name, sizeof name, "%.*s", (int)long_name(row), row->name);
    switch (row->kind) {
    case YK_OPTION_FLAG:
        *(bool *)field = true;
        quiet = quiet || strcmp(name, "--quiet") == 0;
        return true;
    case YK_OPTION_TEXT:
        *(const char **)field = text;
        return true;
    case YK_OPTION_VALUE:
        return yk_option_quantity(command, name, text, row->quantity, row->least, row->most, field);
    case YK_OPTION_COUNT:
        return yk_option_count(command, name, text, (long)row->least, (long)row->most, field);
    case YK_OPTION_LIST:
        if (texts->count == sizeof texts->text / sizeof *texts->text) {
            yk_misuse(command, "'%s' was given too often", word);
            return false;
        }
        texts->text[texts->count++] = text;
    }
    return true;
}

/* The option at argv[*i] and its value; moves *i to the last word it used. */
static bool take_one(const struct yk_command *command, int argc, char **argv, int *i, char *to)
{
    struct yk_option_walk walk = yk_option_walk(command);
    const struct yk_option *row;
    const char *word = argv[*i], *value = NULL;

    while ((row = yk_option_next(&walk)))
        if (row->name && *row->name == '-' && is_meant(row, word, &value))
            break;
    if (!row)
        return no_option(command, word);
    if (row->kind == YK_OPTION_FLAG) {
        if (!value)
            return put(command, row, word, NULL, to + walk.at);
        yk_misuse(command, "'%s' takes no value: leave out '=%s', or the option", word, value);
        return false; /* --approach=no must not mean yes */
    }
    if (!value && ++*i < argc && strncmp(argv[*i], "--", 2) != 0) /* an option is no value, unless after = */
        value = argv[*i];
    if (!value || !*value) { /* empty: an unset variable of a script; as a folder it would be the root */
        yk_misuse(command, "'%s' needs a value", word);
        return false;
    }
    return put(command, row, word, value, to + walk.at);
}

bool yk_take_options(const struct yk_command *command, int argc, char **argv, void *to, struct yk_words *words)
{
    bool options = true;

    *words = (struct yk_words){argv, 0};
    for (int i = 0; i < argc; i++) {
        if (options && strcmp(argv[i], "--") == 0)
            options = false;
        else if (!options || argv[i][0] != '-' || argv[i][1] == 0)
            words->rest[words->count++] = argv[i];
        else if (!take_one(command, argc, argv, &i, to))
            return false;
    }
    return true;
}
