/* Ground motions, incremental dynamic analysis and expressions as a user of the program has them. */
#include "support/check.h"
#include "support/cli.h"
#include "support/scratch.h"

#define HILLS YOKE_SOURCE "/examples/ground-motions/hills.AT2"

static void records_are_measured_scaled_and_converted(void **state)
{
    struct program p;

    program_run(&p, "motion", "info", HILLS, "--json");
    assert_code(&p, 0);
    json_t *found = json_of(&p), *one = json_array_get(json_object_get(found, "records"), 0);
    assert_int_equal(json_integer_value(json_object_get(one, "samples")), 800);
    const double pga = json_number_value(json_object_get(one, "pga"));
    json_decref(found);
    program_free(&p);
    program_run(&p, "motion", "convert", HILLS, "--factor", "2", "-o", path_of("twice.AT2"));
    assert_code(&p, 0);
    program_free(&p);
    program_run(&p, "motion", "info", path_of("twice.AT2"), "--json");
    assert_code(&p, 0);
    found = json_of(&p);
    one = json_array_get(json_object_get(found, "records"), 0);
    assert_near_relative(json_number_value(json_object_get(one, "pga")), 2 * pga, 1e-6);
    json_decref(found);
    program_free(&p);
    program_run(&p, "motion", "scale", HILLS, "--to", "Sa: 0.3 g, T: T1");
    assert_code(&p, 2);
    assert_words(p.err, "needs the first period: --t1");
    program_free(&p);
    program_run(&p, "motion", "scale", HILLS, "--to", "Sa: 3 m/s2, T: 0");
    assert_code(&p, 2);
    program_free(&p);
}

/* The capacity is where the peak of the same structure passes the bound: runs on either side show it. */
static void the_capacity_of_a_pier_is_bracketed_by_runs(void **state)
{
    char *file = path_of("pier.yaml");
    struct program p;

    write_file(file,
               "title: pier\ntime: { step: 5 ms, end: 9 s }\nmethod: { integrator: newmark-newton }\nsubstructures:\n"
               "  pier:\n    kind: assembled\n    nodes: { top: { mass: 40 t } }\n    elements:\n"
               "      - { kind: bilinear, between: [ground, top.x], stiffness: 1.6 MN/m, yield_slip: 25 mm, "
               "hardening: 0.05 }\n"
               "      - { kind: damper, between: [ground, top.x], damping: 25 kN s/m }\nloads:\n"
               "  - { ground: pier, kind: record, file: " HILLS " }\n");
    program_run(&p, "study", file, "--ida", "loads.0", "--records", HILLS, "--collapse", "pier.top.x.u > 100 mm",
                "--result", "pier.top.x.u", "-o", path_of("ida"), "-q");
    assert_code(&p, 0);
    assert_words(p.out, "no fragility curve"); /* of one record */
    program_free(&p);
    FILE *table = fopen(path_of("ida/ida.csv"), "r");
    char line[1024], word[40];
    double level, demand, stands = 0, falls = 1e9;

    assert_non_null(table);
    assert_non_null(fgets(line, sizeof line, table));
    while (fgets(line, sizeof line, table)) {
        const char *rest = strrchr(line, '"') + 2;

        if (sscanf(rest, "%lf,%lf,%39s", &level, &demand, word) == 3) {
            assert_true(demand <= 0.1);
            stands = level > stands ? level : stands;
        } else {
            assert_non_null(strstr(rest, "collapse"));
            falls = strtod(rest, NULL) < falls ? strtod(rest, NULL) : falls;
        }
    }
    fclose(table);
    assert_true(stands > 0 && stands < falls && falls <= stands / 0.95);
    program_run(&p, "study", file, "--ida", "loads.0", "--records", HILLS, "--collapse", "pier.top.x.u > 1 s");
    assert_code(&p, 2);
    assert_words(p.err, "column 14: cannot compare m and s");
    program_free(&p);
}

static void a_plot_refuses_an_expression_with_its_column(void **state)
{
    struct program p;

    program_run(&p, "run", OSCILLATOR, "-o", path_of("out"));
    program_free(&p);
    program_run(&p, "plot", path_of("out"), "--y", "oscillator.x.u + oscillator.x.v", "-o", path_of("x.svg"));
    assert_code(&p, 2);
    assert_words(p.err, "column 16: cannot add m and m/s");
    assert_words(p.err, "\n               ^\n");
    program_free(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_are_measured_scaled_and_converted),
        cmocka_unit_test(the_capacity_of_a_pier_is_bracketed_by_runs),
        cmocka_unit_test(a_plot_refuses_an_expression_with_its_column),
    };

    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
