/* FMUs that are broken, slow, crash or lie, as a user meets them: a clear message and exit code 2 before the run, or a
 * stop with exit code 3 and a whole recording; never a crash, and nothing is left behind. */
#include "support/check.h"
#include "support/cli.h"
#include "support/fmus.h"
#include "support/patience.h"
#include "support/scratch.h"

#include "base/scratch.h"
#include "fmi/archive.h"
#include <yoke/fmi2.h>
#include <yoke/fmu.h>

#include <dirent.h>
#include <dlfcn.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static const char *one_spring(const char *fmu, const char *more)
{
    char text[800];

    snprintf(
        text, sizeof text,
        "title: An FMU\ntime: { step: 5 ms, end: 0.5 }\nmethod: { integrator: lsrt2 }\nsubstructures:\n"
        "  s: { kind: fmu, file: %s, dofs: { x: { displacement: x, velocity: v, force: F } }, mass: [10], initial: { "
        "displacement: { x: 10 mm } }%s }\n",
        fmu, more);
    return scratch_write("spring.yaml", text);
}

/* A spring whose object is another: bad ones have the variables of the good one. */
static void make_bad(const char *file, const char *object)
{
    struct fmu_spec spec = fmu_spring2;

    spec.name = object;
    make_fmu(scratch_path(file), &spec);
}

static void run_fails(const char *fmu, const char *more, int code, const char *words)
{
    const char *file = one_spring(fmu, more);
    struct program p;

    program_run(&p, "run", file, "-o", scratch_path("out"));
    if (p.code != code || !strstr(p.err, words))
        print_error("%s: exit code %d, said: %s%s\n", fmu, p.code, p.out, p.err);
    assert_int_equal(p.code, code);
    assert_words(p.err, words);
    program_free(&p);
}

static int folders_left(void)
{
    DIR *dir = opendir("/tmp");
    const struct dirent *entry;
    int count = 0;

    assert_non_null(dir);
    while ((entry = readdir(dir)))
        count += strncmp(entry->d_name, "yoke-tmp-", 9) == 0 && atol(entry->d_name + 9) > 0 &&
                 kill((pid_t)atol(entry->d_name + 9), 0) != 0;
    closedir(dir);
    return count;
}

static void a_good_one_runs(void **state)
{
    struct program p;

    make_fmu(scratch_path("good.fmu"), &fmu_spring2);
    program_run(&p, "run", one_spring("good.fmu", ""), "-o", scratch_path("out"));
    assert_code(&p, 0);
    program_free(&p);
}

static void what_fails_in_a_run_stops_it_and_is_named(void **state)
{
    static const struct {
        const char *object, *words;
        bool hangs; /* the others have time, also on a busy machine */
    } bad[] = {
        {"nan_later", "FMU 's' returned a value that is not a finite number", false},
        {"dies", "FMU 's' died by signal 11 (Segmentation fault) in fmi2DoStep", false},
        {"exits", "FMU 's' ended its process (exit code 0) in fmi2DoStep", false},
        {"sleeps", "FMU 's' did not answer within 0.5 s in fmi2DoStep", true},
        {"loops", "FMU 's' did not answer within 0.5 s in fmi2DoStep", true},
        {"scribbles", "FMU 's' did not answer within 0.5 s", true},
        {"fails", "FMU 's' reported an error in fmi2DoStep", false},
    };

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct program p;

        make_bad("bad.fmu", bad[i].object);
        run_fails("bad.fmu", bad[i].hangs ? ", timeout: 500 ms" : ", timeout: 30 s", 3, bad[i].words);
        program_run(&p, "export", scratch_path("out"), "--csv", scratch_path("bad.csv"));
        assert_code(&p, 0);
        program_free(&p);
        assert_true(scratch_count("bad.csv", "\n") >= 15); /* the recording is whole: every step before the failure */
    }
}

/* The same on a rig: the specimen or the controller fails, and the supervisor brings the actuator to rest. */
static void what_fails_on_a_rig_trips_it(void **state)
{
    static const char *const text =
        "time: { step: 10 ms, end: 1, control_rate: 1000 Hz }\nmethod: { integrator: lsrt2, stability: warn }\n"
        "substructures:\n  frame: { dofs: [x], mass: [1800], damping: [1131], stiffness: [71061] }\n"
        "  specimen: { role: physical, dofs: [x], actuators: { x: a1 }, estimate: { stiffness: [1000] } }\n"
        "interfaces: [ { join: [frame.x, specimen.x] } ]\n"
        "loads: [ { on: frame.x, kind: sine, amplitude: 500, frequency: 1.3 Hz } ]\n"
        "transfer: { a1: { controller: { kind: %s } } }\n"
        "rig: { backend: virtual, actuators: { a1: { plant: { kind: ideal } } }, specimen: { %s } }\n"
        "limits: { displacement: 200 mm, on_trip: ramp }\n";
    static const char *const linear = "dofs: [x], mass: [0], stiffness: [1000]",
                             *fmu =
                                 "kind: fmu, file: bad.fmu, dofs: { x: { displacement: x, velocity: v, force: F } }, "
                                 "timeout: 200 ms",
                             *controller = "fmu, file: bad.fmu, command: x, measured: v, drive: F, parameters: k=1, "
                                           "timeout: 200 ms";
    static const char *const bad[] = {"dies", "nan_later", "loops", "scribbles"};

    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        for (int role = 0; role < 2; role++) {
            char file[2000];
            struct program p;
            struct fmu_spec spec = fmu_spring2;

            spec.name = bad[i];
            if (role) { /* displacements in and out */
                spec.variables[1].unit = "m";
                spec.variables[2].unit = "m";
                spec.variables[3].unit = NULL;
            }
            make_fmu(scratch_path("bad.fmu"), &spec);
            snprintf(file, sizeof file, text, role ? controller : "none", role ? linear : fmu);
            program_run(&p, "run", scratch_write("rig.yaml", file), "-o", scratch_path("out"), "--budget", "0.1s");
            if (p.code != 3)
                print_error("%s, %s: %s%s\n", bad[i], role ? "controller" : "specimen", p.out, p.err);
            assert_code(&p, 3);
            assert_words(p.err, role ? "FMU 'controller' " : "FMU 'specimen' ");
            program_free(&p);
        }
}

static void what_is_wrong_before_a_run_is_refused_with_its_place(void **state)
{
    struct fmu_spec spec = fmu_absorber2;

    make_bad("missing.fmu", "no_do_step");
    run_fails("missing.fmu", "", 2, "spring.yaml:5:3: s: ");
    run_fails("missing.fmu", "", 2, "has no function fmi2DoStep");
    make_bad("forgets.fmu", "forgets");
    run_fails("forgets.fmu", "", 2, "says that it can save its state, but");
    spec.token = "{another}";
    make_fmu(scratch_path("token.fmu"), &spec);
    run_fails("token.fmu", "", 2, "reported an error in fmi2Instantiate at t = 0 s: {another} is not my guid (100%)");
    make_fmu(scratch_path("good.fmu"), &fmu_spring2);
    run_fails("good.fmu", ", parameters: { kk: 1 }", 2, "spring.yaml:5:");
    run_fails("good.fmu", ", parameters: { kk: 1 }", 2, "the FMU has no variable 'kk'; did you mean 'k'?");
    run_fails("good.fmu", ", parameters: { k: 3 kg }", 2, "is no value for 'k', which the FMU has in N/m");
    run_fails("good.fmu", ", interface: model-exchange", 2, "has no model exchange");
    run_fails("nothing.fmu", "", 2, "nothing.fmu: cannot be opened");
    scratch_write("text.fmu", "this is no archive");
    run_fails("text.fmu", "", 2, "not a zip archive");
}

static void archives_that_lead_elsewhere_or_lie_are_refused(void **state)
{
    static const struct {
        const char *name, *words;
    } names[] = {
        {"../outside.txt", "leads outside the archive"},    {"/etc/outside.txt", "leads outside the archive"},
        {"resources/../../x", "leads outside the archive"}, {"resources\\x", "leads outside the archive"},
        {"resources//x", "leads outside the archive"},
    };
    char *text = fmu_description_text(&fmu_spring2);

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct yk_archive_entry entries[] = {{"modelDescription.xml", text, strlen(text)}, {names[i].name, "x", 1}};

        assert_ok(yk_archive_pack(scratch_path("evil.fmu"), entries, 2, 0, &err));
        run_fails("evil.fmu", "", 2, names[i].words);
    }
    /* 64 MiB of zeros in 64 KiB */
    const size_t size = (size_t)64 << 20;
    char *zeros = calloc(size, 1);
    struct yk_archive_entry bomb[] = {{"modelDescription.xml", text, strlen(text)}, {"resources/zeros", zeros, size}};

    assert_non_null(zeros);
    assert_ok(yk_archive_pack(scratch_path("bomb.fmu"), bomb, 2, 0, &err));
    run_fails("bomb.fmu", "", 2, "would grow to more than 200 times its size");
    free(zeros);
    struct yk_archive_entry twice[] = {{"modelDescription.xml", text, strlen(text)}, {"modelDescription.xml", text, 9}};
    assert_ok(yk_archive_pack(scratch_path("twice.fmu"), twice, 2, 0, &err));
    run_fails("twice.fmu", "", 2, "is there twice");
    free(text);
}

/* The recording of a folder as numbers in text. */
static char *csv_of(const char *folder)
{
    struct program p;
    char *text;

    program_run(&p, "export", scratch_path(folder), "--csv", "-");
    assert_code(&p, 0);
    text = strdup(p.out);
    program_free(&p);
    return text;
}

static void run_all(const char *const *words)
{
    struct program p;

    program_start(&p, words, 0);
    program_wait(&p);
    assert_code(&p, 0);
    program_free(&p);
}
#define yoke(...) run_all((const char *const[]){YOKE_PROGRAM, __VA_ARGS__, NULL})

static void check_export(const char *example)
{
    char *expected, *got;

    yoke("run", example, "-o", scratch_path("direct"), "--quiet", "--set", "time.end=1 s");
    expected = csv_of("direct");
    for (int version = 2; version <= 3; version++) {
        yoke("export", example, "--fmu", scratch_path("e.fmu"), "--fmi", version == 2 ? "2" : "3", "--set",
             "time.end=1 s");
        yoke("fmu", "run", scratch_path("e.fmu"), "-o", scratch_path("through"));
        got = csv_of("through");
        assert_string_equal(got, expected); /* 17 digits: the same bits */
        free(got);
    }
    free(expected);
}

static void an_exported_experiment_gives_the_same_bits(void **state)
{
    static const char *const examples[] = {YOKE_SOURCE "/examples/oscillator/oscillator.yaml",
                                           YOKE_SOURCE "/examples/split-mass/split-mass.yaml",
                                           YOKE_SOURCE "/examples/three-subdomains/three-subdomains.yaml",
                                           YOKE_SOURCE "/examples/imported-frame/imported-frame.yaml",
                                           YOKE_SOURCE "/examples/spring-specimen/spring-specimen.yaml"};

    if (access(YOKE_BINARY "/yoke-fmi2.so", R_OK) != 0)
        skip(); /* sanitized builds have no objects to export */
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++)
        check_export(examples[i]);
    /* and with another kernel of OpenBLAS, which the process of the FMU must take as well */
    const char *before = getenv("OPENBLAS_CORETYPE");
    char *kept = before ? strdup(before) : NULL;
    setenv("OPENBLAS_CORETYPE", "Prescott", 1);
    check_export(YOKE_SOURCE "/examples/three-subdomains/three-subdomains.yaml");
    if (kept)
        setenv("OPENBLAS_CORETYPE", kept, 1);
    else
        unsetenv("OPENBLAS_CORETYPE");
    free(kept);
}

static size_t bytes_of(const char *path, char **bytes)
{
    FILE *in = fopen(path, "re");
    long size;

    assert_non_null(in);
    fseek(in, 0, SEEK_END);
    size = ftell(in);
    rewind(in);
    assert_non_null(*bytes = malloc((size_t)size));
    assert_int_equal(fread(*bytes, 1, (size_t)size, in), size);
    fclose(in);
    return (size_t)size;
}

static void exports_are_reproducible_and_keep_their_promises(void **state)
{
    char *first, *second;
    struct program p;

    if (access(YOKE_BINARY "/yoke-fmi2.so", R_OK) != 0)
        skip();
    yoke("export", OSCILLATOR, "--fmu", scratch_path("once.fmu"), "--input", "force.oscillator.x");
    const size_t size = bytes_of(scratch_path("once.fmu"), &first);
    yoke("export", OSCILLATOR, "--fmu", scratch_path("once.fmu"), "--input", "force.oscillator.x");
    assert_int_equal(bytes_of(scratch_path("once.fmu"), &second), size);
    assert_memory_equal(first, second, size);
    free(first);
    free(second);
    program_run(&p, "fmu", "check", scratch_path("once.fmu"));
    assert_code(&p, 0);
    assert_words(p.out, "back to a saved state              ok");
    assert_words(p.out, "a wrong token                      ok");
    program_free(&p);
    program_run(&p, "export", OSCILLATOR, "--fmu", scratch_path("x.fmu"), "--input", "force.nothing.x");
    assert_code(&p, 2);
    assert_words(p.err, "neither force.SUBSTRUCTURE.DOF nor load.NUMBER");
    program_free(&p);
}

/* ---- the functions of an exported FMU, called as another program would ---- */

struct functions {
#define FUNCTION(result, name, arguments) result(*name) arguments;
    FMI2_COMMON(FUNCTION)
    FMI2_CO_SIMULATION(FUNCTION)
#undef FUNCTION
};

static void quiet(fmi2ComponentEnvironment self, fmi2String name, fmi2Status status, fmi2String category,
                  fmi2String message, ...)
{
}

static fmi2Component begin(const struct functions *f, const char *token, const char *uri, double force)
{
    static const fmi2CallbackFunctions callbacks = {quiet, calloc, free, NULL, NULL};
    fmi2Component c = f->Instantiate("x", fmi2CoSimulation, token, uri, &callbacks, 0, 0);

    assert_non_null(c);
    assert_int_equal(f->SetupExperiment(c, 0, 0, 0, 0, 0), fmi2OK);
    assert_int_equal(f->EnterInitializationMode(c), fmi2OK);
    assert_int_equal(f->SetReal(c, (fmi2ValueReference[]){1}, 1, &force), fmi2OK);
    assert_int_equal(f->ExitInitializationMode(c), fmi2OK);
    return c;
}

/* `count` steps from number `first` on; the displacement then. */
static double go(const struct functions *f, fmi2Component c, int first, int count)
{
    double u = 0;

    for (int i = first; i < first + count; i++)
        assert_int_equal(f->DoStep(c, i * 0.05, 0.05, 0), fmi2OK);
    assert_int_equal(f->GetReal(c, (fmi2ValueReference[]){2}, 1, &u), fmi2OK);
    return u;
}

static void states_of_an_export_are_saved_and_serialized_to_the_last_bit(void **state)
{
    char folder[YK_SCRATCH_PATH], object[YK_SCRATCH_PATH + 64], uri[YK_SCRATCH_PATH + 64];
    struct yk_fmu *fmu;
    struct functions f;
    void *loaded;

    if (access(YOKE_BINARY "/yoke-fmi2.so", R_OK) != 0)
        skip();
    yoke("export", OSCILLATOR, "--fmu", scratch_path("s.fmu"), "--input", "force.oscillator.x", "--output", "*.u");
    assert_ok(yk_fmu_open(&fmu, scratch_path("s.fmu"), "x", &err));
    assert_ok(yk_scratch_make(folder, &err));
    assert_ok(yk_archive_unpack(scratch_path("s.fmu"), folder, &err));
    snprintf(object, sizeof object, "%s/binaries/linux64/s.so", folder);
    snprintf(uri, sizeof uri, "file:%s/resources", folder);
    assert_non_null(loaded = dlopen(object, RTLD_NOW | RTLD_LOCAL));
#define FUNCTION(result, name, arguments) assert_non_null(*(void **)&f.name = dlsym(loaded, "fmi2" #name));
    FMI2_COMMON(FUNCTION)
    FMI2_CO_SIMULATION(FUNCTION)
#undef FUNCTION
    const char *token = yk_fmu_description(fmu)->token;
    fmi2Component one = begin(&f, token, uri, 100), other = begin(&f, token, uri, 0);
    fmi2FMUstate saved = NULL, read = NULL;
    size_t size = 0;
    double expected, again, elsewhere;

    (void)go(&f, one, 0, 20);
    assert_int_equal(f.GetFMUstate(one, &saved), fmi2OK);
    expected = go(&f, one, 20, 20);
    assert_true(expected != go(&f, other, 0, 40)); /* the force matters */
    assert_int_equal(f.SetFMUstate(one, saved), fmi2OK);
    again = go(&f, one, 20, 20);
    assert_memory_equal(&again, &expected, sizeof again);
    assert_int_equal(f.SerializedFMUstateSize(one, saved, &size), fmi2OK);
    char *bytes = malloc(size);
    assert_int_equal(f.SerializeFMUstate(one, saved, bytes, size), fmi2OK);
    assert_int_equal(f.DeSerializeFMUstate(other, bytes, size, &read), fmi2OK);
    assert_int_equal(f.SetFMUstate(other, read), fmi2OK);
    elsewhere = go(&f, other, 20, 20);
    assert_memory_equal(&elsewhere, &expected, sizeof elsewhere);
    bytes[20] ^= 1; /* of the token */
    assert_int_equal(f.DeSerializeFMUstate(other, bytes, size, &read), fmi2Error);
    assert_int_equal(f.DoStep(other, 7, 0.05, 0), fmi2Error);         /* from another time */
    assert_int_equal(f.DoStep(other, 40 * 0.05, 0.03, 0), fmi2Error); /* no multiple of the step */
    assert_null(f.Instantiate("x", fmi2CoSimulation, "{}", uri,
                              &(fmi2CallbackFunctions){quiet, calloc, free, NULL, NULL}, 0, 0));
    f.FreeFMUstate(one, &saved);
    f.FreeFMUstate(other, &read);
    f.FreeInstance(one);
    f.FreeInstance(other);
    free(bytes);
    yk_fmu_close(fmu);
    yk_scratch_remove(folder);
}

/* The rules of FMI 2.0 and 3.0 for what Yoke writes. */
static void descriptions_of_exports_keep_the_rules(void **state)
{
    if (access(YOKE_BINARY "/yoke-fmi2.so", R_OK) != 0)
        skip();
    for (int version = 2; version <= 3; version++) {
        struct yk_fmu *fmu;
        const struct yk_fmu_description *d;
        size_t inputs = 0, parameters = 0, independent = 0;

        yoke("export", OSCILLATOR, "--fmu", scratch_path("rules.fmu"), "--fmi", version == 2 ? "2" : "3", "--input",
             "force.oscillator.x", "--parameter", "loads.0.amplitude");
        assert_ok(yk_fmu_open(&fmu, scratch_path("rules.fmu"), "x", &err));
        d = yk_fmu_description(fmu);
        assert_int_equal(d->version, version);
        assert_int_equal(strlen(d->token), 38); /* {xxxxxxxx-xxxx-8xxx-yxxx-xxxxxxxxxxxx} */
        assert_true(d->token[0] == '{' && d->token[15] == '8' && strchr("89ab", d->token[20]) && d->token[37] == '}');
        for (size_t i = 0; i < d->variable_count; i++) {
            const struct yk_fmu_variable *v = &d->variables[i];

            for (size_t k = 0; k < i; k++)
                assert_true(d->variables[k].vr != v->vr && strcmp(d->variables[k].name, v->name) != 0);
            independent += v->causality == YK_FMU_INDEPENDENT;
            inputs += v->causality == YK_FMU_INPUT;
            parameters += v->causality == YK_FMU_PARAMETER;
            assert_int_equal(v->listed, v->causality == YK_FMU_OUTPUT);
            assert_int_equal(v->has_start, v->causality == YK_FMU_INPUT || v->causality == YK_FMU_PARAMETER);
            if (v->causality == YK_FMU_PARAMETER)
                assert_int_equal(v->variability, YK_FMU_FIXED);
        }
        assert_true(independent == 1 && inputs == 1 && parameters == 1);
        for (size_t i = 0; i < d->unit_count; i++)
            assert_true(d->units[i].has_base);
        yk_fmu_close(fmu);
    }
}

/* The process in which the FMU of a run lives. */
static pid_t host_of(const struct program *p)
{
    char path[100];
    long child = 0;

    snprintf(path, sizeof path, "/proc/%d/task/%d/children", (int)p->pid, (int)p->pid);
    for (int wait = 0; wait < 3000 && !child; wait++) {
        FILE *in = fopen(path, "re");

        patience_sleep(0.01);
        if (in && fscanf(in, "%ld", &child) != 1)
            child = 0;
        if (in)
            fclose(in);
    }
    assert_true(child > 0);
    return (pid_t)child;
}

/* Otherwise a busy machine would keep the loop waiting for it. */
static void an_fmu_of_a_paced_run_is_one_below_the_thread_that_asks(void **state)
{
    static const char coarse[] =
        "time: { step: 10 ms, substeps: 5, end: 600 }\nmethod: { coupling: plsrt2 }\nsubstructures:\n"
        "  s: { kind: fmu, timeout: 60 s, rate: coarse, file: good.fmu, dofs: { x: { displacement: x, velocity: v, "
        "force: F } }, "
        "mass: [10], initial: { displacement: { x: 10 mm } } }\n"
        "  f: { rate: fine, dofs: [x], mass: [5], stiffness: [1000], initial: { displacement: { x: 10 mm } } }\n"
        "interfaces: [ { join: [s.x, f.x] } ]\n";
    static const struct {
        bool coarse; /* the FMU is on the coarse side, whose thread is itself one below */
        const char *priority;
        int wanted;
    } cases[] = {{false, "50", 49}, {true, "50", 48}, {false, "0", 0}};
    struct sched_param param;

    if (sched_setscheduler(0, SCHED_FIFO, &(struct sched_param){.sched_priority = 1}))
        skip(); /* this machine refuses real-time scheduling */
    sched_setscheduler(0, SCHED_OTHER, &(struct sched_param){0});
    make_fmu(scratch_path("good.fmu"), &fmu_spring2);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *file = cases[i].coarse ? scratch_write("coarse.yaml", coarse) : one_spring("good.fmu", "");
        struct program p;

        program_start(&p,
                      (const char *const[]){YOKE_PROGRAM, "run", file, "-o", scratch_path("paced"), "--realtime",
                                            "--threads", "2", "--priority", cases[i].priority, "--quiet", "--no-report",
                                            "--set", "time.end=600", "--set", "time.scale=20", NULL},
                      0);
        const pid_t host = host_of(&p);
        program_sleep(0.5); /* the loop begins */
        for (int wait = 0; wait < 3000 && sched_getparam(host, &param) == 0 && param.sched_priority != cases[i].wanted;
             wait++)
            patience_sleep(0.01);
        assert_int_equal(param.sched_priority, cases[i].wanted);
        assert_int_equal(sched_getscheduler(host), cases[i].wanted ? SCHED_FIFO : SCHED_OTHER);
        kill(p.pid, SIGTERM);
        program_wait(&p);
        program_free(&p);
    }
}

/* A run whose FMU is killed at any moment ends as one whose FMU died, and one that is killed takes its FMU along. */
static void kills_at_any_moment_leave_nothing_behind(void **state)
{
    char recording[600];

    snprintf(recording, sizeof recording, "%s", scratch_path("killed/run.h5"));
    make_fmu(scratch_path("long.fmu"), &fmu_absorber2);
    scratch_write(
        "long.yaml",
        "time: { step: 1 ms, end: 500 }\nmethod: { integrator: lsrt2 }\nsubstructures:\n"
        "  s: { kind: fmu, timeout: 60 s, file: long.fmu, dofs: { x: { displacement: x, velocity: v, force: F } }, "
        "mass: [10], initial: { displacement: { x: 10 mm } } }\n");
    for (int i = 0; i < 12; i++) {
        struct program p, e;
        pid_t child;

        remove(recording);
        program_start(&p,
                      (const char *const[]){YOKE_PROGRAM, "run", scratch_path("long.yaml"), "-o",
                                            scratch_path("killed"), "--quiet", "--no-report", NULL},
                      0);
        child = host_of(&p);
        for (int tries = 0; tries < 3000 && access(recording, F_OK) != 0; tries++) /* the run begins */
            patience_sleep(0.01);
        program_sleep(0.2 + 0.013 * i);
        kill(i % 4 == 3 ? p.pid : child, SIGKILL);
        program_wait(&p);
        if (i % 4 == 3) {
            assert_int_equal(p.code, -SIGKILL);
            for (int wait = 0; wait < 100 && kill(child, 0) == 0; wait++)
                patience_sleep(0.02);
            assert_int_not_equal(kill(child, 0), 0);
        } else {
            assert_code(&p, 3);
            assert_words(p.err, "FMU 's' died by signal 9");
        }
        program_run(&e, "export", scratch_path("killed"), "--csv", scratch_path("killed.csv"));
        assert_code(&e, 0);
        program_free(&e);
        program_free(&p);
    }
    run_fails("good.fmu", ", interface: model-exchange", 2, "has no model exchange"); /* sweeps what was killed */
}

static void nothing_is_left_behind(void **state)
{
    assert_int_equal(folders_left(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_good_one_runs),
        cmocka_unit_test(what_fails_in_a_run_stops_it_and_is_named),
        cmocka_unit_test(what_fails_on_a_rig_trips_it),
        cmocka_unit_test(what_is_wrong_before_a_run_is_refused_with_its_place),
        cmocka_unit_test(archives_that_lead_elsewhere_or_lie_are_refused),
        cmocka_unit_test(an_exported_experiment_gives_the_same_bits),
        cmocka_unit_test(exports_are_reproducible_and_keep_their_promises),
        cmocka_unit_test(states_of_an_export_are_saved_and_serialized_to_the_last_bit),
        cmocka_unit_test(descriptions_of_exports_keep_the_rules),
        cmocka_unit_test(an_fmu_of_a_paced_run_is_one_below_the_thread_that_asks),
        cmocka_unit_test(kills_at_any_moment_leave_nothing_behind),
        cmocka_unit_test(nothing_is_left_behind),
    };

    return cmocka_run_group_tests_name("fmu on the command line", tests, scratch_create, scratch_remove);
}
