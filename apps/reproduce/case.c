/* claims.yaml to a case, and its claims to verdicts. */
#include "case.h"
#include "quantity.h"
#include "wrong.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <yoke/clock.h>
#include <yoke/sha256.h>
#include <yoke/text.h>

struct root {
    char *title, *source, *about, *file;
    bool quick;
};

static const struct yk_param root_keys[] = {
    YK_TEXT(struct root, title, YK_REQUIRED, "one line that names the case"),
    YK_TEXT(struct root, source, YK_REQUIRED, "figure, table or section of the paper"),
    YK_TEXT(struct root, about, 0, "what is compared, and what the paper leaves open"),
    YK_FLAG(struct root, quick, 0, "one of the representative cases"),
    YK_TEXT(struct root, file, 0, "experiment file where a quantity names none"),
    YK_NODE("set", "map of settings", 0, "of every variant"),
    YK_NODE("variants", "map of name to settings", 0, "named settings"),
    YK_NODE("reduce", "map of file, substructure, modes", 0, "made before anything else runs; others take the result"),
    YK_NODE("recordings", "map of file to SHA-256", 0, "that measured values come from; the first digits are enough"),
    YK_NODE("claims", "list of claims", YK_REQUIRED, "what the paper says"),
    YK_NODE("figures", "list of figures", 0, "pictures like those of the paper"),
    YK_PARAM_END,
};

static const struct yk_param claim_keys[] = {
    YK_TEXT(struct yk_claim, claim, YK_REQUIRED, "the claim in own words"),
    YK_TEXT(struct yk_claim, where, YK_REQUIRED, "in the paper"),
    YK_CHOICE(struct yk_claim, origin, "printed|stated|derived|surrogate|fitted|input|repeated|measured", YK_ORIGINS,
              "of the expected value"),
    YK_TEXT(struct yk_claim, published, 0, "value or statement of the paper; needed where it is printed or stated"),
    YK_TEXT(struct yk_claim, key, 0, "number or words that stand at this place of the paper; default `published`"),
    YK_TEXT(struct yk_claim, guessed, 0,
            "inputs that are not in the paper; needed for a surrogate and for what is fitted"),
    YK_TEXT(struct yk_claim, counted, 0,
            "claim that counts the same number: its text, or `case: text` in another case"),
    YK_CHOICE(struct yk_claim, status, "met|not-met|paper-in-error|disagreement", YK_MET, "what came of it"),
    YK_TEXT(struct yk_claim, why, 0, "needed unless met: what is wrong, missing or different"),
    YK_TEXT(struct yk_claim, proof, 0, "how it is known that the paper is in error"),
    YK_TEXT(struct yk_claim, prototype, 0, "expression of tests/prototypes that gives the expected value"),
    YK_TEXT(struct yk_claim, unit, 0, "of the value"),
    YK_NODE("obtain", "quantity", 0, "what is computed"),
    YK_NODE("expect", "map of value, tolerance, within, above, below", 0, "what it must be"),
    YK_NODE("wrong", "words of the quantity", 0, "that replace those of `obtain`; `set` is added. The claim must fail"),
    YK_PARAM_END,
};

struct expect {
    double value, tolerance, within, above, below;
};

static const struct yk_param expect_keys[] = {
    YK_REAL(struct expect, value, YK_NUMBER, NAN, -1e300, 1e300, "expected, with tolerance or within"),
    YK_REAL(struct expect, tolerance, YK_NUMBER, 0, 0, 10, "relative"),
    YK_REAL(struct expect, within, YK_NUMBER, 0, 0, 1e300, "absolute"),
    YK_REAL(struct expect, above, YK_NUMBER, -INFINITY, -1e300, 1e300, "lower bound"),
    YK_REAL(struct expect, below, YK_NUMBER, INFINITY, -1e300, 1e300, "upper bound"),
    YK_PARAM_END,
};

static const struct yk_field_context no_files = {.directory = "", .force_means = YK_FORCE};

const char *yk_origin_text(enum yk_origin origin)
{
    return (const char *const[]){
        "printed", "stated", "derived", "surrogate", "fitted", "input", "repeated", "measured"}[origin];
}

const char *yk_claim_status_text(enum yk_claim_status status)
{
    return (const char *const[]){"met", "not met", "paper in error", "disagreement"}[status];
}

const char *yk_claim_verdict_text(const struct yk_claim *c)
{
    return c->verdict == YK_FAILS         ? "FAILS"
           : c->verdict == YK_NOT_CHECKED ? "not checked"
                                          : yk_claim_status_text(c->status);
}

/* ---- expectations ---- */

static void describe(struct yk_claim *c, const struct expect *x)
{
    const bool above = isfinite(x->above), below = isfinite(x->below);

    if (!isnan(x->value) && x->tolerance > 0)
        snprintf(c->expected, sizeof c->expected, "%.8g ± %.3g %%", x->value, 100 * x->tolerance);
    else if (!isnan(x->value) && x->within > 0)
        snprintf(c->expected, sizeof c->expected, "%.8g ± %.3g", x->value, x->within);
    else if (!isnan(x->value))
        snprintf(c->expected, sizeof c->expected, "%.8g", x->value);
    else if (above && below)
        snprintf(c->expected, sizeof c->expected, "%.8g .. %.8g", x->above, x->below);
    else
        snprintf(c->expected, sizeof c->expected, "%s %.8g", above ? ">" : "<", above ? x->above : x->below);
}

static enum yk_status read_expect(const struct yk_node *map, struct yk_claim *c, struct yk_err *err)
{
    struct expect x;
    enum yk_status st;

    if ((st = yk_field_type(map, YK_MAP, "a map", err)) || (st = yk_field_known(map, expect_keys, NULL, err)))
        return st;
    /* `value` may be left out: read it by itself, since a missing number would be refused */
    x = (struct expect){NAN, 0, 0, -INFINITY, INFINITY};
    for (const struct yk_param *p = expect_keys; p->name; p++) {
        const struct yk_node *node = yk_node_get(map, p->name);

        if (node && (st = yk_field_real(node, YK_NUMBER, p->min, p->max, (double *)((char *)&x + p->offset), err)))
            return st;
    }
    if (!map->count || (!isnan(x.value) && (isfinite(x.above) || isfinite(x.below))))
        return yk_fail_at(err, YK_E_INPUT, map->where,
                          "expect: either value (with tolerance or within), or above and "
                          "below");
    const double slack = isnan(x.value) ? 0 : fmax(x.tolerance * fabs(x.value), x.within);
    c->low = isnan(x.value) ? x.above : x.value - slack;
    c->high = isnan(x.value) ? x.below : x.value + slack;
    describe(c, &x);
    return YK_OK;
}

/* Statements about a claim that exclude each other. */
static enum yk_status check_contradictions(const struct yk_node *map, const struct yk_claim *c, struct yk_err *err)
{
    const struct {
        bool wrong;
        const char *text;
    } rules[] = {
        {c->origin == YK_PRINTED && c->guessed, "a printed number whose inputs were guessed is a surrogate, or fitted"},
        {c->status == YK_PAPER_IN_ERROR && c->guessed,
         "a paper cannot be shown to be in error with inputs that were guessed; use the status disagreement"},
        {c->origin != YK_REPEATED && c->counted, "'counted' goes with the origin repeated only"},
    };

    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (rules[i].wrong)
            return yk_fail_at(err, YK_E_INPUT, map->where, "%s", rules[i].text);
    return YK_OK;
}

/* Keys that a claim of this origin and status needs. */
static enum yk_status check_claim(const struct yk_node *map, const struct yk_claim *c, struct yk_err *err)
{
    const bool in_paper = c->origin <= YK_STATED || (c->origin >= YK_FITTED && c->origin < YK_MEASURED);
    const struct {
        bool missing;
        const char *key, *when;
    } rules[] = {
        {c->origin == YK_ORIGINS, "origin", "printed, stated, derived, surrogate, fitted, input, repeated or measured"},
        {in_paper && !c->published, "published", "needed unless the origin is derived or surrogate"},
        {(c->origin == YK_SURROGATE || c->origin == YK_FITTED) && !c->guessed, "guessed",
         "needed where the origin is surrogate or fitted"},
        {c->origin == YK_REPEATED && !c->counted, "counted", "needed where the origin is repeated"},
        {c->status != YK_MET && !c->why, "why", "needed unless met"},
        {c->status == YK_PAPER_IN_ERROR && !c->proof, "proof", "needed where the paper is in error"},
        {c->status != YK_NOT_MET && !yk_node_get(map, "obtain"), "obtain", "needed unless not met"},
        {!yk_node_get(map, "expect") && (c->status != YK_NOT_MET || yk_node_get(map, "obtain")), "expect",
         "needed unless nothing is obtained"},
        {yk_node_get(map, "wrong") && !yk_node_get(map, "obtain"), "obtain", "that `wrong` changes"},
    };

    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (rules[i].missing)
            return yk_fail_at(err, YK_E_INPUT, map->where, "missing '%s' (%s)", rules[i].key, rules[i].when);
    return check_contradictions(map, c, err);
}

static enum yk_status read_claim(const struct yk_lab *lab, const struct yk_node *map, struct yk_claim *c,
                                 struct yk_err *err)
{
    const struct yk_node *obtain = yk_node_get(map, "obtain"), *expect = yk_node_get(map, "expect");
    enum yk_status st;

    if ((st = yk_field_type(map, YK_MAP, "a claim", err)) || (st = yk_field_known(map, claim_keys, NULL, err)) ||
        (st = yk_field_settings(map, claim_keys, c, &no_files, err)))
        return st;
    c->low = -INFINITY;
    c->high = INFINITY;
    c->obtained = c->wrong_obtained = NAN;
    c->verdict = obtain ? YK_NOT_CHECKED : YK_NO_VERDICT;
    if ((st = check_claim(map, c, err)) || (expect && (st = read_expect(expect, c, err))) ||
        (obtain && (st = yk_obtain_check(lab, obtain, err))))
        return st;
    return yk_wrong_read(lab, map, c->wrong, sizeof c->wrong, err);
}

/* ---- the case ---- */

/* A recording that is not the one that a figure was taken from would be compared with the wrong number. */
static enum yk_status check_recordings(const struct yk_case *c, struct yk_err *err)
{
    const struct yk_node *map = yk_node_get(yk_case_self((struct yk_case *)c)->tree, "recordings");
    const struct yk_text_limits limits = yk_text_limits();
    enum yk_status st = map ? yk_field_type(map, YK_MAP, "a map of file to SHA-256", err) : YK_OK;

    for (size_t i = 0; map && i < map->count && !st; i++) {
        const struct yk_node *one = map->items[i];
        char *path = yk_field_path(c->folder, one->key), hex[65];
        struct yk_text text = {0};

        if (!path)
            return yk_fail(err, YK_E_MEMORY, "out of memory");
        if (!(st = yk_text_load_limited(&text, path, &limits, err))) { /* as it is: packed */
            yk_sha256(text.data, text.size, hex);
            if (one->type != YK_SCALAR || strlen(one->text) < 8 || strncmp(hex, one->text, strlen(one->text)) != 0)
                st = yk_fail_at(err, YK_E_INPUT, one->where, "%s has the SHA-256 %s", one->key, hex);
        }
        yk_text_free(&text);
        free(path);
    }
    return st;
}

/* Claims of recordings say which one. */
static enum yk_status check_measured(const struct yk_case *c, const struct yk_node *map, const struct yk_claim *claim,
                                     struct yk_err *err)
{
    const struct yk_node *all = yk_node_get(yk_case_self((struct yk_case *)c)->tree, "recordings");
    bool named = false;

    for (size_t i = 0; all && i < all->count; i++) {
        const char *slash = strrchr(all->items[i]->key, '/'), *name = slash ? slash + 1 : all->items[i]->key;
        char stem[128]; /* "chirp-may-0.5A" */

        snprintf(stem, sizeof stem, "%s", name);
        for (const char *const *tail = (const char *const[]){".csv", ".txt", NULL}; *tail; tail++)
            if (strstr(stem, *tail))
                *strstr(stem, *tail) = 0;
        named |= strstr(claim->where, stem) != NULL;
    }
    if (claim->origin != YK_MEASURED || (named && claim->published))
        return YK_OK;
    return yk_fail_at(err, YK_E_INPUT, map->where,
                      "a measured claim needs `published` (the figure, and whose it is), and `where` with the name of "
                      "one of the case's `recordings`");
}

static enum yk_status read_claims(struct yk_case *c, struct yk_err *err)
{
    struct yk_case_self *s = yk_case_self(c);
    const struct yk_node *list = yk_node_get(s->tree, "claims"), *figures = yk_node_get(s->tree, "figures");
    enum yk_status st;

    if ((st = yk_field_type(list, YK_LIST, "a list of claims", err)) || (st = check_recordings(c, err)))
        return st;
    if (!(c->claims = calloc(list->count + 1, sizeof *c->claims)))
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    for (c->claim_count = 0; c->claim_count < list->count; c->claim_count++)
        if ((st = read_claim(&s->lab, list->items[c->claim_count], &c->claims[c->claim_count], err)) ||
            (st = check_measured(c, list->items[c->claim_count], &c->claims[c->claim_count], err)))
            return st;
    if (!figures)
        return YK_OK;
    if ((st = yk_field_type(figures, YK_LIST, "a list of figures", err)))
        return st;
    c->figure_count = figures->count;
    return yk_figures_check(c, err);
}

static enum yk_status read_root(struct yk_case *c, struct yk_err *err)
{
    struct yk_case_self *s = yk_case_self(c);
    struct root root = {0};
    enum yk_status st;

    if ((st = yk_field_known(s->tree, root_keys, NULL, err)) ||
        (st = yk_field_settings(s->tree, root_keys, &root, &no_files, err)))
        return st;
    c->title = root.title;
    c->source = root.source;
    c->about = root.about;
    c->quick = root.quick;
    free(root.file);
    const struct yk_node *file = yk_node_get(s->tree, "file");
    s->lab = (struct yk_lab){.folder = c->folder,
                             .file = file ? file->text : NULL,
                             .set = yk_node_get(s->tree, "set"),
                             .variants = yk_node_get(s->tree, "variants"),
                             .reduce = yk_node_get(s->tree, "reduce")};
    if (s->lab.reduce && ((st = yk_field_type(s->lab.reduce, YK_MAP, "a map", err)) ||
                          (st = yk_field_known(s->lab.reduce, yk_keys_reduce, NULL, err)) ||
                          (st = yk_field_settings(s->lab.reduce, yk_keys_reduce, NULL, &no_files, err))))
        return st;
    if (s->lab.variants && (st = yk_field_type(s->lab.variants, YK_MAP, "a map of variants", err)))
        return st;
    return read_claims(c, err);
}

/* Memory of a case that is not read yet. */
static struct yk_case *allocate(const char *folder, const char *id)
{
    struct yk_case *c = calloc(1, sizeof *c);
    struct yk_case_self *s;

    if (!c)
        return NULL;
    if (!(c->self = s = calloc(1, sizeof *s)) || !(c->folder = strdup(folder)) || !(c->id = strdup(id)) ||
        asprintf(&s->path, "%s/claims.yaml", folder) < 0) {
        yk_case_close(c);
        return NULL;
    }
    return c;
}

enum yk_status yk_case_open(struct yk_case **opened, const char *folder, const char *id, struct yk_err *err)
{
    struct yk_case *c = allocate(folder, id);
    enum yk_status st;

    *opened = NULL;
    if (!c)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    struct yk_case_self *s = yk_case_self(c);
    if (!(st = yk_tree_load(&s->tree, s->path, err)))
        st = read_root(c, err);
    if (st)
        yk_case_close(c);
    else
        *opened = c;
    return st;
}

void yk_case_close(struct yk_case *c)
{
    if (!c)
        return;
    struct yk_case_self *s = yk_case_self(c);

    for (size_t i = 0; c->claims && i < yk_node_get(s->tree, "claims")->count; i++)
        yk_param_free(claim_keys, &c->claims[i]);
    free(c->claims);
    if (s) {
        yk_lab_fini(&s->lab);
        yk_tree_free(s->tree);
        free(s->path);
    }
    free(s);
    free(c->id);
    free(c->folder);
    free(c->title);
    free(c->source);
    free(c->about);
    free(c);
}

static bool is_expected(const struct yk_claim *claim, double value)
{
    return value >= claim->low && value <= claim->high;
}

void yk_case_check(struct yk_case *c)
{
    struct yk_case_self *s = yk_case_self(c);
    const struct yk_node *list = yk_node_get(s->tree, "claims");
    const int64_t begin = yk_clock_now_ns();

    for (size_t i = 0; i < c->claim_count; i++) {
        struct yk_claim *claim = &c->claims[i];
        const struct yk_node *obtain = yk_node_get(list->items[i], "obtain");
        struct yk_err err = {0};

        if (!obtain)
            continue;
        if (yk_obtain(&s->lab, obtain, &claim->obtained, &err)) {
            claim->obtained = NAN;
            snprintf(claim->message, sizeof claim->message, "%.399s", yk_err_line(&err).text);
        }
        claim->verdict = is_expected(claim, claim->obtained) ? YK_HOLDS : YK_FAILS;
    }
    c->seconds = 1e-9 * (double)(yk_clock_now_ns() - begin);
}

void yk_case_mutate(struct yk_case *c)
{
    struct yk_case_self *s = yk_case_self(c);
    const struct yk_node *list = yk_node_get(s->tree, "claims");

    for (size_t i = 0; i < c->claim_count; i++) {
        struct yk_claim *claim = &c->claims[i];
        struct yk_err err = {0};

        if (!*claim->wrong)
            continue;
        if (yk_wrong_obtain(&s->lab, list->items[i], &claim->wrong_obtained, &err)) {
            snprintf(claim->message, sizeof claim->message, "wrong variant: %.380s", yk_err_line(&err).text);
            claim->mutation = YK_SURVIVES;
        } else {
            claim->mutation = is_expected(claim, claim->wrong_obtained) ? YK_SURVIVES : YK_CAUGHT;
        }
    }
}

size_t yk_case_survivors(const struct yk_case *c)
{
    size_t survivors = 0;

    for (size_t i = 0; i < c->claim_count; i++)
        survivors += c->claims[i].verdict != YK_NO_VERDICT && c->claims[i].mutation != YK_CAUGHT;
    return survivors;
}

size_t yk_case_failures(const struct yk_case *c)
{
    size_t failures = 0;

    for (size_t i = 0; i < c->claim_count; i++)
        failures += c->claims[i].verdict == YK_FAILS;
    return failures;
}

/* ---- all cases ---- */

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Adds folder/name for each folder with claims.yaml below papers/paper. */
static enum yk_status add_cases(const char *papers, const char *paper, char ***ids, size_t *count, struct yk_err *err)
{
    char *folder = NULL, *claims = NULL, *id = NULL, **more;
    struct dirent *entry;
    DIR *dir;

    if (asprintf(&folder, "%s/%s", papers, paper) < 0)
        return yk_fail(err, YK_E_MEMORY, "out of memory");
    dir = opendir(folder);
    free(folder);
    while (dir && (entry = readdir(dir))) {
        if (entry->d_name[0] == '.')
            continue;
        if (asprintf(&claims, "%s/%s/%s/claims.yaml", papers, paper, entry->d_name) < 0 ||
            asprintf(&id, "%s/%s", paper, entry->d_name) < 0 ||
            !(more = realloc(*ids, (*count + 1) * sizeof(char *)))) {
            closedir(dir);
            return yk_fail(err, YK_E_MEMORY, "out of memory");
        }
        *ids = more;
        if (access(claims, R_OK) == 0)
            (*ids)[(*count)++] = id;
        else
            free(id);
        free(claims);
    }
    if (dir)
        closedir(dir);
    return YK_OK;
}

enum yk_status yk_cases_find(const char *papers, char ***ids, size_t *count, struct yk_err *err)
{
    DIR *dir = opendir(papers);
    struct dirent *entry;
    enum yk_status st = YK_OK;

    *ids = NULL;
    *count = 0;
    if (!dir)
        return yk_fail(err, YK_E_INPUT, "there is no folder %s with the published cases", papers);
    while ((entry = readdir(dir)) && !st)
        if (entry->d_name[0] != '.')
            st = add_cases(papers, entry->d_name, ids, count, err);
    closedir(dir);
    if (*count)
        qsort(*ids, *count, sizeof **ids, by_name);
    return st;
}
