/* Channels in words. */
#include "record/record.h"

#include <stdio.h>
#include <string.h>

const char *yk_channel_words(const struct yk_channel *c)
{
    return *c->long_name ? c->long_name : c->name;
}

void yk_channel_split(const struct yk_channel *c, char owner[YK_LONG_NAME], char what[YK_LONG_NAME])
{
    const char *words = yk_channel_words(c), *comma = NULL;

    for (const char *next = words; (next = strstr(next, ", ")); next++)
        comma = next; /* the last: names of owners may have one */
    snprintf(owner, YK_LONG_NAME, "%.*s", comma ? (int)(comma - words) : 0, words);
    snprintf(what, YK_LONG_NAME, "%s", comma ? comma + 2 : words);
}
