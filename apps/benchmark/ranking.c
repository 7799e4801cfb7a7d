/* Every chain on every case and plant, on a few threads. A run depends on its chain, case and plant alone, so the
 * results do not depend on the number of threads. */
#include "ranking.h"

#include <yoke/parallel.h>

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 25 }; /* plants of one job */

struct work {
    struct yk_ranking *ranking;
    size_t blocks, runs; /* of one chain and case; in all */
    pthread_mutex_t lock;
    size_t done;
    yk_ranking_progress *progress;
    void *self;
    enum yk_status st;
    struct yk_err *err;
};

static size_t index_of(const struct yk_ranking *r, size_t entry, int at, int plant)
{
    return (entry * (size_t)r->case_count + (size_t)at) * (size_t)(r->plants + 1) + (size_t)plant;
}

const struct yk_rths_result *yk_ranking_at(const struct yk_ranking *r, size_t entry, int at, int plant)
{
    return &r->results[index_of(r, entry, at, plant)];
}

/* Plants from..to of one chain and case. */
static enum yk_status run_block(struct yk_ranking *r, size_t entry, int at, int from, int to, struct yk_err *err)
{
    struct yk_rths_problem problem = r->problem;
    struct yk_rths *rths;
    enum yk_status st;

    problem.number = r->cases[at];
    problem.chain = r->entries[entry].chain;
    if ((st = yk_rths_open(&rths, &problem, err)))
        return st;
    for (int plant = from; plant <= to && !st; plant++) {
        const struct yk_rths_plant drawn = yk_rths_draw(plant);

        st = yk_rths_run(rths, &drawn, NULL, &r->results[index_of(r, entry, at, plant)], err);
    }
    yk_rths_close(rths);
    return st;
}

static void job(void *self, size_t k)
{
    struct work *w = self;
    struct yk_ranking *r = w->ranking;
    const size_t block = k % w->blocks, pair = k / w->blocks;
    const int from = (int)block * BLOCK, to = from + BLOCK - 1 < r->plants ? from + BLOCK - 1 : r->plants;
    struct yk_err err = {0};

    pthread_mutex_lock(&w->lock);
    const bool go_on = !w->st;
    pthread_mutex_unlock(&w->lock);
    if (!go_on)
        return;
    const enum yk_status st =
        run_block(r, pair / (size_t)r->case_count, (int)(pair % (size_t)r->case_count), from, to, &err);
    pthread_mutex_lock(&w->lock);
    if (st && !w->st) {
        w->st = st;
        *w->err = err;
    }
    w->done += (size_t)(to - from + 1);
    if (!w->st && w->progress)
        w->progress(w->self, w->done, 0, w->runs);
    pthread_mutex_unlock(&w->lock);
}

enum yk_status yk_ranking_make(struct yk_ranking *r, int jobs, yk_ranking_progress *progress, void *self,
                               struct yk_err *err)
{
    const size_t pairs = r->count * (size_t)r->case_count;
    struct work w = {.ranking = r,
                     .blocks = (size_t)(r->plants / BLOCK + 1),
                     .runs = pairs * (size_t)(r->plants + 1),
                     .progress = progress,
                     .self = self,
                     .err = err};

    if (!(r->results = calloc(w.runs, sizeof *r->results)))
        return yk_fail(err, YK_E_MEMORY, "out of memory for %zu runs", w.runs);
    pthread_mutex_init(&w.lock, NULL);
    yk_parallel(pairs * w.blocks, jobs, job, &w);
    pthread_mutex_destroy(&w.lock);
    return w.st;
}

void yk_ranking_free(struct yk_ranking *r)
{
    free(r->results);
    r->results = NULL;
}

/* ---- order ---- */

struct yk_ranked yk_ranking_sum(const struct yk_ranking *r, size_t entry)
{
    struct yk_ranked sum = {0};
    const double runs = r->case_count * (r->plants + 1.0);

    for (int at = 0; at < r->case_count; at++)
        for (int plant = 0; plant <= r->plants; plant++) {
            const struct yk_rths_result *one = yk_ranking_at(r, entry, at, plant);

            sum.diverged += one->diverged;
            sum.saturated += one->saturated;
            for (int i = 0; i < YK_RTHS_INDICES; i++) {
                if (plant == 0)
                    sum.nominal[i] += one->J[i] / r->case_count;
                sum.mean[i] += one->J[i] / runs;
                sum.worst[i] = isnan(one->J[i]) || isnan(sum.worst[i]) ? NAN : fmax(sum.worst[i], one->J[i]);
            }
        }
    return sum;
}

struct ranked {
    double score;
    size_t entry;
};

static int compare(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;

    if (isnan(x->score) || isnan(y->score))
        return isnan(x->score) - isnan(y->score);
    return (x->score > y->score) - (x->score < y->score);
}

size_t *yk_ranking_order(const struct yk_ranking *r)
{
    struct ranked *list = calloc(r->count + 1, sizeof *list);
    size_t *order = calloc(r->count + 1, sizeof *order);

    for (size_t i = 0; list && i < r->count; i++)
        list[i] = (struct ranked){yk_ranking_sum(r, i).mean[1], i};
    if (list && order)
        qsort(list, r->count, sizeof *list, compare);
    for (size_t i = 0; list && order && i < r->count; i++)
        order[i] = list[i].entry;
    free(list);
    return order;
}
