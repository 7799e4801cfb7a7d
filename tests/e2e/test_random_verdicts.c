/* Random tests: `yoke explain` names the cause that was planted, and the verdict of a rehearsal is that of a run on a
 * rig a few per cent off its model. A few in the suite; `make verdicts` has all of them. YOKE_VERDICTS=N: N times as
 * many; YOKE_VERDICT_SEED=K: others. The bounds of the verdict and the rules of `explain` were tuned with other seeds
 * than these. */
#include "support/check.h"
#include "support/program.h"
#include "support/random_tests.h"
#include "support/scratch.h"

#include <jansson.h>
#include <stdlib.h>
#include <yoke/yoke.h>

enum { EXPLAINED = 5, REHEARSED = 10, SEEDS = 100000 };

static int number(const char *name, int fallback)
{
    const char *text = getenv(name);

    return text ? atoi(text) : fallback;
}

/* ---- explain ---- */

static bool names_the_cause(const char *file, const struct random_test *t)
{
    const char *words[20] = {YOKE_PROGRAM, "explain", file, "--json"};
    size_t count = 4;
    struct program p;

    for (int i = 0; i < RANDOM_SETTINGS && *t->set[i]; i++) {
        words[count++] = "--set";
        words[count++] = t->set[i];
    }
    program_start(&p, words, 0);
    program_wait(&p);
    if (p.code)
        fail_msg("%s: %s: %s", t->name, t->set[0], p.err);
    json_t *found = json_loads(p.out, 0, NULL);
    const char *worst = json_string_value(json_object_get(found, "worst"));
    const bool named = worst && strcmp(worst, t->cause) == 0;

    if (!named) {
        print_message("%s: %s %s: %s, not %s; error %.3g\n", t->name, t->set[0], t->set[1], worst ? worst : "none",
                      t->cause, json_number_value(json_object_get(found, "error")));
        for (size_t i = 0; i < json_array_size(json_object_get(found, "causes")); i++) {
            const json_t *cause = json_array_get(json_object_get(found, "causes"), i);

            print_message("    %-12s %.3g\n", json_string_value(json_object_get(cause, "cause")),
                          json_number_value(json_object_get(cause, "error")));
        }
    }
    json_decref(found);
    program_free(&p);
    return named;
}

static void planted_causes_are_named(void **state)
{
    const int count = EXPLAINED * number("YOKE_VERDICTS", 1), seed = SEEDS * number("YOKE_VERDICT_SEED", 1);
    char file[1024];
    int right = 0;

    snprintf(file, sizeof file, "%s", scratch_path("random.yaml"));
    for (int i = 0; i < count; i++) {
        struct random_test t;

        random_test((uint64_t)(seed + i), RANDOM_SPOILED, &t);
        scratch_write("random.yaml", t.text);
        right += names_the_cause(file, &t);
    }
    print_message("%d of %d planted causes are named\n", right, count);
    assert_true(10 * right >= 9 * count || count - right <= 1);
}

/* ---- rehearsal and run ---- */

static char *level_of(const struct random_test *t, bool rehearsed)
{
    const char *set[2 * RANDOM_SETTINGS];
    size_t count = 0;
    struct yk_model *model;
    char *answer = NULL;

    for (int i = 0; i < RANDOM_SETTINGS && *t->set[i]; i++)
        set[count++] = t->set[i];
    for (int i = 0; i < RANDOM_SETTINGS && !rehearsed; i++)
        if (i != 1 || !strstr(t->set[0], ".plant="))
            set[count++] = t->rig[i];
    assert_ok(yk_model_read(
        &model,
        &(struct yk_model_source){
            .path = "random.yaml", .text = t->text, .size = strlen(t->text), .overrides = set, .override_count = count},
        &err));
    if (rehearsed)
        assert_ok(yk_model_analyze(model, "verdict", NULL, &answer, &err));
    else
        yk_model_run(model, NULL, &answer, NULL); /* some are stopped */
    json_t *all = json_loads(answer, 0, NULL);
    const json_t *verdict = rehearsed ? all : json_object_get(all, "verdict");
    char *level = strdup(json_string_value(json_object_get(verdict, "level")));

    json_decref(all);
    yk_free(answer);
    yk_model_close(model);
    return level;
}

static void a_rehearsal_foretells_the_run(void **state)
{
    const int count = REHEARSED * number("YOKE_VERDICTS", 1), seed = SEEDS * number("YOKE_VERDICT_SEED", 1) + SEEDS / 2;
    int same = 0, good = 0;

    for (int i = 0; i < count; i++) {
        struct random_test t;

        random_test((uint64_t)(seed + i), i % 4 ? RANDOM_OF_ANY_SIZE : RANDOM_SOUND, &t);
        char *rehearsal = level_of(&t, true), *run = level_of(&t, false);

        same += strcmp(rehearsal, run) == 0;
        good += strcmp(run, "good") == 0;
        if (strcmp(rehearsal, run) != 0)
            print_message("%s: %s: %s in the rehearsal, %s in the run\n", t.name, t.set[0], rehearsal, run);
        free(rehearsal);
        free(run);
    }
    print_message("the verdict of %d of %d rehearsals is that of the run; %d runs are good\n", same, count, good);
    assert_true(20 * same >= 19 * count || count - same <= 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planted_causes_are_named),
        cmocka_unit_test(a_rehearsal_foretells_the_run),
    };

    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
