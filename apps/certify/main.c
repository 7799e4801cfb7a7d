/* yoke-certify: the program of `yoke check --certify`. docs/theory/certificates.md. */
#include "certify.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <yoke/figure.h>
#include <yoke/file.h>
#include <yoke/json.h>
#include <yoke/progress.h>
#include <yoke/sha256.h>

#define BUDGET_S    20.0
#define MOST_VARIED 4.0 /* times the limits, that are looked at with values that do not act through ports */

struct run {
    struct certify_words *words;
    struct certify_loop loop;
    struct yk_certificate c;
    double changing; /* least over the parameters that may change; NAN: none of them is known */
    const char *changing_key;
    double most; /* radius at which the search ends */
    char folder[500];
    char worst[600]; /* file of the worst plant; "": none */
};

/* ---- results in words ---- */

static const char *plural(size_t n)
{
    return n == 1 ? "" : "s";
}

/* "stiffness" of "rig.specimen.stiffness", with the actuator or specimen before it if several end alike. */
static const char *short_name(const struct certify_loop *loop, size_t k)
{
    const char *key = loop->key[k].key, *last = strrchr(key, '.'), *name = last ? last + 1 : key;

    for (size_t i = 0; i < loop->count; i++) {
        const char *other = strrchr(loop->key[i].key, '.');

        if (i != k && other && strcmp(other + 1, name) == 0)
            return key;
    }
    return name;
}

static void print_radius(const struct run *r)
{
    const struct yk_certificate *c = &r->c;
    char basis[120];

    snprintf(basis, sizeof basis, "(constant values; %zu parameter%s, %zu arcs, by %s)", r->loop.count,
             plural(r->loop.count), c->arcs, c->method);
    if (c->radius >= 1 && c->limited)
        printf("certificate     stable for all of the file's limits, and up to more than %.3g times as wide %s\n",
               c->radius, basis);
    else if (c->radius >= 1)
        printf("certificate     stable for all of the file's limits, and up to %.3g times as wide %s\n", c->radius,
               basis);
    else if (c->radius > 0)
        printf("certificate     NOT for the file's limits, only for %.3g of them %s\n", c->radius, basis);
    else
        printf("certificate     none: nothing could be proved%s\n", c->spent ? " within the budget" : "");
    if (c->spent)
        printf("                the budget of CPU time was spent: the answer may be smaller than the truth\n");
    if (strcmp(c->method, "scalings") == 0)
        printf("                %zu uncertain parameters: by scalings; the answer may be smaller than the truth\n",
               r->loop.count);
}

static void print_changing(const struct run *r)
{
    if (isnan(r->changing))
        return;
    if (r->changing >= 64)
        printf("changing        at any rate, if %s changes during the test\n", r->changing_key);
    else
        printf("changing        %sup to %.3g times, if %s changes during the test\n",
               r->changing < fmin(r->c.radius, 1) ? "only " : "", r->changing, r->changing_key);
}

static void print_found(const struct run *r)
{
    const struct yk_certificate *c = &r->c;
    char value[80];

    if (!(c->found < INFINITY)) {
        printf("nearest found   no unstable loop\n");
        return;
    }
    printf("nearest found   unstable at %.4g times:", c->found);
    for (size_t i = 0; i < r->loop.count; i++) {
        certify_value_text(&r->loop.key[i], c->worst[i], value, sizeof value);
        printf("%s %s %s%s", i ? "," : "", short_name(&r->loop, i), value,
               r->loop.of[i].least < r->loop.of[i].most && c->worst[i] <= r->loop.of[i].least ? " (its least)" : "");
    }
    if (*r->worst)
        printf(" -> %s", r->worst);
    printf("\n");
    for (size_t i = 0; i < r->loop.count; i++)
        if (c->cut[i])
            printf("                %s: its limits were cut at 0\n", r->loop.key[i].key);
}

static int by_cost(const void *a, const void *b, void *costs)
{
    const struct yk_certify_cost *cost = costs;
    const double x = cost[*(const size_t *)a].without, y = cost[*(const size_t *)b].without;

    return (x < y) - (x > y);
}

static void print_costs(const struct run *r)
{
    size_t order[YK_CERTIFY_PARAMETERS];
    const struct yk_certificate *c = &r->c;

    if (!c->cost || r->loop.count < 2 || !(c->radius > 0) || c->limited || c->spent)
        return;
    for (size_t i = 0; i < r->loop.count; i++)
        order[i] = i;
    qsort_r(order, r->loop.count, sizeof *order, by_cost, c->cost);
    printf("costs most     ");
    for (size_t i = 0; i < r->loop.count; i++)
        printf(i ? "%s %s %s%.3g" : "%s %s: without it %s%.3g times as wide",
               i == 0   ? ""
               : i == 1 ? ";"
                        : ",",
               short_name(&r->loop, order[i]), c->cost[order[i]].without >= r->most ? "more than " : "",
               c->cost[order[i]].without / c->radius);
    printf("\n");
}

/* ---- as JSON ---- */

static json_t *key_values(const struct run *r)
{
    json_t *worst = json_object();
    char value[80];

    for (size_t i = 0; i < r->loop.count; i++) {
        certify_value_text(&r->loop.key[i], r->c.worst[i], value, sizeof value);
        json_object_set_new(worst, r->loop.key[i].key, json_string(value));
    }
    return worst;
}

static json_t *costs(const struct run *r)
{
    json_t *list = json_array();

    for (size_t i = 0; r->c.cost && i < r->loop.count; i++)
        json_array_append_new(list, json_pack("{s:s, s:o, s:o}", "key", r->loop.key[i].key, "alone",
                                              yk_json_number(r->c.cost[i].alone), "without",
                                              yk_json_number(r->c.cost[i].without)));
    return list;
}

/* Checksum of the file with its settings: a certificate belongs to it and to no other. */
static void checksum(const struct run *r, char hex[65])
{
    char *text = yk_model_describe(r->loop.model);
    json_t *all = text ? json_loads(text, 0, NULL) : NULL;
    char *tree = json_dumps(json_object_get(all, "tree"), JSON_COMPACT | JSON_SORT_KEYS);

    yk_sha256(tree ? tree : "", tree ? strlen(tree) : 0, hex);
    free(tree);
    json_decref(all);
    yk_free(text);
}

static json_t *result(const struct run *r)
{
    const struct yk_certificate *c = &r->c;
    char hex[65];

    checksum(r, hex);
    return json_pack("{s:o, s:b, s:o, s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:s, s:o, s:o, s:b, s:f, s:s}", "title",
                     yk_json_any(yk_model_title(r->loop.model)), "certified", c->radius >= 1, "radius",
                     yk_json_number(c->radius), "radius_found", yk_json_number(c->found), "gap",
                     yk_json_number(c->found / c->radius - 1), "changing", yk_json_number(r->changing), "worst",
                     c->found < INFINITY ? key_values(r) : json_null(), "costs", costs(r), "arcs", (json_int_t)c->arcs,
                     "boxes", (json_int_t)c->boxes, "method", c->method, "critical_Hz", yk_json_number(c->critical_Hz),
                     "undecided_at_Hz", yk_json_number(c->undecided_Hz), "budget_spent", c->spent, "spent_s",
                     c->spent_s, "checksum", hex);
}

/* ---- files ---- */

static bool make_folder(const char *path)
{
    char part[500];

    for (const char *p = strchr(path + 1, '/');; p = strchr(p + 1, '/')) {
        snprintf(part, sizeof part, "%.*s", p ? (int)(p - path) : (int)strlen(path), path);
        if (mkdir(part, 0777) && errno != EEXIST)
            return false;
        if (!p)
            return true;
    }
}

static void choose_folder(struct run *r, const char *file)
{
    const char *name = strrchr(file, '/') ? strrchr(file, '/') + 1 : file, *dot = strrchr(name, '.');

    if (r->words->certify.output)
        snprintf(r->folder, sizeof r->folder, "%s", r->words->certify.output);
    else
        snprintf(r->folder, sizeof r->folder, "out/%.*s/certify", dot ? (int)(dot - name) : (int)strlen(name), name);
}

static bool print_json_file(FILE *out, const void *self)
{
    json_t *found = result(self);
    const bool good = found && json_dumpf(found, out, JSON_INDENT(2)) == 0;

    json_decref(found);
    fputc('\n', out);
    return good;
}

static enum yk_status write_files(struct run *r, struct yk_err *err)
{
    char path[600];

    if (r->c.found < INFINITY) {
        snprintf(r->worst, sizeof r->worst, "%s/worst.yaml", r->folder);
        if (!certify_write_worst(&r->loop, r->c.worst, r->worst))
            return yk_fail(err, YK_E_IO, "%s: %s", r->worst, strerror(errno));
    }
    snprintf(path, sizeof path, "%s/certificate.json", r->folder);
    if (!yk_file_replace(path, print_json_file, r))
        return yk_fail(err, YK_E_IO, "%s: %s", path, strerror(errno));
    snprintf(path, sizeof path, "%s/certificate.svg", r->folder);
    if (r->c.count < 2)
        return YK_OK;
    return yk_certificate_draw(&r->c, r->loop.cycle_s, yk_model_title(r->loop.model), path, err);
}

/* ---- the command ---- */

/* The least over the parameters that act through ports. */
static enum yk_status find_changing(struct run *r, const struct yk_certify_problem *problem, struct yk_err *err)
{
    r->changing = NAN;
    for (size_t i = 0; i < r->loop.count; i++) {
        double radius;
        enum yk_status st;

        if (r->loop.of[i].varied)
            continue;
        if ((st = yk_certify_changing(problem, i, &radius, err)))
            return st;
        if (!(r->changing <= radius)) {
            r->changing = radius;
            r->changing_key = short_name(&r->loop, i);
        }
    }
    return YK_OK;
}

static int exit_code(const struct run *r)
{
    const bool changes = r->words->certify.changing && !(r->changing >= 1);

    return r->c.radius >= 1 && !changes ? 0 : 4;
}

static int refuse(const struct run *r, const char *why)
{
    if (r->words->json)
        yk_print_json(json_pack("{s:b, s:s}", "certified", 0, "reason", why));
    else
        printf("certificate     none: %s\n", why);
    return 4;
}

static int certify(struct run *r)
{
    struct yk_certify_settings settings = {.costs = true,
                                           .budget_s = r->words->budget_s > 0 ? r->words->budget_s : BUDGET_S};
    struct yk_err err = {0};
    int code;

    if (certify_read(&r->loop, &err) || certify_open(&r->loop, &err))
        return yk_command_fail(&err);
    if (!r->loop.linear)
        return refuse(r,
                      "the loop is not linear (friction, saturation, adaptation): a certificate needs superposition; "
                      "switch it off or use `yoke study`");
    if (!(r->loop.decay > 0))
        return refuse(r, "the nominal loop is unstable: nothing to certify; see the delay margin");
    for (size_t i = 0; i < r->loop.count; i++)
        if (r->loop.of[i].varied) /* each value takes a realised loop */
            settings.most = settings.most > 0 ? fmax(0.5 * settings.most, 1.5) : MOST_VARIED;
    const struct yk_certify_problem problem = {.count = r->loop.count,
                                               .of = r->loop.of,
                                               .family = certify_family,
                                               .user = &r->loop,
                                               .cycle_s = r->loop.cycle_s};

    r->most = settings.most > 0 ? settings.most : 64;
    if (yk_certify(&problem, &settings, &r->c, &err))
        return yk_command_fail(&err);
    if (find_changing(r, &problem, &err) || write_files(r, &err)) {
        yk_certificate_free(&r->c);
        return yk_command_fail(&err);
    }
    code = exit_code(r);
    if (r->words->json) {
        code = yk_print_json(result(r)) ? 1 : code;
    } else {
        print_radius(r);
        print_changing(r);
        print_found(r);
        print_costs(r);
        printf("%s/certificate.json, certificate.svg\n", r->folder);
    }
    yk_certificate_free(&r->c);
    return code;
}

static int run(int argc, char **argv)
{
    struct certify_words words = {0};
    struct run r = {.words = &words};
    struct yk_words rest;
    struct yk_parts *parts;
    struct yk_err err = {0};
    int code;

    if (!yk_take_options(&command_certify, argc, argv, &words, &rest))
        return 2;
    if (rest.count != 1)
        return yk_misuse(&command_certify, "which experiment file?");
    if (words.certify.cuts && (words.certify.certify || words.certify.changing))
        return yk_misuse(&command_certify, "--cuts or --certify, not both");
    if (words.json)
        yk_command_fail_in_json();
    if (!(parts = yk_command_parts(&command_certify, &rest, &words.set, true, &code)))
        return code;
    r.loop.parts = parts;
    choose_folder(&r, rest.rest[0]);
    if (!make_folder(r.folder)) {
        yk_fail(&err, YK_E_IO, "%s: %s", r.folder, strerror(errno));
        code = yk_command_fail(&err);
    } else if (words.certify.cuts) {
        code = certify_cuts(parts, r.folder, words.json);
    } else {
        code = yk_parts_model(&r.loop.model, parts, &err) ? yk_command_fail(&err) : certify(&r);
        certify_close(&r.loop);
    }
    yk_parts_close(parts);
    return code;
}

int main(int argc, char **argv)
{
    return yk_command_main(&command_certify, run, argc, argv);
}
