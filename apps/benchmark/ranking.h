/* Chains compared on the benchmark of real-time hybrid simulation: every chain on every case, with the nominal and with
 * perturbed plants. */
#ifndef YOKE_BENCHMARK_RANKING_H
#define YOKE_BENCHMARK_RANKING_H

#include "rths.h"

struct yk_rths_entry {
    const char *name;
    const char *chain;   /* YAML: the section `transfer` of the actuator */
    const char *summary; /* in words */
};
extern const struct yk_rths_entry yk_rths_entries[]; /* name NULL at the end */

/* Results by chain, case and plant; plant 0 is the nominal one. */
struct yk_ranking {
    const struct yk_rths_entry *entries;
    size_t count;
    struct yk_rths_problem problem; /* its number and chain are not used */
    int cases[YK_RTHS_CASES];       /* numbers */
    int case_count, plants;         /* perturbed ones, in addition to the nominal plant */
    struct yk_rths_result *results; /* malloc'd */
};
/* Called after every block of runs, one thread at a time. */
typedef void yk_ranking_progress(void *self, size_t done, size_t before, size_t all);
/* Runs everything; the caller has filled all but `results`. Free with yk_ranking_free, also on failure. */
enum yk_status yk_ranking_make(struct yk_ranking *ranking, int jobs, yk_ranking_progress *progress, void *self,
                               struct yk_err *err);
void yk_ranking_free(struct yk_ranking *ranking);
const struct yk_rths_result *yk_ranking_at(const struct yk_ranking *ranking, size_t entry, int at, int plant);

/* An index over the cases: of the nominal plant the mean; over all plants the mean and the largest. NaN if a run
 * diverged. */
struct yk_ranked {
    double nominal[YK_RTHS_INDICES], mean[YK_RTHS_INDICES], worst[YK_RTHS_INDICES];
    int diverged, saturated; /* runs */
};
struct yk_ranked yk_ranking_sum(const struct yk_ranking *ranking, size_t entry);
/* The entries by the mean of J2 over all plants, smallest first, diverged ones at the end; malloc'd, NULL: no memory.
 */
size_t *yk_ranking_order(const struct yk_ranking *ranking);

/* One line for each chain, best first. */
void yk_ranking_print(const struct yk_ranking *ranking, FILE *out);
/* FOLDER/runs.csv: a row for each run; ranking.md: the table, best chain first; ranking.svg: J2 and J4 of each. */
enum yk_status yk_ranking_write(const struct yk_ranking *ranking, const char *folder, struct yk_err *err);

#endif
