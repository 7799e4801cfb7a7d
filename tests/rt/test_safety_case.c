/* docs/safety-case.md: hazards, and the faults that show what is done about them. The page is made of hazards.def,
 * faults.def and the faults of the simulated EtherCAT segment; `build/tests/test_safety_case page` writes it, and `make
 * safety-case` puts it in its place. No fault is without a hazard, no hazard without a fault. */
#include "support/check.h"

#include "segment/sim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the tables ---- */

static const struct fault {
    const char *group, *name; /* group NULL: shown by a test of its own */
    const char *program, *test;
} faults[] = {
#define FAULT(group, name, ...)                        {group, name, "rt/test_fault_table", NULL},
#define FAULT_ON_THE_WAY(group, name, ...)             {group, name, "rt/test_fault_table", NULL},
#define SHOWN(name, happens, exit_code, program, test) {NULL, name, program, test},
#include "faults.def"
};
enum { FAULTS = sizeof faults / sizeof *faults };

static const char *const bus_words[] = {
#define X(id, word, help) word,
    YK_SIM_FAULT_LIST(X)
#undef X
};

enum hazard_id {
#define HAZARD(id, ...) id,
#define FROM(...)
#define BUS(...)
#define SHOWS(...)
#define PROGRAM(...)
#define OPEN(...)
#include "hazards.def"
    HAZARDS
};

static const struct hazard {
    const char *name, *cause, *detects, *within, *happens, *wire, *hardware;
} hazards[] = {
#undef HAZARD
#define HAZARD(id, name, cause, detects, within, happens, wire, hardware)                                              \
    {name, cause, detects, within, happens, wire, hardware},
#include "hazards.def"
};

static const struct from {
    enum hazard_id hazard;
    const char *fault;
} from[] = {
#undef HAZARD
#undef FROM
#define HAZARD(...)
#define FROM(id, fault) {id, fault},
#include "hazards.def"
};
enum { FROMS = sizeof from / sizeof *from };

static const struct from bus_faults[] = {
#undef FROM
#undef BUS
#define FROM(...)
#define BUS(id, kind) {id, kind},
#include "hazards.def"
};
enum { BUS_FAULTS = sizeof bus_faults / sizeof *bus_faults };

static const struct shows {
    enum hazard_id hazard;
    const char *program, *test;
} shows[] = {
#undef BUS
#undef SHOWS
#define BUS(...)
#define SHOWS(id, program, test) {id, program, test},
#include "hazards.def"
};
enum { SHOWS_COUNT = sizeof shows / sizeof *shows };

static const struct {
    const char *name, *others; /* tests that inject nothing */
} programs[] = {
#undef SHOWS
#undef PROGRAM
#define SHOWS(...)
#define PROGRAM(name, others) {name, others},
#include "hazards.def"
};
enum { PROGRAMS = sizeof programs / sizeof *programs };

static const char *const open_points[] = {
#undef PROGRAM
#undef OPEN
#define PROGRAM(...)
#define OPEN(text) text,
#include "hazards.def"
};
enum { OPEN_POINTS = sizeof open_points / sizeof *open_points };

/* ---- what belongs together ---- */

static const char *name_of(const struct fault *f)
{
    static char name[400];

    snprintf(name, sizeof name, "%s%s%s", f->group ? f->group : "", f->group ? ": " : "", f->name);
    return name;
}

static bool means(const struct from *line, const struct fault *f)
{
    const size_t length = strlen(line->fault);
    const char *name = name_of(f);

    return line->fault[length - 1] == '*' ? strncmp(name, line->fault, length - 1) == 0
                                          : strcmp(name, line->fault) == 0;
}

static bool belongs(const struct fault *f, enum hazard_id hazard)
{
    for (int i = 0; i < FROMS; i++)
        if (from[i].hazard == hazard && means(&from[i], f))
            return true;
    return false;
}

/* The same fault with another set-up is listed once. */
static bool is_again(int i)
{
    for (int k = 0; k < i; k++)
        if (faults[i].group && faults[k].group && strcmp(faults[i].group, faults[k].group) == 0 &&
            strcmp(faults[i].name, faults[k].name) == 0)
            return true;
    return false;
}

static char *read_all(const char *path)
{
    FILE *in = fopen(path, "r");
    char *text = NULL;
    size_t size = 0;

    if (!in)
        print_error("%s cannot be read\n", path);
    assert_non_null(in);
    assert_true(getdelim(&text, &size, 0, in) > 0);
    fclose(in);
    return text;
}

static char *source_of(const char *program)
{
    char path[600];

    snprintf(path, sizeof path, YOKE_SOURCE "/tests/%s%s", program, strchr(program, '.') ? "" : ".c");
    return read_all(path);
}

static bool has_test(const char *program, const char *test)
{
    char entry[200], *source = source_of(program);

    snprintf(entry, sizeof entry, strchr(program, '.') ? "def %s(" : "cmocka_unit_test(%s)", test);
    const bool has = strstr(source, entry);

    free(source);
    if (!has)
        print_error("tests/rt/hazards.def: %s has no test %s\n", program, test);
    return has;
}

/* ---- orphans ---- */

static void every_fault_has_one_hazard(void **state)
{
    int wrong = 0;

    for (int i = 0; i < FAULTS; i++) {
        int count = 0;

        for (int h = 0; h < HAZARDS; h++)
            count += belongs(&faults[i], (enum hazard_id)h);
        if (count != 1 && !is_again(i) && ++wrong)
            print_error("'%s' of faults.def belongs to %d hazards: add a line FROM(...) to tests/rt/hazards.def\n",
                        name_of(&faults[i]), count);
    }
    for (int i = 0; i < YK_SIM_FAULT_KINDS; i++) {
        int count = 0;

        for (int k = 0; k < BUS_FAULTS; k++)
            count += strcmp(bus_words[i], bus_faults[k].fault) == 0;
        if (count != 1 && ++wrong)
            print_error("fault '%s' of the EtherCAT segment belongs to %d hazards of tests/rt/hazards.def\n",
                        bus_words[i], count);
    }
    assert_int_equal(wrong, 0);
}

static void every_line_names_a_fault(void **state)
{
    int wrong = 0;

    for (int i = 0; i < FROMS; i++) {
        int count = 0;

        for (int k = 0; k < FAULTS; k++)
            count += means(&from[i], &faults[k]);
        if (!count && ++wrong)
            print_error("tests/rt/hazards.def: faults.def has no '%s'\n", from[i].fault);
    }
    for (int i = 0; i < BUS_FAULTS; i++) {
        int count = 0;

        for (int k = 0; k < YK_SIM_FAULT_KINDS; k++)
            count += strcmp(bus_words[k], bus_faults[i].fault) == 0;
        if (!count && ++wrong)
            print_error("tests/rt/hazards.def: the EtherCAT segment has no fault '%s'\n", bus_faults[i].fault);
    }
    for (int i = 0; i < SHOWS_COUNT; i++)
        wrong += !has_test(shows[i].program, shows[i].test);
    assert_int_equal(wrong, 0);
}

static void every_hazard_has_a_fault(void **state)
{
    int wrong = 0;

    for (int h = 0; h < HAZARDS; h++) {
        int count = 0;

        for (int i = 0; i < FAULTS; i++)
            count += belongs(&faults[i], (enum hazard_id)h);
        if (!count && ++wrong)
            print_error("no fault of faults.def belongs to the hazard '%s'\n", hazards[h].name);
    }
    assert_int_equal(wrong, 0);
}

/* "program:test", or a script. */
static void the_tests_on_a_wire_exist(void **state)
{
    int wrong = 0;

    for (int h = 0; h < HAZARDS; h++) {
        char program[200];
        const char *wire = hazards[h].wire, *test = strchr(wire, ':');

        if (test) {
            snprintf(program, sizeof program, "%.*s", (int)(test - wire), wire);
            wrong += !has_test(program, test + 1);
        } else if (*wire) {
            snprintf(program, sizeof program, YOKE_SOURCE "/tests/%s", wire);
            free(read_all(program));
        }
    }
    assert_int_equal(wrong, 0);
}

/* Is `word` among words with blanks between them? */
static bool is_among(const char *words, const char *word)
{
    const size_t length = strlen(word);

    for (const char *at = words; (at = strstr(at, word)); at++)
        if ((at == words || at[-1] == ' ') && (!at[length] || at[length] == ' '))
            return true;
    return false;
}

static bool is_listed(const char *program, const char *test)
{
    for (int i = 0; i < FAULTS; i++)
        if (faults[i].test && strcmp(faults[i].program, program) == 0 && strcmp(faults[i].test, test) == 0)
            return true;
    for (int i = 0; i < SHOWS_COUNT; i++)
        if (strcmp(shows[i].program, program) == 0 && strcmp(shows[i].test, test) == 0)
            return true;
    return false;
}

static void every_test_that_injects_a_fault_has_a_hazard(void **state)
{
    static const char entry[] = "cmocka_unit_test(";
    int wrong = 0;

    for (int i = 0; i < PROGRAMS; i++) {
        char *source = source_of(programs[i].name), test[200];
        int count = 0;

        for (const char *at = source; (at = strstr(at, entry)); at++)
            if (sscanf(at + strlen(entry), "%199[a-z0-9_]", test) == 1 && ++count) {
                const bool listed = is_listed(programs[i].name, test), other = is_among(programs[i].others, test);

                if (listed == other && ++wrong)
                    print_error("%s: %s is %s: SHOWN of faults.def, SHOWS and PROGRAM of hazards.def\n",
                                programs[i].name, test, listed ? "listed twice" : "not listed");
            }
        assert_true(count > 0);
        free(source);
    }
    assert_int_equal(wrong, 0);
}

/* ---- the page ---- */

static void write_hazards(FILE *out)
{
    fputs("| hazard | detected by | within | what happens | left to hardware |\n|---|---|---|---|---|\n", out);
    for (int h = 0; h < HAZARDS; h++)
        fprintf(out, "| %d. %s | %s | %s | %s | %s |\n", h + 1, hazards[h].name, hazards[h].detects, hazards[h].within,
                hazards[h].happens, hazards[h].hardware);
}

/* Faults of one hazard, and the tests that inject them. */
static void write_faults(FILE *out, int h)
{
    int count = 0;

    for (int i = 0; i < FAULTS; i++)
        count += !faults[i].test && belongs(&faults[i], (enum hazard_id)h);
    if (count)
        fprintf(out, "- `rt/test_fault_table`, %d:\n", count);
    for (int i = 0; i < FAULTS; i++)
        if (!faults[i].test && belongs(&faults[i], (enum hazard_id)h) && !is_again(i))
            fprintf(out, "    - %s\n", name_of(&faults[i]));
    for (int i = 0; i < FAULTS; i++)
        if (faults[i].test && belongs(&faults[i], (enum hazard_id)h))
            fprintf(out, "- `%s`: `%s`\n", faults[i].program, faults[i].test);
    for (int i = 0; i < SHOWS_COUNT; i++)
        if ((int)shows[i].hazard == h)
            fprintf(out, "- `%s`: `%s`\n", shows[i].program, shows[i].test);
    count = 0;
    for (int i = 0; i < BUS_FAULTS; i++)
        if ((int)bus_faults[i].hazard == h)
            fprintf(out, "%s`%s`",
                    count++ ? ", " : "- faults of the simulated EtherCAT segment: ", bus_faults[i].fault);
    fputs(count ? "\n" : "", out);
}

static void write_hazard(FILE *out, int h)
{
    const char *wire = hazards[h].wire, *test = strchr(wire, ':');

    fprintf(out, "\n### %d. %s\n\nCauses: %s.\n\n", h + 1, hazards[h].name, hazards[h].cause);
    if (test)
        fprintf(out, "Shown on a wire by `%.*s`: `%s`.", (int)(test - wire), wire, test + 1);
    else if (*wire)
        fprintf(out, "Shown on a wire by `%s`.", wire);
    else
        fputs("Not shown on a wire: commands are measured between the supervisor and the rig.", out);
    fputs(" Faults that are injected:\n\n", out);
    write_faults(out, h);
}

static void write_page(FILE *out)
{
    fputs("# Safety case\n\n"
          "This page argues, hazard by hazard, why a fault does not let an actuator leave its limits: what detects it, "
          "within what time,\nwhat happens then, which tests inject it, and what only hardware can do. It is made from "
          "the tables `tests/rt/hazards.def` and\n`tests/rt/faults.def` by `make safety-case`; a test finds faults "
          "without a hazard and hazards without a fault.\n\n"
          "It claims no conformity to a standard and no safety integrity level. The software backs up the interlocks "
          "of a rig and never\nreplaces them ([safety.md](safety.md)). A laboratory adds its own rig to it: stored "
          "energy, people, machines nearby.\n\n"
          "A tick is one exchange with the rig, in wall time. Words in `code` are limits of the file "
          "([reference](experiment-file.md)).\n\n"
          "## Hazards\n\n",
          out);
    write_hazards(out);
    fputs("\n## Open points\n\n", out);
    for (int i = 0; i < OPEN_POINTS; i++)
        fprintf(out, "- %s\n", open_points[i]);
    for (int h = 0; h < HAZARDS; h++)
        if (!*hazards[h].wire)
            fprintf(out, "- Hazard %d (%s) is shown between the supervisor and the rig, not on a wire.\n", h + 1,
                    hazards[h].name);
    fputs("\n## Faults that are injected\n", out);
    for (int h = 0; h < HAZARDS; h++)
        write_hazard(out, h);
}

static void the_page_is_current(void **state)
{
    char *page = read_all(YOKE_SOURCE "/docs/safety-case.md"), *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);

    assert_non_null(out);
    write_page(out);
    assert_int_equal(fclose(out), 0);
    if (strncmp(page, text, size) != 0)
        print_error("docs/safety-case.md is stale: make safety-case\n");
    assert_memory_equal(page, text, size);
    free(page);
    free(text);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_fault_has_one_hazard),
        cmocka_unit_test(every_line_names_a_fault),
        cmocka_unit_test(every_hazard_has_a_fault),
        cmocka_unit_test(the_tests_on_a_wire_exist),
        cmocka_unit_test(every_test_that_injects_a_fault_has_a_hazard),
        cmocka_unit_test(the_page_is_current),
    };

    if (argc == 2 && strcmp(argv[1], "page") == 0) {
        write_page(stdout);
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
