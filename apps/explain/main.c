/* yoke explain: which cause limited a test, shown by reruns on the virtual rig without it. docs/explain.md. */
#include "options.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <yoke/json.h>
#include <yoke/page.h>
#include <yoke/parallel.h>
#include <yoke/tree.h>
#include <yoke/variants.h>

enum { MOST_RECORDED = 256, MOST_ACTUATORS = 64, MOST_SETTINGS = 6, REMOVALS = 8, FORMS = 5 };
#define CLEARLY  0.5  /* times the error: what is left without the cause that limited the test */
#define MARKEDLY 0.8  /* likewise, of a cause that the verdict names as well */
#define FELT     0.05 /* error of the response: less is not explained */

/* ---- what can be removed ---- */

struct explained;
static size_t same_estimate(const struct explained *x, int form, char **list, const char **refused);
static size_t one_structure(const struct explained *x, int form, char **list, const char **refused);

#define UNLIMITED                                                                                                      \
    "rig.actuators.%s.capacity.stroke=0", "rig.actuators.%s.capacity.speed=0", "rig.actuators.%s.capacity.force=0",    \
        "rig.actuators.%s.capacity.rate=0"
/* Settings that remove a cause; %s: an actuator, once for each. The first list that is not refused counts. */
static const struct removal {
    const char *cause, *words, *advice;
    bool halves_step;
    /* Settings made from the experiment, malloc'd each; how many. 0: `refused` says why. NULL: those of `set`. */
    size_t (*make)(const struct explained *x, int form, char **list, const char **refused);
    const char *set[FORMS][MOST_SETTINGS];
} removals[REMOVALS] = {
    {"saturation",
     "limits of the actuators",
     "the actuators are too small, or the loads too large: see `demand` of `yoke check`",
     false,
     NULL,
     {{UNLIMITED, "rig.actuators.%s.plant.force_limit=1e12 N"},
      {UNLIMITED, "rig.actuators.%s.plant.supply=1 GPa", "rig.actuators.%s.plant.valve_flow=10"},
      {UNLIMITED, "rig.actuators.%s.plant.current_limit=1e6", "rig.actuators.%s.plant.voltage=1e6"},
      {UNLIMITED},
      {"rig.actuators.%s.capacity={}"}}},
    {"delay",
     "delay and dynamics of the actuators",
     "compensate the delay that is left (`yoke check --compensators`), or use faster actuators",
     false,
     NULL,
     {{"rig.actuators.%s.plant={kind: ideal}", "transfer.%s.compensator={kind: none}",
       "transfer.%s.controller={kind: none}", "transfer.%s.estimator={kind: none}",
       "transfer.%s.feedback={kind: latest}"}}},
    {"compensation",
     "the compensation",
     "it makes the test worse: its delay is wrong, or the target has content beyond its band",
     false,
     NULL,
     {{"transfer.%s.compensator={kind: none}", "transfer.%s.estimator={kind: none}",
       "transfer.%s.feedback={kind: latest}"}}},
    {"sensors",
     "noise, errors and filters of the sensors",
     "check signs, zeros and scales; use sensors of a smaller range, or filters",
     false,
     NULL,
     {{"rig.actuators.%s.sensors={}"}}},
    {"friction",
     "friction and play of the actuators",
     "use guides and joints with less of them",
     false,
     NULL,
     {{"rig.actuators.%s.capacity.friction=0", "rig.actuators.%s.capacity.viscous=0",
       "rig.actuators.%s.capacity.backlash=0"}}},
    {"step", "a shorter time step", "shorten time.step", true, NULL, {{NULL}}},
    {"estimate",
     "the difference between estimate and specimen",
     "identify the specimen, and correct `estimate` of its substructure",
     false,
     same_estimate,
     {{NULL}}},
    {"coupling",
     "the coupling: one structure, integrated by lsrt2 in steps of the fine side",
     "use more accurate coupling, shorter steps, or other sides",
     false,
     one_structure,
     {{NULL}}},
};

/* ---- a rerun ---- */

struct rerun {
    const struct removal *of; /* NULL: as it is */
    json_t *summary;          /* NULL: none */
    double error;             /* NAN: it did not come to its end */
    char level[16], refused[240];
};

struct explained {
    struct yk_variants *variants;
    struct yk_node *tree; /* the experiment with all settings */
    char *words;          /* settings of the recording, and each of them */
    const char *recorded[MOST_RECORDED];
    size_t recorded_count;
    const char *const *given; /* --set */
    size_t given_count;
    char *actuators[MOST_ACTUATORS];
    size_t actuator_count;
    double step_s;
    bool has_reference;
    struct rerun reruns[REMOVALS + 1];
};

static bool is_finished(const struct yk_varied *v)
{
    return strcmp(v->status, "finished") == 0;
}

/* The error of the response: against the reference, or its estimate. */
static double error_of(const struct explained *x, const json_t *summary)
{
    const json_t *measures = json_object_get(json_object_get(summary, "verdict"), "measures"),
                 *error = json_object_get(measures, x->has_reference ? "reference" : "felt");

    return json_is_number(error) ? json_number_value(error) : NAN;
}

static void take(const struct explained *x, const struct yk_varied *v, struct rerun *r)
{
    r->summary = v->summary ? yk_json_read_text(v->summary) : NULL;
    r->error = is_finished(v) ? error_of(x, r->summary) : NAN;
    snprintf(r->level, sizeof r->level, "%s", yk_json_text(json_object_get(r->summary, "verdict"), "level"));
    snprintf(r->refused, sizeof r->refused, "%s", is_finished(v) ? "" : v->reason ? v->reason : v->status);
}

/* ---- settings made from the experiment ---- */

/* A node as YAML on one line. */
static void put_value(FILE *out, const struct yk_node *n)
{
    if (n->type == YK_SCALAR) {
        fputs(n->text, out);
        return;
    }
    fputc(n->type == YK_LIST ? '[' : '{', out);
    for (size_t i = 0; i < n->count; i++) {
        fputs(i ? ", " : "", out);
        if (n->type == YK_MAP)
            fprintf(out, "%s: ", n->items[i]->key);
        put_value(out, n->items[i]);
    }
    fputc(n->type == YK_LIST ? ']' : '}', out);
}

/* Stiffness and damping of the simulated specimen as the estimate of its substructure. A mass there is computed, so it
 * stays. */
static char *estimate_from(const struct yk_node *part, const struct yk_node *specimen)
{
    static const char *const keys[] = {"mass", "damping", "stiffness"};
    char *text = NULL;
    size_t size, count = 0;
    FILE *out = open_memstream(&text, &size);

    if (!out)
        return NULL;
    fprintf(out, "substructures.%s.estimate={", part->key);
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        const struct yk_node *value = yk_node_get(k ? specimen : yk_node_get(part, "estimate"), keys[k]);

        if (!value)
            continue;
        fprintf(out, "%s%s: ", count++ ? ", " : "", keys[k]);
        put_value(out, value);
    }
    fputc('}', out);
    if (fclose(out) == 0 && yk_node_get(specimen, "stiffness"))
        return text;
    free(text);
    return NULL;
}

static size_t same_estimate(const struct explained *x, int form, char **list, const char **refused)
{
    const struct yk_node *parts = yk_node_get(x->tree, "substructures"), *rig = yk_node_get(x->tree, "rig"),
                         *all = yk_node_get(rig, "specimens");
    size_t count = 0;

    *refused = "no specimen of the virtual rig is given by its matrices";
    for (size_t i = 0; form == 0 && parts && i < parts->count && count < MOST_ACTUATORS; i++) {
        const struct yk_node *part = parts->items[i],
                             *specimen = all ? yk_node_get(all, part->key) : yk_node_get(rig, "specimen");

        if (yk_node_get(part, "estimate") && specimen && (list[count] = estimate_from(part, specimen)))
            count++;
    }
    return count;
}

static size_t one_structure(const struct explained *x, int form, char **list, const char **refused)
{
    const struct yk_node *substeps = yk_node_get(yk_node_get(x->tree, "time"), "substeps");
    const double n = substeps && substeps->text ? strtod(substeps->text, NULL) : 1;

    *refused = "one method integrates the whole structure";
    if (form || !yk_node_get(yk_node_get(x->tree, "method"), "coupling") || !(n >= 1))
        return 0;
    list[0] = strdup("method={integrator: lsrt2}");
    list[1] = strdup("time.substeps=1");
    return asprintf(&list[2], "time.step=%.17g", x->step_s / n) < 0 || !list[0] || !list[1] ? 0 : 3;
}

/* The settings of a rerun, malloc'd each; how many. */
static size_t settings_of(const struct explained *x, const struct removal *r, int form, char **list, size_t room,
                          const char **refused)
{
    size_t count = 0;

    if (r && r->make)
        return r->make(x, form, list, refused);

    static const double parts[FORMS] = {2, 5, 3, 4, 10}; /* the first that the control rate can serve counts */

    if (r && r->halves_step && asprintf(&list[count++], "time.step=%.17g", x->step_s / parts[form]) < 0)
        return 0;
    for (size_t k = 0; r && k < MOST_SETTINGS && r->set[form][k]; k++)
        for (size_t i = 0; i < x->actuator_count && count < room; i++) {
            const char *key = r->set[form][k], *place = strstr(key, "%s");

            if (asprintf(&list[count], "%.*s%s%s", (int)(place - key), key, x->actuators[i], place + 2) < 0)
                return 0;
            count++;
        }
    return count;
}

static void run_once(const struct explained *x, const struct removal *of, int form, struct rerun *r)
{
    enum { ROOM = MOST_ACTUATORS * MOST_SETTINGS };
    char *made[ROOM];
    const char *why = "";
    const size_t count = settings_of(x, of, form, made, ROOM, &why);
    const char **all = calloc(x->given_count + count + 1, sizeof *all);
    struct yk_varied v = {0};
    struct yk_err err = {0};

    *r = (struct rerun){.of = of, .error = NAN};
    for (size_t i = 0; all && i < x->given_count; i++)
        all[i] = x->given[i];
    for (size_t i = 0; all && i < count; i++)
        all[x->given_count + i] = made[i];
    if (!all)
        snprintf(r->refused, sizeof r->refused, "out of memory");
    else if (of && of->make && !count)
        snprintf(r->refused, sizeof r->refused, "%s", why);
    else if (yk_variants_run(x->variants, all, x->given_count + count, NULL, &v, &err))
        snprintf(r->refused, sizeof r->refused, "%.230s", yk_err_line(&err).text);
    else
        take(x, &v, r);
    if (of && !r->summary && *err.wording) /* without the place: the setting is not the user's */
        snprintf(r->refused, sizeof r->refused, "%.230s", err.wording);
    yk_varied_free(&v);
    for (size_t i = 0; i < count; i++)
        free(made[i]);
    free(all);
}

/* One of the reruns; the first is the test as it is. */
static void run_job(void *self, size_t k)
{
    struct explained *x = self;
    const struct removal *of = &removals[k];
    struct rerun *r = &x->reruns[k + 1];

    for (int form = 0; form < FORMS && (form == 0 || of->halves_step || of->set[form][0]); form++) {
        run_once(x, of, form, r);
        if (r->summary)
            return;
    }
    if (of->halves_step) /* each part of it was refused, for its own number of ticks */
        snprintf(r->refused, sizeof r->refused, "the control rate serves no shorter step");
}

/* ---- what is explained ---- */

static enum yk_status open_recording(struct explained *x, const char *word, struct yk_err *err)
{
    char *path = yk_command_recording(word);
    struct yk_record *record = NULL;
    enum yk_status st = path ? yk_record_read(&record, path, err) : yk_fail(err, YK_E_MEMORY, "out of memory");

    if (!st) {
        const char *text = yk_record_text(record, "experiment"), *kept = yk_record_text(record, "overrides"),
                   *name = yk_record_text(record, "experiment_path");
        char *rest = x->words = strdup(kept ? kept : "");

        for (char *line; x->words && x->recorded_count < MOST_RECORDED && (line = strsep(&rest, "\n"));)
            if (*line)
                x->recorded[x->recorded_count++] = line;
        st = !text || !x->words ? yk_fail(err, YK_E_INPUT, "%s: the recording has no experiment", path)
                                : yk_variants_open(&x->variants,
                                                   &(struct yk_model_source){.path = name ? name : path,
                                                                             .text = text,
                                                                             .size = strlen(text),
                                                                             .overrides = x->recorded,
                                                                             .override_count = x->recorded_count},
                                                   err);
    }
    yk_record_close(record);
    free(path);
    return st;
}

/* The tree of the experiment, with the settings of the recording and those given. */
static void take_tree(struct explained *x)
{
    const char *text = yk_variants_text(x->variants);

    if (yk_tree_parse(&x->tree, text, strlen(text), "experiment", NULL)) {
        x->tree = NULL;
        return;
    }
    for (size_t i = 0; i < x->recorded_count; i++)
        yk_tree_set(x->tree, x->recorded[i], "settings", NULL);
    for (size_t i = 0; i < x->given_count; i++)
        yk_tree_set(x->tree, x->given[i], "settings", NULL);
}

static bool is_experiment(const char *word)
{
    const char *end = strrchr(word, '.');

    return end && (strcmp(end, ".yaml") == 0 || strcmp(end, ".yml") == 0);
}

/* Actuators, step and reference, from the test as it is. */
static void look(struct explained *x, const json_t *summary)
{
    json_t *tracking = json_object_get(summary, "tracking");

    for (void *at = json_object_iter(tracking); at && x->actuator_count < MOST_ACTUATORS;
         at = json_object_iter_next(tracking, at))
        x->actuators[x->actuator_count++] = strdup(json_object_iter_key(at));
    x->step_s = json_number_value(json_object_get(summary, "step_s"));
    x->has_reference = json_is_object(json_object_get(summary, "errors"));
}

/* ---- the answer ---- */

static int by_error(const void *a, const void *b)
{
    const double x = ((const struct rerun *)a)->error, y = ((const struct rerun *)b)->error;

    return isnan(x) || isnan(y) ? isnan(x) - isnan(y) : (x > y) - (x < y);
}

static const char *first_reason(const struct rerun *r, const char *key)
{
    return yk_json_text(json_array_get(json_object_get(json_object_get(r->summary, "verdict"), "reasons"), 0), key);
}

static const struct rerun *rerun_of(const struct explained *x, const char *cause)
{
    for (size_t i = 1; i <= REMOVALS; i++)
        if (strcmp(x->reruns[i].of->cause, cause) == 0)
            return &x->reruns[i];
    return NULL;
}

/* Without the compensation alone the test is much better: then it is the cause and not the actuator. */
static const struct rerun *compensated(const struct explained *x, const struct rerun *found)
{
    const struct rerun *without = rerun_of(x, "compensation");

    if (strcmp(found->of->cause, "delay") != 0 || isnan(without->error) ||
        !(isnan(x->reruns[0].error) || without->error < CLEARLY * x->reruns[0].error))
        return found;
    return without;
}

/* The cause without which the error is much smaller: the one that the verdict names, or else the one without which it
 * is smallest. An ideal actuator has no limits inside its plant either, so the smallest error alone would call a weak
 * actuator slow. NULL: none of them. */
static const struct rerun *worst_of(const struct explained *x)
{
    const double error = x->reruns[0].error;
    const struct yk_cause *named = yk_cause_of(first_reason(&x->reruns[0], "criterion"));
    const struct rerun *first = &x->reruns[1];

    if (error <= FELT || isnan(first->error))
        return NULL;
    const struct rerun *likely = named ? rerun_of(x, named->key) : NULL;

    if (likely && likely->error < MARKEDLY * error)
        return compensated(x, likely);
    return isnan(error) || first->error < CLEARLY * error ? compensated(x, first) : NULL;
}

static void print_error(double error, const char *refused)
{
    if (isnan(error))
        printf("%12s", *refused ? "-" : "not known");
    else
        printf("%10.3g %%", 100 * error);
}

static void print(const struct explained *x)
{
    const struct rerun *base = &x->reruns[0], *worst = worst_of(x);

    printf("%s\n  %s\n", yk_variants_title(x->variants),
           x->has_reference
               ? "error against the reference (NRMS) on the virtual rig"
               : "estimated error of the response on the virtual rig; `reference: monolithic` makes it exact");
    print_error(base->error, base->refused);
    printf("  as it is: %s%s%s\n", *base->level ? base->level : base->refused, *first_reason(base, "text") ? ": " : "",
           first_reason(base, "text"));
    for (size_t i = 1; i <= REMOVALS; i++) {
        const struct rerun *r = &x->reruns[i];

        print_error(r->error, r->refused);
        if (r->of->halves_step)
            printf("  with %s", r->of->words);
        else
            printf("  without %s", r->of->words);
        printf("%s%s\n", *r->refused ? ": " : "", r->refused);
    }
    if (worst)
        printf("  the test is limited by: %s; %s\n", worst->of->cause, worst->of->advice);
    else if (base->error <= FELT)
        puts("  nothing limits it: the error is below 5 %");
    else
        puts("  none of these causes alone explains half of the error: several act together, or the model does");
}

static int print_as_json(const struct explained *x)
{
    const struct rerun *base = &x->reruns[0], *worst = worst_of(x);
    json_t *causes = json_array();

    for (size_t i = 1; i <= REMOVALS; i++) {
        const struct rerun *r = &x->reruns[i];

        json_array_append_new(causes,
                              json_pack("{s:s, s:s, s:o, s:s, s:s, s:o}", "cause", r->of->cause, "words", r->of->words,
                                        "error", yk_json_number(r->error), "level", r->level, "advice", r->of->advice,
                                        "refused", *r->refused ? yk_json_any(r->refused) : json_null()));
    }
    return yk_print_json(
        json_pack("{s:o, s:O, s:s, s:o, s:o, s:o}", "title", yk_json_any(yk_variants_title(x->variants)), "verdict",
                  json_object_get(base->summary, "verdict") ? json_object_get(base->summary, "verdict") : json_null(),
                  "measure", x->has_reference ? "reference" : "felt", "error", yk_json_number(base->error), "worst",
                  worst ? json_string(worst->of->cause) : json_null(), "causes", causes));
}

static int explain(struct explained *x, const struct explain_options *o)
{
    struct rerun *base = &x->reruns[0];

    run_once(x, NULL, 0, base);
    if (!base->summary) {
        fprintf(stderr, "yoke: %s\n", base->refused);
        return 2;
    }
    look(x, base->summary);
    if (*base->refused == 0)
        base->error = error_of(x, base->summary);
    if (!x->actuator_count) {
        fputs("yoke: no substructure is physical: there is no rig whose errors could be removed\n", stderr);
        return 2;
    }
    take_tree(x);
    yk_parallel(REMOVALS, (int)o->jobs, run_job, x);
    qsort(x->reruns + 1, REMOVALS, sizeof *x->reruns, by_error);
    if (o->json)
        return print_as_json(x);
    print(x);
    return 0;
}

static int run(int argc, char **argv)
{
    struct explain_options o = {.jobs = sysconf(_SC_NPROCESSORS_ONLN)};
    struct explained x = {0};
    struct yk_words words;
    struct yk_err err = {0};
    enum yk_status st;
    int code;

    if (!yk_take_options(&command_explain, argc, argv, &o, &words))
        return 2;
    if (words.count != 1)
        return yk_misuse(&command_explain, "which run, or which experiment file?");
    if (o.json)
        yk_command_fail_in_json();
    x.given = o.set.text;
    x.given_count = o.set.count;
    st = is_experiment(words.rest[0])
             ? yk_variants_open(&x.variants, &(struct yk_model_source){.path = words.rest[0]}, &err)
             : open_recording(&x, words.rest[0], &err);
    code = st ? yk_command_fail(&err) : explain(&x, &o);
    if (st && st != YK_E_MEMORY)
        code = 2; /* what cannot be read is bad input */
    for (size_t i = 0; i <= REMOVALS; i++)
        json_decref(x.reruns[i].summary);
    for (size_t i = 0; i < x.actuator_count; i++)
        free(x.actuators[i]);
    yk_variants_close(x.variants);
    yk_tree_free(x.tree);
    free(x.words);
    return code;
}

int main(int argc, char **argv)
{
    return yk_command_main(&command_explain, run, argc, argv);
}
