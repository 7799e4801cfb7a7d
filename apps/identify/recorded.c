/* yoke identify --csv: an actuator from recordings of its command and its motion. */
#include "identify.h"

#include <yoke/figure.h>
#include <yoke/json.h>
#include <yoke/number.h>
#include <yoke/units.h>
#include <yoke/yoke.h>

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const double identify_bands[BANDS + 1] = {0, 2, 5, 10, 15, 20};
static const double table_Hz[] = {0.5, 1,  2,  3,  4,  5,  6,  8,  10, 12, 14, 16,
                                  18,  20, 22, 25, 30, 35, 40, 50, 60, 80, 100};

double identify_delay(const struct job *j, double frequency_Hz)
{
    const struct yk_rational *m = &j->found.model;
    const double complex late = cexp(-2 * M_PI * I * frequency_Hz * m->dead_time_s);

    return m->dead_time_s - carg(yk_rational_at(m, frequency_Hz) / late) / (2 * M_PI * frequency_Hz);
}

/* ---- what was asked ---- */

/* "F1..F2" */
static bool read_range(const char *option, const char *text, enum yk_quantity quantity, double range[2])
{
    const char *dots = text ? strstr(text, "..") : NULL;
    char first[64];

    if (!text)
        return true;
    if (!dots || (size_t)(dots - text) >= sizeof first)
        return yk_misuse(&command_measured, "%s '%s' must be a range such as 0.1..20", option, text), false;
    snprintf(first, sizeof first, "%.*s", (int)(dots - text), text);
    if (!yk_option_quantity(&command_measured, option, first, quantity, 0, 1e6, &range[0]) ||
        !yk_option_quantity(&command_measured, option, dots + 2, quantity, 0, 1e6, &range[1]))
        return false;
    return range[1] > range[0] || (quantity == YK_NUMBER && range[1] == range[0]) ||
           !yk_misuse(&command_measured, "%s '%s': the second must be above the first", option, text);
}

static bool understand(struct job *j)
{
    const struct measured_options *o = &j->words->of;
    double band[2] = {0, 0}, orders[2] = {1, 4};
    struct yk_err err = {0};

    if (!o->csv)
        return yk_misuse(&command_measured, "which recording? --csv FILE"), false;
    if (!read_range("--band", o->band, YK_FREQUENCY, band) || !read_range("--orders", o->orders, YK_NUMBER, orders))
        return false;
    if (orders[0] != floor(orders[0]) || orders[1] != floor(orders[1]) || orders[0] < 1 ||
        orders[1] > YK_CANDIDATE_ORDER)
        return yk_misuse(&command_measured, "--orders '%s': whole numbers from 1 to %d", o->orders, YK_CANDIDATE_ORDER),
               false;
    if (j->words->plot && yk_figure_check_path(j->words->plot, &err))
        return yk_command_fail(&err), false;
    j->ask = (struct yk_identify_ask){
        .from_Hz = band[0], .to_Hz = band[1], .lowest = (int)orders[0], .highest = (int)orders[1], .threads = 2};
    return true;
}

/* Frequencies of the structure of an experiment. */
static enum yk_status read_structure(struct job *j, const char *path, struct yk_err *err)
{
    struct yk_model *model = NULL;
    char *text = NULL;
    enum yk_status st = yk_model_open(&model, path, NULL, 0, err);

    if (!st)
        st = yk_model_analyze(model, "check", NULL, &text, err);
    json_t *check = st ? NULL : yk_json_read_text(text), *value;
    size_t i;
    json_array_foreach(json_object_get(check, "frequencies_Hz"), i,
                       value) if (j->structures < 8 && json_number_value(value) > 0) j->structure_Hz[j->structures++] =
        json_number_value(value);
    json_decref(check);
    yk_free(text);
    yk_model_close(model);
    return st;
}

/* ---- the work ---- */

/* NRMS of the files, each the mean of squares of its records, and the VAF by band of the first record. */
static enum yk_status judge_files(struct job *j, struct yk_err *err)
{
    double sums[2] = {0};

    for (size_t i = 0; i < j->files; i++) {
        struct recording *f = &j->file[i];
        const struct yk_actuator_record *r = &j->record[f->first];
        double square = 0, fit[3];
        enum yk_status st;

        for (size_t k = 0; k < f->count; k++) {
            struct yk_fit_quality q;

            if ((st = yk_model_quality(&j->found.model, &r[k], &q, NULL, err)))
                return st;
            square += q.nrms * q.nrms / (double)f->count;
            if (k == 0)
                f->offset = q.offset;
        }
        f->nrms = sqrt(square);
        f->vaf = 1 - square;
        f->least_delay = yk_delay_between(r->n, r->step_s, r->command, r->motion, 0, fit, NULL) ? NAN : fit[0];
        if ((st = yk_model_bands(&j->found.model, r, identify_bands, BANDS, f->bands, err)))
            return st;
        sums[i >= j->fitted] += f->floor * f->floor;
    }
    j->fitted_floor = sqrt(sums[0] / (double)j->fitted);
    j->held_floor = j->files > j->fitted ? sqrt(sums[1] / (double)(j->files - j->fitted)) : j->fitted_floor;
    return YK_OK;
}

static enum yk_status identify(struct job *j, struct yk_err *err)
{
    double f[TABLE];
    enum yk_status st = identify_read(j, err);

    if (st)
        return st;
    j->ask.records = j->record;
    j->ask.count = j->fitted_records;
    j->ask.held = j->record + j->fitted_records;
    j->ask.held_count = j->records - j->fitted_records;
    if ((st = yk_identify_actuator(&j->ask, &j->found, err)))
        return st;
    for (size_t i = 0; i < sizeof table_Hz / sizeof *table_Hz; i++)
        if (table_Hz[i] >= j->found.from_Hz && table_Hz[i] <= j->found.to_Hz)
            f[j->points++] = table_Hz[i];
    st = yk_frequency_points_of(j->record, j->file[0].count, 0.25, f, j->points, j->point, err);
    return st ? st : judge_files(j, err);
}

static int run_job(struct job *j, const char *structure)
{
    struct yk_err err = {0};
    int code = 0;

    if (identify(j, &err) || (structure && read_structure(j, structure, &err)))
        return yk_command_fail(&err);
    if (j->words->json)
        code = yk_print_json(identify_json(j));
    else
        identify_print(j);
    if (!code)
        code = identify_write(j);
    return code || !j->words->plot ? code : identify_draw(j);
}

/* --joint and --hold-out take every file up to the next option: "--joint a b" becomes "--joint a --joint b". */
static char **spread_words(int argc, char **argv, int *count)
{
    char **spread = calloc(2 * (size_t)argc + 1, sizeof *spread), *last = NULL;

    *count = 0;
    for (int i = 0; i < argc && spread; i++) {
        const size_t length = strlen(argv[i]);
        const bool experiment =
            length > 5 && (strcmp(argv[i] + length - 5, ".yaml") == 0 || strcmp(argv[i] + length - 4, ".yml") == 0);

        if (argv[i][0] == '-' || experiment)
            last = strcmp(argv[i], "--joint") == 0 || strcmp(argv[i], "--hold-out") == 0 ? argv[i] : NULL;
        else if (last && i > 0 && argv[i - 1] != last)
            spread[(*count)++] = last;
        spread[(*count)++] = argv[i];
    }
    return spread;
}

int identify_recorded(int argc, char **argv)
{
    struct measured_words given = {.actuator = "jack"};
    struct job *j = calloc(1, sizeof *j);
    struct yk_words words;
    int count, code = 2;
    char **spread = spread_words(argc, argv, &count);

    if (!j || !spread) {
        fprintf(stderr, "yoke: out of memory\n");
        code = 1;
    } else if (yk_take_options(&command_measured, count, spread, &given, &words)) {
        j->words = &given;
        if (given.json)
            yk_command_fail_in_json();
        if (words.count > 1)
            code = yk_misuse(&command_measured, "one experiment file, not '%s' and '%s'", words.rest[0], words.rest[1]);
        else if (understand(j))
            code = run_job(j, words.count ? words.rest[0] : NULL);
        identify_free(j);
    }
    free(spread);
    free(j);
    return code;
}
