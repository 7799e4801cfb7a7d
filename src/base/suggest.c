/* Suggestions for an unknown word. */
#include <yoke/suggest.h>

#include <stdio.h>
#include <string.h>

/* Edit distance, for suggestions; words longer than the table count as far away. */
static size_t distance(const char *a, const char *b)
{
    enum { LONGEST = 40 };
    size_t row[LONGEST + 1], la = strlen(a), lb = strlen(b);

    if (la > LONGEST || lb > LONGEST)
        return LONGEST;
    for (size_t j = 0; j <= lb; j++)
        row[j] = j;
    for (size_t i = 1; i <= la; i++) {
        size_t diagonal = row[0];

        row[0] = i;
        for (size_t j = 1; j <= lb; j++) {
            size_t best = diagonal + (a[i - 1] != b[j - 1]);

            diagonal = row[j];
            best = row[j] + 1 < best ? row[j] + 1 : best;
            row[j] = row[j - 1] + 1 < best ? row[j - 1] + 1 : best;
        }
    }
    return row[lb];
}

const char *yk_suggest(const char *word, const char *(*next)(void *), void *self, const char *otherwise, char *text,
                       size_t size)
{
    const char *candidate, *best = NULL;
    size_t nearest = strlen(word) / 3 + 1; /* a misprint, not another word */

    while ((candidate = next(self))) { /* an empty name (every direction alike) is nothing to type */
        const size_t d = distance(word, candidate);

        if (*candidate && d <= nearest && (!best || d < nearest)) {
            nearest = d;
            best = candidate;
        }
    }
    if (best)
        snprintf(text, size, "; did you mean '%s'?", best);
    else
        snprintf(text, size, "%s", otherwise);
    return text;
}
