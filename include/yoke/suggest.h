/* Suggestions for unknown words. */
#ifndef YOKE_SUGGEST_H
#define YOKE_SUGGEST_H

#include <stddef.h>

/* "; did you mean 'x'?" for the candidate nearest to `word`; `otherwise` if none is near. `next` yields candidates
 * until NULL. */
const char *yk_suggest(const char *word, const char *(*next)(void *), void *self, const char *otherwise, char *text,
                       size_t size);

#endif
