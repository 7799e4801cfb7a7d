/* Findings of a table: the best run, Sobol indices, and files of both.
 *
 * Indices from Saltelli's design, with f centred on its mean: first order by Saltelli et al., Comput. Phys. Commun. 181
 * (2010) 259, table 2 (b): V_i = mean(f_B (f_AB_i - f_A)); total by Jansen 1999, (f): VT_i = mean((f_A - f_AB_i)^2)/2.
 */
#include "parts.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <yoke/analysis.h>

#define LONGEST_MARGIN 1.0 /* s: further is not looked */

static double figure(const struct yk_table *t, size_t row, size_t result)
{
    return t->figures[row * t->results + result];
}

static bool is_finished(const struct yk_table *t, size_t row)
{
    return strcmp(t->status[row], "finished") == 0;
}

double yk_result_cost(const char *name, double figure)
{
    return strcmp(name, "margin") == 0 ? -fmin(figure, LONGEST_MARGIN) : figure; /* the larger the better */
}

const char *yk_table_verdict(const struct yk_table *t, size_t row)
{
    for (size_t r = 0; r < t->results; r++)
        if (strcmp(t->names[t->keys + r], "verdict.grade") == 0)
            return isnan(figure(t, row, r)) ? "" : yk_quality_word((int)figure(t, row, r));
    return "";
}

size_t yk_table_best(const struct yk_table *t)
{
    const char *name = t->results ? t->names[t->keys] : "";
    size_t best = SIZE_MAX;

    for (size_t i = 0; i < t->rows && t->results; i++)
        if (is_finished(t, i) && !isnan(figure(t, i, 0)) && strcmp(yk_table_verdict(t, i), "unusable") != 0 &&
            (best == SIZE_MAX || yk_result_cost(name, figure(t, i, 0)) < yk_result_cost(name, figure(t, best, 0))))
            best = i;
    return best;
}

/* All runs of a block of Saltelli's design have a figure. */
static bool is_whole(const struct yk_table *t, size_t block, size_t result)
{
    const size_t size = t->keys + 2;

    for (size_t i = block * size; i < (block + 1) * size; i++)
        if (!is_finished(t, i) || !isfinite(figure(t, i, result)))
            return false;
    return true;
}

enum yk_status yk_table_indices(const struct yk_table *t, size_t result, double *first, double *total, size_t *used,
                                struct yk_err *err)
{
    const size_t size = t->keys + 2, blocks = t->rows / size;
    double mean = 0, square = 0;

    *used = 0;
    for (size_t k = 0; k < t->keys; k++)
        first[k] = total[k] = 0;
    for (size_t b = 0; b < blocks; b++)
        if (is_whole(t, b, result)) {
            mean += figure(t, b * size, result) + figure(t, b * size + 1, result);
            *used += 1;
        }
    if (*used < 2)
        return yk_fail(err, YK_E_INPUT, "Sobol indices of %s need two blocks of the design whose runs all finished",
                       t->names[t->keys + result]);
    mean /= 2 * (double)*used;
    for (size_t b = 0; b < blocks; b++) {
        if (!is_whole(t, b, result))
            continue;
        const double A = figure(t, b * size, result) - mean, B = figure(t, b * size + 1, result) - mean;

        square += A * A + B * B;
        for (size_t k = 0; k < t->keys; k++) {
            const double AB = figure(t, b * size + 2 + k, result) - mean;

            first[k] += B * (AB - A);
            total[k] += (A - AB) * (A - AB) / 2;
        }
    }
    for (size_t k = 0; k < t->keys; k++) {
        first[k] = square > 0 ? first[k] / (square / 2) : NAN;
        total[k] = square > 0 ? total[k] / (square / 2) : NAN;
    }
    return YK_OK;
}

/* ---- findings.json ---- */

static json_t *number(double x)
{
    return isfinite(x) ? json_real(x) : json_null();
}

static json_t *best_object(const struct yk_table *t)
{
    const size_t best = yk_table_best(t);
    json_t *settings, *results;

    if (best == SIZE_MAX)
        return json_null();
    settings = json_object();
    results = json_object();
    for (size_t k = 0; k < t->keys; k++)
        json_object_set_new(settings, t->names[k], json_string(t->values[best][k]));
    for (size_t i = 0; i < t->results; i++)
        json_object_set_new(results, t->names[t->keys + i], number(figure(t, best, i)));
    return json_pack("{s:I, s:o, s:o}", "run", (json_int_t)t->run[best], "settings", settings, "results", results);
}

static json_t *indices_object(const struct yk_table *t)
{
    json_t *all = json_object();

    for (size_t i = 0; i < t->results; i++) {
        double first[YK_STUDY_KEYS], total[YK_STUDY_KEYS];
        size_t used;
        json_t *one = json_object();

        if (yk_table_indices(t, i, first, total, &used, NULL)) {
            json_decref(one);
            one = json_null();
        } else {
            for (size_t k = 0; k < t->keys; k++)
                json_object_set_new(one, t->names[k],
                                    json_pack("{s:o, s:o}", "first", number(first[k]), "total", number(total[k])));
            one = json_pack("{s:I, s:o}", "blocks", (json_int_t)used, "of", one);
        }
        json_object_set_new(all, t->names[t->keys + i], one);
    }
    return all;
}

static json_t *counts_object(const struct yk_table *t)
{
    static const char *const words[] = {"finished", "stopped", "diverged", "refused", "out of bounds"};
    json_t *counts = json_object();

    for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
        size_t count = 0;

        for (size_t i = 0; i < t->rows; i++)
            count += strcmp(t->status[i], words[w]) == 0;
        json_object_set_new(counts, words[w], json_integer((json_int_t)count));
    }
    return counts;
}

static enum yk_status write_findings(const struct yk_table *t, const struct yk_study_card *card, const char *folder,
                                     struct yk_err *err)
{
    json_t *findings =
        json_pack("{s:I, s:o, s:o, s:o}", "runs", (json_int_t)t->rows, "status", counts_object(t), "best",
                  best_object(t), "indices", strcmp(card->sample, "saltelli") == 0 ? indices_object(t) : json_null());
    char *text = findings ? json_dumps(findings, JSON_INDENT(2)) : NULL, *line = NULL;
    const enum yk_status st = text && asprintf(&line, "%s\n", text) >= 0
                                  ? yk_study_write(folder, "findings.json", line, err)
                                  : yk_fail(err, YK_E_MEMORY, "out of memory");

    free(line);
    free(text);
    json_decref(findings);
    return st;
}

enum yk_status yk_study_conclude(const char *folder, char *note, size_t size, struct yk_err *err)
{
    struct yk_study_card card;
    struct yk_table table;
    struct yk_err picture = {0};
    char *path;
    enum yk_status st;

    *note = 0;
    if ((st = yk_study_card(&card, folder, err)))
        return st;
    if (!(st = yk_table_read(&table, folder, card.keys, err)) && !(st = yk_table_write_h5(&table, folder, err)) &&
        card.shards == 1 && !(st = write_findings(&table, &card, folder, err)) &&
        (path = yk_study_path(folder, "study.svg"))) {
        if (yk_study_draw(&table, &card, path, &picture))
            snprintf(note, size, "%s", yk_err_line(&picture).text);
        free(path);
    }
    yk_table_free(&table);
    return st;
}
