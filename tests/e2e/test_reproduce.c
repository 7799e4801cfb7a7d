/* `yoke reproduce` from outside: the quick cases hold, a case leaves its page, data and pictures, and what is refused
 * is refused with words. */
#include "support/check.h"
#include "support/program.h"
#include "support/scratch.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PAPERS YOKE_SOURCE "/papers"

/* Exit code of `yoke reproduce` with these words. */
#define REPRODUCE(...) program_code((const char *const[]){YOKE_PROGRAM, "reproduce", __VA_ARGS__, NULL})
static bool exists(const char *name)
{
    return access(scratch_path(name), F_OK) == 0;
}

/* A case of our own in the scratch folder: papers/seed/name. */
static void write_case(const char *name, const char *claims)
{
    char path[256];

    mkdir(scratch_path("papers"), 0777);
    mkdir(scratch_path("papers/seed"), 0777);
    snprintf(path, sizeof path, "papers/seed/%s", name);
    mkdir(scratch_path(path), 0777);
    snprintf(path, sizeof path, "papers/seed/%s/claims.yaml", name);
    scratch_write(path, claims);
    snprintf(path, sizeof path, "papers/seed/%s/mass.yaml", name);
    scratch_write(path, "title: mass\ntime: { step: 0.1, end: 1 }\nmethod: { integrator: lsrt2 }\nsubstructures:\n"
                        "  m: { dofs: [x], mass: [1], stiffness: [1], initial: { displacement: { x: 1 } } }\n");
}

#define CASE(claims) "title: t\nsource: s\nfile: mass.yaml\nclaims:\n" claims
#define CLAIM(rest)  "  - { claim: c, where: w, origin: derived, " rest " }\n"

static void the_quick_cases_hold(void **state)
{
    const int code = REPRODUCE("--quick", "--papers", PAPERS, "-o", scratch_path("quick"), "--no-pictures");

    if (code)
        print_error("%s\n", program_said());
    assert_int_equal(code, 0);
    assert_said(" 0 fail");
}

static char *read_whole(const char *path)
{
    char *text = calloc(1, 1 << 21);
    FILE *page = fopen(path, "r");

    assert_non_null(page);
    assert_true(fread(text, 1, (1 << 21) - 1, page) > 0);
    fclose(page);
    return text;
}

/* The tables of totals in a page of Markdown, to the line that sums them up; *headline is that line without its end. */
static char *totals(const char *path, char **headline)
{
    char *text = read_whole(path), *table = strstr(text, "| paper | cases |");

    assert_non_null(table);
    memmove(text, table, strlen(table) + 1);
    assert_non_null(*headline = strstr(text, "Reproduced: "));
    *headline += strlen("Reproduced: ");
    *strstr(*headline, ".\n") = '\0';
    return text;
}

static void assert_same(const char *made, const char *kept, const char *page)
{
    if (strcmp(made, kept) != 0)
        print_error("%s is stale: make reproduction\n%s\n", page, made);
    assert_string_equal(made, kept);
}

/* Every claim holds, and fails where something is wrong; the pages and the README say what came of it. */
static void every_published_case_holds_as_the_pages_say(void **state)
{
    const int code = REPRODUCE("--all", "--sensitivity", "--papers", PAPERS, "-o", scratch_path("all"), "--no-pictures",
                               "--markdown", scratch_path("reproduction.md"), "--errata", scratch_path("errata.md"));
    char *made, *kept, *headline, *other, *errata, *kept_errata, *readme;

    if (code)
        print_error("%s\n", program_said());
    assert_int_equal(code, 0);
    made = totals(scratch_path("reproduction.md"), &headline);
    kept = totals(YOKE_SOURCE "/docs/reproduction.md", &other);
    assert_same(made, kept, "docs/reproduction.md");
    errata = read_whole(scratch_path("errata.md"));
    kept_errata = read_whole(YOKE_SOURCE "/docs/errata.md");
    assert_same(errata, kept_errata, "docs/errata.md");
    readme = read_whole(YOKE_SOURCE "/README.md");
    if (!strstr(readme, headline))
        print_error("README.md does not say \"%s\"\n", headline);
    assert_non_null(strstr(readme, headline));
    assert_true(exists("all/index.html"));
    free(made);
    free(kept);
    free(errata);
    free(kept_errata);
    free(readme);
}

/* The claim with this text in a case; NULL if there is none. */
static const json_t *find_claim(const json_t *cases, const char *id, size_t length, const char *text)
{
    const json_t *one, *claim;
    size_t i, k;

    json_array_foreach(cases, i, one)
    {
        const char *name = json_string_value(json_object_get(one, "id"));

        json_array_foreach(json_object_get(one, "claims"), k, claim)
        {
            if (strlen(name) == length && strncmp(name, id, length) == 0 &&
                strcmp(json_string_value(json_object_get(claim, "claim")), text) == 0)
                return claim;
        }
    }
    return NULL;
}

/* A repeated number names the printed claim that counts it. No two printed claims are about the same place and key. */
static void each_printed_number_is_counted_once(void **state)
{
    struct program p;
    const json_t *cases, *one, *claim;
    json_t *all, *seen = json_object();
    size_t i, k, repeated = 0;

    program_run(&p, "reproduce", "--list", "--json", "--papers", PAPERS);
    assert_int_equal(p.code, 0);
    assert_non_null(all = json_loads(p.out, 0, NULL));
    cases = json_object_get(all, "cases");
    json_array_foreach(cases, i, one)
    {
        const char *id = json_string_value(json_object_get(one, "id"));

        json_array_foreach(json_object_get(one, "claims"), k, claim)
        {
            const char *origin = json_string_value(json_object_get(claim, "origin"));
            const char *counted = json_string_value(json_object_get(claim, "counted"));
            const char *colon = counted ? strstr(counted, ": ") : NULL;
            char place[512];

            if (strcmp(origin, "repeated") == 0) {
                const bool elsewhere = colon && memchr(counted, '/', (size_t)(colon - counted));
                const json_t *first = elsewhere ? find_claim(cases, counted, (size_t)(colon - counted), colon + 2)
                                                : find_claim(cases, id, strlen(id), counted);
                if (!first)
                    print_error("%s: no claim \"%s\"\n", id, counted);
                assert_non_null(first);
                assert_string_equal(json_string_value(json_object_get(first, "origin")), "printed");
                repeated++;
            }
            if (strcmp(origin, "printed") != 0)
                continue;
            snprintf(place, sizeof place, "%.3s, %s: %s, %s", id, json_string_value(json_object_get(claim, "where")),
                     json_string_value(json_object_get(claim, "published")),
                     json_string_value(json_object_get(claim, json_object_get(claim, "key") ? "key" : "published")));
            if (json_object_get(seen, place))
                print_error("%s: counted twice: %s\n", id, place);
            assert_null(json_object_get(seen, place));
            json_object_set_new(seen, place, json_true());
        }
    }
    assert_true(repeated > 0);
    json_decref(seen);
    json_decref(all);
    program_free(&p);
}

/* A claim that holds whatever the step is proves nothing. */
static void a_wrong_variant_that_passes_is_named(void **state)
{
    write_case("deaf", CASE(CLAIM("obtain: { quantity: radius, step: 0.1 }, expect: { below: 2 }, wrong: { step: 0.2 }")
                                CLAIM("obtain: { quantity: radius, step: 0.1 }, expect: { below: 2 }")));
    assert_int_equal(REPRODUCE("deaf", "--papers", scratch_path("papers"), "-o", scratch_path("out"), "--sensitivity"),
                     4);
    assert_said("also holds with step: 0.2");
    assert_said("has no wrong variant");
    assert_int_equal(REPRODUCE("deaf", "--papers", scratch_path("papers"), "-o", scratch_path("out")), 0);
}

/* omega = 0.5 with m = 4; minus and over keep the settings of the claim. */
static void a_wrong_variant_that_fails_is_noticed(void **state)
{
    write_case("keen",
               CASE(CLAIM("obtain: { quantity: frequency, over: { quantity: frequency } }, expect: { value: 1, within: "
                          "1e-9 }, wrong: { set: { substructures.m.mass.0: 4 } }")));
    assert_int_equal(
        REPRODUCE("keen", "--papers", scratch_path("papers"), "-o", scratch_path("out"), "--sensitivity", "--json"), 0);
    assert_said("\"wrong_obtained\": 0.5");
    assert_said("\"caught\": true");
}

/* Each row lacks what its origin or status needs. */
static void claims_say_where_they_come_from(void **state)
{
    static const struct {
        const char *claim, *said;
    } rows[] = {
        {"  - { claim: c, where: w, OBTAIN }\n", "missing 'origin'"},
        {"  - { claim: c, where: w, origin: printed, OBTAIN }\n", "missing 'published'"},
        {"  - { claim: c, where: w, origin: stated, OBTAIN }\n", "missing 'published'"},
        {"  - { claim: c, where: w, origin: surrogate, OBTAIN }\n", "missing 'guessed'"},
        {"  - { claim: c, where: w, origin: input, OBTAIN }\n", "missing 'published'"},
        {"  - { claim: c, where: w, origin: fitted, published: p, OBTAIN }\n", "missing 'guessed'"},
        {"  - { claim: c, where: w, origin: repeated, published: p, OBTAIN }\n", "missing 'counted'"},
        {"  - { claim: c, where: w, origin: printed, published: p, counted: d, OBTAIN }\n",
         "'counted' goes with the origin repeated only"},
        {"  - { claim: c, where: w, origin: printed, published: p, guessed: g, OBTAIN }\n",
         "a printed number whose inputs were guessed is a surrogate, or fitted"},
        {"  - { claim: c, where: w, origin: surrogate, guessed: g, status: paper-in-error, why: y, proof: p, OBTAIN "
         "}\n",
         "a paper cannot be shown to be in error with inputs that were guessed"},
        {"  - { claim: c, where: w, origin: derived, status: not-met }\n", "missing 'why'"},
        {"  - { claim: c, where: w, origin: derived, status: paper-in-error, why: y, OBTAIN }\n", "missing 'proof'"},
        {"  - { claim: c, where: w, origin: derived, status: disagreement, why: y }\n", "missing 'obtain'"},
        {"  - { claim: c, where: w, origin: derived, OBTAIN, wrong: {} }\n", "nothing is changed"},
        {"  - { claim: c, where: w, origin: derived, OBTAIN, wrong: { stap: 1 } }\n", "did you mean 'step'"},
    };
    static const char obtain[] = "obtain: { quantity: radius }, expect: { below: 2 }";
    char claim[512], claims[1024];

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *at = strstr(rows[i].claim, "OBTAIN");

        if (at)
            snprintf(claim, sizeof claim, "%.*s%s%s", (int)(at - rows[i].claim), rows[i].claim, obtain, at + 6);
        else
            snprintf(claim, sizeof claim, "%s", rows[i].claim);
        snprintf(claims, sizeof claims, CASE("%s"), claim);
        write_case("lacking", claims);
        assert_int_equal(REPRODUCE("lacking", "--papers", scratch_path("papers"), "-o", scratch_path("out")), 2);
        assert_said(rows[i].said);
    }
}

static void a_list_names_every_case(void **state)
{
    assert_int_equal(REPRODUCE("--list", "--papers", PAPERS), 0);
    assert_said("000-interfield/fig2-radii");
    assert_said("002-rosenbrock/table6.1-stability");
}

static void a_case_leaves_page_data_and_pictures(void **state)
{
    char *text = calloc(1, 1 << 20);
    FILE *page;

    assert_int_equal(REPRODUCE("fig2-radii", "--papers", PAPERS, "-o", scratch_path("out")), 0);
    assert_true(exists("out/000-interfield/fig2-radii/claims.csv"));
    assert_true(exists("out/000-interfield/fig2-radii/claims.json"));
    assert_true(exists("out/000-interfield/fig2-radii/fig2.csv"));
    assert_true(exists("out/000-interfield/fig2-radii/fig2.gp"));
    assert_true(exists("out/000-interfield/fig2-radii/fig2.svg") || strstr(program_said(), "gnuplot was not found"));
    page = fopen(scratch_path("out/000-interfield/fig2-radii/index.html"), "r");
    assert_non_null(page);
    assert_true(fread(text, 1, (1 << 20) - 1, page) > 0);
    fclose(page);
    assert_non_null(strstr(text, "<img src=\"fig2.svg\""));
    assert_non_null(strstr(text, ">met<"));
    free(text);
}

static void without_gnuplot_the_rest_is_there(void **state)
{
    char *usual = strdup(getenv("PATH"));
    int code;

    setenv("PATH", scratch_path("nowhere"), 1);
    code = REPRODUCE("fig2-radii", "--papers", PAPERS, "-o", scratch_path("bare"));
    setenv("PATH", usual, 1);
    free(usual);
    assert_int_equal(code, 0); /* the claims hold */
    assert_said("gnuplot was not found");
    assert_true(exists("bare/000-interfield/fig2-radii/fig2.csv"));
    assert_true(exists("bare/000-interfield/fig2-radii/fig2.gp"));
    assert_true(exists("bare/000-interfield/fig2-radii/index.html"));
}

/* omega = 1/sqrt(m) = 0.5 at m = 4; its square is 1/4 */
static void a_crossing_is_found(void **state)
{
    write_case("crossing",
               CASE(CLAIM("obtain: { quantity: crossing, key: substructures.m.mass.0, low: 1, high: 9, level: "
                          "0.07957747154594767, obtain: { quantity: frequency } }, expect: { value: 4, within: 1e-5 }")
                        CLAIM("obtain: { quantity: crossing, key: substructures.m.mass.0, low: 1, high: 9, level: "
                              "0.07957747154594767, obtain: { quantity: frequency }, power: -0.5, scale: 3 }, expect: "
                              "{ value: 1.5, within: 1e-5 }")));
    assert_int_equal(REPRODUCE("crossing", "--papers", scratch_path("papers"), "-o", scratch_path("out")), 0);
    assert_said("2 claims: 0 fail");
}

/* Each asks an experiment for what it has not. */
static void quantities_say_what_they_need(void **state)
{
    static const struct {
        const char *obtain, *said;
    } rows[] = {
        {"{ quantity: crossing, key: substructures.m.mass.0, low: 1, high: 2, level: 5, obtain: { quantity: frequency "
         "} }",
         "the level 5 is not crossed between substructures.m.mass.0 = 1 and 2"},
        {"{ quantity: loop-radius }", "has no specimen; use radius instead"},
        {"{ quantity: step-response }", "has no actuator"},
        {"{ quantity: identified }", "has no actuator"},
        {"{ quantity: link, node: m.x }", "has no coupling"},
        {"{ quantity: settled, node: m.x }", "has no control loop inside"},
        {"{ quantity: settled-radius }", "has no control loop inside"},
        {"{ quantity: frequency, substructure: n }", "has no substructure 'n'"},
    };
    char claims[2048];

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        snprintf(claims, sizeof claims, CASE(CLAIM("obtain: %s, expect: { above: 0 }")), rows[i].obtain);
        write_case("needs", claims);
        assert_int_equal(REPRODUCE("needs", "--papers", scratch_path("papers"), "-o", scratch_path("out")), 4);
        assert_said(rows[i].said);
    }
}

/* LSRT2 is L-stable: its radius is never above 1. */
static void a_claim_that_fails_is_exit_code_4(void **state)
{
    write_case("wrong", CASE(CLAIM("obtain: { quantity: radius, step: 0.1 }, expect: { above: 2 }")));
    assert_int_equal(REPRODUCE("wrong", "--papers", scratch_path("papers"), "-o", scratch_path("out")), 4);
    assert_said("FAILS");
    assert_said("1 fail");
}

static void a_claim_that_cannot_be_computed_fails_and_says_why(void **state)
{
    write_case("lost", CASE(CLAIM("obtain: { quantity: channel, channel: m.y.u }, expect: { above: 2 }")));
    assert_int_equal(REPRODUCE("lost", "--papers", scratch_path("papers"), "-o", scratch_path("out")), 4);
    assert_said("the run has no channel 'm.y.u'; did you mean 'm.x.u'?");
}

/* One case may have no printed number and no statement: what it has is counted. */
static void a_headline_counts_what_there_is(void **state)
{
    struct program p;

    write_case("derived",
               CASE(CLAIM("obtain: { quantity: frequency, scale: 2 }, expect: { value: 0.3183, within: 1e-4 }")));
    program_run(&p, "reproduce", "derived", "--papers", scratch_path("papers"), "-o", scratch_path("out"));
    assert_int_equal(p.code, 0);
    assert_null(strstr(p.out, "0 of 0"));
    assert_non_null(strstr(p.out, "reproduced: 1 of 1 claims, none of them printed or stated in the paper"));
    assert_non_null(strstr(p.out, "1 case, 1 claim:"));
    program_free(&p);
}

static void json_has_every_claim(void **state)
{
    struct program p;
    json_t *all, *claim;

    write_case("good", CASE(CLAIM("obtain: { quantity: frequency, scale: 2 }, expect: { value: 0.3183, within: 1e-4 }")
                                CLAIM("status: not-met, why: because")));
    program_run(&p, "reproduce", "good", "--papers", scratch_path("papers"), "-o", scratch_path("out"), "--json");
    assert_int_equal(p.code, 0);
    assert_non_null(all = json_loads(p.out, 0, NULL));
    claim = json_array_get(json_object_get(json_array_get(json_object_get(all, "cases"), 0), "claims"), 0);
    assert_near(json_number_value(json_object_get(claim, "obtained")), 1 / 3.14159265358979, 1e-12);
    assert_string_equal(json_string_value(json_object_get(claim, "verdict")), "met");
    assert_string_equal(json_string_value(json_object_get(claim, "origin")), "derived");
    assert_int_equal(
        json_integer_value(json_object_get(json_object_get(json_object_get(all, "total"), "derived"), "not met")), 1);
    json_decref(all);
    program_free(&p);
}

static void bad_words_are_refused(void **state)
{
    assert_int_equal(REPRODUCE("fig2", "--papers", PAPERS), 2);
    assert_said("there is no case 'fig2'");
    assert_int_equal(REPRODUCE("--papers", PAPERS), 2);
    assert_said("no case given");
    assert_int_equal(REPRODUCE("--all", "--papers", scratch_path("nothing")), 2);
    assert_said("there is no folder");
    assert_int_equal(REPRODUCE("--all", "--jobs", "0"), 2);
    assert_said("--jobs '0' must be a whole number from 1 to 64");
}

static void a_broken_case_is_refused_with_its_place(void **state)
{
    write_case("broken", CASE(CLAIM("obtain: { quantity: radios }, expect: { above: 2 }")));
    assert_int_equal(REPRODUCE("broken", "--papers", scratch_path("papers"), "-o", scratch_path("out")), 2);
    assert_said("claims.yaml:5:");
    assert_said("there is no quantity 'radios'; did you mean 'radius'?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_quick_cases_hold),
        cmocka_unit_test(every_published_case_holds_as_the_pages_say),
        cmocka_unit_test(each_printed_number_is_counted_once),
        cmocka_unit_test(a_wrong_variant_that_passes_is_named),
        cmocka_unit_test(a_wrong_variant_that_fails_is_noticed),
        cmocka_unit_test(claims_say_where_they_come_from),
        cmocka_unit_test(a_list_names_every_case),
        cmocka_unit_test(a_case_leaves_page_data_and_pictures),
        cmocka_unit_test(without_gnuplot_the_rest_is_there),
        cmocka_unit_test(a_crossing_is_found),
        cmocka_unit_test(quantities_say_what_they_need),
        cmocka_unit_test(a_claim_that_fails_is_exit_code_4),
        cmocka_unit_test(a_claim_that_cannot_be_computed_fails_and_says_why),
        cmocka_unit_test(a_headline_counts_what_there_is),
        cmocka_unit_test(json_has_every_claim),
        cmocka_unit_test(bad_words_are_refused),
        cmocka_unit_test(a_broken_case_is_refused_with_its_place),
    };

    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
