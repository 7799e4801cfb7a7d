/* The verdict of a rehearsal: the run itself, on the virtual rig and without a recording, so that it is the verdict of
 * the run. */
#include "door/answers.h"

#include "base/json.h"
#include "base/progress.h"
#include "door/session.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <yoke/analysis.h>

static void judge(const struct yk_session *s, struct yk_judged *j)
{
    const struct yk_model *model = s->model;
    const struct yk_run_result *r = &s->result;

    yk_run_measure(model, r, &j->measures);
    if (!r->status) /* the budget was spent: the test itself may well go on */
        j->measures.of[YK_JUDGED_UNFINISHED].value = NAN;
    yk_judge_measures(&model->quality, &j->measures, &j->verdict);
    j->made_s = (double)r->steps * model->time.step;
    j->complete = r->finished;
    j->course = r->course;
    if (r->status)
        snprintf(j->fault, sizeof j->fault, "%.250s", r->reason);
}

enum yk_status yk_judge_rehearsal(const struct yk_model *model, double budget_s, struct yk_judged *j,
                                  struct yk_err *err)
{
    const char *stage = yk_progress("rehearsing the test");
    struct yk_virtual_model virtual = {0};
    struct yk_session *s = NULL;
    enum yk_status st;
    long made;

    *j = (struct yk_judged){0};
    yk_measures_clear(&j->measures);
    if (!(st = yk_virtual_model_open(&virtual, model, err)) &&
        !(st =
              yk_session_begin(&s, virtual.model, &(struct yk_session_settings){.threads = 1, .checked = true}, err))) {
        yk_session_advance(s, yk_model_steps(virtual.model), budget_s, &made, NULL);
        yk_session_end(s, NULL);
        yk_run_judge_delays(&s->result);
        judge(s, j);
    }
    yk_session_close(s);
    yk_virtual_model_close(&virtual);
    yk_progress(stage);
    return st;
}

json_t *yk_judged_json(const struct yk_model *model, const struct yk_judged *j)
{
    json_t *all = yk_verdict_json(&j->verdict, &j->measures, model->station ? yk_station_names(model->station) : NULL);

    json_object_set_new(all, "rehearsed_s", yk_json_number(j->made_s));
    json_object_set_new(all, "complete", json_boolean(j->complete));
    json_object_set_new(all, "fault", *j->fault ? yk_json_any(j->fault) : json_null());
    return all;
}

/* "error of the response by mode: 1.18 Hz 5.1 %, 4.41 Hz 0.2 %" */
static void print_bands(const struct yk_measures *m, FILE *out)
{
    for (int j = 0; j < YK_BANDS && m->band_Hz[j] > 0; j++)
        fprintf(out, "%s%.3g Hz %.2g %%",
                j ? ", " : "                estimated error of the response by mode: ", m->band_Hz[j],
                100 * m->band_felt[j]);
    if (m->band_Hz[0] > 0)
        fputc('\n', out);
}

void yk_judged_print(const struct yk_model *model, const struct yk_judged *j, FILE *out)
{
    enum { EXPLAINED = 1 };
    const char *const *names = model->station ? yk_station_names(model->station) : NULL;
    char text[320];

    fprintf(out, "  verdict       %s", yk_level_word(j->verdict.level));
    if (!j->complete && !*j->fault)
        fprintf(out, ", by a rehearsal of the FIRST %.3g s only (--budget allows more)", j->made_s);
    fprintf(out, "%s%s\n", *j->fault ? ": the rehearsal ended early: " : "", j->fault);
    for (size_t i = 0; i < j->verdict.count; i++) {
        const struct yk_reason *r = &j->verdict.reasons[i];

        yk_reason_text(r, names, text, sizeof text);
        fprintf(out, "                %zu. %s: %s\n", i + 1, yk_level_word(r->level), text);
        if (i < EXPLAINED)
            fprintf(out, "                   %s;\n                   %s\n", yk_criterion_why(r->criterion),
                    yk_criterion_advice(r->criterion));
    }
    if (j->verdict.level != YK_LEVEL_GOOD)
        print_bands(&j->measures, out);
}

int yk_quality_grade(const char *criterion, double value)
{
    const struct yk_quality q = yk_quality_defaults();
    struct yk_measures m;
    struct yk_judgement verdict;

    for (int k = 0; k < YK_CRITERIA; k++)
        if (strcmp(yk_criterion_key((enum yk_criterion)k), criterion) == 0) {
            yk_measures_clear(&m);
            m.of[k].value = isfinite(value) ? value : INFINITY;
            yk_judge_measures(&q, &m, &verdict);
            return (int)verdict.level;
        }
    return -1;
}

const char *yk_quality_word(int grade)
{
    return yk_level_word((enum yk_level)grade);
}

/* ---- demand ---- */

/* ", flow 12 l/min" and what follows from the data sheet */
static void print_sheet(const struct yk_plant_sheet *x, double speed, FILE *out)
{
    if (!isnan(x->area))
        fprintf(out, ", flow %.3g l/min", 60e3 * x->area * speed);
    fprintf(out, "\n  %-13s %s at standstill, %s unloaded, delay %.3g ms, bandwidth %.3g Hz", "data sheet",
            yk_quantity_format(x->force, YK_PLAIN_FORCE, 3).text, yk_quantity_format(x->speed[0], YK_SPEED, 3).text,
            1e3 * x->delay_s, x->bandwidth_Hz);
    if (!isnan(x->column_Hz))
        fprintf(out, ", oil column %.3g Hz", x->column_Hz);
}

/* "stroke 25 mm at 4.2 s (17 % of 150 mm)" */
void yk_demand_print(const struct yk_model *model, const struct yk_course *c, FILE *out)
{
    static const enum yk_quantity straight[] = {YK_DISPLACEMENT, YK_VELOCITY, YK_FORCE},
                                  turning[] = {YK_ANGLE, YK_TURN_RATE, YK_MOMENT};

    for (size_t i = 0; i < c->actuators; i++) {
        const struct yk_course_actuator *a = &c->of[i];
        const enum yk_quantity *q = yk_station_turns(model->station, i) ? turning : straight;

        fprintf(out, "  %-13s %s:", i ? "" : "demand", yk_station_name(model->station, i));
        for (int k = 0; k <= YK_USE_FORCE; k++) {
            fprintf(out, "%s %s %s at %.3g s", k ? "," : "", yk_use_word((enum yk_use)k),
                    yk_quantity_format(a->demand[k], q[k], 3).text, a->asked[k]);
            if (a->most[k] > 1) /* a plant may know by how much it was asked too much; that is no use */
                fprintf(out, " (all of %s used)", yk_quantity_format(a->capacity[k], q[k], 3).text);
            else if (!isnan(a->capacity[k]))
                fprintf(out, " (%.3g %% of %s used)", 100 * a->most[k],
                        yk_quantity_format(a->capacity[k], q[k], 3).text);
        }
        fprintf(out, ", power %.3g W", a->power);
        if (!isnan(a->capacity[YK_USE_VALVE]))
            fprintf(out, "; valve or drive %s", a->most[YK_USE_VALVE] >= 1 ? "at its limit" : "within its limit");
        if (c->sheet[i].force > 0)
            print_sheet(&c->sheet[i], a->demand[YK_USE_SPEED], out);
        fputc('\n', out);
    }
}
