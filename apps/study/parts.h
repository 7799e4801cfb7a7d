/* Internals of `yoke study`: search, ranks, files, card, table. */
#ifndef YOKE_STUDY_PARTS_H
#define YOKE_STUDY_PARTS_H

#include "study.h"

#include <jansson.h>
#include <stdio.h>

/* Searches the unit cube of d dimensions for the smallest value; `value` is called at most `most` times, first
 * in the middle. A value that is not finite means: point not admissible. The path of the search depends on the values
 * alone. */
enum yk_status yk_search(size_t d, size_t most, double (*value)(void *self, const double *x), void *self,
                         struct yk_err *err);

/* ---- ranks ---- */

/* Work of rank 0 for the others. One thread calls both functions, while other threads make runs. */
struct yk_rank_work {
    void *self;
    bool (*hand_out)(void *self, size_t *place); /* the next run; false: there is none any more, *place is SIZE_MAX */
    /* A row; or a status and why there is none. `text` is malloc'd and belongs to the callee. */
    void (*take_in)(void *self, size_t place, enum yk_status status, char *text);
};
/* Rank 0: answers the others until all of them are dismissed. */
void yk_ranks_serve(const struct yk_rank_work *work);
/* The others: make what rank 0 hands out, until they are dismissed. */
enum yk_status yk_ranks_help(void *self,
                             enum yk_status (*make)(void *self, size_t place, char **row, struct yk_err *err),
                             struct yk_err *err);

/* ---- files ---- */

/* "folder/name"; malloc'd, NULL: no memory. */
char *yk_study_path(const char *folder, const char *name);
/* All of a file as text; malloc'd. */
enum yk_status yk_study_slurp(const char *path, char **text, struct yk_err *err);
/* Writes a file at once, under its name when it is whole. */
enum yk_status yk_study_write(const char *folder, const char *name, const char *text, struct yk_err *err);

/* ---- the card of a study: study.json ---- */

/* Describes a study: everything that its results depend on, except data files of the experiment. */
json_t *yk_card_describe(const struct yk_study *study);
enum yk_status yk_card_load(const char *folder, json_t **card, struct yk_err *err);
enum yk_status yk_card_store(const char *folder, json_t *card, struct yk_err *err);
/* The first entry in which two cards differ; NULL: none. */
const char *yk_card_difference(json_t *a, json_t *b, bool with_shard);
/* Refuses another study than that of the folder. */
enum yk_status yk_card_compare(const char *folder, json_t *was, json_t *is, struct yk_err *err);

/* ---- the table ---- */

/* Cost, smallest for the best run: the result; for the delay margin its negative. NAN stays. */
double yk_result_cost(const char *name, double figure);

/* Lines with their end; malloc'd. */
char *yk_csv_header(const struct yk_study *study);
/* Does the checksum at the end of a row match? The row is without its newline. */
bool yk_csv_is_whole(const char *line, size_t length);
enum yk_status yk_table_damaged(const char *path, size_t line, struct yk_err *err);
char *yk_csv_row(size_t run, size_t keys, char *const *values, size_t results, const struct yk_outcome *outcome);

/* "21 ms": 21, and where its unit begins. False: no number. */
bool yk_value_number(const char *text, double *x, const char **unit);

#endif
