/* yoke reproduce: published cases, recomputed and compared with the published values. */
#include "cli/reproduce.h"
#include "base/json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Exit codes of the process that makes a case. */
enum { CASE_FAILS = 4 };

/* ---- where the cases are ---- */

/* --papers, YOKE_PAPERS, beside the program when installed or in a build folder of the source, or here. */
static const char *find_papers(const char *given)
{
    static char path[4096];
    const char *fixed[] = {given, getenv("YOKE_PAPERS")};
    const char *beside[] = {"/../share/yoke/papers", "/../papers"};
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 64);

    for (int i = 0; i < 2; i++)
        if (fixed[i] && *fixed[i])
            return fixed[i];
    if (length > 0) {
        path[length] = 0;
        char *slash = strrchr(path, '/');

        for (int i = 0; slash && i < 2; i++) {
            strcpy(slash, beside[i]);
            if (access(path, R_OK) == 0)
                return path;
        }
    }
    return "papers";
}

/* ---- which cases ---- */

struct choice {
    char **ids;
    size_t count;
};

static void free_choice(struct choice *c)
{
    for (size_t i = 0; i < c->count; i++)
        free(c->ids[i]);
    free(c->ids);
}

/* "000-interfield/fig2-radii" is meant by itself, "fig2-radii", "000-interfield" and "000". */
static bool is_meant(const char *id, const char *word)
{
    const char *slash = strchr(id, '/');
    const size_t length = strlen(word), paper = (size_t)(slash - id);

    return strcmp(id, word) == 0 || strcmp(slash + 1, word) == 0 ||
           (length <= paper && strncmp(id, word, length) == 0 && (length == paper || id[length] == '-'));
}

/* Keeps the cases that the words mean, all where there is none; false after a message. */
static bool choose(struct choice *all, const struct words *words, const struct wish *wish)
{
    bool *keep = calloc(all->count + 1, sizeof *keep);
    size_t kept = 0;
    bool good = keep != NULL;

    for (int w = 0; w < words->count && good; w++) {
        bool any = false;

        for (size_t i = 0; i < all->count; i++)
            if (is_meant(all->ids[i], words->rest[w]))
                keep[i] = any = true;
        if (!any) {
            usage_error(&command_reproduce, "there is no case '%s' in %s (`yoke reproduce --list` names them)",
                        words->rest[w], wish->papers);
            good = false;
        }
    }
    for (size_t i = 0; i < all->count && good; i++) {
        if (words->count == 0)
            keep[i] = true;
        if (keep[i])
            all->ids[kept++] = all->ids[i];
        else
            free(all->ids[i]);
    }
    if (good)
        all->count = kept;
    free(keep);
    return good;
}

static struct yk_case *open_case(const struct wish *wish, const char *id, int *code)
{
    struct yk_case *c = NULL;
    struct yk_err err = {0};
    char *folder = NULL;

    if (asprintf(&folder, "%s/%s", wish->papers, id) < 0)
        return NULL;
    if (yk_case_open(&c, folder, id, &err))
        *code = report_failure(&err);
    free(folder);
    return c;
}

/* ---- one case, in a process of its own ---- */

/* A picture that cannot be drawn is a pity, not a failure: the claims decide. */
static void draw_figures(struct yk_case *c, const char *folder)
{
    for (size_t k = 0; k < c->figure_count; k++) {
        struct yk_err err = {0};

        if (yk_case_draw(c, k, folder, &err))
            fprintf(stderr, "yoke: %s: %s: %s\n", c->id, yk_case_figure_name(c, k), yk_err_line(&err).text);
    }
}

static int make_case(const struct wish *wish, const char *id)
{
    char *folder = NULL;
    struct yk_err err = {0};
    int code = 1;
    struct yk_case *c = open_case(wish, id, &code);

    if (!c || asprintf(&folder, "%s/%s", wish->folder, id) < 0)
        return code;
    if (make_folder(folder)) {
        fprintf(stderr, "yoke: cannot create the folder %s: %s\n", folder, strerror(errno));
        return 1;
    }
    yk_case_check(c);
    if (wish->sensitivity)
        yk_case_mutate(c);
    if (wish->pictures)
        draw_figures(c, folder);
    const bool fails = yk_case_failures(c) || (wish->sensitivity && yk_case_survivors(c));
    code = yk_case_report(c, folder, &err) ? report_failure(&err) : fails ? CASE_FAILS : 0;
    yk_case_close(c);
    free(folder);
    return code;
}

/* ---- all of them, some at a time ---- */

const char *reproduce_text(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "";
}

void reproduce_obtained(const json_t *claim, char *text, size_t size)
{
    const json_t *value = json_object_get(claim, "obtained");
    const char *unit = reproduce_text(claim, "unit");

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
                tally->count[o][v] += strcmp(reproduce_text(claim, "origin"), reproduce_origin(o)) == 0 &&
                                      strcmp(reproduce_text(claim, "verdict"), reproduce_verdict(v)) == 0;
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
    } counted[] = {{YK_PRINTED, "printed numbers"}, {YK_STATED, "tests of statements"}};
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

    printf("%s: %s (%.3g s)\n", reproduce_text(made, "id"), reproduce_text(made, "title"),
           json_number_value(json_object_get(made, "seconds")));
    json_array_foreach(json_object_get(made, "claims"), i, claim)
    {
        char obtained[96];

        reproduce_obtained(claim, obtained, sizeof obtained);
        fputs("  ", stdout);
        column(reproduce_text(claim, "claim"), 58);
        column(reproduce_text(claim, "published"), 26);
        column(reproduce_text(claim, "expected"), 20);
        column(obtained, 14);
        column(reproduce_text(claim, "origin"), 9);
        puts(reproduce_text(claim, "verdict"));
        if (*reproduce_text(claim, "message"))
            printf("    %s\n", reproduce_text(claim, "message"));
    }
}

struct job {
    pid_t process;
    size_t which;
};

/* Starts a case in a process of its own: a crash there is a failure of that case and no more. */
static bool start(const struct wish *wish, const char *id, size_t which, struct job *job)
{
    fflush(NULL);
    job->which = which;
    job->process = fork();
    if (job->process == 0) {
        const int code = make_case(wish, id);

        fflush(NULL);
        _exit(code);
    }
    return job->process > 0;
}

/* Makes all cases, `jobs` at a time; exit codes by case. */
static bool make_all(const struct wish *wish, const struct choice *c, size_t jobs, int *codes, bool quiet)
{
    struct job running[64] = {0};
    size_t next = 0, busy = 0, done = 0;

    while (next < c->count || busy) {
        int status;

        while (next < c->count && busy < jobs) {
            if (!start(wish, c->ids[next], next, &running[busy])) {
                fprintf(stderr, "yoke: cannot start a process: %s\n", strerror(errno));
                return false;
            }
            next++;
            busy++;
        }
        const pid_t ended = wait(&status);

        for (size_t i = 0; i < busy; i++)
            if (running[i].process == ended) {
                codes[running[i].which] = WIFEXITED(status) ? WEXITSTATUS(status) : 1;
                if (!quiet)
                    fprintf(stderr, "%zu of %zu: %s\n", ++done, c->count, c->ids[running[i].which]);
                running[i] = running[--busy];
                break;
            }
    }
    return true;
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
            const char *wrong = reproduce_text(claim, "wrong");

            if (json_is_true(json_object_get(claim, "checked")) && !json_is_true(json_object_get(claim, "caught")))
                fprintf(stderr, "yoke: %s: \"%s\": %s%s\n", reproduce_text(made, "id"), reproduce_text(claim, "claim"),
                        *wrong ? "also holds with " : "has no wrong variant", wrong);
        }
    }
    return tally->caught == tally->checked;
}

/* The table, and the exit code of the whole. */
static int conclude(const struct wish *wish, const struct choice *c, const int *codes, bool json, const char *markdown,
                    const char *errata)
{
    struct tally tally = {0};
    json_t *all = json_array();
    int code = 0;

    for (size_t i = 0; i < c->count; i++) {
        json_t *made = codes[i] == 0 || codes[i] == CASE_FAILS ? read_made(wish, c->ids[i]) : NULL;

        if (!made) {
            fprintf(stderr, "yoke: %s failed to run\n", c->ids[i]);
            code = codes[i] == 2 ? 2 : 1;
            continue;
        }
        reproduce_count(made, &tally);
        if (!json)
            print_case(made);
        json_array_append_new(all, made);
    }
    if (!code && count_failures(&tally))
        code = CASE_FAILS;
    if (wish->sensitivity && !print_survivors(all, &tally) && !code)
        code = CASE_FAILS;
    if (reproduce_index(wish, all) || (markdown && reproduce_page(wish, markdown, all)) ||
        (errata && reproduce_errata(wish, errata, all)))
        code = code ? code : 1;
    if (json) {
        const int written = print_json(json_pack("{s:o, s:o}", "cases", all, "total", tally_json(&tally)));
        return code ? code : written;
    }
    print_tally(&tally);
    if (wish->sensitivity)
        printf("sensitivity: %zu wrong variants, %zu noticed\n", tally.checked, tally.caught);
    printf("%zu case%s, %zu claim%s: %zu fail; pages in %s/index.html\n", tally.cases, tally.cases == 1 ? "" : "s",
           tally.claims, tally.claims == 1 ? "" : "s", count_failures(&tally), wish->folder);
    json_decref(all);
    return code;
}

/* ---- the command ---- */

static int list_cases(const struct wish *wish, const struct choice *c, bool json)
{
    json_t *all = json_array();
    int code = 0;

    for (size_t i = 0; i < c->count; i++) {
        struct yk_case *one = open_case(wish, c->ids[i], &code);
        char *text = one && json ? yk_case_json(one) : NULL;

        if (!one)
            continue;
        if (json)
            json_array_append_new(all, text ? yk_json_read_text(text) : json_null());
        else
            printf("%-40s %3zu %s%s\n    %s\n", one->id, one->claim_count, one->quick ? "quick  " : "       ",
                   one->source, one->title);
        free(text);
        yk_case_close(one);
    }
    if (json) {
        const int written = print_json(json_pack("{s:o}", "cases", all));
        return code ? code : written;
    }
    json_decref(all);
    return code;
}

/* Keeps the quick ones. */
static void keep_quick(const struct wish *wish, struct choice *c)
{
    size_t kept = 0;

    for (size_t i = 0; i < c->count; i++) {
        int code = 0;
        struct yk_case *one = open_case(wish, c->ids[i], &code);

        if (!one || one->quick) /* a broken one is kept, and reported when it is made */
            c->ids[kept++] = c->ids[i];
        else
            free(c->ids[i]);
        yk_case_close(one);
    }
    c->count = kept;
}

static int run(int argc, char **argv)
{
    struct wish wish = {.folder = "out/reproduce", .pictures = true};
    const char *papers = NULL, *jobs_text = NULL, *markdown = NULL, *errata = NULL;
    bool list = false, all = false, quick = false, json = false, no_pictures = false, vocabulary = false;
    const struct option_spec specs[] = {{"--list", OPTION_FLAG, &list},
                                        {"--all", OPTION_FLAG, &all},
                                        {"--quick", OPTION_FLAG, &quick},
                                        {"--output|-o", OPTION_TEXT, &wish.folder},
                                        {"--papers", OPTION_TEXT, &papers},
                                        {"--jobs|-j", OPTION_TEXT, &jobs_text},
                                        {"--no-pictures", OPTION_FLAG, &no_pictures},
                                        {"--sensitivity", OPTION_FLAG, &wish.sensitivity},
                                        {"--markdown", OPTION_TEXT, &markdown},
                                        {"--errata", OPTION_TEXT, &errata},
                                        {"--vocabulary", OPTION_FLAG, &vocabulary},
                                        {"--json", OPTION_FLAG, &json},
                                        {0}};
    struct words words;
    struct choice c = {0};
    struct yk_err err = {0};
    long jobs = sysconf(_SC_NPROCESSORS_ONLN);
    int *codes, code;

    if (!take_options(&command_reproduce, argc, argv, specs, &words))
        return 2;
    if (vocabulary) {
        yk_reproduce_vocabulary(stdout);
        return 0;
    }
    if (!parse_count(&command_reproduce, "--jobs", jobs_text, 1, 64, &jobs))
        return 2;
    if (!list && !all && !quick && words.count == 0)
        return usage_error(&command_reproduce, "no case given: name some, or use --all, --quick or --list");
    if (all && words.count > 0)
        return usage_error(&command_reproduce, "--all and names of cases exclude each other");
    if (list && (markdown || errata || wish.sensitivity))
        return usage_error(&command_reproduce,
                           "--list computes nothing that --markdown, --errata or --sensitivity could "
                           "show");
    wish.papers = find_papers(papers);
    wish.pictures = !no_pictures;
    if (yk_cases_find(wish.papers, &c.ids, &c.count, &err))
        return report_failure(&err);
    if (!choose(&c, &words, &wish)) {
        free_choice(&c);
        return 2;
    }
    if (quick)
        keep_quick(&wish, &c);
    if (list) {
        code = list_cases(&wish, &c, json);
    } else if (!(codes = calloc(c.count + 1, sizeof *codes))) {
        code = 1;
    } else {
        code = make_all(&wish, &c, (size_t)jobs, codes, json || !isatty(STDERR_FILENO))
                   ? conclude(&wish, &c, codes, json, markdown, errata)
                   : 1;
        free(codes);
    }
    free_choice(&c);
    return code;
}

const struct command command_reproduce = {
    .name = "reproduce",
    .summary = "recompute published results and compare them with the papers",
    .options = "--list --all --quick --output --papers --jobs --no-pictures --sensitivity --markdown --errata "
               "--vocabulary --json",
    .help = "usage: yoke reproduce --list [CASE...] [--json]\n"
            "       yoke reproduce CASE...|--all|--quick [-o DIR] [--jobs N] [--sensitivity] [--no-pictures] [--json]\n"
            "       yoke reproduce --vocabulary\n\n"
            "Recomputes published results. A case is a figure, table or section of a paper: experiment files and a "
            "list of claims,\n"
            "each with the words of the paper, the quantity that measures it and its expected value. CASE is the full "
            "name of a\n"
            "case, its last part, or a paper for all of its cases. Each case gets a folder DIR/CASE (default "
            "out/reproduce) with\n"
            "index.html, claims.csv, claims.json and its figures (.svg, with .csv and .gp); DIR/index.html lists all "
            "claims.\n\n"
            "  --list          list names, number of claims, place in the paper and title; with --json every claim, "
            "not computed\n"
            "  --all           run every case; --quick: run a few representative ones, in less than a minute\n"
            "  --output DIR    folder for the results\n"
            "  --papers DIR    folder of the cases; default: YOKE_PAPERS, the installed cases, or those of the source "
            "tree\n"
            "  --jobs N        cases to run at the same time; default: one per processor\n"
            "  --sensitivity   also compute the wrong variant of every claim, which must fail\n"
            "  --no-pictures   compute the claims only\n"
            "  --markdown FILE write the table as a page of Markdown, with its figures in pictures/reproduction next "
            "to it\n"
            "  --errata FILE   write the errors found in the papers as a page of Markdown\n"
            "  --vocabulary    list the quantities and curves that claims and figures are made of\n\n"
            "The origin of a claim says where its expected value comes from: `printed` (a number in the paper), "
            "`stated` (words of\n"
            "the paper, expressed as a bound), `derived` (a closed form or an independent prototype; the paper prints "
            "no value),\n"
            "`surrogate` (the paper does not print all inputs; some were chosen here), `fitted` (inputs were fitted to "
            "the number),\n"
            "`input` (data of the paper, read back) or `repeated` (another claim counts the number). Only printed and "
            "stated ones\n"
            "count as reproduced. The verdict is `met`, `not met` (with the reason), `paper in error` (with the proof) "
            "or\n"
            "`disagreement` (not settled). Exit code 4 if a value is not as expected, or if a wrong variant passes.\n\n"
            "--json: {\"cases\": [{\"id\", \"title\", \"source\", \"claims\": [{\"claim\", \"where\", \"origin\", "
            "\"published\", \"expected\", \"low\", \"high\", \"obtained\", \"verdict\", \"wrong\", \"caught\"}]}], "
            "\"total\": {\"cases\", \"claims\", \"fail\", \"printed\": {\"met\", \"not met\", ...}, \"stated\", "
            "\"derived\", \"surrogate\", \"fitted\", \"input\", \"repeated\"}}\n\n"
            "examples:\n"
            "  yoke reproduce --list\n"
            "  yoke reproduce fig2-radii -o out\n"
            "  yoke reproduce --all --sensitivity\n",
    .run = run,
};
