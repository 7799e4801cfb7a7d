/* The result of `yoke reproduce`: claims counted by origin and verdict, as tables on the terminal and as JSON, and the
 * exit code. */
#include "pages.h"

#include <stdlib.h>
#include <string.h>
#include <yoke/json.h>

void reproduce_obtained(const json_t *claim, char *text, size_t size)
{
    const json_t *value = json_object_get(claim, "obtained");
    const char *unit = yk_json_text(claim, "unit");

    if (json_is_true(json_object_get(claim, "unbounded")))
        snprintf(text, size, "none found");
    else if (json_is_number(value))
        snprintf(text, size, "%.8g%s%s", json_number_value(value), *unit ? " " : "", unit);
    else
        snprintf(text, size, "-");
}

/* ---- counts ---- */

const char *reproduce_origin(size_t origin)
{
    return yk_origin_text((enum yk_origin)origin);
}

const char *reproduce_verdict(size_t verdict)
{
    return verdict < YK_CLAIM_STATUSES ? yk_claim_status_text((enum yk_claim_status)verdict) : "FAILS";
}

void reproduce_count(const json_t *made, struct tally *tally)
{
    const json_t *claim;
    size_t i;

    tally->cases++;
    json_array_foreach(json_object_get(made, "claims"), i, claim)
    {
        tally->claims++;
        tally->checked += json_is_true(json_object_get(claim, "checked"));
        tally->caught += json_is_true(json_object_get(claim, "caught"));
        for (size_t o = 0; o < YK_ORIGINS; o++)
            for (size_t v = 0; v <= YK_CLAIM_STATUSES; v++)
                tally->count[o][v] += strcmp(yk_json_text(claim, "origin"), reproduce_origin(o)) == 0 &&
                                      strcmp(yk_json_text(claim, "verdict"), reproduce_verdict(v)) == 0;
    }
}

static size_t count_failures(const struct tally *tally)
{
    size_t failures = 0;

    for (size_t o = 0; o < YK_ORIGINS; o++)
        failures += tally->count[o][YK_CLAIM_STATUSES];
    return failures;
}

static size_t of_origin(const struct tally *tally, size_t origin)
{
    size_t sum = 0;

    for (size_t v = 0; v <= YK_CLAIM_STATUSES; v++)
        sum += tally->count[origin][v];
    return sum;
}

void reproduce_headline(const struct tally *tally, char *text, size_t size)
{
    static const struct {
        size_t origin;
        const char *words;
    } counted[] = {
        {YK_PRINTED, "printed numbers"}, {YK_STATED, "tests of statements"}, {YK_MEASURED, "figures of recordings"}};
    size_t used = 0, others = 0, met = 0;

    *text = 0;
    for (size_t i = 0; i < sizeof counted / sizeof *counted; i++) {
        const size_t all = of_origin(tally, counted[i].origin);

        if (all && used < size) /* a case may have none of them */
            used += (size_t)snprintf(text + used, size - used, "%s%zu of %zu %s", used ? " and " : "",
                                     tally->count[counted[i].origin][YK_MET], all, counted[i].words);
    }
    if (used)
        return;
    for (size_t o = 0; o < YK_ORIGINS; o++) {
        others += of_origin(tally, o);
        met += tally->count[o][YK_MET];
    }
    snprintf(text, size, "%zu of %zu claims, none of them printed or stated in the paper", met, others);
}

static void print_tally(const struct tally *tally)
{
    char headline[160];

    printf("%-10s", "");
    for (size_t v = 0; v <= YK_CLAIM_STATUSES; v++)
        printf("%16s", reproduce_verdict(v));
    for (size_t o = 0; o < YK_ORIGINS; o++) {
        printf("\n%-10s", reproduce_origin(o));
        for (size_t v = 0; v <= YK_CLAIM_STATUSES; v++)
            printf("%16zu", tally->count[o][v]);
    }
    reproduce_headline(tally, headline, sizeof headline);
    printf("\nreproduced: %s\n", headline);
}

static json_t *tally_json(const struct tally *tally)
{
    json_t *total = json_pack("{s:I, s:I, s:I}", "cases", (json_int_t)tally->cases, "claims", (json_int_t)tally->claims,
                              "fail", (json_int_t)count_failures(tally));

    for (size_t o = 0; o < YK_ORIGINS; o++) {
        json_t *row = json_object();

        for (size_t v = 0; v <= YK_CLAIM_STATUSES; v++)
            json_object_set_new(row, reproduce_verdict(v), json_integer((json_int_t)tally->count[o][v]));
        json_object_set_new(total, reproduce_origin(o), row);
    }
    return total;
}

/* ---- tables ---- */

/* At most `width` characters of UTF-8, padded; what is cut ends in "~". */
static void column(const char *text, int width)
{
    int shown = 0;
    const char *at = text;

    for (; *at && shown < width; at++)
        shown += ((unsigned char)*at & 0xc0) != 0x80;
    while (((unsigned char)*at & 0xc0) == 0x80)
        at++;
    if (*at) {
        while (at > text && ((unsigned char)*--at & 0xc0) == 0x80)
            ;
        printf("%.*s~ ", (int)(at - text), text);
    } else {
        printf("%s%*s ", text, width - shown, "");
    }
}

static void print_case(const json_t *made)
{
    size_t i;
    const json_t *claim;

    printf("%s: %s (%.3g s)\n", yk_json_text(made, "id"), yk_json_text(made, "title"),
           json_number_value(json_object_get(made, "seconds")));
    json_array_foreach(json_object_get(made, "claims"), i, claim)
    {
        char obtained[96];

        reproduce_obtained(claim, obtained, sizeof obtained);
        fputs("  ", stdout);
        column(yk_json_text(claim, "claim"), 58);
        column(yk_json_text(claim, "published"), 26);
        column(yk_json_text(claim, "expected"), 20);
        column(obtained, 14);
        column(yk_json_text(claim, "origin"), 9);
        puts(yk_json_text(claim, "verdict"));
        if (*yk_json_text(claim, "message"))
            printf("    %s\n", yk_json_text(claim, "message"));
    }
}

static json_t *read_made(const struct wish *wish, const char *id)
{
    char *path = NULL;
    json_t *made;

    if (asprintf(&path, "%s/%s/claims.json", wish->folder, id) < 0)
        return NULL;
    made = yk_json_read_file(path);
    free(path);
    return made;
}

/* Names the claims whose wrong variant is not noticed; false where there is one. */
static bool print_survivors(const json_t *all, const struct tally *tally)
{
    const json_t *made, *claim;
    size_t i, k;

    json_array_foreach(all, i, made)
    {
        json_array_foreach(json_object_get(made, "claims"), k, claim)
        {
            const char *wrong = yk_json_text(claim, "wrong");

            if (json_is_true(json_object_get(claim, "checked")) && !json_is_true(json_object_get(claim, "caught")))
                fprintf(stderr, "yoke: %s: \"%s\": %s%s\n", yk_json_text(made, "id"), yk_json_text(claim, "claim"),
                        *wrong ? "also holds with " : "has no wrong variant", wrong);
        }
    }
    return tally->caught == tally->checked;
}

/* Results of the cases, read from their folders; sets *code if a case has none. */
static json_t *read_all(const struct wish *wish, char *const *ids, const int *codes, size_t count, int *code)
{
    json_t *all = json_array();

    for (size_t i = 0; i < count; i++) {
        json_t *made = codes[i] == 0 || codes[i] == CASE_FAILS ? read_made(wish, ids[i]) : NULL;

        if (!made) {
            fprintf(stderr, "yoke: %s failed to run\n", ids[i]);
            *code = codes[i] == 2 ? 2 : 1;
            continue;
        }
        json_array_append_new(all, made);
    }
    return all;
}

static int write_pages(const struct reproduce_options *given, const json_t *all)
{
    const struct wish *wish = &given->wish;

    return reproduce_index(wish, all) || (given->markdown && reproduce_page(wish, given->markdown, all)) ||
           (given->errata && reproduce_errata(wish, given->errata, all));
}

static void print_all(const struct wish *wish, const json_t *all, const struct tally *tally)
{
    const json_t *made;
    size_t i;

    json_array_foreach(all, i, made)
    {
        print_case(made);
    }
    print_tally(tally);
    if (wish->sensitivity)
        printf("sensitivity: %zu wrong variants, %zu noticed\n", tally->checked, tally->caught);
    printf("%zu case%s, %zu claim%s: %zu fail; pages in %s/index.html\n", tally->cases, tally->cases == 1 ? "" : "s",
           tally->claims, tally->claims == 1 ? "" : "s", count_failures(tally), wish->folder);
}

int reproduce_conclude(const struct reproduce_options *given, char *const *ids, const int *codes, size_t count)
{
    const struct wish *wish = &given->wish;
    struct tally tally = {0};
    const json_t *made;
    int code = 0;
    json_t *all = read_all(wish, ids, codes, count, &code);
    size_t i;

    json_array_foreach(all, i, made)
    {
        reproduce_count(made, &tally);
    }
    if (!code && count_failures(&tally))
        code = CASE_FAILS;
    if (wish->sensitivity && !print_survivors(all, &tally) && !code)
        code = CASE_FAILS;
    if (write_pages(given, all) && !code)
        code = 1;
    if (given->json) {
        const int written = yk_print_json(json_pack("{s:o, s:o}", "cases", all, "total", tally_json(&tally)));
        return code ? code : written;
    }
    print_all(wish, all, &tally);
    json_decref(all);
    return code;
}
