/* yoke reproduce: published cases, recomputed and compared with the published values. */
#include "pages.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- where the cases are ---- */

/* --papers, YOKE_PAPERS, those of the installation (libexec/yoke) or of the source tree with its build folder, or here.
 */
static const char *find_papers(const char *given)
{
    static char path[4096];
    const char *fixed[] = {given, getenv("YOKE_PAPERS")};
    const char *beside[] = {"/../../share/yoke/papers", "/../papers"};
    const ssize_t length = readlink("/proc/self/exe", path, sizeof path - 64);

    for (int i = 0; i < 2; i++)
        if (fixed[i] && *fixed[i])
            return fixed[i];
    if (length > 0) {
        path[length] = 0;
        char *slash = strrchr(path, '/');

        for (size_t i = 0; slash && i < sizeof beside / sizeof *beside; i++) {
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
static bool choose(struct choice *all, const struct yk_words *words, const struct wish *wish)
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
            yk_misuse(&command_reproduce, "there is no case '%s' in %s (`yoke reproduce --list` names them)",
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
        *code = yk_command_fail(&err);
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
    if (yk_make_folder(folder)) {
        fprintf(stderr, "yoke: cannot create the folder %s: %s\n", folder, strerror(errno));
        return 1;
    }
    yk_case_check(c);
    if (wish->sensitivity)
        yk_case_mutate(c);
    if (wish->pictures)
        draw_figures(c, folder);
    const bool fails = yk_case_failures(c) || (wish->sensitivity && yk_case_survivors(c));
    code = yk_case_report(c, folder, &err) ? yk_command_fail(&err) : fails ? CASE_FAILS : 0;
    yk_case_close(c);
    free(folder);
    return code;
}

/* ---- all of them, some at a time ---- */

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
        const int written = yk_print_json(json_pack("{s:o}", "cases", all));
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
    struct reproduce_options g = {.wish.folder = "out/reproduce", .jobs = sysconf(_SC_NPROCESSORS_ONLN)};
    struct yk_words words;
    struct choice c = {0};
    struct yk_err err = {0};
    int *codes, code;

    if (!yk_take_options(&command_reproduce, argc, argv, &g, &words))
        return 2;
    if (g.vocabulary) {
        yk_reproduce_vocabulary(stdout);
        return 0;
    }
    if (!g.list && !g.all && !g.quick && words.count == 0)
        return yk_misuse(&command_reproduce, "no case given: name some, or use --all, --quick or --list");
    if (g.all && words.count > 0)
        return yk_misuse(&command_reproduce, "--all and names of cases exclude each other");
    if (g.list && (g.markdown || g.errata || g.wish.sensitivity))
        return yk_misuse(&command_reproduce, "--list computes nothing that --markdown, --errata or --sensitivity could "
                                             "show");
    g.wish.papers = find_papers(g.papers);
    g.wish.pictures = !g.no_pictures;
    if (yk_cases_find(g.wish.papers, &c.ids, &c.count, &err))
        return yk_command_fail(&err);
    if (!choose(&c, &words, &g.wish)) {
        free_choice(&c);
        return 2;
    }
    if (g.quick)
        keep_quick(&g.wish, &c);
    if (g.list) {
        code = list_cases(&g.wish, &c, g.json);
    } else if (!(codes = calloc(c.count + 1, sizeof *codes))) {
        code = 1;
    } else {
        code = make_all(&g.wish, &c, (size_t)g.jobs, codes, g.json || !isatty(STDERR_FILENO))
                   ? reproduce_conclude(&g, c.ids, codes, c.count)
                   : 1;
        free(codes);
    }
    free_choice(&c);
    return code;
}

int main(int argc, char **argv)
{
    return yk_command_main(&command_reproduce, run, argc, argv);
}
