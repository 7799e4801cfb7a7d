/* The verdict about a test. docs/theory/verdict.md, eq. (1) and (2). */
#include "analyze/judge.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <yoke/json.h>

/* Twice what it adds to the weight of a reason. */
enum kind { RESULT = -1, SYMPTOM = 0, CAUSE = 3, SETUP = 5 };
enum shown { PLAIN, PERCENT, FACTOR };

static const struct {
    const char *key;
    enum kind kind;
    enum shown shown;
    const char *words, *why, *advice;
} criteria[YK_CRITERIA] = {
#define CRITERION(id, key, kind, shown, doubtful, unusable, help, words, why, advice)                                  \
    [YK_JUDGED_##id] = {#key, kind, shown, words, why, advice},
#include "experiment/criteria.def"
#undef CRITERION
};

const char *yk_level_word(enum yk_level level)
{
    static const char *const words[YK_LEVELS] = {"good", "doubtful", "unusable"};

    return words[level];
}

const char *yk_criterion_key(enum yk_criterion criterion)
{
    return criteria[criterion].key;
}

const char *yk_criterion_why(enum yk_criterion criterion)
{
    return criteria[criterion].why;
}

const char *yk_criterion_advice(enum yk_criterion criterion)
{
    return criteria[criterion].advice;
}

YK_RT void yk_measures_clear(struct yk_measures *m)
{
    for (int i = 0; i < YK_CRITERIA; i++)
        m->of[i] = (struct yk_measure){NAN, -1, 0};
    for (int i = 0; i < YK_PARTS_OF_RUN; i++)
        m->tracking[i] = 0;
    for (int i = 0; i < YK_BANDS; i++)
        m->band_Hz[i] = m->band_felt[i] = 0;
}

YK_RT void yk_measures_add(struct yk_measures *m, enum yk_criterion criterion, double value, int actuator)
{
    struct yk_measure *kept = &m->of[criterion];

    if (!isnan(value) && !(value <= kept->value))
        *kept = (struct yk_measure){value, actuator, 0};
}

/* eq. (2): the level, what kind of reason it is, and how far it is beyond the bound. */
YK_RT static double weight_of(enum yk_criterion criterion, enum yk_level level, double ratio)
{
    return (double)level + 0.5 * (double)criteria[criterion].kind + 1 - 1 / fmax(ratio, 1);
}

/* Reasons stay sorted: few, and a stable order. */
YK_RT static void insert(struct yk_judgement *v, const struct yk_reason *r)
{
    size_t at = v->count++;

    for (; at > 0 && v->reasons[at - 1].weight < r->weight; at--)
        v->reasons[at] = v->reasons[at - 1];
    v->reasons[at] = *r;
}

/* eq. (1) */
YK_RT void yk_judge_measures(const struct yk_quality *bounds, const struct yk_measures *measures,
                             struct yk_judgement *verdict)
{
    verdict->level = YK_LEVEL_GOOD;
    verdict->count = 0;
    for (int i = 0; i < YK_CRITERIA; i++) {
        const struct yk_measure *m = &measures->of[i];
        const double doubtful = bounds->doubtful.of[i], unusable = bounds->unusable.of[i];
        const bool is_unusable = unusable > 0 && m->value > unusable;
        struct yk_reason r = {.criterion = (enum yk_criterion)i, .value = m->value, .actuator = m->actuator};

        if (isnan(m->value) || (!is_unusable && !(doubtful > 0 && m->value > doubtful)))
            continue;
        r.level = is_unusable ? YK_LEVEL_UNUSABLE : YK_LEVEL_DOUBTFUL;
        r.bound = is_unusable ? unusable : doubtful;
        r.weight = weight_of(r.criterion, r.level, m->value / (doubtful > 0 ? doubtful : unusable)) - m->discount;
        verdict->level = r.level > verdict->level ? r.level : verdict->level;
        insert(verdict, &r);
    }
}

/* ---- words ---- */

static void number_text(double x, enum shown shown, char *text, size_t size)
{
    if (shown == PERCENT && x < 1e-5)
        snprintf(text, size, "0 %%");
    else
        snprintf(text, size, shown == PERCENT ? "%.3g %%" : "%.3g", shown == PERCENT ? 100 * x : x);
}

void yk_reason_text(const struct yk_reason *r, const char *const *actuators, char *text, size_t size)
{
    char value[32], bound[32], words[160];
    const char *format = criteria[r->criterion].words, *place = strstr(format, "%s");

    number_text(r->value, criteria[r->criterion].shown, value, sizeof value);
    number_text(r->bound, criteria[r->criterion].shown, bound, sizeof bound);
    snprintf(words, sizeof words, "%.*s%s%s", (int)(place - format), format, value, place + 2);
    if (r->actuator >= 0 && actuators)
        snprintf(text, size, "actuator %s: %s (bound %s)", actuators[r->actuator], words, bound);
    else
        snprintf(text, size, "%s (bound %s)", words, bound);
}

static json_t *reason_json(const struct yk_reason *r, const char *const *actuators)
{
    char text[320];

    yk_reason_text(r, actuators, text, sizeof text);
    return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:s, s:s}", "criterion", yk_criterion_key(r->criterion), "level",
                     yk_level_word(r->level), "actuator",
                     r->actuator >= 0 && actuators ? yk_json_any(actuators[r->actuator]) : json_null(), "value",
                     yk_json_number(r->value), "bound", yk_json_number(r->bound), "text", yk_json_any(text), "why",
                     yk_criterion_why(r->criterion), "advice", yk_criterion_advice(r->criterion));
}

json_t *yk_verdict_json(const struct yk_judgement *v, const struct yk_measures *m, const char *const *actuators)
{
    json_t *reasons = json_array(), *measures = json_object(), *parts = json_array(), *bands = json_array();

    for (size_t i = 0; i < v->count; i++)
        json_array_append_new(reasons, reason_json(&v->reasons[i], actuators));
    for (int i = 0; i < YK_CRITERIA; i++)
        if (!isnan(m->of[i].value))
            json_object_set_new(measures, criteria[i].key, yk_json_number(m->of[i].value));
    for (int i = 0; i < YK_PARTS_OF_RUN; i++)
        json_array_append_new(parts, yk_json_number(m->tracking[i]));
    for (int i = 0; i < YK_BANDS && m->band_Hz[i] > 0; i++)
        json_array_append_new(
            bands, json_pack("{s:f, s:o}", "frequency_Hz", m->band_Hz[i], "felt", yk_json_number(m->band_felt[i])));
    return json_pack("{s:s, s:i, s:o, s:o, s:o, s:o}", "level", yk_level_word(v->level), "grade", (int)v->level,
                     "reasons", reasons, "measures", measures, "tracking_by_time", parts, "felt_by_mode", bands);
}
