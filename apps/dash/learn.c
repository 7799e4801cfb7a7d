/* Examples to learn from: what partitioned integration and delay do. The experiment files are those of examples/,
 * compiled in. */
#include "learn.h"

#include <yoke/file.h>
#include <yoke/page.h>

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern const struct yk_asset yk_learn_files[]; /* made by the build: experiment files of examples/ */

enum { SETTINGS = 6, WORDS = 7, CHOICES = 6, ENOUGH = 512, PATIENCE_MS = 3000 };

#define FOLDER "/tmp/yoke-learn-" /* of process N: N and six letters behind it */

struct setting {
    const char *key, *words, *unit;
    double min, max, fallback;                     /* of a whole number; the number of the choice that is the default */
    const char *choices[CHOICES], *texts[CHOICES]; /* what a choice is called, and what it puts into the words */
};
/* The slider of examples that compensate a delay. */
#define COMPENSATOR                                                                                                    \
    {                                                                                                                  \
        .key = "compensator", .words = "compensator", .fallback = 1, .choices = {"none", "velocity", "lagrange"},      \
        .texts = {                                                                                                     \
            "kind: none",                                                                                              \
            "kind: velocity, order: 2, delay: ${compensated_ms} ms",                                                   \
            "kind: lagrange, order: 3, delay: ${compensated_ms} ms"                                                    \
        }                                                                                                              \
    }

static const struct example {
    const char *name, *title, *words;
    struct setting settings[SETTINGS];
    const char *set[WORDS]; /* ${key} is replaced; step_ms and end_ms are known where they are no settings */
    double end_ms;          /* about how long it lasts */
} examples[] = {
    {"free-vibration",
     "Delay puts energy into the loop",
     "A mass swings freely on a spring specimen whose actuator is late. Without compensation the motion grows: a delay "
     "acts like negative damping. Compensate as much as the actuator is late, and the amplitude stays.",
     {{.key = "delay_ms", .words = "delay of the actuator", .unit = "ms", .min = 0, .max = 20, .fallback = 10},
      {.key = "compensated_ms",
       .words = "delay that is compensated",
       .unit = "ms",
       .min = 0,
       .max = 20,
       .fallback = 10},
      COMPENSATOR,
      {.key = "step_ms", .words = "time step", .unit = "ms", .min = 2, .max = 20, .fallback = 10}},
     {"rig.actuators.a1.plant.delay=${delay_ms} ms", "transfer.a1.compensator={ ${compensator} }",
      "time.step=${step_ms} ms", "time.end=${end_ms} ms", "limits.displacement=60 mm"},
     40000},
    {"spring-specimen",
     "A specimen behind a real actuator",
     "A frame with a spring specimen under a sine load. The actuator and its controller are about 21 ms late: "
     "compensate "
     "too little or too much, choose a longer step, and see the tracking error.",
     {{.key = "compensated_ms",
       .words = "delay that is compensated",
       .unit = "ms",
       .min = 0,
       .max = 40,
       .fallback = 21},
      COMPENSATOR,
      {.key = "method",
       .words = "integrator",
       .choices = {"lsrt2", "central-difference", "alpha-os"},
       .texts = {"integrator: lsrt2", "integrator: central-difference", "integrator: alpha-os"}},
      {.key = "step_ms", .words = "time step", .unit = "ms", .min = 2, .max = 20, .fallback = 10}},
     {"transfer.a1.compensator={ ${compensator} }", "method={ ${method} }", "time.step=${step_ms} ms",
      "time.end=${end_ms} ms"},
     20000},
    {"paced-split-mass",
     "Two sides at two rates",
     "A structure divided into a slow numerical side and a fast specimen's side. The coupling joins them once a step; "
     "the "
     "specimen's side makes substeps. Compare methods by their interface gap and energy error.",
     {{.key = "method",
       .words = "coupling",
       .choices = {"iplsrt2", "plsrt2", "gc", "mph", "ph"},
       .texts = {"coupling: iplsrt2", "coupling: plsrt2", "coupling: gc", "coupling: mph", "coupling: ph"}},
      {.key = "substeps", .words = "substeps of the specimen's side", .unit = "", .min = 1, .max = 8, .fallback = 2},
      {.key = "substep_ms",
       .words = "length of a substep [ms]",
       .fallback = 1,
       .choices = {"2", "4", "6", "8"},
       .texts = {"2", "4", "6", "8"}},
      {.key = "compensated_ms",
       .words = "delay that is compensated",
       .unit = "ms",
       .min = 0,
       .max = 40,
       .fallback = 21}},
     {"method={ ${method} }", "time.substeps=${substeps}", "time.step=${step_ms} ms",
      "transfer.a1.compensator.delay=${compensated_ms} ms", "transfer.a2.compensator.delay=${compensated_ms} ms",
      "time.end=${end_ms} ms"},
     20000},
};
enum { EXAMPLES = sizeof examples / sizeof *examples };

/* For all: what is unstable is worth seeing, and nothing trips because this machine does other things as well. */
static const char *const common[] = {"method.stability=warn", "limits.missed_deadlines=0", "limits.stall=0",
                                     "limits.on_trip=ramp", NULL};

/* ---- the list ---- */

static json_t *setting_object(const struct setting *s)
{
    json_t *choices = json_array();

    for (int i = 0; i < CHOICES && s->choices[i]; i++)
        json_array_append_new(choices, json_string(s->choices[i]));
    if (s->choices[0])
        return json_pack("{s:s, s:s, s:s, s:s, s:n, s:n, s:s, s:o}", "key", s->key, "words", s->words, "unit", "",
                         "kind", "choice", "min", "max", "default", s->choices[(int)s->fallback], "choices", choices);
    return json_pack("{s:s, s:s, s:s, s:s, s:f, s:f, s:f, s:o}", "key", s->key, "words", s->words, "unit", s->unit,
                     "kind", "whole", "min", s->min, "max", s->max, "default", s->fallback, "choices", choices);
}

json_t *yk_learn_list(void)
{
    json_t *all = json_array();

    for (size_t i = 0; i < EXAMPLES; i++) {
        json_t *settings = json_array();

        for (const struct setting *s = examples[i].settings; s->key; s++)
            json_array_append_new(settings, setting_object(s));
        json_array_append_new(all, json_pack("{s:s, s:s, s:s, s:o}", "name", examples[i].name, "title",
                                             examples[i].title, "words", examples[i].words, "settings", settings));
    }
    return all;
}

/* ---- words ---- */

struct value {
    const char *key;
    char text[96];
};

static enum yk_status take(const struct setting *s, const json_t *given, struct value *v, struct yk_err *err)
{
    const json_t *value = json_object_get(given, s->key);
    double x = value ? json_number_value(value) : s->fallback;
    int choice = value ? -1 : (int)s->fallback;

    v->key = s->key;
    if (s->choices[0]) {
        const char *text = json_string_value(value);

        for (int i = 0; text && i < CHOICES && s->choices[i]; i++)
            choice = strcmp(s->choices[i], text) == 0 ? i : choice;
        if (choice < 0)
            return yk_fail(err, YK_E_INPUT, "%s is not one of the choices", s->key);
        snprintf(v->text, sizeof v->text, "%s", s->texts[choice]);
        return YK_OK;
    }
    if ((value && !json_is_number(value)) || !(x >= s->min && x <= s->max) || x != floor(x))
        return yk_fail(err, YK_E_INPUT, "%s must be a whole number, %g .. %g", s->key, s->min, s->max);
    snprintf(v->text, sizeof v->text, "%d", (int)x);
    return YK_OK;
}

/* The text with ${key} replaced once. */
static void replace(char *to, size_t size, const char *from, const struct value *values)
{
    size_t used = 0;

    *to = 0;
    while (*from && used + 1 < size) {
        const struct value *v = values;
        const size_t length = strncmp(from, "${", 2) == 0 ? strcspn(from, "}") : 0;

        while (length && v->key && !(strlen(v->key) == length - 2 && strncmp(v->key, from + 2, length - 2) == 0))
            v++;
        if (length && v->key) {
            used += (size_t)snprintf(to + used, size - used, "%s", v->text);
            used = used < size ? used : size - 1;
            from += length + 1;
        } else {
            to[used++] = *from++;
            to[used] = 0;
        }
    }
}

static const struct example *find(const char *name)
{
    for (size_t i = 0; i < EXAMPLES; i++)
        if (strcmp(examples[i].name, name) == 0)
            return &examples[i];
    return NULL;
}

static void free_words(char **words)
{
    for (char **w = words; w && *w; w++)
        free(*w);
    free(words);
}

static double value_of(const struct value *v, const char *key)
{
    while (v->key && strcmp(v->key, key) != 0)
        v++;
    return v->key ? strtod(v->text, NULL) : 0;
}

/* The step follows from number and length of substeps where it is no setting; the end is a whole number of steps. */
static void add_times(struct value *values, size_t count, double end_ms)
{
    double step = value_of(values, "step_ms");

    if (!(step > 0)) {
        step = value_of(values, "substeps") * value_of(values, "substep_ms");
        values[count].key = "step_ms";
        snprintf(values[count++].text, sizeof values->text, "%g", step);
    }
    values[count].key = "end_ms";
    snprintf(values[count].text, sizeof values->text, "%g", step * floor(end_ms / step));
}

/* The words `--set` gets for an example and the settings of a page; malloc'd, NULL at the end, each malloc'd. Refuses
 * what is not on the list or outside its range. */
static enum yk_status words_of(const char *name, const json_t *settings, char ***words, struct yk_err *err)
{
    const struct example *e = find(name);
    struct value values[SETTINGS + 3] = {{0}};
    size_t count = 0;

    *words = NULL;
    if (!e)
        return yk_fail(err, YK_E_INPUT, "there is no such example");
    for (void *at = json_object_iter((json_t *)settings); at; at = json_object_iter_next((json_t *)settings, at)) {
        const struct setting *s = e->settings;

        while (s->key && strcmp(s->key, json_object_iter_key(at)) != 0)
            s++;
        if (!s->key)
            return yk_fail(err, YK_E_INPUT, "the example has no such setting");
    }
    for (; e->settings[count].key; count++)
        if (take(&e->settings[count], settings, &values[count], err))
            return YK_E_INPUT;
    add_times(values, count, e->end_ms);
    count = 0;
    if (!(*words = calloc(WORDS + sizeof common / sizeof *common + 1, sizeof **words)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (size_t i = 0; i < WORDS && e->set[i]; i++) {
        char once[ENOUGH], twice[ENOUGH];

        replace(once, sizeof once, e->set[i], values);
        replace(twice, sizeof twice, once, values);
        if (((*words)[count] = strdup(twice)))
            count++;
    }
    for (const char *const *c = common; *c; c++)
        if (((*words)[count] = strdup(*c)))
            count++;
    return YK_OK;
}

/* ---- processes ---- */

/* Every match is a file or an empty folder; links are not followed. */
static void remove_all(const char *folder, const char *pattern)
{
    glob_t found = {0};
    char path[160];

    snprintf(path, sizeof path, "%s/%s", folder, pattern);
    glob(path, 0, NULL, &found);
    for (size_t i = 0; i < found.gl_pathc; i++)
        remove(found.gl_pathv[i]);
    globfree(&found);
}

static void remove_folder(const char *folder)
{
    remove_all(folder, "*/*");
    remove_all(folder, "*");
    rmdir(folder);
}

/* Removes the folders of dashboards of this user that were killed. */
static void sweep(void)
{
    glob_t found = {0};

    glob(FOLDER "*", 0, NULL, &found);
    for (size_t i = 0; i < found.gl_pathc; i++) {
        const char *folder = found.gl_pathv[i];
        const long process = strtol(folder + strlen(FOLDER), NULL, 10);
        struct stat info;

        if (lstat(folder, &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == geteuid() && process > 0 &&
            kill((pid_t)process, 0) && errno == ESRCH)
            remove_folder(folder);
    }
    globfree(&found);
}

static enum yk_status make_folder(struct yk_learn *l, struct yk_err *err)
{
    if (*l->folder)
        return YK_OK;
    sweep();
    snprintf(l->folder, sizeof l->folder, FOLDER "%d-XXXXXX", (int)getpid());
    if (!mkdtemp(l->folder)) {
        *l->folder = 0;
        return yk_fail(err, YK_E_IO, "cannot make a folder for the examples: %s", strerror(errno));
    }
    return YK_OK;
}

static enum yk_status write_file(const char *path, const struct yk_asset *file, struct yk_err *err)
{
    FILE *out = yk_file_create_stream(path);
    const bool good = out && fwrite(file->bytes, 1, file->size, out) == file->size;

    return (out ? fclose(out) == 0 : false) && good ? YK_OK
                                                    : yk_fail_at(err, YK_E_IO, YK_IN_FILE(path), "cannot be written");
}

/* In the new process: nothing but what POSIX allows there. */
static void become(const char *program, char **argv, const char *log, pid_t parent)
{
    const int in = open("/dev/null", O_RDWR), out = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0600);
    sigset_t none;

    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) /* it ended before the line above */
        _exit(1);
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    setsid(); /* a Ctrl-C in the terminal is for the dashboard, which then ends its examples */
    if (in < 0 || out < 0 || dup2(in, 0) < 0 || dup2(in, 1) < 0 || dup2(out, 2) < 0)
        _exit(1);
    close_range(3, ~0u, 0); /* connections of the server are not for it */
    execv(program, argv);
    _exit(127);
}

enum { FIXED = 10 };

static pid_t spawn(struct yk_learn *l, const char *file, const char *output, const char *log, char **set)
{
    const pid_t parent = getpid();
    char *argv[FIXED + 2 * (WORDS + 8)] = {l->program, "run",     (char *)file,  "--realtime", "--priority",
                                           "0",        "--quiet", "--no-report", "-o",         (char *)output};
    int n = FIXED;
    pid_t process;

    for (char **w = set; *w; w++) {
        argv[n++] = "--set";
        argv[n++] = *w;
    }
    if ((process = fork()) == 0)
        become(l->program, argv, log, parent);
    return process;
}

enum yk_status yk_learn_start(struct yk_learn *l, const char *example, const json_t *settings, char *name,
                              struct yk_err *err)
{
    char asset[64], file[160], output[160], log[160], **words = NULL;
    enum yk_status st;
    int slot = 0;

    yk_learn_reap(l);
    while (slot < YK_LEARN_RUNS && l->runs[slot].process)
        slot++;
    if (slot == YK_LEARN_RUNS)
        return yk_fail(err, YK_E_UNSUPPORTED, "%d examples are running already; stop one first", YK_LEARN_RUNS);
    if ((st = words_of(example, settings, &words, err)) || (st = make_folder(l, err)))
        goto end;
    snprintf(asset, sizeof asset, "%s.yaml", example);
    const struct yk_asset *text = yk_page_asset_in(yk_learn_files, asset);
    snprintf(name, 32, "learn-%d-%d", (int)getpid(), ++l->made);
    snprintf(file, sizeof file, "%s/%s.yaml", l->folder, name);
    snprintf(output, sizeof output, "%s/%s", l->folder, name);
    snprintf(log, sizeof log, "%s/%s.log", l->folder, name);
    if (!text)
        st = yk_fail(err, YK_E_INPUT, "there is no such example");
    if (!st && !(st = write_file(file, text, err))) {
        snprintf(l->runs[slot].name, sizeof l->runs[slot].name, "%s", name);
        if ((l->runs[slot].process = spawn(l, file, output, log, words)) < 0) {
            l->runs[slot].process = 0;
            st = yk_fail(err, YK_E_IO, "no process for the example: %s", strerror(errno));
        }
    }
end:
    free_words(words);
    return st;
}

bool yk_learn_runs(struct yk_learn *l, const char *name)
{
    yk_learn_reap(l);
    for (int i = 0; i < YK_LEARN_RUNS; i++)
        if (l->runs[i].process && strcmp(l->runs[i].name, name) == 0)
            return true;
    return false;
}

void yk_learn_complaint(const struct yk_learn *l, const char *name, char *text, size_t size)
{
    char path[160];
    FILE *in;

    snprintf(path, sizeof path, "%s/%s.log", l->folder, name);
    *text = 0;
    if ((in = fopen(path, "r"))) {
        if (!fgets(text, (int)size, in))
            *text = 0;
        fclose(in);
    }
    text[strcspn(text, "\n")] = 0;
    if (!*text)
        snprintf(text, size, "the example did not start");
}

bool yk_learn_stop(struct yk_learn *l, const char *name)
{
    for (int i = 0; i < YK_LEARN_RUNS; i++)
        if (l->runs[i].process && strcmp(l->runs[i].name, name) == 0)
            return kill(l->runs[i].process, SIGTERM) == 0;
    return false;
}

void yk_learn_reap(struct yk_learn *l)
{
    for (int i = 0; i < YK_LEARN_RUNS; i++)
        if (l->runs[i].process && waitpid(l->runs[i].process, NULL, WNOHANG) != 0)
            l->runs[i].process = 0;
}

static bool any(struct yk_learn *l)
{
    yk_learn_reap(l);
    for (int i = 0; i < YK_LEARN_RUNS; i++)
        if (l->runs[i].process)
            return true;
    return false;
}

void yk_learn_close(struct yk_learn *l)
{
    for (int i = 0; i < YK_LEARN_RUNS; i++)
        if (l->runs[i].process)
            kill(l->runs[i].process, SIGTERM);
    for (int waited = 0; waited < PATIENCE_MS && any(l); waited += 20)
        usleep(20000);
    for (int i = 0; i < YK_LEARN_RUNS; i++)
        if (l->runs[i].process) {
            kill(l->runs[i].process, SIGKILL);
            waitpid(l->runs[i].process, NULL, 0);
            l->runs[i].process = 0;
        }
    if (*l->folder)
        remove_folder(l->folder);
    *l->folder = 0;
}
