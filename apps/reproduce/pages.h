/* Shared by the files that show the result of `yoke reproduce`. */
#ifndef YOKE_REPRODUCE_PAGES_H
#define YOKE_REPRODUCE_PAGES_H

#include "options.h"
#include "reproduce.h"

#include <jansson.h>

enum { CASE_FAILS = 4 }; /* exit code of the process that makes a case */

/* Claims counted by origin and verdict; the last verdict is "FAILS". */
struct tally {
    size_t cases, claims, count[YK_ORIGINS][YK_CLAIM_STATUSES + 1];
    size_t checked, caught;
};
void reproduce_count(const json_t *made, struct tally *tally);
/* "printed", "met" */
const char *reproduce_origin(size_t origin);
const char *reproduce_verdict(size_t verdict);
/* "52 of 60 printed numbers and 215 of 230 tests of statements" */
void reproduce_headline(const struct tally *tally, char *text, size_t size);

/* The obtained value of a claim with its unit. */
void reproduce_obtained(const json_t *claim, char *text, size_t size);
/* Prints the table, or all of it as JSON, and writes the pages that were asked for. `codes`: the exit codes of the
 * cases, `count` of them. Returns the exit code of the whole. */
int reproduce_conclude(const struct reproduce_options *given, char *const *ids, const int *codes, size_t count);
/* Writes the page of Markdown, with pictures next to it; `all`: list of the contents of claims.json. An exit code. */
int reproduce_page(const struct wish *wish, const char *path, const json_t *all);
/* Writes the page of errata: those of papers/PAPER/errata.yaml and the claims in which a paper is in error. */
int reproduce_errata(const struct wish *wish, const char *path, const json_t *all);
/* Writes index.html over all claims. */
int reproduce_index(const struct wish *wish, const json_t *all);
/* Text in a cell or a line of Markdown, without blanks at its end. */
void reproduce_put(FILE *out, const char *text);

#endif
