/* Output of `yoke calibrate`: text, JSON, file. */
#include "calibrate.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct yk_param *param_of(const struct job *job, const struct yk_fitted_setting *s)
{
    const struct yk_param *q = job->ask.law[s->law].ops->params;

    while (strcmp(q->name, s->name) != 0)
        q++;
    return q;
}

static void name_value(const struct job *job, size_t setting, size_t point, char *text, size_t size)
{
    const struct yk_fitted_setting *s = &job->setting[setting];

    if (s->points > 1)
        snprintf(text, size, "%s at %g %s", s->name, s->at[point], job->unit);
    else
        snprintf(text, size, "%s", s->name);
}

/* The setting and point of the value with this number. */
static void locate(const struct job *job, size_t value, size_t *setting, size_t *point)
{
    for (*setting = 0; value >= job->setting[*setting].points; ++*setting)
        value -= job->setting[*setting].points;
    *point = value;
}

static void print_values(const struct job *job)
{
    char name[96];

    for (size_t i = 0; i < job->ask.settings; i++)
        for (size_t k = 0; k < job->setting[i].points; k++) {
            name_value(job, i, k, name, sizeof name);
            printf("  %-30s %12.5g", name, job->found.value[i][k]);
            if (isfinite(job->found.spread[i][k]))
                printf(" +- %-9.2g", job->found.spread[i][k]);
            printf(" %s%s\n", yk_quantity_unit(param_of(job, &job->setting[i])->quantity),
                   job->found.bounded[i][k]
                       ? "  at its bound: the runs do not determine it; write it into the law to fix it"
                       : "");
        }
    if (job->found.correlation != 0) {
        char other[96];
        size_t i, k;

        locate(job, job->found.alike[0], &i, &k);
        name_value(job, i, k, name, sizeof name);
        locate(job, job->found.alike[1], &i, &k);
        name_value(job, i, k, other, sizeof other);
        printf("  %s and %s can hardly be told apart (correlation %.3f): fix one of them\n", name, other,
               job->found.correlation);
    }
    printf("  +-: spread when whole cycles are drawn again\n");
}

void calibrate_print(const struct job *job)
{
    const struct yk_calibrated *c = &job->found;

    if (c->runs > c->fitted)
        printf("held out: NRMS %.2f %% in the mean of %zu runs\n", 100 * c->held_nrms, c->runs - c->fitted);
    else
        printf("held out: nothing; give runs to hold_out, or the figures below say how well it fits, not how well it "
               "predicts\n");
    printf("training: NRMS %.2f %% in the mean of %zu runs%s\n", 100 * c->mean_nrms, c->fitted,
           c->stopped ? "; stopped early" : "");
    print_values(job);
    printf("\n%-34s %8s %10s %10s %8s %10s %12s\n", "run", *job->over ? job->over : "", "NRMS [%]", "offset [N]",
           "level", "sine [Hz]", "filter [Hz]");
    for (size_t i = 0; i < c->runs; i++) {
        const struct yk_calibrated_run *r = &c->run[i];

        printf("%-34s %8g %10.2f %10.1f %8.3f %10.3f %12.1f%s\n", r->name, r->over, 100 * r->nrms, r->offset, r->level,
               r->frequency_Hz, r->cutoff_Hz, i >= c->fitted ? "  held out" : "");
        for (const char *line = job->log[i].notes ? job->log[i].notes : ""; *line;
             line += strcspn(line, "\n"), line += *line == '\n')
            printf("  note: %.*s\n", (int)strcspn(line, "\n"), line);
    }
}

/* ---- JSON ---- */

struct json_t *calibrate_json(const struct job *job)
{
    const struct yk_calibrated *c = &job->found;
    json_t *values = json_array(), *runs = json_array(), *alike = json_array();

    for (size_t i = 0; i < job->ask.settings; i++)
        for (size_t k = 0; k < job->setting[i].points; k++)
            json_array_append_new(values,
                                  json_pack("{s:s, s:s, s:o, s:o, s:o, s:b}", "setting", job->setting[i].name, "law",
                                            job->ask.law[job->setting[i].law].ops->name, "at",
                                            yk_json_number(job->setting[i].points > 1 ? job->setting[i].at[k] : NAN),
                                            "value", yk_json_number(c->value[i][k]), "spread",
                                            yk_json_number(c->spread[i][k]), "bounded", c->bounded[i][k]));
    for (size_t i = 0; i < c->runs; i++)
        json_array_append_new(
            runs, json_pack("{s:o, s:f, s:b, s:o, s:f, s:f, s:f, s:f, s:s}", "file", yk_json_any(c->run[i].name),
                            "over", c->run[i].over, "held_out", i >= c->fitted, "nrms", yk_json_number(c->run[i].nrms),
                            "offset_N", c->run[i].offset, "level", c->run[i].level, "frequency_Hz",
                            c->run[i].frequency_Hz, "cutoff_Hz", c->run[i].cutoff_Hz, "sha256", job->log[i].sha256));
    for (int k = 0; k < 2 && c->correlation != 0; k++) {
        char name[96];
        size_t i, point;

        locate(job, c->alike[k], &i, &point);
        name_value(job, i, point, name, sizeof name);
        json_array_append_new(alike, json_string(name));
    }
    return json_pack("{s:o, s:o, s:o, s:{s:o, s:f}, s:o, s:b}", "held_nrms", yk_json_number(c->held_nrms), "mean_nrms",
                     yk_json_number(c->mean_nrms), "values", values, "alike", "values", alike, "correlation",
                     c->correlation, "runs", runs, "stopped", c->stopped);
}

/* ---- section ---- */

/* The laws at one value of `over`. */
static void write_laws(const struct job *job, double over, FILE *out)
{
    for (size_t k = 0; k < job->ask.laws; k++) {
        const struct yk_law_ops *ops = job->ask.law[k].ops;
        const struct yk_node *law = yk_node_get(job->section, "law"), *map = law->type == YK_LIST ? law->items[k] : law;

        fprintf(out, "%s{ kind: %s", k ? ", " : job->ask.laws > 1 ? "[ " : "", ops->name);
        for (size_t i = 0; i < map->count; i++)
            if (strcmp(map->items[i]->key, "kind") != 0 && map->items[i]->type == YK_SCALAR)
                fprintf(out, ", %s: %s", map->items[i]->key, map->items[i]->text);
        for (size_t i = 0; i < job->ask.settings; i++)
            if (job->setting[i].law == k)
                fprintf(out, ", %s: %.6g", job->setting[i].name,
                        yk_fitted_value(&job->setting[i], job->found.value[i], over));
        fprintf(out, " }");
    }
    fprintf(out, "%s\n", job->ask.laws > 1 ? " ]" : "");
}

bool calibrate_write(FILE *out, const void *self)
{
    const struct job *job = self;
    const struct yk_calibrated *c = &job->found;
    char name[96];

    fprintf(out, "# yoke calibrate %s: NRMS", job->path);
    if (c->runs > c->fitted)
        fprintf(out, " held out %.2f %% (%zu runs),", 100 * c->held_nrms, c->runs - c->fitted);
    fprintf(out, " training %.2f %% (%zu runs)%s. SI.\n", 100 * c->mean_nrms, c->fitted,
            c->stopped ? ", stopped early" : "");
    for (size_t i = 0; i < c->runs; i++)
        fprintf(out, "# from: %s (sha256 %.16s...) NRMS %.2f %%%s\n", c->run[i].name, job->log[i].sha256,
                100 * c->run[i].nrms, i >= c->fitted ? ", held out" : "");
    for (size_t i = 0; i < job->ask.settings; i++)
        for (size_t k = 0; k < job->setting[i].points; k++) {
            name_value(job, i, k, name, sizeof name);
            fprintf(out, "# %s %.6g +- %.2g%s\n", name, c->value[i][k], c->spread[i][k],
                    c->bounded[i][k] ? ", at its bound" : "");
        }
    if (!*job->over) {
        fprintf(out, "law: ");
        write_laws(job, 0, out);
        return !ferror(out);
    }
    fprintf(out, "laws: # by %s\n", job->over);
    for (size_t i = 0; i < c->runs; i++) {
        bool there = false;

        for (size_t k = 0; k < i; k++)
            there |= c->run[k].over == c->run[i].over;
        if (there)
            continue;
        fprintf(out, "  %g %s: ", c->run[i].over, strcmp(job->unit, "-") == 0 ? "" : job->unit);
        write_laws(job, c->run[i].over, out);
    }
    return !ferror(out);
}
