/* The program as a user meets it: words in; files, JSON and exit codes out. */

#include "support/check.h"
#include "support/cli.h"
#include "support/scratch.h"

#include "record/record.h"
#include "state/state.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const command_names[] = {
#define COMMAND(name) #name,
#include "cli/commands.def"
#undef COMMAND
};
enum { COMMANDS = sizeof command_names / sizeof *command_names };

static char *read_file(const char *path)
{
    FILE *in = fopen(path, "r");
    struct stat about;
    char *text;

    if (!in)
        print_error("%s is not there\n", path);
    assert_non_null(in);
    assert_int_equal(fstat(fileno(in), &about), 0);
    text = calloc(1, (size_t)about.st_size + 1);
    assert_non_null(text);
    assert_int_equal(fread(text, 1, (size_t)about.st_size, in), about.st_size);
    fclose(in);
    return text;
}

static double number_at(const json_t *array, size_t i)
{
    assert_true(json_is_number(json_array_get(array, i)));
    return json_number_value(json_array_get(array, i));
}

/* Steps the oscillator through the library and compares with the rows of the CSV, bit by bit. */
static void compare_with_library(const char *csv)
{
    struct yk_model *e;
    struct yk_state m;
    const char *line = strchr(csv, '\n') + 1;

    assert_ok(yk_model_load(&e, OSCILLATOR, NULL, 0, &err));
    assert_ok(yk_state_open(&m, e, 0, &err));
    assert_int_equal(yk_state_start(&m), YK_OK);
    for (long i = 0; i <= e->steps; i++) {
        double t, u, v, a, now[3];

        assert_int_equal(sscanf(line, "%lf,%lf,%lf,%lf,", &t, &u, &v, &a), 4);
        yk_state_now(&m, 0, &now[0], &now[1], &now[2]);
        assert_near(t, (double)i * 0.05, 0);
        assert_near(u, now[0], 0);
        assert_near(v, now[1], 0);
        assert_near(a, now[2], 0);
        line = strchr(line, '\n') + 1;
        assert_int_equal(yk_state_step(&m), YK_OK);
    }
    assert_int_equal(*line, 0);
    yk_state_close(&m);
    yk_model_close(e);
}

static void the_oscillator_runs_and_exports_every_step(void **state)
{
    char *dir = path_of("osc"), *csv = path_of("osc.csv");
    struct program p;

    program_run(&p, "run", OSCILLATOR, "-o", dir);
    assert_code(&p, 0);
    assert_words(p.out, "80 of 80 steps");
    program_free(&p);
    program_run(&p, "export", dir, "--csv", csv);
    assert_code(&p, 0);
    assert_string_equal(p.out, "");
    assert_string_equal(p.err, "");
    program_free(&p);

    char *text = read_file(csv);
    size_t lines = 0;
    for (const char *c = text; *c; c++)
        lines += *c == '\n';
    assert_int_equal(lines, 1 + 81);
    assert_memory_equal(text, "time,oscillator.x.u,oscillator.x.v,oscillator.x.a,load.0,energy.kinetic,", 65);
    compare_with_library(text);

    program_run(&p, "export", dir, "--csv", "-");
    assert_code(&p, 0);
    assert_string_equal(p.out, text);
    program_free(&p);
    free(text);
    free(dir);
    free(csv);
}

/* Gaps of 0.4 % of the motion are no drift, also where no displacement is recorded to compare them with. */
static void parts_have_drifted_apart_only_where_their_gap_is_a_share_of_the_motion(void **state)
{
    static const char file[] = YOKE_SOURCE "/examples/split-mass/four-dof.yaml";
    char *dir = path_of("drift");
    struct program p;

    program_run(&p, "run", file, "--no-report", "-o", dir, "--set", "record={channels: [\"*.a\"]}", "--set",
                "time.end=2 s");
    assert_code(&p, 0);
    assert_non_null(strstr(p.out, "largest gap of an interface: displacement"));
    assert_null(strstr(p.out, "DRIFTED"));
    program_free(&p);
    program_run(&p, "run", file, "--no-report", "-o", dir, "--force", "--set", "time.step=200 ms");
    assert_code(&p, 5); /* and nobody may use the results */
    assert_non_null(strstr(p.err, "the results are unusable: "));
    assert_non_null(strstr(p.out, " % of the largest displacement - THE PARTS HAVE DRIFTED APART"));
    program_free(&p);
    free(dir);
}

static void run_json_is_the_summary(void **state)
{
    char *dir = path_of("deep/down/json"), *file = path_of("deep/down/json/summary.json");
    struct program p;

    program_run(&p, "run", OSCILLATOR, "--json", "--output", dir, "--set", "reference=monolithic");
    assert_code(&p, 0);
    assert_string_equal(p.err, "");
    json_t *summary = json_of(&p), *written = json_load_file(file, 0, NULL);
    static const char *const keys[] = {"title",  "method", "build",  "steps",  "finished", "stop_reason",
                                       "timing", "drift",  "energy", "errors", "peaks",    "missed_deadlines"};

    assert_true(json_equal(summary, written));
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        assert_non_null(json_object_get(summary, keys[i]));
    assert_true(json_is_true(json_object_get(summary, "finished")));
    assert_int_equal(json_integer_value(json_object_get(summary, "steps")), 80);
    assert_string_equal(json_string_value(json_object_get(summary, "stop_reason")), "");
    /* LSRT2 at this step is good to a few thousandths */
    const double nrms = json_real_value(json_object_get(json_object_get(summary, "errors"), "displacement_nrms"));
    assert_true(nrms > 1e-5 && nrms < 1e-2);
    json_decref(summary);
    json_decref(written);
    program_free(&p);
    free(dir);
    free(file);
}

/* A run that cannot be set up leaves nothing behind, and an older recording where it is. */
static void a_run_that_is_refused_leaves_nothing(void **state)
{
    char *dir = path_of("refused"), *file = path_of("refused/run.h5");
    struct program p;
    struct stat before, after;

    for (int again = 0; again < 2; again++) {
        program_run(&p, "run", OSCILLATOR, "-o", dir, "--set", "reference=monolithic", "--set",
                    "substructures.oscillator.stiffness=[1e300]");
        assert_code(&p, 2);
        assert_words(p.err, "oscillator.yaml: reference: monolithic: matrix exponential");
        program_free(&p);
        assert_int_equal(stat(file, &after) == 0, again);
        if (again)
            assert_true(before.st_ino == after.st_ino && before.st_size == after.st_size);
        program_run(&p, "run", OSCILLATOR, "-o", dir);
        assert_code(&p, 0);
        program_free(&p);
        assert_int_equal(stat(file, &before), 0);
    }
    free(dir);
    free(file);
}

static void two_runs_are_bit_identical(void **state)
{
    static const char model[] =
        "time: {step: 5 ms, end: 5}\nmethod: {integrator: lsrt2}\n"
        "substructures:\n  s: {kind: assembled, nodes: {p: {mass: 2}, q: {mass: 1}}, elements: [\n"
        "    {kind: bouc-wen, k0: 300, beta: 50, gamma: 20, between: [ground, p.x]},\n"
        "    {kind: friction, force: 2, slip_velocity: 0.01, between: [p.x, q.x]},\n"
        "    {kind: spring, stiffness: 400, between: [p.x, q.x]}]}\n"
        "loads: [{ground: s, kind: earthquake, peak: 0.3 g}, {on: s.q.x, kind: noise, rms: 3, high: 20}]\n";
    char *file = path_of("twice.yaml"), *dirs[2] = {path_of("one"), path_of("two")}, *out[2];

    write_file(file, model);
    for (int i = 0; i < 2; i++) {
        struct program p;

        program_run(&p, "run", file, "-q", "-o", dirs[i]);
        assert_code(&p, 0);
        program_free(&p);
        program_run(&p, "export", dirs[i], "--csv", "-");
        assert_code(&p, 0);
        out[i] = p.out;
        p.out = NULL;
        program_free(&p);
    }
    assert_true(strlen(out[0]) > 100000);
    assert_string_equal(out[0], out[1]);
    for (int i = 0; i < 2; i++) {
        free(out[i]);
        free(dirs[i]);
    }
    free(file);
}

static void mat_export_is_written(void **state)
{
    char *dir = path_of("mat"), *mat = path_of("mat.mat");
    struct program p;

    program_run(&p, "run", OSCILLATOR, "-o", dir);
    assert_code(&p, 0);
    program_free(&p);
    program_run(&p, "export", dir, "--mat", mat);
    assert_code(&p, 0);
    program_free(&p);
    char *text = read_file(mat);
    assert_memory_equal(text, "MATLAB", 6);
    free(text);
    program_run(&p, "export", dir, "--csv", "-", "--fine");
    assert_code(&p, 2);
    assert_words(p.err, "no samples of the fine step");
    program_free(&p);
    free(dir);
    free(mat);
}

/* A slip of the hand must not cost a test. */
static void an_export_does_not_replace_its_recording(void **state)
{
    char *dir = path_of("same"), *recording = path_of("same/run.h5");
    static const char *const kinds[] = {"--csv", "--mat"};
    struct program p;

    program_run(&p, "run", OSCILLATOR, "-o", dir);
    assert_code(&p, 0);
    program_free(&p);
    for (size_t i = 0; i < 2; i++) {
        program_run(&p, "export", dir, kinds[i], recording);
        assert_code(&p, 2);
        assert_words(p.err, "is the recording itself");
        program_free(&p);
    }
    program_run(&p, "export", dir, "--csv", "-");
    assert_code(&p, 0);
    program_free(&p);
    free(dir);
    free(recording);
}

static void observed_orders_are_those_of_the_methods(void **state)
{
    static const struct {
        const char *method;
        double order, tolerance;
    } cases[] = {{"lsrt1", 1, 0.1},
                 {"lsrt2", 2, 0.1},
                 {"lsrt3", 3, 0.15},
                 {"newmark", 2, 0.1},
                 {"generalized-alpha", 2, 0.1},
                 {"cr", 1, 0.1}, /* with a load that changes: CR takes it at the start of the step */
                 {"central-difference", 2, 0.1}};

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char setting[64];
        struct program p;

        snprintf(setting, sizeof setting, "method.integrator=%s", cases[i].method);
        program_run(&p, "analyze", "order", OSCILLATOR, "--set", setting, "--halvings", "4", "--json");
        assert_code(&p, 0);
        json_t *json = json_of(&p), *errors = json_object_get(json, "errors"), *order = json_object_get(json, "order");

        assert_int_equal(json_array_size(json_object_get(json, "steps")), 5);
        assert_near(number_at(json_object_get(json, "steps"), 4), 0.05 / 16, 1e-15);
        assert_int_equal(json_array_size(json_object_get(errors, "u")), 5);
        assert_int_equal(json_array_size(json_object_get(errors, "v")), 5);
        assert_near(json_number_value(json_object_get(order, "u")), cases[i].order, cases[i].tolerance);
        assert_near(json_number_value(json_object_get(order, "v")), cases[i].order, cases[i].tolerance);
        const double ratio = number_at(json_object_get(errors, "u"), 3) / number_at(json_object_get(errors, "u"), 4);
        assert_near(json_number_value(json_object_get(order, "u")), log2(ratio), 1e-12);
        json_decref(json);
        program_free(&p);
    }
}

/* LSRT2 with gamma = 1 - sqrt(1/2): R(z) = (1 + (1 - 2 gamma) z)/(1 - gamma z)^2, z = lambda dt; Hairer and Wanner,
 * Solving Ordinary Differential Equations II, IV.7. */
static double complex stability_function(double complex z)
{
    const double g = 1 - sqrt(0.5);

    return (1 + (1 - 2 * g) * z + (0.5 - 2 * g + g * g) * z * z) / ((1 - g * z) * (1 - g * z));
}

static void the_spectrum_of_lsrt2_is_its_stability_function(void **state)
{
    static const double steps[] = {0.1, 0.5, 1};
    const double complex lambda = -0.01 + I * sqrt(4 - 1e-4);
    struct program p;

    program_run(&p, "analyze", "spectrum", OSCILLATOR, "--steps", "0.1,0.5,1", "--json");
    assert_code(&p, 0);
    json_t *json = json_of(&p), *points = json_object_get(json, "points");
    assert_int_equal(json_array_size(points), 3);
    for (size_t i = 0; i < 3; i++) {
        const json_t *point = json_array_get(points, i), *values = json_object_get(point, "eigenvalues");
        const double complex R = stability_function(lambda * steps[i]);

        assert_near(json_number_value(json_object_get(point, "step")), steps[i], 0);
        assert_near(json_number_value(json_object_get(point, "radius")), cabs(R), 1e-12);
        assert_int_equal(json_array_size(values), 2);
        for (size_t j = 0; j < 2; j++) {
            assert_near(number_at(json_array_get(values, j), 0), creal(R), 1e-12);
            assert_near(fabs(number_at(json_array_get(values, j), 1)), fabs(cimag(R)), 1e-12);
        }
    }
    json_decref(json);
    program_free(&p);
}

static void energy_is_reported_along_the_run(void **state)
{
    struct program p;

    program_run(&p, "analyze", "energy", OSCILLATOR, "--samples", "5", "--json");
    assert_code(&p, 0);
    json_t *json = json_of(&p), *samples = json_object_get(json, "samples");
    assert_int_equal(json_array_size(samples), 5);
    assert_near(json_number_value(json_object_get(json_array_get(samples, 0), "kinetic")), 0.5 * 0.5 * 0.5, 1e-15);
    assert_near(json_number_value(json_object_get(json_array_get(samples, 0), "stored")), 0.5 * 4, 1e-15);
    assert_near(json_number_value(json_object_get(json_array_get(samples, 4), "time")), 4, 1e-12);
    json_decref(json);
    program_free(&p);
}

static void check_explains_without_running(void **state)
{
    struct program p;

    program_run(&p, "check", OSCILLATOR, "--json");
    assert_code(&p, 0);
    json_t *json = json_of(&p), *stability = json_object_get(json, "stability");
    assert_int_equal(json_integer_value(json_object_get(json, "steps")), 80);
    assert_int_equal(json_integer_value(json_object_get(json, "dofs")), 1);
    assert_true(json_is_true(json_object_get(json, "linear")));
    assert_true(json_is_true(json_object_get(stability, "stable")));
    assert_true(json_is_null(json_object_get(stability, "limit_s")));
    assert_near(number_at(json_object_get(json, "frequencies_Hz"), 0), 2 / (2 * M_PI), 1e-12);
    json_decref(json);
    program_free(&p);

    program_run(&p, "check", OSCILLATOR, "--json", "--set", "method.integrator=central-difference", "--set",
                "time.step=2");
    assert_code(&p, 4);
    json = json_of(&p);
    stability = json_object_get(json, "stability");
    assert_true(json_is_false(json_object_get(stability, "stable")));
    assert_near(json_number_value(json_object_get(stability, "limit_s")), 1, 1e-4); /* 2/omega */
    json_decref(json);
    program_free(&p);

    program_run(&p, "check", OSCILLATOR);
    assert_code(&p, 0);
    assert_words(p.out, "0.3183");
    program_free(&p);
}

/* Equivalent force control without feedforward: the model that the feedforward would use is not listed. */
static void check_lists_only_settings_with_an_effect(void **state)
{
    struct program p;

    program_run(&p, "check", YOKE_SOURCE "/examples/efc-split-mass/efc-split-mass.yaml", "--budget", "1 ms");
    assert_code(&p, 0);
    assert_words(p.out, "feedforward = none)");
    assert_words(p.out, "Ki = 5");
    program_free(&p);
}

static void list_names_every_method(void **state)
{
    struct program p;

    program_run(&p, "list", "--json");
    assert_code(&p, 0);
    json_t *json = json_of(&p), *family = json_object_get(json, "integrators");
    size_t i, count = 0;
    json_t *entry;
    while (yk_integrators[count])
        count++;
    assert_int_equal(json_array_size(family), count);
    json_array_foreach(family, i, entry)
    {
        assert_string_equal(json_string_value(json_object_get(entry, "name")), yk_integrators[i]->name);
        assert_true(json_is_string(json_object_get(entry, "reference")));
        assert_near(json_number_value(json_object_get(entry, "order")), yk_integrators[i]->order, 0);
        assert_int_equal(json_integer_value(json_object_get(entry, "stages")), yk_integrators[i]->stages);
    }
    assert_true(json_array_size(json_object_get(json, "laws")) >= 9);
    assert_true(json_array_size(json_object_get(json, "signals")) >= 11);
    json_decref(json);
    program_free(&p);
    program_run(&p, "list", "laws");
    assert_code(&p, 0);
    assert_words(p.out, "bouc-wen");
    program_free(&p);
}

static void every_command_has_help_with_an_example(void **state)
{
    struct program p;

    for (size_t i = 0; i < COMMANDS; i++) {
        char usage[64], example[64];

        snprintf(usage, sizeof usage, "usage: yoke %s", command_names[i]);
        snprintf(example, sizeof example, "yoke %s", command_names[i]);
        program_run(&p, command_names[i], "--help");
        assert_code(&p, 0);
        assert_words(p.out, usage);
        assert_words(p.out, "example");
        assert_words(strstr(p.out, "example"), example);
        assert_string_equal(p.err, "");
        program_free(&p);
    }
    program_run(&p, "--help");
    assert_code(&p, 0);
    for (size_t i = 0; i < COMMANDS; i++)
        assert_words(p.out, command_names[i]);
    program_free(&p);
    program_run(&p, "--version");
    assert_code(&p, 0);
    assert_words(p.out, "yoke ");
    program_free(&p);
}

/* `yoke help run` is `yoke run --help`, and no help shows a name of the sources. */
static void help_and_version_are_words_too(void **state)
{
    struct program p, q;

    for (size_t i = 0; i < COMMANDS; i++) {
        program_run(&p, command_names[i], "--help");
        program_run(&q, "help", command_names[i]);
        assert_code(&q, 0);
        assert_string_equal(q.out, p.out);
        assert_null(strstr(q.out, "RIG_"));
        assert_null(strstr(q.out, "YK_"));
        program_free(&p);
        program_free(&q);
    }
    program_run(&p, "--version");
    program_run(&q, "version");
    assert_code(&q, 0);
    assert_string_equal(q.out, p.out);
    program_free(&p);
    program_free(&q);
    program_run(&p, "rig", "--help");
    assert_words(p.out, "note TEXT");
    program_free(&p);
    program_run(&p, "completion", "bash");
    assert_words(p.out, "help version --help --version");
    program_free(&p);
}

/* Bad words: exit code 2, a message that names them, nothing on standard output. */
static void bad_words_are_refused_by_name(void **state)
{
    static const struct {
        const char *words[8], *message;
    } cases[] = {
        {{"simulate"}, "there is no command 'simulate'"},
        {{"rum"}, "did you mean 'run'?"},
        {{"help", "rum"}, "there is no command 'rum'; did you mean 'run'?"},
        {{"help", "run", "check"}, "help explains one command at a time"},
        {{"run"}, "yoke run: which experiment file?"},
        {{"run", OSCILLATOR, OSCILLATOR}, "one experiment file at a time"},
        {{"run", OSCILLATOR, "--fast"}, "unknown option '--fast'"},
        {{"run", OSCILLATOR, "-o"}, "'-o' needs a value"},
        {{"run", OSCILLATOR, "-o", "--force"}, "'-o' needs a value"},
        {{"run", OSCILLATOR, "-o", ""}, "'-o' needs a value"},
        {{"run", OSCILLATOR, "--set="}, "'--set=' needs a value"},
        {{"run", OSCILLATOR, "--approach=no"}, "'--approach=no' takes no value"},
        {{"run", "none.yaml"}, "none.yaml: cannot be opened: No such file or directory"},
        {{"run", "/"}, "/: is a folder"},
        {{"run", OSCILLATOR, "--set", "time.step"}, "--set time.step: 'key=value' is expected"},
        {{"run", OSCILLATOR, "--set", "time.step=3 kg"}, "--set time.step=3 kg: step: '3 kg' is a mass"},
        {{"run", OSCILLATOR, "--set=time.step=0"}, "must be positive"},
        {{"check", "none.yaml"}, "none.yaml: cannot be opened"},
        {{"check", OSCILLATOR, "--set", "method.gama=1"}, "did you mean 'gamma'?"},
        {{"analyze"}, "which analysis?"},
        {{"analyze", "spectra", OSCILLATOR}, "there is no analysis 'spectra'"},
        {{"analyze", "order"}, "which experiment file?"},
        {{"analyze", "order", OSCILLATOR, "--halvings", "0"}, "--halvings '0' must be a whole number from 1 to"},
        {{"analyze", "order", OSCILLATOR, "--halvings", "2.5"}, "--halvings '2.5'"},
        {{"analyze", "spectrum", OSCILLATOR, "--steps", "0.1,x"}, "--steps '0.1,x' is not a list of numbers"},
        {{"analyze", "spectrum", OSCILLATOR, "--steps", "0.1,nan"}, "is not a list of numbers"},
        {{"analyze", "spectrum", OSCILLATOR, "--steps", "0"}, "--steps: 0 s is not a positive step"},
        {{"analyze", "energy", OSCILLATOR, "--samples", "1"}, "--samples '1' must be a whole number from 2"},
        {{"export"}, "which recording?"},
        {{"export", "nowhere", "--csv", "-"}, "nowhere: cannot be opened"},
        {{"export", OSCILLATOR, "--csv", "-"}, "oscillator.yaml: "},
        {{"plot", "nowhere", "--y", "x", "-o", "x.svg"}, "nowhere: cannot be opened"},
        {{"plot", OSCILLATOR}, "oscillator.yaml: cannot be opened as a recording"},
        {{"export", "nowhere"}, "no output: give --csv FILE, --mat FILE, --hdf5 FILE"},
        {{"export", "nowhere", "--csv", "-", "--fine", "--ticks"}, "--fine and --ticks exclude each other"},
        {{"plot", "nowhere", "--y", "x", "-o", "x.svg", "--fine", "--ticks"}, "--fine and --ticks exclude each other"},
        {{"reproduce", "--all", "fig2-radii"}, "--all and names of cases exclude each other"},
        {{"reproduce", "--list", "--all", "--markdown", "x.md"}, "--list computes nothing"},
        {{"reproduce", "--all", "--markdown"}, "'--markdown' needs a value"},
        {{"list", "methods"}, "there is no family 'methods'; see `yoke list --help`"},
        {{"list", "compensator"},
         "there is no family 'compensator'; did you mean 'compensators'? See `yoke list --help`"},
        {{"run"}, "yoke run: which experiment file? See `yoke run --help`\n"},
        {{"list", "laws", "signals"}, "one family at a time"},
        {{"completion", "fish"}, "bash or zsh?"},
        {{"reference", "one.so", "more.so"}, "one plugin at a time"},
    };
    struct program p;

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *words[10] = {YOKE_PROGRAM};

        memcpy(words + 1, cases[i].words, sizeof cases[i].words);
        program_start(&p, words, 0);
        program_wait(&p);
        assert_code(&p, 2);
        assert_words(p.err, cases[i].message);
        assert_string_equal(p.out, "");
        program_free(&p);
    }
    program_start(&p, (const char *const[]){YOKE_PROGRAM, NULL}, 0);
    program_wait(&p);
    assert_code(&p, 2);
    assert_words(p.err, "usage: yoke COMMAND");
    program_free(&p);
}

static void messages_name_file_line_and_column(void **state)
{
    char *file = path_of("bad.yaml"), *dir = path_of("never"), wanted[700];
    struct program p;

    write_file(file, "time: {step: 0.1, end: 1}\nmethod: {integrator: lsrt2}\n"
                     "substructures:\n  a: {dofs: [x], mass: [1], stiffness: [4 kg]}\n");
    program_run(&p, "run", file, "-o", dir);
    assert_code(&p, 2);
    snprintf(wanted, sizeof wanted, "yoke: %s:4:41: value: '4 kg' is a mass, but a stiffness is expected", file);
    assert_words(p.err, wanted);
    assert_false(there(dir));
    program_free(&p);
    free(file);
    free(dir);
}

static void check_tells_the_place_of_a_failure_in_json(void **state)
{
    char *file = path_of("bad.yaml");
    struct program p;

    write_file(file, "time: {step: 0.1, end: 1}\nmethod: {integrator: lsrt2}\n"
                     "substructures:\n  a: {dofs: [x], mass: [1], stiffness: [4 kg]}\n");
    program_run(&p, "check", file, "--json");
    assert_code(&p, 2);
    assert_words(p.err, ":4:41: value: '4 kg' is a mass");
    json_t *json = json_of(&p), *error = json_object_get(json, "error");
    assert_string_equal(json_string_value(json_object_get(error, "file")), file);
    assert_int_equal(json_integer_value(json_object_get(error, "line")), 4);
    assert_int_equal(json_integer_value(json_object_get(error, "column")), 41);
    assert_string_equal(json_string_value(json_object_get(error, "status")), "wrong unit");
    assert_memory_equal(json_string_value(json_object_get(error, "message")), "value: '4 kg' is a mass", 23);
    json_decref(json);
    program_free(&p);

    program_run(&p, "check", "none.yaml", "--json");
    assert_code(&p, 2);
    json = json_of(&p);
    error = json_object_get(json, "error");
    assert_string_equal(json_string_value(json_object_get(error, "file")), "none.yaml");
    assert_true(json_is_null(json_object_get(error, "line")));
    json_decref(json);
    program_free(&p);
    free(file);
}

static void the_reference_page_is_up_to_date(void **state)
{
    char *page = read_file(YOKE_SOURCE "/docs/experiment-file.md");
    struct program p;

    program_run(&p, "reference");
    assert_code(&p, 0);
    if (strcmp(page, p.out) != 0)
        print_error("docs/experiment-file.md is stale: run `yoke reference > docs/experiment-file.md`\n");
    assert_true(strcmp(page, p.out) == 0);
    program_free(&p);
    free(page);
}

static void completion_scripts_are_good_bash(void **state)
{
    static const char *const shells[] = {"bash", "zsh"};
    char *script = path_of("complete.sh");
    struct program p;

    for (size_t i = 0; i < 2; i++) {
        program_run(&p, "completion", shells[i]);
        assert_code(&p, 0);
        for (size_t k = 0; k < COMMANDS; k++)
            assert_words(p.out, command_names[k]);
        write_file(script, p.out);
        program_free(&p);
        program_start(&p, (const char *const[]){"/bin/bash", "-n", script, NULL}, 0);
        program_wait(&p);
        assert_code(&p, 0);
        assert_string_equal(p.err, "");
        program_free(&p);
    }
    /* and it completes */
    program_run(&p, "completion", "bash");
    write_file(script, p.out);
    program_free(&p);
    FILE *out = fopen(script, "a");
    assert_non_null(out);
    fputs("COMP_WORDS=(yoke ana); COMP_CWORD=1; _yoke; echo \"${COMPREPLY[@]}\"\n"
          "COMP_WORDS=(yoke run --js); COMP_CWORD=2; _yoke; echo \"${COMPREPLY[@]}\"\n",
          out);
    fclose(out);
    program_start(&p, (const char *const[]){"/bin/bash", script, NULL}, 0);
    program_wait(&p);
    assert_code(&p, 0);
    assert_string_equal(p.out, "analyze\n--json\n");
    program_free(&p);
    free(script);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_oscillator_runs_and_exports_every_step),
        cmocka_unit_test(parts_have_drifted_apart_only_where_their_gap_is_a_share_of_the_motion),
        cmocka_unit_test(run_json_is_the_summary),
        cmocka_unit_test(a_run_that_is_refused_leaves_nothing),
        cmocka_unit_test(two_runs_are_bit_identical),
        cmocka_unit_test(mat_export_is_written),
        cmocka_unit_test(an_export_does_not_replace_its_recording),
        cmocka_unit_test(observed_orders_are_those_of_the_methods),
        cmocka_unit_test(the_spectrum_of_lsrt2_is_its_stability_function),
        cmocka_unit_test(energy_is_reported_along_the_run),
        cmocka_unit_test(check_explains_without_running),
        cmocka_unit_test(check_lists_only_settings_with_an_effect),
        cmocka_unit_test(list_names_every_method),
        cmocka_unit_test(every_command_has_help_with_an_example),
        cmocka_unit_test(help_and_version_are_words_too),
        cmocka_unit_test(bad_words_are_refused_by_name),
        cmocka_unit_test(messages_name_file_line_and_column),
        cmocka_unit_test(check_tells_the_place_of_a_failure_in_json),
        cmocka_unit_test(the_reference_page_is_up_to_date),
        cmocka_unit_test(completion_scripts_are_good_bash),
    };

    return cmocka_run_group_tests(tests, scratch_create, scratch_remove);
}
