/* FMUs that deviate in what their description says (values, missing and repeated elements) and in the names of their
 * files, and archives with damaged bytes: they are opened or refused with a message. 200 of them, 5,000 with
 * YOKE_MUTANTS=all. Nothing of an FMU runs here; what a bad one does in its process is in e2e/test_fmu_cli.c. */
#include "support/check.h"
#include "support/fmus.h"
#include "support/mutate.h"
#include "support/random.h"
#include "support/scratch.h"

#include "fmi/archive.h"
#include <yoke/fmu.h>

#include <stdlib.h>
#include <unistd.h>

/* Opens it and connects what a run would. */
static enum verdict open_fmu(const char *path)
{
    struct yk_fmu *fmu = NULL;
    struct yk_err e = {0};
    enum yk_status st = yk_fmu_open(&fmu, path, "s", &e);

    if (!st && !(st = yk_fmu_choose(fmu, YK_FMU_ANY_INTERFACE, false, &e)) &&
        !(st = yk_fmu_input(fmu, "x", YK_LENGTH, &e)) && !(st = yk_fmu_input(fmu, "v", YK_VELOCITY, &e)) &&
        !(st = yk_fmu_output(fmu, "F", YK_FORCE, &e)))
        st = yk_fmu_parameters(fmu, "k=2 kN/m, c=60", &e);
    yk_fmu_close(fmu);
    return !st ? READ_IT : *e.wording ? REFUSED_IT : WITHOUT_A_WORD;
}

/* The text with the value of one attribute replaced, or one element removed or repeated; malloc'd. */
static char *deviate(const char *text, uint64_t *seed)
{
    static const char *const values[] = {"",  "-1",          "4294967296", "18446744073709551616", "1e999",    "nan",
                                         "x", "../../etc/x", "%s%n",       "&lt;&#x0a;",           "&#xD800;", "true",
                                         "m", "3.0"};
    static char longest[70000];
    const char *marks[400];
    size_t count = 0;
    char *out = NULL;

    if (!*longest)
        memset(longest, 'a', sizeof longest - 1);
    const size_t how = random_below(seed, 4);
    for (const char *p = text; (p = strstr(p, how < 2 ? "='" : "<")) && count < 400; p += 2)
        marks[count++] = p;
    const char *at = marks[random_below(seed, count)];
    const char *end = how < 2 ? strchr(at + 2, '\'') : strchr(at, '>');

    assert_non_null(end);
    if (how < 2) {
        const size_t which = random_below(seed, sizeof values / sizeof *values + 1);

        assert_true(asprintf(&out, "%.*s%s%s", (int)(at + 2 - text), text,
                             which < sizeof values / sizeof *values ? values[which] : longest, end) > 0);
    } else {
        assert_true(asprintf(&out, "%.*s%.*s%s", (int)(at - text), text, how == 2 ? 0 : 2 * (int)(end + 1 - at),
                             how == 2 ? "" : at, end + 1) > 0);
    }
    return out;
}

static void craft(const char *path, uint64_t number)
{
    static const char *const names[] = {"binaries/linux64/spring.so", "../spring.so", "/spring.so",
                                        "binaries/linux64/../../../x", "resources/a/b/c/d"};
    const struct fmu_spec *const specs[] = {&fmu_spring2, &fmu_absorber2, &fmu_absorber_exchange, &fmu_absorber3};
    uint64_t seed = number * 0x9e3779b97f4a7c15u + 1;
    char *text = fmu_description_text(specs[random_below(&seed, 4)]);

    for (size_t i = random_below(&seed, 3); i > 0; i--) {
        char *other = deviate(text, &seed);

        free(text);
        text = other;
    }
    struct yk_archive_entry entries[] = {{"modelDescription.xml", text, strlen(text)},
                                         {names[random_below(&seed, 8) ? 0 : random_below(&seed, 5)], "no object", 9},
                                         {"binaries/linux64/absorber.so", "no object", 9},
                                         {"binaries/x86_64-linux/absorber.so", "no object", 9}};
    assert_ok(yk_archive_pack(path, entries, 4, 0, &err));
    if (number % 4 == 3) { /* damaged bytes as well */
        struct bytes whole = bytes_of_file(path), damaged = bytes_mutated(whole, number);

        bytes_to_file(damaged, path);
        free(whole.at);
        free(damaged.at);
    }
    free(text);
}

static void mutants_are_opened_or_refused(void **state)
{
    const char *wanted = getenv("YOKE_MUTANTS");
    const size_t count = wanted && strcmp(wanted, "all") == 0 ? 5000 : 200;
    struct tally t = {0};
    char path[600];

    snprintf(path, sizeof path, "%s", scratch_path("mutant.fmu"));
    for (size_t i = 0; i < count; i++) {
        double wall_s;

        craft(path, i);
        const enum verdict verdict = verdict_of(open_fmu, path, &wall_s);

        t.count[verdict]++;
        t.longest_s = wall_s > t.longest_s ? wall_s : t.longest_s;
        if (verdict > REFUSED_IT)
            print_error("FMU %zu: verdict %d after %.3g s\n", i, (int)verdict, wall_s);
    }
    assert_no_fault(&t, "FMUs");
    assert_true(t.count[READ_IT] > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(mutants_are_opened_or_refused)};

    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
