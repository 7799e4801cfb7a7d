/* yoke results: drifts, forces and reactions of frames in a recording. */
#include "options.h"

#include <errno.h>
#include <jansson.h>
#include <libgen.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <yoke/file.h>
#include <yoke/results.h>

static double number(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);

    return json_is_number(value) ? json_number_value(value) : NAN;
}

/* A force; "-" where it is not known. */
static struct yk_quantity_text force(double value)
{
    return isfinite(value) ? yk_quantity_format(value, YK_PLAIN_FORCE, 5) : (struct yk_quantity_text){"-"};
}

/* A number with so many decimals, likewise. */
static struct yk_quantity_text plain(double value, int decimals)
{
    struct yk_quantity_text text = {"-"};

    if (isfinite(value))
        snprintf(text.text, sizeof text.text, "%.*f", decimals, value);
    return text;
}

static void print_storeys(const json_t *all)
{
    const json_t *drift = json_object_get(all, "drift"), *one;
    size_t i;

    if (!json_is_object(drift) || !isfinite(number(drift, "peak")))
        return;
    printf("drift      peak %.4g %% in storey %d at %.4g s; residual %.3g %%%s\n", 100 * number(drift, "peak"),
           (int)number(drift, "storey"), number(drift, "time_s"), 100 * number(drift, "residual"),
           json_is_true(json_object_get(drift, "still_moving")) ? " (still moving)" : "");
    puts("           peak drift  residual  shear          acceleration  floor");
    json_array_foreach(json_object_get(all, "storeys"), i, one)
        printf("%-10s %8s %%  %8s %%  %-13s  %7s m/s2  %s\n", json_string_value(json_object_get(one, "name")),
               plain(100 * number(one, "peak"), 4).text, plain(100 * number(one, "residual"), 4).text,
               force(number(one, "shear_N")).text, plain(number(one, "acceleration_m_s2"), 4).text,
               json_string_value(json_object_get(one, "floor")));
}

static void print_base(const json_t *all)
{
    const char *key;
    json_t *one;

    json_object_foreach(json_object_get(all, "base"), key, one) if (isfinite(number(one, "over_weight")))
        printf("base.%-5s %s (%.3f of the weight %s)\n", key, force(number(one, "peak")).text,
               number(one, "over_weight"), force(number(all, "weight_N")).text);
    json_object_foreach(json_object_get(all, "overturning"), key, one) if (isfinite(number(one, "most")))
        printf("%-10s %.6g to %.6g N m\n", key, number(one, "least"), number(one, "most"));
}

static void print_members(const json_t *all)
{
    const json_t *list = json_object_get(all, "members"), *one;
    const char *key;
    json_t *value;
    size_t i, unknown = 0;

    json_array_foreach(list, i, one)
    {
        size_t known = 0;

        json_object_foreach((json_t *)one, key, value) if (json_is_number(value))
        {
            if (!known++)
                printf("%-18s", json_string_value(json_object_get(one, "name")));
            printf(" %s %.5g", key, json_number_value(value));
        }
        if (known)
            putchar('\n');
        unknown += !known;
    }
    if (unknown)
        printf("note: displacements or forces of %zu of %zu members were not recorded (`record.channels`), so that "
               "their end "
               "forces%s are not known\n",
               unknown, json_array_size(list), unknown == json_array_size(list) ? ", storey shear and reactions" : "");
}

static void print_hinges(const json_t *all)
{
    const json_t *list = json_object_get(all, "hinges"), *one;
    size_t i;

    if (json_array_size(list))
        puts("hinge                          rotation, rad               ductility  state");
    json_array_foreach(list, i, one)
        printf("%-28s %11.4g to %-11.4g  %9s  %s\n", json_string_value(json_object_get(one, "name")),
               number(one, "least_rad"), number(one, "most_rad"), plain(number(one, "ductility"), 2).text,
               json_string_value(json_object_get(one, "state")));
}

static int write_csv(struct yk_recorded_results *r, const char *path)
{
    struct yk_results *results = yk_recorded_results_of(r);
    const size_t count = yk_results_count(results), floors = yk_results_floors(results);
    double *row = calloc(count + floors + 1, sizeof *row), t;
    FILE *out = row ? fopen(path, "w") : NULL;

    if (!out) {
        fprintf(stderr, "yoke: %s: %s\n", path, row ? strerror(errno) : "out of memory");
        free(row);
        return row ? 2 : 1;
    }
    fputs("time", out);
    for (size_t i = 0; i < count; i++)
        fprintf(out, ",%s", yk_results_name(results, i));
    for (size_t i = 0; i < floors; i++) {
        const char *name = yk_results_floor(results, i);

        fprintf(out, ",%.*s.a", (int)(strlen(name) - 2), name);
    }
    fputc('\n', out);
    for (size_t k = 0; k < yk_recorded_results_rows(r); k++) {
        yk_recorded_results_row(r, k, &t, row, row + count);
        fprintf(out, "%.12g", t);
        for (size_t i = 0; i < count + floors; i++)
            fprintf(out, ",%.17g", row[i]);
        fputc('\n', out);
    }
    free(row);
    const bool failed = ferror(out);
    if (fclose(out) || failed) {
        fprintf(stderr, "yoke: %s cannot be written\n", path);
        return 1;
    }
    return 0;
}

/* The key `results` of DIR/summary.json; the file is replaced as a whole. */
static int add_to_summary(const char *recording, json_t *all)
{
    char *copy = strdup(recording), *path = NULL, *part = NULL;
    json_t *summary = NULL;
    int code = 1;

    if (copy && asprintf(&path, "%s/summary.json", dirname(copy)) >= 0 && asprintf(&part, "%s.part", path) >= 0 &&
        (summary = json_load_file(path, 0, NULL)) && json_is_object(summary)) {
        json_object_set(summary, "results", all);
        code = json_dump_file(summary, part, JSON_INDENT(2) | JSON_PRESERVE_ORDER) || rename(part, path) ? 1 : 0;
    }
    if (code)
        fprintf(stderr, "yoke: %s cannot be completed\n", path ? path : recording);
    json_decref(summary);
    free(copy);
    free(path);
    free(part);
    return code;
}

static int show(struct yk_recorded_results *r, const struct results_options *o, const char *recording)
{
    struct yk_run_results found;
    struct yk_err err = {0};
    int code = 0;

    if (!yk_results_count(yk_recorded_results_of(r))) {
        if (!o->summary)
            fprintf(stderr, "yoke: %s: no substructure is a frame\n", recording);
        return o->summary ? 0 : 2;
    }
    if (yk_run_results_find(&found, r, &err))
        return yk_command_fail(&err);
    json_t *all = yk_run_results_json(&found, r);

    if (o->csv)
        code = write_csv(r, o->csv);
    if (o->summary) {
        code = code ? code : add_to_summary(recording, all);
        json_decref(all);
    } else if (o->json) {
        const int printed = yk_print_json(all);

        code = code ? code : printed;
    } else {
        const char *why = yk_results_no_storeys(yk_recorded_results_of(r));

        print_storeys(all);
        print_base(all);
        print_members(all);
        print_hinges(all);
        if (*why)
            printf("note: %s\n", why);
        json_decref(all);
    }
    yk_run_results_free(&found);
    return code;
}

static int run(int argc, char **argv)
{
    struct results_options o = {0};
    struct yk_recorded_results *r;
    struct yk_words words;
    struct yk_err err = {0};
    char *path;
    int code;

    if (!yk_take_options(&command_results, argc, argv, &o, &words))
        return 2;
    if (words.count != 1)
        return yk_misuse(&command_results, words.count ? "one recording at a time" : "which recording?");
    if (!(path = yk_command_recording(words.rest[0])))
        return 1;
    if (yk_recorded_results_open(&r, path, &err)) {
        yk_command_fail(&err);
        code = 2;
    } else {
        code = show(r, &o, path);
        yk_recorded_results_close(r);
    }
    free(path);
    return code;
}

int main(int argc, char **argv)
{
    return yk_command_main(&command_results, run, argc, argv);
}
