/* A verdict about a test, from plain numbers: good, doubtful or unusable, with its reasons. The one place that judges;
 * run, check, report, dashboard and studies show what it finds. docs/theory/verdict.md. */
#ifndef YOKE_JUDGE_H
#define YOKE_JUDGE_H

#include "experiment/quality.h"

#include <jansson.h>

/* Measured value of a criterion; the worst of the actuators. NAN: not known, or it does not apply. */
struct yk_measure {
    double value;
    int actuator;    /* index; -1: of the whole test */
    double discount; /* from the weight of its reason: it came later than others, or because of them */
};
enum { YK_PARTS_OF_RUN = 10, YK_BANDS = 6 };
struct yk_measures {
    struct yk_measure of[YK_CRITERIA];
    double tracking[YK_PARTS_OF_RUN];              /* over time: in each tenth of the run; the worst of the actuators */
    double band_Hz[YK_BANDS], band_felt[YK_BANDS]; /* over frequency: error of the response by mode; 0: no more */
};
void yk_measures_clear(struct yk_measures *m) YK_RT;
/* Keeps it if it is worse than what is there. */
void yk_measures_add(struct yk_measures *m, enum yk_criterion criterion, double value, int actuator) YK_RT;

/* A number above its bound. */
struct yk_reason {
    enum yk_criterion criterion;
    enum yk_level level;
    double value, bound; /* bound: of that level */
    double weight;
    int actuator;
};
struct yk_judgement {
    enum yk_level level;
    size_t count;
    struct yk_reason reasons[YK_CRITERIA]; /* the weightiest first */
};
void yk_judge_measures(const struct yk_quality *bounds, const struct yk_measures *measures,
                       struct yk_judgement *verdict) YK_RT;

const char *yk_level_word(enum yk_level level); /* "good" */
const char *yk_criterion_key(enum yk_criterion criterion);
const char *yk_criterion_why(enum yk_criterion criterion);
const char *yk_criterion_advice(enum yk_criterion criterion);
/* "actuator a1: is at the limit of its force during 43 % of the test (bound 2 %)". `actuators`: their names. */
void yk_reason_text(const struct yk_reason *reason, const char *const *actuators, char *text, size_t size);
/* {level, grade (0, 1, 2), reasons: [{criterion, level, actuator, value, bound, text, why, advice}], measures:
 * {criterion: value}, tracking_by_time: [in each tenth of the run], felt_by_mode: [{frequency_Hz, felt}]} */
json_t *yk_verdict_json(const struct yk_judgement *verdict, const struct yk_measures *measures,
                        const char *const *actuators);

#endif
