/* Settings that count only with others: every condition in the tables can be understood, and is judged. */
#include "support/check.h"

#include "experiment/build.h"
#include "experiment/setup.h"

#include "transfer/station.h"
#include <yoke/coupling.h>
#include <yoke/integrator.h>

#include <stdlib.h>

/* Each part of "model=loops,filter" names a setting of the same table, and a choice of it. */
static int check_table(const struct yk_param *params)
{
    int conditions = 0;

    for (const struct yk_param *p = params; p && p->name; p++) {
        char *text = p->when ? strdup(p->when) : NULL, *rest = text, *part;

        while (text && (part = strsep(&rest, ",!"))) {
            if (!*part)
                continue; /* before a '!' */
            char *value = strchr(part, '=');
            const struct yk_param *q = params;

            if (value)
                *value++ = 0;
            while (q->name && strcmp(q->name, part) != 0)
                q++;
            if (!q->name || (value && yk_choice_index(q->choices, value) < 0))
                print_error("%s counts when %s, which is none of its table\n", p->name, p->when);
            assert_non_null(q->name);
            assert_true(q->type == YK_PARAM_CHOICE ||
                        ((q->type == YK_PARAM_REAL || q->type == YK_PARAM_FILE) && !value));
            if (value)
                assert_true(yk_choice_index(q->choices, value) >= 0);
            conditions++;
        }
        free(text);
    }
    return conditions;
}

#define CHECK_FAMILY(family)                                                                                           \
    for (size_t i = 0; (family)[i]; i++)                                                                               \
    conditions += check_table((family)[i]->params)

static void conditions_name_settings_of_their_table(void **state)
{
    int conditions = check_table(yk_feedback_params) + check_table(yk_keys_sensors);

    CHECK_FAMILY(yk_integrators);
    CHECK_FAMILY(yk_couplings);
    CHECK_FAMILY(yk_plants);
    CHECK_FAMILY(yk_controllers);
    CHECK_FAMILY(yk_compensators);
    CHECK_FAMILY(yk_estimators);
    CHECK_FAMILY(yk_setups);
    assert_true(conditions > 30);
}

static void a_setting_counts_unless_all_in_its_place_are_given(void **state)
{
    struct common {
        double both, one, other;
    };
    static const struct yk_param params[] = {
        YK_REAL(struct common, both, YK_NUMBER, 1, 0, 9, YK_WHEN("!one!other", "")),
        YK_REAL(struct common, one, YK_NUMBER, -1, 0, 9, ""), YK_REAL(struct common, other, YK_NUMBER, -1, 0, 9, ""),
        YK_PARAM_END};
    char why[64];

    assert_true(yk_param_counts(params, params, &(struct common){2, -1, -1}, why, sizeof why));
    assert_true(yk_param_counts(params, params, &(struct common){2, 0, -1}, why, sizeof why));
    assert_true(yk_param_counts(params, params, &(struct common){2, -1, 3}, why, sizeof why));
    assert_false(yk_param_counts(params, params, &(struct common){2, 0, 3}, why, sizeof why));
    assert_string_equal(why, "if one and other are given");
}

struct sample {
    int model, way;
    double level, value;
};

static void a_setting_counts_when_every_condition_holds(void **state)
{
    static const struct yk_param params[] = {
        YK_CHOICE(struct sample, model, "lags|lag|servo", 0, ""), YK_CHOICE(struct sample, way, "up|down", 0, ""),
        YK_REAL(struct sample, level, YK_NUMBER, 0, 0, 9, ""),
        YK_REAL(struct sample, value, YK_NUMBER, 0, 0, 9, YK_WHEN("model,model=lag,level,way=down", "")), YK_PARAM_END};
    const struct {
        struct sample at;
        const char *why; /* NULL: it counts */
    } cases[] = {
        {{1, 1, 2, 0}, NULL},
        {{0, 1, 2, 0}, "with model: lags"},
        {{2, 1, 2, 0}, "with model: servo; it is for model: lag"},
        {{1, 1, 0, 0}, "without level"},
        {{1, 0, 2, 0}, "with way: up; it is for way: down"},
    };
    char why[64];

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const bool counts = yk_param_counts(params, &params[3], &cases[i].at, why, sizeof why);

        assert_int_equal(counts, !cases[i].why);
        if (!counts)
            assert_string_equal(why, cases[i].why);
    }
    assert_true(yk_param_counts(params, &params[0], &cases[0].at, why, sizeof why));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(conditions_name_settings_of_their_table),
                                       cmocka_unit_test(a_setting_counts_unless_all_in_its_place_are_given),
                                       cmocka_unit_test(a_setting_counts_when_every_condition_holds)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
