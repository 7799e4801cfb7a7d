/* The verdict from plain numbers: levels, order and words, and the table of the theory page. */
#include "support/check.h"

#include "analyze/judge.h"

#include <math.h>
#include <stdlib.h>

static struct yk_judgement judged(const struct yk_quality *q, const struct yk_measures *m)
{
    struct yk_judgement v;

    yk_judge_measures(q, m, &v);
    return v;
}

static void nothing_known_is_good(void **state)
{
    const struct yk_quality q = yk_quality_defaults();
    struct yk_measures m;

    yk_measures_clear(&m);
    const struct yk_judgement v = judged(&q, &m);

    assert_int_equal(v.level, YK_LEVEL_GOOD);
    assert_int_equal(v.count, 0);
}

/* Each criterion alone: at its bounds still better, above them not; a bound of 0 is none. */
static void every_bound_separates_two_levels(void **state)
{
    const struct yk_quality q = yk_quality_defaults();

    for (int i = 0; i < YK_CRITERIA; i++) {
        const double doubtful = q.doubtful.of[i], unusable = q.unusable.of[i];
        struct yk_measures m;

        yk_measures_clear(&m);
        yk_measures_add(&m, (enum yk_criterion)i, doubtful, -1);
        assert_int_equal(judged(&q, &m).level, YK_LEVEL_GOOD);
        yk_measures_add(&m, (enum yk_criterion)i, doubtful * (1 + 1e-9), -1);
        assert_int_equal(judged(&q, &m).level, YK_LEVEL_DOUBTFUL);
        yk_measures_add(&m, (enum yk_criterion)i, 1e6 * fmax(unusable, 1), -1);
        assert_int_equal(judged(&q, &m).level, unusable > 0 ? YK_LEVEL_UNUSABLE : YK_LEVEL_DOUBTFUL);
        assert_int_equal(judged(&q, &m).count, 1);
        assert_true(unusable == 0 || unusable > doubtful);
    }
}

static void a_criterion_without_bounds_is_not_judged(void **state)
{
    struct yk_quality q = yk_quality_defaults();
    struct yk_measures m;

    yk_measures_clear(&m);
    yk_measures_add(&m, YK_JUDGED_TRACKING, 9, 0);
    q.doubtful.of[YK_JUDGED_TRACKING] = 0;
    q.unusable.of[YK_JUDGED_TRACKING] = 0;
    assert_int_equal(judged(&q, &m).level, YK_LEVEL_GOOD);
}

static void the_worst_actuator_counts(void **state)
{
    struct yk_measures m;

    yk_measures_clear(&m);
    yk_measures_add(&m, YK_JUDGED_TRACKING, 0.2, 0);
    yk_measures_add(&m, YK_JUDGED_TRACKING, 0.5, 1);
    yk_measures_add(&m, YK_JUDGED_TRACKING, NAN, 2);
    yk_measures_add(&m, YK_JUDGED_TRACKING, 0.3, 3);
    assert_int_equal(m.of[YK_JUDGED_TRACKING].actuator, 1);
    assert_true(m.of[YK_JUDGED_TRACKING].value == 0.5);
}

/* An actuator at its force makes every symptom worse; it is what must be mended. */
static void the_cause_comes_before_its_symptoms(void **state)
{
    const struct yk_quality q = yk_quality_defaults();
    struct yk_measures m;

    yk_measures_clear(&m);
    yk_measures_add(&m, YK_JUDGED_REFERENCE, 5.8, -1);
    yk_measures_add(&m, YK_JUDGED_TRACKING, 0.97, 0);
    yk_measures_add(&m, YK_JUDGED_FORCE, 0.3, 0);
    yk_measures_add(&m, YK_JUDGED_STEP, 0.11, -1);
    const struct yk_judgement v = judged(&q, &m);

    assert_int_equal(v.level, YK_LEVEL_UNUSABLE);
    assert_int_equal(v.count, 4);
    assert_int_equal(v.reasons[0].criterion, YK_JUDGED_FORCE);
    assert_int_equal(v.reasons[1].criterion, YK_JUDGED_TRACKING);
    /* eq. (2): doubtful by little, 1 + 3/2 + 1 - 1/1.1 = 2.59, stays behind the symptom, 2 + 1 - 1/9.7 = 2.90, and is
     * before the result, 2 - 1/2 + 1 - 1/58 = 2.48 */
    assert_int_equal(v.reasons[2].criterion, YK_JUDGED_STEP);
    assert_int_equal(v.reasons[3].criterion, YK_JUDGED_REFERENCE);
    assert_near(v.reasons[1].weight, 3 - 1 / 9.7, 1e-9);
    assert_near(v.reasons[2].weight, 3.5 - 1 / 1.1, 1e-9);
    assert_near(v.reasons[3].weight, 2.5 - 1 / 58.0, 1e-9);
}

static void a_reason_says_who_how_much_and_the_bound(void **state)
{
    static const char *const names[] = {"west", "east"};
    const struct yk_quality q = yk_quality_defaults();
    struct yk_measures m;
    char text[320];

    yk_measures_clear(&m);
    yk_measures_add(&m, YK_JUDGED_FORCE, 0.43, 1);
    const struct yk_judgement v = judged(&q, &m);
    json_t *json = yk_verdict_json(&v, &m, names);
    const json_t *first = json_array_get(json_object_get(json, "reasons"), 0);

    yk_reason_text(&v.reasons[0], names, text, sizeof text);
    assert_string_equal(text, "actuator east: is at the limit of its force during 43 % of the test (bound 2 %)");
    assert_string_equal(json_string_value(json_object_get(json, "level")), "unusable");
    assert_string_equal(json_string_value(json_object_get(first, "criterion")), "force");
    assert_string_equal(json_string_value(json_object_get(first, "actuator")), "east");
    assert_string_equal(json_string_value(json_object_get(first, "text")), text);
    assert_true(json_string_length(json_object_get(first, "why")) > 10);
    assert_true(json_string_length(json_object_get(first, "advice")) > 10);
    json_decref(json);
}

/* The page with the reasons for the bounds has the bounds of the program. */
static void the_theory_page_has_the_bounds(void **state)
{
    const struct yk_quality q = yk_quality_defaults();
    FILE *in = fopen(YOKE_SOURCE "/docs/theory/verdict.md", "r");
    char *page = calloc(1, 1 << 16);

    assert_non_null(in);
    assert_non_null(page);
    assert_true(fread(page, 1, (1 << 16) - 1, in) > 0);
    fclose(in);
    for (int i = 0; i < YK_CRITERIA; i++) {
        char row[120];

        snprintf(row, sizeof row, "| `%s` | %g | %g | ", yk_criterion_key((enum yk_criterion)i), q.doubtful.of[i],
                 q.unusable.of[i]);
        if (!strstr(page, row))
            fail_msg("docs/theory/verdict.md lacks the row %s", row);
    }
    free(page);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_known_is_good),
        cmocka_unit_test(every_bound_separates_two_levels),
        cmocka_unit_test(a_criterion_without_bounds_is_not_judged),
        cmocka_unit_test(the_worst_actuator_counts),
        cmocka_unit_test(the_cause_comes_before_its_symptoms),
        cmocka_unit_test(a_reason_says_who_how_much_and_the_bound),
        cmocka_unit_test(the_theory_page_has_the_bounds),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
