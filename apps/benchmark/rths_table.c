/* yoke benchmark rths: the problem with one actuator, several chains, cases and plants. */
#include "ranking.h"
#include "report.h"
#include <yoke/progress.h>

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void benchmark_list_rths(void)
{
    for (const struct yk_rths_entry *e = yk_rths_entries; e->name; e++)
        printf("%-20s %s\n  %s\n", e->name, e->summary, e->chain);
}

/* "all" or "1,3" */
static bool take_cases(const char *text, struct yk_ranking *r)
{
    r->case_count = 0;
    if (!text || strcmp(text, "all") == 0) {
        for (int i = 1; i <= YK_RTHS_CASES; i++)
            r->cases[r->case_count++] = i;
        return true;
    }
    for (const char *p = text; *p; p += p[1] == ',' ? 2 : 1) {
        if (*p < '1' || *p > '0' + YK_RTHS_CASES || (p[1] && p[1] != ',') || r->case_count == YK_RTHS_CASES)
            return yk_misuse(&command_benchmark, "--case '%s' must be all, or some of 1 to %d such as 1,3", text,
                             YK_RTHS_CASES),
                   false;
        r->cases[r->case_count++] = *p - '0';
    }
    if (!r->case_count)
        return yk_misuse(&command_benchmark, "--case needs a number"), false;
    return true;
}

/* Indices by place: J2 is the tracking error, J4, J6 and J7 are those of the floors. NaN stays. */
static const char *verdict_of(const double *J, bool saturated)
{
    const double floors = isnan(J[3] + J[5] + J[6]) ? NAN : fmax(J[3], fmax(J[5], J[6]));

    return benchmark_verdict(J[1], floors, saturated);
}

static json_t *to_json(const struct yk_ranking *r)
{
    json_t *runs = json_array();

    for (size_t i = 0; i < r->count; i++)
        for (int at = 0; at < r->case_count; at++)
            for (int plant = 0; plant <= r->plants; plant++) {
                const struct yk_rths_result *one = yk_ranking_at(r, i, at, plant);
                json_t *J = json_array();

                for (int k = 0; k < YK_RTHS_INDICES; k++)
                    json_array_append_new(J, yk_json_number(one->J[k]));
                json_array_append_new(runs,
                                      json_pack("{s:s, s:i, s:i, s:o, s:f, s:b, s:b, s:s}", "chain", r->entries[i].name,
                                                "case", r->cases[at], "plant", plant, "J", J, "peak_force_N",
                                                one->peak_force, "saturated", one->saturated, "diverged", one->diverged,
                                                "verdict", verdict_of(one->J, one->saturated)));
            }
    return json_pack("{s:s, s:b, s:i, s:o}", "benchmark", "rths", "noise", r->problem.noise, "plants", r->plants,
                     "runs", runs);
}

/* ---- the page ---- */

/* Rows of the page: each chain in each case, with the nominal plant and, if there are others, the worst of them. */
static size_t fill_rows(const struct yk_ranking *r, const size_t *order, struct yk_score_row *rows, double *worst)
{
    static const char *const cases[] = {"case 1", "case 2", "case 3", "case 4"}, *const all[] = {"case 1, worst plant",
                                                                                                 "case 2, worst plant",
                                                                                                 "case 3, worst plant",
                                                                                                 "case 4, worst plant"};
    size_t count = 0;

    for (size_t i = 0; i < r->count; i++)
        for (int at = 0; at < r->case_count; at++) {
            const struct yk_rths_result *nominal = yk_ranking_at(r, order[i], at, 0);
            const char *name = benchmark_chain_name(r->entries[order[i]].name);
            bool diverged = false, saturated = false;

            rows[count++] = (struct yk_score_row){name, cases[r->cases[at] - 1], nominal->J,
                                                  nominal->diverged    ? "unusable: diverged"
                                                  : nominal->saturated ? "doubtful: force limit of the actuator"
                                                                       : verdict_of(nominal->J, false)};
            if (!r->plants)
                continue;
            for (int plant = 0; plant <= r->plants; plant++) {
                const struct yk_rths_result *one = yk_ranking_at(r, order[i], at, plant);

                diverged |= one->diverged;
                saturated |= one->saturated;
                for (int k = 0; k < YK_RTHS_INDICES; k++)
                    worst[k] = isnan(one->J[k]) || isnan(worst[k]) ? NAN : fmax(worst[k], one->J[k]);
            }
            rows[count++] = (struct yk_score_row){name, all[r->cases[at] - 1], worst,
                                                  diverged    ? "unusable: diverged"
                                                  : saturated ? "doubtful: force limit of the actuator"
                                                              : verdict_of(worst, false)};
            worst += YK_RTHS_INDICES;
        }
    return count;
}

/* The nominal run of a chain in the first of the cases, drawn. */
static int draw_history(const struct yk_ranking *r, size_t entry, struct benchmark_report *report)
{
    struct yk_rths_problem problem = r->problem;
    const struct yk_rths_plant nominal = yk_rths_draw(0);
    struct yk_histories histories = {0};
    struct yk_rths *rths = NULL;
    struct yk_err err = {0};
    char run[16];

    problem.number = r->cases[0];
    problem.chain = r->entries[entry].chain;
    snprintf(run, sizeof run, "case %d", problem.number);
    enum yk_status st = yk_rths_open(&rths, &problem, &err);
    if (!st) {
        st = yk_rths_histories(rths, &nominal, &histories, &err);
        yk_rths_close(rths);
    }
    if (st) {
        yk_histories_free(&histories);
        return yk_command_fail(&err);
    }
    return benchmark_add_history(report, r->entries[entry].name, run, &histories);
}

static int write_page(const struct yk_ranking *r, const struct benchmark_request *q)
{
    static const char *const columns[] = {"J1 [ms]", "J2 [%]", "J3 [%]", "J4 [%]", "J5 [%]",
                                          "J6 [%]",  "J7 [%]", "J8 [%]", "J9 [%]"};
    const size_t runs = r->count * (size_t)r->case_count;
    struct yk_score_row *rows = calloc(2 * runs, sizeof *rows);
    double *worst = calloc(runs * YK_RTHS_INDICES, sizeof *worst);
    size_t *order = yk_ranking_order(r);
    char settings[256];
    struct benchmark_report report = {
        .request = q,
        .page = {
            .title = "Benchmark of real-time hybrid simulation",
            .problem =
                "A frame of three storeys on moving ground; a spring is torn out of its first storey and moved by a "
                "hydraulic actuator that is 25 ms late, 4096 Hz (Silva and others 2020).",
            .settings = settings,
            .columns = columns,
            .column_count = YK_RTHS_INDICES,
            .legend =
                "J1: delay of the measured displacement behind the target. J2, J3: rms and peak of the tracking error. "
                "J4, J5: rms and peak of the error of floor 1 against the untorn frame. J6, J7: rms, J8, J9: peak of "
                "the "
                "error of floors 2 and 3. J4 to J9 of perturbed plants contain the spring that is not that of the "
                "reference.",
            .rows = rows}};
    int code = rows && worst && order ? 0 : 1;

    benchmark_settings(q, settings, sizeof settings);
    if (!code) {
        report.page.row_count = fill_rows(r, order, rows, worst);
        benchmark_add_picture(&report, "ranking.svg",
                              "Chains, best first: tracking (J2) and error against the untorn frame (J4)");
        for (size_t i = 0; i < r->count && i < (q->named ? MOST_PICTURES - 1 : 1) && !code; i++)
            code = draw_history(r, order[i], &report);
    }
    if (!code)
        code = benchmark_finish_report(&report);
    free(rows);
    free(worst);
    free(order);
    return code;
}

static int conclude(const struct yk_ranking *r, const struct benchmark_request *q)
{
    struct yk_err err = {0};
    int code;

    if (q->folder && yk_ranking_write(r, q->folder, &err))
        return yk_command_fail(&err);
    if (q->folder && (code = write_page(r, q)))
        return code;
    if (q->json)
        return yk_print_json(to_json(r));
    yk_ranking_print(r, stdout);
    if (q->folder)
        printf("files: %s/report.html, runs.csv, ranking.md, ranking.svg\n", q->folder);
    return 0;
}

/* ---- the command ---- */

static int write_file(const struct yk_ranking *r, const char *path)
{
    struct yk_rths_problem problem = r->problem;
    struct yk_err err = {0};
    FILE *out = fopen(path, "wx");

    problem.number = r->cases[0];
    problem.chain = r->entries[0].chain;
    if (!out) {
        fprintf(stderr, "yoke: cannot create %s: %s\n", path, strerror(errno));
        return 1;
    }
    const enum yk_status st = yk_rths_write(&problem, out, &err);
    if (fclose(out) && !st)
        yk_fail(&err, YK_E_IO, "cannot write %s: %s", path, strerror(errno));
    return err.status ? yk_command_fail(&err) : 0;
}

/* The request as entries: those of ours, or files. */
static void take_entries(const struct benchmark_request *q, struct yk_rths_entry *entries)
{
    for (size_t i = 0; i < q->count; i++) {
        const struct yk_rths_entry *e = yk_rths_entries;

        while (e->name && strcmp(e->name, q->chains[i]) != 0)
            e++;
        entries[i] =
            e->name ? *e : (struct yk_rths_entry){benchmark_chain_name(q->chains[i]), q->chains[i], "from a file"};
    }
}

int benchmark_rths(const struct benchmark_request *q)
{
    struct yk_rths_entry entries[MOST_CHAINS];
    struct yk_ranking r = {
        .entries = entries,
        .count = q->count,
        .problem = {.record = q->record, .unit = q->unit, .scale = q->scale, .end_s = q->end_s, .noise = q->noise},
        .plants = q->plants};
    struct yk_meter meter = yk_meter_begin(q->quiet || q->json);
    struct yk_err err = {0};
    int code;

    if (!take_cases(q->cases, &r))
        return 2;
    take_entries(q, entries);
    if (q->write && (r.count != 1 || r.case_count != 1))
        return yk_misuse(&command_benchmark, "--write needs one chain and one --case");
    if (q->write)
        return write_file(&r, q->write);
    if (yk_ranking_make(&r, q->jobs, yk_meter_show, &meter, &err))
        code = yk_command_fail(&err);
    else
        code = conclude(&r, q);
    yk_ranking_free(&r);
    return code;
}
