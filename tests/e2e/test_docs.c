/* The examples of the documentation work: a fenced block after a line `<!-- file: NAME -->` is written to a file of
 * that name, experiments run, sources compile without warnings, and plugins reach the values that the text derives. */
#include "support/check.h"
#include "support/program.h"
#include "support/scratch.h"

#include <jansson.h>
#include <math.h>

/* Lines up to the closing fence, from the line after the opening one. */
static void copy_block(FILE *page, const char *name)
{
    FILE *out = fopen(scratch_path(name), "w");
    char line[512];

    assert_non_null(out);
    assert_non_null(fgets(line, sizeof line, page));
    assert_memory_equal(line, "```", 3);
    while (fgets(line, sizeof line, page) && strncmp(line, "```", 3) != 0)
        fputs(line, out);
    assert_int_equal(fclose(out), 0);
}

/* Writes the files that a page shows; returns how many. */
static int extract(const char *path)
{
    char line[512], name[128];
    FILE *page = fopen(path, "r");
    int count = 0;

    assert_non_null(page);
    while (fgets(line, sizeof line, page)) {
        if (sscanf(line, "<!-- file: %100s -->", name) != 1)
            continue;
        copy_block(page, name);
        count++;
    }
    fclose(page);
    return count;
}

static void compile(const char *source, const char *kind, const char *object)
{
    char from[1024], to[1024];
    const char *const argv[] = {"/usr/bin/env",
                                "cc",
                                "-std=c11",
                                "-Wall",
                                "-Wextra",
                                "-Werror",
                                "-Wno-unused-parameter",
                                "-fPIC",
                                kind,
                                "-I",
                                YOKE_SOURCE "/include",
                                from,
                                "-o",
                                to,
                                NULL};

    snprintf(from, sizeof from, "%s", scratch_path(source));
    snprintf(to, sizeof to, "%s", scratch_path(object));
    assert_runs(argv);
}

/* Peak of a channel after `yoke run`. */
static double peak(const char *experiment, const char *channel)
{
    char file[1024], folder[1024];
    const char *const argv[] = {YOKE_PROGRAM, "run", file, "-q", "-o", folder, NULL};
    json_t *summary;
    double value;

    snprintf(file, sizeof file, "%s", scratch_path(experiment));
    snprintf(folder, sizeof folder, "%s", scratch_path(""));
    assert_runs(argv);
    summary = json_load_file(scratch_path("summary.json"), 0, NULL);
    assert_non_null(summary);
    value = json_number_value(json_object_get(json_object_get(summary, "peaks"), channel));
    json_decref(summary);
    return value;
}

/* Expected peak: an independent integration with the matrix exponential. */
static void experiments_of_readme_and_tutorial_run(void **state)
{
    assert_int_equal(extract(YOKE_SOURCE "/README.md"), 1);
    assert_near_relative(peak("frame.yaml", "frame.floor2.x.u"), 0.03148444, 5e-3);
    assert_int_equal(extract(YOKE_SOURCE "/docs/tutorial.md"), 3);
    assert_near_relative(peak("frame.yaml", "frame.floor2.x.u"), 0.03148444, 5e-3);
    assert_near_relative(peak("torn.yaml", "upper.floor2.x.u"), 0.03148444, 5e-3);
    /* damped otherwise than the other two: its reference, and 3 % for the actuator */
    assert_near_relative(peak("specimen.yaml", "frame.floor2.x.u"), peak("specimen.yaml", "reference.frame.floor2.x.u"),
                         0.03);
}

static void the_integrator_of_the_guide_compiles(void **state)
{
    assert_int_equal(extract(YOKE_SOURCE "/docs/adding-an-integrator.md"), 1);
    compile("symplectic_euler.c", "-c", "symplectic_euler.o");
}

static void the_coupling_of_the_guide_compiles(void **state)
{
    assert_int_equal(extract(YOKE_SOURCE "/docs/adding-a-coupling.md"), 1);
    compile("symplectic.c", "-c", "symplectic.o");
}

/* Appends a line to a file. */
static void append(const char *name, const char *line)
{
    FILE *f = fopen(scratch_path(name), "a");

    assert_non_null(f);
    assert_true(fprintf(f, "\n%s\n", line) > 0);
    assert_int_equal(fclose(f), 0);
}

/* The order that `yoke analyze order` observes of a method, given by the text of its section. */
static double order_of(const char *experiment, const char *method)
{
    char set[1200];
    struct program p;
    json_t *found;

    snprintf(set, sizeof set, "method={%s}", method);
    program_run(&p, "analyze", "order", experiment, "--json", "--set", set, "--set", "time.substeps=1");
    if (p.code)
        print_error("%s\n", p.err);
    assert_int_equal(p.code, 0);
    found = json_loads(p.out, 0, NULL);
    assert_non_null(found);
    const double order = json_number_value(json_object_get(json_object_get(found, "order"), "u"));
    json_decref(found);
    program_free(&p);
    return order;
}

/* As docs/plugins.md says, the methods of the guides are plugins with one more line. */
static void the_methods_of_the_guides_run_as_plugins(void **state)
{
    char method[1100];

    extract(YOKE_SOURCE "/docs/adding-an-integrator.md");
    append("symplectic_euler.c", "#include <yoke/plugin.h>\nconst struct yk_plugin yk_plugin = "
                                 "{YK_PLUGIN_ABI, .integrator = &yk_integrator_symplectic_euler};");
    compile("symplectic_euler.c", "-shared", "symplectic_euler.so");
    snprintf(method, sizeof method, "integrator: plugin, library: %s", scratch_path("symplectic_euler.so"));
    assert_near(order_of(YOKE_SOURCE "/examples/oscillator/oscillator.yaml", method), 1, 0.05);
    extract(YOKE_SOURCE "/docs/adding-a-coupling.md");
    append("symplectic.c", "#include <yoke/plugin.h>\nconst struct yk_plugin yk_plugin = "
                           "{YK_PLUGIN_ABI, .coupling = &yk_coupling_symplectic};");
    compile("symplectic.c", "-shared", "symplectic.so");
    snprintf(method, sizeof method, "coupling: plugin, library: %s", scratch_path("symplectic.so"));
    assert_near(order_of(YOKE_SOURCE "/examples/split-mass/split-mass.yaml", method), 1, 0.1);
}

/* As a plugin it runs, and the actuator misses a sine by what the series leaves out: (w tau)^3/6 = 3e-4, and 1e-4 for
 * the slope of half a target before. With another header and without its last line it is a file of the tree. */
static void the_compensator_of_the_guide_runs(void **state)
{
    char file[1024];

    assert_int_equal(extract(YOKE_SOURCE "/docs/adding-a-compensator.md"), 2);
    compile("taylor_series.c", "-shared", "taylor_series.so");
    assert_near_relative(peak("taylor.yaml", "frame.x.u"), peak("taylor.yaml", "reference.frame.x.u"), 3e-3);
    snprintf(file, sizeof file, "%s", scratch_path("taylor_series.c"));
    assert_runs((const char *const[]){"/usr/bin/env", "sed", "-i", "s,yoke/plugin.h,yoke/transfer.h,;/yk_plugin/d",
                                      file, NULL});
    compile("taylor_series.c", "-c", "taylor_series.o");
}

/* By energy: d = (4 E r^2/k)^(1/4), and v = L theta' = sqrt(2 g L (1 - cos 1)). */
static void the_plugins_of_the_guide_run(void **state)
{
    assert_int_equal(extract(YOKE_SOURCE "/docs/plugins.md"), 4);
    compile("power_spring.c", "-shared", "power_spring.so");
    compile("pendulum.c", "-shared", "pendulum.so");
    assert_near_relative(peak("power.yaml", "rig.mass.x.u"), pow(4 * 1 * 0.01 / 800, 0.25), 1e-4);
    assert_near_relative(peak("pendulum.yaml", "swing.theta.v"), sqrt(2 * 9.81 * (1 - cos(1))), 1e-4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(experiments_of_readme_and_tutorial_run),
        cmocka_unit_test(the_integrator_of_the_guide_compiles),
        cmocka_unit_test(the_coupling_of_the_guide_compiles),
        cmocka_unit_test(the_methods_of_the_guides_run_as_plugins),
        cmocka_unit_test(the_compensator_of_the_guide_runs),
        cmocka_unit_test(the_plugins_of_the_guide_run),
    };

    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
