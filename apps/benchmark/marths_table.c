/* yoke benchmark marths: the multi-axial problem, several chains and plants. */
#include "marths.h"
#include "report.h"
#include <yoke/parallel.h>
#include <yoke/progress.h>

#include <jansson.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <yoke/analysis.h>

struct table {
    const struct benchmark_request *request;
    enum yk_marths_variant variant;
    struct yk_marths_result *results; /* by chain and plant */
    pthread_mutex_t lock;
    struct yk_meter meter;
    size_t done;
    enum yk_status st;
    struct yk_err err;
};

static size_t runs(const struct table *t)
{
    return (size_t)t->request->plants + 1;
}

static enum yk_status open_chain(const struct table *t, size_t chain, struct yk_marths **marths, struct yk_err *err)
{
    const struct benchmark_request *q = t->request;
    const struct yk_marths_problem problem = {.variant = t->variant,
                                              .chain = q->chains[chain],
                                              .record = q->record,
                                              .unit = q->unit,
                                              .scale = q->scale,
                                              .end_s = q->end_s,
                                              .noise = q->noise};

    return yk_marths_open(marths, &problem, err);
}

static enum yk_status run_chain(struct table *t, size_t chain, struct yk_err *err)
{
    struct yk_marths *marths;
    enum yk_status st = open_chain(t, chain, &marths, err);

    if (st)
        return st;
    for (size_t k = 0; k < runs(t) && !st; k++) {
        const struct yk_marths_plant plant = yk_marths_draw((int)k);

        st = yk_marths_run(marths, &plant, &t->results[chain * runs(t) + k], err);
        pthread_mutex_lock(&t->lock);
        yk_meter_show(&t->meter, ++t->done, 0, t->request->count * runs(t));
        pthread_mutex_unlock(&t->lock);
    }
    yk_marths_close(marths);
    return st;
}

static void job(void *self, size_t chain)
{
    struct table *t = self;
    struct yk_err err = {0};
    const enum yk_status st = run_chain(t, chain, &err);

    pthread_mutex_lock(&t->lock);
    if (st && !t->st) {
        t->st = st;
        t->err = err;
    }
    pthread_mutex_unlock(&t->lock);
}

/* Mean of an index over all plants, and the largest. */
static double mean_of(const struct table *t, size_t chain, int index, double *worst)
{
    double sum = 0, value;

    *worst = 0;
    for (size_t k = 0; k < runs(t); k++) {
        yk_marths_index(&t->results[chain * runs(t) + k], index, &value);
        sum += value / (double)runs(t);
        *worst = isnan(value) || isnan(*worst) ? NAN : fmax(*worst, fabs(value));
    }
    return sum;
}

static double largest(const double *values, size_t count)
{
    double most = 0;

    for (size_t i = 0; i < count; i++)
        most = isnan(values[i]) || isnan(most) ? NAN : fmax(most, fabs(values[i]));
    return most;
}

static const char *verdict_of(const struct yk_marths_result *r)
{
    return benchmark_verdict(largest(r->J2, 2), fmax(largest(r->J7, 2), largest(r->J8, 4)), !r->realizable);
}

/* The worst verdict of the runs of a chain. */
static const char *worst_verdict(const struct table *t, size_t chain, size_t count)
{
    const char *worst = yk_quality_word(0);

    for (int grade = 1; grade <= 2; grade++)
        for (size_t k = 0; k < count; k++)
            if (strcmp(verdict_of(&t->results[chain * runs(t) + k]), yk_quality_word(grade)) == 0)
                worst = yk_quality_word(grade);
    return worst;
}

/* Columns from..to-1 of the indices, a row for each chain. */
static void print_part(const struct table *t, int from, int to)
{
    const struct yk_marths_result none = {0};
    double worst, unused;

    printf("%-14s", "chain");
    for (int k = from; k < to; k++)
        printf(" %9s", yk_marths_index(&none, k, &unused));
    printf("\n");
    for (size_t i = 0; i < t->request->count; i++) {
        printf("%-14s", benchmark_chain_name(t->request->chains[i]));
        for (int k = from; k < to; k++)
            printf(" %9.3f", mean_of(t, i, k, &worst));
        printf("\n");
    }
}

static void print(const struct table *t)
{
    printf("Variant %c, mean over %zu plant%s; J1 and J4 in ms, the others in %%\n",
           t->variant == YK_MARTHS_A ? 'A' : 'B', runs(t), runs(t) == 1 ? "" : "s");
    for (int from = 0; from < YK_MARTHS_INDICES; from += YK_MARTHS_INDICES / 2)
        print_part(t, from, from + YK_MARTHS_INDICES / 2);
    printf("%-14s verdict of the worst run\n", "chain");
    for (size_t i = 0; i < t->request->count; i++)
        printf("%-14s %s\n", benchmark_chain_name(t->request->chains[i]), worst_verdict(t, i, runs(t)));
    for (size_t i = 0; i < t->request->count * runs(t); i++)
        if (!t->results[i].realizable)
            printf("%s, plant %zu: NOT realizable, %s\n", t->request->chains[i / runs(t)], i % runs(t),
                   t->results[i].diverged ? "it diverged" : "a command is beyond 3.8 V");
}

static void write_csv(const void *self, FILE *out)
{
    const struct table *t = self;
    double value;

    fprintf(out, "chain,plant");
    for (int k = 0; k < YK_MARTHS_INDICES; k++)
        fprintf(out, ",%s", yk_marths_index(t->results, k, &value));
    fprintf(out, ",volts_1,volts_2,realizable,diverged\n");
    for (size_t i = 0; i < t->request->count * runs(t); i++) {
        const struct yk_marths_result *r = &t->results[i];

        fprintf(out, "%s,%zu", t->request->chains[i / runs(t)], i % runs(t));
        for (int k = 0; k < YK_MARTHS_INDICES; k++) {
            yk_marths_index(r, k, &value);
            fprintf(out, ",%.9g", value);
        }
        fprintf(out, ",%.9g,%.9g,%d,%d\n", r->volts[0], r->volts[1], r->realizable, r->diverged);
    }
}

static json_t *to_json(const struct table *t)
{
    json_t *list = json_array();

    for (size_t i = 0; i < t->request->count * runs(t); i++) {
        const struct yk_marths_result *r = &t->results[i];
        json_t *J = json_object();
        double value;

        for (int k = 0; k < YK_MARTHS_INDICES; k++) {
            const char *name = yk_marths_index(r, k, &value);

            json_object_set_new(J, name, yk_json_number(value));
        }
        json_array_append_new(list, json_pack("{s:s, s:i, s:o, s:f, s:f, s:b, s:b, s:s}", "chain",
                                              t->request->chains[i / runs(t)], "plant", (int)(i % runs(t)), "J", J,
                                              "volts_1", r->volts[0], "volts_2", r->volts[1], "realizable",
                                              r->realizable, "diverged", r->diverged, "verdict", verdict_of(r)));
    }
    return json_pack("{s:s, s:s, s:b, s:o}", "benchmark", "marths", "variant", t->variant == YK_MARTHS_A ? "A" : "B",
                     "noise", t->request->noise, "runs", list);
}

/* ---- the page ---- */

/* The nominal run of a chain, drawn. */
static int draw_history(const struct table *t, size_t chain, struct benchmark_report *report)
{
    const struct yk_marths_plant nominal = yk_marths_draw(0);
    struct yk_histories histories = {0};
    struct yk_marths *marths;
    struct yk_err err = {0};
    enum yk_status st = open_chain(t, chain, &marths, &err);

    if (!st) {
        st = yk_marths_histories(marths, &nominal, &histories, &err);
        yk_marths_close(marths);
    }
    if (st) {
        yk_histories_free(&histories);
        return yk_command_fail(&err);
    }
    return benchmark_add_history(report, t->request->chains[chain],
                                 t->variant == YK_MARTHS_A ? "variant A" : "variant B", &histories);
}

/* The chain with the smallest tracking error of both actuators. */
static size_t best_chain(const struct table *t)
{
    double worst, least = INFINITY;
    size_t best = 0;

    for (size_t i = 0; i < t->request->count; i++) {
        const double error = mean_of(t, i, 2, &worst) + mean_of(t, i, 3, &worst); /* J2 of both */

        if (error < least) {
            least = error;
            best = i;
        }
    }
    return best;
}

static int write_page(const struct table *t)
{
    const struct benchmark_request *q = t->request;
    const char *columns[YK_MARTHS_INDICES];
    struct yk_score_row *rows = calloc(2 * q->count, sizeof *rows);
    double *values = calloc(2 * q->count * YK_MARTHS_INDICES, sizeof *values);
    char settings[256], worst[48];
    struct benchmark_report report = {
        .request = q,
        .page = {
            .title = "Multi-axial benchmark of real-time hybrid simulation",
            .problem =
                "Two actuators that act on each other move the node of a frame in translation and rotation, 1024 Hz "
                "(Condori Uribe and others 2023).",
            .settings = settings,
            .columns = columns,
            .column_count = YK_MARTHS_INDICES,
            .legend =
                "J1, J4 in ms, the others in %. J1, J2, J3: tracking of each actuator: delay, rms, peak. J4, J5, J6: "
                "estimated node against the numerical one: likewise. J7, J9: estimated node against the untorn frame: "
                "rms, peak. J8, J10: storeys 2 and 3 against the untorn frame: rms, peak.",
            .rows = rows}};
    int code = rows && values ? 0 : 1;

    benchmark_settings(q, settings, sizeof settings);
    snprintf(worst, sizeof worst, "worst of %zu plants", runs(t));
    for (size_t i = 0; i < q->count && !code; i++)
        for (int all = 0; all < (q->plants > 0 ? 2 : 1); all++) {
            double *row = values + report.page.row_count * YK_MARTHS_INDICES;
            bool realizable = true;

            for (int k = 0; k < YK_MARTHS_INDICES; k++) {
                columns[k] = yk_marths_index(&t->results[i * runs(t)], k, &row[k]);
                if (all)
                    mean_of(t, i, k, &row[k]);
            }
            for (size_t k = 0; k < (all ? runs(t) : 1); k++)
                realizable &= t->results[i * runs(t) + k].realizable;
            rows[report.page.row_count++] =
                (struct yk_score_row){benchmark_chain_name(q->chains[i]), all ? worst : "nominal plant", row,
                                      realizable ? worst_verdict(t, i, all ? runs(t) : 1) : "not realizable"};
        }
    for (size_t i = 0; q->named && i < q->count && i < MOST_PICTURES && !code; i++)
        code = draw_history(t, i, &report);
    if (!q->named && !code)
        code = draw_history(t, best_chain(t), &report);
    if (!code)
        code = benchmark_finish_report(&report);
    free(rows);
    free(values);
    return code;
}

/* ---- the command ---- */

void benchmark_list_marths(void)
{
    for (size_t i = 0; yk_marths_entry(i); i++)
        printf("%-20s %s\n", yk_marths_entry(i)->name, yk_marths_entry(i)->summary);
}

int benchmark_marths(const struct benchmark_request *q)
{
    struct table t = {.request = q, .variant = YK_MARTHS_B, .meter = yk_meter_begin(q->quiet || q->json)};
    int code = 0;

    if (q->write)
        return yk_misuse(&command_benchmark, "--write: the multi-axial problem has no experiment file");
    if (q->cases && strcmp(q->cases, "A") != 0 && strcmp(q->cases, "B") != 0)
        return yk_misuse(&command_benchmark, "--case '%s' of marths must be A, as published, or B", q->cases);
    if (q->cases)
        t.variant = *q->cases == 'A' ? YK_MARTHS_A : YK_MARTHS_B;
    if (!(t.results = calloc(q->count * runs(&t), sizeof *t.results))) {
        fprintf(stderr, "yoke: out of memory\n");
        return 1;
    }
    pthread_mutex_init(&t.lock, NULL);
    yk_parallel(q->count, q->jobs, job, &t);
    pthread_mutex_destroy(&t.lock);
    if (t.st)
        code = yk_command_fail(&t.err);
    if (!code && q->folder)
        code = benchmark_write(q->folder, "runs.csv", write_csv, &t);
    if (!code && q->folder)
        code = write_page(&t);
    if (!code && q->json)
        code = yk_print_json(to_json(&t));
    else if (!code)
        print(&t);
    if (!code && q->folder && !q->json)
        printf("files: %s/report.html, runs.csv\n", q->folder);
    free(t.results);
    return code;
}
