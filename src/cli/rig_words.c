/* The words of a line at the console: names, and numbers with their units. */
#include "cli/rig_commands.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

bool rig_split(struct rig_words *w, const char *line)
{
    char *rest, *word;

    *w = (struct rig_words){0};
    if (strlen(line) >= sizeof w->copy)
        return false;
    rest = strcpy(w->copy, line);
    while ((word = strsep(&rest, " \t\r\n")))
        if (*word) {
            if (w->count == RIG_WORDS)
                return false;
            w->word[w->count++] = word;
        }
    return true;
}

bool rig_is_number(const char *word)
{
    return isdigit((unsigned char)*word) || strchr("+-.", *word);
}

const char *rig_next_word(struct rig_words *w)
{
    return w->at < w->count ? w->word[w->at++] : NULL;
}

bool rig_next_quantity(struct rig_desk *d, struct rig_words *w, const char *what, enum yk_quantity quantity, double *si)
{
    struct yk_err err = {0};
    char text[RIG_TEXT] = "", *end; /* as long as a line */

    if (w->at >= w->count || !rig_is_number(w->word[w->at]))
        return rig_refuse(d, "%s is missing: a number with its unit, such as 5 %s", what,
                          *yk_quantity_unit(quantity) == 'm' ? "mm" : yk_quantity_unit(quantity)),
               false;
    do
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", *text ? " " : "", w->word[w->at++]);
    while (w->at < w->count && !rig_is_number(w->word[w->at]) &&
           (strspn(text, "+-.0123456789eE") == strlen(text) || /* N m is the only unit of two words */
            (text[strlen(text) - 1] == 'N' && strcmp(w->word[w->at], "m") == 0)));
    if (yk_quantity_parse(text, quantity, si, &err))
        return rig_refuse(d, "%s: %s", what, yk_err_line(&err).text), false;
    if (strtod(text, &end) != 0 && !*end && quantity != YK_NUMBER)
        return rig_refuse(d, "%s '%s' has no unit; a bare number would be in %s", what, text,
                          yk_quantity_unit(quantity)),
               false;
    return true;
}

bool rig_next_actuator(struct rig_desk *d, struct rig_words *w, size_t *i)
{
    const char *name = rig_next_word(w);
    const long found = name ? yk_station_find(d->station, name) : -1;

    if (found >= 0)
        return *i = (size_t)found, true;
    char names[RIG_TEXT] = "";

    for (size_t k = 0; k < d->count; k++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", k ? ", " : "",
                 yk_station_name(d->station, k));
    if (name)
        rig_refuse(d, "there is no actuator '%s'; there are: %s", name, names);
    else
        rig_refuse(d, "name an actuator: %s", names);
    return false;
}

bool rig_no_more(struct rig_desk *d, const struct rig_words *w)
{
    return w->at >= w->count || (rig_refuse(d, "'%s' is too much", w->word[w->at]), false);
}
